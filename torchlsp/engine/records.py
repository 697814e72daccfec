"""Finds what recorded runs say of a file: facts to begin its functions with, and lines that ran without an error."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from torchlsp.core.finding import CALLED_HERE, Finding, Outcome, Raises, Verdict
from torchlsp.core.records import dataclass, field, replace
from torchlsp.engine.config import ConfigError
from torchlsp.files import read_bytes
from torchlsp.recorder import store

if TYPE_CHECKING:
    from torchlsp.core.text import Document
    from torchlsp.interp.store.entry_facts import EntryFacts
    from torchlsp.program import ir
    from torchlsp.recorder.reading import ObservedFunction, Record, Run
    from torchlsp.syntax.function_digests import FunctionSource
    from torchlsp.syntax.parse import SyntaxTree

OPERAND_FAMILIES = ("TL1", "TL2", "TL3")
"""Families of rules on operators that raise for the operands that they are given, whatever ran before."""

_HOLDING = frozenset({"layout", "tensor", "matrix", "module", "dtype", "grad", "batched", "observed"})
"""Assumptions on the arguments: the run that went through the line had those that it had."""


MODULE_BODY = "<module>"
"""The name under which the body of a module is recorded."""


@dataclass(frozen=True, slots=True)
class FunctionRecord:
    """What is known of one function: its recorded calls, and the sizes that differ between them, by name."""

    observed: ObservedFunction
    ranges: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What recorded runs say of one file; the functions by qualified name. `run` is the newest run that has called them."""

    entries: Mapping[str, EntryFacts]
    functions: Mapping[str, FunctionRecord]
    all_functions: tuple[ObservedFunction, ...]
    run: Run | None
    digest: str


class Records:
    """The records that one engine reads: those in a cache folder, or an exported file.

    Raises ConfigError for an exported file that cannot be read.
    """

    def __init__(self, cache: str | None = None, exported: str | None = None, root: str = ".") -> None:
        self._cache = cache
        self._exported: Record | None = None
        self._digest = ""
        self._loaded: dict[str, tuple[tuple[str, ...], Record]] = {}
        self._files: dict[str, tuple[str, FileRecord]] = {}
        if exported is not None:
            from torchlsp.recorder.reading import MAX_FILE_BYTES, load_export

            try:
                self._exported = load_export(exported, root)
                self._digest = sha256(read_bytes(exported, MAX_FILE_BYTES)).hexdigest()[:16]
            except OSError as failure:
                raise ConfigError(f"{exported}: cannot be read: {failure.strerror or failure}") from None
            except ValueError as failure:
                raise ConfigError(f"{exported}: {failure}") from None

    def of(self, path: str) -> FileRecord | None:
        """Returns what is known of a file; None where nothing is."""
        path = os.path.realpath(path)
        digest, record = self._record(path)
        if record is None:
            return None
        known = self._files.get(path)
        if known is None or known[0] != digest:
            known = self._files[path] = digest, file_record(record, record.functions(path), digest)
        return known[1]

    def _record(self, path: str) -> tuple[str, Record | None]:
        if self._exported is not None:
            return self._digest, self._exported if self._exported.functions(path) else None
        if self._cache is None:
            return "", None
        for folder in store.folders_for(self._cache, path):
            runs = tuple(map(os.path.basename, store.runs(folder)))
            known = self._loaded.get(folder)
            if known is None or known[0] != runs:
                from torchlsp.recorder.reading import load

                known = self._loaded[folder] = runs, load(folder)
            if known[1].functions(path):
                return sha256(repr(runs).encode()).hexdigest()[:16], known[1]
        return "", None


def file_record(record: Record, functions: Sequence[ObservedFunction], digest: str) -> FileRecord:
    """Converts the recorded functions of one file; of those with one name the first, which is the newest, is used."""
    from torchlsp.engine.record_facts import entry_facts

    entries: dict[str, EntryFacts] = {}
    newest: dict[str, FunctionRecord] = {}
    for one in functions:
        if one.qualname not in newest and one.calls:
            entries[one.qualname], ranges = entry_facts(one)
            newest[one.qualname] = FunctionRecord(one, ranges)
    called_in = {call.run for one in functions for call in one.calls}
    run = next((one for one in record.runs if one.id in called_in), None)
    return FileRecord(entries, newest, tuple(functions), run, digest)


