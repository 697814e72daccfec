"""Reads files as documents: Python, and notebooks as JSON, of which only the sources of code cells are ever
written."""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.core.span import Span
from torchlsp.core.text import Document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from torchlsp.core.decoded import Decoded, Table

_BLANKS = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")
_PYTHON = re.compile(r"i?python", re.IGNORECASE)
_PHYSICAL_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# An integer of thousands of digits is no reason to refuse a notebook, and none that matters here is large.
_DECODER = json.JSONDecoder(parse_int=float)


class NotebookProblem(Exception):
    """The reason why JSON is not a readable notebook, and where in its text."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.span = span


def is_notebook(path: str) -> bool:
    return path.lower().endswith(".ipynb")


def read_document(path: str, data: bytes) -> Document:
    """Returns the document that a file's bytes hold. Never raises: see `decode_problem`, whose place is in
    the file's own text. A notebook in another language than Python has no cells to check."""
    if not is_notebook(path):
        return Document.from_bytes(path, data)
    from torchlsp.syntax.notebook import notebook_document

    # PEP 263 is about Python's own files: a line of JSON that looks like a declaration is none.
    bom = data.startswith(codecs.BOM_UTF8)
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode()
    except UnicodeDecodeError as failure:
        start = len(data[: failure.start].decode("utf-8", "replace"))
        message = f"byte 0x{data[failure.start]:02x} is not valid utf-8"
        return _unreadable(path, data.decode("utf-8", "replace"), message, Span(start, start + 1))
    try:
        found = _code_cells(text)
        cells = [(cell.number, _joined(cell.source), None) for cell in found]
        return notebook_document(path, cells, bom=bom, raised={cell.number: cell.raised for cell in found})
    except NotebookProblem as problem:
        return _unreadable(path, text, str(problem), problem.span)


def with_sources(data: bytes, sources: Mapping[int, str]) -> bytes:
    """Returns the notebook's bytes with the sources of some cells (by number) replaced, all else unchanged.

    Raises NotebookProblem, also for a cell that is not there.
    """
    text = data.decode("utf-8-sig")
    ascii_only = text.isascii() and _ESCAPED.search(text) is not None
    parts: list[str] = []
    done = 0
    left = dict(sources)
    for cell in _code_cells(text):
        number, source, span = cell.number, cell.source, cell.span
        if number in left:
            parts += [text[done : span.start], _source_text(text, span, source, left.pop(number), ascii_only)]
            done = span.end
    if left:
        raise NotebookProblem(f"cell {min(left)} is gone", Span(0, 0))
    new = "".join([*parts, text[done:]]).encode("utf-8")
    return codecs.BOM_UTF8 + new if data.startswith(codecs.BOM_UTF8) else new


def _unreadable(path: str, text: str, message: str, span: Span) -> Document:
    return Document(
        path, text, decode_problem=message, decode_span=Span(span.start, min(span.end, len(text)))
    )


