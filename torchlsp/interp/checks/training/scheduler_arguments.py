"""Checks arguments of learning rate schedulers: a metric, an epoch, an optimizer to be resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.store.heap_keys import RESUMED, STEPPED
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_MODULE = "torch.optim.lr_scheduler."
_PLATEAU = f"{_MODULE}ReduceLROnPlateau"
_COMBINED = frozenset({f"{_MODULE}SequentialLR", f"{_MODULE}ChainedScheduler"})
"""Schedulers that step others: their `step` takes no epoch, and they have no rate of their own to compute."""
COMPUTES_CURRENT_RATE = frozenset(
    f"{_MODULE}{name}" for name in ("LambdaLR", "CosineAnnealingWarmRestarts", "CyclicLR", "OneCycleLR")
)
"""Schedulers whose `get_lr()` starts from the initial rate, so that it gives the current one whenever it is called."""
COMPUTES_FIRST_RATE = frozenset({f"{_MODULE}StepLR", f"{_MODULE}MultiStepLR"})
"""Schedulers whose `get_lr()` gives the current rate until the first `step()`, as no milestone is at epoch 0."""
_FRACTIONAL_EPOCHS = frozenset({f"{_MODULE}CosineAnnealingWarmRestarts"})
LAST_EPOCH = {
    "LambdaLR": 2, "MultiplicativeLR": 2, "ExponentialLR": 2, "StepLR": 3, "MultiStepLR": 3, "ConstantLR": 3,
    "CosineAnnealingLR": 3, "PolynomialLR": 3, "LinearLR": 4, "CosineAnnealingWarmRestarts": 4, "OneCycleLR": 13, "CyclicLR": 12,
}  # fmt: skip
"""Schedulers that look for `initial_lr` in the optimizer's groups when they are resumed, and the place of `last_epoch`."""
_HARMLESS = frozenset({"step", "zero_grad", "state_dict", "state", "defaults"})


def is_instance(scheduler: v.Engine, name: str) -> Tri:
    """Returns whether a scheduler of torch is an instance of a class of this name."""
    if not scheduler.qualname.startswith(_MODULE) or name == "torch.optim.lr_scheduler._LRScheduler":
        return Tri.UNKNOWN
    if name in (scheduler.qualname, f"{_MODULE}LRScheduler"):
        return Tri.YES
    return Tri.NO if name.startswith(_MODULE) else Tri.UNKNOWN


# ---- which optimizers are new to schedulers ---------------------------------------------------------------------------------


def record_new_optimizer(it: Evaluator, optimizer: v.OptimizerValue, params: Value) -> None:
    """Records whether the groups of a new optimizer may have an `initial_lr`, as no plain ones do."""
    plain = isinstance(params, (v.ParametersOf, TensorFact)) or all(
        isinstance(item, (v.ParametersOf, TensorFact)) or _is_plain_group(it, item)
        for item in it.elements(params) or (UNKNOWN_VALUE,)
    )
    it.state.set(it.state.heap, (optimizer.ref, RESUMED), not plain)


def _is_plain_group(it: Evaluator, group: Value) -> bool:
    entries = it.state.heap.get((group.ref, "{}")) if isinstance(group, v.DictRef) else None
    return isinstance(entries, dict) and "initial_lr" not in entries


def record_optimizer_use(it: Evaluator, optimizer: v.OptimizerValue, name: str) -> None:
    """Records that an attribute is read by which the groups of an optimizer may get an `initial_lr`."""
    if name not in _HARMLESS:
        it.state.set(it.state.heap, (optimizer.ref, RESUMED), True)


def check_new_scheduler(
    it: Evaluator, name: str, optimizer: Value, arguments: Arguments, node: ir.Node
) -> None:
    """Reports a new scheduler whose `last_epoch` resumes an optimizer that no scheduler has set up."""
    if not isinstance(optimizer, v.OptimizerValue):
        return
    key = (optimizer.ref, RESUMED)
    is_new = it.state.heap.get(key) is False
    it.state.set(it.state.heap, key, True)
    short = name.removeprefix(_MODULE)
    if not is_new or short not in LAST_EPOCH or arguments.is_open:
        return
    given = dict(arguments.keywords).get("last_epoch")
    if given is None and len(arguments.positional) > LAST_EPOCH[short]:
        given = arguments.positional[LAST_EPOCH[short]]
    last = None if given is None else v.as_int(given)
    if last is not None and last != -1:
        _report(it, "initial", name, node, ("last", last), ("made", optimizer.origin))


# ---- calls of methods --------------------------------------------------------------------------------------------------------


def check_method_call(
    it: Evaluator, scheduler: v.Engine, method: str, arguments: Arguments, node: ir.Node
) -> None:
    """Reports a call of a scheduler's method with wrong arguments, or where it must not be called at all."""
    name = scheduler.qualname
    if not name.startswith(_MODULE) or arguments.is_open:
        return
    if method == "get_lr":
        excepted = name == _PLATEAU or name in _COMBINED or name in COMPUTES_CURRENT_RATE
        if not (excepted or name in COMPUTES_FIRST_RATE and _is_new(it, scheduler)):
            # Under a test, such as that for a milestone, the rate has mostly not just changed.
            seldom = name in COMPUTES_FIRST_RATE and _is_under_test(it)
            _report(it, "get_lr", name, node, ("seldom", seldom))
        return
    if method != "step":
        return
    given = (*arguments.positional, *(value for _, value in arguments.keywords))
    if name == _PLATEAU:
        if "metrics" not in dict(arguments.keywords) and not arguments.positional:
            _report(it, "metrics", name, node)
        epoch = given[1:]
    elif name in _FRACTIONAL_EPOCHS:
        return
    else:
        epoch = given
    if epoch and epoch[0] != v.NONE:
        reason = "refused" if name in _COMBINED else "epoch"
        measured = isinstance(epoch[0], TensorFact) or v.known(epoch[0], float) is not None
        _report(it, reason, name, node, ("measured", measured))


def _is_under_test(it: Evaluator) -> bool:
    """Returns whether the running statement is inside more undecided branches than there are loops."""
    return it.frame.undecided > sum(len(frame.loops) for frame in it.frames)


def _is_new(it: Evaluator, scheduler: v.Engine) -> bool:
    """Returns whether a scheduler was created in this call of this function and has not been stepped since."""
    here = scheduler.ref.startswith(f"engine@{it.frame.site}:")
    return here and it.state.heap.get((scheduler.ref, STEPPED)) is False


def _report(it: Evaluator, reason: str, name: str, node: ir.Node, *data: tuple[str, object]) -> None:
    known = (("reason", reason), ("name", name.removeprefix(_MODULE)), *data)
    it.report(
        [Fault(FaultKind.SCHEDULER_ARGUMENT, node.start, node.end, name, known, path=it.frame.module.path)]
    )
