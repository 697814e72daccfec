"""Reads the runs of a workspace, and merges what different calls, processes and runs say of the same function.

Lines that are damaged or of an unknown kind are skipped, as are calls of functions whose source is not known.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence

from torchlsp.core.records import dataclass
from torchlsp.files import read_beginning, read_bytes
from torchlsp.recorder import store
from torchlsp.recorder.described import Observed, are_ints, observed

SOURCES_FILE = "sources.json"
EXPORT_VERSION = 1
MAX_FILE_BYTES = 64 * 1024 * 1024
WRITTEN_CALLS = 64
"""The most calls of one function that a process records (`MAX_CALLS` of the agent)."""
FINE_CALLS = 32
"""After so many recorded calls of a function a process no longer records those that differ in ints only (`FINE_CALLS` of the agent)."""
MAX_CALLS = 256
"""Calls of one function that are kept, those of the newest run first."""

Line = dict[str, object]


@dataclass(frozen=True, slots=True)
class ObservedCall:
    """A call of a function as one process has seen it.

    `is_ended`: its end was seen, which it is not where the process was killed or `--steps` has stopped it; `returned` is None without it, for generators and where an exception has ended it.
    `lines_done` completed at least once without raising, `lines_raised` raised at least once; both are None where
    lines were not recorded. `instance` is the same for calls on the same object.
    """

    run: str
    rank: int | None
    parameters: dict[str, Observed]
    attributes: dict[str, Observed]
    instance: int | None
    caller: tuple[str, str, int] | None
    """Path, qualified name and line of the nearest function of the workspace that has led here."""
    grad: bool | None
    inference: bool | None
    training: bool | None
    autocast: str | None
    autocast_device: str | None
    is_ended: bool
    is_late: bool
    """Recorded when it raised, not when it began: parameters may have been assigned meanwhile."""
    returned: Observed | None
    raised: str | None
    lines_done: frozenset[int] | None
    lines_raised: frozenset[int] | None
    variables: dict[str, Observed]
    """The local variables when an exception has ended it."""


@dataclass(frozen=True, slots=True)
class ObservedFunction:
    """A function with one source, and calls of it. Lines are those of the file when it was recorded."""

    path: str
    qualname: str
    name: str
    line: int
    last_line: int
    parameters: tuple[str, ...]
    digest: str
    """That of `FunctionSource.digest`: where today's differs, the function has changed since."""
    lines_digest: str
    calls: tuple[ObservedCall, ...]
    count: int
    """All calls that were counted, recorded or not."""
    is_complete: bool = True
    """Whether each call that was looked at and differs from those before it was recorded. Those that differ in floats only never
    are."""
    are_ints_complete: bool = True
    """The same of calls that differ in ints only."""
    skipped: int = 0
    """Of `count`, the calls that were not looked at, so that the run did not take longer."""


@dataclass(frozen=True, slots=True)
class Crash:
    """The exception that has ended a run: class, message (None where it is not torch's or Python's own) and frames."""

    run: str
    rank: int | None
    error: str
    message: str | None
    frames: tuple[tuple[str, int, str], ...]


@dataclass(frozen=True, slots=True)
class Run:
    """A command that was recorded; times in seconds since 1970."""

    id: str
    command: tuple[str, ...]
    started: float
    ended: float
    status: int
    processes: int
    torch: str | None
    crashes: tuple[Crash, ...]


class Record:
    """What all kept runs of a workspace say, by file."""

    def __init__(self, runs: Sequence[Run], functions: Iterable[ObservedFunction]) -> None:
        self.runs = tuple(runs)
        """The newest first."""
        self._by_path: dict[str, list[ObservedFunction]] = {}
        for one in functions:
            self._by_path.setdefault(one.path, []).append(one)

    def functions(self, path: str) -> list[ObservedFunction]:
        """The functions of a file; one that has changed between runs occurs once for each of its sources."""
        return self._by_path.get(os.path.realpath(path), [])

    def paths(self) -> list[str]:
        """The files of which something is known."""
        return sorted(self._by_path)


