"""What an examination recorded about places, prepared for questions about single ones."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlsp.engine.values_shown import said
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.lint.files import lowered
from torchlsp.lint.places import path_to
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.core.text import Document
    from torchlsp.engine.engine import Examination
    from torchlsp.interp.interpreter import Analysis

_MEMO_KEY = "engine.recorded"
_MODULE = -1


@dataclass(frozen=True, slots=True)
class Recorded:
    """`bound` are the places where names and attributes are bound, in order, each with the start of the function around
    it (-1: the module's body); `places` all other places with a value, in order."""

    document: Document
    module: ir.Module
    analysis: Analysis
    bound: tuple[tuple[int, int, int], ...]
    places: tuple[tuple[int, int], ...]

    def source(self, node: ir.Node) -> str:
        return self.document.text[node.start : node.end]

    def value(self, start: int, end: int) -> tuple[v.Value, bool]:
        """The value at a place, and whether it is only what this file's calls make of it: where that says more than
        what is known for all callers.
        """
        value, called = self.own(start, end), self.called(start, end)
        if called is not None and _says_more(called, value, self.content(start, end)):
            return called, True
        return value, False

    def own(self, start: int, end: int) -> v.Value:
        """The value at a place for all callers; where something is bound, what is bound, as for `x` in `x += 1`."""
        bound = self.analysis.names.get((start, end))
        return bound if bound is not None else self.analysis.values.get((start, end), v.UNKNOWN_VALUE)

    def called(self, start: int, end: int) -> v.Value | None:
        """What this file's calls make of a place."""
        return self.analysis.called.get((start, end, (start, end) in self.analysis.names))

    def content(self, start: int, end: int) -> v.Value | None:
        """What the list or dict at a place holds."""
        return self.analysis.contents.get((start, end, (start, end) in self.analysis.names))

    def latest(self, owner: int, before: int) -> Iterator[tuple[str, v.Value]]:
        """Names bound in a function (by its start) above a place, the nearest first, each once, with their values.

        Those of comprehensions are left out: they are not bound outside.
        """
        seen: set[str] = set()
        for start, end, around in reversed(self.bound[: bisect_left(self.bound, (before,))]):
            if around != _MODULE and start < owner:
                return
            name = self.document.text[start:end]
            if around == owner and end <= before and name not in seen:
                seen.add(name)
                if not any(isinstance(node, ir.Comprehension) for node in path_to(self.module, start, end)):
                    yield name, self.analysis.names[start, end]

    def used_as(self, value: v.Value, function: ir.Function) -> v.Value:
        """A parameter as the tensor that its function takes it for, with its sizes where the function tells them."""
        ids = frozenset({value.name}) if isinstance(value, v.Parameter) else value.storage.ids
        best = value
        first = bisect_left(self.places, (function.start,))
        for place in self.places[first : bisect_left(self.places, (function.end,))]:
            fact = self.analysis.values[place]
            if not isinstance(fact, TensorFact) or fact.origin is None or fact.origin.op != "parameter":
                continue
            if fact.storage.ids == ids and (fact.shape is not None or best is value):
                best = fact
                if fact.shape is not None:
                    break
        return best


def recorded(examination: Examination) -> Recorded | None:
    """None where nothing was analysed."""
    analysis, memo = examination.analysis, examination.tree.memo
    if analysis is None:
        return None
    kept = memo.get(_MEMO_KEY)
    if isinstance(kept, Recorded) and kept.analysis is analysis:
        return kept
    module = lowered(examination.tree)
    made = Recorded(
        examination.document,
        module,
        analysis,
        tuple(_bound(module, analysis)),
        tuple(sorted(analysis.values)),
    )
    memo[_MEMO_KEY] = made
    return made


def _says_more(called: v.Value, value: v.Value, content: v.Value | None) -> bool:
    if isinstance(value, TensorFact) and isinstance(called, TensorFact):
        return value.shape is None and called.shape is not None
    return said(value, content) is None and said(called, content) is not None


def owner_of(path: list[ir.Node | ir.Param]) -> ir.Function | None:
    """The innermost function around a place; None for the module's body."""
    return next(
        (node for node in reversed(path) if isinstance(node, ir.Function) and not node.is_lambda), None
    )


def _bound(module: ir.Module, analysis: Analysis) -> Iterator[tuple[int, int, int]]:
    functions = sorted((one.start, one.end) for one in module.functions)
    around: list[tuple[int, int]] = []
    following = 0
    for start, end in sorted(analysis.names):
        while following < len(functions) and functions[following][0] <= start:
            around.append(functions[following])
            following += 1
        while around and around[-1][1] <= start:
            around.pop()
        yield start, end, around[-1][0] if around else _MODULE
