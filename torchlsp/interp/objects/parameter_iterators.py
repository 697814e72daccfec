"""Follows the parameters that optimizers get: iterators of parameters, lists of tensors, and groups.

`module.parameters()` can be iterated once.

Reports what an optimizer's constructor refuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import (
    classes,
    given_functions,
    heap_access,
    heap_values,
    imported_names,
    module_tree,
)
from torchlsp.interp.model.call_records import with_call
from torchlsp.interp.model.heap_access import Entries, Items
from torchlsp.interp.store.heap_keys import BASE, FROZEN, GRAD, OF_ROOT, USED
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.ops.libraries import optim
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.walking import scope_nodes

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_UNSEEN_SETTERS = frozenset(
    """setattr add_module register_module register_parameter _modules _parameters __dict__ vars __setattr__
    globals exec""".split()
)
"""Names whose use may add parameters to a class that no assignment shows."""
_MAX_GROUPS = 64


@running_state
class ParameterIterators:
    """The iterators that `module.parameters()` has returned, and the layers that exist only once."""

    generators: dict[str, tuple[Origin, Value]] = per_root(dict)
    """Where each was called, and the module, by the ref of the iterator."""
    frozen: set[str] = per_root(set)
    """Refs of the iterators over those parameters of a module that require grad, of which there are none."""
    owning: set[str] = per_root(set)
    """Refs of layers with parameters that no expression creates more than once."""


def create_iterator(it: Evaluator, value: Value, named: bool, node: ir.Node) -> v.ParametersOf:
    """Creates the iterator that `module.parameters()` returns."""
    ref = f"generator@{it.frame.site}:{node.start}"
    heap = it.state.heap
    if heap.get((ref, USED), Tri.NO) is not Tri.NO:
        it.state.set(heap, (ref, USED), Tri.NO)
    it.states[ParameterIterators].generators[ref] = (
        Origin(node.start, node.end, "parameters", (), it.frame.module.path),
        value,
    )
    return v.ParametersOf(module_tree.owned_refs(it, value), named, ref)


def filter_parameters(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Creates the iterator that `filter(test, module.parameters())` returns."""
    given_functions.give_all(it, arguments.positional[:1])
    parameters = arguments.positional[1] if len(arguments.positional) == 2 else UNKNOWN_VALUE
    if not isinstance(parameters, v.ParametersOf):
        return UNKNOWN_VALUE
    test = arguments.positional[0]
    body = test.ir.body if isinstance(test, v.FunctionValue) and len(test.ir.params) == 1 else ()
    result = body[0].value if len(body) == 1 and type(body[0]) is ir.Return else None
    trainable = isinstance(test, v.FunctionValue) and _asks_for_grad(result, test.ir.params[0].name)
    return _iterator_over(it, parameters, "filter", node, trainable)


def generate_parameters(it: Evaluator, source: Value, node: ir.Comprehension) -> Value:
    """Creates the iterator `(p for p in module.parameters() if p.requires_grad)`; NotImplemented for another generator."""
    if not isinstance(source, v.ParametersOf) or node.kind != "generator" or len(node.clauses) != 1:
        return NotImplemented
    target, _, filters = node.clauses[0]
    if source.named and type(target) is ir.Display and len(target.items) == 2:
        target = target.items[1]
    elif source.named:
        return NotImplemented
    if type(target) is not ir.Name or type(node.element) is not ir.Name or node.element.id != target.id:
        return NotImplemented
    trainable = len(filters) == 1 and _asks_for_grad(filters[0], target.id)
    return _iterator_over(it, replace(source, named=False), "generator", node, trainable, bool(filters))


def _asks_for_grad(test: ir.Node | None, name: str) -> bool:
    """Returns whether a test is `name.requires_grad`."""
    match test:
        case ir.Attribute(object=ir.Name(id=asked), name="requires_grad"):
            return asked == name
    return False


def _iterator_over(
    it: Evaluator, parameters: v.ParametersOf, op: str, node: ir.Node, trainable: bool, some: bool = True
) -> Value:
    """Creates an iterator over the items of another one, over those that are `trainable` or over `some` of them."""
    ref = f"generator@{it.frame.site}:{node.start}"
    if it.state.heap.get((ref, USED), Tri.NO) is not Tri.NO:
        it.state.set(it.state.heap, (ref, USED), Tri.NO)
    states = it.states[ParameterIterators]
    module = states.generators[parameters.ref][1] if parameters.ref in states.generators else UNKNOWN_VALUE
    states.generators[ref] = (Origin(node.start, node.end, op, (), it.frame.module.path), module)
    if trainable and _is_frozen(it, module):
        states.frozen.add(ref)
    else:
        states.frozen.discard(ref)
    return replace(parameters, ref=ref, exact=parameters.exact and not some)


