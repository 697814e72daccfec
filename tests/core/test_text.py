"""Documents: decoding, lines, and offsets."""

from __future__ import annotations

import ast
import codecs
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchlsp.core.span import Span
from torchlsp.core.text import Cell, Document, LineIndex, Place


def test_only_lf_crlf_and_cr_end_a_line() -> None:
    text = "a\nb\r\nc\rd\x0ce\x0b\x1c\x85\u2028f"
    document = Document("x.py", text)
    assert [document.line_text(row) for row in document.rows] == ["a", "b", "c", "d\x0ce\x0b\x1c\x85\u2028f"]


@given(st.text(alphabet="ab\n\r\x0cé☃\u2028𝕏"))
def test_line_index_follows_the_protocol(text: str) -> None:
    starts = [0]
    index = 0
    while index < len(text):
        if text.startswith("\r\n", index):
            index += 1
        elif text[index] not in "\r\n":
            index += 1
            continue
        index += 1
        starts.append(index)
    assert LineIndex(text).starts == starts
    document = Document("x.py", text)
    for offset in range(len(text) + 1):
        row, column = document.row_column(offset)
        assert starts[row - 1] + column - 1 == offset
    assert all("\n" not in document.line_text(row) for row in document.rows)


@given(st.text(alphabet="aé☃𝕏 \r\n\x0c", max_size=40))
def test_ast_positions_become_code_points(filler: str) -> None:
    quoted = repr(filler).replace("\\x0c", "\x0c")
    text = f"x = 1\nname = {quoted}; 𝕏é = call({quoted}, wanted)\r\nlast = 3"
    document = Document("x.py", text)
    module = ast.parse(text)
    for node in ast.walk(module):
        if isinstance(node, ast.Name | ast.Call):
            found = document.slice(document.span_of(node))
            assert found == ast.get_source_segment(text.replace("\r\n", "\n"), node)


def test_span_of_a_node_without_position_is_refused() -> None:
    with pytest.raises(ValueError, match="arguments has no position"):
        Document("x.py", "").span_of(ast.parse("lambda: 0").body[0].value.args)


def test_utf8_with_byte_order_mark_is_kept() -> None:
    data = codecs.BOM_UTF8 + "é = 1\r\n".encode()
    document = Document.from_bytes("x.py", data)
    assert (document.text, document.bom, document.newline) == ("é = 1\r\n", True, "\r\n")
    assert document.encode(document.text) == data


@pytest.mark.parametrize("line", ["# -*- coding: latin-1 -*-", "# vim: set fileencoding=latin-1 :"])
@pytest.mark.parametrize("first", ["", "#!/usr/bin/python\n", "\n"])
def test_declared_encoding_is_used(line: str, first: str) -> None:
    data = f"{first}{line}\ns = 'é'\n".encode("latin-1")
    document = Document.from_bytes("x.py", data)
    assert document.decode_problem is None
    assert "é" in document.text
    assert document.encode(document.text) == data


def test_an_encoding_named_in_code_is_no_declaration() -> None:
    document = Document.from_bytes("x.py", b"x = 1\n# coding: latin-1\n")
    assert document.encoding == "utf-8"


@pytest.mark.parametrize(
    ("data", "message", "place"),
    [
        (b"a = 'x'\nb = '\xe9'\n", "byte 0xe9 is not valid utf-8", (2, 6)),
        (b"# coding: no-such-codec\n", "unknown encoding no-such-codec", (1, 1)),
        (b"# coding: rot13\n", "unknown encoding rot13", (1, 1)),
        (
            codecs.BOM_UTF8 + b"# coding: latin-1\n",
            "encoding latin-1 contradicts the byte order mark",
            (1, 1),
        ),
    ],
)
def test_undecodable_bytes_are_a_problem_not_an_exception(
    data: bytes, message: str, place: tuple[int, int]
) -> None:
    document = Document.from_bytes("x.py", data)
    assert document.decode_problem == message
    assert document.decode_span is not None
    assert document.row_column(document.decode_span.start) == place


@pytest.mark.parametrize("start", [b"", codecs.BOM_UTF8, b"# coding: utf-8\n"])
def test_bytes_of_comments_need_not_be_utf8_but_are_not_written(start: bytes) -> None:
    data = start + b"# \xb6\xa1\nx = '#'  # y \xe9\n"
    compile(data, "x.py", "exec")
    document = Document.from_bytes("x.py", data)
    assert document.decode_problem is None
    assert document.text.endswith("# \ufffd\ufffd\nx = '#'  # y \ufffd\n")
    with pytest.raises(UnicodeEncodeError):
        document.encode(document.text)


@pytest.mark.parametrize(
    "data",
    [
        b"# \xe9\nx = '# \xe9'\n",
        b'"""\n# \xe9\n"""\n',
        b"# coding: ascii\n# \xe9\n",
        b"# \xe9\nx = (\n",
    ],
)
def test_other_bytes_are_a_problem_beside_those_of_comments(data: bytes) -> None:
    with pytest.raises(SyntaxError):
        compile(data, "x.py", "exec")
    assert Document.from_bytes("x.py", data).decode_problem is not None


@given(st.binary(max_size=60))
def test_no_bytes_raise(data: bytes) -> None:
    document = Document.from_bytes("x.py", data)
    if document.decode_problem is None and document.encoding != "ascii":
        assert document.encode(document.text) == data


def test_documents_are_immutable() -> None:
    document = Document("x.py", "a")
    with pytest.raises(AttributeError):
        document.text = "b"  # type: ignore[misc]


def test_spans_are_half_open() -> None:
    assert Span(0, 3).contains(Span(1, 3))
    assert not Span(0, 3).contains(Span(1, 4))
    assert not Span(0, 3).overlaps(Span(3, 4))
    assert Span(0, 3).overlaps(Span(2, 4))


def cells_of(*sources: str) -> Document:
    text, cells, start = "\n".join(sources), [], 0
    for number, source in enumerate(sources, 1):
        cells.append(Cell(number, Span(start, start + len(source))))
        start += len(source) + 1
    return Document("a.ipynb", text, cells=tuple(cells), original=text.replace("0", "%"))


def test_rows_count_within_a_cell() -> None:
    document = cells_of("a\né", "", "b\n0c\n")
    assert document.row_column(document.text.index("c")) == (5, 2)
    assert document.place(document.text.index("c")) == Place(2, 2, 3)
    assert document.place(len(document.text)) == Place(3, 1, 3)
    assert [document.place(offset).cell for offset in range(5)] == [1, 1, 1, 1, 2]
    assert Document("a.py", "a\nb").place(2) == Place(2, 1)


def test_each_part_is_a_cell_with_the_rows_up_to_the_next() -> None:
    document = cells_of("a\n", "", "b")
    assert [document.slice(part) for part in document.parts] == ["a\n\n", "\n", "b"]
    assert Document("a.py", "a\nb").parts == (Span(0, 3),)
    assert Document("a.py", "").parts == (Span(0, 0),)


def test_what_the_user_wrote_is_kept_beside_the_text() -> None:
    document = cells_of("a", "0;b")
    assert (document.line_text(2), document.original_line(2)) == ("0;b", "%;b")
    assert Document("a.py", "a").original == "a"
    other = document.with_text("x", cells=(Cell(1, Span(0, 1)),), original="y")
    assert (other.text, other.original, other.path, len(other.cells)) == ("x", "y", "a.ipynb", 1)


def test_documents_can_be_sent_to_other_processes() -> None:
    document = cells_of("a", "0;b")
    copy = pickle.loads(pickle.dumps(document))
    assert (copy.text, copy.original, copy.cells) == (document.text, document.original, document.cells)
