"""Defines element types and torch's type promotion.

A dtype is its short name (`f32`, `i64`, `bool`) or None for unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

DType = str
"""The short name of an element type, a key of `TORCH_NAMES`."""

TORCH_NAMES: dict[str, str] = {
    "bool": "bool", "u8": "uint8", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "c32": "complex32", "c64": "complex64", "c128": "complex128",
    "f8_e4m3fn": "float8_e4m3fn", "f8_e5m2": "float8_e5m2",
}  # fmt: skip

_ALIASES = {
    "float": "f32", "double": "f64", "half": "f16", "long": "i64", "int": "i32", "short": "i16", "char": "i8", "byte": "u8",
    "cfloat": "c64", "cdouble": "c128", "chalf": "c32",
}  # fmt: skip

BY_TORCH_NAME: dict[str, DType] = {**{name: short for short, name in TORCH_NAMES.items()}, **_ALIASES}
"""`float32`, `float`, `long`, … (without `torch.`) to the short name."""

LEGACY_TENSOR_TYPES: dict[str, DType] = {
    "FloatTensor": "f32", "DoubleTensor": "f64", "HalfTensor": "f16", "BFloat16Tensor": "bf16", "LongTensor": "i64",
    "IntTensor": "i32", "ShortTensor": "i16", "CharTensor": "i8", "ByteTensor": "u8", "BoolTensor": "bool",
}  # fmt: skip

SCALAR_TYPE_NAMES: dict[DType, str] = {
    "bool": "Bool", "u8": "Byte", "i8": "Char", "i16": "Short", "i32": "Int", "i64": "Long", "f16": "Half",
    "bf16": "BFloat16", "f32": "Float", "f64": "Double", "c32": "ComplexHalf", "c64": "ComplexFloat", "c128": "ComplexDouble",
}  # fmt: skip
"""The names that torch's own error texts use."""

FLOATING = frozenset({"f16", "bf16", "f32", "f64", "f8_e4m3fn", "f8_e5m2"})
COMPLEX = frozenset({"c32", "c64", "c128"})
INTEGRAL = frozenset({"u8", "i8", "i16", "i32", "i64", "u16", "u32", "u64"})

_CATEGORY = {
    "bool": 0,
    **dict.fromkeys(INTEGRAL, 1),
    **dict.fromkeys(FLOATING, 2),
    **dict.fromkeys(COMPLEX, 3),
}

# Rows and columns of c10/core/ScalarType.cpp's promotion table (torch 2.13), for the types that promote.
_ORDER = ("u8", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "c32", "c64", "c128", "bool", "bf16")
_ROWS = """
u8   i16  i16  i32  i64  f16  f32  f64  c32  c64  c128 u8   bf16
i16  i8   i16  i32  i64  f16  f32  f64  c32  c64  c128 i8   bf16
i16  i16  i16  i32  i64  f16  f32  f64  c32  c64  c128 i16  bf16
i32  i32  i32  i32  i64  f16  f32  f64  c32  c64  c128 i32  bf16
i64  i64  i64  i64  i64  f16  f32  f64  c32  c64  c128 i64  bf16
f16  f16  f16  f16  f16  f16  f32  f64  c32  c64  c128 f16  f32
f32  f32  f32  f32  f32  f32  f32  f64  c64  c64  c128 f32  f32
f64  f64  f64  f64  f64  f64  f64  f64  c128 c128 c128 f64  f64
c32  c32  c32  c32  c32  c32  c64  c128 c32  c64  c128 c32  c64
c64  c64  c64  c64  c64  c64  c64  c128 c64  c64  c128 c64  c64
c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128
u8   i8   i16  i32  i64  f16  f32  f64  c32  c64  c128 bool bf16
bf16 bf16 bf16 bf16 bf16 f32  f32  f64  c64  c64  c128 bf16 bf16
"""
_PROMOTION = {
    (row, column): result
    for row, line in zip(_ORDER, _ROWS.strip().splitlines())
    for column, result in zip(_ORDER, line.split())
}


def category(dtype: DType) -> int:
    """Returns 0 for bool, 1 integral, 2 floating, 3 complex."""
    return _CATEGORY[dtype]


def can_require_grad(dtype: DType) -> bool:
    return dtype in FLOATING or dtype in COMPLEX


def can_cast(source: DType, target: DType) -> bool:
    """Returns `torch.can_cast`: values may lose precision, not their kind (complex, floating, integral,
    bool)."""
    return category(source) <= category(target)


