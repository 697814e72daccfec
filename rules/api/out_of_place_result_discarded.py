"""TL901: the result of a method that returns a new tensor is discarded; the tensor is unchanged."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, rule, shown


@rule("TL901", severity="warning", group="correctness")
def out_of_place_result_discarded(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.RESULT_DISCARDED):
        if fault.whole.file.ends_cell(fault.whole.start, fault.whole.end):
            continue
        tensor = fault.named(fault.operand("input", 0), "tensor")
        yield check.finding(
            fault,
            f"{tensor} stays {shown(fault['input'])}: the result of .{fault['method']}() is not kept",
            fixes=[_kept(fault), _in_place(fault)],
            style=not fault["needed"],
        )


def _kept(fault: Site) -> Fix | None:
    target = fault.operand("input", 0)
    if target is None or not fault["again"]:
        return None
    values = ".values" if fault["is_pair"] else ""
    return fault.rewrite("Assign the result", fault.whole, f"{target.source} = {fault.whole.source}{values}")


def _in_place(fault: Site) -> Fix | None:
    twin = fault["twin"]
    if twin is None:
        return None
    return fault.fix(f"Write {twin}()", (fault.callee, lambda node: node.with_changes(attr=cst.Name(twin))))
