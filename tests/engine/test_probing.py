"""What the answers of a worker make of findings: when one is withdrawn, what is asked and what is remembered."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from torchlsp.core.finding import (
    Finding,
    Hangs,
    Outcome,
    ProbeRequest,
    ProofFails,
    Raises,
    Severity,
    Slice,
    Verdict,
)
from torchlsp.core.span import Span
from torchlsp.engine import probing, verdict_store
from torchlsp.engine.interpreters import site_packages
from torchlsp.engine.probing import NO_EXAMPLE, NO_PROGRAM, Prober, Unavailable, counted, with_verdicts
from torchlsp.engine.verdict_store import VerdictStore
from torchlsp.lint.pages import load_page
from torchlsp.lint.registry import find
from torchlsp.probe.request import Answer, Error, Hello, Request
from torchlsp.probe.verdicts import is_predicted

VIEW = "view size is not compatible with input tensor's size and stride"
PASSED = Answer("passed", reached=True)
RAISED = Answer("raised", Error("RuntimeError", VIEW, 1), reached=False)
ONE_LINE = ProbeRequest("torch.zeros(6).view(6)\n", flag=(1, 1))


def finding(request: ProbeRequest | None = ONE_LINE, rule: str = "TL101", **more) -> Finding:
    return Finding(rule, "some-name", "a.py", Span(0, 1), "it fails", Severity.ERROR, probe=request, **more)


def bad_programs(rule: str) -> set[str]:
    info = find(rule)
    assert info is not None
    return {block.plain for block in load_page(info.page_path).of_role("bad")}


class FakeWorker:
    """`ends` says how a program ends; the examples of TL101's page end as the page says. `runs` are the batches."""

    def __init__(self, ends: Callable[[Request], Answer]) -> None:
        self.ends = ends
        self.runs: list[list[Request]] = []
        self.torch = "9.9"
        self.page = bad_programs("TL101")

    def hello(self) -> Hello:
        return Hello(self.torch, "3.11.0", frozenset({"eager-cpu"}), {})

    def run(self, batch, deadline: float) -> list[Answer]:
        self.runs.append(list(batch))
        return [replace(self._end(one), key=one.key) for one in batch]

    def _end(self, run: Request) -> Answer:
        if run.program in self.page:
            return Answer("raised", Error("RuntimeError", VIEW, run.flag[0]))
        return self.ends(run)

    def close(self) -> None:
        pass


@pytest.fixture
def make(monkeypatch):
    """A prober with a stand-in for the worker, which it is given with."""

    def prober(
        ends: Callable[[Request], Answer] = lambda run: PASSED, **options
    ) -> tuple[Prober, FakeWorker]:
        worker = FakeWorker(ends)
        monkeypatch.setattr(probing, "Worker", lambda python, folders: worker)
        return Prober("python", [], **options), worker

    return prober


def only(prober: Prober, asked: Finding) -> Verdict:
    (given,) = prober.verdicts([asked])
    assert given is not None
    return given


# ---- when a finding is withdrawn ---------------------------------------------------------------------------------------


def test_what_ends_as_the_page_says_is_confirmed(make):
    prober, _ = make(lambda run: RAISED)
    given = only(prober, finding())
    assert given.outcome is Outcome.REPRODUCED
    assert (given.error, given.torch, given.device) == (f"RuntimeError: {VIEW}", "9.9", "cpu")


def test_what_runs_through_is_refuted_when_the_pages_example_fails(make):
    prober, _ = make()
    assert only(prober, finding()).outcome is Outcome.REFUTED


def test_what_runs_through_is_not_refuted_when_the_pages_example_runs_through_too(make):
    prober, worker = make()
    worker.page = set()
    given = only(prober, finding())
    assert given.outcome is Outcome.INCONCLUSIVE
    assert given.reason.startswith("control: ")


@pytest.mark.parametrize(
    "request_",
    [
        replace(ONE_LINE, assumes=("CUDA is available",)),
        replace(ONE_LINE, guesses=True),
    ],
)
def test_what_rests_on_a_guess_is_not_refuted(make, request_):
    prober, _ = make()
    given = only(prober, finding(request_))
    assert given.outcome is Outcome.INCONCLUSIVE
    assert given.reason.startswith("facts: ")


