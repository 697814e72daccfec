"""What is known of a rule before it is imported, and the questions that it asks of an analysis."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from torchlsp.core.finding import Severity

Question = tuple[str, str]
"""What a rule asks the analysis: ("faults", "VIEW_STRIDES"), ("calls", "torch.stack"), ("missing_clears", "")."""


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """A rule that has not been imported; `preview` says why it is off by default, and is empty when it is on.
    `tag` is "deprecated", "unnecessary" or empty. A `fallback` gives way to every rule that is none.

    `asks` is also the rule's gate: it is imported and run only where one of these questions has an answer.
    """

    code: str
    name: str
    severity: Severity
    folder: str
    summary: str
    preview: str
    page_path: Path
    module: str
    tag: str = ""
    fallback: bool = False
    asks: frozenset[Question] = frozenset()
