"""TL501: gradients of earlier steps are still in `.grad` when the optimizer steps again."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, Finding, rule


@rule("TL501", severity="error")
def missing_zero_grad(check: Check) -> Iterator[Finding]:
    for site in check.missing_clears():
        step, loop, name = site.what.step, site.what.loop, site.what.optimizer_label
        inside = step.path == loop.path == site.what.backward.path and loop.start <= step.start < loop.end
        clear = site.insert(
            f"Clear the gradients with {name}.zero_grad()", loop.body_start, f"{name}.zero_grad()"
        )
        yield check.finding(
            site,
            f"`{name}` steps on gradients that no iteration of this loop clears",
            related=[(step, "the optimizer steps here")],
            fixes=[clear] if inside and site.what.plain else [],
        )
