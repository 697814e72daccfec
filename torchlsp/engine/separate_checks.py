"""Checks each file as if no other had been checked: the work of one process."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.engine.outcome import FileOutcome
from torchlsp.engine.result import CheckResult
from torchlsp.engine.workspace import Workspace, shown_path

if TYPE_CHECKING:
    from torchlsp.engine.engine import Engine
    from torchlsp.engine.provider import Provider

# With the collector off, cycles that the analysis made are freed once so many objects have been made and not freed.
_COLLECT_EVERY = 400_000


class SeparateChecks:
    """The work of one process: checks each file as if no other had been checked."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._provider: Provider | None = None

    def __call__(self, path: str) -> FileOutcome:
        engine, self._provider = self._engine, self._provider or new_provider()
        engine._from_callers = {}
        outcome = engine._apart(path, self._provider)
        kept = engine._from_callers.values()
        return replace(outcome, elsewhere=tuple(finding for found in kept for finding in found.values()))


def new_provider() -> Provider:
    # Where everything is recalled, nothing is parsed.
    from torchlsp.engine.provider import Provider

    return Provider(Workspace())


def collect_cycles() -> None:
    """Frees the reference cycles that analyses leave, now and then, where nothing else does.

    Only what was made since the last time is searched: an analysis is over by now and its cycles are among that.
    What lives longer, the trees of imported files and what is derived of them, has no cycles.
    """
    if gc.get_count()[0] > _COLLECT_EVERY and not gc.isenabled():
        gc.collect(0)


def lost_outcome(path: str, how: str) -> FileOutcome:
    """Returns the outcome of a file whose process died: its name, and nothing else."""
    result = CheckResult()
    result.internal_errors.append(f"{shown_path(path)}: the process that checked it {how}")
    return FileOutcome(result, is_lost=True)
