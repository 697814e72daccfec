"""Finds out why nothing is known of a value: follows the assignments above it to where the knowledge ends."""

from __future__ import annotations

from bisect import bisect_left
from enum import Enum
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.core.span import Span
from torchlsp.engine.calls_shown import symbol_of
from torchlsp.engine.recorded import owner_of, recorded
from torchlsp.facts import values as v
from torchlsp.lint.ir_nodes import path_to, position_of
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.engine.examination import Examination
    from torchlsp.engine.recorded import Recorded

_MOST_STEPS = 8


class Cause(Enum):
    """Where the knowledge of a value ends. `UnknownValue.name` says whose."""

    PARAMETER = "parameter"
    """No call in sight passes an argument of which anything is known."""
    IMPORT = "import"
    """It is imported from a module that is not read."""
    RESULT = "result"
    """What the call of this function returns is not known."""
    CHANGED = "changed"
    """It may have changed since it was bound to something known."""
    GIVEN_UP = "given up"
    """The analysis of the function around was given up at its limit."""
    NOT_RUN = "not run"
    """The analysis does not reach the code."""
    OTHER = "other"
    """Nothing is known of this expression itself."""


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """An expression of which nothing is known. `cause` and `name` say where the knowledge ends, `at` the place."""

    span: Span
    cause: Cause
    name: str = ""
    at: Span | None = None


def why_unknown(examination: Examination, start: int, end: int) -> UnknownValue | None:
    """Returns why nothing is known of the name or the result of the call at a place; None where something is, or where
    there is no value."""
    facts = recorded(examination)
    if facts is None:
        return None
    padding = examination.padding
    start, end = padding.inside(start), padding.inside(end)
    path = path_to(facts.module, start, end)
    if not path or not _is_named(path[-1], start, end):
        return None
    # The name of a function stands for the result of its call.
    while len(path) > 1 and isinstance(path[-2], ir.Call) and path[-2].function is path[-1]:
        path.pop()
    found = _why(facts, path)
    if found is None:
        return None
    at = None if found.at is None else padding.span_outside(found.at)
    return UnknownValue(padding.span_outside(found.span), found.cause, found.name, at)


def _why(facts: Recorded, path: list[ir.Node | ir.Param]) -> UnknownValue | None:
    node = path[-1]
    span = Span(node.start, node.end)
    function = owner_of(path)
    if not facts.is_recorded(node):
        if function is not None and _is_given_up(facts, function):
            return UnknownValue(span, Cause.GIVEN_UP, function.name, Span(function.start, function.start))
        return None if _is_run(facts, node) else UnknownValue(span, Cause.NOT_RUN)
    if not _is_unknown(facts, node):
        return None
    for _ in range(_MOST_STEPS):
        here = Span(node.start, node.end)
        text, value = facts.document.slice(here), facts.own(node.start, node.end)
        below = _comes_from(node)
        if below is not None and _is_unknown(facts, below):
            node = below
            continue
        if isinstance(value, v.Parameter):
            return UnknownValue(span, Cause.PARAMETER, value.label, here)
        if isinstance(value, v.Imported):
            return UnknownValue(span, Cause.IMPORT, text, here)
        if isinstance(node, ir.Call):
            called, _ = facts.value(node.function.start, node.function.end)
            name = symbol_of(called) or facts.document.slice(Span(node.function.start, node.function.end))
            return UnknownValue(span, Cause.RESULT, name, here)
        bound = _bound_to(facts, node) if below is None else None
        if bound is None:
            return UnknownValue(span, Cause.OTHER, text, here)
        if not _is_unknown(facts, bound):
            return UnknownValue(span, Cause.CHANGED, text, Span(bound.start, bound.end))
        node = bound
    return UnknownValue(span, Cause.OTHER, facts.document.slice(span), span)


def _is_given_up(facts: Recorded, function: ir.Function) -> bool:
    """Returns whether the analysis of a function, or of the file before it, has spent its steps."""
    left_out = any(one.start <= function.start < one.end for one in facts.analysis.left_out)
    return left_out or function.qualname in facts.analysis.stopped


def _is_run(facts: Recorded, node: ir.Node | ir.Param) -> bool:
    """Returns whether anything of the statement around has a value: then this is what is not evaluated for one, such as a decorator."""
    position = position_of(facts.module, node.start, node.end)
    if position is None:
        return True
    statement = position.block[position.index]
    return any(
        index < len(places) and places[index][1] <= statement.end
        for places in (facts.bound, facts.places)
        for index in (bisect_left(places, (statement.start,)),)
    )


def _is_named(node: ir.Node | ir.Param, start: int, end: int) -> bool:
    """Returns whether a word is the name of a value, and not that of a keyword or of something defined."""
    match node:
        case ir.Name():
            return (node.start, node.end) == (start, end)
        case ir.Attribute():
            return node.end == end and node.object.end < start
        case ir.Param():
            return node.start == start
    return False


def _comes_from(node: ir.Node | ir.Param) -> ir.Node | None:
    """Returns the expression that a value is taken from: the receiver of a method, else the function, of a call."""
    match node:
        case ir.Call(function=ir.Attribute(object=receiver)):
            return receiver
        case ir.Call(function=function):
            return function
        case ir.Attribute(object=receiver) | ir.Subscript(object=receiver):
            return receiver
    return None


def _is_unknown(facts: Recorded, node: ir.Node | ir.Param) -> bool:
    """Returns whether nothing is known of an expression, not even by the calls in this file."""
    value, _ = facts.value(node.start, node.end)
    return facts.is_recorded(node) and isinstance(value, v.Unknown | v.Parameter | v.Imported)


def _bound_to(facts: Recorded, node: ir.Node | ir.Param) -> ir.Node | None:
    """Returns the right-hand side of the assignment that gives a name its value: this one, or the nearest above."""
    path = path_to(facts.module, node.start, node.end)
    place = node.start, node.end
    if place not in facts.analysis.names:
        name = facts.document.text[node.start : node.end]
        above = dict(facts.latest(owner_of(path), node.start))
        if name not in above:
            return None
        path = path_to(facts.module, *above[name])
    match path[-2] if len(path) > 1 else None:
        case ir.Assign(value=value) | ir.Annotated(value=value) | ir.Walrus(value=value):
            return value if isinstance(value, ir.Name | ir.Attribute | ir.Call | ir.Subscript) else None
    return None
