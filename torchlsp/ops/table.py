"""Defines the operator tables: rows, and how a row is applied to a call.

A column that a row leaves out is *unknown*, never "same as the input".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic

from torchlsp.facts import dtype as dtypes
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import Fault
from torchlsp.facts.shape import Shape, TooManyDims
from torchlsp.facts.tensor import ANY_STORAGE, REFUSED, UNKNOWN_GRAD, Storage, TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Repeated, Scalar, TupleValue, Value
from torchlsp.ops.call import (
    Broken,
    Call,
    CallT,
    Check,
    Context,
    DeviceColumn,
    DTypeColumn,
    GradColumn,
    LayerCall,
    LayerState,
    LayoutColumn,
    ResultColumn,
    ShapeColumn,
    StorageColumn,
)
from torchlsp.ops.marks import MARKS
from torchlsp.ops.signature import Arguments, NotBound, parse
from torchlsp.ops.writing import written


def _apart(result: Value, c: Call) -> Value:
    """Gives several tensors that a call creates (`x.max(dim=0)`) different memory."""
    if not isinstance(result, TupleValue):
        return result
    fresh, site = c.fresh_storage(), c.context.site
    items = tuple(
        item.but(storage=Storage(frozenset({f"{site}.{i}"})))
        if i and isinstance(item, TensorFact) and item.storage == fresh
        else item
        for i, item in enumerate(result.items)
    )
    return TupleValue(items, result.names, result.is_size)


@dataclass(frozen=True, slots=True)
class Row(Generic[CallT]):
    """Describes one operator: functions of its call give a column each.

    They are `shape(c)`, `dtype(c)`, `device(c)`, `layout(c, shape)`, `storage(c)` and `grad(c, dtype)`.

    `result(c)` instead gives the whole value, for operators that return several tensors or none.  `faults` are functions of
    the call that raise `c.broken(...)`; `shape` and the others may do so too.  `mutates` names the argument that the
    operator writes to: the result is that argument afterwards.  `opinfo` is the name in torch's op_db, for the cross-check
    (None: the row is checked by tests of its own).  `since`/`until`: versions of torch, inclusive and exclusive.
    """

    names: tuple[str, ...]
    signature: str
    shape: ShapeColumn[CallT] | None = None
    dtype: DTypeColumn[CallT] | None = None
    device: DeviceColumn[CallT] | None = None
    layout: LayoutColumn[CallT] | None = None
    storage: StorageColumn[CallT] | None = None
    grad: GradColumn[CallT] | None = None
    faults: tuple[Check[CallT], ...] = ()
    result: ResultColumn[CallT] | None = None
    mutates: str | None = None
    opinfo: str | None = None
    provenance: str | None = None
    since: str | None = None
    until: str | None = None

    def apply(
        self: Row[Call], name: str, arguments: Arguments, context: Context
    ) -> tuple[Value, list[Fault]]:
        """Returns the result of a call and the contracts it breaks.

        A broken contract makes the result Unknown, as does a number that is too large.
        """
        try:
            bound = parse(self.signature).bind(arguments)
        except NotBound:
            return UNKNOWN_VALUE, []
        return self.run(Call(name, bound, context))

    def run(self, c: CallT) -> tuple[Value, list[Fault]]:
        """Returns the result of a call whose arguments are bound, and the contracts it breaks."""
        try:
            for check in self.faults:
                check(c)
            value = self.tensor(c) if self.result is None else _apart(self.result(c), c)
        except Broken as broken:
            c.faults.append(broken.fault)
            value = self.if_right(c) if broken.result is UNKNOWN_VALUE else broken.result
        except (TooManyDims, OverflowError):
            value = UNKNOWN_VALUE  # a number that no tensor has, or no float can hold
        if not _holds_tensors(value) and _is_refused(c) and value != _SOME_FLOAT:
            value = UNKNOWN_VALUE  # a size, or another number
        marked = MARKS.get(c.name)
        return (value if marked is None else marked(c, value)), c.faults

    def if_right(self, c: CallT) -> Value:
        """Returns what stays true of the result of a call that breaks a contract, once it is right: dtype and device, of a loss
        also that it has no dims.

        Where neither is known, it is still marked: what takes it for its operand proves nothing, since it is never reached.
        """
        if self.result is not None and c.text("reduction") in ("mean", "sum"):
            return _refused(c.make((), _one_dtype(c, is_loss=True)))
        if self.result is not None and c.name in _GIVE_ONE_TENSOR:
            return _refused(c.make(None, _one_dtype(c)))
        if self.result is not None or self.dtype is None or self.mutates is not None:
            return UNKNOWN_VALUE
        try:
            return _refused(c.make(None, self.dtype(c), self.device(c) if self.device else None))
        except Broken:
            return UNKNOWN_VALUE

    def tensor(self, c: CallT) -> TensorFact:
        """Makes the tensor that the six columns describe."""
        shape = self.shape(c) if self.shape else None
        dtype = self.dtype(c) if self.dtype else None
        device = self.device(c) if self.device else None
        layout = self.layout(c, shape) if self.layout else None
        storage = self.storage(c) if self.storage else ANY_STORAGE
        grad = self.grad(c, dtype) if self.grad else UNKNOWN_GRAD
        return c.make(shape, dtype, device, layout, storage, grad, self.provenance)


_SOME_FLOAT = Scalar("float")
"""What `item()` gives of a tensor of floats: nothing of it rests on the tensor's sizes."""


