"""What a rule asks is read from its text, is its gate, and is all that it may ask."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from torchlsp.core.text import Document
from torchlsp.facts.fault import FaultKind
from torchlsp.interp.store.analysis import Analysis
from torchlsp.lint import registry
from torchlsp.lint.check import Answers, Check
from torchlsp.lint.question import RuleInfo
from torchlsp.lint.registry import RegistryError, discover
from torchlsp.program.lower import lower
from torchlsp.syntax.parse import parse

QUESTIONS = {"faults", "calls", "missing_clears", "early_clears", "divergences"}

RULE = '''"""TL901: something."""

from torchlsp.lint import FaultKind, rule


@rule("TL901", severity="error", group="correctness")
def some_rule(check):
    {body}
    yield from ()
'''


def written(folder: Path, body: str) -> Path:
    (folder / "api").mkdir(exist_ok=True)
    (folder / "api" / "some_rule.py").write_text(RULE.format(body=body), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("body", "asks"),
    [
        ("check.faults(FaultKind.INDEX)", {("faults", "INDEX")}),
        (
            "check.faults(\n        FaultKind.INDEX,\n        FaultKind.RANK,\n    )",
            {("faults", "INDEX"), ("faults", "RANK")},
        ),
        ('check.calls("torch.stack", "torch.cat")', {("calls", "torch.stack"), ("calls", "torch.cat")}),
        ("check.missing_clears()", {("missing_clears", "")}),
        ('check.divergences("exit")', {("divergences", "exit")}),
        ("check.finding(None, '')", set()),
    ],
)
def test_questions_are_read_from_the_text(tmp_path: Path, body: str, asks: set):
    (info,) = discover(written(tmp_path, body), "some.package")
    assert info.asks == asks


@pytest.mark.parametrize(
    "body", ["check.faults(*KINDS)", "check.calls(name)", "check.faults(FaultKind.A, x)"]
)
def test_questions_must_be_written_out(tmp_path: Path, body: str):
    with pytest.raises(RegistryError, match=r"some_rule\.py: the arguments of check\.\w+ must be"):
        discover(written(tmp_path, body), "some.package")


def questions_of(source: str) -> set[registry.Question]:
    """The same by Python's own parser."""
    found: set[registry.Question] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name("check"), attr=method), args=args):
                if method not in QUESTIONS:
                    continue
                names = {
                    arg.attr if isinstance(arg, ast.Attribute) else ast.literal_eval(arg) for arg in args
                }
                found |= {(method, name) for name in names or {""}}
    return found


def test_every_question_is_a_method_and_has_an_answer():
    answers = Answers(Analysis("a.py", lower(parse(Document("a.py", "")))))
    for question in QUESTIONS:
        assert callable(getattr(Check, question))
        assert answers((question, "x")) == ()


@pytest.mark.parametrize("info", registry.rules(), ids=lambda info: info.code)
def test_the_gate_of_an_installed_rule_is_what_it_asks(info: RuleInfo):
    assert info.asks == questions_of(info.page_path.with_suffix(".py").read_text(encoding="utf-8"))
    assert info.asks, "a rule that asks nothing never runs"
    kinds = {argument for method, argument in info.asks if method == "faults"}
    assert kinds <= set(FaultKind.__members__)


@pytest.mark.parametrize("info", registry.rules(), ids=lambda info: info.code)
def test_rules_are_short_functions_without_classes(info: RuleInfo):
    source = info.page_path.with_suffix(".py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    assert not any(isinstance(node, ast.ClassDef) for node in ast.walk(tree))
    (rule,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.decorator_list)
    declaration = rule.lineno - rule.decorator_list[0].lineno
    assert len(source.splitlines()) - declaration <= 70
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.module.split(".")[0] in sys.stdlib_module_names or node.module == "torchlsp.lint"
        elif isinstance(node, ast.Import):
            assert all(alias.name.split(".")[0] in sys.stdlib_module_names for alias in node.names)
