"""What a span says of an error."""


def error_type(error: BaseException) -> str:
    """Return the error's class: `RuntimeError`, or with its module, `sqlite3.DatabaseError`."""
    kind = type(error)
    if kind.__module__ == "builtins":
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"
