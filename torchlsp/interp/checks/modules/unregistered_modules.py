"""Detects modules and parameters in a list, a tuple or a dict of a module, where nothing registers them.

This is read off the object that the `__init__` of its class creates from unknown arguments.  Nothing is reported of a class
whose methods make up for it: by registering the items, passing the list on, or listing parameters themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import classes, module_tree
from torchlsp.interp.store.heap_keys import ATTRIBUTES, GRAD, TRAINING
from torchlsp.program import ir
from torchlsp.program.walking import nodes, walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_REGISTERING = frozenset(
    """add_module register_module register_parameter setattr __setattr__ _modules _parameters __dict__ named_parameters
    state_dict parameters named_modules named_children""".split()
)
"""Names by which a class registers what it holds, or does without registration."""
_OVERRIDES = frozenset(
    """parameters named_parameters modules named_modules children named_children state_dict load_state_dict to cuda cpu _apply apply
    train eval __getattr__ __setattr__ __getattribute__ __new__ __init_subclass__ _load_from_state_dict""".split()
)
"""Methods by which a class finds its modules and parameters itself."""
_PLAIN = (v.ListRef, v.TupleValue, v.Repeated, v.DictRef)
_PLAIN_NAMES: dict[type, str] = {
    v.ListRef: "list", v.TupleValue: "tuple", v.Repeated: "tuple", v.DictRef: "dict",
}  # fmt: skip
_Container = v.ListRef | v.TupleValue | v.Repeated | v.DictRef
_Trainable = v.LayerValue | v.InstanceValue | TensorFact
_READERS = frozenset(
    "len enumerate zip range reversed print iter isinstance str repr sum min max any all next".split()
)
"""Functions that neither change nor keep a list that they are given."""
_LIST_METHODS = frozenset({"append", "extend", "insert"})
_DICT_METHODS = frozenset({"keys", "values", "items"})


def report_unregistered(it: Evaluator, instance: v.InstanceValue, cls: ir.Class, init: ir.Function) -> None:
    """Reports the attributes of a new object that hold modules or parameters which nothing registers."""
    held = [
        (name, value) for name in it.state.heap.get((instance.ref, ATTRIBUTES), ())
        if isinstance(value := it.state.heap.get((instance.ref, name)), _PLAIN)
    ]  # fmt: skip
    if not held or not classes.is_module(instance.cls) or classes.has_unknown_base(instance.cls):
        return
    known = None
    for name, value in held:
        items = _items(it, value)
        if not items or not any(True for item in items for _ in _trainable(it, item)):
            continue
        assigned = _assignment(init, name)
        if (
            assigned is None
            or _hides(assigned.value)
            or _makes_up_for_it(instance.cls, cls, init, name, assigned)
        ):
            continue
        if type(assigned.value) is ir.Name and _may_register_unseen(it, instance):
            continue
        known = _registered(it, instance) if known is None else known
        hidden = [one for item in items for one in _trainable(it, item) if not _is_registered(it, one, known)]
        if len(hidden) == len([one for item in items for one in _trainable(it, item)]) and hidden:
            _report(it, instance, cls, name, value, items, assigned.value, hidden)


def _report(
    it: Evaluator,
    instance: v.InstanceValue,
    cls: ir.Class,
    name: str,
    value: _Container,
    items: tuple[Value, ...],
    place: ir.Node,
    hidden: list[_Trainable],
) -> None:
    parameters = all(isinstance(one, TensorFact) for one in hidden)
    container = _PLAIN_NAMES[type(value)]
    plain = all(
        isinstance(item, TensorFact if parameters else (v.LayerValue, v.InstanceValue)) for item in items
    )
    wrap = ""
    if plain and _can_be_wrapped(cls, name, _DICT_METHODS if container == "dict" else _LIST_METHODS):
        if not isinstance(value, v.DictRef):
            wrap = "ParameterList" if parameters else "ModuleList"
        elif not parameters:
            keys = it.state.heap.get((value.ref, "{}"))
            if isinstance(keys, dict) and all(
                isinstance(key, str) and key and "." not in key for key in keys
            ):
                wrap = "ModuleDict"
    own = next((base for base in cls.bases if type(base) is ir.Attribute), None)
    data = (
        ("attribute", name),
        ("container", container),
        ("what", "parameters" if parameters else "modules"),
        ("wrap", wrap),
        ("base", None if own is None else (own.start, own.end)),
    )
    path = instance.cls.scope.module.path
    it.report([Fault(FaultKind.PLAIN_CONTAINER, place.start, place.end, "torch.nn.Module", data, path=path)])


# ---- what is held ---------------------------------------------------------------------------------------------------------


def _items(it: Evaluator, value: Value) -> tuple[Value, ...]:
    """Returns what a container holds as far as that is known; of a dict, its values."""
    content: tuple[Value, ...] | v.Repeated | None = None
    match value:
        case v.TupleValue(items=items, is_size=False):
            content = items
        case v.ListRef(ref=ref):
            content = it.state.heap.get((ref, "[]"))
        case v.DictRef(ref=ref):
            entries = it.state.heap.get((ref, "{}"))
            content = tuple(entries.values()) if isinstance(entries, dict) else entries
        case v.Repeated():
            content = value
    if isinstance(content, v.Repeated):
        return (content.element,)
    return content if isinstance(content, tuple) else ()


def _trainable(it: Evaluator, value: Value, depth: int = 0) -> Iterator[_Trainable]:
    """Yields the modules with weights to be trained, and the parameters, in an item and the lists and tuples in it."""
    match value:
        case v.LayerValue() | v.InstanceValue():
            if any(_learns(it, module) for module in module_tree.submodules(it, value)):
                yield value
        case TensorFact(provenance="parameter", grad=grad):
            if grad.leaf is Tri.YES and grad.requires is Tri.YES and value.storage.ids is not None:
                yield value
        case v.TupleValue() | v.ListRef() if depth < 2:
            for item in _items(it, value):
                yield from _trainable(it, item, depth + 1)


def _learns(it: Evaluator, module: v.LayerValue | v.InstanceValue) -> bool:
    """Returns whether a module itself, without its submodules, has weights that are certainly trained."""
    heap = it.state.heap
    if heap.get((module.ref, GRAD), Tri.YES) is not Tri.YES:
        return False
    if heap.get((module.ref, TRAINING), Tri.YES) is not Tri.YES:
        return False
    if isinstance(module, v.InstanceValue):
        return any(
            isinstance(held := heap.get((module.ref, name)), TensorFact)
            and held.provenance == "parameter"
            and held.grad.requires is Tri.YES
            for name in heap.get((module.ref, ATTRIBUTES), ())
        )
    row = ops.layer(module.qualname)
    if row is None or not row.owns_parameters or not module.qualname.startswith("torch.nn."):
        return False
    return all(module[name] != v.FALSE for name in ("affine", "elementwise_affine"))


def _registered(it: Evaluator, instance: v.InstanceValue) -> tuple[set[str], frozenset[str]]:
    """Returns the refs of the modules and the memory of the parameters that are registered in the object."""
    refs = {instance.ref, *(module.ref for module in module_tree.submodules(it, instance))}
    ids: frozenset[str] = frozenset()
    for ref in sorted(refs):
        for name in it.state.heap.get((ref, ATTRIBUTES), ()):
            value = it.state.heap.get((ref, name))
            if isinstance(value, TensorFact) and value.storage.ids is not None:
                ids |= value.storage.ids
    return refs, ids


def _may_register_unseen(it: Evaluator, instance: v.InstanceValue) -> bool:
    """Returns whether a container of the object holds modules that are not known: any module made before may be in it."""
    for module in module_tree.submodules(it, instance):
        if isinstance(module, v.LayerValue) and module.qualname in module_tree.CONTAINERS:
            content = it.state.heap.get((module.ref, "[]"), it.state.heap.get((module.ref, "{}")))
            if isinstance(content, v.Repeated):
                content = (content.element,)
            held = content.values() if isinstance(content, dict) else content
            if not isinstance(held, Collection) or not all(
                isinstance(one, (v.LayerValue, v.InstanceValue, v.Wrapped)) for one in held
            ):
                return True
    return False


def _is_registered(it: Evaluator, value: _Trainable, known: tuple[set[str], frozenset[str]]) -> bool:
    """Returns whether a parameter, or all that is trained in a module, is registered in the object."""
    refs, ids = known
    if isinstance(value, TensorFact):
        own = value.storage.ids
        # The weight of a layer has the layer's ref in the name of its memory.
        return own is None or not own.isdisjoint(ids) or any(one.rpartition(".")[0] in refs for one in own)
    return value.ref in refs or all(
        part.ref in refs for part in module_tree.submodules(it, value) if _learns(it, part)
    )


# ---- what the class does with it ------------------------------------------------------------------------------------------


def _assignment(init: ir.Function, name: str) -> ir.Assign | None:
    """Returns the assignment of the attribute in `__init__`, if there is only one."""
    own = init.params[0].name
    found = [
        node for node in walk(init.body)
        if type(node) is ir.Assign and any(_is_own(target, own, name) for target in node.targets)
    ]  # fmt: skip
    return found[0] if len(found) == 1 and len(found[0].targets) == 1 else None


def _is_own(node: ir.Node, own: str, name: str) -> bool:
    """Returns whether an expression is the attribute `name` of `self`, which is called `own`."""
    return (
        type(node) is ir.Attribute
        and node.name == name
        and type(node.object) is ir.Name
        and node.object.id == own
    )


def _hides(value: ir.Node) -> bool:
    """Returns whether a module seems to be in a list so that it is not registered: `[teacher]`."""
    return (
        type(value) is ir.Display
        and len(value.items) == 1
        and type(value.items[0]) in (ir.Name, ir.Attribute)
    )


def _makes_up_for_it(
    value: v.ClassValue, cls: ir.Class, init: ir.Function, name: str, assigned: ir.Assign
) -> bool:
    """Returns whether the class may register the items itself, or never uses the attribute."""
    used = False
    for base in classes.mro(value):
        if not isinstance(base, v.ClassValue):
            continue
        if (
            base.ir is None
            or base.ir.decorators
            or base.ir.keywords
            or not _OVERRIDES.isdisjoint(base.ir.methods)
        ):
            return True
        for method in base.ir.methods.values():
            for node in nodes(method.body):
                if type(node) is ir.Attribute:
                    if node.name in _REGISTERING:
                        return True
                    used = used or method is not init and node.name == name
                elif type(node) is ir.Name:
                    if node.id in _REGISTERING:
                        return True
                elif method is not init and type(node) is ir.Assign:
                    if any(type(target) is ir.Attribute and target.name == name for target in node.targets):
                        return True
    if "forward" in cls.methods and not used:
        return True
    aliases = {node.id for node in walk((assigned.value,)) if type(node) is ir.Name}
    return any(_passes_on(node, name, aliases) for node in walk(init.body))


def _passes_on(node: ir.Node, name: str, aliases: set[str]) -> bool:
    """Returns whether a call passes the list, or the local one that it is made of, to a function that may do
    anything with it."""
    if type(node) is not ir.Call:
        return False
    function = node.function
    if type(function) is ir.Name and function.id in _READERS:
        return False
    if type(function) is ir.Attribute and function.name in _LIST_METHODS:
        return False
    for argument in (*node.args, *(value for _, value in node.keywords)):
        inner = argument.value if type(argument) is ir.Starred else argument
        if type(inner) is ir.Attribute and inner.name == name:
            return True
        if type(inner) is ir.Name and inner.id in aliases and type(argument) is ir.Starred:
            return True
    return False


def _can_be_wrapped(cls: ir.Class, name: str, methods: frozenset[str]) -> bool:
    """Returns whether the class uses the attribute only as a container of modules with `methods` allows."""
    for method in cls.methods.values():
        for node in walk(method.body):
            match node:
                case ir.Attribute(object=ir.Attribute(name=inner), name=used) if inner == name:
                    if used not in methods:
                        return False
                case ir.Binary(left=left, right=right):
                    if any(type(side) is ir.Attribute and side.name == name for side in (left, right)):
                        return False
                case ir.Augmented(target=ir.Attribute(name=inner)) if inner == name:
                    return False
    return True


HOOKS = Hooks(class_initialised=report_unregistered)
