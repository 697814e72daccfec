"""TL516: a GAN's discriminator loss frees the graph of the generator, which its own loss needs."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, rule, with_method


@rule("TL516", severity="error", group="correctness")
def gan_generator_not_detached(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NOT_DETACHED):
        given = None if fault["given"] is None else check.argument(fault["given"])
        taken = check.plain(given)
        name = "the other network's output" if taken is None else fault.named(taken, "")
        first = fault["first"]
        yield check.finding(
            fault,
            f"an earlier backward freed the graph of {name}, which is not detached there",
            related=[
                (first, "this backward frees the graph"),
                *(
                    []
                    if fault["given"] is None
                    else [(fault["given"], "it is used in the earlier loss here")]
                ),
                (fault["made"], "computed once, for both losses"),
            ],
            fixes=[_detached(fault, taken)],
        )


def _detached(fault: Site, taken) -> Fix | None:
    if taken is None:
        return None
    return fault.fix("Detach it in the earlier loss", (taken, lambda node: with_method(node, "detach")))
