"""Counts findings by rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlsp.report.words import is_refuted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torchlsp.core.finding import Finding


@dataclass(frozen=True, slots=True)
class RuleCount:
    """Holds the number of findings of a rule, `fixable` of which have a fix, safe or not."""

    code: str
    name: str
    count: int
    fixable: int


def by_rule(findings: Iterable[Finding]) -> list[RuleCount]:
    """Counts findings by rule, most frequent first, then by code; refuted findings do not count."""
    found: dict[tuple[str, str], list[bool]] = {}
    for finding in findings:
        if is_refuted(finding):
            continue
        found.setdefault((finding.rule, finding.name), []).append(bool(finding.fixes))
    counts = [RuleCount(code, name, len(fixes), sum(fixes)) for (code, name), fixes in found.items()]
    return sorted(counts, key=lambda one: (-one.count, one.code, one.name))
