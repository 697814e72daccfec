"""Examines one text after each change, as the server does for a file that is open."""

from __future__ import annotations

import os
from pathlib import Path

from torchlsp.core.text import Document
from torchlsp.server.analyst import Analyst
from torchlsp.server.settings import EditorSettings


class ExaminedText:
    """A file that is open in an editor, and what is found in it after the last change."""

    def __init__(self, path: Path, text: str) -> None:
        self.analyst, self.path = Analyst(), path
        self.put(text)

    def put(self, text: str, cancelled=None):
        self.text = text
        document = Document(str(self.path), text)
        self.analyst.open_documents[os.path.realpath(self.path)] = document
        self.examination = self.analyst.examine(document, EditorSettings(), cancelled).examination
        assert not self.examination.result.internal_errors
        return self.examination

    def replaced(self, old: str, new: str):
        assert self.text.count(old) == 1
        return self.put(self.text.replace(old, new))

    @property
    def runs(self) -> int:
        """How many classes and functions the last analysis ran for themselves."""
        return self.analyst._standing[os.path.realpath(self.path)][1]._again.runs  # type: ignore[union-attr]

    def places(self) -> list[tuple[str, str]]:
        found = self.examination.result.findings
        return [(one.rule, self.text[one.span.start : one.span.end]) for one in found]
