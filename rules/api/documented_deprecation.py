"""TL928: a function that torch calls deprecated in its documentation, and does not warn about."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, respelling, rule


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
        yield check.finding(fault, text, fixes=[_fix(fault)])


def _fix(fault: Site) -> Fix | None:
    change, instead = fault["change"], fault["instead"]
    title = f"Replace it by {instead}"
    if change == "rename":
        return fault.fix(
            title, (fault.callee, lambda node: respelling.renamed(node, fault["name"], instead)), safe=True
        )
    return fault.fix(title, (fault.whole, lambda node: respelling.with_new_arguments(node, instead, change)))
