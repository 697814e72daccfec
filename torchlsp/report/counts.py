"""Counts findings by rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.report.words import is_refuted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torchlsp.core.finding import Finding


@dataclass(frozen=True, slots=True)
class RuleCount:
    """Holds the number of findings of a rule, `fixable` of which have a fix, and `safely_fixable` a safe one."""

    code: str
    name: str
    count: int
    fixable: int
    safely_fixable: int


def by_rule(findings: Iterable[Finding]) -> list[RuleCount]:
    """Counts findings by rule, most frequent first, then by code; refuted findings do not count."""
    found: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        if is_refuted(finding):
            continue
        found.setdefault((finding.rule, finding.name), []).append(finding)
    counts = [
        RuleCount(
            code,
            name,
            len(those),
            sum(bool(one.fixes) for one in those),
            sum(one.has_safe_fix for one in those),
        )
        for (code, name), those in found.items()
    ]
    return sorted(counts, key=lambda one: (-one.count, one.code, one.name))
