"""No module of the project imports itself through others, neither at its top nor inside its functions.

Imports inside functions count: they put a circle off until the call and hide it. Blocks under `if TYPE_CHECKING` do not, since
nothing is imported there when the program runs.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_QUOTED_NAME = re.compile(r"[\"']torchlsp\.")
_STATEMENTS = ("body", "orelse", "finalbody", "handlers", "cases")
"""The fields in which statements stand: expressions are not in them."""


def project_modules(root: Path) -> dict[str, Path]:
    """Dotted names as installed, and files: `rules/` and `docs_db/` are `torchlsp.rules` and `torchlsp.docs_db`."""
    found = {}
    for folder in ("torchlsp", "rules", "docs_db"):
        for path in sorted((root / folder).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            if parts[:2] in (("torchlsp", "rules"), ("torchlsp", "docs_db")):
                continue  # the links to the two folders at the top
            parts = parts if parts[0] == "torchlsp" else ("torchlsp", *parts)
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def import_graph(modules: dict[str, Path]) -> dict[str, set[str]]:
    """The modules of the project that each module imports when the program runs."""
    return {
        name: {
            target
            for node in _run_time_nodes(path.read_text(encoding="utf-8"))
            for target in _targets(node, name, path, modules)
            if target != name
        }
        for name, path in modules.items()
    }


def _run_time_nodes(text: str) -> Iterator[ast.AST]:
    """Yields the statements that Python runs, and their expressions where a text may name a module of the project."""
    stack: list[ast.AST] = [ast.parse(text)]
    names_modules = _QUOTED_NAME.search(text)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.If) and _asks_for_type_checker(node.test):
            stack.extend(node.orelse)
            continue
        yield node
        if names_modules:
            stack.extend(ast.iter_child_nodes(node))
        else:
            stack.extend(one for field in _STATEMENTS for one in getattr(node, field, ()))


def _asks_for_type_checker(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _targets(node: ast.AST, module: str, path: Path, modules: dict[str, Path]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        named = [(alias.name,) for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        source = node.module or ""
        if node.level:
            package = module.split(".") if path.stem == "__init__" else module.split(".")[:-1]
            package = package[: len(package) - node.level + 1]
            source = ".".join([*package, source] if source else package)
        # A submodule where there is one, otherwise a name that the package's `__init__` defines.
        named = [(f"{source}.{alias.name}", source) for alias in node.names]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        # A module's whole name in quotes is there to be imported with `import_module`.
        named = [(node.value,)] if "." in node.value else []
    else:
        return
    for candidates in named:
        for candidate in candidates:
            # The probe's worker runs with its own folder on the path.
            sibling = f"{module.rpartition('.')[0]}.{candidate}"
            if candidate in modules:
                yield candidate
                break
            if candidate not in sys.stdlib_module_names and sibling in modules and "." not in candidate:
                yield sibling
                break


def circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """The strongly connected components of more than one module (Tarjan's algorithm, without recursion)."""
    found: list[set[str]] = []
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    on_path: set[str] = set()
    for start in sorted(graph):
        if start in number:
            continue
        number[start] = lowest[start] = len(number)
        path.append(start)
        on_path.add(start)
        work = [(start, iter(sorted(graph[start])))]
        while work:
            module, rest = work[-1]
            target = next(rest, None)
            if target is None:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[module])
                if lowest[module] == number[module]:
                    index = path.index(module)
                    component = set(path[index:])
                    del path[index:]
                    on_path -= component
                    if len(component) > 1:
                        found.append(component)
            elif target not in number:
                number[target] = lowest[target] = len(number)
                path.append(target)
                on_path.add(target)
                work.append((target, iter(sorted(graph[target]))))
            elif target in on_path:
                lowest[module] = min(lowest[module], number[target])
    return found


def shortest_cycle(graph: dict[str, set[str]], component: set[str]) -> list[str]:
    """One of the shortest ways from a module of the component back to it, by the names passed."""
    best: list[str] = []
    for start in sorted(component):
        came_from: dict[str, str] = {}
        queue = [start]
        while queue and start not in came_from:
            module = queue.pop(0)
            for target in sorted(graph[module] & component):
                if target not in came_from:
                    came_from[target] = module
                    queue.append(target)
        cycle = [start]
        while len(cycle) == 1 or cycle[-1] != start:
            cycle.append(came_from[cycle[-1]])
        if not best or len(cycle) < len(best):
            best = cycle[::-1]
    return best


