"""TL918: a compiled function branches on the values of a tensor, or prints, which breaks its graph."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule

_WHAT = {"branch": "branches on the values of a tensor", "print": "prints"}


@rule("TL918", severity="info", group="performance", unproven="the probe does not let the function in")
def graph_break(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.GRAPH_BREAK):
        what = f"`{fault['function']}` {_WHAT[fault['what']]}"
        text = f"{what}, which causes a graph break"
        if fault["whole"]:
            text = f"{what}, which fullgraph=True does not allow"
        yield check.finding(fault, text, related=[(fault["place"], "here")])
