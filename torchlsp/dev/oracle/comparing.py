"""Compares the facts of a file's places with what a run has shown of them."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path

from torchlsp.core.finding import Finding, Severity
from torchlsp.core.text import Document
from torchlsp.dev.oracle.claims import Claim, claims
from torchlsp.dev.oracle.observations import Description, Moment, Run, Seen, Spot
from torchlsp.engine.annotated import ANNOTATION
from torchlsp.engine.config import Overrides
from torchlsp.engine.detailing import analyse_in_detail, has_more
from torchlsp.engine.engine import Engine, Options
from torchlsp.engine.inspection import headline
from torchlsp.engine.provider import Provider
from torchlsp.engine.reading import read_document
from torchlsp.engine.recorded import Recorded, owner_of, recorded
from torchlsp.engine.records import Records
from torchlsp.engine.values_shown import AS_CALLED, AS_CHECKED
from torchlsp.engine.workspace import Workspace
from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.dim import Dim, Poly, Symbol
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.fault_kinds import KINDS
from torchlsp.facts.notation import dim_text
from torchlsp.facts.tensor import TensorFact
from torchlsp.lint.ir_nodes import path_to
from torchlsp.program import ir

COLUMNS = (
    "rank", "sizes", "dtype", "device", "contiguity", "strides", "grad", "leaf",
    "int", "bool", "float", "length", "kind", "class", "ties",
)  # fmt: skip
KNOWN = ("rank", "shape", "dtype", "device", "contiguity", "grad")
SHOWN, OWN, CALLED = "shown", "recorded", "as called"
_JOINED = "?calls"
_EXAMPLES = 3
_PARTLY_OBSERVED = "the calls that the recorder has not looked at were like those that it has"
_OUTSIDE = "gradients are recorded by callers outside of the program"


@dataclass(slots=True)
class Contradiction:
    """One claim that a run contradicts; `source` tells whether hover shows it, and `resting` what it is assumed under."""

    path: str
    row: int
    column: int
    expression: str
    source: str
    about: str
    where: str
    claimed: str
    observed: list[str]
    times: int = 1
    resting: str = ""
    note: str = ""

    def __str__(self) -> str:
        tail = f"  (if {self.resting})" if self.resting else ""
        if self.source != SHOWN:
            tail += f"  ({self.source})"
        if self.note:
            tail += f"  ({self.note})"
        return (
            f"{self.path}:{self.row}:{self.column}  {self.expression}{self.where}  {self.about}: "
            f"claimed {self.claimed}, observed {' / '.join(self.observed)}{tail}"
        )


@dataclass(slots=True)
class Judged:
    """A finding whose expression was evaluated without an exception."""

    path: str
    row: int
    column: int
    code: str
    severity: str
    message: str
    expression: str
    evaluations: int
    is_contradicted: bool


@dataclass(slots=True)
class Result:
    """What a comparison has found. `claims` and `contradicted` count places by column; `known` tensor expressions."""

    expressions: int = 0
    compared: int = 0
    tensors: int = 0
    files: int = 0
    known: Counter[str] = field(default_factory=Counter)
    claims: Counter[str] = field(default_factory=Counter)
    contradicted: Counter[str] = field(default_factory=Counter)
    resting: Counter[str] = field(default_factory=Counter)
    contradicted_resting: Counter[str] = field(default_factory=Counter)
    contradictions: list[Contradiction] = field(default_factory=list)
    findings: list[Judged] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def untrue(self) -> list[Contradiction]:
        """The contradictions of what rests on nothing that is named."""
        return [one for one in self.contradictions if not one.resting]

    @property
    def untrue_findings(self) -> list[Judged]:
        return [one for one in self.findings if one.is_contradicted]

    def as_json(self) -> str:
        found: dict[str, object] = {one.name: getattr(self, one.name) for one in fields(self)}
        found["contradictions"] = [asdict(one) for one in self.contradictions]
        found["findings"] = [asdict(one) for one in self.findings]
        return json.dumps(found, indent=1)


@dataclass(frozen=True, slots=True)
class _Place:
    """A place with one of its values, and what was seen there."""

    node: ir.Node | ir.Param
    source: str
    value: v.Value
    content: v.Value | None
    seen: list[tuple[Description, list[Moment]]]
    is_checked: bool = False
    """Does the value hold only once the function's own checks have passed?"""
    is_annotated: bool = False
    """Is the value's kind only what an annotation says?"""
    is_partly_observed: bool = False
    """Is it what a recorded run has seen in some of the function's calls, as hover says ("48 of 1,000 calls")?"""


def compare(run: Run, paths: Iterable[str], records: Records | None = None) -> Result:
    """Analyses files of a run and compares every fact of them with it."""
    result = Result()
    engine = Engine(Options(overrides=Overrides(select=("ALL",)), records=records))
    for path in sorted(paths):
        try:
            document = read_document(path, Path(path).read_bytes())
            provider = Provider(Workspace())
            examination = engine.examine(document, provider)
            if has_more(examination):
                analyse_in_detail(examination, provider)
        except (OSError, SyntaxError) as error:
            result.problems.append(f"{path}: {error}")
            continue
        result.problems.extend(examination.result.internal_errors)
        result.files += 1
        facts = recorded(examination)
        if facts is None:
            continue
        spots = run.files[path]
        _File(result, facts, document, spots).compare()
        faults = examination.analysis.faults if examination.analysis is not None else []
        _judge(result, examination.result.findings, faults, document, spots)
    return result


