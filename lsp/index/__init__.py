"""The index: what a document names, and where, even while it is broken."""
