"""Starts the worker, communicates with it, and replaces it when it has died."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchlsp.probe import remote
from torchlsp.probe.request import Answer, Error, Hello, Request

if TYPE_CHECKING:
    from collections.abc import Sequence

# Reading a large torch from a cold disk takes this long on a busy machine.
START_SECONDS = 60.0
# Waited for, beyond the programs' own deadlines, before the worker itself is taken for stuck.
GRACE_SECONDS = 15.0
# Given to a command on another machine, to end what it has started there, before it is killed.
FAREWELL_SECONDS = 2.0
# After a start that failed the next try waits: what is broken stays broken for a while.
RETRY_SECONDS = 30.0
_ZYGOTE = Path(__file__).parent / "worker" / "zygote.py"
# Lines that wait to be taken, and bytes of one: a command on another machine may print without end.
_MAX_WAITING = 256
_MAX_LINE = 1 << 24
# Without this one Windows cannot load the libraries of its own.
_KEPT_VARIABLES = ("SYSTEMROOT",)


class Unavailable(Exception):
    """No worker can be started; the text says why."""


class _Gone(Exception):
    """The worker ended or returned nonsense."""


class _Stuck(Exception):
    """The worker did not answer in time."""


class Worker:
    """A worker under one interpreter, started when it is first needed. Safe to share between threads, which wait
    for each other.

    `site_packages` are the folders from which it may import, torch among them. `prefix` goes before the
    interpreter on the command line, as in ("nice", "-n", "10"); `fork` false runs programs in the worker itself.

    `gpu` is the UUID of one, or "idle" for the worker to find one: then programs of kind real-cuda run on it, in the worker
    itself and not locked in.

    `command`, as in ("ssh", "box", "python"), starts a Python on another machine, with the packages that it has of its
    own; see `remote`. With `describe` the worker also tells which GPUs there are.
    """

    def __init__(
        self,
        python: str,
        site_packages: Sequence[str] = (),
        *,
        prefix: Sequence[str] = (),
        fork: bool = True,
        idle: float = 600.0,
        program: Sequence[str] = (str(_ZYGOTE),),
        command: Sequence[str] = (),
        gpu: str | None = None,
        describe: bool = False,
    ) -> None:
        options = {"site": [] if command else list(site_packages), "idle": idle, "fork": fork, "gpu": gpu}
        options["describe"] = describe
        if command:
            self._command = remote.full_command(command, options)
        else:
            self._command = [*prefix, python, "-I", "-S", "-B", *program, json.dumps(options)]
        self._remote = remote.shown(command) if command else None
        self._errors: remote.LastLine | None = None
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: queue.Queue[bytes | None] = queue.Queue(_MAX_WAITING)
        self._hello: Hello | None = None
        self._refused: tuple[float, str] | None = None
        self._number = 0
        self._is_closing = False

    def hello(self) -> Hello:
        """Returns the worker's description of itself, after starting it. Raises Unavailable."""
        with self._lock:
            return self._started()

    def run(self, batch: Sequence[Request], deadline: float) -> list[Answer]:
        """Runs programs and returns one answer for each, in order; `deadline` is in seconds for each of them.

        A worker that was killed is replaced once in the middle of a batch. Raises Unavailable.
        """
        if not batch:
            return []
        with self._lock:
            hello = self._started()
            if hello.sandbox.get("fork"):
                return self._together(batch, deadline, GRACE_SECONDS + len(batch) * (deadline + 1))
            answers: list[Answer] = []
            for one in batch:
                answers.extend(self._together([one], deadline, deadline + 1))
            return answers

    def close(self) -> None:
        """Ends the worker, whatever it is doing; another use starts a new one."""
        self._is_closing = True
        process = self._process
        if process is not None:
            # Those who wait for an answer hold the lock, and this lets them go.
            with contextlib.suppress(OSError):
                process.kill()
        with self._lock:
            self._is_closing = False
            self._end()

    def kill(self) -> None:
        """Ends the worker and the programs that it runs, without waiting for those who use it: for a process
        that is about to exit."""
        self._is_closing = True
        process = self._process
        if process is not None:
            _kill(process, signal.SIGTERM if self._remote else _KILL)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The process id of the running worker."""
        return self._process.pid if self._process is not None else None

    def _together(self, batch: Sequence[Request], deadline: float, limit: float) -> list[Answer]:
        for is_last in (False, True):
            try:
                self._started()
                return self._exchange(batch, deadline, limit)
            except _Stuck:
                self._end()
                return [_lost(one, "timeout", "Timeout", "it did not end in time") for one in batch]
            except _Gone as gone:
                self._end()
                if is_last or self._is_closing:
                    return [_lost(one, "crash", "Crash", str(gone)) for one in batch]
        raise AssertionError("the second round returns")

    def _exchange(self, batch: Sequence[Request], deadline: float, limit: float) -> list[Answer]:
        self._number += 1
        programs = [one.to_json() for one in batch]
        self._send({"id": self._number, "batch": programs, "deadline": deadline})
        reply = self._receive(limit)
        try:
            if reply["id"] != self._number:
                raise ValueError(str(reply.get("error", "an answer to another question")))
            answers = [Answer.from_json(one) for one in reply["results"]]
            if [answer.key for answer in answers] != [one.key for one in batch]:
                raise ValueError("answers to other programs")
        except (KeyError, TypeError, ValueError) as problem:
            raise _Gone(f"the worker answered nonsense: {problem}") from None
        return answers

    def _started(self) -> Hello:
        if self._process is not None and self._process.poll() is None and self._hello is not None:
            return self._hello
        self._end()
        if self._refused is not None and time.monotonic() < self._refused[0]:
            raise Unavailable(self._refused[1])
        try:
            self._hello = self._start()
        except Unavailable as problem:
            self._end()
            if not self._is_closing:
                self._refused = time.monotonic() + RETRY_SECONDS, str(problem)
            raise
        self._refused = None
        return self._hello

    def _start(self) -> Hello:
        environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        if self._remote:
            environment = remote.environment()
        environment |= {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if self._remote else subprocess.DEVNULL,
                env=environment,
                # Not the workspace, whose files could be imported in place of the real ones.
                cwd=os.path.abspath(os.sep),
                # No terminal either: a command that wants a password fails, and says so.
                start_new_session=True,
            )
        except (OSError, ValueError) as problem:
            what = self._remote or "the interpreter"
            raise Unavailable(f"{what} cannot be started: {problem}") from None
        self._lines = queue.Queue(_MAX_WAITING)
        threading.Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True).start()
        if self._remote:
            self._errors = remote.LastLine(self._process.stderr)
            self._send(dict(remote.files()))
        told = self._greeting()
        if told.get("ready") is not True:
            where = f"{self._remote}: " if self._remote else ""
            raise Unavailable(where + str(told.get("reason", "the worker is not ready")))
        try:
            return Hello(
                str(told["torch"]),
                str(told["python"]),
                frozenset(map(str, told["kinds"])),
                dict(told["sandbox"]),
                tuple(map(str, told["problems"])),
                str(told.get("system", "")),
                str(told.get("cuda") or ""),
                tuple(map(str, told.get("gpus", ()))),
                str(told.get("gpu", "")),
            )
        except (KeyError, TypeError, ValueError):
            raise Unavailable("the worker greets in another form") from None

    def _greeting(self) -> dict[str, Any]:
        """Returns the first thing that the worker says. Raises Unavailable.

        On another machine a shell may have printed a banner before, which is skipped.
        """
        if not self._remote:
            try:
                return self._receive(START_SECONDS)
            except _Stuck:
                raise Unavailable(f"the worker was not ready within {START_SECONDS:.0f} seconds") from None
            except _Gone:
                raise Unavailable("the worker ended while it started") from None
        ends = time.monotonic() + remote.START_SECONDS
        skipped = 0
        while skipped <= remote.MAX_BANNER:
            try:
                line = self._lines.get(timeout=max(0.0, ends - time.monotonic()))
            except queue.Empty:
                said = self._errors.get() if self._errors is not None else ""
                waited = f"{self._remote} was not ready within {remote.START_SECONDS:.0f} seconds"
                raise Unavailable(f"{waited}{said and f': {said}'}") from None
            if line is None:
                raise Unavailable(self._ended())
            skipped += len(line)
            with contextlib.suppress(ValueError):
                told = json.loads(line)
                if isinstance(told, dict) and "ready" in told:
                    return told
        raise Unavailable(f"{self._remote} prints something else than the worker's answers")

    def _ended(self) -> str:
        """Words the end of a command that has started no worker."""
        assert self._process is not None and self._errors is not None
        said = self._errors.get(FAREWELL_SECONDS)
        try:
            status = f" with status {self._process.wait(FAREWELL_SECONDS)}"
        except subprocess.TimeoutExpired:
            status = ""
        return f"{self._remote} ended{status} before a worker ran{said and f': {said}'}"

    def _send(self, document: dict[str, Any]) -> None:
        assert self._process is not None and self._process.stdin is not None
        data = json.dumps(document).encode("utf-8") + b"\n"
        if self._remote:
            # In a thread: a job in a queue or a broken connection takes nothing, and its time limit must hold.
            threading.Thread(target=_write, args=(self._process.stdin, data), daemon=True).start()
            return
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except OSError:
            raise _Gone("the worker ended") from None

    def _receive(self, limit: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=limit)
        except queue.Empty:
            raise _Stuck from None
        if line is None:
            raise _Gone("the worker ended")
        try:
            told = json.loads(line)
        except ValueError:
            raise _Gone("the worker answered what is no JSON") from None
        if not isinstance(told, dict):
            raise _Gone("the worker answered what is no object")
        return told

    def _end(self) -> None:
        process, self._process, self._hello = self._process, None, None
        if process is None:
            return
        if self._remote:
            # A job that waits in a queue, or a container, is to be ended by the command that asked for it.
            _kill(process, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(FAREWELL_SECONDS)
        _kill(process)
        process.wait()
        with contextlib.suppress(queue.Empty):
            # Its reader may wait for somebody to take what it has read.
            while self._lines.get(timeout=1.0) is not None:
                pass
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def _kill(process: subprocess.Popen[bytes], how: signal.Signals = _KILL) -> None:
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            # It leads a group of its own; its forks end with it.
            os.killpg(process.pid, how)
    with contextlib.suppress(OSError):
        process.send_signal(how)


def _read(pipe: Any, lines: queue.Queue[bytes | None]) -> None:
    """Hands on what a process prints, no faster than it is taken."""
    with contextlib.suppress(OSError, ValueError):
        while line := pipe.readline(_MAX_LINE):
            lines.put(line)
    lines.put(None)


def _write(pipe: Any, data: bytes) -> None:
    with contextlib.suppress(OSError, ValueError):  # its end is seen by who waits for an answer
        pipe.write(data)
        pipe.flush()


def _lost(request: Request, outcome: str, name: str, text: str) -> Answer:
    return Answer(outcome, Error(name, text), key=request.key)
