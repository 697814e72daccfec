"""TL801: a collective operation is on a path that only some ranks reach."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, Finding, Fix, Site, is_branch, rank_test, rule


@rule("TL801", severity="error", group="correctness")
def collective_in_rank_branch(check: Check) -> Iterator[Finding]:
    for site in check.divergences("branch"):
        name, test = site.what.collective.name, site.what.test
        yield check.finding(
            site,
            f"only some ranks reach {name}(): which ones depends on {check.source(test)}",
            related=rank_test(site.what),
            fixes=[_moved(site)],
        )


def _moved(site: Site) -> Fix | None:
    """Moves the collective above the test, if it is the first thing done there and the other ranks do
    nothing."""
    here = site.position(site.what.collective)
    if (
        here is None
        or here.index > 0
        or not is_branch(here.parent)
        or here.parent.orelse
        or len(here.block) < 2
    ):
        return None
    return site.move("Move the collective above the test", here.statement, here.parent)
