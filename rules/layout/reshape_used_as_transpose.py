"""TL104: a tensor is reshaped to its own sizes in another order, which scrambles it: `permute` is meant."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, cst, rule, shown, with_method


@rule("TL104", severity="warning", group="correctness")
def reshape_used_as_transpose(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.PERMUTED_SIZES):
        tensor, name = fault["input"], fault.what.op.rpartition(".")[2]
        given = shown(fault["shape"])
        yield check.finding(
            fault,
            f"{name} from {given} to {shown(fault['target'])} mixes up the values of {fault.called('input', 0)}, use permute",
            related=because(tensor, "shape"),
            fixes=[_permuted(fault)],
            style=fault["square"],
        )


def _permuted(fault: Site) -> Fix | None:
    """Rewrites `x.reshape(d, n)` to `x.transpose(0, 1)`, more than two dims to `permute`."""
    order = fault["order"]
    if order is None or not fault.what.op.startswith("Tensor."):
        return None
    moved = [place for place, dim in enumerate(order) if dim != place]
    name, dims = ("transpose", tuple(moved)) if len(moved) == 2 else ("permute", order)

    def change(call: cst.BaseExpression) -> cst.BaseExpression | None:
        if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute):
            return with_method(call.func.value, name, *dims)
        return None

    return fault.fix(f"Use {name}({', '.join(map(str, dims))})", (fault.whole, change))
