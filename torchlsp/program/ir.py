"""Defines the intermediate representation: structured statements and expressions with spans in code points.

It is smaller than Python's own tree (one node for `for` and `async for`, `elif` as a nested branch, constants as facts) and
knows nothing of `ast`, so the layers above never see a node of the parser.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from torchlsp.core.records import dataclass, field

if TYPE_CHECKING:
    from torchlsp.program.lower import Lowering

Memo = dict[str, Any]  # Any: under each key what one layer keeps, which alone reads it


@dataclass(slots=True, eq=False)
class Node:
    start: int
    end: int


# ---- expressions --------------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Constant(Node):
    """A literal; `value` is a Python constant (None and Ellipsis included)."""

    value: Any  # as typeshed has the value of `ast.Constant`


@dataclass(slots=True, eq=False)
class Name(Node):
    id: str


@dataclass(slots=True, eq=False)
class Attribute(Node):
    object: Node
    name: str


@dataclass(slots=True, eq=False)
class Call(Node):
    """A call; `args` may hold Starred; a keyword of name None is `**mapping`."""

    function: Node
    args: tuple[Node, ...]
    keywords: tuple[tuple[str | None, Node], ...]


@dataclass(slots=True, eq=False)
class Binary(Node):
    """A binary operation; `op` is the operator's text: `+`, `@`, `//`."""

    op: str
    left: Node
    right: Node


@dataclass(slots=True, eq=False)
class Unary(Node):
    """A unary operation; `op` is `-`, `+`, `~` or `not`."""

    op: str
    operand: Node


@dataclass(slots=True, eq=False)
class Compare(Node):
    left: Node
    ops: tuple[str, ...]
    rights: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class Logical(Node):
    """An `and` or `or` over two or more operands."""

    op: str
    operands: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class Conditional(Node):
    """A conditional expression: `body if test else orelse`."""

    test: Node
    body: Node
    orelse: Node


@dataclass(slots=True, eq=False)
class Subscript(Node):
    object: Node
    index: Node


@dataclass(slots=True, eq=False)
class Slice(Node):
    lower: Node | None
    upper: Node | None
    step: Node | None


@dataclass(slots=True, eq=False)
class Display(Node):
    """A tuple, list or set (`kind`) written out; items may hold Starred."""

    kind: str
    items: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class DictDisplay(Node):
    """A dict written out; a key of None is `**mapping`."""

    keys: tuple[Node | None, ...]
    values: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class Lambda(Node):
    function: "Function"


@dataclass(slots=True, eq=False)
class Comprehension(Node):
    """A comprehension; `kind` is list, set, generator or dict (then `element` is the key and `value` the
    value)."""

    kind: str
    element: Node
    value: Node | None
    clauses: tuple[tuple[Node, Node, tuple[Node, ...]], ...]
    """(target, iterable, conditions)"""


@dataclass(slots=True, eq=False)
class Starred(Node):
    value: Node


@dataclass(slots=True, eq=False)
class JoinedString(Node):
    """An f-string's texts and interpolated expressions, outermost level.  `is_plain`: none has a format of its own."""

    parts: tuple[Node, ...]
    is_plain: bool = False


@dataclass(slots=True, eq=False)
class Walrus(Node):
    target: Name
    value: Node


@dataclass(slots=True, eq=False)
class Await(Node):
    value: Node


@dataclass(slots=True, eq=False)
class Yield(Node):
    """A `yield`; `delegates`: `yield from`.  `is_opaque`: no `yield` at all but an expression that is not
    looked into."""

    value: Node | None
    delegates: bool = False
    is_opaque: bool = False


# ---- statements ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Assign(Node):
    targets: tuple[Node, ...]
    value: Node


@dataclass(slots=True, eq=False)
class Augmented(Node):
    target: Node
    op: str
    value: Node


@dataclass(slots=True, eq=False)
class Annotated(Node):
    target: Node
    annotation: Node
    value: Node | None


@dataclass(slots=True, eq=False)
class Expression(Node):
    value: Node


