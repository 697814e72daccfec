"""Reports backward passes of a wrapped module whose wrapper was not called: DistributedDataParallel averages no gradients.

The forward of the wrapper prepares the averaging; a backward without such a forward leaves every rank with its own
gradients.  The forward of a loss is identified by the moments at which its operators ran: inside a call of the wrapper, or
inside a call of the module itself or of one of its methods.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import ddp_modules
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.interp.store.state import path_state
from torchlsp.program import ir
from torchlsp.program.walking import module_nodes, word

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.signature import Arguments

_DDP = "torch.nn.parallel.DistributedDataParallel"
_MAX_CALLS = 2_000
_MAX_ANCESTORS = 2_000
_SUMS = re.compile(r"^(all_?)?reduce(_\w+)?_?$|coalesced")
_GRADIENTS = re.compile(r"grad|param|flat|bucket|buffer|weight|^(p|g|w)$")
_SYNCS = re.compile(
    r"(average|sync|reduce|gather|aggregate|share)\w*(grad|param|weight|model)|comm_?hook|^no_sync$|^all_?reduce$"
)
_TORCH_FUNCTIONS = frozenset({"all_reduce", "reduce"})


ARMED = path_state("armed", False)
"""Whether a wrapper was called since the last backward pass."""


@running_state
class WrapperCalls:
    """The (first moment, last moment) of calls of wrappers, and of direct calls of wrapped modules with their places."""

    through: list[tuple[int, int]] = per_root(list)
    direct: list[tuple[int, int, Origin]] = per_root(list)


def call_wrapper(it: Evaluator, wrapped: v.Wrapped, run: Callable[[], Value]) -> Value:
    """Evaluates a call of a wrapper by `run`, and records when it ran."""
    if wrapped.qualname != _DDP:
        return run()
    begin = it.graph.clock
    result = run()
    it.states[WrapperCalls].through.append((begin, it.graph.clock))
    if it.state.modes["grad"] is not Tri.NO:
        it.state.set(it.state.modes, ARMED, True)
    return result


def record_direct_call(it: Evaluator, value: Value, begin: int, node: ir.Node) -> None:
    """Records a call of a module, or of a method of one, that began at the moment `begin`."""
    ref = getattr(value, "ref", None)
    calls = it.states[WrapperCalls]
    if ref in ddp_modules.replicated_refs(it) and it.graph.clock > begin and len(calls.direct) < _MAX_CALLS:
        calls.direct.append(
            (begin, it.graph.clock, Origin(node.start, node.end, "direct", (), it.frame.module.path))
        )


def report_bypassed_wrapper(it: Evaluator, loss: Value) -> None:
    """Reports a backward pass whose loss certainly comes from the module but from no call of the wrapper."""
    armed = it.state.modes[ARMED]
    it.state.set(it.state.modes, ARMED, False)
    if armed or not isinstance(loss, TensorFact) or not it.states[WrapperCalls].direct or it.silent:
        return
    place = _past_wrapper(it, loss)
    if place is None or _synchronises(it.main.ir):
        return
    data = (("call", place),)
    it.report([Fault(FaultKind.BYPASSED, place.start, place.end, "forward", data, path=place.path)])


def _past_wrapper(it: Evaluator, loss: TensorFact) -> Origin | None:
    """Returns the direct call of a wrapped module from which a loss certainly comes."""
    calls, known = it.states[WrapperCalls], ddp_modules.replicated_refs(it)
    if len(calls.direct) >= _MAX_CALLS:
        return None
    found: Origin | None = None
    waiting = [loss]
    seen: set[int] = set()
    while waiting:
        fact = waiting.pop()
        origin = fact.origin
        if fact.grad.requires is Tri.YES and fact.grad.leaf is Tri.YES and fact.provenance != "parameter":
            return None  # the purpose may be the gradient of an input
        if origin is None or id(origin) in seen:
            continue
        seen.add(id(origin))
        if len(seen) > _MAX_ANCESTORS:
            return None
        waiting.extend(origin.parents)
        if origin.layer is None or origin.layer[0] not in known or origin.layer[1] is Tri.NO:
            continue
        moment = abs(origin.at)
        if not moment or any(begin < moment <= end for begin, end in calls.through):
            return None
        around = [one for one in calls.direct if one[0] < moment <= one[1]]
        if not around:
            return None
        found = min(reversed(around), key=lambda one: (one[0], -one[1]))[2]  # the outermost came last
    return found


def _synchronises(module: ir.Module) -> bool:
    """Returns whether the file may average gradients by itself, or skip the averaging on purpose."""
    known: bool | None = module.memo.get("averages gradients")
    if known is None:
        known = module.memo["averages gradients"] = any(map(_is_synchronising, module_nodes(module)))
    return known


def _is_synchronising(node: ir.Node) -> bool:
    if isinstance(node, ir.Attribute) and node.name == "no_sync":
        return True
    if not isinstance(node, ir.Call):
        return False
    called = word(node.function)
    if _SUMS.search(called) and any(
        _names_gradients(arg) for arg in (*node.args, *(value for _, value in node.keywords))
    ):
        return True
    return called not in _TORCH_FUNCTIONS and bool(_SYNCS.search(called.lower()))


def _names_gradients(node: ir.Node) -> bool:
    stack = [node]
    while stack:
        one = stack.pop()
        if _GRADIENTS.search(word(one)):
            return True
        stack.extend(
            part
            for part in (getattr(one, "object", None), getattr(one, "function", None))
            if part is not None
        )
        stack.extend(getattr(one, "args", ()))
    return False


def _backward(it: Evaluator, loss: Value, arguments: Arguments, node: ir.Node) -> None:
    if it.analysis.replicated:
        report_bypassed_wrapper(it, loss)


HOOKS = Hooks(backward=_backward)
