"""Converts spans, findings and fixes to the protocol's types."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from lsprotocol import types

from torchlsp.core.finding import Severity
from torchlsp.core.text import Document
from torchlsp.server.texts import line_and_column

if TYPE_CHECKING:
    from collections.abc import Callable

    from torchlsp.core.finding import Finding
    from torchlsp.core.span import Span

SOURCE = "torchlsp"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
_TAGS = {
    "deprecated": types.DiagnosticTag.Deprecated,
    "unnecessary": types.DiagnosticTag.Unnecessary,
}


_NO_NULL = "\N{REPLACEMENT CHARACTER}".encode()


def path_of(uri: str) -> str | None:
    """Returns the file that a `file:` URI names; None for other schemes. A drive's colon may come
    percent-encoded."""
    scheme, host, path = _parts(uri)
    if scheme != "file":
        return None
    if os.name == "nt":
        path = path.lstrip("/").replace("/", "\\")
        return f"\\\\{host}\\{path}" if host else path
    return path


def uri_of(path: str) -> str:
    return Path(os.path.abspath(path)).as_uri()


def place_name(uri: str) -> str:
    """Returns the part of any URI that names a file, for schemes such as `untitled:` and
    `vscode-notebook-cell:`."""
    return _parts(uri)[2] or _parts(f":{uri}")[2]


def _parts(uri: str) -> tuple[str, str, str]:
    """Splits a URI into scheme, host and path. The library's `urlsplit` refuses some of what editors make up,
    and drops tabs."""
    scheme, _, rest = uri.partition(":")
    path = rest.partition("#")[0].partition("?")[0]
    host = ""
    if path.startswith("//"):
        host, slash, path = path[2:].partition("/")
        path = slash + path
    # As file names are read: bytes that are not text come back as they were. No file's name has a null character.
    named = unquote_to_bytes(path.encode("utf-8", "surrogatepass")).replace(b"\0", _NO_NULL)
    return scheme.lower(), host, os.fsdecode(named)


class Converter:
    """Ranges of one document, which may be a notebook, in one encoding.

    `uri` is what the client calls it; a notebook's cells have URIs of their own.
    """

    def __init__(self, document: Document, encoding: str) -> None:
        self._document = document
        self._encoding = encoding

    def uri(self, offset: int) -> str:
        cell = self._document.cell_at(offset)
        return self._document.uri if cell is None or cell.uri is None else cell.uri

    def position(self, offset: int) -> types.Position:
        """Converts an offset to a position; lines count within the cell."""
        line, column = line_and_column(self._document, offset, self._encoding)
        cell = self._document.cell_at(offset)
        if cell is not None:
            line -= self._document.lines.row(cell.span.start) - 1
        return types.Position(line, column)

    def range(self, span: Span) -> types.Range:
        """Converts a span to a range, which ends at the latest with its cell."""
        end = span.end
        cell = self._document.cell_at(span.start)
        if cell is not None:
            end = max(min(end, cell.span.end), span.start)
        return types.Range(self.position(span.start), self.position(end))

    def location(self, span: Span) -> types.Location:
        return types.Location(self.uri(span.start), self.range(span))


class DiagnosticMaker:
    """Diagnostics of one document's findings.

    `other` gives the converter of another file of a because-trail, `page` the link of a code, `tag` what an editor
    may strike through or fade. `related`: whether the client shows related locations.
    """

    def __init__(
        self,
        converter: Converter,
        other: Callable[[str], Converter | None],
        page: Callable[[str], str | None],
        tag: Callable[[str], str | None],
        *,
        related: bool,
        supported_tags: frozenset[types.DiagnosticTag],
    ) -> None:
        self._converter = converter
        self._other = other
        self._page = page
        self._tag = tag
        self._related = related
        self._supported_tags = supported_tags

    def __call__(self, finding: Finding) -> types.Diagnostic:
        page = self._page(finding.rule)
        tag = _TAGS.get(self._tag(finding.rule) or "")
        return types.Diagnostic(
            range=self._converter.range(finding.span),
            message=_message(finding),
            severity=_SEVERITIES[finding.severity],
            code=finding.rule,
            code_description=types.CodeDescription(page) if page else None,
            source=SOURCE,
            tags=[tag] if tag in self._supported_tags else None,
            related_information=self._trail(finding) if self._related and finding.trail else None,
            data={"name": finding.name, "fixable": bool(finding.fixes)},
        )

    def _trail(self, finding: Finding) -> list[types.DiagnosticRelatedInformation]:
        trail = []
        for step in finding.trail:
            converter = self._converter if step.path is None else self._other(step.path)
            if converter is not None:
                trail.append(types.DiagnosticRelatedInformation(converter.location(step.span), step.message))
        return trail


def _message(finding: Finding) -> str:
    """Returns the sentence and what torch reported; why a probe showed nothing is shown on hover."""
    message = f"{finding.message} [{finding.name}]"
    if finding.verdict is None or not finding.verdict.is_positive:
        return message
    from torchlsp.report.words import verdict_words

    return f"{message}\n{verdict_words(finding.verdict)}"
