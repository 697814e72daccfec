"""The modules of torch that are reported where they are called."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

from torchlsp.interp.checks.api.not_callable import MODULES

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("name", MODULES)
def test_is_a_module_that_has_what_is_likely_to_be_meant(name: str) -> None:
    module = importlib.import_module(name)
    parent, _, last = name.rpartition(".")
    assert type(getattr(importlib.import_module(parent), last)) is ModuleType  # not a function of this name
    assert not MODULES[name] or callable(getattr(module, MODULES[name]))
