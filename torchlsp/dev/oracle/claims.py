"""Takes a static value apart into claims, each about one column of one observed value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torchlsp.dev.oracle.observations import Description
from torchlsp.facts import values as v
from torchlsp.facts.device import Device
from torchlsp.facts.device import parse as parsed_device
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import TORCH_NAMES
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.notation import dim_text
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri

_DEPTH = 3
_SHORT = {name: short for short, name in TORCH_NAMES.items()}
_LISTS = frozenset({"list", "tuple", "size"})


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim and what was seen. `size` is a claimed size, to be compared once its symbols have numbers; otherwise `holds`.

    `resting` names what the claim is assumed under. `note` is what was the case where it was seen.
    """

    column: str
    where: str
    claimed: str
    observed: str
    holds: bool = True
    size: Dim | None = None
    number: int = 0
    resting: str = ""
    note: str = ""


def claims(
    value: v.Value, seen: Description, content: v.Value | None = None, where: str = "", depth: int = 0
) -> Iterator[Claim]:
    """Yields what a static value claims of an observed one."""
    kind = seen[0]
    if depth > _DEPTH or (kind == "object" and "Field" in seen[1]):
        return  # a dataclass replaces its fields
    match value:
        case TensorFact():
            yield from _tensor(value, seen, where)
        case v.ArrayValue():
            yield from _array(value, seen, where)
        case v.Scalar():
            yield from _scalar(value, seen, where)
        case v.TupleValue(items=items):
            # A tuple stands for a list's content, too, where it comes from `contents`.
            # … and for what is gone through once: zip, map, the items of a dict.
            yield from _kind(kind in _LISTS or kind in ("object", "module"), "a sequence", seen, where)
            if kind in _LISTS:
                yield from _items(items, seen, where, depth)
        case v.ListRef():
            yield from _kind(kind == "list", "a list", seen, where)
            if kind == "list" and isinstance(content, v.TupleValue):
                yield from _items(content.items, seen, where, depth)
            elif kind == "list" and isinstance(content, v.Repeated):
                yield from _repeated(content, seen, where, depth)
        case v.Repeated() if kind in _LISTS:
            yield from _repeated(value, seen, where, depth)
        case v.DictValue(entries=entries):
            yield from _entries(entries, seen, where, depth)
        case v.DictRef():
            yield from _kind(kind == "dict", "a dict", seen, where)
            if isinstance(content, v.DictValue):
                yield from _entries(content.entries, seen, where, depth)
        case v.LayerValue(qualname=name):
            yield from _class(name.rpartition(".")[2], seen, where)
        case v.InstanceValue(cls=cls):
            yield from _class(cls.ir.name, seen, where)
        case v.OptimizerValue(qualname=name):
            yield from _class(name.rpartition(".")[2], seen, where)
        case v.LoaderValue(is_iterator=False):
            yield from _class("DataLoader", seen, where)
        case v.DTypeValue(dtype=dtype, numpy=False) if dtype is not None and kind == "dtype":
            yield _exact("dtype", where, dtype, _SHORT.get(seen[1], seen[1]))
        case v.DeviceValue(device=device) if device is not None and kind == "device":
            yield Claim("device", where, str(device), seen[1], _is_device(device, seen[1]))
        case v.ShapeOf(tensor=TensorFact(), is_size=True):
            yield from _kind(kind == "size", "a torch.Size", seen, where)
        case v.ShapeOf():
            # The shape of an array is a plain tuple.
            yield from _kind(kind in ("size", "tuple"), "a shape", seen, where)


def _exact(column: str, where: str, claimed: object, observed: object, resting: str = "") -> Claim:
    return Claim(column, where, str(claimed), str(observed), claimed == observed, resting=resting)


def _size(column: str, where: str, claimed: Dim, observed: int, resting: str = "") -> Claim:
    return Claim(
        column, where, dim_text(claimed), str(observed), size=claimed, number=observed, resting=resting
    )


def _kind(holds: bool, claimed: str, seen: Description, where: str, resting: str = "") -> Iterator[Claim]:
    yield Claim("kind", where, claimed, described(seen), holds, resting=resting)


def _class(name: str, seen: Description, where: str) -> Iterator[Claim]:
    names = seen[1] if seen[0] in ("module", "object") else seen[3] if seen[0] in _LISTS else []
    yield Claim("class", where, name, described(seen), name in names)


def _tensor(fact: TensorFact, seen: Description, where: str) -> Iterator[Claim]:
    resting = ", ".join(sorted(fact.assumed - {"layout"}))
    yield from _kind(seen[0] == "tensor", "a tensor", seen, where, resting)
    if seen[0] != "tensor":
        return
    _, shape, dtype, device, strides, contiguous, requires, leaf, recording, *_ = seen
    if fact.shape is not None:
        yield _exact("rank", where, len(fact.shape), len(shape), resting)
        if len(fact.shape) == len(shape):
            for number, (size, real) in enumerate(zip(fact.shape, shape)):
                yield _size("sizes", f"{where}.shape[{number}]", size, real, resting)
    if fact.dtype is not None:
        yield _exact("dtype", where, fact.dtype, _SHORT.get(dtype, dtype), resting)
    if fact.device is not None:
        yield Claim(
            "device", where, str(fact.device), device, _is_device(fact.device, device), resting=resting
        )
    if strides is not None and 0 not in shape:
        yield from _layout(fact, shape, strides, contiguous, where)
    note = "" if recording else "under no_grad"
    for column, claimed, real in (("grad", fact.grad.requires, requires), ("leaf", fact.grad.leaf, leaf)):
        if claimed is not Tri.UNKNOWN:
            yield Claim(
                column, where, claimed.value, "yes" if real else "no", (claimed is Tri.YES) == real,
                resting=resting, note=note,
            )  # fmt: skip


