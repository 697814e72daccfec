"""Explains an error in pasted text by the facts of the user's own line.

The text is not trusted. Files that it names are read if they are plain Python files of a bounded size, nothing else is
opened: no settings, and no imported module that the text does not name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass, replace
from torchlsp.docs_db import errors
from torchlsp.engine import inspection
from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine, Options, installed_rules
from torchlsp.engine.provider import Provider, shown_path
from torchlsp.engine.reading import read_document
from torchlsp.engine.remedies import Found, Remedy, Told, remedies, scene
from torchlsp.engine.tracebacks import Frame, Raised, cleaned, raised
from torchlsp.engine.workspace import Workspace
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.fault_kinds import KINDS
from torchlsp.files import read_bytes

if TYPE_CHECKING:
    from torchlsp.core.finding import Finding
    from torchlsp.core.text import Document
    from torchlsp.engine.config import KnownRule
    from torchlsp.engine.examination import Examination
    from torchlsp.engine.records import Records
    from torchlsp.recorder.reading import Run

MAX_FILE_BYTES = 2_000_000
MAX_FACTS = 8
_MAX_FILES = 4
_MAX_ROWS = 10
_NEAREST = 3
_SEARCHED = 20_000
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
# Of launchers: they tell that a process failed, not why.
_LAUNCHERS = frozenset(
    {
        "ChildFailedError",
        "ProcessRaisedException",
        "ProcessExitedException",
        "CalledProcessError",
        "SystemExit",
    }
    | {"KeyboardInterrupt", "BrokenPipeError", "EOFError", "SignalException"}
)


@dataclass(frozen=True, slots=True)
class Place:
    """The user's line that an error is traced to. `path` is as it is shown; `document` is the file where it
    still has this line, and `has_changed` says that it is there and has another."""

    path: str
    row: int
    name: str
    source: str
    cell: int | None = None
    document: Document | None = None
    has_changed: bool = False


@dataclass(frozen=True, slots=True)
class Caught:
    """A finding of a rule about this error, at a place of the traceback."""

    rule: str
    name: str
    path: str
    row: int
    column: int
    message: str
    steps: tuple[tuple[int, str], ...] = ()
    """The places in its file that lead to it, by row."""
    fix: str = ""
    """Its fix in words, with the line that it makes."""


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """The run that a recorded crash has ended, and what the names on the failing line stood for, as text."""

    run: Run
    rank: int | None
    operands: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Account:
    """An error with its explanation. `explanation` is None for an unknown one, then `nearest` are similar.

    `carrier` explains the error that only handed this one on; `also` are further meanings of its text; `rules` are
    those that are about this error, `caught` what they (or any rule, at the line of an unknown error) find now.
    `recorded` is the run that has kept the error; None for one from a text.
    `wrong` says what the facts show of this very error. The fixes of `explanation` are then those that fit them.
    """

    error: Raised
    explanation: errors.Explanation | None
    carrier: errors.Explanation | None = None
    also: tuple[errors.ErrorEntry, ...] = ()
    place: Place | None = None
    known: tuple[inspection.Description, ...] = ()
    rules: tuple[KnownRule, ...] = ()
    caught: tuple[Caught, ...] = ()
    nearest: tuple[errors.ErrorEntry, ...] = ()
    recorded: RecordedRun | None = None
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Looked:
    """The user's innermost place with its facts, and the files of the traceback as they were examined, its own first."""

    place: Place | None = None
    known: tuple[inspection.Description, ...] = ()
    examinations: tuple[Examination, ...] = ()
    frames: tuple[Frame, ...] = ()
    """Those whose lines are still there."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    error: Raised
    explanations: tuple[errors.Explanation, ...]
    carrier: errors.Explanation | None
    related: Sequence[Raised]
    """The related errors, this one among them."""


def account(text: str, within: str | None = None) -> Account:
    """Returns the explanation of the error in a text: a message, a traceback, or a program's whole output.

    Only files below the folder `within` are read, where it is given.
    """
    text = cleaned(text)
    return _account(_chosen(text), text, within=within)


def account_of(found: Sequence[Raised], records: Records | None = None) -> Account:
    """Returns the explanation of the one of several related errors, one or more, that the program ended with.

    What the records say of the functions around is taken into account.
    """
    chosen = _of_group(found)
    return _account(chosen, chosen.error.text, records)


def _account(
    chosen: _Chosen, text: str, records: Records | None = None, within: str | None = None
) -> Account:
    explanation = chosen.explanations[0] if chosen.explanations else None
    if explanation is not None:
        explanation = errors.told_more(explanation, text)
    frames = _users_frames(chosen)
    looked = _looked_at(frames, records, within)
    about = explanation.entry.rules if explanation is not None else ()
    caught = _caught(looked, about, is_known=explanation is not None)
    found = _remedies(explanation, chosen.error, looked, caught)
    rules = tuple(rule for code in about for rule in installed_rules() if rule.code == code)
    return Account(
        chosen.error,
        _mended(explanation, found),
        chosen.carrier,
        tuple(one.entry for one in chosen.explanations[1:]),
        looked.place,
        looked.known,
        rules,
        caught,
        errors.nearest(f"{chosen.error.exception} {chosen.error.text}", _NEAREST)
        if explanation is None
        else (),
        wrong=tuple(one.says for one in found),
    )


def _remedies(
    explanation: errors.Explanation | None, error: Raised, looked: _Looked, caught: Sequence[Caught]
) -> tuple[Remedy, ...]:
    """Returns what the facts show of the error beyond its general explanation."""
    if explanation is None:
        return ()
    place = looked.place
    at = None
    if place is not None and place.document is not None and looked.frames:
        at = scene(looked.examinations, looked.frames[0])
    findings = [Found(one.rule, one.message, one.row, one.steps, one.fix) for one in caught]
    return remedies(explanation.entry.id, Told(error.text, dict(explanation.values), at, findings))


def _mended(explanation: errors.Explanation | None, found: Sequence[Remedy]) -> errors.Explanation | None:
    """Returns the explanation with the fixes that the facts show first, and the general ones unless these do not apply."""
    if explanation is None or not any(one.fixes for one in found):
        return explanation
    fixes = [fix for one in found for fix in one.fixes]
    if not any(one.is_whole for one in found):
        fixes.extend(explanation.fixes)
    return replace(explanation, fixes=tuple(dict.fromkeys(fixes)))


def entry(identifier: str) -> errors.ErrorEntry | None:
    """Returns the explanation of an id (`E03`), whatever the text."""
    return errors.by_id(identifier)


def is_known(text: str) -> bool:
    """Returns whether this is a part of an error's text that has an explanation."""
    return errors.explain(text) is not None


