"""Builds the program of one call: its operands as the facts have them, and the call."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from keyword import iskeyword

from torchlsp import ops
from torchlsp.core.records import dataclass, field
from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.device import SOME_INDEX, Device
from torchlsp.facts.dim import Atom, Dim, exact_quotient
from torchlsp.facts.dtype import TORCH_NAMES, can_require_grad
from torchlsp.facts.fault import Called, Listed
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.lint.reproducers.outline import NotReproducible
from torchlsp.ops.signature import MISSING, parse

_MAX_STRIDED_DIMS = 7
"""Dims of a tensor whose strides are traced back to a row-major one, by trying orders."""
_NAME = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
_TAKEN = frozenset("torch math layer float complex slice".split())
_INFIX = {
    "__and__": "&", "__or__": "|", "__xor__": "^", "__matmul__": "@", "__add__": "+", "__sub__": "-", "__mul__": "*",
    "__truediv__": "/", "__floordiv__": "//", "__mod__": "%", "__pow__": "**", "__lshift__": "<<", "__rshift__": ">>",
    "__eq__": "==", "__ne__": "!=", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">=",
}  # fmt: skip


@dataclass(slots=True)
class CallProgram:
    """A program under construction. `guesses`: something unknown was chosen.

    `width`: what a layer's input is known to have where the layer looks, if its rank is not known. `any_shape`: the call
    does not ask for shapes.
    """

    width: Dim | None = None
    any_shape: bool = False
    stand_ins: dict[int, tuple[Dim, ...]] = field(default_factory=dict)
    """Shapes, by identity, for tensors of unknown shape."""
    common: Device | None = None
    """Device of the tensors whose own is unknown: with one that is on a GPU."""
    fills: dict[int, int] = field(default_factory=dict)
    """The elements of tensors, by identity."""
    lines: list[str] = field(default_factory=list)
    size_names: dict[str, str] = field(default_factory=dict)
    """The names that symbols of sizes have in the program."""
    shown_names: dict[str, str] = field(default_factory=dict)
    """The user's expression for each size, else its name in the program: what is said of a run."""
    counts: list[Dim] = field(default_factory=list)
    """Sizes and element counts of the operands: a formula may not become 0, and none may be too large."""
    cut: list[Dim] = field(default_factory=list)
    """Slices cut from operands: never less than nothing."""
    divisors: set[str] = field(default_factory=set)
    """Symbols that something is divided by."""
    guesses: bool = False
    names: set[str] = field(default_factory=lambda: set(_TAKEN))
    _operands: dict[int, tuple[TensorFact, str]] = field(default_factory=dict)

    # ---- calls --------------------------------------------------------------------------------------------------------

    def call(self, called: Called) -> str:
        """Writes the call of a function of torch or of a method."""
        method = called.name.removeprefix("torch.").removeprefix("Tensor.")
        if method != called.name.removeprefix("torch."):
            return self.method_call(method, called)
        if not called.name.startswith("torch."):
            raise NotReproducible(f"{called.name}, which is not torch's")
        return f"{called.name}({self.arguments(called.args, called.keywords)})"

    def method_call(self, method: str, called: Called) -> str:
        if not called.args or not isinstance(called.args[0], TensorFact):
            raise NotReproducible("the tensor")
        if method == "backward" and called.args[0].grad.requires is Tri.UNKNOWN:
            raise NotReproducible("whether there is a graph")
        receiver = self.operand(called.args[0], "x")
        if called.is_attribute:
            return f"{receiver}.{method}"
        if method == "__bool__":
            return f"bool({receiver})"
        if method == "__getitem__":
            return f"{receiver}[{self.index(called.args[1])}]"
        if method == "__setitem__":
            return f"{receiver}[{self.index(called.args[1])}] = {self.value(called.args[2], 'value')}"
        if method in _INFIX:
            return f"{receiver} {_INFIX[method]} {self.value(called.args[1], 'y')}"
        if method.startswith("__"):
            raise NotReproducible(f"{method} as an expression")
        return f"{receiver}.{method}({self.arguments(called.args[1:], called.keywords, first=1)})"

    def layer_call(self, called: Called) -> str:
        """Writes the constructor of a layer and the call of the layer."""
        assert called.layer is not None
        qualname, config, now = called.layer
        if qualname.startswith("timm."):
            raise NotReproducible("a model of another library")
        state = dict(now)
        made = f"{qualname}({self.constructor(qualname, config)})"
        self.counts.append(_product(_sizes_of_parameters(config)))
        if state["dtype"] is None or state["device"] is None:
            self.guesses = True
        if state["dtype"] not in (None, "f32"):
            made += f".to({self.dtype(state['dtype'])})"
        if state["device"] is not None and state["device"].kind != "cpu":
            made += f".to({self.device(state['device'])})"
        if state["training"] is Tri.NO:
            made += ".eval()"
        elif state["training"] is not Tri.YES:
            self.guesses = True
        self.lines.append(f"layer = {made}")
        if self.width is not None and called.args and isinstance(called.args[0], TensorFact):
            images = re.search(r"(\d)d\Z", qualname)
            self.tensor_of_width(called.args[0], int(images[1]) if images else 0)
        return f"layer({self.arguments(called.args, called.keywords)})"

    def constructor(self, qualname: str, config: tuple[tuple[str, Value | Listed], ...]) -> str:
        """Writes a layer's arguments. One of which nothing is known is left to its default, if it has one."""
        row = ops.layer(qualname)
        optional = (
            {param.name for param in parse(row.signature).params if param.default is not MISSING}
            if row
            else ()
        )
        given = []
        for name, value in config:
            if name in ("device", "dtype") or name.startswith("_"):
                continue
            try:
                given.append(self.arguments((), ((name, value),)))
            except NotReproducible:
                if name not in optional or name == "weight":  # which the fault may be about
                    raise
                self.guesses = True
        return ", ".join(given)

    def arguments(
        self, args: Sequence[Value | Listed], keywords: Iterable[tuple[str, Value | Listed]], first: int = 0
    ) -> str:
        parts = [
            self.value(value, f"x{number}" if number else "x") for number, value in enumerate(args, first)
        ]
        parts.extend(f"{name}={self.value(value, name)}" for name, value in keywords)
        return ", ".join(parts)

    def index(self, index: Value | Listed) -> str:
        if isinstance(index, v.TupleValue) and index.items:
            inner = ", ".join(self.index(item) for item in index.items)
            return f"{inner}," if len(index.items) == 1 else inner
        return self.value(index, "index")

    # ---- values -------------------------------------------------------------------------------------------------------

    def value(self, value: Value | Listed, name: str) -> str:
        """Writes an argument as an expression."""
        match value:
            case TensorFact():
                return self.operand(value, name)
            case Listed(items=items):
                return f"[{', '.join(self.value(item, f'{name}{i}') for i, item in enumerate(items))}]"
            case v.TupleValue(items=items):
                inner = ", ".join(self.value(item, f"{name}{i}") for i, item in enumerate(items))
                return f"({inner},)" if len(items) == 1 else f"({inner})"
            case v.DTypeValue(dtype=dtype, numpy=False) if dtype is not None:
                return self.dtype(dtype)
            case v.DeviceValue(device=device) if device is not None:
                return self.device(device)
            case v.MemoryFormat(name=layout):
                return f"torch.{layout.removeprefix('torch.')}"
            case v.Scalar(kind="none"):
                return "None"
            case v.Scalar(kind="ellipsis"):
                return "..."
            case v.Scalar(value=float(known)) if not math.isfinite(known):
                return f'float("{known}")'
            case v.Scalar(value=(bool() | float() | complex()) as known):
                return repr(known)
            case v.Scalar(value=str(known)):
                return repr(known).replace("{", "\\x7b")  # no text of the user's is a place for sizes
            case v.Scalar(kind="float"):
                self.guesses = True
                return "0.5"
            case v.SliceValue(start=start, stop=stop, step=step):
                bounds = ", ".join(
                    "None" if part is None else self.value(part, name) for part in (start, stop, step)
                )
                return f"slice({bounds})"
        size = v.as_dim(value)
        if size is None:
            raise NotReproducible(f"the value of {name}")
        self.guesses = self.guesses or not isinstance(value, v.Scalar)  # it may be no number at all
        return self.size(size)

    def operand(self, fact: TensorFact, name: str) -> str:
        """Returns the name of a tensor, which is created where it is first needed."""
        known = self._operands.get(id(fact))
        if known is not None:
            return known[1]
        if any(other.storage.may_share(fact.storage) is Tri.YES for other, _ in self._operands.values()):
            self.guesses = True  # made apart, though they share memory
        name = self.named(name, "x")
        self._operands[id(fact)] = fact, name
        self.lines.append(f"{name} = {self.tensor(fact)}")
        return name

    def known(self, fact: TensorFact, name: str) -> None:
        """Reuses a tensor that the program has already."""
        self._operands[id(fact)] = fact, name

    def tensor(self, fact: TensorFact) -> str:
        """Writes an expression that creates a tensor like the fact."""
        if fact.dtype is None or fact.device is None or fact.layout is None:
            self.guesses = True
        shape = fact.shape
        if shape is None and self.any_shape:
            self.guesses, shape = True, (2,)
        if shape is None and id(fact) in self.stand_ins:
            self.guesses, shape = True, self.stand_ins[id(fact)]
        if shape is None:
            raise NotReproducible("the shape of a tensor")
        dtype = fact.dtype or "f32"
        options = [] if dtype == "f32" else [f"dtype={self.dtype(dtype)}"]
        device = fact.device or (self.common if shape else None)
        if device is not None and device.kind != "cpu":
            options.append(f"device={self.device(device)}")
        grad = fact.grad.requires is Tri.YES and can_require_grad(dtype)
        if fact.grad.requires is Tri.UNKNOWN:
            self.guesses = True
        plain = fact.layout is None or fact.layout is ROW_MAJOR
        leaf = fact.grad.leaf is not Tri.NO
        if grad and (plain or not leaf):
            options.append("requires_grad=True")
        if plain:
            made = f"torch.zeros({', '.join([self.shape(shape), *options])})"
            if id(fact) in self.fills:
                made = f"torch.full({', '.join([self.shape(shape), str(self.fills[id(fact)]), *options])})"
            return f"{made}.clone()" if grad and not leaf else made
        made = self.strided(shape, fact.strides, options)
        return f"{made}.requires_grad_()" if grad and leaf else made

    def strided(self, shape: tuple[Dim, ...], strides: tuple[Dim, ...] | None, options: list[str]) -> str:
        """Writes a tensor with these strides as a row-major one, cut, permuted and expanded."""
        if strides is None:
            raise NotReproducible("the strides of a tensor")
        self.shape(shape)
        spread = [
            i
            for i, (size, stride) in enumerate(zip(shape, strides, strict=True))
            if size != 1 and stride != 0
        ]
        order, whole = _from_largest_stride(spread, strides)
        sizes = [shape[order[0]], *whole] if order else [1]
        cuts = []
        for axis, size in zip(order, sizes, strict=False):
            if size == shape[axis]:
                cuts.append(":")
            else:
                self.cut.append(size - shape[axis])
                cuts.append(f":{self.size(shape[axis])}")
        if order and sizes[-1] == 1:
            sizes.pop()
        elif order:
            cuts.append("0")
        made = f"torch.zeros({', '.join([self.shape(tuple(sizes)), *options])})"
        while cuts and cuts[-1] == ":":
            cuts.pop()
        if cuts:
            made += f"[{', '.join(cuts)}]"
        if not order:
            made += ".reshape(())" if not shape else f".reshape({self.shape((1,) * len(shape))})"
        elif (places := [sorted(order).index(axis) for axis in order]) != sorted(places):
            made += f".permute({', '.join(str(places.index(place)) for place in range(len(places)))})"
        if order:
            for axis in range(len(shape)):
                if axis not in order:
                    made += f".unsqueeze({axis})"
        if any(stride == 0 and size != 1 for size, stride in zip(shape, strides, strict=True)):
            made += f".expand({self.shape(shape)})"
        return made

    def tensor_of_width(self, fact: TensorFact, images: int) -> None:
        """Creates the input of a layer when only the size that the layer reads is known."""
        if fact.shape is None and self.width is not None:
            self.guesses = True
            made = fact.but(shape=(3, self.width, *[8] * images), layout=ROW_MAJOR)
            name = self.operand(made, "x")
            self._operands[id(fact)] = fact, name

    def shape(self, sizes: tuple[Dim, ...]) -> str:
        self.counts.extend((*sizes, _product(sizes)))
        inner = ", ".join(self.size(size) for size in sizes)
        return f"({inner},)" if len(sizes) == 1 else f"({inner})"

    def dtype(self, dtype: str) -> str:
        return f"torch.{TORCH_NAMES[dtype]}"

    def device(self, device: Device) -> str:
        if device.kind not in ("cpu", "cuda", "meta"):
            raise NotReproducible(f"device {device}")
        return f'"{device.kind}"' if device.index in (None, SOME_INDEX) else f'"{device.kind}:{device.index}"'

    # ---- sizes --------------------------------------------------------------------------------------------------------

    def size(self, size: Dim) -> str:
        """Writes a size as Python: an int, or a formula over names of the program."""
        if isinstance(size, int):
            return str(size)
        terms = []
        for monomial, coefficient in size.terms:
            factors = [str(abs(coefficient))] if abs(coefficient) != 1 or not monomial else []
            for atom, power in monomial:
                factors.extend([self._atom(atom)] * power if power <= 4 else [f"{self._atom(atom)}**{power}"])
            terms.append(("-" if coefficient < 0 else "+", " * ".join(factors)))
        # A term with a minus sign in front reads better behind another one.
        terms.sort(key=lambda term: term[0] == "-")
        return " ".join(f"{sign} {factors}" for sign, factors in terms).removeprefix("+ ")

    def _atom(self, atom: Atom) -> str:
        if isinstance(atom, dims.Quotient):
            if not isinstance(atom.denominator, int):
                self.divisors |= {one.name for monomial, _ in atom.denominator.terms for one, _ in monomial}
            return f"(({self.size(atom.numerator)}) // ({self.size(atom.denominator)}))"
        if atom.name not in self.size_names:
            name = self.named(
                re.sub(r"\W+", "_", re.sub(r"\.(\d+)$", r"_size_\1", written(atom))).strip("_"), "n"
            )
            self.size_names[atom.name] = name
            self.shown_names[atom.name] = re.sub(r"\.(\d+)$", r".shape[\1]", written(atom)) or name
        return self.size_names[atom.name]

    def named(self, wanted: str, otherwise: str) -> str:
        """Returns a free name and reserves it."""
        if not _NAME.match(wanted) or wanted.startswith("_") or iskeyword(wanted) or wanted in _TAKEN:
            wanted = otherwise
        name, number = wanted, 2
        while name in self.names:
            name, number = f"{wanted}_{number}", number + 1
        self.names.add(name)
        return name


