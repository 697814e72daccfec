"""Implements `torchlsp probe FILE:LINE`: shows a finding's program, its runs and the verdict."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torchlsp.cli.output import coloured
from torchlsp.core.finding import Outcome, ProofFails, Verdict
from torchlsp.engine.config import ConfigError
from torchlsp.engine.engine import Engine
from torchlsp.engine.interpreters import choose, site_packages
from torchlsp.engine.probe_places import command_for, worker_for
from torchlsp.engine.probing import HANG, Prober, Unavailable, expectations, with_verdicts
from torchlsp.engine.provider import shown_path
from torchlsp.engine.slices import with_slices
from torchlsp.report.formats import render
from torchlsp.report.places import extent
from torchlsp.report.sources import Sources
from torchlsp.report.text import Painter
from torchlsp.report.words import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from torchlsp.core.finding import Finding, ProbeRequest, Sizes
    from torchlsp.engine.engine import CheckResult
    from torchlsp.probe.request import Answer
    from torchlsp.probe.verdicts import Trial

_PLACE = re.compile(r"(?P<path>.+?):(?:cell (?P<cell>\d+):)?(?P<row>\d+)(?::(?P<column>\d+))?:?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Line:
    """Holds a line as reports name it; `cell` for those of notebooks."""

    path: str
    row: int
    cell: int | None = None

    def __str__(self) -> str:
        return f"{self.path}:{'' if self.cell is None else f'cell {self.cell}:'}{self.row}"


def probe_finding(options: argparse.Namespace) -> int:
    """Prints the programs and verdicts of the findings on a line; exit status 0 whatever it is."""
    line = _line(options.place)
    python = choose(options.python).path
    result = Engine().check([line.path])
    sources = Sources(result.documents)
    findings = [one for one in result.findings if line in _lines(one, sources)]
    sliced = with_slices(findings, result.documents.values(), result.internal_errors.append)
    for text in (*result.internal_errors, *result.problems, *result.stopped):
        print(f"torchlsp: {text.partition(chr(10))[0]}", file=sys.stderr)
    if not findings:
        print(_nothing_there(line, result, sources), file=sys.stderr)
    worker = worker_for(python, command_for(options.probe_on))
    prober = Prober(python, site_packages(python), deadline=options.deadline, worker=worker)
    try:
        told = [_probed(prober, finding) for finding in sliced]
    finally:
        prober.close()
    shown = with_verdicts(sliced, [verdict for _, verdict in told], keep_refuted=True)
    runs = [trials for trials, _ in told]
    if options.output_format == "json":
        judged = dict(zip(findings, zip(shown, runs, strict=True), strict=True))
        _print_json(result, judged, sources)
    else:
        _print_text(result, shown, runs, sources)
    return 0


def _line(place: str) -> _Line:
    """Parses `FILE:LINE`, or a place as reports print it."""
    found = _PLACE.match(place)
    if found is None or int(found["row"]) == 0:
        raise ConfigError(f"{place}: give a file and a line, as in model.py:27")
    if not os.path.isfile(found["path"]):
        raise ConfigError(f"no such file: {found['path']}")
    return _Line(shown_path(found["path"]), int(found["row"]), int(found["cell"]) if found["cell"] else None)


def _lines(finding: Finding, sources: Sources) -> Iterator[_Line]:
    """Returns the lines on which a finding is."""
    document = sources.get(finding.path)
    if document is not None:
        both = extent(document, finding.span)
        for row in range(both.start.row, both.last_row + 1):
            yield _Line(finding.path, row, both.start.cell)


def _nothing_there(line: _Line, result: CheckResult, sources: Sources) -> str:
    elsewhere = dict.fromkeys(str(next(_lines(one, sources), None)) for one in result.findings)
    if not elsewhere:
        return f"torchlsp: {line}: nothing is found in this file"
    names = list(elsewhere)
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"torchlsp: {line}: nothing is found here, but at {', '.join(names[:10])}{more}"


def _probed(prober: Prober, finding: Finding) -> tuple[list[Trial], Verdict | None]:
    try:
        trials = prober.trials(finding)
        return trials, prober.verdicts([finding])[0]
    except Unavailable as problem:
        return [], Verdict(Outcome.INCONCLUSIVE, reason=f"no torch: {problem}")


def _print_json(
    result: CheckResult, judged: Mapping[Finding, tuple[Finding, list[Trial]]], sources: Sources
) -> None:
    """Prints the findings as JSON as `check` does, with fingerprints that depend on the file's other
    findings; `run` is what was run."""
    findings = list(result.findings)
    result.findings[:] = [judged[one][0] if one in judged else one for one in findings]
    records = json.loads(render("json", result, sources, Painter(False)))
    told = []
    for record, finding in zip(records, findings, strict=True):
        if finding in judged:
            request = finding.probe
            run = None if request is None else _told(finding.rule, request, judged[finding][1])
            told.append(record | {"run": run, "own_code": _own_code(judged[finding][0])})
    print(json.dumps(told, indent=2))


def _own_code(finding: Finding) -> dict[str, Any] | None:
    """Returns the program of the user's own statements as data, or why there is none; None where nothing can be raised."""
    own = finding.slice
    if own is None:
        return None
    is_whole = bool(own.program)
    return {
        "program": own.program if is_whole else None,
        "flag": list(own.flag) if is_whole else None,
        "reason": own.reason,
        "given": own.given,
    }


def _is_decided_by_own_code(finding: Finding) -> bool:
    """Returns whether the verdict is about the user's own statements, and not about a program made of facts."""
    is_whole = finding.slice is not None and bool(finding.slice.program)
    return (
        is_whole
        and finding.verdict is not None
        and finding.verdict.own_code is None
        and bool(finding.verdict.torch)
    )


