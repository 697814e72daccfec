"""TL709: samples that the default collation of a DataLoader does not accept."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule

_TEXTS = {
    "None": "samples are, or contain, None, which default_collate does not accept",
    "image": "samples contain PIL images, which default_collate does not accept",
    "maybe": "`__getitem__` returns None for some samples, which default_collate does not accept",
}


@rule("TL709", severity="error", group="correctness")
def uncollatable_sample(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNCOLLATABLE):
        what, gives = fault["what"], fault["gives"]
        yield check.finding(
            fault,
            _TEXTS.get(what, f"samples contain objects of `{what}`, which default_collate does not accept"),
            related=[] if gives is None else [(gives, "None is returned here")],
            mild=what == "maybe",
        )
