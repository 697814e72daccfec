"""TL602: modules or parameters are kept in a list, tuple or dict, where the model does not find them."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule("TL602", severity="error", group="correctness")
def modules_in_plain_container(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.PLAIN_CONTAINER):
        fixes = []
        if fault["wrap"] and fault["base"] is not None:
            prefix = fault.file.source(*fault["base"]).rpartition(".")[0]
            name = f"{prefix}.{fault['wrap']}"
            change = (
                fault.whole,
                lambda node, name=name: cst.Call(cst.parse_expression(name), [cst.Arg(node)]),
            )
            fixes = [fault.fix(f"Wrap it in {name}", change, safe=True)]
        yield check.finding(
            fault,
            f"`self.{fault['attribute']}` is a plain {fault['container']}, its {fault['what']} are not registered",
            fixes=fixes,
        )
