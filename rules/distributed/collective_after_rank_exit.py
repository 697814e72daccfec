"""TL802: a collective operation follows an early exit that only some ranks take."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, Finding, Fix, Site, is_branch, rule


@rule("TL802", severity="error")
def collective_after_rank_exit(check: Check) -> Iterator[Finding]:
    for site in check.divergences("exit"):
        test, left = site.what.condition.source, site.what.exit
        done = left.kind if left is not None else "leave"
        yield check.finding(
            site,
            f"{site.what.collective.name} waits for all ranks, but some {done} at {check.source(test)}",
            related=[(test, "only some ranks go on from here")],
            fixes=[_moved(site)],
        )


def _moved(site: Site) -> Fix | None:
    """The collective above the exit, if nothing stands between them."""
    here = site.position(site.what.collective)
    test = site.position(site.what.condition.source)
    if here is None or test is None or here.previous is not test.statement or not is_branch(test.statement):
        return None
    return site.move("Move the collective above the early exit", here.statement, test.statement)
