"""Calls the checks of comparisons: of tensors, texts and memberships whose answer is a test or a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts.values import Value
from torchlsp.interp.checks import running
from torchlsp.interp.checks.dtypes import tensor_truth_value
from torchlsp.interp.objects import operators
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def check_test(it: Evaluator, node: ir.Compare, left: Value, right: Value, as_value: bool) -> None:
    """Reports faults of a single comparison that is used as a test; `as_value`: its truth is not needed."""
    check_comparison(it, node, left, right)
    if node.ops[0] in operators.ROWS and tensor_truth_value.compares_elements(left, right):
        asked = operators.binary_value(it, node, node.ops[0], left, right)
        if not as_value:
            tensor_truth_value.report_truth_value(it, node, asked)


def check_comparison(it: Evaluator, node: ir.Compare, left: Value, right: Value) -> None:
    """Reports the faults of a single comparison that do not depend on the use of its answer."""
    for hook in running.COMPARED:
        hook(it, node, left, right)
