"""Detects backward passes after the statement `torch.set_grad_enabled(False)`.

The statement switches gradients off for the rest of the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.interp.model.reporting import fault
from torchlsp.interp.store.state import path_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.reading import unpacked_from

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_MAX_NODES = 2_000


SWITCHED_OFF = path_state("switched_off", None)
"""Where gradients were switched off for the rest of the program."""


def evaluate_set_grad_enabled(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `torch.set_grad_enabled(mode)`, which sets the mode at once where it is a whole statement."""
    given = (
        arguments.positional[0] if arguments.positional else dict(arguments.keywords).get("mode", v.Unknown())
    )
    known = v.known(given, bool)
    mode = Tri.UNKNOWN if known is None else Tri.of(known)
    if it.frame.statement[0] == node.start:  # a plain call stays in force
        modes, path = it.state.modes, it.frame.module.path
        it.state.set(modes, "grad", mode)
        it.state.set(modes, "grad_assumed", False)
        off = Origin(node.start, node.end, "torch.set_grad_enabled", (), path, at=it.graph.clock)
        it.state.set(modes, SWITCHED_OFF, off if mode is Tri.NO else None)
    return v.ContextValue("torch.set_grad_enabled", (("grad", mode),))


def blame_switch(it: Evaluator, faults: list[Fault]) -> list[Fault]:
    """Returns the faults with the switch as the cause of those whose loss would otherwise be in a graph."""
    off = it.state.modes[SWITCHED_OFF]
    return [
        replace(fault, kind=FaultKind.GRAD_SWITCHED_OFF, data=(*fault.data, ("switch", off)))
        if fault.kind is FaultKind.BACKWARD_NO_GRAD and _would_be_in_a_graph(fault["input"], off)
        else fault
        for fault in faults
    ]


def _would_be_in_a_graph(tensor: TensorFact, off: Origin) -> bool:
    """Returns whether a part of a tensor was computed since `off` from something that requires grad."""
    seen: set[int] = set()
    to_visit = [tensor]
    while to_visit and len(seen) < _MAX_NODES:
        fact = to_visit.pop()
        origin = fact.origin
        if id(fact) in seen or origin is None or origin.merged or abs(origin.at) <= off.at:
            continue
        seen.add(id(fact))
        trained = origin.layer is not None and origin.layer[1] is Tri.YES
        if trained or any(parent.grad.requires is Tri.YES for parent in origin.parents):
            return True
        to_visit.extend(origin.parents)
    return False


def report_backward(it: Evaluator, node: ir.Node) -> None:
    """Reports `loss.backward()` of an unknown loss that was computed with gradients switched off."""
    modes = it.state.modes
    off = modes[SWITCHED_OFF]
    if off is None or modes["grad"] is not Tri.NO or it.frame.module.path != it.main.path:
        return
    match node:
        case ir.Call(function=ir.Attribute(object=ir.Name(id=name)), args=()):
            function = it.frame.function
            body = it.frame.module.ir.body if function is None else function.body
            made = list(unpacked_from(body, name))
            here = off.path == it.frame.module.path and any(
                one.start <= off.start < one.end for one in (function,) if one is not None
            )
            if not made or not all(type(one) is ir.Call for one in made):
                return
            if any(here and one.start < off.start or _is_in_a_with(body, one, node) for one in made):
                return
        case ir.Call(function=ir.Attribute(object=ir.Call()), args=()):
            pass
        case _:
            return
    fault(it, FaultKind.GRAD_SWITCHED_OFF, node, "Tensor.backward", input=None, switch=off)


def _is_in_a_with(body: tuple[ir.Node, ...], made: ir.Node, node: ir.Node) -> bool:
    """Returns whether the loss was computed under a `with` that has ended by now.

    The `with` may have switched gradients on.
    """
    to_visit = list(body)
    while to_visit:
        one = to_visit.pop()
        if not one.start <= made.start < one.end:
            continue
        if type(one) is ir.With and not one.start <= node.start < one.end:
            return True
        for part in ("body", "orelse", "final"):
            to_visit.extend(getattr(one, part, ()) or ())
        for part in ("handlers", "cases"):
            for inner in getattr(one, part, ()) or ():
                to_visit.extend(inner.body)
    return False


HOOKS = Hooks(
    external_result=for_names(
        ("torch.set_grad_enabled", "torch.autograd.set_grad_enabled"), evaluate_set_grad_enabled
    )
)