@pytest.mark.parametrize(
    "answer",
    [
        Answer("passed", reached=False),
        Answer("raised", Error("RuntimeError", "something else", 1)),
        Answer("raised", Error("TypeError", VIEW, 1)),
        Answer("raised", Error("RuntimeError", VIEW, 2)),
        *(Answer(outcome, Error("E", VIEW, 1)) for outcome in ("denied", "timeout", "crash", "resource", "unsupported")),
    ],
    ids=lambda answer: f"{answer.outcome}-{answer.error}",
)  # fmt: skip
def test_one_of_several_runs_that_ends_otherwise_shows_nothing(make, answer):
    """Neither confirmed nor refuted, whatever the others do."""
    several = replace(ONE_LINE, program="n = {sizes}\n", assignments=((("n", 3),), (("n", 1),)))
    prober, _ = make(lambda run: answer if "1" in run.program else PASSED)
    assert only(prober, finding(several)).outcome is Outcome.INCONCLUSIVE


def test_one_size_that_fails_is_enough_and_is_named(make):
    several = ProbeRequest("way_1, n = {sizes}\n", flag=(1, 1), assignments=((("way_1", 1), ("n", 3)), (("way_1", 1), ("n", 5))))  # fmt: skip
    prober, _ = make(lambda run: RAISED if "5" in run.program else PASSED)
    given = only(prober, finding(several))
    assert (given.outcome, given.witness) == (Outcome.REPRODUCED, "n=5")


@pytest.mark.parametrize("answer", [PASSED, RAISED, Answer("raised", Error("RuntimeError", "x", 1))])
def test_a_rule_without_a_page_is_neither_confirmed_nor_refuted(make, answer):
    prober, _ = make(lambda run: answer)
    given = only(prober, finding(rule="TL999"))
    assert (given.outcome, given.reason) == (Outcome.INCONCLUSIVE, NO_EXAMPLE)


def test_a_rule_without_a_page_may_say_itself_what_happens(make):
    own = replace(ONE_LINE, expect=Raises("view size"))
    prober, _ = make(lambda run: RAISED)
    assert only(prober, finding(own, "TL999")).outcome is Outcome.REPRODUCED
    prober, _ = make()
    assert only(prober, finding(own, "TL999")).outcome is Outcome.INCONCLUSIVE


def test_a_damaged_page_is_no_page(make, monkeypatch, tmp_path):
    info = replace(find("TL101"), page_path=tmp_path / "none.md")
    monkeypatch.setattr("torchlsp.lint.registry.find", lambda code: info)
    probing._page.cache_clear()
    try:
        prober, _ = make(lambda run: RAISED)
        assert only(prober, finding()).reason == NO_EXAMPLE
    finally:
        probing._page.cache_clear()


def test_what_has_no_program_stays_and_the_tools_own_findings_are_none_of_torchs(make):
    prober, worker = make()
    given = prober.verdicts([finding(None), finding(None, "TL000"), finding(None, "TL001")])
    assert given == [NO_PROGRAM, None, None]
    assert worker.runs == []


def test_refuted_findings_are_left_out_unless_kept():
    refuted, unsure = Verdict(Outcome.REFUTED), NO_PROGRAM
    pair = [finding(), finding(rule="TL102")]
    assert with_verdicts(pair, [refuted, unsure]) == [replace(pair[1], verdict=unsure)]
    assert [one.verdict for one in with_verdicts(pair, [refuted, None], keep_refuted=True)] == [refuted, None]


# ---- what is asked -----------------------------------------------------------------------------------------------------


def test_a_program_that_several_findings_share_runs_once(make):
    prober, worker = make(lambda run: RAISED)
    given = prober.verdicts(
        [finding(), replace(finding(), path="b.py", severity=Severity.INFO), finding(rule="TL102")]
    )
    assert [one.outcome for one in given[:2]] == [Outcome.REPRODUCED] * 2
    assert [len(batch) for batch in worker.runs] == [1]


def test_what_is_known_is_not_asked_again(make):
    prober, worker = make()
    assert prober.known(finding()) is None
    first = only(prober, finding())
    asked = len(worker.runs)
    # Where it stands and how grave it is are no matter of torch's.
    moved = replace(finding(), path="b.py", span=Span(5, 6), severity=Severity.INFO, message="other")
    assert only(prober, moved) == first == prober.known(moved)
    assert len(worker.runs) == asked
    for other in (
        replace(ONE_LINE, assumes=("x",)),
        replace(ONE_LINE, flag=(1, 2)),
        replace(ONE_LINE, expect=Hangs()),
    ):
        assert prober.known(finding(other)) is None


def test_the_example_is_run_once_for_all_findings_of_a_rule(make):
    prober, worker = make()
    many = [finding(replace(ONE_LINE, program=f"torch.zeros({n}).view({n})\n")) for n in range(5)]
    assert {one.outcome for one in prober.verdicts(many)} == {Outcome.REFUTED}
    assert sum(run.program in worker.page for batch in worker.runs for run in batch) == 1


