"""Reports datasets and functions that cannot be pickled for worker processes, and CUDA tensors in forked workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.data.loader_samples import roots_of_names, tensors
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.program import ir
from torchlsp.program.walking import module_nodes, walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.signature import Arguments

_LOADER = "torch.utils.data.DataLoader"
_MAX_DEPTH, _MAX_ORIGINS = 4, 12
_PICKLES_ITSELF = frozenset({"__getstate__", "__reduce__", "__reduce_ex__"})
_HANDLES = {
    "open": "an open file", "gzip.open": "an open file", "h5py.File": "an open HDF5 file", "sqlite3.connect": "a database connection",
    "lmdb.open": "a database connection", "threading.Lock": "a lock", "threading.RLock": "a lock",
}  # fmt: skip


def report_worker_arguments(
    it: Evaluator,
    loader: v.LoaderValue,
    given: dict[str, Value],
    element: Value,
    arguments: Arguments,
    node: ir.Node,
) -> None:
    """Reports what the workers of a new loader cannot use; all of its arguments are known."""
    if it.silent or arguments.is_open or (v.as_int(given.get("num_workers", v.integer(0))) or 0) < 1:
        return
    _judge_pickling(it, given, node)
    if given.get("collate_fn", v.NONE) == v.NONE:
        report_cuda_samples(it, given, element, node)


def _context(given: dict[str, Value]) -> str | None:
    """Returns the start method of the workers: `default`, or its name; None if it is not known."""
    value = given.get("multiprocessing_context", v.NONE)
    return "default" if value == v.NONE else v.known(value, str)


# ---- pickling -------------------------------------------------------------------------------------------------------------


def _judge_pickling(it: Evaluator, given: dict[str, Value], node: ir.Node) -> None:
    """Reports a dataset or function that cannot be pickled, if workers are not forked."""
    context = _context(given)
    if context not in ("default", "spawn", "forkserver"):
        return
    for role, what, cause in _unsendable(it, given, node):
        data = (("role", role), ("what", what), ("certain", context != "default"), ("cause", cause))
        it.report(
            [Fault(FaultKind.UNPICKLABLE, node.start, node.end, _LOADER, data, path=it.frame.module.path)]
        )
        return


def _unsendable(
    it: Evaluator, given: dict[str, Value], node: ir.Node
) -> Iterator[tuple[str, str, tuple[str, int]]]:
    """Yields what cannot be sent: its role, a description, and the place of what all loaders have in common that get the same."""
    for role in ("collate_fn", "worker_init_fn"):
        sent = given.get(role, UNKNOWN_VALUE)
        what = _unpicklable(it, sent)
        if what is not None:
            function = sent.function if type(sent) is v.PartialValue else sent
            place = (it.frame.module.path, node.start)
            if type(function) is v.FunctionValue:
                place = (function.scope.module.path, function.ir.body[0].start)
            yield role, what, place
    dataset = given.get("dataset")
    if not isinstance(dataset, v.InstanceValue) or not _PICKLES_ITSELF.isdisjoint(dataset.cls.ir.methods):
        return
    for name, value in _set_up(dataset.cls):
        held = it.state.heap.get((dataset.ref, name), UNKNOWN_VALUE)
        what = _unpicklable(it, held) or _handle(value, dataset.cls)
        if what is not None:
            yield f"{dataset.cls.ir.name}.{name}", what, (dataset.cls.scope.module.path, value.start)


def _unpicklable(it: Evaluator, value: Value, depth: int = 0) -> str | None:
    """Returns a description of what in a value cannot be pickled."""
    if depth > _MAX_DEPTH:
        return None
    match value:
        case v.FunctionValue(ir=function, receiver=None):
            if function.is_lambda:
                return "a lambda"
            nested = function.owner is None and "." in function.qualname
            return "a function inside a function" if nested else None
        case v.PartialValue(function=function):
            return _unpicklable(it, function, depth + 1)
        case v.LayerValue(config=config):
            found = (_unpicklable(it, one, depth + 1) for _, one in config)
            return next((one for one in found if one), None)
        case v.ListRef() | v.TupleValue():
            found = (_unpicklable(it, item, depth + 1) for item in it.elements(value) or ())
            return next((one for one in found if one), None)
    return None


def _set_up(cls: v.ClassValue) -> list[tuple[str, ir.Node]]:
    """Returns the attributes that only `__init__` sets, and their expressions."""
    setup = cls.ir.methods.get("__init__")
    if setup is None or not setup.params:
        return []
    found: dict[str, list[ir.Node]] = {}
    for name, function in cls.ir.methods.items():
        own = function.params[0].name if function.params else ""
        for node in walk(function.body):
            if not isinstance(node, ir.Assign):
                continue
            for target in node.targets:
                if (
                    isinstance(target, ir.Attribute)
                    and isinstance(target.object, ir.Name)
                    and target.object.id == own
                ):
                    found.setdefault(target.name, []).append(node.value if name == "__init__" else target)
    return [
        (name, values[0])
        for name, values in found.items()
        if len(values) == 1 and not isinstance(values[0], ir.Attribute)
    ]


def _handle(value: ir.Node, cls: v.ClassValue) -> str | None:
    """Returns a description of the system resource that an expression opens."""
    match value:
        case ir.Call(function=ir.Name(id=name)):
            return _HANDLES.get(name) if name == "open" else None
        case ir.Call(function=ir.Attribute(object=ir.Name(id=module), name=name)):
            source = roots_of_names(cls.scope.module.ir).get(module)
            return _HANDLES.get(f"{source}.{name}")
    return None


# ---- CUDA -----------------------------------------------------------------------------------------------------------------


def report_cuda_samples(it: Evaluator, given: dict[str, Value], sample: Value, node: ir.Node) -> None:
    """Reports a sample on CUDA in a forked worker, which cannot use CUDA after the main process has."""
    if it.silent or (v.as_int(given.get("num_workers", v.integer(0))) or 0) < 1:
        return
    if _context(given) not in ("default", "fork"):
        return
    for tensor in tensors(it, sample):
        used = _on_cuda(tensor)
        if used is None or _sets_start_method(it):
            continue
        rests_on = frozenset(
            {"started", "cuda"} if used.device is not None and used.device.relative else {"started"}
        )
        data = (("input", used), ("made", used.origin))
        it.report(
            [
                Fault(
                    FaultKind.CUDA_IN_WORKER,
                    node.start,
                    node.end,
                    _LOADER,
                    data,
                    rests_on,
                    path=it.frame.module.path,
                )
            ]
        )
        return


def _on_cuda(tensor: TensorFact) -> TensorFact | None:
    """Returns the newest tensor on a GPU from which a sample was computed."""
    current: TensorFact | None = tensor
    for _ in range(_MAX_ORIGINS):
        if current is None or current.origin is None:
            return None
        if current.device is not None and current.device.kind == "cuda":
            return _moved(current)
        parents = current.origin.parents
        current = parents[0] if parents else None
    return None


def _moved(tensor: TensorFact) -> TensorFact:
    """Returns the first tensor on the GPU among those from which it was computed."""
    for _ in range(_MAX_ORIGINS):
        origin = tensor.origin
        if origin is None or not origin.parents or origin.parents[0].origin is None:
            break
        if origin.parents[0].device != tensor.device:
            break
        tensor = origin.parents[0]
    return tensor


def _sets_start_method(it: Evaluator) -> bool:
    """Returns whether the file sets the start method of processes."""
    return "set_start_method" in it.frame.module.ir.unread_words or any(
        isinstance(node, (ir.Name, ir.Attribute))
        and "set_start_method" in (getattr(node, "id", ""), getattr(node, "name", ""))
        for node in module_nodes(it.frame.module.ir)
    )


HOOKS = Hooks(loader_created=report_worker_arguments)
