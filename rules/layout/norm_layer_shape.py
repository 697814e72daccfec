"""TL124: the input of a normalisation layer has another rank or size than the layer expects."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, because, rule, shown


@rule(
    "TL124",
    severity="error",
    group="correctness",
    chosen_sizes="sizes that the probe chooses need not fit together",
)
def norm_layer_shape(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LAYER_CHAIN, FaultKind.RANK, FaultKind.SIZE):
        name = fault.what.op.rpartition(".")[2]
        if not name.lower().endswith(("norm", "norm1d", "norm2d", "norm3d", "_norm")) or fault.get("chain"):
            continue  # TL121
        tensor, made = fault.get("input"), fault.get("made")
        text = _message(fault, name)
        if text is None:
            continue
        related = [(made, f"the layer is built here{_sizes(fault)}")] if made else []
        if tensor is not None:
            related.extend(because(tensor, "shape"))
        yield check.finding(fault, text, related=related)


def _sizes(fault: Site) -> str:
    return f" for {shown(fault['expected'])}" if fault.what.kind is FaultKind.LAYER_CHAIN else ""


def _message(fault: Site, name: str) -> str | None:
    tensor = fault.get("input")
    given = "" if tensor is None else f"{fault.called('input', 0)} {shown(tensor)}"
    if fault.what.kind is FaultKind.RANK:
        ranks = " or ".join(f"{rank}-D" for rank in fault["expected"])
        least = " or larger" if fault.get("at_least") else ""
        return f"{name} takes {ranks}{least} input, {given} is {fault['got']}-D"
    if fault.what.kind is FaultKind.LAYER_CHAIN:
        where = "the trailing shape of" if "layer" in name.lower() or "rms" in name.lower() else "dim 1 of"
        if "instance" in name.lower():
            where = "the channels of"
        return f"{name} expects {shown(fault['expected'])}, but {where} {given} is {shown(fault['got'])}"
    if fault["reason"] == "num_groups":
        return f"{shown(fault['size'])} channels are not divisible by {fault['groups']} groups"
    return None  # one value per channel is TL509
