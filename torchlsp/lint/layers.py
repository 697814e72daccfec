"""Faults of layers and products: whose operands they are, and what the user calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlsp.facts.tensor import TensorFact
    from torchlsp.lint.check import Site

_PRODUCTS = frozenset(
    "matmul mm bmm mv dot addmm addmv baddbmm addbmm einsum tensordot conv1d conv2d conv3d".split()
)


def is_layer_or_product(site: Site) -> bool:
    """A layer, a function of torch.nn.functional or a matrix product; losses have rules of their own."""
    op = site.what.op
    name = op.rpartition(".")[2]
    if "loss" in name.lower() or "cross_entropy" in name:
        return False
    of_layer = site.get("made") is not None or op.startswith("torch.nn.functional.")
    return of_layer or name.strip("_") in _PRODUCTS


def is_own(site: Site, tensor: TensorFact) -> bool:
    """Is this a parameter of the layer that is called?"""
    return site.get("made") is not None and tensor.origin is None


def operand_name(site: Site, tensor: TensorFact, role: str) -> str:
    """What the user wrote for a tensor of the call; the layer for one of its parameters; the role otherwise."""
    if is_own(site, tensor):
        return f"the layer {site.named(site.callee, 'layer')}"
    return site.named(site.written(tensor), role)
