"""What the top level of a file says of itself before it is run: the names it binds, and what it hands to other processes."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.facts import values as v
from torchlsp.program import ir


def spawned_names(module: ir.Module) -> Iterator[str]:
    """Names of functions that are handed to `spawn` or `start_processes`."""
    stack: list = list(module.body)
    for function in module.functions:
        stack.extend(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ir.Expression) and isinstance(node.value, ir.Call):
            call = node.value
            if (
                isinstance(call.function, (ir.Attribute, ir.Name))
                and call.args
                and isinstance(call.args[0], ir.Name)
            ):
                if getattr(call.function, "name", getattr(call.function, "id", "")) in (
                    "spawn",
                    "start_processes",
                ):
                    yield call.args[0].id
        for part in ("body", "orelse", "final", "handlers"):
            stack.extend(getattr(node, part, ()) or ())


def top_level(module: ir.Module) -> tuple[dict[str, ir.Node | v.Imported], bool, bool]:
    """Names bound once and what to, whether annotations are evaluated by nobody, and whether it is about distributed training."""
    known: dict[str, ir.Node | v.Imported | None] = {}
    for node in module.body:
        for name, definition in bindings(node):
            known[name] = None if name in known else definition
    postpones = any(
        ("annotations", "__future__", "annotations") in node.names
        for node in module.body
        if type(node) is ir.Import
    )
    once = {name: definition for name, definition in known.items() if definition is not None}
    return once, postpones, mentions_distributed(module.body)


def bindings(node: ir.Node) -> Iterator[tuple[str, ir.Node | v.Imported | None]]:
    """Names that a top-level statement binds: with the definition or import, or None for what must be run to be known."""
    match node:
        case ir.Define(function=function):
            yield function.name, node
        case ir.DefineClass(cls=cls):
            yield cls.name, node
        case ir.Import(names=names):
            for name, module, attribute in names:
                yield name, v.Imported(module, attribute)
        case ir.Assign(targets=targets):
            for target in targets:
                if type(target) is ir.Name:
                    yield target.id, None


def mentions_distributed(body: tuple[ir.Node, ...]) -> bool:
    """Is anything imported that has to do with distributed training?"""
    return any(
        "distributed" in module or attribute == "distributed"
        for node in body
        if isinstance(node, ir.Import)
        for _, module, attribute in node.names
    )
