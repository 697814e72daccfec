"""Says what a statement may do to the objects that names hold: which it binds, which it changes, which it connects.

Everything errs to the side of an effect: a slice that keeps too much is refused or slow, one that keeps too little
would not be the user's program.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from torchlsp.slicing.reading import header, is_output
from torchlsp.slicing.scopes import module_names

_READERS = frozenset(
    """
    abs all any bool callable dict divmod enumerate filter float format frozenset getattr hasattr hash hex id int isinstance
    issubclass iter len list map max min oct ord pow print range repr reversed round set slice sorted str sum super tuple type zip
    """.split()
)
_SCALAR_FUNCTIONS = frozenset(
    """
    bool callable float format hasattr hash hex id int isinstance issubclass len oct ord print range repr round str type
    """.split()
)
_SCALAR_ATTRIBUTES = frozenset(
    """
    device dtype is_cuda is_leaf itemsize layout nbytes ndim requires_grad shape training __name__ __class__
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
    all any argmax argmin bool clone contiguous copy cpu cuda detach eq expand flatten float ge get gt int items keys le
    long lt max mean min named_parameters ne numpy parameters permute reshape softmax squeeze state_dict std sum to tolist
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
_ITERATOR_METHODS = frozenset(
    "buffers children modules named_buffers named_children named_modules named_parameters parameters".split()
)
_ITERATOR_FUNCTIONS = frozenset(["enumerate", "filter", "iter", "map", "reversed", "zip"])
_GLOBAL_FUNCTIONS = frozenset(["destroy_process_group", "init_process_group"])
_IN_PLACE_FUNCTIONS = frozenset(
    ["backward", "clip_grad_norm", "clip_grad_value", "parametrize", "prune", "swap_tensors"]
)


@dataclass(frozen=True, slots=True)
class Effects:
    """The names of a statement: those it binds or stores into, reads, may change the objects of, and pairs that may then share an object."""

    binds: frozenset[str]
    reads: frozenset[str]
    changes: frozenset[str]
    links: frozenset[tuple[str, str]] = field(default=frozenset())


