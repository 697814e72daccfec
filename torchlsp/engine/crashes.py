"""Explains the exception that has ended the newest recorded run, with the operands that the failing line had."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass, replace
from torchlsp.engine.explaining import MAX_FACTS, Account, RecordedRun, account_of, python_file
from torchlsp.engine.observations import time_of_run
from torchlsp.engine.records import FileRecord, Records, file_record
from torchlsp.engine.tracebacks import Frame, Raised, cleaned, frames_of_compiled_code
from torchlsp.recorder.described import ObservedClass, ObservedModule, ObservedObject, ObservedTensor
from torchlsp.recorder.reading import load
from torchlsp.recorder.showing import shown
from torchlsp.syntax.function_digests import functions_of_text
from torchlsp.syntax.names_read import names_read

if TYPE_CHECKING:
    from torchlsp.recorder.described import Observed
    from torchlsp.recorder.reading import Crash, ObservedCall, ObservedFunction, Record, Run

_WITHOUT_SIZES = (ObservedModule, ObservedObject, ObservedClass)


class NoCrash(Exception):
    """The reason why there is no recorded crash to explain."""


@dataclass(frozen=True, slots=True)
class _At:
    """A frame of a crash with the call that was recorded there; `frame` is at today's row if the function is the same."""

    frame: Frame
    function: ObservedFunction | None = None
    call: ObservedCall | None = None


def last_crash(folder: str, root: str) -> Account:
    """Explains the crash of the newest run of a workspace, whose runs are in a folder. Raises NoCrash."""
    record = load(folder)
    if not record.runs:
        raise NoCrash(f"no run is recorded below {root}; torchlsp record -- python train.py records one")
    run = record.runs[0]
    if not run.crashes:
        raise NoCrash(
            f"the newest run ({_when(run)}) has left no crash: it ended with status {run.status}, and no exception left its program"
        )
    chains = [_chain(crash, record) for crash in run.crashes]
    errors = [_raised(crash, chain) for crash, chain in zip(run.crashes, chains)]
    account = account_of(errors, _RecordsOfCrashes(record, [one for chain in chains for one in chain]))
    number = next((number for number, error in enumerate(errors) if error is account.error), 0)
    inner = next((one for one in reversed(chains[number]) if one.frame.is_users), None)
    operands = _operands(inner) if inner is not None else ()
    return replace(account, recorded=RecordedRun(run, run.crashes[number].rank, operands))


def _when(run: Run) -> str:
    return f"{' '.join(run.command)}, {time_of_run(run.started)}"


def _raised(crash: Crash, chain: Sequence[_At]) -> Raised:
    text = cleaned(crash.message or "")
    stream = "" if crash.rank is None else f"rank {crash.rank}"
    frames = (*(one.frame for one in chain), *frames_of_compiled_code(text))
    return Raised(crash.error, text, frames, stream)


def _chain(crash: Crash, record: Record) -> list[_At]:
    """Returns the frames of a crash, where possible at their rows of today.

    Frames of files that the record does not know, which lie outside of the workspace, are left out if there are others.
    """
    found = [_at(crash, path, row, name, record) for path, row, name in crash.frames]
    return [one for one in found if one.function is not None] or found


def _at(crash: Crash, path: str, row: int, name: str, record: Record) -> _At:
    frame = Frame(path, row, name)
    if path.startswith("<"):
        return _At(frame)
    for function in record.functions(path):
        if function.name != name or not function.line <= row <= function.last_line:
            continue
        calls = [
            call
            for call in function.calls
            if call.run == crash.run and call.rank == crash.rank and row in (call.lines_raised or ())
        ]
        if calls:
            # Of a recursive function the last one begun is the innermost.
            call = next((one for one in reversed(calls) if one.raised is not None), calls[-1])
            return _At(_todays_frame(frame, function), function, call)
    return _At(frame)


def _todays_frame(frame: Frame, function: ObservedFunction) -> Frame:
    """Returns the frame with its row and line in the file of today; without a line if the function has changed."""
    document = python_file(frame.path)
    if document is None:
        return frame
    same = [
        source
        for source in functions_of_text(document.text)
        if source.qualname == function.qualname
        and source.digest() == function.digest
        and source.lines_digest() == function.lines_digest
    ]
    if not same:
        return frame
    source = min(same, key=lambda one: abs(one.line - function.line))
    # Python gives the body of a module the line 0 or 1, and it moves with none of its lines.
    row = frame.row + (0 if function.name == "<module>" else source.line - function.line)
    if not 1 <= row <= len(document.rows):
        return frame
    return replace(frame, row=row, source=document.line_text(row).strip())


def _operands(at: _At) -> tuple[tuple[str, str], ...]:
    """Returns what the names on the failing line stood for; all tensors of the function where that line is not known."""
    if at.call is None:
        return ()
    values: dict[str, Observed] = {**at.call.parameters, **at.call.variables}
    values |= {f"self.{name}": value for name, value in at.call.attributes.items()}
    document = python_file(at.frame.path) if at.frame.source else None
    if document is not None:
        names: Sequence[str] = names_read(document.text, at.frame.row)
    else:
        names = [name for name, value in values.items() if isinstance(value, ObservedTensor)]
    told = [
        (name, shown(values[name]))
        for name in names
        if name in values and not isinstance(values[name], _WITHOUT_SIZES)
    ]
    return tuple(told[:MAX_FACTS])


class _RecordsOfCrashes(Records):
    """Says of the functions that raised what they were called with in the calls that raised, and nothing else."""

    def __init__(self, record: Record, at: Sequence[_At]) -> None:
        super().__init__()
        functions: dict[str, list[ObservedFunction]] = {}
        for one in at:
            # Parameters of a call that was recorded when it raised may have been assigned before.
            if one.function is not None and one.call is not None and not one.call.is_late:
                called = replace(one.function, calls=(one.call,), count=1)
                functions.setdefault(os.path.realpath(one.function.path), []).append(called)
        self._by_path: Mapping[str, FileRecord] = {
            path: file_record(record, found, "crash") for path, found in functions.items()
        }

    def of(self, path: str) -> FileRecord | None:
        return self._by_path.get(os.path.realpath(path))
