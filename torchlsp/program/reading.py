"""Finds out whether a name is ever read: writes through it (`x[0] = 1`, `x.add_(1)` for itself, `x += 1`) do
not count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from torchlsp.core.records import annotations_of
from torchlsp.program import ir
from torchlsp.program.walking import walk, word

READS_ALL = frozenset({"locals", "vars", "globals", "eval", "exec", "dir"})
"""Functions of Python by which a program may read any name."""


def counts(iterable: ir.Node) -> bool:
    """Returns whether a loop over this counts instead of reading data: `range(n)`, `tqdm(range(n))`, `count()`."""
    inner: ir.Node | None = iterable
    while type(inner) is ir.Call:
        if word(inner.function) in ("range", "trange", "count"):
            return True
        inner = inner.args[0] if inner.args else None
    return False


def is_stub(function: ir.Function) -> bool:
    """Returns whether a function only has a docstring, `pass` or `...`, or raises NotImplementedError: others define it."""
    return all(
        type(one) is ir.Expression
        and type(one.value) is ir.Constant
        or type(one) is ir.Raise
        and word(one.value.function if type(one.value) is ir.Call else one.value) == "NotImplementedError"
        for one in function.body
    )


def names_of_target(target: ir.Node) -> Iterator[str]:
    """Yields the names that an assignment to a target binds."""
    if type(target) is ir.Name:
        yield target.id
    elif type(target) is ir.Display:
        for item in target.items:
            yield from names_of_target(item)
    elif type(target) is ir.Starred:
        yield from names_of_target(target.value)


def reads_name(body: tuple[ir.Node, ...], names: frozenset[str]) -> bool:
    """Returns whether statements read one of these names."""
    return any(type(node) is ir.Name and node.id in names for node in walk(body))


def is_read(body: tuple[ir.Node, ...], name: str, without: ir.Node | None = None) -> bool:
    """Returns whether some statement, one left out, uses what the name holds for anything but writing to it."""
    to_visit: list[object] = [body]
    while to_visit:
        value = to_visit.pop()
        if value is without:
            continue
        if isinstance(value, tuple):
            to_visit.extend(value)
        elif isinstance(value, ir.Name):
            if value.id == name or value.id in READS_ALL:
                return True
        elif isinstance(value, ir.Node | ir.Param):
            if isinstance(value, ir.Global) and name in value.names:
                return True
            to_visit.extend(_read_parts(value))
    return False


def bound_to(body: tuple[ir.Node, ...], name: str) -> Iterator[ir.Node]:
    """Yields the expressions that statements `name = …` bind to the name alone."""
    yield from _bindings(body).alone.get(name, ())


def unpacked_from(body: tuple[ir.Node, ...], name: str) -> Iterator[ir.Node]:
    """Yields the values that statements `name = …` and `…, name, … = …` bind to the name. An unknown constant
    for any other binding."""
    yield from _bindings(body).any.get(name, ())


class _Bindings:
    """What the statements of a body bind to each name: `alone` by `name = …`, `any` also by unpacking, loops and `+=`."""

    __slots__ = ("alone", "any", "body")

    def __init__(self, body: tuple[ir.Node, ...]) -> None:
        self.body = body
        self.alone: dict[str, list[ir.Node]] = {}
        self.any: dict[str, list[ir.Node]] = {}
        to_visit: list[object] = [body]
        while to_visit:
            value = to_visit.pop()
            if isinstance(value, tuple):
                to_visit.extend(value)
            elif isinstance(value, ir.Assign):
                self._assigned(value)
            elif isinstance(value, ir.Node) and not isinstance(
                value, ir.Define | ir.DefineClass | ir.Expression
            ):
                if isinstance(value, ir.Augmented | ir.For) and isinstance(value.target, ir.Name):
                    self.any.setdefault(value.target.id, []).append(ir.Constant(value.start, value.end, None))
                to_visit.extend(getattr(value, part) for part in _parts(type(value)))

    def _assigned(self, node: ir.Assign) -> None:
        for target in node.targets:
            items = target.items if isinstance(target, ir.Display) else (target,)
            for name in dict.fromkeys(one.id for one in items if isinstance(one, ir.Name)):
                self.any.setdefault(name, []).append(node.value)
        if len(node.targets) == 1 and isinstance(node.targets[0], ir.Name):
            self.alone.setdefault(node.targets[0].id, []).append(node.value)


_latest = _Bindings(())
"""Those of the body that was asked about last: a body of a thousand statements is asked about for each of them."""


def _bindings(body: tuple[ir.Node, ...]) -> _Bindings:
    global _latest
    known = _latest
    if known.body is body:
        return known
    found = _Bindings(body)
    if len(body) > 1:
        _latest = found
    return found


def is_same(one: object, other: object) -> bool:
    """Returns whether two parts of programs read the same wherever they stand; what defines a function never does."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    if type(one) is not type(other) or isinstance(one, ir.Deferred | ir.DefineClass | ir.Class):
        return False
    if isinstance(one, ir.Node):
        return all(is_same(getattr(one, part), getattr(other, part)) for part in _parts(type(one)))
    return one == other


