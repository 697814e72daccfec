"""Reports samples that cannot be collated, that cannot be sent from a worker, or that every worker repeats."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.api.torch_api import PatchedNames
from torchlsp.interp.checks.data import loader_arguments
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import classes
from torchlsp.program import ir
from torchlsp.program.reading import is_stub
from torchlsp.program.walking import module_nodes, walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.signature import Arguments

_LOADER = "torch.utils.data.DataLoader"
_MAX_DEPTH = 3


def report_unusable_samples(
    it: Evaluator,
    loader: v.LoaderValue,
    given: dict[str, Value],
    element: Value,
    arguments: Arguments,
    node: ir.Node,
) -> None:
    """Reports the samples of a new loader whose arguments are all known; `element` stands for each of them."""
    if it.silent or arguments.is_open:
        return
    dataset = given.get("dataset", UNKNOWN_VALUE)
    workers = v.as_int(given.get("num_workers", v.integer(0))) or 0
    converts = given.get("batch_size", v.integer(1)) == v.NONE and "batch_sampler" not in given
    if given.get("collate_fn", v.NONE) == v.NONE:
        if not converts:
            _judge_collation(it, given, dataset, element, node)
        if workers > 0:
            _judge_gradients(it, element, converts, node)
    if workers > 1 and given.get("worker_init_fn", v.NONE) == v.NONE:
        _judge_copies(it, dataset, node)


def _report(it: Evaluator, kind: FaultKind, node: ir.Node, **data: object) -> None:
    it.report([Fault(kind, node.start, node.end, _LOADER, tuple(data.items()), path=it.frame.module.path)])


# ---- collation ------------------------------------------------------------------------------------------------------------


def _judge_collation(
    it: Evaluator, given: dict[str, Value], dataset: Value, element: Value, node: ir.Node
) -> None:
    """Reports samples other than tensors, arrays, numbers, texts, and dicts and sequences of them."""
    what = _uncollatable(it, element)
    if (
        what is None
        and given.get("sampler", v.NONE) == v.NONE
        and given.get("batch_sampler", v.NONE) == v.NONE
    ):
        items = it.elements(dataset) if isinstance(dataset, (v.ListRef, v.TupleValue)) else None
        what = next((found for item in items or () if (found := _uncollatable(it, item))), None)
    if what == "image" and _sets_transform(it) or what == "None" and _is_stub(dataset):
        return
    if what is not None:
        _report(it, FaultKind.UNCOLLATABLE, node, what=what, gives=None)
        return
    gives = _sometimes_none(dataset)
    if gives is not None:
        _report(it, FaultKind.UNCOLLATABLE, node, what="maybe", gives=gives)


def _uncollatable(it: Evaluator, sample: Value, depth: int = 0) -> str | None:
    """Returns what in the sample cannot be collated: `None`, `image` or the name of a class."""
    match sample:
        case v.Scalar(kind="none"):
            return "None"
        case v.ImageValue():
            return "image"
        case v.InstanceValue(cls=cls) if _is_simple(cls):
            return cls.ir.name
        case v.TupleValue(items=items) if depth < _MAX_DEPTH:
            return next((found for item in items if (found := _uncollatable(it, item, depth + 1))), None)
        case v.ListRef() if depth < _MAX_DEPTH:
            items = it.elements(sample) or ()
            return next((found for item in items if (found := _uncollatable(it, item, depth + 1))), None)
        case v.DictRef(ref=ref) if depth < _MAX_DEPTH:
            entries = it.state.heap.get((ref, "{}"))
            values = entries.values() if isinstance(entries, dict) else ()
            return next((found for value in values if (found := _uncollatable(it, value, depth + 1))), None)
    return None


def _is_simple(cls: v.ClassValue) -> bool:
    """Returns whether a class has only plain bases, so it is neither a mapping nor a sequence."""
    for base in classes.mro(cls):
        if isinstance(base, v.ClassValue):
            if base.ir is None or base.ir.keywords or base.scope is None:
                return False
        elif not isinstance(base, v.External) or base.name not in (
            "builtins.object",
            "abc.ABC",
            "typing.Generic",
        ):
            return False
    return True


def _sets_transform(it: Evaluator) -> bool:
    """Returns whether some unknown object got a transform, or a file with a running function assigns one to an attribute.

    The dataset may have passed through any of those functions.
    """
    if any("transform" in name for name in it.states[PatchedNames].names):
        return True
    files = {frame.module.path: frame.module.ir for frame in it.frames}
    if any("transform" in word for file in files.values() for word in file.unread_words):
        return True
    return any(
        isinstance(target, ir.Attribute) and "transform" in target.name
        for file in files.values()
        for node in module_nodes(file)
        if isinstance(node, ir.Assign)
        for target in node.targets
    )


def _sometimes_none(dataset: Value) -> Origin | None:
    """Returns the `return None` of a `__getitem__` that also returns something else."""
    if not isinstance(dataset, v.InstanceValue) or not loader_arguments.has_known_bases(dataset.cls):
        return None
    if loader_arguments.defines(dataset.cls, "__getitems__"):
        return None
    method = classes.find_method(dataset.cls, "__getitem__")
    if method is None or method[1].decorators or method[1].is_generator:
        return None
    owner, function = method
    returns = [node for node in walk(function.body) if isinstance(node, ir.Return)]
    empty = [statement for statement in returns if statement.value is None or _is_none(statement.value)]
    if not empty or len(empty) == len(returns):
        return None
    first = min(empty, key=lambda one: one.start)
    return Origin(first.start, first.end, "return", (), owner.scope.module.path)


def _is_stub(dataset: Value) -> bool:
    """Returns whether a dataset's `__getitem__` is still to be written: nothing but `pass`, `...` or a docstring."""
    if not isinstance(dataset, v.InstanceValue):
        return False
    method = classes.find_method(dataset.cls, "__getitem__")
    return method is not None and is_stub(method[1])


