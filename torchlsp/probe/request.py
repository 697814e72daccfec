"""Defines the worker's requests and answers, and their JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# How a program can end. `raised` is an error of its own; from `denied` on, the end says nothing about the program.
OUTCOMES = frozenset(
    {
        "passed",
        "raised",
        "deadlock",
        "mismatch",
        "denied",
        "timeout",
        "crash",
        "resource",
        "import",
        "syntax",
        "unsupported",
    }
)


@dataclass(frozen=True, slots=True)
class Request:
    """A program to run. `kind` is eager-cpu, logical-device, real-cuda or ranks; `flag` the first and last row, from 1, whose
    execution to the end is watched; `world` the number of ranks; `key` comes back with the answer; with `hears` warnings
    are raised."""

    program: str
    kind: str = "eager-cpu"
    flag: tuple[int, int] | None = None
    world: int = 1
    key: str = ""
    hears: bool = False

    def to_json(self) -> dict[str, Any]:
        flag = None if self.flag is None else list(self.flag)
        return {
            "key": self.key,
            "kind": self.kind,
            "program": self.program,
            "flag": flag,
            "world": self.world,
            "hears": self.hears,
        }


@dataclass(frozen=True, slots=True)
class Error:
    """The class of a raised exception, its text, and the row of the program (from 1) that was executing."""

    name: str
    text: str
    row: int | None = None

    def __str__(self) -> str:
        return f"{self.name}: {self.text}" if self.text else self.name


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a program. `reached` says whether the flagged rows were executed to their end, None
    without a flag; `lines` by rank the row in which it waits, None for one that does not."""

    outcome: str
    error: Error | None = None
    reached: bool | None = None
    lines: Mapping[int, int | None] | None = None
    ms: float | None = None
    key: str = ""

    @classmethod
    def from_json(cls, told: Any) -> Answer:
        """Reads an answer. Raises ValueError when this is not one: the worker is not trusted to keep to the
        form."""
        try:
            error, lines = told["error"], told["lines"]
            answer = cls(
                outcome=told["outcome"],
                error=None if error is None else Error(error["class"], error["text"], error["row"]),
                reached=told["reached"],
                lines=None if lines is None else {int(rank): row for rank, row in lines.items()},
                ms=told["ms"],
                key=told["key"],
            )
        except (TypeError, KeyError, AttributeError) as problem:
            raise ValueError(f"not an answer: {problem!r}") from None
        if not answer._is_well_formed():
            raise ValueError("not an answer: a value has the wrong type")
        return answer

    def _is_well_formed(self) -> bool:
        rows = list((self.lines or {}).values())
        if self.error is not None:
            rows.append(self.error.row)
            if not isinstance(self.error.name, str) or not isinstance(self.error.text, str):
                return False
        return (
            self.outcome in OUTCOMES
            and (self.outcome == "passed") == (self.error is None)
            and self.reached in (True, False, None)
            and isinstance(self.key, str)
            and all(row is None or isinstance(row, int) for row in rows)
            and (self.ms is None or isinstance(self.ms, int | float))
        )


@dataclass(frozen=True, slots=True)
class Hello:
    """A worker's description of itself: its torch and Python, the kinds that passed their self-test, and its lock.

    `system` as in Linux x86_64, `cuda` the version that its torch was built for, "" for none; `gpus` only where asked for;
    `gpu` is the name of the one that programs of kind real-cuda run on.
    """

    torch: str
    python: str
    kinds: frozenset[str]
    sandbox: Mapping[str, Any]
    problems: tuple[str, ...] = ()
    system: str = ""
    cuda: str = ""
    gpus: tuple[str, ...] = ()
    gpu: str = ""

    @property
    def is_locked(self) -> bool:
        """Whether the operating system itself sandboxes programs. Else only trusted workspaces may use the
        worker."""
        return all(self.sandbox.get(layer) for layer in ("landlock", "seccomp", "limits", "verified"))
