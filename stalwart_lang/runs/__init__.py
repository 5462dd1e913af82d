"""Runs: every call checked, confirmed by a person where it must be, kept, and undoable."""
