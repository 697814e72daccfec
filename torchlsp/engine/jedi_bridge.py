"""Resolves names unknown to the analysis with jedi, in a separate process with a time budget."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
from asyncio.subprocess import DEVNULL, PIPE
from typing import TYPE_CHECKING, TypeVar

from torchlsp.core.records import dataclass
from torchlsp.facts.torch_names import canonical

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from torchlsp.core.decoded import Table

Result = TypeVar("Result")

# Seconds that a worker may take until it is ready; no request's budget pays for that.
START_LIMIT = 20.0
# Bytes of one answer.
LINE_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Symbol:
    """The definition that a name refers to. `full_name` is torch's public name where it has one. `kind` is
    jedi's word: function, class, module, instance (`full_name` is then its class), statement, param.
    `description`: the signature, if any, and the first line of the docstring, if any, in two lines."""

    full_name: str
    kind: str
    description: str
    defined_in: str | None


def worker_command() -> list[str] | None:
    """Returns the command that starts the worker; None when jedi is not installed. Without the user's site
    and environment variables, so the folders of jedi and its parser are passed."""
    specs = [importlib.util.find_spec(name) for name in ("jedi", "parso")]
    if not sys.executable or any(spec is None or spec.origin is None for spec in specs):
        return None
    folders = [os.path.dirname(os.path.dirname(spec.origin)) for spec in specs if spec and spec.origin]
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "jedi_worker.py")
    return [sys.executable, "-I", "-S", script, *folders]


class JediBridge:
    """The client of one worker, which is started at the first request and handles one request at a time.

    A request that takes longer than its budget is answered None, and its worker killed; the next request starts
    another. While a worker is starting, requests that run out of time leave it alone.
    """

    __slots__ = ("_closed", "_command", "_newest", "_number", "_starting", "_tasks", "_turn", "_worker")

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self._command = command
        self._turn = asyncio.Lock()
        self._worker: asyncio.subprocess.Process | None = None
        self._starting: asyncio.Task[None] | None = None
        # The newest request of each purpose; done as soon as its answer is not needed.
        self._newest: dict[str, asyncio.Future[None]] = {}
        self._tasks: set[asyncio.Task[object]] = set()
        self._number = 0
        self._closed = False

    async def resolve(
        self,
        path: str,
        text: str,
        row: int,
        column: int,
        *,
        root: str,
        site_packages: list[str],
        budget: float,
        purpose: str = "hover",
    ) -> Symbol | None:
        """Returns the definition of the name at a place of a document. None when jedi does not know, or not
        in time.

        `row` from 1, `column` from 0 in code points; `budget` in seconds. A newer request of the same purpose
        answers the older one with None. Never raises.
        """
        if self._closed:
            return None
        loop = asyncio.get_running_loop()
        deadline = loop.time() + budget
        unwanted = loop.create_future()
        _settle(self._newest.get(purpose))
        self._newest[purpose] = unwanted
        question = {
            "path": path,
            "text": text,
            "row": row,
            "column": column,
            "root": root,
            "site_packages": site_packages,
        }
        exchange = self._keep(self._exchange(question, unwanted, deadline))
        try:
            await asyncio.wait({exchange, unwanted}, timeout=budget, return_when=asyncio.FIRST_COMPLETED)
            if unwanted.done() or not exchange.done() or exchange.exception() is not None:
                return None
            return exchange.result()
        finally:
            _settle(unwanted)
            if self._newest.get(purpose) is unwanted:
                del self._newest[purpose]

    async def close(self) -> None:
        """Ends the worker and resolves waiting requests to None. Nothing is started any more."""
        self._closed = True
        for unwanted in self._newest.values():
            _settle(unwanted)
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._end_worker()

    async def _exchange(
        self, question: Table, unwanted: asyncio.Future[None], deadline: float
    ) -> Symbol | None:
        """Sends a request when the previous ones are done. Once asked, the worker is watched until it answers
        or the time is over, even if the answer is not needed any more: a worker that answers late could not
        be distinguished from one that hangs."""
        loop = asyncio.get_running_loop()
        async with self._turn:
            # Once more if the worker had ended since it was last asked.
            for _ in range(2):
                worker = await self._ready_worker(deadline)
                if worker is None or unwanted.done() or loop.time() >= deadline:
                    return None
                try:
                    return await asyncio.wait_for(self._ask(worker, question), deadline - loop.time())
                except asyncio.TimeoutError:
                    await self._end_worker()
                    return None
                except (OSError, ValueError, TypeError, LookupError):
                    # It is gone, or does not speak our language.
                    await self._end_worker()
        return None

    async def _ready_worker(self, deadline: float) -> asyncio.subprocess.Process | None:
        """Returns the worker, started if there is none. None when that fails or takes longer than the
        deadline."""
        if self._worker is not None and self._worker.returncode is None:
            return self._worker
        if self._starting is None or self._starting.done():
            await self._end_worker()
            self._starting = self._keep(self._start())
        await asyncio.wait({self._starting}, timeout=max(0.0, deadline - asyncio.get_running_loop().time()))
        return self._worker

    async def _ask(self, worker: asyncio.subprocess.Process, question: Table) -> Symbol | None:
        """Sends one request and returns its response. Raises OSError, ValueError, TypeError or LookupError
        when no such answer comes."""
        assert worker.stdin is not None and worker.stdout is not None
        self._number += 1
        worker.stdin.write(json.dumps({"id": self._number, "question": question}).encode() + b"\n")
        await worker.stdin.drain()
        answer = json.loads(await worker.stdout.readline())
        if answer["id"] != self._number:
            raise ValueError("an answer to something else")
        return None if answer["symbol"] is None else _symbol(**answer["symbol"])

    async def _start(self) -> None:
        """Starts a worker and keeps it once it is ready; leaves none when that fails."""
        worker = None
        try:
            command = self._command or worker_command()
            if command is None:
                return
            worker = await asyncio.create_subprocess_exec(
                *command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                limit=LINE_LIMIT,
                # On Windows an editor's server has no console, and each process would open one.
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
            assert worker.stdout is not None
            greeting = json.loads(await asyncio.wait_for(worker.stdout.readline(), START_LIMIT))
            if greeting == {"ready": True}:
                self._worker, worker = worker, None
        except (asyncio.TimeoutError, OSError, ValueError):
            pass
        finally:
            if worker is not None:
                await _end(worker)

    async def _end_worker(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            await _end(worker)

    def _keep(self, work: Coroutine[object, object, Result]) -> asyncio.Task[Result]:
        """Keeps a reference to a task that nobody awaits."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


