"""Implements `torchlsp check -`: checks text from standard input."""

from __future__ import annotations

import sys

from torchlsp.engine.engine import CheckResult, Engine
from torchlsp.engine.fixing import Refused, content
from torchlsp.engine.provider import shown_path
from torchlsp.engine.reading import read_document
from torchlsp.engine.workspace import is_excluded, is_left_out


def check_text(engine: Engine, data: bytes, name: str | None) -> CheckResult:
    """Checks bytes as the file of that name; without one, as a file in the working directory."""
    if not name:
        return engine.check_document(read_document("<stdin>", data))
    configuration = engine.configuration
    if is_left_out(name, configuration) or engine.options.force_exclude and is_excluded(name, configuration):
        return CheckResult()
    return engine.check_document(read_document(shown_path(name), data))


def write_fixed(result: CheckResult, data: bytes) -> None:
    """Writes the whole text to standard output, unchanged when there is nothing to fix or the result cannot
    be written."""
    for change in result.changes:
        try:
            data = content(data, change.document, change.fixed)
        except Refused as refusal:
            result.problems.append(f"{change.document.path}: not fixed: {refusal}")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