def test_many_findings_go_in_batches_and_the_rest_waits_when_it_is_no_longer_wanted(make):
    prober, worker = make(lambda run: RAISED)
    many = [finding(replace(ONE_LINE, program=f"torch.zeros({n}).view({n})\n")) for n in range(25)]
    told = []
    wanted = iter([True, True, False])
    given = prober.verdicts(many, wanted=lambda: next(wanted), progress=lambda *at: told.append(at))
    assert [one is not None for one in given] == [True] * 20 + [False] * 5
    assert told == [(0, 25), (10, 25)]
    assert None not in prober.verdicts(many)
    assert [len(batch) for batch in worker.runs] == [10, 10, 5]


def test_a_worker_that_is_lost_halfway_leaves_what_was_found_out(make, tmp_path):
    path = str(tmp_path / "kept.json")
    prober, worker = make(lambda run: RAISED, store=VerdictStore(path))
    many = [finding(replace(ONE_LINE, program=f"torch.zeros({n}).view({n})\n")) for n in range(15)]
    run = worker.run

    def once(batch, deadline):
        worker.run = fail
        return run(batch, deadline)

    def fail(batch, deadline):
        raise Unavailable("it is gone")

    worker.run = once
    with pytest.raises(Unavailable, match="it is gone"):
        prober.verdicts(many)
    assert [prober.known(one) is not None for one in many] == [True] * 10 + [False] * 5
    worker.run = run
    assert None not in prober.verdicts(many)
    again, other = make(store=VerdictStore(path))
    assert None not in again.verdicts(many)
    assert other.runs == []


def test_what_depends_on_the_moment_is_asked_again_later(make, monkeypatch):
    now = 0.0
    monkeypatch.setattr(verdict_store.time, "monotonic", lambda: now)
    prober, worker = make(lambda run: Answer("timeout", Error("Timeout", "it did not end in time")))
    assert only(prober, finding()).reason == "timeout: it did not end in time"
    worker.ends = lambda run: RAISED
    assert only(prober, finding()).outcome is Outcome.INCONCLUSIVE
    now += verdict_store.PASSING_SECONDS + 1
    assert only(prober, finding()).outcome is Outcome.REPRODUCED


def test_another_torch_is_asked_anew(make):
    prober, worker = make(lambda run: RAISED)
    first, second = finding(), finding(replace(ONE_LINE, program="torch.zeros(2).view(2)\n"))
    assert only(prober, first).torch == "9.9"
    worker.torch = "10.0"
    only(prober, second)
    assert prober.known(first) is None
    assert only(prober, first).torch == "10.0"


def test_a_page_that_says_something_else_is_another_question(make, monkeypatch):
    prober, _ = make(lambda run: RAISED)
    assert only(prober, finding()).outcome is Outcome.REPRODUCED
    monkeypatch.setattr(probing, "expectations", lambda rule, request: [Raises("another text")])
    assert only(prober, finding()).outcome is Outcome.INCONCLUSIVE


def test_the_line_on_verdicts():
    given = [
        Verdict(Outcome.REPRODUCED),
        None,
        NO_PROGRAM,
        Verdict(Outcome.INCONCLUSIVE, reason="timeout: x"),
        NO_PROGRAM,
        Verdict(Outcome.REFUTED),
    ]
    assert counted(given) == "1 reproduced, 1 refuted, 3 inconclusive (2 facts, 1 timeout)"
    assert counted([None]) == "nothing to probe"


# ---- the user's own code -----------------------------------------------------------------------------------------------

OWN = Slice("import torch\nx = torch.zeros(2, 3).t()\nx.view(6)\n", (3, 3))
CALL = replace(ONE_LINE, expect=Raises(VIEW), facts=("f32[3, 2] noncontig",))


def ends(own: Answer, made: Answer) -> Callable[[Request], Answer]:
    """The user's own statements end in one way, what is made of facts in another."""
    return lambda run: own if run.program == OWN.program else made


def at_goal(text: str = VIEW, row: int = 3) -> Answer:
    return Answer("raised", Error("RuntimeError", text, row), reached=False)


def test_own_statements_that_fail_confirm_and_nothing_else_is_run(make):
    prober, worker = make(ends(at_goal(), PASSED))
    given = only(prober, finding(CALL, slice=OWN))
    assert (given.outcome, given.evidence, given.device) == (Outcome.CONFIRMED, "torch", "cpu")
    assert (given.error, given.own_code, given.facts) == (f"RuntimeError: {VIEW}", None, ())
    assert [run.program for runs in worker.runs for run in runs] == [OWN.program]