def _is_frozen(it: Evaluator, module: Value) -> bool:
    """Returns whether a module has parameters, and certainly none of them requires grad."""
    heap = it.state.heap
    parts = module_tree.submodules(it, module)
    if heap.get(("*", FROZEN)) or not parts or all(_has_none_itself(it, part) for part in parts):
        return False
    for part in parts:
        if _has_none_itself(it, part):
            continue
        if heap.get((part.ref, GRAD)) is not Tri.NO or (part.ref, BASE) in heap:
            return False
        if isinstance(part, v.InstanceValue):
            return False
    return True


def consume(it: Evaluator, value: Value) -> None:
    """Marks an iterator of parameters as exhausted."""
    if type(value) is v.ParametersOf and value.ref:
        it.state.set(it.state.heap, (value.ref, USED), Tri.YES)


def is_used_up(it: Evaluator, value: Value) -> bool:
    """Returns whether a value is an iterator of parameters that is certainly exhausted."""
    return (
        type(value) is v.ParametersOf and bool(value.ref) and it.state.heap.get((value.ref, USED)) is Tri.YES
    )


def consume_in_generator(it: Evaluator, call: ir.Node) -> None:
    """Marks the iterator that a generator expression exhausts: `sum(p.numel() for p in params)`."""
    match call:
        case ir.Call(args=(ir.Comprehension(kind="generator", clauses=((_, ir.Name(id=name), _),)),)):
            consume(it, it.lookup(name))


def set_requires_grad_in_loop(it: Evaluator, params: v.ParametersOf, loop: ir.For) -> None:
    """Applies `for p in module.parameters(): p.requires_grad = False` to all parameters of the module."""
    generator = it.states[ParameterIterators].generators.get(params.ref)
    target = loop.target.items[-1] if type(loop.target) is ir.Display else loop.target
    if generator is None or not params.exact or type(target) is not ir.Name:
        return
    for statement in loop.body:
        match statement:
            case ir.Assign(
                targets=(ir.Attribute(object=ir.Name(id=name), name="requires_grad"),),
                value=ir.Constant(value=bool(flag)),
            ) if name == target.id:
                module_tree.require_grad(it, generator[1], Tri.of(flag))
            case ir.Expression(
                value=ir.Call(
                    function=ir.Attribute(object=ir.Name(id=name), name="requires_grad_"),
                    args=(ir.Constant(value=bool(flag)),),
                )
            ) if name == target.id:
                module_tree.require_grad(it, generator[1], Tri.of(flag))


def as_list(it: Evaluator, value: v.ParametersOf, node: ir.Node) -> Value:
    """Returns the value of `list(module.parameters())`, an empty list for a module without parameters."""
    created = _created(it, value)
    if created is not None and value.exact and _is_bare(it, created[1]):
        return heap_values.new_list(it, node, ())
    return v.ParametersOf(value.owns, value.named, exact=value.exact)


def unpacked(it: Evaluator, values: list[Value]) -> v.ParametersOf | None:
    """Returns the value of `[*a.parameters(), *b.parameters()]`; None where anything else is among them."""
    found: v.ParametersOf | None = None
    for value in values:
        if not isinstance(value, v.ParametersOf):
            return None
        one = replace(value, ref="")
        found = one if found is None else concatenate(found, one)
    for value in values:
        consume(it, value)
    return found


def concatenate(left: v.ParametersOf, right: v.ParametersOf) -> v.ParametersOf:
    """Concatenates parameters: `list(a.parameters()) + list(b.parameters())`, `itertools.chain(…)`."""
    owns = None if left.owns is None or right.owns is None else left.owns | right.owns
    return v.ParametersOf(owns, left.named and right.named, exact=left.exact and right.exact)


def add(it: Evaluator, node: ir.Node, left: Value, right: Value) -> Value:
    """Evaluates `left + right` where one is `module.parameters()` or a list of it.

    Reports a sum with an iterator, which Python refuses.
    """
    sides = (left, right)
    generators = it.states[ParameterIterators].generators
    if all(isinstance(side, (v.ParametersOf, v.ListRef, v.TupleValue)) for side in sides):
        has_generator = any(getattr(side, "ref", "") in generators for side in sides)
        if has_generator and all(isinstance(side, v.ListRef) or _created(it, side) for side in sides):
            _report(it, node, "+", "sum", sides, None, None)
            return UNKNOWN_VALUE
    if isinstance(left, v.ParametersOf) and isinstance(right, v.ParametersOf):
        if not left.ref and not right.ref:
            return concatenate(left, right)
    return UNKNOWN_VALUE


def _created(it: Evaluator, value: Value) -> tuple[Origin, Value] | None:
    """Returns where an iterator of parameters was created, and its module; None for anything else."""
    if not isinstance(value, v.ParametersOf):
        return None
    return it.states[ParameterIterators].generators.get(value.ref)


