"""Evaluates losses: what `reduction` leaves of the shape, which dtypes and shapes of targets they take.

The losses on class indices are in `classification`.  Source: torch/nn/functional.py and ATen/native/Loss.cpp,
torch 2.13.
"""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import shape as shapes
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Parameter, Scalar, Unknown, Value
from torchlsp.ops.call import Call, Check, DTypeColumn, LayoutColumn, ResultColumn, are_known
from torchlsp.ops.columns import (
    broadcast,
    common_device,
    preserved,
    promoted,
    promoted_to_float,
    same_dtype,
    through_of,
)
from torchlsp.ops.losses import inputs
from torchlsp.ops.parameters import in_row_major, is_plain_float, layer_name, weights_in_place
from torchlsp.ops.table import TABLE

_REDUCTIONS = ("none", "mean", "sum")
LEGACY = "size_average=None, reduce=None, reduction='mean'"


def reduction_name(c: Call, allowed: tuple[str, ...] = _REDUCTIONS) -> str | None:
    """Returns the reduction's name, None when it is not known.  The legacy flags win where they are given."""
    legacy = [c.given(name) for name in ("size_average", "reduce") if name in c.args]
    if Tri.UNKNOWN in legacy:
        return None
    if Tri.YES in legacy:
        average = True if c.given("size_average") is Tri.NO else c.flag("size_average")
        reduce = True if c.given("reduce") is Tri.NO else c.flag("reduce")
        if average is None or reduce is None:
            return None
        return "none" if not reduce else "mean" if average else "sum"
    word = c.text("reduction")
    if word == "elementwise_mean":
        return "mean"
    if word is not None and word not in allowed:
        raise c.broken(
            FaultKind.ARGUMENT, layer=layer_name(c), argument="reduction", value=word, expected=allowed
        )
    return word


def loss_result(
    c: Call,
    operands: tuple[str, ...],
    shape: Callable[[Call], Shape],
    dtype: DType | None,
    layout: LayoutColumn[Call],
    allowed: tuple[str, ...] = _REDUCTIONS,
    differentiable: tuple[str, ...] | None = None,
) -> Value:
    """Returns the loss: 0-d after `mean` and `sum`, one value an element after `none`."""
    word = reduction_name(c, allowed)
    each = shape(c)
    device = common_device(c, [c.value(name) for name in operands])
    if not is_plain_float(c):
        dtype = None
    grad = through_of(*(differentiable or operands))(c, dtype)
    if word is None:
        return c.make(None, dtype, device, None, c.fresh_storage(), grad)
    if word != "none":
        return in_row_major(c, c.make((), dtype, device, ROW_MAJOR, c.fresh_storage(), grad))
    return c.make(each, dtype, device, layout(c, each), c.fresh_storage(), grad)


def floating(dtype: DType | None) -> DType | None:
    """Returns the dtype where it is floating; unknown for losses of integers."""
    return dtype if dtype is not None and dtype in dtypes.FLOATING else None


def _alike(c: Call, *names: str) -> DType | None:
    """Returns the dtype of operands that are expanded to one shape first, so that 0-d ones count in full."""
    found: list[tuple[DType | None, int | None]] = []
    for name in names:
        tensor = c.tensor(name)
        found.append((tensor.dtype if tensor is not None else None, 2))
    return dtypes.result_type(found)


def same_sizes(c: Call, left: str, right: str) -> None:
    """Raises a fault for a target of another shape, for losses that do not broadcast it."""
    first, second = c.tensor(left), c.tensor(right)
    if first is None or second is None or shapes.same(first.shape, second.shape) is not Tri.NO:
        return
    raise c.broken(
        FaultKind.SIZE, (first.assumed | second.assumed) - {"layout"}, layer=layer_name(c), input=first, target=second,
        reason="target size",
    )  # fmt: skip


def positive(name: str) -> Check[Call]:
    """Makes the check that raises a fault when this option is known to be zero or less."""

    def check(c: Call) -> None:
        value = c.value(name)
        number = value.value if isinstance(value, Scalar) else None
        if isinstance(number, (int, float)) and number <= 0:
            raise c.broken(FaultKind.ARGUMENT, layer=layer_name(c), argument=name, value=number, expected=0)

    return check


def must_be_floating(c: Call, name: str) -> None:
    tensor = c.tensor(name)
    if tensor is not None and tensor.dtype is not None and not dtypes.can_require_grad(tensor.dtype):
        raise c.broken(
            FaultKind.DTYPE,
            layer=layer_name(c),
            input=tensor,
            dtype=tensor.dtype,
            expected="floating",
            argument=name,
        )


