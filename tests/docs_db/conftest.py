from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from torchlsp.engine.documentation import Documentation
from torchlsp.engine.interpreters import site_packages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TORCH = '''
"""A made-up torch."""
__version__ = "{version}"
__all__ = ["add", "Thing"]
print("torch prints while it is imported")

class Tensor:
    def view(self, *shape):
        """view(*shape) -> Tensor

        Returns a made-up view, see :func:`add`.
        """

class Thing(Tensor):
    """Does made-up things.

    .. versionadded:: {version}
    """
    def run(self, x=1):
        """Runs the thing."""

def add(a, b=2):
    """Adds {version} numbers.

    Args:
        a (int): the first
    """

def old(x):
    raise RuntimeError("This function was deprecated since version 1.9 and is now removed.")

_private = add
'''


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


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Documentation]:
    """Makes an environment whose torch is a few lines of our own, run by the Python that runs the tests."""

    def made(name: str = "environment", version: str = "9.1.0", torch: str | None = None) -> Documentation:
        python = environment(tmp_path / name, version, torch)
        return Documentation(python, site_packages(python), str(tmp_path / "cache"))

    return made


def environment(folder: Path, version: str = "9.1.0", torch: str | None = None) -> str:
    """The Python of an environment at a folder; `torch` is the text of its package."""
    (folder / "bin").mkdir(parents=True)
    python = folder / "bin" / "python"
    python.symlink_to(sys.executable)
    short = f"{sys.version_info[0]}.{sys.version_info[1]}"
    home = Path(sys.executable).resolve().parent
    (folder / "pyvenv.cfg").write_text(f"home = {home}\nversion = {short}\n", encoding="utf-8")
    packages = folder / "lib" / f"python{short}" / "site-packages"
    metadata = packages / f"torch-{version}.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True)
    metadata.write_text(f"Name: torch\nVersion: {version}\n", encoding="utf-8")
    (packages / "torch").mkdir()
    text = TORCH.replace("{version}", version) if torch is None else torch
    (packages / "torch" / "__init__.py").write_text(text, encoding="utf-8")
    return str(python)