def _is_none(node: ir.Node) -> bool:
    return isinstance(node, ir.Constant) and node.value is None


# ---- gradients ------------------------------------------------------------------------------------------------------------


def _judge_gradients(it: Evaluator, element: Value, converts: bool, node: ir.Node) -> None:
    """Reports samples that require grad: autograd refuses to write them to shared memory, and non-leaves cannot be sent."""
    for tensor in tensors(it, element):
        if tensor.grad.requires is Tri.YES and (not converts or tensor.grad.leaf is Tri.NO):
            _report(it, FaultKind.GRAD_IN_WORKER, node, input=tensor, alone=converts)
            return


def tensors(it: Evaluator, sample: Value, depth: int = 0) -> Iterator[TensorFact]:
    """Yields the tensors in a sample."""
    match sample:
        case TensorFact():
            yield sample
        case v.TupleValue(items=items) if depth < _MAX_DEPTH:
            for item in items:
                yield from tensors(it, item, depth + 1)
        case v.ListRef() if depth < _MAX_DEPTH:
            for element in it.elements(sample) or ():
                yield from tensors(it, element, depth + 1)
        case v.DictRef(ref=ref) if depth < _MAX_DEPTH:
            entries = it.state.heap.get((ref, "{}"))
            for one in entries.values() if isinstance(entries, dict) else ():
                yield from tensors(it, one, depth + 1)


# ---- the same samples from every worker -----------------------------------------------------------------------------------

_STANDARD = frozenset(
    "builtins os glob json csv pathlib math gzip itertools re io pickle random torch numpy time".split()
)
_TELLS_WORKERS = re.compile(
    r"worker|shard|rank|world|partition|queue|socket|stream|consum|poll|recv", re.IGNORECASE
)
_ASKS = re.compile("worker_info|worker_id|worker_init|split_by")
_DRAWN = re.compile(r"rand|normal|uniform|choice|choices|sample|bernoulli|multinomial")
_ORDERS = frozenset({"shuffle", "seed", "random", "manual_seed", "permutation", "randperm"})
_SEEN = (
    v.Scalar, v.ListRef, v.DictRef, v.TupleValue, v.Repeated, TensorFact, v.ArrayValue, v.DictValue,
)  # fmt: skip


