"""Makes the next section of CHANGELOG.md from the subjects of the commits since the last release: `changelog [X.Y.Z]`.

A subject begins with a word of HEADINGS (CONTRIBUTING.md says which). Commits that change nothing that users get are left out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEADINGS = {
    "Added": ("Add", "Show"),
    "Changed": ("Change", "Keep", "Withdraw", "Leave out", "Rename", "Find", "Name"),
    "Fixed": ("Fix",),
    "Removed": ("Remove",),
    "Faster": ("Speed up",),
    "Documented": ("Document",),
}
"""The headings of a section, in their order, and what the subjects below each begin with."""
SHIPPED = (
    "torchlsp/",
    "rules/",
    "docs_db/",
    "editors/",
    "examples/ci/",
    "action.yml",
    ".pre-commit-hooks.yaml",
    "docs/",
)
NOT_SHIPPED = ("torchlsp/dev/",)
EXTENSION = ("editors/vscode/",)

_HEADING = re.compile(r"^## ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Commit:
    subject: str
    files: tuple[str, ...]

    def touches(self, folders: tuple[str, ...], but: tuple[str, ...] = ()) -> bool:
        return any(file.startswith(folders) and not (but and file.startswith(but)) for file in self.files)


def last_release(root: Path) -> str | None:
    """Returns the newest tag `vX.Y.Z` that HEAD descends from; None before the first release."""
    done = _git(root, "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*.[0-9]*.[0-9]*", check=False)
    return done.strip() or None


def commits_since(root: Path, tag: str | None) -> list[Commit]:
    """Returns the commits after a tag, or all, the newest first."""
    span = [f"{tag}..HEAD"] if tag else []
    text = _git(root, "log", "--no-merges", "--name-only", "--format=%x00%s", *span)
    found = []
    for part in text.split("\0")[1:]:
        subject, *files = part.strip().split("\n")
        found.append(Commit(subject, tuple(file for file in files if file)))
    return found


def section(version: str, date: str, commits: Iterable[Commit]) -> str:
    """Returns the section of a version: subjects below their headings, without the word that the heading says."""
    shipped = [commit.subject for commit in commits if commit.touches(SHIPPED, NOT_SHIPPED)]
    return _section(f"## {version} ({date})", shipped)


def section_of_extension(version: str, commits: Iterable[Commit]) -> str:
    """Returns the section of a version for the extension's own list of changes."""
    own = [commit.subject for commit in commits if commit.touches(EXTENSION)]
    return (
        _section(f"## {version}", own) if own else f"## {version}\n\nFor version {version} of the server.\n"
    )


def _section(heading: str, subjects: Sequence[str]) -> str:
    parts = [heading]
    for title, beginnings in HEADINGS.items():
        rows = []
        for subject in subjects:
            begun = next((one for one in beginnings if subject.startswith(f"{one} ")), None)
            if begun is not None:
                # Where several words share a heading, the word stays: it says what was done.
                said = subject.removeprefix(f"{begun} ") if begun == beginnings[0] else subject
                is_word = re.match(r"[a-z]+ (?!-)", said) is not None and not said.startswith("torchlsp ")
                rows.append(f"- {said[:1].upper() if is_word else said[:1]}{said[1:]}")
        if rows:
            parts.append(f"### {title}\n\n" + "\n".join(dict.fromkeys(rows)))
    if len(parts) == 1:
        parts.append("Nothing that users see has changed.")
    return "\n\n".join(parts) + "\n"


def with_section(text: str, written: str) -> str:
    """Returns a list of changes with a section in front; one of the same version is replaced."""
    version = written.removeprefix("## ").split()[0]
    head, *sections = _HEADING.split(text)
    kept = [f"## {one.strip()}\n" for one in sections if one.split()[0] != version]
    return "\n".join([head.rstrip() + "\n", written.rstrip() + "\n", *kept])


def has_section(text: str, version: str) -> bool:
    return re.search(rf"^## {re.escape(version)}(?: |$)", text, re.MULTILINE) is not None


def _git(root: Path, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=check)
    return done.stdout


def main(arguments: Sequence[str]) -> int:
    """Prints the next section; `python -m torchlsp.dev release` writes it into the file."""
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev changelog", description=__doc__)
    parser.add_argument("version", nargs="?", default="Unreleased")
    options = parser.parse_args(arguments)
    tag = last_release(ROOT)
    print(f"(since {tag})\n" if tag else "(before the first release)\n")
    print(section(options.version, "not released", commits_since(ROOT, tag)), end="")
    return 0
