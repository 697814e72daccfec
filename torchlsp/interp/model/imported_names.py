"""Finds which names of torch a file imports or mentions, without running it."""

from __future__ import annotations

from torchlsp.program import ir
from torchlsp.program.walking import module_nodes, nodes


def mentions(part: object, names: frozenset[str]) -> bool:
    """Returns whether a node, or a tuple of nodes, has one of these as a name or as an attribute."""
    return any(
        getattr(node, "name", None) in names or getattr(node, "id", None) in names for node in nodes(part)
    )


_KEY = "imported names"


def imported(module: ir.Module) -> dict[str, str]:
    """Returns the dotted name that each imported name stands for."""
    found: dict[str, str] | None = module.memo.get(_KEY)
    if found is None:
        found = module.memo[_KEY] = {
            bound: source if attribute is None else f"{source}.{attribute}"
            for node in module_nodes(module)
            if isinstance(node, ir.Import)
            for bound, source, attribute in node.names
        }
    return found


def name_of(node: ir.Node, names: dict[str, str]) -> str | None:
    """Returns the dotted name of an expression that begins with an imported name."""
    parts: list[str] = []
    while type(node) is ir.Attribute:
        parts.append(node.name)
        node = node.object
    if type(node) is not ir.Name or node.id not in names:
        return None
    return ".".join([names[node.id], *reversed(parts)])
