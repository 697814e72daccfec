"""Keeps what the calls of files make of the functions of open texts, for hovers."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torchlsp.server.caller_findings import stamp_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from torchlsp.core.text import Document
    from torchlsp.engine.called_elsewhere import Caller, Elsewhere
    from torchlsp.engine.examination import Examination

_MOST_FILES = 60
"""The maximum number of files whose calls are kept: each may give values to thousands of places."""


@dataclass(frozen=True, slots=True)
class PassedValues:
    """What the calls of one file make of the functions of open texts. All files are named by their real paths.

    `read` are the files that its analysis has read, each with its open text, or the stamp of the file on disk; `settings` are
    those that it was analysed under. `opened` were the open texts, `callers` is what it passes to those that it has read.
    """

    read: Mapping[str, object]
    settings: object
    opened: frozenset[str] = frozenset()
    callers: Mapping[str, Caller] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        examination: Examination,
        opened: Iterable[str],
        read: Mapping[str, Document],
        stamps: Mapping[str, object],
        settings: object,
    ) -> PassedValues:
        """Collects what an analysis has recorded of its calls."""
        from torchlsp.engine.called_elsewhere import Caller

        found = examination.called.found() if examination.called is not None else {}
        callers = {
            real: Caller.of(examination.document, file)
            for path, file in found.items()
            if (real := os.path.realpath(path)) in read
        }
        return cls(stamps, settings, frozenset(opened), callers)


class CallerValues:
    """What the calls of files make of the functions of open texts. Written by the analysis thread alone."""

    def __init__(self, open_documents: Mapping[str, Document]) -> None:
        self._open = open_documents
        self._files: dict[str, PassedValues] = {}

    def put(self, path: str, passed: PassedValues) -> None:
        """Stores what the calls of a file give, in place of what was stored before."""
        self._files.pop(path, None)
        self._files[path] = passed
        while len(self._files) > _MOST_FILES:
            self.drop(next(iter(self._files)))

    def drop(self, path: str) -> None:
        """Forgets what the calls of a file give."""
        self._files.pop(path, None)

    def clear(self) -> None:
        """Forgets what was found under other settings."""
        self._files.clear()

    def of(self, path: str, settings: object) -> PassedValues | None:
        """Returns what the calls of a file give, if all that its analysis has read is the same, and open as it was."""
        passed = self._files.get(path)
        if passed is None or passed.settings != settings:
            return None
        if any(stamp_of(one, self._open) != stamp for one, stamp in passed.read.items()):
            return None
        return (
            passed if passed.opened & passed.read.keys() == self._open.keys() & passed.read.keys() else None
        )

    def passed_to(self, path: str, document: Document) -> Elsewhere | None:
        """Returns what calls make of the functions of a text, where no text that their analysis has read is another now."""
        callers = [
            passed.callers[path]
            for passed in self._files.values()
            if path in passed.callers
            and passed.read.get(path) == document.text
            and all(
                self._open[one].text == passed.read[one] for one in self._open.keys() & passed.read.keys()
            )
        ]
        if not callers:
            return None
        from torchlsp.engine.called_elsewhere import Elsewhere

        return Elsewhere.of(callers)
