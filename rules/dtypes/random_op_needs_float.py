"""TL223: random numbers are requested in an integer dtype, or drawn with integer weights."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, cst, rule, shown, with_method


@rule("TL223", severity="error", group="correctness")
def random_op_needs_float(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.RANDOM_DTYPE):
        tensor, name = fault["input"], fault.what.op.rpartition(".")[2]
        if name.endswith("_like"):
            fix = fault.fix("Add dtype=torch.float32", (fault.whole, _with_dtype), safe=True)
        elif name in ("multinomial", "bernoulli"):
            weights = fault.operand("input", 0)
            fix = fault.fix("Insert .float()", (weights, lambda node: with_method(node, "float")), safe=True)
        else:
            fix = None
        given = f"dtype {fault['dtype']} is given"
        if tensor is not None:
            given = f"{fault.called('input', 0)} is {shown(tensor)}"
        yield check.finding(
            fault,
            f"{name} needs a floating-point dtype, {given}",
            related=because(tensor, "dtype"),
            fixes=[fix],
        )


def _with_dtype(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `torch.randn_like(x)` to `torch.randn_like(x, dtype=torch.float32)`, where `torch` is written."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    module = node.func.value
    if not isinstance(module, cst.Name) or any(
        arg.keyword and arg.keyword.value == "dtype" for arg in node.args
    ):
        return None
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    given = cst.Arg(cst.Attribute(module, cst.Name("float32")), cst.Name("dtype"), equal=equal)
    return node.with_changes(args=[*node.args, given])
