"""Records the training events of optimizers, schedulers and scalers in the trace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.interp.store.trace import Event, EventKind
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def record_event(
    it: Evaluator,
    kind: EventKind,
    node: ir.Node,
    subjects: Iterable[str] = frozenset(),
    name: str = "",
    label: str = "",
    other: str = "",
) -> None:
    """Adds an event to the trace."""
    it.recorder.add(Event(
        kind, node.start, node.end, frozenset(subjects), name, it.frame.module.path, label=label, node=it.frame.statement, other=other,
    ))  # fmt: skip


def label_of(node: ir.Node) -> str:
    """Returns the receiver of a method call as the user writes it: `self.optimizer`."""
    function = getattr(node, "function", None)
    target = function.object if type(function) is ir.Attribute else None
    parts: list[str] = []
    while type(target) is ir.Attribute:
        parts.append(target.name)
        target = target.object
    if type(target) is ir.Name:
        parts.append(target.id)
    return ".".join(reversed(parts)) or "optimizer"


def record_optimizer(it: Evaluator, optimizer: v.OptimizerValue) -> None:
    """Adds an optimizer that is one of several to those that are followed, as one of its own."""
    it.analysis.optimizers.setdefault(optimizer.ref, optimizer)


def argument_label(node: ir.Node) -> str:
    """Returns the first argument of a call as the user writes it; "optimizer" if it is not a name."""
    argument = node.args[0] if isinstance(node, ir.Call) and node.args else None
    parts: list[str] = []
    while type(argument) is ir.Attribute:
        parts.append(argument.name)
        argument = argument.object
    return ".".join([argument.id, *reversed(parts)]) if type(argument) is ir.Name else "optimizer"
