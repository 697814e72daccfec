"""Recognizes tests of the version or features of torch: code after them is meant for another torch than the present one.

They are recognized by their words.  That is enough, because the result only ever suppresses findings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_WORDS = re.compile(
    r"version|\bver\b|_ver\b|legacy|compat|hasattr|getattr|callable|signature|support|avail|exist|spec|TYPE_CHECKING|installed"
    r"|torch|^pt_?\d|^(has|have|use|can|is)_|^(HAS|HAVE|USE|CAN|IS)_|greater|less|at_least|newer|older|^dir$|__dict__|skip|require",
    re.IGNORECASE,
)
_MACHINE_TESTS = frozenset(
    {"is_available", "is_tensor", "device_count", "is_grad_enabled", "is_initialized", "is_floating_point"}
)


def tests_torch(it: Evaluator, node: ir.Node) -> bool:
    """Returns whether a branch, a loop, an assertion or an `and` tests the version or features of torch."""
    test = getattr(node, "test", None)
    if test is None:
        return isinstance(node, ir.Logical) and any(asks_for_torch(it, one) for one in node.operands[:-1])
    return asks_for_torch(it, test)


def asks_for_torch(it: Evaluator, node: ir.Node) -> bool:
    """Returns whether a test is about the version or features of torch; computed once for each test."""
    known = it.asking.get(node)
    if known is None:
        known = it.asking[node] = _asks(node)
    return known


def is_conditional(function: ir.Function) -> bool:
    """Returns whether a decorator restricts the versions of torch with which the function runs."""
    return any(_asks(decorator) for decorator in function.decorators if _says_when(decorator))


def _says_when(node: ir.Node) -> bool:
    return any(re.search(r"skip|require|version|^if|only", word, re.IGNORECASE) for word in _words(node))


def _asks(node: ir.Node) -> bool:
    """Returns whether the words of a test are about the version or features of torch."""
    words = list(_words(node))
    if any(word in _MACHINE_TESTS for word in words):
        words = [
            word
            for word in words
            if word not in _MACHINE_TESTS and word not in ("torch", "dist", "distributed")
        ]
    if words == ["torch"] or not words:
        return False
    return any(_WORDS.search(word) for word in words)


def _words(node: ir.Node) -> Iterator[str]:
    """Yields the names and texts in a test."""
    match node:
        case ir.Name(id=name):
            yield name
        case ir.Constant(value=str(text)):
            yield text
        case ir.Attribute(object=inner, name=name):
            yield from _words(inner)
            yield name
        case ir.Call(function=function, args=args, keywords=keywords):
            yield from _words(function)
            for arg in args:
                yield from _words(arg)
            for _, value in keywords:
                yield from _words(value)
        case ir.Compare(left=left, rights=rights):
            for one in (left, *rights):
                yield from _words(one)
        case ir.Binary(left=left, right=right):
            yield from _words(left)
            yield from _words(right)
        case ir.Logical(operands=operands) | ir.Display(items=operands):
            for one in operands:
                yield from _words(one)
        case ir.Unary(operand=inner) | ir.Starred(value=inner) | ir.Subscript(object=inner):
            yield from _words(inner)
