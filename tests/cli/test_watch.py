"""`torchlsp check --watch` in a process of its own: what makes it check again, what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, Queue

import pytest

from torchlsp.cli import watching
from torchlsp.cli.main import main
from torchlsp.engine.engine import CheckResult, Engine, Options

ROOT = Path(__file__).parents[2]
GOOD = "import torch\n\nx = torch.zeros(2, 3)\n"
BAD = "import torch\n\nx = torch.zeros(2, 3).t().view(6)\n"
PATIENCE = 60


class Watcher:
    """A process that watches, with the lines that it has printed on either stream."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1",
            "TORCHLSP_CACHE_DIR": str(folder / ".c"),
        }
        command = [
            sys.executable,
            "-m",
            "torchlsp",
            "check",
            "--watch",
            "--output-format",
            "concise",
            *arguments,
        ]
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A shell starts its background jobs with SIGINT ignored, and that would be inherited.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.told: list[str] = []
        self.lines: dict[str, Queue[str]] = {}
        for name, stream in (("out", self.process.stdout), ("err", self.process.stderr)):
            assert stream is not None
            self.lines[name] = Queue()
            threading.Thread(target=self._read, args=(stream, self.lines[name]), daemon=True).start()

    def _read(self, stream, lines: Queue[str]) -> None:
        for line in stream:
            lines.put(line.rstrip("\n"))

    def checked(self) -> list[str]:
        """The findings of the check that ends next, or has ended."""
        while True:
            line = self.lines["err"].get(timeout=PATIENCE)
            self.told.append(line)
            if "; Ctrl-C ends it" in line:
                break
        found = []
        while True:
            try:
                found.append(self.lines["out"].get(timeout=0.05))
            except Empty:
                return found

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(PATIENCE)
        while True:
            try:
                self.told.append(self.lines["err"].get(timeout=0.05))
            except Empty:
                return status


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[object]:
    started: list[Watcher] = []

    def start(*arguments: str) -> Watcher:
        started.append(Watcher(tmp_path, *arguments))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.communicate()


def codes(lines: list[str]) -> list[tuple[str, str]]:
    return [(line.split(":")[0], line.split()[2]) for line in lines]


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process is not sent Ctrl-C alone there")


@pytest.mark.processes
def test_files_are_checked_again_when_they_change_come_or_go(tmp_path: Path, watch) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "a.py").write_text(GOOD)
    watcher = watch()
    assert watcher.checked() == []
    (tmp_path / "a.py").write_text(BAD)
    assert codes(watcher.checked()) == [("a.py", "TL101")]
    assert watcher.told[-2].endswith(" a.py changed")
    (tmp_path / "b.py").write_text(BAD)
    assert codes(watcher.checked()) == [("a.py", "TL101"), ("b.py", "TL101")]
    (tmp_path / "a.py").unlink()
    assert codes(watcher.checked()) == [("b.py", "TL101")]
    (tmp_path / "pyproject.toml").write_text('[tool.torchlsp]\nselekt = ["TL1"]\n')
    assert watcher.checked() == []
    assert "pyproject.toml:2: unknown key `selekt`, did you mean `select`?" in watcher.told[-2]
    (tmp_path / "pyproject.toml").write_text('[tool.torchlsp]\nselect = ["TL5"]\n')
    assert watcher.checked() == []
    (tmp_path / "pyproject.toml").write_text("")
    assert codes(watcher.checked()) == [("b.py", "TL101")]
    assert watcher.end() == 0
    assert all(line.startswith("torchlsp: ") for line in watcher.told)
    assert not any("Traceback" in line for line in watcher.told)


@pytest.mark.processes
@pytest.mark.parametrize("cache", [(), ("--no-cache",)])
def test_a_file_that_is_imported_from_elsewhere_is_watched_too(tmp_path: Path, watch, cache) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "src").mkdir()
    (tmp_path / "lib.py").write_text("def turned(x):\n    return x\n")
    (tmp_path / "src" / "a.py").write_text(
        "import torch\nfrom lib import turned\n\ny = turned(torch.zeros(2, 3)).view(6)\n"
    )
    watcher = watch("src/a.py", *cache)
    assert watcher.checked() == []
    for _ in range(2):
        (tmp_path / "lib.py").write_text("def turned(x):\n    return x.t()\n")
        assert codes(watcher.checked()) == [("src/a.py", "TL101")]
        (tmp_path / "lib.py").write_text("def turned(x):\n    return x\n")
        assert watcher.checked() == []
    assert watcher.end() == 0


def test_a_file_that_is_written_during_the_check_is_checked_again(tmp_path, monkeypatch, capsys) -> None:
    """The stand-in for a check writes a file that it has read already; the second check is interrupted."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.py"
    path.write_text(GOOD)
    os.utime(path, (1_000_000_000, 1_000_000_000))
    options = Namespace(
        paths=["."], config=None, baseline=None, recorded=None, force_exclude=False, watch=True
    )
    texts: list[str] = []

    def check() -> tuple[int, Engine, CheckResult]:
        texts.append(path.read_text())
        if len(texts) == 2:
            raise KeyboardInterrupt
        path.write_text(BAD)
        return 0, Engine(Options()), CheckResult()

    assert watching.watch(options, check) == 0
    assert texts == [GOOD, BAD]
    assert "torchlsp: watching 1 file; Ctrl-C ends it" in capsys.readouterr().err


@pytest.mark.processes
def test_another_format_is_written_to_its_file_after_each_change(tmp_path: Path, watch) -> None:
    (tmp_path / "a.py").write_text(GOOD)
    watcher = watch("--output-format", "json", "--output-file", "found.json")
    watcher.checked()
    assert json.loads((tmp_path / "found.json").read_text()) == []
    (tmp_path / "a.py").write_text(BAD)
    watcher.checked()
    assert [one["code"] for one in json.loads((tmp_path / "found.json").read_text())] == ["TL101"]
    assert watcher.end() == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fix"], "--watch and --fix contradict each other"),
        (["--diff"], "--watch and --diff contradict each other"),
        (["--write-baseline", "b"], "--watch and --write-baseline contradict each other"),
        (["-"], "--watch needs files, not standard input"),
        (["--output-format", "json"], "--watch prints text, not json; --output-file writes it to a file"),
        (["absent.py"], "no such file or folder: absent.py"),
        (["--select", "TL5O1"], "--select: unknown rule `TL5O1`"),
    ],
)
def test_what_cannot_be_watched_is_refused_at_once(tmp_path, capsys, monkeypatch, arguments, message) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", "--watch", *arguments]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.startswith(f"torchlsp: {message}")) == ("", True)
