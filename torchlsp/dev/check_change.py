"""Runs the checks that a change concerns: ruff on its files, mypy where it is configured, and the tests of what it touches.

Files changed since a commit (`--since`, default HEAD), and files that git does not know yet, count as the change. A test folder
is named after the package that it tests; packages above a changed one are tested by `python -m pytest -m fast` and by CI.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]

CONCERNED = {
    "torchlsp/core": ("tests/core", "tests/report"),
    "torchlsp/syntax": ("tests/syntax", "tests/program", "tests/rules/test_fixes.py"),
    "torchlsp/facts": ("tests/facts", "tests/ops", "tests/rules/test_cases.py"),
    "torchlsp/program": ("tests/program", "tests/interp", "tests/rules/test_cases.py"),
    "torchlsp/ops": ("tests/ops", "tests/rules/test_cases.py"),
    "torchlsp/interp": ("tests/interp", "tests/rules/test_cases.py", "tests/rules/test_pages_static.py"),
    "torchlsp/lint": ("tests/lint", "tests/rules/test_cases.py", "tests/rules/test_pages_static.py"),
    "torchlsp/engine": ("tests/engine", "tests/cli"),
    "torchlsp/report": ("tests/report",),
    "torchlsp/recorder": (
        "tests/recorder",
        "tests/engine/test_record_facts.py",
        "tests/cli/test_recorded.py",
    ),
    "torchlsp/hang": ("tests/hang", "tests/cli/test_hang.py"),
    "torchlsp/slicing": ("tests/slicing", "tests/engine/test_probing.py"),
    "torchlsp/probe": ("tests/probe", "tests/engine/test_probing.py"),
    "torchlsp/cli": ("tests/cli",),
    "torchlsp/server": ("tests/server",),
    "torchlsp/mcp_server": ("tests/mcp_server", "tests/examples/test_agent_script.py"),
    "torchlsp/dev": ("tests/dev",),
    "docs_db": ("tests/docs_db",),
    "editors": ("tests/editors",),
    "examples": ("tests/examples",),
    "tests/rules/cases": ("tests/rules/test_cases.py", "tests/rules/test_reproducers.py"),
    "tests/interp/programs": ("tests/interp",),
    "tests/probe/benign": ("tests/probe",),
    "tests/probe/hostile": ("tests/probe",),
    "tests/torch_programs": ("tests/rules", "tests/docs_db/test_notes.py"),
    "benchmarks": ("tests/dev",),
    ".ci": ("tests/ci",),
    "action.yml": ("tests/ci",),
    "ARCHITECTURE.md": ("tests/test_documents.py",),
    "CONTRIBUTING.md": ("tests/test_documents.py",),
    "docs": (
        "tests/test_documents.py",
        "tests/test_stated_limits.py",
        "tests/test_groups.py",
        "tests/ci/test_recipes.py",
        "tests/dev/test_site.py",
    ),
    ".github": ("tests/ci/test_workflows.py",),
    "CHANGELOG.md": ("tests/ci/test_workflows.py",),
    "torchlsp/core/publication.py": ("tests/dev/test_publication.py", "tests/cli/test_init.py"),
    "pyproject.toml": ("tests/packaging",),
    "torchlsp": ("tests/cli", "tests/test_startup.py"),
}
"""What is tested where, by the longest folder or file that a changed file stands in."""
OF_A_RULE = ("tests/rules",)
OF_EVERY_MODULE = (
    "tests/test_layers.py",
    "tests/test_import_circles.py",
    "tests/test_type_reasons.py",
    "tests/test_documents.py",
)
TYPED = ("torchlsp", "rules", "docs_db")
_CODE = re.compile(r"TL\d{3}")


def code_of_rule(path: str, text: str) -> str | None:
    """Returns the code of the rule that a file of `rules/<family>/` belongs to, read from its first line."""
    parts = PurePosixPath(path).parts
    if parts[0] != "rules" or len(parts) != 3 or parts[2].startswith("_"):
        return None
    found = _CODE.search(text.partition("\n")[0])
    return found[0] if found else None


def is_test(path: str) -> bool:
    return path.startswith("tests/") and PurePosixPath(path).name.startswith("test_") and path.endswith(".py")


def concerned_by(path: str) -> tuple[str, ...]:
    """Returns the test files and folders that a changed file concerns, those of rules aside."""
    if is_test(path):
        return (path,)
    for length in range(len(PurePosixPath(path).parts), 0, -1):
        place = "/".join(PurePosixPath(path).parts[:length])
        if place in CONCERNED:
            return CONCERNED[place]
    # What lies beside tests is theirs.
    return (str(PurePosixPath(path).parent),) if path.startswith("tests/") else ()


def commands(changed: Iterable[str], codes: dict[str, str], *, mypy: bool) -> list[list[str]]:
    """Returns the commands for these files, which all exist. `codes` has the rule of each that belongs to
    one."""
    files = sorted(set(changed))
    python = [path for path in files if path.endswith(".py")]
    found: list[list[str]] = []
    if python:
        found.append(["ruff", "check", "--force-exclude", *python])
        found.append(["ruff", "format", "--check", "--force-exclude", *python])
    typed = [path for path in python if path.startswith(tuple(f"{folder}/" for folder in TYPED))]
    if mypy and typed:
        found.append(["mypy"])
    pytest = ["python", "-m", "pytest", "-q"]
    chosen = {test for path in files if path not in codes for test in concerned_by(path)}
    if typed:
        chosen.update(OF_EVERY_MODULE)
    alone = sorted(
        one for one in chosen if not any(f"{one}/".startswith(f"{other}/") for other in chosen - {one})
    )
    if alone:
        found.append([*pytest, *alone])
    if codes:
        found.append([*pytest, *OF_A_RULE, "-k", " or ".join(sorted(set(codes.values())))])
    return found


def changed_files(since: str) -> list[str]:
    """Returns the existing files changed since a commit, and those that git does not know and does not
    ignore."""
    listed = [
        ("diff", "--name-only", "--diff-filter=d", since),
        ("ls-files", "--others", "--exclude-standard"),
    ]
    found: list[str] = []
    for arguments in listed:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
        found.extend(done.stdout.splitlines())
    return found


def main(arguments: Sequence[str]) -> int:
    """Runs every command even after one that fails; exit status 1 when any did."""
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev check-change", description=__doc__)
    parser.add_argument(
        "--since", default="HEAD", metavar="REF", help="the commit to compare with (default: HEAD)"
    )
    parser.add_argument("--show", action="store_true", help="only print the commands")
    options = parser.parse_args(arguments)
    try:
        files = changed_files(options.since)
    except subprocess.CalledProcessError as error:
        print(error.stderr.strip(), file=sys.stderr)
        return 2
    codes = {
        path: code
        for path in files
        if path.startswith("rules/")
        for code in [code_of_rule(path, (ROOT / path).read_text(encoding="utf-8"))]
        if code is not None
    }
    mypy = "[tool.mypy]" in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    failed = False
    for command in commands(files, codes, mypy=mypy):
        print("$", shlex.join(command), flush=True)
        if not options.show:
            run = (
                [sys.executable, *command[1:]] if command[0] == "python" else [sys.executable, "-m", *command]
            )
            # pytest ends with 5 where `-k` and markers leave no test.
            failed |= subprocess.run(run, cwd=ROOT, check=False).returncode not in (0, 5)
    return 1 if failed else 0
