"""Findings counted by rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlsp.report.words import is_refuted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torchlsp.core.finding import Finding


@dataclass(frozen=True, slots=True)
class RuleCount:
    """`fixable` of the `count` findings have a fix, safe or not."""

    code: str
    name: str
    count: int
    fixable: int


def by_rule(findings: Iterable[Finding]) -> list[RuleCount]:
    """The most frequent rule first, equals by code; what torch refuted does not count."""
    found: dict[tuple[str, str], list[bool]] = {}
    for finding in findings:
        if is_refuted(finding):
            continue
        found.setdefault((finding.rule, finding.name), []).append(bool(finding.fixes))
    counts = [RuleCount(code, name, len(fixes), sum(fixes)) for (code, name), fixes in found.items()]
    return sorted(counts, key=lambda one: (-one.count, one.code, one.name))
