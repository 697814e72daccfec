"""Values as a record describes them: types and sizes, never contents. What is damaged or unknown reads as None."""

from __future__ import annotations

import math
from typing import TypeGuard

from torchlsp.core.records import dataclass

_MAX_DEPTH = 6


@dataclass(frozen=True, slots=True)
class ObservedTensor:
    """A tensor. `strides` is None where the layout has none, `name` the class: `Tensor`, `Parameter` or a path."""

    name: str
    sizes: tuple[int, ...]
    dtype: str
    device: str
    strides: tuple[int, ...] | None
    requires_grad: bool
    is_leaf: bool
    layout: str


@dataclass(frozen=True, slots=True)
class ObservedArray:
    """A NumPy array; strides in elements, None where they are not whole."""

    dtype: str
    sizes: tuple[int, ...]
    strides: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class ObservedNumber:
    """An int or a float."""

    value: int | float


@dataclass(frozen=True, slots=True)
class ObservedFlag:
    """A bool."""

    value: bool


@dataclass(frozen=True, slots=True)
class ObservedNothing:
    """None."""


@dataclass(frozen=True, slots=True)
class ObservedWord:
    """A short text that looks like the name of an option."""

    text: str


@dataclass(frozen=True, slots=True)
class ObservedSequence:
    """A tuple or a list: its length, and descriptions of its first items. `path` is the class where it is a subclass."""

    is_tuple: bool
    items: tuple[Observed, ...]
    length: int
    path: str | None


@dataclass(frozen=True, slots=True)
class ObservedMapping:
    """A dict: its length, and descriptions of its first items whose keys are words."""

    items: tuple[tuple[str, Observed], ...]
    length: int
    path: str | None


@dataclass(frozen=True, slots=True)
class ObservedModule:
    """A `torch.nn.Module`, of which only the class is known."""

    path: str


@dataclass(frozen=True, slots=True)
class ObservedObject:
    """An object of which only the class is known."""

    path: str


@dataclass(frozen=True, slots=True)
class ObservedDType:
    """A `torch.dtype`."""

    name: str


@dataclass(frozen=True, slots=True)
class ObservedDevice:
    """A `torch.device`."""

    name: str


@dataclass(frozen=True, slots=True)
class ObservedClass:
    """A class or a function itself."""

    path: str


Observed = (
    ObservedTensor
    | ObservedArray
    | ObservedNumber
    | ObservedFlag
    | ObservedNothing
    | ObservedWord
    | ObservedSequence
    | ObservedMapping
    | ObservedModule
    | ObservedObject
    | ObservedDType
    | ObservedDevice
    | ObservedClass
)


def observed(told: object, depth: int = _MAX_DEPTH) -> Observed | None:
    """Reads a description; None for what is none."""
    if not isinstance(told, dict) or not depth:
        return None
    match told:
        case {"t": str(name), "d": str(dtype), "v": str(device), "g": bool(grad), "l": bool(leaf)}:
            sizes, strides = told.get("s"), told.get("st")
            if not are_ints(sizes) or not (strides is None or are_ints(strides)):
                return None
            layout = told.get("y", "strided")
            return ObservedTensor(
                name,
                tuple(sizes),
                dtype,
                device,
                None if strides is None else tuple(strides),
                grad,
                leaf,
                layout if isinstance(layout, str) else "?",
            )
        case {"a": str(dtype)}:
            sizes, strides = told.get("s"), told.get("st")
            if not are_ints(sizes) or not (strides is None or are_ints(strides)):
                return None
            return ObservedArray(dtype, tuple(sizes), None if strides is None else tuple(strides))
        case {"i": int(value)} if not isinstance(value, bool):
            return ObservedNumber(value)
        case {"b": bool(value)}:
            return ObservedFlag(value)
        case {"f": float(value) | int(value)}:
            return ObservedNumber(float(value))
        case {"f": "nan" | "inf" | "-inf" as text}:
            return ObservedNumber(float(text) if text != "nan" else math.nan)
        case {"n": 0} if len(told) == 1:  # else the length of an empty container
            return ObservedNothing()
        case {"w": str(text)}:
            return ObservedWord(text)
        case {"T": list(items)} | {"L": list(items)}:
            return _sequence(told, items, depth)
        case {"D": dict(items)}:
            length, path = told.get("n"), told.get("x")
            read = [(name, observed(one, depth - 1)) for name, one in items.items()]
            known = tuple((name, one) for name, one in read if one is not None)
            if not isinstance(length, int) or not isinstance(path, str | None):
                return None
            return ObservedMapping(known, length, path)
        case {"m": str(path)}:
            return ObservedModule(path)
        case {"o": str(path)}:
            return ObservedObject(path)
        case {"dt": str(name)}:
            return ObservedDType(name)
        case {"dv": str(name)}:
            return ObservedDevice(name)
        case {"c": str(path)}:
            return ObservedClass(path)
    return None


def _sequence(told: dict[str, object], items: list[object], depth: int) -> ObservedSequence | None:
    length, path = told.get("n", len(items)), told.get("x")
    read: list[Observed] = []
    for item in items:
        one = observed(item, depth - 1)
        if one is None:
            return None
        read.append(one)
    if not isinstance(length, int) or length < len(read) or not isinstance(path, str | None):
        return None
    return ObservedSequence("T" in told, tuple(read), length, path)


def are_ints(told: object) -> TypeGuard[list[int]]:
    """Says whether something is a list of ints."""
    return isinstance(told, list) and all(type(one) is int for one in told)
