"""From what the analysis knows of a faulty place to a small torch-only program that does the same.

A program begins with its sizes on one line (`batch, heads = 3, 5`), so that the same text can be run with others;
then come its operands, made with the shapes, strides, dtypes and devices of the facts, and last the call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from torchlsp.core.finding import SIZES, ProbeRequest, Sizes
from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.device import Device
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import TORCH_NAMES, can_require_grad
from torchlsp.facts.fault import Called, Fault, FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.interp.protocol import EarlyClear, MissingClear
from torchlsp.interp.ranks import Divergence
from torchlsp.lint.replay_outline import Unreplayable
from torchlsp.lint.replay_ranks import of_divergence
from torchlsp.lint.replay_training import of_early_clear, of_missing_clear

_CONVERSIONS = frozenset({FaultKind.NUMPY_ON_DEVICE, FaultKind.NUMPY_ON_GRAD, FaultKind.NUMPY_DTYPE})
# Where a layout matters it is known; in a call that does not ask for it, any will do.
_PRIMES = (3, 5, 7, 11, 13, 17, 19, 23)
_EQUAL, _ONE = 4, 1
_LARGEST = 1 << 20
"""Elements of one operand: a probe is to be quick, so larger sizes are not tried."""
_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_TAKEN = frozenset("torch math F x layer False None True and as assert async await break class continue def del elif else except "
                   "finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split())  # fmt: skip


def request(what: Any) -> ProbeRequest | None:
    """The program of what a rule reports; None where what is known does not suffice for one."""
    try:
        match what:
            case Fault(called=Called() as called):
                return _of_call(what, called)
            case MissingClear():
                return of_missing_clear(what)
            case EarlyClear():
                return of_early_clear(what)
            case Divergence():
                return of_divergence(what)
    except Unreplayable:
        pass
    return None


def _of_call(fault: Fault, called: Called) -> ProbeRequest:
    modes = dict(called.modes)
    if called.is_open:
        raise Unreplayable("arguments that are not written out")
    if modes.get("autocast", Tri.NO) is not Tri.NO:
        raise Unreplayable("autocast")
    program = _Program()
    if fault.kind in _CONVERSIONS:
        # However the conversion is written, it ends in `Tensor.numpy`.
        call = f"{program.operand(fault['input'], 'x')}.numpy()"
    elif called.layer is not None:
        call = program.layer_call(called)
    else:
        call = program.call(called)
    lines = ["import torch", ""]
    names = program.size_names
    if names:
        lines.append(", ".join(names.values()) + f" = {SIZES}")
    lines += [*program.lines, call]
    assignments = tuple(_assignments(program))
    if names and not assignments:
        raise Unreplayable("sizes that fit together")
    return ProbeRequest(
        program="\n".join(lines) + "\n",
        kind="logical-device" if program.needs_device else "eager-cpu",
        flag=(len(lines), len(lines)),
        assignments=assignments,
        assumes=tuple(sorted(fault.assumptions)),
        guesses=program.guesses,
    )


@dataclass(slots=True)
class _Program:
    """A program under construction. `guesses`: something unknown was chosen."""

    lines: list[str] = field(default_factory=list)
    size_names: dict[str, str] = field(default_factory=dict)
    """The names that symbols of sizes have in the program."""
    counts: list[Dim] = field(default_factory=list)
    """Sizes and element counts of the operands: none may be negative, none too large."""
    needs_device: bool = False
    guesses: bool = False
    _operands: dict[int, tuple[TensorFact, str]] = field(default_factory=dict)

    # ---- calls --------------------------------------------------------------------------------------------------------

    def call(self, called: Called) -> str:
        owner, _, method = called.name.rpartition(".")
        if owner == "Tensor" or called.name.startswith("torch.Tensor."):
            if not called.args or not isinstance(called.args[0], TensorFact):
                raise Unreplayable("the tensor")
            receiver = self.operand(called.args[0], "x")
            if method == "__getitem__":
                return f"{receiver}[{self.index(called.args[1])}]"
            return f"{receiver}.{method}({self.arguments(called.args[1:], called.keywords)})"
        if not called.name.startswith("torch."):
            raise Unreplayable(f"{called.name}, which is not torch's")
        return f"{called.name}({self.arguments(called.args, called.keywords)})"

    def layer_call(self, called: Called) -> str:
        assert called.layer is not None
        qualname, config, now = called.layer
        state = dict(now)
        config = tuple((name, value) for name, value in config if name not in ("device", "dtype"))
        made = f"{qualname}({self.arguments((), config)})"
        if state["dtype"] is None or state["device"] is None:
            self.guesses = True
        if state["dtype"] not in (None, "f32"):
            made += f".to({self.dtype(state['dtype'])})"
        if state["device"] is not None and state["device"].kind != "cpu":
            made += f".to({self.device(state['device'])})"
        if state["training"] is Tri.NO:
            made += ".eval()"
        self.lines.append(f"layer = {made}")
        return f"layer({self.arguments(called.args, called.keywords)})"

    def arguments(self, args: tuple, keywords: tuple[tuple[str, Any], ...]) -> str:
        parts = [self.value(value, f"x{number}" if number else "x") for number, value in enumerate(args)]
        parts.extend(f"{name}={self.value(value, name)}" for name, value in keywords)
        return ", ".join(parts)

    def index(self, index: Any) -> str:
        if isinstance(index, v.TupleValue) and index.items:
            return ", ".join(self.index(item) for item in index.items)
        return self.value(index, "index")

    # ---- values -------------------------------------------------------------------------------------------------------

    def value(self, value: Any, name: str) -> str:
        match value:
            case TensorFact():
                return self.operand(value, name)
            case v.TupleValue(items=items):
                inner = ", ".join(self.value(item, f"{name}{i}") for i, item in enumerate(items))
                return f"({inner},)" if len(items) == 1 else f"({inner})"
            case v.DTypeValue(dtype=dtype, numpy=False) if dtype is not None:
                return self.dtype(dtype)
            case v.DeviceValue(device=device) if device is not None:
                return self.device(device)
            case v.Scalar(kind="none"):
                return "None"
            case v.Scalar(kind="ellipsis"):
                return "..."
            case v.Scalar(value=bool(known) | float(known) | str(known)):
                return repr(known)
            case v.SliceValue(start=start, stop=stop, step=step):
                bounds = ", ".join(
                    "None" if part is None else self.value(part, name) for part in (start, stop, step)
                )
                return f"slice({bounds})"
        size = v.as_dim(value)
        if size is not None:
            return self.size(size)
        raise Unreplayable(f"the value of {name}")

    def operand(self, fact: TensorFact, name: str) -> str:
        """The name of a tensor, which is made where it is first needed."""
        known = self._operands.get(id(fact))
        if known is not None:
            return known[1]
        if (
            not _NAME.match(name)
            or name in _TAKEN - {"x"}
            or any(name == n for _, n in self._operands.values())
        ):
            name = f"x{len(self._operands)}"
        made = self.tensor(fact)
        self._operands[id(fact)] = fact, name
        self.lines.append(f"{name} = {made}")
        return name

    def tensor(self, fact: TensorFact) -> str:
        if fact.shape is None:
            raise Unreplayable("the shape of a tensor")
        if fact.dtype is None or fact.device is None:
            self.guesses = True
        dtype = fact.dtype or "f32"
        options = [] if dtype == "f32" else [f"dtype={self.dtype(dtype)}"]
        if fact.device is not None and fact.device.kind != "cpu":
            options.append(f"device={self.device(fact.device)}")
        grad = fact.grad.requires is Tri.YES and can_require_grad(dtype)
        if grad:
            options.append("requires_grad=True")
        shape = self.shape(fact.shape)
        if fact.layout is None or fact.layout is ROW_MAJOR:
            self.guesses = self.guesses or fact.layout is None
            made = f"torch.zeros({', '.join([shape, *options])})"
            return f"{made} * 1" if grad and fact.grad.leaf is Tri.NO else made
        strides = fact.strides
        if strides is None:
            raise Unreplayable("the strides of a tensor")
        extent: Dim = 1
        for size, stride in zip(fact.shape, strides, strict=True):
            extent = extent + (size - 1) * stride
        self.counts.append(extent)
        made = f"torch.zeros({', '.join([self.size(extent), *options])})"
        return f"{made}.as_strided({shape}, {self.shape(strides)})"

    def shape(self, sizes: tuple[Dim, ...]) -> str:
        count: Dim = 1
        for size in sizes:
            self.counts.append(size)
            count = count * size
        self.counts.append(count)
        inner = ", ".join(self.size(size) for size in sizes)
        return f"({inner},)" if len(sizes) == 1 else f"({inner})"

    def dtype(self, dtype: str) -> str:
        return f"torch.{TORCH_NAMES[dtype]}"

    def device(self, device: Device) -> str:
        if device.kind == "cuda":
            self.needs_device = True
        elif device.kind not in ("cpu", "meta"):
            raise Unreplayable(f"device {device}")
        return f'"{device.kind}"' if device.index is None else f'"{device.kind}:{device.index}"'

    # ---- sizes --------------------------------------------------------------------------------------------------------

    def size(self, size: Dim) -> str:
        """A size as Python: an int, or a formula over names of the program."""
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
        text = " ".join(f"{sign} {factors}" for sign, factors in terms)
        return text.removeprefix("+ ")

    def _atom(self, atom: Any) -> str:
        if isinstance(atom, dims.Quotient):
            return f"(({self.size(atom.numerator)}) // ({self.size(atom.denominator)}))"
        if atom.name not in self.size_names:
            plain = re.sub(r"@.*|[^\w].*", "", str(atom).lstrip("?")) or "n"
            plain = plain if _NAME.match(plain) and plain not in _TAKEN else "n"
            name, number = plain, 2
            while name in self.size_names.values() or name in {n for _, n in self._operands.values()}:
                name, number = f"{plain}_{number}", number + 1
            self.size_names[atom.name] = name
        return self.size_names[atom.name]


def _assignments(program: _Program) -> Iterator[Sizes]:
    """Sizes to try: distinct primes in two orders, all equal, and each of the first three at 1."""
    symbols = list(program.size_names)
    if not symbols:
        yield ()
        return
    primes = [_PRIMES[i % len(_PRIMES)] + 20 * (i // len(_PRIMES)) for i in range(len(symbols))]
    tried = [primes, primes[::-1], [_EQUAL] * len(symbols)]
    tried += [
        [_ONE if i == one else size for i, size in enumerate(primes)] for one in range(min(3, len(symbols)))
    ]
    # Formulas such as `n - 32` want larger ones.
    tried.append([64 + size for size in primes])
    seen: set[tuple[int, ...]] = set()
    for sizes in tried:
        values = dict(zip(symbols, sizes, strict=True))
        if tuple(sizes) in seen or not all(_is_fit(count, values) for count in program.counts):
            continue
        seen.add(tuple(sizes))
        yield tuple((program.size_names[symbol], size) for symbol, size in values.items())


def _is_fit(count: Dim, values: dict[str, int]) -> bool:
    try:
        known = dims.substitute(count, values)
    except ZeroDivisionError:
        return False
    return isinstance(known, int) and 0 <= known <= _LARGEST
