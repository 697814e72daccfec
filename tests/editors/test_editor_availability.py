"""A test whose editor is missing is skipped with a reason, or fails where the editors are required."""

from __future__ import annotations

from pathlib import Path

import pytest
from editor_availability import ROOT, editors_folder, not_there


def test_the_reason_of_a_skip_says_what_to_run(monkeypatch):
    monkeypatch.delenv("TORCHLSP_REQUIRE", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"no Vim: run \.ci/install-editors"):
        not_there("no Vim", ".ci/install-editors")


@pytest.mark.parametrize("required", ["editors", "torch,editors"])
def test_it_fails_where_editors_are_required(monkeypatch, required):
    monkeypatch.setenv("TORCHLSP_REQUIRE", required)
    with pytest.raises(pytest.fail.Exception, match="no Vim"):
        not_there("no Vim", ".ci/install-editors")


def test_what_is_required_is_named_in_full(monkeypatch):
    monkeypatch.setenv("TORCHLSP_REQUIRE", "no-editors")
    with pytest.raises(pytest.skip.Exception):
        not_there("no Vim", ".ci/install-editors")


def test_the_folder_is_that_of_the_environment_else_that_of_the_script(monkeypatch, tmp_path: Path):
    monkeypatch.setenv("TORCHLSP_EDITORS", str(tmp_path))
    assert editors_folder() == tmp_path
    monkeypatch.delenv("TORCHLSP_EDITORS")
    assert editors_folder() == ROOT / ".ci" / "editors"
    assert '"${1:-.ci/editors}"' in (ROOT / ".ci" / "install-editors").read_text(encoding="utf-8")
