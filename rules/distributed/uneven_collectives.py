"""TL805: the ranks run different numbers of collectives."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule

_DECIDERS = {
    "rank": "only some ranks ask here", "clock": "the time on this rank decides here", "random": "a random number of this rank decides here",
    "reduced": "what only one rank has got decides here", "caught": "an error on this rank alone ends the step here",
}  # fmt: skip
_SOURCES = {
    "clock": "comes from the rank's own clock", "random": "comes from random numbers without a common seed",
    "batch": "comes from the batches that DistributedSampler gives to each rank", "reduced": "comes from reduce(), whose result is on one rank only",
}  # fmt: skip


@rule("TL805", severity="warning", group="correctness")
def uneven_collectives(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNEVEN):
        collective, test = fault["collective"], fault["test"]
        name = collective.name.rpartition(".")[2]
        if test is None:
            text = f"this loop runs more often on some ranks, which then wait for the others in {name}()"
            related = [(fault["loop"], "how often this loop runs depends on the rank")]
        else:
            if fault["left"] is None:
                text = f"some ranks may go without {name}(), for which the others wait: {check.source(test)} decides"
            else:
                text = f"one rank may {fault['left']} alone at {check.source(test)}: the others wait for it in {name}()"
            related = [(test, _DECIDERS.get(fault["by"], "a rank's own data decide here"))]
            if fault.get("source") is not None and fault["by"] in _SOURCES:
                related.append((fault["source"], f"differs between ranks: {_SOURCES[fault['by']]}"))
        yield check.finding(fault, text, related=related)
