"""The packages of the interpreter import only those below them, and no import circle runs through them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

INTERP = Path(__file__).parents[2] / "torchlsp" / "interp"
STATEMENTS = ("body", "orelse", "finalbody", "handlers", "cases")
# Each may import itself and those before it.
ORDER = ("store", "model", "checks", "objects", "evaluate", "run")


def imported_packages(path: Path) -> Iterator[tuple[int, str]]:
    """Yields (row, package of the interpreter) for each import that is run, those inside functions included."""
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            waiting.extend(node.orelse)
            continue
        names = []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.startswith("torchlsp.interp."):
                yield node.lineno, name.split(".")[2]
        # An import is a statement: expressions are not looked into.
        waiting.extend(one for field in STATEMENTS for one in getattr(node, field, ()))


def upward_imports(folder: Path) -> list[str]:
    """Lists imports of a package from one below it, and files that stand in no package."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        package, *rest = path.relative_to(folder).parts
        if not rest:
            if package != "__init__.py":
                found.append(f"{path}: belongs into one of {', '.join(ORDER)}")
            continue
        for row, name in imported_packages(path):
            if ORDER.index(name) > ORDER.index(package):
                found.append(f"{path}:{row}: {package} imports {name}, which is above it")
    return found


def test_imports_point_down() -> None:
    assert not upward_imports(INTERP)


def test_an_upward_import_is_listed(tmp_path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "classes.py").write_text(
        "def f():\n    from torchlsp.interp.evaluate import calls\n"
    )
    (tmp_path / "helpers.py").write_text("")
    assert [line.rpartition("/")[2] for line in upward_imports(tmp_path)] == [
        "helpers.py: belongs into one of store, model, checks, objects, evaluate, run",
        "classes.py:2: model imports evaluate, which is above it",
    ]


def test_the_checks_have_the_families_of_the_rules() -> None:
    rules = INTERP.parents[1] / "rules"
    families = {path.name for path in rules.iterdir() if any(path.glob("*.md"))}
    assert {
        path.name for path in (INTERP / "checks").iterdir() if (path / "__init__.py").exists()
    } == families
