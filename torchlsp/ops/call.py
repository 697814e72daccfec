"""Defines a call of an operator or layer: its bound arguments, its place and modes, and the contracts it
breaks."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Sequence
from typing import TypedDict, TypeGuard, TypeVar, overload

from torchlsp.core.records import dataclass, field
from torchlsp.facts import dim as dims
from torchlsp.facts.device import CPU, Device, parse
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.layout import Layout
from torchlsp.facts.shape import MAX_RANK, Shape
from torchlsp.facts.tensor import (
    ANY_STORAGE,
    ONLY_SHAPED,
    REFUSED,
    UNKNOWN_GRAD,
    Grad,
    Origin,
    Storage,
    TensorFact,
)
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import (
    UNKNOWN_VALUE,
    BoundExternal,
    DeviceValue,
    DTypeValue,
    External,
    Parameter,
    Scalar,
    TupleValue,
    Unknown,
    Value,
    as_dim,
    as_int,
)  # fmt: skip

PYTHON_TYPES: dict[str, DType] = {
    "builtins.float": "f64", "builtins.int": "i64", "builtins.bool": "bool", "builtins.complex": "c128",
}  # fmt: skip
"""What `dtype=float` means to torch."""

LASTING_ASSUMPTIONS = frozenset({"matrix", "batched", "mask", "module", ONLY_SHAPED, REFUSED})
"""Assumptions that a tensor's shape or device may depend on: every fault that names such a tensor depends on
them too."""


OF_EVERY_FAULT = frozenset({"module", ONLY_SHAPED, REFUSED})
"""Those on which it depends whether there is a tensor at all: also what is said of its graph or its memory depends on them."""


def assumed_of_operands(fault: Fault) -> frozenset[str]:
    """Returns what any fault about these tensors rests on, whatever it says of them."""
    found: frozenset[str] = frozenset()
    for _, value in fault.data:
        if isinstance(value, TensorFact) and value.assumed:
            found |= value.assumed & OF_EVERY_FAULT
    return found


class Broken(Exception):
    """Signals a contract that is provably broken; carries the Fault.

    `result` is what the call would have given, had it been right: analysis goes on with it, so that one mistake does not
    hide the next.
    """

    def __init__(self, fault: Fault, result: Value = UNKNOWN_VALUE):
        super().__init__(fault.kind)
        self.fault = fault
        self.result = result

    def giving(self, result: Value) -> "Broken":
        self.result = result
        return self

    def showing(self, result: TensorFact) -> "Broken":
        """Sets what is shown as the call's result, where it may well be another one once the call is right."""
        return self.giving(result.but(assumed=result.assumed | {REFUSED}))


@dataclass(frozen=True, slots=True)
class Context:
    """Holds where and under which modes an operator is called.

    `site` names the call uniquely (it makes the names of fresh sizes and storages); `start`/`end` are its span, `now` is the
    moment of the call, see `Origin.at`.
    `elements` reads a container: a Value to the tuple of its items, or None when they are not known.  `held` reads a list
    whose items are not known one by one as a `Repeated`.
    """

    site: str = "0"
    start: int = 0
    end: int = 0
    path: str | None = None
    grad_mode: Tri = Tri.YES
    inference: Tri = Tri.NO
    autocast: Tri = Tri.NO
    default_dtype: DType | None = "f32"
    default_device: Device | None = CPU
    now: int = 0
    elements: Callable[[Value], tuple[Value, ...] | None] = field(
        default=lambda value: value.items if isinstance(value, TupleValue) else None
    )
    held: Callable[[Value], Value] = field(default=lambda value: value)


@dataclass(frozen=True, slots=True)
class LayerState:
    """Holds what a layer carries between calls: its constructor's arguments, device, dtype and modes.

    `requires_grad`: of its parameters.  `dtype` None is unknown.  `memory_format` of its parameters is `row-major`,
    `channels_last` (after `model.to(memory_format=torch.channels_last)`) or None, unknown.
    """

    config: dict[str, Value]
    device: Device | None = CPU
    dtype: DType | None = "f32"
    training: Tri = Tri.YES
    requires_grad: Tri = Tri.YES
    memory_format: str | None = "row-major"
    ref: str = ""

    def value(self, name: str) -> Value:
        return self.config.get(name, UNKNOWN_VALUE)

    def dim(self, name: str) -> Dim | None:
        return as_dim(self.value(name))

    def int(self, name: str) -> int | None:
        return as_int(self.value(name))

    def flag(self, name: str) -> bool | None:
        value = self.value(name)
        if isinstance(value, Scalar):
            return (
                False
                if value.kind == "none"
                else bool(value.value)
                if isinstance(value.value, (bool, int))
                else None
            )
        return None

    def text(self, name: str) -> str | None:
        value = self.value(name)
        return value.value if isinstance(value, Scalar) and isinstance(value.value, str) else None

    def pair(self, name: str, rank: builtins.int) -> tuple[Dim | None, ...] | None:
        """Returns a per-dim option given as one number or as `rank` numbers: `kernel_size=3`, `(3, 5)`."""
        value = self.value(name)
        single = as_dim(value)
        if single is not None:
            return (single,) * rank
        if isinstance(value, TupleValue) and len(value.items) == rank:
            return tuple(as_dim(item) for item in value.items)
        return None


