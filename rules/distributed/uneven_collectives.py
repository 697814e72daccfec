"""TL805: the ranks run different numbers of collectives."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL805", severity="warning", group="correctness")
def uneven_collectives(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNEVEN):
        collective, test = fault["collective"], fault["test"]
        name = collective.name.rpartition(".")[2]
        if test is None:
            text = f"this loop runs more often on some ranks, which then wait for the others in {name}()"
            related = [(fault["loop"], "how often this loop runs depends on the rank")]
        else:
            text = f"one rank may {fault['left']} alone at {check.source(test)}: the others wait for it in {name}()"
            decider = "only some ranks ask" if fault["by"] == "rank" else "a rank's own data decide"
            related = [(test, f"{decider} here")]
        yield check.finding(fault, text, related=related)
