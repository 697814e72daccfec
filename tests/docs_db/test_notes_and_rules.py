"""Notes and rules do not contradict each other: what a note calls right is no finding."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.docs_db.notes import load_note, note_paths
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import run
from torchlsp.syntax.parse import SyntaxTree, parse

NOTES = [load_note(path) for path in note_paths()]
CODES = frozenset(info.code for info in rules())


class NoOtherFiles:
    def module(self, dotted_name: str, importing_path: str) -> SyntaxTree | None:
        return None


def codes(source: str) -> set[str]:
    """Of all findings in a program; an internal error fails the test."""
    tree = parse(Document("note.py", source))
    assert tree.module is not None
    result = run(tree, NoOtherFiles(), CODES, strict=True)
    assert not result.internal_errors and not result.stopped
    return {finding.rule for finding in result.findings}


def right_programs() -> list:
    return [
        pytest.param(block, id=f"{note.path.stem}-{block.line}")
        for note in NOTES
        for block in (*note.examples, *(b for pitfall in note.pitfalls for b in pitfall.of_role("good")))
    ]


SHOWN_RIGHT = frozenset(info.code for info in rules() if info.shown_right or info.hint)


def test_no_rule_speaks_of_a_right_program():
    spoken = {program.id: codes(program.values[0].source) - SHOWN_RIGHT for program in right_programs()}
    assert spoken and {name: found for name, found in spoken.items() if found} == {}


def test_a_rule_speaks_of_a_wrong_one():
    """Else the test above could pass without looking."""
    found = set()
    for note in NOTES:
        for pitfall in note.pitfalls:
            for block in pitfall.of_role("bad"):
                found |= codes(block.source)
    assert {"TL101", "TL105", "TL203", "TL301", "TL501", "TL502", "TL801"} <= found
