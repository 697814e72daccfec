"""Detects new tensors without `device=` that meet tensors on the device of their module.

Where both devices are known they clash in the ordinary way; this is about a module of which it is not known where it will run.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlsp.facts import device as devices
from torchlsp.facts.device import CPU
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import Origin, TensorFact, first_operands
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.ops.call import Call

FACTORIES = frozenset(
    f"torch.{name}"
    for name in """zeros ones empty full arange linspace logspace eye rand randn randint randperm tensor as_tensor tril_indices
    triu_indices""".split()
)
_COMPARISONS = frozenset("lt le gt ge eq ne less less_equal greater greater_equal not_equal".split())
_MAX_ORIGINS = 12


def made_new(tensor: TensorFact) -> Origin | None:
    """Returns the factory call that a CPU tensor with dims comes from without having been moved."""
    fact: TensorFact | None = tensor
    if not tensor.shape or tensor.provenance in ("parameter", "buffer"):
        return None  # a number, or perhaps one; or the module's own
    for _ in range(_MAX_ORIGINS):
        if fact is None or fact.device != CPU or fact.origin is None:
            return None
        if fact.origin.op in FACTORIES:
            return fact.origin
        fact = fact.origin.parents[0] if len(fact.origin.parents) == 1 else None
    return None


def follows_module(tensor: TensorFact) -> bool:
    """Returns whether a tensor is where its module is: a parameter, or computed from an unmoved argument."""
    for fact in first_operands(tensor, _MAX_ORIGINS):
        if fact.device is not None:
            return False
        if fact.provenance == "parameter":
            return True
        if fact.origin is None:
            return fact.grad.leaf is Tri.YES  # a layer's own; of anything else nothing is known
        if fact.origin.op == "parameter":
            return True
        if fact.origin.op.rpartition(".")[2] in ("to", "cuda", "cpu", "type_as", "type"):
            return False
    return False


def report_default_device(c: Call, operands: Sequence[Value]) -> None:
    """Reports a new tensor on the default device beside one that follows a module."""
    tensors = [value for value in operands if type(value) is TensorFact]
    if c.name.rpartition(".")[2] in _COMPARISONS:
        return  # lengths that a mask is made of are often kept on the CPU: packing wants them there
    new = next((one for one in tensors if one.device == CPU and one.shape and made_new(one)), None)
    if new is None or c.context.default_device != devices.CPU:
        return
    other = next((one for one in tensors if one.device is None and follows_module(one)), None)
    if other is not None:
        data = {"left": other, "right": new, "tensor": new, "input": other, "new": made_new(new)}
        c.faults.append(c.broken(FaultKind.DEFAULT_DEVICE, {"gpu"}, **data).fault)
