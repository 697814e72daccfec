"""Checks hostile repositories by the real command and the real server, each watched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from torchlsp.dev.fuzzing.repositories import MAKERS, RAN, REFUSED, make
from torchlsp.dev.fuzzing.sessions import Session
from torchlsp.dev.fuzzing.watch import left_behind, of_session

MEMORY_MB = 2_000
WALL_S = 100.0
CPU_S = 45
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("check", ".", "--output-format", "json"),
    ("check", ".", "--output-format", "github", "--jobs", "2"),
    ("check", ".", "--changed-since", "HEAD"),
    ("check", "main.py", "using.py", "--output-format", "concise"),
)
CHECK = (
    "import resource, sys\n"
    "resource.setrlimit(resource.RLIMIT_AS, ({bytes}, {bytes}))\nresource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))\n"
    "from torchlsp.cli.main import main\nsys.exit(main(sys.argv[1:]))\n"
)


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command has printed, and its exit status: None where it had to be ended."""

    status: int | None
    printed: str
    errors: str
    left: int


def problems(
    names: Iterable[str] = tuple(MAKERS), commands: Sequence[Sequence[str]] = COMMANDS, *, served: bool = True
) -> Iterator[str]:
    """Yields what did not hold, each with the repository and the command."""
    for name in names:
        with repository(name) as folder:
            for command in commands:
                for problem in _checked(folder, name, command):
                    yield f"{name}: torchlsp {' '.join(command)}: {problem}"
            for problem in _served(folder) if served else ():
                yield f"{name}: server: {problem}"


@contextmanager
def repository(name: str) -> Iterator[Path]:
    """Makes a repository, and removes it whatever it holds."""
    with tempfile.TemporaryDirectory(prefix="torchlsp-fuzz-") as top:
        folder = Path(top) / "r"
        folder.mkdir()
        try:
            make(name, folder)
            yield folder
        finally:
            # Deeper than Python's own removal goes.
            subprocess.run(["chmod", "-R", "u+rwX", folder], check=False, capture_output=True)
            subprocess.run(["rm", "-rf", folder], check=False)


def ended(folder: Path, command: Sequence[str]) -> Ended:
    """Runs a command of torchlsp in a folder, within limits."""
    code = CHECK.format(bytes=MEMORY_MB * 1_000_000, seconds=CPU_S)
    process = subprocess.Popen(
        # -I: what lies in the folder is not imported.
        [sys.executable, "-I", "-c", code, *command],
        cwd=folder,
        env=os.environ | {"XDG_CACHE_HOME": os.fspath(folder.parent / "cache"), "TORCHLSP_PROBE": "off"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        printed, errors = process.communicate(timeout=WALL_S)
        status: int | None = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        printed, errors = process.communicate()
        status = None
    left = left_behind(of_session(process.pid))
    return Ended(status, printed.decode(errors="replace"), errors.decode(errors="replace"), len(left))


def _checked(folder: Path, name: str, command: Sequence[str]) -> Iterator[str]:
    if "using.py" in command and not (folder / "using.py").exists():
        return
    result = ended(folder, command)
    if result.status is None:
        yield f"no end after {WALL_S:.0f} s"
    if result.left:
        yield f"left {result.left} processes"
    if (folder / RAN).exists():
        yield "ran a program of the repository"
        (folder / RAN).unlink()
    if "Traceback" in result.errors:
        yield f"a traceback: {result.errors[-3000:]}"
    if strange := {
        one
        for one in result.printed + result.errors
        if one < " " and one != "\n" or one in "\x7f\u202e\u2066\x9b"
    }:
        yield f"control characters in what it prints: {sorted(strange)}"
    if (
        result.status == 2
        and result.errors.count("\n") == 1
        and (name in REFUSED or "--changed-since" in command)
    ):
        return
    if result.status != 1:
        yield f"status {result.status}: {result.errors[-1000:]}"
    elif command[3:4] == ("json",):
        rows = [(one["filename"], one["location"]["row"], one["code"]) for one in json.loads(result.printed)]
        if ("main.py", 3, "TL101") not in rows:
            yield f"the mistake in main.py is not among {rows[:10]}"
    elif "main.py" not in result.printed:
        yield "the mistake in main.py is not reported"


def _served(folder: Path) -> Iterator[str]:
    """Asks a server in the folder about a file beside all that, also while it checks the whole folder."""
    began = time.monotonic()
    session = Session(folder)
    yield from session.unanswered
    client = session.client
    for name in ("main.py", "using.py"):
        path = folder / name
        if path.is_file():
            uri = client.open(client.uri(name), path.read_text())
            client.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    yield from session.problems()
    client.ask("workspace/executeCommand", {"command": "torchlsp.checkWorkspace"})
    yield from session.problems()
    yield from session.problems()
    yield from session.end()
    if (folder / RAN).exists():
        yield "ran a program of the repository"
    if (took := time.monotonic() - began) > WALL_S:
        yield f"took {took:.0f} s"
