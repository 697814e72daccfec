"""Detects `t[index] += v` with repeated positions in the index: only one addition to each has an effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import dim as dims
from torchlsp.facts import shape as shapes
from torchlsp.facts import values as v
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_DRAWN = frozenset({"randint", "argmax", "argmin", "randint_like"})
"""Operators that give integers of a range independently of each other, so that some repeat as soon as there are a few."""
_WHOLE = v.SliceValue(v.NONE, v.NONE, v.NONE)


def report_repeated_index(it: Evaluator, container: TensorFact, index: Value, node: ir.Augmented) -> None:
    """Reports `container[index] += …` if tensors or lists of integers in the index repeat a position."""
    if node.op not in ("+", "-") or container.shape is None:
        return
    items = index.items if isinstance(index, v.TupleValue) else (index,)
    positions = [(i, item) for i, item in enumerate(items) if item != _WHOLE]
    if not positions or len(items) > len(container.shape):
        return
    found: list[tuple[Dim | None, str]] = []
    for _, item in positions:
        read = _read(it, item)
        if read is None:
            return
        found.append(read)
    room: Dim = 1
    for i, _ in positions:
        room = room * container.shape[i]
    counts = [count for count, _ in found if count is not None]
    most = max((count for count in counts if isinstance(count, int)), default=None)
    reason = None
    if len(found) == 1 and found[0][1] == "twice":
        reason = "twice"
    elif most is not None and isinstance(room, int) and most > room:
        reason = "room"
    elif all(how == "drawn" for _, how in found):
        reason = "drawn"
    if reason is None:
        return
    tensors = tuple((f"index{i}", item) for i, item in positions if isinstance(item, TensorFact))
    data = (("input", container), ("reason", reason), ("count", most), ("room", room), *tensors)
    it.report([
        Fault(
            FaultKind.REPEATED_INDEX, node.start, node.end, "Tensor.__setitem__", data,
            container.assumed - {"layout"}, path=it.frame.module.path,
        )
    ])  # fmt: skip


def _read(it: Evaluator, item: Value) -> tuple[Dim | None, str] | None:
    """Returns how many positions an index names, and what is known of them: `twice`, `drawn` or "".

    None for what is no index by integers.
    """
    match item:
        case TensorFact(dtype="i64" | "i32") if item.rank != 0:
            count = shapes.numel(item.shape)
            if count is not None and dims.is_one(count) is Tri.YES:
                return count, ""
            if item.provenance == "twice":
                return count, "twice"
            origin = item.origin
            drawn = item.shape is not None and origin is not None and origin.op.rpartition(".")[2] in _DRAWN
            return count, "drawn" if drawn else ""
        case v.ListRef():
            numbers = [v.as_int(element) for element in it.elements(item) or (v.NONE,)]
            if None in numbers:
                return None
            return len(numbers), "twice" if len(set(numbers)) < len(numbers) else ""
    return None
