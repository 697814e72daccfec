"""TL111: `chunk` or `split` returns another number of parts than there are names for them."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, cst, rule, shown


@rule(
    "TL111",
    severity="warning",
    group="correctness",
    unproven_cases="the number of parts may be the only thing that is known",
)
def chunk_count(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNPACK):
        name = fault.get("maker", "").rpartition(".")[2]
        if not fault["is_cut"]:
            continue
        tensor, got, expected = fault["input"], fault["got"], fault["expected"]
        parts, names = ("part" if got == 1 else "parts"), ("name" if expected == 1 else "names")
        yield check.finding(
            fault,
            f"{fault.named(fault.whole, name)} returns {got} {parts} of {shown(tensor)}, but {expected} {names} are assigned",
            related=because(tensor, "shape"),
            fixes=[_evenly(fault, name)],
        )


def _evenly(fault: Site, name: str) -> Fix | None:
    """Rewrites `chunk(4)` to `tensor_split(4)`, which returns exactly as many parts."""
    called = fault.what.called
    count = None if called is None or len(called.args) < 2 else getattr(called.args[1], "value", None)
    if name != "chunk" or count != fault["expected"]:
        return None

    def change(callee: cst.BaseExpression) -> cst.BaseExpression | None:
        if isinstance(callee, cst.Attribute):
            return callee.with_changes(attr=cst.Name("tensor_split"))
        return None

    return fault.fix("Use tensor_split, which always gives so many parts", (fault.callee, change))
