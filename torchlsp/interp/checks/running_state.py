"""What single mechanisms keep while a program runs, and the calls of operators and layers that they are told of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from torchlsp.interp.checks.api import host_device_syncs
from torchlsp.interp.checks.devices import pinned_memory, unsynchronized_timers
from torchlsp.program import ir


@dataclass(slots=True)
class Watched:
    """`asserted` is the test of the last `assert`, `compiling` the last call of `torch.compile`."""

    clocks: dict[str, None] = field(default_factory=dict)  # of `timers`
    unpinned: dict[str, Any] = field(default_factory=dict)  # of `pinning`
    pinned: set[str] = field(default_factory=set)  # of `pinning`
    compiled: dict[int, bool | None] = field(default_factory=dict)  # of `graph_breaks`
    asserted: ir.Node | None = None
    compiling: ir.Node | None = None


def observe(it, node: ir.Node, name: str, arguments, layer=None) -> None:
    """An operator or a layer runs."""
    if it.watched.clocks:
        unsynchronized_timers.ran(it, node, name, arguments, layer)
    if name in host_device_syncs.READS:
        host_device_syncs.ran(it, node, arguments)
    elif it.watched.unpinned and name in pinned_memory.MOVES:
        pinned_memory.moved(it, node, name, arguments)
