"""Python's `math`: numbers where the arguments are known, and what kind of number else."""

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
"""What functions of `math` give that is no float."""
_WORKED_OUT = frozenset(
    "sqrt isqrt floor ceil trunc fabs log log2 log10 log1p exp pow gcd hypot sin cos tan radians degrees".split()
)
"""Functions whose result is soon told, whatever the numbers."""


def result(name: str, arguments: Arguments) -> Value:
    """What `math.name` gives."""
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


def is_called(it: Evaluator, function: ir.Node) -> bool:
    """`math.sqrt` and its like."""
    if type(function) is ir.Name:
        found = it.lookup(function.id)
    elif type(function) is ir.Attribute and type(function.object) is ir.Name:
        found = it.lookup(function.object.id)
    else:
        return False
    return type(found) is v.External and found.name.partition(".")[0] == "math"
