"""Forgets what functions may change of what they reach, once code that is not seen may call them.

Such code keeps what it is given, as a hook or as a callback: it may run it in every later call.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass, field, replace
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import classes, heap_values, later_changes
from torchlsp.interp.store.lifetimes import of_run, per_root, running_state
from torchlsp.interp.store.possible_objects import one_of
from torchlsp.interp.store.state import Scope
from torchlsp.program import ir
from torchlsp.program.walking import below

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_MAX_FUNCTIONS = 20
"""The number of functions up to which those are followed that a function mentions."""
_MAX_DEPTH = 3
"""How deep containers in containers are forgotten."""


@dataclass(frozen=True, slots=True)
class Mentions:
    """What bodies of functions mention of what stands around them."""

    names: frozenset[str]
    rebound: frozenset[str]
    """Names that they rebind by `nonlocal`."""
    of_file: frozenset[str]
    """Names that they rebind by `global`."""
    attributes: frozenset[str] = frozenset()
    """What they assign on objects."""
    called: frozenset[str] = frozenset()
    """Attributes that they call."""
    sets_by_name: bool = False
    """Whether they set attributes by names that are computed."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a function, or the methods of a class, may change of what stands around it."""

    scope: Scope
    mentions: Mentions
    names: tuple[str, ...]
    """Those of the names that they mention whose values may change, in order."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What a function, and those that it mentions, may change when they run."""

    parts: tuple[Part, ...]
    containers: tuple[v.ListRef | v.DictRef, ...]
    """Lists and dicts that it is given as defaults and arguments, or that it adds to itself: `found.append`."""
    receivers: tuple[v.InstanceValue, ...]
    """The objects whose methods they are."""


@running_state
class GivenFunctions:
    """What functions that were given away may change, by their refs."""

    reaches: dict[str, Reach] = per_root(dict)
    joined: list[Reach] = per_root(list)
    """All of them as one, each part once; empty until it is asked for."""
    mentions: dict[int, tuple[tuple[ir.Node, ...], Mentions]] = of_run(dict)
    """What each body of a function mentions, with the body itself, by its identity."""


def give(it: Evaluator, value: Value) -> None:
    """Forgets what a function may change that is given away, now and whenever unseen code runs."""
    if type(value) in _CALLABLE:
        reach = _reach(it, value)
        if reach is not None:
            _keep(it, _ref(value), reach)
            _forget(it, reach)


def give_all(it: Evaluator, values: Iterable[Value]) -> None:
    """Does the same for the functions among some values."""
    for value in values:
        if type(value) in FUNCTIONS:
            give(it, value)


def give_hook(it: Evaluator, hook: Value) -> None:
    """Does the same for a hook, which may be an object that is called."""
    give(it, hook)
    if type(hook) is v.InstanceValue:
        reach = it.states[GivenFunctions].reaches.get(hook.ref, Reach((), (), ()))
        _keep(it, hook.ref, replace(reach, receivers=(hook,)))
        later_changes.forget_changing(it, hook)


def run_given(it: Evaluator) -> None:
    """Forgets what functions that were given away may change: unseen code runs, and may call them."""
    given = it.states[GivenFunctions]
    if given.reaches:
        if not given.joined:
            given.joined.append(_joined(given.reaches.values()))
        _forget(it, given.joined[0])


def _keep(it: Evaluator, ref: str, reach: Reach) -> None:
    given = it.states[GivenFunctions]
    if given.reaches.get(ref) != reach:
        given.reaches[ref] = reach
        given.joined.clear()


def _joined(reaches: Iterable[Reach]) -> Reach:
    """Returns what some functions reach together: many callbacks are methods of one object, and reach the same."""
    parts: dict[tuple[int, Mentions, tuple[str, ...]], Part] = {}
    containers: dict[v.ListRef | v.DictRef, None] = {}
    receivers: dict[str, v.InstanceValue] = {}
    for reach in reaches:
        for part in reach.parts:
            parts.setdefault((id(part.scope), part.mentions, part.names), part)
        containers.update(dict.fromkeys(reach.containers))
        for receiver in reach.receivers:
            receivers.setdefault(receiver.ref, receiver)
    return Reach(tuple(parts.values()), tuple(containers), tuple(receivers.values()))


