"""TL920: `grid_sample` or `affine_grid` is called without `align_corners`."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, respelling, rule


@rule("TL920", severity="warning", group="upgrade", tag="deprecated")
def grid_sample_align_corners(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNSAID_ARGUMENT):
        if fault["argument"] != "align_corners":
            continue
        name = fault["name"].rpartition(".")[2]
        change = fault.whole, lambda node: respelling.with_given(node, "align_corners", "False")
        yield check.finding(
            fault,
            f"`{name}` without `align_corners` warns: the default is False since torch 1.3",
            fixes=[fault.fix("Insert align_corners=False", change, safe=True)],
        )
