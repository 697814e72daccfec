"""Reports processes that a script starts at its top level without a main guard: each child runs the script again.

Forked processes do not; Windows and macOS do not fork, nor does Python 3.14 by default.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.interp.store.heap_keys import GIVEN
from torchlsp.interp.store.lifetimes import first_wins, gathered, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator


PROCESS = "multiprocessing.Process"


@running_state
class UnguardedStarts:
    """Starts of processes outside of a main guard, by the place of the start."""

    starts: dict[tuple[str | None, int, int], Origin] = gathered(dict, first_wins)


def record_worker_start(it: Evaluator, value: Value, node: ir.Node) -> None:
    """Records that iterating a loader starts its workers."""
    given = it.state.heap.get((value.ref, GIVEN), {}) if type(value) is v.LoaderValue else {}
    if (v.as_int(given.get("num_workers", v.integer(0))) or 0) < 1:
        return
    if given.get("multiprocessing_context", v.NONE) == v.NONE:
        record_process_start(it, node, "workers")


def _evaluate_context(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `get_context("spawn")`: its classes are those of the module; a context that forks needs no guard."""
    method = v.known(arguments.positional[0], str) if arguments.positional else None
    return v.External("multiprocessing") if method in ("spawn", "forkserver") else UNKNOWN_VALUE


def _evaluate_process(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `Process(target=f)`."""
    it.unknown_call(arguments, node)
    return v.Engine("process", PROCESS)  # one for all, so that a loop over several has a known one


def record_spawn(it: Evaluator, node: ir.Node) -> None:
    """Records a call of `torch.multiprocessing.spawn`."""
    record_process_start(it, node, "spawn")


def _evaluate_method(
    it: Evaluator, process: v.Engine, name: str, arguments: Arguments, node: ir.Node
) -> Value:
    """Evaluates a method of a process."""
    if name == "start":
        record_process_start(it, node, "start")
    return UNKNOWN_VALUE


def record_process_start(it: Evaluator, node: ir.Node, what: str) -> None:
    """Records a start of processes that the module's body reaches on every path, with no test around it."""
    root = it.frames[0]
    if it.silent or root.function is not None or root.module is not it.main:
        return
    if any(frame.conditional for frame in it.frames) or root.module.path.endswith(".ipynb"):
        return
    place = Origin(node.start, node.end, what, (), it.frame.module.path)
    called_from = it.frames[1].call if len(it.frames) > 1 else None
    path, start, end = called_from[:3] if called_from is not None else (place.path, place.start, place.end)
    it.states[UnguardedStarts].starts.setdefault((path, start, end), place)


def find_unguarded_starts(analysis: Analysis) -> Iterator[Fault]:
    """Yields the starts of processes outside of a main guard."""
    for (path, start, end), place in analysis.states[UnguardedStarts].starts.items():
        data = (("what", place.op), ("place", place))
        yield Fault(FaultKind.NO_MAIN_GUARD, start, end, "multiprocessing.Process.start", data, path=path)


_PACKAGES = ("multiprocessing", "torch.multiprocessing")
HOOKS = Hooks(
    external_result=for_names([f"{package}.get_context" for package in _PACKAGES], _evaluate_context)
    | for_names([f"{package}.Process" for package in _PACKAGES], _evaluate_process),
    object_method={PROCESS: _evaluate_method},
)