@dataclass(slots=True, eq=False)
class Return(Node):
    value: Node | None


@dataclass(slots=True, eq=False)
class Branch(Node):
    test: Node
    body: tuple[Node, ...]
    orelse: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class For(Node):
    target: Node
    iterable: Node
    body: tuple[Node, ...]
    orelse: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class While(Node):
    test: Node
    body: tuple[Node, ...]
    orelse: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class Handler(Node):
    type: Node | None
    name: str | None
    body: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class Try(Node):
    body: tuple[Node, ...]
    handlers: tuple[Handler, ...]
    orelse: tuple[Node, ...]
    final: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class With(Node):
    items: tuple[tuple[Node, Node | None], ...]
    """(context expression, target)"""
    body: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class Define(Node):
    function: "Function"


@dataclass(slots=True, eq=False)
class DefineClass(Node):
    cls: "Class"


@dataclass(slots=True, eq=False)
class Import(Node):
    """An import; `names` are (bound name, module, attribute or None): `import a.b` binds `a` to module `a`.

    `places` are the (start, end, name as written) of each.
    """

    names: tuple[tuple[str, str, str | None], ...]
    places: tuple[tuple[int, int, str], ...] = ()


@dataclass(slots=True, eq=False)
class Raise(Node):
    value: Node | None


@dataclass(slots=True, eq=False)
class Assert(Node):
    test: Node


@dataclass(slots=True, eq=False)
class Break(Node):
    pass


@dataclass(slots=True, eq=False)
class Continue(Node):
    pass


@dataclass(slots=True, eq=False)
class Delete(Node):
    targets: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class Global(Node):
    """A `global` or `nonlocal` statement."""

    names: tuple[str, ...]
    is_global: bool


@dataclass(slots=True, eq=False)
class Match(Node):
    """A match statement; `patterns` of a case are reduced to (values, captured names, catches all)."""

    subject: Node
    cases: tuple["Case", ...]


@dataclass(slots=True, eq=False)
class Case(Node):
    values: tuple[Node, ...]
    captures: tuple[str, ...]
    catches_all: bool
    guard: Node | None
    body: tuple[Node, ...]


# ---- definitions --------------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Param:
    """A parameter; `kind` is positional, variadic (`*args`), keyword (keyword-only) or mapping (`**kwargs`)."""

    name: str
    kind: str
    default: Node | None
    annotation: Node | None
    start: int
    end: int


class Fill(Protocol):
    """Fills in an omitted part of a function. As a rule it sets that, perhaps others with it, and is not
    called again."""

    @property
    def lowering(self) -> Lowering | None:
        """The walk that lowered the body, for its creator; the IR does not use it."""

    def __call__(self, function: Any, part: str, /) -> object: ...  # Any: a Function, defined below Deferred


class Deferred(Node):
    """A node with parts that are lowered on demand: most functions of imported files never are."""

    __slots__ = ("fill",)

    fill: Fill

    def __getattr__(self, name: str) -> object:
        # Python comes here only where a slot is empty.
        if name not in _DEFERRED:
            raise AttributeError(name)
        return self.fill(self, name)


_DEFERRED = frozenset({"body", "is_generator", "size"})


@dataclass(slots=True, eq=False)
class Function(Deferred):
    """A function, method or lambda.  `name_start` is where its name stands; `size` the number of nodes inside."""

    name: str
    qualname: str
    params: tuple[Param, ...]
    body: tuple[Node, ...]
    decorators: tuple[Node, ...]
    is_generator: bool
    is_lambda: bool
    owner: str | None
    """Name of the class whose body holds the definition."""
    name_start: int
    size: int

    @classmethod
    def deferred(
        cls,
        start: int,
        end: int,
        name: str,
        qualname: str,
        params: tuple[Param, ...],
        decorators: tuple[Node, ...],
        owner: str | None,
        name_start: int,
        fill: Fill,
    ) -> "Function":
        """Returns a `def` whose body, size and whether it yields are computed by `fill` on demand."""
        made = cls.__new__(cls)
        made.start, made.end, made.name, made.qualname, made.params = start, end, name, qualname, params
        made.decorators, made.is_lambda, made.owner, made.name_start = decorators, False, owner, name_start
        made.fill = fill
        return made


