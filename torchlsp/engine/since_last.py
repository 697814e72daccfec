"""Keeps which findings a caller has been shown, so that the next call can leave them out.

There is one file for each project, in the cache folder: the fingerprints by the real path of the file they are in. A
fingerprint holds the text of the line, so what was edited and is still wrong is new.
"""

from __future__ import annotations

import contextlib
import json
import os
from hashlib import sha256
from typing import TYPE_CHECKING

from torchlsp.engine.config import ConfigError
from torchlsp.engine.fingerprint import fingerprints, project_root
from torchlsp.engine.writing import write_whole
from torchlsp.files import read_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torchlsp.core.finding import Finding
    from torchlsp.engine.result import CheckResult

FOLDER = "last-calls"
_VERSION = 1
_MAX_BYTES = 50_000_000


class LastCall:
    """The findings that earlier calls in the project of a folder have shown."""

    def __init__(self, cache: str, folder: str) -> None:
        name = sha256(os.fsencode(os.path.realpath(project_root(os.path.abspath(folder))))).hexdigest()
        self.path = os.path.join(cache, FOLDER, f"{name[:16]}.json")
        self._files = self._read()
        self._prints: dict[int, str] = {}

    def leave_out(self, result: CheckResult) -> list[Finding]:
        """Moves the findings that were shown before to `known`, and returns them."""
        prints = fingerprints(result.findings, result.documents, known=result.known)
        self._prints = dict(zip(map(id, result.findings), prints, strict=True))
        before = [one for one in result.findings if self._is_known(one)]
        older = set(map(id, before))
        result.findings = [one for one in result.findings if id(one) not in older]
        result.known = [*result.known, *before]
        return before

    def remember(self, result: CheckResult, older: Sequence[Finding], shown: Sequence[Finding]) -> None:
        """Keeps for the next call what this one has shown, or has left out as older.

        What is kept of files that were not checked stays, unless they are gone. Raises ConfigError.
        """
        checked = {os.path.realpath(path) for path in result.checked}
        files = {
            path: kept for path, kept in self._files.items() if path not in checked and os.path.exists(path)
        }
        for finding in (*older, *shown):
            files.setdefault(os.path.realpath(finding.path), []).append(self._prints[id(finding)])
        try:
            # Findings in a user's code must not be readable by others.
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        except OSError as failure:
            raise ConfigError(f"cannot keep what was shown: {failure.strerror or failure}") from None
        told = {"version": _VERSION, "files": {path: sorted(kept) for path, kept in sorted(files.items())}}
        write_whole(self.path, json.dumps(told) + "\n", "findings that were shown")
        with contextlib.suppress(OSError):
            os.chmod(self.path, 0o600)

    def _is_known(self, finding: Finding) -> bool:
        return self._prints[id(finding)] in self._files.get(os.path.realpath(finding.path), ())

    def _read(self) -> dict[str, list[str]]:
        """Returns what is kept; nothing where it cannot be read, so that all findings are new."""
        try:
            told = json.loads(read_text(self.path, _MAX_BYTES))
        except (OSError, ValueError, RecursionError):
            return {}
        files = told.get("files") if isinstance(told, dict) and told.get("version") == _VERSION else None
        if not isinstance(files, dict):
            return {}
        return {
            path: [one for one in kept if isinstance(one, str)]
            for path, kept in files.items()
            if isinstance(kept, list)
        }


def stored_files(cache: str) -> list[tuple[str, int]]:
    """Returns the files that are kept, with their sizes."""
    folder = os.path.join(cache, FOLDER)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    found = []
    for name in names:
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError):
            found.append((path, os.stat(path).st_size))
    return found
