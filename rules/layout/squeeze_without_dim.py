"""TL112: squeeze without a dim also drops the batch dimension of a batch of one."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, cst, number, rule, shown


@rule("TL112", severity="info", group="style")
def squeeze_without_dim(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SQUEEZED_BATCH):
        tensor = fault["input"]
        when = "" if tensor.shape[0] == 1 else f" when {shown(tensor.shape[0])} is 1"
        yield check.finding(
            fault,
            f"squeeze() without a dim also removes dim 0 of {fault.called('input', 0)} {shown(tensor)}{when}",
            related=because(tensor, "shape"),
            fixes=[_named(fault)],
        )


def _named(fault: Site) -> Fix | None:
    """Rewrites `x.squeeze()` to `x.squeeze(-1)` where the last dim is the only other one of size 1."""
    ones, last = fault["ones"], fault["input"].rank - 1
    if len(ones) > 1:
        return None
    dim = -1 if ones[0] == last else ones[0]

    def change(call: cst.BaseExpression) -> cst.BaseExpression | None:
        return (
            call.with_changes(args=[*call.args, cst.Arg(number(dim))]) if isinstance(call, cst.Call) else None
        )

    return fault.fix(f"Squeeze dim {dim} only", (fault.whole, change))
