"""Stores results of checks in a database of rows, which `result_cache` interprets.

SQLite in WAL mode, so that several runs may read and one may write at a time. Nothing in it is needed: whatever is wrong
with it (a full disk, a folder that cannot be written, a file that is none of ours), `problem` says so once and
the run goes on without. It is open only while it is asked, never while a process is forked.
"""

from __future__ import annotations

import contextlib
import os
import time
from hashlib import sha256
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass, field

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator

# The number goes up when the tables change.
NAME = "results-1.sqlite3"
_FAMILY = "results-"
_ASIDE = ".damaged"
MAX_BYTES = 200_000_000
# After what was not used longest has gone, so much of the bound is in use.
_LEFT = 0.75
# Another run writes for some milliseconds; a run must not wait for one that hangs.
_PATIENCE = 2.0
_AT_ONCE = 500
_BUILDS_KEPT = 20
_SECONDS_A_DAY = 86_400

_TABLES = (
    """CREATE TABLE IF NOT EXISTS outcomes (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, needs TEXT NOT NULL, value TEXT NOT NULL, seal TEXT NOT NULL,
    used INTEGER NOT NULL, UNIQUE (key, needs))""",
    """CREATE TABLE IF NOT EXISTS files (
    path BLOB PRIMARY KEY, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL, size INTEGER NOT NULL,
    digest TEXT NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS builds (
    stamp TEXT PRIMARY KEY, value TEXT NOT NULL, seal TEXT NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID""",
)

Stamp = tuple[int, int, int]
"""The times of a file's last modification and status change, in nanoseconds, and its size."""


@dataclass(frozen=True, slots=True)
class Row:
    """An outcome: `needs` and `value` are JSON."""

    key: str
    needs: str
    value: str
    id: int | None = None
    is_old: bool = False
    """Not used earlier today."""


@dataclass(slots=True)
class Batch:
    """The rows to be written at the end of a run."""

    rows: list[Row] = field(default_factory=list)
    files: dict[str, tuple[Stamp, str]] = field(default_factory=dict)
    used: list[int] = field(default_factory=list)
    """Rows that were used again."""
    builds: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.rows or self.files or self.used or self.builds)