def _refused(made: TensorFact) -> TensorFact:
    return made.but(assumed=made.assumed | {REFUSED})


def _one_dtype(c: Call, is_loss: bool = False) -> DType | None:
    """Returns the dtype that all operands have, the parameters of the layer included; of a loss those that are floating."""
    found: set[DType | None] = set()
    for value in c.args.values():
        for one in c.context.elements(value) or (value,):
            if isinstance(one, TensorFact) and not (is_loss and one.dtype in dtypes.INTEGRAL):
                found.add(one.dtype)
    if c.layer is not None and not is_loss:
        found.add(c.layer.dtype)
    return found.pop() if len(found) == 1 else None


def _is_refused(c: Call) -> bool:
    """Returns whether an operand is what a call that torch refuses would have given."""
    for value in c.args.values():
        if type(value) is TensorFact and REFUSED in value.assumed:
            return True
    return False


def _holds_tensors(value: Value) -> bool:
    """Returns whether a result is tensors only, each of which carries the marks of the operands."""
    match value:
        case TupleValue(items=items, is_size=False):
            return bool(items) and all(isinstance(item, TensorFact) for item in items)
        case Repeated(element=element):
            return isinstance(element, TensorFact)
    return isinstance(value, TensorFact)


_GIVE_ONE_TENSOR = frozenset(
    [f"torch.nn.{name}" for name in (
        "Linear LazyLinear Bilinear Embedding EmbeddingBag Identity Flatten Unflatten LayerNorm RMSNorm GroupNorm GRUCell RNNCell "
        "TransformerEncoderLayer TransformerDecoderLayer TransformerEncoder TransformerDecoder Transformer PReLU Upsample "
        "PixelShuffle PixelUnshuffle AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d"
    ).split()]
    + [f"torch.nn.{name}{rank}d" for name in (
        "Conv ConvTranspose LazyConv LazyConvTranspose BatchNorm LazyBatchNorm InstanceNorm LazyInstanceNorm"
    ).split() for rank in (1, 2, 3)]
    + [f"{kind}.{name}" for kind in ("torch", "Tensor") for name in (
        "matmul mm bmm mv dot addmm addmv baddbmm addbmm outer inner where gather index_select take_along_dim masked_fill"
    ).split()]
    + [f"torch.{name}" for name in "cat concat concatenate stack hstack vstack dstack einsum tensordot cdist".split()]
    + [f"torch.nn.functional.{name}" for name in (
        "linear bilinear embedding layer_norm batch_norm group_norm instance_norm scaled_dot_product_attention grid_sample"
    ).split()]
    + ["Tensor.__matmul__", "Tensor.__rmatmul__", "Tensor.__getitem__"]
)  # fmt: skip
"""Operators and layers with a result of their own that is always one tensor."""