def written(atom: Atom) -> str:
    """Returns a size's name as the user's code has it: `B`, `config.heads`, `x.0` for a dim of `x`; "" where it has none."""
    text = re.sub(r"@\d*", "", str(atom))
    # A size of which nothing is known is named for where it came from, which tells nobody anything.
    return "" if atom.name.startswith("?") or re.fullmatch(r"size\d+@\d+", str(atom)) else text


def _from_largest_stride(axes: list[int], strides: tuple[Dim, ...]) -> tuple[list[int], list[Dim]]:
    """Orders the axes from the largest stride to the smallest, with the sizes of the row-major tensor they are cut from.

    The last of the sizes is the smallest stride: what is stepped over.
    """

    def ordered(outer: int | None, left: list[int]) -> list[tuple[int, Dim]] | None:
        if not left:
            return []
        for axis in left:
            whole = 1 if outer is None else exact_quotient(strides[outer], strides[axis])
            if outer is None or whole not in (None, 1):
                inner = ordered(axis, [one for one in left if one != axis])
                if inner is not None and whole is not None:
                    return [(axis, whole), *inner]
        return None

    order = ordered(None, axes)
    if order is None or len(axes) > _MAX_STRIDED_DIMS:
        raise NotReproducible("strides that come from a row-major tensor")
    return [axis for axis, _ in order], [
        *(whole for _, whole in order[1:]),
        *(strides[axis] for axis, _ in order[-1:]),
    ]


def _sizes_of_parameters(config: tuple[tuple[str, Value | Listed], ...]) -> Iterator[Dim]:
    """Yields the numbers among a layer's arguments that may be sizes of its parameters."""
    for _, value in config:
        size = v.as_dim(value)
        if size is not None and not (isinstance(size, int) and size < 1):
            yield size


def _product(sizes: Iterable[Dim]) -> Dim:
    product: Dim = 1
    for size in sizes:
        product = product * size
    return product
