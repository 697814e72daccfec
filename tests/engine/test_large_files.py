"""A file that is too large to be analysed whole says what it left out; the other files of the run are checked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from torchlsp.core.text import Document
from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine, Options
from torchlsp.engine.separate_checks import new_provider
from torchlsp.interp.run.interpreter import Interpreter
from torchlsp.interp.store import budget

FUNCTION = "def f{0}(x):\n    y = torch.zeros(2, 3).t().view(-1)\n    return y + x\n\n\n"
LARGE = "import torch\n\n\n" + "".join(FUNCTION.format(number) for number in range(20))
SMALL = "import torch\n\n\n" + FUNCTION.format(0)


@pytest.fixture
def few_steps(monkeypatch):
    run = Interpreter.run

    def limited(self):
        self.limits = replace(budget.FOR_FINDINGS, steps_per_file=150)
        return run(self)

    monkeypatch.setattr(Interpreter, "run", limited)


def engine() -> Engine:
    return Engine(Options(Overrides(isolated=True)))


def test_one_notice_names_what_is_left_out(tmp_path, monkeypatch, few_steps):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "large.py").write_text(LARGE)
    (tmp_path / "small.py").write_text(SMALL)
    result = engine().check(["large.py", "small.py"])
    notices = [line for line in result.stopped if "too large" in line]
    assert len(notices) == 1
    assert notices[0].startswith("large.py: f")
    assert "more functions and classes from row" in notices[0]
    assert [one.path for one in result.findings].count("small.py") == 1
    assert 0 < [one.path for one in result.findings].count("large.py") < 20


def test_no_comment_of_a_part_that_was_left_out_is_called_unused(tmp_path, monkeypatch, few_steps):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "large.py").write_text(LARGE.replace(".view(-1)", ".view(-1)  # torchlsp: ignore[TL101]"))
    assert not engine().check(["large.py"]).findings


def test_findings_of_one_file_are_limited(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("torchlsp.lint.runner.MAX_FINDINGS", 5)
    (tmp_path / "large.py").write_text(LARGE)
    (tmp_path / "small.py").write_text(SMALL)
    result = engine().check(["large.py", "small.py"])
    assert [one.path for one in result.findings].count("large.py") == 5
    assert [one.path for one in result.findings].count("small.py") == 1
    assert [line.partition(":")[0] for line in result.stopped] == ["large.py"]


def test_an_editor_is_told_of_a_text_that_is_cut_short(monkeypatch, few_steps):
    large = engine().examine(Document("large.py", LARGE), new_provider())
    small = engine().examine(Document("small.py", SMALL), new_provider())
    assert large.is_cut_short and not small.is_cut_short


def test_an_editor_is_told_of_a_text_that_is_not_parsed(monkeypatch):
    monkeypatch.setattr("torchlsp.syntax.parse.MAX_TOKENS", 100)
    examined = engine().examine(Document("large.py", LARGE), new_provider())
    assert examined.is_cut_short
    assert "words and operators" in examined.result.stopped[0]
