"""What the analysis says is wrong goes wrong when torch does it alone, and what it says nothing of does not.

Every finding on the pages and in the cases has a program of its own, which passes the gate and, run by the worker, ends as the
page says. On the good blocks the same programs are made of all calls, loops and collectives: none ends so. The verdicts of the
prober, which runs those of the pages, say the same.

The worker is the one that users have, except that programs of the pages share a fork as long as they pass.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from torchlsp.core.finding import Finding, Hangs, Outcome, ProbeRequest, ProofFails, Raises, Severity
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.dev import verdicts
from torchlsp.engine.interpreters import site_packages
from torchlsp.engine.probing import Prober, expectations
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.torch_names import MODULES
from torchlsp.facts.torch_notices import REMOVED, UNSAID
from torchlsp.lint.pages import load_page
from torchlsp.lint.question import RuleInfo
from torchlsp.lint.registry import rules
from torchlsp.lint.reproducers import api
from torchlsp.lint.runner import run
from torchlsp.probe.client import Worker
from torchlsp.probe.request import Answer, Request
from torchlsp.probe.verdicts import HANG, Trial, is_predicted
from torchlsp.syntax.parse import parse

pytestmark = [pytest.mark.torch, pytest.mark.timeout(600)]

RULES = {info.code: info for info in rules()}
WORKER = Path(__file__).parents[1] / "torch_programs" / "several_in_a_fork.py"
ALONE = "alone "
"""Begins the key of a program that gets a fork of its own."""
CASES = sorted((Path(__file__).parent / "cases").glob("*.py"))
DEADLINE = 20.0
OF_CALLS = {
    "TL101", "TL102", "TL103", "TL105", "TL106", "TL107", "TL109", "TL110", "TL113", "TL115", "TL116", "TL118", "TL119", "TL120",
    "TL121", "TL124", "TL127", "TL201", "TL202", "TL203", "TL204", "TL207", "TL208", "TL209", "TL213", "TL214", "TL215", "TL301",
    "TL302", "TL303", "TL501", "TL502", "TL801", "TL802", "TL803", "TL804",
}  # fmt: skip
"""Rules whose programs are the call, the loop or the collective itself, so that they can be made of right code, too."""

Ends = Callable[[Iterable[ProbeRequest]], list[list[Answer]]]


class NoImports:
    def module(self, dotted_name, importing_path):
        return None


def findings(text: str) -> list[Finding]:
    return run(parse(Document("program.py", text)), NoImports(), frozenset(RULES), strict=True).findings


class RecordingProber(Prober):
    """Keeps how each program ended with each of its sizes."""

    def __init__(self) -> None:
        super().__init__(sys.executable, site_packages(sys.executable), deadline=verdicts.DEADLINE)
        self._worker = Worker(sys.executable, site_packages(sys.executable), program=[str(WORKER)])
        self.ends: dict[str, list[Answer]] = {}

    def answers(self, requests: Sequence[Request]) -> list[Answer]:
        return self._worker.run(requests, DEADLINE)

    def _run(self, requests: Sequence[ProbeRequest]) -> list[list[Trial]]:
        found = super()._run(requests)
        for request, trials in zip(requests, found, strict=True):
            self.ends[repr(request)] = [trial.answer for trial in trials]
        return found


@pytest.fixture(scope="module")
def prober() -> Iterator[RecordingProber]:
    pytest.importorskip("torch")
    prober = RecordingProber()
    yield prober
    prober.close()


@pytest.fixture(scope="module")
def ends(prober: RecordingProber) -> Ends:
    """Runs programs with all their sizes, many at once, none twice."""
    known: dict[Request, Answer] = {}

    def run_all(programs: Iterable[ProbeRequest]) -> list[list[Answer]]:
        asked = [
            [
                Request(one.source(sizes), one.kind, one.flag, one.world, "", one.hears)
                for sizes in one.assignments
            ]
            for one in programs
        ]
        new = list({one: None for together in asked for one in together if one not in known})
        # Most of them raise: they would run twice.
        batch = [replace(one, key=f"{ALONE}{number}") for number, one in enumerate(new)]
        known.update(zip(new, prober.answers(batch)))
        return [[known[one] for one in together] for together in asked]

    return run_all


def expected(rule: str, request: ProbeRequest) -> list[Raises | ProofFails]:
    """How the program is to end: as the request says, else as the rule's page does."""
    return [Raises("", HANG) if isinstance(one, Hangs) else one for one in expectations(rule, request)]


