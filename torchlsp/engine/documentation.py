"""Looks up the documentation of a Python's torch, cached so that the Python is not started.

`build` is the only thing here that starts it, as the probe does: alone, with nothing of ours and nothing of the
workspace to import.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from torchlsp import docs_db
from torchlsp.docs_db.build import BUILD_VERSION, Unreadable, entries, read_header
from torchlsp.docs_db.note_search import noted_symbols, words_of
from torchlsp.docs_db.store import Damaged, Store, locked, write
from torchlsp.engine.cache_folder import cache_folder
from torchlsp.engine.config import ConfigError
from torchlsp.engine.documentation_pages import stored_pages
from torchlsp.engine.interpreters import distribution_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from torchlsp.docs_db.build import DocEntry

    Progress = Callable[[float, str], None]
    """Receives how much is done, from 0 to 1, and what is at hand; what it raises ends the build."""

Answer = TypeVar("Answer")
PACKAGES = ("torch", "torchvision", "torchaudio")
_PLACES = (
    "torch",
    "torch.Tensor",
    "torch.nn",
    "torch.nn.functional",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.utils.data",
)
"""Where a name is looked for that stands alone."""
EXTRACTOR = Path(docs_db.__file__).parent / "extract.py"
# Reading a large torch from a cold disk, on a busy machine.
BUILD_SECONDS = 300.0
_PROGRESS = re.compile(r"torchlsp-docs-progress (\d+) (\d+) (\S+)")
_SKIPPED_MODULE = re.compile(r"torchlsp-docs-progress (\w+ cannot be imported, and is left out: .*)")
_FILE = re.compile(r"docs-.+\.sqlite(?:\.lock)?|docs-.+\.part")
# Without this one Windows cannot load the libraries of its own.
_KEPT_VARIABLES = ("SYSTEMROOT",)
# Of the time that a build takes.
_EXTRACTING = 0.7


class Unbuildable(ConfigError):
    """The documentation of this Python cannot be built; the text says why."""


class Documentation:
    """The documentation of one interpreter's packages; `site_packages` are the folders from which it imports.
    Safe to share between threads.

    Nothing but `build` builds. As long as that has not been done, by this process or another, there are no entries.
    """

    def __init__(self, python: str, site_packages: Sequence[str], folder: str | None = None) -> None:
        self.python = python
        self.folder = folder or cache_folder()
        self._site_packages = list(site_packages)
        self._lock = threading.Lock()
        self._store: Store | None = None
        self._opened: tuple[str, int, int] | None = None
        """Path, inode and time of the file that is open, or was found damaged."""
        self._path: str | None = None
        self._extracting: tuple[subprocess.Popen[str], str] | None = None
        """The process that reads the packages, and the folder that it writes to."""
        self.left_out: list[str] = []
        """Packages that the last build could not read, a sentence for each."""

    @property
    def path(self) -> str | None:
        """Returns the path of the file for the packages installed when this was first called. None without
        torch."""
        if self._path is None:
            versions = {name: distribution_version(self.python, name) for name in PACKAGES}
            if versions["torch"] is not None:
                known = [f"{name}-{version}" for name, version in versions.items() if version]
                name = "-".join(["docs", *known, _tag(self._site_packages), f"v{BUILD_VERSION}"])
                self._path = os.path.join(self.folder, re.sub(r"[^\w.+-]", "_", name) + ".sqlite")
        return self._path

    def is_built(self) -> bool:
        with self._lock:
            return self._open() is not None

    def entry(self, symbol: str) -> DocEntry | None:
        """Returns the entry of a symbol under any of its names: `torch.nn.modules.conv.Conv2d`, `nn.Conv2d`,
        `torch.nn.Conv2d.cuda`."""
        return self._asked(lambda store: store.entry(symbol), None)

    def meant(self, symbol: str) -> DocEntry | None:
        """Returns the entry of a symbol; of a name alone, as `view`, that of where torch has it: `torch.Tensor.view`."""
        if not symbol.isidentifier() or symbol in PACKAGES:
            return self.entry(symbol)
        found = [entry for place in _PLACES if (entry := self.entry(f"{place}.{symbol}")) is not None]
        # `torch.dropout` exists too, and says nothing.
        return next((entry for entry in found if entry.markdown), found[0] if found else None)

    def search(self, text: str, most: int = 20) -> list[DocEntry]:
        """Returns the entries that match a text, the best first: those of which our notes speak of it, then those that say it."""
        noted = [
            entry for symbol in noted_symbols(text, most // 2) if (entry := self.entry(symbol)) is not None
        ]
        words = " ".join(words_of(text)) or text
        nothing: list[DocEntry] = []
        found = self._asked(lambda store: store.search(words, most), nothing)
        return list({entry.symbol: entry for entry in (*noted, *found)}.values())[:most]

    def nearest(self, symbol: str, most: int = 5) -> list[str]:
        return self._asked(lambda store: store.nearest(symbol, most), [])

    def count(self) -> int:
        return self._asked(lambda store: store.count(), 0)

    def versions(self) -> dict[str, str]:
        """Returns the version of each package, as the packages say themselves; empty before a build."""
        return self._asked(lambda store: store.versions, {})

    def close(self) -> None:
        with self._lock:
            self._close()

    def stop(self) -> None:
        """Stops a build that runs in another thread, for a process that is about to exit."""
        if self._extracting is not None:
            process, place = self._extracting
            process.kill()
            shutil.rmtree(place, ignore_errors=True)

    def build(self, progress: Progress | None = None, *, again: bool = False) -> None:
        """Reads the installed packages, unless another process has done so meanwhile. Raises Unbuildable.

        `again` builds even where there is a sound file.
        """
        path = self.path
        if path is None:
            raise Unbuildable(f"torch is not installed for {self.python}: it has no documentation")
        try:
            os.makedirs(self.folder, exist_ok=True)
            with locked(path):
                if again or not self.is_built():
                    self._build(path, progress or (lambda done, text: None))
        except OSError as problem:
            raise Unbuildable(f"cannot write {path}: {problem.strerror or problem}") from None
        except sqlite3.Error as problem:
            raise Unbuildable(f"cannot write {path}: {problem}") from None

    def _build(self, path: str, progress: Progress) -> None:
        with tempfile.TemporaryDirectory(prefix="torchlsp-docs-") as place:
            extracted = os.path.join(place, "symbols.jsonl")
            said = self._extract(extracted, place, progress)
            try:
                with open(extracted, encoding="utf-8") as file:
                    header = read_header(file.readline())
                    total = os.path.getsize(extracted)
                    lines = _counted(file, total, progress)
                    # Windows does not replace a file that is open.
                    self.close()
                    write(path, header, entries(lines, header))
            except FileNotFoundError:
                raise Unbuildable(f"reading torch with {self.python} failed: {said}") from None
            except (Unreadable, KeyError, TypeError) as problem:
                raise Unbuildable(f"{self.python}: {problem}") from None
        progress(1.0, "")

    def _extract(self, out: str, place: str, progress: Progress) -> str:
        """Runs the extraction; returns the process's last output if there is no result."""
        options = json.dumps({"site": self._site_packages})
        environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        environment |= {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        try:
            process = subprocess.Popen(
                [self.python, "-I", "-S", "-B", str(EXTRACTOR), out, options],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment,
                # Not the workspace, whose files could be imported in place of the real ones.
                cwd=place,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as problem:
            raise Unbuildable(f"{self.python} cannot be started: {problem.strerror or problem}") from None
        self._extracting = process, place
        is_late = threading.Event()

        def give_up() -> None:
            is_late.set()
            process.kill()

        timer = threading.Timer(BUILD_SECONDS, give_up)
        timer.start()
        last = ""
        try:
            with process:
                assert process.stderr is not None
                for line in process.stderr:
                    found, lost = _PROGRESS.match(line), _SKIPPED_MODULE.match(line)
                    if lost:
                        self.left_out.append(lost[1].strip())
                    elif found:
                        progress(_EXTRACTING * int(found[1]) / max(int(found[2]), 1), found[3])
                    elif line.strip():
                        last = line.strip()
        except BaseException:
            process.kill()
            raise
        finally:
            timer.cancel()
            self._extracting = None
        if is_late.is_set():
            return f"it took more than {BUILD_SECONDS:g} seconds"
        return _ending(process.returncode, last)

    def _asked(self, question: Callable[[Store], Answer], otherwise: Answer) -> Answer:
        """Returns the store's answer, or the default where no store can be read."""
        with self._lock:
            store = self._open()
            if store is None:
                return otherwise
            try:
                return question(store)
            except Damaged:
                self._close()
                # Counts as absent until it is built again.
                self._opened = _identity(self.path)
                return otherwise

    def _open(self) -> Store | None:
        """Returns the store in its present file; another process may have replaced it a moment ago."""
        identity = _identity(self.path)
        if identity == self._opened:
            return self._store
        self._close()
        self._opened = identity
        if identity is not None:
            with contextlib.suppress(Damaged):
                self._store = Store(identity[0])
        return self._store

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store = self._opened = None


def kept(folder: str | None = None) -> list[tuple[str, int]]:
    """Returns all files of documentation in the cache, with their sizes."""
    place = folder or cache_folder()
    found = []
    with contextlib.suppress(OSError):
        for file in os.scandir(place):
            if _FILE.fullmatch(file.name):
                # A build that ends just now takes its own away.
                with contextlib.suppress(OSError):
                    found.append((file.path, file.stat().st_size))
    return sorted([*found, *stored_pages(place)])


def clear(folder: str | None = None) -> int:
    """Deletes the cached files; returns the number of bytes freed. Raises ConfigError for one that cannot be
    deleted."""
    freed = 0
    for path, size in kept(folder):
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue
        except OSError as problem:
            raise ConfigError(f"cannot delete {path}: {problem.strerror or problem}") from None
        freed += size
    return freed


def _identity(path: str | None) -> tuple[str, int, int] | None:
    try:
        status = os.stat(path) if path is not None else None
    except OSError:
        return None
    return (path, status.st_ino, status.st_mtime_ns) if path is not None and status is not None else None


def _tag(site_packages: Iterable[str]) -> str:
    """Returns "py3.11", from the path of the packages; "py" where folders carry no version."""
    for folder in site_packages:
        found = re.search(r"[Pp]ython(\d)\.?(\d+)", folder)
        if found:
            return f"py{found[1]}.{found[2]}"
    return "py"


def _counted(lines: Iterable[str], total: int, progress: Progress) -> Iterator[str]:
    read = 0
    for number, line in enumerate(lines):
        read += len(line)
        if number % 200 == 0:
            progress(_EXTRACTING + (1 - _EXTRACTING) * read / max(total, 1), "writing")
        yield line


def _ending(status: int, last: str) -> str:
    if status < 0:
        with contextlib.suppress(ValueError):
            return f"it was ended by {signal.Signals(-status).name}"
    return last or f"it ended with status {status}"
