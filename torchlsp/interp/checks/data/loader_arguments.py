"""Reports constructor arguments of loaders: conflicts, arguments that need workers, datasets without a method, samples that
cannot be stacked to a batch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.facts import dim as dims
from torchlsp.facts import shape as shapes
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import classes
from torchlsp.interp.store.heap_keys import OF_ROOT
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir, walking

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

DATA_PACKAGE = "torch.utils.data."
_LOADER = f"{DATA_PACKAGE}DataLoader"
ARGUMENTS = (
    "dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn", "pin_memory", "drop_last",
    "timeout", "worker_init_fn", "multiprocessing_context", "generator", "prefetch_factor", "persistent_workers",
    "pin_memory_device", "in_order",
)  # fmt: skip
_SOMETHING = (
    v.SamplerValue, v.InstanceValue, v.ListRef, v.TupleValue, v.Repeated, v.FunctionValue, v.PartialValue, v.DatasetValue,
    v.LoaderValue, v.Engine, v.DictRef,
)  # fmt: skip
"""Values that are certainly not None."""
_TRIED = 4
"""Samples of a dataset that are computed."""


def _report(it: Evaluator, kind: FaultKind, node: ir.Node, *data: tuple[str, object]) -> None:
    it.report([Fault(kind, node.start, node.end, _LOADER, data, path=it.frame.module.path)])


# ---- arguments ------------------------------------------------------------------------------------------------------------


def report_invalid_arguments(
    it: Evaluator, given: dict[str, Value], arguments: Arguments, node: ir.Node
) -> None:
    """Reports what the constructor of a loader refuses, in the order of its own checks."""
    unknown = next((name for name, _ in arguments.keywords if name not in ARGUMENTS), None)
    if unknown is not None:
        _report(it, FaultKind.LOADER_UNKNOWN, node, ("argument", unknown), ("known", ARGUMENTS))
        return
    workers = given.get("num_workers", UNKNOWN_VALUE if arguments.is_open else v.integer(0))
    if v.as_int(workers) == 0 and isinstance(workers, v.Scalar):
        needs = next((name for name in _NEED_WORKERS if _is_set(given.get(name))), None)
        if needs is not None:
            _report(it, FaultKind.LOADER_WORKERS, node, ("argument", needs))
            return
    conflict = _conflict(given)
    if conflict is not None:
        one, other = conflict
        shuffling = given.get("sampler")
        shuffles = isinstance(shuffling, v.SamplerValue) and shuffling.shuffles is Tri.YES
        data = (("argument", one), ("against", other), ("shuffles", shuffles))
        _report(it, FaultKind.LOADER_CONFLICT, node, *data)
        return
    if not arguments.is_open:
        _judge_methods(it, given, node)


_NEED_WORKERS = ("prefetch_factor", "persistent_workers", "multiprocessing_context", "timeout")


def _is_set(value: Value | None) -> bool:
    """Returns whether a value is certainly not a default: neither None nor False nor 0."""
    match value:
        case v.Scalar(kind="none"):
            return False
        case v.Scalar(kind="str" | "int" | "float" | "bool", value=known):
            return isinstance(known, (str, int, float)) and bool(known)
    return isinstance(value, _SOMETHING)


def _conflict(given: dict[str, Value]) -> tuple[str, str] | None:
    """Returns two arguments that exclude each other: the one to remove, and the one with which it conflicts."""
    has = {name: _is_set(given.get(name)) for name in ("shuffle", "sampler", "batch_sampler", "drop_last")}
    if is_iterable_dataset(given.get("dataset")):
        one = next((name for name in ("shuffle", "sampler", "batch_sampler") if has[name]), None)
        if one is not None:
            return one, "dataset"
    if has["sampler"] and has["shuffle"]:
        return "shuffle", "sampler"
    size = given.get("batch_size", v.integer(1))
    if has["batch_sampler"]:
        if size == v.NONE or (v.as_int(size) not in (None, 1) and isinstance(size, v.Scalar)):
            return "batch_size", "batch_sampler"
        one = next((name for name in ("shuffle", "sampler", "drop_last") if has[name]), None)
        return None if one is None else (one, "batch_sampler")
    return ("drop_last", "batch_size") if size == v.NONE and has["drop_last"] else None


def is_iterable_dataset(dataset: Value | None) -> bool:
    """Returns whether a dataset certainly derives from IterableDataset."""
    return isinstance(dataset, v.InstanceValue) and any(
        isinstance(base, v.External) and base.name == f"{DATA_PACKAGE}IterableDataset"
        for base in classes.mro(dataset.cls)
    )


# ---- uses -----------------------------------------------------------------------------------------------------------------


def iterator(loader: v.LoaderValue) -> v.LoaderValue:
    """Evaluates `iter(loader)`."""
    return replace(loader, is_iterator=True)


def report_sequence_use(it: Evaluator, loader: v.LoaderValue, how: str, node: ir.Node) -> None:
    """Reports `loader[0]` and `next(loader)`: a loader can only be iterated, and has a length."""
    if how == "index" or not loader.is_iterator:
        _report(it, FaultKind.LOADER_AS_SEQUENCE, node, ("how", how))


def report_split_lengths(it: Evaluator, arguments: Arguments, node: ir.Node) -> None:
    """Reports `random_split(dataset, lengths)` if the lengths do not add up to the dataset's, or fractions not to 1."""
    given, numbers = _parts_of_split(it, arguments)
    if not numbers:
        return
    total = sum(numbers)
    if any(type(number) is float for number in numbers):
        if abs(total - 1) > 1e-6 and abs(total - round(total)) > 1e-6:
            _report(it, FaultKind.SPLIT_LENGTHS, node, ("total", round(total, 6)), ("length", None))
        return
    length = length_of_dataset(it, given.get("dataset", UNKNOWN_VALUE), node)
    if length is not None and total != length:
        _report(it, FaultKind.SPLIT_LENGTHS, node, ("total", total), ("length", length))