general_fixes = errors.general_fixes


# ---- which error -------------------------------------------------------------------------------------------------------


def _chosen(text: str) -> _Chosen:
    """Returns the error that the program ended with: of the last group of related errors, unless that comes
    from a launcher, the one whose meaning is known and that no other caused."""
    groups = _groups(raised(text))
    for group in reversed(groups):
        chosen = _of_group(group)
        if chosen.explanations or not _is_without_meaning(group):
            return chosen
    if groups:
        return _of_group(groups[-1])
    return _without_structure(text)


def _without_structure(text: str) -> _Chosen:
    """Returns the last line with a known error, else the whole text."""
    searched = text[-_SEARCHED:].strip()
    for line in reversed(searched.splitlines()):
        found = errors.explanations(line)
        if found:
            return _Chosen(Raised("", line.strip()), found, None, ())
    return _Chosen(Raised("", searched), errors.explanations(searched), None, ())


def _groups(found: Sequence[Raised]) -> list[list[Raised]]:
    groups: list[list[Raised]] = []
    for one in found:
        streams = {other.stream for other in groups[-1]} if groups else set()
        is_other_rank = one.stream and "" not in streams and one.stream not in streams
        if groups and (one.follows or one.inner or is_other_rank):
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _is_without_meaning(group: Sequence[Raised]) -> bool:
    return all(one.is_warning or one.last_name in _LAUNCHERS for one in group)


def _of_group(group: Sequence[Raised]) -> _Chosen:
    best: tuple[int, Raised, tuple[errors.Explanation, ...]] | None = None
    carrier = None
    streams = dict.fromkeys(one.stream for one in group)
    # The first rank's, and of its chain the last.
    ordered = [one for stream in streams for one in reversed(group) if one.stream == stream]
    for one in ordered:
        found = errors.explanations(one.text, one.exception) or errors.explanations(one.exception)
        if found and found[0].entry.wraps:
            carrier = carrier or found[0]
        tier = 2 if not found else 1 if found[0].entry.wraps or found[0].entry.secondary else 0
        if tier == 2 and one.last_name in _LAUNCHERS:
            tier = 3
        if best is None or tier < best[0]:
            best = tier, one, found
    assert best is not None, "a group is never empty"
    _, error, found = best
    if found and found[0].entry.wraps:
        # What was handed on is unknown; it is shown, and explained by how it came here.
        error = next((one for one in reversed(group) if one.inner), error)
        return _Chosen(error, found, None, group)
    return _Chosen(error, found, carrier, group)


