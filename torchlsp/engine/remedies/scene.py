"""Reads the facts of the statement that raised an error: its calls, their operands, and where these were made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass, field
from torchlsp.core.span import Span
from torchlsp.engine.calls_shown import symbol_of
from torchlsp.engine.recorded import Recorded, recorded
from torchlsp.engine.values_shown import shortened
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.program import ir
from torchlsp.program.walking import walk

if TYPE_CHECKING:
    from torchlsp.core.text import Document
    from torchlsp.engine.examination import Examination
    from torchlsp.engine.tracebacks import Frame

Known = TensorFact | v.ArrayValue
Place = tuple[int, int]

_MAX_TEXT = 70
_MAX_ORIGINS = 24
_MAX_FOLLOWED = 200
_MAX_ROWS = 10
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


@dataclass(frozen=True, slots=True)
class Operand:
    """An expression with a tensor or an array as its value."""

    node: ir.Node
    text: str
    fact: Known


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the program that is still as the traceback shows it, with its analysis."""

    document: Document
    facts: Recorded

    @property
    def module(self) -> ir.Module:
        return self.facts.module

    def text(self, node: ir.Node) -> str:
        return shortened(self.document.text[node.start : node.end], _MAX_TEXT)

    def row(self, offset: int) -> int:
        return self.document.row_column(offset)[0]

    def line(self, row: int) -> str:
        return shortened(self.document.line_text(row).strip(), _MAX_TEXT)

    def value(self, node: ir.Node) -> v.Value:
        """Returns the value of an expression in the run that raised: what the calls of the file make of it goes first."""
        analysis, place = self.facts.analysis, (node.start, node.end)
        for found in (
            analysis.called.get((*place, place in analysis.names)),
            analysis.names.get(place),
            analysis.values.get(place),
        ):
            if found is not None and not isinstance(found, v.Unknown):
                return found
        return v.UNKNOWN_VALUE

    def functions(self) -> tuple[ir.Function, ...]:
        return self.facts.module.functions


