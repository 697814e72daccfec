"""Runs a command of the user's as it is, records what its Python processes do, and keeps the record when it has ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from torchlsp.core.records import dataclass
from torchlsp.files import read_bytes
from torchlsp.recorder import store
from torchlsp.recorder.reading import SOURCES_FILE, Line, read_lines
from torchlsp.syntax.function_digests import FunctionSource, functions_of_text

AGENT = Path(__file__).parent / "agent"
VARIABLE = "TORCHLSP_RECORD"
_PASSED_ON = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command has ended, and what was recorded of it."""

    status: int
    """As a shell has it: 128 and the number of the signal, where a signal has ended it."""
    functions: int
    calls: int
    files: int
    processes: int
    """Python processes that were watched."""
    problem: str | None
    """Why nothing could be kept."""


class CannotStart(Exception):
    """The command does not exist or may not be run; `status` is what a shell would end with."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def run(command: Sequence[str], root: str, folder: str, steps: int | None = None) -> Ended:
    """Runs a command and keeps its record below `folder`, the workspace's folder in the cache.

    Whatever goes wrong with the record is told in `problem`; the command runs all the same, and its status is returned.
    """
    root = os.path.realpath(root)
    environment = dict(os.environ)
    problem: str | None = None
    run_folder: str | None = None
    try:
        run_folder = store.new_run(folder)
        settings = os.path.join(run_folder, "settings.json")
        store.write_json(settings, {"root": root, "folder": run_folder, "steps": steps, "exclude": []})
        environment[VARIABLE] = settings
        before = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join([str(AGENT), *([before] if before else [])])
    except OSError as failure:
        problem = f"{failure.strerror or failure}: {failure.filename or folder}"
        environment.pop(VARIABLE, None)
    started = time.time()
    try:
        status = _status_of(command, environment)
    except CannotStart:
        if run_folder is not None:
            store.delete_run(run_folder)
        raise
    if run_folder is None or problem is not None:
        return Ended(status, 0, 0, 0, 0, problem)
    return _keep(run_folder, folder, command, root, started, status)


def _status_of(command: Sequence[str], environment: dict[str, str]) -> int:
    """Runs a command with our input, output and terminal, and returns how it ends."""
    children: list[subprocess.Popen[bytes]] = []
    with _signals_go_to(children):
        try:
            child = subprocess.Popen(list(command), env=environment)
        except FileNotFoundError:
            raise CannotStart(f"{command[0]}: command not found", 127) from None
        except OSError as failure:
            raise CannotStart(f"{command[0]}: {failure.strerror or failure}", 126) from None
        children.append(child)
        status = child.wait()
    return 128 - status if status < 0 else status


@contextlib.contextmanager
def _signals_go_to(children: list[subprocess.Popen[bytes]]) -> Iterator[None]:
    """Passes signals on while the command runs. Ctrl-C reaches it by itself, from the terminal.

    The handlers are functions, never "ignore", which the command would inherit.
    """

    def pass_on(number: int, frame: object) -> None:
        for child in children:
            with contextlib.suppress(OSError):
                child.send_signal(number)

    def leave_to_terminal(number: int, frame: object) -> None:
        pass

    before = {}
    try:
        for name, handler in (("SIGINT", leave_to_terminal), *((one, pass_on) for one in _PASSED_ON)):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, handler)
    except ValueError:
        pass  # not in the main thread: nothing is to be passed on
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def _keep(
    run_folder: str, folder: str, command: Sequence[str], root: str, started: float, status: int
) -> Ended:
    """Ends the transaction of a run: digests of the sources, then the file that makes the run one."""
    lines = read_lines(run_folder)
    functions = [one for one in lines if one["k"] == "function"]
    calls = sum(one["k"] == "call" and not _is_of_body(one) for one in lines)
    processes = len({one["file"] for one in lines})
    distinct = {(one.get("f"), one.get("l"), one.get("n")) for one in functions if one.get("n") != "<module>"}
    files = {one.get("f") for one in functions}
    if not functions:
        store.delete_run(run_folder)
        return Ended(status, 0, 0, 0, processes, None)
    try:
        store.write_json(os.path.join(run_folder, SOURCES_FILE), _sources(functions))
        told = {
            "command": shown_command(command),
            "started": started,
            "ended": time.time(),
            "status": status,
            "root": root,
            "processes": processes,
        }
        store.write_json(os.path.join(run_folder, store.RUN_FILE), told)
        store.trim(folder)
    except OSError as failure:
        store.delete_run(run_folder)
        return Ended(status, 0, 0, 0, processes, str(failure.strerror or failure))
    return Ended(status, len(distinct), calls, len(files), processes, None)


def _is_of_body(call: Line) -> bool:
    return call.get("p") == {} and call.get("g") is None


def shown_command(command: Sequence[str]) -> list[str]:
    """The program and the script or module of a command; other arguments may hold anything and are not kept."""
    shown = [os.path.basename(command[0])]
    for at, argument in enumerate(command[1:], 1):
        if argument == "-m" and at + 1 < len(command):
            return [*shown, "-m", command[at + 1]]
        if argument.endswith(".py"):
            return [*shown, os.path.basename(argument)]
    return shown


def _sources(functions: list[Line]) -> dict[str, dict[str, object]]:
    """Digests of the recorded functions, for files that are as they were when the run has read them."""
    told: dict[str, dict[str, object]] = {}
    wanted: dict[tuple[str, str], set[tuple[str, int]]] = {}
    for one in functions:
        path, digest, name, line = one.get("f"), one.get("h"), one.get("n"), one.get("l")
        if (
            isinstance(path, str)
            and isinstance(digest, str)
            and isinstance(name, str)
            and isinstance(line, int)
        ):
            wanted.setdefault((path, digest), set()).add((name, line))
    for (path, digest), places in wanted.items():
        try:
            content = read_bytes(path)
        except OSError:
            continue
        if sha256(content).hexdigest()[:16] != digest:
            continue
        by_place: dict[tuple[str, int], list[FunctionSource]] = {}
        for source in functions_of_text(content):
            # Python gives the body of a module the line 0 or 1.
            by_place.setdefault((source.name, source.line), []).append(source)
        for name, line in places:
            found = by_place.get((name, 1 if name == "<module>" else line), [])
            if len(found) == 1:
                source = found[0]
                told[f"{path}\n{name}\n{line}\n{digest}"] = {
                    "qualname": source.qualname,
                    "digest": source.digest(),
                    "lines": source.lines_digest(),
                    "last": source.last_line,
                }
    return told
