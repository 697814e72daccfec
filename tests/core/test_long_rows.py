"""Columns of `ast` are found in long rows with characters outside ASCII as in short ones."""

from __future__ import annotations

import ast

from torchlsp.core.text import Document, LineIndex

ROW = "names = [" + ", ".join(f"'ä{'€' * (i % 3)}', value{i}, '\U0001f525'" for i in range(300)) + "]\n"


def test_positions_in_a_long_wide_row_are_those_of_the_text():
    text = "x = 'é'\n" + ROW + ROW.rstrip("\n")
    document = Document("wide.py", text)
    assert document.lines.is_long(2) and not document.lines.is_long(1)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name):
            assert document.slice(document.span_of(node)) == node.id


def test_what_is_wide_in_a_row_is_looked_for_once():
    lines = LineIndex(ROW + "x\n")
    before = lines.code_points(ROW + "x\n", 1, 5_000)
    # Another text would give another answer if it were read again.
    assert lines.code_points("", 1, 5_000) == before
    assert before == len(ROW.encode()[:5_000].decode("utf-8", "ignore"))
