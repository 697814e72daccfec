"""Marks nodes and tensors of the autograd graph as freed, written in place or reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.interp.store.heap_keys import FREED, REACHED, WRITTEN
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

MARKS = frozenset({WRITTEN, FREED, REACHED})
"""The keys of the heap under which there are marks."""


@dataclass(frozen=True, slots=True)
class Mark:
    """An event that certainly happened: its moment (`Progress.clock`) and its place."""

    at: int
    start: int
    end: int
    path: str | None
    op: str = ""
    data: tuple = ()


def joined_mark(left: object, right: object) -> Mark | None:
    """Returns the mark that holds on both of two paths: the earlier one of two writes."""
    if type(left) is not Mark or type(right) is not Mark:
        return None
    return left if left.at <= right.at else right


def mark_at(it: Evaluator, node: ir.Node, op: str, *data: object) -> Mark:
    """Returns a mark of what happens now at a node."""
    return Mark(it.graph.clock, node.start, node.end, it.frame.module.path, op, data)
