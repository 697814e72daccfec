"""A stand-in for the analysis: each row `bad(NAME)` is a finding with fixes, by row and column."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from torchlsp.core.finding import Applicability, Edit, Finding, Fix, Related, Severity
from torchlsp.core.span import Span
from torchlsp.engine.config import KnownRule
from torchlsp.syntax.statements import scope_name

RULES = (
    KnownRule("TL101", "view-on-noncontiguous", Severity.ERROR),
    KnownRule("TL102", "view-size-mismatch", Severity.WARNING),
    KnownRule("TL103", "only-a-hint", Severity.INFO),
    KnownRule("TL501", "missing-zero-grad", Severity.ERROR),
    KnownRule("TL901", "still-in-preview", Severity.WARNING, preview=True),
    KnownRule("TL902", "slow-but-right", Severity.WARNING, group="performance"),
    KnownRule("TL903", "old-name", Severity.WARNING, group="upgrade"),
    KnownRule("TL904", "old-name-with-another-result", Severity.WARNING, group="upgrade", mended=True),
    KnownRule("TL905", "early-advice", Severity.INFO, preview=True, group="performance"),
)
_CODES = {
    "bad": "TL101", "worse": "TL102", "hint": "TL103", "early": "TL901", "loop": "TL501", "slow_loop": "TL902", "old": "TL903",
    "older": "TL904",
}  # fmt: skip
_CALL = re.compile(rf"\b({'|'.join(_CODES)})\(([^()]*)\)")


@dataclass
class Answer:
    findings: list[Finding] = field(default_factory=list)
    elsewhere: list[tuple[Finding, tuple[Finding, ...]]] = field(default_factory=list)
    internal_errors: list[str] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    steps: int = 0
    followed: list[tuple[str, Span]] = field(default_factory=list)
    cast: list[str] = field(default_factory=list)
    is_quiet: bool = False


def analyse(tree, provider, codes) -> Answer:
    """`crash()` raises, `deep()` overflows, `slow()` stops; `fixme` inside a call gives it a fix."""
    text = tree.document.text
    if "crash()" in text:
        raise ZeroDivisionError("a bug\nof ours")
    if "deep()" in text:
        raise RecursionError
    answer = Answer()
    if "slow()" in text:
        answer.stopped.append("analysis of f stopped")
    if "inner()" in text:
        answer.internal_errors.append("f: KeyError\nTraceback of it")
    rules = {rule.code: rule for rule in RULES}
    for found in _CALL.finditer(text):
        rule = rules[_CODES[found.group(1)]]
        if rule.code not in codes:
            continue
        span = Span(*found.span())
        answer.findings.append(
            Finding(
                rule=rule.code,
                name=rule.name,
                path=tree.document.path,
                span=span,
                message=f"`{found.group(2)}` is {found.group(1)}",
                severity=rule.severity,
                related=(Related(Span(0, 1), "it begins here"),),
                fixes=_fixes(span, found.group(2)),
                scope=scope_name(tree, span),
            )
        )
    return answer


def _fixes(span: Span, argument: str) -> tuple[Fix, ...]:
    if argument.startswith("safe"):
        return (Fix("Say good", (Edit(span, f"good({argument})"),), Applicability.SAFE),)
    if argument.startswith("either"):
        return (*_fixes(span, "unsafe"), Fix("Say better", (Edit(span, "better()"),), Applicability.SAFE))
    if argument.startswith("unsafe"):
        return (Fix("Say good", (Edit(span, f"good({argument})"),), Applicability.UNSAFE),)
    if argument.startswith("import"):
        both = (Edit(Span(0, 0), "import good\n"), Edit(span, f"good({argument})"))
        return (Fix("Import good", both, Applicability.SAFE),)
    if argument.startswith("broken"):
        return (Fix("Break it", (Edit(span, "good(("),), Applicability.SAFE),)
    if argument.startswith("again"):
        return (Fix("Try again", (Edit(span, f"bad({argument}x)"),), Applicability.SAFE),)
    return ()
