"""Checks a mutant by all that reads a program: the rules, their fixes, the slicer, the reports, the editor's analysis."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

from torchlsp.core.finding import Finding
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.dev.fuzzing.mutants import Mutant
from torchlsp.dev.fuzzing.seeds import Seed
from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine, Options
from torchlsp.engine.inspection import at, hints
from torchlsp.engine.result import CheckResult
from torchlsp.engine.slices import with_slices
from torchlsp.report.formats import FORMATS, render
from torchlsp.report.sources import Sources
from torchlsp.report.text import Painter
from torchlsp.server.analyst import Analyst
from torchlsp.server.settings import EditorSettings
from torchlsp.syntax.edits import edited
from torchlsp.syntax.partial import parses

STEPS = 40_000
"""The steps of the interpreter that a text may cost whatever its size, and for each of its characters."""
STEPS_PER_CHARACTER = 10
_EDITED_EVERY = 4
_MOST_FIXES = 6
_MOST_SLICES = 10


class Folders:
    """Gives each seed a folder with the files that it may import; writes nothing into the repository."""

    def __init__(self, top: Path) -> None:
        self._top = top

    def path(self, seed: Seed) -> Path:
        if seed.folder is None:
            (self._top / "alone").mkdir(exist_ok=True)
            return self._top / "alone" / "mutant.py"
        folder = self._top / seed.folder.name
        if not folder.exists():
            shutil.copytree(seed.folder, folder)
        return folder / Path(seed.name).name


class Checker:
    """Checks one mutant after the other, each as if it were the first."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self.steps = 0
        self.findings = 0

    def problems(self, mutant: Mutant) -> Iterator[str]:
        """Yields what is wrong with how a mutant was checked, internal errors with their tracebacks."""
        path = self._folders.path(mutant.seed)
        before = path.read_bytes() if path.exists() else None
        path.write_bytes(mutant.text.encode("utf-8", "surrogatepass"))
        try:
            yield from self._checked(path, mutant)
            if mutant.number % _EDITED_EVERY == 0:
                yield from _examined(path, mutant)
        finally:
            if before is not None:
                path.write_bytes(before)

    def _checked(self, path: Path, mutant: Mutant) -> Iterator[str]:
        result = Engine(Options(Overrides(isolated=True, select=("ALL",)))).check([os.fspath(path)])
        yield from result.internal_errors
        self.steps = result.timings[0].steps if result.timings else 0
        self.findings = len(result.findings)
        allowed = STEPS + STEPS_PER_CHARACTER * len(mutant.text)
        if self.steps > allowed:
            yield f"{self.steps} steps for {len(mutant.text)} characters, at most {allowed} are allowed"
        for finding in result.findings:
            document = result.documents[finding.path]
            yield from _placed(finding, len(document.text))
        yield from _sliced(result)
        yield from _fixes(result)
        name = sorted(FORMATS)[mutant.number % len(FORMATS)]
        render(name, result, Sources(result.documents), Painter(False)).encode("utf-8", "surrogatepass")


def _placed(finding: Finding, length: int) -> Iterator[str]:
    if not 0 <= finding.span.start <= finding.span.end <= length:
        yield f"{finding.rule} lies outside of the text"


def _sliced(result: CheckResult) -> Iterator[str]:
    found: list[str] = []
    with_slices(result.findings[:_MOST_SLICES], result.documents.values(), found.append)
    yield from found


def _fixes(result: CheckResult) -> Iterator[str]:
    """Makes each fix alone: of a text that parses the result parses."""
    fixes = [(one, fix) for one in result.findings for fix in one.fixes if fix.edits]
    for finding, fix in fixes[:_MOST_FIXES]:
        document = result.documents[finding.path]
        if parses(document.text) and not parses(edited(document, fix.edits).text):
            yield f"after the fix of {finding.rule} ({fix.title}) the text does not parse"


def _examined(path: Path, mutant: Mutant) -> Iterator[str]:
    """Turns the seed into the mutant as an editor does, and asks what an editor asks."""
    analyst, settings, chance = Analyst(), EditorSettings(), Random(mutant.number)
    for version, text in enumerate((mutant.seed.text, mutant.text, mutant.seed.text)):
        document = Document(os.fspath(path), text, version=version)
        analyst.open_documents[os.path.realpath(path)] = document
        examination = analyst.examine(document, settings).examination
        yield from examination.result.internal_errors
        length = len(text)
        for finding in examination.result.findings:
            yield from _placed(finding, length)
        for hint in hints(examination, Span(0, length)):
            if not 0 <= hint.offset <= length:
                yield f"the hint {hint.text!r} lies outside of the text"
        for _ in range(5):
            found = at(examination, chance.randint(0, length))
            if found is not None and not 0 <= found.span.start <= found.span.end <= length:
                yield "a hover lies outside of the text"
