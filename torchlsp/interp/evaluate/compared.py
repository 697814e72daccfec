"""Reports comparisons and tests of tensors, of text and of container membership that cannot work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts.values import Value
from torchlsp.interp.checks import running
from torchlsp.interp.checks.dtypes import tensor_truth_value
from torchlsp.interp.objects import operators
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def tested(it: Evaluator, node: ir.Compare, left: Value, right: Value, as_value: bool) -> None:
    """Looks at a single comparison whose answer is a test; `as_value`: nobody asks for its truth."""
    looked_at(it, node, left, right)
    if node.ops[0] in operators.ROWS and tensor_truth_value.compares_elements(left, right):
        asked = operators.binary_value(it, node, node.ops[0], left, right)
        if not as_value:
            tensor_truth_value.report_truth_value(it, node, asked)


def looked_at(it: Evaluator, node: ir.Compare, left: Value, right: Value) -> None:
    """Reports what is wrong with a single comparison, however its answer is used."""
    for hook in running.COMPARED:
        hook(it, node, left, right)
