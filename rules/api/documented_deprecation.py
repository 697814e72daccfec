"""TL928: a function that torch calls deprecated in its documentation, and does not warn about."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, respelling, rule


@rule(
    "TL928",
    severity="warning",
    group="style",
    tag="deprecated",
    unproven="torch says so in its documentation alone",
)
def documented_deprecation(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DISCOURAGED_NAME):
        name, instead = fault["name"], fault["instead"]
        text = f"the documentation calls `{name}` deprecated; use `{instead}`"
        yield check.finding(fault, text, fixes=[respelling.replacement(fault)])
