"""Finds functions that may also run otherwise than analysed: without gradients, on cast modules, or by calls not followed.

A function analysed by itself is taken to record gradients and to find its module's parameters in float32 and trainable.
Here is looked up in the same file, and in those that import it (`callers`), what speaks against that, and facts that rest
on it are made unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass, replace
from torchlsp.engine.callers import CAST_DTYPE, MODULE_METHODS, NO_CALLERS, Callers
from torchlsp.facts import values as v
from torchlsp.facts.tensor import UNKNOWN_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.store.recorded import ANY_MODULE
from torchlsp.ops import operator
from torchlsp.program import ir
from torchlsp.program.walking import children_reversed

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis

Span = tuple[int, int]

_NO_GRAD = frozenset({"no_grad", "inference_mode", "set_grad_enabled"})
_AUTOCAST = frozenset({"autocast"})
_CASTS = frozenset({"double", "half", "bfloat16", "to", "type"})
_FREEZES = frozenset({"requires_grad_", "requires_grad"})
_TRIGGERS = re.compile(
    r"no_grad|inference_mode|set_grad_enabled|autocast|requires_grad|\.(double|half|bfloat16|to|type)\("
)
_ENTRIES = frozenset({"forward", "__call__"})
_METHODS = (
    frozenset(name for kind in (list, dict, set, str) for name in dir(kind))
    | MODULE_METHODS
    | {"step", "zero_grad"}
)
"""Methods that a name of a file's own classes is seldom given; what they are called on runs no `forward`."""
_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Circumstances:
    """By span of a function: those that may run without gradients, on cast modules or under autocast, with frozen parameters,
    and those of whose calls not all were followed."""

    without_grad: frozenset[Span] = frozenset()
    cast: frozenset[Span] = frozenset()
    frozen: frozenset[Span] = frozenset()
    missed: frozenset[Span] = frozenset()
    functions: tuple[Span, ...] = ()
    """All of these, in order."""

    def weakened(self, value: Value, around: Iterable[Span], only_frozen: bool = False) -> Value:
        """Returns what stays true of a value inside of functions, however they are run.

        `only_frozen`: the grad mode and the dtype of the calls are known.
        """
        spans = frozenset(around)
        without_grad, cast, frozen = (
            not spans.isdisjoint(one) for one in (self.without_grad, self.cast, self.frozen)
        )
        if only_frozen:
            without_grad = cast = False
        if not (without_grad or cast or frozen):
            return value
        return _weakened(value, without_grad, cast, frozen, 0)


def _weakened(value: Value, without_grad: bool, cast: bool, frozen: bool, depth: int) -> Value:
    if depth > _DEPTH:
        return value

    def inner(item: Value) -> Value:
        return _weakened(item, without_grad, cast, frozen, depth + 1)

    match value:
        case TensorFact(grad=grad, dtype=dtype):
            is_parameter = grad.requires is Tri.YES and grad.leaf is Tri.YES
            is_plain = grad.requires is Tri.NO
            if (without_grad and not is_parameter and not is_plain) or (frozen and not is_plain):
                grad = UNKNOWN_GRAD
            if cast and dtype == "f32":
                dtype = None
            return value if grad is value.grad and dtype is value.dtype else value.but(grad=grad, dtype=dtype)
        case v.DTypeValue(dtype="f32") if cast:
            return replace(value, dtype=None)
        case v.TupleValue(items=items):
            new = tuple(inner(item) for item in items)
            return value if all(a is b for a, b in zip(new, items)) else replace(value, items=new)
        case v.Repeated(element=element):
            return replace(value, element=inner(element))
        case v.DictValue(entries=entries):
            return v.DictValue(tuple((key, inner(item)) for key, item in entries))
    return value


