"""Applies the fix of each finding alone and checks the result: `fixes` prints those that do not do what they say."""

from __future__ import annotations

import argparse
import ast
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from torchlsp.core.finding import Finding, Fix
from torchlsp.core.text import Document
from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine, Options
from torchlsp.engine.separate_checks import new_provider
from torchlsp.syntax.edits import edited

Findings = Callable[[Document], Sequence[Finding]]


@dataclass(frozen=True, slots=True)
class Tried:
    """One fix, made alone; `problem` is "" where the file parses, the finding is gone and nothing else appears."""

    path: str
    row: int
    code: str
    title: str
    problem: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.row}: {self.code} {self.title}: {self.problem or 'ok'}"


def tried(document: Document, findings: Findings) -> Iterator[Tried]:
    """Makes each fix of each finding alone, alternatives included, and says what is wrong with the result."""
    before = findings(document)
    for finding in before:
        for fix in finding.fixes:
            row = document.lines.row(finding.span.start)
            problem = _problem(document, before, finding, fix, findings)
            yield Tried(document.path, row, finding.rule, fix.title, problem)


def _problem(
    document: Document, before: Sequence[Finding], finding: Finding, fix: Fix, findings: Findings
) -> str:
    if not fix.edits:
        return "it changes nothing"
    after = edited(document, fix.edits)
    try:
        ast.parse(after.text)
    except SyntaxError as error:
        return f"the result does not parse: {error}"
    if row := _indented_further(document.text, fix):
        return f"a row is indented further: {row!r}"
    left, had = Counter(one.rule for one in findings(after)), Counter(one.rule for one in before)
    if left[finding.rule] >= had[finding.rule]:
        return "it is still reported"
    new = left - had
    return f"it brings {', '.join(sorted(new))}" if new else ""


def _indented_further(text: str, fix: Fix) -> str | None:
    """Returns a row that a fix writes again further to the right than it stood, though its statement begins where it did."""
    for edit in fix.edits:
        if text[: edit.span.start].endswith("\n"):
            continue  # whole rows, which move into a block
        old = {row.strip(): row for row in text[edit.span.start : edit.span.end].splitlines()[1:]}
        for row in edit.text.splitlines()[1:]:
            if row.strip() in old and _indentation(row) > _indentation(old[row.strip()]):
                return row
    return None


def _indentation(row: str) -> int:
    return len(row) - len(row.lstrip())


def of_path(path: str, engine: Engine) -> Iterator[Tried]:
    """Tries the fixes of one file as the command line would find them, imports of the workspace included."""
    provider = new_provider()
    document = Document.from_bytes(path, Path(path).read_bytes())

    def findings(text: Document) -> Sequence[Finding]:
        return engine.examine(text, provider, None).result.findings

    yield from tried(document, findings)


def main(argv: list[str]) -> int:
    """Prints the fixes with a problem; returns exit status 1 when there are any."""
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev fixes", description=__doc__)
    parser.add_argument("paths", nargs="+", help="files")
    parser.add_argument("--select", default="ALL", help="codes or groups, separated by commas")
    options = parser.parse_args(argv)
    engine = Engine(Options(Overrides(select=tuple(options.select.split(",")), isolated=True)))
    count, wrong = 0, []
    for path in options.paths:
        for one in of_path(os.path.abspath(path), engine):
            count += 1
            if one.problem:
                wrong.append(one)
                print(one, flush=True)
    print(f"{len(wrong)} of {count} fixes have a problem")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