class ResultStore:
    """A database of outcomes; `problem` is the error that occurred, if any. Then it is empty and takes
    nothing, but for a new database in the place of a damaged one."""

    def __init__(
        self, folder: str, *, max_bytes: int = MAX_BYTES, clock: Callable[[], float] = time.time
    ) -> None:
        self.folder = folder
        self.path = os.path.join(folder, NAME)
        self.problem: str | None = None
        self._is_off = False
        self._max_bytes = max_bytes
        self._clock = clock
        self._connection: sqlite3.Connection | None = None

    def build(self, stamp: str) -> str | None:
        """Returns the stored data of a build."""
        for value, seal in self._ask("SELECT value, seal FROM builds WHERE stamp = ?", (stamp,)):
            if seal == _seal(stamp, value):
                return value
        return None

    def files(self, paths: Iterable[str]) -> dict[str, tuple[Stamp, str]]:
        """Returns the stored data of files: their stamps, and the digests of their content."""
        found: dict[str, tuple[Stamp, str]] = {}
        for path, mtime, ctime, size, digest in self._ask_many(
            "SELECT path, mtime, ctime, size, digest FROM files WHERE path IN",
            [os.fsencode(path) for path in paths],
        ):
            found[os.fsdecode(path)] = (mtime, ctime, size), digest
        return found

    def rows(self, keys: Collection[str]) -> list[Row]:
        """Returns the outcomes of these keys, whose needs are still to be checked; the latest of a key first."""
        today = self._today()
        return [
            Row(key, needs, value, number, used != today)
            for number, key, needs, value, seal, used in self._ask_many(
                "SELECT id, key, needs, value, seal, used FROM outcomes WHERE key IN",
                list(keys),
                "ORDER BY id DESC",
            )
            # A disk may give back other bits than it was given, and the database would not notice.
            if seal == _seal(key, needs, value)
        ]

    def counts(self) -> tuple[int, int]:
        """Returns the numbers of outcomes and of files."""
        numbers = self._ask("SELECT (SELECT count(*) FROM outcomes), (SELECT count(*) FROM files)", ())
        return numbers[0] if numbers else (0, 0)

    def write(self, batch: Batch) -> None:
        """Writes a batch in one transaction, all of it or nothing. Another run may have written the same."""
        if not batch or self._is_off:
            return
        today = self._today()
        with self._guarded():
            connection = self._opened(create=True)
            assert connection is not None
            connection.execute("BEGIN IMMEDIATE")
            try:
                for table in _TABLES:
                    connection.execute(table)
                connection.executemany(
                    "INSERT OR REPLACE INTO outcomes (key, needs, value, seal, used) VALUES (?, ?, ?, ?, ?)",
                    [
                        (row.key, row.needs, row.value, _seal(row.key, row.needs, row.value), today)
                        for row in batch.rows
                    ],
                )
                connection.executemany(
                    "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)",
                    [
                        (os.fsencode(path), *stamp, digest, today)
                        for path, (stamp, digest) in batch.files.items()
                    ],
                )
                connection.executemany(
                    "UPDATE outcomes SET used = ? WHERE id = ?", [(today, number) for number in batch.used]
                )
                for stamp, value in batch.builds.items():
                    connection.execute(
                        "INSERT OR REPLACE INTO builds VALUES (?, ?, ?, ?)",
                        (stamp, value, _seal(stamp, value), today),
                    )
                    connection.execute(
                        "DELETE FROM builds WHERE stamp NOT IN (SELECT stamp FROM builds ORDER BY used DESC LIMIT ?)",
                        (_BUILDS_KEPT,),
                    )
                self._evict(connection, today)
                connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(Exception):
                    connection.execute("ROLLBACK")
                raise
            # `execute` would take one step, and give back one page.
            connection.executescript("PRAGMA incremental_vacuum")
        self.close()

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.close()

    def _today(self) -> int:
        return int(self._clock()) // _SECONDS_A_DAY

    def _evict(self, connection: sqlite3.Connection, today: int) -> None:
        """Deletes the least recently used rows when there are more than the bound allows."""
        if _bytes_used(connection) <= self._max_bytes:
            return
        # What was used on a day to come was used before a clock was put right.
        oldest = "SELECT id FROM outcomes ORDER BY CASE WHEN used > ? THEN 0 ELSE used END, id LIMIT ?"
        ((there,),) = connection.execute("SELECT count(*) FROM outcomes")
        some = max(1, there // 20)
        while there > 0 and _bytes_used(connection) > _LEFT * self._max_bytes:
            connection.execute(f"DELETE FROM outcomes WHERE id IN ({oldest})", (today, some))
            there -= some
        if there <= 0:
            connection.execute("DELETE FROM files")

    def _ask(self, question: str, values: tuple[object, ...]) -> list[tuple]:
        with self._guarded():
            connection = self._opened()
            if connection is not None:
                return connection.execute(question, values).fetchall()
        return []

    def _ask_many(self, question: str, values: list, order: str = "") -> Iterator[tuple]:
        for first in range(0, len(values), _AT_ONCE):
            some = values[first : first + _AT_ONCE]
            yield from self._ask(f"{question} ({','.join('?' * len(some))}) {order}", tuple(some))

    def _opened(self, *, create: bool = False) -> sqlite3.Connection | None:
        """Returns the connection; None where there is no database and none is to be created. Raises what
        SQLite raises."""
        if self._connection is not None and not create:
            return self._connection
        if self._is_off or not create and not os.path.exists(self.path):
            return None
        import sqlite3

        if create:
            # Findings in a user's code must not be readable by others.
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
        if self._connection is None:
            self._connection = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
        if create:
            with contextlib.suppress(OSError):
                os.chmod(self.path, 0o600)
            # Both are kept in the file; the first counts only before there is a table.
            self._connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            self._connection.execute("PRAGMA journal_mode = WAL").fetchall()
            self._connection.execute("PRAGMA synchronous = NORMAL")
        return self._connection

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        """Records an error inside as the `problem`; it costs no more than the cached results."""
        try:
            yield
        except ImportError:
            self._give_up("results are not kept: this Python has no sqlite3")
        except OSError as failure:
            self._give_up(f"results are not kept in {self.folder}: {failure.strerror or failure}")
        except Exception as failure:
            import sqlite3

            # What SQLite says of a damaged schema may be no text.
            if not isinstance(failure, sqlite3.Error | UnicodeDecodeError):
                raise
            if _is_damage(failure):
                self._replace_damaged(failure)
            # Another run has just made the file, and its tables come next.
            elif not str(failure).startswith("no such table"):
                self._give_up(f"results are not kept in {self.folder}: {failure}")

    def _give_up(self, why: str) -> None:
        self.close()
        self.problem = self.problem or why
        self._is_off = True

    def _replace_damaged(self, failure: Exception) -> None:
        """Moves a damaged database aside, once in a run."""
        self.close()
        aside = self.path + _ASIDE
        if self.problem is not None:
            self._is_off = True
            return
        try:
            os.replace(self.path, aside)
            for end in ("-wal", "-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self.path + end)
        except OSError as refused:
            self._give_up(f"{self.path} is damaged ({failure}) and stays: {refused.strerror or refused}")
        else:
            self.problem = f"{self.path} was damaged ({failure}): moved aside and replaced by a new one"


def _bytes_used(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def stored_files(folder: str) -> list[tuple[str, int]]:
    """Returns the database files, of other versions and damaged ones too, with their sizes."""
    found = []
    with contextlib.suppress(OSError):
        for file in os.scandir(folder):
            if file.name.startswith(_FAMILY) and ".sqlite3" in file.name:
                with contextlib.suppress(OSError):
                    found.append((file.path, file.stat().st_size))
    return sorted(found)


def _is_damage(failure: Exception) -> bool:
    """Returns whether an error means that the file itself is damaged, not a temporary or folder problem."""
    import sqlite3

    if isinstance(failure, sqlite3.OperationalError):
        return "column" in str(failure)
    return isinstance(failure, sqlite3.DatabaseError | UnicodeDecodeError)


def _seal(*columns: object) -> str:
    """Returns a checksum of a row's columns; in a damaged database they may be of any type."""
    return sha256("\0".join(map(str, columns)).encode(errors="surrogatepass")).hexdigest()[:16]
