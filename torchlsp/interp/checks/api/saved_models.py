"""Detects `torch.save` of a whole module, or of a state dict whose keys have the prefix of a wrapper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.values import UNKNOWN_VALUE, Unknown, Value
from torchlsp.interp.model import classes, decorator_names
from torchlsp.interp.store.heap_keys import COMPILED
from torchlsp.interp.store.lifetimes import first_wins, gathered, running_state
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator


_PREFIXES = {"torch.nn.parallel.DistributedDataParallel": "module", "torch.nn.DataParallel": "module"}
_MAX_DEPTH = 2


@running_state
class SavedModels:
    """What is wrong with the values that are saved, by the place of the call; see `_found`."""

    saved: dict[tuple[str, int, int], tuple[str, str | None]] = gathered(dict, first_wins)


@dataclass(frozen=True, slots=True)
class PrefixedState(Unknown):
    """The state dict of a wrapper: all keys begin with the attribute that holds the wrapped module."""

    attribute: str = ""


def record_compiled_names(it: Evaluator, targets: tuple[ir.Node, ...], value: Value) -> None:
    """Records the names that `net = torch.compile(net)` binds to the compiled module.

    The value of the call is the module's own.
    """
    for target in targets:
        place = _place(it, target)
        if place is not None:
            it.state.set(it.state.heap, (COMPILED, place), value)


def evaluate_state_dict(it: Evaluator, module: Value, node: ir.Node) -> Value:
    """Returns the state dict of a module, a `PrefixedState` if the module is wrapped or compiled."""
    if isinstance(module, v.Wrapped):
        attribute = _PREFIXES.get(module.qualname)
        return UNKNOWN_VALUE if attribute is None else PrefixedState(attribute=attribute)
    function = getattr(node, "function", None)
    place = _place(it, function.object) if type(function) is ir.Attribute else None
    if place is not None and it.state.heap.get((COMPILED, place)) is module:
        return PrefixedState(attribute="_orig_mod")
    return UNKNOWN_VALUE


def _place(it: Evaluator, target: ir.Node) -> str | None:
    """Returns a key for a name, or for an attribute of a known object, that no other scope or object has."""
    if type(target) is ir.Name:
        return f"{id(it.scope_of(target.id).variables)}:{target.id}"
    if type(target) is ir.Attribute and type(target.object) is ir.Name:
        ref: str | None = getattr(it.lookup(target.object.id), "ref", None)
        return None if ref is None else f"{ref}.{target.name}"
    return None


def record_save(it: Evaluator, value: Value, node: ir.Node) -> None:
    """Records what is wrong with the value of `torch.save(value, …)`, if anything is."""
    found = _found(it, value, 0)
    if found is None:
        return
    # recorded on whichever path, since it depends on the module alone
    place = (it.frame.module.path, node.start, node.end)
    if not it.silent:
        it.states[SavedModels].saved.setdefault(place, found)


def _is_said_to_be_module(it: Evaluator, parameter: v.Parameter) -> bool:
    """Returns whether a parameter is annotated as `nn.Module`."""
    annotation, module = it.annotated.get(parameter.name, (None, None))
    if annotation is None or module is not it.frame.module:
        return False
    return decorator_names.dotted(it, annotation, module.scope) == "torch.nn.Module"


def find_whole_models(analysis: Analysis) -> Iterator[Fault]:
    """Reports the recorded calls of `torch.save`."""
    for (path, start, end), (what, inside) in analysis.states[SavedModels].saved.items():
        data = (("what", what), ("inside", inside))
        yield Fault(FaultKind.WHOLE_MODEL, start, end, "torch.save", data, path=path)


def _found(it: Evaluator, value: Value, depth: int) -> tuple[str, str | None] | None:
    """Returns what is wrong with a saved value, and the key if a dict holds it.

    What is wrong is `whole` for a module, else the prefix of the keys of a state dict.
    """
    match value:
        case v.LayerValue() | v.Wrapped():
            return "whole", None
        case v.InstanceValue(cls=cls) if classes.is_module(cls):
            return "whole", None
        case v.Parameter() if _is_said_to_be_module(it, value):
            return "whole", None
        case PrefixedState(attribute=attribute):
            return attribute, None
        case v.DictRef(ref=ref) if depth < _MAX_DEPTH:
            entries = it.state.heap.get((ref, "{}"))
            for key, held in entries.items() if isinstance(entries, dict) else ():
                found = _found(it, held, depth + 1)
                if found is not None and isinstance(key, str):
                    return found[0], key
    return None