class _File:
    """The comparison of one file."""

    def __init__(self, result: Result, facts: Recorded, document: Document, spots: dict[Spot, Seen]) -> None:
        self.result, self.facts, self.document, self.spots = result, facts, document, spots
        self.nodes: dict[tuple[int, int], ir.Node | ir.Param] = {}

    def compare(self) -> None:
        places = list(self._places())
        sizes = _Sizes()
        for place in places:
            for seen, moments in place.seen:
                for claim in claims(place.value, seen, place.content):
                    if claim.size is not None:
                        sizes.bind(
                            (place.source, place.node.start, place.node.end, claim.where), claim, moments
                        )
        for place in places:
            self._check(place, sizes)

    def _places(self) -> Iterator[_Place]:
        analysis, document = self.facts.analysis, self.document
        for spot, seen in sorted(self.spots.items(), key=lambda item: _order(item[0])):
            self.result.expressions += 1
            start = document.offset(spot.row, spot.column)
            end = document.offset(spot.end_row, spot.end_column)
            key = (start, end)
            is_name = key in analysis.names
            if spot.is_bound is not is_name and (is_name or key not in analysis.values):
                continue
            path = path_to(self.facts.module, start, end)
            node = path[-1] if path else None
            if node is None or (node.start, node.end) != key:
                continue
            values = [(json.loads(text), moments) for text, moments in seen.values.items()]
            values = [one for one in values if one[0] is not None]
            if not values:
                continue
            self.result.compared += 1
            own, content = self.facts.own(start, end), self.facts.content(start, end)
            shown, remark = headline(self.facts, node, owner_of(path))
            own_calls = [
                (text, kept)
                for text, moments in values
                if (kept := [moment for moment in moments if moment.caller in ("own", "")])
            ]
            self._count_known(shown, values)
            function, annotations = owner_of(path), self.facts.annotations
            yield _Place(
                node, SHOWN, shown, content, own_calls if remark is AS_CALLED else values,
                remark is AS_CHECKED, annotations.is_assumed(shown, node, function),
                self._is_partly_observed(start, end, shown),
            )  # fmt: skip
            if own != shown:
                is_annotated = annotations.is_assumed(own, node, function)
                yield _Place(node, OWN, own, content, values, is_annotated=is_annotated)
            called = self.facts.called(start, end)
            if called is not None and called != shown and own_calls:
                is_annotated = annotations.is_assumed(called, node, function)
                yield _Place(node, CALLED, called, content, own_calls, is_annotated=is_annotated)

    def _is_partly_observed(self, start: int, end: int, shown: v.Value) -> bool:
        observations = self.facts.observations
        if observations is None or not observations.is_partial(start):
            return False
        is_assumed = isinstance(shown, TensorFact) and "observed" in shown.assumed
        return is_assumed or shown == self.facts.observed(start, end)

    def _count_known(self, shown: v.Value, values: list[tuple[Description, list[Moment]]]) -> None:
        if any(seen[0] != "tensor" for seen, _ in values):
            return
        result = self.result
        result.tensors += 1
        if not isinstance(shown, TensorFact):
            return
        shape = shown.shape
        known = result.known
        known["rank"] += shape is not None
        known["shape"] += shape is not None and not any(dims.is_fresh(size) for size in shape)
        known["dtype"] += shown.dtype is not None
        known["device"] += shown.device is not None
        known["contiguity"] += not shown.is_contiguous().is_unknown
        known["grad"] += not shown.grad.requires.is_unknown

    def _check(self, place: _Place, sizes: _Sizes) -> None:
        """Compares one place's value with all that was seen there."""
        found: dict[tuple[str, str, str], Contradiction] = {}
        claimed: dict[tuple[str, str], str] = {}
        untrue: set[tuple[str, str]] = set()
        key = (place.source, place.node.start, place.node.end)
        for seen, moments in place.seen:
            for claim in claims(place.value, seen, place.content):
                column, wrong = claim.column, ""
                if place.is_checked and not claim.resting:
                    claim = replace(claim, resting=AS_CHECKED.words)
                if place.is_annotated and column in ("kind", "bool") and not claim.resting:
                    claim = replace(claim, resting=ANNOTATION)
                if place.is_partly_observed and not claim.resting:
                    claim = replace(claim, resting=_PARTLY_OBSERVED)
                if claim.size is not None:
                    column, wrong = sizes.judge((*key, claim.where), claim, moments)
                    if not column:
                        continue
                elif not claim.holds:
                    wrong = claim.observed
                part = (column, claim.where)
                claimed[part] = claim.resting
                if not wrong:
                    continue
                if claim.note and all(moment.without_grad for moment in moments):
                    # Who called is no part of the program; what is recorded there is not to be seen.
                    claim = replace(claim, resting=_OUTSIDE)
                    claimed[part] = _OUTSIDE
                untrue.add(part)
                kept = found.get((*part, claim.claimed))
                if kept is None:
                    row, at = self.document.row_column(place.node.start)
                    text = " ".join(self.document.text[place.node.start : place.node.end].split())
                    text = text if len(text) < 60 else text[:57] + "…"
                    found[(*part, claim.claimed)] = Contradiction(
                        self.document.path, row, at, text, place.source, column, claim.where, claim.claimed,
                        [wrong], 1, claim.resting, claim.note,
                    )  # fmt: skip
                else:
                    kept.times += 1
                    if wrong not in kept.observed and len(kept.observed) < _EXAMPLES:
                        kept.observed.append(wrong)
        self.result.contradictions.extend(found.values())
        if place.source != SHOWN:
            return
        for part, resting in claimed.items():
            self.result.claims[part[0]] += not resting
            self.result.resting[part[0]] += bool(resting)
            if part in untrue:
                self.result.contradicted[part[0]] += not resting
                self.result.contradicted_resting[part[0]] += bool(resting)


