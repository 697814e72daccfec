"""Compares the collectives of all ranks by process group and sequence number, and finds where they first differ.

States are not compared: on gloo all collectives stay "scheduled".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from torchlsp.core.records import dataclass
from torchlsp.hang.dumps import Dump, Record

Kind = Literal["absent", "operation", "sizes", "dtypes"]
DEFAULT_GROUP = "default_pg"
# Collectives whose inputs must have the same sizes and dtypes on all ranks.
_SAME_INPUTS = frozenset(
    """
    all_reduce allreduce_coalesced broadcast _broadcast_oop reduce _reduce_oop all_gather _all_gather_base
    all_gather_single all_gather_into_tensor_coalesced reduce_scatter _reduce_scatter_base reduce_scatter_single
    reduce_scatter_tensor_coalesced
    """.split()
)


@dataclass(frozen=True, slots=True)
class Difference:
    """The first sequence number of a group at which its ranks differ.

    `is_certain` is False where the dumps do not say who belongs to the group, and those absent may be none of it.
    """

    group: str
    group_name: str
    sequence: int
    kind: Kind
    records: dict[int, Record | None]
    """What each rank of the group has recorded under this number; None for nothing."""
    is_certain: bool = True

    @property
    def present(self) -> list[int]:
        return [rank for rank, record in self.records.items() if record is not None]

    @property
    def absent(self) -> list[int]:
        return [rank for rank, record in self.records.items() if record is None]


def waits(dump: Dump) -> Record | None:
    """Returns the first collective of a rank that has not ended."""
    return next((record for record in dump.records if not record.has_ended), None)


def members(dumps: Iterable[Dump], group: str) -> tuple[list[int], bool]:
    """Returns the ranks of a group whose dumps are there, and whether these are known to be all of them."""
    dumps = list(dumps)
    listed = {rank for dump in dumps for rank in dump.members.get(group, ())}
    there = [dump.rank for dump in dumps]
    if listed:
        return [rank for rank in there if rank in listed], True
    if any(one.group == group and one.group_name == DEFAULT_GROUP for dump in dumps for one in dump.records):
        return there, True
    return [dump.rank for dump in dumps if any(one.group == group for one in dump.records)], False


def differences(dumps: Sequence[Dump]) -> list[Difference]:
    """Returns the first difference of each group, those first that explain the others."""
    names: dict[str, str] = {}
    taken: dict[str, dict[int, dict[int, Record]]] = {}
    for dump in dumps:
        for record in dump.records:
            if not record.is_point_to_point:
                names.setdefault(record.group, record.group_name)
                taken.setdefault(record.group, {}).setdefault(dump.rank, {}).setdefault(
                    record.sequence, record
                )
    found = []
    for group, by_rank in taken.items():
        ranks, is_known = members(dumps, group)
        one = _first_difference(group, names[group], {rank: by_rank.get(rank, {}) for rank in ranks})
        if one is None and not is_known:
            one = _of_unknown_members(group, names[group], by_rank, dumps)
        if one is not None:
            found.append(one)
    waiting = {dump.rank for dump in dumps if waits(dump) is not None}
    return sorted(found, key=lambda one: (not one.is_certain, not _is_root(one, waiting), len(one.records)))


def _is_root(one: Difference, waiting: set[int]) -> bool:
    """Returns whether a difference explains itself: some rank that is not there waits for nothing else."""
    return one.kind != "absent" or any(rank not in waiting for rank in one.absent)


def _first_difference(
    group: str, name: str, by_rank: Mapping[int, Mapping[int, Record]]
) -> Difference | None:
    kept = [records for records in by_rank.values() if records]
    if not kept:
        return None
    # Before that some rank's records are lost.
    first = max(min(records) for records in kept)
    for sequence in sorted({one for records in kept for one in records if one >= first}):
        here = {rank: records.get(sequence) for rank, records in by_rank.items()}
        kind = _kind(list(here.values()))
        if kind is not None:
            return Difference(group, name, sequence, kind, here)
    return None


def _kind(records: list[Record | None]) -> Kind | None:
    there = [record for record in records if record is not None]
    if len({record.operation for record in there}) > 1:
        return "operation"
    if len(there) < len(records):
        return "absent"
    if there[0].operation in _SAME_INPUTS:
        if len({record.inputs for record in there}) > 1:
            return "sizes"
        if len({record.dtypes for record in there}) > 1:
            return "dtypes"
    return None


def _of_unknown_members(
    group: str, name: str, by_rank: Mapping[int, Mapping[int, Record]], dumps: Sequence[Dump]
) -> Difference | None:
    """Returns a collective that waits although all ranks that ever took part in the group are there.

    A rank that has begun one at the same place in another group is none of this one. Nobody waits alone: if one rank is left
    besides one that waits, it belongs to the group.
    """
    pending = [
        min((record.sequence for record in records.values() if not record.has_ended), default=None)
        for records in by_rank.values()
    ]
    sequences = {one for one in pending if one is not None}
    if len(sequences) != 1 or None in pending:
        return None
    sequence = sequences.pop()
    places = {records[sequence].frames for records in by_rank.values() if sequence in records}
    absent = [dump for dump in dumps if dump.rank not in by_rank]
    elsewhere = [
        dump.rank
        for dump in absent
        if any(one.group != group and one.frames and one.frames in places for one in dump.records)
    ]
    others = [dump.rank for dump in absent if dump.rank not in elsewhere] or elsewhere
    if not others:
        return None
    here = {rank: records.get(sequence) for rank, records in by_rank.items()} | dict.fromkeys(others)
    ordered = {rank: here[rank] for rank in sorted(here)}
    return Difference(group, name, sequence, "absent", ordered, is_certain=len(by_rank) == len(others) == 1)
