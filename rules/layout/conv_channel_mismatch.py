"""TL120: the input of a convolution has another number of channels than the convolution takes."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, rule, shown, with_method


@rule(
    "TL120",
    severity="error",
    group="correctness",
    chosen_sizes="sizes that the probe chooses need not fit together",
    unproven_cases="models of other libraries are not run",
)
def conv_channel_mismatch(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LAYER_CHAIN, FaultKind.RANK):
        name = fault.what.op.rpartition(".")[2]
        if "conv" not in name.lower():
            continue
        tensor, made = fault["input"], fault.get("made")
        input_name = f"{fault.called('input', 0)} {shown(tensor)}"
        if fault.what.kind is FaultKind.RANK:
            if fault.get("layer") is None:
                continue  # which of input and weight is wrong is not known
            few, many = fault["expected"]
            text = f"{name} takes {few}-D or {many}-D input, {input_name} is {fault['got']}-D"
        elif fault["chain"]:
            continue  # TL121
        else:
            text = f"{name} takes {shown(fault['expected'])} channels, {input_name} has {shown(fault['got'])}"
        related = [(made, "the layer is built here")] if made else []
        yield check.finding(
            fault, text, related=[*related, *because(tensor, "shape")], fixes=[_channels_first(fault)]
        )


def _channels_first(fault: Site) -> Fix | None:
    """Moves the last dim to where the channels belong, or inserts a dim of one channel."""
    tensor, images = fault["input"], fault.what.op[-2:-1]
    if fault.what.kind is FaultKind.RANK or tensor.shape is None or not images.isdecimal():
        return None
    rank, spatial, expected = len(tensor.shape), int(images), fault["expected"]
    operand = fault.operand("input", 0)
    at = rank - spatial - 1
    if tensor.shape[-1] == expected:
        order = [*range(at), rank - 1, *range(at, rank - 1)]
        written = ", ".join(map(str, order))
        return fault.fix(
            f"Insert .permute({written})", (operand, lambda node: with_method(node, "permute", *order))
        )
    if expected == 1 and rank == spatial + 1:
        return fault.fix("Insert .unsqueeze(1)", (operand, lambda node: with_method(node, "unsqueeze", 1)))
    return None
