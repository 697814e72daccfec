"""Defines a document: immutable text, the bytes it came from, and the arithmetic of lines."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left, bisect_right
from hashlib import sha256
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from torchlsp.core.records import dataclass
from torchlsp.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONG_ROW = 1_000
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_WIDE_RUN = re.compile(r"[^\x00-\x7f]+")
# PEP 263: the declaration must be a comment of its own on the first or second line.
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_UNDECODED = re.compile("[\udc80-\udcff]")
_BLANK_OR_COMMENT = re.compile(rb"^[ \t\f]*(?:#.*)?$")


class LineIndex:
    """The starts of lines, by the rule of the Language Server Protocol: only LF, CRLF and CR end a line."""

    __slots__ = ("_wide_places", "ascii", "starts", "wide_rows")

    starts: list[int]
    ascii: bool
    wide_rows: frozenset[int]
    """Rows (from 1) with a character outside ASCII: only there do bytes and code points differ."""

    def __init__(self, text: str) -> None:
        if "\r" in text:
            self.starts = [0, *(found.end() for found in _LINE_BREAK.finditer(text))]
        else:
            self.starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))][:-1]
        self.ascii = text.isascii()
        if self.ascii:
            self.wide_rows = frozenset()
        else:
            # U+2028 and form feed are ordinary characters here, so a run never crosses a line end.
            self.wide_rows = frozenset(self.row(run.start()) for run in _WIDE_RUN.finditer(text))
        self._wide_places: dict[int, tuple[list[int], list[int]]] = {}

    def is_long(self, row: int) -> bool:
        """Returns whether a row is so long that `code_points` is worth its preparation."""
        return row < len(self.starts) and self.starts[row] - self.starts[row - 1] > _LONG_ROW

    def code_points(self, text: str, row: int, utf8_column: int) -> int:
        """Returns the number of code points before a column in UTF-8 bytes; what is wide in the row is found once."""
        known = self._wide_places.get(row)
        if known is None:
            # The columns of wide characters in bytes, and by how much bytes outnumber code points after so many of them.
            columns, extra = list[int](), [0]
            start = self.starts[row - 1]
            for run in _WIDE_RUN.finditer(text, start, self.starts[row]):
                for number, character in enumerate(run.group(), run.start() - start):
                    columns.append(number + extra[-1])
                    extra.append(extra[-1] + len(character.encode("utf-8", "surrogatepass")) - 1)
            known = self._wide_places[row] = columns, extra
        columns, extra = known
        return utf8_column - extra[bisect_left(columns, utf8_column)]

    def row(self, offset: int) -> int:
        """Returns the row (from 1) that holds a code-point offset."""
        return bisect_right(self.starts, offset)


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell of a notebook: `number` is its place among all cells, from 1; `span` its text inside the
    document's, the line end that joins it to the next left out. `uri` is the editor's name for it. `raised` are the
    rows, without blanks around them, that have raised an exception in the run whose output the cell keeps."""

    number: int
    span: Span
    uri: str | None = None
    raised: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Place:
    """Row and column, both from 1, the column in code points; rows count within the cell where there is one."""

    row: int
    column: int
    cell: int | None = None


