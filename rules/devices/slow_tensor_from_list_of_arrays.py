"""TL316: a tensor is created from a list of NumPy arrays, which torch converts element by element."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, rule


@rule(
    "TL316",
    severity="warning",
    group="performance",
    mended="torch warns, projects join the arrays first, and it is many times faster",
)
def slow_tensor_from_list_of_arrays(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LIST_OF_ARRAYS):
        given = fault.named(fault.operand("data", 0), "list")
        yield check.finding(
            fault,
            f"{given} is a list of arrays, which torch converts element by element",
            fixes=[_fix(fault)],
            style=fault["few"],
        )


def _fix(fault: Site) -> Fix | None:
    if fault["numpy"] is None:
        return None
    function = cst.parse_expression(f"{fault['numpy']}.array")
    change = fault.operand("data", 0), lambda node: cst.Call(function, [cst.Arg(node)])
    return fault.fix("Convert it to one array first", change, safe=True)
