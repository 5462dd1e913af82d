"""The features, a module each: `register(server)` says which methods of the protocol it serves."""

FEATURES = (
    "diagnostics",
    "code_actions",
    "completion",
    "traces",
    "hover",
    "definition",
    "references",
    "rename",
    "highlights",
    "symbols",
    "workspace_symbols",
    "semantic_tokens",
    "folding",
    "selection_ranges",
    "links",
    "code_lens",
    "decisions",
    "try_turn",
    "inlay_hints",
)
"""The modules that a server has."""
