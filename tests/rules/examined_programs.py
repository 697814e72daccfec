"""What all rules find in a program, examined once for all tests that ask about the same text."""

from __future__ import annotations

from functools import cache

from torchlsp.core.text import Document
from torchlsp.dev.catalogue import HINTS
from torchlsp.interp.run.analyse import NoImports
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import RunResult, run
from torchlsp.syntax.parse import parse

ALL = frozenset(info.code for info in rules())


@cache
def examined(text: str, meant: frozenset[str]) -> RunResult:
    """Runs all rules but the hints that a program is not about; `meant` are the codes that it is about.

    The result is shared: nobody changes it.
    """
    tree = parse(Document("program.py", text))
    assert tree.module is not None
    return run(tree, NoImports(), ALL - (HINTS - meant), strict=True)
