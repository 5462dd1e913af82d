"""What the agent may look into, held in memory."""

_LOGS = {
    "checkout": "payment refused: the card gateway does not answer",
    "card-gateway": "handshake failed: the certificate is no longer valid",
}
_RUNBOOKS = {"card-gateway": "Certificate errors: renew it, then restart the gateway."}


def search_logs(service: str) -> str:
    """Return the last error that a service logged."""
    return _LOGS.get(service, "no errors")


def read_runbook(service: str) -> str:
    """Return what to do when a service fails; raise LookupError where nobody wrote that down."""
    if service not in _RUNBOOKS:
        raise LookupError(f"no runbook for {service!r}; there is one for {', '.join(_RUNBOOKS)}")
    return _RUNBOOKS[service]


TOOLS = {"search_logs": search_logs, "read_runbook": read_runbook}
