"""The table of fault kinds: every kind is in it, and in the family of the rules that report it."""

from __future__ import annotations

from typing import get_args

from torchlsp.facts.fault import FaultKind
from torchlsp.facts.fault_kinds import KINDS, RAISES, Family
from torchlsp.lint.registry import rules, rules_folder


def families_of(kind: FaultKind) -> set[str]:
    """The folders of the rules that ask for a kind."""
    return {info.folder for info in rules() if ("faults", kind.name) in info.asks}


def test_every_kind_of_fault_has_an_entry():
    assert set(KINDS) == set(FaultKind)


def test_a_kind_belongs_to_the_family_of_the_rules_that_ask_for_it():
    assert {kind.name: {info.family} for kind, info in KINDS.items()} == {
        kind.name: families_of(kind) for kind in FaultKind
    }


def test_families_are_the_folders_of_the_rules():
    folders = {path.name for path in rules_folder().iterdir() if (path / "__init__.py").exists()}
    assert set(get_args(Family)) == folders


def test_what_ends_the_program_raises_something():
    assert [kind.name for kind, info in KINDS.items() if info.ends_program and not RAISES[kind]] == []
