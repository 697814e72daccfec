"""TL501: gradients of earlier steps are still in `.grad` when the optimizer steps again."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, Finding, rule


@rule("TL501", severity="error", group="correctness")
def missing_zero_grad(check: Check) -> Iterator[Finding]:
    for site in check.missing_clears():
        step, loop, optimizer = site.what.step, site.what.loop, check.optimizer(site.what.step)
        if optimizer is not None and step.name == "scaler" and optimizer.source != step.label:
            optimizer = None  # the scaler itself, where what it is given is no name
        fixes = []
        said = f"the gradients that {site.named(optimizer, 'optimizer')} uses"
        if optimizer is None and step.name == "by hand":
            said = f"the gradients that `{step.label}` is updated with"
        # In a helper the optimizer may have another name than in the loop.
        where = "in this loop"
        if loop.called:
            where = f"in `{loop.called}`, which the Trainer calls for each batch"
        inside = (
            not loop.called
            and step.path == loop.path == site.what.backward.path
            and loop.start <= step.start < loop.end
        )
        if optimizer is not None and inside and site.what.plain:
            code = f"{optimizer.source}.zero_grad()"
            fixes = [site.insert(f"Clear the gradients with {code}", loop.body_start, code)]
        yield check.finding(
            site,
            f"{said} are never cleared {where}: each backward() adds to them",
            related=[(step, "the optimizer steps here" if step.name != "by hand" else "the update is here")],
            fixes=fixes,
        )
