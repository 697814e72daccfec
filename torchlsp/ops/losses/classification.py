"""Evaluates losses on class indices: cross_entropy, nll_loss and the multi-class margins.

Order of torch's decision in cross_entropy: a target of the logits' shape is read as class probabilities and must be
floating; every other target is class indices, (N, d1, …) for logits (N, C, d1, …), of dtype int64, or uint8 where it is
1-D.  Source: `cross_entropy_loss` in ATen/native/LossNLL.cpp, torch 2.13; each case is a test that runs in torch.
"""

from __future__ import annotations

from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Scalar, Value
from torchlsp.ops.call import Broken, Call
from torchlsp.ops.columns import one_dtype
from torchlsp.ops.losses import inputs
from torchlsp.ops.losses.functional import LEGACY, floating, loss_result, must_be_floating, row_major_of
from torchlsp.ops.parameters import (
    comes_from_layer,
    is_plain_float,
    layer_name,
    ranks_allowed,
    weights_in_place,
)
from torchlsp.ops.table import TABLE

_KEEPS_LAST_DIM = frozenset(
    [
        "Dropout",
        "dropout",
        "float",
        "double",
        "half",
        "to",
        "contiguous",
        "clone",
        "mul",
        "div",
        "true_divide",
    ]
)


def class_targets(c: Call) -> None:
    """Raises the faults of cross_entropy's target."""
    logits, target = _operands(c)
    if target is None:
        return
    if logits is not None:
        must_be_floating(c, "input")
    dtype = target.dtype
    if logits is not None and shapes.same(logits.shape, target.shape) is Tri.YES:
        if dtype is not None and dtype not in dtypes.FLOATING:
            raise _broken(c, FaultKind.CE_ONEHOT_INT, reason="shape")
        if dtype is not None and _is_given_ignore_index(c):
            raise c.broken(
                FaultKind.ARGUMENT, layer=layer_name(c), argument="ignore_index", logits=logits, target=target
            )
        return
    if dtype is not None and dtype not in dtypes.FLOATING and _may_have_the_same_shape(logits, target):
        _integers_of_equal_rank(c, logits, target)
        return
    if dtype in dtypes.FLOATING and _may_have_the_same_shape(logits, target):
        return
    if dtype is None and _may_have_the_same_shape(logits, target):
        return
    index_targets(c)


def _operands(c: Call) -> tuple[TensorFact | None, TensorFact | None]:
    return c.tensor("input"), c.tensor("target")


def _may_have_the_same_shape(logits: TensorFact | None, target: TensorFact) -> bool:
    return logits is None or shapes.same(logits.shape, target.shape) is not Tri.NO


def _broken(c: Call, kind: FaultKind, **data: object) -> Broken:
    logits, target = _operands(c)
    assumed = frozenset[str]().union(*(fact.assumed for fact in (logits, target) if fact is not None))
    return c.broken(kind, assumed - {"layout"}, layer=layer_name(c), logits=logits, target=target, **data)


def _is_given_ignore_index(c: Call) -> bool:
    index = c.int("ignore_index")
    return index is not None and index >= 0


def _integers_of_equal_rank(c: Call, logits: TensorFact | None, target: TensorFact) -> None:
    """Raises a fault for an integer target that may have the logits' shape.

    Wrong as indices and as probabilities.
    """
    if target.provenance == "one_hot" and target.rank is not None:
        # as many dims as the logits: read as probabilities; otherwise the class dim is one too many
        if logits is not None and logits.rank == target.rank:
            raise _broken(c, FaultKind.CE_ONEHOT_INT, reason="one_hot")
    if logits is not None and logits.rank is not None and target.shape is not None and len(target.shape) >= 2:
        column = dims.equal(target.shape[-1], 1) is Tri.YES
        raise _broken(c, FaultKind.CE_TARGET_SHAPE, reason="column" if column else "rank")
    if target.dtype not in ("i64", "u8"):
        raise _broken(c, FaultKind.CE_TARGET_DTYPE, dtype=target.dtype)


