"""One analysis, the rules that it wakes, and nothing that costs the file when one of them fails."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from torchlsp.core.cancel import Cancelled
from torchlsp.core.finding import Severity
from torchlsp.core.text import Document
from torchlsp.facts.fault import Certainty, Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.interp.store.analysis import Analysis, CallSite
from torchlsp.lint import runner
from torchlsp.lint.check import Answers, Check
from torchlsp.lint.files import File
from torchlsp.lint.registry import discover
from torchlsp.lint.runner import RunResult, run
from torchlsp.program.lower import lower
from torchlsp.syntax.parse import SyntaxTree, parse

TEXT = "import torch\nimport helper\nx = torch.ones(2)\ny = x.view(3)\nhelper.f(y)\n"
HELPER = "def f(z):\n    return z.view(4)\n"
RULES = {
    "TL901": 'yield from (check.finding(site, "a") for site in check.faults(FaultKind.VIEW_NUMEL))',
    "TL902": 'yield from (check.finding(site, "b") for site in check.faults(FaultKind.INDEX))',
    "TL903": 'yield from (check.finding(site, "c") for site in check.calls("torch.ones"))',
}


class Modules:
    """A provider of one other file."""

    def module(self, dotted_name: str, importing_path: str) -> SyntaxTree | None:
        return parse(Document("helper.py", HELPER)) if dotted_name == "helper" else None


def place(part: str, text: str = TEXT) -> tuple[int, int]:
    start = text.index(part)
    return start, start + len(part)


def fault(part: str = "x.view(3)", **more) -> Fault:
    origin = Origin(*place("torch.ones(2)"), "torch.ones", (), "main.py")
    tensor = TensorFact(shape=(2,), dtype="f32", origin=origin)
    data = (("input", tensor), ("target", (3,)), ("reason", "count"))
    return Fault(FaultKind.VIEW_NUMEL, *place(part, more.pop("text", TEXT)), "Tensor.view", data, **more)


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Three rules on disk, none of them imported."""
    package = tmp_path / "somerules" / "api"
    package.mkdir(parents=True)
    for code, body in RULES.items():
        name = f"rule_{code.lower()}"
        text = f'"""{code}: x."""\nfrom torchlsp.lint import FaultKind, rule\n\n\n@rule("{code}", severity="error", group="style")\n'
        (package / f"{name}.py").write_text(text + f"def {name}(check):\n    {body}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield discover(tmp_path / "somerules", "somerules")
    for name in [name for name in sys.modules if name.startswith("somerules")]:
        del sys.modules[name]


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch, rules):
    """A function that runs the rules over a made-up analysis of TEXT."""

    def check(
        *faults: Fault, calls=(), enabled=frozenset(RULES), errors=(), stopped=(), **options
    ) -> RunResult:
        def analyse(module, imports, wanted_calls, *, recording, strict, cancelled, api, observed):
            assert imports.module("helper", "main.py") is not None
            assert wanted_calls == frozenset({"torch.ones"} if "TL903" in enabled else ())
            analysis = Analysis("main.py", module)
            analysis.faults, analysis.calls = list(faults), list(calls)
            analysis.errors, analysis.stopped = list(errors), list(stopped)
            return analysis

        monkeypatch.setattr(runner, "analyse_all", analyse)
        return run(parse(Document("main.py", TEXT)), Modules(), enabled, installed=rules, **options)

    return check


def loaded() -> set[str]:
    return {name.rpartition("_")[2].upper() for name in sys.modules if name.startswith("somerules.api.rule")}


def test_only_rules_with_an_answer_are_imported(analysed):
    assert not analysed().findings and not loaded()
    result = analysed(fault())
    assert [(one.rule, one.message) for one in result.findings] == [("TL901", "a")]
    assert loaded() == {"TL901"}


def test_disabled_rules_do_not_run(analysed):
    assert not analysed(fault(), enabled=frozenset({"TL902"})).findings
    assert not loaded()


def test_calls_are_answered_by_name(analysed):
    call = CallSite("torch.ones", *place("torch.ones(2)"), (), (), False, "main.py")
    (found,) = analysed(calls=[call]).findings
    assert (found.rule, TEXT[found.span.start : found.span.end]) == ("TL903", "torch.ones(2)")


def test_a_fault_on_some_paths_only_is_no_finding(analysed):
    assert not analysed(fault(certainty=Certainty.MAY)).findings


def test_an_assumption_makes_a_warning(analysed):
    (found,) = analysed(fault(assumptions=frozenset({"cuda"}))).findings
    assert found.severity is Severity.WARNING
    assert [one.message for one in found.related] == ["if CUDA is available"]


