"""Runs a small torch program in the probe's sandbox, and says how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.probe.kinds import kind_of, worlds_of
from torchlsp.probe.request import Request

if TYPE_CHECKING:
    from torchlsp.probe.client import Worker
    from torchlsp.probe.request import Answer

FAILED = frozenset({"raised", "deadlock", "mismatch"})
"""The outcomes that say of the program that it fails."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended, with which torch, and whether the operating system locked it in."""

    kind: str
    answer: Answer
    torch: str
    is_locked: bool


def run_snippet(worker: Worker, program: str, deadline: float, kind: str | None = None) -> Ended:
    """Runs a program and returns the worst of its ends: one number of ranks in which it fails is enough. Raises
    Unavailable."""
    kind = kind or kind_of(program)
    hello = worker.hello()
    worlds = worlds_of(program) if kind == "ranks" else (1,)
    answers = worker.run([Request(program, kind, world=world) for world in worlds], deadline)
    # What says nothing goes before what ran through.
    answer = min(answers, key=lambda one: (one.outcome not in FAILED, one.outcome == "passed"))
    return Ended(kind, answer, hello.torch, hello.is_locked)
