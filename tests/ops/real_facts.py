"""Facts of real torch values, and what a claimed value says wrongly about a real one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from torchlsp.facts import dim as dims
from torchlsp.facts import layout as layouts
from torchlsp.facts import values as v
from torchlsp.facts.device import Device
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import TORCH_NAMES
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.tensor import Grad, Storage, TensorFact
from torchlsp.facts.tri import Tri

SITE = "site"
"""The call's own site: the id of a fresh storage."""

SHORT_NAMES = {getattr(torch, name): short for short, name in TORCH_NAMES.items() if hasattr(torch, name)}

COLUMNS = ("shape", "dtype", "device", "layout", "requires", "leaf", "storage")


def memory_of(tensor: torch.Tensor | np.ndarray) -> str:
    """The id of the memory block: its address, or the storage object's where an empty block has none."""
    if isinstance(tensor, np.ndarray):
        base = tensor
        while isinstance(base.base, np.ndarray):
            base = base.base
        return str(base.__array_interface__["data"][0])
    storage = tensor.untyped_storage()
    return str(storage.data_ptr() or storage._cdata)


def symbols_of(tensors: list[torch.Tensor]) -> dict[int, str]:
    """A symbol for every size of at least 2 that occurs: equal sizes get the same symbol, so that they stay equal."""
    sizes = sorted({size for tensor in tensors for size in tensor.shape if size > 1})
    return {size: f"S{size}" for size in sizes}


class Facts:
    """Turns the arguments of a real call into values.  With `symbols`, sizes become symbols.

    Lists become references, as the interpreter's lists are; `elements` reads them back.
    """

    def __init__(self, symbols: dict[int, str] | None = None):
        self.symbols = symbols or {}
        self.lists: dict[str, tuple[v.Value, ...]] = {}
        self.memory: dict[str, torch.Tensor | np.ndarray] = {}

    def elements(self, value: v.Value) -> tuple[v.Value, ...] | None:
        if isinstance(value, v.TupleValue):
            return value.items
        return self.lists.get(value.ref) if isinstance(value, v.ListRef) else None

    def of(self, value: Any) -> v.Value:
        if isinstance(value, torch.Tensor):
            return self.of_tensor(value)
        if isinstance(value, np.ndarray):
            self.memory[memory_of(value)] = value
            return v.ArrayValue(
                value.shape,
                SHORT_NAMES[torch.from_numpy(value).dtype],
                Storage(frozenset({memory_of(value)})),
            )
        if isinstance(value, torch.Size):
            return v.TupleValue(tuple(self.of(item) for item in value), is_size=True)
        if isinstance(value, tuple):
            return v.TupleValue(tuple(self.of(item) for item in value))
        if isinstance(value, list):
            ref = f"list{len(self.lists)}"
            self.lists[ref] = ()  # takes the name before the items take theirs
            self.lists[ref] = tuple(self.of(item) for item in value)
            return v.ListRef(ref)
        if isinstance(value, slice):
            return v.SliceValue(self.of(value.start), self.of(value.stop), self.of(value.step))
        if isinstance(value, torch.dtype):
            return v.DTypeValue(SHORT_NAMES.get(value))
        if isinstance(value, torch.device):
            return v.DeviceValue(Device(value.type, value.index))
        if isinstance(value, torch.memory_format):
            return v.MemoryFormat(str(value).removeprefix("torch."))
        if value is None:
            return v.NONE
        if value is Ellipsis:
            return v.ELLIPSIS
        if isinstance(value, (bool, int, float, complex, str)):
            return v.Scalar(type(value).__name__, value)
        return v.UNKNOWN_VALUE

    def of_tensor(self, tensor: torch.Tensor) -> TensorFact:
        if tensor.layout is not torch.strided or type(tensor) not in (torch.Tensor, torch.nn.Parameter):
            return TensorFact()
        self.memory[memory_of(tensor)] = tensor
        shape = tuple(tensor.shape)
        return TensorFact(
            shape=self._symbolic(shape),
            dtype=SHORT_NAMES.get(tensor.dtype),
            device=Device(tensor.device.type, tensor.device.index),
            layout=self._layout(shape, tensor.stride()),
            grad=Grad(Tri.of(tensor.requires_grad), Tri.of(tensor.is_leaf)),
            storage=Storage(frozenset({memory_of(tensor)})),
        )

    def _symbolic(self, sizes: tuple[int, ...]) -> tuple[Dim, ...]:
        return tuple(dims.symbol(self.symbols[size]) if size in self.symbols else size for size in sizes)

    def _layout(self, shape: tuple[int, ...], strides: tuple[int, ...]) -> Layout:
        layout = layouts.of_strides(shape, strides)
        if not self.symbols or layout is ROW_MAJOR:
            return layout
        # dense strides become products of the symbols; others would mix numbers and symbols as no program does
        order = sorted(range(len(shape)), key=lambda i: (strides[i], shape[i]))
        result: list[Dim] = [0] * len(shape)
        step, symbolic_step = 1, 1
        for i in order:
            if strides[i] != step and shape[i] != 1:
                return None
            result[i] = symbolic_step
            step, symbolic_step = step * shape[i], symbolic_step * self._symbolic((shape[i],))[0]
        return layouts.of_strides(self._symbolic(shape), tuple(result))


