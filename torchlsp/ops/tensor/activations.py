"""Evaluates activations, softmax and dropout: elementwise functions of torch.nn.functional, most with an
`inplace` flag."""

from __future__ import annotations

from collections.abc import Iterable

from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import ANY_STORAGE, UNKNOWN_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import FALSE, NONE, TRUE, UNKNOWN_VALUE, Scalar, Value
from torchlsp.ops.call import (
    Call,
    Check,
    Columns,
    DTypeColumn,
    GradColumn,
    LayoutColumn,
    ResultColumn,
    ShapeColumn,
)
from torchlsp.ops.columns import (
    NOT_FLOATING,
    but,
    fresh,
    given_dtype_or,
    grad_of_view,
    normal_dim,
    pointwise,
    promoted_to_float,
    row_major,
    same_device,
    same_dtype,
    same_shape,
    through_of,
    widened,
)
from torchlsp.ops.marks import MASKED_WITH
from torchlsp.ops.memory_order import elementwise_layout
from torchlsp.ops.table import TABLE, Row
from torchlsp.ops.writing import written

FUNCTIONAL = "torch.nn.functional."

NOT_REAL_FLOATING = NOT_FLOATING | dtypes.COMPLEX


def takes_only(kinds_refused: frozenset[str]) -> Check[Call]:
    """Makes the check that refuses an input whose dtype has no kernel."""

    def check(c: Call) -> None:
        tensor = c.tensor("input")
        if tensor is not None and tensor.dtype in kinds_refused:
            raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype, expected="floating")

    return check


def with_inplace_flag(plain: Row[Call]) -> ResultColumn[Call]:
    """Makes the result column of a function with an `inplace` flag, from the row that creates a new tensor.

    The result is a new tensor, or the written input.  A flag that is not known gives the new tensor with unknown memory.
    """

    def result(c: Call) -> Value:
        flag = c.flag("inplace")
        target = c.tensor("input")
        for check in plain.faults:
            check(c)
        if flag is True and target is not None:
            return written(c, target, plain.shape, plain.dtype, plain.device)
        made = plain.tensor(c)
        return made if flag is False else made.but(storage=ANY_STORAGE)

    return result


_SAME = pointwise("input", dtype=same_dtype)


def _row_major_of_row_major(c: Call, shape: Shape) -> Layout:
    tensor = c.tensor("input")
    return ROW_MAJOR if tensor is not None and tensor.layout is ROW_MAJOR else None


def _activation(
    name: str,
    *aliases: str,
    signature: str = "input, inplace=False",
    refuses: frozenset[str] = NOT_REAL_FLOATING,
    twin: bool = True,
    columns: Columns = _SAME,
) -> None:
    """Adds a function with an `inplace` flag, and its twin `name_` where torch has one."""
    faults = (takes_only(refuses),) if refuses else ()
    plain: Row[Call] = Row((), signature, faults=faults, **columns)
    TABLE.row(
        FUNCTIONAL + name, *aliases, signature=signature, opinfo=f"nn.functional.{name}",
        result=with_inplace_flag(plain),
    )  # fmt: skip
    if twin:
        TABLE.row(
            f"{FUNCTIONAL}{name}_", signature=signature.replace(", inplace=False", ""), mutates="input",
            opinfo=f"nn.functional.{name}", faults=faults, result=lambda c: _write(c, plain),
        )  # fmt: skip


def _write(c: Call, row: Row[Call]) -> Value:
    target = c.tensor("input")
    return UNKNOWN_VALUE if target is None else written(c, target, row.shape, row.dtype, row.device)


_activation("relu", refuses=frozenset({"bool"}) | dtypes.COMPLEX)
TABLE.row("torch.relu", "Tensor.relu", inplace=True, opinfo="nn.functional.relu",
          faults=[takes_only(frozenset({"bool"}) | dtypes.COMPLEX)], **_SAME)  # fmt: skip
_activation("relu6", refuses=dtypes.COMPLEX | {"bool"}, twin=False)
_activation("elu", signature="input, alpha=1.0, inplace=False")
_activation("celu", signature="input, alpha=1.0, inplace=False")
_activation("selu")
for _name in ("celu", "selu"):
    TABLE.row(f"torch.{_name}", signature="input, alpha=1.0" if _name == "celu" else "input", inplace=True,
              opinfo=f"nn.functional.{_name}", faults=[takes_only(NOT_REAL_FLOATING)], **_SAME)  # fmt: skip
