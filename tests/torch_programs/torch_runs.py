"""Has programs run in real torch, each in a process of its own, and says how each ended.

It imports no torch itself: `torch_process.py` does, in one process for all programs of a run of tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

SCRIPT = Path(__file__).with_name("torch_process.py")


@dataclass(frozen=True, slots=True)
class Program:
    """What is run: `watch` before the source, and `proofs` afterwards in the same namespace. With `world` the source is
    run on as many simulated ranks; with `emulate` there is a logical CUDA device."""

    source: str
    watch: str = ""
    proofs: tuple[str, ...] = ()
    filename: str = "program.py"
    world: int = 0
    emulate: bool = False


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: `error` is "" at its end, else "Type: message" or "hang: …".

    `lines` are those of the program (1-based) on the stack of the error, innermost first. `proof` is the message of the
    assertion that failed, or "". Of ranks, by number: `errors`, `stuck` (what each waits in) and `waits` (on which lines).
    """

    error: str
    lines: tuple[int, ...] = ()
    proof: str = ""
    errors: dict[int, str] = field(default_factory=dict)
    stuck: dict[int, str] = field(default_factory=dict)
    waits: dict[int, tuple[int, ...]] = field(default_factory=dict)


class IsPage(Protocol):
    """A page of a rule, or one part of a note: its path, and its blocks by role."""

    path: Path

    def of_role(self, *roles: str) -> Sequence[Any]: ...


def program_of(page: IsPage, block: Any, *, emulate: bool = True) -> Program:
    """The page's `watch`, the block and the page's proofs. A block that needs CUDA gets a logical device, or with
    `emulate` false the real one."""
    world = int(block.attr("world") or 0)
    return Program(
        block.source,
        "" if world else "".join(one.source for one in page.of_role("watch")),
        tuple(one.source for one in page.of_role("proof")),
        f"{page.path.name}:{block.line}",
        world,
        emulate and block.attr("needs") == "cuda-emulated",
    )


class TorchRuns:
    """The process that has imported torch; it starts with the first program and ends with `close`."""

    def __init__(self, python: str = sys.executable) -> None:
        self.python = python
        self.process: subprocess.Popen[str] | None = None
        self.has_gpu: bool | None = None

    def run(self, program: Program) -> Ended:
        (ended,) = self.run_all([program])
        return ended

    def run_all(self, programs: Iterable[Program]) -> list[Ended]:
        """How each program ended, in their order; some of them run at the same time."""
        jobs = list(programs)
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        for number, one in enumerate(jobs):
            fields = {name: getattr(one, name) for name in Program.__slots__}
            process.stdin.write(json.dumps({"number": number, **fields}) + "\n")
        process.stdin.flush()
        found: dict[int, Ended] = {}
        while len(found) < len(jobs):
            answer = json.loads(process.stdout.readline())
            found[answer["number"]] = Ended(
                answer["error"],
                tuple(answer.get("lines", ())),
                answer.get("proof", ""),
                {int(rank): text for rank, text in answer.get("errors", {}).items()},
                {int(rank): text for rank, text in answer.get("stuck", {}).items()},
                {int(rank): tuple(lines) for rank, lines in answer.get("waits", {}).items()},
            )
        return [found[number] for number in range(len(jobs))]

    def sees_a_gpu(self) -> bool:
        if self.has_gpu is None:
            self.has_gpu = not self.run(Program("import torch\nassert torch.cuda.is_available()\n")).error
        return self.has_gpu

    def close(self) -> None:
        if self.process is not None:
            self.process.communicate()

    def _started(self) -> subprocess.Popen[str]:
        if self.process is None:
            self.process = subprocess.Popen(
                [self.python, str(SCRIPT)],
                env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(SCRIPT.parents[2])},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        return self.process
