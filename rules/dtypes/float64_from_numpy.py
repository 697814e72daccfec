"""TL213: a float64 tensor, NumPy's default dtype, is combined with float32 weights."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import (
    Check,
    FaultKind,
    Finding,
    Fix,
    Site,
    TensorFact,
    because,
    is_layer_or_product,
    is_layer_parameter,
    operand_name,
    rule,
    shown,
    with_method,
)


@rule("TL213", severity="error", group="correctness", unproven_cases="the array may be of unknown shape")
def float64_from_numpy(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DTYPE_MISMATCH):
        left, right = fault["left"], fault["right"]
        if {left.dtype, right.dtype} != {"f32", "f64"} or not is_layer_or_product(fault):
            continue
        wide, narrow = (left, right) if left.dtype == "f64" else (right, left)
        texts = [
            f"{operand_name(fault, one, 'other tensor')} is {one.dtype if is_layer_parameter(fault, one) else shown(one)}"
            for one in (wide, narrow)
        ]
        made = fault.get("made")
        yield check.finding(
            fault,
            ", ".join(texts),
            related=[(made, "the layer is built here")] if made else [],
            fixes=[
                _cast(fault, wide, "float"),
                _cast_where_made(check, fault, wide),
                _cast(fault, narrow, "double"),
            ],
        )


def _cast(fault: Site, tensor: TensorFact, name: str) -> Fix | None:
    """Casts the tensor where it is used, with all others of its dtype: the call raises otherwise, so no valid
    behaviour changes."""
    if fault.written(tensor) is None:
        return None
    alike = (operand for other, operand in fault.written_tensors() if other.dtype == tensor.dtype)
    changes = [(operand, lambda node: with_method(node, name)) for operand in alike]
    return fault.fix(f"Append .{name}()", *changes, safe=name == "float") if changes else None


def _cast_where_made(check: Check, fault: Site, tensor: TensorFact) -> Fix | None:
    """Casts the tensor where it is created, which its other uses see as well."""
    used, place = fault.written(tensor), next((place for place, _ in because(tensor, "dtype")), None)
    if place is None or used is None or used.start <= place.start < used.end:
        return None
    made = check.operand(place), lambda node: with_method(node, "float")
    return fault.fix("Append .float() where it is made", made)
