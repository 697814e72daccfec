"""Evaluates functions of Python's standard library: named tuples, `map`, deques and random choices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.distributed import varying_values
from torchlsp.interp.model import classes, heap_access, heap_values
from torchlsp.interp.objects import dataclass_instances
from torchlsp.interp.objects.iteration import UNROLLED, element_of, elements_at_once, known_items
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

ZIP = v.External("builtins.zip")
_NEW = "collections.namedtuple.__new__"
_VALUE_BASES = frozenset({
    "enum.Enum", "enum.IntEnum", "enum.StrEnum", "typing.NamedTuple", "torch.autograd.Function",
})  # fmt: skip
_TORCH_FIELDS = frozenset({("values", "indices"), ("values", "counts")})
"""Fields of torch's own named tuples, which checks treat unlike those of the user's."""
_CALLED = (
    v.FunctionValue, v.LayerValue, v.InstanceValue, v.PartialValue, v.External, v.BoundExternal, v.ClassValue, v.Wrapped,
)  # fmt: skip


# ---- named tuples -------------------------------------------------------------------------------------------------------


def is_value_class(cls: v.ClassValue) -> bool:
    """Returns whether `__init__` does not create the class's objects (enum, named tuple, autograd Function)."""
    return any(isinstance(base, v.External) and base.name in _VALUE_BASES for base in classes.mro(cls))


def is_plain_enum(cls: v.ClassValue) -> bool:
    """Tells whether a class is an enum whose members are no numbers or texts themselves."""
    bases = classes.mro(cls)
    return v.External("enum.Enum") in bases and all(
        isinstance(base, v.ClassValue) or base in (v.External("enum.Enum"), v.External("builtins.object"))
        for base in bases
    )


def instantiate(cls: v.ClassValue, arguments: Arguments) -> Value:
    """Creates an object of such a class; unknown unless the class derives directly from `NamedTuple`."""
    if cls.bases != (v.External("typing.NamedTuple"),):
        return UNKNOWN_VALUE
    fields = dataclass_instances.fields(cls)
    with_default = [name for name, field in fields.items() if field.value is not None]
    defaults = {name: cls.scope.variables.get(name, UNKNOWN_VALUE) for name in with_default}
    return _named(tuple(fields), defaults, arguments)


def inherited_fields(cls: v.ClassValue) -> tuple[str, ...]:
    """Returns the fields of the named tuple that a class derives from as `class Step(namedtuple("Step", "state action"))`."""
    for base in classes.mro(cls):
        if isinstance(base, v.PartialValue) and base.function == v.External(_NEW):
            names = base.args[0]
            return tuple(str(v.known(one, str)) for one in names.items) if type(names) is v.TupleValue else ()
    return ()


def _named(names: tuple[str, ...], defaults: dict[str, Value], arguments: Arguments) -> Value:
    """Creates a named tuple from a call's arguments."""
    if arguments.open_positional or names in _TORCH_FIELDS or len(arguments.positional) > len(names):
        return UNKNOWN_VALUE
    given = defaults | dict(zip(names, arguments.positional)) | dict(arguments.keywords)
    if arguments.open_keywords:
        given = dict.fromkeys(names, UNKNOWN_VALUE) | dict(zip(names, arguments.positional))
    if given.keys() != set(names):
        return UNKNOWN_VALUE
    return v.TupleValue(tuple(given[name] for name in names), names)