def row_major_of(*names: str) -> LayoutColumn[Call]:
    """Makes the layout column: row-major when all these tensors are, otherwise unknown."""

    def layout(c: Call, shape: Shape) -> Layout:
        tensors = [c.value(name) for name in names if not isinstance(c.value(name), Scalar)]
        is_row_major = all(isinstance(t, TensorFact) and t.layout is ROW_MAJOR for t in tensors)
        return ROW_MAJOR if is_row_major else None

    return layout


def _is_seen_in_part(c: Call) -> bool:
    """Returns whether the prediction is a tensor, and the target one too or unknown.  The loss is a tensor
    then."""
    return c.tensor("input") is not None and (
        c.tensor("target") is not None or isinstance(c.value("target"), (Unknown, Parameter))
    )


# ---- elementwise losses -------------------------------------------------------------------------------------------------


def _elementwise(
    dtype_of: DTypeColumn[Call],
    *,
    may_weigh: bool = False,
    allowed: tuple[str, ...] = _REDUCTIONS,
    layout: LayoutColumn[Call] | None = None,
) -> ResultColumn[Call]:
    def result(c: Call) -> Value:
        if not _is_seen_in_part(c):
            return UNKNOWN_VALUE
        operands: tuple[str, ...] = ("input", "target")
        weighs = c.given("weight") if may_weigh and "weight" in c.args else Tri.NO
        dtype = dtype_of(c) if weighs is Tri.NO else None
        if weighs is Tri.UNKNOWN:
            return UNKNOWN_VALUE
        if weighs is Tri.YES:
            operands = (*operands, "weight")
        arranged = layout or preserved("input", "target")
        return loss_result(
            c,
            operands,
            broadcast("input", "target"),
            dtype,
            arranged if weighs is Tri.NO else lambda c, s: None,
            allowed,
        )

    return result


def _of_both(c: Call) -> DType | None:
    return floating(_alike(c, "input", "target"))


def _of_input(c: Call) -> DType | None:
    return floating(same_dtype(c))


MSE_LOSS = _elementwise(_of_both, may_weigh=True)
L1_LOSS = _elementwise(_of_both, may_weigh=True)
SMOOTH_L1_LOSS = _elementwise(_of_both)
HUBER_LOSS = _elementwise(_of_input, may_weigh=True)
KL_DIV = _elementwise(
    lambda c: floating(promoted("input", "target")(c)), allowed=(*_REDUCTIONS, "batchmean"),
    layout=preserved("target", "input"),
)  # fmt: skip
POISSON_NLL_LOSS = _elementwise(promoted_to_float("input", "target"), layout=row_major_of("input", "target"))
_F = "torch.nn.functional."
_PLAIN = f"input, target, {LEGACY}"
_REGRESSION = (inputs.expanded_over_each_other,)

TABLE.row(
    f"{_F}mse_loss", signature=f"{_PLAIN}, weight=None", result=MSE_LOSS, faults=_REGRESSION,
    opinfo="nn.functional.mse_loss",
)  # fmt: skip
TABLE.row(
    f"{_F}l1_loss", signature=f"{_PLAIN}, weight=None", result=L1_LOSS, faults=_REGRESSION,
    opinfo="nn.functional.l1_loss",
)  # fmt: skip
TABLE.row(
    f"{_F}smooth_l1_loss",
    signature=f"{_PLAIN}, beta=1.0",
    result=SMOOTH_L1_LOSS,
    faults=_REGRESSION,
    opinfo="nn.functional.smooth_l1_loss",
)
TABLE.row(
    f"{_F}huber_loss", signature="input, target, reduction='mean', delta=1.0, weight=None", faults=[positive("delta"), *_REGRESSION],
    result=HUBER_LOSS,
    opinfo="nn.functional.huber_loss",
)  # fmt: skip


def _kl_dtypes(c: Call) -> None:
    must_be_floating(c, "input")
    must_be_floating(c, "target")


TABLE.row(
    f"{_F}kl_div",
    signature=f"{_PLAIN}, log_target=False",
    result=KL_DIV,
    faults=[_kl_dtypes, inputs.log_probabilities_of_kl],
    opinfo="nn.functional.kl_div",
)
TABLE.row(
    f"{_F}poisson_nll_loss",
    signature="input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean'",
    result=POISSON_NLL_LOSS, opinfo="nn.functional.poisson_nll_loss",
)  # fmt: skip


