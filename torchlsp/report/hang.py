"""Words what the dumps of a job that hangs say, as text for a terminal and as JSON."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from torchlsp.hang.dumps import Frame, Record
from torchlsp.hang.matching import DEFAULT_GROUP, Difference, waits
from torchlsp.hang.parting import Branch, Parting
from torchlsp.hang.sources import own_frames
from torchlsp.report.words import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from torchlsp.hang.account import Account
    from torchlsp.report.text import Painter

_WAYS = {
    "true": "went into it",
    "false": "went past it",
    "again": "began another round of it",
    "ended": "left it",
    "raised": "left it by an exception",
    "called": "made the call",
    "skipped": "did not make the call",
    "other": "called another function",
}
_ASSERTED = {"true": "passed it", "false": "failed it"}
_MOST_SIZES = 4
_MOST_RANKS = 12
_MOST_FRAMES = 8


Line = tuple[bool, str]
"""Whether a line is one of the main ones, and its text."""


def as_text(account: Account, paint: Painter) -> list[str]:
    """Renders where each rank waits, where the ranks parted, and what the dumps leave open."""
    return [
        paint("bold", printable(text)) if is_main else printable(text) for is_main, text in _lines(account)
    ]


def _lines(account: Account) -> list[Line]:
    lines: list[Line] = []
    if account.differences:
        lines.extend(_difference(account, account.differences[0]))
        lines.extend(_parted(account))
        if account.parting is not None and not account.parting.is_sure:
            lines.extend(_stacks(account.parting))
        for other in account.differences[1:]:
            lines.extend([(False, ""), *_difference(account, other)])
    elif account.dumps:
        lines.extend(_alike(account))
    notes = list(_notes(account))
    if notes:
        lines.extend([(False, ""), *((False, f"note: {note}") for note in notes)])
    return lines


def as_json(account: Account) -> dict[str, Any]:
    """Renders the same as data."""
    return {
        "hangs": account.is_hanging,
        "ranks": [
            {
                "rank": dump.rank,
                "dump": dump.path,
                "records": len(dump.records),
                "waits": _record(waits(dump)),
                "last": _record(dump.records[-1] if dump.records else None),
            }
            for dump in account.dumps
        ],
        "missing_ranks": list(account.missing),
        "differences": [
            {
                "group": one.group,
                "group_name": one.group_name,
                "sequence": one.sequence,
                "kind": one.kind,
                "certain": one.is_certain,
                "ranks": {str(rank): _record(record) for rank, record in one.records.items()},
            }
            for one in account.differences
        ],
        "parting": _parting(account.parting),
        "refused": [{"dump": path, "reason": why} for path, why in account.refused],
        "notes": list(_notes(account)),
    }


def _parting(parting: Parting | None) -> dict[str, Any] | None:
    if parting is None:
        return None
    return {
        "ranks": list(parting.ranks),
        "before": _record(parting.before),
        "first": _record(parting.first),
        "second": _record(parting.second),
        "sure": parting.is_sure,
        "branches": [
            {
                "path": one.path,
                "line": one.line,
                "kind": one.kind,
                "text": one.text,
                "ways": [one.first_way, one.second_way],
                "tests_the_rank": one.is_of_rank,
            }
            for one in parting.branches
        ],
        "reason": parting.why_not,
    }


def _record(record: Record | None) -> dict[str, Any] | None:
    if record is None:
        return None
    return {
        "operation": record.operation,
        "group": record.group,
        "sequence": record.sequence,
        "ended": record.has_ended,
        "sizes": [list(sizes) for sizes in record.inputs],
        "frames": [{"path": one.file, "line": one.line, "function": one.function} for one in record.frames],
    }


def _difference(account: Account, one: Difference) -> list[Line]:
    """Words what each rank has done under the number at which they differ, ranks that did the same together."""
    ways: dict[object, list[int]] = {}
    for rank, record in one.records.items():
        if record is not None:
            key = (record.operation, record.inputs, record.dtypes, record.frames, record.has_ended)
            ways.setdefault(key, []).append(rank)
    lines: list[Line] = []
    for ranks in ways.values():
        lines.append((True, _at_it(one, ranks)))
    last: dict[str, list[int]] = {}
    for rank in one.absent:
        last.setdefault(_instead(account, one, rank), []).append(rank)
    for text, ranks in last.items():
        unless = f", if {_verb(ranks, 'it belongs', 'they belong')} to the group"
        head = f"{_ranks(ranks)} {_verb(ranks, 'has', 'have')} not begun it{'' if one.is_certain else unless}"
        lines.append((True, f"{head}: {text}"))
    places = {record.frames for record in one.records.values() if record is not None}
    elsewhere = [waits(dump) for dump in account.dumps if dump.rank in one.absent]
    if places and all(record is not None and record.frames in places for record in elsewhere) and elsewhere:
        lines.append((False, "they are at the same line, in different groups"))
    if one.kind == "operation":
        lines.append((False, "these are different collectives under the same number"))
    elif one.kind in ("sizes", "dtypes"):
        lines.append((False, f"their {one.kind} differ, and must be the same on all ranks"))
    return lines


def _at_it(one: Difference, ranks: list[int]) -> str:
    """Words where ranks are that have begun the collective."""
    record = one.records[ranks[0]]
    assert record is not None
    verb = _verb(ranks, "waits", "wait")
    if record.has_ended:
        verb = f"{_verb(ranks, 'has', 'have')} ended"
    what = record.operation
    if one.kind == "sizes":
        what += f" of {_sizes(record)}"
    elif one.kind == "dtypes":
        what += f" of {', '.join(record.dtypes)}"
    return f"{_ranks(ranks)} {verb} at {_place(record)} in {what} (#{one.sequence} of {_group(record)})"


def _instead(account: Account, one: Difference, rank: int) -> str:
    """Words what a rank does that has not begun the collective."""
    dump = next(dump for dump in account.dumps if dump.rank == rank)
    waiting = waits(dump)
    if waiting is not None and waiting.group != one.group:
        return f"waiting at {_at(waiting)}"
    return f"last was {_at(dump.records[-1])}" if dump.records else "nothing is recorded"


def _at(record: Record) -> str:
    return f"{_place(record)} in {record.operation} (#{record.sequence} of {_group(record)})"


def _parted(account: Account) -> list[Line]:
    parting = account.parting
    if parting is None:
        return []
    first, second = parting.ranks
    if parting.before is None:
        both = f"ranks {first} and {second} have no earlier collective in common"
    else:
        both = f"ranks {first} and {second} were last together at {_at(parting.before)}"
    after = f"; then came {_place(parting.first)} in {parting.first.operation} on rank {first}"
    if parting.second is not None:
        after += f", {_place(parting.second)} in {parting.second.operation} on rank {second}"
    else:
        after += f", and nothing that is recorded on rank {second}"
    lines: list[Line] = [(False, ""), (False, both + after)]
    if parting.is_sure:
        lines.append((True, f"they parted at {_branch(parting.branches[0], parting)}"))
    elif len(parting.branches) == 1 and (
        parting.second is not None or parting.branches[0].kind in ("alone", "blocking")
    ):
        lines.append(
            (False, f"cannot tell where they parted; perhaps at {_branch(parting.branches[0], parting)}")
        )
    elif len(parting.branches) == 1:
        branch = _branch(parting.branches[0], parting)
        lines.append((False, f"unless rank {second} has stopped on the way, they parted at {branch}"))
    elif parting.branches:
        lines.append((False, "cannot tell at which of these they parted:"))
        lines.extend((False, f"  {_branch(one, parting)}") for one in parting.branches)
    else:
        lines.append((False, f"cannot tell where they parted: {parting.why_not}"))
    return lines


def _branch(one: Branch, parting: Parting) -> str:
    place = f"{_shown(one.path)}:{one.line} `{one.text}`"
    if one.kind == "blocking":
        return f"{place}: it may wait for other ranks, and is not recorded"
    if one.kind == "alone":
        return f"{place}: only rank {parting.ranks[1]} of the two goes its way, and may have stopped there"
    words = _ASSERTED if one.kind == "assert" else _WAYS
    ways = [
        f"rank {rank} {words[way]}"
        for rank, way in zip(parting.ranks, (one.first_way, one.second_way))
        if way in words
    ]
    return f"{place}: {', '.join(ways)}" if ways else place


def _stacks(parting: Parting) -> list[Line]:
    """Lists the user's own frames of both ranks, where no branch could be named."""
    lines: list[Line] = []
    for rank, record in zip(parting.ranks, (parting.first, parting.second)):
        if record is not None and record.frames:
            shown = [f"{_shown(one.file)}:{one.line} {one.function}" for one in _frames(record)]
            lines.append((False, f"  rank {rank}: {' > '.join(shown)}"))
    return lines