def _layout(
    fact: TensorFact, shape: list[int], strides: list[int], contiguous: bool, where: str
) -> Iterator[Claim]:
    resting = ", ".join(sorted(fact.assumed))
    claimed = fact.is_contiguous()
    if claimed is not Tri.UNKNOWN:
        words = {Tri.YES: "contiguous", Tri.NO: "not contiguous"}
        real = words[Tri.of(contiguous)]
        observed = f"{real}, strides {strides}"
        # With a size of 1, torch calls contiguous what is not in general.
        holds = (claimed is Tri.YES) == contiguous or (claimed is Tri.NO and 1 in shape)
        yield Claim("contiguity", where, words[claimed], observed, holds, resting=resting)
    if fact.layout is None or fact.layout is ROW_MAJOR:
        return
    if len(fact.layout) != len(strides):
        yield Claim("strides", where, str(len(fact.layout)), str(strides), False, resting=resting)
        return
    for number, (stride, step, size) in enumerate(zip(fact.layout, strides, shape)):
        if size != 1:
            yield _size("strides", f"{where}.stride({number})", stride, step, resting)


def _array(fact: v.ArrayValue, seen: Description, where: str) -> Iterator[Claim]:
    yield from _kind(seen[0] in ("array", "float"), "an array", seen, where)
    if seen[0] != "array":
        return
    if fact.shape is not None:
        yield _exact("rank", where, len(fact.shape), len(seen[1]))
        if len(fact.shape) == len(seen[1]):
            for number, (size, real) in enumerate(zip(fact.shape, seen[1])):
                yield _size("sizes", f"{where}.shape[{number}]", size, real)
    if fact.dtype is not None and seen[2] in _SHORT:
        yield _exact("dtype", where, fact.dtype, _SHORT[seen[2]])


def _scalar(claim: v.Scalar, seen: Description, where: str) -> Iterator[Claim]:
    kind = seen[0]
    if claim.kind in ("bytes", "complex", "ellipsis"):
        return
    is_numpy = kind == "array" and not seen[1]
    if kind == "object" and claim.kind in seen[1]:
        return  # of a derived class: a TorchVersion is a str
    if claim.kind == "float" and claim.value is None and kind == "int":
        return  # what is annotated as a float may be an int
    yield Claim("kind", where, claim.kind, described(seen), claim.kind == kind or is_numpy)
    if claim.kind != kind or claim.value is None or len(seen) < 2 or seen[1] is None:
        return
    if kind == "int":
        yield _size("int", where, claim.value, seen[1])
    elif kind == "bool":
        yield _exact("bool", where, claim.value, seen[1])
    elif kind == "float" and seen[1] != "nan":
        yield _exact("float", where, repr(float(claim.value)), seen[1])


def _items(items: tuple[v.Value, ...], seen: Description, where: str, depth: int) -> Iterator[Claim]:
    yield _exact("length", where, len(items), seen[1])
    if len(items) == seen[1]:
        for number, (item, real) in enumerate(zip(items, seen[2])):
            if real is not None:
                yield from claims(item, real, None, f"{where}[{number}]", depth + 1)


def _repeated(content: v.Repeated, seen: Description, where: str, depth: int) -> Iterator[Claim]:
    if content.length is not None:
        yield _size("length", f"len({where})", content.length, seen[1])
    for number, real in enumerate(seen[2]):
        if real is not None:
            for claim in claims(content.element, real, None, f"{where}[{number}]", depth + 1):
                # Each element has sizes of its own: only numbers are claimed of all.
                if claim.size is None or isinstance(claim.size, int):
                    yield claim


def _entries(
    entries: tuple[tuple[object, v.Value], ...], seen: Description, where: str, depth: int
) -> Iterator[Claim]:
    if seen[0] != "dict":
        return
    yield _exact("length", where, len(entries), seen[1])
    for key, item in entries:
        real = seen[3].get(str(key)) if key in seen[2] else None
        if real is not None:
            yield from claims(item, real, None, f"{where}[{key!r}]", depth + 1)


def _is_device(claimed: Device, seen: str) -> bool:
    real = parsed_device(seen)
    if real is None:
        return True
    if claimed.relative:
        return real.kind in (claimed.kind, "cpu")
    if claimed.kind != real.kind:
        return False
    return claimed.index is None or real.index is None or claimed.index == real.index


def described(seen: Description) -> str:
    """A description in words."""
    match seen[0]:
        case "tensor":
            grad = " grad" if seen[6] else ""
            return f"{_SHORT.get(seen[2], seen[2])}{seen[1]} {seen[3]}{grad}"
        case "array":
            return f"ndarray {seen[2]}{seen[1]}"
        case "int" | "bool" | "float":
            return str(seen[1])
        case "none":
            return "None"
        case "str":
            return "a str"
        case "list" | "tuple" | "size" | "dict":
            return f"a {seen[0]} of {seen[1]}"
        case "module" | "object":
            return f"a {seen[1][0]}" if seen[1] else "an object"
        case _:
            return " ".join(str(part) for part in seen)
