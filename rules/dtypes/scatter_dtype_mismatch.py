"""TL224: the values written at indices have another dtype than the tensor that they are written to."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, cst, rule, shown, with_arguments


@rule("TL224", severity="error", group="correctness")
def scatter_dtype_mismatch(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SOURCE_DTYPE):
        tensor, source = fault["input"], fault["source"]
        written = fault.written(source)
        yield check.finding(
            fault,
            f"the dtypes must be equal: {fault.named(written, 'source')} is {shown(source)}, {fault.called('input', 0)} {tensor.dtype}",
            related=[*because(source, "dtype"), *because(tensor, "dtype")],
            fixes=[_cast(check, fault)],
        )


def _cast(check: Check, fault: Site) -> Fix | None:
    """Casts the source to the dtype of the tensor, by its name where it has one."""
    target = check.plain(fault.operand("input", 0))
    dtype = f"{target.source}.dtype" if target is not None else _SPELLED.get(fault["input"].dtype)
    if dtype is None:
        return None
    change = (
        fault.written(fault["source"]),
        lambda node: with_arguments(node, "to", cst.parse_expression(dtype)),
    )
    return fault.fix(f"Append .to({dtype})", change, safe=True)


_SPELLED = {
    "f32": "torch.float32", "f64": "torch.float64", "f16": "torch.float16", "bf16": "torch.bfloat16", "i64": "torch.int64",
    "i32": "torch.int32", "bool": "torch.bool", "u8": "torch.uint8",
}  # fmt: skip
