"""Says whose repository this is and what is published, in every text that depends on it: `--owner NAME --on-pypi --site`.

`PLACES` has each such text by its file, as a function of the state. A change of the state replaces the old text by the new one; tests
hold that each file has the text of the state that `torchlsp/core/publication.py` names.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torchlsp
from torchlsp.core.publication import CURRENT, Publication

ROOT = Path(__file__).parents[2]
_OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class State:
    """What texts depend on."""

    published: Publication
    version: str

    @property
    def repository(self) -> str:
        return self.published.repository

    @property
    def install(self) -> str:
        """Returns the arguments of pip that work."""
        if self.published.on_pypi:
            return "install torchlsp"
        return f"install git+{self.repository}" if self.repository else "install ."

    @property
    def where(self) -> str:
        """Returns where the command is run, and why it is not a shorter one; empty once torchlsp is on PyPI."""
        if self.published.on_pypi:
            return ""
        if self.repository:
            return "(it is not on PyPI yet)"
        return "in a copy of the repository (it is not on PyPI yet)"


NOW = State(CURRENT, torchlsp.__version__)
Text = Callable[[State], str]


class Mismatch(Exception):
    """A file does not have the text that its state asks for, or has it twice."""


def _own(state: State) -> str:
    known = state.published
    return (
        f'CURRENT = Publication(owner="{known.owner}", on_pypi={known.on_pypi}, has_site={known.has_site})\n'
    )


def _urls(state: State) -> str:
    if not state.repository:
        return "# The URLs of the project are written here by `python -m torchlsp.dev publication --owner NAME`.\n"
    known = state.published
    rows = [
        "[project.urls]",
        f'Homepage = "{known.site_address if known.has_site else state.repository}"',
        *([f'Documentation = "{known.site_address}"'] if known.has_site else []),
        f'Repository = "{state.repository}"',
        f'Issues = "{state.repository}/issues"',
        f'Changelog = "{state.repository}/blob/main/CHANGELOG.md"',
    ]
    return "\n".join(rows) + "\n"


def _manifest(state: State) -> str:
    """The extension's manifest."""
    rows = ['  "license": "MIT",']
    if state.repository:
        rows += [
            f'  "repository": {{ "type": "git", "url": "{state.repository}.git", "directory": "editors/vscode" }},',
            f'  "bugs": {{ "url": "{state.repository}/issues" }},',
        ]
    return "\n".join([*rows, '  "private": true,\n'])


def _package(state: State) -> str:
    missing = "" if state.repository else " --allow-missing-repository"
    return f'"package": "vsce package --no-dependencies{missing} --readme-path'


def _installed_by_button(state: State) -> str:
    if state.published.on_pypi:
        package = "torchlsp"
    else:
        package = f"torchlsp @ git+{state.repository}" if state.repository else ""
    return f'const PACKAGE: string = "{package}";\n'


def _readme(state: State) -> str:
    if state.published.on_pypi:
        return "```sh\npip install torchlsp\n```\n"
    place = "install it from its repository" if state.repository else "in a copy of this repository"
    lead = f"torchlsp is not on PyPI yet; {place}:"
    return f"{lead}\n\n```sh\npip {state.install}\n```\n"


def _picture(state: State) -> str:
    """PyPI shows pictures by their whole address only."""
    folder = (
        f"https://raw.githubusercontent.com/{state.published.owner}/torchlsp/main/"
        if state.repository
        else ""
    )
    return f"]({folder}editors/vscode/media/verdict.png)\n"


def _editors(state: State) -> str:
    how = f"`pip {state.install}` {state.where}".rstrip()
    return f"the editor finds it: {how}. `torchlsp --version` must answer in the editor's own terminal."


def _jupyter(state: State) -> str:
    if state.published.on_pypi:
        return "`pip install jupyterlab-lsp torchlsp` in the environment of JupyterLab"
    return f"`pip install jupyterlab-lsp` and `pip {state.install}` {state.where}, both in the environment of JupyterLab"


def _extension(state: State) -> str:
    what = "installs it with pip after asking, or do it yourself"
    if not state.repository and not state.published.on_pypi:
        what = "asks for a copy of torchlsp's repository and installs it with pip, or do it yourself"
    where = f" {state.where}" if state.where else ""
    return f"   {what}{where}:\n\n   ```sh\n   python -m pip {state.install}\n   ```\n"


def _walkthrough(state: State) -> str:
    copy = "in a copy of the repository " if state.install.endswith(" .") else ""
    where = (
        f"torchlsp is not on PyPI yet; {copy or 'from the repository '}this installs it:\n\n"
        if state.where
        else ""
    )
    folder = " on the folder that you choose," if state.install.endswith(" .") else ""
    return (
        f"{where}```sh\npython -m pip {state.install}\n```\n\n"
        f"*torchlsp: Install Server into Selected Environment* runs just this,{folder} once you have agreed, in"
    )


def _health(state: State) -> str:
    words = f"{state.install} {state.where}".rstrip()
    return f'      "pip {words}, in the environment that Neovim is started from",\n'


def _help(state: State) -> str:
    where = f"  Install it {state.where}" if state.where else ""
    return f"The program is Python{'.' * bool(where)}{where}: >\n\n\tpip {state.install}\n<\n"


def _github(state: State) -> str:
    if state.repository:
        return f"      - uses: {state.published.owner}/torchlsp@v{state.version}\n"
    return (
        "      # torchlsp is not published yet. Set the variable TORCHLSP_REPOSITORY (Settings, Secrets and variables, Actions) to\n"
        "      # the repository on GitHub that has a copy of it, as in name/torchlsp.\n"
        "      - uses: actions/checkout@v5\n"
        "        with:\n"
        "          repository: ${{ vars.TORCHLSP_REPOSITORY }}\n"
        "          path: .torchlsp\n"
        "      - uses: ./.torchlsp\n"
    )