class Call:
    """Holds the bound arguments of one call, with methods for what columns need of them.

    Every question answers None when the answer is not known.
    """

    __slots__ = ("name", "args", "context", "layer", "faults")

    def __init__(self, name: str, args: dict[str, Value], context: Context, layer: LayerState | None = None):
        self.name = name
        self.args = args
        self.context = context
        self.layer = layer
        self.faults: list[Fault] = []

    def value(self, name: str) -> Value:
        return self.args.get(name, UNKNOWN_VALUE)

    def tensor(self, name: str) -> TensorFact | None:
        """Returns the tensor passed, or None (an absent optional, a number, something unknown)."""
        value = self.args.get(name)
        return value if isinstance(value, TensorFact) else None

    def given(self, name: str) -> Tri:
        """Returns whether an argument was passed that is not None."""
        value = self.args.get(name, UNKNOWN_VALUE)
        if isinstance(value, Scalar) and value.kind == "none":
            return Tri.NO
        return Tri.UNKNOWN if isinstance(value, (Unknown, Parameter, BoundExternal)) else Tri.YES

    def int(self, name: str) -> int | None:
        return as_int(self.value(name))

    def dim(self, name: str) -> Dim | None:
        """Returns a size, symbolic or not."""
        return as_dim(self.value(name))

    def flag(self, name: str) -> bool | None:
        value = self.value(name)
        if isinstance(value, Scalar):
            if value.kind == "none":
                return False
            if isinstance(value.value, (bool, int)):
                return bool(value.value)
        return None

    def text(self, name: str) -> str | None:
        value = self.value(name)
        return value.value if isinstance(value, Scalar) and isinstance(value.value, str) else None

    def items(self, name: str) -> tuple[Value, ...] | None:
        """Returns the elements of a tuple or list argument."""
        return self.context.elements(self.value(name))

    def tensors(self, name: str) -> list[TensorFact] | None:
        """Returns the tensors of a sequence argument; None unless every element is known to be a tensor."""
        items = self.items(name)
        return list(items) if items is not None and are_tensors(items) else None

    def sizes(self, name: str) -> tuple[Dim | None, ...] | None:
        """Returns a size argument (`*size`, a tuple, a list, one int) as sizes; None for those not known."""
        value = self.value(name)
        if isinstance(value, Parameter):
            return None  # one number or a whole shape: not known
        single = as_dim(value)
        if single is not None:
            return (single,)
        items = self.items(name)
        return None if items is None else tuple(as_dim(item) for item in items)

    def ints(self, name: str) -> tuple[builtins.int, ...] | None:
        sizes = self.sizes(name)
        return sizes if sizes is not None and are_ints(sizes) else None

    def dtype(self, name: str = "dtype") -> DType | None:
        value = self.value(name)
        if isinstance(value, External):
            return PYTHON_TYPES.get(value.name)
        return value.dtype if isinstance(value, DTypeValue) else None

    def device(self, name: str = "device") -> Device | None:
        value = self.value(name)
        if isinstance(value, DeviceValue):
            return value.device
        if isinstance(value, Scalar) and isinstance(value.value, str):
            return parse(value.value)
        if isinstance(value, Scalar) and value.kind == "int" and isinstance(value.value, int):
            return Device("cuda", value.value)
        return None

    def fresh(self, what: object = "") -> Dim:
        """Returns the symbol of a size that no law determines, the same for each analysis of this call."""
        return dims.symbol(f"?{self.context.site}.{what}")

    def free(self, name: str) -> Dim:
        """Returns a generic size of this call, shown as `name`: one that the program leaves open, as `B` is.

        The digits behind the @ make it unique and are not shown.
        """
        return dims.symbol(f"{name}@{''.join(filter(str.isdigit, self.context.site))}")

    def fresh_storage(self) -> Storage:
        """Returns memory that this call allocates, marked in inference mode (see `Storage.is_inference`)."""
        site = self.context.site
        return Storage(frozenset({f"{site}!" if self.context.inference is Tri.YES else site}))

    def broken(self, kind: FaultKind, assumptions: Iterable[str] = (), **data: object) -> Broken:
        """Returns the exception to raise for a broken contract: `raise c.broken(FaultKind.RANK, input=x)`."""
        rests_on = frozenset(assumptions)
        for value in data.values():
            if isinstance(value, TensorFact):
                rests_on |= value.assumed & LASTING_ASSUMPTIONS
        return Broken(
            Fault(
                kind,
                self.context.start,
                self.context.end,
                self.name,
                tuple(data.items()),
                rests_on,
                path=self.context.path,
            )
        )

    def origin(self, *parents: TensorFact) -> Origin:
        context = self.context
        layer = None if self.layer is None else (self.layer.ref, self.layer.requires_grad)
        return Origin(
            context.start, context.end, self.name, parents, context.path, at=context.now, layer=layer
        )

    def make(
        self,
        shape: Shape = None,
        dtype: DType | None = None,
        device: Device | None = None,
        layout: Layout = None,
        storage: Storage = ANY_STORAGE,
        grad: Grad = UNKNOWN_GRAD,
        provenance: str | None = None,
        parents: tuple[TensorFact, ...] | None = None,
    ) -> TensorFact:
        """Returns a result of this call: its origin is this call, and it has its parents' assumptions."""
        if shape is not None and len(shape) > MAX_RANK:
            shape = layout = None
        if parents is None:
            parents = self.parents()
        assumed = frozenset().union(*(parent.assumed for parent in parents)) if parents else frozenset()
        return TensorFact(
            shape, dtype, device, layout, grad, storage, assumed, provenance, self.origin(*parents)
        )

    def parents(self) -> tuple[TensorFact, ...]:
        """Returns all tensors among the arguments, those inside sequences included."""
        found: list[TensorFact] = []
        for value in self.args.values():
            if isinstance(value, TensorFact):
                found.append(value)
            elif not isinstance(value, Scalar):
                items = self.context.elements(value)
                if items:
                    found.extend(item for item in items if isinstance(item, TensorFact))
        return tuple(found)


