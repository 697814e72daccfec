"""A finding's name stays while the rest of its file changes, and does not depend on where a run starts."""

from __future__ import annotations

import os
from hashlib import sha256

from torchlsp.core.finding import Finding, Severity
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.fingerprint import fingerprints, path_below, project_root


def finding(path: str, text: str, word: str, number: int = 0, scope: str = "f") -> Finding:
    start = -1
    for _ in range(number + 1):
        start = text.index(word, start + 1)
    span = Span(start, start + len(word))
    return Finding("TL101", "some-rule", path, span, "it is bad", Severity.ERROR, scope=scope)


def prints(path: str, text: str, *findings: Finding, **options) -> list[str]:
    return fingerprints(findings, {path: Document(path, text)}, **options)


def test_what_it_is_made_of(project) -> None:
    project({"pyproject.toml": "", "sub/a.py": ""})
    path = os.path.join("sub", "a.py")
    (found,) = prints(path, "x\n\t y = bad \n", finding(path, "x\n\t y = bad \n", "bad"))
    assert found == sha256(b"sub/a.py\0TL101\0f\0y = bad\x000").hexdigest()


def test_edits_elsewhere_do_not_change_it(project) -> None:
    project({})
    before, after = "bad\n", "import os\n\nif x:\n    bad\n"
    assert prints("a.py", before, finding("a.py", before, "bad")) == prints(
        "a.py", after, finding("a.py", after, "bad")
    )


def test_equals_are_counted_in_the_order_of_the_text(project) -> None:
    project({})
    text = "bad\nbad\nbad\n"
    found = [finding("a.py", text, "bad", number) for number in range(3)]
    names = prints("a.py", text, *found)
    assert len(set(names)) == 3
    assert prints("a.py", text, *reversed(found)) == names[::-1]
    # What a baseline hides is counted too.
    assert prints("a.py", text, found[2], known=found[:2]) == names[2:]


def test_paths_are_relative_to_the_project_or_the_root_given(project, monkeypatch) -> None:
    root = project({"pyproject.toml": "", "sub/deep/a.py": ""})
    text = "bad\n"
    absolute = str(root / "sub" / "deep" / "a.py")
    (name,) = prints(absolute, text, finding(absolute, text, "bad"))
    monkeypatch.chdir(root / "sub")
    path = os.path.join("deep", "a.py")
    assert prints(path, text, finding(path, text, "bad")) == [name]
    assert prints(path, text, finding(path, text, "bad"), root=str(root)) == [name]
    assert prints(path, text, finding(path, text, "bad"), root=str(root / "sub")) != [name]


def test_the_project_is_the_repository_else_the_nearest_configuration(project) -> None:
    root = project(
        {"a/.git/HEAD": "", "a/b/pyproject.toml": "", "c/setup.py": "", "c/d/torchlsp.toml": "", "e/f/x": ""}
    )
    assert project_root(str(root / "a" / "b")) == str(root / "a")
    assert project_root(str(root / "c" / "d")) == str(root / "c" / "d")
    assert project_root(str(root / "c")) == str(root / "c")
    assert project_root(str(root / "e" / "f")) == str(root)


def test_a_path_outside_the_root(project) -> None:
    root = project({})
    assert path_below(str(root / "a.py"), str(root / "b")) == "../a.py"
