"""Notes and rules do not contradict each other: what a note calls right is no finding."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.dev.catalogue import HINTS
from torchlsp.docs_db.notes import Block, load_note, note_paths
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


OUTDATED = {"TL818", "TL910", "TL911", "TL915"}
"""Rules that advise against a symbol itself, whose note still says what is right of it."""
SHOWN = {"TL305"}
"""Rules that advise against what a note shows on purpose: that two things share their memory."""


@pytest.mark.parametrize("block", right_programs())
def test_no_rule_speaks_of_a_right_program(block: Block):
    assert codes(block.source) - OUTDATED - SHOWN - HINTS == set()


def test_a_rule_speaks_of_a_wrong_one():
    """Else the test above could pass without looking."""
    found = set()
    for note in NOTES:
        for pitfall in note.pitfalls:
            for block in pitfall.of_role("bad"):
                found |= codes(block.source)
    assert {"TL101", "TL105", "TL203", "TL301", "TL501", "TL502", "TL801"} <= found
