"""TL416: gradients are required of integers or booleans."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, m, rule


@rule("TL416", severity="error", group="correctness")
def requires_grad_on_integer(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.GRAD_DTYPE):
        yield check.finding(
            fault,
            f"{fault.named(fault.whole, 'tensor')} is {fault['dtype']}, only floating point tensors can require grad",
            fixes=[fault.fix("Write the numbers as floats", (fault.whole, _floats), safe=True)],
        )


def _floats(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `torch.tensor([1, 2])` to `torch.tensor([1.0, 2.0])`, where only whole numbers and no dtype
    are passed."""
    made = node
    if isinstance(made, cst.Call) and made.args and isinstance(made.args[0].value, cst.Call):
        made = made.args[0].value
    if not isinstance(made, cst.Call) or not m.matches(made.func, m.Attribute(attr=m.Name("tensor"))):
        return None
    given = [arg for arg in made.args if arg.keyword is None]
    if len(given) != 1 or any(arg.keyword is not None and arg.keyword.value == "dtype" for arg in made.args):
        return None
    if m.findall(given[0], m.Name() | m.Call() | m.Float()) or not m.findall(given[0], m.Integer()):
        return None
    floats = m.replace(given[0], m.Integer(), lambda number, _: cst.Float(f"{number.evaluated_value}.0"))
    return node.deep_replace(given[0], floats)
