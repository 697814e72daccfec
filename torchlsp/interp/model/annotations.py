"""Evaluates annotations of parameters: tensors, numbers, optimizers, and jaxtyping's shapes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.dim import Dim, symbol
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import ONLY_SHAPED, Storage, TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.model import assumed_tensors
from torchlsp.ops.libraries import optim
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_JAXTYPING = {
    "Float": None, "Float32": "f32", "Float64": "f64", "Float16": "f16", "BFloat16": "bf16", "Int": None, "Int64": "i64",
    "Int32": "i32", "Int16": "i16", "Int8": "i8", "UInt8": "u8", "Bool": "bool", "Num": None, "Shaped": None, "Inexact": None,
    "Real": None, "Integer": None, "UInt": None, "Complex": None, "Complex64": "c64", "Complex128": "c128",
}  # fmt: skip
_TENSORS = {
    "torch.Tensor": None, "torch.FloatTensor": "f32", "torch.LongTensor": "i64", "torch.BoolTensor": "bool",
    "torch.DoubleTensor": "f64", "torch.IntTensor": "i32", "torch.HalfTensor": "f16", "torch.ByteTensor": "u8",
}  # fmt: skip


_NO_TENSORS = frozenset(
    {"numpy.ndarray", "numpy.typing.NDArray", "PIL.Image.Image", "pandas.DataFrame", "pandas.Series"}
    | {f"builtins.{name}" for name in ("list", "tuple", "dict", "set", "frozenset", "bytes", "bytearray")}
    | {
        f"{package}.{name}"
        for package in ("typing", "collections.abc")
        for name in (
            "List", "Tuple", "Dict", "Set", "FrozenSet", "Sequence", "MutableSequence", "Iterable", "Iterator", "Mapping",
            "MutableMapping", "Collection", "Generator", "Deque", "DefaultDict",
        )
    }
)  # fmt: skip
"""Classes of which no tensor and no number is."""

_OF_TENSORS = frozenset(
    "torch typing typing_extensions jaxtyping torchtyping numpy builtins collections".split()
)
"""Packages whose names may stand for tensors, or say nothing."""

_OPTIMIZERS = frozenset({"torch.optim.Optimizer", "torch.optim.optimizer.Optimizer"}) | frozenset(
    optim.OPTIMIZERS
)

ANNOTATED = "annotated"
"""Begins the name of the storage of a variable that only its annotation says to be a tensor."""


def from_annotation(it: Evaluator, node: ir.Node, otherwise: Value, name: str = "x") -> Value:
    """Returns the value that an annotation promises, or `otherwise` where it promises nothing certain."""
    if type(node) is ir.Constant and isinstance(node.value, str):
        return otherwise
    if type(node) is ir.Subscript:
        return _subscripted(it, node, otherwise, name)
    if type(node) not in (ir.Name, ir.Attribute):
        return otherwise
    postponed = it.frame.module.postpones_annotations
    it.silent += postponed
    try:
        value = it.eval(node)
    finally:
        it.silent -= postponed
    if not isinstance(value, v.External):
        return otherwise
    if value.name in _TENSORS:
        if isinstance(otherwise, v.Parameter) and isinstance(otherwise.default, v.Scalar):
            return otherwise
        fact = _assumed(otherwise, name).but(dtype=None)
        if isinstance(otherwise, v.Parameter) and otherwise.passed:
            return fact.but(
                assumed=fact.assumed | {ONLY_SHAPED}
            )  # a call in sight may pass an array all the same
        return fact
    if value.name in _OPTIMIZERS:
        optimizer = v.OptimizerValue(f"{name}@{node.start}", value.name, None, name)
        it.analysis.optimizers[optimizer.ref] = optimizer
        return optimizer
    if _contradicts_default(value.name.rpartition(".")[2], otherwise):
        return otherwise
    if value.name == "builtins.int":
        if not isinstance(otherwise, v.Parameter):
            return v.Scalar("int", annotated=True)
        return v.AnnotatedInt("int", v.size_of_parameter(otherwise), annotated=True)
    if (
        value.name == "builtins.float"
        and isinstance(otherwise, v.Parameter)
        and otherwise.default is not None
    ):
        return otherwise  # its default says more: a rate of 0.0 is one that is off
    if value.name in ("builtins.float", "builtins.bool", "builtins.str"):
        return v.Scalar(value.name.rpartition(".")[2], annotated=True)
    other = value.name in _NO_TENSORS or _is_class_of_others(value.name)
    return _something_else(otherwise) if other else otherwise


def _is_class_of_others(name: str) -> bool:
    """Returns whether a name is that of a class of a package that is not in sight; what it calls `Tensor` may be torch's."""
    package, last = name.partition(".")[0], name.rpartition(".")[2]
    return package not in _OF_TENSORS and last[:1].isupper() and last != "Tensor"


def _something_else(parameter: Value) -> Value:
    """Returns a parameter that no use makes a tensor or a size."""
    return replace(parameter, is_other=True) if isinstance(parameter, v.Parameter) else parameter


_KINDS = {
    "int": {"int", "bool"},
    "float": {"float", "int", "bool"},
    "bool": {"bool", "int"},
    "str": {"str"},
}
"""The kinds of defaults with which an annotation is believed: in `steps: int = 0.5` and `steps: int = None` it is wrong."""


def _contradicts_default(annotation: str, parameter: Value) -> bool:
    default = parameter.default if isinstance(parameter, v.Parameter) else None
    kinds = _KINDS.get(annotation)
    return kinds is not None and isinstance(default, v.Scalar) and default.kind not in kinds


def _assumed(parameter: Value, name: str) -> TensorFact:
    if isinstance(parameter, v.Parameter):
        return assumed_tensors.assumed_tensor(parameter)
    return TensorFact(layout=ROW_MAJOR, storage=Storage(frozenset({name})), assumed=frozenset({"layout"}))


def _subscripted(it: Evaluator, node: ir.Subscript, otherwise: Value, name: str) -> Value:
    """Evaluates `Float[Tensor, "b c"]`, `list[int]` and others of this form."""
    base = it.eval(node.object)
    if not isinstance(base, v.External):
        return otherwise
    if base.name.startswith("jaxtyping."):
        return _jaxtyping(it, base, node, otherwise, name)
    return _something_else(otherwise) if base.name in _NO_TENSORS else otherwise


def _jaxtyping(it: Evaluator, base: v.External, node: ir.Subscript, otherwise: Value, name: str) -> Value:
    """Evaluates `Float[Tensor, "b c h w"]`: each name is one size in the whole function."""
    kind = base.name.rpartition(".")[2]
    if kind not in _JAXTYPING or type(node.index) is not ir.Display or len(node.index.items) != 2:
        return otherwise
    array, text = node.index.items
    spec = text.value if type(text) is ir.Constant and isinstance(text.value, str) else None
    held = it.eval(array)
    if spec is None or not isinstance(held, v.External) or held.name not in _TENSORS:
        return otherwise
    fact = _assumed(otherwise, name).but(dtype=_JAXTYPING[kind])
    sizes: list[Dim] = []
    function = it.frame.function.start if it.frame.function is not None else 0
    # `(h w)` is one axis, as in einops
    for i, part in enumerate(re.sub(r"\([^()]*\)", "_", spec).split()):
        part = part.removeprefix("#")
        if part.startswith(("*", "...")) or "=" in part:
            return fact
        if part.isdigit():
            sizes.append(int(part))
        elif part.isidentifier() and part != "_":
            sizes.append(symbol(f"{part}@{function}"))
        else:
            sizes.append(symbol(f"?{name}.{i}@{function}"))
    return fact.but(shape=tuple(sizes))
