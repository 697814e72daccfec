"""Implements `torchlsp init`: sets a project up, by asking what is wanted.

What exists is left as it is unless the user agrees: a file is only ever replaced after a question that `--yes` does not
answer, and what is added to a file goes to its end.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import metadata
from typing import TYPE_CHECKING

from torchlsp.cli import project_files as files
from torchlsp.core.publication import CURRENT
from torchlsp.engine.config import Catalogue, ConfigError, Configuration
from torchlsp.engine.engine import Engine, Options, installed_rules
from torchlsp.engine.writing import write_whole
from torchlsp.files import read_bytes, read_text
from torchlsp.report.text import counted

if TYPE_CHECKING:
    import argparse

_MAX_BYTES = 1_000_000
_TABLE = "[tool.torchlsp]"


def init(options: argparse.Namespace) -> int:
    """Writes what the user wants of a configuration, a list of known findings, a hook and a job of CI; returns 0, or 1
    where standard input ended before the last question."""
    if not options.yes and not sys.stdin.isatty():
        raise ConfigError("`torchlsp init` asks questions and needs a terminal; --yes takes their defaults")
    setup = _Setup(options)
    try:
        setup.configuration()
        setup.baseline()
        setup.hooks()
        setup.ci()
    except EOFError:
        print("\ntorchlsp: ended before the last question", file=sys.stderr)
        return 1
    print(setup.what_next())
    return 0


class _Setup:
    """The set-up of the project in the working directory."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._known: str | None = files.BASELINE if os.path.isfile(files.BASELINE) else None

    def configuration(self) -> None:
        source = Configuration(Catalogue(installed_rules())).for_folder(os.getcwd()).source
        if source is not None:
            print(f"{os.path.relpath(source)} configures torchlsp already")
            return
        project = _read("pyproject.toml")
        name = "torchlsp.toml" if project is None else "pyproject.toml"
        what = "Write torchlsp.toml?" if project is None else f"Add {_TABLE} to pyproject.toml?"
        if not self._agrees(what):
            return
        wanted = [group for group in files.GROUPS if self._wants_group(group)]
        if project is None:
            self._write(name, files.configuration("", wanted))
        else:
            gap = "\n" if project.strip() else ""
            self._put(name, f"{project.rstrip()}\n{gap}{files.configuration(_TABLE, wanted)}".lstrip("\n"))

    def _wants_group(self, group: str) -> bool:
        about = {
            "performance": "what loses time or memory",
            "upgrade": "what torch warns that it will change or remove",
            "style": "what works and is written otherwise today",
        }
        return self._agrees(f"Report {about[group]}, too (the rules of the group {group})?", default=False)

    def baseline(self) -> None:
        """Offers to list the findings that there are, so that only new ones are reported."""
        if self._options.no_baseline:
            return
        if self._known is not None:
            print(
                f"{self._known} lists known findings already; `torchlsp check --write-baseline {self._known}` updates it"
            )
            return
        engine = Engine(Options(jobs=0))
        result = engine.check(["."])
        errors = len(result.internal_errors)
        if errors:
            print(f"{counted(errors, 'internal error')}: known findings are not listed", file=sys.stderr)
            return
        if not result.findings:
            print(f"No findings in {counted(result.files, 'file')}")
            return
        found = f"{counted(len(result.findings), 'finding')} in {counted(result.files, 'file')}."
        if self._agrees(f"{found} List them in {files.BASELINE}, so that only new ones are reported?"):
            from torchlsp.engine.baseline import write_baseline

            write_baseline(files.BASELINE, result, engine.codes_for)
            self._known = files.BASELINE
            self._wrote(files.BASELINE)

    def hooks(self) -> None:
        """Offers a hook of pre-commit, where the project is a repository of git."""
        if self._options.no_pre_commit or not os.path.exists(".git"):
            return
        text = _read(files.HOOKS)
        if text is None:
            if self._agrees(f"Write {files.HOOKS}, so that pre-commit checks what is committed?"):
                self._write(files.HOOKS, files.hooks(self._known))
        elif "torchlsp" in text:
            print(f"{files.HOOKS} names torchlsp already")
        else:
            added = files.with_hook(text, self._known)
            if added is None:
                print(f"Add this to the list `repos` in {files.HOOKS}:\n\n{files.hook('  ', self._known)}")
            elif self._agrees(f"Add a hook to {files.HOOKS}?"):
                self._put(files.HOOKS, added)

    def ci(self) -> None:
        service = self._options.ci
        if service == "auto":
            service = _service()
            if service == "none" or not self._agrees(f"Write a job for {_TITLES[service]}?"):
                return
        if service == "github":
            self._write(files.GITHUB, files.github(requirement(), self._known))
        elif service == "gitlab":
            text = files.gitlab(requirement(), self._known)
            existing = _read(files.GITLAB)
            if existing is None or existing == text:
                self._write(files.GITLAB, text)
            elif "torchlsp" in existing:
                print(f"{files.GITLAB} names torchlsp already")
            else:
                print(f"Add this to {files.GITLAB}:\n\n{text}")

    def what_next(self) -> str:
        """Returns the sentence that says how the project is checked from now on."""
        if self._known is None:
            return "`torchlsp check` checks this project; `torchlsp check --help` lists what else it can do."
        return f"`torchlsp check --baseline {self._known}` reports what is new in this project, `torchlsp check` all findings."

    def _write(self, path: str, text: str) -> None:
        """Writes a file of ours, and over another one only after the user's yes."""
        existing = _read(path) if os.path.lexists(path) else None
        if existing == text:
            print(f"{path} is as it should be")
        elif os.path.lexists(path) and not self._replaces(path):
            print(f"{path} is left as it is")
        else:
            self._put(path, text)

    def _put(self, path: str, text: str) -> None:
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        if _has_crlf(path):
            text = text.replace("\n", "\r\n")
        write_whole(path, text, "file")
        self._wrote(path)

    def _wrote(self, path: str) -> None:
        print(f"wrote {path}")

    def _agrees(self, question: str, *, default: bool = True) -> bool:
        """Asks a question; --yes answers it by its default."""
        if self._options.yes:
            return default
        return _answer(question, default)

    def _replaces(self, path: str) -> bool:
        return not self._options.yes and _answer(f"{path} exists. Replace it?", False)


