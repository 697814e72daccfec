"""TL803: a function that runs a collective is called on a path that only some ranks reach."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, Finding, rank_test, rule


@rule("TL803", severity="error", group="correctness")
def collective_through_helper(check: Check) -> Iterator[Finding]:
    for site in check.divergences("helper"):
        collective, test, left = site.what.collective, site.what.test, site.what.exit
        where = check.source(test)
        absent = f"others {left.kind} at {where}" if left is not None else f"which ones depends on {where}"
        yield check.finding(
            site,
            f"only some ranks reach {collective.name}() in {site.what.chain[0].name}(): {absent}",
            related=[*rank_test(site.what), (collective, "all ranks must reach this")],
        )
