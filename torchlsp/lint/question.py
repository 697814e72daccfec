"""Describes a rule before it is imported: its code, its name, the questions that it asks, its exemptions."""

from __future__ import annotations

from pathlib import Path

from torchlsp.core.finding import Severity, is_on_by_default
from torchlsp.core.records import dataclass

Question = tuple[str, str]
"""A query to the analysis: ("faults", "VIEW_STRIDES"), ("calls", "torch.stack"), ("missing_clears", "")."""


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """A rule that has not been imported; `preview` says why it is not yet offered, and is empty for most.
    `group` is one of GROUPS, and `mended` says why a rule of another group than correctness is on by default.
    `tag` is "deprecated", "unnecessary" or empty. A `fallback` gives way to every rule that is none.
    `since` is the first release of torch that is known to refuse what the rule reports, or empty.

    `asks` is also the rule's gate: it is imported and run only where one of these questions has an answer.

    What the tests hold of every rule does not hold of some. Such a rule declares the reason:
    `hint`: right programs do it as well, so it counts only in programs that are about it.
    `shown_right`: notes of the documentation show it in programs that are right.
    `chosen_sizes`: a right call of which not all sizes are known may fail with the sizes that the probe chooses.
    `unproven`: some findings have no reproducer that the probe can run, also on the rule's own page.
    `unproven_cases`: all findings on the page are proven, and some in code of which less is known are not.
    """

    code: str
    name: str
    severity: Severity
    group: str
    folder: str
    summary: str
    preview: str
    page_path: Path
    module: str
    tag: str = ""
    fallback: bool = False
    since: str = ""
    asks: frozenset[Question] = frozenset()
    hint: str = ""
    shown_right: str = ""
    chosen_sizes: str = ""
    unproven: str = ""
    unproven_cases: str = ""
    mended: str = ""

    @property
    def is_default(self) -> bool:
        """Returns whether the rule runs where nothing is configured."""
        return not self.preview and is_on_by_default(self.group, self.severity, bool(self.mended))
