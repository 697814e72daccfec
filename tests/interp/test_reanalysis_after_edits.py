"""Compares the reanalysis of what an edit reaches with an analysis from scratch: both must give the same."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from torchlsp.core.text import Document
from torchlsp.interp.run.analyse import NoImports, analyse
from torchlsp.interp.run.incremental import IncrementalAnalysis
from torchlsp.interp.store.analysis import Analysis
from torchlsp.program import ir
from torchlsp.program.lower import lower, lower_function
from torchlsp.syntax.focus import focus_at, parse_alone
from torchlsp.syntax.parse import parse

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
# What takes the place of a row, as long as that is; shorter ones are filled up with blanks.
ROWS = (
    "pass",
    "x = 3",
    "y = x",
    "return",
    "return 3",
    "x = y.t()",
    "global z",
    "self.x = 3",
    "del x",
    "x += 1",
)


def changes(text: str) -> list[tuple[int, str]]:
    """For each function a row of its body to be replaced by another as long, by its place."""
    found = []
    lines = text.split("\n")
    for number, node in enumerate(ast.walk(ast.parse(text))):
        if not isinstance(node, ast.FunctionDef):
            continue
        body = node.body[min(number % 3, len(node.body) - 1)]
        length = len(lines[body.lineno - 1]) - body.col_offset
        new = ROWS[number % len(ROWS)]
        if body.lineno == body.end_lineno and body.lineno > node.lineno and len(new) <= length:
            start = sum(len(line) + 1 for line in lines[: body.lineno - 1]) + body.col_offset
            found.append((start, new.ljust(length)))
    return found


def described(analysis: Analysis) -> dict[str, object]:
    """Everything that rules and hover ask, with what is known by identity told by its place."""
    told = {
        name: sorted(map(repr, getattr(analysis, name).items()))
        for name in ("names", "values", "called", "contents")
    }
    told |= {
        name: repr(getattr(analysis, name))
        for name in ("faults", "calls", "stopped", "errors", "unfollowed", "steps")
    }
    told["roots"] = [(root.name, root.start, len(root.trace), repr(root.trace)) for root in analysis.roots]
    return told


@pytest.fixture(autouse=True)
def by_place(monkeypatch):
    """Nodes, scopes and their like are new in each analysis."""

    def place(node) -> str:
        return f"{type(node).__name__}@{node.start}:{node.end}"

    kinds = [kind for kind in vars(ir).values() if isinstance(kind, type) and issubclass(kind, ir.Node)]
    for kind in kinds:
        monkeypatch.setattr(kind, "__repr__", place)
    from torchlsp.interp.store.frame import Frame, ModuleInfo
    from torchlsp.interp.store.state import Scope

    for kind in (Scope, Frame, ModuleInfo):
        monkeypatch.setattr(kind, "__repr__", lambda one: type(one).__name__)


@pytest.mark.slow
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_after_each_change_all_is_as_from_scratch(path):
    text = path.read_text(encoding="utf-8")
    again = IncrementalAnalysis(lower(parse(Document(path.name, text))), NoImports(), frozenset(), None, None)
    for start, row in changes(text):
        text = text[:start] + row + text[start + len(row) :]
        document = Document(path.name, text)
        tree = parse(document)
        focus = focus_at(tree, start, len(text) - start)
        expected = described(analyse(lower(tree), NoImports(), recording=True))
        after = None
        if focus is not None:
            owner = None if focus.owner is None else again.class_at(focus.statement.start, focus.owner)
            alone = parse_alone(document, focus.start, focus.end)
            after = again.after(
                again.function_at(focus.start), lower_function(tree, alone, owner), NoImports(), None
            )
        if after is None:
            again = IncrementalAnalysis(lower(tree), NoImports(), frozenset(), None, None)
            after = again.analysis
        assert described(after) == expected