_activation("silu", refuses=NOT_FLOATING, twin=False)
_activation("mish", twin=False)
_activation("hardswish", twin=False)
_activation("hardsigmoid", twin=False)
_activation("leaky_relu", signature="input, negative_slope=0.01, inplace=False")
_activation(
    "hardtanh", signature="input, min_val=-1.0, max_val=1.0, inplace=False", refuses=dtypes.COMPLEX | {"bool"}
)
_activation(
    "threshold", signature="input, threshold, value, inplace=False", refuses=dtypes.COMPLEX | {"bool"}
)
_activation(
    "rrelu",
    signature="input, lower=0.125, upper=0.3333333333333333, training=False, inplace=False",
    columns=but(_SAME, layout=_row_major_of_row_major),
)


def _unary(
    name: str,
    *aliases: str,
    signature: str = "input",
    refuses: frozenset[str] = NOT_REAL_FLOATING,
    opinfo: str | None = None,
    faults: Iterable[Check[Call]] = (),
    provenance: str | None = None,
    shape: ShapeColumn[Call] | None = None,
    dtype: DTypeColumn[Call] | None = None,
    layout: LayoutColumn[Call] | None = None,
    grad: GradColumn[Call] | None = None,
) -> None:
    faults = [*([takes_only(refuses)] if refuses else []), *faults]
    TABLE.row(FUNCTIONAL + name, *aliases, signature=signature, opinfo=opinfo or f"nn.functional.{name}", faults=faults,
              provenance=provenance, **but(_SAME, shape=shape, dtype=dtype, layout=layout, grad=grad))  # fmt: skip


_unary("gelu", signature="input, approximate='none'")
_unary("softplus", signature="input, beta=1.0, threshold=20.0", dtype=lambda c: widened(c, same_dtype(c)))
_unary("softshrink", signature="input, lambd=0.5")
_unary("hardshrink", "torch.hardshrink", "Tensor.hardshrink", signature="input, lambd=0.5")
_unary("logsigmoid", layout=row_major)
_unary("tanhshrink", refuses=frozenset({"bool"}), dtype=promoted_to_float("input"))
_unary("softsign", refuses=frozenset(), dtype=promoted_to_float("input"))
_unary(
    "sigmoid", refuses=frozenset(), opinfo="sigmoid", dtype=promoted_to_float("input"), provenance="sigmoid"
)
_unary("tanh", refuses=frozenset(), opinfo="tanh", dtype=promoted_to_float("input"))