def _alike(account: Account) -> list[Line]:
    """Words what ranks do that have all recorded the same."""
    waiting: dict[str, list[int]] = {}
    for dump in account.dumps:
        record = waits(dump)
        if record is not None:
            waiting.setdefault(_at(record), []).append(dump.rank)
    if not waiting:
        return [(False, "no rank waits in a recorded collective, and all have recorded the same ones")]
    lines: list[Line] = [
        (True, f"{_ranks(ranks)} {_verb(ranks, 'waits', 'wait')} at {text}")
        for text, ranks in waiting.items()
    ]
    if account.missing:
        lines.append(
            (False, f"they agree, and there is no dump of {_ranks(account.missing)}: they may wait for that")
        )
    elif len(waiting) == 1:
        lines.append((False, "all ranks have begun the same collectives: no branch has led them apart"))
    else:
        lines.append((False, "all ranks have begun the same collectives, the last one at different places"))
    return lines


def _notes(account: Account) -> Iterable[str]:
    """Yields what the dumps leave open."""
    if account.missing and account.differences:
        yield f"there is no dump of {_ranks(account.missing)}"
    lost = [dump.rank for dump in account.dumps if dump.has_lost_records]
    if lost:
        yield (
            f"the first records of {_ranks(lost)} are overwritten: the buffer was full (TORCH_FR_BUFFER_SIZE), and what"
            " differed before is not known"
        )
    bare = [dump.rank for dump in account.dumps if dump.records and not dump.has_stacks]
    if bare:
        yield f"the dumps of {_ranks(bare)} have no stacks: no branch can be named (dumps in JSON never have them)"
    for path, why in account.unread:
        yield f"{_shown(path)} {why}: --source DIR names the folder that has it"
    parting = account.parting
    if parting is not None and parting.second is None and not parting.is_sure:
        yield f"`py-spy dump` shows where rank {parting.ranks[1]} is now"


