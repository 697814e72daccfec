"""What git ignores is what git says it ignores."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from torchlsp.engine.gitignore import GitIgnore

GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="git is not installed: nothing to compare with")


def git(folder: Path, *arguments: str, given: str | None = None) -> str:
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "XDG_CONFIG_HOME": str(folder / "nowhere"),
    }
    done = subprocess.run(
        [GIT or "git", "-c", "core.ignorecase=false", *arguments],
        cwd=folder,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def ignored(root: Path, paths: list[str]) -> set[str]:
    """By our reading, from the top down; a path that ends in `/` is a folder."""
    answers = GitIgnore()
    found: set[str] = set()
    for path in paths:
        folder = root
        parts = path.rstrip("/").split("/")
        for number, part in enumerate(parts):
            is_folder = number < len(parts) - 1 or path.endswith("/")
            if answers.within(str(folder))(part, is_folder):
                found.add(path)
                break
            folder = folder / part
    return found


def ignored_by_git(root: Path, paths: list[str]) -> set[str]:
    # With a slash at the end git would take the name for empty; what is a folder it sees on the disk.
    bare = {path.rstrip("/"): path for path in paths}
    said = git(root, "check-ignore", "--no-index", "--stdin", given="\n".join(bare))
    return {bare[path] for path in said.splitlines()}


PATHS = [
    "a",
    "a.py",
    "b.py",
    "ab.py",
    "#a.py",
    "!a.py",
    "a b.py",
    "[a].py",
    "a-b.py",
    "build/",
    "build/a.py",
    "src/",
    "src/a.py",
    "src/b.py",
    "src/build/",
    "src/build/a.py",
    "src/deep/er/a.py",
    "src/deep/er/b.py",
    "src/deep/a/",
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    git(root, "init", "-q")
    for path in PATHS:
        place = root / path
        if path.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
    return root


ROWS = [
    "a.py", "*.py", "!a.py", "/a.py", "/*", "!/src/", "!*/", "*", "src", "src/", "src/*", "!src/a.py", "**/a.py",
    "src/**", "src/**/a.py", "**/er", "**", "**/", "***/a.py", "s**c/a.py", "src**", "a", "a/", "/build", "build/",
    "src/build", "deep/er", "**/deep/er/", "?.py", "[ab].py", "[!a].py", "[^b].py", "[a-b]*.py", "[]a].py", "[a",
    "\\#a.py", "#a.py", "\\!a.py", "a b.py", "a\\ b.py", "a.py ", "a.py\\ ", "\\", "a\\", "/", "//", "!", "", " ",
    "[[:alpha:]].py", "[[:nope:]].py", "[[:alpha]].py", "[b-a].py", "\\[a\\].py", "a[-]b.py", "a[,-]b.py",
    "src//a.py", "./a.py", "src/./a.py", "er/", "!er/a.py", "[[:punct:]]*", "*[", "src/*/er", "s*/d*/e*/?.py",
    "src/\\a.py", "**\\/a.py", "src/deep/**/b.py", "[!/]*.py", "src[/]a.py", "\ta.py", "a.py\t", "[\\a].py",
    "[--a].py", "[a-\\b].py", "!**/b.py", "*.PY", "*a*.*p*y*", "**/s*r*c/**/*.p*", "s*/*/*/*.py", "**/d*p/**/[a-b]*.*y", "*?*?*?y",
    "!**/*a*.*y", "*/**/*/**/?.py", "src/*e*p*/", "s**/a.py", "src/d**/b.py", "!**/b.py", "***a***.***y",
]  # fmt: skip


@pytest.mark.processes
@needs_git
@settings(max_examples=150, deadline=None)
@given(
    top=st.lists(st.one_of(st.sampled_from(ROWS), st.text("ab*?/[]!-\\^.py: ", max_size=7)), max_size=5),
    nested=st.lists(st.sampled_from(ROWS), max_size=2),
    exclude=st.lists(st.sampled_from(ROWS), max_size=2),
    end=st.sampled_from(["\n", "\r\n"]),
)
@example(top=["/*", "!/src/"], nested=["!a.py"], exclude=["*.py"], end="\n")
def test_as_git_does(tree: Path, top: list[str], nested: list[str], exclude: list[str], end: str) -> None:
    (tree / ".gitignore").write_bytes(end.join(top).encode())
    (tree / "src" / ".gitignore").write_bytes(end.join(nested).encode())
    (tree / ".git" / "info" / "exclude").write_bytes(end.join(exclude).encode())
    assert ignored(tree, PATHS) == ignored_by_git(tree, PATHS)


@pytest.mark.processes
@needs_git
def test_every_row_alone(tree: Path) -> None:
    (tree / "src" / ".gitignore").write_bytes(b"")
    (tree / ".git" / "info" / "exclude").write_bytes(b"")
    for row in ROWS:
        for before in ("", "*\n"):
            negated = row if not before else f"!{row}"
            (tree / ".gitignore").write_text(f"{before}{negated}\n")
            assert ignored(tree, PATHS) == ignored_by_git(tree, PATHS), negated
