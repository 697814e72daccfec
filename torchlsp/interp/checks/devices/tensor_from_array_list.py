"""Detects tensors created from lists of NumPy arrays, which torch converts number by number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.shape import numel
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

FEW_ELEMENTS = 1_000
"""So many numbers cost less than a tenth of a millisecond more, measured on torch 2.13: nobody would notice."""
MAKERS = frozenset({"torch.tensor", "torch.as_tensor", "torch.asarray", "torch.Tensor", "torch.FloatTensor"})


def report_array_list(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports a constructor call whose data is a list or tuple of arrays."""
    if not arguments.positional or arguments.open_positional:
        return
    data = arguments.positional[0]
    if type(data) not in (v.ListRef, v.TupleValue):
        return
    items = it.elements(data)
    if items is None:
        content = it.state.heap.get((data.ref, "[]")) if type(data) is v.ListRef else None
        items = (content.element,) if isinstance(content, v.Repeated) else ()
    if not items or not all(isinstance(item, v.ArrayValue) and item.shape for item in items):
        return
    alias = next((one for one in ("np", "numpy") if it.lookup(one) == v.External("numpy")), None)
    few = it.elements(data) is not None and _have_few_elements(items)
    known = (("numpy", alias), ("name", name), ("few", few))
    it.report([
        Fault(FaultKind.LIST_OF_ARRAYS, node.start, node.end, name, known, path=it.frame.module.path)
    ])  # fmt: skip


def _have_few_elements(arrays: Sequence[Value]) -> bool:
    """Returns whether the arrays of a list are certainly small, all of them together."""
    counts = [numel(array.shape) if isinstance(array, v.ArrayValue) else None for array in arrays]
    known = [count for count in counts if isinstance(count, int)]
    return len(known) == len(counts) and sum(known) <= FEW_ELEMENTS


HOOKS = Hooks(external_call=for_names(MAKERS, report_array_list))
