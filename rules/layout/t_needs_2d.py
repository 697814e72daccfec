"""TL115: `t()` of a tensor with more than two dims, or `.T` where it reverses more than two."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from torchlsp.lint import (
    Check,
    FaultKind,
    Finding,
    Fix,
    Site,
    because,
    cst,
    rule,
    shown,
    with_attribute,
    with_method,
)

_FOR_MATRICES = ("torch.t", "Tensor.t", "Tensor.t_", "Tensor.H")


@rule("TL115", severity="error", group="correctness")
def t_needs_2d(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.RANK, FaultKind.REVERSED_DIMS):
        warns = fault.what.kind is FaultKind.REVERSED_DIMS
        if not warns and fault.what.op not in _FOR_MATRICES:
            continue
        tensor, name = fault["input"], fault.what.op.rpartition(".")[2]
        receiver = f"{fault.called('input', 0)} {shown(tensor)}"
        if warns:
            text = f"`.T` reverses all {tensor.rank} dims of {receiver}, which is deprecated"
        elif name == "H":
            text = f"`.H` is for matrices, {receiver} has {tensor.rank} dims"
        else:
            text = f"`{name}()` takes at most 2 dims, {receiver} has {tensor.rank}"
        fixes = _fixes(fault, "mH" if name == "H" else "mT") if name != "t_" else ()
        yield check.finding(fault, text, related=because(tensor, "shape"), fixes=fixes, mild=warns)


def _fixes(fault: Site, attribute: str) -> Iterator[Fix | None]:
    """Swaps the last two dims, as is meant for a batch of matrices."""
    swapped = _change(lambda tensor: with_attribute(tensor, attribute))
    yield fault.fix(f"Swap the last two dims with .{attribute}", (fault.whole, swapped))
    if attribute == "mT":
        by_dims = _change(lambda tensor: with_method(tensor, "transpose", -2, -1))
        yield fault.fix("Swap the last two dims with transpose", (fault.whole, by_dims))


def _change(made: Callable[[cst.BaseExpression], cst.BaseExpression]) -> Callable:
    """Returns the replacement of `x` in `x.T`, `x.H`, `x.t()` and `torch.t(x)`."""

    def change(node: cst.BaseExpression) -> cst.BaseExpression | None:
        match node:
            case cst.Attribute(value=value, attr=cst.Name("T" | "H")):
                return made(value)
            case cst.Call(func=cst.Attribute(value=value, attr=cst.Name("t")), args=()):
                return made(value)
            case cst.Call(args=(cst.Arg(value=value, star="", keyword=None),)):
                return made(value)
        return None

    return change
