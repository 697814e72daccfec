"""Marks what has happened to the nodes and tensors of the autograd graph: freed, written in place, reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

WRITTEN, FREED, REACHED = "@written", "@freed", "@reached"


MARKS = frozenset({WRITTEN, FREED, REACHED})


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that certainly happened: when, and where."""

    at: int
    start: int
    end: int
    path: str | None
    op: str = ""
    data: tuple = ()


def met(left: object, right: object) -> Mark | None:
    """What holds on both of two ways: of two writes the earlier one."""
    if type(left) is not Mark or type(right) is not Mark:
        return None
    return left if left.at <= right.at else right


def mark_at(it: Evaluator, node: ir.Node, op: str, *data) -> Mark:
    return Mark(it.graph.clock, node.start, node.end, it.frame.module.path, op, data)
