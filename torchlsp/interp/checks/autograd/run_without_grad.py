"""Finds out whether a file runs a model without gradients only and trains nothing: whether anybody misses that its parameters were frozen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.interp.model import imported_names
from torchlsp.program import ir
from torchlsp.program.walking import children, dotted

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_TRAINS = frozenset("backward autograd optim fit Trainer".split())
_OFF = frozenset({"no_grad", "inference_mode"})
_HANDLED = frozenset(
    """eval train to cuda cpu half float double bfloat16 type apply load_state_dict state_dict parameters named_parameters
    modules named_modules children named_children buffers named_buffers share_memory requires_grad_""".split()
)
"""Methods of a module that run nothing."""


def is_run_without_grad(it: Evaluator, target: ir.Node) -> bool:
    """Returns whether the file runs what the target names, all of it without gradients, and nothing in sight trains it.

    In all functions of the file the same name is taken for the same model. What is called with the model must be seen, too.
    """
    name, module = dotted(target), it.frame.module.ir
    if not name or imported_names.mentions(module.body, _TRAINS):
        return False
    is_run = False
    pending: list[tuple[object, bool]] = [(module.body, False)]
    while pending:
        node, off = pending.pop()
        if isinstance(node, tuple | list):
            pending.extend((one, off) for one in node)
            continue
        if not isinstance(node, ir.Node):
            continue
        match node:
            case ir.With(items=items, body=body):
                off_inside = off or any(map(_switches_off, (one for one, _ in items)))
                pending += [(items, off), (body, off_inside)]
                continue
            case ir.Define(function=function):
                pending += [
                    (function.decorators, False),
                    (function.body, any(map(_switches_off, function.decorators))),
                ]
                continue
            case ir.Call(function=called) if _runs(dotted(called), name):
                if not off:
                    return False
                is_run = True
            case ir.Call() if _is_given(node, name) and _may_train(it, node.function, name):
                return False
        pending.append((tuple(children(type(node))(node)), off))
    return is_run


def _switches_off(node: ir.Node) -> bool:
    """Returns whether a context manager or decorator is written as one that switches gradients off."""
    if type(node) is ir.Call:
        if node.args or node.keywords:
            return False
        node = node.function
    return dotted(node).rpartition(".")[2] in _OFF


def _runs(called: str, name: str) -> bool:
    """Returns whether a call is of the model, or of a method that may run it."""
    return called == name or called.startswith(f"{name}.") and called.rpartition(".")[2] not in _HANDLED


def _is_given(node: ir.Call, name: str) -> bool:
    return any(dotted(one) == name for one in (*node.args, *(value for _, value in node.keywords)))


def _may_train(it: Evaluator, called: ir.Node, name: str) -> bool:
    """Returns whether what is called with the model may be code that is not seen, or that trains."""
    it.silent += 1
    function = it.eval(called)
    it.silent -= 1
    if isinstance(function, v.External):
        return not function.name.startswith(("torch.", "builtins."))
    if not isinstance(function, v.FunctionValue):
        return True
    if any(one.function is function.ir for one in it.frame.module.ir.body if type(one) is ir.Define):
        return all(one.name != name for one in function.ir.params)
    return imported_names.mentions(function.ir, _TRAINS)
