"""What single mechanisms keep while a program runs, and the calls of operators and layers that they are told of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.interp.checks.api import host_device_syncs
from torchlsp.interp.checks.devices import pinned_memory, unsynchronized_timers
from torchlsp.interp.checks.devices.pinned_memory import PinnedMemory
from torchlsp.interp.checks.devices.unsynchronized_timers import Timers
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def observe(it: Evaluator, node: ir.Node, name: str, arguments, layer=None) -> None:
    """An operator or a layer runs."""
    if it.states[Timers].clocks:
        unsynchronized_timers.ran(it, node, name, arguments, layer)
    if name in host_device_syncs.READS:
        host_device_syncs.ran(it, node, arguments)
    elif it.states[PinnedMemory].unpinned and name in pinned_memory.MOVES:
        pinned_memory.moved(it, node, name, arguments)
