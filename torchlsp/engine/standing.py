"""Keeps the analysis of an open text between edits, so that only changed parts are analysed again.

Positions are offsets, and they are in all that an analysis gives.  So that a change in one function moves nothing after it,
each function is followed by spare blanks in the text that is analysed, at the end of its last row: what is typed uses them up.
Rows and columns are those of the text itself.  The first change in a function of a text takes a whole analysis, which puts them there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from torchlsp.core.cancel import Cancelled
from torchlsp.core.difference import difference
from torchlsp.core.records import dataclass, replace
from torchlsp.core.span import Span
from torchlsp.engine.blank_changes import Kept
from torchlsp.engine.padding import NO_PADDING, Padding, moved
from torchlsp.syntax.focus import Alone, Focus, focus_at, functions_of, parse_alone, statement_around
from torchlsp.syntax.parse import SyntaxTree, parse_broken
from torchlsp.syntax.partial import try_parse

if TYPE_CHECKING:
    from torchlsp.core.finding import Finding
    from torchlsp.core.text import Document
    from torchlsp.engine.blank_changes import Answers, Modules
    from torchlsp.engine.examination import Examination, Shown
    from torchlsp.facts.torch_names import TorchNames
    from torchlsp.interp.run.incremental import IncrementalAnalysis
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.budget import Imports
    from torchlsp.interp.store.entry_facts import Entries
    from torchlsp.program import ir

SPARE = 4_000
"""The number of blanks after the function that is being edited: some hundred rows may be typed there before
it takes a whole analysis."""

SPARE_OF_OTHERS = 1_000
"""The number of blanks after each other function, in which some twenty rows may be typed before."""

MOST_FUNCTIONS = 400
"""In a text with more functions only the one that is being edited gets blanks."""

MIN_PADDING = 100
"""The minimum number of blanks left: so many in a row are in no code, and differ from those that a fix
inserts."""


class Outdated(Cancelled):
    """The kept analysis no longer fits: the text must be analysed as a whole."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A text in which the function that is being edited does not parse at the moment, with the findings of
    the last text that did, except those in the statement that does not parse."""

    tree: SyntaxTree
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """A text in which only the body of one function has changed: `tree` is that of the analysed text."""

    tree: SyntaxTree
    padding: Padding
    function: ir.Function
    new: ir.Function


class Standing:
    """The kept analysis of one open text under one set of options.

    `findings` are those of the last text that parsed, in the analysed text.
    """

    def __init__(self) -> None:
        self.findings: Sequence[Finding] = ()
        self._last: Document | None = None
        self._before: Document | None = None
        self._parsed: Document | None = None
        self._parses = False
        """Whether all of `_parsed` parses."""
        self._is_settled = False
        """Whether `findings` are those of `_parsed`."""
        self._whole: SyntaxTree | None = None
        """The tree of the whole of `_parsed`, where it was asked for."""
        self._functions: Sequence[Focus] = ()
        """The functions that blanks follow, in the analysed text, where they stay where they are."""
        self._number = 0
        """The one of them that was changed last."""
        self._begun: int | None = None
        """The one that the analysis has as a text has it which was not analysed to the end: the function in `_parsed` may be other."""
        self._padding = NO_PADDING
        self._again: IncrementalAnalysis | None = None
        self._asked: tuple[frozenset[str], bool, Entries | None] | None = None
        self._tree: SyntaxTree | None = None
        self._change: Changed | None = None
        self._examined: Kept | None = None
        """The examination of `_parsed`, as long as what it holds is that of this text."""

    def same(
        self,
        document: Document,
        modules: Modules,
        checked: frozenset[str],
        cancelled: Callable[[], None] | None,
        shown: Shown,
    ) -> Examination | None:
        """Returns the examination of a text in which only blanks have changed since the last one that parsed."""
        kept = self._examined
        found = None if kept is None else kept.followed(document, modules, checked, cancelled, shown)
        if found is not None:
            self._before, self._last = self._last, document
        return found

    def keep(self, examination: Examination, answers: Answers, checked: frozenset[str]) -> None:
        """Keeps the examination of a text for those in which only blanks will have changed."""
        if self._is_settled and self._parses and examination.document is self._parsed:
            self._examined = Kept(examination, answers, checked)

    def step(self, document: Document) -> Changed | Broken | None:
        """Returns what has changed since the last text that parsed. None where the text must be analysed as a
        whole."""
        self._before, self._last = self._last, document
        old, again = self._parsed, self._again
        if old is None or not self._functions or again is None or document.path != old.path:
            return None
        if document.cells or "\0" in document.text:
            return None
        grown = len(document.text) - len(old.text)
        if document.text == old.text:  # as after what did not parse was taken back
            first = last = self._padding.starts[self._number]
        else:
            first, behind = difference(old.text, document.text)
            last = len(old.text) - behind
        number = bisect_left(self._padding.starts, last)
        if number == len(self._functions) or self._begun not in (None, number):
            return None
        focus, padding = self._functions[number], self._padding.grown(number, grown)
        if self._padding.inside(first) < focus.body or padding.sizes[number] < MIN_PADDING:
            return None
        self._number = number
        analysed = padding.of(document)
        alone = parse_alone(analysed, focus.start, padding.inside(padding.starts[number]))
        if alone is False:
            around = self._padding.span_outside(focus.statement)
            return self._broken(document, number, Span(around.start, around.end + grown), first, last)
        if alone is True:
            return None
        from torchlsp.lint.files import MEMO_KEY
        from torchlsp.program.lower import lower_function

        tree = SyntaxTree.unread(analysed)
        owner = None if focus.owner is None else again.class_at(focus.statement.start, focus.owner)
        new = lower_function(tree, alone, owner)
        tree.memo[MEMO_KEY] = again.module
        self._put(tree)
        self._examined, self._begun = None, number
        self._change = Changed(tree, padding, again.function_at(focus.start), new)
        return self._change

    def _broken(self, document: Document, number: int, around: Span, first: int, last: int) -> Broken | None:
        """Returns a text in which the function of this number does not parse. `around` is the statement of the top level around
        the change in the document; of the text before, the characters from `first` to `last` were others."""
        tree = parse_broken(document, around)
        if tree is None:
            return None
        assert self._parsed is not None
        padding = self._padding
        analysed = padding.of(self._parsed)
        alone = parse_alone(analysed, self._functions[number].start, padding.inside(padding.starts[number]))
        if isinstance(alone, bool):
            return None
        return self._kept(tree, alone, analysed, padding, first, last)

    def broken(self, tree: SyntaxTree) -> Broken | None:
        """Returns a text in which a function does not parse that was not edited before; None where it must be analysed as it is."""
        document, old = tree.document, self._parsed
        if (
            old is None
            or not (self._parses and self._is_settled)
            or document.path != old.path
            or document.cells
        ):
            return None
        if "\0" in document.text or any(problem.kind != "syntax" for problem in tree.problems):
            return None
        if self._whole is None or self._whole.document is not old:
            self._whole = SyntaxTree(old, try_parse(old.text)[0])
        first, behind = difference(old.text, document.text)
        if self._whole.module is None or focus_at(self._whole, first, behind) is None:
            return None
        return self._kept(tree, self._whole, old, NO_PADDING, first, len(old.text) - behind)

    def _kept(
        self,
        tree: SyntaxTree,
        code: Alone | SyntaxTree,
        before: Document,
        of_before: Padding,
        first: int,
        last: int,
    ) -> Broken:
        """Returns the findings outside of the statement that was changed last. `code` is what was parsed of the text `before`, which
        has the padding `of_before`."""
        assert self._parsed is not None
        text, padding, grown = (
            tree.document.text,
            self._padding,
            len(tree.document.text) - len(self._parsed.text),
        )
        is_new_row = False
        if first == last:
            # What was put in may as well begin where the same letters stand before it: in the row above, at its end.
            while first and grown and text[first - 1] == text[first + grown - 1]:
                first -= 1
            last = first
            is_new_row = text[first] in "\r\n"
        broken = statement_around(before, code, of_before.inside(first), of_before.inside(last))
        broken = None if broken is None else of_before.span_outside(broken)
        if broken is not None and is_new_row and first in (broken.start, broken.end):
            broken = None

        def place(offset: int) -> int:
            offset = padding.outside(offset)
            return offset if offset <= first else max(offset + grown, first)

        def is_outside(span: Span) -> bool:
            start, end = padding.outside(span.start), padding.outside(span.end)
            return broken is None or end <= broken.start or broken.end <= start

        kept = []
        for one in self.findings:
            if is_outside(one.span):
                fixes = (fix for fix in one.fixes if all(is_outside(edit.span) for edit in fix.edits))
                kept.append(moved(replace(one, fixes=tuple(fixes)), place, padding.without))
        return Broken(tree, tuple(kept))

    def begin(self, tree: SyntaxTree) -> bool:
        """Returns whether the next change of this text can be followed: it is to be analysed as `padded`
        returns it."""
        before, document = self._before, tree.document
        self.forget()
        self.findings, self._parsed, self._functions, self._padding = (), document, (), NO_PADDING
        self._parses = not tree.problems
        focus = None
        if before is not None and not tree.problems and not document.cells and before.text != document.text:
            focus = focus_at(tree, *difference(before.text, document.text))
        if focus is None:
            return False
        functions = list(functions_of(tree))
        if len(functions) > MOST_FUNCTIONS:
            functions = [focus]
        self._number = next(at for at, one in enumerate(functions) if one.start == focus.start)
        sizes = tuple(SPARE if one.start == focus.start else SPARE_OF_OTHERS for one in functions)
        self._padding = Padding(tuple(one.end for one in functions), sizes)
        inside = self._padding.inside
        self._functions = [
            Focus(
                inside(one.start),
                inside(one.body),
                inside(one.end),
                self._padding.span_inside(one.statement),
                one.owner,
            )
            for one in functions
        ]
        return True

    def padded(self, tree: SyntaxTree) -> tuple[SyntaxTree, Padding]:
        """Returns the tree of the text with spare blanks."""
        padded = SyntaxTree(self._padding.of(tree.document), tree.module)
        self._put(padded)
        return padded, self._padding

    def _put(self, tree: SyntaxTree) -> None:
        """Replaces the previous tree, which is in a reference cycle with what was derived from it."""
        if self._tree is not None:
            self._tree.memo.clear()
        self._tree = tree

    def analyse(
        self,
        module: ir.Module,
        imports: Imports,
        wanted: frozenset[str],
        *,
        cancelled: Callable[[], None] | None,
        api: TorchNames | None,
        observed: Entries | None = None,
        **_: object,
    ) -> Analysis:
        """Analyses as `interp.run.analyse` does, reusing what is kept.  Raises Outdated, and what `cancelled`
        raises."""
        from torchlsp.interp.run.incremental import IncrementalAnalysis

        change, again = self._change, self._again
        if change is None or again is None:
            self._again = IncrementalAnalysis(module, imports, wanted, cancelled, api, observed or {})
            self._asked = wanted, api is None, observed
            return self._again.analysis
        analysis = None
        if self._asked == (wanted, api is None, observed):
            analysis = again.after(change.function, change.new, imports, cancelled)
        if analysis is None:
            raise Outdated
        return analysis

    def forget(self) -> None:
        """Discards everything kept, after an error."""
        if self._again is not None:
            self._again.close()
        self._again = self._change = self._examined = self._begun = None
        self._is_settled = False

    def settled(self, document: Document, findings: Sequence[Finding]) -> None:
        """Marks the text as completely analysed."""
        self.findings, self._is_settled = findings, True
        change, self._change, self._begun = self._change, None, None
        if change is not None:
            self._padding, self._parsed = change.padding, document