def load(folder: str) -> Record:
    """Reads the runs below the folder of a workspace; an empty record where there are none."""
    return _merged(_stored(folder))


def load_export(path: str, root: str) -> Record:
    """Reads an exported file, whose paths are relative to `root`. Raises ValueError for a file that is no export, or OSError."""
    content = read_bytes(path, MAX_FILE_BYTES)
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError("not JSON") from None
    if not isinstance(told, dict) or told.get("torchlsp_record") != EXPORT_VERSION:
        raise ValueError("not a record that this torchlsp has exported")
    runs = told.get("runs")
    return _merged(_exported(runs if isinstance(runs, list) else [], os.path.realpath(root)))


def export(folder: str, root: str) -> dict[str, object]:
    """Returns the runs of a workspace as one JSON document. Paths are relative to the root; crashes, which have others, are left out."""
    root = os.path.realpath(root)
    runs = []
    for run in _stored(folder):
        lines = []
        for line in run.lines:
            if line["k"] == "crash":
                continue
            path = line.get("f")
            if line["k"] == "function" and isinstance(path, str):
                line = line | {"f": _relative(path, root)}
            lines.append(line)
        sources = {}
        for key, value in run.sources.items():
            path, line_break, rest = key.partition("\n")
            sources[_relative(path, root) + line_break + rest] = value
        about = {name: value for name, value in run.about.items() if name != "root"}
        runs.append({"id": run.id, "about": about, "sources": sources, "lines": lines})
    return {"torchlsp_record": EXPORT_VERSION, "runs": runs}


def _relative(path: str, root: str) -> str:
    return os.path.relpath(path, root).replace(os.sep, "/")


@dataclass(frozen=True, slots=True)
class _Stored:
    """A run as it is stored."""

    id: str
    about: Line
    sources: dict[str, object]
    lines: list[Line]


def _stored(folder: str) -> Iterator[_Stored]:
    for path in store.runs(folder):
        about = _read_object(os.path.join(path, store.RUN_FILE))
        if about is not None:
            sources = _read_object(os.path.join(path, SOURCES_FILE)) or {}
            yield _Stored(os.path.basename(path), about, sources, read_lines(path))


def _exported(runs: list[object], root: str) -> Iterator[_Stored]:
    for run in runs:
        if not isinstance(run, dict):
            continue
        match run:
            case {"id": str(name), "about": dict(about), "sources": dict(sources), "lines": list(lines)}:
                placed = {os.path.join(root, key): value for key, value in sources.items()}
                read = []
                for line in lines:
                    if isinstance(line, dict) and isinstance(line.get("k"), str):
                        path = line.get("f")
                        is_placed = isinstance(path, str) and line["k"] == "function"
                        read.append(line | {"f": os.path.join(root, str(path))} if is_placed else line)
                yield _Stored(name, about, placed, read)


def read_lines(run_folder: str) -> list[Line]:
    """Reads the lines of all processes of a run, each with the name of its `file`; damaged ones are skipped."""
    found: list[Line] = []
    try:
        names = sorted(name for name in os.listdir(run_folder) if name.endswith(".jsonl"))
    except OSError:
        return []
    left = MAX_FILE_BYTES
    for name in names:
        try:
            content = read_beginning(os.path.join(run_folder, name), left)
        except OSError:
            continue
        left -= len(content)
        for row in content.split(b"\n"):
            try:
                line = json.loads(row) if row else None
            except (ValueError, RecursionError):
                continue
            if isinstance(line, dict) and isinstance(line.get("k"), str):
                line["file"] = name
                found.append(line)
    return found


