"""Resolves functions with a decorator of the workspace to the function that the decorator returns.

Only decorators are followed that do nothing but define a function and return it, so that nothing is lost or done twice
when the decorator is evaluated at each call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.interp.store.frame import Frame
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def wrapper_of(it: Evaluator, function: v.FunctionValue, node: ir.Node) -> v.FunctionValue | None:
    """Returns the function that a decorated name is bound to; None if the decorator is not followed."""
    if len(function.ir.decorators) != 1 or function.scope is None:
        return None
    decorator = _decorator(it, function, function.ir.decorators[0])
    if decorator is None or not _only_wraps(decorator.ir):
        return None
    bare = replace(function, receiver=None, is_bare=True)
    wrapper = it.call_function(decorator, Arguments((bare,)), node)
    return wrapper if type(wrapper) is v.FunctionValue else None


def _decorator(it: Evaluator, function: v.FunctionValue, node: ir.Node) -> v.FunctionValue | None:
    """Returns the function of the workspace that a decorator's name is bound to."""
    if type(node) is not ir.Name:
        return None
    scope, outer = function.scope, it.frame
    it.push(Frame(None, scope, scope.module, outer.site if outer else "", 0, is_root=True))
    try:
        found = it.lookup(node.id)
    finally:
        it.pop()
    return found if type(found) is v.FunctionValue else None


def _only_wraps(decorator: ir.Function) -> bool:
    """Returns whether a function is `def decorator(f): def wrapper(…): …; return wrapper`."""
    if decorator.decorators or decorator.is_generator or len(decorator.params) != 1:
        return False
    defined: set[str] = set()
    for statement in decorator.body:
        match statement:
            case ir.Define(function=inner):
                defined.add(inner.name)
            case ir.Return(value=ir.Name(id=name)):
                return name in defined
            case ir.Expression(value=ir.Constant()):
                pass
            case _:
                return False
    return False
