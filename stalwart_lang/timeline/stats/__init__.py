"""The figures of runs: of each and of many together, in one pass over their spans."""
