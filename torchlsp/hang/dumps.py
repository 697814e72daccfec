"""Reads the Flight Recorder's dumps: pickles of builtin containers, or JSON, one file for each rank.

Nothing that a dump names is imported or called: the unpickler refuses every class and function.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import re
from typing import TYPE_CHECKING, NoReturn

from torchlsp.core.records import dataclass
from torchlsp.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_BYTES = 200_000_000
MAX_RECORDS = 1_000_000
MAX_FRAMES = 200
"""Frames of one record that are kept, the innermost ones."""
MAX_TENSORS = 10_000
"""Tensors of one collective whose sizes are kept."""
_MEMORY = 200_000_000
_MEMORY_PER_BYTE = 30
"""What reading may take besides, for each byte of the file."""
_RANK = re.compile(r"rank[_-]?(\d{1,7})(?!\d)", re.IGNORECASE)
_DIGITS = re.compile(r"\d{1,7}(?!\d)")
_SEND_OR_RECEIVE = re.compile(r"(send|recv)\b")


class NoDump(Exception):
    """A file is no dump that can be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A Python frame of a stack."""

    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class Record:
    """One collective that a rank has begun. `frames` are those of its stack, the outermost first."""

    number: int
    """Counts the records of the rank, in the order in which it began them."""
    group: str
    group_name: str
    sequence: int
    operation: str
    inputs: tuple[tuple[int, ...], ...]
    outputs: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]
    has_ended: bool
    is_point_to_point: bool
    frames: tuple[Frame, ...]


@dataclass(frozen=True, slots=True)
class Dump:
    """What one rank has recorded."""

    path: str
    rank: int
    records: tuple[Record, ...]
    members: dict[str, tuple[int, ...]]
    """The ranks of the groups for which the dump lists them, which gloo's does not."""

    @property
    def has_lost_records(self) -> bool:
        """Returns whether the buffer was full, so that the first records have been overwritten."""
        return bool(self.records) and self.records[0].number > 0

    @property
    def has_stacks(self) -> bool:
        return any(record.frames for record in self.records)


def named_files(paths: Iterable[str]) -> list[str]:
    """Returns the files that are named, and those in the folders that are named."""
    found: list[str] = []
    for path in paths:
        if os.path.isdir(path):
            with contextlib.suppress(OSError):
                inside = sorted(os.listdir(path))
                found.extend(
                    os.path.join(path, one)
                    for one in inside
                    if not one.startswith(".") and os.path.isfile(os.path.join(path, one))
                )
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def read_dumps(paths: Iterable[str]) -> tuple[list[Dump], list[tuple[str, str]]]:
    """Returns the dumps by rank, and the files that are none with the reason."""
    dumps: dict[int, Dump] = {}
    refused: list[tuple[str, str]] = []
    for path in paths:
        try:
            dump = read_dump(path)
            if dump.rank in dumps:
                raise NoDump(f"is of rank {dump.rank} by its name, as {dumps[dump.rank].path} is")
        except NoDump as problem:
            refused.append((path, str(problem)))
        else:
            dumps[dump.rank] = dump
    return [dumps[rank] for rank in sorted(dumps)], refused


def read_dump(path: str) -> Dump:
    """Returns what a dump says. The rank is in the name of its file only: `nccl_trace_rank_3`, `3.pickle`."""
    rank = rank_of(path)
    try:
        content = read_bytes(path, MAX_BYTES)
    except OSError as problem:
        raise NoDump(problem.strerror or str(problem)) from None
    if rank is None:
        raise NoDump("has no rank in its name: nccl_trace_rank_3, rank3.pickle")
    data = _decoded(content)
    if not isinstance(data, dict) or not isinstance(data.get("entries", []), list):
        raise NoDump("is no dump of the Flight Recorder")
    if "entries" not in data and "pg_config" not in data and "version" not in data:
        raise NoDump("is no dump of the Flight Recorder")
    entries = data.get("entries", [])[-MAX_RECORDS:]
    stacks: dict[tuple[Frame, ...], tuple[Frame, ...]] = {}
    records = [one for entry in entries if (one := _record(entry, stacks)) is not None]
    if entries and not records:
        raise NoDump("has no record that can be read: torchlsp knows version 2 of the format")
    records.sort(key=lambda one: one.number)
    # `pg_status` names groups by another number, which differs between ranks.
    return Dump(path, rank, tuple(records), _members(data.get("pg_config")))


def rank_of(path: str) -> int | None:
    """Returns the rank that a dump's file is named after."""
    name = os.path.basename(path)
    named = _RANK.findall(name)
    stem = name.rpartition(".")[0] or name
    found = named or _DIGITS.findall(stem) or _DIGITS.findall(name)
    return int(found[-1]) if found else None