@dataclass(frozen=True, slots=True)
class Scene:
    """The statement at the user's innermost frame. `sources` are all files that could be read, its own first."""

    source: Source
    row: int
    carets: Place | None = None
    sources: tuple[Source, ...] = field(default=(), compare=False)

    @property
    def document(self) -> Document:
        return self.source.document

    def text(self, node: ir.Node) -> str:
        return self.source.text(node)

    def value(self, node: ir.Node) -> v.Value:
        return self.source.value(node)

    def nodes(self) -> list[ir.Node]:
        """Returns the expressions of the statement, inner ones first; of a loop or a branch, those of its first line."""
        start, end = _statement(self.source, self.row)
        function = self.function
        body = self.source.module.body if function is None else function.body
        found = [node for node in walk((body,)) if start <= node.start and node.end <= end]
        found.sort(key=lambda node: (node.end - node.start, node.start))
        return found

    @property
    def function(self) -> ir.Function | None:
        """Returns the innermost function around the statement."""
        offset = self.document.row_span(self.row).end
        around = [one for one in self.source.functions() if one.start < offset <= one.end + 1]
        return min(around, key=lambda one: one.end - one.start, default=None)

    def constant(self, node: ir.Node | None) -> object:
        """Returns the Python constant that an expression stands for; None where that is not known."""
        if isinstance(node, ir.Constant):
            return node.value
        if isinstance(node, ir.Unary) and node.op == "-" and isinstance(node.operand, ir.Constant):
            return -node.operand.value
        value = self.value(node) if node is not None else None
        return value.value if isinstance(value, v.Scalar) else None

    def calls(self) -> list[ir.Call]:
        """Returns the calls of the statement, those that the traceback marks first, then inner ones first."""
        calls = [node for node in self.nodes() if isinstance(node, ir.Call)]
        marked = self.marked
        if marked is None:
            return calls
        return sorted(calls, key=lambda node: abs(node.start - marked[0]) + abs(node.end - marked[1]))

    @property
    def marked(self) -> Place | None:
        """Returns the text that the traceback marks."""
        if self.carets is None:
            return None
        line = self.document.line_text(self.row)
        margin = self.document.row_span(self.row).start + len(line) - len(line.lstrip())
        return margin + self.carets[0], margin + self.carets[1]

    def symbol(self, call: ir.Call) -> str:
        """Returns the public dotted name of what a call calls; "" where it is not known."""
        return symbol_of(self.value(call.function)) or ""

    def calls_of(self, *names: str) -> Iterator[ir.Call]:
        """Yields the calls of functions or layers by the last part of their names."""
        for call in self.calls():
            name = self.symbol(call).rpartition(".")[2]
            written = call.function.name if isinstance(call.function, ir.Attribute) else ""
            if name in names or written in names:
                yield call

    def operands(self) -> list[Operand]:
        """Returns the tensors and arrays of the statement, each text once, names before what is computed of them."""
        callees = {id(node.function) for node in self.nodes() if isinstance(node, ir.Call)}
        found: dict[str, Operand] = {}
        for node in self.nodes():
            if id(node) in callees or not isinstance(node, ir.Name | ir.Attribute | ir.Call | ir.Subscript):
                continue
            operand = self.operand(node)
            if operand is not None:
                found.setdefault(operand.text, operand)
        return list(found.values())

    def operand(self, node: ir.Node) -> Operand | None:
        fact = self.value(node)
        return Operand(node, self.text(node), fact) if isinstance(fact, TensorFact | v.ArrayValue) else None

    def argument(self, call: ir.Call, position: int, *names: str) -> ir.Node | None:
        """Returns the argument of a call by its names, else by its position."""
        for name, node in call.keywords:
            if name in names:
                return node
        before = call.args[: position + 1]
        if position < len(call.args) and not any(isinstance(node, ir.Starred) for node in before):
            return call.args[position]
        return None

    def made(self, fact: v.Value, holds: Callable[[Known], bool] | None = None) -> str:
        """Returns where a value was made, as `line 6 (…)`; where `holds` is given, the first place since which it has
        held. Empty where that is this very statement, or not known."""
        origin = getattr(fact, "origin", None)
        if holds is not None and isinstance(fact, TensorFact | v.ArrayValue):
            for older in _first_operands(fact):
                if not holds(older):
                    break
                origin = older.origin or origin
        if origin is None or getattr(origin, "op", "") == "parameter":
            return ""
        return self.place(Span(origin.start, origin.end), origin.path)

    def place(self, span: Span, path: str | None) -> str:
        """Returns a place as `line 6 (…)`, with its file where that is another one."""
        for source in self.sources or (self.source,):
            if path is None and source is not self.source or path not in (None, source.document.path):
                continue
            row = source.row(span.start)
            if source is self.source and row == self.row:
                return ""
            other = "" if source is self.source else f" of {source.document.path}"
            return f"line {row}{other} (`{source.line(row)}`)"
        return ""

    def behind(self) -> Iterator[Known]:
        """Yields the tensors of the statement and those that they were computed of, nearest first."""
        waiting: list[Known] = [one.fact for one in self.operands()]
        seen: set[int] = set()
        while waiting and len(seen) < _MAX_FOLLOWED:
            fact = waiting.pop(0)
            if id(fact) in seen:
                continue
            seen.add(id(fact))
            yield fact
            if fact.origin is not None:
                waiting.extend(fact.origin.parents)

    def origins(self) -> Iterator[tuple[Source, Span]]:
        """Yields the places where the values of the statement were made, nearest first, with their files."""
        for node in self.nodes():
            origin = getattr(self.value(node), "origin", None)
            if origin is not None:
                yield from self._where(origin.start, origin.end, origin.path)
        for fact in self.behind():
            if fact.origin is not None:
                yield from self._where(fact.origin.start, fact.origin.end, fact.origin.path)

    def _where(self, start: int, end: int, path: str | None) -> Iterator[tuple[Source, Span]]:
        for source in self.sources:
            if path == source.document.path or path is None and source is self.source:
                yield source, Span(start, end)

    def written(self, fact: Known) -> str:
        """Returns the text of the expression that a tensor comes from: the name it is bound to, if it is bound."""
        if fact.origin is None or fact.origin.path not in (None, self.document.path):
            return ""
        place = fact.origin.start, fact.origin.end
        text = self.document.text[slice(*place)]
        name, _, rest = self.source.line(self.source.row(place[0])).partition(" = ")
        is_bound = bool(rest) and name.replace(".", "").isidentifier()
        return name if is_bound else shortened(text, _MAX_TEXT)


def scene(examinations: Sequence[Examination], frame: Frame) -> Scene | None:
    """Returns the scene at a frame of the first of some examined files; None where its facts are not known."""
    sources: list[Source] = []
    for examination in examinations:
        facts = recorded(examination)
        if facts is not None:
            sources.append(Source(examination.document, facts))
    if not sources or sources[0].document is not examinations[0].document:
        return None
    return Scene(sources[0], frame.row, frame.carets, tuple(sources))


def _statement(source: Source, row: int) -> Place:
    """Returns the simple statement around a row; of a compound one the text to where its brackets close."""
    document = source.document
    line = document.row_span(row)
    offset = line.start + len(document.line_text(row)) - len(document.line_text(row).lstrip())
    around = [one for one in source.module.statement_starts if one[0] <= offset < one[1]]
    if around:
        found = min(around, key=lambda one: one[1] - one[0])
        if found[1] - found[0] < 2_000 and not _is_compound(document.text[found[0] : found[1]]):
            return found
    depth = 0
    for last in range(row, min(row + _MAX_ROWS, len(document.rows) + 1)):
        span = document.row_span(last)
        depth += sum(_BRACKETS.get(character, 0) for character in document.text[span.start : span.end])
        if depth <= 0:
            return offset, span.end
    return offset, line.end


def _is_compound(text: str) -> bool:
    words = ("for ", "while ", "if ", "with ", "try", "match ", "def ", "class ", "async ", "@")
    return text.startswith(words)


def _first_operands(fact: Known) -> Iterator[Known]:
    for _ in range(_MAX_ORIGINS):
        yield fact
        if fact.origin is None or not fact.origin.parents:
            return
        fact = fact.origin.parents[0]
