"""The bar is shown late, on terminals only, and leaves nothing behind."""

from __future__ import annotations

import io
import os
import shutil
import sys

import pytest

from torchlsp.cli import progress
from torchlsp.cli.main import main

HEAD = "import torch\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch):
    """A function that sets the clock."""
    clock = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    return lambda seconds: clock.__setitem__(0, 100.0 + seconds)


def test_a_short_run_shows_nothing(now) -> None:
    stream = Terminal()
    bar = progress.Bar(stream, shown=True)
    now(0.6)
    bar.draw(1, 2, "a.py")
    bar.clear()
    assert stream.getvalue() == ""


def test_a_long_run_draws_now_and_then_and_clears(now, monkeypatch) -> None:
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((40, 24)))
    stream = Terminal()
    bar = progress.Bar(stream, shown=True)
    for seconds, number in ((0.8, 1), (0.85, 2), (1.0, 3)):
        now(seconds)
        bar.draw(number, 4, os.path.join("folder", "\x1b[31m" + "é" * 50 + ".py"))
    bar.clear()
    bar.clear()
    drawn = stream.getvalue().split("\r\x1b[K")
    assert len(drawn) == 4
    assert drawn[0] == drawn[3] == ""
    assert drawn[1].startswith("[======                  ] 1/4 ?[31m")
    assert drawn[2].startswith("[==================      ] 3/4 ?")
    # One column stays free: a line that wraps could not be cleared.
    assert all(len(line) <= 39 and line.isprintable() for line in drawn)


def test_elsewhere_nothing_is_drawn(now) -> None:
    stream = io.StringIO()
    bar = progress.Bar(stream, shown=False)
    now(5)
    bar.draw(1, 2, "a.py")
    bar.clear()
    assert stream.getvalue() == ""


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(("quiet", "drawn"), [([], True), (["-q"], False)])
def test_a_run_on_a_terminal(project, monkeypatch, capsys, quiet: list[str], drawn: bool) -> None:
    project({f"a{number}.py": HEAD for number in range(3)})
    monkeypatch.setattr(progress, "_QUIET_START", 0.0)
    monkeypatch.setattr(progress, "_BETWEEN_DRAWS", 0.0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert main(["check", *quiet]) == 0
    written = sys.stderr.getvalue()
    assert ("/3 a" in written) == drawn
    assert written == "" or written.endswith("\r\x1b[K")


@pytest.mark.usefixtures("stand_in")
def test_it_is_cleared_before_a_mistake_is_told(project, monkeypatch) -> None:
    """The bar goes whatever ends the run."""
    from torchlsp.engine.engine import Engine

    def fail(self, paths, draw):
        draw(1, 2, "a.py")
        raise KeyError("of ours")

    project({})
    monkeypatch.setattr(progress, "_QUIET_START", 0.0)
    monkeypatch.setattr(Engine, "check", fail)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert main(["check"]) == 2
    assert sys.stderr.getvalue().split("\r\x1b[K")[-1].startswith("torchlsp: internal error: KeyError")