def forget_changed_by(it: Evaluator, value: Value) -> None:
    """Forgets what a function may change that may have run."""
    reach = _reach(it, value)
    if reach is not None:
        _forget(it, reach)


def forget_changed_by_stored(it: Evaluator, values: Iterable[Value]) -> None:
    """Forgets what functions among stored values may change: unknown code may call them at any time."""
    for value in values:
        if type(value) is v.FunctionValue and value.receiver is None:
            forget_changed_by(it, value)


def forget_rebound(it: Evaluator, function: ir.Function, scope: Scope) -> None:
    """Forgets the variables of enclosing functions that a function, which may have been called any number of times, rebinds."""
    _forget_variables(it, scope, nonlocal_names(function))


def _forget_variables(it: Evaluator, scope: Scope, names: Iterable[str]) -> None:
    for name in names:
        outer: Scope | None = scope
        while outer is not None and outer.kind != "module" and name not in outer.variables:
            outer = outer.parent
        if outer is not None and outer.kind == "function":
            it.state.set(outer.variables, name, UNKNOWN_VALUE)


def nonlocal_names(function: ir.Function) -> list[str]:
    """Returns the names that the statements `nonlocal` of a function and of those in it have, in order."""
    if function.is_lambda:
        return []
    found: dict[str, None] = {}
    waiting: list[ir.Node] = list(function.body)
    while waiting:
        node = waiting.pop()
        if type(node) is ir.Global and not node.is_global:
            found.update(dict.fromkeys(node.names))
        elif type(node) is ir.Define:
            waiting.extend(node.function.body)
        else:
            for part in ("body", "orelse", "final", "handlers", "cases"):
                waiting.extend(getattr(node, part, ()) or ())
    return sorted(found)


# ---- what a function reaches ------------------------------------------------------------------------------------------------


class _Search:
    """Collects what a value that can be called reaches."""

    def __init__(self, it: Evaluator) -> None:
        self.it = it
        self.parts: list[Part] = []
        self.containers: list[v.ListRef | v.DictRef] = []
        self.receivers: list[v.InstanceValue] = []
        self.waiting: list[v.FunctionValue] = []
        self.seen: set[int] = set()

    def take(self, value: Value) -> None:
        """Takes a value that can be called, or an argument that a call of it is given."""
        match value:
            case v.FunctionValue():
                self.waiting.append(value)
                if type(value.receiver) is v.InstanceValue and value.receiver not in self.receivers:
                    self.receivers.append(value.receiver)
            case v.PartialValue(function=function, args=args, kwargs=kwargs):
                for inner in (function, *args, *(one for _, one in kwargs)):
                    self.take(inner)
            case v.BoundExternal(receiver=(v.ListRef() | v.DictRef()) as container, name=name):
                if name in _ADDING:
                    self.containers.append(container)
            case v.ListRef() | v.DictRef():
                self.containers.append(value)
            case v.InstanceValue(cls=cls):
                self.take_class(cls)
            case v.ClassValue():
                self.take_class(value)

    def take_class(self, cls: v.ClassValue) -> None:
        """Takes the methods of a class, any of which an object of it may run."""
        for base in classes.mro(cls):
            if isinstance(base, v.ClassValue) and base.ir is not None and base.scope is not None:
                self.add(base.scope, _mentions_of_class(self.it, base.ir))

    def run(self) -> Reach | None:
        """Follows the functions that are mentioned; returns None if nothing that they reach can change."""
        while self.waiting and len(self.seen) < _MAX_FUNCTIONS:
            function = self.waiting.pop()
            if id(function.ir) not in self.seen and function.scope is not None:
                self.seen.add(id(function.ir))
                self.follow(function)
        if not (self.parts or self.containers or self.receivers):
            return None
        return Reach(tuple(self.parts), tuple(self.containers), tuple(self.receivers))

    def follow(self, function: v.FunctionValue) -> None:
        definition: ir.Function = function.ir
        scope = function.scope
        for param in definition.params:
            held = self.it.state.heap.get((function.ref, f"={param.name}"))
            if isinstance(held, v.ListRef | v.DictRef) and param.name in scope.module.ir.changed_names:
                self.containers.append(held)
        found = _mentions(self.it, definition)
        self.add(scope, found)
        if type(function.receiver) is v.InstanceValue:
            for name in sorted(found.called):
                method = classes.find_method(function.receiver.cls, name)
                if method is not None:
                    owner, body = method
                    self.waiting.append(v.FunctionValue(f"{owner.ref}.{name}", body, owner.scope))

    def add(self, scope: Scope, found: Mentions) -> None:
        """Adds what bodies in a scope mention, names left out whose values cannot change."""
        changed = scope.module.ir.changed_names
        kept = []
        for name in sorted(_bound_around(scope, found.names)):
            around = _scope_of(scope, name)
            held = None if around is None else around.variables[name]
            if type(held) is v.FunctionValue:
                self.waiting.append(held)
            elif type(held) is v.ClassValue:
                if held.scope is not None and _changes_class(held, found.attributes):
                    kept.append(name)
            elif (
                type(held) is v.InstanceValue or name in changed and (around is not None or _is_nested(scope))
            ):
                kept.append(name)
        if kept or found.rebound or found.of_file:
            self.parts.append(Part(scope, found, tuple(kept)))