EVERYTHING = "*"
"""Stands among the names that a statement changes for settings of the whole process."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What names mean where a statement stands.

    `path_of` gives the dotted path of an imported name, `is_object` whether a name holds an object rather than a function,
    class or module, `constants` are names whose attributes are numbers and texts, `iterators` names of what can be gone through once.
    """

    path_of: Callable[[ast.expr], str | None]
    is_object: Callable[[str], bool]
    constants: frozenset[str] = frozenset()
    iterators: frozenset[str] = frozenset()

    def effects(self, statement: ast.stmt) -> Effects:
        """Reads the effects of a statement, of a compound one only those of its header."""
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            reads = frozenset(one.id for one in module_names(statement))
            return Effects(frozenset([statement.name]), reads, frozenset())
        parts = header(statement)
        binds: set[str] = set()
        changes: set[str] = set()
        links: set[tuple[str, str]] = set()
        reads = frozenset(
            one.id
            for part in parts
            for one in module_names(part)
            if not isinstance(one.ctx, ast.Store | ast.Del)
        )
        if isinstance(statement, ast.AugAssign):
            reads |= frozenset(_roots(statement.target))
        for part in parts:
            for node in ast.walk(part):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
                    binds.add(node.id)
                elif isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
                    changes.update(root for root in [root_name(node)] if root)
                elif isinstance(node, ast.Call):
                    changes.update(self._changed_by(node))
        if isinstance(statement, ast.Global | ast.Nonlocal):
            binds.update(statement.names)
        if isinstance(statement, ast.Import | ast.ImportFrom):
            binds.update((alias.asname or alias.name).partition(".")[0] for alias in statement.names)
        changes |= reads & self.iterators
        for targets, value in _assigned(statement):
            names = {name for target in targets for name in _roots(target)}
            links.update((name, other) for name in names for other in self._shared_by(value))
            if isinstance(statement, ast.AugAssign):
                changes.update(names)
        return Effects(frozenset(binds), reads, frozenset(changes), frozenset(links))

    def _changed_by(self, call: ast.Call) -> Iterator[str]:
        called = call.func
        path = self.path_of(called)
        given = [*call.args, *(one.value for one in call.keywords)]
        if path is not None and path.partition(".")[0] in ("torch", "math"):
            last = path.rpartition(".")[2]
            if last.startswith("set_") or last in _GLOBAL_FUNCTIONS:
                yield EVERYTHING
            in_place = (last.endswith("_") and not last.endswith("__")) or last in _IN_PLACE_FUNCTIONS
            if not in_place and not any(one.arg == "out" for one in call.keywords):
                return
        elif is_output(path):
            return
        elif isinstance(called, ast.Name) and not self.is_object(called.id) and called.id in _READERS:
            return
        elif isinstance(called, ast.Attribute) and path is None:
            if called.attr not in _READING_METHODS:
                yield from self._shared_by(called.value)
            if called.attr in _READING_METHODS | _STORING_METHODS:
                return
        elif isinstance(called, ast.Name) and self.is_object(called.id):
            yield called.id
        for one in given:
            yield from self._shared_by(one)

    def _shared_by(self, node: ast.AST) -> frozenset[str]:
        """Returns the names whose objects the value of an expression may be, hold, or be computed from."""
        match node:
            case ast.Name(id=name):
                return frozenset([name]) if self.is_object(name) else frozenset()
            case ast.Attribute(attr=attr, value=value):
                scalar = attr in _SCALAR_ATTRIBUTES or (
                    isinstance(value, ast.Name) and value.id in self.constants
                )
                return frozenset() if scalar else self._shared_by(value)
            case ast.Subscript(value=value):
                return self._shared_by(value)
            case ast.Call(func=func):
                path = self.path_of(func)
                if path is not None and (
                    path.startswith(("torch.device", "torch.cuda.", "math.")) or is_output(path)
                ):
                    return frozenset()
                if (
                    isinstance(func, ast.Name)
                    and func.id in _SCALAR_FUNCTIONS
                    and not self.is_object(func.id)
                ):
                    return frozenset()
                if isinstance(func, ast.Attribute) and path is None and func.attr in _SCALAR_METHODS:
                    return frozenset()
            case ast.Compare() | ast.JoinedStr() | ast.Constant():
                return frozenset()
            case ast.IfExp(body=body, orelse=orelse):
                return self._shared_by(body) | self._shared_by(orelse)
        parts = [self._shared_by(one) for one in ast.iter_child_nodes(node)]
        return frozenset().union(*parts)


def is_iterator(value: ast.expr) -> bool:
    """Returns whether an expression gives something that can be gone through once."""
    match value:
        case ast.Call(func=ast.Attribute(attr=attr)):
            return attr in _ITERATOR_METHODS
        case ast.Call(func=ast.Name(id=name)):
            return name in _ITERATOR_FUNCTIONS
    return isinstance(value, ast.GeneratorExp)


def root_name(node: ast.AST) -> str | None:
    """Returns the first name of `a.b[c].d()`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Starred):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _roots(target: ast.AST) -> Iterator[str]:
    if isinstance(target, ast.Tuple | ast.List):
        for one in target.elts:
            yield from _roots(one)
    elif (name := root_name(target)) is not None:
        yield name


def _assigned(statement: ast.stmt) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    match statement:
        case ast.Assign(targets=targets, value=value):
            yield targets, value
        case ast.AugAssign(target=target, value=value) | ast.For(target=target, iter=value):
            yield [target], value
        case ast.With(items=items):
            for item in items:
                if item.optional_vars is not None:
                    yield [item.optional_vars], item.context_expr
    for node in header(statement):
        for one in ast.walk(node):
            if isinstance(one, ast.NamedExpr):
                yield [one.target], one.value
