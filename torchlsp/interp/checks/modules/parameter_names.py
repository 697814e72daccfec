"""Detects dotted names of parameters and submodules that are compared with bare names equal to none.

Each comparison is checked while it runs; it is reported only if it could not hold in any of the runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import classes, inner_modules, listed_models, module_tree, trace_flow
from torchlsp.interp.store.heap_keys import ATTRIBUTES, BASE, GRAD, RESIZED
from torchlsp.interp.store.lifetimes import gathered, merge_by, per_root, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.model.heap_access import KnownEntries
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator


_BUFFERS = ("running_mean", "running_var", "num_batches_tracked")
_OPERATORS = frozenset({"==", "!=", "in", "not in"})
_MAX_NAMES = 400
_PREFIXES = {"torch.nn.DataParallel": "module", "torch.nn.parallel.DistributedDataParallel": "module"}


def _none_wins(known: Fault | None, new: Fault | None) -> Fault | None:
    """Merges what two roots have found of a comparison: None, which says that it can hold, wins."""
    return known if known is None else new


@running_state
class ParameterNames:
    """The iterators over names, and the comparisons of such names with texts that none of them equals."""

    named: dict[str, tuple[str, Value]] = per_root(dict)
    """The method that returned an iterator, and the module, by the ref of the iterator."""
    loop_iterable: ir.Node | None = per_root(lambda: None)
    """What a `for` iterates over, while that is evaluated; None once it is found to be the modules of a module."""
    comparisons: dict[trace_flow.Place, Fault | None] = gathered(dict, merge_by(_none_wins))
    """By the place of the comparison; None where it can hold."""


def modules_of(it: Evaluator, value: v.ModuleValue, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `children`, `modules`, `named_children`, `named_modules` and `named_buffers` of a module."""
    below: tuple[Value, ...] | None = None
    if name != "named_buffers":
        inner_modules.record(it, value)
    if (
        it.states[ParameterNames].loop_iterable is node
        and name != "named_buffers"
        and arguments == Arguments()
    ):
        below = _modules(it, value, name)
    if below is not None:
        it.states[ParameterNames].loop_iterable = None
    elif name == "children":
        content = it.state.heap.get((value.ref, "[]")) if not isinstance(value, v.Wrapped) else None
        below = content if isinstance(content, tuple) else None
        if isinstance(value, v.LayerValue) and listed_models.is_model(value):
            below = _children_of(it, value)
    if not name.startswith("named"):
        return v.Repeated(UNKNOWN_VALUE) if below is None else v.TupleValue(below)
    if name == "named_children":
        given = v.Scalar("str")
    else:
        given = listed_name(it, value, name, arguments, f"names@{it.frame.site}:{node.start}")
    if below is None:
        return v.Repeated(v.TupleValue((given, UNKNOWN_VALUE)))
    return v.TupleValue(tuple(v.TupleValue((given, module)) for module in below))


def _modules(it: Evaluator, value: v.ModuleValue, name: str) -> tuple[Value, ...] | None:
    """Returns the modules that `children()` or `modules()` yields, in order; None where not all of them are known."""
    modules_by_ref: dict[str, Value] = {}
    if name.endswith("children"):
        children = _children_of(it, value)
        return None if children is None else tuple({child.ref: child for child in children}.values())
    to_visit: list[v.ModuleValue] = [value]
    while to_visit:
        module = to_visit.pop(0)
        children = _children_of(it, module)
        if children is None or len(modules_by_ref) > _MAX_RUN_LENGTH:
            return None
        if module.ref not in modules_by_ref:
            modules_by_ref[module.ref] = module
            to_visit[:0] = children
    return tuple(modules_by_ref.values())


_MAX_RUN_LENGTH = 32
"""Loops over more modules are not run module by module."""
_NO_MODULES = (v.Scalar, TensorFact, v.ListRef, v.DictRef, v.TupleValue, v.DTypeValue, v.DeviceValue)
"""What an attribute may hold that is certainly no module."""


