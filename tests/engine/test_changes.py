"""Which rows and files were changed since a revision."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from torchlsp.core.text import Document
from torchlsp.engine.changes import changed_rows, changes_since
from torchlsp.engine.config import ConfigError
from torchlsp.engine.reading import read_document


def rows(old: str, new: str) -> set[int]:
    found = changed_rows(Document("a.py", old), Document("a.py", new))
    assert found is not None
    return set(found)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a\nb\nc\n", "a\nb\nc\n", set()),
        ("a\nb\nc\n", "a\nB\nc\n", {2}),
        ("a\nc\n", "a\nb\nb\nc\n", {2, 3}),
        ("", "a\n", {1}),
        ("a\n", "a", set()),
        ("a\nb\nc\n", "a\nc\n", set()),
        # Line ends are no part of a line; a form feed ends none.
        ("a\nb\n", "a\r\nb\r\n", set()),
        ("a\nb\n", "a\rb\r", set()),
        ("a\x0cb\nc", "a\x0cb\nd", {2}),
        # Blanks count: they can move a line into a loop.
        ("for a in b:\n    c\nd\n", "for a in b:\n    c\n    d\n", {3}),
    ],
)
def test_changed_rows(old: str, new: str, expected: set[int]) -> None:
    assert rows(old, new) == expected


def test_rows_that_count_as_unchanged_stand_in_the_old_text_in_this_order() -> None:
    chance = random.Random(5)
    for _ in range(300):
        old = [chance.choice("abcdef") for _ in range(chance.randrange(1, 12))]
        new = [chance.choice("abcdef") for _ in range(chance.randrange(1, 12))]
        found = rows("\n".join(old), "\n".join(new))
        left = iter(old)
        assert all(line in left for row, line in enumerate(new, 1) if row not in found), (old, new, found)
        # And no more than a line for each that the old text has too few of.
        assert len(found) >= (Counter(new) - Counter(old)).total()
        assert not found or old != new


def test_a_long_text_is_compared_in_time() -> None:
    old = "\n".join(f"x = {number % 7}" for number in range(20_000))
    new = "\n".join(f"y = {number % 7}" for number in range(20_000))
    assert len(rows(old, new)) == 20_000


def notebook(*sources: str, outputs: str = "") -> bytes:
    cells = [
        {
            "cell_type": "code",
            "metadata": {},
            "execution_count": None,
            "outputs": [{"text": outputs}],
            "source": source,
        }
        for source in sources
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def test_rows_of_a_notebook_are_those_of_its_cells() -> None:
    old = read_document("a.ipynb", notebook("a\nb", "c", outputs="then"))
    new = read_document("a.ipynb", notebook("z", "a\nb", "c\nd", outputs="now"))
    assert [new.place(new.lines.starts[row - 1]) for row in sorted(changed_rows(old, new) or ())] == [
        new.place(0),
        new.place(new.text.index("d")),
    ]
    assert changed_rows(old, read_document("a.ipynb", notebook("a\nb", "c", outputs="now"))) == frozenset()
    assert changed_rows(read_document("a.ipynb", b"{"), new) is None


def test_a_text_that_cannot_be_read_is_changed_as_a_whole() -> None:
    readable = Document.from_bytes("a.py", b"a\n")
    broken = Document.from_bytes("a.py", b"\xff\n")
    assert changed_rows(broken, readable) is None
    assert changed_rows(readable, broken) is None
    assert changed_rows(None, readable) is None


def changed(revision: str, *paths: str, below: str = ".") -> list[str]:
    files = paths or tuple(sorted(map(str, Path(below).rglob("*.py"))))
    return [os.fspath(path) for path in changes_since(revision, [below]).among(files)]


LONG = "".join(f"line {number}\n" for number in range(20))


def test_committed_staged_written_and_new(commit, project, git) -> None:
    base = commit(dict.fromkeys(("same.py", "committed.py", "staged.py", "written.py", "back.py"), "a = 1\n"))
    commit({"committed.py": "a = 2\n", "back.py": "a = 2\n"})
    project({"staged.py": "a = 2\n", "written.py": "a = 2\n", "new/new.py": "a = 1\n", "back.py": "a = 1\n"})
    git("add", "staged.py")
    assert changed(base) == ["committed.py", "new/new.py", "staged.py", "written.py"]
    assert changed("HEAD") == ["back.py", "new/new.py", "staged.py", "written.py"]


def test_what_others_changed_meanwhile_does_not_count(commit, git) -> None:
    commit({"a.py": "a = 1\n", "b.py": "b = 1\n"})
    git("switch", "--quiet", "--create", "work")
    commit({"a.py": "a = 2\n"})
    git("switch", "--quiet", "main")
    commit({"b.py": "b = 2\n"})
    git("tag", "--annotate", "--message", "one", "v1")
    git("switch", "--quiet", "work")
    assert changed("main") == changed("v1") == ["a.py"]


def test_line_ends_are_no_change(commit, project) -> None:
    commit({"a.py": "a = 1\nb = 2\n", "b.py": "b\n"})
    project({"a.py": "a = 1\r\nb = 2\r\n", "b.py": "b\r\nc\r\n"})
    assert changed("HEAD") == ["b.py"]


def test_what_was_moved_is_compared_with_what_it_was(commit, project, git) -> None:
    commit({"old/a.py": LONG, "old/é 2.py": "x\n" + LONG, "far.py": "other\n" * 30, "stays.py": LONG[::-1]})
    root = project({"new/a.py": LONG + "more\n", "new/b b.py": "x\n" + LONG, "far2.py": "another\n" * 30})
    for name in ("old/a.py", "old/é 2.py", "far.py"):
        (root / name).unlink()
    project({"copied.py": LONG[::-1]})
    files = ["new/a.py", "new/b b.py", "far2.py", "copied.py"]
    changes = changes_since("HEAD", ["."])
    assert changes.among(files) == ["new/a.py", "far2.py", "copied.py"]
    documents = [read_document(path, (root / path).read_bytes()) for path in files]
    assert [changes._changed_rows(one) for one in documents] == [frozenset({21}), frozenset(), None, None]
    git("add", "--all")
    git("commit", "--quiet", "--message", "moved")
    assert changes_since("HEAD~1", ["."]).among(files) == ["new/a.py", "far2.py", "copied.py"]


def test_paths_with_blanks_quotes_line_ends_and_bytes(commit, project) -> None:
    names = ["a b.py", "q\"uo'te.py", "é/ü.py", "-x.py", "new\nline.py", "tab\t.py"]
    commit(dict.fromkeys(names, "a\n"))
    root = project(dict.fromkeys(names[1:], "b\n"))
    odd = os.fsdecode(os.fsencode(root) + b"/\xff.py")
    try:
        Path(odd).write_text("b\n")
    except OSError:
        pytest.skip("a file system of Unicode names")
    assert changed("HEAD") == sorted([*names[1:], os.path.basename(odd)])


def test_from_a_subfolder_and_through_a_link(commit, project, monkeypatch, tmp_path_factory) -> None:
    commit({"a.py": "a\n", "sub/b.py": "b\n", "sub/deep/c.py": "c\n"})
    root = project({"a.py": "A\n", "sub/b.py": "B\n", "sub/deep/c.py": "c\n"})
    monkeypatch.chdir(root / "sub" / "deep")
    assert changed("HEAD", "../../a.py", "../b.py", "c.py") == ["../../a.py", "../b.py"]
    link = tmp_path_factory.mktemp("elsewhere") / "link"
    link.symlink_to(root / "sub")
    monkeypatch.chdir(link)
    assert changed("HEAD", "b.py", "deep/c.py") == ["b.py"]


def test_other_repositories_inside_are_left_alone_until_they_are_named(
    commit, project, git, tmp_path
) -> None:
    commit({"a.py": "a\n"})
    inner = tmp_path / "inner"
    project({"inner/b.py": "b\n", "inner/c.py": "c\n"})
    for command in (["init", "--quiet"], ["add", "b.py"], ["commit", "--quiet", "--message", "b"]):
        git(*command, cwd=inner)
    assert changed("HEAD") == []
    assert changed("HEAD", "inner/b.py", "inner/c.py", below="inner") == ["inner/c.py"]
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./inner", "sub")
    git("commit", "--quiet", "--message", "submodule")
    project({"sub/b.py": "changed\n"})
    assert changed("HEAD", "a.py", "sub/b.py") == []


def test_a_second_working_tree(commit, git, tmp_path, monkeypatch) -> None:
    commit({"a.py": "a\n", "b.py": "b\n"})
    git("worktree", "add", "--quiet", "-b", "side", "tree")
    monkeypatch.chdir(tmp_path / "tree")
    Path("a.py").write_text("A\n")
    assert changed("main") == ["a.py"]
    # Inside a hook of the first one, git says by these that it is meant.
    monkeypatch.setenv("GIT_DIR", str(tmp_path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    assert changed("main") == ["a.py"]


def test_contents_named_by_sha256(tmp_path, git, commit, monkeypatch) -> None:
    shutil.rmtree(tmp_path / ".git")
    try:
        git("init", "--quiet", "--object-format=sha256")
    except AssertionError:
        pytest.skip("a git without SHA-256")
    commit({"a.py": "a\n", "b.py": "b\n"})
    Path("b.py").write_text("B\n")
    assert changed("HEAD") == ["b.py"]


def refused(revision: str, path: str = ".") -> str:
    with pytest.raises(ConfigError) as raised:
        changes_since(revision, [path])
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_what_cannot_be_compared_is_said_in_one_line(commit, git, tmp_path, monkeypatch) -> None:
    assert refused("HEAD") == "--changed-since: git knows no revision `HEAD` here"
    commit({"a.py": "a\n"})
    assert refused("nope") == "--changed-since: git knows no revision `nope` here"
    assert refused("HEAD:a.py") == "--changed-since: git knows no revision `HEAD:a.py` here"
    for word in ("", "--all", "-h", "a\0b"):
        assert refused(word) == f"--changed-since: `{word}` is not a revision"
    git("switch", "--quiet", "--orphan", "other")
    commit({"b.py": "b\n"})
    assert refused("main") == "--changed-since: `main` and HEAD have no commit in common"
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    shutil.rmtree(tmp_path / ".git")
    assert refused("main", "sub/absent.py") == "--changed-since: sub/absent.py is in no git repository"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refused("main") == "--changed-since needs git, which is not installed or not on the PATH"


def test_a_repository_whose_files_are_elsewhere(commit, git, tmp_path, tmp_path_factory) -> None:
    commit({"a.py": "a\n"})
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    git("config", "core.worktree", str(elsewhere))
    assert refused("HEAD") == f"--changed-since: the repository of . has its files elsewhere, in {elsewhere}"
    # Inside the repository's own folder there are none at all.
    git("config", "--unset", "core.worktree")
    assert refused("HEAD", ".git").startswith("--changed-since: git says of .git: ")


def test_a_repository_of_somebody_else(commit, git, tmp_path, monkeypatch) -> None:
    commit({"a.py": "a\n"})
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    assert refused("HEAD").startswith(
        "--changed-since: git says of .: detected dubious ownership in repository at "
    )


def test_a_clone_without_history(commit, git, tmp_path, tmp_path_factory, monkeypatch) -> None:
    for number in range(3):
        commit({"a.py": f"a = {number}\n"})
    git("branch", "other", "HEAD~1")
    clone = tmp_path_factory.mktemp("clones") / "shallow"
    git("clone", "--quiet", "--depth", "1", tmp_path.as_uri(), str(clone))
    monkeypatch.chdir(clone)
    assert refused("HEAD~1").startswith(
        "--changed-since: git knows no revision `HEAD~1` here; this clone is shallow: fetch its history"
    )
    git("fetch", "--quiet", "--depth", "1", "origin", "other:other")
    assert refused("other").startswith(
        "--changed-since: `other` and HEAD have no commit in common; this clone is shallow: fetch its history"
    )


def test_nothing_is_fetched(commit, git, tmp_path, tmp_path_factory, monkeypatch) -> None:
    commit({"a.py": "a\n"})
    commit({"a.py": "b\n"})
    git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path_factory.mktemp("clones") / "partial"
    git("clone", "--quiet", "--filter", "blob:none", tmp_path.as_uri(), str(clone))
    monkeypatch.chdir(clone)
    assert changed("HEAD") == []
    with pytest.raises(ConfigError, match="this clone lacks contents of older files, and nothing is fetched"):
        changed("HEAD~1")
    git("diff", "--stat", "HEAD~1")
    assert changed("HEAD~1") == ["a.py"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("name", ["HEAD", "config"])
def test_pipe_among_the_files_of_git_ends_the_run_with_a_sentence(
    commit, git, tmp_path, monkeypatch, name
) -> None:
    commit({"a.py": ""})
    (tmp_path / ".git" / name).unlink()
    os.mkfifo(tmp_path / ".git" / name)
    monkeypatch.setattr("torchlsp.engine.git._TIMEOUT_OF_LOOKUPS", 0.5)
    assert refused("HEAD") == "--changed-since: git rev-parse took longer than 0 s"


def test_no_code_of_the_repository_is_run(commit, git, project, tmp_path, monkeypatch) -> None:
    root = project({"a.py": "a\n", "b.py": "b\n", ".gitattributes": "*.py filter=evil diff=evil\n"})
    git("add", "--all")
    git("commit", "--quiet", "--message", "one")
    trap = root / "trap"
    trap.write_text(f"#!/bin/sh\necho ran >> '{root}/traces'\ncat 2>/dev/null\n")
    trap.chmod(0o755)
    hooks = root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "pre-commit", "fsmonitor-watchman", "reference-transaction"):
        shutil.copy(trap, hooks / name)
    for key in (
        "core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "core.askPass", "credential.helper", "diff.external",
        "diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "gpg.program",
        "pager.ls-tree", "core.gitProxy",
    ):  # fmt: skip
        git("config", key, str(trap))
    git("config", "alias.ls-tree", f"!{trap}")
    project({"a.py": "changed\n"})
    assert changed("HEAD") == ["a.py"]
    assert not (root / "traces").exists()
    # The traps are set: git itself runs into them.
    subprocess.run(
        ["git", "diff", "HEAD"], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60
    )
    assert (root / "traces").exists()
