"""Holds a file as rules see it: its text, its tree, its intermediate representation, and edits of its text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from torchlsp.core.finding import Edit
from torchlsp.core.records import dataclass
from torchlsp.core.span import Span
from torchlsp.lint.ir_nodes import Position, begins_program, node_at, path_to, position_of
from torchlsp.program.lower import lower
from torchlsp.syntax.edits import apply_edits, edit_for
from torchlsp.syntax.fragments import Fragments
from torchlsp.syntax.partial import parses

if TYPE_CHECKING:
    import libcst as cst

    from torchlsp.core.text import Document
    from torchlsp.program import ir
    from torchlsp.syntax.parse import SyntaxTree

Change = Callable[[Any], "cst.CSTNode | None"]  # Any: each takes the kind of node that it changes

MEMO_KEY = "program.ir"


def lowered(tree: SyntaxTree) -> ir.Module:
    """Returns the tree's intermediate representation, kept as long as the tree."""
    kept = tree.memo.get(MEMO_KEY)
    if kept is None:
        kept = tree.memo[MEMO_KEY] = lower(tree)
    return kept  # type: ignore[return-value]  # the memo of a tree holds what each layer keeps there


_CELL = re.compile(r"^#\s?(%%|In\s?\[[\d ]*\]:|<codecell>)", re.MULTILINE)
"""The first row of a cell in a script that an editor runs cell by cell, as VS Code, Spyder and Jupytext write it."""


_DEVICES = re.compile(
    r"cuda|gpu|\bdevices?\b|\b(?:mps|xpu|hpu|npu|xla)\b|accelerat|lightning|deepspeed|(?<![\w.])Trainer\(",
    re.IGNORECASE,
)
"""What a text names that runs a module elsewhere than on the CPU."""