def report(graph: dict[str, set[str]]) -> list[str]:
    lines = []
    for component in sorted(circles(graph), key=len):
        cycle = " -> ".join(shortest_cycle(graph, component))
        lines.append(
            f"{len(component)} modules import each other: {', '.join(sorted(component))}\n    {cycle}"
        )
    return lines


@pytest.mark.slow
def test_no_module_imports_itself_through_others() -> None:
    found = report(import_graph(project_modules(ROOT)))
    assert not found, "\n".join(["import circles:", *found])


def project(root: Path, files: dict[str, str]) -> dict[str, set[str]]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return import_graph(project_modules(root))


def test_circles_are_found_at_the_top_and_inside_functions(tmp_path: Path) -> None:
    graph = project(
        tmp_path,
        {
            "torchlsp/__init__.py": "__version__ = '1'\n",
            "torchlsp/core/one.py": "import torchlsp.core.two\n",
            "torchlsp/core/two.py": "class Two:\n    def three(self):\n        from torchlsp.core import three\n",
            "torchlsp/core/three.py": "if 1:\n    from .one import x as y\n",
            "torchlsp/core/below.py": "from torchlsp import __version__\n",
            "torchlsp/core/above.py": "from torchlsp.core.one import x\nfrom torchlsp.core.below import y\n",
        },
    )
    assert circles(graph) == [{"torchlsp.core.one", "torchlsp.core.two", "torchlsp.core.three"}]
    assert graph["torchlsp.core.below"] == {"torchlsp"}
    (line,) = report(graph)
    assert "torchlsp.core.one -> torchlsp.core.two -> torchlsp.core.three -> torchlsp.core.one" in line


def test_circles_are_found_in_folders_beside_the_package(tmp_path: Path) -> None:
    graph = project(
        tmp_path,
        {
            "docs_db/__init__.py": "from torchlsp.docs_db import store\n",
            "docs_db/store.py": "from torchlsp.docs_db import VERSION\n",
            "rules/a/one.py": "name = 'torchlsp.rules.a.two'\n",
            "rules/a/two.py": "def load():\n    import torchlsp.rules.a.one\n",
            "torchlsp/probe/worker/main.py": "import gate\nimport json\n",
            "torchlsp/probe/worker/gate.py": "from main import x\n",
            "torchlsp/probe/worker/json.py": "import main\n",
        },
    )
    assert sorted(map(sorted, circles(graph))) == [
        ["torchlsp.docs_db", "torchlsp.docs_db.store"],
        ["torchlsp.probe.worker.gate", "torchlsp.probe.worker.main"],
        ["torchlsp.rules.a.one", "torchlsp.rules.a.two"],
    ]


def test_imports_for_type_checkers_make_no_circle(tmp_path: Path) -> None:
    graph = project(
        tmp_path,
        {
            "torchlsp/core/__init__.py": "",
            "torchlsp/core/one.py": (
                "import typing\nfrom typing import TYPE_CHECKING\n"
                "if TYPE_CHECKING:\n    from torchlsp.core.two import x\n"
                "if typing.TYPE_CHECKING:\n    from torchlsp.core import two\n"
            ),
            "torchlsp/core/two.py": "from torchlsp.core import one\n",
        },
    )
    assert not circles(graph)
    assert graph["torchlsp.core.two"] == {"torchlsp.core.one"}


def test_import_under_else_of_type_checking_counts(tmp_path: Path) -> None:
    one = "if TYPE_CHECKING:\n    pass\nelse:\n    from torchlsp.core.two import x\n"
    graph = project(
        tmp_path, {"torchlsp/core/one.py": one, "torchlsp/core/two.py": "import torchlsp.core.one\n"}
    )
    assert circles(graph) == [{"torchlsp.core.one", "torchlsp.core.two"}]
