"""Writes the lines of a record, each at once, so that a process that is killed loses nothing but its last line."""

import json
import os
import sys

MAX_LINES = 20000
MAX_ERRORS = 5
# Taken now: the program may replace them (file systems in memory, frozen clocks).
_open, _write, _close, _getpid, _urandom = os.open, os.write, os.close, os.getpid, os.urandom
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_HERE = os.path.dirname(os.path.abspath(__file__))
_LIBRARY = os.path.dirname(os.path.abspath(os.__file__))


class Output:
    """The file of this process in the folder of the run.

    It is opened for each write: no file descriptor stays, which the program could close, count or inherit.
    """

    def __init__(self, folder):
        self.folder = folder
        self.errors = 0
        self.reset()

    def reset(self):
        """Begins a new file, made by the first write: in the child of a fork, and when the process starts."""
        self.path = os.path.join(self.folder, f"{_getpid()}-{_urandom(4).hex()}.jsonl")
        self.lines = 0
        self.closed = False

    def write(self, *objects):
        """Appends objects as lines by one write. A disk that is full or a folder that is gone ends the record."""
        if self.closed:
            return
        text = "".join([_encode(one) + "\n" for one in objects])
        self.lines += len(objects)
        if self.lines > MAX_LINES:
            self.closed = True
        try:
            handle = _open(self.path, _FLAGS, 0o600)
            try:
                data = text.encode("utf-8", "backslashreplace")
                if _write(handle, data) != len(data):
                    self.closed = True
            finally:
                _close(handle)
        except OSError:
            self.closed = True

    def error(self, failure):
        """Notes an error of the recorder itself; raises it again where it is none, but came from a handler of signals.

        A handler that the program has installed may run while the recorder does, and its exception belongs to the program.
        """
        last = failure.__traceback__
        while last.tb_next is not None:
            last = last.tb_next
        name = last.tb_frame.f_code.co_filename
        if not name.startswith((_HERE, "<frozen")) and (
            not name.startswith(_LIBRARY) or "site-packages" in name[len(_LIBRARY) :]
        ):
            raise failure
        self.errors += 1
        if self.errors <= MAX_ERRORS and not self.closed:
            try:
                where = f"{os.path.basename(last.tb_frame.f_code.co_filename)}:{last.tb_lineno}"
                handle = _open(os.path.join(self.folder, "errors"), _FLAGS, 0o600)
                try:
                    _write(handle, f"{where} {type(failure).__name__}\n".encode("ascii", "replace"))
                finally:
                    _close(handle)
            except OSError:
                pass
        if self.errors > 50:
            self.closed = True


def torch_version():
    """Returns the version of torch where the program has imported it, and None otherwise."""
    torch = sys.modules.get("torch")
    found = getattr(torch, "__version__", None) if torch is not None else None
    return None if found is None else str(found)[:40]
