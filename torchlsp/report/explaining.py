"""Renders an explained error as text for a terminal, and as JSON."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

from torchlsp.core.records import replace
from torchlsp.engine.observations import time_of_run
from torchlsp.report.hover import plain_text
from torchlsp.report.sources import Sources
from torchlsp.report.text import Painter
from torchlsp.report.words import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from torchlsp.engine.explaining import Account, Caught, Place, RecordedRun

_WIDTH = 100
_MAX_LINES = 4
# Of what hover says: what can make a call fail.
_TOLD_NOTES = ("layer", "strides", "shares memory", "may share memory", "as called")
_MAX_LINE_LENGTH = 300
_BLANKS = re.compile(r"\s+")


def as_text(account: Account, paint: Painter) -> list[str]:
    """Renders an explanation as lines: what the error is, where, what it means, what is known there, what to
    do, and which rule sees it."""
    lines: list[str] = []
    explanation = account.explanation
    if explanation is None:
        lines.extend(_unknown(account, paint))
    else:
        entry = explanation.entry
        lines.append(paint("bold", f"{entry.id} {entry.title}"))
        lines.extend(f"  {line}" for line in _quoted(account))
        lines.extend(_run(account))
        if account.carrier is not None:
            lines.extend(_wrapped(account.carrier.here or account.carrier.entry.title + ".", "  "))
        if entry.secondary:
            lines.extend(
                _wrapped("Often the consequence of another error: look for the first of any rank.", "  ")
            )
    if account.place is not None:
        lines.extend(["", *_place(account, paint)])
    if account.recorded is not None and account.recorded.operands:
        lines.extend(["", paint("trail", "What the run had there")])
        lines.extend(
            f"  {printable(name)}: {printable(text)[:_MAX_LINE_LENGTH]}"
            for name, text in account.recorded.operands
        )
    if account.wrong:
        lines.extend(["", paint("trail", "What is wrong here")])
        lines.extend(line for one in account.wrong for line in _wrapped(one, "  "))
    if explanation is not None:
        meaning = f"{explanation.entry.meaning} {explanation.here}".strip()
        lines.extend(["", paint("trail", "What it means"), *_wrapped(meaning, "  ")])
    if account.known:
        lines.extend(["", paint("trail", "What is known of that line"), *_known(account)])
    if explanation is not None:
        lines.extend(["", paint("fix", "What to do"), *_numbered(explanation.fixes)])
    lines.extend(_rules(account, paint))
    if explanation is not None and explanation.entry.evidence != "torch":
        lines.extend(["", *_wrapped(_evidence(explanation.entry.evidence, explanation.entry.why), "")])
    if account.also:
        named = ", ".join(f"{entry.id} ({entry.title})" for entry in account.also[:3])
        lines.extend(["", *_wrapped(f"The text also fits {named}.", "")])
    return lines


def as_json(account: Account) -> dict[str, Any]:
    """Renders an explanation as data; what is not known is null or empty."""
    explanation, place = account.explanation, account.place
    entry = explanation.entry if explanation is not None else None
    return {
        "id": entry.id if entry else None,
        "title": entry.title if entry else None,
        "exception": printable(account.error.exception) or None,
        "text": "\n".join(printable(line) for line in account.error.text.splitlines()),
        "meaning": entry.meaning if entry else None,
        "here": printable(explanation.here) or None if explanation else None,
        "values": {name: printable(value) for name, value in explanation.values} if explanation else {},
        "wrong": [printable(one) for one in account.wrong],
        "fixes": [printable(fix) for fix in explanation.fixes] if explanation else [],
        "evidence": entry.evidence if entry else None,
        "carrier": account.carrier.entry.id if account.carrier else None,
        "also": [other.id for other in account.also],
        "place": _place_as_json(place) if place else None,
        "run": _run_as_json(account.recorded) if account.recorded else None,
        "operands": [
            {"name": printable(name), "value": printable(text)}
            for name, text in (account.recorded.operands if account.recorded else ())
        ],
        "known": [{"name": printable(one.name), "fact": printable(one.fact)} for one in account.known],
        "rules": [{"code": rule.code, "name": rule.name} for rule in account.rules],
        "caught": [
            {
                "code": one.rule,
                "name": one.name,
                "filename": printable(one.path),
                "location": {"row": one.row, "column": one.column},
                "message": printable(one.message),
            }
            for one in account.caught
        ],
        "nearest": [{"id": other.id, "title": other.title} for other in account.nearest],
    }


def entry_as_text(entry: Any, fixes: Iterable[str], paint: Painter) -> list[str]:
    """Renders a catalogue entry without an error text to explain."""
    lines = [paint("bold", f"{entry.id} {entry.title}"), ""]
    lines.extend([paint("trail", "What it means"), *_wrapped(entry.meaning, "  "), ""])
    lines.extend([paint("fix", "What to do"), *_numbered(fixes)])
    if entry.evidence != "torch":
        lines.extend(["", *_wrapped(_evidence(entry.evidence, entry.why), "")])
    return lines


def entry_as_json(entry: Any, fixes: Iterable[str]) -> dict[str, Any]:
    return {
        "id": entry.id,
        "title": entry.title,
        "meaning": entry.meaning,
        "fixes": list(fixes),
        "evidence": entry.evidence,
    }


def _unknown(account: Account, paint: Painter) -> Iterator[str]:
    quoted = list(_quoted(account))
    yield paint(
        "bold", "No explanation of this error is known" if quoted else "There is no error in this text"
    )
    yield from (f"  {line}" for line in quoted)
    yield from _run(account)
    if account.nearest and quoted:
        yield ""
        yield "Nearest to it are:"
        yield from (f"  {entry.id} {entry.title}" for entry in account.nearest)


def _quoted(account: Account) -> Iterator[str]:
    """Quotes the first lines of the error as torch words it."""
    error = account.error
    lines = [line for line in error.text.splitlines() if line.strip()]
    if account.explanation is not None:
        # What stands below in other columns may be another program's.
        lines = [line for number, line in enumerate(lines) if not number or line[0].isspace()]
    shown = [printable(_BLANKS.sub(" ", line).strip())[:_MAX_LINE_LENGTH] for line in lines[:_MAX_LINES]]
    if error.exception:
        name = printable(error.exception)
        shown[:1] = [f"{name}: {shown[0]}" if shown else name]
    yield from shown
    if len(lines) > _MAX_LINES:
        yield "…"


def _run(account: Account) -> Iterator[str]:
    """Words the run that a recorded error has ended."""
    if account.recorded is None:
        return
    run, rank = account.recorded.run, account.recorded.rank
    at = "" if rank is None else f", rank {rank}"
    yield f"  in the run of {time_of_run(run.started)}: {printable(' '.join(run.command))}{at}"
    if not account.error.text:
        yield "  The record keeps no message that the program has written itself."


def _place(account: Account, paint: Painter) -> Iterator[str]:
    place = account.place
    assert place is not None
    where = f"cell {place.cell}" if place.cell is not None else printable(place.path)
    if place.row:
        where += f", line {place.row}" if place.cell is not None else f":{place.row}"
    name = f" in {printable(place.name)}" if place.name and not place.name.startswith("<") else ""
    yield paint("bold", where) + name
    if place.source:
        number = str(place.row) if place.row else ""
        yield f"  {paint('dim', number + ' |')} {printable(place.source)[:_MAX_LINE_LENGTH]}".rstrip()
    if place.has_changed:
        yield (
            "  The file has another line there now."
            if account.recorded is None
            else "  This function was changed after the run; the line is that of the run."
        )


def _known(account: Account) -> Iterator[str]:
    assert account.place is not None, "facts are those of a place"
    document = account.place.document
    sources = Sources({document.path: document} if document is not None else {})
    for one in account.known:
        notes = tuple(note for note in one.notes if note.words.startswith(_TOLD_NOTES))
        short = replace(one, symbol=None, notes=notes, trail=one.trail[:1])
        first, *rest = plain_text(short, sources).split("\n")
        yield f"  {printable(first)[:_MAX_LINE_LENGTH]}"
        yield from (f"    {printable(line)[:_MAX_LINE_LENGTH]}" for line in rest[:_MAX_LINES])


def _rules(account: Account, paint: Painter) -> Iterator[str]:
    if not account.rules and not account.caught:
        return
    yield ""
    yield paint("trail", "What finds it before it runs")
    yield from (f"  {line}" for one in account.caught for line in _caught(one))
    found = {one.rule for one in account.caught}
    missed = [rule for rule in account.rules if rule.code not in found]
    for rule in missed:
        tail = ": finds such mistakes" + (
            "" if found or account.place is None else ", and does not see this one"
        )
        yield f"  {rule.code} {rule.name}{tail}"


def _caught(one: Caught) -> Iterator[str]:
    yield f"{one.rule} at {printable(one.path)}:{one.row} ({one.name}): torchlsp finds it now"
    yield f"  {printable(one.message)}"
    yield from (f"    line {row}: {printable(message)}" for row, message in one.steps[:_MAX_LINES])


def _place_as_json(place: Place) -> dict[str, Any]:
    return {
        "filename": printable(place.path) or None,
        "cell": place.cell,
        "row": place.row or None,
        "function": printable(place.name) or None,
        "source": printable(place.source) or None,
        "unchanged": True if place.document is not None else False if place.has_changed else None,
    }


def _run_as_json(recorded: RecordedRun) -> dict[str, Any]:
    run = recorded.run
    return {"id": run.id, "command": list(run.command), "started": run.started, "rank": recorded.rank}


def _evidence(evidence: str, why: str) -> str:
    if evidence == "emulated":
        return f"This explanation was tried on an emulated device: {why}."
    return f"This explanation is from documentation and reports, not from a run of our own: {why}."


def _numbered(fixes: Iterable[str]) -> Iterator[str]:
    for number, fix in enumerate(fixes, 1):
        yield from textwrap.wrap(
            printable(fix),
            _WIDTH,
            initial_indent=f"  {number}. ",
            subsequent_indent="     ",
            break_on_hyphens=False,
        )


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        printable(text), _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )
