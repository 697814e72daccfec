"""Layers point one way, and the invariants of the architecture that a test can hold."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# What each layer may import of ours, besides itself.
ALLOWED = {
    "core": set(),
    # One module, torchlsp/files.py: everything else that reads what a workspace can name reads through it.
    "files": set(),
    "syntax": {"core"},
    "facts": {"core"},
    "program": {"syntax", "core"},
    "ops": {"facts", "core"},
    "interp": {"program", "ops", "facts", "core"},
    "lint": {"interp", "program", "ops", "facts", "syntax", "core"},
    "rules": {"lint"},
    "docs_db": {"core"},
    "slicing": {"core"},
    "engine": {
        "files",
        "slicing",
        "recorder",
        "probe",
        "docs_db",
        "rules",
        "lint",
        "interp",
        "program",
        "ops",
        "facts",
        "syntax",
        "core",
    },
    # The dumps of a job that hangs: it reads the source of the program that ran, and runs none of it.
    "hang": {"core", "files"},
    # SARIF carries the pages of the rules; `explain` and `rules` show pages and the registry, `doctor` counts it.
    "report": {"engine", "hang", "lint", "core", "docs_db", "files"},
    # Its worker runs under another Python and imports nothing of ours; see `test_the_worker_stands_alone`.
    "probe": {"core"},
    # Its agent runs inside of the user's programs and imports nothing of ours; see `test_the_recorders_agent_stands_alone`.
    "recorder": {"syntax", "core", "files"},
    # The tools of agents; `serving` speaks the protocol.
    "mcp_server": {"report", "engine", "probe", "core", "files"},
    "cli": {"mcp_server", "server", "report", "hang", "recorder", "probe", "engine", "lint", "core", "files"},
    "server": {"report", "engine", "probe", "lint", "docs_db", "syntax", "core", "files"},
    "dev": None,
}
WORKER = ROOT / "torchlsp" / "probe" / "worker"
AGENT = ROOT / "torchlsp" / "recorder" / "agent"
# I3: who may look at a tree.
MAY_IMPORT_AST = {"syntax", "program", "slicing", "hang", "dev"}
# The one file that parses text of ours with it, the signatures of the operator table, and no user's code.
READS_ITS_OWN_SIGNATURES = ROOT / "torchlsp" / "ops" / "signature.py"
# The gate of the probe reads programs of our own making, under a Python that may be older than ours.
READS_PROGRAMS = WORKER / "gate.py"
MAY_IMPORT_LIBCST = {"syntax", "lint", "rules", "dev"}
# I6: no files, clocks, environment below the engine. `lint` finds and reads the rules' own files.
PURE = {"core", "syntax", "facts", "program", "ops", "interp", "slicing"}
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


@cache
def imports(path: Path) -> list[tuple[int, str, bool]]:
    """(row, full dotted name, outside of functions) of what a file imports at run time, not only for type checkers."""
    found: list[tuple[int, str, bool]] = []
    # An import is a statement, and statements stand only in these fields: expressions are not looked into.
    fields = ("body", "orelse", "finalbody", "handlers", "cases")
    stack: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text(encoding="utf-8")), True)]
    while stack:
        node, at_top = stack.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            stack.extend((one, at_top) for one in node.orelse)
            continue
        if isinstance(node, ast.Import):
            found.extend((node.lineno, alias.name, at_top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found.extend((node.lineno, f"{module}.{alias.name}", at_top) for alias in node.names)
        at_top = at_top and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        stack.extend((one, at_top) for field in fields for one in getattr(node, field, ()))
    return found


def every_import() -> Iterable[tuple[str, Path, int, str]]:
    """(layer, file, row, full dotted name) of each import of each file."""
    for layer, path in FILES:
        for row, name, _ in imports(path):
            yield layer, path, row, name


@pytest.fixture(scope="module", autouse=True)
def _parsed() -> None:
    """Reads the imports of all files once, for all tests here."""
    for _, path in FILES:
        imports(path)


def offence(path: Path, row: int, what: str) -> str:
    return f"{path.relative_to(ROOT)}:{row}: {what}"


def assert_none(offences: list[str]) -> None:
    assert not offences, "\n".join(["", *offences])


def test_imports_are_absolute() -> None:
    assert_none(
        [
            offence(path, row, f"{name} is relative")
            for _, path, row, name in every_import()
            if name.startswith(".")
        ]
    )


def test_layers_point_one_way() -> None:
    offences = []
    for layer, path, row, name in every_import():
        if layer in ("__init__", "__main__") or name == "torchlsp.__version__":
            continue
        allowed = ALLOWED[layer]
        parts = name.split(".")
        if allowed is not None and parts[0] == "torchlsp" and parts[1] not in allowed | {layer}:
            offences.append(offence(path, row, f"{layer} must not import {name}"))
    assert_none(offences)


def test_torch_is_imported_nowhere() -> None:
    assert_none(
        [
            offence(path, row, f"imports {name}")
            for layer, path, row, name in every_import()
            if name.split(".")[0] in ("torch", "torchvision", "numpy")
            and layer != "dev"
            and path.parent != WORKER
        ]
    )


def test_protocol_libraries_and_jedi_stay_where_they_belong() -> None:
    sdk = dict.fromkeys(("mcp", "mcp_types", "anyio", "jsonschema"), "mcp_server")
    homes = {"pygls": "server", "lsprotocol": "server", "jedi": "engine"} | sdk
    assert_none(
        [
            offence(path, row, f"imports {name}")
            for layer, path, row, name in every_import()
            if homes.get(name.split(".")[0], layer) != layer
        ]
    )


def test_one_module_imports_the_sdk_of_agents() -> None:
    """It is an extra: everything else must work without it."""
    serving = ROOT / "torchlsp" / "mcp_server" / "serving.py"
    assert_none(
        [
            offence(path, row, f"imports {name}")
            for _, path, row, name in every_import()
            if name.split(".")[0] in ("mcp", "mcp_types", "anyio", "jsonschema") and path != serving
        ]
    )


def test_trees_are_seen_by_few() -> None:
    offences = []
    for layer, path, row, name in every_import():
        first, *rest = name.split(".")
        if first == "ast" and path not in (READS_ITS_OWN_SIGNATURES, READS_PROGRAMS):
            if layer not in MAY_IMPORT_AST:
                offences.append(offence(path, row, f"{layer} must not import ast"))
        if first == "libcst":
            if layer not in MAY_IMPORT_LIBCST:
                offences.append(offence(path, row, f"{layer} must not import libcst"))
            if rest[:1] in (["metadata"], ["codemod"]):
                offences.append(offence(path, row, f"{name} is too slow"))
    assert_none(offences)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts if parts[0] == "torchlsp" else ("torchlsp", *parts))


def test_libcst_is_loaded_late() -> None:
    """A module may import libcst at its top only if nothing but a rule imports that module at its own top."""
    loads = {
        module_name(path)
        for layer, path in FILES
        if layer != "dev"
        and any(at_top and name.split(".")[0] == "libcst" for _, name, at_top in imports(path))
    }
    assert_none(
        [
            offence(path, row, f"import {name} inside the function that needs it, it loads libcst")
            for layer, path in FILES
            if layer not in ("rules", "dev")
            for row, name, at_top in imports(path)
            if at_top and any(name == one or name.startswith(one + ".") for one in loads)
        ]
    )


def test_below_the_engine_all_is_pure() -> None:
    offences = []
    for layer, path, row, name in every_import():
        first = name.split(".")[0]
        # `Document.uri` turns a path into a URI without touching the disk.
        impure = first in IMPURE_MODULES or (first == "pathlib" and layer != "core")
        if layer in PURE and impure:
            offences.append(offence(path, row, f"{layer} must not import {name}"))
    assert_none(offences)


def test_the_worker_stands_alone() -> None:
    """It runs under the user's Python, from 3.8 on, where of ours only its own folder is."""
    paths = sorted(WORKER.glob("*.py"))
    known = sys.stdlib_module_names | {one.stem for one in paths} | {"torch", "numpy"}
    offences = []
    for path in paths:
        try:
            ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
        except SyntaxError as error:
            offences.append(offence(path, error.lineno or 0, f"Python 3.8 cannot read it: {error.msg}"))
        offences.extend(
            offence(path, row, f"the worker must not import {name}")
            for row, name, _ in imports(path)
            if name.split(".")[0] not in known
        )
    assert_none(offences)


