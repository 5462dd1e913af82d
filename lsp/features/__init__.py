"""The features, a module each: `register(server)` says which methods of the protocol it serves."""

FEATURES = (
    "diagnostics",
    "code_actions",
    "traces",
    "hover",
    "definition",
    "symbols",
    "code_lens",
)
"""The modules that a server has."""
