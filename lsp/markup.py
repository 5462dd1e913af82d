"""Markdown or plain text, whichever a client shows; what files hold stays in its place."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.terminal import printable

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

_CLIPPED = 300
# What means something in Markdown. Of an address, the part that would make a link of it.
_MARKS = re.compile(r"[\\`*_{}\[\]<>()#|~&$!@]|://|(?<=[wW])\.|^[-+=]|(?<=\d)[.)]")
_STRONG = re.compile(r"\*\*|`")


def code(text: str) -> str:
    """A text of others as code in Markdown, from which nothing in it gets out."""
    text = clipped(text)
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    blank = " " if longest or text.startswith(" ") or not text else ""
    return f"{fence}{blank}{text}{blank}{fence}"


def clipped(text: str) -> str:
    """A text of others in one line, not too long, without what acts on a terminal."""
    return printable(text if len(text) <= _CLIPPED else text[: _CLIPPED - 1] + "…")


def escaped(text: str) -> str:
    """A sentence of others in Markdown, as it is written: none of its signs mean anything."""
    return _MARKS.sub(_escape, clipped(" ".join(text.split())))


def _escape(found: "re.Match[str]") -> str:
    return "".join(f"\\{character}" for character in found[0])


@dataclass(frozen=True, slots=True)
class Markup:
    """How to write for a client: Markdown where it shows that, else plain text."""

    markdown: bool

    def code(self, text: str) -> str:
        """A name or a text of others, set off."""
        return code(text) if self.markdown else clipped(text)

    def prose(self, text: str) -> str:
        """A sentence of others."""
        return escaped(text) if self.markdown else clipped(" ".join(text.split()))

    def own(self, text: str) -> str:
        """A sentence of this program's, which may hold Markdown."""
        return text if self.markdown else _STRONG.sub("", text)

    def strong(self, text: str) -> str:
        """Words of this program's, set off."""
        return f"**{text}**" if self.markdown else text

    def link(self, label: str, uri: str) -> str:
        """A label that leads to a place; `label` is written already."""
        target = uri.replace("(", "%28").replace(")", "%29")
        return f"[{label}]({target})" if self.markdown else f"{label} <{uri}>"

    def items(self, lines: Iterable[str]) -> str:
        """A list."""
        return "\n".join(f"- {line}" for line in lines)

    def content(self, blocks: Iterable[str]) -> types.MarkupContent:
        """Blocks, one below the other, for the protocol."""
        kind = types.MarkupKind.Markdown if self.markdown else types.MarkupKind.PlainText
        return types.MarkupContent(kind=kind, value="\n\n".join(filter(None, blocks)))


def markup_for_hover(server: "Server") -> Markup:
    """How this client shows hovers; one that does not say takes Markdown."""
    asked = server.client_capabilities.text_document
    formats = asked.hover.content_format if asked and asked.hover else None
    return Markup(not formats or types.MarkupKind.Markdown in formats)
