"""Our dataclasses against those of the standard library: both are made of the same class, and must behave alike."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any, ClassVar

import pytest

from torchlsp.core import records
from torchlsp.core.finding import Finding, Severity
from torchlsp.core.span import Span


def plain(make: Any) -> type:
    @make.dataclass(frozen=True, slots=True, order=True)
    class Plain:
        first: int
        second: str = "b"
        rest: tuple[int, ...] = ()

        @property
        def doubled(self) -> int:
            return self.first * 2

    return Plain


def changing(make: Any) -> type:
    @make.dataclass(slots=True)
    class Changing:
        items: list[int] = make.field(default_factory=list)
        name: str | None = None

    return Changing


def open_one(make: Any) -> type:
    @make.dataclass(frozen=True)
    class Open:
        only: float

    return Open


def empty(make: Any) -> type:
    @make.dataclass(frozen=True, slots=True)
    class Empty:
        pass

    return Empty


def partly_compared(make: Any) -> type:
    @make.dataclass(frozen=True, slots=True, order=True)
    class Partly:
        limit: ClassVar[int] = 3
        first: int
        place: str | None = make.field(default=None, compare=False)
        hidden: int = make.field(default=5, repr=False)
        made: tuple = make.field(default_factory=tuple, compare=False, repr=False)

    return Partly


def derived(make: Any) -> type:
    @make.dataclass(frozen=True, slots=True)
    class Base:
        size: int | None = None

    @make.dataclass(frozen=True, slots=True)
    class Derived(Base):
        start: int = 0
        size: int | None = 4

    return Derived


def identical(make: Any) -> type:
    @make.dataclass(slots=True, eq=False)
    class Node:
        start: int

    class Between(Node):
        __slots__ = ("memo",)

    @make.dataclass(slots=True, eq=False)
    class Identical(Between):
        name: str = ""

        def __repr__(self) -> str:
            return f".{self.name} at {self.start}"

    return Identical


@dataclasses.dataclass(frozen=True, slots=True)
class _Theirs:
    place: Span
    names: tuple[str, ...] = ()


@records.dataclass(frozen=True, slots=True)
class _Ours:
    place: Span
    names: tuple[str, ...] = ()


CALLS = {
    plain: [((1,), {}), ((1, "x"), {"rest": (3,)}), ((2,), {"second": "a"}), ((1, "b", ()), {})],
    changing: [((), {}), (([1],), {}), ((), {"name": "n"}), (([1],), {"name": None})],
    open_one: [((1.5,), {}), ((), {"only": float("nan")}), ((2,), {})],
    empty: [((), {}), ((), {})],
    partly_compared: [((1,), {}), ((1, "x"), {"made": (1,)}), ((1,), {"hidden": 6}), ((0, None, 5, ()), {})],
    derived: [((), {}), ((4,), {}), ((4, 1), {}), ((), {"start": 1, "size": None})],
    identical: [((1,), {}), ((1, "x"), {}), ((1, "x"), {})],
}
BOTH = [pytest.param(one, calls, id=one.__name__) for one, calls in CALLS.items()]


@pytest.mark.parametrize(("define", "calls"), BOTH)
def test_objects_are_equal_ordered_hashed_and_shown_as_those_of_dataclasses(define, calls):
    ours, theirs = define(records), define(dataclasses)
    a = [ours(*args, **named) for args, named in copy.deepcopy(calls)]
    b = [theirs(*args, **named) for args, named in copy.deepcopy(calls)]
    assert [[x == y for y in a] for x in a] == [[x == y for y in b] for x in b]
    assert [repr(x).rpartition(".")[2] for x in a] == [repr(x).rpartition(".")[2] for x in b]
    assert ours.__match_args__ == theirs.__match_args__
    assert hasattr(ours, "__slots__") == hasattr(theirs, "__slots__")
    assert all(x != y for x in a for y in b)
    for by in ("__lt__", "__le__", "__gt__", "__ge__"):
        assert (by in ours.__dict__) == (by in theirs.__dict__)
    if "__lt__" in ours.__dict__:
        assert [[(x < y, x <= y, x > y, x >= y) for y in a] for x in a] == [
            [(x < y, x <= y, x > y, x >= y) for y in b] for x in b
        ]
    if theirs.__hash__ is None:
        assert ours.__hash__ is None
    elif "__hash__" in vars(theirs):
        assert [hash(x) for x in a] == [hash(x) for x in b]
    else:
        assert ours.__hash__ is object.__hash__


@pytest.mark.parametrize(("define", "calls"), BOTH)
def test_dataclasses_takes_them_for_its_own(define, calls):
    ours, theirs = define(records), define(dataclasses)
    for args, named in calls:
        one, other = ours(*args, **named), theirs(*args, **named)
        assert dataclasses.is_dataclass(one)
        assert repr(dataclasses.asdict(one)) == repr(dataclasses.asdict(other))
        assert [field.name for field in dataclasses.fields(one)] == [
            f.name for f in dataclasses.fields(other)
        ]
        for name in ours.__match_args__[:1]:
            for replace in (dataclasses.replace, records.replace):
                made = replace(one, **{name: 7})
                assert getattr(made, name) == 7
                assert repr(made) == repr(dataclasses.replace(other, **{name: 7}))


@pytest.mark.parametrize("wrong", [((), {}), ((1, 2, 3, 4), {}), ((1,), {"third": 1}), ((1,), {"first": 1})])
def test_wrong_arguments_are_refused_in_the_words_of_python(wrong):
    args, named = wrong
    words = []
    for make in (records, dataclasses):
        with pytest.raises(TypeError) as told:
            plain(make)(*args, **named)
        words.append(str(told.value).rpartition("__init__")[2])
    assert words[0] == words[1] != ""


def test_each_object_gets_a_default_of_its_own():
    kind = changing(records)
    kind().items.append(1)
    assert kind().items == []


def test_the_annotations_of_a_base_come_first():
    assert dict(records.annotations_of(derived(records))) == {"size": "int | None", "start": "int"}


def test_other_dataclasses_are_copied_too():
    assert records.replace(_Theirs(Span(0, 1)), names=("a",)) == _Theirs(Span(0, 1), ("a",))
    with pytest.raises(TypeError):
        records.replace(_Ours(Span(0, 1)), other=1)


@pytest.mark.parametrize("kind", [_Ours, _Theirs])
def test_they_can_be_copied_and_sent_to_other_processes(kind):
    one = kind(Span(1, 2), ("a",))
    for made in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert made == one and hash(made) == hash(one)


def test_patterns_take_a_finding_apart():
    match Finding("TL101", "name", "a.py", Span(0, 1), "text", Severity.ERROR):
        case Finding(rule, _, _, Span(start, end)):
            assert (rule, start, end) == ("TL101", 0, 1)
        case other:
            pytest.fail(f"{other!r} is not matched")


def test_what_is_not_known_here_is_refused():
    class Base:
        pass

    class Child(Base):
        number: int

    class Late:
        number: int

        def __post_init__(self) -> None:
            pass

    for kind in (Child, Late):
        with pytest.raises(TypeError, match="no bases but a record, and no __post_init__"):
            records.dataclass(kind)
