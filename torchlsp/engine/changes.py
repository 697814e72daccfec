"""Finds what changed since a revision by comparing texts, not files: line ends and notebook content beside
the sources of cells do not count."""

from __future__ import annotations

import os
import re
from collections import Counter
from difflib import SequenceMatcher
from hashlib import sha1, sha256
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass, field
from torchlsp.engine import git
from torchlsp.engine.provider import shown_path
from torchlsp.engine.reading import read_document
from torchlsp.files import is_named_pipe, read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeGuard

    from torchlsp.core.finding import Finding, Related
    from torchlsp.core.span import Span
    from torchlsp.core.text import Document

_LINE_END = re.compile(r"\r\n|\n|\r")
# As git has it: half of the text in common makes a new file the successor of one that is gone.
_SAME_FILE = 0.5
# Pairs of new files and files that are gone to compare, as git limits them.
_MAX_PAIRS = 10_000
# Beyond so many pairs of rows the comparison may take lines that occur often for different.
_EXACT_UP_TO = 4_000_000
_NOT_READ = "TL000"


@dataclass(slots=True)
class _Repository:
    """`base`: the commit to compare with; `files`: its files and the names of their contents."""

    top: str
    base: str
    files: dict[str, str]


@dataclass(slots=True)
class Changes:
    """The changes of the working tree's files since HEAD branched off `revision`, committed or not.

    Files of other repositories inside, such as submodules, count as not changed.
    """

    revision: str
    repositories: dict[str, _Repository]
    _old: dict[str, Document | None] = field(default_factory=dict)
    """By real path, the text at the base; None for a new file."""
    _rows: dict[tuple[str, str], frozenset[int] | None] = field(default_factory=dict)
    """By real path and digest, the result of `changed_rows` for a text."""
    _tops: dict[str, str | None] = field(default_factory=dict)
    """By folder, the repository of `repositories` that it belongs to."""

    @property
    def base(self) -> str:
        """The base commit, abbreviated; of several repositories all."""
        return ", ".join(one.base[:10] for one in self.repositories.values())

    def among(self, paths: Sequence[str]) -> list[str]:
        """Returns those of the files that were changed, in the same order."""
        data: dict[str, bytes] = {}
        for path in paths:
            real = os.path.realpath(path)
            if self._repository(real) is None or is_named_pipe(path):
                continue  # a pipe can be read only once
            try:
                data[path] = read_source(real)
            except OSError:
                data[path] = b""  # that it cannot be read is reported by the check
        differing = {path: text for path, text in data.items() if not self._is_as_at_base(path, text)}
        self._read_old(differing)
        return [
            path
            for path in paths
            if path in differing
            and not _is_same(self._old[os.path.realpath(path)], read_document(path, differing[path]))
        ]

    def kept(
        self,
        findings: Sequence[Finding],
        documents: Mapping[str, Document],
        before: Callable[[], Mapping[tuple[str, str, str], int]],
    ) -> list[Finding]:
        """Returns the findings that the changes caused: on changed rows, or depending on one, or not among
        those `before`, which is requested only then: how often each `key` was found in the old texts. That a
        file cannot be read is kept in any case, since the cause may stand elsewhere."""
        touched = [
            one.rule == _NOT_READ
            or self._touches(documents[one.path], one.span)
            or any(self._rests_on_change(one, place, documents) for place in one.related)
            for one in findings
        ]
        if all(touched):
            return list(findings)
        left = Counter(before())
        kept: list[Finding] = []
        for finding, is_touched in zip(findings, touched, strict=True):
            name = key(finding, documents[finding.path])
            if not is_touched and left[name]:
                left[name] -= 1
            else:
                kept.append(finding)
        return kept

    @property
    def old_texts(self) -> list[Document]:
        """The texts at the base of the files that were compared."""
        return [one for one in self._old.values() if one is not None]

    def modules_before(self) -> dict[str, Document]:
        """Returns, by real path, the Python files at the base that have changed or are gone: what imports
        found then."""
        found: dict[str, Document] = {}
        for repository in self.repositories.values():
            names: dict[str, str] = {}
            for below, name in repository.files.items():
                path = os.path.join(repository.top, below)
                if below.endswith(".py") and not _is_named(path, name):
                    names[path] = name
            data = git.contents(repository.top, set(names.values()))
            found |= {path: read_document(shown_path(path), data[name]) for path, name in names.items()}
        return found

    def _rests_on_change(self, finding: Finding, place: Related, documents: Mapping[str, Document]) -> bool:
        path = place.path or finding.path
        document = documents.get(path)
        if document is None:
            try:
                document = read_document(path, read_source(path))
            except OSError:
                return False
        return self._touches(document, place.span)

    def _touches(self, document: Document, span: Span) -> bool:
        rows = self._changed_rows(document)
        if rows is None:
            return True
        lines = document.lines
        first, last = lines.row(span.start), lines.row(max(span.start, span.end - 1))
        return any(first <= row <= last for row in rows)

    def _changed_rows(self, document: Document) -> frozenset[int] | None:
        """Returns the rows (from 1) of a text that were changed, None for all."""
        real = os.path.realpath(document.path)
        if self._repository(real) is None:
            return frozenset()
        text = (real, document.digest)
        if text not in self._rows:
            if real not in self._old:
                self._read_old([document.path])
            self._rows[text] = changed_rows(self._old[real], document)
        return self._rows[text]

    def _repository(self, real: str) -> _Repository | None:
        """Returns the repository, of those in question, that a file belongs to. None where it is of another
        (a submodule) or none."""
        folder = os.path.dirname(real)
        if folder not in self._tops:
            top: str | None = folder
            while top is not None and top not in self.repositories:
                above = os.path.dirname(top)
                top = None if above == top or os.path.lexists(os.path.join(top, ".git")) else above
            self._tops[folder] = top
        return self.repositories.get(self._tops[folder] or "")

    def _below_top(self, path: str) -> tuple[_Repository, str]:
        real = os.path.realpath(path)
        repository = self._repository(real)
        assert repository is not None
        return repository, os.path.relpath(real, repository.top).replace(os.sep, "/")

    def _is_as_at_base(self, path: str, data: bytes) -> bool:
        repository, below = self._below_top(path)
        name = repository.files.get(below)
        return name is not None and name == _name(data, name)

    def _read_old(self, paths: Iterable[str]) -> None:
        """Reads the texts of files at the base, from where they were then."""
        wanted: dict[str, list[tuple[str, str]]] = {}
        for path in paths:
            repository, below = self._below_top(path)
            wanted.setdefault(repository.top, []).append((path, below))
        for top, files in wanted.items():
            repository = self.repositories[top]
            new = {path for path, below in files if below not in repository.files}
            names = {path: repository.files[below] for path, below in files if path not in new}
            if new:
                names |= _moved(repository, sorted(new))
            data = git.contents(top, set(names.values()))
            for path, _ in files:
                name = names.get(path)
                old = None if name is None else read_document(shown_path(path), data[name])
                self._old[os.path.realpath(path)] = old


def changes_since(revision: str, paths: Iterable[str]) -> Changes:
    """Returns the changes since a revision. Raises ConfigError where there is no git, no repository or no
    such revision."""
    repositories: dict[str, _Repository] = {}
    for path in paths:
        top = git.repository_of(path)
        if top not in repositories:
            base = git.merge_base(top, revision)
            repositories[top] = _Repository(top, base, git.files_at(top, base))
    return Changes(revision, repositories)


def changed_rows(old: Document | None, new: Document) -> frozenset[int] | None:
    """Returns the rows of the new text that the old one lacks. None, for all, where there is no old text or
    it cannot be read as the new one is."""
    if not _is_comparable(old, new):
        return None
    before, after = _LINE_END.split(old.original), _LINE_END.split(new.original)
    shorter = min(len(before), len(after))
    head = 0
    while head < shorter and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shorter - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    taken, given = before[head : len(before) - tail], after[head : len(after) - tail]
    matcher = SequenceMatcher(None, taken, given, autojunk=len(taken) * len(given) > _EXACT_UP_TO)
    return frozenset(
        head + row
        for kind, _, _, start, end in matcher.get_opcodes()
        if kind in ("replace", "insert")
        for row in range(start + 1, end + 1)
    )


def _is_comparable(old: Document | None, new: Document) -> TypeGuard[Document]:
    return not (old is None or old.decode_problem or new.decode_problem or bool(old.cells) != bool(new.cells))


def _is_same(old: Document | None, new: Document) -> bool:
    return _is_comparable(old, new) and _LINE_END.split(old.original) == _LINE_END.split(new.original)


def key(finding: Finding, document: Document) -> tuple[str, str, str]:
    """Returns what identifies a finding before and after a change elsewhere in the file: file, rule and line."""
    row, _ = document.row_column(finding.span.start)
    return os.path.realpath(finding.path), finding.rule, document.line_text(row).strip()


def _moved(repository: _Repository, new: Sequence[str]) -> dict[str, str]:
    """Returns, for files that are new at their places, the contents of the removed files that they were moved
    from."""
    kinds = {os.path.splitext(path)[1] for path in new}
    gone = [
        below
        for below in repository.files
        if os.path.splitext(below)[1] in kinds and not os.path.lexists(os.path.join(repository.top, below))
    ]
    if not gone:
        return {}
    pairs = [
        (path, below)
        for path in new
        for below in gone
        if os.path.splitext(path)[1] == os.path.splitext(below)[1]
    ]
    if len(pairs) > _MAX_PAIRS:
        pairs = [pair for pair in pairs if os.path.basename(pair[0]) == os.path.basename(pair[1])]
    old = git.contents(repository.top, {repository.files[below] for _, below in pairs})
    weights = {name: _weights(data) for name, data in old.items()}
    now: dict[str, Counter[bytes]] = {}
    for path in new:
        try:
            now[path] = _weights(read_source(path))
        except OSError:
            now[path] = Counter()
    likeness = [
        (_likeness(now[path], weights[repository.files[below]]), path, below) for path, below in pairs
    ]
    found: dict[str, str] = {}
    taken: set[str] = set()
    for score, path, below in sorted(likeness, key=lambda one: (-one[0], one[1], one[2])):
        if score >= _SAME_FILE and path not in found and below not in taken:
            found[path] = repository.files[below]
            taken.add(below)
    return found


def _weights(data: bytes) -> Counter[bytes]:
    """Returns the lines of a text, with the total number of characters of each."""
    found: Counter[bytes] = Counter()
    for line in data.splitlines():
        if line := line.strip():
            found[line] += len(line)
    return found


def _likeness(one: Counter[bytes], other: Counter[bytes]) -> float:
    return (one & other).total() / max(one.total(), other.total(), 1)


def _is_named(path: str, name: str) -> bool:
    """Returns whether a file has the contents with that git name."""
    try:
        return _name(read_source(path), name) == name
    except OSError:
        return False


def _name(data: bytes, like: str) -> str:
    """Returns the name that git gives contents, with the digest that made another name."""
    digest = sha1 if len(like) == 40 else sha256
    return digest(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