def _read_object(path: str) -> dict[str, object] | None:
    try:
        told = json.loads(read_bytes(path, MAX_FILE_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


# ---- merging -------------------------------------------------------------------------------------------------------


class _Merging:
    """Functions by their path, qualified name, line and source, from the newest run to the oldest."""

    def __init__(self) -> None:
        self.functions: dict[tuple[str, str, int, str], ObservedFunction] = {}
        self.calls: dict[tuple[str, str, int, str], list[ObservedCall]] = {}
        self.counts: dict[tuple[str, str, int, str], int] = {}
        self.cut: set[tuple[str, str, int, str]] = set()
        """Functions of which not every call that differs was recorded."""
        self.cut_ints: set[tuple[str, str, int, str]] = set()
        self.skipped: dict[tuple[str, str, int, str], int] = {}
        self.instances: dict[tuple[str, object, int], int] = {}

    def instance(self, run: str, file: object, number: object) -> int | None:
        """Numbers objects through all processes."""
        if not isinstance(number, int):
            return None
        return self.instances.setdefault((run, file, number), len(self.instances) + 1)


def _merged(stored: Iterable[_Stored]) -> Record:
    merging = _Merging()
    runs = [_merge_run(merging, run) for run in stored]
    functions = [
        ObservedFunction(
            one.path,
            one.qualname,
            one.name,
            one.line,
            one.last_line,
            one.parameters,
            one.digest,
            one.lines_digest,
            tuple(merging.calls[key][:MAX_CALLS]),
            merging.counts[key],
            key not in merging.cut and len(merging.calls[key]) <= MAX_CALLS,
            key not in merging.cut_ints and len(merging.calls[key]) <= MAX_CALLS,
            merging.skipped.get(key, 0),
        )
        for key, one in merging.functions.items()
    ]
    return Record(runs, functions)


def _merge_run(merging: _Merging, run: _Stored) -> Run:
    ends: dict[tuple[object, object], Line] = {}
    ranks: dict[object, int | None] = {}
    known: dict[tuple[object, object], tuple[str, str, int, str]] = {}
    torch: str | None = None
    crashes = []
    for line in run.lines:
        file = line.get("file")
        match line:
            case {"k": "end", "id": int(number)}:
                ends[file, number] = line
            case {"k": "process"}:
                rank, version = line.get("rank"), line.get("torch")
                ranks[file] = rank if isinstance(rank, int) else None
                torch = version if isinstance(version, str) else torch
            case {"k": "function", "id": int(number)}:
                key = _add_function(merging, run, line)
                if key is not None:
                    known[file, number] = key
    for line in run.lines:
        file = line.get("file")
        match line:
            case {"k": "call", "id": int(number), "fn": int(function)} if (file, function) in known:
                rank = ranks.get(file)
                call = _call(merging, run, line, ends.get((file, number)), rank, known)
                merging.calls[known[file, function]].append(call)
            case {"k": "crash", "e": str(error)}:
                crashes.append(_crash(run, line, error, ranks.get(file)))
    _count(merging, run, known)
    return _run(run, torch, tuple(crashes))


def _count(
    merging: _Merging, run: _Stored, known: dict[tuple[object, object], tuple[str, str, int, str]]
) -> None:
    counted: dict[tuple[object, object], int] = {}
    for line in run.lines:
        place = line.get("file"), line.get("fn")
        if line["k"] == "call":
            counted[place] = counted.get(place, 0) + 1
    cut = {place for place, written in counted.items() if written >= WRITTEN_CALLS}
    cut_ints = {place for place, written in counted.items() if written >= FINE_CALLS}
    skipped: dict[tuple[object, object], int] = {}
    for line in run.lines:
        place = line.get("file"), line.get("fn")
        calls = line.get("n")
        if line["k"] == "count" and isinstance(unseen := line.get("u"), int):
            skipped[place] = max(skipped.get(place, 0), unseen)
        if line["k"] == "count" and isinstance(calls, int):
            counted[place] = max(counted.get(place, 0), calls)
    for place, key in known.items():
        merging.counts[key] += counted.get(place, 0)
        merging.skipped[key] = merging.skipped.get(key, 0) + skipped.get(place, 0)
        if place in cut:
            merging.cut.add(key)
        if place in cut_ints:
            merging.cut_ints.add(key)


def _add_function(merging: _Merging, run: _Stored, line: Line) -> tuple[str, str, int, str] | None:
    match line:
        case {"f": str(path), "l": int(first), "n": str(name), "h": str(file_digest), "p": list(parameters)}:
            pass
        case _:
            return None
    source = run.sources.get(f"{path}\n{name}\n{first}\n{file_digest}")
    match source:
        case {"qualname": str(qualname), "digest": str(digest), "lines": str(lines), "last": int(last)}:
            pass
        case _:
            return None
    told = line.get("q")
    if isinstance(told, str) and told != qualname and "<locals>" not in told and name != "<lambda>":
        return None
    key = (path, qualname, first, digest)
    if key not in merging.functions:
        names = tuple(one for one in parameters if isinstance(one, str))
        merging.functions[key] = ObservedFunction(
            path, qualname, name, first, last, names, digest, lines, (), 0
        )
        merging.calls[key] = []
        merging.counts[key] = 0
    return key


def _call(
    merging: _Merging,
    run: _Stored,
    line: Line,
    end: Line | None,
    rank: int | None,
    known: dict[tuple[object, object], tuple[str, str, int, str]],
) -> ObservedCall:
    told: Line = end if end is not None else {}
    file = line.get("file")
    error = told.get("e")
    caller = None
    match line.get("by"):
        case [int(function), int(row)] if (file, function) in known:
            path, qualname, _, _ = known[file, function]
            caller = (path, qualname, row)
    return ObservedCall(
        run=run.id,
        rank=rank,
        parameters=_described(line.get("p")),
        attributes=_described(line.get("a")),
        instance=merging.instance(run.id, file, line.get("i")),
        caller=caller,
        grad=_flag(line.get("g")),
        inference=_flag(line.get("inf")),
        training=_flag(line.get("tr")),
        autocast=_text(line.get("ac")),
        autocast_device=_text(line.get("acd")),
        is_ended=end is not None and told.get("stop") is not True,
        is_late=line.get("late") is True,
        returned=observed(told.get("r")),
        raised=_text(error),
        lines_done=_rows(told.get("ln")),
        lines_raised=_rows(told.get("lx")),
        variables=_described(told.get("w")),
    )


def _crash(run: _Stored, line: Line, error: str, rank: int | None) -> Crash:
    frames = []
    told = line.get("tb")
    for frame in told if isinstance(told, list) else []:
        match frame:
            case [str(path), int(row), str(name)]:
                frames.append((path, row, name))
    return Crash(run.id, rank, error, _text(line.get("m")), tuple(frames))


def _run(run: _Stored, torch: str | None, crashes: tuple[Crash, ...]) -> Run:
    about = run.about
    command = about.get("command")
    words = tuple(one for one in command if isinstance(one, str)) if isinstance(command, list) else ()
    return Run(
        run.id,
        words,
        _time(about.get("started")),
        _time(about.get("ended")),
        _number(about.get("status")),
        _number(about.get("processes")),
        torch,
        crashes,
    )


def _described(told: object) -> dict[str, Observed]:
    if not isinstance(told, dict):
        return {}
    read = [(name, observed(value)) for name, value in told.items() if isinstance(name, str)]
    return {name: value for name, value in read if value is not None}


def _rows(told: object) -> frozenset[int] | None:
    return frozenset(told) if are_ints(told) else None


def _flag(told: object) -> bool | None:
    return told if isinstance(told, bool) else None


def _text(told: object) -> str | None:
    return told if isinstance(told, str) else None


def _number(told: object) -> int:
    return told if isinstance(told, int) else 0


def _time(told: object) -> float:
    return float(told) if isinstance(told, int | float) else 0.0
