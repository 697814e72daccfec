"""Hover: the fact of a name and where it came from, a call's facts, the page of a rule code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from torchlsp.server.features.diagnostics import page_link
from torchlsp.server.texts import moved, moved_span

if TYPE_CHECKING:
    from torchlsp.core.span import Span
    from torchlsp.engine.inspection import Description
    from torchlsp.server.app import TorchServer
    from torchlsp.server.session import Unit

# Longer nobody keeps the pointer still; then the newest finished result answers.
_PATIENCE = 2.0


def register(server: TorchServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        if not server.session.settings.hover:
            return None
        place = server.place(params.text_document.uri, params.position)
        if place is None:
            return None
        unit, offset = place
        await server.session.examined(unit, _PATIENCE)
        found = describe(unit, offset)
        if found is None:
            from torchlsp.server.features.names import resolved_hover

            return await resolved_hover(server, unit, offset)
        description, span = found
        return types.Hover(_content(server, unit, description), _range(server, unit, span))


def describe(unit: Unit, offset: int) -> tuple[Description, Span] | None:
    """What is known at an offset of the newest text, from the newest result or from the last text that parsed."""
    from torchlsp.engine.inspection import at

    text = unit.document.text
    for examination in (unit.examination, unit.intact):
        if examination is None:
            continue
        there = examination.document.text
        was = moved(there, text, offset)
        description = at(examination, was) if was is not None else None
        if description is None:
            continue
        span = moved_span(text, there, description.span)
        if span is not None:
            return description, span
    return None


def _content(server: TorchServer, unit: Unit, description: Description) -> types.MarkupContent:
    from torchlsp.report.hover import markdown, plain_text
    from torchlsp.report.sources import Sources

    examination = unit.examination or unit.intact
    sources = Sources({examination.document.path: examination.document} if examination is not None else {})
    url = unit.examined.rules_url if unit.examined is not None else None
    formats = server.client_has("text_document.hover.content_format") or ()
    if types.MarkupKind.Markdown in formats:
        text = markdown(description, sources, page_link=lambda code: page_link(code, url) or "")
        return types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.MarkupContent(types.MarkupKind.PlainText, plain_text(description, sources))


def _range(server: TorchServer, unit: Unit, span: Span) -> types.Range:
    return server.converter(unit.document).range(span)
