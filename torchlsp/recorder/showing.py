"""Writes what was observed as text: `x: f32[8..32, 196, 768] cuda:0 grad`, one description for all calls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchlsp.recorder.described import (
    Observed,
    ObservedArray,
    ObservedClass,
    ObservedDevice,
    ObservedDType,
    ObservedFlag,
    ObservedMapping,
    ObservedModule,
    ObservedNothing,
    ObservedNumber,
    ObservedObject,
    ObservedSequence,
    ObservedTensor,
    ObservedWord,
)

if TYPE_CHECKING:
    from torchlsp.recorder.reading import ObservedFunction

_SHORT = (("bfloat", "bf"), ("float", "f"), ("uint", "u"), ("int", "i"), ("complex", "c"))
MAX_ALTERNATIVES = 4


def joined(values: Iterable[Observed]) -> str:
    """Describes what a parameter was in several calls; sizes that differ are ranges, other differences stand beside each other."""
    distinct = list(dict.fromkeys(values))
    tensors: dict[object, list[ObservedTensor]] = {}
    texts: dict[str, None] = {}
    for one in distinct:
        if isinstance(one, ObservedTensor):
            alike = (one.name, len(one.sizes), one.dtype, one.device, one.requires_grad, one.layout)
            tensors.setdefault(alike, []).append(one)
        else:
            texts[shown(one)] = None
    found = [_tensors(group) for group in tensors.values()] + list(texts)
    if len(found) > MAX_ALTERNATIVES:
        found = [*found[:MAX_ALTERNATIVES], "…"]
    return " | ".join(found)


def differing_ranks(function: ObservedFunction) -> dict[str, dict[int, str]]:
    """Returns the parameters that were something else on each rank: what they were, by name and rank."""
    seen: dict[str, dict[int, list[Observed]]] = {}
    for call in function.calls:
        for name, value in call.parameters.items() if call.rank is not None else ():
            seen.setdefault(name, {}).setdefault(call.rank or 0, []).append(value)
    texts = {
        name: {rank: joined(values) for rank, values in sorted(ranks.items())} for name, ranks in seen.items()
    }
    return {name: ranks for name, ranks in texts.items() if len(set(ranks.values())) > 1}


def _tensors(group: list[ObservedTensor]) -> str:
    sizes = [
        str(min(each)) if min(each) == max(each) else f"{min(each)}..{max(each)}"
        for each in zip(*(one.sizes for one in group), strict=True)
    ]
    return _tensor(group[0], sizes)


def _tensor(one: ObservedTensor, sizes: list[str]) -> str:
    words = [f"{short_dtype(one.dtype)}[{', '.join(sizes)}]"]
    if one.device != "cpu":
        words.append(one.device)
    if one.layout != "strided":
        words.append(one.layout)
    if one.requires_grad:
        words.append("grad")
    return " ".join(words)


def short_dtype(name: str) -> str:
    """Abbreviates the name of a dtype: `f32` for `float32`."""
    for long, short in _SHORT:
        if name.startswith(long) and name[len(long) :].isdigit():
            return short + name[len(long) :]
    return name


def shown(one: Observed) -> str:
    """Describes one value."""
    match one:
        case ObservedTensor():
            return _tensor(one, [str(size) for size in one.sizes])
        case ObservedArray():
            return f"numpy {short_dtype(one.dtype)}[{', '.join(map(str, one.sizes))}]"
        case ObservedNumber() | ObservedFlag():
            return repr(one.value)
        case ObservedNothing():
            return "None"
        case ObservedWord():
            return repr(one.text)
        case ObservedSequence():
            items = ", ".join(shown(item) for item in one.items)
            more = f", … {one.length} items" if one.length > len(one.items) else ""
            return f"({items}{more})" if one.is_tuple else f"[{items}{more}]"
        case ObservedMapping():
            items = ", ".join(f"{name}: {shown(item)}" for name, item in one.items)
            more = f", … {one.length} entries" if one.length > len(one.items) else ""
            return "{" + items + more + "}"
        case ObservedModule() | ObservedObject() | ObservedClass():
            return one.path.rpartition(".")[2]
        case ObservedDType() | ObservedDevice():
            return one.name
