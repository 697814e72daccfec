"""Resolves names unknown to the engine through jedi, which a hover does not wait for."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from lsprotocol import types

from torchlsp.core.span import Span
from torchlsp.server.features.docs import documented, how_much, shows_markdown
from torchlsp.syntax.lexing import is_use

if TYPE_CHECKING:
    from torchlsp.core.text import Document
    from torchlsp.engine.jedi_bridge import Symbol
    from torchlsp.server.app import TorchServer
    from torchlsp.server.session import Unit

# Seconds that jedi may take for a name, and those that the hover which asked for it waits: a later answer is there for the next.
_BUDGET = 2.0
_PATIENCE = 0.015
# Of other packages' names the type checker beside us tells more.
_OURS = ("torch.", "torchvision.", "torchaudio.")


async def resolved_hover(server: TorchServer, unit: Unit, offset: int) -> types.Hover | None:
    """Returns the torch symbol of a name that comes to the file through packages outside the workspace."""
    document = unit.document
    span = identifier_at(document.text, offset)
    if span is None or document.cells or not is_use(document.text, span.start, span.end):
        return None
    symbol = await server.resolved_names().at(server, document, span, offset)
    if symbol is None or not symbol.full_name.startswith(_OURS) or unit.document is not document:
        return None
    much = how_much(server, unit)
    below = documented(server, symbol.full_name, document.path, much, None) if shows_markdown(server) else ""
    content = _content(server, symbol, below, much)
    return types.Hover(content, server.converter(document).range(span))


class ResolvedNames:
    """The answers of jedi about the names of one text, the one that was asked about last."""

    def __init__(self) -> None:
        self._document: Document | None = None
        self._asked: dict[int, asyncio.Task[Symbol | None]] = {}

    async def at(self, server: TorchServer, document: Document, span: Span, offset: int) -> Symbol | None:
        """Returns the definition of the name around an offset; None where jedi does not know it, or not yet."""
        if self._document is not document:
            self._document, self._asked = document, {}
        asked = self._asked.get(span.start)
        if asked is None or asked.cancelled():
            for start, other in list(self._asked.items()):
                if not other.done():
                    del self._asked[start]  # the bridge answers the newest question alone
            asked = self._asked[span.start] = asyncio.ensure_future(_resolve(server, document, offset))
        await asyncio.wait({asked}, timeout=_PATIENCE)
        return asked.result() if asked.done() and not asked.cancelled() else None


async def _resolve(server: TorchServer, document: Document, offset: int) -> Symbol | None:
    row, column = document.row_column(offset)
    return await server.names().resolve(
        document.path,
        document.text,
        row,
        column - 1,
        root=server.session.root_of(document.path) or os.path.dirname(document.path),
        site_packages=server.interpreter(document.path)[1],
        budget=_BUDGET,
    )


def identifier_at(text: str, offset: int) -> Span | None:
    """Returns the identifier around an offset, or ending there."""
    start = end = offset
    while start > 0 and _in_name(text[start - 1]):
        start -= 1
    while end < len(text) and _in_name(text[end]):
        end += 1
    return Span(start, end) if start < end and not text[start].isdigit() else None


def _in_name(character: str) -> bool:
    return character.isalnum() or character == "_"


def _content(server: TorchServer, symbol: Symbol, below: str, much: str) -> types.MarkupContent:
    signature, _, summary = symbol.description.partition("\n")
    if not shows_markdown(server):
        lines = [symbol.full_name, signature, summary]
        return types.MarkupContent(types.MarkupKind.PlainText, "\n".join(filter(None, lines)))
    lines = [f"`{symbol.full_name}`", f"```python\n{signature}\n```" if signature else "", summary]
    if "```python" in below:
        # The documentation has signature and summary.
        is_named = f"```python\n{symbol.full_name}" in below
        lines = lines[: 0 if is_named else 1] if much == "short" else lines
    lines.append(below)
    return types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(filter(None, lines)))
