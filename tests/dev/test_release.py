"""`python -m torchlsp.dev release` and `changelog`: what a release changes, in which order, and that a failed one changes nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from torchlsp.dev import changelog, publication, release
from torchlsp.dev.changelog import Commit
from torchlsp.dev.publication import NOW, PLACES

pytestmark = pytest.mark.processes
NEXT = "99.0.0"


def test_a_section_has_what_users_get_below_the_words_that_subjects_begin_with() -> None:
    commits = [
        Commit("Fix a false finding for loops", ("rules/layout/a.py",)),
        Commit("Add torchlsp init", ("torchlsp/cli/init.py", "tests/a.py")),
        Commit("Add a rule for view()", ("rules/layout/b.py",)),
        Commit("Rename an option", ("torchlsp/cli/main.py",)),
        Commit("Add a fuzzer", ("torchlsp/dev/fuzz.py", "tests/b.py")),
        Commit("Test the fixes", ("torchlsp/cli/main.py",)),
    ]
    assert changelog.section("1.2.3", "2026-01-02", commits) == (
        "## 1.2.3 (2026-01-02)\n\n### Added\n\n- torchlsp init\n- A rule for view()\n\n"
        "### Changed\n\n- Rename an option\n\n### Fixed\n\n- A false finding for loops\n"
    )
    assert (
        changelog.section_of_extension("1.2.3", commits) == "## 1.2.3\n\nFor version 1.2.3 of the server.\n"
    )


def test_a_section_stands_first_and_replaces_that_of_the_same_version() -> None:
    text = "# Changes\n\nMade by a command.\n\n## 1.0.0 (a)\n\nOld.\n"
    once = changelog.with_section(text, "## 1.1.0 (b)\n\nNew.\n")
    assert once == "# Changes\n\nMade by a command.\n\n## 1.1.0 (b)\n\nNew.\n\n## 1.0.0 (a)\n\nOld.\n"
    assert changelog.with_section(once, "## 1.1.0 (c)\n\nNewer.\n") == once.replace(
        "(b)\n\nNew.", "(c)\n\nNewer."
    )


def test_only_commits_after_the_last_release_count(commit, git) -> None:
    commit({"rules/a.py": "1"})
    git("tag", "v1.0.0")
    commit({"rules/a.py": "2"})
    git("commit", "--amend", "--quiet", "--message", "Fix what was wrong")
    git("tag", "version-of-mine")
    assert changelog.last_release(Path.cwd()) == "v1.0.0"
    assert changelog.commits_since(Path.cwd(), "v1.0.0") == [Commit("Fix what was wrong", ("rules/a.py",))]


@pytest.fixture
def repository(commit, git, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the files that a release changes; nothing is built in it."""
    root = Path.cwd()
    names = {path for path, _ in PLACES} | {"CHANGELOG.md", "editors/vscode/CHANGELOG.md"}
    commit({name: (publication.ROOT / name).read_bytes() for name in names} | {".gitignore": "/dist/\n"})
    monkeypatch.setattr(release, "ROOT", root)
    monkeypatch.setattr(release, "build", built)
    monkeypatch.setattr(release, "try_out", lambda archive, version, root, scratch: None)
    monkeypatch.setattr(release, "pack_extension", lambda root, out, version: None)
    return root


def built(root: Path, out: Path) -> list[Path]:
    """Stands for the build: an archive that says which version the tree has."""
    archive = out / "torchlsp.whl"
    shutil.copy(root / "torchlsp" / "__init__.py", archive)
    return [archive]


def test_a_release_changes_every_place_and_tags_last(repository: Path, git) -> None:
    assert release.main([NEXT]) == 0
    assert publication.mismatches(publication.State(NOW.published, NEXT), repository) == []
    assert f'"{NEXT}"' in (repository / "dist" / "torchlsp.whl").read_text()
    assert git("rev-parse", f"v{NEXT}^{{commit}}") == git("rev-parse", "HEAD")
    assert git("log", "-1", "--format=%s").strip() == f"Release {NEXT}"
    assert git("status", "--porcelain") == ""
    for name in ("CHANGELOG.md", "editors/vscode/CHANGELOG.md"):
        assert changelog.has_section((repository / name).read_text(encoding="utf-8"), NEXT)


def test_a_dry_run_changes_nothing(repository: Path, git, capsys) -> None:
    before = git("rev-parse", "HEAD")
    assert release.main([NEXT, "--dry-run"]) == 0
    assert "built torchlsp.whl" in capsys.readouterr().out
    assert (git("rev-parse", "HEAD"), git("tag"), git("status", "--porcelain")) == (before, "", "")


def test_a_release_that_fails_changes_nothing(repository: Path, git, monkeypatch, capsys) -> None:
    def refused(*_: object) -> None:
        raise release.Refused("it does not start")

    monkeypatch.setattr(release, "try_out", refused)
    before = git("rev-parse", "HEAD")
    assert release.main([NEXT]) == 1
    assert "it does not start" in capsys.readouterr().err
    assert (git("rev-parse", "HEAD"), git("tag"), git("status", "--porcelain")) == (before, "", "")


def test_what_cannot_be_released_is_refused(repository: Path, git, project) -> None:
    for version, why in (("1.0", "X.Y.Z"), ("v1.0.0", "X.Y.Z")):
        with pytest.raises(release.Refused, match=why):
            release.refuse(version, repository)
    git("tag", "v2.0.0")
    with pytest.raises(release.Refused, match="is a tag already"):
        release.refuse("2.0.0", repository)
    with pytest.raises(release.Refused, match="older than the last release, 2.0.0"):
        release.refuse("1.9.9", repository)
    release.refuse("2.0.1", repository)
    project({"new.txt": "x"})
    with pytest.raises(release.Refused, match="not committed"):
        release.refuse("2.0.1", repository)


def test_the_first_version_keeps_its_description(repository: Path) -> None:
    release.prepare(NOW.version, repository, "2026-01-02")
    text = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {NOW.version} (2026-01-02)\n\nThe first version." in text