def _soft_margin(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None or not _is_seen_in_part(c):
        return UNKNOWN_VALUE
    if shapes.same(broadcast("input", "target")(c), tensor.shape) is Tri.NO:
        same_sizes(c, "input", "target")
    return loss_result(
        c, ("input", "target"), lambda c: tensor.shape, floating(tensor.dtype), row_major_of("input", "target"),
        differentiable=("input",),
    )  # fmt: skip


def _hinge_embedding(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None or not _is_seen_in_part(c):
        return UNKNOWN_VALUE
    return loss_result(
        c, ("input", "target"), broadcast("input", "target"), floating(tensor.dtype), row_major_of("input", "target"),
        differentiable=("input",),
    )  # fmt: skip


SOFT_MARGIN_LOSS, HINGE_EMBEDDING_LOSS = _soft_margin, _hinge_embedding
TABLE.row(
    f"{_F}soft_margin_loss", signature=_PLAIN, result=_soft_margin, opinfo="nn.functional.soft_margin_loss"
)
TABLE.row(
    f"{_F}hinge_embedding_loss", "torch.hinge_embedding_loss", signature=f"input, target, margin=1.0, {LEGACY}",
    result=_hinge_embedding, opinfo="nn.functional.hinge_embedding_loss",
)  # fmt: skip


# ---- binary cross-entropy -----------------------------------------------------------------------------------------------


def _floating_input(c: Call) -> None:
    must_be_floating(c, "input")


def _bce(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    weights_in_place(c, "weight")
    layout = (
        preserved("input", "target")
        if c.given("weight") is Tri.NO
        else row_major_of("input", "target", "weight")
    )
    return loss_result(c, ("input", "target"), lambda c: tensor.shape, floating(tensor.dtype), layout)


def _bce_with_logits(c: Call) -> Value:
    """Returns the loss of logits, which has the target's dtype."""
    tensor, target = c.tensor("input"), c.tensor("target")
    if tensor is None or not _is_seen_in_part(c):
        return UNKNOWN_VALUE
    weights_in_place(c, "weight", "pos_weight")
    is_plain = c.given("weight") is Tri.NO and c.given("pos_weight") is Tri.NO
    layout = row_major_of("input", "target", "weight", "pos_weight")
    dtype = None
    if target is not None and (is_plain or tensor.dtype == target.dtype):
        dtype = floating(target.dtype)
    return loss_result(
        c,
        ("input", "target"),
        lambda c: tensor.shape,
        dtype,
        layout,
        differentiable=("input", "target", "pos_weight", "weight"),
    )


TABLE.row(
    f"{_F}binary_cross_entropy", signature=f"input, target, weight=None, {LEGACY}",
    opinfo="nn.functional.binary_cross_entropy", result=_bce,
    faults=[inputs.swapped_silently, inputs.probabilities_of_bce, _floating_input, inputs.binary_target],
)  # fmt: skip
TABLE.row(
    f"{_F}binary_cross_entropy_with_logits", signature=f"input, target, weight=None, {LEGACY}, pos_weight=None",
    opinfo="nn.functional.binary_cross_entropy_with_logits", result=_bce_with_logits,
    faults=[inputs.swapped_silently, inputs.logits_of_bce, _floating_input, inputs.binary_target],
)  # fmt: skip


# ---- losses of pairs and triplets ---------------------------------------------------------------------------------------


def _without_last(c: Call, *names: str) -> Shape:
    shape = broadcast(*names)(c)
    return shape[:-1] if shape else None


def _margin_ranking(c: Call) -> Value:
    names = ("input1", "input2", "target")
    tensors = [c.tensor(name) for name in names]
    if not are_known(tensors):
        return UNKNOWN_VALUE
    ranks = {tensor.rank for tensor in tensors}
    if None not in ranks and len(ranks) > 1:
        raise c.broken(
            FaultKind.RANK,
            layer=layer_name(c),
            input=tensors[1],
            expected=(tensors[0].rank,),
            got=tensors[1].rank,
        )
    return loss_result(c, names, broadcast(*names), floating(promoted(*names)(c)), row_major_of(*names))


def _cosine_embedding(c: Call) -> Value:
    names = ("input1", "input2", "target")
    first, second, target = c.tensor("input1"), c.tensor("input2"), c.tensor("target")
    if target is None or first is None or second is None:
        return UNKNOWN_VALUE
    if target.rank is not None and target.rank > 1:
        raise c.broken(FaultKind.RANK, layer=layer_name(c), input=target, expected=(0, 1), got=target.rank)
    rank = None if target.rank is None else target.rank + 1
    for tensor in (first, second):
        if rank is not None and tensor.rank is not None and tensor.rank != rank:
            raise c.broken(
                FaultKind.RANK, layer=layer_name(c), input=tensor, expected=(rank,), got=tensor.rank
            )
    dtype = floating(promoted("input1", "input2")(c))
    return loss_result(
        c,
        names,
        lambda c: _without_last(c, "input1", "input2"),
        dtype,
        row_major_of(*names),
        differentiable=names[:2],
    )


def _triplet(c: Call) -> Value:
    names = ("anchor", "positive", "negative")
    tensors = [c.tensor(name) for name in names]
    if not are_known(tensors):
        return UNKNOWN_VALUE
    ranks = {tensor.rank for tensor in tensors}
    if None not in ranks and len(ranks) > 1:
        other = next(tensor for tensor in tensors if tensor.rank != tensors[0].rank)
        raise c.broken(
            FaultKind.RANK, layer=layer_name(c), input=other, expected=(tensors[0].rank,), got=other.rank
        )
    if "distance_function" in c.args and c.given("distance_function") is not Tri.NO:
        return loss_result(c, names, lambda c: None, None, lambda c, s: None)
    dtype = floating(promoted(*names)(c))
    return loss_result(c, names, lambda c: _without_last(c, *names), dtype, row_major_of(*names))


def _variance_fits(c: Call, tensor: TensorFact, var: TensorFact | Scalar) -> None:
    """Checks that `var` has the input's shape, or that without the last dim, or with one size 1."""
    if (
        not isinstance(var, TensorFact)
        or var.shape is None
        or tensor.shape is None
        or var.rank != tensor.rank
    ):
        return
    for size, expected in zip(var.shape, tensor.shape, strict=True):
        if dims.equal(size, expected) is Tri.NO and dims.equal(size, 1) is Tri.NO:
            raise c.broken(
                FaultKind.SIZE, layer=layer_name(c), input=tensor, target=var, reason="var", size=size
            )


def _gaussian_nll(c: Call) -> Value:
    names = ("input", "target", "var")
    tensor, var = c.tensor("input"), c.value("var")
    if tensor is None or c.tensor("target") is None or not isinstance(var, (TensorFact, Scalar)):
        return UNKNOWN_VALUE
    _variance_fits(c, tensor, var)
    dtype = floating(promoted(*names)(c))
    return loss_result(c, names, lambda c: broadcast("input", "target")(c), dtype, row_major_of(*names))


MARGIN_RANKING_LOSS, COSINE_EMBEDDING_LOSS = _margin_ranking, _cosine_embedding
TRIPLET_MARGIN_LOSS, GAUSSIAN_NLL_LOSS = _triplet, _gaussian_nll
TABLE.row(
    f"{_F}margin_ranking_loss", "torch.margin_ranking_loss", signature=f"input1, input2, target, margin=0, {LEGACY}",
    result=_margin_ranking, opinfo="nn.functional.margin_ranking_loss",
)  # fmt: skip
TABLE.row(
    f"{_F}cosine_embedding_loss", "torch.cosine_embedding_loss", result=_cosine_embedding,
    signature=f"input1, input2, target, margin=0, {LEGACY}", opinfo="nn.functional.cosine_embedding_loss",
)  # fmt: skip
TABLE.row(
    f"{_F}triplet_margin_loss", result=_triplet, opinfo="nn.functional.triplet_margin_loss",
    signature=f"anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, {LEGACY}",
)  # fmt: skip
TABLE.row(
    f"{_F}triplet_margin_with_distance_loss", result=_triplet, opinfo="nn.functional.triplet_margin_with_distance_loss",
    signature="anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction='mean'",
)  # fmt: skip
TABLE.row(
    f"{_F}gaussian_nll_loss", signature="input, target, var, full=False, eps=1e-06, reduction='mean'",
    result=_gaussian_nll, opinfo="nn.functional.gaussian_nll_loss",
)  # fmt: skip


def _ctc(c: Call) -> Value:
    """Returns the CTC loss: (T, N, C) or (T, C) log-probabilities give one loss a sequence."""
    tensor = c.tensor("log_probs")
    if tensor is None:
        return UNKNOWN_VALUE
    each: Shape = None if tensor.shape is None else tensor.shape[1:-1] if tensor.rank in (2, 3) else None
    return loss_result(
        c,
        ("log_probs",),
        lambda c: each,
        floating(tensor.dtype),
        lambda c, shape: ROW_MAJOR,
        differentiable=("log_probs",),
    )


CTC_LOSS = _ctc
TABLE.row(
    f"{_F}ctc_loss", result=_ctc, opinfo="nn.functional.ctc_loss",
    signature="log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', zero_infinity=False",
)  # fmt: skip
