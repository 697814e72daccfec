"""Shared by all tests: a place to write a project, and threads kept to one."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# What runs programs in torch lies beside the tests; pytest's import mode puts no folder on the path.
sys.path.insert(0, str(Path(__file__).parent / "torch_programs"))

from torch_runs import TorchRuns

# Set before anything imports torch: the tests run several processes side by side.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Where a change is judged, the same commit is judged the same way each time; at home chance goes on looking.
settings.register_profile("judged", derandomize=True)
if "TORCHLSP_REQUIRE" in os.environ:
    settings.load_profile("judged")


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory):
    """What runs keep between them (verdicts) must not reach from one session of the tests into the next."""
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["XDG_CACHE_HOME"]
    else:
        os.environ["XDG_CACHE_HOME"] = before


@pytest.fixture(scope="session")
def torch_runs() -> Iterator[TorchRuns]:
    """Runs programs in real torch, each in a fork of one process that has imported it."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    runs = TorchRuns()
    yield runs
    runs.close()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function that writes files, given by relative path, into an empty working directory."""
    monkeypatch.chdir(tmp_path)

    def write(files: dict[str, str | bytes]) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function that runs git in the working directory of a test, an empty repository on the branch `main`; it knows
    nothing of the settings of the machine. Answers what git prints."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    person = {
        f"GIT_{who}_{what}": "nobody@example.org"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    for name, value in {**person, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, cwd: Path | None = None) -> str:
        done = subprocess.run(["git", *arguments], cwd=cwd, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    run("init", "--quiet", "--initial-branch", "main")
    return run


@pytest.fixture
def commit(project, git):
    """A function that writes files (those whose content is None are deleted) and commits all there is; answers the
    name of the commit."""

    def make(files: dict[str, str | bytes | None]) -> str:
        root = project({name: content for name, content in files.items() if content is not None})
        for name in files:
            if files[name] is None:
                (root / name).unlink()
        git("add", "--all")
        git("commit", "--quiet", "--allow-empty", "--message", "work")
        return git("rev-parse", "HEAD")

    return make
