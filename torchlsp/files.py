"""Reads files that a workspace can name: regular ones, up to a size, and nothing else.

A workspace may hold links to devices, pipes, sockets and files without end under any name: reading them may never end, take
what was meant for standard input, or fill the memory. Everything else of torchlsp reads through here
(`tests/test_file_reads.py`). The functions raise OSError, with the reason in `strerror`, for whatever is not read.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 25_000_000
"""More than five million characters of source, which are not analysed (`syntax.parse`)."""
MAX_NOTEBOOK_BYTES = 200_000_000
"""A notebook holds the pictures that its cells have shown."""
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe that takes the place of a file after it was looked at
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOINHERIT", 0)
)
_CHUNK = 1 << 20
_SOURCES = (".py", ".ipynb")
_OPEN_FILES = ("/dev/fd/", "/proc/self/fd/")


def read_bytes(path: str | os.PathLike[str], most: int = MAX_BYTES) -> bytes:
    """Returns the content of a regular file. Raises OSError for anything else, and for more than `most` bytes."""
    with _regular(path, most) as (handle, size):
        content = _read(handle, most + 1, size)
    _limit(len(content), path, most)
    return content


def read_beginning(path: str | os.PathLike[str], most: int) -> bytes:
    """Returns the first bytes of a regular file. Raises OSError for anything else."""
    with _regular(path) as (handle, size):
        return _read(handle, most, size)


def read_text(
    path: str | os.PathLike[str], most: int = MAX_BYTES, *, encoding: str = "utf-8", errors: str = "strict"
) -> str:
    """Returns the text of a regular file, its lines ended by LF. Raises as `read_bytes`, and UnicodeDecodeError."""
    return _with_line_feeds(read_bytes(path, most).decode(encoding, errors))


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def decoded(data: bytes) -> str:
    """Returns the text of what any program may have written: in UTF-16 where its mark says so, as by PowerShell's `>`, else in UTF-8; its
    lines ended by LF."""
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    return _with_line_feeds(data.decode(encoding, "replace"))


def read_source(path: str) -> bytes:
    """Returns the bytes of a Python file or notebook. Raises as `read_bytes`."""
    return read_bytes(path, MAX_NOTEBOOK_BYTES if path.lower().endswith(".ipynb") else MAX_BYTES)


def read_named(path: str, most: int | None = None) -> bytes:
    """Returns the bytes of a source that the user names, from a pipe too. Raises as `read_bytes`."""
    if not is_named_pipe(path):
        return read_source(path) if most is None else read_bytes(path, most)
    most = most or MAX_BYTES
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        content = _read(handle, most + 1, 0)
    finally:
        os.close(handle)
    _limit(len(content), path, most)
    return content


def is_named_pipe(path: str) -> bool:
    """Returns whether a path is a pipe as `<(git show HEAD:a.py)` names one: an open file, or a pipe that is not
    called as a source file is."""
    try:
        if path == "/dev/stdin" or path.startswith(_OPEN_FILES):
            return not stat.S_ISREG(os.stat(path).st_mode)
        return not path.lower().endswith(_SOURCES) and stat.S_ISFIFO(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


@contextlib.contextmanager
def _regular(path: str | os.PathLike[str], most: int | None = None) -> Iterator[tuple[int, int]]:
    """Opens a regular file of at most so many bytes; gives its handle and size."""
    # Opening a device may have effects of its own, so it is not opened to be looked at.
    _require_regular(os.stat(path), path, most)
    handle = os.open(path, _FLAGS)
    try:
        yield handle, _require_regular(os.fstat(handle), path, most)
    finally:
        os.close(handle)


def _require_regular(status: os.stat_result, path: str | os.PathLike[str], most: int | None) -> int:
    """Returns the size of a regular file of at most so many bytes."""
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
    if most is not None:
        _limit(status.st_size, path, most)
    return status.st_size


def _limit(size: int, path: str | os.PathLike[str], most: int) -> None:
    if size > most:
        raise OSError(errno.EFBIG, f"larger than {most:,} bytes", os.fspath(path))


def _read(handle: int, most: int, expected: int) -> bytes:
    """Reads to the end, or `most` bytes. The expected size may be wrong: files grow, and those of /proc have none."""
    parts: list[bytes] = []
    size, wanted = 0, expected + 1
    while size < most and (part := os.read(handle, min(wanted, most - size))):
        parts.append(part)
        size, wanted = size + len(part), _CHUNK
        if size == expected:
            break
    return parts[0] if len(parts) == 1 else b"".join(parts)
