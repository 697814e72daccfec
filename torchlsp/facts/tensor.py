"""Defines the facts on one tensor, in columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchlsp.core.records import dataclass, field, replace
from torchlsp.facts import device as devices
from torchlsp.facts import layout as layouts
from torchlsp.facts import shape as shapes
from torchlsp.facts.content import Content
from torchlsp.facts.device import Device
from torchlsp.facts.dim import Dim, symbol
from torchlsp.facts.dtype import DType
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tri import Tri


@dataclass(frozen=True, slots=True)
class Grad:
    """Facts on gradients: `requires` is `Tensor.requires_grad`, `leaf` is `Tensor.is_leaf`."""

    requires: Tri = Tri.UNKNOWN
    leaf: Tri = Tri.UNKNOWN

    def join(self, other: "Grad") -> "Grad":
        return self if self == other else Grad(self.requires.join(other.requires), self.leaf.join(other.leaf))


UNKNOWN_GRAD = Grad()
NO_GRAD = Grad(Tri.NO, Tri.YES)
LEAF = Grad(Tri.YES, Tri.YES)
IN_GRAPH = Grad(Tri.YES, Tri.NO)


MAX_BLOCKS = 200
"""The number of memory blocks of which a tensor may be in one, before it may be in any."""


@dataclass(frozen=True, slots=True)
class Storage:
    """The memory blocks that a tensor may be in (None: any).  Two tensors may share memory when the sets
    meet.

    `version` counts the in-place writes seen since the block was made, for messages: a write in a loop makes no other fact.
    """

    ids: frozenset[str] | None = None
    version: int = field(default=0, compare=False)

    def may_share(self, other: "Storage") -> Tri:
        if self.ids is None or other.ids is None:
            return Tri.UNKNOWN
        if self.ids.isdisjoint(other.ids):
            return Tri.NO
        return Tri.YES if self.ids == other.ids and len(self.ids) == 1 else Tri.UNKNOWN

    @property
    def is_inference(self) -> bool:
        """Returns whether it was certainly allocated in inference mode.  The operators then name it with a
        `!` at the end."""
        return bool(self.ids and all(one.endswith("!") for one in self.ids))

    def join(self, other: "Storage") -> "Storage":
        if self == other:
            return self
        ids = None if self.ids is None or other.ids is None else self.ids | other.ids
        if ids is not None and len(ids) > MAX_BLOCKS:
            ids = None
        return Storage(ids, max(self.version, other.version))


ANY_STORAGE = Storage()


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a fact: the place, the operator and the facts it was computed from.  For messages only.

    `start` and `end` are code points in the document at `path` (None: the document that is being checked).  `width` is the
    one size of a layer's result that is known though its rank is not: (its dim counted from the end, the size).  `at` is the
    moment at which the operator ran (0: not known, negative: under autocast, which may have cast the operands).  `layer` is
    the ref of the layer that was called, and whether its parameters require grad.  `merged`: it is one of several
    origins that the tensor may have.  `first` is the first size, where it is known though the rank is not.  `dim` is the one that a
    softmax goes over, counted from the front.
    """

    start: int
    end: int
    op: str
    parents: tuple["TensorFact", ...] = ()
    path: str | None = None
    width: tuple[int, Dim] | None = None
    at: int = 0
    layer: tuple[str, Tri] | None = None
    merged: bool = False
    first: Dim | None = None
    dim: int | None = None


@dataclass(frozen=True, slots=True)
class TensorFact:
    """The facts on one tensor.  None in a column is *unknown*.

    `assumed` names what the fact rests on beyond what the code shows: `layout` (a parameter taken for contiguous),
    `tensor` (a parameter taken for a tensor at all), `matrix` (the operand of `t` taken to have two dims).
    `provenance` is a word of the operator that made the values, where that tells a mistake from intent (`one_hot`,
    `softmax`).  `content` is what is known of the elements; both are gone after a write.
    """

    shape: Shape = None
    dtype: DType | None = None
    device: Device | None = None
    layout: Layout = None
    grad: Grad = UNKNOWN_GRAD
    storage: Storage = ANY_STORAGE
    assumed: frozenset[str] = frozenset()
    provenance: str | None = None
    origin: Origin | None = field(default=None, compare=False)
    content: Content | None = None

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    @property
    def strides(self) -> tuple[Dim, ...] | None:
        """Strides in elements, outermost first; None when unknown."""
        return layouts.strides_of(self.shape, self.layout)

    def is_contiguous(self) -> Tri:
        return layouts.is_contiguous(self.shape, self.layout)

    def but(self, **columns: Any) -> "TensorFact":  # Any: each column has the type of its field
        """Returns this fact with some columns replaced."""
        return replace(self, **columns)


