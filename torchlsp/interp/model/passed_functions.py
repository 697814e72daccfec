"""Finds functions that a file passes on: what calls them is not seen, and may have switched gradients off."""

from __future__ import annotations

from torchlsp.program import ir
from torchlsp.program.walking import children

_KEEP_MODE = frozenset("apply Thread Process spawn start_processes submit".split())
"""What calls a function as if it were called at once, or in a thread or process of its own, where gradients are recorded."""
_CALLED_AS_OBJECTS = frozenset({"forward", "__call__"})
"""Methods that a call of the object runs: where the file makes objects, and calls none in sight, others call them."""


def passed_functions(module: ir.Module) -> frozenset[int]:
    """Returns the functions and methods that a file does more with than call them; in a lambda, also those that it calls."""
    known: frozenset[int] | None = module.memo.get("passed functions")
    if known is None:
        names, attributes, _ = _used(module.body)
        for function in module.functions:
            own, more, bound = _used(function.body)
            names |= own - bound - {param.name for param in function.params}
            attributes |= more
        known = frozenset(
            [
                id(function)
                for function in module.functions
                if function.name in attributes
                or function.name in _CALLED_AS_OBJECTS
                and function.owner in module.used_classes
                or function.owner is None
                and function.name in names
            ]
        )
        module.memo["passed functions"] = known
    return known


def _used(body: tuple[ir.Node, ...]) -> tuple[set[str], set[str], set[str]]:
    """Returns the names and the attributes that a body reads, but for those that it only calls, and the names that it binds."""
    names: set[str] = set()
    attributes: set[str] = set()
    bound: set[str] = set()
    to_visit: list[tuple[object, bool]] = [(part, False) for part in body]
    while to_visit:
        node, in_lambda = to_visit.pop()
        if isinstance(node, tuple):
            to_visit.extend((part, in_lambda) for part in node)
            continue
        if isinstance(node, ir.Lambda):
            to_visit.append((node.function.body, True))
            continue
        if not isinstance(node, ir.Node) or isinstance(node, ir.Define | ir.DefineClass):
            continue
        if isinstance(node, ir.Name):
            names.add(node.id)
        elif isinstance(node, ir.Attribute):
            attributes.add(node.name)
        elif isinstance(node, ir.Call) and not in_lambda:
            to_visit.extend((part, in_lambda) for part in _passed(node))
            continue
        elif isinstance(node, ir.Assign):
            bound.update(target.id for target in node.targets if isinstance(target, ir.Name))
        elif isinstance(node, ir.For) and isinstance(node.target, ir.Name):
            bound.add(node.target.id)
        to_visit.extend((part, in_lambda) for part in children(type(node))(node))
    return names, attributes, bound


def _passed(call: ir.Call) -> list[ir.Node]:
    """Returns the parts of a call, without the name of what is called and without functions that it runs in the same mode."""
    function = call.function
    parts: list[ir.Node] = [] if isinstance(function, ir.Name) else [function]
    name = function.id if isinstance(function, ir.Name) else None
    if isinstance(function, ir.Attribute):
        name, parts = function.name, [function.object]
    keeps_mode = name in _KEEP_MODE
    for part in (*call.args, *(value for _, value in call.keywords)):
        if not keeps_mode or not isinstance(part, ir.Name | ir.Attribute):
            parts.append(part)
    return parts
