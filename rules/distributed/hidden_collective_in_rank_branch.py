"""TL804: a call that communicates without saying so stands on a path that only some ranks take."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, Finding, rule


@rule("TL804", severity="error")
def hidden_collective_in_rank_branch(check: Check) -> Iterator[Finding]:
    for site in check.divergences("hidden"):
        test, collective = site.what.condition.source, site.what.collective
        yield check.finding(
            site,
            f"{collective.name} communicates with all ranks, {check.source(test)} lets only some in",
            related=[
                (test, "only some ranks go this way"),
                (collective, "this call waits for the other ranks"),
            ],
        )
