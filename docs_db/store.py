"""Stores entries in one SQLite file with a word index; the file is written once, then only read."""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import re
import sqlite3
import sys
import threading
import time
from dataclasses import astuple, fields
from typing import TYPE_CHECKING
from urllib.request import pathname2url

from torchlsp.docs_db.build import BUILD_VERSION, DocEntry, Extracted, Header

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_APPLICATION = 0x746C7064
"""Distinguishes our files from other SQLite files."""
_COLUMNS = tuple(field.name for field in fields(DocEntry))
_LISTED = ", ".join(_COLUMNS)
# As nearly every program imports them; a name that the user defined otherwise never reaches us.
_SHORT = {
    "F": "torch.nn.functional",
    "nn": "torch.nn",
    "optim": "torch.optim",
    "lr_scheduler": "torch.optim.lr_scheduler",
    "init": "torch.nn.init",
    "dist": "torch.distributed",
    "functional": "torch.nn.functional",
    "linalg": "torch.linalg",
    "Tensor": "torch.Tensor",
    "transforms": "torchvision.transforms",
}
_MAX_DEPTH = 8


class Damaged(Exception):
    """The file is not one of ours, of another build, or cannot be read."""


class Store:
    """A read-only database of entries, safe to share between threads. Raises Damaged when opened and, should
    the file turn out damaged further on, wherever it is read."""

    def __init__(self, path: str) -> None:
        self._lock = threading.Lock()
        # A file that is there is complete and never written again, so no lock of SQLite's is needed.
        address = f"file:{pathname2url(os.path.abspath(path))}?mode=ro&immutable=1"
        try:
            self._connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        except sqlite3.Error as problem:
            raise Damaged(str(problem)) from None
        try:
            if self._rows("PRAGMA application_id") != [(_APPLICATION,)]:
                raise Damaged("not a file of torchlsp's documentation")
            if self._rows("PRAGMA user_version") != [(BUILD_VERSION,)]:
                raise Damaged("of another build")
            self.versions: dict[str, str] = dict(self._rows("SELECT package, version FROM versions"))
        except Damaged:
            self._connection.close()
            raise

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def entry(self, symbol: str) -> DocEntry | None:
        """Returns the entry of a symbol under any of its names. A member is looked for in the bases of its
        class too."""
        name = self.resolve(symbol)
        if name is None:
            return None
        rows = self._rows(f"SELECT {_LISTED} FROM entries WHERE symbol = ?", name)
        return _entry(rows[0]) if rows else None

    def resolve(self, symbol: str, depth: int = 0) -> str | None:
        """Returns the name under which a symbol's entry is kept."""
        if self._rows("SELECT 1 FROM entries WHERE symbol = ?", symbol):
            return symbol
        aliased = self._rows("SELECT symbol FROM aliases WHERE alias = ?", symbol)
        if aliased:
            return aliased[0][0]
        owner, _, member = symbol.rpartition(".")
        if not owner or depth > _MAX_DEPTH:
            return None
        head, _, rest = symbol.partition(".")
        if head in _SHORT:
            return self.resolve(f"{_SHORT[head]}.{rest}", depth + 1)
        known = self.resolve(owner, depth + 1)
        if known is None:
            return None
        bases = self._rows("SELECT base FROM bases WHERE symbol = ? ORDER BY position", known)
        for name in (known, *(base for (base,) in bases)):
            if self._rows("SELECT 1 FROM entries WHERE symbol = ?", f"{name}.{member}"):
                return f"{name}.{member}"
        return None

    def search(self, text: str, most: int = 20) -> list[DocEntry]:
        """Returns entries with all the words, best first; where none has all, those with any."""
        words = [f'"{word}"' for word in re.findall(r"\w+", text)]
        if not words:
            return []
        columns = ", ".join(f"entries.{name}" for name in _COLUMNS)
        # The symbol's own words count most, and what lies deep in a package less.
        query = (
            f"SELECT {columns} FROM words JOIN entries ON entries.id = words.rowid WHERE words MATCH ? "
            "ORDER BY bm25(words, 10, 4, 1) + 0.5 * (length(entries.symbol) - length(replace(entries.symbol, '.', ''))) LIMIT ?"
        )
        for operator in (" ", " OR "):
            rows = self._rows(query, operator.join(words), most)
            if rows:
                return [_entry(row) for row in rows]
        return []

    def nearest(self, symbol: str, most: int = 5) -> list[str]:
        """Returns names that may have been meant: the same last part elsewhere, else spelled similarly."""
        last = symbol.rpartition(".")[2]
        if not last:
            return []
        names = [name for (name,) in self._rows("SELECT symbol FROM entries")]
        by_last: dict[str, list[str]] = {}
        for name in names:
            by_last.setdefault(name.rpartition(".")[2].lower(), []).append(name)
        close = [last.lower()] if last.lower() in by_last else []
        close += [
            one
            for one in difflib.get_close_matches(last.lower(), by_last, n=most, cutoff=0.7)
            if one not in close
        ]
        found = [(rank, name) for rank, one in enumerate(close) for name in by_last[one]]

        def order(candidate: tuple[int, str]) -> tuple[float, float, int, str]:
            rank, name = candidate
            return (rank, -difflib.SequenceMatcher(None, symbol, name).ratio(), name.count("."), name)

        return [name for _, name in sorted(found, key=order)][:most]

    def count(self) -> int:
        return self._rows("SELECT count(*) FROM entries")[0][0]

    def _rows(self, query: str, *values: object) -> list[tuple]:
        try:
            with self._lock:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as problem:
            raise Damaged(str(problem)) from None


