"""Stores verdicts on disk, so that a program that was run once need not run again.

One JSON file for each interpreter, torch and worker in the user's cache folder. It can be deleted at any time; one that
is damaged counts as empty, and where it cannot be written nothing is lost but time.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import threading
import time
from dataclasses import asdict, fields
from hashlib import sha256
from pathlib import Path

from torchlsp.core.decoded import Table
from torchlsp.core.finding import Outcome, Verdict
from torchlsp.engine.cache_folder import cache_folder
from torchlsp.engine.config import ConfigError
from torchlsp.engine.writing import write_whole
from torchlsp.files import read_text

MAX_VERDICTS = 5_000
"""The maximum number of verdicts kept, the newest ones."""
# These ends say something about the moment, not about the program: they are not kept on disk, and asked for again.
_PASSING = ("timeout", "crash", "resource", "unsupported", "no-torch")
PASSING_SECONDS = 60.0
_WORKER = Path(__file__).parents[1] / "probe"


def store_for(
    python: str, torch: str | None, folder: str | None = None, *, command: str = ""
) -> VerdictStore:
    """Returns the store of verdicts for this interpreter, or the one that a command reaches, torch, and version of the
    worker."""
    place = command or os.path.abspath(python)
    known = sha256(f"{place}\0{torch}".encode("utf-8", "surrogateescape"))
    for path in sorted(_WORKER.rglob("*.py")):
        known.update(path.read_bytes())
    name = f"verdicts-{known.hexdigest()[:16]}.json"
    return VerdictStore(os.path.join(folder or cache_folder(), name))


def stored_files(folder: str) -> list[tuple[str, int]]:
    """Returns the files of all stores in a folder, with their sizes."""
    found = []
    with contextlib.suppress(OSError):
        for file in os.scandir(folder):
            if file.name.startswith("verdicts-") and file.name.endswith(".json"):
                with contextlib.suppress(OSError):
                    found.append((file.path, file.stat().st_size))
    return sorted(found)


class VerdictStore:
    """Verdicts by digest, the most recently used ones. Read when first asked, written by `save`; without a
    path, in memory only. Safe to share between threads."""

    def __init__(self, path: str | None = None) -> None:
        self.path = path
        self._verdicts: dict[str, Verdict] | None = {} if path is None else None
        self._new: dict[str, Verdict] = {}
        self._ends: dict[str, float] = {}
        """When verdicts that depend on the moment are forgotten."""
        self._lock = threading.Lock()

    def get(self, digest: str) -> Verdict | None:
        with self._lock:
            known = self._known()
            if time.monotonic() > self._ends.get(digest, math.inf):
                del known[digest], self._ends[digest]
            verdict = known.pop(digest, None)
            if verdict is not None:
                known[digest] = verdict  # the last used one comes last
            return verdict

    def __setitem__(self, digest: str, verdict: Verdict) -> None:
        with self._lock:
            known = self._known()
            known.pop(digest, None)
            known[digest] = verdict
            if (verdict.reason or "").startswith(_PASSING):
                self._ends[digest] = time.monotonic() + PASSING_SECONDS
            else:
                self._ends.pop(digest, None)
                self._new[digest] = verdict
            while len(known) > MAX_VERDICTS:
                oldest = next(iter(known))
                del known[oldest]
                self._ends.pop(oldest, None)
                self._new.pop(oldest, None)

    def save(self) -> None:
        """Adds new verdicts to the file, in which other runs may have written meanwhile."""
        with self._lock:
            self._save()

    def _known(self) -> dict[str, Verdict]:
        if self._verdicts is None:
            self._verdicts = _read(self.path)
        return self._verdicts

    def _save(self) -> None:
        if not self._new or self.path is None:
            return
        kept = _read(self.path)
        for digest in self._new:
            kept.pop(digest, None)
        kept |= self._new
        newest = dict(list(kept.items())[-MAX_VERDICTS:])
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            text = json.dumps({digest: _told(verdict) for digest, verdict in newest.items()})
            write_whole(self.path, text, "verdicts")
        except (OSError, ConfigError):
            return
        self._new = {}


def _read(path: str | None) -> dict[str, Verdict]:
    if path is None:
        return {}
    try:
        table = json.loads(read_text(path))
        return {digest: _verdict(told) for digest, told in table.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def _told(verdict: Verdict) -> Table:
    return asdict(verdict) | {"outcome": verdict.outcome.value}


def _verdict(told: Table) -> Verdict:
    """Reads a verdict. Raises ValueError or TypeError for what is not one."""
    if set(told) != {field.name for field in fields(Verdict)}:
        raise ValueError("not a verdict")
    texts = ("evidence", "kind", "error", "reason", "witness", "torch", "device", "own_code", "shown")
    if not all(told[name] is None or isinstance(told[name], str) for name in texts):
        raise ValueError("not a verdict")
    if not isinstance(told["ms"], int | float | None) or not all(
        isinstance(told[name], list) for name in ("assumes", "facts")
    ):
        raise ValueError("not a verdict")
    lists = {name: tuple(map(str, told[name])) for name in ("assumes", "facts")}
    return Verdict(**(told | lists | {"outcome": Outcome(told["outcome"])}))