_TITLES = {"github": "GitHub Actions", "gitlab": "GitLab CI"}


def _answer(question: str, default: bool) -> bool:
    """Asks until the answer is yes, no or an empty line, which means the default."""
    while True:
        word = input(f"{question} [{'Y/n' if default else 'y/N'}] ").strip().lower()
        if not word:
            return default
        if word in ("y", "yes", "n", "no"):
            return word[0] == "y"


def _service() -> str:
    """Returns the CI service that the project seems to use."""
    if os.path.isdir(".github"):
        return "github"
    if os.path.isfile(files.GITLAB):
        return "gitlab"
    remotes = _read(os.path.join(".git", "config")) or ""
    return next((name for name in _TITLES if f"{name}." in remotes), "none")


def requirement() -> str:
    """Returns what pip is to install: the commit that is installed here if it came from a repository, else what is
    published."""
    try:
        installed = metadata.distribution("torchlsp").files or ()
        source = next((file for file in installed if file.name == "direct_url.json"), None)
        if source is None:
            return CURRENT.requirement
        told = json.loads(read_text(str(source.locate()), _MAX_BYTES))
        vcs = told["vcs_info"]
        return f"torchlsp @ {vcs['vcs']}+{told['url']}@{vcs['commit_id']}"
    except (metadata.PackageNotFoundError, OSError, ValueError, KeyError, TypeError):
        return CURRENT.requirement


def _has_crlf(path: str) -> bool:
    try:
        return b"\r\n" in read_bytes(path, _MAX_BYTES)
    except OSError:
        return False


def _read(path: str) -> str | None:
    """Returns the text of a file; None where there is none. Raises ConfigError for what cannot be read."""
    if not os.path.lexists(path):
        return None
    try:
        return read_text(path, _MAX_BYTES, encoding="utf-8")
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not valid UTF-8") from None
    except OSError as failure:
        raise ConfigError(f"cannot read {path}: {failure.strerror or failure}") from None
