"""Writes a file atomically."""

from __future__ import annotations

import os

from torchlsp.engine.config import ConfigError


def check_writable(path: str, what: str) -> None:
    """Raises ConfigError when the folder of a file to be written does not exist, or the path is itself a
    folder."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise ConfigError(f"cannot write the {what} {path}: there is no folder {folder}")
    if os.path.isdir(path):
        raise ConfigError(f"cannot write the {what} {path}: it is a folder")


def write_whole(path: str, text: str, what: str) -> None:
    """Replaces a file's content by text in UTF-8, atomically; a link stays a link, its mode stays.

    What UTF-8 cannot hold (half of a surrogate pair, from a path that is not Unicode) is written escaped. Raises
    ConfigError, and then the file is as it was.
    """
    data = text.encode("utf-8", "backslashreplace")
    place = os.path.realpath(path)
    try:
        if os.path.exists(place) and not os.path.isfile(place):
            # A device or a pipe (/dev/stdout) must be written to, not replaced.
            with open(place, "wb") as file:
                file.write(data)
            return
        temporary = f"{place}.{os.getpid()}.tmp"
        # Not by `tempfile`: a new file has the mode that the user's umask gives.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            if os.path.exists(place):
                os.chmod(temporary, os.stat(place).st_mode & 0o7777)
            os.replace(temporary, place)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as failure:
        raise ConfigError(f"cannot write the {what} {path}: {failure.strerror or failure}") from None
