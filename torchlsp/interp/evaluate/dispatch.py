"""Lists the functions that run each kind of statement and evaluate each kind of expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.interp.evaluate import branches, calls, comparisons, expressions, loops, statements
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.evaluate.expressions import Expression
    from torchlsp.interp.evaluate.statements import Statement

STATEMENTS: dict[type[ir.Node], Statement] = {
    **statements.STATEMENTS,
    ir.Branch: branches.run_branch,
    ir.Match: branches.run_match,
    ir.Try: branches.run_try,
    ir.For: loops.run_for,
    ir.While: loops.run_while,
}

EXPRESSIONS: dict[type[ir.Node], Expression] = {
    **expressions.EXPRESSIONS,
    ir.Call: calls.evaluate_call,
    ir.Compare: comparisons.evaluate_comparison,
}
