"""One cause is one finding: the other places of the cause are related places of the first."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest

from torchlsp.core.finding import Finding, Severity
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import CheckResult, Engine, Options
from torchlsp.lint.causes import one_for_each_cause, with_other_places
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import run
from torchlsp.report.formats import render
from torchlsp.report.sources import Sources
from torchlsp.report.text import Painter
from torchlsp.report.words import related_words
from torchlsp.syntax.edits import apply_edits
from torchlsp.syntax.parse import parse

ALL = frozenset(info.code for info in rules())


class NoImports:
    def module(self, dotted_name, importing_path):
        return None


def found(program: str, codes: frozenset[str]) -> list[tuple[str, int, list[int]]]:
    """Code and row of each finding, and the rows of the other places of its cause."""
    document = Document("a.py", textwrap.dedent(program))
    result = run(parse(document), NoImports(), codes, strict=True)
    row = document.lines.row
    return [
        (
            one.rule,
            row(one.span.start),
            [row(other.span.start) for other in one.related if other.message == "the same happens here"],
        )
        for one in result.findings
    ]


LAYERS = """\
import torch
from torch import nn


class Net(nn.Module):
    def block(self, n):
        layer = nn.Linear(n, n)
        return layer

    def norm(self, x):
        return nn.BatchNorm1d(4)(x)

    def forward(self, x):
        x = self.block(4)(x)
        x = self.norm(self.block(4)(x))
        return self.norm(self.block(4)(x))
"""


def test_a_layer_that_a_method_makes_for_three_calls_is_one_finding() -> None:
    assert found(LAYERS, frozenset({"TL608"})) == [("TL608", 14, [15, 16]), ("TL608", 15, [16])]


def test_the_construction_is_a_related_place() -> None:
    document = Document("a.py", LAYERS)
    first = run(parse(document), NoImports(), frozenset({"TL608"}), strict=True).findings[0]
    rows = {one.message: document.lines.row(one.span.start) for one in first.related}
    assert rows["it is created here"] == 7


FLOATS = """\
import torch
from torch import nn


class Mlp(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.a = nn.Linear(dim, 4)
        self.b = nn.Linear(4, dim)
        self.n = nn.LayerNorm(dim)
        self.c = nn.Linear(dim, dim)
        self.d = nn.Parameter(torch.zeros(dim))


half = 64 / 2
net = Mlp({})
first = nn.Linear(half, 3)
wide = nn.Linear(48 / 2, 48 / 2)
"""


def test_a_float_that_is_passed_on_is_one_finding() -> None:
    codes = frozenset({"TL921"})
    assert found(FLOATS.format("half"), codes) == [("TL921", 8, [9, 10, 11, 12, 17]), ("TL921", 18, [])]
    assert found(FLOATS.format("half * 3"), codes)[0] == ("TL921", 8, [9, 10, 11, 12, 17])
    assert found(FLOATS.format("40 / 2"), codes) == [
        ("TL921", 8, [9, 10, 11, 12]),
        ("TL921", 17, []),
        ("TL921", 18, []),
    ]
    assert found(FLOATS.format("32.0"), codes)[0] == ("TL921", 8, [9, 10, 11, 12])


def test_the_float_is_mended_where_it_is_made() -> None:
    program = "import torch\nhalf = 64 / 2\na = torch.zeros(half)\nb = torch.ones(half)\n"
    document = Document("a.py", program)
    (finding,) = run(parse(document), NoImports(), frozenset({"TL921"}), strict=True).findings
    (fix,) = finding.fixes
    fixed = apply_edits(program, fix.edits)
    assert fixed == program.replace("64 / 2", "64 // 2")
    assert found(fixed, frozenset({"TL921"})) == []


def test_findings_of_an_imported_file_are_merged_in_it_and_at_the_call(tmp_path: Path, monkeypatch) -> None:
    library = FLOATS.partition("\n\nhalf")[0]
    (tmp_path / "library.py").write_text(library)
    (tmp_path / "main.py").write_text("import torch\nfrom library import Mlp\n\nnet = Mlp(64 / 2)\n")
    monkeypatch.chdir(tmp_path)
    engine = Engine(Options(Overrides(isolated=True)))
    (both,) = engine.check(["."]).findings
    assert (both.path, len(both.related)) == ("library.py", 6)
    (alone,) = engine.check(["main.py"]).findings
    assert alone.path == "main.py"
    others = [one for one in alone.related if one.message == "the same happens here"]
    assert [one.path for one in others] == ["library.py"] * 4


def test_one_comment_ignores_the_finding_with_all_of_its_places(tmp_path: Path, monkeypatch) -> None:
    text = "import torch\nhalf = 64 / 2\na = torch.zeros(half)  # torchlsp: ignore[TL921]\nb = torch.ones(half)\n"
    (tmp_path / "a.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert Engine(Options(Overrides(isolated=True))).check(["a.py"]).findings == []


def finding(start: int, path: str = "a.py", severity: Severity = Severity.ERROR) -> Finding:
    return Finding("TL101", "view-on-noncontiguous", path, Span(start, start + 1), f"at {start}", severity)


def test_the_most_severe_is_shown_else_the_first() -> None:
    third, first, second = finding(3), finding(1, severity=Severity.WARNING), finding(2)
    cause = (None, 0, 1)
    causes = {third: cause, first: cause, second: cause}
    assert list(one_for_each_cause([third, first, second], causes)) == [(second, [first, third])]


def test_other_causes_other_files_and_findings_without_a_cause_stay_apart() -> None:
    here, there, other, alone = finding(1), finding(1, "b.py"), finding(2), finding(3)
    causes = {here: (None, 0, 1), there: (None, 0, 1), other: (None, 5, 6)}
    merged = list(one_for_each_cause([here, there, other, alone, alone], causes))
    assert merged == [(here, []), (there, []), (other, []), (alone, [])]


@pytest.mark.parametrize("path", ["a.py", os.path.join("sub", "b.py")])
def test_another_place_is_worded_as_one_more_and_not_as_a_reason(path: str) -> None:
    shown = with_other_places(finding(1), [finding(4, path)])
    (related,) = shown.related
    assert related.path == (None if path == "a.py" else path)
    assert related_words(shown, related, Sources({})).startswith("and the same happens here (")
    assert with_other_places(shown, []) == shown
    result = CheckResult(findings=[shown], documents={"a.py": Document("a.py", "x = 1\n")})
    for name in ("text", "markdown"):
        text = render(name, result, Sources(result.documents), Painter(False))
        assert "and the same happens here (" in text and "because" not in text
