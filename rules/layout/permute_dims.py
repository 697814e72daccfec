"""TL116: the dims of `permute` are not a permutation, or `transpose` gets a whole permutation."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, cst, rule, shown


@rule(
    "TL116",
    severity="error",
    group="correctness",
    chosen_sizes="sizes that the probe chooses need not fit together",
)
def permute_dims(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.PERMUTE_DIMS, FaultKind.DIM_RANGE):
        name = fault.what.op.rpartition(".")[2]
        ranged = fault.what.kind is FaultKind.DIM_RANGE
        if ranged and name != "permute":
            continue
        tensor, fixes = fault["input"], []
        receiver = f"{fault.called('input', 0)} {shown(tensor)}"
        reason = "range" if ranged else fault["reason"]
        match reason:
            case "range":
                text = f"permute names dim {fault['dim']}, {receiver} has {fault['rank']} dims"
            case "count":
                text = f"permute names {len(fault['dims'])} dims, {receiver} has {fault['rank']}"
            case "transpose":
                text = (
                    f"transpose takes two dims, {shown(fault['dims'])} has {len(fault['dims'])}: {receiver}"
                )
                fixes = [_permuted(fault)]
            case "destinations":
                text = f"{name} needs as many destinations as dims: {receiver}"
            case _:
                text = f"{name} names a dim of {receiver} twice: {shown(fault['dims'])}"
        yield check.finding(fault, text, related=because(tensor, "shape"), fixes=fixes)


def _permuted(fault: Site) -> Fix | None:
    """Returns `x.permute(…)` with the same dims, where they are a permutation of the tensor's."""
    rank, numbers = fault["rank"], fault["dims"]
    if rank is None or sorted(one % rank if rank else one for one in numbers) != list(range(rank)):
        return None

    def change(callee: cst.BaseExpression) -> cst.BaseExpression | None:
        return callee.with_changes(attr=cst.Name("permute")) if isinstance(callee, cst.Attribute) else None

    if not fault.what.op.startswith("Tensor."):
        return None  # torch.permute wants a tuple
    return fault.fix("Replace transpose by permute", (fault.callee, change))
