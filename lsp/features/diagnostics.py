"""Diagnostics: pushed, or given where the client asks for them; never both."""

from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.documents import Document, same_uri
from stalwart_lang.lsp.findings import Finding
from stalwart_lang.lsp.pages import page_of
from stalwart_lang.lsp.traces.documents import answer_of_trace, is_trace

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

SOURCE = "stalwart"

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
}
_UNNECESSARY = frozenset(("SV107", "SV108"))
"""Codes of what could as well be removed, which editors show faded."""


def register(server: "Server") -> None:
    """Push, or give: which it is depends on what the client declares."""
    pushed = _Pushed(server)

    @server.on_begin
    def begin(params: types.InitializeParams) -> None:
        text_document = params.capabilities.text_document
        if text_document is not None and text_document.diagnostic is not None:
            _give(server)
            server.analyses.on_findings(_Refresh(server).refresh)
        else:
            server.analyses.on_findings(pushed.push)


def diagnostic(server: "Server", document: Document, finding: Finding) -> types.Diagnostic:
    """A finding in the protocol's terms."""
    page = page_of(finding.code)
    message = finding.message if finding.fix is None else f"{finding.message}\n{finding.fix}"
    related = []
    for one in finding.related:
        its = document if one.uri == document.uri else server.project.document(one.uri)
        if its is not None:
            where = types.Location(uri=one.uri, range=its.range(one.start, one.end))
            related.append(types.DiagnosticRelatedInformation(location=where, message=one.message))
    return types.Diagnostic(
        range=document.range(finding.start, finding.end),
        message=message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=None if page is None else types.CodeDescription(href=page),
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code in _UNNECESSARY else None,
        related_information=related or None,
    )


def diagnostics_of(server: "Server", uri: str) -> list[types.Diagnostic]:
    """What is wrong with a document, as far as it is known."""
    document = server.project.document(uri)
    if document is None:
        return []
    return [diagnostic(server, document, one) for one in server.analyses.findings(uri)]


class _Pushed:
    """What a client was sent, so that nothing is sent twice."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._sent: dict[str, tuple[int | None, list[types.Diagnostic]]] = {}

    def push(self, uris: Iterable[str]) -> None:
        """Send what a document has now, if it was not sent yet."""
        for uri in uris:
            document = self._server.project.document(uri)
            version = None if document is None else document.version
            found = diagnostics_of(self._server, uri)
            sent = self._sent.get(uri)
            if sent == (version, found) or (sent is None and not found and version is None):
                continue
            if found or self._server.project.is_open(uri):
                self._sent[uri] = version, found
            else:
                self._sent.pop(uri, None)
                if sent is None:
                    continue
            self._server.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=found)
            )


def _give(server: "Server") -> None:
    options = types.DiagnosticOptions(
        identifier=SOURCE, inter_file_dependencies=True, workspace_diagnostics=False
    )

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def given(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        uri = same_uri(params.text_document.uri)
        if is_trace(uri):
            items = await answer_of_trace(server, "diagnostics", uri)
        else:
            await server.analyses.settled(uri)
            items = diagnostics_of(server, uri)
        result = sha256(repr(items).encode(errors="surrogatepass")).hexdigest()
        if params.previous_result_id == result:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result)
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=result)


class _Refresh:
    """Has a client ask again where its documents have other findings than it was given."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._known: dict[str, tuple[int | None, tuple[Finding, ...]]] = {}

    def refresh(self, uris: Iterable[str]) -> None:
        """Ask where the same version has other findings than before."""
        again = False
        for uri in uris:
            document = self._server.project.document(uri)
            now = (
                None if document is None else document.version,
                self._server.analyses.findings(uri),
            )
            before = self._known.get(uri)
            again = again or (before is not None and before[0] == now[0] and before[1] != now[1])
            if document is None:
                self._known.pop(uri, None)
            else:
                self._known[uri] = now
        if again and self._server.can("workspace.diagnostics.refresh_support"):
            self._server.workspace_diagnostic_refresh(None)
