"""From answers to a verdict: only what was predicted confirms, and only what was tried in full refutes."""

from __future__ import annotations

import pytest

from torchlsp.core.finding import Outcome, ProofFails, Raises
from torchlsp.probe.request import Answer, Error
from torchlsp.probe.verdicts import HANG, Trial, verdict

EXPECT = Raises("view size is not compatible")
FLAG = (4, 5)
VIEW = Error("RuntimeError", "view size is not compatible with input tensor's size", 4)
FAILS = Answer("raised", VIEW, False, ms=1.5)
RUNS = Answer("passed", None, True, ms=0.5)


def judged(*answers: Answer, expect=EXPECT, control: Answer | None = FAILS, **more):
    trials = [Trial(answer, f"B={number}") for number, answer in enumerate(answers, 1)]
    return verdict(expect, FLAG, trials, control=control, **more)


def test_the_predicted_error_at_the_flagged_rows_confirms():
    found = judged(FAILS, FAILS, torch="2.13.0", assumes=["x is contiguous"])
    assert found.outcome is Outcome.REPRODUCED
    assert (found.evidence, found.torch, found.witness, found.reason) == ("torch", "2.13.0", "B=1", None)
    assert (found.error, found.assumes, found.ms) == (f"RuntimeError: {VIEW.text}", ("x is contiguous",), 3.0)


def test_sizes_of_which_some_fail_are_confirmed_with_the_smallest():
    found = judged(RUNS, FAILS, FAILS)
    assert (found.outcome, found.witness, found.reason) == (
        Outcome.REPRODUCED,
        "B=2",
        "2 of 3 assignments",
    )


NOT_PREDICTED = {
    "another class": Answer("raised", Error("ValueError", VIEW.text, 4)),
    "another text": Answer("raised", Error("RuntimeError", "shape is invalid", 4)),
    "an earlier row": Answer("raised", Error("RuntimeError", VIEW.text, 3)),
    "a later row": Answer("raised", Error("RuntimeError", VIEW.text, 6)),
    "no row": Answer("raised", Error("RuntimeError", VIEW.text, None)),
    "an import": Answer("import", Error("RuntimeError", VIEW.text, 4)),
    "a hang": Answer("deadlock", Error("Deadlock", VIEW.text, 4), lines={0: 4, 1: None}),
}


@pytest.mark.parametrize("answer", NOT_PREDICTED.values(), ids=NOT_PREDICTED.keys())
def test_anything_else_is_inconclusive(answer):
    for answers in ((answer,), (RUNS, answer)):
        assert judged(*answers).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize("outcome", ["denied", "timeout", "crash", "resource", "import", "syntax", "unsupported"])  # fmt: skip
def test_a_limit_of_ours_is_the_reason(outcome):
    found = judged(RUNS, Answer(outcome, Error("Any", "why")))
    assert (found.outcome, found.reason) == (Outcome.INCONCLUSIVE, f"{outcome}: why")


def test_all_run_through_and_the_bad_value_fails():
    found = judged(RUNS, RUNS)
    assert (found.outcome, found.error, found.witness, found.reason) == (Outcome.REFUTED, None, None, None)


@pytest.mark.parametrize(
    ("answers", "more", "reason"),
    [
        ((), {}, "slice: nothing was run"),
        ((RUNS, Answer("passed", None, False)), {}, "slice: the flagged rows were not executed"),
        ((RUNS, Answer("passed", None, None)), {}, "slice: the flagged rows were not executed"),
        ((RUNS,), {"assumes": ["x"]}, "facts: only assumed: x"),
        ((RUNS,), {"control": None}, "control: the bad value does not fail as predicted either"),
        ((RUNS,), {"control": RUNS}, "control: the bad value does not fail as predicted either"),
        (
            (RUNS,),
            {"control": NOT_PREDICTED["an earlier row"]},
            "control: the bad value does not fail as predicted either",
        ),
        ((RUNS, NOT_PREDICTED["an earlier row"]), {}, "slice: it fails otherwise in row 3"),
    ],
)
def test_a_finding_is_not_dropped_lightly(answers, more, reason):
    found = judged(*answers, **more)
    assert (found.outcome, found.reason) == (Outcome.INCONCLUSIVE, reason)


@pytest.mark.parametrize(
    ("name", "predicted", "fits"),
    [
        ("NotImplementedError", "RuntimeError", True),
        ("RuntimeError", "NotImplementedError", False),
        ("IndexError", "LookupError", True),
        ("_LinAlgError", "_LinAlgError", True),
        ("_LinAlgError", "RuntimeError", False),
        ("print", "RuntimeError", False),
    ],
)
def test_classes_fit_by_name_or_by_descent_in_python(name, predicted, fits):
    found = judged(Answer("raised", Error(name, "text", 4)), expect=Raises("text", predicted))
    assert (found.outcome is Outcome.REPRODUCED) is fits


def test_a_proof_that_fails_after_the_flagged_rows_confirms():
    failed = Answer("raised", Error("AssertionError", "gradients are summed", 9), True)
    assert judged(failed, expect=ProofFails()).outcome is Outcome.REPRODUCED


@pytest.mark.parametrize(
    "answer",
    [
        Answer("raised", Error("AssertionError", "", 9), False),
        Answer("raised", Error("AssertionError", "", 9), None),
        Answer("raised", Error("AssertionError", "", 4), True),
        Answer("raised", Error("RuntimeError", "", 9), True),
    ],
)
def test_another_end_of_a_proof_says_nothing(answer):
    assert judged(answer, expect=ProofFails()).outcome is Outcome.INCONCLUSIVE


def test_a_proof_that_holds_refutes_when_it_can_fail():
    failed = Answer("raised", Error("AssertionError", "", 9), True)
    assert judged(RUNS, expect=ProofFails(), control=failed).outcome is Outcome.REFUTED


@pytest.mark.parametrize("outcome", ["deadlock", "mismatch"])
@pytest.mark.parametrize(("row", "confirmed"), [(4, True), (9, False), (None, False)])
def test_ranks_that_wait_at_the_flagged_rows_confirm(outcome, row, confirmed):
    stuck = Answer(outcome, Error("Deadlock", "rank 0 waits in barrier", row), lines={0: row, 1: None})
    found = judged(stuck, expect=Raises("barrier", HANG), kind="ranks")
    assert (found.outcome is Outcome.REPRODUCED) is confirmed
    assert (found.evidence, found.kind) == ("emulated", "ranks")


@pytest.mark.parametrize(("kind", "evidence"), [("eager-cpu", "torch"), ("logical-device", "emulated")])
def test_only_real_kernels_are_evidence_of_torch(kind, evidence):
    assert judged(FAILS, kind=kind).evidence == evidence


def test_what_an_assertion_of_ours_says_is_not_worded_as_an_error_of_torch():
    failed = Answer("raised", Error("AssertionError", "the gradient is wrong", 9), True)
    found = judged(failed, expect=ProofFails())
    assert (found.error, found.reason) == (None, "nothing is raised, but the gradient is wrong")
    unworded = judged(Answer("raised", Error("AssertionError", "", 9), True), expect=ProofFails())
    assert unworded.reason == "nothing is raised, but the result is not the right one"
