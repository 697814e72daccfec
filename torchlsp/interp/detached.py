"""In-place writes through `detach()`: it shares memory, so the tensor that it was taken from changes, too.

Reported where both have names, and the name of the tensor in the graph is read later.
"""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.gradients import fault, is_in_graph
from torchlsp.program import ir
from torchlsp.program.reading import bound_to, is_read

_FURTHEST = 12
_SHARING = frozenset({"torch.detach", "Tensor.detach"})


def written(it, target: Value, node: ir.Node) -> None:
    """`part[0] = 1`, `part += 1` or `part.add_(1)` on a tensor or an array."""
    if it.silent:
        return
    taken = _taken_from(target)
    name = _root(node)
    if taken is None or name is None:
        return
    detached, base = taken
    held = _other_name(it, base, name)
    if held is None or detached.path != it.frame.module.path or not _is_used_later(it, held, node):
        return
    fault(it, FaultKind.DETACHED_WRITE, node, "detach", input=base, name=held, alias=name, detached=detached)


def _taken_from(value: Value) -> tuple[Origin, TensorFact] | None:
    """Where a tensor or array in this memory was detached, and the tensor in the graph that it was detached from."""
    for _ in range(_FURTHEST):
        origin = value.origin if isinstance(value, TensorFact | v.ArrayValue) else None
        if origin is None or not origin.parents or origin.merged:
            return None
        parent = origin.parents[0]
        if value.storage.may_share(parent.storage) is not Tri.YES:
            return None
        if origin.op in _SHARING:
            return (origin, parent) if is_in_graph(parent) else None
        value = parent
    return None


def _root(node: ir.Node) -> str | None:
    """The name that a write is made through."""
    match node:
        case ir.Call(function=ir.Attribute(object=inner)):
            return _root(inner)
        case ir.Augmented(target=inner) | ir.Subscript(object=inner):
            return _root(inner)
        case ir.Name(id=name):
            return name
    return None


def _other_name(it, base: TensorFact, alias: str) -> str | None:
    """Another name of the running function under which the tensor in the graph is held."""
    for name, value in it.frame.scope.variables.items():
        if name != alias and is_in_graph(value) and value.storage.may_share(base.storage) is Tri.YES:
            return name
    return None


def _is_used_later(it, name: str, node: ir.Node) -> bool:
    """Is the name read behind the write before it is bound anew?  A script's names may be asked for by anybody."""
    function = it.frame.function
    body = it.frame.module.ir.body if function is None else function.body
    for statement in _behind(body, node.end):
        if is_read((statement,), name):
            return True
        if any(True for _ in bound_to((statement,), name)):
            return False
    return function is None


def _behind(body: tuple[ir.Node, ...], place: int) -> Iterator[ir.Node]:
    """Statements that run after a place: those behind it, and all of a loop that holds it."""
    for statement in body:
        if statement.start >= place:
            yield statement
        elif statement.end >= place and not isinstance(statement, ir.Define | ir.DefineClass):
            for part in ("body", "orelse", "final"):
                yield from _behind(getattr(statement, part, ()) or (), place)
            for part in ("handlers", "cases"):
                for inner in getattr(statement, part, ()) or ():
                    yield from _behind(inner.body, place)
            if isinstance(statement, ir.For | ir.While):
                yield from statement.body
