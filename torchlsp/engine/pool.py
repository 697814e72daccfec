"""Runs work on many items in several processes; one that dies loses only its own item."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from torchlsp.files import read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# Source that one process analyses in a second: timm and torchvision take 0.39 and 0.45 million bytes.
_BYTES_PER_SECOND = 400_000
# A file without a word of torch is parsed only, which takes about a twentieth of the time.
_ONLY_PARSED = 20
# Below this much estimated work a run stays in one process; one more process for each such part above.
_WORTH_A_POOL = 1.0
_WORTH_A_PROCESS = 0.5
# How long a process whose connection is closed may take to end by itself, in seconds.
_TIME_TO_END = 5.0


@dataclass(frozen=True, slots=True)
class Failed:
    """The outcome of an item whose process failed: why, as the end of a sentence about the process. `died` if
    it did."""

    reason: str
    died: bool = False


@dataclass(slots=True, eq=False)
class _Worker(Generic[Item]):
    """A process and the item that it works on; `ready` once it has reported that it can start."""

    process: BaseProcess
    connection: Connection
    item: Item | None = None
    ready: bool = False


def seconds_by_path(paths: Iterable[str], triggers: Sequence[str]) -> dict[str, float]:
    """Estimates the seconds that checking each file takes, from its size and whether it has a trigger word."""
    words = [word.encode() for word in triggers]
    found: dict[str, float] = {}
    for path in paths:
        try:
            data = read_source(path)
        except OSError:
            data = b""
        seconds = len(data) / _BYTES_PER_SECOND
        found[path] = seconds if any(word in data for word in words) else seconds / _ONLY_PARSED
    return found


def number_of_workers(jobs: int, seconds: Iterable[float]) -> int:
    """Returns how many processes to use for the files that take so long. 1 when no more are worth their
    start.

    `jobs` is the most there may be, 0 for as many as there are CPUs for this process.
    """
    most = jobs or available_cpus()
    times = list(seconds)
    total = sum(times)
    if total < _WORTH_A_POOL:
        return 1
    return max(1, min(most, len(times), int(total / _WORTH_A_PROCESS)))


def available_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def each(
    items: Iterable[Item],
    work: Callable[[Item], Answer],
    workers: int,
    started: Callable[[Item], None] = lambda item: None,
    *,
    never_here: bool = False,
) -> Iterator[tuple[Item, Answer | Failed]]:
    """Yields every item (none is None) with the result of `work`, in the order in which the results arrive.

    Items are begun in their order, one at a time in each process, and `started` is called for each; so when a process
    dies, its item is known and the others go to another process. Whatever ends this generator, an interrupt
    included, ends the processes. Where processes are not forked, `work` is pickled. Where none can be started, the work
    is done here, unless it must never be.
    """
    import multiprocessing
    from multiprocessing.connection import wait

    context = multiprocessing.get_context("fork" if _may_fork() else "spawn")
    waiting = deque(items)
    running: dict[Connection, _Worker[Item]] = {}
    try:
        for _ in range(min(workers, len(waiting))):
            _start(context, work, running)
        while waiting or any(worker.item is not None for worker in running.values()):
            if not running:
                # No process could even begin, whatever the reason: then it is done here.
                item = waiting.popleft()
                started(item)
                yield item, Failed("could not begin", died=True) if never_here else work(item)
                continue
            for connection in wait(list(running)):
                worker = running[connection]  # type: ignore[index]  # `wait` returns what it was given
                done, worker.item = worker.item, None
                try:
                    answer = worker.connection.recv()
                except (EOFError, OSError):
                    answer = _ended(running.pop(worker.connection))
                    if worker.ready and waiting:
                        _start(context, work, running)
                else:
                    worker.ready = True
                    if waiting and _given(worker, waiting[0]):
                        started(waiting.popleft())
                if done is not None:
                    yield done, answer
    finally:
        for worker in running.values():
            worker.process.kill()  # they hold nothing that needs an orderly end
        for worker in running.values():
            _ended(worker)


def _may_fork() -> bool:
    """Returns whether the process may fork: a fork copies one thread only, and the locks of others would stay
    locked."""
    if sys.platform != "linux":
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def _given(worker: _Worker[Item], item: Item) -> bool:
    """Returns whether the process took the item; if not, it died idle, which reading from it shows."""
    try:
        worker.connection.send(item)
    except OSError:
        return False
    worker.item = item
    return True


def _start(
    context: BaseContext, work: Callable[[Item], Answer], running: dict[Connection, _Worker[Item]]
) -> None:
    ours, theirs = context.Pipe()
    # A forked process has copies of our ends: while it keeps them, the others would not see us die.
    is_forked = context.get_start_method() == "fork"
    to_close = (*running, ours) if is_forked else ()
    process = context.Process(  # type: ignore[attr-defined]  # every context has it, BaseContext does not say so
        target=_serve, args=(theirs, work, gc.isenabled(), to_close), daemon=True
    )
    with _interrupts_held_back():
        try:
            process.start()
        except OSError:
            # No memory or no room for another process: those that run do its work.
            ours.close()
        else:
            running[ours] = _Worker(process, ours)
        finally:
            theirs.close()


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Blocks Ctrl-C, which reaches every process of a terminal, until a new process can ignore it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ended(worker: _Worker[Item]) -> Failed:
    """Waits for a process that ends, and describes how it ended."""
    worker.connection.close()
    worker.process.join(_TIME_TO_END)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()
    code = worker.process.exitcode or 0
    worker.process.close()
    if code >= 0:
        return Failed(f"ended with status {code}", died=True)
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    why = ", perhaps for want of memory" if name == "SIGKILL" else ""
    return Failed(f"was killed by {name}{why}", died=True)


def _serve(
    connection: Connection,
    work: Callable[[Item], Answer],
    collecting: bool,
    to_close: tuple[Connection, ...],
) -> None:
    """Runs a worker process until its connection closes: the parent ends it, or has died."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in to_close:
        other.close()
    if not collecting:
        gc.disable()
    # Objects from before the fork are never garbage, and visiting them would copy their pages.
    gc.freeze()
    try:
        connection.send(None)
        while True:
            item = connection.recv()
            try:
                connection.send(work(item))
            except OSError:
                return
            except Exception as failure:
                connection.send(Failed(f"raised {type(failure).__name__}: {failure}"))
    except (EOFError, OSError):
        return
