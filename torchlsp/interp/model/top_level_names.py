"""What the top level of a file says of itself before it is run: the names it binds, and what it hands to other processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from torchlsp.facts import values as v
from torchlsp.facts.tri import Tri
from torchlsp.program import ir
from torchlsp.program.walking import parts, scope_nodes, word


@dataclass(frozen=True, slots=True)
class Known:
    """What the top level of a file says of its names without being run.

    `definitions`: names bound once, and their `def`, `class`, import, or the assignment whose value can be had without
    the rest of the body. `bound`: all names that running the body could bind, those of star imports left out; `stars`
    tells that there are such imports: YES, or UNKNOWN where only type checkers see them.
    """

    definitions: dict[str, ir.Node | v.Imported]
    bound: frozenset[str]
    stars: Tri


def spawned_names(module: ir.Module) -> Iterator[str]:
    """Names of functions that are handed to `spawn` or `start_processes`."""
    stack: list = list(module.body)
    for function in module.functions:
        stack.extend(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ir.Expression) and isinstance(node.value, ir.Call):
            call = node.value
            if (
                isinstance(call.function, (ir.Attribute, ir.Name))
                and call.args
                and isinstance(call.args[0], ir.Name)
            ):
                if getattr(call.function, "name", getattr(call.function, "id", "")) in (
                    "spawn",
                    "start_processes",
                ):
                    yield call.args[0].id
        for part in ("body", "orelse", "final", "handlers"):
            stack.extend(getattr(node, part, ()) or ())


def top_level(module: ir.Module) -> tuple[bool, bool]:
    """Whether annotations are evaluated by nobody, and whether the file is about distributed training."""
    postpones = any(
        ("annotations", "__future__", "annotations") in node.names
        for node in module.body
        if type(node) is ir.Import
    )
    return postpones, mentions_distributed(module.body)


def known_names(module: ir.Module) -> Known:
    known: dict[str, ir.Node | v.Imported | None] = {}
    for node in module.body:
        for name, definition in bindings(node):
            known[name] = None if name in known else definition
    checked = [found for node in module.body for found in _for_checkers(node)]
    bound = Counter(name for node in scope_nodes(module.body) for name in _bound_by(node))
    settled: _Settled | None = None
    once: dict[str, ir.Node | v.Imported] = {}
    for name, definition in known.items():
        if isinstance(definition, ir.Assign | ir.Annotated):
            if bound[name] > 1:
                continue
            if not _is_constant(definition.value):
                settled = _Settled(module) if settled is None else settled
                if not settled.holds(name, definition.value):
                    continue
        if definition is not None:
            once[name] = definition
    once |= {name: one for name, one in checked if bound[name] == 1 and name != "*"}
    unseen = sum(name == "*" for name, _ in checked)
    stars = Tri.NO if not bound["*"] else Tri.UNKNOWN if bound.pop("*") == unseen else Tri.YES
    return Known(once, frozenset(bound), stars)


def bindings(node: ir.Node) -> Iterator[tuple[str, ir.Node | v.Imported | None]]:
    """Names that a top-level statement binds: with the definition, import or assignment, or None for what must be run to
    be known."""
    match node:
        case ir.Define(function=function):
            yield function.name, node
        case ir.DefineClass(cls=cls):
            yield cls.name, node
        case ir.Import(names=names):
            for name, module, attribute in names:
                yield name, v.Imported(module, attribute)
        case ir.Assign(targets=(ir.Name(id=name),)) | ir.Annotated(target=ir.Name(id=name), value=ir.Node()):
            yield name, node
        case ir.Assign(targets=targets):
            for target in targets:
                if type(target) is ir.Name:
                    yield target.id, None


def _for_checkers(node: ir.Node) -> Iterator[tuple[str, v.Imported]]:
    """What is imported where only those look who do not run the file: `if TYPE_CHECKING:`."""
    if isinstance(node, ir.Branch) and word(node.test) == "TYPE_CHECKING":
        for inner in node.body:
            if isinstance(inner, ir.Import):
                yield from bindings(inner)  # type: ignore[misc]


def _bound_by(node: ir.Node) -> Iterator[str]:
    """Names that a node of the running scope binds by itself, not by what is in it."""
    match node:
        case ir.Define(function=ir.Function(name=name)) | ir.DefineClass(cls=ir.Class(name=name)):
            yield name
        case ir.Import(names=names):
            yield from (name for name, _, _ in names)
        case ir.Assign(targets=targets) | ir.Delete(targets=targets):
            yield from _names(targets)
        case ir.Augmented(target=target) | ir.Annotated(target=target) | ir.For(target=target):
            yield from _names((target,))
        case ir.Walrus(target=target):
            yield target.id
        case ir.With(items=items):
            yield from _names(tuple(target for _, target in items if target is not None))
        case ir.Handler(name=str(name)):
            yield name
        case ir.Case(captures=captures):
            yield from captures


def _names(targets: tuple[ir.Node, ...]) -> Iterator[str]:
    for target in targets:
        match target:
            case ir.Name(id=name):
                yield name
            case ir.Display(items=items):
                yield from _names(items)
            case ir.Starred(value=value):
                yield from _names((value,))


def _is_constant(node: ir.Node | None) -> bool:
    match node:
        case ir.Constant():
            return True
        case ir.Unary(operand=operand):
            return _is_constant(operand)
        case ir.Display(kind="tuple", items=items):
            return all(map(_is_constant, items))
    return False


class _Settled:
    """Which assignments of the top level have their values whatever else it does when the file is imported."""

    def __init__(self, module: ir.Module) -> None:
        self.mentioned: Counter[str] = Counter()
        """How often each name stands in what runs then: not in functions' bodies, nor where it is a default as it is."""
        self.assigned_from: Counter[str] = Counter()
        """How often in the values of assignments."""
        self.sets_modes = False
        for statement in module.body:
            self._count(statement, self.mentioned)
            if isinstance(statement, ir.Assign | ir.Annotated):
                self._count(statement.value, self.assigned_from)

    def holds(self, name: str, value: ir.Node | None) -> bool:
        if self.sets_modes:
            return False
        others = self.mentioned[name] - 1
        match value:
            case ir.DictDisplay(values=items) | ir.Display(items=items) if items:
                return others <= self.assigned_from[name]  # handed to what copies it, as a rule
            case ir.Call() | ir.Attribute() | ir.Binary() | ir.JoinedString():
                return others == 0
        return False

    def _count(self, part: ir.Node | None, into: Counter[str]) -> None:
        waiting: list[object] = [part]
        while waiting:
            node = waiting.pop()
            match node:
                case tuple() | list():
                    waiting.extend(node)
                case ir.Name(id=name):
                    into[name] += 1
                case ir.Function(is_lambda=False):
                    waiting.append(node.decorators)
                    waiting.extend(one.default for one in node.params if type(one.default) is not ir.Name)
                case ir.Node():
                    if type(node) is ir.Call and word(node.function).startswith("set_"):
                        self.sets_modes = True
                    waiting.extend(getattr(node, name) for name in parts(type(node)))


def mentions_distributed(body: tuple[ir.Node, ...]) -> bool:
    """Is anything imported that has to do with distributed training?"""
    return any(
        "distributed" in module or attribute == "distributed"
        for node in body
        if isinstance(node, ir.Import)
        for _, module, attribute in node.names
    )
