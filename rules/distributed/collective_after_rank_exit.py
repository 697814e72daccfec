"""TL802: a collective operation follows an early exit that only some ranks take."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, Finding, Fix, Site, is_branch, rank_test, rule


@rule("TL802", severity="error", group="correctness")
def collective_after_rank_exit(check: Check) -> Iterator[Finding]:
    for site in check.divergences("exit"):
        name, test, left = site.what.collective.name, site.what.test, site.what.exit
        yield check.finding(
            site,
            f"only some ranks reach {name}(): others {left.kind} at {check.source(test)}",
            related=rank_test(site.what),
            fixes=[_moved(site)],
        )


def _moved(site: Site) -> Fix | None:
    """Moves the collective above the exit, if nothing is between them."""
    here = site.position(site.what.collective)
    test = site.position(site.what.test)
    if here is None or test is None or here.previous is not test.statement or not is_branch(test.statement):
        return None
    return site.move("Move the collective above the early exit", here.statement, test.statement)
