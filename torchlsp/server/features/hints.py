"""Offers inlay hints: facts at assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from torchlsp.core.span import Span
from torchlsp.server.texts import moved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torchlsp.engine.inspection import Hint, HintKinds
    from torchlsp.server.app import TorchServer
    from torchlsp.server.session import Unit
    from torchlsp.server.settings import EditorSettings


def register(server: TorchServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay_hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        uri = params.text_document.uri
        start, end = server.place(uri, params.range.start), server.place(uri, params.range.end)
        if start is None or end is None:
            return []
        unit = start[0]
        await server.session.examined(unit)
        server.session.details.ask(unit)
        converter = server.converter(unit.document)
        return [
            types.InlayHint(
                position=converter.position(place),
                label=hint.text,
                kind=types.InlayHintKind.Type,
                tooltip=hint.tooltip or None,
            )
            for place, hint in sorted(_hints(server, unit, Span(start[1], end[1])), key=lambda pair: pair[0])
        ]


def _hints(server: TorchServer, unit: Unit, span: Span) -> Iterator[tuple[int, Hint]]:
    """Returns the hints of the newest result; where the text does not parse, those of the last one that did."""
    from torchlsp.engine.inspection import hints

    kinds = _kinds(server.session.settings_of(unit.document.path))
    text = unit.document.text
    seen: set[int] = set()
    for examination in (unit.examination, unit.intact):
        if examination is None:
            continue
        there = examination.document.text
        for hint in hints(examination, Span(0, len(there)) if there != text else span, kinds):
            place = moved(text, there, hint.offset)
            if place is not None and span.start <= place <= span.end and place not in seen:
                seen.add(place)
                yield place, hint


def _kinds(settings: EditorSettings) -> HintKinds:
    from torchlsp.engine.inspection import HintKinds

    return HintKinds(
        shape=settings.hints_shapes,
        array=settings.hints_arrays,
        size=settings.hints_sizes,
        module=settings.hints_modules,
    )
