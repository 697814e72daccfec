"""The extractor runs alone, under an old Python too, and writes all or nothing."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from torchlsp.engine.documentation import EXTRACTOR

pytestmark = pytest.mark.processes

if TYPE_CHECKING:
    from collections.abc import Callable

    from torchlsp.engine.documentation import Documentation


def test_it_is_in_the_syntax_of_python_3_8_and_imports_nothing_but_the_standard_library() -> None:
    tree = ast.parse(EXTRACTOR.read_text(encoding="utf-8"), feature_version=(3, 8))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names and names <= sys.stdlib_module_names


def extracted(
    documentation: Documentation, out: Path, *, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    options = json.dumps({"site": documentation._site_packages})
    return subprocess.run(
        [documentation.python, "-I", "-S", "-B", str(EXTRACTOR), str(out), options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=cwd,
        check=False,
    )


def test_stray_prints_do_not_reach_the_lines(make: Callable[..., Documentation], tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    ran = extracted(make(), out)
    assert ran.returncode == 0
    assert ran.stdout == "torch prints while it is imported\n"
    header, *lines = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert header["versions"] == {"torch": "9.1.0"}
    assert {line["symbol"]: line["kind"] for line in lines} == {
        "torch": "module",
        "torch.Tensor": "class",
        "torch.Tensor.view": "method",
        "torch.Thing": "class",
        "torch.Thing.run": "method",
        "torch.add": "function",
        "torch.old": "function",
    }


def test_a_torch_that_fails_is_one_line(make: Callable[..., Documentation], tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    ran = extracted(make(torch="raise OSError('no\\nlibrary')"), out)
    assert ran.returncode == 1
    assert json.loads(out.read_text(encoding="utf-8")) == {"error": "OSError: no library"}


def test_nothing_of_the_folder_it_runs_in_is_imported(
    make: Callable[..., Documentation], tmp_path: Path
) -> None:
    place = tmp_path / "workspace"
    (place / "torch").mkdir(parents=True)
    (place / "torch" / "__init__.py").write_text("raise SystemExit('the wrong torch')", encoding="utf-8")
    (place / "json.py").write_text("raise SystemExit('the wrong json')", encoding="utf-8")
    ran = extracted(make(), tmp_path / "out.jsonl", cwd=place)
    assert ran.returncode == 0


def test_a_run_that_is_cut_off_leaves_no_file(make: Callable[..., Documentation], tmp_path: Path) -> None:
    torch = (
        "import atexit\n__version__ = '1'\nclass Tensor:\n    def view(self): pass\nimport os\nos._exit(9)"
    )
    out = tmp_path / "out.jsonl"
    assert extracted(make(torch=torch), out).returncode == 9
    assert not out.exists()


def test_the_name_that_is_documented_comes_first(make: Callable[..., Documentation]) -> None:
    torch = '''
__version__ = "9.1.0"
import sys, types
class Tensor:
    def view(self): pass
nn = types.ModuleType("torch.nn")
layers = types.ModuleType("torch.nn.layers")
sys.modules["torch.nn"], sys.modules["torch.nn.layers"] = nn, layers
class Layer:
    """A layer."""
Layer.__module__ = "torch.nn.layers"
layers.Layer = nn.Layer = Layer
layers.Tensor = Tensor
del Layer
'''
    documentation = make(torch=torch)
    documentation.build()
    for name in ("torch.nn.Layer", "torch.nn.layers.Layer", "nn.Layer"):
        entry = documentation.entry(name)
        assert entry is not None and entry.symbol == "torch.nn.Layer"
    tensor = documentation.entry("torch.nn.layers.Tensor")
    assert tensor is not None and tensor.symbol == "torch.Tensor"


def test_signatures_are_shown_as_they_are_written(make: Callable[..., Documentation]) -> None:
    torch = """
from __future__ import annotations
__version__ = "9.1.0"
class Tensor:
    def view(self): pass
class Kind:
    name = "SUM"
    def __repr__(self): return "<Kind.SUM: 0>"
def f(x: int | None = None, *, how: 'str' = 'a', by=len, kind=Kind(), thing=object()) -> Tensor:
    pass
"""
    documentation = make(torch=torch)
    documentation.build()
    entry = documentation.entry("torch.f")
    assert entry is not None
    assert entry.signature is not None
    # The quotes around `str` are the author's own.
    assert entry.signature.replace("'str'", "str") == (
        "torch.f(x: int | None = None, *, how: str = 'a', by=<built-in function len>, kind=Kind.SUM, "
        "thing=<object object>) -> Tensor"
    ).replace("<built-in function len>", "len")


def test_what_a_deprecated_name_stands_for_is_not_deprecated(make: Callable[..., Documentation]) -> None:
    torch = """
__version__ = "9.1.0"
import functools
class Tensor:
    def view(self): pass
def deprecated(text):
    # As typing_extensions does it.
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args): return function(*args)
        function.__deprecated__ = wrapper.__deprecated__ = text
        return wrapper
    return decorate
def index(): "The index."
idx = deprecated("Use index instead")(index)
"""
    documentation = make(torch=torch)
    documentation.build()
    new, old = documentation.entry("torch.index"), documentation.entry("torch.idx")
    assert new is not None and new.deprecated is None
    assert old is not None and old.deprecated == "Use index instead"