def _joined(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


@dataclass(frozen=True, slots=True)
class _CodeCell:
    """A code cell in Python: its number among all cells, its source, and the source's span in the JSON."""

    number: int
    source: str | list[str]
    span: Span
    raised: frozenset[str]


def _code_cells(text: str) -> list[_CodeCell]:
    """Returns the code cells in Python; an empty file, as an editor creates it, has none."""
    if _BLANKS.fullmatch(text):
        return []
    try:
        return list(_each_code_cell(text))
    except RecursionError:
        raise NotebookProblem("not a notebook: its JSON is nested too deeply", Span(0, 0)) from None


def _each_code_cell(text: str) -> Iterator[_CodeCell]:
    top = _document(text)
    members = _members(text, _BLANKS.match(text).end())  # type: ignore[union-attr]  # the pattern matches the empty text too
    _check_format(top, members)
    if not _is_python(top.get("metadata")):
        return
    for number, span in enumerate(_elements(text, members["cells"].start), 1):
        cell = top["cells"][number - 1]
        if not isinstance(cell, dict):
            raise NotebookProblem(f"not a notebook: cell {number} is not an object", span)
        if cell.get("cell_type") != "code" or _language_of_cell(cell) not in (None, "python"):
            continue
        source: Decoded = cell.get("source")
        lines = source if isinstance(source, list) else [source]
        if not all(isinstance(line, str) for line in lines):
            raise NotebookProblem(f"not a notebook: cell {number} has no source text", span)
        yield _CodeCell(number, source, _members(text, span.start)["source"], _raised(cell.get("outputs")))


_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_ARROW = re.compile(r"-+> ?\d+ (.*)")
_NOT_PARSED = re.compile(r"line \d+\n\s*(\S.*)\n\s*\^")
"""The row that a SyntaxError quotes."""


def _raised(outputs: object) -> frozenset[str]:
    """Returns the rows that IPython's tracebacks in a cell's outputs point to, without blanks around them."""
    rows: set[str] = set()
    for output in outputs if isinstance(outputs, list) else ():
        if isinstance(output, dict) and output.get("output_type") == "error":
            traceback = output.get("traceback")
            for part in traceback if isinstance(traceback, list) else ():
                if isinstance(part, str):
                    plain = _ESCAPE.sub("", part)
                    rows.update(row.strip() for row in (*_ARROW.findall(plain), *_NOT_PARSED.findall(plain)))
    return frozenset(rows)


def _document(text: str) -> Table:
    try:
        top = _DECODER.decode(text)
    except json.JSONDecodeError as failure:
        place = Document("", text).place(failure.pos)
        message = f"not a notebook: {failure.msg} in row {place.row}, column {place.column} of its JSON"
        raise NotebookProblem(message, Span(failure.pos, failure.pos + 1)) from None
    if not isinstance(top, dict):
        raise NotebookProblem("not a notebook: its JSON is not an object", Span(0, 1))
    return top


def _check_format(top: Table, members: Mapping[str, Span]) -> None:
    version = top.get("nbformat")
    if isinstance(version, float) and version < 4:
        message = f"notebook format {version:.0f} is not read: `jupyter nbconvert --to notebook` makes it 4"
        raise NotebookProblem(message, members["nbformat"])
    if not isinstance(top.get("cells"), list):
        raise NotebookProblem("not a notebook: it has no list of cells", members.get("cells", Span(0, 1)))


def _is_python(metadata: object) -> bool:
    """Returns whether the kernel runs Python; one that does not say is assumed to."""
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        about = metadata.get(key) if isinstance(metadata, dict) else None
        language = about.get(name) if isinstance(about, dict) else None
        if isinstance(language, str) and language.strip():
            return _PYTHON.match(language.strip()) is not None
    return True


def _language_of_cell(cell: Table) -> object:
    """Returns the language that VS Code records for a cell in another language than the notebook's."""
    about = cell.get("metadata")
    editor = about.get("vscode") if isinstance(about, dict) else None
    return editor.get("languageId") if isinstance(editor, dict) else None


def _members(text: str, start: int) -> dict[str, Span]:
    """Returns the spans of the values of the well-formed JSON object at `start`."""
    spans: dict[str, Span] = {}
    offset = _behind(text, start + 1)
    while text[offset] != "}":
        key, offset = _DECODER.raw_decode(text, offset)
        value = _behind(text, _behind(text, offset) + 1)
        _, end = _DECODER.raw_decode(text, value)
        spans[key] = Span(value, end)
        offset = _behind(text, end)
        if text[offset] == ",":
            offset = _behind(text, offset + 1)
    return spans


def _elements(text: str, start: int) -> list[Span]:
    """Returns the spans of the elements of the JSON array at `start`."""
    spans: list[Span] = []
    offset = _behind(text, start + 1)
    while text[offset] != "]":
        _, end = _DECODER.raw_decode(text, offset)
        spans.append(Span(offset, end))
        offset = _behind(text, end)
        if text[offset] == ",":
            offset = _behind(text, offset + 1)
    return spans


def _behind(text: str, offset: int) -> int:
    return _BLANKS.match(text, offset).end()  # type: ignore[union-attr]  # the pattern matches the empty text too


def _source_text(text: str, span: Span, old: str | list[str], new: str, ascii_only: bool) -> str:
    """Returns the JSON of a new source in the form of the old one; unchanged lines keep their spelling."""
    if isinstance(old, str):
        return _string(new, ascii_only)
    elements = _elements(text, span.start)
    spelt = {line: text[place.start : place.end] for line, place in zip(old, elements, strict=True)}
    # nbformat breaks lines as Python does, JupyterLab at LF alone.
    lines = new.splitlines(keepends=True)
    if old != "".join(old).splitlines(keepends=True):
        lines = _PHYSICAL_LINE.findall(new)
    if not lines:
        return "[]"
    opening = text[span.start : elements[0].start] if elements else "["
    closing = text[elements[-1].end : span.end] if elements else "]"
    if len(elements) > 1:
        between = text[elements[0].end : elements[1].start]
    else:
        between = "," + (opening[1:] or ("" if text[span.start - 1] == ":" else " "))
    return opening + between.join(spelt.get(line) or _string(line, ascii_only) for line in lines) + closing


def _string(value: str, ascii_only: bool) -> str:
    if ascii_only:
        return json.dumps(value)
    # UTF-8 has no half of a surrogate pair, JSON's escapes have.
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", json.dumps(value, ensure_ascii=False))