def _judge_copies(it: Evaluator, dataset: Value, node: ir.Node) -> None:
    """Reports an iterable dataset that every worker copies and iterates completely."""
    if not isinstance(dataset, v.InstanceValue) or not loader_arguments.is_iterable_dataset(dataset):
        return
    if not loader_arguments.has_known_bases(dataset.cls):
        return
    method = classes.find_method(dataset.cls, "__iter__")
    if method is None or not _is_the_same_everywhere(it, dataset):
        return
    owner, function = method
    above = Origin(function.start, function.end, "__iter__", (), owner.scope.module.path)
    _report(it, FaultKind.COPIES_IN_WORKERS, node, cls=dataset.cls.ir.name, above=above)


def _is_the_same_everywhere(it: Evaluator, dataset: v.InstanceValue) -> bool:
    """Returns whether every copy certainly yields the same finite samples. Unknown code may know of workers."""
    for cls in classes.mro(dataset.cls):
        if not isinstance(cls, v.ClassValue):
            continue
        module = cls.scope.module.ir
        roots = roots_of_names(module)
        if any(_ASKS.search(word) for word in _words(module)):
            return False
        for name, function in cls.ir.methods.items():
            if name != "__init__" and not _is_plain_method(it, dataset, cls, function, roots):
                return False
    return True


def _is_plain_method(
    it: Evaluator, dataset: v.InstanceValue, cls: v.ClassValue, function: ir.Function, roots: dict[str, str]
) -> bool:
    if not function.params:
        return False
    own, nodes = function.params[0].name, list(walk(function.body))
    for node in nodes:
        word = node.id if isinstance(node, ir.Name) else node.name if isinstance(node, ir.Attribute) else ""
        if _TELLS_WORKERS.search(word) or (_DRAWN.search(word) and word not in _ORDERS):
            return False
        match node:
            case ir.While(test=ir.Constant(value=value)) if value:
                return False
            case ir.Call(function=ir.Name(id=name)) if roots.get(
                name, name
            ) not in _STANDARD and not _is_known(name, cls):
                return False
            case ir.Attribute(object=ir.Name(id=one), name=name) if one == own and not name.startswith("__"):
                if name in cls.ir.methods:
                    continue
                held = it.state.heap.get((dataset.ref, name), UNKNOWN_VALUE)
                if not isinstance(held, _SEEN) and not _is_read_here(cls, name, roots):
                    return False
    return True


def _is_known(name: str, cls: v.ClassValue) -> bool:
    module = cls.scope.module.ir
    defined: tuple[ir.Function | ir.Class, ...] = (*module.functions, *module.classes)
    return hasattr(builtins, name) or any(one.name == name for one in defined)


def _is_read_here(cls: v.ClassValue, name: str, roots: dict[str, str]) -> bool:
    """Returns whether `__init__` sets the attribute once, to a result of the standard library."""
    setup = cls.ir.methods.get("__init__")
    if setup is None or not setup.params:
        return False
    own = setup.params[0].name
    values = [
        node.value
        for node in walk(setup.body)
        if isinstance(node, ir.Assign)
        for target in node.targets
        if isinstance(target, ir.Attribute) and isinstance(target.object, ir.Name)
        and target.object.id == own and target.name == name
    ]  # fmt: skip
    if len(values) != 1 or not isinstance(values[0], ir.Call):
        return False
    callee = values[0].function
    while isinstance(callee, (ir.Attribute, ir.Call)):
        callee = callee.object if isinstance(callee, ir.Attribute) else callee.function
    return isinstance(callee, ir.Name) and (
        roots.get(callee.id) in _STANDARD or callee.id in ("list", "sorted", "open", "range")
    )


def roots_of_names(module: ir.Module) -> dict[str, str]:
    """Returns the package of each imported name."""
    return {
        bound: source.partition(".")[0]
        for node in module_nodes(module)
        if isinstance(node, ir.Import)
        for bound, source, _ in node.names
    }


def _words(module: ir.Module) -> Iterator[str]:
    for node in module_nodes(module):
        match node:
            case ir.Name(id=word) | ir.Attribute(name=word):
                yield word
            case ir.Import(names=names):
                for _, source, attribute in names:
                    yield attribute or source


HOOKS = Hooks(loader_created=report_unusable_samples)
