"""The intermediate representation: structured statements and expressions with spans in code points.

It is smaller than Python's own tree (one node for `for` and `async for`, `elif` as a nested branch, constants as facts) and
knows nothing of `ast`, so the layers above never see a node of the parser.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_node = dataclass(slots=True, eq=False)


@_node
class Node:
    start: int
    end: int


# ---- expressions --------------------------------------------------------------------------------------------------------


@_node
class Constant(Node):
    """`value` is a Python constant (None and Ellipsis included)."""

    value: Any


@_node
class Name(Node):
    id: str


@_node
class Attribute(Node):
    object: Node
    name: str


@_node
class Call(Node):
    """`args` may hold Starred; a keyword of name None is `**mapping`."""

    function: Node
    args: tuple[Node, ...]
    keywords: tuple[tuple[str | None, Node], ...]


@_node
class Binary(Node):
    """`op` is the operator's text: `+`, `@`, `//`."""

    op: str
    left: Node
    right: Node


@_node
class Unary(Node):
    """`op` is `-`, `+`, `~` or `not`."""

    op: str
    operand: Node


@_node
class Compare(Node):
    left: Node
    ops: tuple[str, ...]
    rights: tuple[Node, ...]


@_node
class Logical(Node):
    """`and` / `or` over two or more operands."""

    op: str
    operands: tuple[Node, ...]


@_node
class Conditional(Node):
    """`body if test else orelse`."""

    test: Node
    body: Node
    orelse: Node


@_node
class Subscript(Node):
    object: Node
    index: Node


@_node
class Slice(Node):
    lower: Node | None
    upper: Node | None
    step: Node | None


@_node
class Display(Node):
    """`kind` is tuple, list or set; items may hold Starred."""

    kind: str
    items: tuple[Node, ...]


@_node
class DictDisplay(Node):
    """A key of None is `**mapping`."""

    keys: tuple[Node | None, ...]
    values: tuple[Node, ...]


@_node
class Lambda(Node):
    function: "Function"


@_node
class Comprehension(Node):
    """`kind` is list, set, generator or dict (then `element` is the key and `value` the value)."""

    kind: str
    element: Node
    value: Node | None
    clauses: tuple[tuple[Node, Node, tuple[Node, ...]], ...]
    """(target, iterable, conditions)"""


@_node
class Starred(Node):
    value: Node


@_node
class JoinedString(Node):
    """An f-string's texts and interpolated expressions, outermost level.  `is_plain`: none has a format of its own."""

    parts: tuple[Node, ...]
    is_plain: bool = False


@_node
class Walrus(Node):
    target: Name
    value: Node


@_node
class Await(Node):
    value: Node


@_node
class Yield(Node):
    """`delegates`: `yield from`.  `is_opaque`: no `yield` at all but an expression that is not looked into."""

    value: Node | None
    delegates: bool = False
    is_opaque: bool = False


# ---- statements ---------------------------------------------------------------------------------------------------------


@_node
class Assign(Node):
    targets: tuple[Node, ...]
    value: Node


@_node
class Augmented(Node):
    target: Node
    op: str
    value: Node


@_node
class Annotated(Node):
    target: Node
    annotation: Node
    value: Node | None


@_node
class Expression(Node):
    value: Node


@_node
class Return(Node):
    value: Node | None


@_node
class Branch(Node):
    test: Node
    body: tuple[Node, ...]
    orelse: tuple[Node, ...]


@_node
class For(Node):
    target: Node
    iterable: Node
    body: tuple[Node, ...]
    orelse: tuple[Node, ...]


@_node
class While(Node):
    test: Node
    body: tuple[Node, ...]
    orelse: tuple[Node, ...]


@_node
class Handler(Node):
    type: Node | None
    name: str | None
    body: tuple[Node, ...]


@_node
class Try(Node):
    body: tuple[Node, ...]
    handlers: tuple[Handler, ...]
    orelse: tuple[Node, ...]
    final: tuple[Node, ...]


@_node
class With(Node):
    items: tuple[tuple[Node, Node | None], ...]
    """(context expression, target)"""
    body: tuple[Node, ...]


@_node
class Define(Node):
    function: "Function"


@_node
class DefineClass(Node):
    cls: "Class"


@_node
class Import(Node):
    """`names` are (bound name, module, attribute or None): `import a.b` binds `a` to module `a`.

    `places` are the (start, end, name as written) of each.
    """

    names: tuple[tuple[str, str, str | None], ...]
    places: tuple[tuple[int, int, str], ...] = ()


@_node
class Raise(Node):
    value: Node | None


@_node
class Assert(Node):
    test: Node


@_node
class Break(Node):
    pass


@_node
class Continue(Node):
    pass


@_node
class Delete(Node):
    targets: tuple[Node, ...]


@_node
class Global(Node):
    """`global` and `nonlocal`."""

    names: tuple[str, ...]
    is_global: bool


@_node
class Match(Node):
    """`patterns` of a case are reduced to (values, captured names, catches all)."""

    subject: Node
    cases: tuple["Case", ...]


@_node
class Case(Node):
    values: tuple[Node, ...]
    captures: tuple[str, ...]
    catches_all: bool
    guard: Node | None
    body: tuple[Node, ...]


# ---- definitions --------------------------------------------------------------------------------------------------------


@_node
class Param:
    """`kind` is positional, variadic (`*args`), keyword (keyword-only) or mapping (`**kwargs`)."""

    name: str
    kind: str
    default: Node | None
    annotation: Node | None
    start: int
    end: int


@_node
class Function(Node):
    """A function, method or lambda.  `name_start` is where its name stands; `size` the number of nodes inside."""

    name: str
    qualname: str
    params: tuple[Param, ...]
    body: tuple[Node, ...]
    decorators: tuple[Node, ...]
    is_generator: bool = False
    is_lambda: bool = False
    owner: str | None = None
    """Name of the class whose body holds the definition."""
    name_start: int = 0
    size: int = 0


@_node
class Class(Node):
    name: str
    qualname: str
    bases: tuple[Node, ...]
    keywords: tuple[tuple[str | None, Node], ...]
    body: tuple[Node, ...]
    decorators: tuple[Node, ...]
    methods: dict[str, Function] = field(default_factory=dict)
    """Functions defined directly in the body, the last of each name."""


@_node
class Module:
    """A lowered file.  `name` is its dotted name when it is known; `unknown_names` are what broken text may have bound."""

    path: str
    name: str | None
    body: tuple[Node, ...]
    functions: tuple[Function, ...]
    """Every function and method, in the order of their definitions, lambdas left out."""
    classes: tuple[Class, ...]
    statement_starts: tuple[tuple[int, int], ...] = ()
    """(start, end) of every statement, in source order: what a finding's place is looked up in."""
    unknown_names: frozenset[str] = frozenset()
    changed_names: frozenset[str] = frozenset()
    """Names whose list or dict some function changes."""
    changed_attributes: frozenset[str] = frozenset()
    """Attributes that some function sets or changes, what `__init__` sets on its own object left out."""
    size: int = 0
