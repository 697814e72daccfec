"""Implements `torchlsp server`: the process that an editor starts.

Only the protocol may be written to stdout. So its descriptor is taken away first, before anything else is imported:
whatever prints later, a C library included, prints to stderr.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import BinaryIO, NoReturn


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


def guarded_stdout() -> ToEditor:
    """Returns the real stdout, which no other code can reach from now on."""
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return ToEditor(own)


def serve() -> NoReturn:
    """Exchanges messages with the editor until it says exit or disconnects. Ends the process: a thread that
    is still analysing must not keep it alive."""
    stdout = guarded_stdout()
    import gc

    # A quarter of the start would go into looking for garbage among the protocol's classes, which all stay.
    gc.disable()
    from torchlsp.server.main import create

    server = create()
    gc.freeze()
    gc.enable()
    server.start_io(sys.stdin.buffer, stdout)  # type: ignore[arg-type]
    server.session_end()
    # The exit code of the protocol: 1 for an editor that says exit without shutdown.
    status = 1 if server.left_without_shutdown else 0
    sys.stderr.flush()
    os._exit(status)
