"""Describes a value to the user: its text, its origin, and notes on it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, islice

from torchlsp import ops
from torchlsp.core.records import dataclass
from torchlsp.core.span import Span
from torchlsp.facts import shape as shapes
from torchlsp.facts import values as v
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.notation import dim_text, is_invented, shape_text, value_text
from torchlsp.facts.tensor import REFUSED, Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.interp.model.parameter_counts import RUNNING_STATISTICS
from torchlsp.lint.trail import PAST
from torchlsp.ops.call import LayerState
from torchlsp.ops.signature import MISSING, parse

MAX_STEPS = 4
_MAX_ITEMS = 6
_MAX_TEXT_LENGTH = 400
_MAX_CHILDREN_LENGTH = 160
_CASTS = frozenset("to type type_as float double half bfloat16 int long short char byte bool".split())
_MOVES = frozenset({"to", "cuda", "cpu", "type", "type_as"})
_BITS = re.compile(r"[a-z]+(\d+)")


@dataclass(frozen=True, slots=True)
class Note:
    """A remark for a line of its own: words, then perhaps code (a fact, names, strides)."""

    words: str
    code: str = ""
    is_aged: bool = False
    """Whether it is about a run that is older than the function's source."""
    calls: int = 0
    """The number of calls in other files that it is about, and `is_differing` whether these give several values."""
    is_differing: bool = False


AS_CALLED = Note("as called in this file")
BY_ANNOTATION = Note("assumed by its annotation")
AS_CHECKED = Note("after the checks of its function")


@dataclass(frozen=True, slots=True)
class Step:
    """One origin of a fact: the operation at a place, and the fact after it.  `path` None means the examined
    file."""

    span: Span
    done: str
    fact: str = ""
    path: str | None = None


def said(value: v.Value, content: v.Value | None = None) -> str | None:
    """Returns a value's text; None for one of which nothing is known.  `content` is what a list or dict
    holds."""
    match value:
        case v.ListRef():
            return _list_text(content)
        case v.DictRef():
            return None if content is None else said(content)
        case v.TupleValue(items=items) if len(items) > _MAX_ITEMS and _any_said(items):
            return f"({_some(items)})"
        case v.TupleValue(items=items):
            return value_text(value) if _any_said(items) else None
        case v.DictValue(entries=entries):
            return _dict_text(entries) if _any_said(item for _, item in entries) else None
        case v.Repeated(element=element):
            return value_text(value) if said(element) else None
        case v.LoaderValue(element=element) | v.DatasetValue(element=element):
            kind = "DataLoader" if isinstance(value, v.LoaderValue) else "dataset"
            text = said(element)
            return f"{kind} of samples {text}" if text else None
        case v.LayerValue():
            return layer_text(value)
        case v.Wrapped(qualname=name, module=v.LayerValue() as layer):
            return f"{name.rpartition('.')[2]}({layer_text(layer)})"
        case v.Scalar(kind="int", value=known):
            return None if known is None or dim_text(known) == "?" else dim_text(known)
        case v.Scalar(kind="float" | "bool" | "complex"):
            return value_text(value)
        case v.InstanceValue(cls=cls):
            return cls.ir.name
        case v.DTypeValue(dtype=None) | v.DeviceValue(device=None):
            return None
        case TensorFact() | v.ArrayValue() | v.ImageValue() | v.DTypeValue() | v.DeviceValue():
            return value_text(value)
        case v.OptimizerValue() | v.Engine() | v.Wrapped() | v.RankValue() | v.Distribution():
            return value_text(value)
    return None


def shortened(text: str, longest: int) -> str:
    """Puts text on one line and cuts the middle of a longer one: a chain of calls is best known by its
    beginning and end."""
    text = re.sub(r"(?<=[(\[{]) | (?=[)\]}])", "", " ".join(text.split()))
    if len(text) <= longest:
        return text
    tail = longest // 3
    return f"{text[: longest - tail - 1].rstrip()}…{text[len(text) - tail :].lstrip()}"