# What torch offers without writing the names down: its C++ parts, and what it imports with a star.
_UNWRITTEN = (
    ("torch._C._VariableFunctions.", "torch."),
    ("torch._C._nn.", "torch.nn.functional."),
    ("torch._C.TensorBase.", "torch.Tensor."),
    ("torch.TensorBase.", "torch.Tensor."),
    ("torch.functional.", "torch."),
)


def _symbol(
    full_name: str, module: str | None, kind: str, description: str, defined_in: str | None
) -> Symbol:
    """Returns a symbol under torch's public name: only what is directly in a module has one there."""
    inner = full_name.removeprefix(f"{module}.") if module else full_name
    if inner != full_name:
        first, dot, rest = inner.partition(".")
        full_name = f"{canonical(f'{module}.{first}')}{dot}{rest}"
    for private, public in _UNWRITTEN:
        if full_name.startswith(private):
            full_name = public + full_name.removeprefix(private)
    return Symbol(full_name, kind, description, defined_in)


def _settle(future: asyncio.Future[None] | None) -> None:
    if future is not None and not future.done():
        future.set_result(None)


async def _end(worker: asyncio.subprocess.Process) -> None:
    if worker.returncode is None:
        try:
            worker.kill()
        except ProcessLookupError:
            pass
    # Reads what is left and waits, so that no pipe and no dead process remains.
    await worker.communicate()
