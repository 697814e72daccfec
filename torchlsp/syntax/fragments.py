"""Provides libCST nodes for single statements, joined to `ast` by span.

libCST parses 1 MB/s where `ast` parses 11, so only the source rows of the statement that a rule asks about
are handed to it. The rows are not dedented: a prefix line opens a block of their depth, and every offset
differs from the document's by one constant.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeVar, overload

from torchlsp.core.span import Span
from torchlsp.syntax.concrete import import_libcst
from torchlsp.syntax.lexing import safe_for_libcst
from torchlsp.syntax.positions import measured
from torchlsp.syntax.statements import enclosing_statements, statement_span

if TYPE_CHECKING:
    import libcst as cst

    from torchlsp.syntax.parse import SyntaxTree

    Node = TypeVar("Node", bound=cst.CSTNode)

# libCST is quadratic in nesting: above this a statement has no fragment, and what asked for it stays silent.
MAX_FRAGMENT_LENGTH = 200_000
LONG_FRAGMENT = 4_000
MAX_EDITED_CHARACTERS = 1_000_000
_MEMO_KEY = "syntax.fragments"


class Fragment:
    """One statement as libCST sees it.

    `statement_span` is the statement's place in the document; of a compound statement `node` may hold the
    header only, with `pass` for its body. `rows` are the rows of the document that `code` holds; a prefix
    and a `pass` of ours lie outside them.
    """

    __slots__ = ("_at", "_spans", "code", "header_only", "module", "node", "rows", "shift", "statement_span")

    def __init__(
        self,
        module: cst.Module,
        node: cst.CSTNode,
        code: str,
        spans: dict[cst.CSTNode, tuple[int, int]],
        rows: Span,
        shift: int,
        statement_span: Span,
        header_only: bool,
    ) -> None:
        self.module = module
        self.node = node
        self.code = code
        self.rows = rows
        self.shift = shift
        self.statement_span = statement_span
        self.header_only = header_only
        self._spans = spans
        self._at: dict[tuple[int, int], list[cst.CSTNode]] | None = None

    @overload
    def node_at(self, span: Span) -> cst.CSTNode | None: ...
    @overload
    def node_at(self, span: Span, kind: type[Node]) -> Node | None: ...
    def node_at(self, span: Span, kind: type[Node] | None = None) -> cst.CSTNode | None:
        """Returns the node whose code is exactly this span of the document, or None.

        Several nodes can share a span: without `kind` an expression wins, then the innermost.
        """
        if self._at is None:
            at: dict[tuple[int, int], list[cst.CSTNode]] = {}
            for node, place in self._spans.items():
                at.setdefault(place, []).append(node)
            self._at = at
        nodes = self._at.get((span.start - self.shift, span.end - self.shift), ())
        if kind is not None:
            return next((node for node in nodes if isinstance(node, kind)), None)
        import libcst as cst

        for wanted in (cst.BaseExpression, cst.BaseSmallStatement, cst.BaseStatement, cst.CSTNode):
            for node in nodes:
                if isinstance(node, wanted) and not isinstance(node, cst.BaseParenthesizableWhitespace):
                    return node
        return None

    def span_of(self, node: cst.CSTNode) -> Span:
        """Returns the node's place in the document. Raises KeyError for a node that is not of this fragment."""
        start, end = self._spans[node]
        return Span(start + self.shift, end + self.shift)

    def code_of(self, node: cst.CSTNode) -> str:
        """Returns the node's own text, without parentheses around it."""
        start, end = self._spans[node]
        return self.code[start:end]

    def __contains__(self, node: object) -> bool:
        return node in self._spans