def _gitlab(state: State) -> str:
    if state.published.on_pypi:
        return "    - pip install torchlsp\n"
    if state.repository:
        return f'    - pip install "torchlsp @ git+{state.repository}"\n'
    return (
        "    # torchlsp is not published yet. Set the variable TORCHLSP_REPOSITORY (Settings, CI/CD, Variables) to the address of\n"
        "    # a repository that has a copy of it, as git clone takes it.\n"
        '    - pip install "torchlsp @ git+$TORCHLSP_REPOSITORY"\n'
    )


def _pre_commit(state: State) -> str:
    if state.repository:
        return f"""\
  - repo: {state.repository}
    rev: v{state.version}
    hooks:
      - id: torchlsp # or torchlsp-fix, which makes the safe fixes and reports what is left
        # pre-commit runs torchlsp in an environment of its own, without a torch. So that the rules on torch's releases
        # know which is meant, write `torch-version = "2.13"` into the configuration; or, where everybody who commits
        # has the project's environment at the same place, say where:
        # args: [--python, .venv]
"""
    return """\
  # torchlsp is not published yet: this runs the one that is installed where you commit.
  - repo: local
    hooks:
      - id: torchlsp # or torchlsp-fix with `torchlsp check --fix --force-exclude`: makes the safe fixes and reports what is left
        name: torchlsp
        entry: torchlsp check --force-exclude
        language: system
        types_or: [python, jupyter]
        require_serial: true
"""


def _version_on_pypi(state: State) -> str:
    if state.published.on_pypi:
        return "    description: The version of torchlsp on PyPI; the default is this action's own.\n"
    return "    description: The version of torchlsp on PyPI, where there is none yet; the default is this action's own.\n"


def _security(state: State) -> str:
    if state.repository:
        return f"Report it privately: {state.repository}/security/advisories/new."
    return "Report it privately: *Security*, then *Report a vulnerability*, in the repository on GitHub."


PLACES: tuple[tuple[str, Text], ...] = (
    ("torchlsp/core/publication.py", _own),
    ("torchlsp/__init__.py", lambda state: f'__version__ = "{state.version}"\n'),
    ("pyproject.toml", _urls),
    ("README.md", _readme),
    ("README.md", _picture),
    ("SECURITY.md", _security),
    ("action.yml", _version_on_pypi),
    ("examples/ci/github.yml", _github),
    ("examples/ci/gitlab-ci.yml", _gitlab),
    ("examples/ci/pre-commit-config.yaml", _pre_commit),
    ("editors/README.md", _editors),
    ("editors/README.md", _jupyter),
    ("editors/neovim/lua/torchlsp/health.lua", _health),
    ("editors/neovim/doc/torchlsp.txt", _help),
    ("editors/vscode/README.md", _extension),
    ("editors/vscode/media/walkthrough/install.md", _walkthrough),
    ("editors/vscode/src/install.ts", _installed_by_button),
    ("editors/vscode/package.json", _manifest),
    ("editors/vscode/package.json", _package),
    ("editors/vscode/package.json", lambda state: f'  "version": "{state.version}",\n'),
    (
        "editors/vscode/package-lock.json",
        lambda state: f'  "version": "{state.version}",\n  "lockfileVersion"',
    ),
    (
        "editors/vscode/package-lock.json",
        lambda state: f'      "name": "torchlsp",\n      "version": "{state.version}",\n',
    ),
)
"""Every text that depends on the state, by its file."""


def mismatches(state: State, root: Path = ROOT) -> list[str]:
    """Returns each text of a state that its file does not have exactly once."""
    return [
        f"{path}: {text(state)!r} is there {count} times"
        for path, text in PLACES
        if (count := _read(root / path).count(text(state))) != 1
    ]


def switch(before: State, after: State, root: Path = ROOT) -> list[str]:
    """Replaces the texts of one state by those of another one; returns the files that have changed. Nothing is written where a text
    of the state before is missing."""
    wrong = mismatches(before, root)
    if wrong:
        raise Mismatch("\n".join(wrong))
    changed: dict[str, str] = {}
    for path, text in PLACES:
        old, new = text(before), text(after)
        if old != new:
            changed[path] = changed.get(path, _read(root / path)).replace(old, new)
    for path, content in changed.items():
        (root / path).write_bytes(content.encode())
    return list(changed)


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def main(arguments: Sequence[str]) -> int:
    """Prints the state, or changes it; exit status 2 for a text that was edited by hand."""
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev publication", description=__doc__)
    parser.add_argument("--owner", help="the account or organisation on GitHub; empty: none")
    for name, about in (("on-pypi", "torchlsp is on PyPI"), ("site", "the site is published")):
        parser.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, help=about)
    options = parser.parse_args(arguments)
    if options.owner and not _OWNER.fullmatch(options.owner):
        parser.error(f"no name of an account: {options.owner}")
    given = {"owner": options.owner, "on_pypi": options.on_pypi, "has_site": options.site}
    wanted = replace(CURRENT, **{name: value for name, value in given.items() if value is not None})
    if wanted.has_site and not wanted.owner:
        parser.error("the site's address follows from the owner: --owner NAME")
    try:
        changed = switch(NOW, State(wanted, NOW.version))
    except Mismatch as wrong:
        print(wrong)
        return 2
    print(f"repository: {wanted.repository or 'not known'}")
    print(f"on PyPI: {'yes' if wanted.on_pypi else 'no'}; site: {wanted.rules_url or 'not published'}")
    print("\n".join(f"changed: {path}" for path in changed))
    return 0