class Table:
    """Holds the rows of operators by name."""

    def __init__(self) -> None:
        self.rows: dict[str, Row[Call]] = {}

    def row(
        self,
        *names: str,
        signature: str = "input",
        shape: ShapeColumn[Call] | None = None,
        dtype: DTypeColumn[Call] | None = None,
        device: DeviceColumn[Call] | None = None,
        layout: LayoutColumn[Call] | None = None,
        storage: StorageColumn[Call] | None = None,
        grad: GradColumn[Call] | None = None,
        faults: Iterable[Check[Call]] = (),
        result: ResultColumn[Call] | None = None,
        mutates: str | None = None,
        opinfo: str | None = None,
        provenance: str | None = None,
        since: str | None = None,
        until: str | None = None,
        inplace: bool = False,
    ) -> Row[Call]:
        """Adds an operator under all its names.

        `inplace`: torch has the same operator with a trailing underscore, which writes to its first argument; that row is
        derived.  A name may be given once only.
        """
        row: Row[Call] = Row(
            names, signature, shape, dtype, device, layout, storage, grad, tuple(faults), result, mutates,
            opinfo, provenance, since, until,
        )  # fmt: skip
        for name in names:
            self._add(name, row)
        if inplace:
            twin: Row[Call] = Row(
                tuple(f"{name}_" for name in names), signature, faults=row.faults, mutates=_first_name(signature),
                result=_Inplace(row), opinfo=row.opinfo,
            )  # fmt: skip
            for name in twin.names:
                self._add(name, twin)
        return row

    def _add(self, name: str, row: Row[Call]) -> None:
        if name in self.rows:
            raise ValueError(f"two rows for {name}")
        self.rows[name] = row


def _first_name(signature: str) -> str:
    return signature.split(",")[0].split(":")[0].split("=")[0].strip()


@dataclass(frozen=True, slots=True)
class _Inplace:
    """Returns the result of an in-place form: the written tensor, whose shape, dtype and strides stay."""

    row: Row[Call]

    def __call__(self, c: Call) -> Value:
        target = c.args.get(_first_name(self.row.signature))
        if not isinstance(target, TensorFact):
            return UNKNOWN_VALUE
        row = self.row
        return written(c, target, row.shape, row.dtype, row.device)


@dataclass(frozen=True, slots=True)
class LayerRow:
    """Describes a torch.nn class: its constructor's `signature`, `forward` row, and parameters' shapes.

    `parameters(state)` gives the attribute names that are parameters or buffers with their shapes; `owns_parameters`
    False for layers such as ReLU that have nothing to train.  `moduleinfo` is the name in torch's module_db.
    In the forward row, `c.layer` is the LayerState.
    """

    names: tuple[str, ...]
    signature: str
    forward: Row[LayerCall]
    parameters: Callable[[LayerState], dict[str, Shape]] | None = None
    owns_parameters: bool = True
    moduleinfo: str | None = None
    built: Check[Call] | None = None
    """What the constructor refuses: a function of its call that raises `c.broken(...)`."""

    def configure(self, arguments: Arguments) -> dict[str, Value] | None:
        """Returns constructor arguments by name; None when they do not fit."""
        try:
            return parse(self.signature).bind(arguments)
        except NotBound:
            return None

    def refused(self, name: str, config: dict[str, Value], context: Context) -> list[Fault]:
        """Returns the contracts of the constructor that these arguments break."""
        try:
            if self.built is not None:
                self.built(Call(name, config, context))
        except Broken as broken:
            return [broken.fault]
        return []

    def call(
        self, name: str, arguments: Arguments, context: Context, state: LayerState
    ) -> tuple[Value, list[Fault]]:
        """Returns the result of calling the layer."""
        try:
            bound = parse(self.forward.signature).bind(arguments)
        except NotBound:
            return UNKNOWN_VALUE, []
        return self.forward.run(LayerCall(name, bound, context, state))


class LayerTable:
    def __init__(self) -> None:
        self.rows: dict[str, LayerRow] = {}

    def row(
        self, *names: str, signature: str = "", forward: str = "input",
        parameters: Callable[[LayerState], dict[str, Shape]] | None = None, owns_parameters: bool = True,
        moduleinfo: str | None = None, faults: Iterable[Check[LayerCall]] = (), built: Check[Call] | None = None,
        result: ResultColumn[LayerCall] | None = None,
    ) -> LayerRow:  # fmt: skip
        """Adds a layer class: `signature` is its constructor's.

        `forward`, `faults`, `result` are of its call.
        """
        row = LayerRow(
            names,
            signature,
            Row(names, forward, faults=tuple(faults), result=result),
            parameters,
            owns_parameters,
            moduleinfo,
            built,
        )
        for name in names:
            if name in self.rows:
                raise ValueError(f"two rows for {name}")
            self.rows[name] = row
        return row


TABLE = Table()
LAYERS = LayerTable()
