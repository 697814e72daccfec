"""Collectives are matched by group and number, whatever state they are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torchlsp.hang.dumps import Dump, Record
from torchlsp.hang.matching import Difference, differences, members, waits


def record(
    number: int,
    sequence: int,
    operation: str = "all_reduce",
    group: str = "0",
    ended: bool = True,
    sizes: tuple[int, ...] = (3,),
    dtype: str = "Float",
) -> Record:
    name = "default_pg" if group == "0" else "undefined"
    is_send = operation == "send"
    return Record(number, group, name, sequence, operation, (sizes,), (sizes,), (dtype,), ended, is_send, ())


def job(ranks: Mapping[int, Sequence[Record]], known: dict[str, tuple[int, ...]] | None = None) -> list[Dump]:
    return [Dump(f"rank_{rank}", rank, tuple(records), known or {}) for rank, records in ranks.items()]


def first(ranks: Mapping[int, Sequence[Record]], **options) -> Difference:
    return differences(job(ranks, **options))[0]


def test_same_collectives_have_no_difference() -> None:
    same = [record(0, 1), record(1, 2, "barrier", ended=False)]
    assert differences(job({0: same, 1: same})) == []
    # One rank's entry has ended and the other's has not: that is no difference.
    assert differences(job({0: same, 1: [record(0, 1), record(1, 2, "barrier")]})) == []


def test_first_number_that_a_rank_has_not_begun() -> None:
    found = first({0: [record(0, 1)], 1: [record(0, 1), record(1, 2, ended=False)], 2: [record(0, 1)]})
    assert (found.sequence, found.kind, found.present, found.absent) == (2, "absent", [1], [0, 2])


def test_another_operation_other_sizes_other_dtypes() -> None:
    one = [record(0, 1), record(1, 2)]
    for other, kind in (
        (record(1, 2, "broadcast"), "operation"),
        (record(1, 2, sizes=(4,)), "sizes"),
        (record(1, 2, dtype="Half"), "dtypes"),
    ):
        found = first({0: one, 1: [record(0, 1), other]})
        assert (found.sequence, found.kind) == (2, kind)


def test_sizes_that_may_differ_are_not_compared() -> None:
    for operation in ("scatter", "gather", "all_to_all", "all_gather_v"):
        ranks = {rank: [record(0, 1, operation, sizes=(rank,))] for rank in (0, 1)}
        assert differences(job(ranks)) == []


def test_great_numbers_are_not_counted_up_to() -> None:
    ranks = {rank: [record(0, 1), record(1, 10**15)] for rank in (0, 1)}
    assert differences(job(ranks)) == []


def test_send_takes_no_number() -> None:
    ranks = {0: [record(0, 1), record(1, 1, "send")], 1: [record(0, 1)]}
    assert differences(job(ranks)) == []


def test_what_a_full_buffer_has_lost_is_not_missing() -> None:
    whole = [record(number, number + 1) for number in range(6)]
    assert differences(job({0: whole, 1: whole[4:]})) == []
    assert first({0: whole, 1: whole[4:5]}).sequence == 6


def test_ranks_of_a_group_are_listed_or_take_part() -> None:
    dumps = job({0: [record(0, 1, group="7")], 1: [], 2: []})
    assert members(dumps, "7") == ([0], False)
    assert members(job({0: [record(0, 1, group="7")], 1: [], 2: []}, {"7": (0, 2)}), "7") == ([0, 2], True)
    found = first({0: [record(0, 1, group="7", ended=False)], 1: [], 2: []}, known={"7": (0, 2)})
    assert (found.absent, found.is_certain) == ([2], True)


def test_group_of_unlisted_ranks_may_have_more() -> None:
    waiting = [record(0, 1, group="7", ended=False)]
    found = first({0: waiting, 1: [], 2: []})
    assert (found.absent, found.is_certain) == ([1, 2], False)
    # Nobody waits alone in a group of one.
    assert first({0: waiting, 1: []}).is_certain
    assert differences(job({0: [record(0, 1, group="7")], 1: []})) == []


def test_difference_that_explains_the_others_comes_first() -> None:
    """Rank 0 waits for rank 1, which waits for rank 2, which waits for nobody."""
    known = {"a": (0, 1), "b": (1, 2)}
    found = differences(
        job(
            {
                0: [record(0, 1, group="a"), record(1, 2, group="a", ended=False)],
                1: [record(0, 1, group="a"), record(1, 1, group="b"), record(2, 2, group="b", ended=False)],
                2: [record(0, 1, group="b")],
            },
            known,
        )
    )
    assert [(one.group, one.absent) for one in found] == [("b", [2]), ("a", [1])]


def test_rank_waits_in_its_first_collective_that_has_not_ended() -> None:
    dumps = job({0: [record(0, 1), record(1, 2, ended=False), record(2, 3, ended=False)], 1: [record(0, 1)]})
    assert [one and one.sequence for one in map(waits, dumps)] == [2, None]