class File:
    """One file of the run."""

    def __init__(self, tree: SyntaxTree) -> None:
        self.tree = tree

    @property
    def path(self) -> str:
        return self.document.path

    @property
    def document(self) -> Document:
        return self.tree.document

    @cached_property
    def module(self) -> ir.Module:
        return lowered(self.tree)

    def source(self, start: int, end: int) -> str:
        """Returns the text between two offsets."""
        return self.document.text[start:end]

    def count_calls(self, function: str) -> int:
        """Returns how often the text of the file calls a function that is written so."""
        return len(re.findall(rf"(?<![\w.]){re.escape(function)}\(", self.document.text))

    @cached_property
    def names_devices(self) -> bool:
        """Returns whether the text names a device, or what chooses one."""
        return _DEVICES.search(self.document.text) is not None

    def quotes(self, name: str) -> bool:
        """Returns whether a string in the file has just this name as its value."""
        return f'"{name}"' in self.document.text or f"'{name}'" in self.document.text

    def ends_cell(self, start: int, end: int) -> bool:
        """Returns whether a statement is the last of a cell of a script with `# %%` rows, so that its value is shown."""
        text = self.document.text
        if text[:start].rpartition("\n")[2] or not _CELL.search(text, 0, start):
            return False
        rows = text[end:].split("\n")
        following = (row for row in rows[1:] if row.strip() and (row[0] != "#" or _CELL.match(row)))
        return rows[0].partition("#")[0].strip() == "" and _CELL.match(next(following, "#%%")) is not None

    def node(self, start: int, end: int) -> ir.Node | ir.Param | None:
        """Finds the IR node at exactly this span."""
        return node_at(self.module, start, end)

    def parents(self, start: int, end: int) -> list[ir.Node | ir.Param]:
        """Lists the nodes around the expression at exactly this span, outermost first."""
        return [node for node in path_to(self.module, start, end) if (node.start, node.end) != (start, end)]

    def begins_program(self, start: int, end: int) -> bool:
        """Returns whether a call at exactly this span only begins the program."""
        return begins_program(self.module, start, end)

    def position(self, start: int, end: int) -> Position | None:
        """Finds the smallest statement around a span."""
        return position_of(self.module, start, end)

    def rewritten(self, start: int, end: int, change: Change) -> Edit | None:
        """Makes the edit that puts `change(node)` in place of the libCST node at this span.

        None when there is no such node, when `change` answers None, or when the result would not parse.
        """
        fragment = Fragments.of(self.tree).for_span(Span(start, end))
        node = fragment.node_at(Span(start, end)) if fragment is not None else None
        if fragment is None or node is None or not Fragments.of(self.tree).may_be_edited(fragment):
            return None
        new = change(node)
        if new is None:
            return None
        try:
            edit = edit_for(fragment, node, new)
        except ValueError:
            return None
        if edit is None:
            return None
        inside = Edit(edit.span.shifted(-fragment.shift), edit.text)
        return edit if parses(apply_edits(fragment.code, [inside])) else None

    def inserted(self, offset: int, *code: str) -> tuple[Edit, ...]:
        """Inserts statements above the one that begins at `offset`; nothing when that shares its row.

        Each of `code` begins a row; the further rows of one are what the user wrote, and stay as they are.
        """
        row = self._row_of(offset)
        if row is None:
            return ()
        indent = self.source(row.start, offset)
        newline = self.document.newline
        text = "".join(f"{indent}{line}{newline}" if line else newline for line in code)
        return self._checked(Edit(Span(row.start, row.start), text))

    def wrapped(self, statement: ir.Node, header: str) -> tuple[Edit, ...]:
        """Puts a statement under the header of a block; nothing when rows hold more than it, or a string of several rows."""
        rows = self._rows_of(statement)
        if rows is None or any(q in self.source(statement.start, statement.end) for q in ('"""', "'''")):
            return ()
        indent = self.source(rows.start, statement.start)
        lines = self.source(rows.start, rows.end).splitlines(keepends=True)
        text = "".join(f"    {line}" if line.strip() else line for line in lines)
        return self._checked(Edit(rows, f"{indent}{header}{self.document.newline}{text}"))

    def appended(self, statement: ir.Node, code: str) -> tuple[Edit, ...]:
        """Inserts the statement `code` below another one; nothing when that shares its rows."""
        rows = self._rows_of(statement)
        if rows is None:
            return ()
        row = self._row_of(statement.start)
        indent = self.source(row.start, statement.start) if row is not None else ""
        newline = self.document.newline
        missing = "" if self.source(rows.start, rows.end).endswith(("\n", "\r")) else newline
        return self._checked(Edit(Span(rows.end, rows.end), f"{missing}{indent}{code}{newline}"))

    def moved_after(self, statement: ir.Node, after: ir.Node) -> tuple[Edit, ...]:
        """Moves a statement of one row below another one of its block; nothing when they share rows."""
        rows, target = self._rows_of(statement), self._rows_of(after)
        if rows is None or target is None or rows.end > target.start:
            return ()
        text = self.source(rows.start, rows.end)
        if not self.source(target.start, target.end).endswith(("\n", "\r")):
            text = self.document.newline + text.rstrip("\r\n")
        return self._checked(Edit(rows, ""), Edit(Span(target.end, target.end), text))

    def replaced(self, start: int, end: int, *code: str) -> tuple[Edit, ...]:
        """Replaces a span by statements, each in a row of its own with the indentation of the first one.

        The further rows of one are what the user wrote, and stay as they are.
        """
        row = self.document.row_span(self.document.lines.row(start))
        text = self.source(row.start, start)
        indent = text[: len(text) - len(text.lstrip(" \t"))]
        return self._checked(Edit(Span(start, end), (self.document.newline + indent).join(code)))

    def moved(self, statement: ir.Node, before: ir.Node) -> tuple[Edit, ...]:
        """Moves a statement above another one, with the indentation of its new place.

        Nothing when rows hold more than their statement, or when the result would not parse.
        """
        target = self._row_of(before.start)
        rows = self._rows_of(statement)
        if target is None or rows is None:
            return ()
        if len({self.document.lines.row(place) for place in (statement.start, statement.end)}) > 1:
            if any(quotes in self.source(statement.start, statement.end) for quotes in ('"""', "'''")):
                return ()  # another indentation would change the text inside
        old = self.source(rows.start, statement.start)
        new = self.source(target.start, before.start)
        lines = self.source(rows.start, rows.end).splitlines(keepends=True)
        text = "".join(new + line[len(old) :] if line.startswith(old) else line for line in lines)
        if not text.endswith(("\n", "\r")):
            text += self.document.newline
        return self._checked(Edit(Span(target.start, target.start), text), Edit(rows, ""))

    def _row_of(self, offset: int) -> Span | None:
        """Returns the row of a statement that begins at `offset`, if only blanks stand before it."""
        row = self.document.row_span(self.document.lines.row(offset))
        return None if self.source(row.start, offset).strip(" \t") else row

    def _rows_of(self, statement: ir.Node) -> Span | None:
        """Returns the rows of a statement, line end included, if nothing but a comment shares them."""
        first = self._row_of(statement.start)
        starts = self.document.lines.starts
        last = self.document.lines.row(max(statement.start, statement.end - 1))
        rest = self.source(statement.end, self.document.row_span(last).end).strip()
        if first is None or (rest and not rest.startswith("#")):
            return None
        end = starts[last] if last < len(starts) else len(self.document.text)
        return Span(first.start, end)

    def _checked(self, *edits: Edit) -> tuple[Edit, ...]:
        return edits if parses(apply_edits(self.document.text, edits)) else ()


@dataclass(frozen=True, slots=True)
class Operand:
    """An expression that the user wrote."""

    file: File
    start: int
    end: int

    @property
    def source(self) -> str:
        return self.file.source(self.start, self.end)

    @property
    def path(self) -> str:
        return self.file.path
