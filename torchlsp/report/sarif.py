"""Renders findings as SARIF 2.1.0.

Regions are rows and columns from 1, columns in code points, ends exclusive. Viewers of SARIF show files and know nothing
of notebook cells: a finding in a notebook stands at row 1 of the file. Its cell, and row and column within the cell,
are in the message, in the location's properties and in a logical location; fixes, whose places mean nothing in the
notebook's JSON, are left out.

Relative paths are relative to the root of a CI service's checkout, otherwise to the working directory.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_from_bytes

from torchlsp import __version__
from torchlsp.core.finding import Severity
from torchlsp.engine.config import TOOL_RULES
from torchlsp.engine.fingerprint import fingerprints
from torchlsp.report.ascii_json import dumps
from torchlsp.report.places import Extent, extent, in_checkout
from torchlsp.report.words import in_cell, is_refuted, verdict_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torchlsp.core.finding import Finding, Fix, Related
    from torchlsp.core.span import Span
    from torchlsp.core.text import Document
    from torchlsp.engine.engine import CheckResult
    from torchlsp.report.sources import Sources
    from torchlsp.report.text import Painter

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_FINGERPRINT = "torchlsp/v1"
# `layers[0](x)` in a message would be a link to the related location 0 or to a page `x` (SARIF 3.11.6).
_LINK = re.compile(r"\[([^\[\]]*)\](?=\()")


def render(result: CheckResult, sources: Sources, _: Painter) -> str:
    """Renders the whole document, without a final line end."""
    names = dict(sorted((finding.rule, finding.name) for finding in result.findings))
    indices = {code: index for index, code in enumerate(names)}
    prints = fingerprints(result.findings, result.documents, known=result.known)
    run = {
        "tool": {
            "driver": {
                "name": "torchlsp",
                "version": __version__,
                "rules": [_rule(code, name) for code, name in names.items()],
            }
        },
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "invocations": [_invocation(result)],
        "results": [
            _result(finding, indices[finding.rule], sources, fingerprint)
            for finding, fingerprint in zip(result.findings, prints, strict=True)
        ],
    }
    return dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(code: str, name: str) -> dict[str, Any]:
    """Renders a rule with its page. Code scanning wants both descriptions, of at most 1024 characters."""
    severity, sentence, page, properties = _known(code)
    described: dict[str, Any] = {
        "id": code,
        "name": name,
        "shortDescription": {"text": sentence or name},
        "fullDescription": {"text": sentence or name},
    }
    if page:
        described["help"] = {"text": page, "markdown": page}
    if severity is not None:
        described["defaultConfiguration"] = {"level": _LEVELS[severity]}
    if properties:
        described["properties"] = properties
    return described


def _known(code: str) -> tuple[Severity | None, str, str, dict[str, Any]]:
    """Returns severity, summary, the page in Markdown and properties of a rule, as far as this installation has them."""
    from torchlsp.lint.pages import PageError, load_page
    from torchlsp.lint.registry import find
    from torchlsp.report.pages import TOOL_PAGES

    for rule in TOOL_RULES:
        if rule.code == code:
            return rule.severity, *TOOL_PAGES[code], {}
    info = find(code)
    if info is None:
        return None, "", "", {}
    properties = {"tags": [info.group], "onByDefault": info.is_default}
    try:
        return info.severity, info.summary, load_page(info.page_path).markdown, properties
    except (OSError, PageError):
        return info.severity, info.summary, "", properties


def _invocation(result: CheckResult) -> dict[str, Any]:
    notices = [
        *(("error", f"internal error: {text.partition(chr(10))[0]}") for text in result.internal_errors),
        *(("warning", text) for text in result.problems),
        *(("note", text) for text in result.stopped),
    ]
    return {
        "executionSuccessful": not result.internal_errors,
        "toolExecutionNotifications": [
            {"level": level, "message": _message(text)} for level, text in notices
        ],
    }


def _result(finding: Finding, index: int, sources: Sources, fingerprint: str) -> dict[str, Any]:
    document = sources.get(finding.path)
    described: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": _message(in_cell(finding, sources) + finding.message),
        "locations": [_location(finding.path, document, finding.span, finding.scope)],
        "partialFingerprints": {_FINGERPRINT: fingerprint},
    }
    if finding.trail:
        described["relatedLocations"] = [
            _related(number, finding, related, sources) for number, related in enumerate(finding.trail, 1)
        ]
    if finding.fixes and document is not None and not document.cells:
        described["fixes"] = [_fix(finding.path, document, fix) for fix in finding.fixes]
    if finding.verdict is not None:
        words = verdict_words(finding.verdict)
        if is_refuted(finding):
            described["suppressions"] = [{"kind": "external", "status": "accepted", "justification": words}]
        else:
            described["properties"] = {"probe": words}
    return described


def _location(path: str, document: Document | None, span: Span, scope: str = "") -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(path)}}
    location: dict[str, Any] = {"physicalLocation": physical}
    logical: list[dict[str, Any]] = []
    if document is not None:
        both = extent(document, span)
        physical["region"] = {"startLine": 1} if document.cells else _region(both)
        if both.start.cell is not None:
            logical.append({"name": f"cell {both.start.cell}", "kind": "cell"})
            location["properties"] = _in_cell(both)
    if scope:
        logical.append({"name": scope.rpartition(".")[2], "fullyQualifiedName": scope})
    if logical:
        location["logicalLocations"] = logical
    return location


def _in_cell(both: Extent) -> Mapping[str, int | None]:
    return {
        "cell": both.start.cell,
        "startRow": both.start.row,
        "startColumn": both.start.column,
        "endRow": both.end.row,
        "endColumn": both.end.column,
    }


def _region(both: Extent) -> dict[str, int]:
    return {
        "startLine": both.start.row,
        "startColumn": both.start.column,
        "endLine": both.end.row,
        "endColumn": both.end.column,
    }


def _related(number: int, finding: Finding, related: Related, sources: Sources) -> dict[str, Any]:
    path = related.path or finding.path
    location = _location(path, sources.get(path), related.span)
    return {"id": number, **location, "message": _message(related.message)}


def _fix(path: str, document: Document, fix: Fix) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": _region(extent(document, edit.span)),
            "insertedContent": {"text": edit.text},
        }
        for edit in fix.edits
    ]
    return {
        "description": _message(fix.title),
        "artifactChanges": [{"artifactLocation": {"uri": _uri(path)}, "replacements": replacements}],
        "properties": {"applicability": fix.applicability.value},
    }


def _message(text: str) -> dict[str, str]:
    return {"text": _LINK.sub(r"\\[\1\\]", text)}


def _uri(path: str) -> str:
    """Returns a relative reference, or a `file:` URI; percent-encoded byte by byte, as the file system has
    the name."""
    path = in_checkout(path)
    return Path(path).as_uri() if os.path.isabs(path) else quote_from_bytes(os.fsencode(path))
