"""Parses a document into a tree, an imported one without its functions, whose bodies are parsed on demand."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlsp.core.span import Span
from torchlsp.syntax.lexing import has_more_tokens, most_replacements
from torchlsp.syntax.outline import Outline, outline
from torchlsp.syntax.partial import (
    SyntaxProblem,
    is_settled_inside,
    newer_python,
    parse_intact,
    parts_parse,
    problem_of,
    problems_of_parts,
    try_parse,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torchlsp.core.text import Document

# An `ast` takes about 37 bytes for each byte of source: 5 million characters are some 200 MB.
MAX_TEXT_LENGTH = 5_000_000
# It takes some 4 µs for each word or operator to parse and lower it. Ordinary code has one in four characters.
MAX_TOKENS = 1_000_000
# Python 3.11 reads the whole string again for each replacement.
MAX_REPLACEMENTS = 20_000
_IDENTIFIER = re.compile(r"(\.[ \t]*)?([^\W\d]\w*)(?:(?=[ \t]*([(.\[])))?")
_IMPORT = re.compile(r"\bimport\b")
_HEADER = re.compile(r"\s*(?:class|(?:async\s+)?def)\s+([^\W\d]\w*)(?!.*\bglobal\b)")


class SyntaxTree:
    """A document and its `ast`.

    `module` holds the top-level statements that parse, at their right positions; None when nothing could be
    read. `blanked` are the spans left out of it and `blanked_names` every identifier inside them that is not only read:
    what those names mean at module level is unknown. `blanked_words` are all identifiers inside them.

    `outline`: an imported file that has been read without its functions so far. Asking for anything else reads the whole.
    """

    __slots__ = (
        "blanked",
        "blanked_names",
        "blanked_words",
        "document",
        "memo",
        "module",
        "outline",
        "problems",
    )

    def __init__(
        self,
        document: Document,
        module: ast.Module | None,
        problems: tuple[SyntaxProblem, ...] = (),
        blanked: tuple[Span, ...] = (),
    ) -> None:
        self.document = document
        self.outline: Outline | None = None
        self._set(module, problems, blanked)
        self.memo: dict[str, object] = {}
        """What other layers derive from this tree and want to keep as long as it lives, by their own key."""

    @classmethod
    def of_outline(cls, document: Document, outline: Outline) -> SyntaxTree:
        tree = cls.__new__(cls)
        tree.document, tree.outline, tree.memo = document, outline, {}
        return tree

    @classmethod
    def unread(cls, document: Document) -> SyntaxTree:
        """Returns the tree of a text that is known to parse: parsed when the `ast` is read."""
        tree = cls(document, None)
        del tree.module
        return tree

    @property
    def has_code(self) -> bool:
        """Returns whether some of the text can be parsed."""
        return not self.problems or self.module is not None

    def _set(
        self, module: ast.Module | None, problems: tuple[SyntaxProblem, ...], blanked: tuple[Span, ...]
    ) -> None:
        text = self.document.text
        self.problems = problems
        self.blanked = blanked
        unread = [text[span.start : span.end] for span in blanked]
        self.blanked_names = frozenset(name for part in unread for name in _names_perhaps_bound(part))
        self.blanked_words = frozenset(found[2] for part in unread for found in _IDENTIFIER.finditer(part))
        self.module = module

    def __getattr__(self, name: str) -> object:
        # Python comes here only where a slot is empty.
        if name not in _WHOLE_TREE_ATTRIBUTES:
            raise AttributeError(name)
        whole = parse(self.document)
        self._set(whole.module, whole.problems, whole.blanked)
        if whole.problems:
            self.read_whole()
        return getattr(self, name)

    def slim(self) -> None:
        """Frees the `ast`, which is parsed again on demand: it takes more memory than all that is derived."""
        try:
            # Past `__getattr__`, which would read it.
            module = object.__getattribute__(self, "module")
        except AttributeError:
            return
        if module is not None and not self.problems:
            del self.module

    def read_whole(self) -> None:
        """Parses the whole text from now on: something that the outline left out does not parse."""
        self.outline = None
        self.memo.clear()

    def __repr__(self) -> str:
        return f"SyntaxTree({self.document.path!r}, {len(self.problems)} problems)"


def _names_perhaps_bound(text: str) -> Iterator[str]:
    """Yields the identifiers of a text that does not parse, without those that it certainly only reads.

    `super().__init__()` and `nn.Linear` give no meaning to `super`, `nn` and `Linear`.
    """
    for row in text.splitlines():
        header = _HEADER.match(row)
        if header is not None:
            yield header[1]
            continue
        is_import = _IMPORT.search(row)
        for found in _IDENTIFIER.finditer(row):
            if is_import or not (found[1] or found[3]):
                yield found[2]


_WHOLE_TREE_ATTRIBUTES = frozenset({"blanked", "blanked_names", "blanked_words", "module", "problems"})


def parse(document: Document) -> SyntaxTree:
    """Parses a document and never raises. The first problem, where there is one, stands at the parser's own
    place."""
    text = document.text
    if document.decode_problem is not None:
        span = document.decode_span or Span(0, 0)
        return SyntaxTree(document, None, (SyntaxProblem(span, document.decode_problem, "encoding"),))
    if too_large := _too_large(text):
        return SyntaxTree(document, None, (SyntaxProblem(Span(0, 0), too_large, "too-large"),))
    if "\0" in text:
        place = text.index("\0")
        problem = SyntaxProblem(Span(place, place + 1), "source contains a null byte", "null-byte")
        # U+0001 fails at the same place where NUL would make `ast` refuse the whole text.
        module, blanked, _ = parse_intact(document, text.replace("\0", "\1"))
        return SyntaxTree(document, module, (problem,), blanked)
    module, failure = try_parse(text)
    # A string or bracket that one cell leaves open may end in another: then neither of them parses.
    if module is not None and (len(document.cells) < 2 or parts_parse(document)):
        return SyntaxTree(document, module)
    module, blanked, newer = parse_intact(document, text)
    if document.cells:
        problems = problems_of_parts(document, blanked)
    else:
        problems = (newer or problem_of(document, failure, blanked[0].start, Span(0, len(text))),)
    return SyntaxTree(document, module, problems, blanked)


def _too_large(text: str) -> str:
    """Returns the notice that a text is longer than what is parsed; "" for one that is not."""
    if len(text) > MAX_TEXT_LENGTH:
        return f"file not analysed: {len(text):,} characters, more than {MAX_TEXT_LENGTH:,}"
    if len(text) > MAX_TOKENS and has_more_tokens(text, MAX_TOKENS):
        return f"file not analysed: more than {MAX_TOKENS:,} words and operators"
    if text.count("{") > MAX_REPLACEMENTS and most_replacements(text) > MAX_REPLACEMENTS:
        return f"file not analysed: a string with more than {MAX_REPLACEMENTS:,} replacements"
    return ""


def parse_imported(document: Document) -> SyntaxTree:
    """Parses as `parse` does, but reads on demand what only the whole text shows."""
    found = outline(document)
    return parse(document) if found is None else SyntaxTree.of_outline(document, found)


def parse_broken(document: Document, statement: Span) -> SyntaxTree | None:
    """Parses, as `parse` does, a text in which only a top-level statement does not parse, without reading the
    rest; returns None where it does parse."""
    # Rows are told in messages, too.
    alone = "\n" * (document.lines.row(statement.start) - 1) + document.slice(statement)
    module, failure = try_parse(alone)
    if module is not None or not is_settled_inside(failure, alone):
        module, failure = try_parse(document.text)
    if module is not None:
        return None
    newer = newer_python(document, document.text, statement)
    problem = newer or problem_of(document, failure, statement.start, Span(0, len(document.text)))
    tree = SyntaxTree(document, None, (problem,), (statement,))
    del tree.module  # the rest is read when it is asked for
    return tree


def body_at(tree: SyntaxTree, row: int) -> tuple[list[ast.stmt], int] | None:
    """Returns the statements of a body that the outline left out, and how many rows their positions are above
    those in the document. None when it, or another before it, does not parse alone: from then on the tree is
    one of the whole text."""
    document = tree.document
    if tree.outline is None:
        return None
    span = tree.outline.bodies[row].span
    module, _ = try_parse("if 1:\n" + document.text[span.start : span.end])
    block = module.body[0] if module is not None and len(module.body) == 1 else None
    if not isinstance(block, ast.If) or block.orelse:
        tree.read_whole()
        return None
    return block.body, document.lines.row(span.start) - 2
