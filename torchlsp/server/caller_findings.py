"""Keeps the findings in open texts to which the calls of other files lead."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    from torchlsp.core.finding import Finding
    from torchlsp.core.span import Span
    from torchlsp.core.text import Document
    from torchlsp.engine.led_to import FaultPlace

    Place = tuple[str, Span]
    """A rule's code, and the place of its finding."""

_MOST_SOURCES = 300


@dataclass(frozen=True, slots=True)
class Source:
    """What the calls of one file lead to in open texts. All files are named by their real paths.

    `found` has findings by the text that they are in, `texts` these texts as they were then. Of a file that is not open, `read`
    are the files that its analysis has read, each with its open text, or the stamp of the file on disk. `led_to` are the files in
    which a finding could be shown, and whether they were open. `settings` are those that it was analysed under.
    """

    found: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    texts: Mapping[str, Document] = field(default_factory=dict)
    read: Mapping[str, object] = field(default_factory=dict)
    led_to: Mapping[str, bool] = field(default_factory=dict)
    settings: object = None


@dataclass(frozen=True, slots=True)
class _Moved:
    """What the calls of one file lead to in an open text, as it is in a later one. `own` are findings that the text has had by
    itself since: its own analysis then says whether they still hold."""

    source: Source
    document: Document
    found: tuple[Finding, ...]
    own: tuple[Finding, ...] = ()

    def to(self, document: Document) -> _Moved:
        """Returns the same in a later text."""
        if self.document.text == document.text:
            return self
        from torchlsp.engine.led_to import moved_along

        found, own = (tuple(moved_along(part, self.document, document)) for part in (self.found, self.own))
        return _Moved(self.source, document, found, own)

    def without(self, places: Set[Place]) -> _Moved:
        """Returns the same after an analysis of the text that has findings at these places."""
        own = [one for one in self.found if (one.rule, one.span) in places]
        if not own:
            return self
        found = tuple(one for one in self.found if (one.rule, one.span) not in places)
        return replace(self, found=found, own=(*self.own, *own))


def stamp_of(path: str, open_documents: Mapping[str, Document]) -> object:
    """Returns the open text of a file, else what changes when the file is written."""
    document = open_documents.get(path)
    if document is not None:
        return document.text
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


class CallerFindings:
    """What the calls of other files lead to in open texts. Written by the analysis thread alone."""

    def __init__(self, open_documents: Mapping[str, Document]) -> None:
        self._open = open_documents
        self._sources: dict[str, Source] = {}
        self._versions: Counter[str] = Counter()
        self._moved: dict[str, dict[str, _Moved]] = {}
        """By text, then by file whose calls lead there, the findings as they are in the newest text."""

    def version(self, path: str) -> int:
        """Returns a number that changes with what is found in a text."""
        return self._versions[path]

    def put(self, path: str, source: Source) -> None:
        """Stores what the calls of a file lead to, in place of what was stored before."""
        before = self._sources.pop(path, None)
        self._sources[path] = source
        known = {} if before is None else before.found
        for target in {*known, *source.found}:
            if known.get(target) != source.found.get(target):
                self._versions[target] += 1
        while len(self._sources) > _MOST_SOURCES:
            self.drop(next(iter(self._sources)))

    def drop(self, path: str) -> None:
        """Forgets what the calls of a file lead to."""
        source = self._sources.pop(path, None)
        self._moved.pop(path, None)
        for target in source.found if source is not None else ():
            self._versions[target] += 1

    def clear(self) -> None:
        """Forgets what was found under other settings."""
        for path in list(self._sources):
            self.drop(path)

    def found_in(self, path: str, document: Document, own: Set[Place]) -> list[Finding]:
        """Returns the findings in the newest text of a file beside its `own`, those at one place merged. From now on they are
        kept as they are in this text."""
        merged: dict[FaultPlace, Finding] = {}
        moved: dict[str, _Moved] = {}
        for one in sorted(self._sources):
            source = self._sources[one]
            if one == path or path not in source.found:
                continue
            from torchlsp.engine.led_to import merge

            known = self._moved.get(path, {}).get(one)
            if known is None or known.source is not source or source.texts[path].text == document.text:
                known = _Moved(source, source.texts[path], source.found[path])
            moved[one] = known.to(document).without(own)
            merge(moved[one].found, merged)
        self._moved[path] = moved
        return list(merged.values())

    def of(self, path: str, settings: object) -> Source | None:
        """Returns what the calls of a file on disk lead to, if all that its analysis has read is the same."""
        source = self._sources.get(path)
        if source is None or not source.read or source.settings != settings:
            return None
        if any(self.stamp(one) != stamp for one, stamp in source.read.items()):
            return None
        return source if all((one in self._open) == was for one, was in source.led_to.items()) else None

    def stamp(self, path: str) -> object:
        """Returns the open text of a file, else what changes when the file is written."""
        return stamp_of(path, self._open)
