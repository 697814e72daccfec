"""TL235: A softmax or `argmax` goes over another dim than that of the classes."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, maker, rule, shown


@rule(
    "TL235", severity="warning", group="correctness", unproven="torch raises nothing, whatever the sizes are"
)
def other_class_dim(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CLASS_DIM):
        if fault["what"] == "softmax":
            tensor = fault["input"]
            yield check.finding(
                fault,
                f"the best class of each sample is taken of {shown(tensor.shape)}, whose softmax goes over the batch, dim 0",
                related=maker(tensor),
            )
            continue
        table, labels = fault["table"], fault["labels"]
        made = fault["input"].origin
        yield check.finding(
            fault,
            f"one index into {shown(table.shape)} is compared with the labels {shown(labels.shape)}: argmax has no dim",
            related=[(made, "this counts through all rows")] if made is not None else (),
        )
