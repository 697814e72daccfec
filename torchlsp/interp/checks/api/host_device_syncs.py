"""Detects synchronization with the GPU in every iteration of a loop over data.

Causes are values that are read or printed, and explicit waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.interp.model.imported_names import imported, name_of
from torchlsp.interp.store.lifetimes import gathered, running_state, union
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.reading import counts
from torchlsp.program.walking import module_nodes

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator


READS = frozenset({"Tensor.item", "Tensor.tolist", "Tensor.numpy", "Tensor.cpu"})
_METHODS = frozenset(name.partition(".")[2] for name in READS)
_WAITS = frozenset({"torch.cuda.synchronize", "torch.cuda.empty_cache", "torch.accelerator.synchronize"})
_MAX_ORIGINS = 12


@running_state
class HostReads:
    """Where the host reads a tensor that a layer computed: (path, start, end)."""

    places: set[tuple[str, int, int]] = gathered(set, union)


def record_host_read(it: Evaluator, node: ir.Node, arguments: Arguments) -> None:
    """Records that the host reads a tensor, if a layer computed it."""
    fact: object = arguments.positional[0] if arguments.positional else None
    for _ in range(_MAX_ORIGINS):
        origin = fact.origin if type(fact) is TensorFact else None
        if origin is None:
            return
        if origin.layer is not None or origin.op.startswith("torch.nn."):
            it.states[HostReads].places.add((it.frame.module.path, node.start, node.end))
            return
        fact = origin.parents[0] if origin.parents else None


def find_host_syncs(analysis: Analysis) -> Iterator[Fault]:
    """Reports calls in loops over data that wait for the GPU."""
    names = imported(analysis.module)
    for node in module_nodes(analysis.module):
        if isinstance(node, ir.For) and not counts(node.iterable):
            yield from _in_loop(analysis, node, names)


def _in_loop(analysis: Analysis, loop: ir.For, names: dict[str, str]) -> Iterator[Fault]:
    calls = list(_always(loop.body))
    losses = {
        call.function.object.id
        for call in calls
        if type(call.function) is ir.Attribute
        and call.function.name == "backward"
        and type(call.function.object) is ir.Name
    }
    for call in calls:
        what = _wait(analysis, call, losses, names)
        if what is not None:
            data = (("what", what),)
            yield Fault(FaultKind.HOST_SYNC, call.start, call.end, "Tensor.item", data, path=analysis.path)


def _wait(analysis: Analysis, call: ir.Call, losses: set[str], names: dict[str, str]) -> str | None:
    """Returns the name of a call that makes the host wait, as the user writes it; None for any other call."""
    function = call.function
    if losses and name_of(function, names) in _WAITS:
        return function.name if type(function) is ir.Attribute else "the call"
    if type(function) is ir.Attribute and function.name in _METHODS:
        if (analysis.path, call.start, call.end) in analysis.states[HostReads].places or _root(
            function.object
        ) in losses:
            return function.name
    if type(function) is ir.Name and function.id in ("float", "print", "int") and len(call.args) >= 1:
        if any(_root(arg) in losses for arg in call.args):
            return function.id
    return None


def _root(node: ir.Node) -> str | None:
    """Returns the name that a chain of methods without arguments begins with."""
    while type(node) is ir.Call and type(node.function) is ir.Attribute and not node.args:
        node = node.function.object
    return node.id if type(node) is ir.Name else None


def _always(body: tuple[ir.Node, ...]) -> Iterator[ir.Call]:
    """Yields the calls that every iteration runs.

    Those under tests, in `try` and in inner loops are left out.
    """
    to_visit: list[object] = list(body)
    while to_visit:
        node = to_visit.pop()
        if isinstance(node, tuple):
            to_visit.extend(node)
        elif isinstance(node, _SKIPPED_NODES):
            continue
        elif isinstance(node, ir.Node):
            if type(node) is ir.Call:
                yield node
            to_visit.extend(
                getattr(node, name)
                for name in type(node).__dataclass_fields__
                if name not in ("start", "end")
            )


_SKIPPED_NODES = (
    ir.Branch, ir.Try, ir.While, ir.For, ir.Define, ir.DefineClass, ir.Lambda, ir.Conditional, ir.Logical, ir.Match, ir.Comprehension,
)  # fmt: skip


def _read(it: Evaluator, node: ir.Node, name: str, arguments: Arguments, layer: object) -> None:
    record_host_read(it, node, arguments)


HOOKS = Hooks(applied=for_names(READS, _read))
