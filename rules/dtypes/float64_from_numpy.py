"""TL213: a float64 tensor, as NumPy makes them, meets float32 weights."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, TensorFact, because, rule, shown, with_method

_CASTS = {"f32": "float", "f64": "double"}
_PRODUCTS = "matmul mm bmm mv dot addmm addmv baddbmm addbmm einsum tensordot linear".split()


@rule("TL213", severity="error")
def float64_from_numpy(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DTYPE_MISMATCH):
        left, right = fault["left"], fault["right"]
        if {left.dtype, right.dtype} != {"f32", "f64"} or not _is_layer_or_product(fault):
            continue
        wide = left if left.dtype == "f64" else right
        narrow = right if wide is left else left
        yield check.finding(
            fault,
            f"{_named(fault, wide)} is {_shown(wide)}, {_named(fault, narrow)} is {_shown(narrow)}",
            related=[*because(wide, "dtype"), *_built(fault)],
            fixes=[
                *_casts(fault, wide, "float"),
                *_where_made(check, fault, wide),
                *_casts(fault, narrow, "double"),
            ],
        )


def _is_layer_or_product(fault: Site) -> bool:
    """Losses have rules of their own."""
    name = fault.what.op.rpartition(".")[2]
    if "loss" in name.lower() or "cross_entropy" in name:
        return False
    functional = fault.what.op.startswith("torch.nn.functional.")
    return fault.get("made") is not None or functional or name.strip("_") in _PRODUCTS


def _is_weights(fault: Site, tensor: TensorFact) -> bool:
    return fault.get("made") is not None and tensor.origin is None


def _named(fault: Site, tensor: TensorFact) -> str:
    if _is_weights(fault, tensor):
        return f"the layer {fault.named(fault.callee, 'layer')}"
    return fault.named(fault.written(tensor), "other tensor")


def _shown(tensor: TensorFact) -> str:
    return shown(tensor) if tensor.origin is not None else tensor.dtype


def _built(fault: Site) -> list:
    made = fault.get("made")
    return [] if made is None else [(made, "the layer is built here")]


def _casts(fault: Site, tensor: TensorFact, cast: str) -> list[Fix | None]:
    """A cast where the tensor is used: the call raises otherwise, so nothing that was right changes."""
    operand = None if _is_weights(fault, tensor) else fault.written(tensor)
    title = f"Append .{cast}()"
    return [fault.fix(title, (operand, lambda node: with_method(node, cast)), safe=cast == "float")]


def _where_made(check: Check, fault: Site, tensor: TensorFact) -> list[Fix | None]:
    """A cast where the tensor is made, which other uses see as well."""
    place, used = (
        check.operand(next((place for place, _ in because(tensor, "dtype")), None)),
        fault.written(tensor),
    )
    if place is None or used is None or place.file is not used.file or used.start <= place.start < used.end:
        return []
    return [fault.fix("Append .float() where it is made", (place, lambda node: with_method(node, "float")))]
