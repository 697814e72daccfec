"""The documents name only modules, classes, files and commands that exist.

Looked at are names in backticks that read like `package.module.name`, `Class.member` or `folder/file`.
"""

from __future__ import annotations

import ast
import builtins
import re
import typing
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCUMENTS = (
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "docs" / "releasing.md",
    *sorted((ROOT / "docs" / "design").glob("*.md")),
)
# Their names in backticks are those of the reader's files: only links and commands are ours.
FOR_USERS = (
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "SECURITY.md",
    ROOT / "editors" / "README.md",
    *(path for path in sorted((ROOT / "docs").glob("*.md")) if path not in DOCUMENTS),
)
# Folders whose files are also named without the folder: `interp/store/state.py`, `checks.hooks`.
PACKAGES = tuple(
    ROOT / folder for folder in ("torchlsp", "torchlsp/interp", "torchlsp/lint", "torchlsp/probe")
)
FOLDERS = (ROOT, *PACKAGES)
# Names in backticks that are those of other projects, or of examples.
OF_OTHERS = {"Tensor"}

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)#:]+)\)")
_COMMAND = re.compile(r"python -m torchlsp\.dev ([a-z][a-z-]*)")
_PATH = re.compile(r"[\w.*<>-]*(/[\w.*<>-]*)+")
_DOTTED = re.compile(r"[a-z]\w*(\.\w+)+")
_CLASS = re.compile(r"([A-Z][a-z]\w*)(?:\.(\w+))?")


def offenders(text: str, folder: Path) -> Iterator[str]:
    """Yields names and links of a document in `folder` that stand for nothing in the project."""
    for link in _LINK.findall(text):
        if not (folder / link).exists():
            yield link
    for command in _COMMAND.findall(text):
        if not (ROOT / "torchlsp" / "dev" / f"{command.replace('-', '_')}.py").exists():
            yield f"python -m torchlsp.dev {command}"
    for name in dict.fromkeys(_QUOTED.findall(_FENCE.sub("", text))):
        if _PATH.fullmatch(name):
            known = path_exists(name)
        elif _DOTTED.fullmatch(name):
            known = dotted_name_exists(name)
        elif _CLASS.fullmatch(name):
            known = class_exists(name)
        else:
            continue
        if not known:
            yield name


def path_exists(name: str) -> bool:
    """Whether a file matches a path with `*` and `<placeholders>`, or its first folder is none of the project's."""
    pattern = re.sub(r"<[^>]*>", "*", name).strip("/")
    folders = [folder for folder in FOLDERS if (folder / pattern.partition("/")[0]).exists()]
    return not folders or any(next(folder.glob(pattern), None) is not None for folder in folders)


def dotted_name_exists(name: str) -> bool:
    """Whether `package.module.name` exists, or its first part is no package of the project."""
    first, *rest = name.split(".")
    if first == "torchlsp":
        places = [ROOT / "torchlsp"]
    else:
        places = [folder / first for folder in PACKAGES if (folder / first / "__init__.py").exists()]
    return not places or any(_has(place, rest) for place in places)


def _has(place: Path, names: list[str]) -> bool:
    if not names:
        return True
    first, *rest = names
    if place.is_dir() and (place / first).is_dir():
        return _has(place / first, rest)
    if place.is_dir() and place.joinpath(f"{first}.py").exists():
        return _has(place / f"{first}.py", rest)
    members = definitions(place / "__init__.py" if place.is_dir() else place)
    return first in members and (not rest or not members[first] or rest[0] in members[first])


def class_exists(name: str) -> bool:
    """Whether a class or a constant is defined somewhere in the project, with the member that follows the dot."""
    match = _CLASS.fullmatch(name)
    assert match is not None
    owner, member = match.groups()
    if owner in OF_OTHERS or hasattr(builtins, owner) or hasattr(typing, owner):
        return True
    binds = re.compile(rf"^(?:class )?{owner}\b", re.MULTILINE)  # parsing all files takes seconds
    found = [definitions(path) for path, text in sources().items() if binds.search(text)]
    return any(owner in one and (member is None or member in one[owner]) for one in found)


@cache
def definitions(path: Path) -> dict[str, frozenset[str]]:
    """Names that the top level of a file binds; for classes with the names of their members."""
    found: dict[str, frozenset[str]] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = frozenset(name for one in ast.walk(node) for name in _bound(one))
        else:
            found.update(dict.fromkeys(_bound(node), frozenset()))
    return found


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name):
                yield target.id
            elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                yield target.attr
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)


@cache
def sources() -> dict[Path, str]:
    """The text of each file of the project."""
    folders = ("torchlsp", "rules", "docs_db")
    return {
        path: path.read_text(encoding="utf-8") for folder in folders for path in (ROOT / folder).rglob("*.py")
    }


def test_documents_name_what_exists() -> None:
    found = [
        f"{document.relative_to(ROOT)}: {name}"
        for document in DOCUMENTS
        for name in offenders(document.read_text(encoding="utf-8"), document.parent)
    ]
    assert not found, "\n".join(["named, but not there:", *found])


def test_links_of_documents_for_users_lead_to_files() -> None:
    found = [
        f"{document.relative_to(ROOT)}: {link}"
        for document in FOR_USERS
        for link in _LINK.findall(document.read_text(encoding="utf-8"))
        if not (document.parent / link).exists()
    ]
    assert not found, "\n".join(["linked, but not there:", *found])


def test_names_that_do_not_exist_are_listed() -> None:
    text = """
`interp.store.state`, `store.state.State`, `facts.tensor.TensorFact`, `TensorFact.but`, `torchlsp.interp.run`, `run.analyse`,
`interp/store/state.py`, `rules/<family>/`, `tests/interp/`, `TypeError`, `torch.cuda`, `src/model.py`, `it.states`, `Tensor.view`,
`interp.state`, `facts.tensor.Fact`, `TensorFact.nothing`, `NoSuchClass`, `interp/state.py`, `rules/<family>/nothing.txt`,
[there](ARCHITECTURE.md), [not there](docs/nothing.md), [elsewhere](https://example.org/nothing)
```sh
python -m torchlsp.dev facts FILE; echo `interp/old.py`
python -m torchlsp.dev no-such-command
```
"""
    assert list(offenders(text, ROOT)) == [
        "docs/nothing.md",
        "python -m torchlsp.dev no-such-command",
        "interp.state",
        "facts.tensor.Fact",
        "TensorFact.nothing",
        "NoSuchClass",
        "interp/state.py",
        "rules/<family>/nothing.txt",
    ]
