"""The tables of reproducers: each module has those of its own rule family, and is loaded when one of them is asked for."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import get_args

import pytest

from torchlsp.facts.fault import FaultKind
from torchlsp.facts.fault_kinds import KINDS, Family
from torchlsp.lint.reproducers import reproducer_of_kind


@pytest.mark.parametrize("family", get_args(Family))
def test_a_module_has_the_reproducers_of_its_own_family_only(family: str):
    table = importlib.import_module(f"torchlsp.lint.reproducers.{family}").OF_KIND
    assert table
    assert {KINDS[kind].family for kind in table} == {family}
    assert all(reproducer_of_kind(kind) is reproduce for kind, reproduce in table.items())


def test_a_kind_that_one_call_shows_has_no_reproducer_of_its_own():
    assert reproducer_of_kind(FaultKind.VIEW_STRIDES) is None


@pytest.mark.processes
def test_only_the_family_that_is_asked_for_is_loaded():
    program = (
        "import sys\n"
        "from torchlsp.facts.fault import FaultKind\n"
        "from torchlsp.lint.reproducers import reproducer_of_kind\n"
        "reproducer_of_kind(FaultKind.UNPACK)\n"
        "print(*sorted(name for name in sys.modules if name.startswith('torchlsp.lint.reproducers.')))\n"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    modules = {name.removeprefix("torchlsp.lint.reproducers.").partition(".")[0] for name in loaded.split()}
    assert modules & set(get_args(Family)) == {"layout"}
