"""Applies Python's binary operators to values: tensors, numbers, lists and texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torchlsp.core.records import replace
from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.dim import Dim
from torchlsp.facts.tensor import OF_ANY_CLASS, Origin, TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.api import reduction_pairs
from torchlsp.interp.checks.autograd import python_scalar_cuts
from torchlsp.interp.checks.devices import list_multiplication, numpy_functions_on_tensors
from torchlsp.interp.checks.distributed import collective_results, uneven_collectives, varying_values
from torchlsp.interp.model import classes, heap_access, heap_values, moved_unknowns
from torchlsp.interp.objects import attributes_and_methods, parameter_iterators, python_containers, rows
from torchlsp.interp.store import join
from torchlsp.ops import operator
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

ROWS = {
    "+": "add", "-": "sub", "*": "mul", "/": "true_divide", "//": "floor_divide", "%": "remainder", "**": "pow",
    "@": "matmul", "&": "__and__", "|": "__or__", "^": "__xor__", "<<": "__lshift__", ">>": "__rshift__",
    "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
}  # fmt: skip
"""Python's operators to the methods of Tensor and ndarray whose rows give their results."""


MAX_TEXT_LENGTH = 1_000


MAX_BITS = 256
"""In bits."""


MANY_ITEMS = 256
"""Sequences of more items are known by one item that stands for all."""


MANY_ATOMS = 64
"""Sizes whose formulas have more symbols than this are unknown."""


_PYTHON: dict[str, Callable[[Any, Any], Any]] = {  # Any: numbers, strings and whatever else Python takes
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "//": lambda a, b: a // b, "%": lambda a, b: a % b if not isinstance(a, str) else None, "**": lambda a, b: a**b,
    "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b, "|": lambda a, b: a | b, "&": lambda a, b: a & b,
    "^": lambda a, b: a ^ b,
}  # fmt: skip


def binary_value(
    it: Evaluator, node: ir.Node, op: str, left: Value, right: Value, inplace: bool = False
) -> Value:
    """Evaluates `left op right`; `inplace` for `left op= right` on a tensor or list."""
    if isinstance(left, v.InstanceValue) or isinstance(right, v.InstanceValue):
        own = _by_own_operator(it, node, op, left, right)
        if own is not None:
            return own
    if collective_results.is_collective_result(left) or collective_results.is_collective_result(right):
        collective_results.report_operand(it, op, left, right, node)
        return UNKNOWN_VALUE
    if reduction_pairs.is_pair(left) or reduction_pairs.is_pair(right):
        reduction_pairs.report_operator(it, node, op, left, right)
    if isinstance(left, v.ArrayValue) or isinstance(right, v.ArrayValue):  # a tensor beside an array too
        numpy_functions_on_tensors.report_operator(it, node, op, left, right)
        row = operator(f"ndarray.{ROWS.get(op, op)}")
        result = rows.apply_to_operands(it, row, f"ndarray.{ROWS.get(op, op)}", (left, right), node)
        return _written_array(left, result) if inplace and isinstance(left, v.ArrayValue) else result
    if isinstance(left, (TensorFact, v.Moved)) and isinstance(right, (TensorFact, v.Moved)):
        left, right = moved_unknowns.as_tensors((left, right))
    if isinstance(left, TensorFact) or isinstance(right, TensorFact):
        return tensor_binary(it, node, op, left, right, inplace)
    x, y = left, right
    if type(x) in uneven_collectives.OF_RANK or type(y) in uneven_collectives.OF_RANK:
        return uneven_collectives.combine_with_rank(op, x, y)
    if isinstance(x, v.Scalar) and isinstance(y, v.Scalar):
        result = _scalars(op, x, y)
        if type(result) is v.Scalar and result.kind == "float":
            result = v.Scalar("float", result.value, _float_origin(it, node, op, x, y))
        if isinstance(result, v.Scalar) and (x.annotated or y.annotated):
            result = replace(result, annotated=True)
        if x.varies is not None or y.varies is not None:
            result = varying_values.of_operands(it, result, x, y)
        return result if x.cut is None and y.cut is None else python_scalar_cuts.carry_cut(result, x, y)
    if isinstance(x, v.TupleValue) and isinstance(y, v.TupleValue) and op == "+":
        if len(x.items) + len(y.items) > MANY_ITEMS:
            return v.Repeated(join.join_all([*x.items, *y.items], node))
        return v.TupleValue(x.items + y.items, is_size=x.is_size or y.is_size)
    if op == "*" and isinstance(x, v.TupleValue) and (count := v.as_int(y)) is not None and 0 <= count <= 8:
        return v.TupleValue(x.items * count, is_size=x.is_size)
    extends = inplace and isinstance(x, v.ListRef)  # by any iterable
    if op == "+" and not extends and (isinstance(x, v.ParametersOf) or isinstance(y, v.ParametersOf)):
        return parameter_iterators.add(it, node, x, y)
    if isinstance(x, v.ListRef) or isinstance(y, v.ListRef):
        return _lists(it, node, op, x, y, inplace)
    a, b = v.as_dim(x), v.as_dim(y)
    size = _arithmetic(op, a, b) if a is not None and b is not None else None
    if isinstance(size, dims.Poly):
        return v.Unknown(size)  # of anything: tensors too have all these operators
    if op in ("&", "|") and isinstance(x, v.Table) and x == y and x.dtype == "bool":
        return x
    # The number that divides a parameter is no evidence about it: it may be a tensor.
    if op in ("/", "**") and isinstance(y, v.Scalar) and y.kind == "float" and _is_setting(it, x, op):
        return v.Scalar("float")
    return varying_values.of_operands(it, UNKNOWN_VALUE, x, y)


