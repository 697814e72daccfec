"""What an open text keeps from keystroke to keystroke, so that only what a change reaches is analysed again.

Positions are offsets, and they are in all that an analysis gives.  So that a change in one function moves nothing behind it,
that function is followed by spare blanks in the text that is analysed, at the end of its last row: what is typed uses them up.
Rows and columns are those of the text itself.  The first change in a function takes a whole analysis, which puts them there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from torchlsp.core.cancel import Cancelled
from torchlsp.core.records import dataclass, replace
from torchlsp.core.span import Span
from torchlsp.engine.padding import Padding, moved
from torchlsp.syntax.parse import SyntaxTree, parse_broken, try_parse

if TYPE_CHECKING:
    from torchlsp.core.finding import Finding
    from torchlsp.core.text import Document
    from torchlsp.interp.again import Again
    from torchlsp.interp.analysis import Analysis
    from torchlsp.program import ir

SPARE = 4_000
"""Blanks behind the function that is being changed: some hundred rows may be typed there before it takes a whole analysis."""

_NO_CODE = re.compile(r"[ \t]*(?:#[^\r\n]*)?\Z")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Outdated(Cancelled):
    """What is kept does not fit any more: the text must be analysed as a whole."""


@dataclass(frozen=True, slots=True)
class _Focus:
    """The function that is being changed: where its `def` stands, where the rows of its body begin, and the statement of the
    top level that it is or is in.  Offsets of the analysed text."""

    start: int
    body: int
    statement: Span
    owner: str | None
    padding: Padding


@dataclass(frozen=True, slots=True)
class Broken:
    """A text in which the function that is being changed does not parse just now, and what was found in the last text that
    did, the statement of the top level around that function left out."""

    tree: SyntaxTree
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """A text in which nothing has changed but the body of one function: `tree` is that of the analysed text."""

    tree: SyntaxTree
    padding: Padding
    function: ir.Function
    new: ir.Function


class Standing:
    """What is kept of one open text under one set of options.

    `findings` are those of the last text that parsed, in the analysed text.
    """

    def __init__(self) -> None:
        self.findings: Sequence[Finding] = ()
        self._last: Document | None = None
        self._before: Document | None = None
        self._parsed: Document | None = None
        self._focus: _Focus | None = None
        self._again: Again | None = None
        self._asked: tuple[Any, ...] = ()
        self._tree: SyntaxTree | None = None
        self._change: Changed | None = None

    def step(self, document: Document) -> Changed | Broken | None:
        """What has changed since the last text that parsed; None where the text must be analysed as a whole."""
        self._before, self._last = self._last, document
        old, focus = self._parsed, self._focus
        if old is None or focus is None or self._again is None or document.path != old.path:
            return None
        padding, grown = focus.padding, len(document.text) - len(old.text)
        first, behind = _difference(old.text, document.text)
        if first < focus.body or len(old.text) - behind > padding.start or grown > padding.size:
            return None
        if document.text == old.text or document.cells or "\0" in document.text:
            return None
        padding = Padding(padding.start + grown, padding.size - grown)
        analysed = padding.of(document)
        row = analysed.lines.row(focus.start)
        begin = analysed.lines.starts[row - 1]
        indented = begin < focus.start
        module, _ = try_parse("if 1:\n" * indented + analysed.text[begin : padding.start] + "\n")
        if module is None:
            return self._broken(document, padding, first, grown)
        body = _inside(module.body) if indented else module.body
        node = body[0] if body is not None and len(body) == 1 else None
        if not isinstance(node, _FUNCTIONS):
            return None
        from torchlsp.lint.files import MEMO_KEY
        from torchlsp.program.lower import lower_function

        again = self._again
        tree = SyntaxTree.unread(analysed)
        owner = again.class_at(focus.statement.start, focus.owner) if focus.owner is not None else None
        function = again.function_at(focus.start)
        rows = row - 1 - indented, analysed.text.count("\n", begin, padding.start) + 4
        new = lower_function(tree, node, rows, owner)
        tree.memo[MEMO_KEY] = again.module
        self._put(tree)
        self._change = Changed(tree, padding, function, new)
        return self._change

    def _broken(self, document: Document, padding: Padding, first: int, grown: int) -> Broken | None:
        """`first` characters are those of the text that parsed; what stands behind the change is `grown` further on."""
        assert self._focus is not None
        around, before = self._focus.statement, self._focus.padding
        tree = parse_broken(document, Span(around.start, padding.outside(around.end)))
        if tree is None:
            return None

        def place(offset: int) -> int:
            offset = before.outside(offset)
            return offset if offset <= first else max(offset + grown, first)

        others = (
            one for one in self.findings if one.span.end <= around.start or around.end <= one.span.start
        )
        return Broken(tree, tuple(moved(one, place) for one in others))

    def begin(self, tree: SyntaxTree) -> bool:
        """Whether the next change of this text may be followed: it is to be analysed as `padded` says."""
        before, document = self._before, tree.document
        self.forget()
        self.findings, self._parsed, self._focus = (), document, None
        if before is not None and not tree.problems and not document.cells and before.text != document.text:
            self._focus = _focus_at(tree, _difference(before.text, document.text))
        return self._focus is not None

    def padded(self, tree: SyntaxTree) -> tuple[SyntaxTree, Padding]:
        """The tree of the text with spare blanks."""
        assert self._focus is not None
        padding = self._focus.padding
        padded = SyntaxTree(padding.of(tree.document), tree.module)
        self._put(padded)
        return padded, padding

    def _put(self, tree: SyntaxTree) -> None:
        """Instead of the tree before it, which is in a circle with what was made of it."""
        if self._tree is not None:
            self._tree.memo.clear()
        self._tree = tree

    def analyse(self, module: ir.Module, imports: Any, wanted: frozenset[str], **options: Any) -> Analysis:
        """As `interp.interpreter.analyse`, with what is kept.  Raises Outdated, and what `cancelled` raises."""
        from torchlsp.interp.again import Again

        change, again, cancelled = self._change, self._again, options["cancelled"]
        if change is None or again is None:
            self._again = Again(module, imports, wanted, cancelled, options["api"])
            self._asked = wanted, options["api"] is None
            return self._again.analysis
        analysis = None
        if self._asked == (wanted, options["api"] is None):
            analysis = again.after(change.function, change.new, imports, cancelled)
        if analysis is None:
            raise Outdated
        return analysis

    def forget(self) -> None:
        """Something went wrong: nothing that is kept can be relied on."""
        if self._again is not None:
            self._again.close()
        self._again = self._change = None

    def settled(self, document: Document, findings: Sequence[Finding]) -> None:
        """The text was analysed to its end."""
        self.findings = findings
        change, self._change = self._change, None
        if change is not None and self._focus is not None:
            self._focus = replace(self._focus, padding=change.padding)
            self._parsed = document


def _inside(body: list[ast.stmt]) -> list[ast.stmt] | None:
    """What stands below the `if 1:` that was put above a text; None where it is not all of that."""
    if len(body) != 1 or not isinstance(body[0], ast.If) or body[0].orelse:
        return None
    return body[0].body


def _difference(old: str, new: str) -> tuple[int, int]:
    """How many characters two texts share at their beginning, and how many behind that at their end."""
    most = min(len(old), len(new))
    first = _shared(most, lambda count: old[:count] == new[:count])
    behind = _shared(most - first, lambda count: old[len(old) - count :] == new[len(new) - count :])
    return first, behind


def _shared(most: int, is_shared: Callable[[int], bool]) -> int:
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        if is_shared(middle):
            least = middle
        else:
            most = middle - 1
    return least


def _focus_at(tree: SyntaxTree, difference: tuple[int, int]) -> _Focus | None:
    """The function of the top level, or the method of a class there, in whose body the text has changed."""
    document, (first, behind) = tree.document, difference
    starts = document.lines.starts
    row, last = document.lines.row(first), document.lines.row(max(len(document.text) - behind, first))
    body = tree.module.body if tree.module is not None else []
    for index, statement in enumerate(body):
        if not statement.lineno <= row <= (statement.end_lineno or 0):
            continue
        owner = statement if isinstance(statement, ast.ClassDef) else None
        for node in owner.body if owner is not None else [statement]:
            if not isinstance(node, _FUNCTIONS) or not node.lineno <= row <= last <= (node.end_lineno or 0):
                continue
            begin, end = starts[node.body[0].lineno - 1], document.row_span(node.end_lineno or 0).end
            rest = document.text[document.span_of(node).end : end]
            above = document.text[begin : document.span_of(node.body[0]).start]
            if first < begin or above.strip() or not _NO_CODE.match(rest):
                return None
            following = body[index + 1] if index + 1 < len(body) else None
            padding = Padding(end, SPARE)
            below = len(document.text) if following is None else starts[_first_row(following) - 1]
            around = Span(starts[_first_row(statement) - 1], padding.inside(below))
            start = document.span_of(node).start
            return _Focus(start, begin, around, owner.name if owner is not None else None, padding)
    return None


def _first_row(statement: ast.stmt) -> int:
    return min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", ()))])
