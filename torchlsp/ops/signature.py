"""Defines signatures of rows, and how a call's arguments are bound to them."""

from __future__ import annotations

import ast
import re
from enum import Enum
from functools import cache

from torchlsp.core.records import dataclass
from torchlsp.facts.values import (
    UNKNOWN_VALUE,
    BoundExternal,
    ListRef,
    Parameter,
    Repeated,
    Scalar,
    ShapeOf,
    TupleValue,
    Unknown,
    Value,
)

_ALIASES = {
    "axis": "dim",
    "axes": "dim",
    "keepdims": "keepdim",
    "x": "input",
    "x1": "input",
    "x2": "other",
    "a": "input",
    "tensor": "input",
    "self": "input",
    "dimension": "dim",
    "split_size_or_sections": "split_size",
    "sections": "indices_or_sections",
    "indices": "indices_or_sections",
}
"""NumPy's spellings that torch takes as well, and names that differ between a function and its method."""


class NotBound(Exception):
    """Signals that the arguments do not fit the signature."""


class _Missing(Enum):
    MISSING = "MISSING"


MISSING = _Missing.MISSING
"""Default of a parameter that has none."""


@dataclass(frozen=True, slots=True)
class Param:
    """Describes a parameter of a signature.

    `kind` is positional, variadic (`*size`), keyword (after `*`) or keywords (`**rest`, which is thrown away).  `default` is a Value or MISSING.
    """

    name: str
    kind: str
    type: str | None
    default: Value | _Missing


@dataclass(frozen=True, slots=True)
class Arguments:
    """Holds a call's arguments as evaluated.

    `open_…` is true with `*args` or `**kwargs` whose content is not known.
    """

    positional: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()
    open_positional: bool = False
    open_keywords: bool = False

    @property
    def is_open(self) -> bool:
        """Returns whether a `*` or `**` argument of unknown content is passed."""
        return self.open_positional or self.open_keywords

    @property
    def first(self) -> Value:
        """Returns the first positional argument, Unknown if there is none."""
        return self.positional[0] if self.positional else UNKNOWN_VALUE


@dataclass(frozen=True, slots=True)
class Signature:
    params: tuple[Param, ...]

    def bind(self, arguments: Arguments) -> dict[str, Value]:
        """Returns parameter names to values, defaults filled in.

        What `*args` or `**kwargs` may have set is Unknown.

        A variadic parameter gets a TupleValue of what was given, a single sequence argument being taken apart:
        `x.view((2, 3))` binds as `x.view(2, 3)`.  Raises NotBound when the call does not fit.
        """
        bound: dict[str, Value] = {}
        positional = list(arguments.positional)
        for param in self.params:
            if param.kind == "variadic":
                # `x.permute(**options)` may give them by the name
                may_be_set = arguments.open_positional or (arguments.open_keywords and not positional)
                bound[param.name] = _variadic(positional, may_be_set)
                positional = []
            elif param.kind == "positional" and positional:
                bound[param.name] = positional.pop(0)
        if positional:
            raise NotBound(f"{len(positional)} positional arguments too many")
        names = {param.name for param in self.params}
        for keyword, value in arguments.keywords:
            name = keyword if keyword in names else _ALIASES.get(keyword, keyword)
            if name not in names and any(param.kind == "keywords" for param in self.params):
                continue
            if name not in names:
                raise NotBound(f"no parameter {keyword}")
            already = bound.get(name)
            if already is not None and not (isinstance(already, TupleValue) and not already.items):
                raise NotBound(f"{keyword} twice")
            bound[name] = value
        for param in self.params:
            if param.name not in bound:
                if param.default is MISSING:
                    if not arguments.is_open:
                        raise NotBound(f"{param.name} is missing")
                    bound[param.name] = UNKNOWN_VALUE
                    continue
                may_be_set = arguments.open_keywords or (
                    arguments.open_positional and param.kind == "positional"
                )
                bound[param.name] = UNKNOWN_VALUE if may_be_set else param.default
        return bound


def _variadic(values: list[Value], is_open: bool) -> Value:
    if is_open:
        return UNKNOWN_VALUE
    if len(values) == 1 and isinstance(values[0], (TupleValue, ListRef, Repeated, ShapeOf)):
        return values[0]
    if len(values) == 1 and isinstance(values[0], Parameter):
        return values[0]  # one number or a whole shape: not known
    if len(values) == 1 and isinstance(values[0], Unknown) and values[0].size is None:
        return UNKNOWN_VALUE
    if len(values) == 1 and isinstance(values[0], BoundExternal):
        return UNKNOWN_VALUE  # an attribute that nothing is known of: one number or a whole shape
    return TupleValue(tuple(values))


_PARAM = re.compile(r"^(\*?\*?)(\w+)(?:\s*:\s*([\w\[\]| ]+?))?(?:\s*=\s*(.+))?$")


@cache
def parse(text: str) -> Signature:
    """Parses `"input, dim: int = -1, *, keepdim=False"`; defaults are Python literals."""
    params: list[Param] = []
    kind = "positional"
    for part in filter(None, (piece.strip() for piece in _split(text))):
        if part == "*":
            kind = "keyword"
            continue
        match = _PARAM.match(part)
        if match is None:
            raise ValueError(f"not a parameter: {part!r} in {text!r}")
        star, name, annotation, default = match.groups()
        if star == "**":
            params.append(Param(name, "keywords", annotation, TupleValue(())))
        elif star:
            params.append(Param(name, "variadic", annotation, TupleValue(())))
            kind = "keyword"
        else:
            params.append(Param(name, kind, annotation, MISSING if default is None else literal(default)))
    return Signature(tuple(params))


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def literal(text: str) -> Value:
    """Returns a Python literal as a value."""
    return of_python(ast.literal_eval(text))


def of_python(value: object) -> Value:
    if value is None:
        return Scalar("none")
    if isinstance(value, tuple):
        return TupleValue(tuple(of_python(item) for item in value))
    return Scalar(type(value).__name__, value)


# ---- calls that are written in a table -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NameText:
    """A name among the arguments of a call that is written in a table."""

    name: str


@dataclass(frozen=True, slots=True)
class CallText:
    """A call that is written in a table: constants, names and further calls are its arguments."""

    name: str
    positional: tuple[object, ...]
    keywords: tuple[tuple[str, object], ...]


def parse_call(text: str) -> CallText:
    """Reads a call such as `Conv2d(3, 64, 7, bias=False)`."""
    call = _read(ast.parse(text, mode="eval").body)
    if not isinstance(call, CallText):
        raise ValueError(f"{text} is no call")
    return call


def _read(node: ast.expr) -> object:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            keywords = tuple((one.arg or "", _read(one.value)) for one in node.keywords)
            return CallText(name, tuple(map(_read, node.args)), keywords)
        case ast.Name(id=name):
            return NameText(name)
    return ast.literal_eval(node)