class Remembering(Node):
    """A node with a place for what other layers derive from it alone and cache as long as it lives."""

    __slots__ = ("_memo",)

    @property
    def memo(self) -> Memo:
        """Caches of other layers, by their own keys."""
        try:
            return self._memo
        except AttributeError:
            self._memo: Memo = {}
            return self._memo


@dataclass(slots=True, eq=False)
class Class(Remembering):
    name: str
    qualname: str
    bases: tuple[Node, ...]
    keywords: tuple[tuple[str | None, Node], ...]
    body: tuple[Node, ...]
    decorators: tuple[Node, ...]
    methods: dict[str, Function] = field(default_factory=dict)
    """Functions defined directly in the body, the last of each name."""


class Module:
    """A lowered file.  `name` is its dotted name when it is known; `unknown_names` are what broken text may have bound.

    What only the whole text tells is found out when it is asked for, which lowers every function.
    """

    __slots__ = (
        "all",
        "body",
        "changed_attributes",
        "changed_names",
        "classes",
        "functions",
        "memo",
        "memo_of_definitions",
        "name",
        "path",
        "rebound_globals",
        "replaced_attributes",
        "shared_attributes",
        "size",
        "statement_starts",
        "unknown_names",
        "unread_words",
        "used_classes",
    )

    all: Callable[["Module", str], object]
    path: str
    name: str | None
    body: tuple[Node, ...]
    unknown_names: frozenset[str]
    unread_words: frozenset[str]
    """Every identifier of the parts of the file that do not parse: any of them may be what some check looks for in the whole file."""
    rebound_globals: frozenset[str]
    """Names that a statement `global` of the file has, as far as its text shows."""
    functions: tuple[Function, ...]
    """Every function and method, in the order of their definitions, lambdas left out."""
    classes: tuple[Class, ...]
    statement_starts: tuple[tuple[int, int], ...]
    """(start, end) of every statement, in source order, to look up a finding's place."""
    changed_names: frozenset[str]
    """Names whose list or dict some function changes."""
    changed_attributes: frozenset[str]
    """Attributes that some function sets or changes, except those that `__init__` sets on its own object."""
    replaced_attributes: frozenset[str]
    """Attributes that code of the file sets on other objects than `self`."""
    used_classes: frozenset[str]
    """Names with a capital that the file uses otherwise than as a base class or in `super`."""
    shared_attributes: frozenset[str]
    """Names of attributes that more than one method or function mentions, or one and the code around them."""
    size: int

    def __init__(
        self,
        path: str,
        name: str | None,
        body: tuple[Node, ...],
        unknown_names: frozenset[str],
        lower_all: Callable[["Module", str], object],
        rebound_globals: frozenset[str] = frozenset(),
        unread_words: frozenset[str] = frozenset(),
    ) -> None:
        """Creates a module. `lower_all` computes an attribute that is not passed here; as a rule it sets all
        of them."""
        self.path = path
        self.name = name
        self.body = body
        self.unknown_names = unknown_names
        self.rebound_globals = rebound_globals
        self.unread_words = unread_words
        self.all = lower_all
        self.memo: Memo = {}
        """What other layers derive from the file alone and want to keep as long as it lives, by their own key."""
        self.memo_of_definitions: Memo = {}
        """The same, of what no body of a function can change."""

    def __getattr__(self, name: str) -> object:
        if name not in _LAZY_ATTRIBUTES:
            raise AttributeError(name)
        return self.all(self, name)


_LAZY_ATTRIBUTES = frozenset(
    {"functions", "classes", "statement_starts", "changed_names", "changed_attributes", "replaced_attributes", "used_classes",
     "shared_attributes", "size", "memo"}
)  # fmt: skip