def assert_shown(findings: list[Finding], ends: Ends) -> None:
    """The first sizes show each finding, and with others it either shows or the program runs through."""
    to_show: list[tuple[RuleInfo, ProbeRequest]] = []
    for found in findings:
        info = RULES[found.rule]
        too_little_known = bool(info.unproven_cases)
        wanted = [] if found.probe is None else expected(found.rule, found.probe)
        if (info.unproven or too_little_known) and (found.probe is None or not wanted):
            continue
        assert found.probe is not None, found.message
        assert found.probe.flag is not None and wanted
        to_show.append((info, found.probe))
    for (info, probe), answers in zip(to_show, ends([probe for _, probe in to_show])):
        wanted = expected(info.code, probe)
        first, *others = answers
        if info.unproven and first.outcome in ("denied", "unsupported"):
            continue
        if info.unproven_cases and first.outcome == "raised":
            continue  # something else than was predicted, or this: sizes were chosen
        assert any(is_predicted(one, probe.flag, first) for one in wanted), (probe.program, first)
        for answer in others:
            shown = any(is_predicted(one, probe.flag, answer) for one in wanted)
            assert shown or answer.outcome == "passed", (probe.program, answer)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_what_is_found_in_a_case_is_shown(path: Path, ends: Ends):
    found = findings(path.read_text(encoding="utf-8"))
    assert found
    assert_shown(found, ends)


@pytest.mark.parametrize("name", sorted(api.WARNING_CALLS))
def test_torch_warns_of_each_deprecated_function_or_refuses_it(name: str, ends: Ends):
    kinds = [FaultKind.DEPRECATED_NAME, FaultKind.REMOVED_NAME, FaultKind.UNSAID_ARGUMENT]
    kind = kinds[1 if name in REMOVED else 2 if name in UNSAID else 0]
    fault = Fault(kind, 0, 0, name, (("name", name), ("argument", UNSAID.get(name, ("",))[0])))
    request = api.OF_KIND[kind](fault)
    assert request is not None and request.expect is not None
    ((answer,),) = ends([request])
    assert is_predicted(request.expect, request.flag, answer), answer


@pytest.fixture(scope="module")
def on_pages(prober: RecordingProber) -> dict[str, list[verdicts.Judged]]:
    """The verdicts on each rule's page: of what is found in bad blocks, and of what could be found in the others."""
    found: dict[str, list[verdicts.Judged]] = {code: [] for code in RULES}
    for one in verdicts.judged(prober, list(RULES.values())):
        found[one.rule].append(one)
    return found


def text(one: verdicts.Judged) -> str:
    program = "no program" if one.finding.probe is None else one.finding.probe.program
    return f"{one.rule}, {one.role} block, line {one.line}: {one.verdict}\n{program}"


def wrong_in_bad(
    info: RuleInfo, bad: Sequence[verdicts.Judged], ends: dict[str, list[Answer]]
) -> Iterator[str]:
    """The findings in a rule's bad blocks that torch does not show."""
    for block in load_page(info.page_path).of_role("bad"):
        if block.line not in {one.line for one in bad}:
            yield f"{info.code}: nothing is found in the bad block of line {block.line}"
    for one in bad:
        probe = one.finding.probe
        is_shown = one.verdict.outcome is Outcome.REPRODUCED
        if one.verdict.outcome is Outcome.REFUTED:
            yield text(one)
        elif not is_shown and not info.unproven:
            yield text(one)
        elif not is_shown and probe is not None:
            if not (one.verdict.reason or "").startswith(("control", "denied")):
                yield text(one)
        elif is_shown and probe is not None:
            # The first sizes show it, and with others it either shows or the program runs through.
            wanted = expected(info.code, probe)
            first, *others = (
                any(is_predicted(each, probe.flag, end) for each in wanted) or end.outcome
                for end in ends[repr(probe)]
            )
            if first is not True or any(other not in (True, "passed") for other in others):
                yield f"{text(one)}\n{[first, *others]}"
    if info.unproven and all(one.verdict.outcome is Outcome.REPRODUCED for one in bad):
        yield f"{info.code} says that it is unproven ({info.unproven}), and all is shown"


