"""Reuses results of unchanged files, so that only changed files are checked again.

An outcome is recalled where everything is as it was that may have a say in it: the file's text and name, torchlsp and
the Python that runs it, the settings that hold for the file, what calls in other files lead to in it, and the text of
every file that its analysis asked for, found or not. Nothing rests on a clock: times of files only spare reading them.
"""

from __future__ import annotations

import json
import os
import time
from hashlib import sha256
from stat import S_ISREG
from typing import TYPE_CHECKING

from torchlsp.core.finding import Severity
from torchlsp.engine import build
from torchlsp.engine.config import KnownRule
from torchlsp.engine.outcome import FileOutcome, digest_of, findings_read, findings_told
from torchlsp.engine.result import CheckResult
from torchlsp.engine.result_store import MAX_BYTES, Batch, ResultStore, Row
from torchlsp.engine.workspace import Workspace, shown_path
from torchlsp.files import read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from torchlsp.core.decoded import Decoded
    from torchlsp.core.finding import Finding
    from torchlsp.engine.result_store import Stamp

# A file that was written later than so many seconds ago may be written again without a change of its times.
_SETTLED = 2.0
_NOT_OURS = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)


class ResultCache:
    """One run's access to the cached results in a folder. Whatever fails, nothing is recalled and the run
    checks; `problem` says so."""

    def __init__(
        self,
        folder: str,
        installed: Callable[[], list[KnownRule]],
        *,
        max_bytes: int = MAX_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = ResultStore(folder, max_bytes=max_bytes, clock=clock)
        self._clock = clock
        self._installed = installed
        self._batch = Batch()
        self._build: str | None = None
        self._here = os.getcwd()
        # Each file is read once in a run, so that all of its outcomes rest on one state of it.
        self._digests: dict[str, str | None] = {}
        self._workspace = Workspace()
        self._answers: dict[tuple[str, str, str | None, str | None], bool] = {}
        self.imported: set[str] = set()
        """The paths that outcomes were compared by so far: files that are or were imported."""

    @property
    def problem(self) -> str | None:
        return self._store.problem

    def rules(self) -> list[KnownRule]:
        """Returns the rules of this installation, which are read from their files once for each build."""
        stamp = build.stamp()
        kept = self._store.build(stamp)
        try:
            self._build, told = json.loads(kept) if kept is not None else (None, [])
            rules = [
                KnownRule(code, name, Severity(severity), preview, group, mended)
                for code, name, severity, preview, group, mended in told
            ]
        except _NOT_OURS:
            rules = []
        if not rules:
            self._build, rules = build.content(), self._installed()
            told = [
                (one.code, one.name, one.severity.value, one.preview, one.group, one.mended) for one in rules
            ]
            self._batch.builds[stamp] = json.dumps([self._build, told])
        return rules

    def recall(
        self,
        situations: Mapping[str, str],
        run: Collection[str],
        callers: Mapping[str, list[Finding]] | None = None,
    ) -> dict[str, FileOutcome]:
        """Returns the outcomes of files that are known without checking them. `situations` is what holds for
        each path besides its text, `run` are all files of the run as shown, `callers` as for `keep`."""
        places = {path: os.path.abspath(path) for path in situations}
        known = self._store.files(places.values())
        keys: dict[str, str] = {}
        for path, situation in situations.items():
            digest = self._digest(places[path], known)
            if digest is not None:
                keys[path] = self._key(places[path], situation, digest, (callers or {}).get(path, ()))
        rows: dict[str, list[tuple[Row, Decoded]]] = {}
        asked: dict[str, None] = {}
        for row in self._store.rows(keys.values()):
            try:
                needs = json.loads(row.needs)
                asked.update((path, None) for _, _, path, _ in needs["asked"] if path is not None)
            except _NOT_OURS:
                continue
            rows.setdefault(row.key, []).append((row, needs))
        self.imported.update(asked)
        known |= self._store.files(path for path in asked if path not in known)
        recalled: dict[str, FileOutcome] = {}
        for path, key in keys.items():
            for row, needs in rows.get(key, ()):
                try:
                    if not self._holds(needs, run, known):
                        continue
                    outcome = _read(path, json.loads(row.value), self._digests[places[path]])
                except _NOT_OURS:
                    continue
                if outcome is not None:
                    recalled[path] = outcome
                    if row.is_old and row.id is not None:
                        self._batch.used.append(row.id)
                    break
        self._store.close()
        return recalled

    def keep(self, path: str, situation: str, outcome: FileOutcome, callers: Iterable[Finding] = ()) -> None:
        """Stores the outcome of checking a file under the findings of its `callers`, if it is reproducible."""
        if outcome.digest is None or outcome.result.internal_errors:
            return
        if outcome.result.contradicted or any(one.verdict is not None for one in outcome.result.findings):
            return  # verdicts of recorded runs are not stored
        value = {
            "findings": findings_told(outcome.result.findings),
            "elsewhere": findings_told(outcome.elsewhere),
            "stopped": outcome.result.stopped,
        }
        needs = {
            "asked": sorted([*question, *answer] for question, answer in outcome.needs.asked.items()),
            "in_run": outcome.needs.in_run,
        }
        key = self._key(os.path.abspath(path), situation, outcome.digest, callers)
        self._batch.rows.append(Row(key, _json(needs), _json(value)))

    def save(self) -> None:
        """Writes the new outcomes to disk. What is found of a run that was interrupted is no less true."""
        batch, self._batch = self._batch, Batch()
        self._store.write(batch)

    def _key(self, place: str, situation: str, digest: str, callers: Iterable[Finding]) -> str:
        assert self._build is not None, "the rules were not asked for"
        # How a path is shown is part of findings.
        parts = (self._build, place, self._here, digest, situation, _json(findings_told(callers)))
        return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()

    def _holds(self, needs: Decoded, run: Collection[str], known: dict[str, tuple[Stamp, str]]) -> bool:
        """Returns whether everything that an outcome depends on is unchanged."""
        if any((path in run) is not was for path, was in needs["in_run"].items()):
            return False
        for module, folder, path, digest in needs["asked"]:
            fact = (module, folder, path, digest)
            if fact not in self._answers:
                self._answers[fact] = self._workspace.resolve_from(module, folder) == path and (
                    path is None or self._digest(path, known) == digest
                )
            if not self._answers[fact]:
                return False
        return True

    def _digest(self, path: str, known: dict[str, tuple[Stamp, str]]) -> str | None:
        """Returns the digest of a file's content; None for what cannot be read, or only once."""
        if path not in self._digests:
            self._digests[path] = self._looked_up(path, known)
        return self._digests[path]

    def _looked_up(self, path: str, known: dict[str, tuple[Stamp, str]]) -> str | None:
        try:
            status = os.stat(path)
            if not S_ISREG(status.st_mode):
                return None
            if path in known and known[path][0] == _stamp(status) and self._is_settled(status):
                return known[path][1]
            digest = digest_of(read_source(path))
            before, after = status, os.stat(path)
        except (OSError, ValueError):
            return None
        if _stamp(before) == _stamp(after) and self._is_settled(after):
            self._batch.files[path] = _stamp(after), digest
        return digest

    def _is_settled(self, status: os.stat_result) -> bool:
        """Returns whether the file's times prove that it is unchanged: not those of a moment ago, nor of the
        future, which only a changed clock gives."""
        return max(status.st_mtime, status.st_ctime) <= self._clock() - _SETTLED


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size


def _json(value: object) -> str:
    # Escaped: a path may hold what is no Unicode.
    return json.dumps(value, separators=(",", ":"))


def _read(path: str, value: Decoded, digest: str | None) -> FileOutcome | None:
    """Returns an outcome from JSON. None where the file that it would quote is no longer the one that was
    checked."""
    result = CheckResult(
        findings=findings_read(value["findings"]), stopped=[str(line) for line in value["stopped"]]
    )
    elsewhere = tuple(findings_read(value["elsewhere"]))
    if result.findings:
        from torchlsp.engine.reading import read_document

        try:
            data = read_source(path)
        except OSError:
            return None
        shown = shown_path(path)
        if digest_of(data) != digest or any(one.path != shown for one in result.findings):
            return None
        result.documents[shown] = read_document(shown, data)
    return FileOutcome(result, elsewhere, digest)
