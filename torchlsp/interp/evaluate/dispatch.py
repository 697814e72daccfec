"""Which function runs a statement and which evaluates an expression, by the kind of node."""

from __future__ import annotations

from torchlsp.interp.evaluate import branches, calls, comparisons, expressions, loops, statements
from torchlsp.program import ir

STATEMENTS = {
    **statements.STATEMENTS,
    ir.Branch: branches.run_branch,
    ir.Match: branches.run_match,
    ir.Try: branches.run_try,
    ir.For: loops.run_for,
    ir.While: loops.run_while,
}

EXPRESSIONS = {**expressions.EXPRESSIONS, ir.Call: calls.call, ir.Compare: comparisons.value}
