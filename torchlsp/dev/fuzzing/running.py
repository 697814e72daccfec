"""Runs mutants in a child process of limited memory, which is ended where it stands still, and begun again."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from torchlsp.dev.fuzzing.checking import Checker, Folders
from torchlsp.dev.fuzzing.mutants import Mutant, mutant
from torchlsp.dev.fuzzing.watch import (
    TookTooLong,
    limit_memory,
    peak_megabytes,
    seconds_allowed,
    time_limit,
    watched,
)

MEMORY_MB = 1_500
SILENCE_S = 150.0
"""How long a child may say nothing before it is ended. Its own clock counts processor time only, in Python code only."""
_EDITED = 4
"""How many analyses, at most, a mutant's check is: three more where it is edited."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one mutant: its problems, each of which may have several lines, and what it cost."""

    number: int
    about: str
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0
    steps: int = 0
    findings: int = 0
    megabytes: int = 0


def outcomes(run: int, numbers: Iterable[int], memory_mb: int = MEMORY_MB) -> Iterator[Outcome]:
    """Yields the outcome of each mutant. One that ends its process has that as its problem, and another process goes on."""
    left = list(numbers)
    while left:
        child = _Child(run, left, memory_mb)
        try:
            for outcome in child.outcomes():
                left.remove(outcome.number)
                yield outcome
        finally:
            child.end()
        if not left:
            break
        # The child ended with the mutant that it had begun.
        yield Outcome(left[0], str(mutant(run, left.pop(0))), [child.how])


class _Child:
    def __init__(self, run: int, numbers: list[int], memory_mb: int) -> None:
        self.how = "never began"
        self._process = subprocess.Popen(
            [sys.executable, "-m", __spec__.name, json.dumps([run, numbers, memory_mb])],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def outcomes(self) -> Iterator[Outcome]:
        output = self._process.stdout
        assert output is not None
        unread = b""
        while True:
            ready, _, _ = select.select([output], [], [], SILENCE_S)
            if not ready:
                self.how = f"no end after {SILENCE_S:.0f} s"
                return
            if not (part := os.read(output.fileno(), 1 << 16)):
                self.how = f"ended its process with status {self._process.wait()}"
                return
            *lines, unread = (unread + part).split(b"\n")
            yield from (Outcome(**json.loads(line)) for line in lines)

    def end(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def outcome(made: Mutant, checker: Checker, output: int) -> Outcome:
    """Checks one mutant in this process, whose standard output is led to the file `output`."""
    found: list[str] = []
    allowed = seconds_allowed(len(made.text)) * _EDITED
    with watched(output) as used:
        try:
            with time_limit(allowed):
                found.extend(checker.problems(made))
        except TookTooLong:
            found.append(f"took more than {allowed:.1f} s\n{traceback.format_exc()}")
        except Exception as error:
            found.append(f"{type(error).__name__} left the check: {error}\n{traceback.format_exc()}")
    found.extend(used.problems())
    return Outcome(
        made.number, str(made), found, used.seconds, checker.steps, checker.findings, peak_megabytes()
    )


def _main(run: int, numbers: list[int], memory_mb: int) -> None:
    """Writes one line for each mutant to what was the standard output; nothing else reaches it."""
    limit_memory(memory_mb)
    warnings.simplefilter("ignore")
    told = os.dup(1)
    with tempfile.TemporaryFile() as output, tempfile.TemporaryDirectory(prefix="torchlsp-fuzz-") as folder:
        os.dup2(output.fileno(), 1)
        checker = Checker(Folders(Path(folder)))
        for number in numbers:
            line = json.dumps(asdict(outcome(mutant(run, number), checker, output.fileno())))
            os.write(told, line.encode() + b"\n")


if __name__ == "__main__":
    _main(*json.loads(sys.argv[1]))
