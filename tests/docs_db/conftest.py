from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

import pytest

from torchlsp.engine.documentation import Documentation
from torchlsp.engine.interpreters import site_packages

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Documentation]:
    """The documentation of the torch that the tests run with, built once."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    folder = tmp_path_factory.mktemp("cache")
    documentation = Documentation(sys.executable, site_packages(sys.executable), str(folder))
    documentation.build()
    yield documentation
    documentation.close()
