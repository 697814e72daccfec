"""Detects functions that modify a tensor argument in place and return it.

Reported at a visible call whose result is used while the caller still has a name for the tensor that it passed. A function whose
name ends in an underscore, or that has a parameter called `inplace`, is taken to do so on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model.liveness import is_used_later
from torchlsp.interp.model.reporting import fault
from torchlsp.interp.store.frame import Frame
from torchlsp.program import ir
from torchlsp.program.reading import writes_in_place

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def record_write(it: Evaluator, target: TensorFact, storage: str, node: ir.Node) -> None:
    """Records an in-place write of the running function to memory of its caller; `storage` is the tensor's only block."""
    frame = it.frame
    function = frame.function
    if function is None or frame.is_root or it.silent or function.is_lambda or _says_so(function):
        return
    if storage in frame.changed:
        return
    name = _parameter(it, function, target)
    if name is not None:
        frame.changed[storage] = (name, node)


def report_returned_arguments(it: Evaluator, value: Value) -> None:
    """Reports tensors that the running function returns after it has modified them in its caller's memory."""
    for one in value.items if type(value) is v.TupleValue else (value,):
        if type(one) is not TensorFact:
            continue
        ids = one.storage.ids
        if ids is None or len(ids) != 1:
            continue
        changed = it.frame.changed.get(next(iter(ids)))
        if changed is not None:
            _report(it, one, *changed)


def _report(it: Evaluator, value: TensorFact, name: str, node: ir.Node) -> None:
    kept = _kept(it.frames[-2], value)
    if kept is not None:
        fault(it, FaultKind.CALLERS_TENSOR, node, "return", input=value, name=name, kept=kept)


def _says_so(function: ir.Function) -> bool:
    """Returns whether the function's name or a parameter says that it works in place."""
    name = function.name
    if writes_in_place(name) or "inplace" in name or "in_place" in name:
        return True
    return any(param.name in ("inplace", "in_place", "out") for param in function.params)


def _parameter(it: Evaluator, function: ir.Function, target: TensorFact) -> str | None:
    """Returns the parameter whose argument is in this memory, if the caller has a name for it."""
    for param in function.params:
        value = it.frame.scope.variables.get(param.name)
        if type(value) is TensorFact and value.storage.may_share(target.storage) is Tri.YES:
            return param.name if any(True for _ in _names(it.frames[-2], value)) else None
    return None


def _names(caller: Frame, value: TensorFact) -> Iterator[str]:
    """Yields the names under which the caller holds a tensor in this memory."""
    for name, held in caller.scope.variables.items():
        if type(held) is TensorFact and held.storage.may_share(value.storage) is Tri.YES:
            yield name


def _kept(caller: Frame, value: TensorFact) -> str | None:
    """Returns a name of the caller that holds the tensor and is read after the calling statement."""
    place = ir.Node(*caller.statement)
    bound = _bound_by(caller, place)
    if bound is None:
        return None
    for name in _names(caller, value):
        if name not in bound and is_used_later(caller, name, place):
            return name
    return None


def _bound_by(caller: Frame, place: ir.Node) -> set[str] | None:
    """Returns the names that the statement at a place assigns; None where it discards the call's result or returns it."""
    body = caller.module.ir.body if caller.function is None else caller.function.body
    to_visit: list[ir.Node] = list(body)
    while to_visit:
        node = to_visit.pop()
        if (node.start, node.end) == (place.start, place.end):
            if isinstance(node, ir.Expression | ir.Return):
                return None
            targets = getattr(node, "targets", ())
            items = [
                item
                for target in targets
                for item in (target.items if type(target) is ir.Display else (target,))
            ]
            return {item.id for item in items if type(item) is ir.Name}
        if node.start <= place.start and place.end <= node.end:
            for part in ("body", "orelse", "final"):
                to_visit.extend(getattr(node, part, ()) or ())
            for part in ("handlers", "cases"):
                for inner in getattr(node, part, ()) or ():
                    to_visit.extend(inner.body)
    return set()


def _returned(it: Evaluator, value: Value) -> None:
    if it.frame.changed:
        report_returned_arguments(it, value)


HOOKS = Hooks(returned=_returned)
