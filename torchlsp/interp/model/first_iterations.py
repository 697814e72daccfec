"""What the first iterations of a loop break, before the facts at its head are joined with what later ones leave there.

`x = layer(x)` in a loop: what holds in all iterations is often nothing, but the first one begins with what stands before the
loop.  Whoever enters the body at all runs it on those very facts, so that what breaks them there is certain, but only
outside of every undecided branch: `if i == 0` may keep the first iteration away from any statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from torchlsp.facts.fault import Fault
from torchlsp.facts.fault_kinds import END_PROGRAM
from torchlsp.facts.tensor import TensorFact
from torchlsp.interp.store.budget import BudgetExceeded
from torchlsp.interp.store.frame import FirstRun
from torchlsp.interp.store.state import Delta

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def note(it: Evaluator, key: tuple, fault: Fault) -> None:
    """A fault that is reported, for all runs around it in which nothing may have kept control away from its place."""
    if fault.kind not in END_PROGRAM:
        return
    for run in it.first_runs:
        if run.undecided == it.frame.undecided and run.silent == it.silent:
            run.faults.setdefault(key, fault)


@contextmanager
def first(it: Evaluator) -> Iterator[FirstRun]:
    frame, outside = it.frame, len(it.first_runs)
    run = FirstRun(frame.undecided, it.silent)
    it.first_runs.append(run)
    try:
        yield run
    finally:
        del it.first_runs[outside:]
        frame.undecided = run.undecided


def second(it: Evaluator, after: Delta, run_body) -> dict[tuple, Fault]:
    """What breaks in a second iteration on what the first one has left, `after`; nothing else that it does is kept."""
    if it.silent or not any(isinstance(value, TensorFact) for _, _, value in after.values()):
        return {}
    state, frame = it.state, it.frame
    mark, conditional = state.mark(), frame.conditional
    spent = it.steps, it.limit, it.allowance, it.pool, it.analysis.unfollowed
    frames, traces, buffers = list(it.frames), len(it.recorder.stack), len(it.buffers)
    loops, managers = len(frame.loops), len(frame.managers)
    it.silent += 1
    try:
        with first(it) as run:
            state.apply(after)
            run_body()
    except BudgetExceeded:
        it.frames, it.frame = frames, frame
        del it.recorder.stack[traces:], frame.loops[loops:], frame.managers[managers:]
    finally:
        del it.buffers[buffers:]
        it.silent -= 1
        it.steps, it.limit, it.allowance, it.pool, it.analysis.unfollowed = spent
        frame.conditional = conditional
        state.take(mark)
    return run.faults
