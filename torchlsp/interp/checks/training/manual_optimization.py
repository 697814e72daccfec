"""Follows the steps of Lightning's manual optimization, which a module takes in `training_step`.

The Trainer calls `training_step` once for each batch, so its body is that of a loop. In automatic optimization
the Trainer itself clears and steps. Sources: "Manual Optimization" in the documentation of Lightning, and
`core/module.py` of pytorch_lightning 2.6.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.interp.model import classes
from torchlsp.interp.store.lifetimes import gathered, last_wins, running_state
from torchlsp.interp.store.trace import LoopItem
from torchlsp.ops.libraries import optim
from torchlsp.program import ir
from torchlsp.program.walking import walk, word

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis, Root
    from torchlsp.interp.store.evaluator import Evaluator

STEP = "training_step"
_MAKES = "configure_optimizers"
_CLEARING = frozenset({"zero_grad", "grad", "zero_", "zero_optimizer"})
_OPTIMIZERS = frozenset(
    name.rpartition(".")[2] for name in optim.OPTIMIZERS if name.startswith("torch.optim.")
)


@running_state
class ManualSteps:
    """The methods that a Trainer calls for each batch, and that step themselves."""

    functions: dict[int, ir.Function] = gathered(dict, last_wins)
    """By the place of the definition."""


def is_manual_step(it: Evaluator, module: v.InstanceValue) -> bool:
    """Returns whether a `training_step` runs that certainly steps itself, in a class that never names gradients."""
    function = it.frame.function
    return (
        function is not None
        and function.name == STEP
        and it.frame.is_root
        and it.state.heap.get((module.ref, "automatic_optimization")) == v.FALSE
        and not any(
            word(node) in _CLEARING
            for base in classes.mro(module.cls)
            if isinstance(base, v.ClassValue)
            for method in base.ir.methods.values()
            for node in walk(method.body)
            if type(node) in (ir.Attribute, ir.Name)
        )
    )


def optimizer_of(it: Evaluator, module: v.InstanceValue, node: ir.Node) -> v.OptimizerValue | None:
    """Returns what `self.optimizers()` gives where `configure_optimizers` certainly makes one optimizer."""
    found = classes.find_method(module.cls, _MAKES)
    if found is None or not is_manual_step(it, module):
        return None
    body = found[1].body
    results = [one.value for one in walk(body) if type(one) is ir.Return]
    if not results or not all(_is_one_optimizer(one, body) for one in results):
        return None
    assert it.frame.function is not None
    it.states[ManualSteps].functions[it.frame.function.start] = it.frame.function
    return v.OptimizerValue(f"{module.ref}.optimizers()", optim.ANY_OPTIMIZER)


def _is_one_optimizer(node: ir.Node | None, body: tuple[ir.Node, ...]) -> bool:
    match node:
        case ir.Call(function=function):
            return word(function) in _OPTIMIZERS
        case ir.Name(id=name):
            given = [
                one.value
                for one in walk(body)
                if type(one) is ir.Assign
                and any(type(target) is ir.Name and target.id == name for target in one.targets)
            ]
            return bool(given) and all(
                type(one) is not ir.Name and _is_one_optimizer(one, body) for one in given
            )
        case ir.DictDisplay(keys=keys, values=values):
            for key, value in zip(keys, values):
                if type(key) is ir.Constant and key.value == "optimizer":
                    return _is_one_optimizer(value, body)
    return False


def iterations(analysis: Analysis, root: Root) -> Iterator[LoopItem]:
    """Yields the body of a `training_step` as the loop around it in the Trainer."""
    function = analysis.states[ManualSteps].functions.get(root.start)
    if function is not None and root.name == function.qualname:
        yield LoopItem(
            function.start, function.end, root.trace, function.body[0].start, path=analysis.path, called=STEP
        )
