"""TL423: `out=` of an operator whose operands require grad."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, cst, respelling, rule


@rule("TL423", severity="error", group="correctness", unproven_cases="the operands may be of unknown shape")
def out_argument_with_grad(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.OUT_OF_GRAPH):
        tensor = fault["input"]
        name = fault.what.op.rpartition(".")[2]
        operand = fault.named(fault.written(tensor), "operand")
        yield check.finding(
            fault,
            f"{operand} requires grad, autograd does not support `out=` of `{name}`",
            related=because(tensor, "grad"),
            fixes=[_fix(fault)],
        )


def _fix(fault: Site) -> Fix | None:
    """Passes the value that was to be written, and binds the name to it that was written to."""
    out, statement = fault.operand("out"), fault.statement
    if out is None:
        return None
    call = respelling.without_keyword(cst.parse_expression(fault.whole.source), "out")
    if call is None:
        return None
    code = cst.Module([]).code_for_node(call)
    if statement is not None and statement.source == fault.whole.source and out.source.isidentifier():
        return fault.rewrite("Assign the result", fault.whole, f"{out.source} = {code}")
    return fault.rewrite("Leave out `out`", fault.whole, code)
