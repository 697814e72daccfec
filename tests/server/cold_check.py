"""What a checker that has never seen a text before says of it, and how an editor is to be told of that."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import client_text

from torchlsp.core.finding import Finding
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.engine import Engine
from torchlsp.engine.provider import Provider
from torchlsp.engine.workspace import Workspace


def cold(document: Document, opened: dict[str, Document]) -> list[Finding]:
    """What is found by an engine that knows nothing yet."""
    result = Engine().check_document(document, Provider(Workspace(), opened))
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
            [(step.message, where(step.span)) for step in one.related if step.path is None],
        )
        for one in findings
    ]


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