def test_own_statements_that_run_through_refute_what_is_about_the_call_itself(make):
    prober, _ = make(ends(PASSED, RAISED))
    assert only(prober, finding(CALL, slice=OWN)).outcome is Outcome.REFUTED


@pytest.mark.parametrize(
    "request_",
    [
        replace(CALL, facts=()),
        replace(CALL, expect=None),
        replace(CALL, assumes=("CUDA is available",)),
    ],
    ids=["no call", "the page's error", "an assumption"],
)
def test_else_own_statements_that_run_through_show_nothing(make, request_):
    prober, _ = make(ends(PASSED, RAISED))
    given = only(prober, finding(request_, slice=OWN))
    assert (given.outcome, given.own_code) == (Outcome.REPRODUCED, "it runs through")
    assert given.facts == request_.facts


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (at_goal("something else"), "it fails there with RuntimeError: something else"),
        (at_goal(row=2), f"it fails before it gets there with RuntimeError: {VIEW}"),
        (Answer("passed", reached=False), "it does not get there"),
        (Answer("timeout", Error("Timeout", "late")), "it takes too long"),
        (Answer("resource", Error("MemoryError", "much")), "it needs too much memory"),
        (Answer("denied", Error("Refused", "line 1: `x` is not on the list")), "it may not run: line 1: `x` is not on the list"),
        (Answer("unsupported", Error("Unsupported", "no GPU")), "unsupported: no GPU"),
    ],
)  # fmt: skip
def test_own_statements_that_end_otherwise_say_why_and_the_facts_decide(make, answer, reason):
    prober, _ = make(ends(answer, RAISED))
    given = only(prober, finding(CALL, slice=OWN))
    assert (given.outcome, given.own_code) == (Outcome.REPRODUCED, reason)


def test_own_statements_that_name_cuda_run_without_a_gpu_and_with_an_emulated_one(make):
    own = replace(OWN, program=OWN.program + "if torch.cuda.is_available():\n    pass\n")
    prober, worker = make(lambda run: PASSED if run.kind == "eager-cpu" else at_goal())
    given = only(prober, finding(CALL, slice=own))
    assert [run.kind for runs in worker.runs for run in runs] == ["eager-cpu", "logical-device"]
    assert (given.outcome, given.evidence, given.device) == (Outcome.CONFIRMED, "emulated", "cuda (emulated)")


def test_a_reason_without_a_program_needs_no_worker(make):
    prober, worker = make()
    given = only(prober, finding(None, slice=Slice(reason="`x` comes from outside")))
    assert (given.outcome, given.own_code) == (Outcome.INCONCLUSIVE, "`x` comes from outside")
    assert worker.runs == []


def test_what_own_statements_ran_with_is_said(make):
    prober, _ = make(ends(at_goal(), PASSED))
    own = replace(OWN, given="the defaults of its command line")
    assert only(prober, finding(CALL, slice=own)).witness == "the defaults of its command line"


def test_other_own_statements_are_another_question(make):
    prober, _ = make(ends(at_goal(), RAISED))
    assert only(prober, finding(CALL, slice=OWN)).outcome is Outcome.CONFIRMED
    other = replace(OWN, program=OWN.program.replace("2, 3", "3, 2"))
    assert prober.known(finding(CALL, slice=other)) is None
    assert prober.known(finding(CALL, slice=OWN)).outcome is Outcome.CONFIRMED


# ---- with torch --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def prober():
    pytest.importorskip("torch")
    one = Prober(sys.executable, site_packages(sys.executable), deadline=10.0)
    yield one
    one.close()


DIST = "import torch.distributed as dist\n\nrank = dist.get_rank()\n"
PROOF = "import torch\n\nx = torch.zeros(1)\nx.add_({})\nassert x == 0, 'changed'\n"
REAL = {
    "view": ("TL101", ProbeRequest("import torch\n\ntorch.zeros(2, 3){}.view(6)\n", flag=(3, 3)), ".t()", ""),
    "device": (
        "TL301",
        ProbeRequest("import torch\n\ntorch.zeros(2{}).numpy()\n", kind="logical-device", flag=(3, 3)),
        ', device="cuda"',
        "",
    ),
    "ranks": (
        "TL801",
        ProbeRequest(DIST + "if rank == 0{}:\n    dist.barrier()\n", Hangs(), "ranks", (5, 5), world=2),
        "",
        " or True",
    ),
    "proof": ("TL501", ProbeRequest(PROOF, ProofFails(), flag=(4, 4)), "1", "0"),
}