def index_targets(c: Call) -> None:
    """Raises the faults of a target that is certainly read as class indices, in torch's own order."""
    logits, target = _operands(c)
    if target is None:
        return
    shape = logits.shape if logits is not None else None
    if shape is not None:
        must_be_floating(c, "input")
    if shape and target.shape is not None:
        _index_rank(c, shape, target.shape)
        if len(shape) not in (1, 4):  # these two ask for the dtype first
            _index_sizes(c, shape, target.shape)
    if target.dtype is not None and target.dtype not in ("i64", "u8"):
        raise _broken(c, FaultKind.CE_TARGET_DTYPE, dtype=target.dtype)
    if shape and target.shape is not None:
        _index_sizes(c, shape, target.shape)
    if target.dtype == "u8" and target.rank is not None and target.rank >= 2:
        raise _broken(c, FaultKind.CE_TARGET_DTYPE, dtype=target.dtype)


def _index_rank(c: Call, logits: tuple[Dim, ...], target: tuple[Dim, ...]) -> None:
    if len(logits) == 1:
        if len(target) > 1:
            raise _broken(c, FaultKind.CE_TARGET_SHAPE, reason=_extra_dim(target))
        return
    if not target or dims.equal(logits[0], target[0]) is Tri.NO:
        raise _broken(c, FaultKind.CE_TARGET_SHAPE, reason="batch")
    if len(target) != len(logits) - 1:
        raise _broken(c, FaultKind.CE_TARGET_SHAPE, reason=_extra_dim(target))


def _index_sizes(c: Call, logits: tuple[Dim, ...], target: tuple[Dim, ...]) -> None:
    if len(logits) == 1:
        if len(target) == 1 and dims.equal(target[0], 1) is Tri.NO:
            raise _broken(c, FaultKind.CE_TARGET_SHAPE, reason="batch")
        return
    if len(logits) == 2:
        return
    pairs = list(zip(logits[2:], target[1:], strict=True))
    raises = any(dims.equal(left, right) is Tri.NO for left, right in pairs)
    if shapes.same(logits[:-1], target) is Tri.YES:
        if raises:
            raise _broken(c, FaultKind.CE_CLASS_DIM, reason="raises")
        if len(logits) == 3 and _last_dim_is_features(c.tensor("input")):
            is_silent = all(dims.equal(left, right) is Tri.YES for left, right in pairs)
            raise _broken(c, FaultKind.CE_CLASS_DIM, reason="silent" if is_silent else "either")
    if raises:
        raise _broken(c, FaultKind.CE_TARGET_SHAPE, reason="size")


def _extra_dim(target: tuple[Dim, ...]) -> str:
    return "column" if len(target) >= 2 and dims.equal(target[-1], 1) is Tri.YES else "rank"


def _last_dim_is_features(logits: TensorFact | None) -> bool:
    """Returns whether a linear layer computed the last dim.  Then the classes are there, whatever the sizes
    are."""
    if logits is None:
        return False
    fact = logits
    for _ in range(8):
        origin = fact.origin
        if origin is None:
            return False
        if origin.op in ("torch.nn.Linear", "torch.nn.LazyLinear", "torch.nn.functional.linear"):
            return fact.shape == logits.shape
        if origin.op.rpartition(".")[2] not in _KEEPS_LAST_DIM or not origin.parents:
            return False
        fact = origin.parents[0]
        if fact.shape != logits.shape:
            return False
    return False


def class_weights(c: Call) -> None:
    """Raises a fault unless there is one weight a class, of the logits' dtype for a target of indices."""
    logits, target, weight = c.tensor("input"), c.tensor("target"), c.tensor("weight")
    if logits is None or weight is None:
        return
    weights_in_place(c, "weight")
    if logits.shape and weight.shape is not None:
        classes = logits.shape[1] if len(logits.shape) >= 2 else logits.shape[0]
        if len(weight.shape) != 1 or dims.equal(weight.shape[0], classes) is Tri.NO:
            raise c.broken(
                FaultKind.SIZE, weight.assumed - {"layout"}, layer=layer_name(c), input=weight, reason="weight",
                size=classes, logits=logits,
            )  # fmt: skip
    is_index = target is not None and target.dtype in ("i64", "u8")
    if (
        is_index
        and is_plain_float(c)
        and None not in (logits.dtype, weight.dtype)
        and logits.dtype != weight.dtype
    ):
        raise c.broken(FaultKind.DTYPE_MISMATCH, left=logits, right=weight, layer=layer_name(c))


