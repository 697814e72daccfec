"""Names the operands of faults in layers and products as the user calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts.tensor import MAX_ORIGINS

if TYPE_CHECKING:
    from torchlsp.facts.tensor import Origin, TensorFact
    from torchlsp.lint.check import Check, Site
    from torchlsp.lint.files import Operand

_PRODUCTS = frozenset(
    "matmul mm bmm mv dot addmm addmv baddbmm addbmm einsum tensordot conv1d conv2d conv3d".split()
)


def is_layer_or_product(site: Site) -> bool:
    """Returns whether this is a layer, a torch.nn.functional function or a product. Losses have rules of
    their own."""
    op = site.what.op
    name = op.rpartition(".")[2]
    if "loss" in name.lower() or "cross_entropy" in name:
        return False
    of_layer = site.get("made") is not None or op.startswith("torch.nn.functional.")
    return of_layer or name.strip("_") in _PRODUCTS


def is_own(site: Site, tensor: TensorFact) -> bool:
    """Returns whether this is a parameter of the layer that is called."""
    return site.get("made") is not None and tensor.origin is None


def operand_name(site: Site, tensor: TensorFact, role: str) -> str:
    """Names a tensor of the call: the user's expression, the layer for its parameters, or the role."""
    if is_own(site, tensor):
        return f"the layer {site.named(site.callee, 'layer')}"
    return site.named(site.written(tensor), role)


def device_expression(check: Check, site: Site, tensor: TensorFact, place: int) -> str | None:
    """Writes the device of a tensor of the call so that it can stand at an earlier place of the function."""
    written = site.callee if is_own(site, tensor) else site.written(tensor)
    name = None if written is None else _dotted(written)
    if is_own(site, tensor):
        return None if name is None else f"next({name}.parameters()).device"
    origin = tensor.origin
    known_before = (
        origin is None or origin.op == "parameter" or not site.shares_scope(origin) or origin.start < place
    )
    if name is not None and (known_before or "." in name):
        return f"{name}.device"
    root = check.operand(root_parameter(tensor))
    parameter = None if root is None else _dotted(root)
    return None if parameter is None else f"{parameter}.device"


def root_parameter(tensor: TensorFact | None) -> Origin | None:
    """Finds the parameter of the function that a tensor was computed from, by first operands."""
    for _ in range(MAX_ORIGINS):
        origin = None if tensor is None else tensor.origin
        if origin is None or origin.op == "parameter":
            return origin
        tensor = origin.parents[0] if origin.parents else None
    return None


def _dotted(operand: Operand) -> str | None:
    """Returns the operand's text where it is a name, or names with dots."""
    source = operand.source
    return source if all(part.isidentifier() for part in source.split(".")) else None
