"""TL804: a call that communicates implicitly is on a path that only some ranks reach."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, Finding, rank_test, rule


@rule("TL804", severity="error", group="correctness")
def hidden_collective_in_rank_branch(check: Check) -> Iterator[Finding]:
    for site in check.divergences("hidden"):
        collective, test, left = site.what.collective, site.what.test, site.what.exit
        where = check.source(test)
        absent = f"others {left.kind} at {where}" if left is not None else f"which ones depends on {where}"
        yield check.finding(
            site,
            f"only some ranks reach {check.source(collective)}, which communicates: {absent}",
            related=[*rank_test(site.what), (collective, "this call waits for the other ranks")],
        )
