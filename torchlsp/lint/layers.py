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
    """Returns whether a call is one of a layer, of a torch.nn.functional function or of a product.

    Losses have rules of their own.
    """
    op = site.what.op
    name = op.rpartition(".")[2]
    if "loss" in name.lower() or "cross_entropy" in name:
        return False
    is_layer = site.get("made") is not None or op.startswith("torch.nn.functional.")
    return is_layer or name.strip("_") in _PRODUCTS


def is_layer_parameter(site: Site, tensor: TensorFact) -> bool:
    """Returns whether an operand is a parameter of the layer that is called."""
    return site.get("made") is not None and tensor.origin is None


def operand_name(site: Site, tensor: TensorFact, role: str) -> str:
    """Names a tensor of the call: the user's expression, the layer for its parameters, or the role."""
    if is_layer_parameter(site, tensor):
        return f"the layer {site.named(site.callee, 'layer')}"
    return site.named(site.written(tensor), role)


def device_expression(check: Check, site: Site, tensor: TensorFact, before: int) -> str | None:
    """Returns an expression for a tensor's device that is valid at the offset `before`, earlier than the call."""
    operand = site.callee if is_layer_parameter(site, tensor) else site.written(tensor)
    name = None if operand is None else _dotted_name(operand)
    if is_layer_parameter(site, tensor):
        return None if name is None else f"next({name}.parameters()).device"
    origin = tensor.origin
    is_defined = (
        origin is None or origin.op == "parameter" or not site.shares_scope(origin) or origin.start < before
    )
    if name is not None and (is_defined or "." in name):
        return f"{name}.device"
    source = check.operand(source_parameter(tensor))
    parameter = None if source is None else _dotted_name(source)
    return None if parameter is None else f"{parameter}.device"


def source_parameter(tensor: TensorFact | None) -> Origin | None:
    """Returns the parameter of the function that a tensor was computed from, by first operands."""
    for _ in range(MAX_ORIGINS):
        origin = None if tensor is None else tensor.origin
        if origin is None or origin.op == "parameter":
            return origin
        tensor = origin.parents[0] if origin.parents else None
    return None


def _dotted_name(operand: Operand) -> str | None:
    """Returns the operand's text if it is a name or a dotted name."""
    source = operand.source
    return source if all(part.isidentifier() for part in source.split(".")) else None
