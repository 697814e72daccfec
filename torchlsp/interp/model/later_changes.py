"""Finds the attributes of a class that methods or other files change after `__init__`."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.interp.model import classes, heap_access
from torchlsp.interp.model.passed_functions import passed_functions
from torchlsp.interp.store.heap_keys import ATTRIBUTES
from torchlsp.interp.store.possible_objects import one_of
from torchlsp.program import ir
from torchlsp.program.walking import below

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def forget_changing(it: Evaluator, instance: v.InstanceValue, seen: set[str] | None = None) -> None:
    """Forgets the attributes of an object, and of its parts, that some method changes or adds to: an unknown call may have run it.

    `seen`: objects of which they are forgotten already; those that are reached are added.
    """
    seen = set() if seen is None else seen
    seen.add(instance.ref)
    cls = instance.cls
    heap = it.state.heap
    filled = cls.scope.module.ir.changed_attributes if cls.scope is not None else frozenset()
    for name in heap.get((instance.ref, ATTRIBUTES), ()):
        held = heap.get((instance.ref, name))
        for part in heap_access.objects_within(it, held):
            if part.ref not in seen:
                forget_changing(it, part, seen)
        if isinstance(held, v.ListRef | v.DictRef) and name in filled:
            key = (held.ref, "[]" if isinstance(held, v.ListRef) else "{}")
            it.state.set(heap, key, one_of(heap.get(key)))
    names = it.changing.get(cls.ref)
    if names is None:
        names = it.changing[cls.ref] = attributes_changed_later(it, cls)
    classes.forget(it, instance, names | devices_moved_along(it, instance))


def filled_elsewhere(it: Evaluator, cls: v.ClassValue, here: ir.Function | None) -> frozenset[str]:
    """Returns the attributes to which methods other than `here` add items: any of them may run in between.

    What `__init__` leaves empty is filled later, in sight where code of the file alone calls these methods.
    """
    filled = it.filled.get(cls.ref)
    if filled is None:
        filled = it.filled[cls.ref] = attributes_filled(cls)
    called = here is not None and here.name == "__init__" and not classes.has_unknown_base(cls)
    return frozenset(
        name
        for name, method in filled
        if method is not here and not (called and _is_only_called(cls, method))
    )


def _is_only_called(cls: v.ClassValue, method: ir.Function) -> bool:
    """Returns whether the file does no more with a method of a class, and the functions in it, than call it."""
    module = cls.scope.module.ir if cls.scope is not None else None
    nested = any(isinstance(node, ir.Define | ir.Lambda) for node in below(method.body))
    return module is not None and not nested and id(method) not in passed_functions(module)


def overridden_in_subclasses(module: ir.Module, cls: ir.Class) -> frozenset[str]:
    """Returns the names that subclasses in the same file redefine, if the file creates no objects of the class itself."""
    if cls.name in module.used_classes:
        return frozenset()
    derived: dict[str, list[int]] | None = module.memo_of_definitions.get("derived classes")
    if derived is None:
        derived = module.memo_of_definitions["derived classes"] = _derived_classes(module)
    names, found = {cls.name}, set[str]()
    # A class derives from those before it, so the first of a name counts.
    waiting, seen = list(derived.get(cls.name, ())), set[int]()
    while waiting:
        place = heappop(waiting)
        if place in seen:
            continue
        seen.add(place)
        node = module.body[place]
        assert type(node) is ir.DefineClass
        one = node.cls
        found |= one.methods.keys()
        found |= {name for name, _ in assigned_in_body(one)}
        if one.name not in names:
            names.add(one.name)
            for later in derived.get(one.name, ()):
                if later > place:
                    heappush(waiting, later)
    if cls.name in module.unread_words:
        own = {*cls.methods, *(name for name, _ in assigned_in_body(cls))}
        found |= own & module.unread_words  # a subclass may be among what does not parse
    return frozenset(found - {"__init__", "forward"})


def _derived_classes(module: ir.Module) -> dict[str, list[int]]:
    """Returns the places in a file's body of the classes that derive from each name."""
    found: dict[str, list[int]] = {}
    for place, node in enumerate(module.body):
        if type(node) is ir.DefineClass:
            for base in node.cls.bases:
                if isinstance(base, ir.Name):
                    found.setdefault(base.id, []).append(place)
    return found


def assigned_in_body(cls: ir.Class) -> list[tuple[str, ir.Node | None]]:
    """Returns the names that the body of a class assigns, each with its value; None where it is only annotated."""
    found: list[tuple[str, ir.Node | None]] | None = cls.memo.get("assigned in body")
    if found is not None:
        return found
    found = cls.memo["assigned in body"] = []
    for item in cls.body:
        if isinstance(item, ir.Assign):
            found += [(target.id, item.value) for target in item.targets if isinstance(target, ir.Name)]
        elif isinstance(item, ir.Annotated) and isinstance(item.target, ir.Name):
            found.append((item.target.id, item.value))
    return found


