"""Gives a rule its questions about one file and the means to make findings and fixes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from torchlsp.core.finding import (
    ALSO_CALLED_HERE,
    CALLED_HERE,
    Applicability,
    Edit,
    Finding,
    Fix,
    Related,
    Severity,
)
from torchlsp.core.records import dataclass, field, replace
from torchlsp.core.span import Span
from torchlsp.facts.fault import Certainty, Fault, FaultKind
from torchlsp.facts.tensor import REFUSED, TensorFact
from torchlsp.interp.checks.after_the_run import AFTERWARDS_BY_NAME, NOWHERE_IN_THE_FILE
from torchlsp.interp.checks.distributed import collective_divergence
from torchlsp.interp.checks.training import gradient_clearing, manual_updates, unseen_optimizers
from torchlsp.lint.files import Change, Operand
from torchlsp.lint.ir_nodes import is_plain
from torchlsp.lint.message_text import shortened
from torchlsp.lint.reproducers import reproducer
from torchlsp.lint.trail import assumption, at_call, first_origin, known_batch
from torchlsp.ops.call import assumed_of_operands
from torchlsp.program import ir
from torchlsp.syntax.statements import scope_name

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.lint.files import File
    from torchlsp.lint.ir_nodes import Position
    from torchlsp.lint.places import Located, Place, Step
    from torchlsp.lint.question import Question, RuleInfo

Found = tuple[Any, ...]  # Any: each question has its own kind of answer
Cause = tuple[str | None, int, int]
CallEntry = tuple[str | None, int, int, str]


class Answers:
    """Returns results of questions about an analysis, each computed once. The gate of the runner and all
    rules share it."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self._kept: dict[Question, Found] = {}
        self._faults: dict[str, list[Fault]] = {}
        for fault in analysis.faults:
            if fault.certainty is Certainty.MUST:
                self._faults.setdefault(fault.kind.name, []).append(fault)

    def __call__(self, question: Question) -> Found:
        """Returns what the analysis found for a question."""
        if (found := self._kept.get(question)) is None:
            found = self._kept[question] = tuple(self._ask(*question))
        return found

    def _ask(self, method: str, argument: str) -> Iterable[object]:
        if self.analysis.left_out and method not in ("faults", "calls"):
            return ()  # what only a whole run shows
        match method:
            case "faults":
                during = self._faults.get(argument, ())
                return [*during, *self._afterwards(argument)] if argument in AFTERWARDS_BY_NAME else during
            case "calls":
                return [call for call in self.analysis.calls if call.name == argument]
            case "missing_clears":
                if "zero_grad" in self.analysis.module.unread_words:
                    return ()
                return [
                    *gradient_clearing.missing_clears(self.analysis),
                    *unseen_optimizers.missing_clears(self.analysis),
                    *manual_updates.missing_clears(self.analysis),
                ]
            case "early_clears":
                return gradient_clearing.clears_before_step(self.analysis)
            case "divergences":
                return [one for one in self._divergences if one.kind == argument]
        raise ValueError(f"nobody answers {method}")

    def _afterwards(self, kind: str) -> Iterable[Fault]:
        member, check = AFTERWARDS_BY_NAME[kind]
        if self.analysis.left_out or self.analysis.module.unread_words and member in NOWHERE_IN_THE_FILE:
            return
        for fault in check(self.analysis):
            assumed = assumed_of_operands(fault)
            if REFUSED not in assumed:
                yield replace(fault, assumptions=fault.assumptions | assumed) if assumed else fault

    @cached_property
    def _divergences(self) -> list[collective_divergence.Divergence]:
        return collective_divergence.divergences(self.analysis)