def _parts_of_split(it: Evaluator, arguments: Arguments) -> tuple[dict[str, Value], list[float]]:
    """Returns the arguments of `random_split`, and its lengths or fractions; none of these where one is not known."""
    given = dict(zip(("dataset", "lengths"), arguments.positional)) | dict(arguments.keywords)
    numbers: list[float] = []
    for item in it.elements(given.get("lengths", UNKNOWN_VALUE)) or ():
        if not isinstance(item, v.Scalar) or type(item.value) not in (int, float):
            return given, []
        numbers.append(item.value)
    return given, numbers


def split_lengths(it: Evaluator, arguments: Arguments, node: ir.Node) -> list[int] | None:
    """Returns how many samples each part has that `random_split` makes; of fractions the rest goes one by one to the first parts."""
    given, numbers = _parts_of_split(it, arguments)
    if not numbers:
        return None
    if all(type(number) is int for number in numbers):
        return [int(number) for number in numbers]
    length = length_of_dataset(it, given.get("dataset", UNKNOWN_VALUE), node)
    if length is None or not all(0 <= number <= 1 for number in numbers) or sum(numbers) > 1 + 1e-6:
        return None
    lengths = [math.floor(length * number) for number in numbers]
    for place in range(length - sum(lengths)):
        lengths[place % len(lengths)] += 1
    return lengths


def length_of_dataset(it: Evaluator, dataset: Value, node: ir.Node) -> int | None:
    """Returns how many samples a dataset has, where that is known."""
    items = it.elements(dataset)
    if items is not None:
        return len(items)
    match dataset:
        case v.Repeated(length=int(length)) | v.DatasetValue(length=int(length)):
            return length
        case TensorFact(shape=(int(length), *_)):
            return length
        case v.InstanceValue() if has_known_bases(dataset.cls):
            return v.as_int(_quietly(it, dataset, "__len__", Arguments(), node))
    return None


# ---- methods of datasets --------------------------------------------------------------------------------------------------


def _judge_methods(it: Evaluator, given: dict[str, Value], node: ir.Node) -> None:
    """Reports a dataset whose classes are all known, and lack a method; `self` may be of a derived class."""
    dataset = given.get("dataset")
    if not isinstance(dataset, v.InstanceValue) or not has_known_bases(dataset.cls):
        return
    if dataset.ref.startswith(OF_ROOT):
        return
    cls, name = dataset.cls, dataset.cls.ir.name
    if is_iterable_dataset(dataset):
        if not defines(cls, "__iter__"):
            _report_method(it, cls, name, "__iter__", "iterable", node)
        return
    if not defines(cls, "__getitem__") and not defines(cls, "__getitems__"):
        if defines(cls, "__iter__") and not defines(cls, "__len__"):
            _report_method(it, cls, name, "__len__", "map", node)
        else:
            _report_method(it, cls, name, "__getitem__", "map", node)
        return
    own_order = any(given.get(one, v.NONE) != v.NONE for one in ("sampler", "batch_sampler"))
    if not own_order and not defines(cls, "__len__"):
        _report_method(it, cls, name, "__len__", "map", node)