def _users_frames(chosen: _Chosen) -> list[Frame]:
    """Returns the user's own frames, the innermost first; then those of the errors that wrapped this one."""
    others = [one for one in reversed(chosen.related) if one.stream == chosen.error.stream]
    ordered = [chosen.error, *(one for one in others if one is not chosen.error)]
    return [frame for one in ordered for frame in reversed(one.frames) if frame.is_users]


# ---- what the analysis knows -------------------------------------------------------------------------------------------


class _NamedFiles(Workspace):
    """Resolves imports to files that a traceback names, and to no others."""

    __slots__ = ("_named",)

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__()
        self._named = frozenset(os.path.realpath(path) for path in paths)

    def resolve_from(self, module: str, folder: str) -> str | None:
        path = super().resolve_from(module, folder)
        return path if path is not None and os.path.realpath(path) in self._named else None


def _looked_at(frames: Sequence[Frame], records: Records | None, within: str | None) -> _Looked:
    """Reads the files of the traceback, and returns the user's innermost place with what is known of it."""
    if not frames:
        return _Looked()
    first = frames[0]
    documents: dict[str, tuple[Document, list[Frame]]] = {}
    has_changed = False
    for frame in frames:
        document = documents[frame.path][0] if frame.path in documents else None
        if document is None and len(documents) < _MAX_FILES and frame.cell is None:
            document = python_file(frame.path) if within is None or is_below(frame.path, within) else None
        if document is None:
            continue
        if _is_unchanged(document, frame):
            documents.setdefault(frame.path, (document, []))[1].append(frame)
        elif frame is first:
            has_changed = True
    own = documents.get(first.path)
    same = own[0] if own is not None and first in own[1] else None
    path = own[0].path if own is not None else first.path
    place = Place(path, first.row, first.name, first.source, first.cell, same, has_changed)
    # Only the files that the text names are opened: not those that say which torch is required either.
    overrides = Overrides(isolated=True)
    engine = Engine(Options(overrides=overrides, is_torch_chosen=True, reads_callers=False, records=records))
    provider = Provider(_NamedFiles([document.path for document, _ in documents.values()]))
    ordered = sorted(documents, key=lambda one: one != first.path)
    examinations = {one: engine.examine(documents[one][0], provider) for one in ordered}
    known: tuple[inspection.Description, ...] = ()
    if same is not None:
        known = tuple(_facts(examinations[first.path], first))
    there = tuple(frame for frame in frames if frame.path in documents and frame in documents[frame.path][1])
    return _Looked(place, known, tuple(examinations.values()), there)


def _caught(looked: _Looked, about: Sequence[str], is_known: bool) -> tuple[Caught, ...]:
    """Returns what the rules find now: at the lines of the traceback what is about the error, or makes torch raise, else
    what is about the error behind the values of the innermost line, else the only such finding of the files.
    """
    at_lines: list[Caught] = []
    elsewhere: list[Caught] = []
    behind = _lines_behind(looked)
    nearer: list[Caught] = []
    for examination in looked.examinations:
        document = examination.document
        rows = {frame.row for frame in looked.frames if shown_path(frame.path) == document.path}
        for one in examination.result.findings:
            is_about = one.rule in about
            at = _rows(document, one)
            if at & rows and (is_about or not is_known or _makes_raise(one.rule)):
                at_lines.append(_as_caught(one, document))
            elif is_about and at & behind.get(document.path, set()):
                nearer.append(_as_caught(one, document))
            elif is_about:
                elsewhere.append(_as_caught(one, document))
    if not at_lines:
        at_lines = nearer or (elsewhere if len(elsewhere) == 1 else [])
    return tuple(dict.fromkeys(at_lines))


def _as_caught(finding: Finding, document: Document) -> Caught:
    names = {rule.code: rule.name for rule in installed_rules()}
    steps = tuple(
        (document.row_column(one.span.start)[0], one.message)
        for one in finding.trail
        if one.path in (None, document.path) and one.span != finding.span
    )
    return Caught(
        finding.rule,
        names.get(finding.rule, finding.name),
        finding.path,
        *document.row_column(finding.span.start),
        finding.message,
        steps,
        _fix_in_words(finding, document),
    )


