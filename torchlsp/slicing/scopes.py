"""Lists which names a function binds itself, and which it reads from the module around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def nodes_of(root: ast.AST) -> list[ast.AST]:
    """Lists a node and all nodes in it, as `ast.walk` does in another order and slower."""
    found = [root]
    for node in found:
        found += children_of(node)
    return found


# Fields that hold no nodes, or contexts and operators.
_PLAIN_FIELDS = frozenset(
    "arg asname attr conversion ctx id is_async kind level lineno module n op ops s simple tag type_comment".split()
)
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: (), ast.Global: (), ast.Nonlocal: ()}


def children_of(node: ast.AST) -> list[ast.AST]:
    """Lists the nodes right below a node, as `ast.iter_child_nodes` does slower; without contexts and operators."""
    kind = type(node)
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = _FIELDS[kind] = tuple(name for name in kind._fields if name not in _PLAIN_FIELDS)
    found: list[ast.AST] = []
    for name in fields:
        value = getattr(node, name, None)
        if value.__class__ is list:
            found += [one for one in value if isinstance(one, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def parameters(function: Function) -> list[ast.arg]:
    """Lists the parameters of a function in order, `*args` and `**kwargs` last."""
    given = function.args
    starred = [one for one in (given.vararg, given.kwarg) if one is not None]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *starred]


def bound_names(scope: Function | ast.ClassDef | ast.Module) -> frozenset[str]:
    """Returns the names that the code of a scope binds there: parameters, targets, imports, functions, classes."""
    names = set() if isinstance(scope, ast.ClassDef | ast.Module) else {one.arg for one in parameters(scope)}
    outside: set[str] = set()
    stack: list[ast.AST] = list(scope.body) if isinstance(scope.body, list) else [scope.body]
    while stack:
        node = stack.pop()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
                continue
            case ast.Lambda():
                continue
            case ast.Global():
                outside.update(node.names)
            case ast.Name(ctx=ast.Store() | ast.Del()):
                names.add(node.id)
            case ast.Import() | ast.ImportFrom():
                names.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
            case ast.ExceptHandler(name=str(name)):
                names.add(name)
        stack.extend(children_of(node))
    return frozenset(names - outside)


def names_of(scope: Function | ast.ClassDef) -> frozenset[str]:
    """Returns what `bound_names` does, remembered on the node: for trees that are no longer changed."""
    known: frozenset[str] | None = getattr(scope, "names_bound", None)
    if known is None:
        known = bound_names(scope)
        setattr(scope, "names_bound", known)  # noqa: B010
    return known


def module_names(root: ast.AST, hidden: frozenset[str] = frozenset()) -> Iterator[ast.Name]:
    """Yields the names inside of a node that mean something of the module: no scope between binds them.

    `hidden` are the names bound by the functions around the node.
    """
    stack = [(root, hidden)]
    while stack:
        node, local = stack.pop()
        if isinstance(node, ast.Name):
            if node.id not in local:
                yield node
            continue
        outer = local
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                outside = _declared_global(node)
                inner = (local | names_of(node)) - outside
                stack.extend((one, inner) for one in node.body)
                around = [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
                stack.extend((one, outer) for one in around)
                continue
            case ast.Lambda():
                stack.append((node.body, local | names_of(node)))
                stack.extend(
                    (one, outer) for one in (*node.args.defaults, *filter(None, node.args.kw_defaults))
                )
                continue
            case ast.ClassDef():
                # Names of a class body are not seen by its methods.
                own = names_of(node)
                for one in node.body:
                    stack.append((one, local if isinstance(one, ast.FunctionDef) else local | own))
                stack.extend((one, outer) for one in (*node.bases, *node.decorator_list))
                stack.extend((one.value, outer) for one in node.keywords)
                continue
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                targets = {
                    one.id
                    for part in node.generators
                    for one in ast.walk(part.target)
                    if isinstance(one, ast.Name)
                }
                local = local | targets
            case ast.Constant():
                continue
        stack.extend((one, local) for one in children_of(node))


def _declared_global(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    known: frozenset[str] | None = getattr(function, "names_declared", None)
    if known is None:
        known = frozenset(
            name for one in nodes_of(function) if isinstance(one, ast.Global) for name in one.names
        )
        setattr(function, "names_declared", known)  # noqa: B010
    return known
