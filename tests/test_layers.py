"""Layers point one way, and the invariants of the architecture that a test can hold."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# What each layer may import of ours, besides itself.
ALLOWED = {
    "core": set(),
    "syntax": {"core"},
    "facts": {"core"},
    "program": {"syntax", "core"},
    "ops": {"facts", "core"},
    "interp": {"program", "ops", "facts", "core"},
    "lint": {"interp", "program", "ops", "facts", "syntax", "core"},
    "rules": {"lint"},
    "docs_db": {"core"},
    "engine": {"probe", "docs_db", "rules", "lint", "interp", "program", "ops", "facts", "syntax", "core"},
    # SARIF carries the pages of the rules; `explain` and `rules` show pages and the registry, `doctor` counts it.
    "report": {"engine", "lint", "core", "docs_db"},
    # Its worker runs under another Python and imports nothing of ours; see `test_the_worker_stands_alone`.
    "probe": {"core"},
    "cli": {"server", "report", "probe", "engine", "lint", "core"},
    "server": {"report", "engine", "lint", "docs_db", "syntax", "core"},
    "dev": None,
}
WORKER = ROOT / "torchlsp" / "probe" / "worker"
# I3: who may look at a tree.
MAY_IMPORT_AST = {"syntax", "program", "dev"}
# The one file that parses text of ours with it, the signatures of the operator table, and no user's code.
READS_ITS_OWN_SIGNATURES = ROOT / "torchlsp" / "ops" / "signature.py"
# The gate of the probe reads programs of our own making, under a Python that may be older than ours.
READS_PROGRAMS = WORKER / "gate.py"
MAY_IMPORT_LIBCST = {"syntax", "lint", "rules", "dev"}
# I6: no files, clocks, environment below the engine. `lint` finds and reads the rules' own files.
PURE = {"core", "syntax", "facts", "program", "ops", "interp"}
IMPURE_MODULES = {
    "os",
    "io",
    "time",
    "datetime",
    "subprocess",
    "socket",
    "random",
    "tempfile",
    "shutil",
    "logging",
}


def layer_files() -> list[tuple[str, Path]]:
    found = []
    for folder in (ROOT / "torchlsp", ROOT / "rules", ROOT / "docs_db"):
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(ROOT).parts
            if parts[:2] in (("torchlsp", "rules"), ("torchlsp", "docs_db")):
                continue
            layer = parts[0] if parts[0] != "torchlsp" else parts[1].removesuffix(".py")
            found.append((layer, path))
    return found


FILES = layer_files()
IDS = [str(path.relative_to(ROOT)) for _, path in FILES]
each_file = pytest.mark.parametrize(("layer", "path"), FILES, ids=IDS)


@cache
def imports(path: Path, *, only_at_top: bool = False) -> list[tuple[int, str]]:
    """(row, full dotted name) of what a file imports at run time: blocks for type checkers are left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: list[tuple[int, str]] = []
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            stack.extend(node.orelse)
            continue
        if only_at_top and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Import):
            found.extend((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: imports are absolute here"
            found.extend((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        stack.extend(ast.iter_child_nodes(node))
    return found


@each_file
def test_layers_point_one_way(layer: str, path: Path) -> None:
    if layer in ("__init__", "__main__"):
        return
    allowed = ALLOWED[layer]
    if allowed is None:
        return
    for row, name in imports(path):
        parts = name.split(".")
        if parts[0] != "torchlsp" or name == "torchlsp.__version__":
            continue
        assert parts[1] in allowed | {layer}, f"{path}:{row}: {layer} must not import {name}"


@each_file
def test_torch_is_imported_nowhere(layer: str, path: Path) -> None:
    for row, name in imports(path):
        if layer == "dev" or path.parent == WORKER:
            continue
        assert name.split(".")[0] not in ("torch", "torchvision", "numpy"), f"{path}:{row}: imports {name}"


@each_file
def test_protocol_libraries_and_jedi_stay_where_they_belong(layer: str, path: Path) -> None:
    for row, name in imports(path):
        first = name.split(".")[0]
        if first in ("pygls", "lsprotocol"):
            assert layer == "server", f"{path}:{row}: imports {name}"
        if first == "jedi":
            assert layer == "engine", f"{path}:{row}: imports {name}"


@each_file
def test_trees_are_seen_by_few(layer: str, path: Path) -> None:
    for row, name in imports(path):
        first = name.split(".")[0]
        if first == "ast" and path not in (READS_ITS_OWN_SIGNATURES, READS_PROGRAMS):
            assert layer in MAY_IMPORT_AST, f"{path}:{row}: {layer} must not import ast"
        if first == "libcst":
            assert layer in MAY_IMPORT_LIBCST, f"{path}:{row}: {layer} must not import libcst"
            assert name.split(".")[1:2] not in (["metadata"], ["codemod"]), (
                f"{path}:{row}: {name} is too slow"
            )


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts if parts[0] == "torchlsp" else ("torchlsp", *parts))


def test_libcst_is_loaded_late() -> None:
    """A module may import libcst at its top only if nothing but a rule imports that module at its own top."""
    loads = {
        module_name(path)
        for layer, path in FILES
        if layer != "dev"
        and any(name.split(".")[0] == "libcst" for _, name in imports(path, only_at_top=True))
    }
    for layer, path in FILES:
        if layer in ("rules", "dev"):
            continue
        for row, name in imports(path, only_at_top=True):
            assert not any(name == one or name.startswith(one + ".") for one in loads), (
                f"{path}:{row}: import {name} inside the function that needs it, it loads libcst"
            )


@each_file
def test_below_the_engine_all_is_pure(layer: str, path: Path) -> None:
    if layer not in PURE:
        return
    for row, name in imports(path):
        assert name.split(".")[0] not in IMPURE_MODULES, f"{path}:{row}: {layer} must not import {name}"
        # `Document.uri` turns a path into a URI without touching the disk.
        if layer != "core":
            assert name.split(".")[0] != "pathlib", f"{path}:{row}: {layer} must not import {name}"


@pytest.mark.parametrize("path", sorted(WORKER.glob("*.py")), ids=lambda path: path.stem)
def test_the_worker_stands_alone(path: Path) -> None:
    """It runs under the user's Python, from 3.8 on, where of ours only its own folder is."""
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
    siblings = {one.stem for one in WORKER.glob("*.py")}
    for row, name in imports(path):
        first = name.split(".")[0]
        known = first in sys.stdlib_module_names or first in siblings or first in ("torch", "numpy")
        assert known, f"{path}:{row}: the worker must not import {name}"


def test_only_what_runs_programs_imports_torch() -> None:
    """The lock and the gate are also used without torch, by `doctor` and before anything runs."""
    for name in ("gate.py", "names.py", "sandbox.py"):
        path = WORKER / name
        assert not any(one.split(".")[0] == "torch" for _, one in imports(path)), f"{path}: imports torch"


@pytest.mark.parametrize("path", sorted((ROOT / "rules").glob("*/*.py")), ids=lambda path: path.stem)
def test_rules_import_only_lint_and_the_standard_library(path: Path) -> None:
    for row, name in imports(path):
        first = name.split(".")[0]
        known = first in sys.stdlib_module_names or name.startswith("torchlsp.lint")
        assert known, f"{path}:{row}: a rule must not import {name}"


def test_long_files_give_their_reason() -> None:
    for _, path in FILES:
        text = path.read_text(encoding="utf-8")
        rows = text.count("\n")
        docstring = ast.get_docstring(ast.parse(text)) or ""
        assert rows <= 600 or "long because" in docstring.lower(), f"{path}: {rows} rows and no reason given"


def test_no_file_is_a_drawer() -> None:
    names = {path.name for _, path in FILES}
    assert not names & {"utils.py", "helpers.py", "common.py", "misc.py"}
