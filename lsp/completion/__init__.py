"""Completion: where in a file something is typed, and what can stand there."""
