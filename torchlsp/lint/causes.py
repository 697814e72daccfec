"""Merges the findings of one rule that have one cause: the first is shown, the others are related places of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from torchlsp.core.finding import SAME_CAUSE, Finding, Related
from torchlsp.core.records import replace

if TYPE_CHECKING:
    from torchlsp.core.span import Span
    from torchlsp.lint.check import Cause


def one_for_each_cause(
    found: Iterable[Finding], causes: Mapping[Finding, Cause]
) -> Iterator[tuple[Finding, list[Finding]]]:
    """Yields each finding to show, with those in the same file that have the same cause, in order of place.

    The one to show is the most severe, of those the first in the text. A finding without a cause is on its own.
    """
    by_cause: dict[tuple[str, Cause] | Finding, list[Finding]] = {}
    for finding in dict.fromkeys(found):
        cause = causes.get(finding)
        by_cause.setdefault(finding if cause is None else (finding.path, cause), []).append(finding)
    for group in by_cause.values():
        first, *others = sorted(group, key=lambda one: (one.severity.rank, one.span))
        yield first, sorted(others, key=lambda one: one.span)


def with_other_places(finding: Finding, others: Iterable[Finding]) -> Finding:
    """Returns a finding with the places of others as related places."""
    places = [Related(one.span, SAME_CAUSE, None if one.path == finding.path else one.path) for one in others]
    return replace(finding, related=(*finding.related, *places)) if places else finding


def places_of(finding: Finding) -> Iterator[tuple[str, Span]]:
    """Yields the path and the span of a finding, and of those that it stands for."""
    yield finding.path, finding.span
    for one in finding.related:
        if one.message == SAME_CAUSE:
            yield one.path or finding.path, one.span