def circumstances(
    module: ir.Module, analysis: Analysis, text: str, others: Callers = NO_CALLERS
) -> Circumstances:
    """Looks through a file, and what is known of those that import it, for the circumstances under which its functions run."""
    recording = analysis.recording
    missed = frozenset() if recording is None else recording.missed
    if not missed and not others and not _TRIGGERS.search(text):
        return Circumstances()
    calls = _Calls(module, analysis, text)
    entries = calls.entries if ANY_MODULE in missed else []
    off = [*calls.regions(_NO_GRAD), *calls.named(others.without_grad)]
    autocast = [*calls.regions(_AUTOCAST), *calls.named(others.autocast)]
    modules = calls.closure(one for one in calls.functions if one.name in _ENTRIES)
    found = (
        calls.spans(calls.closure(off)),
        calls.spans(calls.closure(autocast) | (modules if others.casts or calls.casts_modules() else set())),
        calls.spans(modules | calls.methods() if others.freezes or calls.freezes() else set()),
        calls.spans(
            calls.closure([*(one for one in calls.functions if (one.start, one.end) in missed), *entries])
        ),
    )
    return Circumstances(*found, tuple(sorted(frozenset[Span]().union(*found))))


class _Calls:
    """Which functions of a file a node may call, by names and by what is known of the callee."""

    def __init__(self, module: ir.Module, analysis: Analysis, text: str) -> None:
        self.module, self.analysis, self.text = module, analysis, text
        self.lambdas: list[ir.Function] = []
        self.functions: list[ir.Function] = list(module.functions)
        self.by_name: dict[str, list[ir.Function]] = {}
        for function in self.functions:
            self.by_name.setdefault(function.name, []).append(function)
        self.classes = {one.name: one for one in module.classes}
        self.entries = [one for one in self.functions if one.name in _ENTRIES and one.owner is not None]
        self._called: dict[Span, list[ir.Function]] = {}
        self.nodes = list(nodes_inside(module.body, True))
        for node in self.nodes:
            if isinstance(node, ir.Lambda):
                self.lambdas.append(node.function)
        self.functions.extend(self.lambdas)

    def spans(self, functions: Iterable[ir.Function]) -> frozenset[Span]:
        return frozenset((one.start, one.end) for one in functions)

    def named(self, names: frozenset[str]) -> Iterator[ir.Function]:
        """The functions of some names."""
        return (one for one in self.functions if one.name in names)

    def methods(self) -> set[ir.Function]:
        """The methods of classes that are called as modules are."""
        owners = {one.owner for one in self.entries}
        return {one for one in self.functions if one.owner in owners}

    def closure(self, functions: Iterable[ir.Function]) -> set[ir.Function]:
        """Functions with all that they may call in this file."""
        found: set[ir.Function] = set()
        to_visit = list(functions)
        while to_visit:
            one = to_visit.pop()
            if one in found:
                continue
            found.add(one)
            to_visit.extend(self._called_in(one))
        return found

    def _called_in(self, function: ir.Function) -> list[ir.Function]:
        key = function.start, function.end
        if key not in self._called:
            self._called[key] = list(self._called_by(function.body))
        return self._called[key]

    def regions(self, names: frozenset[str]) -> Iterator[ir.Function]:
        """Functions that a context manager or decorator of one of these names is about, or that are called inside of one."""
        for function in self.functions:
            if any(_last_name(one) in names for one in function.decorators):
                yield function
        for function, names_of_statements in self._statements:
            if names_of_statements & names:
                yield from self._called_by(function.body)
        for node in self.nodes:
            if isinstance(node, ir.With) and any(_last_name(context) in names for context, _ in node.items):
                yield from self._called_by(node.body)
            elif isinstance(node, ir.Expression) and _last_name(node.value) in names:
                yield from self._called_by(self.module.body)

    @cached_property
    def _statements(self) -> list[tuple[ir.Function, frozenset[str]]]:
        """Each function with the last names of what stands in it as a statement."""
        return [
            (
                function,
                frozenset(
                    _last_name(node.value)
                    for node in nodes_inside(function.body)
                    if isinstance(node, ir.Expression)
                ),
            )
            for function in self.functions
        ]

    def casts_modules(self) -> bool:
        """Is a module given another dtype anywhere?"""
        used = {
            self.text[one.function.object.start : one.function.object.end]
            if isinstance(one.function, ir.Attribute) and one.function.name in MODULE_METHODS
            else self.text[one.function.start : one.function.end]
            for one in self._all_calls()
        }
        for call in self._all_calls():
            function = call.function
            if not isinstance(function, ir.Attribute) or function.name not in _CASTS:
                continue
            if function.name in ("to", "type") and not self._names_a_dtype(call):
                continue
            receiver = function.object
            value = self._value(receiver)
            if isinstance(value, v.LayerValue | v.InstanceValue | v.Wrapped | v.SuperValue):
                return True
            is_unknown = isinstance(value, v.Unknown | v.Parameter)
            if is_unknown and self.text[receiver.start : receiver.end] in used:
                return True
        return False

    def _names_a_dtype(self, call: ir.Call) -> bool:
        given = [*call.args, *(value for _, value in call.keywords)]
        for one in given:
            value = self._value(one)
            if isinstance(value, v.DTypeValue):
                return value.dtype != "f32"
            if CAST_DTYPE.search(self.text[one.start : one.end]):
                return True
        return any(name == "dtype" for name, _ in call.keywords)

    def freezes(self) -> bool:
        """Are gradients of parameters switched off anywhere?"""
        for node in self.nodes:
            if isinstance(node, ir.Call) and isinstance(node.function, ir.Attribute):
                given = node.args or tuple(value for _, value in node.keywords)
                is_on = not given or (isinstance(given[0], ir.Constant) and given[0].value is True)
                if node.function.name == "requires_grad_" and not is_on:
                    return True
            elif isinstance(node, ir.Assign):
                is_on = isinstance(node.value, ir.Constant) and node.value.value is True
                if not is_on and any(
                    isinstance(one, ir.Attribute) and one.name == "requires_grad" for one in node.targets
                ):
                    return True
        return False

    def _all_calls(self) -> Iterator[ir.Call]:
        for node in self.nodes:
            if isinstance(node, ir.Call):
                yield node

    def _value(self, node: ir.Node) -> Value:
        return self.analysis.values.get((node.start, node.end), UNKNOWN_VALUE)

    def _called_by(self, nodes: Iterable[ir.Node]) -> Iterator[ir.Function]:
        for node in nodes_inside(tuple(nodes)):
            if isinstance(node, ir.Call):
                yield from self._callees(node.function)
            elif isinstance(node, ir.Name) and node.id in self.by_name:
                yield from self.by_name[node.id]  # given away, perhaps to be called
            elif isinstance(node, ir.Lambda):
                yield node.function
            elif isinstance(node, ir.Attribute):
                # A property, or a method that is given away.
                yield from (one for one in self.by_name.get(node.name, ()) if one.owner is not None)

    def _callees(self, function: ir.Node) -> Iterator[ir.Function]:
        value = self._value(function)
        match value:
            case v.External() | v.BoundExternal() | TensorFact():
                return
            case v.InstanceValue(cls=cls) if cls.ir.name in self.classes:
                own = [cls.ir.methods[name] for name in sorted(_ENTRIES) if name in cls.ir.methods]
                yield from own or self.entries
                return
            case v.LayerValue(qualname=name) if not name.endswith(("Sequential", "DataParallel", "Parallel")):
                return
        match function:
            case ir.Name(id=name) if name in self.classes:
                yield from (one for one in (self.classes[name].methods.get("__init__"),) if one is not None)
            case ir.Name(id=name) if name in self.by_name:
                yield from self.by_name[name]
            case ir.Attribute(name=name) if any(one.owner is not None for one in self.by_name.get(name, ())):
                yield from self.by_name[name]
            case ir.Attribute(name=name) if name in _METHODS or operator(f"Tensor.{name}") is not None:
                return
            case ir.Attribute() | ir.Name() | ir.Subscript() | ir.Call():
                yield from self.entries


def _last_name(node: ir.Node) -> str:
    """`no_grad` of `torch.no_grad()`, of `@torch.no_grad` and of `no_grad(f)`."""
    while isinstance(node, ir.Call):
        node = node.function
    return node.name if isinstance(node, ir.Attribute) else node.id if isinstance(node, ir.Name) else ""


def nodes_inside(nodes: object, into_definitions: bool = False) -> Iterator[ir.Node]:
    """Nodes with all inside of them; the bodies of functions that are defined there only if that is asked for."""
    to_visit = [nodes]
    while to_visit:
        one = to_visit.pop()
        if isinstance(one, tuple):
            to_visit.extend(reversed(one))
        elif isinstance(one, ir.Function):
            if into_definitions or one.is_lambda:
                to_visit.append(one.body)
            to_visit.append(tuple(param.default for param in one.params if param.default is not None))
        elif isinstance(one, ir.Class):
            to_visit.append(one.body)
        elif isinstance(one, ir.Node):
            yield one
            to_visit.extend(children_reversed(type(one))(one))