def _glu_shape(c: Call) -> Shape:
    """Returns the input's shape with the named dim halved; an odd size is a fault."""
    tensor = c.tensor("input")
    dim = normal_dim(c, "dim", tensor)
    if dim is None or tensor is None or tensor.shape is None:
        return None
    if not tensor.shape:
        raise c.broken(FaultKind.RANK, input=tensor, expected="1 or more", got=0)
    size = tensor.shape[dim]
    if isinstance(size, int) and size % 2:
        raise c.broken(FaultKind.SIZE, input=tensor, dim=dim, size=size, reason="odd")
    return tuple(s // 2 if i == dim else s for i, s in enumerate(tensor.shape))


def _glu_layout(c: Call, shape: Shape) -> Layout:
    """Returns the layout of an elementwise operator on the two halves, which are views of the input."""
    tensor = c.tensor("input")
    if tensor is None or tensor.layout is ROW_MAJOR:
        return ROW_MAJOR if tensor is not None else None
    return elementwise_layout([tensor.but(shape=shape)], shape)


_unary("glu", signature="input, dim: int = -1", shape=_glu_shape, layout=_glu_layout)


def _weight_fits(c: Call) -> None:
    """Raises a fault unless PReLU has one weight, or one for every channel (dim 1)."""
    tensor, weight = c.tensor("input"), c.tensor("weight")
    if tensor is None or weight is None or tensor.shape is None or weight.shape is None:
        return
    if len(weight.shape) > 1:
        raise c.broken(FaultKind.RANK, input=weight, expected="0 or 1", got=weight.rank)
    if c.context.autocast is Tri.NO and tensor.dtype and weight.dtype and tensor.dtype != weight.dtype:
        raise c.broken(FaultKind.DTYPE_MISMATCH, left=tensor, right=weight)
    if not tensor.shape or not weight.shape:
        return
    channels = tensor.shape[1] if len(tensor.shape) > 1 else 1
    if dims.equal(weight.shape[0], 1) is Tri.NO and dims.equal(weight.shape[0], channels) is Tri.NO:
        raise c.broken(
            FaultKind.SIZE, input=tensor, size=channels, expected=weight.shape[0], reason="channels"
        )


def _alone(c: Call, shape: Shape) -> Layout:
    tensor = c.tensor("input")
    return None if tensor is None else elementwise_layout([tensor], shape)


_unary("prelu", "torch.prelu", "Tensor.prelu", signature="input, weight",
       dtype=lambda c: same_dtype(c) if c.context.autocast is Tri.NO else None, faults=[_weight_fits], layout=_alone,
       grad=through_of("input", "weight"))  # fmt: skip

# ---- softmax ------------------------------------------------------------------------------------------------------------


def _dim_in_range(c: Call) -> None:
    normal_dim(c, "dim", c.tensor("input"))


def _masked_with_more(c: Call) -> None:
    """Reports scores that are masked with infinity, which makes nan, or with a small number, which takes nothing out."""
    tensor = c.tensor("input")
    if tensor is not None and (tensor.provenance or "").startswith(MASKED_WITH):
        value = float((tensor.provenance or "").removeprefix(MASKED_WITH))
        c.faults.append(c.broken(FaultKind.MASKED_WITH_MORE, input=tensor, value=value).fault)


_PRODUCTS = frozenset("matmul __matmul__ __rmatmul__ bmm baddbmm einsum".split())
_JOINED = frozenset("stack cat concat Conv2d conv2d ConvTranspose2d conv_transpose2d".split())
"""Operators whose result of three dims has in dim 0 what is compared: the joined tensors, the channels of one image."""
_PARTS = frozenset("__getitem__ select squeeze".split())
_MOVES = frozenset("transpose permute swapaxes movedim".split())
_SAME_DIMS = frozenset(
    "mul __mul__ __rmul__ div __truediv__ true_divide add __add__ sub __sub__ masked_fill where dropout Dropout".split()
)
_MAX_ORIGINS = 8


def _dim_meant(c: Call) -> None:
    """Reports a dim that torch guesses and that is hardly the one meant: the samples of three dims, the heads of scores."""
    tensor = c.tensor("input")
    if tensor is None or tensor.rank is None or tensor.rank < 3 or c.value("dim") != NONE:
        return
    if _is_batch_first(tensor) if tensor.rank == 3 else _is_product(tensor):
        c.faults.append(c.broken(FaultKind.IMPLICIT_DIM, input=tensor, dim=int(tensor.rank > 3)).fault)


def _is_product(tensor: TensorFact) -> bool:
    """Returns whether a tensor is a product of matrices: its dim 1 counts them, and rows are what is normalised."""
    return _name_of_maker(_source(tensor)) in _PRODUCTS


def _is_batch_first(tensor: TensorFact) -> bool:
    """Returns whether nothing shows that a tensor of three dims is one item of a batch, or joined from others."""
    source = _source(tensor)
    name = _name_of_maker(source)
    if name in _PARTS and source.origin is not None:
        return all(parent.rank == 3 for parent in source.origin.parents[:1])
    if name in _MOVES and source.origin is not None and source.shape is not None:
        # What is put first on purpose is what torch takes.
        return all(one.shape is None or one.shape[0] == source.shape[0] for one in source.origin.parents[:1])
    return name not in _JOINED


def _source(tensor: TensorFact) -> TensorFact:
    """Returns the tensor that was scaled, shifted or masked to this one."""
    for _ in range(_MAX_ORIGINS):
        origin = tensor.origin
        if origin is None or not origin.parents or _name_of_maker(tensor) not in _SAME_DIMS:
            break
        tensor = origin.parents[0]
    return tensor


def _name_of_maker(tensor: TensorFact) -> str:
    return "" if tensor.origin is None else tensor.origin.op.rpartition(".")[2]


def _soft_dtype(c: Call) -> DType | None:
    """Returns the input's own dtype, or `dtype=`."""
    return given_dtype_or(lambda c: widened(c, same_dtype(c)))(c)


def _refuse_integers(c: Call) -> None:
    tensor = c.tensor("input")
    if c.given("dtype") is Tri.NO and tensor is not None and tensor.dtype in NOT_FLOATING:
        raise c.broken(FaultKind.DTYPE, input=tensor, dtype=tensor.dtype, expected="floating")


def _soft_layout(c: Call, shape: Shape) -> Layout:
    """Returns row-major: a conversion by `dtype=` keeps strides, the kernel after it does not."""
    return row_major(c, shape)


_SOFT: Columns = {
    "shape": same_shape, "dtype": _soft_dtype, "device": same_device, "layout": _soft_layout, "storage": fresh,
    "grad": through_of("input"),
}  # fmt: skip
for _name, _methods in {
    "softmax": ("torch.softmax", "Tensor.softmax", "torch.special.softmax"),
    "log_softmax": ("torch.log_softmax", "Tensor.log_softmax", "torch.special.log_softmax"),
}.items():
    for _names, _signature, _more in (
        (_methods, "input, dim: int, dtype=None", ()),
        ((FUNCTIONAL + _name,), "input, dim=None, _stacklevel=3, dtype=None", (_dim_meant,)),
    ):
        TABLE.row(
            *_names, signature=_signature, faults=[_dim_in_range, _refuse_integers, _masked_with_more, *_more],
            provenance=_name, opinfo=_name, **_SOFT
        )  # fmt: skip
TABLE.row(
    FUNCTIONAL + "softmin", signature="input, dim=None, _stacklevel=3, dtype=None", opinfo="nn.functional.softmin",
    faults=[_dim_in_range, _refuse_integers, _dim_meant], provenance="softmax", **_SOFT,
)  # fmt: skip
TABLE.row(
    FUNCTIONAL + "gumbel_softmax", signature="logits, tau=1, hard=False, eps=1e-10, dim: int = -1",
    shape=lambda c: same_shape(c, "logits"), dtype=lambda c: same_dtype(c, "logits"), device=lambda c: same_device(c, "logits"),
    storage=fresh, grad=through_of("logits"), provenance="softmax",
)  # fmt: skip

# ---- dropout ------------------------------------------------------------------------------------------------------------


def _number(value: Value) -> float | None:
    return value.value if isinstance(value, Scalar) and isinstance(value.value, (int, float)) else None


def _dropped(c: Call) -> Value:
    """Returns the result of dropout: the input itself where it does nothing (not training, or p = 0)."""
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    training, p = c.flag("training"), _number(c.value("p"))
    if p is not None and not 0 <= p <= 1:
        raise c.broken(FaultKind.ARGUMENT, input=tensor, argument="p", value=p)
    if training is False or p == 0:
        unbatched = _UNBATCHED_RANK.get(c.name.rpartition(".")[2])
        if unbatched is None or (tensor.rank is not None and tensor.rank != unbatched):
            return tensor
        return c.make(
            tensor.shape, tensor.dtype, tensor.device, tensor.layout, tensor.storage,
            grad_of_view(c, tensor) if tensor.rank == unbatched else UNKNOWN_GRAD,
        )  # fmt: skip
    if c.flag("inplace") is True:
        return written(c, tensor, same_shape, same_dtype)
    grad = through_of("input")(c, tensor.dtype)
    if training is True and p is not None and c.flag("inplace") is False and 0 not in (tensor.shape or (0,)):
        layout = elementwise_layout([tensor], tensor.shape)
        return c.make(tensor.shape, tensor.dtype, tensor.device, layout, fresh(c), grad)
    layout = tensor.layout if tensor.layout is row_major(c, None) else None
    either = tensor.storage.join(fresh(c)) if tensor.storage.ids is not None else ANY_STORAGE
    return c.make(tensor.shape, tensor.dtype, tensor.device, layout, either, grad.join(tensor.grad))


_UNBATCHED_RANK = {"dropout1d": 2, "dropout3d": 4}
"""Inputs of this rank get a batch dim and lose it again: the result is a view even where nothing is dropped."""

_DROPOUT = "input, p=0.5, training=True, inplace=False"
TABLE.row(FUNCTIONAL + "dropout", signature=_DROPOUT, opinfo="nn.functional.dropout", result=_dropped)
for _name, _opinfo in {
    "alpha_dropout": "nn.functional.alpha_dropout", "dropout1d": None, "dropout2d": "nn.functional.dropout2d",
    "dropout3d": "nn.functional.dropout3d", "feature_alpha_dropout": "nn.functional.feature_alpha_dropout.with_train",
}.items():  # fmt: skip
    _training = "False" if "alpha" in _name else "True"
    TABLE.row(FUNCTIONAL + _name, signature=_DROPOUT.replace("training=True", f"training={_training}"), opinfo=_opinfo,
              result=_dropped)  # fmt: skip
TABLE.row("torch.dropout", signature="input, p, train", result=lambda c: _dropped_by_train(c))
TABLE.row(
    "torch.dropout_",
    signature="input, p, train",
    mutates="input",
    result=lambda c: _dropped_by_train(c, True),
)


def _dropped_by_train(c: Call, inplace: bool = False) -> Value:
    return _dropped(
        Call(
            c.name, {**c.args, "training": c.value("train"), "inplace": TRUE if inplace else FALSE}, c.context
        )
    )