def report_refused_parameters(
    it: Evaluator, name: str, params: Value, arguments: Arguments, node: ir.Node
) -> None:
    """Reports parameters that an optimizer refuses, and marks the iterators among them as exhausted."""
    found = _refused(it, params)
    if found is not None and found[0] == "empty" and not _is_written_in(params, node):
        found = None  # a list with a name may be filled by unknown code
    if found is not None:
        _report(it, node, name, *found, arguments)
    for value in _with_items(it, params):
        consume(it, value)


def _report(
    it: Evaluator,
    node: ir.Node,
    name: str,
    reason: str,
    params: Value | tuple[Value, Value],
    created: Origin | None,
    arguments: Arguments | None,
) -> None:
    data = (("reason", reason), ("params", params), ("made", created))
    fault = Fault(FaultKind.OPTIMIZER_PARAMS, node.start, node.end, name, data, path=it.frame.module.path)
    it.report([fault] if arguments is None else with_call(it, [fault], name, arguments))


def _is_written_in(value: Value, node: ir.Node) -> bool:
    """Returns whether a list is a display inside the call itself."""
    place = value.ref.rpartition(":")[2] if isinstance(value, v.ListRef) else ""
    return place.isdigit() and node.start <= int(place) < node.end


Refused = tuple[str, Value, Origin | None]
"""Why an argument is refused, the value in it that is the reason, and where that was created."""


def _refused(it: Evaluator, params: Value) -> Refused | None:
    """Returns why an optimizer refuses its first argument; None if it does not."""
    if isinstance(params, TensorFact):
        known = not params.assumed and params.origin is not None and params.origin.op != "parameter"
        return ("tensor", params, None) if known else None
    whole = _of_one(it, params)
    if whole is not None:
        return whole
    items = it.elements(params)
    if items is None or len(items) > _MAX_GROUPS:
        return None
    if not items:
        return "empty", params, None
    if isinstance(items[0], v.DictRef):
        return _of_groups(it, items)
    return _of_items(it, items)


def _of_one(it: Evaluator, params: Value) -> Refused | None:
    """Returns why a single value is refused: a module, an exhausted iterator, a module without parameters."""
    if _is_module(it, params):
        return "module", params, getattr(params, "origin", None)
    created = _created(it, params)
    if created is not None and isinstance(params, v.ParametersOf):
        called_at, module = created
        if is_used_up(it, params):
            return "consumed", params, called_at
        if params.ref in it.states[ParameterIterators].frozen:
            return "frozen", params, called_at
        if _is_bare(it, module):
            return "bare", params, called_at
    return None


def _of_items(it: Evaluator, items: Iterable[Value]) -> Refused | None:
    """Returns why an item of a list is refused."""
    for item in items:
        created = _created(it, item)
        if created is not None:
            return "generator", item, created[0]
        if _is_module(it, item):
            return "item", item, getattr(item, "origin", None)
        if isinstance(item, TensorFact) and _is_result(item):
            return "non-leaf", item, item.origin
    return None


def _is_result(tensor: TensorFact) -> bool:
    """Returns whether a tensor is certainly the result of an operation that requires grad: not a leaf."""
    grad = tensor.grad
    return (
        grad.requires is Tri.YES and grad.leaf is Tri.NO and not tensor.assumed and tensor.origin is not None
    )


def _of_groups(it: Evaluator, groups: Iterable[Value]) -> Refused | None:
    """Returns why a parameter group is refused."""
    before: set[str] = set()
    found: Refused | None
    for group in groups:
        entries = heap_access.entries_at(it, group.ref) if isinstance(group, v.DictRef) else None
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
    """Returns the refs of layers that have parameters, all of which are certainly among these."""
    if isinstance(params, v.ParametersOf):
        return set(params.owns or ()) & it.states[ParameterIterators].owning if params.exact else set()
    items = it.elements(params)
    return set().union(*(_certain(it, item) for item in items)) if items else set()


def _with_items(it: Evaluator, params: Value, depth: int = 0) -> Iterator[Value]:
    """Yields the argument, its items, and the parameters of the groups among them."""
    yield params
    match params:
        case v.DictRef(ref=ref):
            entries = heap_access.entries_at(it, ref)
            if isinstance(entries, dict) and "params" in entries:
                yield entries["params"]
        case v.ListRef() | v.TupleValue() if depth == 0:
            for item in it.elements(params) or ():
                yield from _with_items(it, item, 1)


