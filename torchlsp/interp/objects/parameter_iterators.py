"""What optimizers are given: `module.parameters()`, which can be gone through once, lists of tensors, and groups of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import classes, imported_names, module_tree
from torchlsp.interp.model.call_records import with_call
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.ops.libraries import optim
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

USED = "@used"
_OTHER_WAYS = frozenset(
    """setattr add_module register_module register_parameter _modules _parameters __dict__ vars __setattr__
    globals exec""".split()
)
"""Names by which a class may get parameters that nobody sees."""
_MOST_GROUPS = 64


@running_state
class ParameterIterators:
    """What `module.parameters()` and the like have given, and layers of which there is one only."""

    generators: dict[str, tuple[Origin, Value]] = per_root(dict)
    """Where each was called, and the module, by the ref of what it gave."""
    owning: set[str] = per_root(set)
    """Refs of layers with parameters of which there is one only."""


def generator(it: Evaluator, value: Value, named: bool, node: ir.Node) -> v.ParametersOf:
    """`module.parameters()`, not gone through yet."""
    ref = f"generator@{it.frame.site}:{node.start}"
    heap = it.state.heap
    if heap.get((ref, USED), Tri.NO) is not Tri.NO:
        it.state.set(heap, (ref, USED), Tri.NO)
    it.states[ParameterIterators].generators[ref] = (
        Origin(node.start, node.end, "parameters", (), it.frame.module.path),
        value,
    )
    return v.ParametersOf(module_tree.owned_refs(it, value), named, ref)


def filtered(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """`filter(test, module.parameters())`, not gone through yet."""
    given = arguments.positional[1] if len(arguments.positional) == 2 else UNKNOWN_VALUE
    if not isinstance(given, v.ParametersOf):
        return UNKNOWN_VALUE
    ref = f"generator@{it.frame.site}:{node.start}"
    if it.state.heap.get((ref, USED), Tri.NO) is not Tri.NO:
        it.state.set(it.state.heap, (ref, USED), Tri.NO)
    module = (
        it.states[ParameterIterators].generators[given.ref][1]
        if given.ref in it.states[ParameterIterators].generators
        else UNKNOWN_VALUE
    )
    it.states[ParameterIterators].generators[ref] = (
        Origin(node.start, node.end, "filter", (), it.frame.module.path),
        module,
    )
    return replace(given, ref=ref, exact=False)


def consume(it: Evaluator, value: Value) -> None:
    """Everything that the value has to give has been taken from it."""
    if type(value) is v.ParametersOf and value.ref:
        it.state.set(it.state.heap, (value.ref, USED), Tri.YES)


def consumed_by(it: Evaluator, call: ir.Node) -> None:
    """`sum(p.numel() for p in params)` goes through the name's parameters."""
    match call:
        case ir.Call(args=(ir.Comprehension(kind="generator", clauses=((_, ir.Name(id=name), _),)),)):
            consume(it, it.lookup(name))


def set_in_loop(it: Evaluator, params: v.ParametersOf, loop: ir.For) -> None:
    """`for p in module.parameters(): p.requires_grad = False`: what is done to each, whatever it is, is done to all."""
    made = it.states[ParameterIterators].generators.get(params.ref)
    target = loop.target.items[-1] if type(loop.target) is ir.Display else loop.target
    if made is None or not params.exact or type(target) is not ir.Name:
        return
    for statement in loop.body:
        match statement:
            case ir.Assign(
                targets=(ir.Attribute(object=ir.Name(id=name), name="requires_grad"),),
                value=ir.Constant(value=bool(flag)),
            ) if name == target.id:
                module_tree.require_grad(it, made[1], Tri.of(flag))
            case ir.Expression(
                value=ir.Call(
                    function=ir.Attribute(object=ir.Name(id=name), name="requires_grad_"),
                    args=(ir.Constant(value=bool(flag)),),
                )
            ) if name == target.id:
                module_tree.require_grad(it, made[1], Tri.of(flag))


def as_list(value: v.ParametersOf) -> v.ParametersOf:
    """`list(module.parameters())`."""
    return v.ParametersOf(value.owns, value.named)


def joined(left: Value, right: Value) -> v.ParametersOf:
    """`list(a.parameters()) + list(b.parameters())`, `itertools.chain(a.parameters(), b.parameters())`."""
    owns = None if left.owns is None or right.owns is None else left.owns | right.owns
    return v.ParametersOf(owns, left.named and right.named)


