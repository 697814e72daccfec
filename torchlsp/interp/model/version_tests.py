"""Recognizes tests of the version or features of torch: code after them is meant for another torch than the present one.

They are recognized by their words.  That is enough, because the result only ever suppresses findings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.program import ir
from torchlsp.program.walking import walk

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
        known = it.asking[node] = _asks_in(it.frame.module.ir, node)
    return known


def is_conditional(function: ir.Function) -> bool:
    """Returns whether a decorator restricts the versions of torch with which the function runs."""
    return any(_asks(decorator) for decorator in function.decorators if _says_when(decorator))


def is_chosen_by_test(module: ir.Module, function: ir.Function) -> bool:
    """Returns whether the body of its module mentions a function only under tests of torch or where an import has failed.

    `if new_fft is None: rfft = _old_rfft` chooses a function of an old torch as a call of it would.
    """
    memo = module.memo_of_definitions
    known: frozenset[str] | None = memo.get("names chosen by tests")
    if known is None:
        known = memo["names chosen by tests"] = _names_chosen_by_tests(module)
    return function.name in known


def is_release_asserted(module: ir.Module) -> bool:
    """Returns whether a statement in the body of a module asserts the release of torch: the whole file is meant for it."""
    known: bool | None = module.memo_of_definitions.get("release is asserted")
    if known is None:
        known = module.memo_of_definitions["release is asserted"] = any(
            type(statement) is ir.Assert
            and any("version" in word for word in _words(statement.test))
            and "torch" in _words(statement.test)
            for statement in module.body
        )
    return known


def _names_chosen_by_tests(module: ir.Module) -> frozenset[str]:
    chosen: set[str] = set()
    others: set[str] = set()
    for statement in module.body:
        if type(statement) is ir.Branch and _asks_in(module, statement.test):
            chosen.update(_names(statement.body), _names(statement.orelse))
            others.update(_names((statement.test,)))
        elif type(statement) is ir.Try and _imports_torch(statement):
            chosen.update(name for handler in statement.handlers for name in _names(handler.body))
            others.update(_names((*statement.body, *statement.orelse, *statement.final)))
        else:
            others.update(_names((statement,)))
    return frozenset(chosen - others)


def _names(nodes: tuple[ir.Node, ...]) -> Iterator[str]:
    return (node.id for node in walk(nodes) if type(node) is ir.Name)


def _asks_in(module: ir.Module, node: ir.Node) -> bool:
    """Returns whether a test in a file is about the version or features of torch."""
    return _asks(node) or not _names_of_missing_imports(module).isdisjoint(_words(node))


def _names_of_missing_imports(module: ir.Module) -> frozenset[str]:
    """Returns the names that a file binds where an import of torch, or of something in it, fails."""
    known: frozenset[str] | None = module.memo_of_definitions.get("names of missing imports")
    if known is None:
        known = module.memo_of_definitions["names of missing imports"] = _bound_by_handlers(module)
    return known


def _bound_by_handlers(module: ir.Module) -> frozenset[str]:
    return frozenset(
        target.id
        for statement in module.body
        if type(statement) is ir.Try and _imports_torch(statement)
        for handler in statement.handlers
        for node in handler.body
        if type(node) is ir.Assign
        for target in node.targets
        if type(target) is ir.Name
    )


def _imports_torch(statement: ir.Try) -> bool:
    return any(
        type(node) is ir.Import and any(module.partition(".")[0] == "torch" for _, module, _ in node.names)
        for node in statement.body
    )


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
