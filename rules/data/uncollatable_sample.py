"""TL709: samples that the default collation of a DataLoader does not take."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule

_TEXTS = {
    "None": "samples are, or contain, None, which the default collation does not take",
    "image": "samples contain PIL images, which the default collation does not take",
    "maybe": "`__getitem__` returns None for some samples, which the default collation does not take",
}


@rule("TL709", severity="error")
def uncollatable_sample(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNCOLLATABLE):
        what, gives = fault["what"], fault["gives"]
        yield check.finding(
            fault,
            _TEXTS.get(
                what, f"samples contain objects of `{what}`, which the default collation does not take"
            ),
            related=[] if gives is None else [(gives, "None is returned here")],
            mild=what == "maybe",
        )