_SPECIAL = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul", "&": "and", "|": "or",
    "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip


def _by_own_operator(it: Evaluator, node: ir.Node, op: str, left: Value, right: Value) -> Value | None:
    """Returns what an object's own `__mul__` or `__rmul__` gives, the left one's first; None where it has none."""
    for one, other, prefix in ((left, right, ""), (right, left, "r")):
        if not isinstance(one, v.InstanceValue) or op not in _SPECIAL:
            continue
        name = f"__{prefix}{_SPECIAL[op]}__"
        if classes.find_method(one.cls, name) is not None:
            return attributes_and_methods.call_special_method(it, one, name, (other,), node)
        if classes.has_unknown_base(one.cls) and not classes.is_module(one.cls):
            return UNKNOWN_VALUE
    return None


def _written_array(left: v.ArrayValue, result: Value) -> Value:
    """Returns what `left op= right` leaves of an array: its own shape and dtype.

    A NumPy scalar is replaced by the result.
    """
    if left.shape is None and isinstance(result, v.ArrayValue):
        return replace(result, shape=None, dtype=left.dtype if left.dtype == result.dtype else None)
    return left if left.shape else result


def _float_origin(it: Evaluator, node: ir.Node, op: str, x: v.Scalar, y: v.Scalar) -> Origin:
    """Returns the expression in which a float was first computed from integers or written constants."""
    for one in (x, y):
        if one.kind == "float" and one.origin is not None:
            return one.origin
    return Origin(node.start, node.end, op, (), it.frame.module.path)


def _is_setting(it: Evaluator, value: Value, op: str) -> bool:
    """Returns whether a parameter is certainly a number.

    Its default is one, or a constructor takes its root (`head_dim ** -0.5`).
    """
    if isinstance(value, v.Parameter) and isinstance(value.default, v.Scalar):
        return value.default.kind in ("int", "float")
    function = it.frame.function
    return op == "**" and function is not None and function.name == "__init__" and v.as_dim(value) is not None


def tensor_binary(it: Evaluator, node: ir.Node, op: str, left: Value, right: Value, inplace: bool) -> Value:
    """Evaluates an operator with at least one tensor as operand."""
    name = ROWS.get(op)
    if name is None:
        return UNKNOWN_VALUE
    left, right = (UNKNOWN_VALUE if isinstance(one, v.Parameter) else one for one in (left, right))
    if inplace and isinstance(left, TensorFact):
        twin = {"true_divide": "div", "__and__": "bitwise_and", "__or__": "bitwise_or"}.get(name, name)
        row = operator(f"Tensor.{twin}_")
        if row is not None:
            return rows.apply_to_operands(it, row, f"Tensor.{twin}_", (left, right), node)
    full = f"Tensor.{name}"
    row = operator(full)
    if row is None and name.startswith("__"):
        full = f"Tensor.{ {'__and__': 'bitwise_and', '__or__': 'bitwise_or', '__xor__': 'bitwise_xor'}.get(name, name) }"
        row = operator(full)
    result = rows.apply_to_operands(it, row, full, (left, right), node)
    if _is_no_operand(left) or _is_no_operand(right):
        return UNKNOWN_VALUE  # torch raises, or what is known of this operand is not true
    if type(result) is TensorFact and UNKNOWN_VALUE in (left, right) and result.provenance is None:
        # The other operand may be of a class that defines the result of the operator itself.
        return result.but(provenance=OF_ANY_CLASS)
    return result


def _is_no_operand(value: Value) -> bool:
    """Returns whether a value is None or a text, with which no tensor can be combined."""
    return type(value) is v.Scalar and value.kind in ("none", "str", "bytes")


