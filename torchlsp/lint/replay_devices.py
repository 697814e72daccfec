"""Mistakes with conversions and devices that raise nothing, or not where they are made, as small programs."""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.core.finding import ProbeRequest
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.lint.replay_results import with_proof


def of_discarded(fault: Fault) -> ProbeRequest:
    """A conversion whose result is lost: the tensor itself was to be converted."""
    return with_proof(fault, "x.dtype == result.dtype and x.device == result.device")


OF_DEVICES: dict[FaultKind, Callable[[Fault], ProbeRequest | None]] = {
    FaultKind.CONVERSION_DISCARDED: of_discarded,
}