def is_changed_in_its_file(cls: v.ClassValue, name: str) -> bool:
    """Returns whether functions of the file that defines a class set an attribute of this name, of whatever object."""
    return cls.scope is not None and name in cls.scope.module.ir.changed_attributes


def attributes_changed_later(it: Evaluator, cls: v.ClassValue) -> frozenset[str]:
    """Returns the attributes of `self` that any method but `__init__` assigns, or that code out of sight does."""
    found: set[str] = set()
    for base in classes.mro(cls):
        if isinstance(base, v.ClassValue) and base.ir is not None:
            found |= _changed_by_methods(base.ir)
            found |= _set_out_of_sight(base.ir)
    return frozenset(found)


def _set_out_of_sight(cls: ir.Class) -> frozenset[str]:
    """Returns the attributes with a text that a class also compares with a text to which it never sets them:
    `self.mode = "basic"` and `if self.mode == "search"`."""
    found: frozenset[str] | None = cls.memo.get("set out of sight")
    if found is None:
        set_to: dict[str, set[str]] = {}
        compared: dict[str, set[str]] = {}
        for node in below(tuple(one for method in cls.methods.values() for one in method.body)):
            match node:
                case ir.Assign(targets=(ir.Attribute(object=ir.Name(), name=name),), value=value):
                    text = value.value if isinstance(value, ir.Constant) else None
                    set_to.setdefault(name, set()).add(text if isinstance(text, str) else "")
                case ir.Compare(
                    left=ir.Attribute(object=ir.Name(), name=name),
                    ops=("==",),
                    rights=(ir.Constant(value=str(text)),),
                ):
                    compared.setdefault(name, set()).add(text)
        found = cls.memo["set out of sight"] = frozenset(
            name
            for name, texts in compared.items()
            if name in set_to and "" not in set_to[name] and texts - set_to[name]
        )
    return found


def devices_moved_along(it: Evaluator, instance: v.InstanceValue) -> frozenset[str]:
    """Returns the attributes with devices of a module whose class has its own way to be moved, which may set them."""
    heap = it.state.heap
    held = {name: heap.get((instance.ref, name)) for name in heap.get((instance.ref, ATTRIBUTES), ())}
    devices = frozenset(name for name, value in held.items() if _may_be_device(value))
    if devices and any(classes.find_method(instance.cls, name) for name in ("to", "cuda", "_apply")):
        return devices
    return frozenset()


def _may_be_device(value: object) -> bool:
    if type(value) is v.Scalar and isinstance(value.value, str):
        return value.value.partition(":")[0] in ("cpu", "cuda")
    return type(value) is v.DeviceValue


def _changed_by_methods(cls: ir.Class) -> set[str]:
    """Returns the same for the methods of one class, computed once: many classes may share a base."""
    found: set[str] | None = cls.memo.get("changed by methods")
    if found is None:
        found = cls.memo["changed by methods"] = set()
        for name, function in cls.methods.items():
            if name != "__init__" and function.params:
                _assigned_attributes(function, function.params[0].name, found)
    return found


def _assigned_attributes(function: ir.Function, receiver: str, found: set[str]) -> None:
    for node in _statements(function):
        match node:
            case ir.Assign(targets=targets):
                for target in targets:
                    _collect_assigned(target, receiver, found)
            case ir.Augmented(target=target) | ir.Annotated(target=target) | ir.For(target=target):
                _collect_assigned(target, receiver, found)


def attributes_filled(cls: v.ClassValue) -> tuple[tuple[str, ir.Function], ...]:
    """Returns the attributes of `self` that methods add items to, each with the method."""
    seen = [base for base in classes.mro(cls) if isinstance(base, v.ClassValue) and base.ir is not None]
    found: list[tuple[str, ir.Function]] = []
    for method in (method for base in seen for method in base.ir.methods.values() if method.params):
        for node in _statements(method):
            match node:
                case ir.Expression(
                    value=ir.Call(
                        function=ir.Attribute(
                            object=ir.Attribute(object=ir.Name(id=name), name=attribute),
                            name="append" | "extend" | "insert" | "appendleft" | "extendleft",
                        )
                    )
                ) if name == method.params[0].name:
                    found.append((attribute, method))
    return tuple(found)


def _statements(function: ir.Function) -> Iterator[ir.Node]:
    """Yields every statement of a function at any depth, those of nested functions included: hooks change `self`, too."""
    stack: list[ir.Node] = list(function.body)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ir.Define):
            stack.extend(node.function.body)
        for part in ("body", "orelse", "final", "handlers", "cases"):
            stack.extend(getattr(node, part, ()) or ())


def _collect_assigned(target: ir.Node, receiver: str, found: set[str]) -> None:
    if type(target) is ir.Attribute and type(target.object) is ir.Name and target.object.id == receiver:
        found.add(target.name)
    elif type(target) is ir.Display:
        for item in target.items:
            _collect_assigned(item, receiver, found)
