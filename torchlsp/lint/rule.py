"""Defines what a rule is: a generator function with a code and a severity, turned into a value by `rule`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from torchlsp.core.finding import Finding, Severity
from torchlsp.core.records import dataclass

if TYPE_CHECKING:
    from torchlsp.lint.check import Check


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule ready to run; `preview` says why it is not yet offered, and is empty for most. `tag` lets an editor
    strike through what is "deprecated" or fade what is "unnecessary"."""

    code: str
    name: str
    severity: Severity
    group: str
    preview: str
    tag: str
    fallback: bool
    run: Callable[[Check], Iterable[Finding]]


def rule(
    code: str,
    *,
    severity: str,
    group: str,
    preview: str = "",
    tag: str = "",
    fallback: bool = False,
    hint: str = "",
    shown_right: str = "",
    chosen_sizes: str = "",
    unproven: str = "",
    unproven_cases: str = "",
    mended: str = "",
    since: str = "",
) -> Callable[[Callable[[Check], Iterable[Finding]]], Rule]:
    """Declares a rule. Its name is the function's, with hyphens; its page is the .md file of the rule's module, beside it.

    `group`: correctness (the program fails, hangs or computes something else than meant), performance (time or memory is
    lost), upgrade (torch warns at run time that it will change or go), or style (it works, and is written otherwise today).
    Correctness is on by default, except for infos. `mended` is the reason why a rule of another group is on as well.
    `preview` is the reason why the rule is not yet offered by default, whatever its group.
    `fallback`: what the rule finds is left out where a rule that says more finds something.
    `since`: the first release of torch that is known to refuse what the rule reports, if that is not 1.0. The rule is silent in
    a project that requires an older one.

    Each of the others is a reason why a test that holds of every other rule does not hold of this one:
    `hint`: right programs do the same, so tests count its findings only in programs that are about the rule.
    `shown_right`: the notes of torch's documentation show it in programs that are right.
    `chosen_sizes`: where sizes are unknown, the probe chooses some, and with these a right call may fail.
    `unproven`: some findings have no reproducer that the probe can run, also on the rule's own page.
    `unproven_cases`: all findings on the page are proven, but some in code of which less is known are not.

    The registry parses the decorator call without importing the module, so the arguments must be string literals or
    True.
    """

    def declare(function: Callable[[Check], Iterable[Finding]]) -> Rule:
        return Rule(
            code,
            function.__name__.replace("_", "-"),
            Severity(severity),
            group,
            preview,
            tag,
            fallback,
            function,
        )

    return declare
