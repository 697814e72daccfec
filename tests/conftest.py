"""Sorts all tests into tiers, holds the fast ones to what that promises, and gives every test a place to write a project."""

from __future__ import annotations

import gc
import importlib.util
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings

# What runs programs in torch lies beside the tests; pytest's import mode puts no folder on the path.
sys.path.insert(0, str(Path(__file__).parent / "torch_programs"))

from torch_runs import TorchRuns

from torchlsp.engine.agent_environment import VARIABLES

# What is printed must not depend on who runs the tests.
for name in VARIABLES:
    os.environ.pop(name, None)

# Set before anything imports torch: the tests run several processes side by side.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Else each run rewrites the assertions of all files anew, once in each worker, and each process that a test starts compiles
# what it imports of a fresh checkout.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Where a change is judged, the same commit is judged the same way each time; at home chance goes on looking.
settings.register_profile("judged", derandomize=True)
if "TORCHLSP_REQUIRE" in os.environ:
    settings.load_profile("judged")


# ---- tiers ---------------------------------------------------------------------------------------------------------

SLOWER = ("torch", "processes", "editors", "gpu", "slow")
"""A test that carries none of these markers is `fast`."""
FIXTURES = {"torch_runs": "torch", "git": "processes", "commit": "processes"}
"""The marker that a test has because of a fixture that it uses."""
FAST_CPU_S = 2.0
ATTEMPTS = 3
"""How often a fast test may take long before it fails: once may be a busy machine, or a cache that is filled."""
LOOP_CPU_S = 0.024
"""What `_loop` takes on an idle core: on a busy or slower machine a test may take as much longer as the loop does there."""
STARTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.exec", "os.system"}
WHOLE_FILE = re.compile(r"^pytestmark = (\[.*?^\]|\[[^\n]*\]|[^\n]*)", re.MULTILINE | re.DOTALL)
CPU_TIME = pytest.StashKey[float]()
TOOK_LONG = pytest.StashKey[bool]()


def is_fast(item: pytest.Item) -> bool:
    return item.get_closest_marker("fast") is not None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out files of slower tests where only fast ones are wanted: some import torch at their top."""
    if config.option.markexpr != "fast" or collection_path.suffix != ".py":
        return None
    marks = WHOLE_FILE.search(collection_path.read_text(encoding="utf-8"))
    return True if marks and any(f"mark.{name}" in marks[1] for name in SLOWER) else None


LONG_TEST_FILES = ("test_endurance.py", "test_memory_growth.py", "test_random_edits.py")
"""Run first, so that no worker is left with one of them when the others are done."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name not in LONG_TEST_FILES)
    for item in items:
        for name in FIXTURES.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(FIXTURES[name])
        if not any(item.get_closest_marker(name) for name in SLOWER):
            item.add_marker("fast")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object | None:
    """Keeps neighbouring tests in one worker, so that servers and workers of fixtures start once, until one has none left."""
    if config.getvalue("dist") != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


# As in the server: most of what is made lives as long as the test that makes it.
gc.set_threshold(20_000, 20, 20)


def pytest_collection_finish() -> None:
    """Spares the garbage collector the objects of the collected tests, which live to the end."""
    gc.freeze()


def _loop() -> float:
    """The processor time, in seconds, that a fixed amount of work takes just now."""
    before = time.process_time()
    sum(number * number for number in range(400_000))
    return time.process_time() - before


class Watch:
    """Sees to it that no fast test imports torch or starts a process, while it is on; `broken` says what one did."""

    def __init__(self) -> None:
        self.on = False
        self.broken: list[str] = []

    def hear(self, event: str, args: tuple[object, ...]) -> None:
        if not self.on:
            return
        if event in STARTS:
            self.forbid(f"a fast test starts a process ({event}); mark it `processes`")
        elif event == "import" and str(args[0]).partition(".")[0] == "torch":
            self.forbid("a fast test imports torch; mark it `torch`")

    def forbid(self, what: str) -> None:
        self.broken.append(what)
        pytest.fail(what, pytrace=True)


WATCH = Watch()
sys.addaudithook(WATCH.hear)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """A file of fast tests imports no torch at its top either."""
    WATCH.on = session.config.option.markexpr == "fast"
    try:
        return (yield)
    finally:
        WATCH.on = False


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Watches a fast test, and runs it again when it took long."""
    if not is_fast(item):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    WATCH.on = True
    try:
        for _ in range(ATTEMPTS):
            item.stash[TOOK_LONG] = False
            WATCH.broken.clear()
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            if not item.stash[TOOK_LONG]:
                break
    finally:
        WATCH.on = False
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    before = time.process_time()
    try:
        return (yield)
    finally:
        item.stash[CPU_TIME] = time.process_time() - before


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Fails a fast test that took long, or that did what it may not in a thread or where errors are caught."""
    report = yield
    if call.when == "call" and report.passed and is_fast(item):
        took = item.stash[CPU_TIME]
        if WATCH.broken:
            report.outcome, report.longrepr = "failed", WATCH.broken[0]
        elif took > FAST_CPU_S and took > FAST_CPU_S * max(1.0, _loop() / LOOP_CPU_S):
            item.stash[TOOK_LONG] = True
            report.outcome = "failed"
            report.longrepr = (
                f"a fast test may take {FAST_CPU_S:.0f} s of processor time, this took {took:.1f} s "
                f"and was too slow in each of {ATTEMPTS} runs: make it quicker, split it, or mark it `slow`"
            )
    return report


# ---- fixtures ------------------------------------------------------------------------------------------------------


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
