"""Detects tensors that a module holds as plain attributes.

They neither move with the module nor are in its state dict.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.interp.model import classes, later_changes
from torchlsp.interp.store.heap_keys import ATTRIBUTES, BUFFERS
from torchlsp.ops.default_device import made_new
from torchlsp.program import ir
from torchlsp.program.reading import names_of_target
from torchlsp.program.walking import walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

BY_HAND = frozenset("to cuda cpu type_as type device float half double new_tensor".split())
"""Methods and attributes that a class uses on a tensor which it moves itself."""
HANDED_ON = "return"
"""A use that hands the tensor on: who gets it may move it."""
INDEX = "index"
"""A use as an index, which may be on the CPU whatever is indexed."""
NUMBER = "number"
"""A use of its items as numbers, which go with any device."""
_READING = frozenset({"item", "tolist"})
_VIEWS = frozenset(
    "view reshape unsqueeze squeeze expand repeat clone detach contiguous transpose permute flatten t".split()
)
_MOVES = frozenset("to cuda cpu _apply".split())


def report_plain_attribute(
    it: Evaluator, module: v.InstanceValue, name: str, held: TensorFact, met: Origin | None = None
) -> None:
    """Reports the assignment in `__init__` of an attribute that its class reads and does not move.

    `met` is where `forward` combines it with a tensor on the module's device.
    """
    cls = module.cls
    if _may_be_number(held) or name in later_changes.attributes_changed_later(it, cls):
        return  # a number goes with any device
    methods = [
        method
        for base in classes.mro(cls)
        if isinstance(base, v.ClassValue) and base.ir is not None
        for method in base.ir.methods.values()
    ]
    if any(method.name in _MOVES and _assigns(method, name) for method in methods):
        return
    uses = [use for method in methods if method.name != "__init__" for use in _uses(method, name)]
    if any(use in BY_HAND for use in uses):
        return
    harmless = (INDEX, NUMBER, HANDED_ON) if met is None else (INDEX, NUMBER)
    if uses and all(use in harmless for use in uses):
        return
    if not uses and classes.find_method(cls, "forward") is not None:
        return
    found = _assignment(cls, name)
    if found is None:
        return
    owner, node = found
    if _is_placed_by_global(owner, node):
        return  # the whole file places tensors there, its inputs as well
    path = owner.scope.module.path
    value = Origin(node.value.start, node.value.end, "value", (), path)
    data = (
        ("attribute", name), ("input", held), ("value", value), ("met", met), ("stateless", _is_stateless(it, module)),
    )  # fmt: skip
    it.report([Fault(FaultKind.PLAIN_ATTRIBUTE, node.start, node.end, "Module.__setattr__", data, path=path)])


def _is_stateless(it: Evaluator, module: v.InstanceValue) -> bool:
    """Returns whether a module certainly has no parameters, buffers or submodules, so that it is seldom moved."""
    heap = it.state.heap
    if heap.get((module.ref, BUFFERS), ()):
        return False
    held = (heap.get((module.ref, name)) for name in heap.get((module.ref, ATTRIBUTES), ()))
    return all(
        isinstance(one, v.Scalar | v.TupleValue | v.FunctionValue)
        or isinstance(one, TensorFact)
        and one.provenance != "parameter"
        for one in held
    )


def _may_be_number(held: TensorFact) -> bool:
    """Returns whether a tensor has no dims, or may have none since it is made of a value of which nothing is known."""
    origin = held.origin
    made = origin is not None and origin.op in ("torch.tensor", "torch.as_tensor")
    return held.shape == () or held.shape is None and made


def report_attribute_met_in_forward(it: Evaluator, new: Origin, met: Origin) -> None:
    """Reports the attribute of the running module that is the tensor created at `new`.

    It met a tensor on the module's device at `met`.
    """
    for frame in it.frames:
        function = frame.function
        receiver = (
            frame.scope.variables.get(function.params[0].name) if function and function.params else None
        )
        if not isinstance(receiver, v.InstanceValue) or not classes.is_module(receiver.cls):
            continue
        for name in it.state.heap.get((receiver.ref, ATTRIBUTES), ()):
            held = it.state.heap.get((receiver.ref, name))
            if not isinstance(held, TensorFact):
                continue
            made = made_new(held)
            if made is not None and (made.start, made.end, made.path) == (new.start, new.end, new.path):
                if name not in it.state.heap.get((receiver.ref, BUFFERS), ()):
                    report_plain_attribute(it, receiver, name, held, met)
                return


def _assignment(cls: v.ClassValue, name: str) -> tuple[v.ClassValue, ir.Assign] | None:
    """Returns the only assignment of an attribute in the `__init__` that sets it, and its class."""
    for base in classes.mro(cls):
        if not isinstance(base, v.ClassValue) or base.ir is None:
            continue
        init = base.ir.methods.get("__init__")
        if init is None or not init.params:
            continue
        receiver = init.params[0].name
        found = [node for node in init.body if type(node) is ir.Assign and _sets(node, receiver, name)]
        if found:
            return (base, found[0]) if len(found) == 1 else None
    return None


def _is_placed_by_global(cls: v.ClassValue, node: ir.Assign) -> bool:
    """Returns whether a value is moved to, or created on, the device that a name of the module has."""
    assert cls.ir is not None
    init = cls.ir.methods["__init__"]
    own = {param.name for param in init.params}
    own |= {
        name
        for one in walk(init.body)
        if type(one) is ir.Assign
        for target in one.targets
        for name in names_of_target(target)
    }
    for call in walk((node.value,)):
        if type(call) is ir.Call:
            places = [value for key, value in call.keywords if key == "device"]
            if type(call.function) is ir.Attribute and call.function.name == "to":
                places += call.args[:1]
            if any(type(place) is ir.Name and place.id not in own for place in places):
                return True
    return False


def _assigns(method: ir.Function, name: str) -> bool:
    """Returns whether a method assigns an attribute of this name, of whatever object."""
    return any(
        type(node) is ir.Assign and any(type(to) is ir.Attribute and to.name == name for to in node.targets)
        for node in walk(method.body)
    )


def _sets(node: ir.Assign, receiver: str, name: str) -> bool:
    return len(node.targets) == 1 and _is_attribute(node.targets[0], receiver, name)


def _is_attribute(node: object, receiver: str, name: str) -> bool:
    """Returns whether a node is the attribute of this name of the receiver."""
    return (
        type(node) is ir.Attribute
        and node.name == name
        and type(node.object) is ir.Name
        and node.object.id == receiver
    )


def _uses(method: ir.Function, name: str) -> Iterator[str]:
    """Yields what each use of `self.name` in a method does with it: the attribute that it reads next, "" for none.

    `(2 * self.name[0]).to(device)` reads `to`; `HANDED_ON` is a value that is returned, or put into a tuple, and `INDEX` one in the
    brackets of another.
    """
    if not method.params:
        return
    receiver = method.params[0].name
    to_visit: list[object] = [method.body]
    while to_visit:
        node = to_visit.pop()
        match node:
            case tuple():
                to_visit.extend(node)
                continue
            case ir.Attribute(name=read, object=inner) if _is_made_of(inner, receiver, name):
                yield NUMBER if read in _READING else read
                continue
            case ir.For(target=target, iterable=iterable) if _are_numbers(node, receiver, name):
                yield NUMBER
                to_visit.extend((target, *_other_iterables(iterable, receiver, name), node.body, node.orelse))
                continue
            case ir.Attribute() if _is_attribute(node, receiver, name):
                yield ""
                continue
            case ir.Subscript(object=inner, index=index):
                parts = index.items if type(index) is ir.Display else (index,)
                for part in parts:
                    if _is_attribute(part, receiver, name):
                        yield INDEX
                    else:
                        to_visit.append(part)
                to_visit.append(inner)
                continue
            case ir.Return(value=ir.Node() as value) | ir.Assign(value=ir.Display() as value):
                pass
            case _:
                if is_dataclass(node):
                    to_visit.extend(getattr(node, field.name) for field in fields(node))
                continue
        for part in value.items if isinstance(value, ir.Display) else (value,):
            if _is_attribute(part, receiver, name):
                yield HANDED_ON
            else:
                to_visit.append(part)


def _are_numbers(loop: ir.For, receiver: str, name: str) -> bool:
    """Returns whether a loop over the attribute, alone or in `zip`, reads its items by `item()` only."""
    item = loop.target if _is_attribute(loop.iterable, receiver, name) else None
    match loop.iterable, loop.target:
        case ir.Call(function=ir.Name(id="zip"), args=args), ir.Display(items=items) if len(args) == len(
            items
        ):
            item = next((one for one, arg in zip(items, args) if _is_attribute(arg, receiver, name)), None)
    if type(item) is not ir.Name:
        return False
    uses = [node for node in walk(loop.body) if type(node) is ir.Name and node.id == item.id]
    read = [
        node.object
        for node in walk(loop.body)
        if type(node) is ir.Attribute and node.name in _READING and node.object in uses
    ]
    return len(read) == len(uses) > 0


def _other_iterables(iterable: ir.Node, receiver: str, name: str) -> tuple[ir.Node, ...]:
    """Returns what else a loop runs over."""
    args = iterable.args if type(iterable) is ir.Call else ()
    return tuple(arg for arg in args if not _is_attribute(arg, receiver, name))


def _is_made_of(node: ir.Node, receiver: str, name: str) -> bool:
    """Returns whether a node is the attribute, or arithmetic with numbers, items or a view of it, or what a function gives for it."""
    while not _is_attribute(node, receiver, name):
        match node:
            case ir.Subscript(object=inner) | ir.Unary(operand=inner):
                node = inner
            case ir.Binary(left=ir.Constant(), right=inner) | ir.Binary(left=inner, right=ir.Constant()):
                node = inner
            case ir.Call(function=ir.Attribute(object=inner, name=method)) if method in _VIEWS:
                node = inner
            case ir.Attribute(name="data", object=inner) | ir.Call(args=(inner, *_)):
                node = inner
            case _:
                return False
    return True
