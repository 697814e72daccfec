"""Merges the findings to which calls of several files lead at one place, and moves them along with changes of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.difference import difference
from torchlsp.core.finding import ALSO_CALLED_HERE, CALLED_HERE, FAILS_HERE, Finding, Related
from torchlsp.core.records import replace
from torchlsp.core.span import Span
from torchlsp.engine.padding import moved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torchlsp.core.text import Document

FaultPlace = tuple[str, Span, str, Span]
"""The rule and span of a finding, and the path and span of the operation that fails."""

MOST_CALLS = 12
"""The maximum number of calls among the related places of a finding to which several files lead."""


def place_of(finding: Finding) -> FaultPlace:
    """Returns what the findings have in common that are shown as one."""
    first = finding.related[0] if finding.related else None
    if first is None or first.message != FAILS_HERE:
        return finding.rule, finding.span, finding.path, finding.span
    return finding.rule, finding.span, first.path or finding.path, first.span


def merge(findings: Iterable[Finding], into: dict[FaultPlace, Finding]) -> None:
    """Adds findings; of two at one place the more severe is kept, else the first, with the calls of both."""
    for one in findings:
        place = place_of(one)
        known = into.get(place)
        if known is None:
            into[place] = one
        elif one.severity.rank < known.severity.rank:
            into[place] = _with_calls_of(one, known)
        else:
            into[place] = _with_calls_of(known, one)


def first_checked(
    places: Iterable[Finding], path: str, checked: frozenset[str], asked: dict[str, bool]
) -> Finding | None:
    """Returns of one finding at several places, innermost first, the first in `path` or in a file that is checked.

    `asked` is given the other files that decide this, and whether each of them is checked.
    """
    for one in places:
        if one.path == path:
            return one
        asked[one.path] = one.path in checked
        if asked[one.path]:
            return one
    return None


def _with_calls_of(finding: Finding, other: Finding) -> Finding:
    related = dict.fromkeys(finding.related)
    seen = {(one.path, one.span) for one in related if _is_call(one)}
    seen.add((None, finding.span))
    for one in other.related:
        if len(seen) > MOST_CALLS:
            break
        if _is_call(one) and (one.path, one.span) not in seen:
            seen.add((one.path, one.span))
            related[replace(one, message=_also(one.message))] = None
    return finding if len(related) == len(finding.related) else replace(finding, related=tuple(related))


def _is_call(step: Related) -> bool:
    return step.message.endswith((CALLED_HERE, ALSO_CALLED_HERE))


def _also(message: str) -> str:
    return message.removesuffix(CALLED_HERE) + ALSO_CALLED_HERE if message.endswith(CALLED_HERE) else message


def moved_related(finding: Finding, path: str, place: Callable[[int], int]) -> Finding:
    """Returns a finding with its related places in another file mapped by `place`."""
    related = tuple(
        replace(one, span=Span(place(one.span.start), place(one.span.end))) if one.path == path else one
        for one in finding.related
    )
    return finding if related == finding.related else replace(finding, related=related)


def moved_along(findings: Iterable[Finding], old: Document, new: Document) -> list[Finding]:
    """Returns findings in a text as they are in a later one, without those whose place or fix has changed."""
    if old.text == new.text:
        return list(findings)
    first, behind = difference(old.text, new.text)
    last, grown = len(old.text) - behind, len(new.text) - len(old.text)

    def place(offset: int) -> int:
        if offset <= first:
            return offset
        return offset + grown if offset >= last else min(offset, first)

    def is_touched(span: Span) -> bool:
        return span.start < max(last, first + 1) and first < span.end

    return [
        moved(one, place)
        for one in findings
        if not is_touched(one.span)
        and not any(is_touched(edit.span) for fix in one.fixes for edit in fix.edits)
    ]
