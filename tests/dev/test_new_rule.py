"""`python -m torchlsp.dev new-rule`: what it writes is a rule that finds its placeholder, in a tree where the tests hold."""

from __future__ import annotations

import difflib
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from torch_runs import TorchRuns, program_of

from torchlsp.dev import new_rule
from torchlsp.dev.new_rule import NewRule, write_rule
from torchlsp.facts.fault_kinds import Family
from torchlsp.lint.pages import parse_page

ROOT = Path(__file__).resolve().parents[2]
NEW = NewRule("TL199", "some-name", "layout", "What it finds", "warning", "SOME_NAME")
USES = """
from pathlib import Path
import torchlsp
from torchlsp.core.text import Document
from torchlsp.dev import catalogue
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.fault_kinds import KINDS
from torchlsp.interp.run.analyse import NoImports
from torchlsp.lint.pages import load_page
from torchlsp.lint.registry import find
from torchlsp.lint.runner import run
from torchlsp.syntax.parse import parse

def found(text):
    result = run(parse(Document("program.py", text)), NoImports(), frozenset({"TL199"}), strict=True)
    return [text.count("\\n", 0, one.span.start) + 1 for one in result.findings]

assert Path(torchlsp.__file__).parents[1] == Path.cwd()
info = find("some-name")
assert (info.code, info.folder, info.summary, info.severity.value) == ("TL199", "layout", "What it finds.", "warning")
assert info.asks == {("faults", "SOME_NAME")}
assert KINDS[FaultKind.SOME_NAME].family == "layout" and set(KINDS) == set(FaultKind)
page = load_page(info.page_path)
for block in page.blocks:
    assert found(block.plain) == [one.line for one in block.expectations], block.role
case = Path("tests/rules/cases/layout_some_name.py").read_text()
assert found(case) == [row for row, line in enumerate(case.splitlines(), 1) if "# expect: TL199" in line]
(entry,) = catalogue.load(codes=["TL199"])
assert [one.program for one in catalogue.held(entry) if not one.holds] == []
codes = [one["code"] for one in catalogue.load()]
assert codes.index("TL199") == codes.index("TL201") - 1
print("all hold")
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what the command writes to, and of what is needed to run it."""
    for name in ("torchlsp", "rules", "docs_db"):
        shutil.copytree(
            ROOT / name, tmp_path / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
        )
    (tmp_path / "tests" / "rules" / "cases").mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "rules" / "catalogue.toml", tmp_path / "tests" / "rules")
    return tmp_path


@pytest.mark.processes
@pytest.mark.parametrize("is_after_the_run", [False, True])
@pytest.mark.parametrize("is_silent", [False, True])
def test_a_new_rule_has_everything_that_is_asked_of_a_rule(
    tree: Path, is_after_the_run: bool, is_silent: bool
):
    paths = write_rule(tree, replace(NEW, is_after_the_run=is_after_the_run, is_silent=is_silent))
    assert len(paths) == 8 and all(path.is_file() for path in paths)
    done = subprocess.run([sys.executable, "-c", USES], cwd=tree, capture_output=True, text=True)
    assert done.stdout == "all hold\n", done.stderr


def test_a_rule_on_a_known_kind_has_no_check_of_its_own(tree: Path):
    known = NewRule("TL199", "some-name", "layout", "What it finds", "warning", "VIEW_STRIDES")
    kinds = (tree / "torchlsp" / "facts" / "fault.py").read_text(encoding="utf-8")
    names = {path.name for path in write_rule(tree, known)}
    assert names == {"some_name.py", "some_name.md", "layout_some_name.py", "catalogue.toml"}
    assert not (tree / "torchlsp" / "interp" / "checks" / "layout" / "some_name.py").exists()
    assert (tree / "torchlsp" / "facts" / "fault.py").read_text(encoding="utf-8") == kinds


def test_nothing_is_written_where_one_of_the_files_exists(tree: Path):
    case = tree / "tests" / "rules" / "cases" / "layout_some_name.py"
    case.write_text("")
    with pytest.raises(FileExistsError, match="layout_some_name.py exists"):
        write_rule(tree, NEW)
    assert not (tree / "rules" / "layout" / "some_name.py").exists()
    assert "TL199" not in (tree / "tests" / "rules" / "catalogue.toml").read_text(encoding="utf-8")


@pytest.mark.torch
def test_the_placeholder_fails_in_torch_as_its_page_says():
    pytest.importorskip("torch")
    for block in parse_page(NEW.filled(new_rule.PAGE), Path("some_name.md")).of_role("bad"):
        done = subprocess.run([sys.executable, "-c", block.plain], capture_output=True, text=True)
        assert str(block.attr("raises")) in done.stderr


@pytest.mark.torch
def test_the_silent_placeholder_fails_only_the_proof_of_its_page(torch_runs: TorchRuns):
    page = parse_page(replace(NEW, is_silent=True).filled(new_rule.PAGE), Path("some_name.md"))
    for block in page.of_role("bad", "good", "fixed"):
        ended = torch_runs.run(program_of(page, block))
        assert (ended.error, bool(ended.proof)) == ("", block.role == "bad"), (
            f"{block.role}, row {block.line}"
        )


@pytest.mark.parametrize("family", get_args(Family))
def test_a_running_check_can_be_listed_in_every_family(family: Family):
    text = (ROOT / "torchlsp" / "interp" / "checks" / "running.py").read_text(encoding="utf-8")
    changed = new_rule._with_running_check(text, replace(NEW, folder=family))
    compile(changed, "running.py", "exec")
    added = [
        line.strip() for line in difflib.ndiff(text.splitlines(), changed.splitlines()) if line[0] == "+"
    ]
    assert sum("some_name" in line for line in added) == 2


def test_a_misspelt_kind_is_refused_with_similar_names(capsys: pytest.CaptureFixture[str]):
    words = ["some-name", "--code", "TL199", "--folder", "layout", "--kind"]
    with pytest.raises(SystemExit):
        new_rule.main([*words, "VIEW_STRIDE"])
    assert "there is no kind VIEW_STRIDE: did you mean VIEW_STRIDES" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        new_rule.main([*words, "QQQQ"])
    assert "there is no kind QQQQ: --new-kind begins one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "kind", "is_new"),
    [
        ([], "SOME_NAME", True),
        (["--new-kind", "view-stride"], "VIEW_STRIDE", True),
        (["--kind", "view-strides"], "VIEW_STRIDES", False),
    ],
)
def test_the_kind_is_the_one_that_is_given(
    monkeypatch: pytest.MonkeyPatch, given: list[str], kind: str, is_new: bool
):
    begun: list[NewRule] = []
    monkeypatch.setattr(new_rule, "write_rule", lambda root, new: begun.append(new) or [])
    assert new_rule.main(["some-name", "--code", "TL199", "--folder", "layout", "--silent", *given]) == 0
    assert [(one.kind, one.is_on_new_kind, one.is_silent) for one in begun] == [(kind, is_new, True)]


@pytest.mark.parametrize(
    "words",
    [
        ["view-on-noncontiguous", "--code", "TL199", "--folder", "layout"],
        ["some-name", "--code", "X1", "--folder", "layout"],
        ["some name", "--code", "TL199", "--folder", "layout"],
        ["some-name", "--code", "TL199", "--folder", "nowhere"],
        ["view-strides", "--code", "TL199", "--folder", "layout"],
        ["name-2", "--code", "TL199", "--folder", "layout"],
        ["some-name", "--code", "TL199", "--folder", "layout", "--new-kind", "VIEW_STRIDES"],
        ["some-name", "--code", "TL199", "--folder", "layout", "--new-kind", "ONE", "--kind", "VIEW_STRIDES"],
    ],
)
def test_a_rule_that_exists_or_is_misnamed_is_refused(words: list[str]):
    with pytest.raises(SystemExit) as refused:
        new_rule.main(words)
    assert refused.value.code == 2
