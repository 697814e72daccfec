"""Finds the faults of a loop's first two iterations on their exact facts, before these are joined at its head.

`x = layer(x)` in a loop: often no fact holds in all iterations, but the first one begins with the facts before the loop.
If the body runs at all it runs on exactly those, so a fault there is certain, but only outside of every undecided branch:
`if i == 0` may keep the first iteration away from any statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.fault_kinds import END_PROGRAM
from torchlsp.facts.tensor import TensorFact
from torchlsp.interp.store.budget import BudgetExceeded
from torchlsp.interp.store.frame import FirstRun
from torchlsp.interp.store.state import Delta

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def record_fault(it: Evaluator, key: tuple, fault: Fault) -> None:
    """Records a reported fault in all first iterations around it that certainly reach its place."""
    for run in it.first_runs:
        if fault.kind in run.kinds and run.undecided == it.frame.undecided and run.silent == it.silent:
            run.faults.setdefault(key, fault)


@contextmanager
def first_iteration(it: Evaluator, also: frozenset[FaultKind] = frozenset()) -> Iterator[FirstRun]:
    """Collects the faults of an iteration that is run on its exact facts: those that end the program, and others of some kinds."""
    frame, outside = it.frame, len(it.first_runs)
    run = FirstRun(frame.undecided, it.silent, kinds=END_PROGRAM | also if also else END_PROGRAM)
    it.first_runs.append(run)
    try:
        yield run
    finally:
        del it.first_runs[outside:]
        frame.undecided = run.undecided


def second_iteration_faults(
    it: Evaluator, after: Delta, run_body: Callable[[], object], also: frozenset[FaultKind] = frozenset()
) -> dict[tuple, Fault]:
    """Returns the faults of a second iteration on the changes of the first one, `after`; undoes everything else it does."""
    if it.silent or not any(isinstance(value, TensorFact) for _, _, value in after.values()):
        return {}

    def run_on_changes() -> None:
        it.state.apply(after)
        run_body()

    return rehearsed_faults(it, run_on_changes, also)


def rehearsed_faults(
    it: Evaluator, run_body: Callable[[], object], also: frozenset[FaultKind] = frozenset()
) -> dict[tuple, Fault]:
    """Returns the faults of an iteration that certainly runs on just these facts; undoes everything else that it does."""
    state, frame = it.state, it.frame
    mark, conditional = state.mark(), frame.conditional
    spent = it.steps, it.limit, it.allowance, it.pool, it.analysis.unfollowed
    frames, traces, buffers = list(it.frames), len(it.recorder.stack), len(it.buffers)
    loops, managers = len(frame.loops), len(frame.managers)
    it.silent += 1
    it.limit = min(it.limit, it.file_limit - it.rehearsed)
    try:
        with first_iteration(it, also) as run:
            run_body()
    except BudgetExceeded:
        it.frames, it.frame = frames, frame
        del it.recorder.stack[traces:], frame.loops[loops:], frame.managers[managers:]
    finally:
        del it.buffers[buffers:]
        it.silent -= 1
        it.rehearsed += it.steps - spent[0]
        it.steps, it.limit, it.allowance, it.pool, it.analysis.unfollowed = spent
        frame.conditional = conditional
        state.take(mark)
    return run.faults
