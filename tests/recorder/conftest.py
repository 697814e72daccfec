"""Runs programs with `torchlsp record` and reads what was kept."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from torchlsp.recorder import store
from torchlsp.recorder.reading import ObservedCall, ObservedFunction, Record, load

ROOT = Path(__file__).parents[2]


@dataclass
class Recorded:
    """A run that has ended."""

    status: int
    out: str
    err: str
    root: Path
    cache: Path

    @property
    def folder(self) -> str:
        return store.records_folder(str(self.cache), str(self.root))

    @property
    def record(self) -> Record:
        return load(self.folder)

    @property
    def text(self) -> str:
        """All that is stored, as it lies on the disk."""
        return "".join(path.read_text() for path in sorted(Path(self.folder).rglob("*")) if path.is_file())

    def function(self, name: str, file: str = "main.py") -> ObservedFunction:
        found = [
            one for one in self.record.functions(str(self.root / file)) if name in (one.name, one.qualname)
        ]
        assert len(found) == 1, found
        return found[0]

    def calls(self, name: str, file: str = "main.py") -> tuple[ObservedCall, ...]:
        return self.function(name, file).calls

    def assert_no_errors(self) -> None:
        """The recorder has no errors of its own to tell."""
        assert not list(Path(self.folder).rglob("errors")), [
            path.read_text() for path in Path(self.folder).rglob("errors")
        ]


class Project:
    """A folder with programs, and a cache."""

    def __init__(self, root: Path, cache: Path) -> None:
        self.root, self.cache = root, cache

    def write(self, text: str, name: str = "main.py") -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def command(self, *command: str, options: tuple[str, ...] = ()) -> list[str]:
        ours = [sys.executable, "-m", "torchlsp", "record", "--root", str(self.root)]
        return [*ours, "--cache-dir", str(self.cache), *options, "--", *command]

    def environment(self, **more: str) -> dict[str, str]:
        # torchlsp itself is found by an option of ours, not by PYTHONPATH, which the program would see.
        kept = {
            name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "XDG_CACHE_HOME")
        }
        return kept | {"OMP_NUM_THREADS": "1"} | more

    def run(
        self, *command: str, options: tuple[str, ...] = (), input: str | None = None, **environment: str
    ) -> Recorded:
        """Runs a command, or `python main.py`, with the recorder."""
        words = command or (sys.executable, "main.py")
        ended = subprocess.run(
            self.command(*words, options=options),
            cwd=self.root,
            env=self.environment(**environment),
            capture_output=True,
            text=True,
            input=input,
            timeout=240,
        )
        return Recorded(ended.returncode, ended.stdout, ended.stderr, self.root, self.cache)

    def plain(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs it without the recorder."""
        words = command or (sys.executable, "main.py")
        return subprocess.run(
            words,
            cwd=self.root,
            env=self.environment(**environment),
            capture_output=True,
            text=True,
            timeout=240,
        )


@pytest.fixture(scope="session")
def new_place(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Project]:
    """A function that makes an empty project with a cache of its own."""
    return lambda: Project(tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("cache"))


@pytest.fixture
def place(tmp_path: Path) -> Project:
    root = tmp_path / "project"
    root.mkdir()
    return Project(root, tmp_path / "cache")
