"""Reads an untrusted repository through git, from its objects alone.

Neither the index nor the working tree is read by git: comparing them would run what the repository's own configuration
names (filters, a file system monitor, conversions of texts, a diff program), and hooks. Nothing is fetched, either.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from torchlsp.engine.config import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection

# Of no command here does the time depend on more than the size of the repository.
_TIMEOUT = 120.0
_TIMEOUT_OF_LOOKUPS = 20.0
"""Of what reads a few small files. Where one of them is a pipe, git waits for ever."""
# A hook has these set for the repository it runs in, which need not be that of the files.
_REMOVED_VARIABLES = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
)
_SETTINGS = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # A clone without all contents would fetch them now; the second is understood by every version of git.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}
_FILE_MODES = (b"100644", b"100755", b"100664")


def repository_of(path: str) -> str:
    """Returns the top folder of the repository that a file or folder, which need not exist, lies in."""
    folder = os.path.abspath(path)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    done = _git(folder, "rev-parse", "--show-toplevel")
    if done.returncode != 0:
        said = _said(done)
        if "not a git repository" in said:
            raise ConfigError(f"--changed-since: {path} is in no git repository")
        raise ConfigError(f"--changed-since: git says of {path}: {said}")
    top = os.path.realpath(os.fsdecode(done.stdout.removesuffix(b"\n").removesuffix(b"\r")))
    if not os.path.join(os.path.realpath(folder), "").startswith(os.path.join(top, "")):
        # A repository's settings may name any folder; what lies beside it would count as not changed.
        raise ConfigError(f"--changed-since: the repository of {path} has its files elsewhere, in {top}")
    return top


def merge_base(top: str, revision: str) -> str:
    """Returns the last common commit of `revision` and HEAD: `revision` itself where HEAD has it."""
    if not revision or revision.startswith("-") or "\0" in revision:
        raise ConfigError(f"--changed-since: `{revision}` is not a revision")
    found = _git(top, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if found.returncode != 0:
        raise ConfigError(f"--changed-since: git knows no revision `{revision}` here{_shallow(top)}")
    base = _git(top, "merge-base", os.fsdecode(found.stdout).strip(), "HEAD")
    if base.returncode != 0:
        raise ConfigError(f"--changed-since: `{revision}` and HEAD have no commit in common{_shallow(top)}")
    return os.fsdecode(base.stdout).split()[0]


def files_at(top: str, commit: str) -> dict[str, str]:
    """Returns the files of a commit: paths below the top, with `/`, and the names of their contents. Links
    and submodules are left out."""
    done = _git(top, "ls-tree", "-r", "-z", "--full-tree", commit)
    if done.returncode != 0:
        raise ConfigError(f"--changed-since: git cannot list the files of {commit[:10]}: {_said(done)}")
    found: dict[str, str] = {}
    for entry in done.stdout.split(b"\0"):
        about, tab, path = entry.partition(b"\t")
        if tab and about.startswith(_FILE_MODES):
            found[os.fsdecode(path)] = about.split()[2].decode("ascii")
    return found


def contents(top: str, names: Collection[str]) -> dict[str, bytes]:
    """Returns the contents of those names."""
    if not names:
        return {}
    asked = "".join(f"{name}\n" for name in names).encode("ascii")
    process = _git(top, "cat-file", "--batch", given=asked)
    contents_by_name: dict[str, bytes] = {}
    offset = 0
    while (end := process.stdout.find(b"\n", offset)) >= 0:
        name, *rest = process.stdout[offset:end].decode("ascii", "replace").split()
        if len(rest) != 2:
            break
        size = int(rest[1])
        contents_by_name[name] = process.stdout[end + 1 : end + 1 + size]
        offset = end + size + 2
    if process.returncode != 0 or len(contents_by_name) < len(set(names)):
        raise ConfigError(
            "--changed-since: this clone lacks contents of older files, and nothing is fetched for them:"
            " `git diff --stat` with the same revision does"
        )
    return contents_by_name


def _shallow(top: str) -> str:
    """Returns the likely reason why a commit is not found, and the remedy."""
    if _git(top, "rev-parse", "--is-shallow-repository").stdout.strip() != b"true":
        return ""
    return "; this clone is shallow: fetch its history (`fetch-depth: 0` of actions/checkout, `GIT_DEPTH: 0` of GitLab)"


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    """Returns the first line of git's error message."""
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[0].removeprefix("fatal: ") if lines else f"exit status {done.returncode}"


def _git(folder: str, *arguments: str, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    program = shutil.which("git")
    if program is None:
        raise ConfigError("--changed-since needs git, which is not installed or not on the PATH")
    environment = {
        name: value for name, value in os.environ.items() if name not in _REMOVED_VARIABLES
    } | _SETTINGS
    never = ["-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}"]
    seconds = _TIMEOUT_OF_LOOKUPS if arguments[0] == "rev-parse" else _TIMEOUT
    try:
        return subprocess.run(
            [program, "--no-pager", *never, "-C", folder, *arguments],
            env=environment,
            capture_output=True,
            timeout=seconds,
            check=False,
            stdin=subprocess.DEVNULL if given is None else None,
            input=given,
        )
    except subprocess.TimeoutExpired:
        raise ConfigError(f"--changed-since: git {arguments[0]} took longer than {seconds:.0f} s") from None
    except OSError as failure:
        raise ConfigError(f"--changed-since: git cannot be run: {failure.strerror or failure}") from None
