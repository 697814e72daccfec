"""TL406: `.grad` of a tensor that is not a leaf and does not retain its gradient is read."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule


@rule("TL406", severity="warning", group="correctness")
def grad_of_non_leaf(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NON_LEAF_GRAD):
        tensor, backward = fault["input"], fault["backward"]
        owner = fault.whole.source.rpartition(".")[0].strip()
        fixes = []
        made = tensor.origin
        if backward is not None and made is not None and owner.isidentifier():
            here = (
                made.path == backward.path == fault.file.path and made.end < backward.start < fault.span.start
            )
            if here:
                code = f"{owner}.retain_grad()"
                fixes = [fault.insert(f"Keep the gradient with {code}", backward.start, code)]
        yield check.finding(
            fault,
            f"{fault.named(fault.whole, 'gradient')} is None: only leaf tensors keep their gradient",
            related=because(tensor, "grad"),
            fixes=fixes,
        )