def _namedtuple(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `namedtuple("Step", "state action")`: a function that creates such tuples."""
    if len(arguments.positional) != 2 or arguments.keywords or arguments.open_keywords:
        return UNKNOWN_VALUE
    fields = arguments.positional[1]
    names: tuple[Value, ...]
    if isinstance(fields, v.Scalar) and isinstance(fields.value, str):
        names = tuple(v.Scalar("str", name) for name in fields.value.replace(",", " ").split())
    else:
        names = it.elements(fields) or ()
    if not names or not all(isinstance(v.known(name, str), str) for name in names):
        return UNKNOWN_VALUE
    return v.PartialValue(v.External(_NEW), (v.TupleValue(names),), ())


def _new(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates a call of a function that `_namedtuple` has created."""
    names, *given = arguments.positional
    if not isinstance(names, v.TupleValue):
        return UNKNOWN_VALUE
    arguments = Arguments(
        tuple(given), arguments.keywords, arguments.open_positional, arguments.open_keywords
    )
    known = (v.known(name, str) for name in names.items)
    return _named(tuple(name for name in known if name is not None), {}, arguments)


# ---- functions on sequences ---------------------------------------------------------------------------------------------


def _map(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `map(function, …)` at once: on each of a few known items, else on one that stands for all."""
    if len(arguments.positional) < 2 or arguments.open_positional:
        return UNKNOWN_VALUE
    function, *sources = arguments.positional
    if not isinstance(function, _CALLED):
        return UNKNOWN_VALUE
    columns = [items for source in sources if (items := known_items(it, source)) is not None]
    if len(columns) < len(sources) or len(columns[0]) > UNROLLED:
        one = elements_at_once(it, sources, node)
        it.frame.undecided += 1  # there may be no item
        result = it.invoke(function, Arguments(one), node)
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
    """Evaluates `random.sample(rows, k)` and its like: a list of any of the items, in any order."""
    if not arguments.positional or arguments.open_positional:
        return UNKNOWN_VALUE
    return heap_values.new_list(it, node, v.Repeated(element_of(it, arguments.positional[0], node)))


_SUMMED_UP = 64
"""A list of this many items or more is known by one item that stands for all."""


def _deque(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `deque(…)` as a list.

    Unknown if `maxlen` is so small that items which are known one by one may fall out of it.
    """
    given = dict(zip(("iterable", "maxlen"), arguments.positional)) | dict(arguments.keywords)
    most = given.get("maxlen", v.NONE)
    is_short = most != v.NONE and (v.as_int(most) or 0) < _SUMMED_UP
    if arguments.is_open or is_short:
        return UNKNOWN_VALUE
    if "iterable" not in given:
        return heap_values.new_list(it, node, ())
    items = known_items(it, given["iterable"])
    held = v.Repeated(element_of(it, given["iterable"], node)) if items is None else items
    return heap_values.new_list(it, node, held)


def transpose(it: Evaluator, rows: Value, node: ir.Node) -> Value:
    """Evaluates `zip(*rows)` of an unknown number of rows of one length: a tuple of its columns."""
    row = element_of(it, rows, node)
    if not isinstance(row, v.TupleValue):
        return v.Repeated(UNKNOWN_VALUE)
    content = heap_access.items_at(it, rows.ref) if isinstance(rows, v.ListRef) else rows
    length = content.length if isinstance(content, v.Repeated) else None
    return v.TupleValue(tuple(v.Repeated(item, length) for item in row.items))


def _one(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `random.choice(rows)`: one of the items."""
    if not arguments.positional or arguments.open_positional:
        return UNKNOWN_VALUE
    return element_of(it, arguments.positional[0], node)


def _random_number(kind: str) -> Callable[[Evaluator, Arguments, ir.Node], Value]:
    """Returns the handler of a function of `random` that gives a number of this kind."""
    return lambda it, arguments, node: varying_values.random_number(it, kind, node)


HANDLERS: dict[str, Callable[[Evaluator, Arguments, ir.Node], Value]] = {
    "collections.namedtuple": _namedtuple, _NEW: _new, "builtins.map": _map, "builtins.sorted": _some, "collections.deque": _deque,
    "random.sample": _some, "random.choices": _some, "random.choice": _one,
    **dict.fromkeys(("random.randint", "random.randrange", "random.getrandbits"), _random_number("int")),
    **dict.fromkeys(
        ("random.random", "random.uniform", "random.gauss", "random.normalvariate", "random.triangular", "random.betavariate",
         "random.expovariate", "random.lognormvariate"), _random_number("float"),
    ),
}  # fmt: skip