def _is_probabilities(logits: TensorFact, target: TensorFact) -> Tri:
    """Returns whether the target is read as probabilities.  A target that torch takes at all tells by its
    dtype."""
    if target.dtype is None:
        return shapes.same(logits.shape, target.shape)
    return Tri.of(target.dtype in dtypes.FLOATING)


def _cross_entropy(c: Call) -> Value:
    logits, target = _operands(c)
    if logits is None:
        return UNKNOWN_VALUE
    is_probabilities = Tri.UNKNOWN if target is None else _is_probabilities(logits, target)
    smoothing = c.value("label_smoothing")
    is_smoothed = not (isinstance(smoothing, Scalar) and smoothing.value == 0)
    dtype: DType | None = None
    if is_probabilities is Tri.NO:
        dtype = floating(logits.dtype)
    elif is_probabilities is Tri.YES and target is not None:
        dtype = _promoted(c, logits, target)

    def each(c: Call) -> Shape:
        return _per_sample(logits, target, is_probabilities)

    def layout(c: Call, shape: Shape) -> Layout:
        if is_probabilities is Tri.NO and not is_smoothed:
            return ROW_MAJOR
        return row_major_of("input", "target")(c, shape)

    differentiable = ("input",) if is_probabilities is Tri.NO else ("input", "target", "weight")
    return loss_result(c, ("input", "target"), each, dtype, layout, differentiable=differentiable)


def _promoted(c: Call, logits: TensorFact, target: TensorFact) -> DType | None:
    """Returns the dtype of a loss of probabilities: they and weights are multiplied in, and promote."""
    found: list[tuple[DType | None, int | None]] = [(logits.dtype, 2), (target.dtype, 2)]
    weight = c.tensor("weight")
    if weight is not None:
        found.append((weight.dtype, 2))
    elif c.given("weight") is not Tri.NO:
        return None
    return dtypes.result_type(found)


def _per_sample(logits: TensorFact, target: TensorFact | None, is_probabilities: Tri) -> Shape:
    if logits.shape is None or not logits.shape:
        return (
            target.shape if target is not None and is_probabilities is Tri.NO and target.rank != 1 else None
        )
    return (*logits.shape[:1], *logits.shape[2:]) if len(logits.shape) > 1 else ()


def _nll(c: Call) -> Value:
    logits, target = _operands(c)
    if logits is None:
        return UNKNOWN_VALUE
    return loss_result(
        c, ("input", "target"), lambda c: _per_sample(logits, target, Tri.NO), floating(logits.dtype),
        lambda c, shape: ROW_MAJOR, differentiable=("input",),
    )  # fmt: skip


def _margin_targets(c: Call) -> None:
    """Raises a fault for a target that is not int64: multi_margin_loss takes no other."""
    target = c.tensor("target")
    if target is not None and target.dtype is not None and target.dtype != "i64":
        raise c.broken(
            FaultKind.DTYPE,
            layer=layer_name(c),
            input=target,
            dtype=target.dtype,
            expected="i64",
            argument="target",
        )


def _multi_margin(c: Call) -> Value:
    tensor, target = c.tensor("input"), c.tensor("target")
    if tensor is None:
        return UNKNOWN_VALUE
    each: Shape = None
    if tensor.shape is not None and len(tensor.shape) == 2:
        each = tensor.shape[:1]
        if target is not None and target.shape is not None and shapes.same(target.shape, each) is Tri.NO:
            raise c.broken(
                FaultKind.SIZE, layer=layer_name(c), input=tensor, target=target, reason="target size"
            )
    elif tensor.rank == 1 and target is not None:
        each = target.shape
    return loss_result(c, ("input",), lambda c: each, floating(tensor.dtype), row_major_of("input"))


def _multilabel_margin(c: Call) -> Value:
    tensor, target = c.tensor("input"), c.tensor("target")
    if tensor is None:
        return UNKNOWN_VALUE
    if target is not None and shapes.same(tensor.shape, target.shape) is Tri.NO:
        raise c.broken(FaultKind.SIZE, layer=layer_name(c), input=tensor, target=target, reason="target size")
    each = None if tensor.shape is None or len(tensor.shape) > 2 else tensor.shape[:-1]
    return loss_result(c, ("input",), lambda c: each, floating(tensor.dtype), row_major_of("input"))


