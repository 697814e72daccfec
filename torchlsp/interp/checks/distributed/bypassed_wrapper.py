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
_REDUCTIONS = re.compile(r"^(all_?)?reduce(_\w+)?_?$|coalesced")
_GRADIENT_NAMES = re.compile(r"grad|param|flat|bucket|buffer|weight|^(p|g|w)$")
_SYNCHRONISING_CALLS = re.compile(
    r"(average|sync|reduce|gather|aggregate|share)\w*(grad|param|weight|model)|comm_?hook|^no_sync$|^all_?reduce$"
)
_TORCH_COLLECTIVES = frozenset({"all_reduce", "reduce"})


ARMED = path_state("armed", False)
"""Whether a wrapper was called since the last backward pass."""


@running_state
class WrapperCalls:
    """When wrappers were called, and when wrapped modules were called directly.

    Each call has its first and last moment on the clock of the autograd graph.
    """

    through: list[tuple[int, int]] = per_root(list)
    direct: list[tuple[int, int, Origin]] = per_root(list)


def call_wrapper(it: Evaluator, wrapped: v.Wrapped, run: Callable[[], Value]) -> Value:
    """Calls a wrapper by `run`, and records when it ran."""
    if wrapped.qualname != _DDP:
        return run()
    begin = it.graph.clock
    result = run()
    it.states[WrapperCalls].through.append((begin, it.graph.clock))
    if it.state.modes["grad"] is not Tri.NO:
        it.state.set(it.state.modes, ARMED, True)
    return result


def record_direct_call(it: Evaluator, value: Value, begin: int, node: ir.Node) -> None:
    """Records a direct call of a wrapped module or of its method that began at the moment `begin`."""
    ref = getattr(value, "ref", None)
    calls = it.states[WrapperCalls]
    if ref in ddp_modules.replicated_refs(it) and it.graph.clock > begin and len(calls.direct) < _MAX_CALLS:
        calls.direct.append(
            (begin, it.graph.clock, Origin(node.start, node.end, "direct", (), it.frame.module.path))
        )


def report_bypassed_wrapper(it: Evaluator, loss: Value) -> None:
    """Reports a backward pass whose loss certainly comes from a direct call of a wrapped module.

    The next backward pass needs another call of the wrapper.
    """
    armed = it.state.modes[ARMED]
    it.state.set(it.state.modes, ARMED, False)
    if armed or not isinstance(loss, TensorFact) or not it.states[WrapperCalls].direct or it.silent:
        return
    call = _direct_call(it, loss)
    if call is None or _synchronises(it.main.ir):
        return
    data = (("call", call),)
    it.report([Fault(FaultKind.BYPASSED, call.start, call.end, "forward", data, path=call.path)])


def _direct_call(it: Evaluator, loss: TensorFact) -> Origin | None:
    """Returns the direct call of a wrapped module from which a loss certainly comes."""
    calls, replicated = it.states[WrapperCalls], ddp_modules.replicated_refs(it)
    if len(calls.direct) >= _MAX_CALLS:
        return None
    outermost: Origin | None = None
    to_visit = [loss]
    seen: set[int] = set()
    while to_visit:
        fact = to_visit.pop()
        origin = fact.origin
        if fact.grad.requires is Tri.YES and fact.grad.leaf is Tri.YES and fact.provenance != "parameter":
            return None  # the purpose may be the gradient of an input
        if origin is None or id(origin) in seen:
            continue
        seen.add(id(origin))
        if len(seen) > _MAX_ANCESTORS:
            return None
        to_visit.extend(origin.parents)
        if origin.layer is None or origin.layer[0] not in replicated or origin.layer[1] is Tri.NO:
            continue
        moment = abs(origin.at)
        if not moment or any(begin < moment <= end for begin, end in calls.through):
            return None
        enclosing = [(begin, -end, call) for begin, end, call in calls.direct if begin < moment <= end]
        if not enclosing:
            return None
        # of calls with the same moments the outermost was recorded last
        outermost = min(reversed(enclosing), key=lambda entry: entry[:2])[2]
    return outermost


def _synchronises(module: ir.Module) -> bool:
    """Returns whether the file may average gradients by itself, or skip the averaging on purpose."""
    answer: bool | None = module.memo.get("averages gradients")
    if answer is None:
        answer = any(map(_is_synchronising, module_nodes(module))) or any(
            _REDUCTIONS.search(one) or _SYNCHRONISING_CALLS.search(one.lower()) for one in module.unread_words
        )
        module.memo["averages gradients"] = answer
    return answer


def _is_synchronising(node: ir.Node) -> bool:
    if isinstance(node, ir.Attribute) and node.name == "no_sync":
        return True
    if not isinstance(node, ir.Call):
        return False
    called = word(node.function)
    if _REDUCTIONS.search(called) and any(
        _names_gradients(arg) for arg in (*node.args, *(value for _, value in node.keywords))
    ):
        return True
    return called not in _TORCH_COLLECTIVES and bool(_SYNCHRONISING_CALLS.search(called.lower()))


def _names_gradients(node: ir.Node) -> bool:
    to_visit = [node]
    while to_visit:
        part = to_visit.pop()
        if _GRADIENT_NAMES.search(word(part)):
            return True
        to_visit.extend(
            inner
            for inner in (getattr(part, "object", None), getattr(part, "function", None))
            if inner is not None
        )
        to_visit.extend(getattr(part, "args", ()))
    return False


def _backward(it: Evaluator, loss: Value, arguments: Arguments, node: ir.Node) -> None:
    if it.analysis.replicated:
        report_bypassed_wrapper(it, loss)


HOOKS = Hooks(backward=_backward)
