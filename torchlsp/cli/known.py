"""Leaves out known findings: by a baseline, by unchanged lines, by ignore comments.

Returns what the summary says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.report.text import counted

if TYPE_CHECKING:
    from torchlsp.engine.baseline import Baseline
    from torchlsp.engine.changes import Changes
    from torchlsp.engine.engine import CheckResult, Engine


def hide(engine: Engine, result: CheckResult, baseline: Baseline) -> list[str]:
    from torchlsp.engine.baseline import hide_known

    gone = hide_known(result, baseline, engine.codes_for)
    notes: list[str] = []
    if result.known:
        notes.append(f"{counted(len(result.known), 'known finding')} hidden by the baseline")
    if gone:
        are = "is" if gone == 1 else "are"
        notes.append(
            f"{counted(gone, 'entry', 'entries')} of the baseline {are} gone; --write-baseline updates it"
        )
    return notes


def leave_out(engine: Engine, result: CheckResult, changes: Changes) -> list[str]:
    """Removes the findings that did not come with the changes."""
    kept = engine.kept(result.findings, result.documents)
    shown = set(map(id, kept))
    older = [finding for finding in result.findings if id(finding) not in shown]
    result.known += older
    result.findings = kept
    note = f"only findings of changes since {changes.revision} ({changes.base}) are shown"
    return [f"{note}; {counted(len(older), 'older finding')} left out" if older else note]


def show_once(result: CheckResult, cache: str, most: int) -> list[str]:
    """Removes the findings that an earlier call has shown, and keeps those that this one shows: at most that many of the
    worst (0: all of them)."""
    import os

    from torchlsp.engine.config import ConfigError
    from torchlsp.engine.since_last import LastCall
    from torchlsp.report.agent import worst

    last = LastCall(cache, os.getcwd())
    older = last.leave_out(result)
    try:
        last.remember(result, older, worst(result.findings, most))
    except ConfigError as failure:
        result.problems.append(str(failure))
    return [f"{counted(len(older), 'finding')} left out that an earlier call has shown"] if older else []


def ignore(result: CheckResult, reason: str) -> list[str]:
    from torchlsp.engine.ignoring import add_ignores

    return [f"{counted(add_ignores(result, reason), 'finding')} ignored by comments that were added"]


def write(engine: Engine, result: CheckResult, path: str) -> str | None:
    from torchlsp.engine.baseline import write_baseline

    if result.internal_errors:
        # What could not be checked would be missing from it.
        result.problems.append(f"{path}: not written, because of internal errors")
        return None
    kept = write_baseline(path, result, engine.codes_for)
    also = f", and {counted(kept, 'entry', 'entries')} kept of what was not checked" if kept else ""
    return f"{counted(len(result.findings), 'finding')} written to {path}{also}"