def test_what_works_is_a_matter_of_style() -> None:
    text = "import torch\na = torch.LongTensor([1, 2])\nb = torch.ByteTensor([256, 1])\nc = torch.Tensor(0)\nd = torch.Tensor(9)\n"
    result = run(parse(Document("main.py", text)), Modules(), frozenset({"TL911"}))
    assert [one.severity for one in result.findings] == [
        Severity.INFO,
        Severity.WARNING,
        Severity.INFO,
        Severity.WARNING,
    ]


def test_the_calls_are_named_innermost_first(analysed):
    chain = (("main.py", *place("helper.f(y)"), "f"), ("main.py", *place("torch.ones(2)"), "g"))
    (found,) = analysed(fault(call_chain=chain)).findings
    assert [one.message for one in found.related] == ["`g` is called here", "`f` is called here"]


def test_the_calls_of_other_ways_to_a_fault_follow_each_once(analysed):
    inner, outer, other = (
        ("main.py", *place(part), name)
        for part, name in (("helper.f(y)", "f"), ("torch.ones(2)", "g"), ("y", "h"))
    )
    (found,) = analysed(fault(call_chain=(outer, inner), other_chains=((other, inner),))).findings
    words = ["`f` is called here", "`g` is called here", "`h` is called here too"]
    assert [one.message for one in found.related] == words


def test_a_fault_is_also_shown_at_the_innermost_call_in_each_file(analysed):
    f, g = ("main.py", *place("helper.f(y)"), "f"), ("main.py", *place("torch.ones(2)"), "g")
    ((_, calls),) = analysed(fault("z.view(4)", text=HELPER, path="helper.py", call_chain=(g, f))).elsewhere
    assert [(one.path, TEXT[one.span.start : one.span.end]) for one in calls] == [("main.py", "helper.f(y)")]
    assert [one.message for one in calls[0].related][-1] == "`g` is called here"


def test_a_fault_in_another_file_comes_with_its_call(analysed):
    chain = (("main.py", *place("helper.f(y)"), "f"),)
    result = analysed(fault("z.view(4)", text=HELPER, path="helper.py", call_chain=chain))
    assert not result.findings
    ((there, (here,)),) = result.elsewhere
    assert (there.path, HELPER[there.span.start : there.span.end]) == ("helper.py", "z.view(4)")
    assert (there.scope, there.related[-1].path) == ("f", "main.py")
    assert (here.path, here.scope) == ("main.py", "")
    assert TEXT[here.span.start : here.span.end] == "helper.f(y)"
    assert [one.path for one in here.related] == ["helper.py"]


def test_a_fault_in_another_file_without_a_call_cannot_be_moved(analysed):
    ((_, here),) = analysed(fault("z.view(4)", text=HELPER, path="helper.py")).elsewhere
    assert here == ()


def test_a_rule_that_fails_costs_nothing_else(analysed, rules):
    broken = next(info for info in rules if info.code == "TL902")
    path = broken.page_path.with_suffix(".py")
    path.write_text(path.read_text().replace('"b"', "1 / 0"), encoding="utf-8")
    faults = (fault(), replace(fault(), kind=FaultKind.INDEX))
    result = analysed(*faults)
    assert [one.rule for one in result.findings] == ["TL901"]
    (error,) = result.internal_errors
    assert error.splitlines()[0].startswith("TL902: ZeroDivisionError at rule_tl902.py:")
    assert "Traceback" in error
    with pytest.raises(ZeroDivisionError):
        analysed(*faults, strict=True)


def test_a_question_that_the_text_does_not_name_is_refused(rules):
    tree = parse(Document("main.py", TEXT))
    main, analysis = File(tree), Analysis("main.py", lower(tree))
    info = replace(rules[0], asks=frozenset())
    with pytest.raises(RuntimeError, match="TL901 asks faults VIEW_NUMEL without naming it"):
        next(Check(info, Answers(analysis), main, lambda path: main).faults(FaultKind.VIEW_NUMEL))


def test_errors_and_limits_of_the_analysis_are_passed_on(analysed):
    result = analysed(errors=["f: KeyError\nTraceback"], stopped=["Net.forward"])
    assert result.internal_errors == ["f: KeyError\nTraceback"]
    assert result.stopped == ["Net.forward not analysed further: too much to follow"]


def test_cancellation_is_not_an_internal_error():
    def cancelled() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        run(parse(Document("main.py", TEXT)), Modules(), frozenset(), cancelled=cancelled)


@pytest.mark.processes
def test_a_file_without_findings_loads_neither_libcst_nor_rules():
    program = f"""
import sys
from torchlsp.core.text import Document
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import run
from torchlsp.syntax.parse import parse

class Nothing:
    def module(self, *names): return None

codes = frozenset(info.code for info in rules())
assert codes and not run(parse(Document("a.py", {TEXT.replace("view(3)", "view(2)")!r})), Nothing(), codes).findings
print(sorted(name for name in sys.modules if name.startswith(("libcst", "torchlsp.rules.", "torch."))))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr
