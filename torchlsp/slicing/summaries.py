"""Says what calling a function or class of the workspace may change beyond its arguments, and what it may hand out."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchlsp.slicing.effects import EVERYTHING, NOTHING, Summary, Surroundings, is_constant
from torchlsp.slicing.modules import Modules, NotWhole, Own
from torchlsp.slicing.scopes import names_of, nodes_of

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


_CLASS_NAMES = frozenset(["__class__", "cls", "type"])


class Summaries:
    """Reads the summaries of functions, classes, and of all methods of a name in the files read so far."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._known: dict[ast.AST, Summary] = {}
        self._under_way: set[ast.AST] = set()
        self._methods: dict[str, list[tuple[str, ast.FunctionDef]]] = {}
        self._by_method: dict[str, Summary] = {}
        self._hidden: Summary | None = None
        self._files = 0

    def refresh(self) -> int:
        """Forgets what was concluded of fewer files, once more have been read. Returns how many have."""
        if self._files != len(self._modules.sources):
            self._files = len(self._modules.sources)
            self._known.clear()
            self._by_method.clear()
            self._methods.clear()
            self._hidden = None
            for path, source in self._modules.sources.items():
                for node in source.nodes:
                    if isinstance(node, ast.ClassDef):
                        for member in node.body:
                            if isinstance(member, ast.FunctionDef):
                                self._methods.setdefault(member.name, []).append((path, member))
        return self._files

    def of(self, path: str, name: str) -> Summary | None:
        """Returns the summary of what a file defines by a name; None where it is not only a function or class."""
        meaning = self._modules.meaning(path, name)
        if not isinstance(meaning, Own):
            return None
        definitions = self._modules.source(meaning.path).definitions.get(meaning.name)
        if definitions is None:
            return None
        found = NOTHING
        for one in definitions:
            made = self._of_definition(meaning.path, one)
            if _has_state(one):
                key = self._modules.key(meaning.path, meaning.name)
                made = made.joined(Summary(frozenset([key]), frozenset([key])))
            found = found.joined(made)
        return found

    def of_methods(self, name: str) -> Summary | None:
        """Returns the summary of all methods of a name; None where no class has one."""
        self.refresh()
        if name not in self._methods:
            return None
        if name not in self._by_method:
            methods = self._methods[name]
            found = _joined(self._of_definition(path, one) for path, one in list(methods))
            if not all(one in self._known for _, one in methods):
                # Some of them are being read: this is not all.
                return found
            self._by_method[name] = found
        return self._by_method[name]

    def hidden(self) -> Summary:
        """Returns the summary of the methods that run without being named: those of operators, properties, `forward`."""
        self.refresh()
        if self._hidden is None:
            self._hidden = NOTHING
            found = NOTHING
            # Reading a definition may read more files, whose methods are then added.
            for name, methods in list(self._methods.items()):
                for path, one in list(methods):
                    is_special = name.startswith("__") and name not in ("__init__", "__new__", "__call__")
                    if is_special or _is_property(one):
                        found = found.joined(self._of_definition(path, one))
                    elif name in ("forward", "__call__"):
                        made = self._of_definition(path, one)
                        found = found.joined(Summary(made.changes, frozenset()))
            self._hidden = found
        return self._hidden

    def is_impure_property(self, name: str) -> bool:
        """Returns whether reading an attribute may change its object."""
        return any(
            _is_property(one) and self._of_definition(path, one).changes_arguments
            for path, one in list(self._methods.get(name, ()))
        )

    def _of_definition(self, path: str, node: Definition) -> Summary:
        if node in self._known:
            return self._known[node]
        if node in self._under_way:
            return NOTHING
        self._under_way.add(node)
        try:
            if isinstance(node, ast.ClassDef):
                made = self._of_class(path, node)
            else:
                made = self._of_function(path, node)
        finally:
            self._under_way.discard(node)
        self._known[node] = made
        return made

    def _of_class(self, path: str, node: ast.ClassDef) -> Summary:
        found = NOTHING
        for one in node.body:
            if isinstance(one, ast.FunctionDef) and one.name in ("__init__", "__new__", "__post_init__"):
                found = found.joined(self._of_definition(path, one))
        for base in node.bases:
            own = self.of(path, base.id) if isinstance(base, ast.Name) else None
            if own is not None:
                found = found.joined(own)
            elif not ast.unparse(base).endswith(("Module", "Dataset", "object")):
                found = found.joined(Summary(changes_arguments=True))
        return found

    def _of_function(self, path: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Summary:
        surroundings = surroundings_of(self._modules, self, path, node)
        local = names_of(node)
        changes: set[str] = set()
        links: dict[str, set[str]] = {}
        reads: set[str] = set()
        for statement in _all_statements(node.body):
            effects = surroundings.effects(statement)
            changes |= effects.changes | (effects.binds - local)
            reads |= {name for name in effects.reads if name not in local and surroundings.is_object(name)}
            for one, other in effects.links:
                links.setdefault(one, set()).add(other)
                links.setdefault(other, set()).add(one)
                reads.update(name for name in (one, other) if "\0" in name)
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            # A parameter may be the object that its default names.
            given = {one.id for one in nodes_of(default) if isinstance(one, ast.Name)} - local
            reads |= {name for name in given if surroundings.is_object(name)}
            if not changes.isdisjoint(local):
                changes |= given
        stack = list(changes)
        while stack:
            for other in links.get(stack.pop(), ()):
                if other not in changes:
                    changes.add(other)
                    stack.append(other)
        return Summary(
            frozenset(self._key(path, name) for name in changes if name not in local),
            frozenset(self._key(path, name) for name in reads),
            not changes.isdisjoint(local),
            any(isinstance(one, ast.Yield | ast.YieldFrom) for one in nodes_of(node)),
        )

    def _key(self, path: str, name: str) -> str:
        return name if name == EVERYTHING or "\0" in name else self._modules.key(path, name)


def _joined(summaries: Iterable[Summary]) -> Summary:
    changes: set[str] = set()
    shares: set[str] = set()
    changes_arguments = is_generator = False
    for one in summaries:
        changes |= one.changes
        shares |= one.shares
        changes_arguments |= one.changes_arguments
        is_generator |= one.is_generator
    return Summary(frozenset(changes), frozenset(shares), changes_arguments, is_generator)


def surroundings_of(
    modules: Modules,
    summaries: Summaries,
    path: str,
    body: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module,
    constants: frozenset[str] = frozenset(),
    iterators: frozenset[str] = frozenset(),
) -> Surroundings:
    """Returns what names mean in a body."""
    source = modules.source(path)
    local = frozenset() if isinstance(body, ast.Module) else names_of(body)

    def is_object(name: str) -> bool:
        if name in local:
            return True
        meaning = modules.meaning(path, name)
        return isinstance(meaning, Own) and meaning.name not in modules.source(meaning.path).definitions

    def root_of(node: ast.Attribute) -> ast.expr:
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            inner = inner.value
        return inner

    def own_of(node: ast.Attribute) -> Own | None:
        root = root_of(node)
        if not isinstance(root, ast.Name) or root.id in local:
            return None
        try:
            found = modules.attribute(path, node)
        except NotWhole:
            return None
        return found[0] if found is not None and found[1] is node and isinstance(found[0], Own) else None

    def key_of(node: ast.Attribute) -> str | None:
        own = own_of(node)
        return None if own is None else modules.key(own.path, own.name)

    def called(node: ast.expr) -> Summary | None:
        if isinstance(node, ast.Name):
            return None if node.id in local else summaries.of(path, node.id)
        if isinstance(node, ast.Attribute):
            own = own_of(node)
            return None if own is None else summaries.of(own.path, own.name)
        return None

    def path_of(node: ast.expr) -> str | None:
        found = source.path_of(node)
        if found is None or not local:
            return found
        root = root_of(node) if isinstance(node, ast.Attribute) else node
        return None if isinstance(root, ast.Name) and root.id in local else found

    return Surroundings(path_of, is_object, key_of, called, summaries, constants, iterators)


def _all_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yields the statements of a body, and of what is defined in it."""
    for one in body:
        for node in nodes_of(one):
            if isinstance(node, ast.stmt):
                yield node


def _is_property(function: ast.FunctionDef) -> bool:
    return bool(function.decorator_list) and not any(
        isinstance(one, ast.Name) and one.id in ("staticmethod", "classmethod")
        for one in function.decorator_list
    )


def _has_state(definition: Definition) -> bool:
    """Returns whether calls of a definition may leave something for the next: defaults and attributes of classes."""
    if isinstance(definition, ast.ClassDef):
        for one in definition.body:
            if isinstance(one, ast.Assign) and not is_constant(one.value):
                return True
            if isinstance(one, ast.FunctionDef) and _has_state(one):
                return True
        names = [one for one in nodes_of(definition) if isinstance(one, ast.Attribute | ast.Name)]
        return any((one.attr if isinstance(one, ast.Attribute) else one.id) in _CLASS_NAMES for one in names)
    given = definition.args
    return any(not is_constant(one) for one in (*given.defaults, *given.kw_defaults) if one is not None)