def promote(a: DType, b: DType) -> DType | None:
    """Returns `torch.promote_types`; None where torch has no answer (wide unsigned and 8-bit float types)."""
    return a if a == b else _PROMOTION.get((a, b))


_COMPLEX_OF = {"f16": "c32", "f32": "c64", "f64": "c128", "bf16": "c64"}
_REAL_OF = {"c32": "f16", "c64": "f32", "c128": "f64"}


def complex_of(dtype: DType) -> DType:
    return _COMPLEX_OF.get(dtype, "c64")


def real_of(dtype: DType) -> DType:
    return _REAL_OF.get(dtype, dtype)


def result_type(operands: Sequence[tuple[DType | None, int | None]], default: DType = "f32") -> DType | None:
    """Returns torch's result type of an operator.

    Each operand is (dtype, group): group 2 for a tensor with dims, 1 for a 0-d tensor, 0 for a Python number, None for a
    tensor of unknown rank.  A group takes part only when its category is above that of all higher groups.
    None as soon as the answer hangs on something unknown.  Source: `update_result_type_state` in ATen/native/TypeProperties.cpp.
    """
    return _result_type(tuple(operands), default)


@lru_cache(1024)
def _result_type(operands: tuple[tuple[DType | None, int | None], ...], default: DType) -> DType | None:
    if not operands:
        return None
    if any(group is None for _, group in operands):
        return _result_of_unknown_ranks(operands, default)
    if any(dtype is None for dtype, _ in operands):
        return _result_of_unknown_dtypes(operands, default)
    by_group: dict[int, DType] = {}
    for dtype, group in operands:
        assert dtype is not None and group is not None  # asked above
        if group == 0 and dtype in FLOATING:
            dtype = default  # a wrapped number counts as the default dtype of its category
        elif group == 0 and dtype in COMPLEX:
            dtype = complex_of(default)
        merged = promote(by_group[group], dtype) if group in by_group else dtype
        if merged is None:
            return None
        by_group[group] = merged
    result = by_group.get(2)
    for group in (1, 0):
        if group in by_group:
            result = by_group[group] if result is None else _combine_categories(result, by_group[group])
            if result is None:
                return None
    return result


def _combine_categories(higher: DType, lower: DType) -> DType | None:
    if category(higher) >= category(lower):
        return higher
    if higher in FLOATING and lower in COMPLEX:
        return complex_of(higher)  # the lower group gives its kind, not its precision
    return promote(higher, lower)


def _result_of_unknown_ranks(
    operands: tuple[tuple[DType | None, int | None], ...], default: DType
) -> DType | None:
    """Returns the result type only when it is the same whether the tensors of unknown rank are 0-d or not."""
    answers = set()
    for assumed in (2, 1):
        answers.add(
            result_type([(dtype, assumed if group is None else group) for dtype, group in operands], default)
        )
    unknown = [i for i, (_, group) in enumerate(operands) if group is None]
    if len(unknown) > 1:
        for i in unknown:
            answers.add(
                result_type(
                    [(d, (1 if j == i else 2) if g is None else g) for j, (d, g) in enumerate(operands)],
                    default,
                )
            )
    return answers.pop() if len(answers) == 1 else None


def _result_of_unknown_dtypes(
    operands: tuple[tuple[DType | None, int | None], ...], default: DType
) -> DType | None:
    known = [(dtype, group) for dtype, group in operands if dtype is not None]
    unknown = [group for dtype, group in operands if dtype is None]
    if not known:
        return None
    # a double tensor with dims wins over every real operand only when complex is excluded, which it is not: stay unknown
    return (
        "c128"
        if result_type(known, default) == "c128" and 2 in {group for _, group in known} and unknown
        else None
    )


_NUMPY = {
    "float64": "f64", "float32": "f32", "float16": "f16", "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "bool_": "bool", "bool": "bool", "complex64": "c64",
    "complex128": "c128", "double": "f64", "single": "f32", "half": "f16", "float_": "f64", "int_": "i64", "intp": "i64",
    "longlong": "i64", "short": "i16", "byte": "i8", "ubyte": "u8", "intc": "i32", "long": "i64", "float": "f64", "int": "i64",
}  # fmt: skip


def of_numpy(name: str) -> DType | None:
    """Returns the dtype of a NumPy scalar type's name, `int_` being int64 (NumPy 2, and NumPy 1 outside
    Windows)."""
    return _NUMPY.get(name)
