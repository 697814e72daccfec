"""TL925: torch is seeded, but another random generator that the program uses is not."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule

_SEEDERS = {"NumPy": "np.random.seed", "random": "random.seed"}


@rule("TL925", severity="info", group="style", unproven="what an unseeded generator draws is left to chance")
def incomplete_seeding(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNSEEDED):
        reason = fault["reason"]
        if reason == "benchmark":
            text = "cudnn.benchmark selects kernels by timing, which is not deterministic"
            yield check.finding(
                fault, text, related=[(fault["place"], "deterministic mode is requested here")]
            )
            continue
        what = f"`{fault['helper']}`" if fault["helper"] else "this"
        yield check.finding(
            fault,
            f"{what} seeds torch but not {reason}, whose numbers differ between runs",
            related=[(fault["place"], f"drawn here, without {_SEEDERS[reason]}")],
        )
