"""Starts the worker on another machine: behind a command such as `ssh gpu1`, which is the user's own.

The command's words go before a Python, which takes the worker's files from its input and keeps them in memory: nothing
is installed or written there.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VARIABLE = "TORCHLSP_PROBE_ON"
"""An environment variable: the command that holds where no option and no setting names one."""
START_SECONDS = 180.0
"""Waited for a worker that may stand in a queue first, or read its torch over a network."""
MAX_BANNER = 1 << 16
"""Bytes that a shell may print before the worker answers."""
_MAX_LINE = 300
_PYTHON = re.compile(r"python[\d.]*(\.exe)?", re.IGNORECASE)
_WORKER = Path(__file__).parent / "worker"
# An empty line first: what a shell printed before may not end with one.
_RECEIVE = r"""
import importlib.util, json, os, sys
os.write(1, b"\n")
files = json.loads(sys.stdin.buffer.readline())
class Sent:
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name in files else None
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        exec(compile(files[module.__name__], module.__name__, "exec"), vars(module))
sys.meta_path.insert(0, Sent())
exec(compile(files["zygote"], "zygote", "exec"), {"__name__": "__main__", "__file__": "/nonexistent/zygote.py"})
"""


def command_of(text: str) -> tuple[str, ...]:
    """Returns the words of a command that reaches another machine, ending with a Python: `python3` unless it names one.

    Raises ValueError for what is no command.
    """
    words = shlex.split(text)
    if not words:
        raise ValueError("it is empty")
    if not _PYTHON.fullmatch(re.split(r"[\\/]", words[-1])[-1]):
        words.append("python3")
    return tuple(words)


def chosen(text: str | None) -> tuple[str, ...]:
    """Returns the command that an option or setting names, else that of the environment; empty where the worker runs here.

    Raises ValueError, which says where the mistake is.
    """
    source, text = ("", text) if text is not None else (f"{VARIABLE}: ", os.environ.get(VARIABLE) or "")
    if not text.strip():
        return ()
    try:
        return command_of(text)
    except ValueError as problem:
        raise ValueError(f"{source}`{text}` is no command: {problem}") from None


def shown(command: Sequence[str]) -> str:
    """Returns a command as a user would write it, without the Python that was added."""
    words = command[:-1] if len(command) > 1 and command[-1] == "python3" else command
    return f"`{shlex.join(words)}`"


def full_command(command: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    """Returns the whole command line; ssh joins its words for a shell on the other side, and needs them quoted."""
    arguments = ["-I", "-B", "-c", _RECEIVE, json.dumps(options)]
    is_ssh = Path(command[0]).stem.lower() == "ssh"
    return [*command, *(map(shlex.quote, arguments) if is_ssh else arguments)]


def files() -> dict[str, str]:
    """Returns the texts of the worker's files by the names under which it imports them."""
    return {path.stem: path.read_text("utf-8") for path in _WORKER.glob("*.py")}


def environment() -> dict[str, str]:
    """Returns the variables for the command: all that the user has set, as an agent's socket; but nobody is asked for
    a password."""
    return {**os.environ, "SSH_ASKPASS_REQUIRE": "never"}


class LastLine:
    """Keeps the last line that a command printed as an error; read in a thread, so that the command never waits."""

    def __init__(self, pipe: Any) -> None:
        self._text = ""
        self._thread = threading.Thread(target=self._read, args=(pipe,), daemon=True)
        self._thread.start()

    def get(self, seconds: float = 0.0) -> str:
        """Returns the line, after waiting for the command's end for some seconds; "" where it said nothing."""
        self._thread.join(seconds)
        return self._text

    def _read(self, pipe: Any) -> None:
        try:
            while line := pipe.readline(1 << 16):
                text = " ".join(line.decode("utf-8", "replace").split())
                if text:
                    self._text = text[:_MAX_LINE]
        except (OSError, ValueError):
            pass