def _children_of(it: Evaluator, module: Value) -> tuple[v.LayerValue | v.InstanceValue, ...] | None:
    """Returns the children of a module, in order; None where not all of them are known."""
    heap = it.state.heap
    if heap.get((getattr(module, "ref", ""), GRAD), Tri.YES) is Tri.UNKNOWN:
        return None  # unknown code may have changed it
    match module:
        case v.LayerValue(ref=ref, qualname=qualname):
            content, entries = heap.get((ref, "[]"), ()), heap.get((ref, "{}"), {})
            if listed_models.is_model(module):
                return _children_of_model(it, module)
            if (
                not qualname.startswith("torch.nn.")
                or ops.layer(qualname) is None
                and not (content or entries)
            ):
                return None
            if not isinstance(content, tuple) or not isinstance(entries, dict) or heap.get((ref, ATTRIBUTES)):
                return None
            values = (*content, *entries.values())
        case v.InstanceValue(ref=ref, cls=cls):
            if classes.has_unknown_base(cls) or not classes.is_module(cls) or (ref, BASE) in heap:
                return None
            if (ref, "[]") in heap or (ref, "{}") in heap:
                return None
            values = tuple(heap.get((ref, name)) for name in heap.get((ref, ATTRIBUTES), ()))
            values = tuple(one for one in values if not isinstance(one, _NO_MODULES))
        case _:
            return None
    modules = tuple(one for one in values if isinstance(one, (v.LayerValue, v.InstanceValue)))
    return modules if len(modules) == len(values) else None


def _children_of_model(
    it: Evaluator, model: v.LayerValue
) -> tuple[v.LayerValue | v.InstanceValue, ...] | None:
    """Returns the children of a model of torchvision, in order; None where not all of them are known."""
    heap = it.state.heap
    if not listed_models.has_all_children(model) or heap.get((model.ref, RESIZED)):
        return None
    held = [heap.get((model.ref, name), UNKNOWN_VALUE) for name in heap.get((model.ref, ATTRIBUTES), ())]
    children = tuple(one for one in held if isinstance(one, (v.LayerValue, v.InstanceValue)))
    plain = [one for one in held if isinstance(one, _NO_MODULES)]
    return children if len(children) + len(plain) == len(held) else None


def listed_name(it: Evaluator, module: Value, method: str, arguments: Arguments, ref: str) -> v.Scalar:
    """Returns a name that `module.named_parameters()` yields, known by `ref`.

    It is any text where arguments choose the names.
    """
    if arguments != Arguments():
        it.states[ParameterNames].named.pop(ref, None)
        return v.Scalar("str")
    it.states[ParameterNames].named[ref] = (method, module)
    return v.NameOf("str", ref=ref)


def check_name_comparison(it: Evaluator, node: ir.Compare, left: Value, right: Value) -> None:
    """Checks a comparison one side of which is such a name."""
    if type(left) is v.NameOf:
        name, other, swapped = left, right, False
    elif type(right) is v.NameOf:
        name, other, swapped = right, left, True
    else:
        return
    if it.silent:
        return
    key = (it.frame.module.path, node.start, node.end)
    kept = it.states[ParameterNames].comparisons
    if key in kept and kept[key] is None:
        return
    if swapped and "in" in node.ops[0]:
        return
    fault, may_hold = _checked(it, node, name, other, swapped)
    if may_hold:
        kept[key] = None
    elif fault is not None:
        kept[key] = fault


def _checked(
    it: Evaluator, node: ir.Compare, name: v.NameOf, other: Value, swapped: bool
) -> tuple[Fault | None, bool]:
    """Returns the fault of a comparison, if there is one, and whether the comparison may hold."""
    if node.ops[0] not in _OPERATORS or name.ref not in it.states[ParameterNames].named:
        return None, True
    items = (other,) if isinstance(other, v.Scalar) else it.elements(other)
    texts = [v.known(item, str) for item in items or ()]
    if not texts or not all(texts) or any("." in text for text in texts if text):
        return None, True
    if isinstance(other, v.Scalar) and "in" in node.ops[0]:
        return None, True  # it looks for a part of the text
    method, module = it.states[ParameterNames].named[name.ref]
    paths = _paths(it, module, method)
    if paths is None or any(text in paths for text in texts):
        return None, True
    found = [(text, path) for path in paths for text in texts if path.endswith(f".{text}")]
    if not found:
        return None, False
    text, path = found[0]
    data = (
        ("text", text), ("path", path), ("method", method), ("swapped", swapped),
    )  # fmt: skip
    fault = Fault(
        FaultKind.BARE_NAME,
        node.start,
        node.end,
        f"torch.nn.Module.{method}",
        data,
        path=it.frame.module.path,
    )
    return fault, False