def added(it: Evaluator, node: ir.Node, left: Value, right: Value) -> Value:
    """`left + right`, of which one at least is `module.parameters()` or a list of that."""
    sides = (left, right)
    if all(isinstance(side, (v.ParametersOf, v.ListRef, v.TupleValue)) for side in sides):
        origins = [
            it.states[ParameterIterators].generators[side.ref][0]
            for side in sides
            if getattr(side, "ref", "") in it.states[ParameterIterators].generators
        ]
        if origins and all(isinstance(side, v.ListRef) or _is_generator(it, side) for side in sides):
            _report(it, node, "+", "sum", sides, None, None)
            return UNKNOWN_VALUE
    if all(isinstance(side, v.ParametersOf) and not side.ref for side in sides):
        return joined(left, right)
    return UNKNOWN_VALUE


def _is_generator(it: Evaluator, value: Value) -> bool:
    return isinstance(value, v.ParametersOf) and value.ref in it.states[ParameterIterators].generators


def check(it: Evaluator, name: str, params: Value, arguments: Arguments, node: ir.Node) -> None:
    """Reports what the optimizer refuses, and goes through what it is given."""
    found = _refused(it, params)
    if found is not None and found[0] == "empty" and not _is_written_in(params, node):
        found = None  # a list with a name may be filled by what is not followed
    if found is not None:
        _report(it, node, name, *found, arguments)
    for value in _given(it, params):
        consume(it, value)


def _report(it: Evaluator, node, name: str, reason: str, params: Any, made: Origin | None, arguments) -> None:
    data = (("reason", reason), ("params", params), ("made", made))
    fault = Fault(FaultKind.OPTIMIZER_PARAMS, node.start, node.end, name, data, path=it.frame.module.path)
    it.report([fault] if arguments is None else with_call(it, [fault], name, arguments))


def _is_written_in(value: Value, node: ir.Node) -> bool:
    place = value.ref.rpartition(":")[2] if isinstance(value, v.ListRef) else ""
    return place.isdigit() and node.start <= int(place) < node.end


Refused = tuple[str, Any, Origin | None]


def _refused(it: Evaluator, params: Value) -> Refused | None:
    """Why `list(params)` or what it holds is no list of parameters; the value that it is about, and where that was made."""
    if isinstance(params, TensorFact):
        known = not params.assumed and params.origin is not None and params.origin.op != "parameter"
        return ("tensor", params, None) if known else None
    whole = _of_one(it, params)
    if whole is not None:
        return whole
    items = it.elements(params)
    if items is None or len(items) > _MOST_GROUPS:
        return None
    if not items:
        return "empty", params, None
    if isinstance(items[0], v.DictRef):
        return _of_groups(it, items)
    return _of_items(it, items)


def _of_one(it: Evaluator, params: Value) -> Refused | None:
    """A module, or parameters that are gone or that there are none of."""
    if _is_module(it, params):
        return "module", params, getattr(params, "origin", None)
    if _is_generator(it, params):
        made, module = it.states[ParameterIterators].generators[params.ref]
        if it.state.heap.get((params.ref, USED)) is Tri.YES:
            return "consumed", params, made
        if _is_bare(it, module):
            return "bare", params, made
    return None


def _of_items(it: Evaluator, items: Iterable[Value]) -> Refused | None:
    for item in items:
        if _is_generator(it, item):
            return "generator", item, it.states[ParameterIterators].generators[item.ref][0]
        if _is_module(it, item):
            return "item", item, getattr(item, "origin", None)
        if isinstance(item, TensorFact) and _is_result(item):
            return "non-leaf", item, item.origin
    return None


def _is_result(tensor: TensorFact) -> bool:
    grad = tensor.grad
    return (
        grad.requires is Tri.YES and grad.leaf is Tri.NO and not tensor.assumed and tensor.origin is not None
    )