FUNCTIONS = frozenset({v.FunctionValue, v.PartialValue, v.BoundExternal})
_CALLABLE = FUNCTIONS | {v.InstanceValue, v.ClassValue}
_SETTERS = frozenset({"setattr", "__setattr__", "vars"})
_ADDING = frozenset(
    "append extend insert appendleft extendleft add update setdefault pop popleft clear remove __setitem__".split()
)


def _reach(it: Evaluator, value: Value) -> Reach | None:
    search = _Search(it)
    search.take(value)
    return search.run()


def _mentions(it: Evaluator, function: ir.Function) -> Mentions:
    """Returns what the body of a function mentions, its own parameters left out."""
    known = it.states[GivenFunctions].mentions
    body = function.body
    found = known.get(id(body))
    if found is None:
        found = known[id(body)] = body, _mentioned_in(function)
    return found[1]


def _mentioned_in(function: ir.Function) -> Mentions:
    names: set[str] = set()
    rebound: set[str] = set()
    of_file: set[str] = set()
    attributes: set[str] = set()
    called: set[str] = set()
    for node in below(function.body):
        match node:
            case ir.Name(id=name):
                names.add(name)
            case ir.Global(names=more, is_global=is_global):
                (of_file if is_global else rebound).update(more)
            case ir.Call(function=ir.Attribute(name=name)):
                called.add(name)
            case ir.Assign(targets=targets):
                attributes.update(one.name for one in targets if isinstance(one, ir.Attribute))
            case ir.Augmented(target=ir.Attribute(name=name)) | ir.Annotated(target=ir.Attribute(name=name)):
                attributes.add(name)
    sets_by_name = not names.isdisjoint(_SETTERS) or not called.isdisjoint(_SETTERS)
    names.difference_update([param.name for param in function.params])
    return Mentions(
        frozenset(names),
        frozenset(rebound),
        frozenset(of_file),
        frozenset(attributes),
        frozenset(called),
        sets_by_name,
    )


def _mentions_of_class(it: Evaluator, cls: ir.Class) -> Mentions:
    """Returns what the methods of a class mention."""
    found: Mentions | None = cls.memo.get("mentions")
    if found is None:
        each = [_mentions(it, function) for function in cls.methods.values()]
        found = cls.memo["mentions"] = Mentions(
            frozenset().union(*(one.names for one in each)),
            frozenset().union(*(one.rebound for one in each)),
            frozenset().union(*(one.of_file for one in each)),
        )
    return found


def _scope_of(scope: Scope | None, name: str) -> Scope | None:
    """Returns the scope in which a function that is defined in `scope` finds a name."""
    while scope is not None and (scope.kind == "class" or name not in scope.variables):
        scope = scope.parent
    return scope


def _bound_around(scope: Scope, names: frozenset[str]) -> set[str]:
    """Returns those of some names that are bound around what is defined in a scope, or may be later."""
    found = set(scope.module.ir.changed_names & names) if _is_nested(scope) else set()
    around: Scope | None = scope
    while around is not None:
        if around.kind != "class":
            found |= around.variables.keys() & names
        around = around.parent
    return found


def _is_nested(scope: Scope | None) -> bool:
    """Returns whether a function stands around what is defined in a scope: it may bind further names later."""
    while scope is not None and scope.kind == "class":
        scope = scope.parent
    return scope is not None and scope.kind != "module"


