"""Positions and edits, held against a client that was written from the specification."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import client_text
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.server.texts import changed, line_and_column, moved, moved_span, offset_at, units

ENCODINGS = ("utf-8", "utf-16", "utf-32")
# What str.splitlines also takes for line ends, and characters of one to four bytes.
TEXT = st.text(st.sampled_from(list("ab \n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029é€😀\ufeff\t")), max_size=30)
encodings = pytest.mark.parametrize("encoding", ENCODINGS)


def place(line: int, character: int) -> SimpleNamespace:
    return SimpleNamespace(line=line, character=character)


def change(
    text: str, start: dict[str, int] | None = None, end: dict[str, int] | None = None
) -> SimpleNamespace:
    if start is None or end is None:
        return SimpleNamespace(text=text)
    return SimpleNamespace(text=text, range=SimpleNamespace(start=place(**start), end=place(**end)))


def document(text: str) -> Document:
    return Document("a.py", text, uri="file:///a.py", version=1)


@encodings
@given(text=TEXT)
def test_every_offset_has_the_place_that_the_client_gives_it(encoding: str, text: str):
    own = document(text)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] == "\r\n" and offset > 0:
            continue  # between the two no client puts a cursor
        line, column = line_and_column(own, offset, encoding)
        assert {"line": line, "character": column} == client_text.position(text, offset, encoding)
        assert offset_at(own, place(line, column), encoding) == offset


@encodings
@given(text=TEXT, line=st.integers(0, 40), character=st.integers(0, 80))
@example(text="😀", line=0, character=1)
@example(text="a😀\r\nb", line=0, character=2)
@example(text="é", line=0, character=2**31 - 1)
def test_any_place_at_all_has_the_offset_that_the_client_gives_it(
    encoding: str, text: str, line: int, character: int
):
    found = offset_at(document(text), place(line, character), encoding)
    assert found == client_text.offset(text, {"line": line, "character": character}, encoding)


@st.composite
def sessions(draw: Any) -> tuple[str, list[tuple[int, int, str]]]:
    """A text and edits by offsets, each into the text after the one before."""
    first = text = draw(TEXT)
    edits = []
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, len(text)))
        new = draw(TEXT)
        edits.append((start, end, new))
        text = text[:start] + new + text[end:]
    return first, edits


@encodings
@settings(max_examples=300)
@given(session=sessions())
@example(session=("a = 1\n\x0c\ndef f():\n    pass\n", [(21, 25, "return 1")]))
@example(session=("a\u2028b\x85c\x1cd\ne", [(8, 9, "é"), (8, 8, "😀"), (9, 9, "x")]))
def test_the_server_s_copy_stays_the_client_s(encoding: str, session: tuple[str, list[tuple[int, int, str]]]):
    text, edits = session
    changes = []
    for start, end, new in edits:
        place_of = [client_text.position(text, offset, encoding) for offset in (start, end)]
        # Between CR and LF the client's position says: before both.
        start, end = (client_text.offset(text, one, encoding) for one in place_of)
        changes.append(change(new, *place_of))
        text = text[:start] + new + text[end:]
    one_by_one = document(session[0])
    for number, one in enumerate(changes, 2):
        one_by_one = changed(one_by_one, [one], number, encoding)
    at_once = changed(document(session[0]), changes, 2, encoding)
    assert one_by_one.text == at_once.text == text
    assert (one_by_one.version, at_once.version) == (len(changes) + 1, 2)
    assert (at_once.path, at_once.uri) == ("a.py", "file:///a.py")


@encodings
def test_a_change_without_a_range_is_the_whole_text(encoding: str):
    zero, one = {"line": 0, "character": 0}, {"line": 0, "character": 1}
    assert changed(document("abc\n"), [change("x\n"), change("y", zero, one)], 2, encoding).text == "y\n"


def test_places_inside_a_character_are_its_start():
    text = "😀é"
    for encoding, inside in (("utf-16", 1), ("utf-8", 1), ("utf-8", 3)):
        assert offset_at(document(text), place(0, inside), encoding) == 0
    assert offset_at(document(text), place(0, 5), "utf-8") == 1
    edited = changed(
        document(text), [change("x", {"line": 0, "character": 1}, {"line": 0, "character": 2})], 2, "utf-16"
    )
    assert edited.text == "xé"


def test_half_a_surrogate_pair_is_counted_and_kept():
    text = "\ud83d x"
    for encoding, column in (("utf-8", 4), ("utf-16", 2), ("utf-32", 2)):
        assert line_and_column(document(text), 2, encoding) == (0, column)
        assert offset_at(document(text), place(0, column), encoding) == 2


def test_changes_against_the_reading_direction_do_not_lose_text():
    backwards = change("x", {"line": 0, "character": 3}, {"line": 0, "character": 1})
    assert changed(document("abcd"), [backwards], 2, "utf-16").text == "abcxd"


def test_units_of_each_encoding():
    assert [units("aé😀", encoding) for encoding in ENCODINGS] == [7, 4, 3]


@given(head=TEXT, old=TEXT, new=TEXT, tail=TEXT)
def test_a_moved_offset_still_points_at_the_same_text(head: str, old: str, new: str, tail: str):
    before, after = head + old + tail, head + new + tail
    for offset in range(len(after)):
        found = moved(before, after, offset)
        if found is not None:
            assert before[found] == after[offset]
    for offset in range(len(head)):
        assert moved(before, after, offset) == offset
    # What follows the change is told by its distance from the end.
    assert moved(before, after, len(after)) == len(before)


@given(head=TEXT, old=TEXT, new=TEXT, tail=TEXT)
def test_a_moved_span_holds_the_same_words(head: str, old: str, new: str, tail: str):
    before, after = head + old + tail, head + new + tail
    for start in range(len(after)):
        for end in range(start, min(start + 5, len(after)) + 1):
            found = moved_span(before, after, Span(start, end))
            if found is not None:
                assert before[found.start : found.end] == after[start:end]


def test_a_span_that_was_typed_into_is_nowhere():
    assert moved_span("x = value", "x = vaXlue", Span(4, 10)) is None
    assert moved_span("x = value", "x = vaXue", Span(4, 9)) is None
    assert moved_span("x = value", "xy = value", Span(5, 10)) == Span(4, 9)