def is_plain(node: ir.Node | None) -> bool:
    """Returns whether this consists of names, attributes, constants and arithmetic only, so that it can be
    evaluated again."""
    match node:
        case ir.Name() | ir.Constant() | None:
            return True
        case ir.Attribute(object=inner) | ir.Unary(operand=inner):
            return is_plain(inner)
        case ir.Binary(left=left, right=right):
            return is_plain(left) and is_plain(right)
        case ir.Compare(left=left, rights=rights):
            return all(map(is_plain, (left, *rights)))
        case ir.Display(items=items):
            return all(map(is_plain, items))
        case ir.Slice(lower=lower, upper=upper, step=step):
            return is_plain(lower) and is_plain(upper) and is_plain(step)
        case ir.Subscript(object=inner, index=index):
            return is_plain(inner) and is_plain(index)
    return False


def _read_parts(node: ir.Node | ir.Param) -> Iterator[object]:
    match node:
        case ir.Assign(targets=targets, value=value):
            yield value
            for target in targets:
                yield from _around_target(target)
        case ir.Augmented(target=target, value=value):
            yield value
            yield from _around_target(target)
        case ir.Expression(value=ir.Call(function=ir.Attribute(object=written, name=method)) as call):
            yield call.args
            yield tuple(value for _, value in call.keywords)
            if writes_in_place(method):
                yield from _around_target(written)
            else:
                yield written
        case _:
            for part in _parts(type(node)):
                yield getattr(node, part)


def writes_in_place(method: str) -> bool:
    """Returns whether torch's naming marks this as a method that writes to its tensor."""
    return method.endswith("_") and not method.endswith("__")


def _around_target(target: ir.Node) -> Iterator[object]:
    """Yields what is evaluated to reach the target of a write, that target's own name left out."""
    while True:
        match target:
            case ir.Name():
                return
            case ir.Subscript(object=inner, index=index):
                yield index
                target = inner
            case ir.Attribute(object=inner):
                target = inner
            case ir.Call(function=ir.Attribute(object=inner), args=args, keywords=keywords):
                yield args
                yield tuple(value for _, value in keywords)
                target = inner
            case ir.Display(items=items):
                for item in items:
                    yield from _around_target(item)
                return
            case ir.Starred(value=inner):
                target = inner
            case _:
                yield target
                return


def _parts_of(kind: type) -> tuple[str, ...]:
    return tuple(name for name in annotations_of(kind) if name not in ("start", "end", "methods"))


# mypy takes the class of a node for something that cannot be hashed, and would not have it go to `cache`.
_parts: Callable[[type], tuple[str, ...]] = cache(_parts_of)
