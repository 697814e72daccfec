"""Runs a command under observation and reads what its processes wrote."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

AGENT = Path(__file__).parent / "agent"

Description = list[Any]
"""What was seen of a value: its kind, then what belongs to the kind."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When a value was seen: the process, the activation of the function in it (0: not known), and the turn of its loops.

    `without_grad`: gradients were off already when the program's outermost running function was called. `caller`: "own" where only functions of the same file led here, "other" where those of other files did, "none" of them.
    """

    process: int
    activation: int
    turn: int
    caller: str
    without_grad: bool = False


@dataclass(frozen=True, slots=True)
class Spot:
    """A place of a file as `ast` counts: rows from 1, columns in bytes from 0; and whether a name is bound there."""

    row: int
    column: int
    end_row: int
    end_column: int
    is_bound: bool


@dataclass(slots=True)
class Seen:
    """What was seen at a place: how often it was evaluated, and each description with the moments of it that were kept."""

    count: int = 0
    values: dict[str, list[Moment]] = field(default_factory=dict)


@dataclass(slots=True)
class Run:
    """What was seen in a run, by file; `skipped` are the files that could not be instrumented, with the reason."""

    status: int
    files: dict[str, dict[Spot, Seen]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    def add(self, process: int, written: dict[str, Any]) -> None:
        self.skipped.update(written["skipped"])
        for path, places in written["files"]:
            kept = self.files.setdefault(path, {})
            for *place, count, values in places:
                seen = kept.setdefault(Spot(*place), Seen())
                seen.count += count
                for text, moments in values:
                    seen.values.setdefault(text, []).extend(Moment(process, *moment) for moment in moments)


def run(command: Sequence[str], root: str) -> Run:
    """Runs a command with the values of the expressions of the files below `root` observed."""
    with TemporaryDirectory(prefix="torchlsp-observed-") as folder:
        environment = dict(os.environ)
        paths = [str(AGENT), *filter(None, [environment.get("PYTHONPATH")])]
        environment["PYTHONPATH"] = os.pathsep.join(paths)
        environment["TORCHLSP_OBSERVE_OUT"] = folder
        environment["TORCHLSP_OBSERVE_ROOT"] = os.path.realpath(root)
        # What is compiled would be traced with the observation in it.
        environment["TORCHDYNAMO_DISABLE"] = "1"
        made = Run(subprocess.run(list(command), env=environment, check=False).returncode)
        for number, path in enumerate(sorted(Path(folder).glob("run-*.json"))):
            made.add(number, json.loads(path.read_text(encoding="utf-8")))
    return made
