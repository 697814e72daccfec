"""TL907: a deprecated function, for which torch has a replacement."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, respelling, rule


@rule("TL907", severity="warning", group="upgrade", tag="deprecated")
def deprecated_function(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DEPRECATED_NAME):
        name, instead = fault["name"], fault["instead"]
        if fault["change"] == "load":
            text = "`torch.load` without `weights_only` can run code from the file; the default will change"
        else:
            name, instead = name.removeprefix("torch.Tensor."), instead.removeprefix("torch.Tensor.")
            text = f"`{name}` is deprecated; use `{instead}`"
        yield check.finding(fault, text, fixes=[_fix(fault)])
    for fault in check.faults(FaultKind.DEPRECATED_KEYWORD):
        name = fault["function"].rpartition(".")[2]
        yield check.finding(
            fault,
            f"`{fault['keyword']}` of `{name}` is deprecated; use `reduction`",
            fixes=[fault.fix("Write reduction=", (fault.whole, respelling.with_reduction), safe=True)],
        )


def _fix(fault: Site) -> Fix | None:
    if fault["change"] == "load":
        return fault.fix("Insert weights_only=True", (fault.whole, respelling.with_weights_only))
    return respelling.replacement(fault)