def _is_module(it: Evaluator, value: Value) -> bool:
    """Returns whether a value is a module: not iterable, or a container whose items are modules."""
    match value:
        case v.LayerValue(qualname=name):
            return name.startswith("torch.nn.") and "Parameter" not in name
        case v.InstanceValue(cls=cls):
            known = classes.is_module(cls) and not classes.has_unknown_base(cls)
            return known and not any(classes.find_method(cls, name) for name in ("__iter__", "__getitem__"))
        case v.Wrapped(qualname=name):
            return name in optim.PARALLEL
    return False


def record_layer(it: Evaluator, ref: str) -> None:
    """Records a layer with parameters of its own, unless one expression may create several of it."""
    for frame in it.frames:
        if frame.scope.kind == "comprehension" or any(not loop.unrolled for loop in frame.loops):
            it.states[ParameterIterators].owning.discard(ref)
            return
    it.states[ParameterIterators].owning.add(ref)


def _is_bare(it: Evaluator, value: Value) -> bool:
    """Returns whether a module certainly has no parameters.

    Outside of its constructor, an object of which no creation is in sight may be of a subclass that has some.
    """
    if isinstance(value, v.InstanceValue) and value.ref.startswith(OF_ROOT):
        functions = [frame.function for frame in it.frames]
        if not any(function is not None and function.name == "__init__" for function in functions):
            return False
    parts = module_tree.submodules(it, value)
    return bool(parts) and all(_has_none_itself(it, part) for part in parts)


def _has_none_itself(it: Evaluator, part: v.LayerValue | v.InstanceValue) -> bool:
    """Returns whether a module certainly has no parameters apart from those of its submodules."""
    heap = it.state.heap
    match part:
        case v.LayerValue(qualname=name, ref=ref) if name in module_tree.CONTAINERS:
            content = heap.get((ref, "[]"), heap.get((ref, "{}")))
            return name != "torch.nn.ParameterList" and _are_modules(content)
        case v.LayerValue(qualname=name):
            row = ops.layer(name)
            return row is not None and not row.owns_parameters and name.startswith("torch.nn.")
        case v.InstanceValue(ref=ref, cls=cls):
            names = heap_access.attribute_names(it, ref)
            constructor = classes.find_method(cls, "__init__")
            if not classes.is_module(cls) or classes.has_unknown_base(cls):
                return False
            if constructor and not names and not _registers_nothing(cls):
                return False
            if heap_access.may_be_changed(it, ref):
                return False  # it may have been given some
            items = heap_access.items_at(it, ref)
            if items is not None and not _are_modules(items) or (ref, BASE) in heap:
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
            return all(isinstance(one, plain) for one in held) and not _sets_unseen_attributes(cls)
    return False


def _registers_nothing(cls: v.ClassValue) -> bool:
    """Returns whether constructors of a plain module do nothing with `self`, so that all they create are local names."""
    for base in classes.mro(cls):
        if isinstance(base, v.External):
            if base.name not in ("torch.nn.Module", "builtins.object"):
                return False
        elif not isinstance(base, v.ClassValue) or base.ir.keywords or base.ir.decorators:
            return False
        elif not _OWN_PARAMETERS.isdisjoint(base.ir.methods):
            return False
        else:
            constructor = base.ir.methods.get("__init__")
            if constructor is not None and (constructor.decorators or _uses_self(constructor)):
                return False
    return True


_OWN_PARAMETERS = frozenset(
    "__new__ __getattr__ __getattribute__ parameters named_parameters _named_members named_modules modules".split()
)
"""Methods by which a class may have parameters that it does not register."""


def _uses_self(constructor: ir.Function) -> bool:
    """Returns whether a constructor does anything with its first parameter but to call the constructor of a base."""
    name = constructor.params[0].name if constructor.params else ""
    for statement in constructor.body:
        match statement:
            case ir.Expression(
                value=ir.Call(
                    function=ir.Attribute(object=ir.Call(function=ir.Name(id="super")), name="__init__"),
                    args=args,
                    keywords=keywords,
                )
            ):
                inner: tuple = (args, keywords)
            case _:
                inner = (statement,)
        for node in scope_nodes(inner):
            if isinstance(node, ir.Define | ir.DefineClass | ir.Lambda):
                return True
            if type(node) is ir.Name and node.id in (name, "super", "locals", "vars"):
                return True
    return not name


def _are_modules(content: Items | Entries | None) -> bool:
    """Returns whether a container certainly holds only modules, so that `module_tree.submodules` lists them."""
    if not isinstance(content, (tuple, dict)):
        return False
    held = content.values() if isinstance(content, dict) else content
    return all(isinstance(one, (v.LayerValue, v.InstanceValue)) for one in held)


def _sets_unseen_attributes(cls: v.ClassValue) -> bool:
    """Returns whether methods of the class may set attributes that no assignment shows."""
    return any(
        imported_names.mentions(tuple(base.ir.methods.values()), _UNSEEN_SETTERS)
        for base in classes.mro(cls)
        if isinstance(base, v.ClassValue)
    )