UNKNOWN_TENSOR = TensorFact()
OF_ANY_CLASS = "of any class"
"""The provenance of the result of an operator of a tensor and something unknown."""
ONLY_SHAPED = "shaped"
"""Assumed of a parameter that is a tensor because its `shape` was unpacked; an array has one, too."""
REFUSED = "refused"
"""Assumed of what a call that torch refuses would have given: it is shown to the user, and nothing that rests on it is reported."""
MAX_ORIGINS = 24
"""How many operators a walk from a tensor to what it was computed from goes back."""


def first_operands(tensor: TensorFact, count: int = MAX_ORIGINS) -> Iterator[TensorFact]:
    """Yields a tensor, the first operand that it was computed from, that one's first operand and so on, `count` at most."""
    for _ in range(count):
        yield tensor
        if tensor.origin is None or not tensor.origin.parents:
            return
        tensor = tensor.origin.parents[0]


MAX_ANCESTORS = 2_000
"""The number of tensors up to which those that one was computed from are looked at."""


def ancestors(tensor: TensorFact, until: frozenset[str] = frozenset()) -> Iterator[tuple[TensorFact, Origin]]:
    """Yields a tensor and all that it was computed from, each once, with their origins; not what the operators `until` were given.

    Without those of which no origin is known, and without the results of these operators.
    """
    seen: set[int] = set()
    to_visit = [tensor]
    while to_visit and len(seen) < MAX_ANCESTORS:
        fact = to_visit.pop()
        origin = fact.origin
        if id(fact) in seen or origin is None or origin.op in until:
            continue
        seen.add(id(fact))
        yield fact, origin
        to_visit.extend(origin.parents)


def free_size(tensor: TensorFact, position: int) -> Dim | None:
    """Returns size number `position` of a parameter of unknown rank: one symbol (`x.0`) at every use.

    None for other tensors: two of them may come from one place.
    """
    origin, ids = tensor.origin, tensor.storage.ids
    if (origin is not None and origin.op != "parameter") or ids is None or len(ids) != 1 or position < 0:
        return None
    name, at, place = next(iter(ids)).partition("@")
    if not at:
        return None
    return symbol(f"{name}{place.lstrip('0123456789')}.{position}@{place}")


def is_certainly_torchs(tensor: TensorFact) -> bool:
    """Returns whether a tensor was created by a function of torch.  What methods alone have made of a
    parameter may be an array of NumPy."""
    for _ in range(MAX_ORIGINS):
        origin = tensor.origin
        if origin is None or origin.op == "parameter":
            return False
        if origin.op.startswith("torch."):
            return True
        if not origin.parents:
            return False
        tensor = origin.parents[0]
    return False


def join(a: TensorFact, b: TensorFact, name: str) -> TensorFact:
    """Returns the least fact above both.  `name` makes the names of fresh sizes (`?name.0`)."""
    if a == b:
        return a
    shape = shapes.join(a.shape, b.shape, name)
    layout = layouts.join(a.layout, b.layout)
    if layout is not None and layout is not ROW_MAJOR and shape is None:
        layout = None
    return TensorFact(
        shape=shape,
        dtype=a.dtype if a.dtype == b.dtype else None,
        device=devices.join(a.device, b.device),
        layout=layout,
        grad=a.grad.join(b.grad),
        storage=a.storage.join(b.storage),
        assumed=a.assumed | b.assumed,
        provenance=a.provenance if a.provenance == b.provenance else None,
        origin=_merged(a.origin, b.origin),
        content=a.content if a.content == b.content else None,
    )


def _merged(a: Origin | None, b: Origin | None) -> Origin | None:
    if a is None or a is b or a.merged:
        return a or b
    return replace(a, merged=True)


def leq(a: TensorFact, b: TensorFact) -> bool:
    """Returns whether `b` is true of every tensor that `a` is true of.  Assumptions may only be added."""
    return (
        shapes.leq(a.shape, b.shape)
        and (b.dtype is None or a.dtype == b.dtype)
        and (b.device is None or a.device == b.device)
        and layouts.leq(a.layout, b.layout)
        and b.grad.requires in (a.grad.requires, Tri.UNKNOWN)
        and b.grad.leaf in (a.grad.leaf, Tri.UNKNOWN)
        and (b.storage.ids is None or (a.storage.ids is not None and a.storage.ids <= b.storage.ids))
        and a.assumed <= b.assumed
        and b.provenance in (a.provenance, None)
        and b.content in (a.content, None)
    )
