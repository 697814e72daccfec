"""Computes offsets of libCST nodes by one pass of code generation that only counts.

Four to six times cheaper than libCST's own position providers, and in code points, so that a libCST node and
an `ast` node of the same expression have the same span.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    Spans = dict[cst.CSTNode, tuple[int, int]]


class _Offsets:
    """Replaces libCST's CodegenState (libcst 1.x): the same methods, lengths in place of text."""

    __slots__ = ("_stack", "default_indent", "default_newline", "indent_tokens", "last", "position", "spans")

    def __init__(self, default_indent: str, default_newline: str) -> None:
        self.default_indent = default_indent
        self.default_newline = default_newline
        self.indent_tokens: list[str] = []
        self.position = 0
        self.last = 0
        self.spans: Spans = {}
        self._stack: list[int] = []

    @property
    def tokens(self) -> tuple[str, ...]:
        """Returns a sequence of tokens for libCST, which only checks whether there are any."""
        return ("",) if self.position else ()

    def increase_indent(self, value: str) -> None:
        self.indent_tokens.append(value)

    def decrease_indent(self) -> None:
        self.indent_tokens.pop()

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.last = len(token)
            self.position += self.last

    def add_token(self, value: str) -> None:
        self.last = len(value)
        self.position += self.last

    def pop_trailing_newline(self) -> None:
        self.position -= self.last
        self.last = 0

    def before_codegen(self, node: cst.CSTNode) -> None:
        self._stack.append(self.position)

    def after_codegen(self, node: cst.CSTNode) -> None:
        start = self._stack.pop()
        # A node that recorded its syntactic place (without parentheses, blank lines) keeps that one.
        if node not in self.spans:
            self.spans[node] = (start, self.position)

    @contextmanager
    def record_syntactic_position(
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> Iterator[None]:
        start = self.position
        try:
            yield
        finally:
            end = self.position
            if start_node is not None:
                start = self.spans[start_node][0]
            if end_node is not None:
                end = self.spans[end_node][1]
            self.spans[node] = (start, end)


def spans_of(module: cst.Module) -> Spans:
    """Returns start and end of every node, parentheses and surrounding blanks excluded, in code points."""
    return measured(module)[0]


def measured(module: cst.Module) -> tuple[Spans, int]:
    """Returns `spans_of` and the length of the module's code."""
    state: Any = _Offsets(  # Any: libCST declares its own state, which is written only for its own output
        module.default_indent, module.default_newline
    )
    module._codegen(state)
    return state.spans, state.position
