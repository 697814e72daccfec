"""Detects clocks that time GPU work without synchronizing.

The work is only queued, so they time the queueing. Nothing is recorded before a clock is read. For each reading the store
holds whether work was queued since: `Tri.NO`, the work's origin, or something else where paths differ; a call that may wait
for the GPU resets it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Unknown, Value
from torchlsp.interp.checks.hooks import ANY, Hooks, for_names
from torchlsp.interp.store.heap_keys import QUEUED, SINCE
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

CLOCKS = frozenset(
    f"time.{name}"
    for name in ("time", "perf_counter", "monotonic", "time_ns", "perf_counter_ns", "monotonic_ns")
)
WAITS = frozenset(
    """torch.cuda.synchronize torch.accelerator.synchronize torch.xpu.synchronize torch.mps.synchronize builtins.print builtins.float
    builtins.int builtins.bool builtins.str builtins.list torch.save""".split()
)
_READS = frozenset(
    "Tensor.item Tensor.tolist Tensor.numpy Tensor.cpu Tensor.to Tensor.__bool__ Tensor.nonzero torch.nonzero".split()
)
_WORK = frozenset(
    """matmul mm bmm mv dot addmm baddbmm einsum linear conv1d conv2d conv3d softmax log_softmax scaled_dot_product_attention sort topk cumsum
    sum mean exp log sin cos tanh sigmoid relu gelu add sub mul div pow sqrt cross_entropy mse_loss""".split()
)


@running_state
class Timers:
    """Readings of the clock after which work on a GPU may be under way."""

    clocks: dict[str, None] = per_root(dict)


@dataclass(frozen=True, slots=True)
class Reading(Unknown):
    """The value of a clock that was read at a place, in one activation."""

    start: int = 0
    end: int = 0
    path: str | None = None
    site: str = ""

    @property
    def ref(self) -> str:
        """The key of the reading in the store."""
        return f"clock@{self.site}:{self.start}"


def record_clock_read(it: Evaluator, node: ir.Node) -> Value:
    """Returns a clock's reading, and records with it what was queued since each earlier one."""
    reading = Reading(None, node.start, node.end, it.frame.module.path, it.frame.site)
    heap = it.state.heap
    for earlier in it.states[Timers].clocks:
        known = heap.get((earlier, QUEUED))
        if known is not None:
            it.state.set(heap, (reading.ref, f"{SINCE} {earlier}"), known)
    it.states[Timers].clocks[reading.ref] = None
    it.state.set(heap, (reading.ref, QUEUED), Tri.NO)
    return reading


def record_work(it: Evaluator, node: ir.Node, name: str, arguments: Arguments, layer: object = None) -> None:
    """Records that an operator or a layer has queued work, or has waited for the GPU."""
    if name in _READS:
        record_wait(it)
        return
    given = [value for value in arguments.positional if type(value) is TensorFact]
    on_gpu = next(
        (value for value in given if value.device is not None and value.device.kind == "cuda"), None
    )
    if on_gpu is None or (layer is None and name.rpartition(".")[2] not in _WORK):
        return
    place = Origin(node.start, node.end, name, (on_gpu.but(origin=None),), it.frame.module.path)
    for clock in it.states[Timers].clocks:
        if type(it.state.heap.get((clock, QUEUED))) is not Origin:
            it.state.set(it.state.heap, (clock, QUEUED), place)


def record_wait(it: Evaluator) -> None:
    """Records that a call may have waited for all queued work."""
    for clock in it.states[Timers].clocks:
        if (clock, QUEUED) in it.state.heap:
            it.state.set(it.state.heap, (clock, QUEUED), Tri.NO)


def report_difference(it: Evaluator, node: ir.Binary, later: Reading, earlier: Value) -> None:
    """Reports the difference of two readings between which work was queued and nothing has waited for it."""
    if type(earlier) is not Reading or node.op != "-":
        return
    queued = it.state.heap.get((later.ref, f"{SINCE} {earlier.ref}"))
    if type(queued) is not Origin:
        return
    device = queued.parents[0].device
    data = (("work", queued), ("earlier", earlier), ("device", str(device)))
    rests_on = frozenset({"cuda"} if device is not None and device.relative else ())
    it.report(
        [
            Fault(
                FaultKind.CLOCK_WITHOUT_WAIT,
                later.start,
                later.end,
                "time.perf_counter",
                data,
                rests_on,
                path=later.path,
            )
        ]
    )


def _clock_called(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    return record_clock_read(it, node)


def _wait_called(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    if it.states[Timers].clocks:
        record_wait(it)


def _unknown_called(it: Evaluator, arguments: Arguments, node: ir.Node) -> None:
    if it.states[Timers].clocks:
        record_wait(it)


def _applied(it: Evaluator, node: ir.Node, name: str, arguments: Arguments, layer: object) -> None:
    if it.states[Timers].clocks:
        record_work(it, node, name, arguments, layer)


HOOKS = Hooks(
    external_call=for_names(WAITS, _wait_called),
    external_result=for_names(CLOCKS, _clock_called),
    applied={ANY: _applied},
    unknown_call=_unknown_called,
)
