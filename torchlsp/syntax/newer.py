"""Distinguishes syntax of a later Python from a mistake: libCST reads it where the running `ast` does not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.syntax.lexing import safe_for_libcst
from torchlsp.syntax.positions import spans_of

if TYPE_CHECKING:
    import libcst as cst

_STARRED_SUBSCRIPT = "a starred subscript"


@dataclass(frozen=True, slots=True)
class NewerForm:
    """A syntax form of a Python newer than the given one, at its offsets in the given text."""

    form: str
    version: tuple[int, int]
    start: int
    end: int


def newest_form(text: str, running: tuple[int, ...]) -> NewerForm | None:
    """Returns the form that needs the newest Python above `running`, or None when libCST cannot read the text
    either or finds no such form in it (then it is a syntax error)."""
    if not safe_for_libcst(text):
        return None
    import libcst as cst

    try:
        module = cst.parse_module(text)
        spans = spans_of(module)
    except Exception:
        # A mistake in the text, or libCST near its limits: neither is newer syntax.
        return None
    found: list[tuple[tuple[int, int], str, cst.CSTNode]] = []
    stack: list[cst.CSTNode] = [module]
    while stack:
        node = stack.pop()
        named = _form(node)
        if named is not None and named[1] > running:
            found.append((named[1], named[0], node))
        stack.extend(reversed(node.children))
    if not found:
        return None
    version, form, node = max(found, key=lambda item: item[0])
    return NewerForm(form, version, *spans.get(node, (0, 0)))


def _form(node: cst.CSTNode) -> tuple[str, tuple[int, int]] | None:
    match type(node).__name__:
        case "TryStar":
            return "`except*`", (3, 11)
        case "TypeAlias":
            return "a `type` statement", (3, 12)
        case "TypeParam" if getattr(node, "default", None) is not None:
            return "a default of a type parameter", (3, 13)
        case "TypeParameters":
            return "a type parameter list", (3, 12)
        case "TemplatedString":
            return "a template string", (3, 14)
        case "Index" if getattr(node, "star", None):
            return _STARRED_SUBSCRIPT, (3, 11)
        case "FormattedString" if _is_free_form(node):
            return "an f-string that reuses its quotes", (3, 12)
        case "ExceptHandler" if _has_bare_tuple(node):
            return "`except` with several types and no parentheses", (3, 14)
    return None


def _is_free_form(node: cst.CSTNode) -> bool:
    """Returns whether an f-string needs PEP 701: its own quote, a backslash, a comment or, in one row, a line break in a replacement."""
    import libcst as cst

    assert isinstance(node, cst.FormattedString)
    quote = node.quote
    for part in node.parts:
        if isinstance(part, cst.FormattedStringExpression):
            code = cst.Module([]).code_for_node
            around = (part.whitespace_before_expression, part.whitespace_after_expression)
            inner = code(part.expression) + "".join(map(code, around))
            refused = "#" if len(quote) == 3 else r"\n|#"
            if quote in inner or "\\" in inner or re.search(refused, inner):
                return True
    return False


def _has_bare_tuple(node: cst.CSTNode) -> bool:
    kind = getattr(node, "type", None)
    return kind is not None and type(kind).__name__ == "Tuple" and not kind.lpar
