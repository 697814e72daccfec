"""Finds the names that the top level of a file binds, and functions started as processes, without running the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from torchlsp.core.records import dataclass
from torchlsp.facts import values as v
from torchlsp.facts.tri import Tri
from torchlsp.program import ir
from torchlsp.program.walking import children, scope_nodes, word


@dataclass(frozen=True, slots=True)
class Known:
    """The names of the top level of a file that is not run.

    `definitions` are the names bound once, with their `def`, `class`, import, or an assignment whose value does not depend
    on the rest of the body. `bound` are all names that running the body can bind, those of star imports left out. `stars`
    tells whether there are star imports: UNKNOWN if only type checkers see them.
    """

    definitions: dict[str, ir.Node | v.Imported]
    bound: frozenset[str]
    stars: Tri


def spawned_names(module: ir.Module) -> Iterator[str]:
    """Yields the names of functions that are passed to `spawn` or `start_processes`."""
    stack: list[ir.Node] = list(module.body)
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
    """Returns whether annotations stay unevaluated (PEP 563), and whether distributed training is imported."""
    postpones = any(
        ("annotations", "__future__", "annotations") in node.names
        for node in module.body
        if type(node) is ir.Import
    )
    return postpones, mentions_distributed(module.body)


def known_names(module: ir.Module) -> Known:
    """Returns the names that the top level of a file binds, and the definitions of those that are bound once."""
    known: dict[str, ir.Node | v.Imported | None] = {}
    for node in module.body:
        for name, definition in bindings(node):
            known[name] = None if name in known else definition
    checked = [found for node in module.body for found in _for_checkers(node)]
    bound = Counter(name for node in scope_nodes(module.body) for name in bound_by(node))
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
    """Yields the names that a top-level statement binds, with the definition, import or assignment.

    None stands for a value that is known only if the statement is run.
    """
    match node:
        case ir.Define(function=function):
            yield function.name, node
        case ir.DefineClass(cls=cls):
            yield cls.name, node
        case ir.Import():
            yield from _imported(node)
        case ir.Assign(targets=(ir.Name(id=name),)) | ir.Annotated(target=ir.Name(id=name), value=ir.Node()):
            yield name, node
        case ir.Assign(targets=targets):
            for target in targets:
                if type(target) is ir.Name:
                    yield target.id, None


def _imported(node: ir.Import) -> Iterator[tuple[str, v.Imported]]:
    for name, module, attribute in node.names:
        yield name, v.Imported(module, attribute)


def _for_checkers(node: ir.Node) -> Iterator[tuple[str, v.Imported]]:
    """Yields the imports under `if TYPE_CHECKING:`, which no run executes."""
    if isinstance(node, ir.Branch) and word(node.test) == "TYPE_CHECKING":
        for inner in node.body:
            if isinstance(inner, ir.Import):
                yield from _imported(inner)


def bound_by(node: ir.Node) -> Iterator[str]:
    """Yields the names that a node of the running scope binds itself, not by the nodes inside."""
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
    """Finds the assignments of the top level whose values do not depend on the rest of it."""

    def __init__(self, module: ir.Module) -> None:
        self.mentioned: Counter[str] = Counter()
        """Counts each name in the code that an import runs: functions' bodies and plain defaults are left out."""
        self.assigned_from: Counter[str] = Counter()
        """Counts each name in the values of assignments."""
        self.sets_modes = False
        for statement in module.body:
            self._count(statement, self.mentioned)
            if isinstance(statement, ir.Assign | ir.Annotated):
                self._count(statement.value, self.assigned_from)

    def holds(self, name: str, value: ir.Node | None) -> bool:
        """Returns whether a name keeps the value of its only assignment."""
        if self.sets_modes:
            return False
        others = self.mentioned[name] - 1
        match value:
            case ir.DictDisplay(values=items) | ir.Display(items=items) if items:
                return (
                    others <= self.assigned_from[name]
                )  # the other uses pass it to calls that usually copy it
            case ir.Call() | ir.Attribute() | ir.Binary() | ir.JoinedString():
                return others == 0
        return False

    def _count(self, part: ir.Node | None, into: Counter[str]) -> None:
        to_visit: list[object] = [part]
        while to_visit:
            node = to_visit.pop()
            match node:
                case tuple() | list():
                    to_visit.extend(node)
                case ir.Name(id=name):
                    into[name] += 1
                case ir.Function(is_lambda=False):
                    to_visit.append(node.decorators)
                    to_visit.extend(one.default for one in node.params if type(one.default) is not ir.Name)
                case ir.Node():
                    if type(node) is ir.Call and word(node.function).startswith("set_"):
                        self.sets_modes = True
                    to_visit.extend(children(type(node))(node))


def mentions_distributed(body: tuple[ir.Node, ...]) -> bool:
    """Returns whether a body imports anything of distributed training."""
    return any(
        "distributed" in module or attribute == "distributed"
        for node in body
        if isinstance(node, ir.Import)
        for _, module, attribute in node.names
    )
