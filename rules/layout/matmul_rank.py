"""TL106: mm, bmm, mv or dot gets an operand of another rank than the one it takes."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, cst, rule, shown


@rule("TL106", severity="error", group="correctness", since="0.4")
def matmul_rank(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.MATMUL_RANK):
        name = fault.what.op.rpartition(".")[2].strip("_")
        tensor, got, expected = fault["operand"], fault["got"], fault["expected"]
        takes = f"a {expected}-D tensor"
        if got == 0 and expected == 1 and name not in ("dot", "vdot", "mv"):
            takes = "a tensor with dims"
        operand = fault.named(fault.argument(tensor), "operand")
        text = f"{operand} {shown(tensor)} is {got}-D where {name} takes {takes}"
        if expected == 3 and "matrix" in fault.assumptions:
            # With three dims it is t() that raises.
            text = f"{operand} comes from t(), which takes at most two dims, and {name} takes {takes}"
        yield check.finding(
            fault,
            text,
            related=because(tensor, "shape"),
            fixes=[_matmul(fault)],
        )


def _matmul(fault: Site) -> Fix | None:
    """Rewrites `torch.bmm(a, b)` to `torch.matmul(a, b)`, where that is legal and both are positional."""
    called = fault.what.called
    if not fault.get("multiplies") or called is None or called.keywords:
        return None

    def change(callee: cst.BaseExpression) -> cst.BaseExpression | None:
        if isinstance(callee, cst.Attribute):
            return callee.with_changes(attr=cst.Name("matmul"))
        return None

    return fault.fix("Use matmul, which takes operands of any rank", (fault.callee, change))
