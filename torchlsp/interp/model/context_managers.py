"""Evaluates context managers that change the modes of torch: no_grad, autocast, device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import classes
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

MANAGERS: dict[str, dict[str, Tri]] = {
    "torch.no_grad": {"grad": Tri.NO}, "torch.inference_mode": {"grad": Tri.NO, "inference": Tri.YES},
    "torch.enable_grad": {"grad": Tri.YES}, "torch.autograd.no_grad": {"grad": Tri.NO},
    "torch.autograd.grad_mode.no_grad": {"grad": Tri.NO},
    "torch.autocast": {"autocast": Tri.UNKNOWN}, "torch.amp.autocast": {"autocast": Tri.UNKNOWN},
    "torch.cuda.amp.autocast": {"autocast": Tri.UNKNOWN}, "torch.cpu.amp.autocast": {"autocast": Tri.UNKNOWN},
}  # fmt: skip


def enter(it: Evaluator, manager: Value, node: ir.Node) -> tuple[Value, dict[str, object]]:
    """Returns the value that `as` binds, and the modes inside.  An unknown manager may change all of them."""
    match manager:
        case v.ContextValue(modes=modes):
            changed = dict(modes)
            it.graph.inference |= "inference" in changed
            if "grad" in changed:
                changed["grad_assumed"] = False
            return UNKNOWN_VALUE, changed
        case v.Unknown() | v.Parameter() if type(node) is not ir.Constant:
            return UNKNOWN_VALUE, {
                "grad": Tri.UNKNOWN,
                "autocast": Tri.UNKNOWN,
                "inference": Tri.UNKNOWN,
            }
        case v.DeviceValue(device=device):
            return manager, {"device": device}
        case v.InstanceValue() | v.Repeated():
            return manager, {"grad": Tri.UNKNOWN, "autocast": Tri.UNKNOWN}
        case v.Engine(qualname=qualname) if qualname.startswith("concurrent.futures."):
            return manager, {}
    return UNKNOWN_VALUE, {}


def may_suppress(manager: v.InstanceValue) -> bool:
    """Returns whether `with manager:` may suppress an exception, by what its `__exit__` returns."""
    found = classes.find_method(manager.cls, "__exit__")
    stack = list(found[1].body) if found is not None else []
    while stack:
        node = stack.pop()
        if type(node) is ir.Return and node.value is not None:
            if type(node.value) is not ir.Constant or node.value.value:
                return True
        for part in ("body", "orelse", "final", "handlers", "cases"):
            stack.extend(getattr(node, part, ()) or ())
    return False


GRAD_DECORATORS = {name: modes for name, modes in MANAGERS.items() if "grad" in modes}


def leave(it: Evaluator, outside: int) -> None:
    """Leaves all but the first `outside` managers of the running frame, and restores the modes."""
    managers, state = it.frame.managers, it.state
    while len(managers) > outside:
        mode, value = managers.pop()
        if state.modes[mode] is not value:
            state.set(state.modes, mode, value)