class _Unpickler(pickle.Unpickler):
    """Reads lists, tuples, dicts, sets, texts, bytes, numbers, True, False and None."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise NoDump(
            f"is refused: it asks for {_text(module)}.{_text(name)}, and a dump has no classes or functions"
        )

    def persistent_load(self, identifier: object) -> NoReturn:
        raise NoDump("is refused: it asks for an object outside of the file")


def _decoded(content: bytes) -> object:
    if content.lstrip()[:1] == b"{":
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise NoDump("is neither a pickle nor JSON") from None
    try:
        with _limited_memory(_MEMORY + _MEMORY_PER_BYTE * len(content)):
            return _Unpickler(io.BytesIO(content), encoding="utf-8", errors="replace").load()
    except NoDump:
        raise
    except MemoryError:
        raise NoDump("needs too much memory") from None
    except Exception:  # damaged pickles raise nearly every kind
        raise NoDump("is no pickle, or is cut off" if content else "is empty") from None


@contextlib.contextmanager
def _limited_memory(more: int) -> Iterator[None]:
    """Bounds the memory of the process: a few bytes of a pickle can ask for gigabytes."""
    try:
        import resource

        used = int(read_bytes("/proc/self/statm").split()[0]) * resource.getpagesize()
        before = resource.getrlimit(resource.RLIMIT_AS)
        most = used + more
        if before[0] != resource.RLIM_INFINITY and before[0] <= most:
            most = before[0]
        resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    except (ImportError, AttributeError, OSError, ValueError, IndexError):
        yield
        return
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _record(entry: object, stacks: dict[tuple[Frame, ...], tuple[Frame, ...]]) -> Record | None:
    """Reads one entry; None for one of another form. `stacks` are those that were read before: most are alike."""
    if not isinstance(entry, dict):
        return None
    group, operation = entry.get("process_group"), entry.get("profiling_name")
    number, sequence = entry.get("record_id"), entry.get("collective_seq_id")
    if not isinstance(group, (tuple, list)) or not group or not isinstance(operation, str):
        return None
    if not isinstance(number, int) or not isinstance(sequence, int):
        return None
    operation = operation.partition(":")[2] or operation
    frames = _frames(entry.get("frames"))
    return Record(
        number=number,
        group=_text(group[0]),
        group_name=_text(group[1]) if len(group) > 1 else "",
        sequence=sequence,
        operation=operation,
        inputs=_sizes(entry.get("input_sizes")),
        outputs=_sizes(entry.get("output_sizes")),
        dtypes=tuple(
            dict.fromkeys((*_texts(entry.get("input_dtypes")), *_texts(entry.get("output_dtypes"))))
        ),
        has_ended=entry.get("retired") is True or entry.get("state") == "completed",
        is_point_to_point=entry.get("is_p2p") is True or _SEND_OR_RECEIVE.match(operation) is not None,
        frames=stacks.setdefault(frames, frames),
    )


def _frames(given: object) -> tuple[Frame, ...]:
    """Reads the frames of a stack, of which the dump has the innermost first. Those of C++ have no line."""
    if not isinstance(given, list):
        return ()
    found = []
    for one in given[:MAX_FRAMES]:
        if isinstance(one, dict):
            file, line, name = one.get("filename"), one.get("line"), one.get("name")
            if isinstance(file, str) and isinstance(line, int) and isinstance(name, str) and line > 0:
                found.append(Frame(file, line, name))
    return tuple(reversed(found))


def _sizes(given: object) -> tuple[tuple[int, ...], ...]:
    if not isinstance(given, (list, tuple)):
        return ()
    return tuple(
        tuple(size for size in one[:MAX_TENSORS] if isinstance(size, int))
        if isinstance(one, (list, tuple))
        else ()
        for one in given[:MAX_TENSORS]
    )


def _texts(given: object) -> tuple[str, ...]:
    if not isinstance(given, (list, tuple)):
        return ()
    return tuple(one for one in given[:MAX_TENSORS] if isinstance(one, str))


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else "?"


def _members(given: object) -> dict[str, tuple[int, ...]]:
    """Reads the ranks of each group, which stand there as a text: "[0, 1]"."""
    found: dict[str, tuple[int, ...]] = {}
    if isinstance(given, dict):
        for name, one in list(given.items())[:MAX_TENSORS]:
            ranks = one.get("ranks") if isinstance(one, dict) else None
            if isinstance(ranks, str):
                ranks = [int(digits) for digits in _DIGITS.findall(ranks[:MAX_BYTES])]
            if isinstance(ranks, list) and ranks and all(isinstance(rank, int) for rank in ranks):
                found[_text(name)] = tuple(ranks)
    return found
