"""TL908: a function, an attribute or an argument that torch has removed."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, respelling, rule


@rule(
    "TL908",
    severity="error",
    group="correctness",
    unproven_cases="some functions are not let in by the probe",
)
def removed_function(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.REMOVED_NAME):
        name, (major, minor), instead = fault["name"], fault["since"], fault["instead"]
        if fault.file.quotes(name.rpartition(".")[2]):
            continue  # something here asks for it by this text, or sets it
        shown = name.removeprefix("torch.Tensor.") if name.startswith("torch.Tensor.") else name
        text = f"`{shown}` was removed in torch {major}.{minor}"
        if instead:
            text += f"; use `{instead.removeprefix('torch.Tensor.')}`"
        fixes = []
        if fault["change"] == "rename":
            change = fault.callee, lambda node, to=instead: respelling.renamed(node, "torch", to)
            fixes = [fault.fix(f"Replace it by {instead}", change)]
        yield check.finding(fault, text, fixes=fixes)
    for fault in check.faults(FaultKind.REMOVED_KEYWORD):
        keyword, (major, minor) = fault["keyword"], fault["since"]
        if fault.file.quotes(keyword):
            continue
        name = fault["function"].rpartition(".")[2]
        change = fault.whole, lambda node, gone=keyword: respelling.without_keyword(node, gone)
        yield check.finding(
            fault,
            f"`{name}` takes no argument `{keyword}` since torch {major}.{minor}",
            fixes=[fault.fix(f"Leave {keyword}= out", change)],
        )
