"""Following states through a trace gives the states of all runs, enumerated one by one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from torchlsp.interp.model.trace_flow import TURNS, Flow, events, place
from torchlsp.interp.store.trace import (
    BranchItem,
    CallItem,
    Event,
    EventKind,
    Exit,
    Item,
    IterationItem,
    LoopItem,
)

Run = tuple[str, "str | None"]
"""The names of the events of one run, and the exit that ends it."""


def runs_of(items: tuple[Item, ...]) -> set[Run]:
    """Every run of the items, with at most TURNS iterations of a loop."""
    found: set[Run] = {("", None)}
    for item in items:
        going = {names for names, exit_ in found if exit_ is None}
        found = {run for run in found if run[1] is not None}
        found |= {(names + more, exit_) for names in going for more, exit_ in runs_of_item(item)}
    return found


def runs_of_item(item: Item) -> Iterator[Run]:
    match item:
        case Event(name=name):
            yield name, None
        case Exit(kind=kind):
            yield "", kind
        case BranchItem(body=body, orelse=orelse):
            yield from runs_of(body) | runs_of(orelse)
        case IterationItem(body=body):
            for names, exit_ in runs_of(body):
                yield names, None if exit_ == "continue" else exit_
        case CallItem(body=body):
            for names, exit_ in runs_of(body):
                yield names, None if exit_ == "return" else exit_
        case LoopItem(body=body, endless=endless):
            if body and all(isinstance(one, IterationItem) for one in body):
                for names, exit_ in runs_of(body):
                    yield names, None if exit_ == "break" else exit_
                return
            going = {""}
            if not endless:
                yield "", None
            for _ in range(TURNS):
                runs = {(names + more, exit_) for names in going for more, exit_ in runs_of(body)}
                going = {names for names, exit_ in runs if exit_ in (None, "continue")}
                for names, exit_ in runs:
                    if exit_ in ("return", "raise"):
                        yield names, exit_
                    elif exit_ == "break" or not endless:
                        yield names, None


leaves = st.one_of(
    st.sampled_from("abc").map(lambda name: Event(EventKind.STEP, 0, 1, name=name)),
    st.sampled_from(("return", "raise")).map(lambda kind: Exit(kind, 0, 1)),
)
in_loops = st.one_of(leaves, st.sampled_from(("break", "continue")).map(lambda kind: Exit(kind, 0, 1)))


def blocks(inner: st.SearchStrategy[Item]) -> st.SearchStrategy[tuple[Item, ...]]:
    return st.lists(inner, max_size=2).map(tuple)


def branches(inner: st.SearchStrategy[Item]) -> st.SearchStrategy[Item]:
    return st.builds(BranchItem, st.just(0), st.just(1), st.none(), blocks(inner), blocks(inner))


bodies = st.lists(st.one_of(in_loops, branches(in_loops)), max_size=3).map(tuple)
loops = st.one_of(
    st.builds(LoopItem, st.just(0), st.just(1), bodies, endless=st.booleans()),
    st.lists(st.builds(IterationItem, st.just(0), st.just(1), bodies), min_size=1, max_size=3).map(
        lambda turns: LoopItem(0, 1, tuple(turns))
    ),
)
traces = blocks(
    st.recursive(
        st.one_of(leaves, loops),
        lambda inner: st.one_of(
            branches(inner), st.builds(CallItem, st.just(0), st.just(1), st.just("f"), blocks(inner))
        ),
        max_leaves=4,
    )
)


def extended(event: Event, states: frozenset[str]) -> frozenset[str]:
    return frozenset(state + event.name for state in states)


def assert_states_are_those_of_all_runs(trace: tuple[Item, ...]) -> None:
    ends, exits = Flow(extended).run(trace, frozenset({""}))
    expected = runs_of(trace)
    assert ends == {names for names, exit_ in expected if exit_ is None}
    for kind in ("return", "raise"):
        assert exits.get(kind, frozenset()) == {names for names, exit_ in expected if exit_ == kind}


@settings(deadline=None, derandomize=True, max_examples=150, suppress_health_check=list(HealthCheck))
@given(traces)
def test_states_at_the_end_and_at_exits_are_those_of_all_runs(trace: tuple[Item, ...]) -> None:
    assert_states_are_those_of_all_runs(trace)


@pytest.mark.parametrize("kind", ["break", "continue", "return", "raise"])
@pytest.mark.parametrize("form", ["loop", "endless", "unrolled"])
def test_every_exit_of_a_loop_leads_where_it_does_in_python(kind: str, form: str) -> None:
    first, second, last = (Event(EventKind.STEP, 0, 1, name=name) for name in "abc")
    for branch in (
        BranchItem(0, 1, None, (Exit(kind, 0, 1),), ()),
        BranchItem(0, 1, None, (), (second, Exit(kind, 0, 1))),
        Exit(kind, 0, 1),
    ):
        body = (first, branch, second)
        turns = (IterationItem(0, 1, body), IterationItem(0, 1, body))
        loop = (
            LoopItem(0, 1, turns) if form == "unrolled" else LoopItem(0, 1, body, endless=form == "endless")
        )
        assert_states_are_those_of_all_runs((loop, last))
        assert_states_are_those_of_all_runs((CallItem(0, 1, "f", (loop, last)), second))


def test_an_event_is_visited_once_for_each_iteration_with_the_calls_around_it() -> None:
    step = Event(EventKind.STEP, 5, 6, path="a.py")
    call = CallItem(3, 7, "f", (LoopItem(4, 6, (step,)),), path="b.py")
    seen: list[tuple[list[int], tuple[object, ...]]] = []
    numbers = count()

    def after(event: Event, states: frozenset[int]) -> frozenset[int]:
        seen.append((list(flow.turns), flow.chain))
        return frozenset({next(numbers)})

    flow = Flow(after)
    flow.run((call,), frozenset({-1}))
    chain = (("b.py", 3, 7, "f"),)
    assert seen == [([turn], chain) for turn in range(TURNS)]
    assert (flow.calls, flow.loops, flow.turns) == ([], [], [])


def test_nothing_is_followed_behind_a_certain_exit() -> None:
    seen: list[str] = []

    def after(event: Event, states: frozenset[int]) -> frozenset[int]:
        seen.append(event.name)
        return states

    first, second = (Event(EventKind.STEP, 0, 1, name=name) for name in "ab")
    assert Flow(after).run((first, Exit("return", 1, 2), second), frozenset({0})) == (
        frozenset(),
        {"return": frozenset({0})},
    )
    assert seen == ["a"]


def test_events_are_listed_in_order_whatever_they_are_in() -> None:
    a, b, c, d = (Event(EventKind.STEP, start, start + 1, path="p") for start in range(4))
    trace = (
        LoopItem(0, 9, (IterationItem(0, 9, (a,)),)),
        BranchItem(0, 9, None, (b,), (Exit("raise", 0, 1), CallItem(0, 9, "f", (c,)))),
        d,
    )
    assert list(events(trace)) == [a, b, c, d]
    assert [place(event) for event in (a, d)] == [("p", 0, 1), ("p", 3, 4)]
