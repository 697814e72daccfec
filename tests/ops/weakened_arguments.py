"""Makes the facts of a call's arguments less known: what a row claims then must hold too, and nothing may break."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from torchlsp.facts import dim as dims
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import ANY_STORAGE, UNKNOWN_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, ListRef, Parameter, TupleValue, Value
from torchlsp.ops.call import Context
from torchlsp.ops.signature import Arguments

Change = Callable[[TensorFact, int], Value]
"""Makes less known the tensor with this number among the call's tensors."""


@dataclass(frozen=True)
class Blur:
    """One way to know less; `tensors` changes tensors, `call` the arguments and the context as a whole."""

    name: str
    tensors: Change | None = None
    call: Callable[[Arguments, Context], tuple[Arguments, Context]] | None = None

    def of(self, arguments: Arguments, context: Context) -> tuple[Arguments, Context]:
        if self.call is not None:
            return self.call(arguments, context)
        numbers = iter(range(100))
        positional = tuple(_changed(value, self.tensors, numbers, context) for value in arguments.positional)
        keywords = tuple(
            (name, _changed(v, self.tensors, numbers, context)) for name, v in arguments.keywords
        )
        return replace(arguments, positional=positional, keywords=keywords), context


def _changed(value: Value, change: Change, numbers: Iterator[int], context: Context) -> Value:
    if isinstance(value, TensorFact):
        return change(value, next(numbers))
    if isinstance(value, (TupleValue, ListRef)):
        items = context.elements(value) or ()
        if any(isinstance(item, TensorFact) for item in items):
            return TupleValue(tuple(_changed(item, change, numbers, context) for item in items))
    return value


def _kept_layout(tensor: TensorFact):
    """Strides say nothing without sizes; row-major does."""
    return ROW_MAJOR if tensor.layout is ROW_MAJOR else None


def _without_shape(tensor: TensorFact, number: int) -> TensorFact:
    return tensor.but(shape=None, layout=_kept_layout(tensor))


def _without_sizes(tensor: TensorFact, number: int) -> TensorFact:
    if tensor.shape is None:
        return tensor
    shape = tuple(dims.symbol(f"?blur{number}.{i}") for i in range(len(tensor.shape)))
    return tensor.but(shape=shape, layout=_kept_layout(tensor))


_COLUMNS: dict[str, Change] = {
    "shape": _without_shape,
    "sizes": _without_sizes,
    "dtype": lambda tensor, number: tensor.but(dtype=None),
    "layout": lambda tensor, number: tensor.but(layout=None),
    "device": lambda tensor, number: tensor.but(device=None),
    "grad": lambda tensor, number: tensor.but(grad=UNKNOWN_GRAD),
    "storage": lambda tensor, number: tensor.but(storage=ANY_STORAGE),
    "facts": lambda tensor, number: TensorFact(),
    "value": lambda tensor, number: UNKNOWN_VALUE,
}


def _only(which: int, change: Change) -> Change:
    return lambda tensor, number: change(tensor, number) if number == which else tensor


def _without_keywords(arguments: Arguments, context: Context) -> tuple[Arguments, Context]:
    return replace(arguments, keywords=(), open_keywords=True), context


def _without_last_argument(arguments: Arguments, context: Context) -> tuple[Arguments, Context]:
    return replace(
        arguments, positional=arguments.positional[:-1], open_positional=True, keywords=(), open_keywords=True
    ), context


def _with_unknown(index: int, value: Value):
    """The argument with this index, not known."""

    def call(arguments: Arguments, context: Context) -> tuple[Arguments, Context]:
        given = list(arguments.positional)
        names = list(arguments.keywords)
        place = index % (len(given) + len(names)) if given or names else 0
        if place < len(given):
            given[place] = value
        elif names:
            names[place - len(given)] = (names[place - len(given)][0], value)
        return replace(arguments, positional=tuple(given), keywords=tuple(names)), context

    return call


def _in_unknown_mode(arguments: Arguments, context: Context) -> tuple[Arguments, Context]:
    return arguments, replace(context, grad_mode=Tri.UNKNOWN, default_dtype=None, default_device=None)


_PARAMETER = Parameter("p@1", "p")

BLURS = (
    *(Blur(f"{name} of all", change) for name, change in _COLUMNS.items()),
    *(Blur(f"{name} of the first", _only(0, change)) for name, change in _COLUMNS.items()),
    *(
        Blur(f"{name} of the second", _only(1, _COLUMNS[name]))
        for name in ("shape", "sizes", "dtype", "grad", "value")
    ),
    *(Blur(f"argument {i}", call=_with_unknown(i, UNKNOWN_VALUE)) for i in range(1, 4)),
    *(Blur(f"argument {i} (parameter)", call=_with_unknown(i, _PARAMETER)) for i in range(3)),
    Blur("keywords", call=_without_keywords),
    Blur("last argument", call=_without_last_argument),
    Blur("modes", call=_in_unknown_mode),
)
