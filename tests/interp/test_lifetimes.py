"""State has an owner: every attribute says how long it lives, and roots are kept apart by these declarations."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlsp.core.text import Document
from torchlsp.interp.run.analyse import NoImports
from torchlsp.interp.run.caller_run import CallerInterpreter
from torchlsp.interp.run.interpreter import Interpreter
from torchlsp.interp.run.recording import RecordingInterpreter
from torchlsp.interp.store import lifetimes
from torchlsp.lint.files import lowered
from torchlsp.syntax.parse import parse

PROGRAMS = Path(__file__).parent / "programs"


@lifetimes.holder
class Held:
    def __init__(self, **fields) -> None:
        lifetimes.create_fields(self)
        vars(self).update(fields)

    shared: list = lifetimes.of_run(list)
    own: dict = lifetimes.per_root(dict)
    names: set = lifetimes.gathered(set, lifetimes.union)
    first: dict = lifetimes.gathered(dict, lifetimes.first_wins)
    last: dict = lifetimes.gathered(dict, lifetimes.last_wins)
    rows: list = lifetimes.gathered(list, lifetimes.extend)
    count: int = lifetimes.gathered(int, lifetimes.add)
    joined: dict = lifetimes.gathered(dict, lifetimes.merge_by(max))


def test_a_copy_has_its_own_containers_and_shares_what_is_of_the_run() -> None:
    held = Held(own={"a": {1}}, names={"x"})
    copy = lifetimes.copied(held)
    copy.own["a"].add(2)
    copy.names.add("y")
    copy.shared.append(1)
    assert (held.own, held.names, held.shared) == ({"a": {1}}, {"x"}, [1])


def test_what_roots_have_found_is_merged_in_their_order() -> None:
    base = Held(names={"x"}, rows=["before"], count=5)
    found = []
    for number in (1, 2):
        root = lifetimes.copied(base)
        root.own["forgotten"] = number
        root.names.add(f"n{number}")
        root.first["k"] = root.last["k"] = number
        root.rows.append(number)
        root.count += number
        root.joined["k"] = 10 - number
        found.append(lifetimes.new_entries(root, base))
    total = lifetimes.copied(base)
    for new in found:
        lifetimes.merge_entries(total, new)
    assert vars(total) == vars(
        Held(
            names={"x", "n1", "n2"},
            first={"k": 1},
            last={"k": 2},
            rows=["before", 1, 2],
            count=8,
            joined={"k": 9},
        )
    )


def test_what_runs_for_all_roots_reaches_the_copy_of_a_root() -> None:
    base = Held(own={"a": 1})
    root = lifetimes.copied(base)
    root.own["a"] = 2
    base.own |= {"a": 3, "b": 4}
    base.names.add("x")
    lifetimes.add_missing(root, base)
    assert (root.own, root.names) == ({"a": 2, "b": 4}, {"x"})


def test_states_of_checks_are_created_when_asked_for_and_merged() -> None:
    class Timers:
        clocks: dict = lifetimes.gathered(dict, lifetimes.first_wins)

    state = lifetimes.running_state(Timers)
    try:
        base, root = lifetimes.StatesByClass(), lifetimes.StatesByClass()
        root[state].clocks["a"] = 1
        found = lifetimes.new_entries(root, base)
        lifetimes.merge_entries(base, found)
        lifetimes.merge_entries(base, {state: {"clocks": {"a": 2, "b": 2}}})
        assert base[state].clocks == {"a": 1, "b": 2}
    finally:
        lifetimes.STATE_CLASSES.remove(state)


def test_a_state_must_say_how_long_its_fields_live() -> None:
    with pytest.raises(TypeError, match="clocks"):
        lifetimes.holder(type("Timers", (), {"__annotations__": {"clocks": int}, "clocks": 0}))


@pytest.mark.parametrize("kind", [Interpreter, RecordingInterpreter, CallerInterpreter])
def test_every_attribute_of_the_interpreter_is_declared(kind) -> None:
    arguments = {"imports", "wanted_calls", "strict", "cancelled", "called"}
    declared = arguments | {one.name for one in lifetimes.declarations(kind)}
    undeclared = set()
    for path in sorted(PROGRAMS.glob("*.py")):
        document = Document.from_bytes(path.name, path.read_bytes())
        it = kind(lowered(parse(document)), NoImports(), frozenset(), True, None)
        it.run()
        undeclared |= vars(it).keys() - declared
        assert it.states.keys() <= set(lifetimes.STATE_CLASSES)
    assert not undeclared
