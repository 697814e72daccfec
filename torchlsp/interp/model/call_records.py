"""Records calls with all that is needed to repeat them: faulty calls, and the others in an editor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.fault import Called, Fault, FaultKind, Listed
from torchlsp.facts.values import Value
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import LayerState

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

CalledLayer = tuple[v.LayerValue, LayerState]
"""A layer that is called, and its state at that time."""

_MAX_DEPTH = 4
_MODES = ("grad", "inference", "autocast", "dtype", "device")


def with_call(
    it: Evaluator,
    faults: Iterable[Fault],
    name: str,
    arguments: Arguments,
    layer: CalledLayer | None = None,
    is_attribute: bool = False,
) -> list[Fault]:
    """Returns the faults with a record of the call in which they are."""
    called = record_of_call(it, name, arguments, layer, is_attribute)
    return [replace(fault, called=called) for fault in faults]


def record_of_call(
    it: Evaluator,
    name: str,
    arguments: Arguments,
    layer: CalledLayer | None = None,
    is_attribute: bool = False,
) -> Called:
    """Returns a record of a call, with what the heap holds of its arguments now."""
    return Called(
        name,
        tuple(_settled(it, value) for value in arguments.positional),
        tuple((key, _settled(it, value)) for key, value in arguments.keywords),
        arguments.is_open,
        None if layer is None else _layer(it, *layer),
        is_attribute,
        tuple((mode, it.state.modes[mode]) for mode in _MODES),
    )


def _layer(
    it: Evaluator, layer: v.LayerValue, state: LayerState
) -> tuple[str, tuple[tuple[str, Value | Listed], ...], tuple[tuple[str, object], ...]]:
    config = tuple((key, _settled(it, value)) for key, value in layer.config)
    now = (("device", state.device), ("dtype", state.dtype), ("training", state.training))
    return layer.qualname, config, now


def _settled(it: Evaluator, value: Value, depth: int = 0) -> Value:
    """Returns a value with the present contents of its lists and dicts."""
    heap = it.state.heap
    content = None
    match value:
        case v.ListRef(ref=ref):
            content = heap.get((ref, "[]"))
        case v.TupleValue(items=items):
            content = items
        case v.DictRef(ref=ref):
            entries = heap.get((ref, "{}"))
            if isinstance(entries, dict) and depth < _MAX_DEPTH:
                return v.DictValue(
                    tuple((key, _settled(it, item, depth + 1)) for key, item in entries.items())
                )
    if isinstance(content, tuple) and depth < _MAX_DEPTH:
        settled = tuple(_settled(it, item, depth + 1) for item in content)
        if isinstance(value, v.TupleValue):
            return replace(value, items=settled)
        return Listed(settled)  # type: ignore[return-value]  # in a record a Listed stands for a list
    return content if isinstance(content, v.Repeated) else value


def with_argument(faults: list[Fault], arguments: Arguments) -> list[Fault]:
    """Adds to conversion faults the `argument` that cannot be converted: an index, a keyword, or None for a part of one."""
    found = []
    for fault in faults:
        if fault.kind in _CONVERSIONS:
            given: list[tuple[int | str, Value]] = [*enumerate(arguments.positional), *arguments.keywords]
            place = next((name for name, value in given if value is fault["input"]), None)
            fault = replace(fault, data=(*fault.data, ("argument", place)))
        found.append(fault)
    return found


_CONVERSIONS = frozenset({FaultKind.NUMPY_ON_DEVICE, FaultKind.NUMPY_ON_GRAD, FaultKind.NUMPY_DTYPE})