def _paths(it: Evaluator, module: Value, method: str) -> tuple[str, ...] | None:
    """Returns the names that are known; None where others without a dot are possible."""
    match module:
        case v.Wrapped(qualname=qualname) if qualname not in _PREFIXES:
            return None
        case v.InstanceValue(cls=cls) if classes.has_unknown_base(cls) or (module.ref, BASE) in it.state.heap:
            return None
        case v.LayerValue(ref=ref, qualname=qualname):
            row = ops.layer(qualname)
            if (
                not qualname.startswith("torch.nn.")
                or (ref, "[]") not in it.state.heap
                and (ref, "{}") not in it.state.heap
            ):
                return None  # a layer's own names have no dot
            if row is not None and row.parameters is not None:
                return None
        case v.InstanceValue() | v.Wrapped():
            pass
        case _:
            return None
    return tuple(_below(it, module, method, "", [0]))


def _below(it: Evaluator, module: Value, method: str, prefix: str, count: list[int]) -> Iterator[str]:
    """Yields the known names below a module; `count[0]` is the number of modules looked into so far."""
    heap = it.state.heap
    count[0] += 1
    if count[0] > _MAX_NAMES:
        return
    match module:
        case v.Wrapped(qualname=qualname, module=inner):
            if method == "named_modules":
                yield _PREFIXES[qualname]
            yield from _below(it, inner, method, f"{prefix}{_PREFIXES[qualname]}.", count)
        case v.LayerValue(ref=ref, qualname=qualname):
            yield from (f"{prefix}{name}" for name in _of_layer(it, module, method))
            yield from _children(it, ref, method, prefix, count)
        case v.InstanceValue(ref=ref):
            yield from _children(it, ref, method, prefix, count)
            for name in heap.get((ref, ATTRIBUTES), ()):
                value = heap.get((ref, name))
                if isinstance(value, (v.LayerValue, v.InstanceValue)):
                    if method == "named_modules":
                        yield f"{prefix}{name}"
                    yield from _below(it, value, method, f"{prefix}{name}.", count)
                elif not isinstance(value, v.Scalar):
                    kind = "parameter" if method == "named_parameters" else "buffer"
                    if not prefix or (isinstance(value, TensorFact) and value.provenance == kind):
                        yield f"{prefix}{name}"  # of the outermost module: whatever may be one


def _children(it: Evaluator, ref: str, method: str, prefix: str, count: list[int]) -> Iterator[str]:
    """Yields the known names below the children of a container."""
    heap = it.state.heap
    content, entries = heap.get((ref, "[]")), heap.get((ref, "{}"))
    named: KnownEntries = dict(enumerate(content)) if isinstance(content, tuple) else {}
    if isinstance(entries, dict):
        named = entries
    for name, child in named.items():
        if method == "named_modules":
            yield f"{prefix}{name}"
        yield from _below(it, child, method, f"{prefix}{name}.", count)


def _of_layer(it: Evaluator, layer: v.LayerValue, method: str) -> tuple[str, ...]:
    """Returns the names of a layer's own parameters or buffers."""
    row = ops.layer(layer.qualname)
    if method == "named_parameters" and row is not None and row.parameters is not None:
        return tuple(row.parameters(module_tree.layer_state(it, layer)))
    if method == "named_buffers" and "BatchNorm" in layer.qualname:
        return _BUFFERS
    return ()


def bare_name_comparisons(analysis: Analysis) -> Iterator[Fault]:
    """Yields the comparisons of dotted names with bare ones."""
    yield from (fault for fault in analysis.states[ParameterNames].comparisons.values() if fault is not None)


HOOKS = Hooks(compared=check_name_comparison)
