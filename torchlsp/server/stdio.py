"""`torchlsp server`: the process behind an editor.

Only the protocol may be written to stdout. So its descriptor is taken away first, before anything else is imported:
whatever prints later, a C library included, prints to stderr.
"""

from __future__ import annotations

import os
import sys
from typing import BinaryIO, NoReturn


def guarded_stdout() -> BinaryIO:
    """The real stdout, which from now on nobody else can reach."""
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return own


def serve() -> NoReturn:
    """Speak with the editor until it says exit or goes away. Ends the process: a thread that is still analysing
    must not keep it alive."""
    stdout = guarded_stdout()
    import gc

    # A quarter of the start would go into looking for garbage among the protocol's classes, which all stay.
    gc.disable()
    from torchlsp.server.app import make_server

    server = make_server()
    gc.freeze()
    gc.enable()
    server.start_io(sys.stdin.buffer, stdout)
    server.session_end()
    # The exit code of the protocol: 1 for an editor that says exit without shutdown.
    status = 1 if server.left_without_shutdown else 0
    sys.stderr.flush()
    os._exit(status)