def _of_groups(it: Evaluator, groups: Iterable[Value]) -> Refused | None:
    before: set[str] = set()
    for group in groups:
        entries = it.state.heap.get((group.ref, "{}")) if isinstance(group, v.DictRef) else None
        if not isinstance(entries, dict) or "params" not in entries:
            return None
        params = entries["params"]
        # A group may hold a single tensor, and may be empty.
        if isinstance(params, TensorFact):
            found = ("non-leaf", params, params.origin) if _is_result(params) else None
        else:
            found = ("module", params, getattr(params, "origin", None)) if _is_module(it, params) else None
            items = it.elements(params)
            found = found or (None if items is None else _of_items(it, items))
        if found is not None:
            return found
        owned = _certain(it, params)
        if owned & before:
            return "twice", params, None
        before |= owned
    return None


def _certain(it: Evaluator, params: Value) -> set[str]:
    """Refs of layers all of whose parameters are certainly among these, and which have some."""
    if isinstance(params, v.ParametersOf):
        return set(params.owns or ()) & it.states[ParameterIterators].owning if params.exact else set()
    items = it.elements(params)
    return set().union(*(_certain(it, item) for item in items)) if items else set()


def _given(it: Evaluator, params: Value, depth: int = 0) -> Iterator[Value]:
    yield params
    match params:
        case v.DictRef(ref=ref):
            entries = it.state.heap.get((ref, "{}"))
            if isinstance(entries, dict) and "params" in entries:
                yield entries["params"]
        case v.ListRef() | v.TupleValue() if depth == 0:
            for item in it.elements(params) or ():
                yield from _given(it, item, 1)


def _is_module(it: Evaluator, value: Value) -> bool:
    """A module that is no list of parameters: torch cannot go through it, or finds modules in it."""
    match value:
        case v.LayerValue(qualname=name):
            return name.startswith("torch.nn.") and "Parameter" not in name
        case v.InstanceValue(cls=cls):
            known = classes.is_module(cls) and not classes.has_unknown_base(cls)
            return known and not any(classes.find_method(cls, name) for name in ("__iter__", "__getitem__"))
        case v.Wrapped(qualname=name):
            return name in optim.PARALLEL
    return False


def note_layer(it: Evaluator, ref: str) -> None:
    """A layer with parameters of its own; not one of many that the same expression makes."""
    for frame in it.frames:
        if frame.scope.kind == "comprehension" or any(not loop.unrolled for loop in frame.loops):
            it.states[ParameterIterators].owning.discard(ref)
            return
    it.states[ParameterIterators].owning.add(ref)


def _is_bare(it: Evaluator, value: Value) -> bool:
    """Has the module certainly no parameters at all?"""
    parts = module_tree.submodules(it, value)
    return bool(parts) and all(_has_none_itself(it, part) for part in parts)


def _has_none_itself(it: Evaluator, part: Value) -> bool:
    heap = it.state.heap
    match part:
        case v.LayerValue(qualname=name, ref=ref) if name in module_tree.CONTAINERS:
            return name != "torch.nn.ParameterList" and _are_modules(
                heap.get((ref, "[]"), heap.get((ref, "{}")))
            )
        case v.LayerValue(qualname=name):
            row = ops.layer(name)
            return row is not None and not row.owns_parameters and name.startswith("torch.nn.")
        case v.InstanceValue(ref=ref, cls=cls):
            names = heap.get((ref, "@attributes"), ())
            made = classes.find_method(cls, "__init__")
            if not classes.is_module(cls) or classes.has_unknown_base(cls) or (made and not names):
                return False
            if (ref, "[]") in heap and not _are_modules(heap[(ref, "[]")]) or (ref, "@base") in heap:
                return False
            held = [heap.get((ref, name), UNKNOWN_VALUE) for name in names]
            plain = (
                v.Scalar,
                v.ListRef,
                v.DictRef,
                v.TupleValue,
                v.LayerValue,
                v.InstanceValue,
                v.FunctionValue,
            )
            return all(isinstance(one, plain) for one in held) and not _has_other_ways(cls)
    return False


def _are_modules(content: object) -> bool:
    """Is all that a container holds known, and modules of which `modules.submodules` tells?"""
    if not isinstance(content, (tuple, dict)):
        return False
    held = content.values() if isinstance(content, dict) else content
    return all(isinstance(one, (v.LayerValue, v.InstanceValue)) for one in held)


def _has_other_ways(cls: v.ClassValue) -> bool:
    """Do methods of the class set attributes by names that are not written out?"""
    return any(
        imported_names.mentions(tuple(base.ir.methods.values()), _OTHER_WAYS)
        for base in classes.mro(cls)
        if isinstance(base, v.ClassValue)
    )
