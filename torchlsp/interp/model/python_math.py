"""Evaluates calls of Python's `math`: to numbers if the arguments are known, else to a kind of number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_KINDS = {
    **dict.fromkeys(("floor", "ceil", "trunc", "gcd", "lcm", "factorial", "comb", "perm", "isqrt"), "int"),
    **dict.fromkeys(("isnan", "isinf", "isfinite", "isclose"), "bool"),
}
"""The result types of functions of `math` that do not return a float."""
_WORKED_OUT = frozenset(
    "sqrt isqrt floor ceil trunc fabs log log2 log10 log1p exp pow gcd hypot sin cos tan radians degrees".split()
)
"""Functions that are cheap to compute for all numbers."""


def evaluate_call(name: str, arguments: Arguments) -> Value:
    """Evaluates `math.name(...)`."""
    if name == "prod":
        return UNKNOWN_VALUE
    numbers = [v.known(value, (int, float)) for value in arguments.positional]
    if name in _WORKED_OUT and numbers and None not in numbers:
        if not arguments.keywords and not arguments.open_positional:
            try:
                number = getattr(math, name)(*numbers)
            except (ArithmeticError, ValueError, TypeError):
                return v.Scalar(_KINDS.get(name, "float"))
            return v.Scalar(type(number).__name__, number)
    return v.Scalar(_KINDS.get(name, "float"))


def is_math_function(it: Evaluator, function: ir.Node) -> bool:
    """Returns whether a call's function is one of `math`: `math.sqrt`, `sqrt`."""
    if type(function) is ir.Name:
        found = it.lookup(function.id)
    elif type(function) is ir.Attribute and type(function.object) is ir.Name:
        found = it.lookup(function.object.id)
    else:
        return False
    return type(found) is v.External and found.name.partition(".")[0] == "math"
