"""What a user sees: a program in a terminal of its own, its keys and its screen."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from editor_availability import not_there

WIDTH, HEIGHT = 190, 40
LIMIT = 60.0
EVERY = 0.05


class Terminal:
    def __init__(self, program: str, socket: Path) -> None:
        self._tmux = [program, "-S", str(socket), "-f", "/dev/null"]

    def do(self, *words: str) -> str:
        return subprocess.run(
            [*self._tmux, *words], capture_output=True, text=True, timeout=LIMIT, encoding="utf-8"
        ).stdout

    def keys(self, *keys: str) -> None:
        """As tmux names them: `Enter`, `C-h`; anything else is typed."""
        self.do("send-keys", "-t", "it", *keys)

    def screen(self) -> str:
        return self.do("capture-pane", "-p", "-t", "it")

    def until(self, what: str, seen: Callable[[str], bool]) -> str:
        """The screen as soon as it is as wanted."""
        deadline = time.monotonic() + LIMIT
        while True:
            screen = self.screen()
            if seen(screen):
                return screen
            if time.monotonic() > deadline:
                raise AssertionError(f"never seen: {what}\n{screen}")
            time.sleep(EVERY)

    def until_shown(self, *words: str) -> str:
        return self.until(" and ".join(words), lambda screen: all(word in screen for word in words))


@contextmanager
def terminal(command: list[str], folder: Path, environment: dict[str, str], run: Path) -> Iterator[Terminal]:
    """`run` is a folder for the terminal's socket; its path must be short."""
    program = shutil.which("tmux")
    if program is None:
        not_there("tmux is needed", ".ci/install-editors")
    made = Terminal(program, run / "t")
    # The server of tmux keeps the environment that it was started with; it may hold nothing of ours.
    subprocess.run(
        [
            *made._tmux,
            "new-session",
            "-d",
            "-s",
            "it",
            "-x",
            str(WIDTH),
            "-y",
            str(HEIGHT),
            shlex.join(command),
        ],
        cwd=folder,
        env=environment,
        check=True,
        timeout=LIMIT,
    )
    try:
        yield made
    finally:
        made.do("kill-server")
