"""Says what a statement may do to the objects that names hold: which it binds, which it changes, which it connects.

Everything errs to the side of an effect: a slice that keeps too much is refused or slow, one that keeps too little
would not be the user's program.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from torchlsp.core.records import dataclass, field
from torchlsp.slicing.reading import header, is_output, is_without_effect
from torchlsp.slicing.scopes import COMPREHENSIONS, SCOPES, children_of, module_names, nodes_of

_READERS = frozenset(
    """
    abs all any bool callable dict divmod enumerate float format frozenset getattr hasattr hash hex id int isinstance
    issubclass iter len list max min oct ord pow print range repr reversed round set slice sorted str sum super tuple type zip
    """.split()
)
_SCALAR_FUNCTIONS = frozenset(
    """
    bool callable float format hasattr hash hex id int isinstance issubclass len oct ord print range repr round str
    """.split()
)
_SCALAR_ATTRIBUTES = frozenset(
    """
    device dtype is_cuda is_leaf itemsize layout nbytes ndim requires_grad shape training __name__
    """.split()
)
_SCALAR_METHODS = frozenset(
    """
    dim element_size endswith format is_contiguous item join lower ndimension nelement numel size split
    startswith stride strip tolist upper
    """.split()
)
_READING_METHODS = _SCALAR_METHODS | frozenset(
    """
    all any argmax argmin bool clone contiguous copy detach eq expand flatten ge get gt int items keys le
    long lt max mean min named_parameters ne numpy parameters permute reshape softmax squeeze state_dict std sum tolist
    topk transpose unsqueeze values view
    """.split()
)
# They put their arguments somewhere, or write them, and leave them as they are.
_STORING_METHODS = frozenset(
    """
    add add_figure add_graph add_histogram add_image add_images add_scalar add_scalars append debug error extend info insert
    log put setdefault update warning write writerow
    """.split()
)
# Those of them after which the object holds what it was given.
_HOLDING_METHODS = frozenset("add append extend insert put setdefault update".split())
_ITERATOR_METHODS = frozenset(
    "buffers children modules named_buffers named_children named_modules named_parameters parameters".split()
)
_ITERATOR_FUNCTIONS = frozenset(["enumerate", "filter", "iter", "map", "reversed", "zip"])
# Functions of torch that change what they are given, besides those whose names end in an underscore.
_CHANGING_FUNCTIONS = frozenset(["backward", "grad", "parametrize", "prune", "swap_tensors"])
_CHANGING_MODULES = (
    "torch.ao.", "torch.distributed.", "torch.nn.init.", "torch.nn.modules.module.", "torch.nn.parallel.",
    "torch.nn.utils.", "torch.optim.lr_scheduler.", "torch.optim.swa_utils.", "torch.quantization.",
)  # fmt: skip
_SCALAR_PATHS = (
    "torch.cuda.current_device",
    "torch.cuda.device_count",
    "torch.cuda.is_available",
    "torch.device",
    "math.",
)
# They read or write any name by its text.
_BY_TEXT = frozenset(["__import__", "compile", "eval", "exec", "globals", "locals"])


@dataclass(frozen=True, slots=True)
class Effects:
    """What a statement does to names: those it binds, reads, may change the objects of, and pairs that may then share an object.

    What is changed or shared may also be a key of `Modules.key`: a name at the top of some file.
    """

    binds: frozenset[str]
    reads: frozenset[str]
    changes: frozenset[str]
    links: frozenset[tuple[str, str]] = field(default=frozenset())


EVERYTHING = "*"
"""Stands among the names that a statement changes for settings of the whole process."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a call of a function of the workspace may do.

    `changes` and `shares` are keys as `Modules.key` makes them, of names that it may change and that its result may share
    objects with. `changes_arguments` is False where it only reads what it is given; `is_generator`: its result can be gone
    through once.
    """

    changes: frozenset[str] = frozenset()
    shares: frozenset[str] = frozenset()
    changes_arguments: bool = False
    is_generator: bool = False

    def joined(self, other: Summary) -> Summary:
        return Summary(
            self.changes | other.changes,
            self.shares | other.shares,
            self.changes_arguments or other.changes_arguments,
            self.is_generator or other.is_generator,
        )


NOTHING = Summary()


class Methods(Protocol):
    """Knows the methods of the workspace's classes."""

    def of_methods(self, name: str) -> Summary | None:
        """Returns what the methods of a name may do; None where no class has one."""
        ...

    def hidden(self) -> Summary:
        """Returns what the methods may do that run without being named."""
        ...

    def is_impure_property(self, name: str) -> bool:
        """Returns whether reading an attribute may change its object."""
        ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What names mean where a statement stands.

    `path_of` gives the dotted path of an imported name, `is_object` whether a name holds an object rather than a function,
    class or module, `key_of` the key of `module.name`, `called` the summary of a function or class of the workspace. `constants`
    are names whose attributes are numbers and texts, `iterators` names of what can be gone through once.
    """

    path_of: Callable[[ast.expr], str | None]
    is_object: Callable[[str], bool]
    key_of: Callable[[ast.Attribute], str | None]
    called: Callable[[ast.expr], Summary | None]
    methods: Methods
    constants: frozenset[str] = frozenset()
    iterators: frozenset[str] = frozenset()

    def effects(self, statement: ast.stmt) -> Effects:
        """Reads the effects of a statement, of a compound one only those of its header."""
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            reads = frozenset(one.id for one in module_names(statement))
            # What is defined inside of a function holds the objects that it reads there.
            held = reads if self.is_object(statement.name) else frozenset()
            links = frozenset((statement.name, one) for one in held if self.is_object(one))
            return Effects(frozenset([statement.name]), reads, frozenset(), links)
        parts = header(statement)
        binds: set[str] = set()
        changes: set[str] = set()
        links_made: set[tuple[str, str]] = set()
        nodes = [(part, node) for part in parts for node in nodes_of(part)]
        if any(isinstance(node, (*SCOPES, *COMPREHENSIONS)) for _, node in nodes):
            names = [one for part in parts for one in module_names(part)]
        else:
            names = [node for _, node in nodes if isinstance(node, ast.Name)]
        reads = frozenset(one.id for one in names if isinstance(one.ctx, ast.Load))
        if isinstance(statement, ast.AugAssign):
            reads |= frozenset(one for one in self._roots(statement.target) if "\0" not in one)
        hidden = self.methods.hidden()
        for part, node in nodes:
            match node:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                    binds.add(name)
                case ast.Attribute() | ast.Subscript() if not isinstance(node.ctx, ast.Load):
                    changes.update(self._changed_by_store(node))
                case ast.Call():
                    changes.update(self._changed_by(node, isinstance(statement, ast.Expr) and part is node))
                    links_made.update(self._linked_by(node))
                case ast.Attribute(attr=attr, value=value) if self.methods.is_impure_property(attr):
                    changes.update(self._shared_by(value))
                case ast.Subscript(value=value) | ast.comprehension(iter=value) if hidden.changes_arguments:
                    changes.update(self._shared_by(value))
                case ast.BinOp() | ast.Compare() | ast.UnaryOp() if hidden.changes_arguments:
                    changes.update(name for one in children_of(node) for name in self._shared_by(one))
                case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                    binds.add(name)
                case ast.MatchMapping(rest=str(name)):
                    binds.add(name)
        if hidden.changes and any(isinstance(node, _RUNNING) for _, node in nodes):
            changes |= hidden.changes
        match statement:
            case ast.Global() | ast.Nonlocal():
                binds.update(statement.names)
            case ast.Import() | ast.ImportFrom():
                binds.update((alias.asname or alias.name).partition(".")[0] for alias in statement.names)
            case ast.For(iter=value) if hidden.changes_arguments:
                changes |= self._shared_by(value)
            case ast.Try(handlers=handlers):
                binds.update(one.name for one in handlers if one.name is not None)
        changes |= reads & self.iterators
        for targets, value in _assigned(statement, nodes):
            bound = {name for target in targets for name in self._roots(target)}
            shared = self._shared_by(value)
            links_made.update((name, other) for name in bound for other in shared)
            if isinstance(statement, ast.AugAssign):
                changes.update(bound)
        return Effects(frozenset(binds), reads, frozenset(changes), frozenset(links_made))

    def _changed_by_store(self, target: ast.Attribute | ast.Subscript) -> Iterator[str]:
        """Yields what setting an attribute or entry changes."""
        if isinstance(target, ast.Attribute) and (key := self.key_of(target)) is not None:
            yield key
            return
        yield from self._roots(target)
        yield from self._shared_by(target.value)
        root = _root(target)
        if (
            isinstance(root, ast.Name)
            and self.path_of(root) is not None
            and not any(self._shared_by(target.value))
        ):
            # An attribute of torch, for all who use it.
            yield EVERYTHING

    def _changed_by(self, call: ast.Call, is_statement: bool) -> Iterator[str]:
        called = call.func
        path = self.path_of(called)
        given = [*call.args, *(one.value for one in call.keywords)]
        summary = self.called(called)
        if path is not None and path.partition(".")[0] in ("torch", "math"):
            changes_given = _changes_what_it_is_given(call, path)
            if is_statement and not changes_given and not is_without_effect(path):
                yield EVERYTHING
            if path.rpartition(".")[2].startswith(("set_", "register_")):
                yield EVERYTHING
            if not changes_given:
                return
        elif is_output(path):
            return
        elif summary is not None:
            yield from summary.changes
            if not summary.changes_arguments:
                return
        elif isinstance(called, ast.Name) and not self.is_object(called.id) and called.id in _READERS:
            if not self.methods.hidden().changes_arguments:
                return
        elif isinstance(called, ast.Name) and not self.is_object(called.id) and called.id in _BY_TEXT:
            yield EVERYTHING
        elif isinstance(called, ast.Attribute):
            own = self.methods.of_methods(called.attr)
            if own is not None:
                yield from own.changes
            is_read = called.attr in _READING_METHODS and (own is None or not own.changes_arguments)
            if not is_read:
                yield from self._shared_by(called.value)
                if isinstance(called.value, ast.Name):
                    yield called.value.id
            if is_read or (own is None and called.attr in _STORING_METHODS):
                return
        elif isinstance(called, ast.Name) and self.is_object(called.id):
            yield called.id
        else:
            yield from self._shared_by(called)
        for one in given:
            yield from self._shared_by(one)
            function = self.called(one)
            if function is not None:
                yield from function.changes
            if isinstance(one, ast.Name):
                yield one.id

    def _linked_by(self, call: ast.Call) -> Iterator[tuple[str, str]]:
        """Yields the pairs that share an object after a call that puts its arguments into its receiver."""
        if isinstance(call.func, ast.Attribute) and call.func.attr in _HOLDING_METHODS:
            held = {
                name
                for one in (*call.args, *(k.value for k in call.keywords))
                for name in self._shared_by(one)
            }
            for name in self._shared_by(call.func.value):
                yield from ((name, other) for other in held)

    def _shared_by(self, node: ast.AST) -> frozenset[str]:
        """Returns the names whose objects the value of an expression may be, hold, or be computed from."""
        match node:
            case ast.Name(id=name):
                summary = self.called(node)
                if summary is not None:
                    return summary.shares | summary.changes - {EVERYTHING}
                return frozenset([name]) if self.is_object(name) else frozenset()
            case ast.Attribute(attr=attr, value=value):
                key = self.key_of(node)
                if key is not None:
                    summary = self.called(node)
                    return frozenset([key]) if summary is None else summary.shares
                scalar = attr in _SCALAR_ATTRIBUTES or (
                    isinstance(value, ast.Name) and value.id in self.constants
                )
                return frozenset() if scalar else self._shared_by(value)
            case ast.Subscript(value=value):
                return self._shared_by(value)
            case ast.Call(func=func, args=args, keywords=keywords):
                path = self.path_of(func)
                if path is not None and (path.startswith(_SCALAR_PATHS) or is_output(path)):
                    return frozenset()
                if (
                    isinstance(func, ast.Name)
                    and func.id in _SCALAR_FUNCTIONS
                    and not self.is_object(func.id)
                ):
                    return frozenset()
                own = None
                if isinstance(func, ast.Attribute) and path is None:
                    own = self.methods.of_methods(func.attr)
                    if own is None and func.attr in _SCALAR_METHODS:
                        return frozenset()
                summary = self.called(func)
                found = own.shares if own is not None else frozenset()
                found |= self._shared_by(func) if summary is None else summary.shares
                return found.union(
                    *map(self._shared_by, args), *(self._shared_by(one.value) for one in keywords)
                )
            case ast.Compare() | ast.JoinedStr() | ast.Constant():
                return frozenset()
            case ast.IfExp(body=body, orelse=orelse):
                return self._shared_by(body) | self._shared_by(orelse)
        parts = [self._shared_by(one) for one in children_of(node)]
        return frozenset().union(*parts)

    def _roots(self, target: ast.AST) -> Iterator[str]:
        """Yields the names that an assignment binds or stores into."""
        if isinstance(target, ast.Tuple | ast.List):
            for one in target.elts:
                yield from self._roots(one)
            return
        inner: ast.AST = target
        while isinstance(inner, ast.Attribute | ast.Subscript | ast.Call | ast.Starred):
            key = self.key_of(inner) if isinstance(inner, ast.Attribute) else None
            if key is not None:
                yield key
                return
            inner = inner.func if isinstance(inner, ast.Call) else inner.value
        if isinstance(inner, ast.Name):
            yield inner.id


_RUNNING = (ast.Call, ast.Subscript, ast.Attribute, ast.BinOp, ast.Compare)


def _changes_what_it_is_given(call: ast.Call, path: str) -> bool:
    """Returns whether a function of torch may change its arguments."""
    head, _, last = path.rpartition(".")
    if last.endswith("_") or last in _CHANGING_FUNCTIONS or path.startswith(_CHANGING_MODULES):
        return True
    if any(one.arg in ("out", "inplace", None) for one in call.keywords):
        return True
    if head.startswith("torch.nn.functional") and any(
        isinstance(one, ast.Constant) and one.value is True for one in call.args
    ):
        return True
    # A method that is called through its class.
    return head.rpartition(".")[2][:1].isupper() and last not in _READING_METHODS


def is_constant(node: ast.expr) -> bool:
    """Returns whether an expression is made of numbers, texts and attributes of modules."""
    if isinstance(node, ast.Tuple):
        return all(is_constant(one) for one in node.elts)
    if isinstance(node, ast.UnaryOp):
        return is_constant(node.operand)
    return isinstance(node, ast.Constant | ast.Attribute)


def is_iterator(value: ast.expr, surroundings: Surroundings) -> bool:
    """Returns whether an expression gives something that can be gone through once."""
    if isinstance(value, ast.Call):
        made = surroundings.called(value.func)
        if made is None and isinstance(value.func, ast.Attribute):
            made = surroundings.methods.of_methods(value.func.attr)
        if made is not None and made.is_generator:
            return True
    match value:
        case ast.Call(func=ast.Attribute(attr=attr)):
            return attr in _ITERATOR_METHODS
        case ast.Call(func=ast.Name(id=name)):
            return name in _ITERATOR_FUNCTIONS
    return isinstance(value, ast.GeneratorExp)


def _root(node: ast.AST) -> ast.AST:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Starred):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def _assigned(
    statement: ast.stmt, nodes: Iterable[tuple[ast.AST, ast.AST]]
) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    match statement:
        case ast.Assign(targets=targets, value=value):
            yield targets, value
        case ast.AugAssign(target=target, value=value) | ast.For(target=target, iter=value):
            yield [target], value
        case ast.With(items=items):
            for item in items:
                if item.optional_vars is not None:
                    yield [item.optional_vars], item.context_expr
    for _, one in nodes:
        if isinstance(one, ast.NamedExpr):
            yield [one.target], one.value
        elif isinstance(one, ast.comprehension):
            yield [one.target], one.iter