def _report_method(
    it: Evaluator, cls: v.ClassValue, name: str, missing: str, kind: str, node: ir.Node
) -> None:
    above = measured = None
    getter = cls.ir.methods.get("__getitem__") if cls.ir is not None else None
    if missing == "__len__" and getter is not None and not getter.decorators and len(getter.params) == 2:
        measured = _indexed(getter)
        above = Origin(getter.start, getter.end, "__getitem__", (), cls.scope.module.path)
    data = (("cls", name), ("missing", missing), ("kind", kind), ("above", above), ("measured", measured))
    _report(it, FaultKind.DATASET_METHODS, node, *data)


def _indexed(getter: ir.Function) -> str | None:
    """Returns the attribute that `__getitem__` reads at its index: `self.files[index]`."""
    own, index = (param.name for param in getter.params)
    for node in walking.walk(getter.body):
        match node:
            case ir.Subscript(
                object=ir.Attribute(object=ir.Name(id=one), name=name), index=ir.Name(id=other)
            ) if (one, other) == (own, index):
                return name
    return None


_KNOWN_BASES = frozenset({
    f"{DATA_PACKAGE}Dataset", f"{DATA_PACKAGE}IterableDataset", "builtins.object", "abc.ABC", "typing.Generic",
})  # fmt: skip


def has_known_bases(cls: v.ClassValue) -> bool:
    """Returns whether all bases of the class are known, and no decorator or metaclass changes them."""
    for base in classes.mro(cls):
        if isinstance(base, v.ClassValue):
            if base.ir is None or base.ir.decorators or base.ir.keywords or base.scope is None:
                return False
        elif not isinstance(base, v.External) or base.name not in _KNOWN_BASES:
            return False
    return True


def defines(cls: v.ClassValue, name: str) -> bool:
    """Returns whether a class of the workspace, or a base of it, defines a name."""
    return any(
        isinstance(base, v.ClassValue) and (name in base.scope.variables or name in base.ir.methods)
        for base in classes.mro(cls)
    )


# ---- samples of one batch -------------------------------------------------------------------------------------------------


def report_ragged_batch(it: Evaluator, given: dict[str, Value], element: Value, node: ir.Node) -> None:
    """Reports samples that differ in shape, which the default collation cannot stack."""
    size = v.as_int(given.get("batch_size", v.integer(1)))
    if size is None or size < 2 or it.silent:
        return
    if any(given.get(name, v.NONE) != v.NONE for name in ("collate_fn", "batch_sampler", "sampler")):
        return
    dataset = given.get("dataset", UNKNOWN_VALUE)
    items = it.elements(dataset)
    if items is None:
        if (
            not isinstance(dataset, v.InstanceValue)
            or is_iterable_dataset(dataset)
            or not _may_differ(it, element)
        ):
            return
        items, length = _samples(it, dataset, size, node)
    else:
        length = len(items)
    shuffled = given.get("shuffle", v.FALSE)
    if shuffled not in (v.FALSE, v.NONE):
        if length is None or length > size:
            return  # which samples are in one batch is random
    if given.get("drop_last", v.FALSE) != v.FALSE and (length is None or length < size):
        return
    for start in range(0, min(len(items), 64), size):
        batch = items[start : start + size]
        for other in batch[1:]:
            difference = _difference(it, batch[0], other)
            if difference is not None:
                what, left, right = difference
                _report(it, FaultKind.RAGGED_BATCH, node, ("left", left), ("right", right), ("what", what))
                return


def _may_differ(it: Evaluator, element: Value, depth: int = 0) -> bool:
    """Returns whether a part of a sample may have another shape in other samples."""
    match element:
        case TensorFact(shape=shape) | v.ArrayValue(shape=shape):
            return shape is None or not all(isinstance(size, int) for size in shape)
        case v.TupleValue(items=items):
            return depth < 3 and any(_may_differ(it, item, depth + 1) for item in items)
        case v.ListRef() | v.Repeated() | v.Unknown():
            return True
        case v.DictRef(ref=ref):
            entries = it.state.heap.get((ref, "{}"))
            values = entries.values() if isinstance(entries, dict) else ()
            return depth < 3 and any(_may_differ(it, item, depth + 1) for item in values)
    return False


