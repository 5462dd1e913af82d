"""Where two runs first differ, and what followed from that."""
