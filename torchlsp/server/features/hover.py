"""Serves hovers: a name's fact and origin, a call's facts, the page of a rule code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from torchlsp.server.features.diagnostics import findings_in, page_link
from torchlsp.server.features.docs import documented, how_much, shows_markdown
from torchlsp.server.texts import moved, moved_span, offset_at

if TYPE_CHECKING:
    from torchlsp.core.span import Span
    from torchlsp.core.text import Document
    from torchlsp.engine.inspection import Description
    from torchlsp.server.app import TorchServer
    from torchlsp.server.session import Unit

# Users do not wait longer; then the newest finished result answers.
_PATIENCE = 2.0
_MOST_LINES = 25
"""Of a hover, unless the whole documentation is asked for."""


def register(server: TorchServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        plain = server.session.plain.get(params.text_document.uri)
        place = server.place(params.text_document.uri, params.position) if plain is None else None
        document = plain if place is None else place[0].document
        if document is None or not server.session.settings_of(document.path).hover:
            return None
        if place is None:
            return _in_configuration(server, document, params.position)
        unit, asked = place
        text = unit.document.text
        await server.session.examined(unit, _PATIENCE)
        server.session.details.ask(unit)
        # What was pointed at may have moved meanwhile, or be gone.
        offset = moved(unit.document.text, text, asked)
        if offset is None or unit.closed:
            return None
        found = describe(unit, offset)
        if found is None:
            from torchlsp.server.features.names import resolved_hover

            return await resolved_hover(server, unit, offset)
        description, span = found
        url = unit.examined.rules_url if unit.examined is not None else None
        examination = unit.examination or unit.intact
        document = examination.document if examination is not None else unit.document
        range = server.converter(unit.document).range(span)
        much = how_much(server, unit)
        if description.kind == "argument":
            return _argument(server, unit, description, range, much)
        below = ""
        if not shows_markdown(server) or description.kind == "rule":
            pass
        elif description.symbol and description.kind in ("call", "symbol"):
            below = documented(server, description.symbol, unit.document.path, much, description)
        elif description.fact:
            below = server.docs.legend(description)
        most = _MOST_LINES if much != "full" else None
        content = _content(server, document, description, url, below, most)
        content.value += _why_no_verdict(unit, offset)
        return types.Hover(content, range)


def _argument(
    server: TorchServer, unit: Unit, description: Description, range: types.Range, much: str
) -> types.Hover | None:
    """Returns the documentation of the parameter that an argument is passed to."""
    if much == "off" or not shows_markdown(server):
        return None
    symbol, name = description.symbol or "", description.name
    said = server.docs.argument(symbol, name, unit.document.path)
    if not said:
        return None
    if much == "short":
        said = "\n".join(said.split("\n")[: _MOST_LINES - 2])
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, f"`{symbol}`\n\n{said}"), range)


def _why_no_verdict(unit: Unit, offset: int) -> str:
    """Returns how the probes of the findings here ended, where the finding itself does not say."""
    from torchlsp.report.words import verdict_words

    said = [
        f"\n\n{finding.rule}: probe {verdict_words(finding.verdict)}"
        for finding in findings_in(unit, offset, offset)
        if finding.verdict is not None and not finding.verdict.is_positive
    ]
    return "".join(said) if unit.is_current else ""


def describe(unit: Unit, offset: int) -> tuple[Description, Span] | None:
    """Returns the facts at an offset of the newest text, from the newest result or the last one that parsed."""
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


def _in_configuration(
    server: TorchServer, document: Document, position: types.Position
) -> types.Hover | None:
    """Returns the page of a rule code in a configuration file."""
    from torchlsp.engine.inspection import rule_at

    description = rule_at(document.text, offset_at(document, position, server.session.encoding))
    if description is None:
        return None
    range = server.converter(document).range(description.span)
    return types.Hover(_content(server, document, description, None), range)


def _content(
    server: TorchServer,
    document: Document,
    description: Description,
    rules_url: str | None,
    below: str = "",
    most_lines: int | None = None,
) -> types.MarkupContent:
    from torchlsp.report.hover import markdown, plain_text
    from torchlsp.report.sources import Sources

    sources = Sources({document.path: document})
    if shows_markdown(server):
        text = markdown(
            description,
            sources,
            page_link=lambda code: page_link(code, rules_url) or "",
            below=below,
            most_lines=most_lines,
        )
        return types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.MarkupContent(types.MarkupKind.PlainText, plain_text(description, sources))
