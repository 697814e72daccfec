"""Implements `torchlsp check --watch`: checks again whenever a file that has a say in the findings changes.

Files are looked at every now and then, since systems tell of changes in ways of their own, and not at all on network disks.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from typing import TYPE_CHECKING

from torchlsp.engine.config import ConfigError
from torchlsp.engine.workspace import discover, shown_path
from torchlsp.report.text import counted
from torchlsp.report.words import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from torchlsp.engine.config import Configuration
    from torchlsp.engine.engine import CheckResult, Engine

    Check = Callable[[], tuple[int, Engine, CheckResult]]
    Stamp = tuple[int, int, int]
    State = dict[str, Stamp]

_EVERY = 0.3
"""The seconds between two looks at the files."""
_SHARE = 0.05
"""The part of the time that looking may take, however many files there are."""
_SETTLES = 0.1
"""The seconds after which a change is taken to be over: a checkout writes many files."""
_LONGEST_CHANGE = 5.0
_BESIDE = ("torchlsp.toml", "pyproject.toml", ".gitignore")
"""The names of other files that say which files are checked, and how."""
_UNKNOWN = (0, 0, 0)
_MOST_NAMED = 3
_CLEAR = "\x1b[2J\x1b[H"


def watch(options: argparse.Namespace, check: Check) -> int:
    """Checks, and again after each change, until the user ends it by Ctrl-C; returns 0 then. A mistake in the options is
    raised as ConfigError, one that is made in a configuration file later is named, and waited for to be corrected."""
    began = time.time_ns()
    _, engine, result = check()
    watched = _Watched(options)
    watched.rest_on(engine, result, began)
    try:
        while True:
            gc.collect()
            _tell(f"watching {counted(len(watched.state), 'file')}; Ctrl-C ends it")
            changed = watched.wait()
            if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
                sys.stdout.write(_CLEAR)
                sys.stdout.flush()
            _tell(f"{time.strftime('%H:%M:%S')} {_named(changed)} changed")
            began = time.time_ns()
            try:
                _, engine, result = check()
            except ConfigError as mistake:
                _tell(printable(str(mistake)))
            else:
                watched.rest_on(engine, result, began)
    except KeyboardInterrupt:
        return 0


class _Watched:
    """The files that the findings of the last check rest on, with their stamps from before it."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._configuration: Configuration | None = None
        self._beside: set[str] = set()
        self.state: State = {}

    def rest_on(self, engine: Engine, result: CheckResult, began: int) -> None:
        """Takes the files that a check has read, which began at that time."""
        self._configuration = engine.configuration
        options = self._options
        named = (options.config, options.baseline, options.recorded)
        self._beside = {*result.imported, *(path for path in named if path is not None)}
        new = {path: stamp for path, stamp in self._look().items() if path not in self.state}
        # What was written while the check ran may have been read before.
        self.state |= {path: stamp if stamp[0] < began else _UNKNOWN for path, stamp in new.items()}

    def wait(self) -> list[str]:
        """Waits for a change that is over, and returns the files that were changed, came or went."""
        while True:
            began = time.monotonic()
            now = self._look()
            if now != self.state:
                break
            time.sleep(max(_EVERY, (time.monotonic() - began) / _SHARE))
        until = time.monotonic() + _LONGEST_CHANGE
        while time.monotonic() < until:
            time.sleep(_SETTLES)
            before, now = now, self._look()
            if now == before:
                break
        differing = {path for path, _ in now.items() ^ self.state.items()}
        self.state = now
        return sorted(differing)

    def _look(self) -> State:
        """Returns the stamps of all files that there are."""
        options = self._options
        files: Iterable[str] = ()
        try:
            if self._configuration is not None:
                files = discover(
                    options.paths, self._configuration, force_exclude=options.force_exclude
                ).files
        except ConfigError:  # a path is gone, or a configuration file is wrong
            files = filter(os.path.isfile, options.paths)
        state: State = {}
        folders: set[str] = set()
        for path in (*files, *self._beside):
            _put(state, path)
            folders.add(os.path.dirname(os.path.abspath(path)))
        folders.update(map(os.path.abspath, filter(os.path.isdir, options.paths)))
        for folder in _with_those_above(folders):
            for name in _BESIDE:
                _put(state, os.path.join(folder, name))
        return state


def _put(state: State, path: str) -> None:
    try:
        status = os.stat(path)
    except OSError:
        return
    state[os.path.abspath(path)] = status.st_mtime_ns, status.st_size, status.st_ino


def _with_those_above(folders: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for folder in folders:
        while folder not in found:
            found.add(folder)
            folder = os.path.dirname(folder)
    return found


def _named(paths: list[str]) -> str:
    """Names a few files, and counts the rest."""
    named = ", ".join(shown_path(path) for path in paths[:_MOST_NAMED])
    return f"{named} and {len(paths) - _MOST_NAMED:,} more" if len(paths) > _MOST_NAMED else named


def _tell(text: str) -> None:
    print(f"torchlsp: {printable(text)}", file=sys.stderr, flush=True)
