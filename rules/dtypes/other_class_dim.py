"""TL235: A softmax or `argmax` runs over a dim that is not that of the classes."""

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
                f"the best class of each sample is taken from {shown(tensor.shape)}, but its softmax runs over dim 0, the batch",
                related=maker(tensor),
            )
            continue
        table, labels = fault["table"], fault["labels"]
        made = fault["input"].origin
        yield check.finding(
            fault,
            f"argmax without dim returns one index into the flattened {shown(table.shape)}, but the labels are {shown(labels.shape)}",
            related=[(made, "this index runs over all rows")] if made is not None else (),
        )
