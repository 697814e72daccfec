"""Defines values that are not tensors: numbers, containers, modules, functions, optimizers, loaders, ranks.

All are immutable.  What a program can change (a list's items, an object's attributes, a module's device) is not in the
value but in the interpreter's heap, under the value's `ref`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, Union

from torchlsp.core.records import dataclass, field
from torchlsp.facts.device import Device
from torchlsp.facts.dim import Dim, Poly
from torchlsp.facts.dtype import DType
from torchlsp.facts.layout import Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import ANY_STORAGE, UNKNOWN_TENSOR, Origin, Storage, TensorFact
from torchlsp.facts.tri import Tri

if TYPE_CHECKING:
    # A value carries what the interpreter has read or keeps of a definition; nothing here looks into it.
    from torchlsp.interp.store.frame import ModuleInfo
    from torchlsp.interp.store.state import Scope
    from torchlsp.program.ir import Class, Function


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value of which nothing is known.  `size` is the number it is *if* it is an integer: `dim // heads` of
    two parameters."""

    size: Dim | None = None


UNKNOWN_VALUE = Unknown()
Constant = TypeVar("Constant")

Mode = Any  # each mode, and each state that a check keeps for a path, has a type of its own
"""The value of a mode: a Tri for `grad`, a dtype's name for `dtype`, a Device for `device`."""


@dataclass(frozen=True, slots=True)
class Loaded(Unknown):
    """The result of `torch.load` at a place, or a part of it: anything.  `site` and `conditional` tell the
    activation."""

    start: int = 0
    end: int = 0
    path: str | None = None
    site: str = ""
    conditional: int = 0


@dataclass(frozen=True, slots=True)
class Moved(Unknown):
    """An unknown value that was moved to a device which is not the CPU. `tensor` is what it is if it is a
    tensor."""

    tensor: TensorFact = TensorFact()


@dataclass(frozen=True, slots=True)
class OneOf(Unknown):
    """A value that may be one of some lists, dicts, tensors and objects, or part of one: whatever is changed through it
    may be theirs.  `is_list`: it certainly is one of them, and all are lists."""

    objects: tuple["Value", ...] = ()
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """The tensors in one memory block, as one of the objects of `OneOf`: tensors themselves change. "" is unknown memory."""

    ref: str = ""


@dataclass(frozen=True, slots=True)
class Table(Unknown):
    """A frame of pandas (`dims` 2) or a column of one (1).  `part`: what picks parts of it, `iloc` or `loc`."""

    dims: int = 2
    dtype: DType | None = None
    part: str = ""


@dataclass(frozen=True, slots=True)
class Distribution(Unknown):
    """A distribution of `torch.distributions`. `sample` is a differentiable sample of `batch_shape + event_shape`, of which
    the last `event` dims are those of one event; `parts` are its parameters by name, in their full shape."""

    family: str = ""
    sample: TensorFact = UNKNOWN_TENSOR
    event: int | None = 0
    parts: tuple[tuple[str, TensorFact], ...] = ()