class LayerCall(Call):
    """Holds one call of a layer: `layer` is what the layer carries."""

    __slots__ = ()
    layer: LayerState


T = TypeVar("T")


@overload
def are_known(found: tuple[Dim | None, ...]) -> TypeGuard[tuple[Dim, ...]]: ...
@overload
def are_known(found: list[Dim | None]) -> TypeGuard[list[Dim]]: ...
@overload
def are_known(found: list[T | None]) -> TypeGuard[list[T]]: ...
@overload
def are_known(found: tuple[T | None, ...]) -> TypeGuard[tuple[T, ...]]: ...
def are_known(found: Sequence[object]) -> bool:
    """Returns whether none of these is None, unknown."""
    return None not in found


@overload
def are_tensors(values: list[Value]) -> TypeGuard[list[TensorFact]]: ...
@overload
def are_tensors(values: tuple[Value, ...]) -> TypeGuard[tuple[TensorFact, ...]]: ...
def are_tensors(values: Sequence[Value]) -> bool:
    """Returns whether each of these values is a tensor."""
    return all(isinstance(value, TensorFact) for value in values)


def are_ints(sizes: tuple[Dim | None, ...]) -> TypeGuard[tuple[int, ...]]:
    """Returns whether each of these sizes is a number."""
    return all(isinstance(size, int) for size in sizes)


CallT = TypeVar("CallT", bound=Call, contravariant=True)
ShapeColumn = Callable[[CallT], Shape]
DTypeColumn = Callable[[CallT], DType | None]
DeviceColumn = Callable[[CallT], Device | None]
LayoutColumn = Callable[[CallT, Shape], Layout]
StorageColumn = Callable[[CallT], Storage]
GradColumn = Callable[[CallT, DType | None], Grad]
ResultColumn = Callable[[CallT], Value]
TensorLaw = Callable[[Call, TensorFact], Value]
"""The result of an operator of one tensor."""
ViewLaw = Callable[[Call, TensorFact], TensorFact]
Check = Callable[[CallT], object]
"""Raises `c.broken(...)` where a call breaks a contract, or adds to `c.faults`; its return value is ignored."""


class Columns(TypedDict):
    """The six columns of a row that make up a tensor, for `TABLE.row(..., **columns)`."""

    shape: ShapeColumn[Call]
    dtype: DTypeColumn[Call]
    device: DeviceColumn[Call]
    layout: LayoutColumn[Call]
    storage: StorageColumn[Call]
    grad: GradColumn[Call]


class SomeColumns(TypedDict, total=False):
    """Columns of a row; one that is left out or None is unknown."""

    shape: ShapeColumn[Call] | None
    dtype: DTypeColumn[Call] | None
    device: DeviceColumn[Call] | None
    layout: LayoutColumn[Call] | None
    storage: StorageColumn[Call] | None
    grad: GradColumn[Call] | None