def layer_text(layer: v.LayerValue) -> str:
    """Returns a layer as its class would be called: `Conv2d(3, 64, kernel_size=3)`, defaults left out."""
    name = layer.qualname.rpartition(".")[2]
    row = ops.layer(layer.qualname)
    config = dict(layer.config)
    if row is None or not config:
        return name
    arguments: list[str] = []
    for position, param in enumerate(parse(row.signature).params):
        given = config.get(param.name)
        if given is None or given == param.default or param.kind in ("variadic", "keywords"):
            continue
        size = given.size if isinstance(given, v.Unknown) else None  # what the constructor's parameter is
        text = value_text(given) if size is None else dim_text(size)
        # By torch's habit the sizes come first and bare, and what changes the default is named.
        is_bare = param.default is MISSING and position < 2 and len(arguments) == position
        arguments.append(text if is_bare else f"{param.name}={text}")
    return shortened(f"{name}({', '.join(arguments)})", _MAX_TEXT_LENGTH)


def layer_parameters(layer: v.LayerValue) -> Iterator[Note]:
    """Yields the trainable tensors of a layer with their shapes, and how many numbers these are."""
    row = ops.layer(layer.qualname)
    if row is None or row.parameters is None or not layer.config:
        return
    found = {
        name: shape
        for name, shape in row.parameters(LayerState(dict(layer.config))).items()
        if name not in RUNNING_STATISTICS
    }
    if not found:
        return
    counts = [shapes.numel(shape) for shape in found.values()]
    known = [count for count in counts if isinstance(count, int)]
    text = ", ".join(f"{name} {shape_text(shape)}" for name, shape in islice(found.items(), _MAX_ITEMS))
    text += ", …" if len(found) > _MAX_ITEMS else ""
    is_known = len(known) == len(counts)
    yield Note(f"{sum(known):,} parameters:" if is_known else "parameters:", text)


def children_text(content: v.Value | None) -> str:
    """Returns the modules that a container holds as text; empty where not all are known."""
    match content:
        case v.TupleValue(items=items):
            texts = [said(item) or "" for item in items]
            grouped = [(text, len(list(same))) for text, same in groupby(texts)]
            shown = [text if count == 1 else f"{count} × {text}" for text, count in grouped]
        case v.DictValue(entries=entries):
            texts = [said(item) or "" for _, item in entries]
            shown = [f"{name}: {text}" for (name, _), text in zip(entries, texts)]
        case _:
            return ""
    return shortened(", ".join(shown), _MAX_CHILDREN_LENGTH) if all(texts) else ""


def open_arguments(content: v.Value | None) -> tuple[int, int]:
    """Counts the arguments of the modules that a container holds of which nothing is known, and those with a name at most."""
    named = list(_open_arguments(content))
    return len(named) - sum(named), len(named)


def _open_arguments(content: v.Value | None) -> Iterator[bool]:
    """Yields, for each argument that is not known, whether it has a name."""
    match content:
        case v.TupleValue(items=items):
            for item in items:
                yield from _open_arguments(item)
        case v.DictValue(entries=entries):
            for _, item in entries:
                yield from _open_arguments(item)
        case v.LayerValue(config=config):
            for _, given in config:
                yield from _open_arguments(given)
        case v.Unknown(size=size):
            yield size is not None
        case v.Parameter():
            yield True
        case v.Scalar(kind="int" | "float" | "bool" | "str", value=known):
            if not isinstance(known, int | float | str):
                yield known is not None and not is_invented(known)


def count_text(count: v.Value | None) -> str:
    """Returns the number of a module's parameters as text; empty where it is unknown."""
    if not isinstance(count, v.Scalar) or type(count.value) is not int:
        return ""
    return f"{count.value:,} parameter" + "s" * (count.value != 1)


def trail(value: v.Value, here: str) -> tuple[Step, ...]:
    """Returns the newest origins of a value, newest first, those of a loop once; `here` is the path of the examined file."""
    return tuple(islice((step for step, _ in groupby(_steps(value, here))), MAX_STEPS))


def _steps(value: v.Value, here: str) -> Iterator[Step]:
    if isinstance(value, v.LayerValue | v.OptimizerValue) and value.origin is not None:
        yield _step(value.origin, "made", "", here)
        return
    fact: TensorFact | v.ArrayValue | None = value if isinstance(value, TensorFact | v.ArrayValue) else None
    while fact is not None and fact.origin is not None:
        parent = fact.origin.parents[0] if fact.origin.parents else None
        if not (isinstance(fact, TensorFact) and fact.origin.op == "parameter"):
            yield _step(fact.origin, _done(fact, fact.origin.op, parent), value_text(fact), here)
        else:
            yield _step(fact.origin, "parameter", value_text(fact), here)
        fact = parent


