"""Finds the errors that the program expects, in `try … except` or `with pytest.raises(…)`.

A handler for all exceptions expects none in particular: around a whole program it hides mistakes, so faults under it are
still reported.  Around a few statements of the same function it belongs to them: they try one call, then another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts.fault import FaultKind
from torchlsp.facts.fault_kinds import RAISES
from torchlsp.interp.model import decorator_names
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_EXPECTING = frozenset({"pytest.raises", "contextlib.suppress"})
_HEARING = frozenset({"warnings.catch_warnings", "pytest.warns", "pytest.deprecated_call"})
_EXPECTING_METHODS = frozenset({"assertRaises", "assertRaisesRegex"})
_ALL = frozenset({"Exception", "BaseException"})
_OF_TORCH = frozenset().union(*RAISES.values()) - {"AssertionError"}
_OF_ONE_PROCESS = frozenset("Exception RuntimeError OutOfMemoryError ValueError FloatingPointError".split())
REPLACING = frozenset(
    f"{module}.{name}"
    for module in ("unittest.mock", "mock")
    for name in ("patch", "patch.object", "patch.multiple")
)
"""Decorators and managers under which functions and attributes are others than the program defines."""
MEANT_TO_FAIL = frozenset({"pytest.mark.xfail", "unittest.expectedFailure"})
"""Decorators of tests whose errors are expected."""


SHORT = 3
"""Statements in a `try` up to which a handler for all exceptions is meant for them."""


def is_expected(kind: FaultKind, caught: frozenset[str], depth: int) -> bool:
    """Returns whether torch raises one of the caught exceptions for the fault, `depth` calls deep."""
    if f"@{depth}" in caught:
        return True
    return bool(caught) and not caught.isdisjoint(RAISES[kind] | _ALL)


def handled(node: ir.Try, depth: int, outside: frozenset[str]) -> frozenset[str]:
    """Returns the exceptions that a statement's handlers name, those that are raised again left out.

    One that is raised again as another counts where that one is expected `outside`: a check of arguments, and its test. `@depth`
    stands for all of them, in the function that runs `depth` calls deep only.
    """
    handlers = node.handlers
    names: set[str] = set()
    if len(node.body) <= SHORT and any(
        (handler.type is None or _names(handler.type) & _ALL)
        and not (handler.body and type(handler.body[-1]) is ir.Raise)
        for handler in handlers
    ):
        names.add(f"@{depth}")
    for handler in handlers:
        last = handler.body[-1] if handler.body else None
        if handler.type is not None and (type(last) is not ir.Raise or _raised(last) & outside):
            caught = _names(handler.type)
            # `except error_type:` of a function that is given the type
            names.update(_OF_TORCH if any(name[:1].islower() for name in caught) else caught)
    return frozenset(names - _ALL)


def may_be_of_one_process(handler: ir.Handler) -> bool:
    """Returns whether a handler is for errors of a process's own data or memory, or for all of them."""
    return handler.type is None or bool(_names(handler.type) & _OF_ONE_PROCESS)


def _raised(node: ir.Raise) -> set[str]:
    return (
        _names(node.value.function if type(node.value) is ir.Call else node.value)
        if node.value is not None
        else set()
    )


def expected(it: Evaluator, node: ir.Node) -> frozenset[str]:
    """Returns the exceptions that the body of `with node:` is expected to raise."""
    if type(node) is not ir.Call:
        return frozenset()
    function = node.function
    is_method = type(function) is ir.Attribute and function.name in _EXPECTING_METHODS
    if not is_method and _dotted(it, function) not in _EXPECTING:
        return frozenset()
    names = frozenset(name for arg in node.args for name in _names(arg))
    first = node.args[0] if node.args else None
    # an error by the name of a variable, as one of a table of wrong arguments, may be any
    is_variable = type(first) is ir.Name and not first.id[:1].isupper()
    # an assertion, or an error that torch never raises, is the program's own, which comes before what torch would refuse
    is_own = bool(names) and names.isdisjoint(_OF_TORCH | _ALL)
    return names | _ALL if is_variable or is_own else names


def hears_warnings(it: Evaluator, node: ir.Node) -> frozenset[str]:
    """Returns the warnings that `with node:` catches: `Warning`, or none."""
    if type(node) is not ir.Call:
        return frozenset()
    function = node.function
    is_method = type(function) is ir.Attribute and function.name in ("assertWarns", "assertWarnsRegex")
    return frozenset({"Warning"}) if is_method or _dotted(it, function) in _HEARING else frozenset()


def replaces_names(it: Evaluator, node: ir.Node) -> bool:
    """Returns whether `with node:` replaces functions or attributes by mocks."""
    return type(node) is ir.Call and decorator_names.dotted(it, node.function, None) in REPLACING


def _dotted(it: Evaluator, node: ir.Node) -> str | None:
    if type(node) is ir.Name:
        return decorator_names.external_name(it, node.id)
    if type(node) is ir.Attribute and type(node.object) is ir.Name:
        base = decorator_names.external_name(it, node.object.id)
        return None if base is None else f"{base}.{node.name}"
    return None


def _names(node: ir.Node) -> set[str]:
    match node:
        case ir.Name(id=name) | ir.Attribute(name=name):
            return {name}
        case ir.Display(items=items):
            return {name for item in items for name in _names(item)}
    return set()