class Fragments:
    """The fragments of one tree, each parsed once and kept as long as the tree lives."""

    __slots__ = ("_by_rows", "_edited_characters", "_tree", "parsed_characters")

    def __init__(self, tree: SyntaxTree) -> None:
        self._tree = tree
        self._by_rows: dict[tuple[int, int, str], Fragment | None] = {}
        self.parsed_characters = 0
        """The number of characters passed to libCST: a counter for benchmarks."""
        self._edited_characters = 0

    @classmethod
    def of(cls, tree: SyntaxTree) -> Fragments:
        """Returns the fragments of this tree, shared by all callers."""
        kept = tree.memo.get(_MEMO_KEY)
        if not isinstance(kept, Fragments):
            kept = tree.memo[_MEMO_KEY] = cls(tree)
        return kept

    def for_span(self, span: Span) -> Fragment | None:
        """Returns the fragment of the smallest statement that contains the span.

        Tried in this order: the statement's rows (the header's, if the span lies in the header of a compound
        statement), the whole statements around it from inside outwards, the whole file. None when the span
        lies in no statement, or libCST cannot read any of these within its limits.
        """
        around = enclosing_statements(self._tree, span)
        if not around:
            return None
        for statement in reversed(around):
            if statement is around[-1]:
                header = self._header(statement, span)
                if header is not None:
                    return header
            fragment = self._whole(statement)
            if fragment is not None:
                return fragment
        return self._file(around[-1])

    def may_be_edited(self, fragment: Fragment) -> bool:
        """Returns whether another change of a fragment may be made: each is checked by parsing the statement again.

        Of long statements only so many changes are made in one file.
        """
        if len(fragment.code) > LONG_FRAGMENT:
            self._edited_characters += len(fragment.code)
        return self._edited_characters <= MAX_EDITED_CHARACTERS

    def _header(self, statement: ast.stmt, span: Span) -> Fragment | None:
        """Returns the header of a compound statement with `pass` for its body."""
        body = getattr(statement, "body", None)
        if not body:
            return None
        document = self._tree.document
        whole = statement_span(document, statement)
        first = statement_span(document, body[0])
        lines = document.lines
        row, body_row = lines.row(whole.start), lines.row(first.start)
        if body_row == lines.row(document.offset(statement.lineno, statement.col_offset)):
            return None
        end = self._header_end(statement, first.start)
        if end is None or span.end > end:
            return None
        start = lines.starts[row - 1]
        indent = document.text[start : whole.start]
        if indent.strip(" \t"):
            return None
        body_indent = document.text[lines.starts[body_row - 1] : first.start]
        if body_indent.strip(" \t"):
            return None
        newline = document.newline
        tail = f"{body_indent}pass{newline}"
        prefix = self._prefix(document.text, whole.start, indent)
        return self._read(start, end, prefix, tail, whole, header_only=True)

    def _header_end(self, statement: ast.stmt, body_start: int) -> int | None:
        """Returns the start of the row after the header's colon: comments above the body are left out."""
        document = self._tree.document
        row = document.lines.row(body_start)
        while row > statement.lineno + 1:
            above = document.line_text(row - 1).strip(" \t\f")
            if above and not above.startswith("#"):
                break
            row -= 1
        return document.lines.starts[row - 1]

    def _whole(self, statement: ast.stmt) -> Fragment | None:
        document = self._tree.document
        whole = statement_span(document, statement)
        lines = document.lines
        start = lines.starts[lines.row(whole.start) - 1]
        last_row = lines.row(max(whole.end - 1, whole.start))
        end = lines.starts[last_row] if last_row < len(lines.starts) else len(document.text)
        before = document.text[start : whole.start]
        indent = before[: len(before) - len(before.lstrip(" \t\f"))]
        return self._read(start, end, self._prefix(document.text, whole.start, indent), "", whole)

    def _file(self, statement: ast.stmt) -> Fragment | None:
        document = self._tree.document
        whole = statement_span(document, statement)
        return self._read(0, len(document.text), "", "", whole)

    @staticmethod
    def _prefix(text: str, start: int, indent: str) -> str:
        opening = "if 1:\n" if indent else ""
        return f"{opening}{indent}if 1: pass\n" if text.startswith("elif", start) else opening

    def _read(
        self, start: int, end: int, prefix: str, tail: str, whole: Span, *, header_only: bool = False
    ) -> Fragment | None:
        key = (start, end, tail)
        if key in self._by_rows:
            return self._by_rows[key]
        fragment = None
        if end - start <= MAX_FRAGMENT_LENGTH:
            code = prefix + self._tree.document.text[start:end] + tail
            self.parsed_characters += len(code)
            fragment = _parse(code, Span(start, end), start - len(prefix), whole, header_only)
        self._by_rows[key] = fragment
        return fragment


def _parse(code: str, rows: Span, shift: int, whole: Span, header_only: bool) -> Fragment | None:
    if not safe_for_libcst(code):
        return None
    import_libcst()
    import libcst as cst

    try:
        module = cst.parse_module(code)
        spans, length = measured(module)
    except Exception:
        # Near its limits libCST raises RecursionError, TypeError or its own errors: the answer is the same.
        return None
    if length != len(code):
        return None
    node = _statement_at(module, spans, whole.start - shift)
    if node is None:
        return None
    return Fragment(module, node, code, spans, rows, shift, whole, header_only)


def _statement_at(
    module: cst.Module, spans: dict[cst.CSTNode, tuple[int, int]], place: int
) -> cst.CSTNode | None:
    """Returns the statement that begins at an offset. A simple statement after `;` gives its whole line."""
    import libcst as cst

    at_row: cst.CSTNode | None = None
    for node, (start, end) in spans.items():
        if isinstance(node, cst.Decorator) and start == place:
            # A decorated definition's own span begins at `def` or `class`.
            return next(one for one in spans if node in getattr(one, "decorators", ()))
        if isinstance(node, cst.BaseCompoundStatement | cst.SimpleStatementLine | cst.SimpleStatementSuite):
            if start == place and not isinstance(node, cst.SimpleStatementSuite):
                return node
            if start <= place < end and at_row is None:
                at_row = node
    return at_row
