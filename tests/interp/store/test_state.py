"""The journal of the store: what was changed since a mark can be read, undone, and made again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torchlsp.interp.store.state import MISSING, MODES, Scope, State, path_state

KEYS = ("a", "b", "c")

operations = st.lists(
    st.tuples(st.sampled_from(("heap", "scope")), st.sampled_from(KEYS), st.none() | st.integers(0, 3)),
    max_size=12,
)
"""(store, key, value): None deletes the key."""


class Run:
    """A state with a scope, and the dicts that Python would have after the same operations."""

    def __init__(self) -> None:
        self.state = State()
        self.scope = Scope("function", None, None).variables

    def do(self, some: list[tuple[str, str, int | None]]) -> None:
        for where, key, value in some:
            store: dict[Any, Any] = self.state.heap if where == "heap" else self.scope
            name = (key, "x") if where == "heap" else key
            if value is None:
                self.state.delete(store, name)
            else:
                self.state.set(store, name, value)

    def stores(self) -> tuple[dict[Any, Any], dict[Any, Any], dict[str, Any]]:
        return dict(self.state.heap), dict(self.scope), dict(self.state.modes)


@settings(deadline=None, derandomize=True)
@given(operations, operations)
def test_taken_changes_are_undone_and_can_be_made_again(before, later) -> None:
    run = Run()
    run.do(before)
    start = run.stores()
    mark = run.state.mark()
    run.do(later)
    end = run.stores()
    delta = run.state.take(mark)
    assert run.stores() == start
    assert run.state.mark() == mark
    run.state.apply(delta)
    assert run.stores() == end
    run.state.take(mark)
    assert run.stores() == start


@settings(deadline=None, derandomize=True)
@given(operations, operations)
def test_changes_are_the_changed_entries_with_their_present_values(before, later) -> None:
    run = Run()
    run.do(before)
    mark = run.state.mark()
    held = {(id(store), key) for store in (run.state.heap, run.scope) for key in store}
    run.do(later)
    changes = run.state.changes(mark)
    for (identity, key), (store, same_key, value) in changes.items():
        assert identity == id(store) and key == same_key
        assert store.get(key, MISSING) == value
    # A key that is deleted where there is none is no change.
    touched = {(id(run.state.heap if one == "heap" else run.scope), (key, "x") if one == "heap" else key)
               for one, key, _ in later}  # fmt: skip
    assert changes.keys() <= touched
    assert run.state.existed(mark) == held & changes.keys()
    others = run.state.changes(mark, without=run.scope)
    assert others == {name: one for name, one in changes.items() if one[0] is run.state.heap}


def test_nothing_has_changed_since_the_last_mark() -> None:
    run = Run()
    run.do([("heap", "a", 1)])
    assert run.state.changes(run.state.mark()) == {}
    assert run.state.take(run.state.mark()) == {}
    assert run.state.heap == {("a", "x"): 1}


def test_a_branch_inside_a_branch_is_undone_with_the_outer_one() -> None:
    run = Run()
    run.do([("heap", "a", 1)])
    outer = run.state.mark()
    run.do([("heap", "a", 2)])
    inner = run.state.mark()
    run.do([("heap", "a", 3), ("heap", "b", 4)])
    delta = run.state.take(inner)
    assert run.state.heap == {("a", "x"): 2}
    run.state.apply(delta)
    run.state.take(outer)
    assert run.state.heap == {("a", "x"): 1}


def test_apply_writes_no_journal_for_what_is_there_already() -> None:
    run = Run()
    value = object()
    run.state.set(run.scope, "a", value)
    mark = run.state.mark()
    run.state.apply({(id(run.scope), "a"): (run.scope, "a", value)})
    run.state.apply({(id(run.scope), "b"): (run.scope, "b", MISSING)})
    assert run.state.mark() == mark


def test_a_forgotten_scope_keeps_what_it_holds_when_the_rest_is_undone() -> None:
    run = Run()
    mark = run.state.mark()
    run.do([("scope", "a", 1), ("heap", "b", 2), ("scope", "c", 3)])
    run.state.forget(mark, run.scope)
    run.state.take(mark)
    assert run.scope == {"a": 1, "c": 3}
    assert run.state.heap == {}


def test_changes_outside_of_managers_have_the_modes_of_before_they_were_entered() -> None:
    run = Run()
    state = run.state
    mark = state.mark()
    managers = []
    for mode, inside in (("grad", "no_grad"), ("grad", "enable_grad"), ("autocast", "on")):
        managers.append((mode, state.modes[mode]))
        state.set(state.modes, mode, inside)
    run.do([("heap", "a", 1)])
    outside = {key: value for _, key, value in state.changes_outside(mark, managers).values()}
    assert outside == {"grad": MODES["grad"], "autocast": MODES["autocast"], ("a", "x"): 1}
    inside = {key: value for _, key, value in state.changes(mark).values()}
    assert inside == {"grad": "enable_grad", "autocast": "on", ("a", "x"): 1}


def test_state_of_a_path_begins_with_its_declared_value_and_has_one_declaration() -> None:
    name = path_state("a state of this test", 7)
    try:
        assert State().modes[name] == 7
        with pytest.raises(ValueError, match=name):
            path_state(name, 8)
    finally:
        del MODES[name]


def test_every_state_has_its_own_modes() -> None:
    one, other = State(), State()
    one.set(one.modes, "dtype", "f64")
    assert (other.modes["dtype"], MODES["dtype"]) == ("f32", "f32")