@dataclass(slots=True)
class Site:
    """A place that a rule may report.

    `what` is what the analysis said of it. `assumptions` are what that rests on, and `chain` the calls through which
    the place was reached, outermost first.
    """

    file: File
    span: Span
    what: Any  # a Fault, a CallSite, a MissingClear, ...: what the question of the rule is answered with
    assumptions: frozenset[str] = frozenset()
    chain: tuple[CallEntry, ...] = ()
    subjects: tuple[TensorFact, ...] = field(default=())

    def __getitem__(self, name: str) -> Any:  # as `Fault.data`
        """Returns an operand of the fault, by the name that its kind gives it."""
        return self.what[name]

    def get(self, name: str, default: object = None) -> Any:  # as `Fault.data`
        """Returns an operand of the fault, or a default where the fault has none of this name."""
        return self.what.get(name, default)

    @property
    def whole(self) -> Operand:
        """Returns the expression at this place."""
        return Operand(self.file, self.span.start, self.span.end)

    def place(self, span: tuple[int, int] | None) -> Operand | None:
        """Returns the expression at another place of the file that the fault names."""
        return None if span is None else Operand(self.file, *span)

    @property
    def statement(self) -> Operand | None:
        """Returns the smallest statement around this place."""
        found = self.file.position(self.span.start, self.span.end)
        return None if found is None else self._operand(found.statement)

    @property
    def callee(self) -> Operand | None:
        """Returns the function of the call at this place."""
        node = self.file.node(self.span.start, self.span.end)
        return self._operand(node.function) if isinstance(node, ir.Call) else None

    def operand(self, name: str, index: int | None = None) -> Operand | None:
        """Returns the expression given for a parameter, by its name and its position (a method's receiver is 0).

        None when it is not written out here, as after `*args`.
        """
        node = self.file.node(self.span.start, self.span.end)
        match node:
            case ir.Binary(left=left, right=right) if index in (0, 1):
                return self._operand((left, right)[index])
            case ir.Augmented(target=target, value=value) if index in (0, 1):
                return self._operand((target, value)[index])
            case ir.Compare(left=left, rights=(right,)) if index in (0, 1):
                return self._operand((left, right)[index])
            case ir.Attribute(object=receiver) if index == 0 and self._is_method:
                return self._operand(receiver)
            case ir.Subscript(object=container, index=inner) if index in (0, 1):
                return self._operand((container, inner)[index])
            case ir.Call(function=function, args=args, keywords=keywords):
                for keyword, value in keywords:
                    if keyword == name:
                        return self._operand(value)
                if index is not None and isinstance(function, ir.Attribute) and self._is_method:
                    if index == 0:
                        return self._operand(function.object)
                    index -= 1
                if index is None or any(isinstance(arg, ir.Starred) for arg in args[: index + 1]):
                    return None
                return self._operand(args[index]) if index < len(args) else None
        return None

    def argument(self, value: object) -> Operand | None:
        """Returns the expression of the argument of a faulty call that has this very value."""
        called = getattr(self.what, "called", None)
        if called is None:
            return None
        for index, one in enumerate(called.args):
            if one is value:
                return self.operand("", index)
        return next((self.operand(name) for name, one in called.keywords if one is value), None)

    def item(self, operand: Operand | None, number: int) -> Operand | None:
        """Returns one item of a list or tuple that is written out without stars."""
        node = None if operand is None else operand.file.node(operand.start, operand.end)
        if not isinstance(node, ir.Display) or any(isinstance(one, ir.Starred) for one in node.items):
            return None
        return self._operand(node.items[number]) if number < len(node.items) else None

    def written(self, fact: object) -> Operand | None:
        """Returns the expression that gave this very tensor to the faulty call, also as an item of a list.

        None where it was computed on the way (between the layers of a Sequential), or is a layer's own.
        """
        called, origin = getattr(self.what, "called", None), getattr(fact, "origin", None)
        if called is None or (
            origin is not None and (origin.start, origin.end) == (self.span.start, self.span.end)
        ):
            return None
        for value in (*called.args, *(value for _, value in called.keywords)):
            items = getattr(value, "items", None) or ()
            place = next((i for i, item in enumerate(items) if item is fact), None)
            if place is not None:
                return self.item(self.argument(value), place)
        return self.argument(fact)

    @property
    def converted(self) -> Operand | None:
        """Returns what NumPy is to convert, in a fault about that; None where it is part of an argument."""
        place = self.get("argument", 0)
        return self.operand(place) if isinstance(place, str) else self.operand("", place)

    @property
    def method_called(self) -> str:
        """Returns the name of the method that is called on the expression here; "" where none is."""
        match self.file.parents(self.span.start, self.span.end):
            case [*_, ir.Call(function=function), ir.Attribute(name=name) as attribute] if (
                function is attribute
            ):
                return name
        return ""

    @property
    def is_factor(self) -> bool:
        """Returns whether the expression here is itself an operand of a matrix product."""
        parents = self.file.parents(self.span.start, self.span.end)
        match parents[-1:]:
            case [ir.Binary(op="@")] | [ir.Attribute(name="mm" | "matmul" | "bmm")]:
                return True
            case [ir.Call(function=ir.Attribute(name="mm" | "matmul" | "bmm"))]:
                return True
        return False

    def written_tensors(self) -> Iterator[tuple[TensorFact, Operand]]:
        """Yields the tensors that are written out as arguments of the faulty call, items of a tuple or list included."""
        called = getattr(self.what, "called", None)
        for value in () if called is None else (*called.args, *(value for _, value in called.keywords)):
            place = self.argument(value)
            items = (value,) if isinstance(value, TensorFact) else getattr(value, "items", None) or ()
            for number, item in enumerate(items):
                operand = place if item is value else self.item(place, number)
                if isinstance(item, TensorFact) and operand is not None:
                    yield item, operand

    def called(self, name: str, index: int) -> str:
        """Names a parameter by the user's expression, in backticks, a long one shortened. By its role where none is
        written."""
        return self.named(self.operand(name, index), name)

    def named(self, operand: Operand | None, role: str) -> str:
        """Names an operand by the user's expression, in backticks, a long one shortened. By its role where there is
        none."""
        return f"the {role}" if operand is None else f"`{shortened(operand.source)}`"

    def fix(self, title: str, *changes: tuple[Operand | None, Change], safe: bool = False) -> Fix | None:
        """Makes a fix that changes libCST nodes: for each operand, `change(node)` takes the node's place.

        None when one of them cannot be changed.
        """
        edits = []
        for operand, change in changes:
            if operand is None or operand.file is not self.file:
                return None
            edit = operand.file.rewritten(operand.start, operand.end, change)
            if edit is None:
                return None
            edits.append(edit)
        return Fix(title, tuple(edits), Applicability.SAFE if safe else Applicability.UNSAFE)

    def insert(self, title: str, offset: int, *code: str, safe: bool = False) -> Fix | None:
        """Makes a fix that inserts statements above the one at `offset`."""
        edits = self.file.inserted(offset, *code)
        return Fix(title, edits, Applicability.SAFE if safe else Applicability.UNSAFE) if edits else None

    def wrap(self, title: str, header: str, loops: bool = False) -> Fix | None:
        """Makes a fix that puts the statement here, a simple one or (`loops`) a loop, under the header of a block."""
        found = self.file.position(self.span.start, self.span.end)
        kinds = (ir.Expression, ir.Assign, ir.Augmented) + ((ir.For,) if loops else ())
        if found is None or not isinstance(found.statement, kinds):
            return None
        edits = self.file.wrapped(found.statement, header)
        return Fix(title, edits) if edits else None

    def rewrite(self, title: str, place: Located, *code: str, safe: bool = False) -> Fix | None:
        """Makes a fix that replaces something of this file (anything with start and end) by statements, or an
        expression by another one."""
        edits = self.file.replaced(place.start, place.end, *code)
        return Fix(title, edits, Applicability.SAFE if safe else Applicability.UNSAFE) if edits else None

    def replace_all(self, title: str, places: Iterable[tuple[int, int]], code: str) -> Fix:
        """Makes a safe fix that replaces a name by another one wherever the file has it."""
        edits = tuple(Edit(Span(*place), code) for place in places)
        return Fix(title, edits, Applicability.SAFE)

    def counter(self, loop: Located) -> str | None:
        """Returns the name that a `for` loop (anything with start and end) assigns; None where it assigns several."""
        node = self.file.node(loop.start, loop.end)
        target = node.target if isinstance(node, ir.For) else None
        return target.id if isinstance(target, ir.Name) else None

    def move(self, title: str, statement: ir.Node, before: ir.Node) -> Fix | None:
        """Makes a fix that moves a statement above another one."""
        edits = self.file.moved(statement, before)
        return Fix(title, edits) if edits else None

    def append(self, title: str, place: Located, code: str) -> Fix | None:
        """Makes a fix that inserts a statement below the one at `place`."""
        position = self.position(place)
        edits = self.file.appended(position.statement, code) if position is not None else ()
        return Fix(title, edits) if edits else None

    def move_after(self, title: str, statement: ir.Node, after: ir.Node) -> Fix | None:
        """Makes a fix that moves a statement below another one of its block."""
        edits = self.file.moved_after(statement, after)
        return Fix(title, edits) if edits else None

    def shares_scope(self, *places: Place) -> bool:
        """Returns whether these places are in the function (or the module's body) that the site is in."""
        mine = scope_name(self.file.tree, self.span)
        return all(
            (place.path is None or place.path == self.file.path)
            and scope_name(self.file.tree, Span(place.start, place.end)) == mine
            for place in places
        )

    def unassigned(self, title: str, call: Located, name: str) -> Fix | None:
        """Makes a safe fix that leaves of `name = call(...)` the call alone."""
        here = self.position(call)
        match here and here.statement:
            case ir.Assign(targets=(target,), value=value) as statement:
                same = self.file.source(target.start, target.end) == name
                if same and (value.start, value.end) == (call.start, call.end):
                    edit = Edit(Span(statement.start, value.start), "")
                    return Fix(title, (edit,), Applicability.SAFE)
        return None

    def outermost(self, place: Located, loop: Located | None = None) -> ir.Node | None:
        """Returns the outermost `with` around a place, inside any function, branch or other loop."""
        here = self.position(place)
        while here is not None:
            parent = here.parent
            if parent is None:
                return here.statement
            mine = loop is not None and (parent.start, parent.end) == (loop.start, loop.end)
            if not mine and not isinstance(parent, ir.With):
                return here.statement
            here = self.position(parent)
        return None

    def position(self, place: Located) -> Position | None:
        """Finds the statement around a place (anything with start, end and path); None in another file."""
        path = getattr(place, "path", None)
        here = path is None or path == self.file.path
        return self.file.position(place.start, place.end) if here else None

    @property
    def _is_method(self) -> bool:
        return getattr(self.what, "op", "").startswith("Tensor.")

    def _operand(self, node: ir.Node) -> Operand:
        return Operand(self.file, node.start, node.end)


