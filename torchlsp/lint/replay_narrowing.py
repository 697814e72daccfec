"""Values that a dtype does not hold, as small programs: one such value, and that it is the same afterwards."""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.facts.dtype import TORCH_NAMES
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.lint.replay_calls import of_fault
from torchlsp.lint.replay_modules import program
from torchlsp.lint.replay_outline import Unreplayable

_LARGEST = 1e6


def of_source(fault: Fault) -> ProbeRequest:
    """The call; under a mask, one that selects as many elements as there are values."""
    called = fault.called
    if called is None:
        raise Unreplayable("the call")
    index = called.args[1] if len(called.args) > 1 else None
    if not fault.op.endswith("__setitem__") or not isinstance(index, TensorFact) or index.dtype != "bool":
        return of_fault(fault, called)
    written, source = (TORCH_NAMES[fault[role].dtype] for role in ("input", "source"))
    return program(
        f"""
import torch

tensor = torch.zeros(3, dtype=torch.{written})
mask = torch.tensor([True, True, False])
tensor[mask] = torch.zeros(2, dtype=torch.{source})  #!
""",
        Raises("dtypes match"),
        assumes=tuple(sorted(fault.assumptions)),
    )


def of_cut(fault: Fault) -> ProbeRequest:
    number, dtype = fault["number"], TORCH_NAMES[fault["input"].dtype]
    value = 0.5 if number is None else number
    return program(
        f"""
import torch

tensor = torch.zeros(3, dtype=torch.{dtype})
tensor[0] = {value!r}  #!

assert tensor[0] == {value!r}, "the fraction is cut off"
""",
        ProofFails(),
        guesses=number is None,
    )


def of_wrapped(fault: Fault) -> ProbeRequest:
    low, high = fault["low"], fault["high"]
    outside = 280.5 if low is None else low if low <= -1 else high
    outside = max(min(float(outside), _LARGEST), -_LARGEST)
    return program(
        f"""
import torch

values = torch.tensor([{outside!r}])
image = values.to(torch.uint8)  #!

assert image == values.clamp(0, 255).to(torch.uint8), "the value wraps around"
""",
        ProofFails(),
        guesses=low is None,
    )


def of_byte_mask(fault: Fault) -> ProbeRequest | None:
    """Only `~` goes wrong: a deprecated mask selects what it should."""
    if not fault["inverted"]:
        return None
    return program(
        """
import torch

mask = torch.tensor([1, 0], dtype=torch.uint8)
chosen = torch.ones(2)[~mask]  #!

assert chosen.numel() == 1, "the inverted mask selects everything"
""",
        ProofFails(),
    )


OF_NARROWING: dict[FaultKind, Callable[[Fault], ProbeRequest | None]] = {
    FaultKind.SOURCE_DTYPE: of_source,
    FaultKind.FRACTION_CUT: of_cut,
    FaultKind.BYTES_WRAP: of_wrapped,
    FaultKind.BYTE_MASK: of_byte_mask,
}