def _fix_in_words(finding: Finding, document: Document) -> str:
    """Returns the title of a finding's fix, with the line that it makes if that is one."""
    if finding.fix is None:
        return ""
    edits = sorted(finding.fix.edits, key=lambda one: one.span.start)
    text, start = document.text, edits[0].span.start
    for edit in reversed(edits):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    first = text.rfind("\n", 0, start) + 1
    made = text[first : text.find("\n", start) if "\n" in text[start:] else len(text)].strip()
    is_one_line = not any("\n" in edit.text.strip("\n") for edit in edits)
    row = document.row_column(start)[0]
    return f"{finding.fix.title}, line {row}" + (f": `{made}`" if is_one_line and made else "")


def _lines_behind(looked: _Looked) -> dict[str, set[int]]:
    """Returns the rows, by file, where the values of the innermost line were made."""
    found: dict[str, set[int]] = {}
    place = looked.place
    if place is None or place.document is None or not looked.frames:
        return found
    at = scene(looked.examinations, looked.frames[0])
    for source, span in at.origins() if at is not None else ():
        found.setdefault(source.document.path, set()).add(source.row(span.start))
    return found


@cache
def _makes_raise(code: str) -> bool:
    """Returns whether a rule reports only what torch refuses."""
    from torchlsp.lint.registry import find

    info = find(code)
    kinds = [name for question, name in info.asks if question == "faults"] if info is not None else []
    return bool(kinds) and all(KINDS[FaultKind[kind]].ends_program for kind in kinds)


def _rows(document: Document, finding: Finding) -> set[int]:
    start, _ = document.row_column(finding.span.start)
    end, _ = document.row_column(finding.span.end)
    return set(range(start, end + 1))


def is_below(path: str, folder: str) -> bool:
    """Returns whether a path leads to something in a folder, whatever links are on the way."""
    real, top = os.path.realpath(os.path.expanduser(path)), os.path.realpath(folder)
    return real == top or real.startswith(os.path.join(top, ""))


def python_file(path: str) -> Document | None:
    """Returns the Python file at a path of a traceback; None for anything else."""
    path = os.path.expanduser(path) if path.startswith(("~/", "~\\")) else path
    if not path.endswith(".py") or path.startswith(("//", "\\\\")):
        return None  # other files are none of our business, and a path of a network would be asked for there
    try:
        return read_document(shown_path(path), read_bytes(path, MAX_FILE_BYTES))
    except (OSError, ValueError):
        return None


def _is_unchanged(document: Document, frame: Frame) -> bool:
    """Returns whether the file still has at this row what the traceback shows."""
    if not frame.source or not 1 <= frame.row <= len(document.rows):
        return False
    return document.line_text(frame.row).strip() == frame.source


def _facts(examination: Examination, frame: Frame) -> Iterator[inspection.Description]:
    """Returns the facts of the operands on a line: of those that the traceback marks, where it does."""
    document = examination.document
    start, end = _statement(document, frame.row)
    first = document.row_span(frame.row)
    spans = [(start, end)]
    if frame.carets is not None and end <= first.end:  # else the operands stand on the rows below
        margin = (
            first.start + len(document.line_text(frame.row)) - len(document.line_text(frame.row).lstrip())
        )
        spans.insert(0, (margin + frame.carets[0], margin + frame.carets[1]))
    for start, end in spans:
        seen: dict[tuple[str, str], inspection.Description] = {}
        for word in _IDENTIFIER.finditer(document.text, start, end):
            told = inspection.at(examination, word.start())
            if told is not None and told.fact and told.kind in ("value", "call"):
                seen.setdefault((told.name, told.fact), told)
        if seen:
            yield from list(seen.values())[:MAX_FACTS]
            return


def _statement(document: Document, row: int) -> tuple[int, int]:
    """Returns the text from a row to where its brackets close, a few rows at most."""
    first = document.row_span(row)
    depth = 0
    for last in range(row, min(row + _MAX_ROWS, len(document.rows) + 1)):
        span = document.row_span(last)
        depth += sum(_BRACKETS.get(character, 0) for character in document.text[span.start : span.end])
        if depth <= 0:
            return first.start, span.end
    return first.start, first.end
