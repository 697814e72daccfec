"""Implements `torchlsp server`: the process that an editor starts.

Only the protocol may be written to stdout. So its descriptor is taken away first, before anything else is imported:
whatever prints later, a C library included, prints to stderr.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from typing import BinaryIO, NoReturn

MAX_MESSAGE = 250_000_000
"""A message that holds a text is at most six times as long as the text, and longer files are not read."""
_LONGEST_LINE = 8_192
_CHUNK = 1 << 20
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*([0-9]+)[ \t]*\r?\n\Z", re.IGNORECASE)


class ToEditor:
    """The output stream to the editor. Nothing is written to one that has gone: the end of stdin is what ends
    the server, and an error here would be reported through this very stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        with suppress(OSError, ValueError):
            self._stream.write(data)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()

    def close(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.close()


class FromEditor:
    """The input stream from the editor, for a reader that trusts what headers say of lengths.

    A length that is no number, or beyond any message, is skipped with all up to the next good one: the header of a message may
    then stand behind the content of the last one, in one line. Memory is taken as content arrives, not as it is announced.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readline(self) -> bytes:
        line = self._stream.readline(_LONGEST_LINE)
        while line and not line.endswith(b"\n"):
            more = self._stream.readline(_LONGEST_LINE)
            if not more:
                return line
            line = line[-_LONGEST_LINE:] + more
        length = _LENGTH.search(line)
        if length is None:
            return line
        size = int(length[1]) if len(length[1]) < 12 else MAX_MESSAGE + 1
        return b"Content-Length: %d\r\n" % size if size <= MAX_MESSAGE else b"X-Skipped: too long\r\n"

    def read(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size and (part := self._stream.read(min(size, _CHUNK))):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def guarded_stdout() -> ToEditor:
    """Returns the real stdout, which no other code can reach from now on."""
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return ToEditor(own)


def serve(*, for_agent: bool = False) -> NoReturn:
    """Exchanges messages with the editor, or a coding agent, until it says exit or disconnects. Ends the process: a thread
    that is still analysing must not keep it alive."""
    stdout = guarded_stdout()
    import gc

    # A quarter of the start would go into looking for garbage among the protocol's classes, which all stay.
    gc.disable()
    from torchlsp.server.protocol_classes import import_protocol_classes

    import_protocol_classes()
    from torchlsp.server.main import create

    server = create()
    server.for_agent = for_agent
    gc.freeze()
    gc.enable()
    server.start_io(FromEditor(sys.stdin.buffer), stdout)  # type: ignore[arg-type]
    server.session_end()
    # The exit code of the protocol: 1 for an editor that says exit without shutdown.
    status = 1 if server.left_without_shutdown else 0
    sys.stderr.flush()
    os._exit(status)
