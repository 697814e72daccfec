"""TL502: the gradients are cleared between the backward pass and the step that uses them."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, Finding, Fix, Site, rule


@rule("TL502", severity="error", group="correctness")
def zero_grad_before_step(check: Check) -> Iterator[Finding]:
    for site in check.early_clears():
        clear, backward, step = site.what.clear, site.what.backward, site.what.step
        yield check.finding(
            site,
            f"{check.source(site.what.clear)} clears the gradients before {check.source(step)} uses them",
            related=[(backward, "the gradients are computed here"), (step, "the optimizer steps here")],
            fixes=[_moved(site)] if clear.path == backward.path else [],
        )


def _moved(site: Site) -> Fix | None:
    """Moves the clearing statement above the backward, if both are in one block."""
    clear, backward = site.position(site.what.clear), site.position(site.what.backward)
    if clear is None or backward is None or clear.block is not backward.block or clear.index < backward.index:
        return None
    return site.move("Clear the gradients before backward()", clear.statement, backward.statement)
