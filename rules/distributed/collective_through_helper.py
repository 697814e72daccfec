"""TL803: a function that runs a collective is called on a path that only some ranks take."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, Finding, rule


@rule("TL803", severity="error")
def collective_through_helper(check: Check) -> Iterator[Finding]:
    for site in check.divergences("helper"):
        test, collective = site.what.condition.source, site.what.collective
        helper = site.what.chain[0].name if site.what.chain else "the function"
        yield check.finding(
            site,
            f"{helper}() runs {collective.name}, which waits for all ranks; {check.source(test)} is not true on all",
            related=[(test, "only some ranks go this way"), (collective, "all ranks must come here")],
        )