def _told(rule: str, request: ProbeRequest, trials: Sequence[Trial]) -> dict[str, Any]:
    """Returns the runs of a finding as data; `program` is that of the first sizes."""
    return {
        "program": request.source(request.assignments[0]),
        "kind": request.kind,
        "world": request.world,
        "flag": list(request.flag) if request.flag is not None else None,
        "expected": _expected(rule, request),
        "trials": [
            {
                "sizes": dict(sizes),
                "outcome": trial.answer.outcome,
                "error": str(trial.answer.error) if trial.answer.error is not None else None,
                "row": trial.answer.error.row if trial.answer.error is not None else None,
                "reached": trial.answer.reached,
                "ms": trial.answer.ms,
            }
            for sizes, trial in zip(request.assignments, trials, strict=False)
        ],
    }


def _print_text(
    result: CheckResult, findings: Sequence[Finding], runs: Sequence[list[Trial]], sources: Sources
) -> None:
    paint = Painter(coloured("auto", sys.stdout))
    for finding, trials in zip(findings, runs, strict=True):
        result.findings[:] = [finding]
        lines = render("text", result, sources, paint).split("\n")
        begin = next(number for number, line in enumerate(lines) if line.startswith("  probe: "))
        head, verdict = lines[0], "\n".join(lines[begin:-1])
        print(head)
        if finding.slice is not None and _is_decided_by_own_code(finding):
            print(
                "\n".join(
                    printable(row)
                    for row in _program("your own code", finding.slice.program, finding.slice.flag)
                )
            )
        elif finding.probe is not None:
            print("\n".join(printable(row) for row in _described(finding.rule, finding.probe, trials)))
        print(f"{verdict}\n")


def _program(title: str, text: str, flag: tuple[int, int]) -> Iterator[str]:
    yield f"  {title}:"
    for number, row in enumerate(text.splitlines(), 1):
        yield f"  {'>' if flag[0] <= number <= flag[1] else ' '}{number:>4} | {row}".rstrip()


def _described(rule: str, request: ProbeRequest, trials: Sequence[Trial]) -> Iterator[str]:
    """Describes the program with its flagged rows marked, the expected result, and the actual one."""
    kind = f"{request.kind}, {request.world} ranks" if request.kind == "ranks" else request.kind
    sizes = "" if len(request.assignments) == 1 else ", with its first sizes"
    yield from _program(
        f"program ({kind}{sizes})", request.source(request.assignments[0]), request.flag or (0, 0)
    )
    for expected in _expected(rule, request):
        yield f"  if the finding is true: {expected}"
    proves = any(isinstance(one, ProofFails) for one in expectations(rule, request))
    for told in _runs(request.assignments, trials, proves):
        yield f"  {told}"


def _expected(rule: str, request: ProbeRequest) -> list[str]:
    told = []
    for one in expectations(rule, request):
        if isinstance(one, ProofFails):
            told.append("nothing is raised, and the assertion at the end fails")
        elif one.exception == HANG:
            told.append("a rank waits here for others that do not come")
        else:
            words = in_words(one.pattern)
            told.append(f"{one.exception} whose text has {words}" if words else one.exception)
    return told


_TOKEN = re.compile(r"\\.|\[[^\]]*\]|\(\?:|[*+?]|\{\d+(?:,\d*)?\}|.")


def in_words(pattern: str) -> str:
    """Words a regular expression for the text of an error, with `...` for what differs; "" where it is about
    nothing in particular."""
    texts = [text for part in _alternatives(pattern) if (text := _in_words(part)).strip(". ")]
    return " or ".join(f'"{text}"' for text in dict.fromkeys(texts))


def _alternatives(pattern: str) -> list[str]:
    """Splits a pattern at each `|` that is in no brackets."""
    parts, depth, begun = [], 0, 0
    for found in re.finditer(r"\\.|\[[^\]]*\]|[()|]", pattern):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if found[0] == "|" and not depth:
            parts.append(pattern[begun : found.start()])
            begun = found.end()
    return [*parts, pattern[begun:]]


def _in_words(part: str) -> str:
    """Words a pattern that is one alternative; those inside of its brackets are separated by a slash."""
    words: list[str] = []
    for found in _TOKEN.finditer(part):
        match found[0]:
            case "*" | "+" | "?" | "(" | ")" | "(?:" | "^" | "$" | r"\b" | r"\B":
                continue
            case "." | r"\d" | r"\w" | r"\s" | r"\S":
                words.append("...")
            case "|":
                words.append("/")
            case text if text.startswith("["):
                same = len(text) == 4 and text[1].lower() == text[2].lower()
                words.append(text[1].lower() if same else "...")
            case text if not text.startswith("{"):
                words.append(text[-1])
    return re.sub(r"(\.\.\.)+", "...", "".join(words))


def _runs(assignments: Sequence[Sizes], trials: Sequence[Trial], proves: bool) -> Iterator[str]:
    for sizes, trial in zip(assignments, trials, strict=False):
        words = ", ".join(f"{name}={size}" for name, size in sizes)
        yield f"run{' with ' if words else ''}{words}: {_end(trial.answer, proves)}"


def _end(answer: Answer, proves: bool) -> str:
    """Words the end of a run; `proves`: an assertion at the end of the program is ours."""
    if answer.error is None:
        return "passed" if answer.reached is not False else "passed, but not through the flagged rows"
    error = str(answer.error) if answer.outcome == "raised" else answer.error.text
    row = f" (row {answer.error.row})" if answer.error.row is not None else ""
    if proves and answer.error.name == "AssertionError":
        return f"nothing is raised, but {' '.join(answer.error.text.split())}{row}"
    return f"{answer.outcome}: {' '.join(error.split())}{row}"