class Comparison:
    """Compares claimed values with real ones: `wrong` are the clashes, `answered` and `asked` count columns."""

    def __init__(self, facts: Facts):
        self.facts = facts
        self.values = {name: size for size, name in facts.symbols.items()}
        self.wrong: list[str] = []
        self.answered: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()

    def _judge(self, column: str, where: str, answer: bool | None, claimed: object, real: object) -> None:
        """`answer`: does the claim hold?  None: nothing was claimed."""
        self.asked[column] += 1
        if answer is not None:
            self.answered[column] += 1
        if answer is False:
            self.wrong.append(f"{column}{where}: claims {claimed}, torch gives {real}")

    def compare(self, claimed: v.Value, real: Any, where: str = "") -> None:
        if isinstance(real, torch.Tensor):
            self._tensor(claimed, real, where)
        elif isinstance(real, np.ndarray):
            self._array(claimed, real, where)
        elif isinstance(real, (tuple, list)):
            self._sequence(claimed, real, where)
        else:
            self._plain(claimed, real, where)

    def _tensor(self, claimed: v.Value, real: torch.Tensor, where: str) -> None:
        if real.layout is not torch.strided:
            self._judge(
                "shape",
                where,
                None if isinstance(claimed, v.Unknown) or claimed == TensorFact() else False,
                claimed,
                real.layout,
            )
            return
        if not isinstance(claimed, TensorFact):
            for column in COLUMNS:
                self._judge(
                    column,
                    where,
                    None if isinstance(claimed, v.Unknown) else False,
                    claimed,
                    f"a tensor {real.dtype}",
                )
            return
        if claimed.assumed:
            return  # the claim rests on what the sample need not fulfil, and says so
        self._shape(claimed.shape, tuple(real.shape), where)
        self._known("dtype", where, claimed.dtype, SHORT_NAMES.get(real.dtype, str(real.dtype)))
        self._known("device", where, claimed.device, Device(real.device.type, real.device.index))
        self._layout(claimed, real, where)
        self._tri("requires", where, claimed.grad.requires, real.requires_grad)
        self._tri("leaf", where, claimed.grad.leaf, real.is_leaf)
        self._storage(claimed.storage, real, where)

    def _shape(self, claimed, real: tuple[int, ...], where: str) -> None:
        if claimed is None:
            self._judge("shape", where, None, None, real)
            return
        if len(claimed) != len(real):
            self._judge("shape", where, False, claimed, real)
            return
        sizes = [self._number(size) for size in claimed]
        if any(size is not None and size != actual for size, actual in zip(sizes, real)):
            self._judge("shape", where, False, [str(size) for size in claimed], real)
        else:
            self._judge("shape", where, None if None in sizes else True, claimed, real)

    def _number(self, size: Dim) -> int | None:
        """A size with the sample's numbers put back for the symbols; None for one that nothing is known of."""
        number = dims.substitute(size, self.values)
        return number if isinstance(number, int) else None

    def _known(self, column: str, where: str, claimed: object, real: object) -> None:
        self._judge(column, where, None if claimed is None else claimed == real, claimed, real)

    def _tri(self, column: str, where: str, claimed: Tri, real: bool) -> None:
        self._judge(
            column, where, None if claimed is Tri.UNKNOWN else (claimed is Tri.YES) == real, claimed, real
        )

    def _layout(self, claimed: TensorFact, real: torch.Tensor, where: str) -> None:
        if claimed.layout is None:
            answer = None
        elif claimed.layout is ROW_MAJOR:
            answer = real.is_contiguous()
        elif len(claimed.layout) != real.dim():
            answer = False
        elif real.numel() == 0:
            answer = True
        else:
            strides = [self._number(stride) for stride in claimed.layout]
            pairs = [(c, r) for c, r, size in zip(strides, real.stride(), real.shape) if size != 1]
            answer = None if any(c is None for c, _ in pairs) else all(c == r for c, r in pairs)
        self._judge("layout", where, answer, claimed.layout, (tuple(real.shape), real.stride()))

    def _storage(self, claimed: Storage, real: torch.Tensor | np.ndarray, where: str) -> None:
        if isinstance(real, np.ndarray) and not real.size:
            return  # an empty array has no memory that could be compared
        memory = memory_of(real)
        if claimed.ids is None:
            answer = None
        elif memory in self.facts.memory:
            answer = None if memory in claimed.ids and len(claimed.ids) > 1 else memory in claimed.ids
        else:  # fresh memory: some id must be no argument's
            others = claimed.ids - self.facts.memory.keys()
            answer = None if others and len(claimed.ids) > 1 else bool(others)
        self._judge(
            "storage", where, answer, claimed.ids, "shared" if memory in self.facts.memory else "fresh"
        )

    def _array(self, claimed: v.Value, real: np.ndarray, where: str) -> None:
        if not isinstance(claimed, v.ArrayValue):
            for column in ("shape", "dtype", "storage"):
                self._judge(
                    column, where, None if isinstance(claimed, v.Unknown) else False, claimed, "an array"
                )
            return
        self._shape(claimed.shape, real.shape, where)
        self._known("dtype", where, claimed.dtype, SHORT_NAMES[torch.from_numpy(real).dtype])
        self._storage(claimed.storage, real, where)

    def _sequence(self, claimed: v.Value, real, where: str) -> None:
        if isinstance(claimed, v.Repeated):
            length = None if claimed.length is None else self._number(claimed.length)
            self._judge("length", where, None if length is None else length == len(real), length, len(real))
            for i, item in enumerate(real):
                self.compare(claimed.element, item, f"{where}[{i}]")
            return
        if isinstance(claimed, v.ShapeOf):
            self._judge("length", where, None, claimed, len(real))
            return
        items = self.facts.elements(claimed)
        if items is None:
            self._judge(
                "length",
                where,
                None if isinstance(claimed, v.Unknown) else False,
                claimed,
                f"{len(real)} items",
            )
            for i, item in enumerate(real):
                if isinstance(item, torch.Tensor):
                    self._tensor(v.UNKNOWN_VALUE, item, f"{where}[{i}]")
            return
        self._judge("length", where, len(items) == len(real), len(items), len(real))
        for i, (item, actual) in enumerate(zip(items, real)):
            self.compare(item, actual, f"{where}[{i}]")

    def _plain(self, claimed: v.Value, real: Any, where: str) -> None:
        """Numbers, dtypes, devices, None."""
        match claimed:
            case v.Unknown() | v.Condition():
                answer = None
            case v.Scalar(kind="int", value=value) if type(real) is int:
                number = None if value is None else self._number(value)
                answer = None if number is None else number == real
            case v.Scalar(kind=kind, value=value):
                answer = (kind == "none") if real is None else kind == type(real).__name__
                if answer and value is None and real is not None:
                    answer = None
                elif answer and value is not None:
                    answer = value == real
            case v.DTypeValue(dtype=dtype) if isinstance(real, torch.dtype):
                answer = None if dtype is None else dtype == SHORT_NAMES.get(real)
            case v.DeviceValue(device=device) if isinstance(real, torch.device):
                answer = None if device is None else device == Device(real.type, real.index)
            case _:
                answer = False
        self._judge("value", where, answer, claimed, real)


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))


def rebuilt(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """The same nested arguments with every tensor changed."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if type(value) in (tuple, list):
        return type(value)(rebuilt(item, change) for item in value)
    if isinstance(value, dict):
        return {name: rebuilt(item, change) for name, item in value.items()}
    return value


def described(args: tuple, kwargs: dict) -> str:
    """A call's arguments in one line, for the message of a failure."""

    def one(value: Any) -> str:
        if isinstance(value, torch.Tensor):
            plain = value.layout is torch.strided and value.is_contiguous()
            strides = (
                "" if plain else f" strides {value.stride()}" if value.layout is torch.strided else " sparse"
            )
            grad = " grad" if value.requires_grad else ""
            return f"{SHORT_NAMES.get(value.dtype, value.dtype)}{list(value.shape)}{strides}{grad}"
        if isinstance(value, (tuple, list)):
            inner = ", ".join(one(item) for item in value)
            return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
        return repr(value)[:80]

    parts = [one(value) for value in args] + [f"{name}={one(value)}" for name, value in kwargs.items()]
    return ", ".join(parts)
