"""Defines what a rule is: a generator function with a code and a severity, turned into a value by `rule`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlsp.core.finding import Finding, Severity

if TYPE_CHECKING:
    from torchlsp.lint.check import Check


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule ready to run; `preview` says why it is off by default, and is empty when it is on. `tag` lets an editor
    strike through what is "deprecated" or fade what is "unnecessary"."""

    code: str
    name: str
    severity: Severity
    preview: str
    tag: str
    fallback: bool
    run: Callable[[Check], Iterable[Finding]]


def rule(
    code: str,
    *,
    severity: str,
    preview: str = "",
    tag: str = "",
    fallback: bool = False,
    hint: str = "",
    shown_right: str = "",
    chosen_sizes: str = "",
    unproven: str = "",
    unproven_cases: str = "",
) -> Callable[[Callable[[Check], Iterable[Finding]]], Rule]:
    """Declares a rule. Its name is the function's, with hyphens; its page is the .md file of the same stem. What a
    `fallback` finds is left out where a rule that says more finds something. The last five are reasons why a test does not
    hold of the rule: `question.RuleInfo` says which.

    The registry reads this line as text, so the arguments must be string literals.
    """

    def declare(function: Callable[[Check], Iterable[Finding]]) -> Rule:
        return Rule(
            code, function.__name__.replace("_", "-"), Severity(severity), preview, tag, fallback, function
        )

    return declare