class Document:
    """Immutable text with its origin.

    `text` keeps its line ends and has no byte order mark, so offsets into it can be edited and the result
    written back byte for byte by `encode`.
    """

    __slots__ = (
        "_digest",
        "_lines",
        "_uri",
        "bom",
        "cells",
        "decode_problem",
        "decode_span",
        "encoding",
        "original",
        "path",
        "text",
        "version",
    )

    def __init__(
        self,
        path: str,
        text: str,
        *,
        uri: str | None = None,
        version: int | None = None,
        encoding: str = "utf-8",
        bom: bool = False,
        decode_problem: str | None = None,
        decode_span: Span | None = None,
        cells: tuple[Cell, ...] = (),
        original: str | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "path", path)
        put(self, "text", text)
        put(self, "version", version)
        put(self, "encoding", encoding)
        put(self, "bom", bom)
        put(self, "decode_problem", decode_problem)
        put(self, "decode_span", decode_span)
        put(self, "cells", cells)
        put(self, "original", text if original is None else original)
        put(self, "_uri", uri)
        put(self, "_lines", None)
        put(self, "_digest", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Document is immutable: {name}")

    def __setstate__(self, state: tuple[None, dict[str, object]]) -> None:
        # Without it a copy or a pickle would be put together by __setattr__.
        for name, value in state[1].items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"Document({self.path!r}, {len(self.text)} characters)"

    if TYPE_CHECKING:
        _uri: str | None
        _lines: LineIndex | None
        _digest: str | None
        path: str
        text: str
        version: int | None
        encoding: str
        bom: bool
        decode_problem: str | None
        decode_span: Span | None
        cells: tuple[Cell, ...]
        """The code cells in order when this is a notebook, whose text is all of them, one below the other."""
        original: str
        """What the user wrote, as long as `text`: they differ where `text` stands in for what only IPython reads."""

    @classmethod
    def from_bytes(cls, path: str, data: bytes, *, uri: str | None = None) -> Document:
        """Decodes bytes as Python would (byte order mark, PEP 263). Never raises: see `decode_problem`.

        Bytes of comments that are not UTF-8 are no problem: Python imports such files, and refuses them as scripts only.
        """
        bom = data.startswith(codecs.BOM_UTF8)
        if bom:
            data = data[3:]
        declared = _declared_encoding(data)
        encoding = declared or "utf-8"
        try:
            if bom and declared is not None and codecs.lookup(declared).name not in ("utf-8", "utf-8-sig"):
                return cls._undecodable(
                    path, data, uri, f"encoding {declared} contradicts the byte order mark"
                )
            if encoding == "utf-8-sig":
                encoding = "utf-8"
            text = data.decode(encoding)
            if not isinstance(text, str):
                raise LookupError(encoding)
        except UnicodeDecodeError as failure:
            if declared is None and (replaced := _readable_outside_comments(data)) is not None:
                # Only ASCII is sure to be what the file holds: `encode` refuses the characters that stand in for its bytes.
                return cls(path, replaced, uri=uri, encoding="ascii", bom=bom)
            byte = data[failure.start]
            message = f"byte 0x{byte:02x} is not valid {encoding}"
            return cls._undecodable(path, data, uri, message, failure.start)
        except (LookupError, TypeError, ValueError):
            return cls._undecodable(path, data, uri, f"unknown encoding {encoding}")
        return cls(path, text, uri=uri, encoding=encoding, bom=bom)

    @classmethod
    def _undecodable(
        cls, path: str, data: bytes, uri: str | None, message: str, start: int | None = None
    ) -> Document:
        text = data.decode("utf-8", "replace")
        offset = 0 if start is None else len(data[:start].decode("utf-8", "replace"))
        end = min(offset + 1, len(text))
        return cls(path, text, uri=uri, decode_problem=message, decode_span=Span(offset, end))

    def encode(self, text: str) -> bytes:
        """Returns the bytes of an edited `text` in this document's encoding. Raises UnicodeEncodeError."""
        data = text.encode(self.encoding)
        return codecs.BOM_UTF8 + data if self.bom else data

    def with_text(self, text: str, *, cells: tuple[Cell, ...] = (), original: str | None = None) -> Document:
        """Returns the same file with another text."""
        return Document(
            self.path,
            text,
            uri=self._uri,
            encoding=self.encoding,
            bom=self.bom,
            cells=cells,
            original=original,
        )

    @property
    def uri(self) -> str:
        uri = self._uri
        if uri is None:
            from pathlib import Path

            uri = Path(self.path).absolute().as_uri()
            object.__setattr__(self, "_uri", uri)
        return uri

    @property
    def lines(self) -> LineIndex:
        lines = self._lines
        if lines is None:
            lines = LineIndex(self.text)
            object.__setattr__(self, "_lines", lines)
        return lines

    @property
    def digest(self) -> str:
        """The sha256 of the text, whatever encoding it is stored in."""
        digest = self._digest
        if digest is None:
            digest = sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()
            object.__setattr__(self, "_digest", digest)
        return digest

    @property
    def newline(self) -> str:
        """The line end to use in new text: that of the first line, else LF."""
        found = _LINE_BREAK.search(self.text)
        return found.group() if found else "\n"

    def offset(self, lineno: int, utf8_column: int) -> int:
        """Returns the code-point offset of a position of `ast`: line from 1, column in UTF-8 bytes from 0."""
        lines = self.lines
        start = lines.starts[lineno - 1]
        if lineno not in lines.wide_rows:
            return start + utf8_column
        if self.decode_problem is None and lines.is_long(lineno):
            return start + lines.code_points(self.text, lineno, utf8_column)
        # The slice need not stop at the line's end: a code point is at least one byte.
        head = self.text[start : start + utf8_column].encode("utf-8", "surrogatepass")[:utf8_column]
        return start + len(head.decode("utf-8", "ignore" if self.decode_problem else "surrogatepass"))

    def span_of(self, node: Any) -> Span:  # Any: a node of `ast`, which this layer does not import
        """Returns the span of an `ast` node; raises ValueError for a node without a position."""
        try:
            if self.lines.ascii:
                starts = self.lines.starts
                return Span(
                    starts[node.lineno - 1] + node.col_offset,
                    starts[node.end_lineno - 1] + node.end_col_offset,
                )
            return Span(
                self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)
            )
        except AttributeError:
            raise ValueError(f"{type(node).__name__} has no position") from None

    def row_column(self, offset: int) -> tuple[int, int]:
        """Returns row and column, both from 1, the column in code points."""
        row = self.lines.row(offset)
        return row, offset - self.lines.starts[row - 1] + 1

    def cell_at(self, offset: int) -> Cell | None:
        """Returns the cell that holds an offset (the line end below a cell belongs to it). None in an
        ordinary file."""
        index = bisect_right(self.cells, offset, key=lambda cell: cell.span.start) - 1
        return self.cells[max(index, 0)] if self.cells else None

    @property
    def parts(self) -> tuple[Span, ...]:
        """The stretches of whole rows that must each parse alone: a notebook's cells, else the whole text."""
        # What stands between a cell and the line end below the cell before it belongs to the later cell.
        bounds = [0, *(cell.span.end + 1 for cell in self.cells[:-1]), len(self.text)]
        return tuple(Span(start, end) for start, end in pairwise(bounds))

    def place(self, offset: int) -> Place:
        """Returns row and column as `row_column` does, with rows counted within the notebook cell."""
        row, column = self.row_column(offset)
        cell = self.cell_at(offset)
        if cell is None:
            return Place(row, column)
        return Place(row - self.lines.row(cell.span.start) + 1, column, cell.number)

    def row_span(self, row: int) -> Span:
        """Returns the span of a row (from 1) without its line end."""
        starts = self.lines.starts
        start = starts[row - 1]
        if row == len(starts):
            return Span(start, len(self.text))
        end = starts[row]
        if self.text[end - 1] == "\n":
            end -= 1
            if end > start and self.text[end - 1] == "\r":
                end -= 1
        else:
            end -= 1
        return Span(start, end)

    def line_text(self, row: int) -> str:
        span = self.row_span(row)
        return self.text[span.start : span.end]

    def original_line(self, row: int) -> str:
        """Returns a line as `line_text` does, as the user wrote it."""
        span = self.row_span(row)
        return self.original[span.start : span.end]

    def slice(self, span: Span) -> str:
        return self.text[span.start : span.end]

    @property
    def rows(self) -> Sequence[int]:
        return range(1, len(self.lines.starts) + 1)


def _declared_encoding(data: bytes) -> str | None:
    head = data[:4096]
    if b"coding" not in head:
        return None
    for line in head.splitlines()[:2]:
        found = _CODING.match(line)
        if found:
            name = found.group(1).decode("ascii", "replace")
            return None if name.lower().replace("_", "-") == "utf-8" else name
        if not _BLANK_OR_COMMENT.match(line):
            return None
    return None


def _readable_outside_comments(data: bytes) -> str | None:
    """Returns the text with U+FFFD for bytes that are not UTF-8; None if some of these are outside of comments."""
    import tokenize

    escaped = data.decode("utf-8", "surrogateescape")
    text = _UNDECODED.sub("\ufffd", escaped)
    comments: dict[int, int] = {}
    try:
        lines = (f"{line}\n" for line in text.split("\n"))
        for token in tokenize.generate_tokens(lines.__next__):
            if token.type == tokenize.COMMENT:
                comments[token.start[0]] = token.start[1]
    except (tokenize.TokenError, SyntaxError):
        return None
    for row, line in enumerate(escaped.split("\n"), 1):
        first = _UNDECODED.search(line)
        if first is not None and first.start() <= comments.get(row, len(line)):
            return None
    return text