def write(path: str, header: Header, extracted: Iterable[Extracted]) -> None:
    """Writes a new file and replaces the old one atomically. Raises OSError, sqlite3.Error and what
    `extracted` raises, and then the old file is as it was."""
    temporary = f"{path}.{os.getpid()}.{threading.get_ident()}.part"
    try:
        with contextlib.closing(sqlite3.connect(temporary)) as connection:
            _fill(connection, header, extracted)
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _fill(connection: sqlite3.Connection, header: Header, extracted: Iterable[Extracted]) -> None:
    # Nobody sees the file before it is complete, and after a crash it is thrown away.
    connection.executescript(
        f"""
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA application_id = {_APPLICATION};
        CREATE TABLE versions (package TEXT PRIMARY KEY, version TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE entries (id INTEGER PRIMARY KEY, {_LISTED});
        CREATE TABLE aliases (alias TEXT PRIMARY KEY, symbol TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE bases (symbol TEXT, position INTEGER, base TEXT, PRIMARY KEY (symbol, position)) WITHOUT ROWID;
        CREATE VIRTUAL TABLE words USING fts5(
            symbol, summary, markdown, content='entries', content_rowid='id', tokenize='porter unicode61'
        );
        """
    )
    connection.executemany("INSERT INTO versions VALUES (?, ?)", header.versions.items())
    places = ", ".join("?" * len(_COLUMNS))
    for one in extracted:
        values = [json.dumps(value) if isinstance(value, tuple) else value for value in astuple(one.entry)]
        connection.execute(f"INSERT INTO entries ({_LISTED}) VALUES ({places})", values)
        symbol = one.entry.symbol
        connection.executemany(
            "INSERT OR IGNORE INTO aliases VALUES (?, ?)", ((name, symbol) for name in one.aliases)
        )
        bases = ((symbol, position, base) for position, base in enumerate(one.bases))
        connection.executemany("INSERT INTO bases VALUES (?, ?, ?)", bases)
    connection.execute("CREATE UNIQUE INDEX by_symbol ON entries (symbol)")
    connection.execute("INSERT INTO words (words) VALUES ('rebuild')")
    # Last: a file without it is not complete.
    connection.execute(f"PRAGMA user_version = {BUILD_VERSION}")
    connection.commit()


def _entry(row: tuple) -> DocEntry:
    values = dict(zip(_COLUMNS, row))
    return DocEntry(**(values | {"effects": tuple(json.loads(values["effects"]))}))


@contextlib.contextmanager
def locked(path: str) -> Iterator[None]:
    """Waits until no other process or thread builds this file. A lock of the system's, which ends with its process
    however that ends; where there are none, two may build at a time, and the later one's file stays."""
    with open(f"{path}.lock", "a+b") as file:
        # Closing the file gives the lock back.
        _lock(file.fileno())
        yield


def _lock(handle: int) -> None:
    if sys.platform != "win32":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        return
    import msvcrt

    while True:
        try:
            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            return
        except OSError:
            time.sleep(0.2)
