"""What depends on whose repository this is, and on what is published: every text says what works now."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from torchlsp.core.publication import CURRENT, Publication
from torchlsp.dev import publication
from torchlsp.dev.publication import NOW, PLACES, ROOT, Mismatch, State, mismatches, switch

UNKNOWN = State(Publication(owner="", on_pypi=False, has_site=False), "1.2.3")
OWNED = State(Publication(owner="Some-One", on_pypi=False, has_site=False), "1.2.3")
PUBLISHED = State(Publication(owner="Some-One", on_pypi=True, has_site=True), "1.3.0")
TEXTS = (".md", ".yml", ".lua", ".txt", ".ts", ".toml", ".json")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for path in {path for path, _ in PLACES}:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    return tmp_path


def test_every_file_says_what_holds_now() -> None:
    assert mismatches(NOW) == []


def test_every_state_can_be_left_again(copy: Path) -> None:
    switch(NOW, UNKNOWN, copy)
    before = {path: (copy / path).read_bytes() for path, _ in PLACES}
    for there in (OWNED, PUBLISHED, replace(UNKNOWN, version="2.0.0")):
        assert switch(UNKNOWN, there, copy)
        assert mismatches(there, copy) == []
        switch(there, UNKNOWN, copy)
        assert {path: (copy / path).read_bytes() for path, _ in PLACES} == before


def test_what_is_not_on_pypi_is_promised_nowhere(copy: Path) -> None:
    for state, wanted in (
        (UNKNOWN, "pip install ."),
        (OWNED, "pip install git+https://github.com/Some-One/torchlsp"),
    ):
        switch(NOW, state, copy)
        texts = {path: (copy / path).read_text(encoding="utf-8") for path, _ in PLACES}
        assert [path for path, text in texts.items() if "pip install torchlsp" in text] == []
        assert {"README.md", "editors/README.md"} <= {path for path, text in texts.items() if wanted in text}
        switch(state, NOW, copy)


def test_no_text_promises_what_is_not_on_pypi() -> None:
    if CURRENT.on_pypi:
        pytest.skip("it is on PyPI")
    folders = ("editors", "examples", "docs", ".github")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in TEXTS]
    files += [path for path in ROOT.iterdir() if path.suffix in TEXTS and path.is_file()]
    promised = [
        str(path.relative_to(ROOT))
        for path in files
        if "node_modules" not in path.parts and path.is_file()
        for text in [path.read_text(encoding="utf-8")]
        if "pip install torchlsp" in text or "OWNER/" in text
    ]
    assert promised == []


def test_nothing_is_changed_where_a_text_was_edited(copy: Path) -> None:
    (copy / "SECURITY.md").write_text("# Security\n")
    before = (copy / "README.md").read_bytes()
    with pytest.raises(Mismatch, match=r"^SECURITY\.md: "):
        switch(NOW, replace(PUBLISHED, version=NOW.version), copy)
    assert (copy / "README.md").read_bytes() == before


def test_the_command_changes_all_files_and_refuses_what_is_no_account(
    copy: Path, monkeypatch, capsys
) -> None:
    monkeypatch.setattr(publication, "switch", lambda before, after: switch(before, after, copy))
    with pytest.raises(SystemExit):
        publication.main(["--owner", "no one"])
    assert publication.main(["--owner", "Some-One", "--on-pypi", "--site"]) == 0
    out = capsys.readouterr().out
    assert "site: https://some-one.github.io/torchlsp/rules/" in out and "changed: pyproject.toml" in out
    assert mismatches(replace(PUBLISHED, version=NOW.version), copy) == []
