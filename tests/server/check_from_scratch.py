"""Checks a text with an engine that has never seen it, and states how an editor is to be told of the findings."""

from __future__ import annotations

import ast
import os
from dataclasses import replace
from typing import Any

import client_text

from torchlsp.core.finding import ALSO_CALLED_HERE, CALLED_HERE, Finding
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.engine import Engine
from torchlsp.engine.ignoring import UNREADABLE
from torchlsp.engine.provider import Provider
from torchlsp.engine.workspace import Workspace


def cold(document: Document, opened: dict[str, Document]) -> list[Finding]:
    """What is found by an engine that knows nothing yet; what leads to the open texts is shown there."""
    checked = frozenset(one.path for one in opened.values())
    result = Engine().check_document(document, Provider(Workspace(), opened), checked)
    assert not result.internal_errors
    return result.findings


def placed(findings: list[Finding]) -> list[Finding]:
    """With files by their full names: one that the editor has not opened is named as seen from the working folder."""

    def full(path: str | None) -> str | None:
        return None if path is None else os.path.realpath(path)

    return [
        replace(one, path=full(one.path), related=tuple(replace(r, path=full(r.path)) for r in one.related))
        for one in findings
    ]


def told(document: Document, findings: list[Finding]) -> list[tuple]:
    """Findings as an editor is to be told of them, in utf-16."""

    def where(span: Span) -> dict[str, Any]:
        ends = {"start": span.start, "end": span.end}
        return {name: client_text.position(document.text, offset, "utf-16") for name, offset in ends.items()}

    severities = {"error": 1, "warning": 2, "info": 3}
    return [
        (
            one.rule,
            f"{one.message} [{one.name}]",
            severities[one.severity.value],
            where(one.span),
            [(step.message, where(step.span)) for step in one.trail if step.path is None],
        )
        for one in findings
    ]


def led_to(uri: str, diagnostic: dict[str, Any]) -> bool:
    """Whether a call in another file leads to a finding."""
    return any(
        step["location"]["uri"] != uri and step["message"].endswith((CALLED_HERE, ALSO_CALLED_HERE))
        for step in diagnostic.get("relatedInformation") or ()
    )


def as_told(uri: str, diagnostics: list[dict[str, Any]]) -> list[tuple]:
    return [
        (
            one["code"],
            one["message"],
            one["severity"],
            one["range"],
            [
                (step["message"], step["location"]["range"])
                for step in one.get("relatedInformation") or ()
                if step["location"]["uri"] == uri
            ],
        )
        for one in diagnostics
    ]


def agree(found: list[tuple], expected: list[tuple]) -> bool:
    """Whether an editor was told what a cold check finds; of a text that does not parse, as it says where, for what else is
    found in the other statements may be what was found in them before (`kept_findings` says what exactly)."""
    if found == expected:
        return True
    problems = [one for one in expected if one[0] == UNREADABLE]
    return bool(problems) and [one for one in found if one[0] == UNREADABLE] == problems


def kept_findings(intact: str, findings: list[Finding], broken: str) -> list[Finding]:
    """What was found in a text that parsed, as far as it stands outside of the statement that has changed since, at the places
    of the text as it is now."""
    first = len(os.path.commonprefix([intact, broken]))
    behind = len(os.path.commonprefix([intact[first:][::-1], broken[first:][::-1]]))
    document, body = Document("", intact), ast.parse(intact).body
    if first + behind == len(intact):
        # Something was put in, before the longest end that both texts have.
        behind = len(os.path.commonprefix([intact[::-1], broken[::-1]]))
        first = len(intact) - behind
    left_out = _changed(document, body, first, len(intact) - behind)
    if left_out is not None and first + behind == len(intact) and broken[first] in "\r\n":
        if first in (left_out.start, left_out.end):
            left_out = None
    grown = len(broken) - len(intact)

    def moved(span: Span) -> Span:
        ends = (span.start, span.end)
        return Span(*(offset if offset <= first else max(offset + grown, first) for offset in ends))

    def here(finding: Finding) -> Finding:
        related = tuple(
            replace(one, span=moved(one.span)) if one.path in (None, finding.path) else one
            for one in finding.related
        )
        return replace(finding, span=moved(finding.span), related=related, fixes=())

    return [
        here(one)
        for one in findings
        if left_out is None or one.span.end <= left_out.start or one.span.start >= left_out.end
    ]


def _changed(document: Document, body: list[ast.stmt], first: int, last: int) -> Span | None:
    """The innermost statements that the changed part of a text touches; a compound one where its header is touched."""
    spans = [document.span_of(one) for one in body]
    touched = [number for number, span in enumerate(spans) if span.start <= last and first <= span.end]
    if not touched:
        return None
    if len(touched) == 1:
        inside = body[touched[0]]
        parts = [inside, *getattr(inside, "handlers", ()), *getattr(inside, "cases", ())]
        for block in (
            getattr(part, name, None) for part in parts for name in ("body", "orelse", "finalbody")
        ):
            if isinstance(block, list) and block:
                if document.span_of(block[0]).start <= first and last <= document.span_of(block[-1]).end:
                    return _changed(document, block, first, last)
    return Span(spans[touched[0]].start, spans[touched[-1]].end)