def _frames(record: Record) -> Sequence[Frame]:
    return (own_frames(record.frames) or record.frames)[-_MOST_FRAMES:]


def _place(record: Record) -> str:
    frames = own_frames(record.frames) or record.frames
    return f"{_shown(frames[-1].file)}:{frames[-1].line}" if frames else "an unknown place"


def _shown(path: str) -> str:
    """Returns a path below the working directory relative to it, others as they are."""
    here = os.getcwd() + os.sep
    return path[len(here) :] if path.startswith(here) else path


def _group(record: Record) -> str:
    if record.group_name == DEFAULT_GROUP:
        return "the default group"
    name = record.group_name
    return f"group {record.group}" + (f" ({name})" if name not in ("", "undefined", record.group) else "")


def _ranks(ranks: Iterable[int]) -> str:
    """Words ranks, those that follow each other as a range: ranks 0, 2-5."""
    runs: list[list[int]] = []
    for rank in sorted(ranks):
        if runs and rank == runs[-1][-1] + 1:
            runs[-1][1:] = [rank]
        else:
            runs.append([rank])
    words = [str(one[0]) if len(one) == 1 else f"{one[0]}-{one[-1]}" for one in runs]
    more = f" and {len(words) - _MOST_RANKS} more" if len(words) > _MOST_RANKS else ""
    plural = len(words) > 1 or "-" in "".join(words)
    return f"rank{'s' if plural else ''} {', '.join(words[:_MOST_RANKS])}{more}"


def _verb(ranks: Sequence[int], one: str, many: str) -> str:
    return one if len(ranks) == 1 else many


def _sizes(record: Record) -> str:
    shown = [str(list(sizes)) for sizes in record.inputs[:_MOST_SIZES]]
    return ", ".join(shown) + (" …" if len(record.inputs) > _MOST_SIZES else "")