@pytest.mark.torch
@pytest.mark.parametrize(("rule", "request_", "bad", "good"), REAL.values(), ids=REAL.keys())
def test_torch_says_which_is_true(prober, rule, request_, bad, good):
    """The same program with the fault is confirmed, without it refuted: each kind has a control that holds."""
    outcomes = [
        only(prober, finding(replace(request_, program=request_.program.format(text)), rule)).outcome
        for text in (bad, good)
    ]
    assert outcomes == [Outcome.REPRODUCED, Outcome.REFUTED]


@pytest.mark.torch
def test_a_worker_killed_in_the_middle_costs_nothing(prober):
    prober.hello()
    os.kill(prober._worker.pid, signal.SIGKILL)
    request = ProbeRequest("import torch\n\ntorch.zeros(3, 2).t().view(6)\n", flag=(3, 3))
    assert only(prober, finding(request)).outcome is Outcome.REPRODUCED


@pytest.mark.torch
def test_trials_are_every_run(prober):
    sizes = ((("n", 3),), (("n", 1),))
    request = ProbeRequest("import torch\n\nn = {sizes}\ntorch.zeros(2, n).t().view(n * 2)\n", flag=(4, 4), assignments=sizes)  # fmt: skip
    trials = prober.trials(finding(request))
    assert [(one.witness, one.answer.outcome) for one in trials] == [("n=3", "raised"), ("n=1", "passed")]
    given = only(prober, finding(request))
    assert (given.outcome, given.witness, given.reason) == (Outcome.REPRODUCED, "n=3", "1 of 2 assignments")


@pytest.mark.parametrize(
    ("stated", "error", "is_like"),
    [
        (
            "missing 1 required positional argument: 'out_features'",
            "TypeError: forward() missing 2 required positional arguments: 'key' and 'value'",
            True,
        ),
        (
            "unexpected keyword argument 'k'",
            "TypeError: forward() got an unexpected keyword argument 'masks'",
            True,
        ),
        ("TypeError: unexpected keyword argument 'k'", "ValueError: unexpected keyword argument 'k'", False),
        (
            "unexpected keyword argument 'k'",
            "TypeError: forward() missing 1 required positional argument: 'k'",
            False,
        ),
        (
            r"unscale_\(\) has already been called",
            "RuntimeError: unscale_() has already been called on it",
            True,
        ),
        (
            "positional arguments but 3 were given",
            "TypeError: f() takes 1 positional argument but 12 were given",
            True,
        ),
    ],
)
def test_errors_like_the_one_of_a_page_have_other_names_and_numbers(stated, error, is_like):
    name, _, text = error.partition(": ")
    answer = Answer("raised", error=Error(name, text, 3))
    assert is_predicted(probing.error_like(stated), (3, 3), answer) is is_like


def test_a_call_that_does_not_fit_an_own_forward_is_confirmed_by_running_it(make):
    error = Error("TypeError", "Encoder.forward() missing 1 required positional argument: 'mask'", 3)
    prober, _ = make(ends(Answer("raised", error, reached=False), PASSED))
    given = only(prober, finding(None, "TL929", slice=OWN))
    assert (given.outcome, given.error) == (Outcome.CONFIRMED, f"TypeError: {error.text}")


def test_a_page_that_says_something_else_of_own_code_is_another_question(make, monkeypatch):
    error = Error("TypeError", "Encoder.forward() missing 1 required positional argument: 'mask'", 3)
    prober, _ = make(ends(Answer("raised", error, reached=False), PASSED))
    assert only(prober, finding(None, "TL929", slice=OWN)).outcome is Outcome.CONFIRMED
    monkeypatch.setattr(probing, "own_code_expectations", lambda rule, request: [Raises("another text")])
    assert only(prober, finding(None, "TL929", slice=OWN)).outcome is Outcome.INCONCLUSIVE


def test_a_program_made_from_facts_fails_with_the_sizes_and_the_exception_of_the_page():
    # TL102's page names RuntimeError and sizes; TL929's states its errors without an exception.
    stated = probing.expectations("TL102", None)
    assert stated and all("\\d+" not in one.pattern for one in stated)
    assert any("\\d+" in one.pattern for one in probing.own_code_expectations("TL102", None))
    assert all(one.exception != "Exception" for one in probing.expectations("TL929", None))
    assert any(one.exception == "Exception" for one in probing.own_code_expectations("TL929", None))