def changed_functions(record: FileRecord, text: str) -> list[str]:
    """Returns the functions of a record whose source in a text is another than the one that was recorded."""
    from torchlsp.syntax.function_digests import functions_of_text

    recorded = {name: one.observed.digest for name, one in record.functions.items() if name != MODULE_BODY}
    same = {
        source.qualname
        for source in functions_of_text(text)
        if source.qualname in recorded and source.digest() == recorded[source.qualname]
    }
    return [name for name in recorded if name not in same]


@dataclass(slots=True)
class RunLines:
    """The rows of a text whose code a recorded run has executed: `done` without raising, `raised` with an error.

    Only functions that are as they were when the run was recorded count.
    """

    done: set[int] = field(default_factory=set)
    raised: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, record: FileRecord, document: Document) -> RunLines:
        """Finds the rows, from 1, of a document."""
        from torchlsp.syntax.function_digests import functions_of_text

        found = cls()
        sources: dict[tuple[str, str], list[FunctionSource]] = {}
        for source in functions_of_text(document.text):
            sources.setdefault((source.qualname, source.digest()), []).append(source)
        for one in record.all_functions:
            for source in sources.get((one.qualname, one.digest), ()):
                if source.lines_digest() != one.lines_digest:
                    continue
                moved = source.line - one.line
                for call in one.calls:
                    found.done.update(row + moved for row in call.lines_done or ())
                    found.raised.update(row + moved for row in call.lines_raised or ())
        return found

    def went_through(self, first: int, last: int) -> bool:
        """Returns whether the run has executed these rows and none of them raised."""
        rows = range(first, last + 1)
        return any(row in self.done for row in rows) and not any(row in self.raised for row in rows)


def with_contradicted(findings: Sequence[Finding], record: FileRecord, tree: SyntaxTree) -> list[Finding]:
    """Returns the findings, with a verdict for those that say that an expression raises which the run has evaluated."""
    from torchlsp.lint.files import lowered

    document, module = tree.document, lowered(tree)
    candidates = [one for one in findings if _predicts_an_error(one)]
    if not candidates:
        return list(findings)
    lines = RunLines.of(record, document)
    refuted = {id(one) for one in candidates if lines.done and _is_contradicted(one, lines, document, module)}
    verdict = Verdict(
        Outcome.REFUTED, evidence="recorded", kind="recorded", reason="a recorded run evaluated it"
    )
    return [replace(one, verdict=verdict) if id(one) in refuted else one for one in findings]


def _predicts_an_error(finding: Finding) -> bool:
    probe = finding.probe
    if probe is None or not finding.rule.startswith(OPERAND_FAMILIES) or finding.path is None:
        return False
    raises = probe.expect is None or isinstance(probe.expect, Raises) and not probe.hears
    return raises and _HOLDING.issuperset(probe.assumes)


def _is_contradicted(finding: Finding, lines: RunLines, document: Document, module: ir.Module) -> bool:
    from torchlsp.lint.ir_nodes import path_to
    from torchlsp.program import ir

    # Expressions of which a line may leave out a part.
    partly_run = (ir.Conditional, ir.Logical, ir.Lambda, ir.Comprehension, ir.Compare)
    calls = [one for one in finding.related if one.message.endswith(CALLED_HERE)]
    if any(one.path is not None and one.path != finding.path for one in calls):
        return False
    for span in (finding.span, *(one.span for one in calls)):
        path = path_to(module, span.start, span.end)
        if any(isinstance(node, partly_run) for node in path[:-1]):
            return False
        first, last = (document.place(offset).row for offset in (span.start, span.end))
        if not lines.went_through(first, last):
            return False
    return True