def _step(origin: Origin, done: str, fact: str, here: str) -> Step:
    return Step(
        Span(origin.start, origin.end), done, fact, origin.path if origin.path not in (None, here) else None
    )


def _done(fact: TensorFact | v.ArrayValue, op: str, parent: TensorFact | None) -> str:
    name = op.rpartition(".")[2]
    owner = op.rpartition(".")[0]
    if parent is None and ops.layer(owner) is not None:
        return f"{name} of {owner.rpartition('.')[2]}"
    if parent is None:
        return f"result of {name}" if ops.layer(op) or op.startswith("Tensor.") else f"made by {op}"
    if isinstance(fact, TensorFact):
        is_move = name in _MOVES or parent.device is not None
        if is_move and fact.device is not None and fact.device != parent.device:
            return f"moved to {fact.device}"
        if name in _CASTS and fact.dtype is not None and fact.dtype != parent.dtype:
            return f"cast to {fact.dtype}"
    if name.endswith("_") and not name.endswith("__"):
        return f"changed in place by {name}"
    return PAST.get(name, f"result of {name}")


def tensor_notes(value: v.Value) -> Iterator[Note]:
    """Returns notes on what the notation of a tensor or array leaves out."""
    if not isinstance(value, TensorFact | v.ArrayValue):
        return
    if isinstance(value, TensorFact):
        if REFUSED in value.assumed:
            yield Note("torch refuses a call above it; shown is what would follow")
        if value.origin is not None and value.origin.op == "parameter" and "layout" in value.assumed:
            yield Note("parameter; contiguous is assumed")
        if value.grad.requires is Tri.YES and value.grad.leaf is not Tri.UNKNOWN:
            yield Note("requires grad; a leaf" if value.grad.leaf is Tri.YES else "requires grad; not a leaf")
    strides = value.layout if isinstance(value.layout, tuple) else None
    if strides is not None and all(isinstance(step, int) for step in strides):
        comma = "," if len(strides) == 1 else ""
        yield Note("strides", f"({', '.join(map(str, strides))}{comma})")
    count = shapes.numel(value.shape)
    if isinstance(count, int):
        elements = f"{count:,} element" + "s" * (count != 1)
        size = _item_size(value.dtype)
        # Where a stride is 0 many elements are one and the same in memory.
        takes_all = value.layout is ROW_MAJOR or (strides is not None and 0 not in strides)
        yield Note(f"{elements}, {_bytes(count * size)}" if size and takes_all else elements)


def _item_size(dtype: str | None) -> int | None:
    """Returns the bytes of one element."""
    if dtype is None:
        return None
    bits = _BITS.match(dtype)
    return int(bits[1]) // 8 if bits else 1  # bool


def _bytes(count: int) -> str:
    if count < 1000:
        return f"{count} byte" + "s" * (count != 1)
    size = float(count)
    for unit in ("kB", "MB", "GB", "TB"):
        size /= 1000
        if size < 999.95 or unit == "TB":
            break
    return f"{size:,.1f} {unit}"


def _any_said(items: Iterable[v.Value]) -> bool:
    return any(said(item) is not None for item in items)


def _some(items: tuple[v.Value, ...]) -> str:
    texts = [said(item) or value_text(item) for item in items[:_MAX_ITEMS]]
    if len(items) > _MAX_ITEMS:
        texts.append(f"… {len(items)} items")
    return ", ".join(texts)


def _list_text(content: v.Value | None) -> str | None:
    match content:
        case v.TupleValue(items=items) if _any_said(items):
            return f"[{_some(items)}]"
        case v.Repeated(element=element) if (text := said(element)) is not None:
            return f"list[{text}]"
    return None


def _dict_text(entries: tuple[tuple[object, v.Value], ...]) -> str:
    texts = [f"{key!r}: {said(item) or value_text(item)}" for key, item in entries[:_MAX_ITEMS]]
    if len(entries) > _MAX_ITEMS:
        texts.append(f"… {len(entries)} entries")
    return "{" + ", ".join(texts) + "}"
