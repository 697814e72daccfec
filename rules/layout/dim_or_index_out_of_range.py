"""TL122: a dim or an index that the tensor does not have."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, because, rule, shown


@rule(
    "TL122",
    severity="error",
    group="correctness",
    chosen_sizes="sizes that the probe chooses need not fit together",
)
def dim_or_index_out_of_range(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DIM_RANGE, FaultKind.INDEX):
        name, tensor = fault.what.op.rpartition(".")[2], fault.get("input")
        if not fault.what.op.startswith(("torch.", "Tensor.")) or name == "permute" or tensor is None:
            continue  # NumPy's, TL116
        text = _message(fault, f"{fault.called('input', 0)} {shown(tensor)}")
        if text is not None:
            yield check.finding(fault, text, related=because(tensor, "shape"))


def _message(fault: Site, name: str) -> str | None:
    if fault.what.kind is FaultKind.DIM_RANGE:
        dim, bound = fault["dim"], max(fault["rank"], 1)
        return None if dim is None else f"dim {dim} is out of range ({-bound} to {bound - 1}): {name}"
    if fault.get("reason") == "k":
        return f"k={fault['index']} is out of range for a dim of size {shown(fault['size'])}: {name}"
    if (count := fault.get("count")) is not None:
        return f"{count} indices are given, {name} has {fault['rank']} dims"
    if fault.get("size") is None or fault.get("index") is None:
        return None
    return f"index {fault['index']} is out of range for dim {fault['dim']} of {name}"