@dataclass(frozen=True, slots=True)
class Fields(Unknown):
    """A record whose fields are read by attribute or by key."""

    entries: tuple[tuple[str, "Value"], ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedModule(Unknown):
    """A module of which only one thing is known: its parameters were moved to a device which is not the CPU."""

    device: Device | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """The content of a file: `what` names the part that only its class can read, None where there is none
    known."""

    what: str | None
    place: Origin | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter whose argument is unknown.  It becomes a tensor, a size or a rank by how it is used.

    `name` is unique in the analysis; `label` is what the user wrote.  `passed`: a visible call passes something of which
    nothing is known, so that not even contiguity is taken for granted.
    """

    name: str
    label: str
    default: "Value | None" = field(default=None, compare=False)
    passed: bool = False
    is_other: bool = False
    """Whether its annotation names something that is neither a tensor nor a number, such as an array or a list."""
    objects: tuple["Value", ...] = ()
    """The objects that it may be, as those of `OneOf`."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A Python constant.  `kind` is int, float, bool, complex, str, bytes, none, ellipsis; `value` None when not known.

    An int's value may be a symbolic size.  For kind `none` and `ellipsis` the value is None; `origin` is the call that
    has given None though it looks as if it gave something, and of a float the expression that integers became one in.  `cut` is where a number was read off a tensor that requires
    grad, see `interp.cuts`.  `annotated`: only the annotation of a parameter says that it is a number, or that what it
    was computed from is one.  `varies`: from what it comes that the number may differ between ranks.
    """

    kind: str
    value: Any = None  # Any: a Python constant, of the type that `kind` says
    origin: Origin | None = field(default=None, compare=False)
    cut: Origin | None = field(default=None, compare=False)
    annotated: bool = field(default=False, compare=False)
    varies: Origin | None = field(default=None, compare=False)

    @property
    def is_known(self) -> bool:
        return self.value is not None or self.kind in ("none", "ellipsis")


@dataclass(frozen=True, slots=True)
class AnnotatedInt(Scalar):
    """A parameter that is an int by its annotation only: as an index it may be a tensor all the same."""


@dataclass(frozen=True, slots=True)
class Infinity(Scalar):
    """The float `inf`, or `-inf`.  No `value`: arithmetic and comparisons know as little of it as of any float."""

    negative: bool = False


@dataclass(frozen=True, slots=True)
class NameOf(Scalar):
    """One of the names that a module lists. `ref` identifies the call of `named_parameters()` or a similar
    method."""

    ref: str = ""


NONE = Scalar("none")
TRUE = Scalar("bool", True)
FALSE = Scalar("bool", False)
_TRUTHS = {Tri.YES: TRUE, Tri.NO: FALSE, Tri.UNKNOWN: Scalar("bool")}
ELLIPSIS = Scalar("ellipsis")


def integer(dim: Dim) -> Scalar:
    return Scalar("int", dim)


@dataclass(frozen=True, slots=True)
class Condition:
    """A truth value whose meaning matters where it is tested.

    `kind`: `cuda` (CUDA is available), `rank` (which rank runs), `group`, `own` (a
    rank's own loss decides), `tensor` (of a tensor: a host sync).  `negated` flips it.
    For `rank`: `ranks` are the ranks for which it holds (None: some ranks, not known which), `convention` when the rank is
    one by its name only, `scope` that of the rank.  `mixed`: joined by `and`/`or` with something that all ranks agree on; then, before negation, it
    holds on no other rank than `ranks` ("and") or on those at least ("or").
    `group` (there is a default process group) is `mixed` where only yes ("and") or only no ("or") tells something of it.
    """

    kind: str
    negated: bool = False
    ranks: frozenset[int] | None = None
    convention: bool = False
    mixed: str | None = None
    scope: str = "global"
    source: Origin | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class RankValue:
    """This process's rank.  `scope` is global, local or node; `convention`: known by its name only."""

    scope: str = "global"
    convention: bool = False
    origin: Origin | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class OfRank:
    """A number that certainly differs from rank to rank: `2 + rank`.  `convention` and `scope` as of the rank.

    It is `scale` times the rank plus `offset`; `scale` 0: not known how it depends on the rank.
    """

    convention: bool = False
    scope: str = "global"
    scale: int = 0
    offset: int = 0


@dataclass(frozen=True, slots=True)
class DTypeValue:
    """A dtype: `torch.float32` itself, or NumPy's counterpart (`numpy` True)."""

    dtype: DType | None
    numpy: bool = False


@dataclass(frozen=True, slots=True)
class DeviceValue:
    """A device.  `of`: it is certainly a torch.device, the one of a `tensor` (its index is known to torch) or a `device` that
    was made; an `accelerator`: a torch.device, or None where there is none; empty: it may be the text that names it."""

    device: Device | None
    of: str = ""


ACCELERATOR = "accelerator"
"""What a device is of that `torch.accelerator.current_accelerator()` returned."""


@dataclass(frozen=True, slots=True)
class MemoryFormat:
    """A memory format such as `torch.channels_last`, by name."""

    name: str


@dataclass(frozen=True, slots=True)
class TupleValue:
    """A tuple of known length; `torch.Size` when `is_size`; a named tuple of torch (`values`, `indices`) has `names`."""

    items: tuple["Value", ...]
    names: tuple[str, ...] = ()
    is_size: bool = False


@dataclass(frozen=True, slots=True)
class Repeated:
    """An iterable of unknown length whose elements are all `element`: a generator, `range`, a tuple of unknown length."""

    element: "Value"
    length: Dim | None = None


@dataclass(frozen=True, slots=True)
class ShapeOf:
    """The `x.shape` of a tensor of unknown rank; a plain tuple of these sizes where it is no `torch.Size`."""

    tensor: "TensorFact | Parameter"
    is_size: bool = True


@dataclass(frozen=True, slots=True)
class SliceValue:
    start: "Value"
    stop: "Value"
    step: "Value"


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """A NumPy array, or a NumPy scalar (then 0-d).  `layout` has strides in elements, as torch counts them.

    `reversed`: a dim certainly runs backwards, as in `a[::-1]`; then `layout` is unknown.
    """

    shape: Shape = None
    dtype: DType | None = None
    storage: Storage = ANY_STORAGE
    origin: Origin | None = field(default=None, compare=False)
    layout: Layout = None
    reversed: bool = False


@dataclass(frozen=True, slots=True)
class ImageValue:
    """A PIL image: `channels` of its mode (RGB 3, L 1), None in a column is unknown."""

    channels: Dim | None = None
    height: Dim | None = None
    width: Dim | None = None


@dataclass(frozen=True, slots=True)
class DictValue:
    """A mapping of known constant keys that is never modified: a collated batch."""

    entries: tuple[tuple[object, "Value"], ...]


@dataclass(frozen=True, slots=True)
class ListRef:
    """A list; its content is in the heap."""

    ref: str


@dataclass(frozen=True, slots=True)
class DictRef:
    """A dict; its content is in the heap."""

    ref: str


@dataclass(frozen=True, slots=True)
class Imported:
    """A name bound by an import that has not been looked up yet: `attribute` None is the module itself."""

    module: str
    attribute: str | None


@dataclass(frozen=True, slots=True)
class WorkspaceModule:
    """A module of the workspace; `info` is the interpreter's record of it."""

    name: str
    info: "ModuleInfo" = field(compare=False)


@dataclass(frozen=True, slots=True)
class External:
    """A module, function or class outside the workspace by its canonical dotted name: `torch.nn.functional.relu`."""

    name: str


@dataclass(frozen=True, slots=True)
class BoundExternal:
    """A method of a value that the tables know: `x.view`, `optimizer.step`."""

    receiver: "Value"
    name: str


@dataclass(frozen=True, slots=True)
class LayerValue:
    """An instance of a torch.nn class that the tables know.  `config` are its constructor's arguments by name."""

    ref: str
    qualname: str
    config: tuple[tuple[str, "Value"], ...] = ()
    origin: Origin | None = field(default=None, compare=False)

    def __getitem__(self, name: str) -> "Value":
        return dict(self.config).get(name, UNKNOWN_VALUE)


@dataclass(frozen=True, slots=True)
class InstanceValue:
    """An instance of a class of the workspace; its attributes are in the heap."""

    ref: str
    cls: "ClassValue"


@dataclass(frozen=True, slots=True)
class ClassValue:
    """A class of the workspace.  `ir` is its definition, `bases` the values of its bases, `scope` its module's scope.

    `order` is empty until someone asks in which order names are looked up on it and its bases.  What stands for a class outside
    of the workspace, as the owner of a SuperValue, has neither `ir` nor `scope`.
    """

    ref: str
    ir: "Class" = field(compare=False)
    bases: tuple["Value", ...] = ()
    scope: "Scope" = field(default=None, compare=False)  # type: ignore[assignment]  # None as `ir`, see above
    order: list["Value"] = field(default_factory=list, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function, lambda or method of the workspace; `receiver` is what it is bound to, `scope` what encloses it.

    `is_bare`: as its decorator was given it.
    """

    ref: str
    ir: "Function" = field(compare=False)
    scope: "Scope" = field(compare=False)
    receiver: "Value | None" = None
    owner: "ClassValue | None" = None
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class SuperValue:
    """The value of `super()` in a method of `owner`, on `receiver`."""

    receiver: "Value"
    owner: "ClassValue"


@dataclass(frozen=True, slots=True)
class ContextValue:
    """A context manager of torch by name, with the modes that hold inside it."""

    name: str
    modes: tuple[tuple[str, Mode], ...] = ()


@dataclass(frozen=True, slots=True)
class PartialValue:
    """A `functools.partial(function, *args, **kwargs)`."""

    function: "Value"
    args: tuple["Value", ...]
    kwargs: tuple[tuple[str, "Value"], ...]


@dataclass(frozen=True, slots=True)
class OptimizerValue:
    """An optimizer and the refs of the modules and tensors it owns (None: not known which; `unseen` then
    names the function's argument whose parameters they are, if that is known)."""

    ref: str
    qualname: str
    owns: frozenset[str] | None = None
    label: str = "optimizer"
    origin: Origin | None = field(default=None, compare=False)
    unseen: str = ""


@dataclass(frozen=True, slots=True)
class ParametersOf:
    """The result of `module.parameters()` and what is derived from it: the refs of the modules whose
    parameters it yields (None: unknown).

    `ref` is that of a generator, which can be gone through once; "" for a list.  `exact`: it gives all of them.  `unseen`
    names the argument of a function that is, or has, the module in question.
    """

    owns: frozenset[str] | None
    named: bool = False
    ref: str = ""
    exact: bool = True
    unseen: str = ""


@dataclass(frozen=True, slots=True)
class DatasetValue:
    """A dataset of a library. `element` is the result of indexing, `length` how many samples it has where
    that is known, `fields` what it holds as attributes."""

    element: "Value"
    length: "Dim | None" = None
    fields: tuple[tuple[str, "Value"], ...] = ()


@dataclass(frozen=True, slots=True)
class LoaderValue:
    """A DataLoader; `element` is one collated batch, with the loader's own symbol for its batch size."""

    ref: str
    element: "Value"
    sampler: "SamplerValue | None" = None
    is_iterator: bool = False
    origin: Origin | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class SamplerValue:
    """A sampler of torch.  `shuffles`: the order that it gives is drawn at random."""

    ref: str
    qualname: str
    shuffles: Tri = Tri.UNKNOWN
    origin: Origin | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class LoadedKeys:
    """The result of a module's `load_state_dict`: a report of keys, not a module."""

    origin: Origin | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class GroupValue:
    """A process group: its ranks (None: not known which); `world` for the default group."""

    ref: str
    ranks: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """The handle of a collective that has been started, see `interp.async_work`."""

    ref: str


@dataclass(frozen=True, slots=True)
class Engine:
    """An object of a training framework known by its class: an Accelerator, a GradScaler, a DeepSpeed engine, …

    `wraps` are the refs of modules and optimizers that it drives.
    """

    ref: str
    qualname: str
    wraps: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A module inside a parallel wrapper (`torch.nn.parallel.DistributedDataParallel`, FSDP, `torch.compile`)."""

    ref: str
    qualname: str
    module: "Value"


Value = Union[
    Unknown, Parameter, Block, Scalar, Condition, RankValue, OfRank, DTypeValue, DeviceValue, MemoryFormat, TupleValue, Repeated, ShapeOf,
    SliceValue, TensorFact, ArrayValue, ImageValue, DictValue, ListRef, DictRef, External, BoundExternal, LayerValue, InstanceValue, ClassValue,
    FunctionValue, PartialValue, OptimizerValue, ParametersOf, DatasetValue, LoaderValue, SamplerValue, LoadedKeys, GroupValue, Work, Engine, Wrapped,
    Imported, WorkspaceModule, SuperValue, ContextValue,
]  # fmt: skip

ModuleValue = Union[LayerValue, InstanceValue, Wrapped]
"""A module: a layer of torch, an object of a class of the workspace, or either of them inside a parallel wrapper."""


def as_dim(value: object) -> Dim | None:
    """Returns the size for a value used as one: an int, a symbolic int, a parameter. None when nothing is
    known."""
    match value:
        case Scalar(kind="int", value=known):
            return known
        case Scalar(kind="bool", value=bool(known)):
            return int(known)
        case Unknown(size=size):
            return size
        case Parameter():
            return None if value.is_other else size_of_parameter(value)
    return None


def size_of_parameter(parameter: Parameter) -> Poly:
    from torchlsp.facts.dim import ASSUMABLE_ONE, symbol

    maybe_one = isinstance(parameter.default, Scalar) and parameter.default.value in (1, True, 0)
    return symbol((ASSUMABLE_ONE if maybe_one else "") + parameter.name)


def as_int(value: "Value") -> int | None:
    """Returns a Python int that is known as a number."""
    dim = as_dim(value)
    return dim if isinstance(dim, int) else None


def known(value: object, kind: type[Constant] | tuple[type[Constant], ...]) -> Constant | None:
    """Returns the constant of a Scalar when it is of this Python type, else None: `known(v, str)`."""
    if isinstance(value, Scalar) and isinstance(value.value, kind):
        return value.value
    return None


def truth_value(truth: Tri) -> Scalar:
    """Returns the bool of an answer, whose value is not known where the answer is not."""
    return _TRUTHS[truth]