def _ref(value: Value) -> str:
    """Returns a name that tells values apart that can be called."""
    match value:
        case v.PartialValue(function=function):
            return _ref(function)
        case v.BoundExternal(receiver=receiver):
            return getattr(receiver, "ref", "")
        case v.FunctionValue(ref=ref, receiver=receiver):
            return f"{ref} of {getattr(receiver, 'ref', '')}"
    return getattr(value, "ref", "")


# ---- forgetting -------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Done:
    """What was forgotten already, which stands in several parts."""

    objects: set[str] = field(default_factory=set)
    """Those whose methods have changed something."""
    cleared: set[str] = field(default_factory=set)
    """Those of which every attribute was forgotten."""
    classes: set[tuple[str, frozenset[str]]] = field(default_factory=set)


def _forget(it: Evaluator, reach: Reach) -> None:
    done = _Done()
    for part in reach.parts:
        scope, found = part.scope, part.mentions
        _forget_variables(it, scope, sorted(found.rebound))
        of_file = scope.module.scope.variables
        for name in sorted(found.of_file):
            if name in of_file:
                it.state.set(of_file, name, one_of(of_file[name]))
        changed = scope.module.ir.changed_names
        for name in part.names:
            around = _scope_of(scope, name)
            held = None if around is None else around.variables[name]
            if type(held) is v.InstanceValue:
                if held.ref not in done.objects:
                    later_changes.forget_changing(it, held, done.objects)
                classes.forget(it, held, found.attributes)
                _forget_in_class(it, held.cls, found.attributes, done)
                if found.sets_by_name and held.ref not in done.cleared:
                    done.cleared.add(held.ref)
                    heap_values.forget_attributes(it, held)
            elif type(held) is v.ClassValue:
                _forget_in_class(it, held, found.attributes, done)
            elif isinstance(held, v.ListRef | v.DictRef) and name in changed:
                _forget_content(it, held)
            elif type(held) is TensorFact and held.content is not None and name in changed:
                it.rewrite(held, held.but(content=None))
    for container in reach.containers:
        _forget_content(it, container)
    for receiver in reach.receivers:
        if receiver.ref not in done.objects:
            later_changes.forget_changing(it, receiver, done.objects)
        _forget_in_class(it, receiver.cls, frozenset(), done)


def _changes_class(cls: v.ClassValue, attributes: frozenset[str]) -> bool:
    """Returns whether code that assigns some attributes may change what the body of a class has set."""
    module = cls.scope.module.ir
    return any(
        isinstance(base, v.ClassValue)
        and base.scope is not None
        and any(name in attributes or name in module.changed_attributes for name in base.scope.variables)
        for base in classes.mro(cls)
    )


def _forget_in_class(it: Evaluator, cls: v.ClassValue, attributes: frozenset[str], done: _Done) -> None:
    """Forgets some attributes of a class, and the content of its lists and dicts that code changes."""
    if (cls.ref, attributes) in done.classes:
        return
    done.classes.add((cls.ref, attributes))
    for base in classes.mro(cls):
        if not isinstance(base, v.ClassValue) or base.scope is None:
            continue
        variables = base.scope.variables
        changed = base.scope.module.ir.changed_attributes
        for name, held in list(variables.items()):
            if isinstance(held, v.ListRef | v.DictRef) and name in changed:
                _forget_content(it, held)
            elif name in attributes and not isinstance(held, v.FunctionValue | v.ClassValue):
                it.state.set(variables, name, one_of(held))


def _forget_content(it: Evaluator, container: v.ListRef | v.DictRef, depth: int = 0) -> None:
    """Forgets the content of a list or a dict, and of those in it."""
    key = heap_values.content_key(container)
    content = it.state.heap.get(key)
    if isinstance(content, v.Unknown | v.OneOf):
        return
    inner: tuple[object, ...] = ()
    if isinstance(content, tuple):
        inner = content
    elif isinstance(content, dict):
        inner = tuple(content.values())
    elif isinstance(content, v.Repeated):
        inner = (content.element,)
    for one in inner:
        if isinstance(one, v.ListRef | v.DictRef) and depth < _MAX_DEPTH:
            _forget_content(it, one, depth + 1)
    it.state.set(it.state.heap, key, one_of(content))
