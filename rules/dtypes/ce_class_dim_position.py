"""TL204: cross-entropy gets logits with the classes in the last dim; it expects them in dim 1."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown, with_method


@rule(
    "TL204",
    severity="error",
    group="correctness",
    chosen_sizes="sizes that the probe chooses need not fit together",
)
def ce_class_dim_position(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CE_CLASS_DIM):
        logits, target = fault["logits"], fault["target"]
        rank = logits.rank
        given, labels = fault.operand("input", 0), fault.operand("target", 1)
        mover = ("transpose", 1, 2) if rank == 3 else ("movedim", -1, 1)
        flat = given, lambda node, rank=rank: with_method(node, "flatten", 0, rank - 2)
        moved = given, lambda node, mover=mover: with_method(node, *mover)
        yield check.finding(
            fault,
            f"{fault.called('input', 0)} {shown(logits)} has its classes in the last dim, they belong in dim 1: target is {shown(target)}",
            related=because(logits, "shape"),
            fixes=[
                fault.fix(
                    "Flatten logits and target", flat, (labels, lambda node: with_method(node, "flatten"))
                ),
                fault.fix("Move the classes to dim 1", moved),
            ],
        )
