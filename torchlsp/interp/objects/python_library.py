"""What Python's own library does to facts: named tuples, `map`, and choices among the items of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import classes, heap_values
from torchlsp.interp.objects import dataclass_instances
from torchlsp.interp.objects.iteration import UNROLLED, element_of, known_items
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

ZIP = v.External("builtins.zip")
_NEW = "collections.namedtuple.__new__"
_VALUE_BASES = frozenset({
    "enum.Enum", "enum.IntEnum", "enum.StrEnum", "typing.NamedTuple", "torch.autograd.Function",
})  # fmt: skip
_OF_TORCH = frozenset({("values", "indices"), ("values", "counts")})
"""Names of the fields of torch's own named tuples, of which more is told than of tuples."""
_CALLED = (
    v.FunctionValue, v.LayerValue, v.InstanceValue, v.PartialValue, v.External, v.BoundExternal, v.ClassValue, v.Wrapped,
)  # fmt: skip


# ---- named tuples -------------------------------------------------------------------------------------------------------


def makes_values(cls: v.ClassValue) -> bool:
    """Are the objects of this class something else than what its `__init__` leaves?"""
    return any(isinstance(base, v.External) and base.name in _VALUE_BASES for base in classes.mro(cls))


def instantiate(cls: v.ClassValue, arguments: Arguments) -> Value:
    """An object of such a class: known of `class Output(NamedTuple)` itself."""
    if cls.bases != (v.External("typing.NamedTuple"),):
        return UNKNOWN_VALUE
    names = tuple(dataclass_instances.fields(cls))
    defaults = {name: cls.scope.variables[name] for name in names if name in cls.scope.variables}
    return _named(names, defaults, arguments)


def _named(names: tuple[str, ...], defaults: dict[str, Value], arguments: Arguments) -> Value:
    if arguments.open_positional or names in _OF_TORCH or len(arguments.positional) > len(names):
        return UNKNOWN_VALUE
    given = defaults | dict(zip(names, arguments.positional)) | dict(arguments.keywords)
    if arguments.open_keywords:
        given = dict.fromkeys(names, UNKNOWN_VALUE) | dict(zip(names, arguments.positional))
    if given.keys() != set(names):
        return UNKNOWN_VALUE
    return v.TupleValue(tuple(given[name] for name in names), names)


def _namedtuple(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """`namedtuple("Step", "state action")` or with a list of names: a function that makes such tuples."""
    if len(arguments.positional) != 2 or arguments.keywords or arguments.open_keywords:
        return UNKNOWN_VALUE
    fields = arguments.positional[1]
    if isinstance(fields, v.Scalar) and isinstance(fields.value, str):
        names = tuple(v.Scalar("str", name) for name in fields.value.replace(",", " ").split())
    else:
        names = it.elements(fields) or ()
    if not names or not all(isinstance(v.known(name, str), str) for name in names):
        return UNKNOWN_VALUE
    return v.PartialValue(v.External(_NEW), (v.TupleValue(names),), ())


def _new(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    names, *given = arguments.positional
    arguments = Arguments(
        tuple(given), arguments.keywords, arguments.open_positional, arguments.open_keywords
    )
    return _named(tuple(name.value for name in names.items), {}, arguments)


# ---- functions on sequences ---------------------------------------------------------------------------------------------


def _map(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """`map(function, …)`, run at once: on each of a few known items, else on one that stands for all."""
    if len(arguments.positional) < 2 or arguments.open_positional:
        return UNKNOWN_VALUE
    function, *sources = arguments.positional
    if not isinstance(function, _CALLED):
        return UNKNOWN_VALUE
    columns = [known_items(it, source) for source in sources]
    if None in columns or len(columns[0]) > UNROLLED:
        row = tuple(element_of(it, source, node) for source in sources)
        it.frame.undecided += 1  # there may be no item
        result = it.invoke(function, Arguments(row), node)
        it.frame.undecided -= 1
        return v.Repeated(result)
    frame, site = it.frame, it.frame.site
    results = []
    for index, row in enumerate(zip(*columns)):
        frame.site = f"{site}.{index}"
        try:
            results.append(it.invoke(function, Arguments(row), node))
        finally:
            frame.site = site
    return v.TupleValue(tuple(results))


def _some(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """`random.sample(rows, k)`: any of the items, in any order."""
    if not arguments.positional or arguments.open_positional:
        return UNKNOWN_VALUE
    return heap_values.new_list(it, node, v.Repeated(element_of(it, arguments.positional[0], node)))


_SUMMED_UP = 64
"""From so many items on a list is known by what they all are."""


def _deque(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """A list, where what falls out of it at the other end is no longer known one by one anyway."""
    given = dict(zip(("iterable", "maxlen"), arguments.positional)) | dict(arguments.keywords)
    most = given.get("maxlen", v.NONE)
    is_short = most != v.NONE and (v.as_int(most) or 0) < _SUMMED_UP
    if arguments.open_positional or arguments.open_keywords or is_short:
        return UNKNOWN_VALUE
    if "iterable" not in given:
        return heap_values.new_list(it, node, ())
    items = known_items(it, given["iterable"])
    held = v.Repeated(element_of(it, given["iterable"], node)) if items is None else items
    return heap_values.new_list(it, node, held)


def transposed(it: Evaluator, rows: Value, node: ir.Node) -> Value:
    """`zip(*rows)` of any number of rows of one length: its columns."""
    row = element_of(it, rows, node)
    if not isinstance(row, v.TupleValue):
        return v.Repeated(UNKNOWN_VALUE)
    return v.TupleValue(tuple(v.Repeated(item) for item in row.items))


def _one(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """`random.choice(rows)`"""
    if not arguments.positional or arguments.open_positional:
        return UNKNOWN_VALUE
    return element_of(it, arguments.positional[0], node)


HANDLERS = {
    "collections.namedtuple": _namedtuple, _NEW: _new, "builtins.map": _map, "builtins.sorted": _some, "collections.deque": _deque,
    "random.sample": _some, "random.choices": _some, "random.choice": _one,
}  # fmt: skip
