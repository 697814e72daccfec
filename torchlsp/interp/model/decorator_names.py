"""Resolves the decorators of a function to dotted names."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.torch_names import canonical
from torchlsp.interp.store.frame import Frame
from torchlsp.interp.store.state import Scope
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_NO_NAMES: frozenset[str] = frozenset()


def decorator_names(it: Evaluator, function: ir.Function | ir.Class, scope: Scope | None = None) -> Set[str]:
    """Returns the dotted names of the decorators of a function or class, the outermost first; `?` for an unknown one."""
    if not function.decorators:
        return _NO_NAMES
    return dict.fromkeys([dotted(it, decorator, scope) for decorator in function.decorators]).keys()


def dotted(it: Evaluator, node: ir.Node, scope: Scope | None) -> str:
    """Returns the dotted name of a decorator, `?` if it is not known."""
    if type(node) is ir.Call:
        name = dotted(it, node.function, scope)
        switched = name == "torch.inference_mode" and (node.args or node.keywords)
        return "?" if switched or name == "torch.set_grad_enabled" else name
    parts: list[str] = []
    while type(node) is ir.Attribute:
        parts.append(node.name)
        node = node.object
    if type(node) is not ir.Name:
        return "?"
    if parts and parts[0] in ("setter", "getter", "deleter", "register"):
        return "builtins.property" if parts[0] != "register" else "?"
    outer = it.frame
    if scope is not None:
        it.push(Frame(None, scope, scope.module, outer.site if outer else "", 0, is_root=True))
    try:
        base = external_name(it, node.id)
    finally:
        if scope is not None:
            it.pop()
    return "?" if base is None else canonical(".".join([base, *reversed(parts)]))


def external_name(it: Evaluator, name: str) -> str | None:
    """Returns the dotted name that a name of the program has in a library, None if it has none."""
    found = it.lookup(name)
    if isinstance(found, v.External):
        return found.name
    # `try: import pytest`, `except ImportError: pytest = None`
    return name if name == "pytest" and isinstance(found, v.Unknown) else None