def _scalars(op: str, left: v.Scalar, right: v.Scalar) -> Value:
    """Evaluates an operator on two Python constants."""
    kinds = {left.kind, right.kind}
    if left.value is None or right.value is None:
        if kinds <= {"int", "bool"} and op in ("+", "-", "*", "//", "%"):
            return v.Scalar("int")
        if kinds <= {"int", "bool", "float"} and op in ("+", "-", "*", "/"):
            return v.Scalar("float")
        return v.Scalar("str") if kinds == {"str"} and op == "+" else UNKNOWN_VALUE
    if isinstance(left.value, dims.Poly) or isinstance(right.value, dims.Poly):
        if not kinds <= {"int", "bool"}:
            return (
                v.Scalar("float") if "float" in kinds and op in ("+", "-", "*", "/", "**") else UNKNOWN_VALUE
            )
        if op == "/":
            return v.Scalar("float")
        size = _arithmetic(op, left.value, right.value)
        return v.Scalar("int", size)
    try:
        if op in ("**", "<<") and (not isinstance(right.value, (int, float)) or abs(right.value) > 64):
            return UNKNOWN_VALUE
        if op == "*" and kinds & {"str", "bytes"}:
            return UNKNOWN_VALUE
        if op == "+" and kinds & {"str", "bytes"} and len(left.value) + len(right.value) > MAX_TEXT_LENGTH:
            return v.Scalar(left.kind)
        result = _PYTHON[op](left.value, right.value)
        if type(result) is int and result.bit_length() > MAX_BITS:
            return v.Scalar("int")
    except Exception:  # whatever Python itself would raise here: the value is unknown
        return UNKNOWN_VALUE
    return (
        v.Scalar(type(result).__name__, result)
        if isinstance(result, (int, float, str, complex))
        else UNKNOWN_VALUE
    )


def _arithmetic(op: str, a: Dim, b: Dim) -> Dim | None:
    """Evaluates an operator on sizes; None if the result is no polynomial or has too many symbols."""
    size = _polynomial(op, a, b)
    return None if isinstance(size, dims.Poly) and _atoms(size) > MANY_ATOMS else size


def _atoms(size: Dim) -> int:
    """Counts the symbols in a size."""
    count = 0
    if isinstance(size, dims.Poly):
        for monomial, _ in size.terms:
            for atom, power in monomial:
                inner = (
                    _atoms(atom.numerator) + _atoms(atom.denominator)
                    if isinstance(atom, dims.Quotient)
                    else 1
                )
                count += inner + (power > 8) * MANY_ATOMS
    return count


def _polynomial(op: str, a: Dim, b: Dim) -> Dim | None:
    """Evaluates an operator on sizes; None if the result is not a polynomial."""
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "//":
            return dims.floor_divide(a, b) if b != 0 else None
        case "%":
            return 0 if b != 0 and dims.exact_quotient(a, b) is not None else None
        case "**" if isinstance(b, int) and 0 < b <= 4:
            result = a
            for _ in range(b - 1):
                result = result * a
            return result
    return None


def _gives_list(it: Evaluator, op: str, left: Value, right: Value) -> bool:
    """Returns whether an operator on a list gives a list: with an array it gives an array, element by element."""
    if all(map(_is_of_python, (left, right))):
        return True
    items = it.elements(left if isinstance(left, v.ListRef) else right) or ()
    return op == "*" and bool(items) and not any(map(_may_be_number, items))


def _may_be_number(item: Value) -> bool:
    if isinstance(item, v.Scalar):
        return item.kind in ("int", "float", "bool")
    return isinstance(item, v.Unknown | v.Parameter | v.ListRef | v.TupleValue | v.Repeated)


def _is_of_python(value: Value) -> bool:
    """Returns whether a value is certainly no array or tensor."""
    if isinstance(value, v.Unknown):
        return value.size is not None
    return isinstance(
        value,
        v.ListRef | v.TupleValue | v.Repeated | v.Scalar | v.ParametersOf | v.LayerValue | v.InstanceValue,
    )


def _lists(it: Evaluator, node: ir.Node, op: str, left: Value, right: Value, inplace: bool) -> Value:
    """Evaluates `+` and `*` on lists, and `+=` on containers of modules."""
    heap = it.state.heap
    if not inplace and not _gives_list(it, op, left, right):
        return UNKNOWN_VALUE
    if isinstance(left, (v.LayerValue, v.InstanceValue)):
        if op != "+" or not inplace or (left.ref, "[]") not in heap:
            return UNKNOWN_VALUE
        return python_containers.change_list(it, left.ref, "extend", Arguments((right,)), result=left)
    if op == "+":
        a, b = it.elements(left), it.elements(right)
        if a is not None and b is not None and len(a) + len(b) <= MANY_ITEMS:
            if inplace and isinstance(left, v.ListRef):
                it.state.set(heap, (left.ref, "[]"), a + b)
                return left
            return heap_values.new_list(it, node, a + b)
        if isinstance(left, v.ListRef):
            sum_of_both = python_containers.merged_content(it, heap_access.items_at(it, left.ref), right)
            if inplace:
                it.state.set(heap, (left.ref, "[]"), sum_of_both)
                return left
            return heap_values.new_list(it, node, sum_of_both)
        return heap_values.new_list(it, node, None)
    if op == "*":
        items, count = it.elements(left), v.as_int(right)
        if items is not None and count is not None and 0 <= count * len(items) <= 64:
            repeated = heap_values.new_list(it, node, items * count)
            list_multiplication.check_multiplication(it, node, items, right, repeated)
            return repeated
        if items:
            times = v.as_dim(right)
            length = None if times is None else times * len(items)
            one = items[0] if len(items) == 1 else join.join_series(list(items), f"{node.start}")
            repeated = heap_values.new_list(it, node, v.Repeated(one, length))
            list_multiplication.check_multiplication(it, node, items, right, repeated)
            return repeated
        return heap_values.new_list(it, node, None)
    return UNKNOWN_VALUE