def _samples(
    it: Evaluator, dataset: v.InstanceValue, size: int, node: ir.Node
) -> tuple[tuple[Value, ...], int | None]:
    """Returns the first samples of a dataset, and its length."""
    method = classes.find_method(dataset.cls, "__getitem__")
    if method is None:
        return (), None
    length = v.as_int(_quietly(it, dataset, "__len__", Arguments(), node))
    count = min(size, _TRIED, _TRIED if length is None else length)
    values = [
        _quietly(it, dataset, "__getitem__", Arguments((v.integer(index),)), node) for index in range(count)
    ]
    return tuple(values), length


def _quietly(
    it: Evaluator, dataset: v.InstanceValue, name: str, arguments: Arguments, node: ir.Node
) -> Value:
    """Evaluates a method without reporting, recording or keeping anything."""
    found = classes.find_method(dataset.cls, name)
    if found is None:
        return UNKNOWN_VALUE
    owner, function = found
    method = v.FunctionValue(f"{owner.ref}.{name}", function, owner.scope, dataset, owner)
    mark = it.state.mark()
    it.silent += 1
    it.recorder.open()
    try:
        result = it.call_function(method, arguments, node)
        return _settled(it, result)
    finally:
        it.recorder.close()
        it.silent -= 1
        it.state.take(mark)


def _settled(it: Evaluator, value: Value, depth: int = 0) -> Value:
    """Returns a value with the present contents of its lists and dicts, as tuples and DictValues."""
    if depth > 3:
        return UNKNOWN_VALUE
    match value:
        case v.ListRef():
            items = it.elements(value)
            if items is None:
                return UNKNOWN_VALUE
            return v.TupleValue(tuple(_settled(it, item, depth + 1) for item in items))
        case v.TupleValue(items=items, names=names):
            return v.TupleValue(tuple(_settled(it, item, depth + 1) for item in items), names)
        case v.DictRef(ref=ref):
            entries = it.state.heap.get((ref, "{}"))
            if isinstance(entries, dict):
                return v.DictValue(
                    tuple((key, _settled(it, item, depth + 1)) for key, item in entries.items())
                )
            return UNKNOWN_VALUE
    return value


def _difference(it: Evaluator, left: Value, right: Value) -> tuple[str, object, object] | None:
    """Returns a difference of two samples that cannot be collated: its kind, and both shapes or lengths."""
    left, right = _settled(it, left), _settled(it, right)
    for one, other in _parts(left, right):
        match one, other:
            case (TensorFact(shape=a), TensorFact(shape=b)) | (v.ArrayValue(shape=a), v.ArrayValue(shape=b)):
                if a is not None and b is not None and _certainly_differ(a, b):
                    return "tensor", a, b
            case v.TupleValue(items=a), v.TupleValue(items=b) if len(a) != len(b):
                return "list", len(a), len(b)
    return None


def _certainly_differ(left: tuple[dims.Dim, ...], right: tuple[dims.Dim, ...]) -> bool:
    if len(left) != len(right):
        return True
    return any(dims.equal(a, b) is Tri.NO for a, b in zip(left, right)) and shapes.same(left, right) is Tri.NO


def _parts(left: Value, right: Value, depth: int = 0) -> Iterator[tuple[Value, Value]]:
    """Yields the pairs of parts that are collated together, outermost first."""
    yield left, right
    if depth > 3:
        return
    match left, right:
        case v.TupleValue(items=a), v.TupleValue(items=b) if len(a) == len(b):
            for one, other in zip(a, b):
                yield from _parts(one, other, depth + 1)
        case v.DictValue(entries=a), v.DictValue(entries=b):
            others = dict(b)
            for key, one in a:
                if key in others:
                    yield from _parts(one, others[key], depth + 1)


def _loader_created(
    it: Evaluator,
    loader: v.LoaderValue,
    given: dict[str, Value],
    element: Value,
    arguments: Arguments,
    node: ir.Node,
) -> None:
    report_invalid_arguments(it, given, arguments, node)
    report_ragged_batch(it, given, element, node)


HOOKS = Hooks(loader_created=_loader_created)
