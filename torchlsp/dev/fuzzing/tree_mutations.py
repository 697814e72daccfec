"""Changes a program by its syntax tree; most results parse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import TypeVar, Union

import libcst as cst

Replacement = Union[cst.CSTNode, cst.RemovalSentinel, cst.FlattenSentinel[cst.CSTNode]]
Node = TypeVar("Node", bound=cst.CSTNode)

CONSTANTS = (
    "0", "-1", "1", "2", "65", "2147483648", "10 ** 18", "1e308", "0.5", "1j", "None", "True", "...", "''", "'x'", "b''", "()", "[]",
    "{}", "(1, 2)", "[None]", "{1}", "'cuda'", "'meta'", "torch.float64", "torch.int8", "torch", "float('inf')", "range(10 ** 9)",
    "slice(None, None, -1)", "lambda *a, **k: (a, k)", "object()", "[1] * 10 ** 9", "'bij,bjk->bik'", "iter(())", "type",
)  # fmt: skip
BUILTINS = (
    "print", "len", "list", "range", "type", "super", "int", "float", "isinstance", "zip", "enumerate", "torch", "nn", "self", "cls",
    "property", "staticmethod", "None_", "_", "object", "Exception", "map", "sum", "max", "getattr", "setattr", "open", "vars",
)  # fmt: skip
NESTED = (
    "[{0}]", "({0}, {0})", "lambda: {0}", "({0} if {0} else {1})", "[{1} for item in {0}]", "{0}.attribute", "{0}[{1}]", "{0}[0]",
    "{0}({1})", "{0}()", "not {0}", "(await {0})", "(yield {0})", "(name := {0})", "f'{{{0}}}'", "{{**{0}}}", "[*{0}]", "-{0}", "~{0}",
    "{0} @ {0}", "{0} + {1}", "{0} in {1}", "{0}[::-1]", "{0}[..., None, :{1}]", "{{{0}: {1}}}", "torch.stack([{0}, {1}])", "list({0})",
    "{0}.view(-1)", "{0}.t()", "{0}.shape", "{0}.to('cuda')", "torch.tensor({0})", "nn.Sequential({0}, {1})", "super().{1}", "len({0})",
    "{0}.append({1})", "{0}.detach_()", "type({0})", "{0}.size(0)", "(lambda *a: {0})({1})", "{0}.__class__({1})", "{0}.flatten({1})",
    "torch.utils.checkpoint.checkpoint({0}, {1})", "torch.vmap({0})({1})", "functools.partial({0}, {1})", "getattr({0}, 'x')", "iter({0})",
)  # fmt: skip
WRAPPED = (
    "for item in range(3):", "for item in items:", "while True:", "while x:", "if x:", "if True:", "with torch.no_grad():", "with x as y:",
    "with torch.autocast('cuda'), open('f') as f:", "def function(self, x=1, *a, **k):", "class Inner(torch.nn.Module):", "class Inner(Base):",
    "async def function():", "for a, *b in x.items():", "with torch.cuda.stream(s):", "@torch.compile\ndef function(x):", "@property\ndef item(self):",
    "@torch.no_grad()\ndef forward(self, *x):", "class Inner(torch.autograd.Function):", "def function():\n    yield",
    "try:\n    pass\nexcept* E:", "async for item in x:", "match x:\n    case [a, *b]:", "try:\n    pass\nfinally:", "try:\n    pass\nexcept E as e:",
)  # fmt: skip
_DEPTH = 12
"""How often a statement is wrapped, or an expression nested, where it is done more than once."""


class Unchanged(Exception):
    """Signals that a program has nothing that a change could be made to, or that its result is no tree."""


@dataclass(frozen=True, slots=True)
class Program:
    """A module with its nodes by kind, and the parent of each by identity."""

    module: cst.Module
    statements: list[cst.CSTNode] = field(default_factory=list)
    expressions: list[cst.BaseExpression] = field(default_factory=list)
    others: list[cst.CSTNode] = field(default_factory=list)
    parents: dict[int, cst.CSTNode] = field(default_factory=dict)


@lru_cache(64)
def program(text: str) -> Program:
    """Returns a parsed text. Raises Unchanged where it does not parse."""
    try:
        return _program(cst.parse_module(text))
    except (cst.ParserSyntaxError, UnicodeError) as error:
        raise Unchanged from error


def _program(module: cst.Module) -> Program:
    found = Program(module)
    stack: list[cst.CSTNode] = [module]
    while stack:
        node = stack.pop()
        for child in node.children:
            if isinstance(child, (cst.BaseParenthesizableWhitespace, cst.TrailingWhitespace, cst.EmptyLine)):
                continue
            found.parents[id(child)] = node
            stack.append(child)
            if isinstance(node, (cst.Module, cst.IndentedBlock)) and isinstance(
                child, cst.BaseStatement | cst.SimpleStatementLine
            ):
                found.statements.append(child)
            elif isinstance(child, cst.BaseExpression):
                found.expressions.append(child)
            else:
                found.others.append(child)
    return found


class _Replacing(cst.CSTTransformer):
    """Puts one node in the place of another; enters nothing but what is around it."""

    def __init__(self, old: cst.CSTNode, new: Callable[[cst.CSTNode], Replacement], around: set[int]) -> None:
        super().__init__()
        self._old, self._new, self._around = old, new, around

    def on_visit(self, node: cst.CSTNode) -> bool:
        return id(node) in self._around

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Replacement:  # type: ignore[override]
        return self._new(updated_node) if original_node is self._old else updated_node


def replaced(found: Program, old: cst.CSTNode, new: Callable[[cst.CSTNode], Replacement]) -> cst.Module:
    """Returns the module with one node replaced. Raises Unchanged where that gives no tree."""
    around, node = {id(found.module)}, old
    while id(node) in found.parents:
        node = found.parents[id(node)]
        around.add(id(node))
    try:
        changed = found.module.visit(_Replacing(old, new, around))
        assert isinstance(changed, cst.Module)
        changed.code  # noqa: B018  # what is no tree raises here at the latest
    except Exception as error:
        raise Unchanged from error
    return changed


def mutated_tree(text: str, other: str, chance: Random) -> tuple[str, str]:
    """Returns a changed program and the names of its changes. Raises Unchanged where none could be made."""
    found, names = program(text), []
    for left in reversed(range(chance.choice((1, 1, 1, 1, 2, 2, 3, 3, 6, 20)))):
        for _ in range(8):
            change = chance.choice(CHANGES)
            try:
                module = change(found, other, chance)
            except Unchanged:
                continue
            names.append(change.__name__)
            found = _program(module) if left else Program(module)
            break
    if not names:
        raise Unchanged
    return found.module.code, " ".join(names)


def _one(nodes: Sequence[Node], chance: Random) -> Node:
    if not nodes:
        raise Unchanged
    return chance.choice(nodes)


def _expression(text: str) -> cst.BaseExpression:
    try:
        return cst.parse_expression(text)
    except Exception as error:
        raise Unchanged from error


def _parenthesized(node: cst.BaseExpression, chance: Random) -> cst.BaseExpression:
    """Returns a copy, mostly in brackets, so that it can stand anywhere."""
    copy = node.deep_clone()
    if (
        chance.random() < 0.9
        and hasattr(copy, "lpar")
        and not isinstance(copy, (cst.Name, cst.Integer, cst.SimpleString))
    ):
        return copy.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return copy


def _assigned(found: Program, node: cst.CSTNode) -> bool:
    """Returns whether an expression is the name of a definition, a keyword, a parameter or an import, which must stay a name."""
    parent = found.parents[id(node)]
    if isinstance(parent, (cst.Attribute, cst.FunctionDef, cst.ClassDef, cst.Arg, cst.Param)):
        return (
            node is getattr(parent, "attr", None)
            or node is getattr(parent, "name", None)
            or node is getattr(parent, "keyword", None)
        )
    return isinstance(parent, (cst.ImportAlias, cst.ImportFrom, cst.AsName, cst.NameItem, cst.AssignTarget))


def _places(found: Program) -> list[cst.BaseExpression]:
    return [node for node in found.expressions if not _assigned(found, node)]


def drop_statement(found: Program, other: str, chance: Random) -> cst.Module:
    return replaced(found, _one(found.statements, chance), lambda node: cst.RemoveFromParent())


def duplicate_statement(found: Program, other: str, chance: Random) -> cst.Module:
    times = chance.choice((2, 2, 3, 30))
    return replaced(
        found,
        _one(found.statements, chance),
        lambda node: cst.FlattenSentinel([node.deep_clone() for _ in range(times)]),
    )


def copy_statement(found: Program, other: str, chance: Random) -> cst.Module:
    copied = _one(found.statements, chance)
    return replaced(
        found, _one(found.statements, chance), lambda node: cst.FlattenSentinel([copied.deep_clone(), node])
    )


def splice_statement(found: Program, other: str, chance: Random) -> cst.Module:
    copied = _one(program(other).statements, chance)
    return replaced(
        found, _one(found.statements, chance), lambda node: cst.FlattenSentinel([copied.deep_clone(), node])
    )


def replace_statement(found: Program, other: str, chance: Random) -> cst.Module:
    copied = _one(found.statements, chance)
    return replaced(found, _one(found.statements, chance), lambda node: copied.deep_clone())


def reverse_block(found: Program, other: str, chance: Random) -> cst.Module:
    block = _one(
        [node for node in found.others if isinstance(node, cst.IndentedBlock) and len(node.body) > 1], chance
    )
    body = list(block.body)
    chance.shuffle(body)
    return replaced(found, block, lambda node: node.with_changes(body=body))


def swap_operands(found: Program, other: str, chance: Random) -> cst.Module:
    node = _one(
        [one for one in found.expressions if isinstance(one, (cst.BinaryOperation, cst.BooleanOperation))],
        chance,
    )
    return replaced(found, node, lambda _: node.with_changes(left=node.right, right=node.left))


def change_operator(found: Program, other: str, chance: Random) -> cst.Module:
    node = _one([one for one in found.expressions if isinstance(one, cst.BinaryOperation)], chance)
    operators = (
        cst.Add,
        cst.Subtract,
        cst.Multiply,
        cst.Divide,
        cst.FloorDivide,
        cst.MatrixMultiply,
        cst.Power,
        cst.Modulo,
        cst.LeftShift,
    )
    return replaced(found, node, lambda _: node.with_changes(operator=chance.choice(operators)()))


def _call(found: Program, chance: Random, least: int = 1) -> cst.Call:
    return _one(
        [one for one in found.expressions if isinstance(one, cst.Call) and len(one.args) >= least], chance
    )


def _bare(arguments: Sequence[cst.Arg]) -> list[cst.Arg]:
    return [one.with_changes(comma=cst.MaybeSentinel.DEFAULT) for one in arguments]


def swap_arguments(found: Program, other: str, chance: Random) -> cst.Module:
    node = _call(found, chance, 2)
    arguments = _bare(node.args)
    chance.shuffle(arguments)
    return replaced(found, node, lambda _: node.with_changes(args=arguments))


def drop_argument(found: Program, other: str, chance: Random) -> cst.Module:
    node = _call(found, chance)
    arguments = _bare(node.args)
    arguments.pop(chance.randrange(len(arguments)))
    return replaced(found, node, lambda _: node.with_changes(args=arguments))


def add_argument(found: Program, other: str, chance: Random) -> cst.Module:
    node, given = _call(found, chance, 0), _one(_call(found, chance).args, chance)
    made = [
        given,
        cst.Arg(
            _parenthesized(_one(found.expressions, chance), chance), star=chance.choice(("", "", "*", "**"))
        ),
    ]
    arguments = _bare([*node.args, chance.choice(made)])
    if chance.random() < 0.5:
        chance.shuffle(arguments)
    return replaced(found, node, lambda _: node.with_changes(args=arguments))


def rename_keyword(found: Program, other: str, chance: Random) -> cst.Module:
    keywords = [one for one in found.others if isinstance(one, cst.Arg) and one.keyword is not None]
    node, taken = _one(keywords, chance), _one(keywords, chance)
    return replaced(found, node, lambda _: node.with_changes(keyword=taken.keyword))


def replace_expression(found: Program, other: str, chance: Random) -> cst.Module:
    new = _parenthesized(_one(found.expressions, chance), chance)
    return replaced(found, _one(_places(found), chance), lambda _: new)


def splice_expression(found: Program, other: str, chance: Random) -> cst.Module:
    new = _parenthesized(_one(program(other).expressions, chance), chance)
    return replaced(found, _one(_places(found), chance), lambda _: new)


def change_constant(found: Program, other: str, chance: Random) -> cst.Module:
    kinds = (cst.Integer, cst.Float, cst.SimpleString, cst.Tuple, cst.List, cst.Name)
    node = _one([one for one in _places(found) if isinstance(one, kinds)], chance)
    new = _parenthesized(_expression(chance.choice(CONSTANTS)), chance)
    return replaced(found, node, lambda _: new)


def rename(found: Program, other: str, chance: Random) -> cst.Module:
    """Gives a name another name in one place, or everywhere."""
    names = [one for one in found.expressions if isinstance(one, cst.Name)]
    old = _one(names, chance)
    new = chance.choice(BUILTINS) if chance.random() < 0.5 else _one(names, chance).value
    if chance.random() < 0.5:
        return replaced(found, old, lambda node: node.with_changes(value=new))
    return _Renaming(old.value, new).of(found.module)


class _Renaming(cst.CSTTransformer):
    def __init__(self, old: str, new: str) -> None:
        super().__init__()
        self._old, self._new = old, new

    def of(self, module: cst.Module) -> cst.Module:
        changed = module.visit(self)
        assert isinstance(changed, cst.Module)
        return changed

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return (
            updated_node.with_changes(value=self._new) if original_node.value == self._old else updated_node
        )


def rename_attribute(found: Program, other: str, chance: Random) -> cst.Module:
    attributes = [one for one in found.expressions if isinstance(one, cst.Attribute)]
    old, new = _one(attributes, chance), _one(attributes, chance)
    return replaced(found, old, lambda node: node.with_changes(attr=new.attr.deep_clone()))


def nest(found: Program, other: str, chance: Random) -> cst.Module:
    """Puts an expression into another one, sometimes several times."""
    node = _one(_places(found), chance)
    inner, template = found.module.code_for_node(node), chance.choice(NESTED)
    second = chance.choice((inner, "x", "0", found.module.code_for_node(_one(found.expressions, chance))))
    growing = template.count("{0}") > 1
    for _ in range(chance.choice((1, 1, 1, 2, 4 if growing else _DEPTH))):
        inner = template.format(f"({inner})" if "\n" in inner or chance.random() < 0.7 else inner, second)
    new = _parenthesized(_expression(inner), chance)
    return replaced(found, node, lambda _: new)


def wrap_statement(found: Program, other: str, chance: Random) -> cst.Module:
    """Puts a statement into a loop, branch, function or class, sometimes several times."""
    node = _one(found.statements, chance)
    inner: cst.CSTNode = node.deep_clone()
    for _ in range(chance.choice((1, 1, 1, 2, _DEPTH))):
        inner = _wrapped(inner, chance.choice(WRAPPED))
    return replaced(found, node, lambda _: inner)


def _wrapped(inner: cst.CSTNode, opening: str) -> cst.CSTNode:
    indentation = "        " if "case" in opening else "    "
    statement = cst.parse_statement(f"{opening}\n{indentation}_placeholder_\n")
    (place,) = [block for block in _blocks(statement) if _holds_placeholder(block)]
    kept = [one for one in place.body if not _is_placeholder(one)]
    return statement.with_deep_changes(place, body=[*kept, inner])


def _blocks(node: cst.CSTNode) -> Iterator[cst.IndentedBlock]:
    if isinstance(node, cst.IndentedBlock):
        yield node
    for child in node.children:
        yield from _blocks(child)


def _is_placeholder(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.SimpleStatementLine) and "_placeholder_" in cst.Module([node]).code


def _holds_placeholder(block: cst.IndentedBlock) -> bool:
    return any(_is_placeholder(one) for one in block.body)


def change_target(found: Program, other: str, chance: Random) -> cst.Module:
    """Assigns to something else."""
    node = _one([one for one in found.others if isinstance(one, cst.AssignTarget)], chance)
    kinds = (cst.Name, cst.Attribute, cst.Subscript, cst.Tuple, cst.List)
    new = _one([one for one in found.expressions if isinstance(one, kinds)], chance).deep_clone()
    return replaced(found, node, lambda _: node.with_changes(target=new))


def change_parameters(found: Program, other: str, chance: Random) -> cst.Module:
    owners = [
        one
        for one in [*found.statements, *found.others, *found.expressions]
        if isinstance(one, (cst.FunctionDef, cst.Lambda))
    ]
    functions = [one for one in owners if isinstance(one, cst.FunctionDef)]
    node, taken = _one(functions, chance), _one(functions, chance)
    return replaced(found, node, lambda _: node.with_changes(params=taken.params.deep_clone()))


def change_bases(found: Program, other: str, chance: Random) -> cst.Module:
    node = _one([one for one in found.statements if isinstance(one, cst.ClassDef)], chance)
    base = cst.Arg(_parenthesized(_one(found.expressions, chance), chance))
    bases = chance.choice(([], [base], [*_bare(node.bases), base], [cst.Arg(node.name)]))
    return replaced(found, node, lambda _: node.with_changes(bases=bases))


def add_decorator(found: Program, other: str, chance: Random) -> cst.Module:
    node = _one([one for one in found.statements if isinstance(one, (cst.ClassDef, cst.FunctionDef))], chance)
    given = (
        *(
            "property",
            "staticmethod",
            "classmethod",
            "torch.no_grad()",
            "dataclass",
            "torch.compile",
            "functools.cache",
        ),
        *(
            "contextmanager",
            "torch.jit.script",
            "abstractmethod",
            "x.setter",
            "torch.inference_mode",
            "functools.wraps(f)",
        ),
    )
    made = [_expression(chance.choice(given)), _parenthesized(_one(found.expressions, chance), chance)]
    decorators = [cst.Decorator(chance.choice(made)), *node.decorators]
    return replaced(found, node, lambda _: node.with_changes(decorators=decorators))


CHANGES: tuple[Callable[[Program, str, Random], cst.Module], ...] = (
    drop_statement, duplicate_statement, copy_statement, splice_statement, replace_statement, reverse_block, swap_operands,
    change_operator, swap_arguments, drop_argument, add_argument, rename_keyword, replace_expression, replace_expression, splice_expression,
    change_constant, change_constant, rename, rename_attribute, nest, nest, wrap_statement, wrap_statement, change_target, change_parameters,
    change_bases, add_decorator,
)  # fmt: skip