def wrong_in_good(
    info: RuleInfo, found: Sequence[verdicts.Judged], ends: dict[str, list[Answer]]
) -> Iterator[str]:
    """What torch shows in a rule's good and corrected blocks."""
    expected_ends = {
        end: None
        for one in found
        if one.role == "bad" and one.finding.probe is not None
        for end in expected(info.code, one.finding.probe)
    }
    good = [one for one in found if one.role != "bad"]
    failing = {
        block.line
        for block in load_page(info.page_path).of_role("good", "fixed")
        if "except " in block.plain  # something in it is meant to fail
    }
    for one in good:
        request = one.finding.probe
        assert request is not None and request.flag is not None
        if one.verdict.is_positive:
            yield text(one)
        if one.line in failing or (info.chosen_sizes and request.assignments[0]):
            continue
        for end in ends[repr(request)]:
            if end.outcome not in ("passed", "raised", "unsupported", "denied") or any(
                is_predicted(each, request.flag, end) for each in expected_ends
            ):
                yield f"{text(one)}\n{end}"
    # One that is inconclusive shows nothing: that the probe can refute at all is held too.
    if info.code in OF_CALLS and not any(one.verdict.outcome is Outcome.REFUTED for one in good):
        yield f"{info.code}: nothing in a good block is refuted"


def test_what_bad_blocks_are_for_is_shown(on_pages, prober):
    problems = [
        problem
        for info in RULES.values()
        for problem in wrong_in_bad(
            info, [one for one in on_pages[info.code] if one.role == "bad"], prober.ends
        )
    ]
    assert not problems, "\n".join(["", *problems])


def test_nothing_in_good_blocks_is_shown(on_pages, prober):
    problems = [
        problem
        for info in RULES.values()
        for problem in wrong_in_good(info, on_pages[info.code], prober.ends)
    ]
    assert not problems, "\n".join(["", *problems])


def test_programs_that_share_a_fork_end_as_they_do_alone(prober: RecordingProber):
    sources = (
        "torch.ones(2, 3) @ torch.ones(3)",
        "torch.ones(2, 3) @ torch.ones(2)",
        "with torch.no_grad():\n    torch.kthvalue(torch.ones(2), 1)",
    )
    flags = ((2, 2), (2, 2), (9, 9))
    requests = [
        Request("import torch\n" + source, flag=flag, key=source) for source, flag in zip(sources, flags)
    ]
    together = prober.answers(requests)
    alone = prober.answers([replace(one, key=ALONE + one.key) for one in requests])
    assert [replace(one, key=ALONE + one.key, ms=0.0) for one in together] == [
        replace(one, ms=0.0) for one in alone
    ]
    assert [(one.outcome, one.reached) for one in alone] == [
        ("passed", True),
        ("raised", False),
        ("passed", False),
    ]


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (FaultKind.NO_SUCH_NAME, {"name": "torch.relu", "namespace": "torch"}),
        (FaultKind.NO_SUCH_NAME, {"name": "torch.load", "namespace": "torch"}),
        (FaultKind.NO_SUCH_NAME, {"name": "torch.onnx", "namespace": "torch"}),
        (FaultKind.NO_SUCH_NAME, {"name": "torch.Tensor.map_", "namespace": "torch.Tensor"}),
        (FaultKind.NO_SUCH_NAME, {"name": "torch.utils.tensorboard", "namespace": MODULES}),
        (
            FaultKind.NO_SUCH_NAME,
            {"name": "torch.utils.tensorboard", "namespace": "torch.utils", "statement": (0, 1)},
        ),
        (FaultKind.REMOVED_KEYWORD, {"function": "torch.optim.lr_scheduler.StepLR", "keyword": "gamma"}),
    ],
    ids=lambda one: ".".join(map(str, one.values())) if isinstance(one, dict) else one.name,
)
def test_a_name_that_torch_has_is_never_shown_to_be_missing(kind, data, prober: RecordingProber):
    request = api.OF_KIND[kind](Fault(kind, 0, 0, "", (("statement", None), *data.items())))
    found = Finding("TL902", "no-such-torch-name", "a.py", Span(0, 1), "", Severity.ERROR, probe=request)
    (verdict,) = prober.verdicts([found])
    assert verdict is not None and verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.shown is None


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("torch.expand_dims(x, 1)", "has no `torch.expand_dims`"),
        ("torch.optim.Adam(x, learning_rate=x)", "refuses the argument `learning_rate`"),
        ("torch.matrix_rank(x)", "no longer has `torch.matrix_rank`"),
        ("torch.cuda.amp.autocast()", "warns"),
        ("torch.ones(2) @ torch.ones(3)", None),
    ],
)
def test_a_verdict_says_what_it_shows_of_torch(source: str, shown: str | None, prober: RecordingProber):
    found = findings(f"import torch\ndef f(x):\n    return {source}\n")
    verdicts = [one for one in prober.verdicts(found) if one is not None]
    assert [(one.outcome, one.shown) for one in verdicts] == [(Outcome.REPRODUCED, shown)]