class Check:
    """Gives one rule access to one file."""

    def __init__(
        self, info: RuleInfo, answers: Answers, main: File, file_at: Callable[[str | None], File | None]
    ) -> None:
        self._info = info
        self._answers = answers
        self._main = main
        self._file_at = file_at
        self.moved: dict[Finding, tuple[Finding, ...]] = {}
        """Findings in other files, and each as it is shown at the calls that lead there."""
        self.causes: dict[Finding, Cause] = {}
        """Of findings whose rule has named it: the place of the expression that is wrong."""

    # ---- questions ---------------------------------------------------------------------------------------------------

    def faults(self, *kinds: FaultKind) -> Iterator[Site]:
        """Yields the faults of these kinds, in order of place."""
        found = [fault for kind in kinds for fault in self._ask("faults", kind.name)]
        for fault in sorted(found, key=lambda fault: (fault.path or "", fault.start, fault.end)):
            subjects = tuple(value for _, value in fault.data if isinstance(value, TensorFact))
            yield from self._sites(
                fault.path, fault.start, fault.end, fault, fault.assumptions, fault.call_chain, subjects
            )

    def calls(self, *names: str) -> Iterator[Site]:
        """Yields the calls of functions with these qualified names."""
        for name in names:
            for call in self._ask("calls", name):
                yield from self._sites(call.path, call.start, call.end, call)

    def missing_clears(self) -> Iterator[Site]:
        """Yields loops that step on gradients of earlier iterations; the site is the backward call."""
        for found in self._ask("missing_clears", ""):
            backward = found.backward
            chain = tuple((call.path, call.start, call.end, call.name) for call in found.chain)
            yield from self._sites(
                backward.path, backward.start, backward.end, found, found.assumptions, chain
            )

    def early_clears(self) -> Iterator[Site]:
        """Yields gradients cleared between backward and the step; the site is the clearing call."""
        for found in self._ask("early_clears", ""):
            yield from self._sites(found.clear.path, found.clear.start, found.clear.end, found)

    def divergences(self, *kinds: str) -> Iterator[Site]:
        """Yields collectives that some ranks do not reach: under a test (`branch`), after an exit (`exit`),
        inside a called function (`helper`), or in a call whose name does not show it (`hidden`)."""
        for kind in kinds:
            for found in self._ask("divergences", kind):
                start, end = found.at
                yield from self._sites(found.path, start, end, found, found.assumptions)

    # ---- answers -----------------------------------------------------------------------------------------------------

    def finding(
        self,
        site: Site,
        text: str,
        *,
        related: Iterable[tuple[Place, str]] = (),
        fixes: Iterable[Fix | None] = (),
        cause: tuple[Place, str] | None = None,
        mild: bool = False,
        style: bool = False,
    ) -> Finding:
        """Returns a finding at a site. `related` are places (anything with start, end and path) and what is
        to be said of them; what the site rests on and the calls that lead to it are added. `cause` is the place of the
        expression that is wrong, where that is another one: all findings of the rule with this cause are one. What rests on an
        assumption, or is `mild`, is a warning at most; `style`, what works and is only no longer written so,
        or what is true and changes nothing, is an info."""
        severity = Severity.INFO if style else self._info.severity
        if (mild or site.assumptions) and severity is Severity.ERROR:
            severity = Severity.WARNING
        if cause is not None and not self._is_inside(cause[0], site):
            related = [*related, cause]
        trail = [*self._related(site, (*related, *known_batch(site.what))), *self._assumed(site)]
        finding = Finding(
            rule=self._info.code,
            name=self._info.name,
            path=site.file.path,
            span=site.span,
            message=text,
            severity=severity,
            related=tuple(dict.fromkeys((*trail, *self._chain(site)))),
            fixes=tuple(fix for fix in fixes if fix is not None),
            probe=reproducer(site.what),
            scope=scope_name(site.file.tree, site.span),
        )
        if cause is not None:
            self.causes[finding] = (cause[0].path, cause[0].start, cause[0].end)
        if site.file is not self._main:
            self.moved[finding] = tuple(self._at_calls(finding, site))
        return finding

    def source(self, place: Place) -> str:
        """Quotes the user's text at a place (anything with start, end and path), in backticks and shortened."""
        file = self._file_at(place.path)
        return f"`{shortened(file.source(place.start, place.end))}`" if file is not None else "it"

    def operand(self, place: Place | None) -> Operand | None:
        """Returns the expression at a place (anything with start, end and path)."""
        file = None if place is None else self._file_at(place.path)
        return None if place is None or file is None else Operand(file, place.start, place.end)

    def optimizer(self, step: Step) -> Operand | None:
        """Returns the user's expression for the optimizer of a `step`, where it can be written again elsewhere."""
        file = self._file_at(step.path)
        if file is None:
            return None
        match file.node(step.start, step.end):
            case ir.Call(function=ir.Attribute(object=receiver, name="step"), args=args):
                # A gradient scaler is given the optimizer.
                written = (
                    args[0] if args and file.source(args[0].start, args[0].end) == step.label else receiver
                )
                return Operand(file, written.start, written.end) if is_plain(written) else None
        return None

    def receiver(self, call: Operand | Place) -> Operand | None:
        """Returns the object on which a method is called (`call`: an operand, or start, end and path)."""
        file = call.file if isinstance(call, Operand) else self._file_at(call.path)
        if file is None:
            return None
        match file.node(call.start, call.end):
            case ir.Call(function=ir.Attribute(object=receiver)):
                return Operand(file, receiver.start, receiver.end)
        return None

    def plain(self, operand: Operand | None) -> Operand | None:
        """Returns the operand if it is a name or an attribute, which can be written again elsewhere."""
        node = None if operand is None else operand.file.node(operand.start, operand.end)
        return operand if node is not None and is_plain(node) else None

    def argument(self, call: Place, index: int = 0) -> Operand | None:
        """Returns the user's expression for an argument of a call."""
        file = self._file_at(call.path)
        if file is None:
            return None
        match file.node(call.start, call.end):
            case ir.Call(args=args) if index < len(args) and not isinstance(args[index], ir.Starred):
                return Operand(file, args[index].start, args[index].end)
        return None

    def has_devices_in_sight(self, site: Site) -> bool:
        """Returns whether the file of a site, that which is checked, or one with a call on the way names devices."""
        paths = (site.file.path, self._main.path, *(path for path, *_ in site.chain))
        return any(file.names_devices for file in map(self._file_at, paths) if file is not None)

    def constructor(self, site: Site) -> Site | None:
        """Returns the call that built the layer whose fault this is."""
        made = site.get("made")
        return None if made is None else next(self._sites(made.path, made.start, made.end, made), None)

    def _ask(self, method: str, argument: str) -> Found:
        if (method, argument) not in self._info.asks:
            # The gate was read from the rule's text: a question that is not written there would go unanswered.
            raise RuntimeError(f"{self._info.code} asks {method} {argument} without naming it in its text")
        return self._answers((method, argument))

    def _sites(
        self,
        path: str | None,
        start: int,
        end: int,
        what: object,
        assumptions: frozenset[str] = frozenset(),
        chain: tuple[CallEntry, ...] = (),
        subjects: tuple[TensorFact, ...] = (),
    ) -> Iterator[Site]:
        file = self._file_at(path)
        if file is not None:
            yield Site(file, Span(start, end), what, assumptions, chain, subjects)

    def _is_inside(self, place: Place, site: Site) -> bool:
        """Returns whether a place is part of what the site shows anyhow."""
        is_here = self._file_at(place.path) is site.file
        return is_here and site.span.start <= place.start and place.end <= site.span.end

    def _related(self, site: Site, places: Iterable[tuple[Place, str]]) -> Iterator[Related]:
        for place, text in places:
            file = self._file_at(place.path)
            if file is None or (
                file is site.file and (place.start, place.end) == (site.span.start, site.span.end)
            ):
                continue
            yield Related(Span(place.start, place.end), text, None if file is site.file else file.path)

    def _assumed(self, site: Site) -> Iterator[Related]:
        for word in sorted(site.assumptions):
            place = self._assumed_place(site, word)
            file = None if place is None else self._file_at(place.path)
            if place is None or file is None:
                yield Related(site.span, assumption(word, "the argument"))
                continue
            text = assumption(word, f"`{shortened(file.source(place.start, place.end))}`")
            yield Related(Span(place.start, place.end), text, None if file is site.file else file.path)

    def _assumed_place(self, site: Site, word: str) -> Place | Operand | None:
        """Finds what the user wrote for the assumed value."""
        if word == "convention":
            condition = site["condition"] if isinstance(site.what, Fault) else site.what.condition
            return condition.source
        if word == "optimizer":
            clear = site.get("clear") if isinstance(site.what, Fault) else None
            return self.optimizer(site.what.step) if clear is None else self.receiver(clear)
        facts = (fact for fact in site.subjects if word in fact.assumed)
        return next((origin for fact in facts if (origin := first_origin(fact)) is not None), None)

    def _chain(self, site: Site) -> Iterator[Related]:
        """Yields the calls that lead to a site, innermost first, then those of other ways to it."""
        seen: set[tuple[str | None, int, int]] = set()
        others = site.what.other_chains if isinstance(site.what, Fault) else ()
        for chain in (site.chain, *others):
            words = CALLED_HERE if chain is site.chain else ALSO_CALLED_HERE
            for path, start, end, name in reversed(chain):
                file = self._file_at(path)
                if file is not None and (path, start, end) not in seen:
                    seen.add((path, start, end))
                    where = None if file is site.file else file.path
                    explains = not file.begins_program(start, end)
                    yield Related(Span(start, end), f"`{name}` {words}", where, explains)

    def _at_calls(self, finding: Finding, site: Site) -> Iterator[Finding]:
        """Rewrites a finding to the innermost call in each file that the calls to it pass through, innermost first."""
        seen = [site.file]
        for called_at, start, end, _ in reversed(site.chain):
            file = self._file_at(called_at)
            if file is None or file in seen:
                continue
            seen.append(file)
            span = Span(start, end)
            yield at_call(finding, file.path, span, scope_name(file.tree, span))