def _multilabel_soft_margin(c: Call) -> Value:
    tensor, target = c.tensor("input"), c.tensor("target")
    if tensor is None or target is None or c.given("weight") is not Tri.NO:
        return UNKNOWN_VALUE
    shape = tensor.shape if shapes.same(tensor.shape, target.shape) is Tri.YES else None
    dtype = dtypes.result_type([(tensor.dtype, 2), (target.dtype, 2)]) if shape else None
    return loss_result(
        c,
        ("input", "target"),
        lambda c: shape[:-1] if shape else None,
        floating(dtype),
        row_major_of("input", "target"),
    )


INDEXED = "size_average=None, ignore_index=-100, reduce=None, reduction='mean'"

_F = "torch.nn.functional."
TABLE.row(
    f"{_F}cross_entropy", signature=f"input, target, weight=None, {INDEXED}, label_smoothing=0.0",
    opinfo="nn.functional.cross_entropy", faults=[
        inputs.swapped_arguments, inputs.swapped_silently, inputs.logits_of_cross_entropy, class_targets, class_weights,
        inputs.indices_in_range,
    ], result=_cross_entropy,
)  # fmt: skip
TABLE.row(
    f"{_F}nll_loss",
    signature=f"input, target, weight=None, {INDEXED}",
    opinfo="nn.functional.nll_loss",
    faults=[
        inputs.swapped_arguments,
        inputs.log_probabilities_of_nll,
        index_targets,
        class_weights,
        inputs.log_probabilities_in_range,
    ],
    result=_nll,
)
TABLE.row(
    f"{_F}multi_margin_loss", signature=f"input, target, p=1, margin=1.0, weight=None, {LEGACY}",
    opinfo="nn.functional.multi_margin_loss", faults=[_margin_targets], result=_multi_margin,
)  # fmt: skip
TABLE.row(
    f"{_F}multilabel_margin_loss", signature=f"input, target, {LEGACY}", opinfo="nn.functional.multilabel_margin_loss",
    faults=[_margin_targets], result=_multilabel_margin,
)  # fmt: skip
TABLE.row(
    f"{_F}multilabel_soft_margin_loss", signature=f"input, target, weight=None, {LEGACY}",
    opinfo="nn.functional.multilabel_soft_margin_loss", result=_multilabel_soft_margin,
)  # fmt: skip


# ---- a linear layer and cross-entropy in one ----------------------------------------------------------------------------


def _linear_cross_entropy(c: Call) -> Value:
    """Returns the loss of `input @ linear_weight.T`, without the logits in memory.

    The input has 1 or 2 dims.
    """
    tensor, weight, target = c.tensor("input"), c.tensor("linear_weight"), c.tensor("target")
    if tensor is None or weight is None:
        return UNKNOWN_VALUE
    ranks_allowed(c, tensor, 1, 2)
    taken = weight.shape[1] if weight.shape is not None and len(weight.shape) == 2 else None
    if tensor.shape and taken is not None and dims.equal(tensor.shape[-1], taken) is Tri.NO:
        raise c.broken(
            FaultKind.MATMUL_INNER, tensor.assumed - {"layout"}, layer=layer_name(c), left=tensor, right=weight, input=tensor,
            left_size=tensor.shape[-1], right_size=taken, chain=comes_from_layer(tensor),
        )  # fmt: skip
    logits: Shape = None
    if tensor.shape and weight.shape is not None and len(weight.shape) == 2:
        logits = (*tensor.shape[:-1], weight.shape[0])
    dtype = one_dtype(c, tensor, weight)
    call = Call(
        c.name, {**c.args, "input": tensor.but(shape=logits), "weight": UNKNOWN_VALUE}, c.context, c.layer
    )
    class_targets(call)
    is_index = target is not None and target.dtype in ("i64", "u8")
    each: Shape = tensor.shape[:-1] if tensor.shape and weight.rank == 2 else None
    return loss_result(
        c, ("input", "linear_weight", "target"), lambda c: each, floating(dtype) if is_index else None,
        row_major_of("input", "linear_weight"), differentiable=("input", "linear_weight", "linear_bias", "target"),
    )  # fmt: skip


TABLE.row(
    f"{_F}linear_cross_entropy",
    signature="input, linear_weight, target, *, linear_bias=None, weight=None, reduction='mean', ignore_index=None, "
    "label_smoothing=0.0, options=None",
    result=_linear_cross_entropy, opinfo="nn.functional.linear_cross_entropy", since="2.13",
)  # fmt: skip
