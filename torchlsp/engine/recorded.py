"""Indexes the records of an analysis by place, for queries about single places."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass, replace
from torchlsp.core.span import Span
from torchlsp.engine.annotated import Annotations
from torchlsp.engine.callers import NO_CALLERS, callers
from torchlsp.engine.circumstances import Circumstances, circumstances, nodes_inside
from torchlsp.engine.observations import Observations, says_more
from torchlsp.engine.values_shown import (
    AS_CALLED,
    AS_CHECKED,
    Note,
    Step,
    said,
    trail,
)
from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.notation import is_invented
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.torch_names import canonical
from torchlsp.lint.files import lowered
from torchlsp.lint.ir_nodes import path_to
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.core.text import Document
    from torchlsp.engine.called_elsewhere import Elsewhere
    from torchlsp.engine.examination import Examination
    from torchlsp.engine.padding import Displacement, Padding
    from torchlsp.interp.store.recorded import Place as CalledPlace

_MEMO_KEY = "engine.recorded"
_MODULE = -1
_CONDITIONAL = (
    ir.Branch, ir.For, ir.While, ir.Try, ir.Match, ir.Conditional, ir.Logical, ir.Comprehension, ir.Lambda, ir.Define,
)  # fmt: skip

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Recorded:
    """The records of an analysis, sorted. `bound` are the places where names and attributes are bound, in
    order; `by_owner` the same by the start of the function around them (-1: the module's body); `previous` is
    the place above in the same function where the same is bound. `places` are all other places with a value,
    in order."""

    document: Document
    module: ir.Module
    analysis: Analysis
    bound: list[Place]
    by_owner: dict[int, list[Place]]
    previous: dict[Place, Place]
    places: list[Place]
    observations: Observations | None
    """What recorded runs have seen."""
    circumstances: Circumstances
    annotations: Annotations
    padding: Padding | Displacement
    imports: dict[str, str]
    """The imports that module-level names refer to, except names that anything else binds."""
    elsewhere: Elsewhere | None = None
    """What the calls of other files make of the places, where that is asked for."""

    def source(self, node: ir.Node) -> str:
        return self.document.text[node.start : node.end]

    def value(self, start: int, end: int) -> tuple[v.Value, Note | None]:
        """Returns the value at a place, and whether it holds only for this file's calls: where these say more
        than what is known for all callers.
        """
        value, called = self.own(start, end), self.called(start, end)
        content, remark = self.content(start, end), None
        if called is not None and _says_more(called, value, content):
            value, remark = called, AS_CALLED
        observed = self.observed(start, end)
        if observed is not None and self.observations is not None:
            note = self.observations.note(start)
            if note is not None and says_more(observed, value, content):
                return observed, note  # a run goes before what calls are believed to pass
        passed = self.passed(start, end)
        if passed is not None and _says_more(passed[0], value, content):
            value, remark = passed
        return value, remark

    def own(self, start: int, end: int) -> v.Value:
        """Returns the value at a place for all callers. Where something is bound, the bound value, as for `x`
        in `x += 1`."""
        bound = self.analysis.names.get((start, end))
        value = bound if bound is not None else self.analysis.values.get((start, end), v.UNKNOWN_VALUE)
        around = self._around(start, end)
        recording = self.analysis.recording
        if recording is not None and not self.circumstances.missed.isdisjoint(around):
            if (start, end) in recording.only_by_calls:
                return v.UNKNOWN_VALUE
        return self.circumstances.weakened(value, around)

    def is_recorded(self, node: ir.Node | ir.Param) -> bool:
        place = node.start, node.end
        return place in self.analysis.names or place in self.analysis.values

    def is_bound(self, node: ir.Node | ir.Param) -> bool:
        """Returns whether a name or an attribute is given its value here."""
        return (node.start, node.end) in self.analysis.names

    def imported(self, node: ir.Node | ir.Param) -> str | None:
        """Returns the public dotted name that imports at the top of the file give an expression that was not
        evaluated: a decorator, an annotation, or unreachable code.  None where a function may bind the name
        otherwise.
        """
        parts: list[str] = []
        while isinstance(node, ir.Attribute):
            parts.append(node.name)
            node = node.object
        base = self.imports.get(node.id) if isinstance(node, ir.Name) else None
        return canonical(".".join([base, *reversed(parts)])) if base is not None else None

    def called(self, start: int, end: int) -> v.Value | None:
        """Returns the value that this file's calls give a place; None where not all of them were followed."""
        if self.is_missed(start, end):
            return None
        around = self._around(start, end)
        value = self.analysis.called.get((start, end, (start, end) in self.analysis.names))
        return None if value is None else self.circumstances.weakened(value, around)

    def passed(self, start: int, end: int) -> tuple[v.Value, Note] | None:
        """Returns the value that calls of other files give a place, and which calls these are."""
        if self.elsewhere is None:
            return None
        place = self.place_outside(start, end)
        value, note = self.elsewhere.value(place), self.elsewhere.note(place)
        if value is None or note is None:
            return None
        return self.circumstances.weakened(value, self._around(start, end)), note

    def place_outside(self, start: int, end: int) -> CalledPlace:
        """Returns a place as the calls of other files name it."""
        outside = self.padding.outside
        return outside(start), outside(end), (start, end) in self.analysis.names

    def is_missed(self, start: int, end: int) -> bool:
        """Returns whether a function around a place is also called in ways that were not followed."""
        return not self.circumstances.missed.isdisjoint(self._around(start, end))

    def of_caller(self, start: int, end: int) -> v.Value:
        """Returns the value at a place of a call whose facts are those of other files' calls."""
        passed = self.passed(start, end)
        if passed is None or isinstance(passed[0], v.Unknown):
            return self.value(start, end)[0]
        # Of layers that differ the constructor's parameters say more.
        is_layer = isinstance(passed[0], v.LayerValue) and passed[1].is_differing
        return self.value(start, end)[0] if is_layer else passed[0]

    def observed(self, start: int, end: int) -> v.Value | None:
        """Returns the value of a place with what a recorded run has passed."""
        found = self.observations
        value = None if found is None else found.value(start, end, (start, end) in self.analysis.names)
        if value is None:
            return None
        return self.circumstances.weakened(value, self._around(start, end), only_frozen=True)

    def text(self, value: v.Value, start: int, end: int) -> str | None:
        """Returns the text of a value that `value` has returned for a place."""
        if self.observations is None or value != self.observed(start, end):
            return said(value, self.content(start, end))
        is_bound = (start, end) in self.analysis.names
        text = said(value, self.observations.content(start, end, is_bound))
        return None if text is None else self.observations.with_ranges(text, start)

    def content(self, start: int, end: int) -> v.Value | None:
        """Returns the content of the list or dict at a place."""
        around = self._around(start, end)
        if not self.circumstances.missed.isdisjoint(around):
            return None
        value = self.analysis.contents.get((start, end, (start, end) in self.analysis.names))
        return None if value is None else self.circumstances.weakened(value, around)

    def origins(self, value: v.Value) -> tuple[Step, ...]:
        """Returns the newest origins of a value, newest first."""
        made = self.analysis.created.get(value.ref) if isinstance(value, v.InstanceValue) else None
        return trail(value, self.document.path) if made is None else (Step(Span(*made), "made"),)

    def _around(self, start: int, end: int) -> list[Place]:
        """Returns the spans of the functions around a place, of those that may run under other circumstances."""
        functions = self.circumstances.functions
        before = functions[: bisect_right(functions, (start, len(self.document.text)))]
        return [one for one in before if end <= one[1]]

    def latest(self, function: ir.Function | None, before: int) -> Iterator[tuple[str, Place]]:
        """Yields names bound in a function (None: the module's body) above a place, once each, nearest first.

        Those that `is_hidden` are among them.
        """
        places = self.by_owner.get(_MODULE if function is None else function.start, [])
        seen: set[str] = set()
        for start, end in reversed(places[: bisect_left(places, (before,))]):
            name = self.document.text[start:end]
            if end <= before and name not in seen:
                seen.add(name)
                yield name, (start, end)

    def is_hidden(self, place: Place) -> bool:
        """Returns whether a name is bound here for a comprehension or a class body only, not for the function
        around it."""
        for node in reversed(path_to(self.module, *place)):
            if isinstance(node, ir.Comprehension | ir.Class):
                return True
            if isinstance(node, ir.Function):
                break
        return False

    def used_as(self, value: v.Parameter | TensorFact, function: ir.Function) -> tuple[v.Value, Note | None]:
        """Returns a parameter as the tensor that its function uses it as, with its sizes if these are shown, and the
        assumption where the function may raise before.
        """
        ids = frozenset({value.name}) if isinstance(value, v.Parameter) else value.storage.ids
        best: v.Value = value
        remark: Note | None = None
        first = bisect_left(self.places, (function.start,))
        for place in self.places[first : bisect_left(self.places, (function.end,))]:
            fact = self.own(*place)
            if not isinstance(fact, TensorFact) or fact.origin is None or fact.origin.op != "parameter":
                continue
            if fact.storage.ids == ids and (fact.shape is not None or best is value):
                if not _is_certain(self.module, function, place):
                    continue
                best, remark = fact, AS_CHECKED if _is_checked(function, place) else None
                if fact.shape is not None:
                    break
        return best, remark


def _is_certain(module: ir.Module, function: ir.Function, place: Place) -> bool:
    """Is a place of a function evaluated in every call that does not raise?"""
    for statement in function.body:
        if statement.start <= place[0] and place[1] <= statement.end:
            return not any(
                isinstance(node, _CONDITIONAL) and not _is_tested(node, place)
                for node in path_to(module, *place)
                if statement.start <= node.start and node.end <= statement.end
            )
        if any(isinstance(node, ir.Return) for node in nodes_inside(statement)):
            return False
    return function.is_lambda


def _is_checked(function: ir.Function, place: Place) -> bool:
    """May a function raise above a place, by a statement of its own or by a call that is made for nothing else?"""
    for node in nodes_inside(function.body):
        if node.end > place[0]:
            continue
        if isinstance(node, ir.Raise | ir.Assert):
            return True
        if isinstance(node, ir.Expression) and isinstance(node.value, ir.Call):
            names = {
                one.id for given in node.value.args for one in nodes_inside(given) if isinstance(one, ir.Name)
            }
            if any(param.name in names for param in function.params):
                return True
    return False


def _is_tested(node: ir.Node | ir.Param, place: Place) -> bool:
    """Is a place in the test of a branch, or in what a loop goes through, rather than in its body?"""
    test = getattr(node, "iterable", None) or getattr(node, "test", None)
    return isinstance(test, ir.Node) and test.start <= place[0] and place[1] <= test.end


def recorded(examination: Examination) -> Recorded | None:
    """Returns the records of an analysis; None where nothing was analysed."""
    analysis, memo = examination.detailed or examination.analysis, examination.analysed.memo
    if analysis is None:
        return None
    kept = memo.get(_MEMO_KEY)
    if isinstance(kept, Recorded) and kept.analysis is analysis:
        return kept if kept.padding == examination.padding else replace(kept, padding=examination.padding)
    document = examination.analysed.document
    module, text = lowered(examination.analysed), document.text
    by_owner: dict[int, list[Place]] = {}
    previous: dict[Place, Place] = {}
    latest: dict[tuple[int, str], Place] = {}
    bound = sorted(analysis.names)
    for place, owner in zip(bound, _owners(module, bound)):
        by_owner.setdefault(owner, []).append(place)
        key = owner, text[place[0] : place[1]]
        if key in latest:
            previous[place] = latest[key]
        latest[key] = place
    made = Recorded(
        document,
        module,
        analysis,
        bound,
        by_owner,
        previous,
        sorted(analysis.values),
        None if examination.record is None else Observations.of(examination.record, analysis, module, text),
        circumstances(
            module, analysis, text, callers(document.path) if examination.reads_callers else NO_CALLERS
        ),
        Annotations(module),
        examination.padding,
        _imports(module, text, bound),
    )
    memo[_MEMO_KEY] = made
    return made


def _says_more(called: v.Value, value: v.Value, content: v.Value | None) -> bool:
    if isinstance(value, v.BoundExternal) and isinstance(called, v.BoundExternal):
        value, called = value.receiver, called.receiver
    if isinstance(value, TensorFact) and isinstance(called, TensorFact):
        if value.shape is None or called.shape is None:
            return called.shape is not None
        return invented_sizes(called) < invented_sizes(value)
    if isinstance(value, v.TupleValue | v.Scalar) and type(value) is type(called):
        if said(called, content) is not None and invented_sizes(called) < invented_sizes(value):
            return True
    return said(value, content) is None and said(called, content) is not None


def invented_sizes(value: v.Value) -> int:
    """Counts the sizes of a value that nobody has written: unknown ones, and those that are named after what made them."""
    match value:
        case TensorFact(shape=sizes) | v.ArrayValue(shape=sizes):
            return sum(is_invented(size) for size in sizes or ())
        case v.TupleValue(items=items):
            return sum(invented_sizes(item) for item in items)
        case v.Scalar(kind="int", value=size):
            return size is None or is_invented(size)
    return 0


def says_less(called: v.Value | None, own: v.Value) -> bool:
    """Returns whether fewer sizes of a value are known of this file's calls than of all callers."""
    if called is None or not has_shapes(own):
        return False
    if not has_shapes(called) or _unknown_sizes(called) > _unknown_sizes(own):
        return True
    return invented_sizes(called) > invented_sizes(own)


def has_shapes(value: v.Value) -> bool:
    """Returns whether a value is a tensor or array of known rank, or a tuple with one."""
    return any(map(has_shape, value.items if isinstance(value, v.TupleValue) else (value,)))


def _unknown_sizes(value: v.Value) -> int:
    match value:
        case TensorFact(shape=sizes) | v.ArrayValue(shape=sizes):
            return sum(dims.is_fresh(size) for size in sizes or ())
        case v.TupleValue(items=items):
            return sum(map(_unknown_sizes, items))
    return 0


def has_shape(value: v.Value) -> bool:
    """Returns whether a value is a tensor or array of known rank."""
    return isinstance(value, TensorFact | v.ArrayValue) and value.shape is not None


def owner_of(path: list[ir.Node | ir.Param]) -> ir.Function | None:
    """Returns the innermost function around a place; None for the module's body."""
    return next(
        (node for node in reversed(path) if isinstance(node, ir.Function) and not node.is_lambda), None
    )


def _imports(module: ir.Module, text: str, bound: list[Place]) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in module.body:
        for name, source, attribute in node.names if isinstance(node, ir.Import) else ():
            found[name] = source if attribute is None else f"{source}.{attribute}"
    others = {text[start:end] for start, end in bound}
    others.update(param.name for function in module.functions for param in function.params)
    others.update(function.name for function in module.functions if function.owner is None)
    return {name: source for name, source in found.items() if name not in others}


def _owners(module: ir.Module, places: list[Place]) -> Iterator[int]:
    """Yields, for each of some places in order, where the innermost function around it starts."""
    functions = sorted((one.start, one.end) for one in module.functions)
    around: list[Place] = []
    following = 0
    for start, _ in places:
        while following < len(functions) and functions[following][0] <= start:
            around.append(functions[following])
            following += 1
        while around and around[-1][1] <= start:
            around.pop()
        yield around[-1][0] if around else _MODULE
