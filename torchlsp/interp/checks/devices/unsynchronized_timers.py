"""Detects clocks that time GPU work without synchronizing.

The work is only queued, so they time the queueing. Nothing is recorded before a clock is read. For each reading the store
holds whether work was queued since: `Tri.NO`, the work's origin, or something else where paths differ; a call that may wait
for the GPU resets it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Scalar, SliceValue, TupleValue, Unknown, Value
from torchlsp.interp.checks.hooks import ANY, Hooks, for_names
from torchlsp.interp.store.heap_keys import QUEUED, SINCE
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.reading import is_read
from torchlsp.program.walking import walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

CLOCKS = frozenset(
    f"time.{name}"
    for name in ("time", "perf_counter", "monotonic", "time_ns", "perf_counter_ns", "monotonic_ns")
)
_PACKAGES = frozenset({"torch", "time", "builtins"})
"""Packages whose functions are known to wait or not; those of others may read any tensor that they are given."""
_WAITS = frozenset(
    """synchronize empty_cache ipc_collect barrier monitored_barrier all_gather_object broadcast_object_list save load
    tensor as_tensor asarray from_dlpack allclose equal is_nonzero bincount masked_select nonzero argwhere unique
    unique_consecutive repeat_interleave item tolist numpy cpu to cuda copy_ __bool__
    inverse pinverse cholesky cholesky_inverse cholesky_solve qr svd eig lu lu_solve logdet slogdet det lstsq
    new_tensor index_put index_put_ masked_scatter masked_scatter_""".split()
)
"""Last names of functions and methods that read values of a tensor on the host, or copy between host and GPU."""
_PYTHON = frozenset(
    "print float int bool complex str repr format list min max any all sorted range round hash hex".split()
)
"""Builtins that ask a tensor for its value or its text."""
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
    depth: int = 0
    """The number of loops around it in its function."""

    @property
    def ref(self) -> str:
        """The key of the reading in the store."""
        return f"clock@{self.site}:{self.start}"


def record_clock_read(it: Evaluator, node: ir.Node) -> Value:
    """Returns a clock's reading, and records with it what was queued since each earlier one."""
    reading = Reading(None, node.start, node.end, it.frame.module.path, it.frame.site, len(it.frame.loops))
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
    last = name.rpartition(".")[2]
    if (
        _waits(name, arguments)
        or last in ("__getitem__", "__setitem__")
        and any(map(_may_be_mask, arguments.positional[1:]))
    ):
        record_wait(it)
        return
    given = [value for value in arguments.positional if type(value) is TensorFact]
    on_gpu = next(
        (value for value in given if value.device is not None and value.device.kind == "cuda"), None
    )
    if on_gpu is None or (layer is None and last not in _WORK):
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
    # The time since a loop began, read in each iteration, lacks one iteration's queue at most.
    is_total = later.site == earlier.site and later.depth > earlier.depth
    wanted = not is_total and _is_difference_read(it, node)
    data = (("work", queued), ("earlier", earlier), ("device", str(device)), ("wanted", wanted))
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


def _is_difference_read(it: Evaluator, node: ir.Binary) -> bool:
    """Returns whether the running function does anything with a difference but bind it to a name that nothing reads."""
    function = it.frame.function
    if function is None:
        return True  # what a file binds, others may read
    for one in walk(function.body):
        match one:
            case ir.Assign(targets=targets, value=value) if value is node:
                named = [target.id for target in targets if type(target) is ir.Name]
                return len(named) < len(targets) or any(_is_read(function, name) for name in named)
            case ir.Augmented(target=ir.Name(id=name), value=value) if value is node:
                return _is_read(function, name)
    return True


def _is_read(function: ir.Function, name: str) -> bool:
    """Returns whether a function reads a name, itself or in functions defined inside, or shares it with others."""
    for one in walk(function.body):
        if type(one) is ir.Global and name in one.names:
            return True
    return is_read(function.body, name)


def _clock_called(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    return record_clock_read(it, node)


def record_read(it: Evaluator, *values: Value) -> None:
    """Records that the host needs these values; it waits for a tensor that may be on a GPU."""
    if it.states[Timers].clocks and any(map(_may_be_on_gpu, values)):
        record_wait(it)


def _may_be_on_gpu(value: Value) -> bool:
    return type(value) is TensorFact and (value.device is None or value.device.is_host is not Tri.YES)


def _waits(name: str, arguments: Arguments) -> bool:
    """Returns whether a function of torch, or a method of a tensor, waits for the GPU or may do so."""
    last = name.rpartition(".")[2]
    if last == "where":
        return len(arguments.positional) == 1  # the indices, whose number is in the values
    return last in _WAITS or name.startswith("torch.linalg.")


def _may_be_mask(index: Value) -> bool:
    """Returns whether an index, or what is put at one, may be a mask, or may have to be copied to the GPU."""
    if type(index) is TupleValue:
        return any(map(_may_be_mask, index.items))
    if type(index) is TensorFact:
        return index.dtype in (None, "bool", "u8") or index.device is None or index.device.kind == "cpu"
    return type(index) not in (Scalar, SliceValue)


def _external_called(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    if not it.states[Timers].clocks:
        return
    package, last = name.partition(".")[0], name.rpartition(".")[2]
    if package == "builtins":
        waits = last in _PYTHON
    elif package == "torch":
        waits = _waits(name, arguments)
    else:
        given = (*arguments.positional, *(value for _, value in arguments.keywords))
        waits = package not in _PACKAGES and not all(type(value) is Scalar for value in given)
    if waits:
        record_wait(it)


def _compared(it: Evaluator, node: ir.Compare, left: Value, right: Value) -> None:
    if node.ops[0] in ("in", "not in"):
        record_read(it, right)


def _unknown_called(it: Evaluator, arguments: Arguments, node: ir.Node) -> None:
    if it.states[Timers].clocks:
        record_wait(it)


def _applied(it: Evaluator, node: ir.Node, name: str, arguments: Arguments, layer: object) -> None:
    if it.states[Timers].clocks:
        record_work(it, node, name, arguments, layer)


HOOKS = Hooks(
    external_call={ANY: _external_called},
    external_result=for_names(CLOCKS, _clock_called),
    applied={ANY: _applied},
    compared=_compared,
    unknown_call=_unknown_called,
)
