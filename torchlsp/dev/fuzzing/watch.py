"""Watches what a process takes and leaves: processor time, memory, child processes, its standard output."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

BASE_S = 2.0
"""The processor time, in seconds, that a text may take whatever its size. A few milliseconds are usual."""
PER_CHARACTER_S = 1 / 5_000
CEILING_S = 10.0
"""What nothing may take."""


def seconds_allowed(characters: int) -> float:
    """Returns the processor time that the check of a text may take."""
    return min(BASE_S + characters * PER_CHARACTER_S, CEILING_S)


class TookTooLong(BaseException):
    """Signals that the time is over; not an Exception, so that nothing takes it for an internal error."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TookTooLong once the process has used so much processor time."""

    def end(number: int, frame: FrameType | None) -> None:
        raise TookTooLong(f"took more than {seconds:.1f} s")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@dataclass(slots=True)
class Used:
    """What a block of code has used and left behind."""

    seconds: float = 0.0
    printed: str = ""
    has_children: bool = False

    def problems(self) -> Iterator[str]:
        if self.printed:
            yield f"printed {self.printed[:200]!r}"
        if self.has_children:
            yield "left a process behind"


@contextmanager
def watched(output: int) -> Iterator[Used]:
    """Measures a block; `output` is a file that the standard output of the process was led to."""
    others = descendants(os.getpid())
    used, before = Used(), time.process_time()
    try:
        yield used
    finally:
        used.seconds = time.process_time() - before
        sys.stdout.flush()
        if size := os.fstat(output).st_size:
            used.printed = os.pread(output, size, 0).decode(errors="replace")
            os.ftruncate(output, 0)
            os.lseek(output, 0, os.SEEK_SET)
        used.has_children = not descendants(os.getpid()) <= others


def descendants(process: int) -> set[int]:
    """Returns the processes that a process has started, and those that these have; none where the system does not tell."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(path.parent.name)] = int(_after_name(path)[1])
    found, grown = {process}, True
    while grown:
        more = {child for child, parent in parents.items() if parent in found} - found
        found, grown = found | more, bool(more)
    return found - {process}


def of_session(leader: int) -> set[int]:
    """Returns the processes of a session, whose leader may have ended."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if _after_name(path)[3] == str(leader):
                found.add(int(path.parent.name))
    return found


def lives(process: int) -> bool:
    try:
        return _after_name(Path(f"/proc/{process}/stat"))[0] != "Z"
    except OSError:
        return False


def left_behind(processes: set[int], seconds: float = 5.0) -> set[int]:
    """Returns those processes that have not ended after a time."""
    until = time.monotonic() + seconds
    while (left := {one for one in processes if lives(one)}) and time.monotonic() < until:
        time.sleep(0.05)
    return left


def _after_name(path: Path) -> list[str]:
    """Returns the state of a process, its parent, group and session, and what follows these."""
    return path.read_text(errors="replace").rpartition(")")[2].split()


def limit_memory(megabytes: int) -> None:
    """Limits the address space of this process and of those that it starts."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1_000_000, megabytes * 1_000_000))


def peak_megabytes() -> int:
    """Returns the most memory that this process has had at a time."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_000
