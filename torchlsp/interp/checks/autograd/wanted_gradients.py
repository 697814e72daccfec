"""Finds out whether a program asks for the gradients of a tensor that it names: whether anybody misses them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.interp.model import classes, decorator_names, imported_names
from torchlsp.program import ir
from torchlsp.program.walking import scope_nodes, walk, word

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_KEEPING = frozenset(
    "append extend insert add update setdefault register_parameter register_buffer setattr".split()
)


def is_gradient_wanted(it: Evaluator, target: ir.Node) -> bool:
    """Returns whether the gradient of what is assigned to a target is read, or the tensor is kept where others may read it.

    A local name is looked for in the running function, an attribute in the methods of the running class. What is neither is
    taken to be wanted, and so is what a module holds.
    """
    function = it.frame.function
    match target:
        case ir.Name(id=name):
            body = it.frame.module.ir.body if function is None else function.body
            # Bound to other results, too, it is one of them that the function returns, not a leaf that somebody asks.
            nodes = list(walk(body))
            returned = sum(_binds(node, name) for node in nodes) == 1
            returned &= not any(_writes_into(node, name) for node in nodes)
            for node in nodes:
                if _reads_gradient(node, name, None):
                    return True
                if _keeps(it, node, name, None) and (returned or type(node) not in (ir.Return, ir.Yield)):
                    return True
            return any(_uses_inside(node, name) for node in scope_nodes(body))
        case ir.Attribute(name=name, object=ir.Name(id=owner)) if function is not None and function.params:
            cls = it.frame.owner
            if (
                function.params[0].name != owner
                or not isinstance(cls, v.ClassValue)
                or classes.is_module(cls)
            ):
                return True
            return any(
                _reads_gradient(node, name, receiver) or _keeps(it, node, name, receiver)
                for receiver, node in _methods_nodes(cls)
            )
    return True


def _binds(node: ir.Node, name: str) -> bool:
    """Returns whether a statement assigns to a name."""
    match node:
        case ir.Assign(targets=targets):
            return any(_is_it(one, name, None) for target in targets for one in _items(target))
        case ir.Augmented(target=target) | ir.Annotated(target=target):
            return _is_it(target, name, None)
    return False


def _writes_into(node: ir.Node, name: str) -> bool:
    """Returns whether a statement writes items of a tensor, which only a result can be: torch refuses it of a leaf."""
    targets = (
        node.targets if type(node) is ir.Assign else (node.target,) if type(node) is ir.Augmented else ()
    )
    return any(type(one) is ir.Subscript and _is_it(one.object, name, None) for one in targets)


def _uses_inside(node: ir.Node, name: str) -> bool:
    """Returns whether a node defines a function or a class that uses the name."""
    match node:
        case ir.Define(function=function):
            return imported_names.mentions(function, frozenset({name}))
        case ir.DefineClass(cls=cls):
            return imported_names.mentions(cls.body, frozenset({name}))
    return False


def _methods_nodes(cls: v.ClassValue) -> Iterator[tuple[str, ir.Node]]:
    """Yields the nodes in the methods of a class, each with the name of the method's first parameter."""
    for base in classes.mro(cls):
        if isinstance(base, v.ClassValue) and base.ir is not None:
            for method in base.ir.methods.values():
                receiver = method.params[0].name if method.params else ""
                yield from ((receiver, node) for node in walk(method.body))


def _is_it(node: ir.Node | None, name: str, receiver: str | None) -> bool:
    """Returns whether an expression is the name, or this attribute of the receiver."""
    if receiver is None:
        return type(node) is ir.Name and node.id == name
    return type(node) is ir.Attribute and node.name == name and getattr(node.object, "id", None) == receiver


def _reads_gradient(node: ir.Node, name: str, receiver: str | None) -> bool:
    """Returns whether a node is `.grad` of the tensor, or the name of its method that looks at it."""
    return (
        type(node) is ir.Attribute
        and node.name in ("grad", "retain_grad", "register_hook", "is_leaf")
        and _is_it(node.object, name, receiver)
    )


def _keeps(it: Evaluator, node: ir.Node, name: str, receiver: str | None) -> bool:
    """Returns whether a node returns the tensor, binds it elsewhere, collects it, or gives it to an optimizer."""
    match node:
        case ir.Return(value=value) | ir.Yield(value=value):
            return any(_is_it(one, name, receiver) for one in _items(value))
        case ir.Assign(targets=targets, value=value):
            is_elsewhere = receiver is not None or not all(type(one) is ir.Name for one in targets)
            return is_elsewhere and any(_is_it(one, name, receiver) for one in _items(value))
        case ir.Call(function=function, args=args, keywords=keywords):
            called = word(function)
            given = _mentioned((*args, *(value for _, value in keywords)), name, receiver)
            if called in _KEEPING:
                return given
            return given and decorator_names.dotted(it, function, None).startswith("torch.optim.")
    return False


def _items(value: ir.Node | None) -> Iterable[ir.Node | None]:
    """Yields an expression, or the items of one that is written out as a tuple, list or dict."""
    if type(value) is ir.Display:
        for item in value.items:
            yield from _items(item)
    elif type(value) is ir.DictDisplay:
        for item in value.values:
            yield from _items(item)
    else:
        yield value


def _mentioned(nodes: tuple[ir.Node, ...], name: str, receiver: str | None) -> bool:
    return any(_is_it(node, name, receiver) for node in walk(nodes))
