"""Compares what shortcuts find with what is found without them: exit status 1 where one finding differs.

The gate wakes a rule only if one of its questions has an answer, and imported files are read without their functions. Both
save time and must change nothing.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from torchlsp.core.finding import Finding
from torchlsp.engine import provider
from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine, Options
from torchlsp.lint import runner
from torchlsp.syntax.parse import parse

SHORTCUTS = {
    "gate": (runner, "is_awake", lambda info, answers: True),
    "outline": (provider, "parse_imported", parse),
}
"""What is replaced where, and by what, so that a shortcut is not taken."""


@contextmanager
def without(shortcut: str) -> Iterator[None]:
    module, name, replacement = SHORTCUTS[shortcut]
    before = getattr(module, name)
    setattr(module, name, replacement)
    try:
        yield
    finally:
        setattr(module, name, before)


def findings(paths: Sequence[str]) -> tuple[list[Finding], list[str]]:
    """Returns the findings of all rules, those that are off by default included, and internal errors."""
    result = Engine(Options(Overrides(isolated=True, select=("ALL",)))).check(paths)
    return result.findings, [line.splitlines()[0] for line in result.internal_errors]


def differences(paths: Sequence[str], shortcuts: Sequence[str]) -> Iterator[str]:
    """Yields one line for each finding that is there only with a shortcut, or only without it."""
    found, errors = findings(paths)
    for shortcut in shortcuts:
        with without(shortcut):
            again, more_errors = findings(paths)
        for title, some, others in (("only with", found, again), ("only without", again, found)):
            for one in some:
                if one not in others:
                    yield f"{title} the {shortcut}: {one.path} at {one.span.start}: {one.rule} {one.message}"
        for line in sorted({*errors} ^ {*more_errors}):
            yield f"with or without the {shortcut} only: {line}"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev equivalence", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--every", type=int, default=1, help="only each k-th file of the sorted list")
    parser.add_argument("--shortcut", choices=sorted(SHORTCUTS), action="append", help="default: all")
    options = parser.parse_args(argv)
    paths = [
        os.fspath(path)
        for folder in options.folders
        for path in sorted(folder.rglob("*.py"))[:: options.every]
    ]
    told = list(differences(paths, options.shortcut or sorted(SHORTCUTS)))
    print("\n".join(told) if told else f"{len(paths)} files: the same")
    return 1 if told else 0
