"""TL912: `torch.tensor` of a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, respelling, rule, with_methods


@rule("TL912", severity="warning", group="style")
def tensor_of_tensor(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.TENSOR_OF_TENSOR):
        index = 1 if fault["method"] else 0
        name = "new_tensor" if fault["method"] else "torch.tensor"
        given = fault.operand("data", index)
        yield check.finding(
            fault,
            f"{fault.named(given, 'data')} is a tensor: `{name}` copies it, detaches it, and warns",
            fixes=[_fix(fault)],
        )


def _fix(fault: Site) -> Fix | None:
    if fault["method"] or not fault["alone"]:
        return None
    return fault.fix("Write .detach().clone()", (fault.whole, _copied), safe=True)


def _copied(node):
    tensor = respelling.first_argument(node)
    return None if tensor is None else with_methods(tensor, "detach", "clone")
