"""Shows a progress bar on one line of a terminal."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

# A bar for a run of half a second would only flicker.
_QUIET_START = 0.7
_BETWEEN_DRAWS = 0.1
_BAR = 24
_MAX_NAME_LENGTH = 40


class Bar:
    """Draws the bar once a run takes long; wherever the run ends, `clear` must be called."""

    def __init__(self, stream: TextIO, *, shown: bool) -> None:
        self._stream = stream
        self._shown = shown
        self._next = time.monotonic() + _QUIET_START
        self._drawn = False

    def draw(self, number: int, total: int, path: str) -> None:
        if not self._shown or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _BETWEEN_DRAWS
        full = _BAR * number // max(total, 1)
        name = os.path.basename(path)[:_MAX_NAME_LENGTH]
        # A file's name may hold anything, what drives a terminal included.
        name = "".join(character if character.isprintable() else "?" for character in name)
        line = f"[{'=' * full}{' ' * (_BAR - full)}] {number}/{total} {name}"
        # A line that wraps could not be cleared.
        from shutil import get_terminal_size

        line = line[: get_terminal_size().columns - 1]
        self._stream.write(f"\r\x1b[K{line}")
        self._stream.flush()
        self._drawn = True

    def clear(self) -> None:
        if self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._drawn = False
