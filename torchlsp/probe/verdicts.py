"""Derives the verdict on a finding from the runs of its programs. The costly mistake is to drop one that is
true."""

from __future__ import annotations

import builtins
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from torchlsp.core.finding import Outcome, ProofFails, Raises, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torchlsp.probe.request import Answer

# The name of an exception that stands for ranks that wait for each other for ever.
HANG = "Hang"
_HANGS = frozenset({"deadlock", "mismatch"})
# Only these run the kernels that the user will run.
_REAL_KINDS = frozenset({"eager-cpu", "real-cuda"})


@dataclass(frozen=True, slots=True)
class Trial:
    """A run of the program with one assignment of sizes, in words such as "B=2, C=3", and its outcome."""

    answer: Answer
    witness: str | None = None


def verdict(
    expect: Raises | ProofFails,
    flag: tuple[int, int],
    trials: Sequence[Trial],
    *,
    control: Answer | None = None,
    assumes: Sequence[str] = (),
    kind: str = "eager-cpu",
    torch: str | None = None,
) -> Verdict:
    """Returns the verdict on a finding. `trials` come smallest first; `flag` is the first and last row of
    what is flagged; `control` is the end of the same program with the suspected fact forced to the bad value;
    `assumes` names the inputs that were guessed.

    Reproduced: some trial ended as predicted, at the flagged rows. Refuted: every trial ran through them, nothing was
    guessed, and the control ended as predicted. All else is inconclusive and has a reason.
    """

    def given(outcome: Outcome, shown: Trial | None, reason: str | None) -> Verdict:
        return Verdict(
            outcome,
            evidence="torch" if kind in _REAL_KINDS else "emulated",
            kind=kind,
            error=str(shown.answer.error) if shown and shown.answer.error else None,
            reason=reason,
            witness=shown.witness if shown else None,
            assumes=tuple(assumes),
            torch=torch,
            ms=sum(trial.answer.ms or 0.0 for trial in trials),
        )

    fitting = [trial for trial in trials if is_predicted(expect, flag, trial.answer)]
    if fitting:
        part = f"{len(fitting)} of {len(trials)} assignments" if len(fitting) < len(trials) else None
        found = given(Outcome.REPRODUCED, fitting[0], part)
        return (
            replace(found, error=None, reason=_measured(fitting[0]))
            if isinstance(expect, ProofFails)
            else found
        )
    for trial in trials:
        problem = _problem(trial.answer)
        if problem is not None:
            return given(Outcome.INCONCLUSIVE, trial, problem)
    if not trials:
        return given(Outcome.INCONCLUSIVE, None, "slice: nothing was run")
    if assumes:
        return given(Outcome.INCONCLUSIVE, None, f"facts: only assumed: {', '.join(assumes)}")
    if control is None or not is_predicted(expect, flag, control):
        return given(Outcome.INCONCLUSIVE, None, "control: the bad value does not fail as predicted either")
    return given(Outcome.REFUTED, None, None)


def verdict_of_own_code(
    expected: Sequence[Raises | ProofFails],
    flag: tuple[int, int],
    answer: Answer,
    *,
    kind: str,
    torch: str | None = None,
    given: str | None = None,
    can_refute: bool = False,
) -> Verdict:
    """Returns the verdict of running the user's own statements; `given` says what they ran with that is not in the text.

    Confirmed: they ended as one of the predictions says, at the flagged rows. Refuted: they ran through these rows, where that
    `can_refute` the finding. Else inconclusive, with the reason in `own_code`.
    """
    evidence = "torch" if kind in _REAL_KINDS else "emulated"

    def found(outcome: Outcome, error: str | None = None, own_code: str | None = None) -> Verdict:
        return Verdict(
            outcome, evidence, kind, error, witness=given, torch=torch, ms=answer.ms, own_code=own_code
        )

    if any(is_predicted(one, flag, answer) for one in expected):
        return found(Outcome.CONFIRMED, str(answer.error))
    if answer.outcome == "passed" and answer.reached:
        if can_refute:
            return found(Outcome.REFUTED)
        return found(Outcome.INCONCLUSIVE, own_code="it runs through")
    return found(Outcome.INCONCLUSIVE, own_code=_end_of_own_code(flag, answer))


def _end_of_own_code(flag: tuple[int, int], answer: Answer) -> str:
    """Words why a run of the user's own statements decides nothing."""
    error = answer.error
    if answer.outcome == "passed":
        return "it does not get there"
    text = " ".join((error.text if error is not None else "").split())
    if answer.outcome == "raised" and error is not None:
        where = "there" if error.row is not None and _is_in(error.row, flag) else "before it gets there"
        return f"it fails {where} with {error.name}: {text}"
    words = {
        "timeout": "it takes too long",
        "resource": "it needs too much memory",
        "denied": f"it may not run: {text}",
    }
    return words.get(answer.outcome, f"{answer.outcome}: {text}")


def _measured(trial: Trial) -> str:
    """Words the failure of a program's last assertion, which is ours: torch itself has raised nothing."""
    text = trial.answer.error.text if trial.answer.error is not None else ""
    return f"nothing is raised, but {text or 'the result is not the right one'}"


def is_predicted(expect: Raises | ProofFails, flag: tuple[int, int], answer: Answer) -> bool:
    """Returns whether a program ended in the predicted error at the flagged rows, or for a proof, in an
    assertion below them after they were executed to their end."""
    error = answer.error
    if error is None:
        return False
    if isinstance(expect, ProofFails):
        is_below = error.row is not None and error.row > flag[1]
        return (
            answer.outcome == "raised"
            and error.name == "AssertionError"
            and is_below
            and bool(answer.reached)
        )
    if re.search(expect.pattern, error.text) is None:
        return False
    if answer.outcome in _HANGS:
        rows = (answer.lines or {}).values()
        return expect.exception == HANG and any(row is not None and _is_in(row, flag) for row in rows)
    return (
        answer.outcome == "raised"
        and _is_kind_of(error.name, expect.exception)
        and error.row is not None
        and _is_in(error.row, flag)
    )


def _is_in(row: int, flag: tuple[int, int]) -> bool:
    return flag[0] <= row <= flag[1]


def _is_kind_of(name: str, predicted: str) -> bool:
    """Returns whether an exception is of a class, by name. Python's own also by descent (NotImplementedError
    is a RuntimeError)."""
    if name == predicted:
        return True
    classes = [getattr(builtins, one, None) for one in (name, predicted)]
    if not all(isinstance(one, type) and issubclass(one, BaseException) for one in classes):
        return False
    return issubclass(classes[0], classes[1])  # type: ignore[arg-type]


def _problem(answer: Answer) -> str | None:
    """Returns why an answer that is not the predicted one is inconclusive. None when the flagged rows ran to
    their end."""
    if answer.outcome == "passed":
        return None if answer.reached else "slice: the flagged rows were not executed"
    if answer.outcome in _HANGS or answer.outcome == "raised":
        row = f" in row {answer.error.row}" if answer.error and answer.error.row else ""
        return f"slice: it fails otherwise{row}"
    return f"{answer.outcome}: {answer.error.text}" if answer.error else answer.outcome