def _order(spot: Spot) -> tuple[int, int, int, int]:
    return spot.row, spot.column, -spot.end_row, -spot.end_column


_Key = tuple[str, int, int, str]


class _Sizes:
    """The numbers of symbols: one symbol has one number within one turn of one activation.

    What was bound before the first loop holds for the whole activation.
    """

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, Moment], dict[str, tuple[int, _Key]]] = defaultdict(dict)

    @staticmethod
    def _begin(moment: Moment) -> Moment:
        return Moment(moment.process, moment.activation, 0, moment.caller, moment.without_grad)

    def bind(self, key: _Key, claim: Claim, moments: list[Moment]) -> None:
        name = lone_symbol(claim.size)
        if name is None or name.startswith(_JOINED):
            return  # the join over calls gives all places the same name
        for moment in moments:
            if moment.activation:
                self.numbers[key[0], moment].setdefault(name, (claim.number, key))

    def judge(self, key: _Key, claim: Claim, moments: list[Moment]) -> tuple[str, str]:
        """The column that a claimed size belongs to, empty where it claims nothing, and what was wrong with it."""
        size = claim.size
        assert size is not None
        if isinstance(size, int):
            return claim.column, "" if size == claim.number else claim.observed
        name = lone_symbol(size)
        names = dims.symbols_of(size)
        if any(one.startswith(_JOINED) for one in names):
            return "", ""
        column = "ties" if name is not None or any(one.startswith("?") for one in names) else claim.column
        wrong, is_compared = "", False
        for moment in moments:
            if not moment.activation:
                continue
            here = self.numbers.get((key[0], moment), {})
            first = self.numbers.get((key[0], self._begin(moment)), {})
            known = {**here, **first}
            if name is not None:
                number, place = known[name]
                if place != key:
                    is_compared = True
                    if number != claim.number:
                        wrong = f"{claim.observed} where {dim_text(size)} is {number}"
                continue
            if not names <= known.keys():
                continue
            real = dims.substitute(size, {one: known[one][0] for one in names})
            if isinstance(real, int):
                is_compared = True
                if real != claim.number:
                    wrong = f"{claim.observed} where it is {real}"
        return (column if is_compared else ""), wrong


def dims_text(size: Dim) -> str:
    return str(size)


def lone_symbol(size: Dim | None) -> str | None:
    """The name of a size that is a symbol and nothing else."""
    if isinstance(size, Poly) and len(size.terms) == 1:
        monomial, factor = size.terms[0]
        if factor == 1 and len(monomial) == 1 and monomial[0][1] == 1 and isinstance(monomial[0][0], Symbol):
            return monomial[0][0].name
    return None


def _judge(
    result: Result,
    findings: list[Finding],
    faults: list[Fault],
    document: Document,
    spots: dict[Spot, Seen],
) -> None:
    """Lists the findings whose expression was evaluated without an exception."""
    places: dict[tuple[int, int], int] = {}
    for spot, seen in spots.items():
        start = document.offset(spot.row, spot.column)
        end = document.offset(spot.end_row, spot.end_column)
        if not spot.is_bound:
            places[start, end] = max(seen.count, places.get((start, end), 0))
    raising = {
        (fault.start, fault.end)
        for fault in faults
        if KINDS[fault.kind].ends_program
        and fault.kind is not FaultKind.TRUTH_VALUE  # raised by what asks for it
        and fault.path in (None, document.path)
    }
    for finding in findings:
        if finding.severity is not Severity.ERROR or finding.path != document.path:
            continue
        span = (finding.span.start, finding.span.end)
        around = [place for place in places if place[0] <= span[0] and span[1] <= place[1]]
        count = places.get(span) or (places[min(around, key=lambda one: one[1] - one[0])] if around else 0)
        if not count:
            continue
        row, column = document.row_column(span[0])
        text = " ".join(document.text[span[0] : span[1]].split())
        result.findings.append(
            Judged(
                document.path, row, column, finding.rule, finding.severity.value, finding.message, text[:60], count,
                span in raising,
            )
        )  # fmt: skip