def test_the_recorders_agent_stands_alone() -> None:
    """It runs inside of the user's programs, from Python 3.8 on: it imports neither torch nor anything of ours."""
    known = sys.stdlib_module_names | {"sitecustomize", "torchlsp_agent"}
    offences = []
    for path in sorted(AGENT.rglob("*.py")):
        try:
            ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
        except SyntaxError as error:
            offences.append(offence(path, error.lineno or 0, f"Python 3.8 cannot read it: {error.msg}"))
        offences.extend(
            offence(path, row, f"the agent must not import {name}")
            for row, name, _ in imports(path)
            if name.split(".")[0] not in known - {"random"}
        )
    assert_none(offences)


def test_only_what_runs_programs_imports_torch() -> None:
    """The lock and the gate are also used without torch, by `doctor` and before anything runs."""
    assert_none(
        [
            offence(WORKER / file, row, f"imports {name}")
            for file in ("gate.py", "missing.py", "names.py", "sandbox.py")
            for row, name, _ in imports(WORKER / file)
            if name.split(".")[0] == "torch"
        ]
    )


def test_rules_import_only_lint_and_the_standard_library() -> None:
    assert_none(
        [
            offence(path, row, f"a rule must not import {name}")
            for path in sorted((ROOT / "rules").glob("*/*.py"))
            for row, name, _ in imports(path)
            if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith("torchlsp.lint")
        ]
    )


def test_long_files_give_their_reason() -> None:
    offences = []
    for _, path in FILES:
        text = path.read_text(encoding="utf-8")
        rows = text.count("\n")
        if rows > 600 and "long because" not in (ast.get_docstring(ast.parse(text)) or "").lower():
            offences.append(offence(path, rows, f"{rows} rows and no reason given"))
    assert_none(offences)


def test_no_file_is_a_drawer() -> None:
    names = {"utils.py", "helpers.py", "common.py", "misc.py"}
    assert_none([offence(path, 1, "its name says nothing") for _, path in FILES if path.name in names])
