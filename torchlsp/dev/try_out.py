"""Installs archives into fresh environments and runs what a newcomer runs: `try-out FILE…`, each a wheel or an sdist.

The version must be that of this checkout. `python -m torchlsp.dev release` does this with what it has built, the release workflow
on every Python and system.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import torchlsp

ROOT = Path(__file__).parents[2]
EXAMPLES = {"training_project": 1, "correct_project": 0}
"""The example projects, and the exit status of `check` in each."""


class Unfit(Exception):
    """An archive that cannot be used; the message says why."""


def try_out(archive: Path, version: str, root: Path, scratch: Path) -> None:
    """Installs an archive into a fresh environment and runs it there; raises Unfit where something fails."""
    environment = scratch / f"env-{archive.suffix[1:]}"
    folder, suffix = ("Scripts", ".exe") if os.name == "nt" else ("bin", "")
    python, program = (str(environment / folder / f"{name}{suffix}") for name in ("python", "torchlsp"))
    _run([sys.executable, "-m", "venv", str(environment)], scratch)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, str(archive.absolute())], scratch)
    if _run([program, "--version"], scratch).split()[:2] != ["torchlsp", version]:
        raise Unfit(f"{archive.name} is not torchlsp {version}")
    for project, findings in EXAMPLES.items():
        path = str(root / "examples" / project)
        _run([program, "check", "--no-cache", path], scratch, expected=findings)
    answered = _run([program, "server"], scratch, given=_SESSION)
    if '"capabilities"' not in answered:
        raise Unfit(f"{archive.name}: the server does not answer `initialize`")


def _message(method: str, **rest: object) -> str:
    text = json.dumps({"jsonrpc": "2.0", "method": method, **rest})
    return f"Content-Length: {len(text)}\r\n\r\n{text}"


_SESSION = (
    _message("initialize", id=1, params={"processId": None, "rootUri": None, "capabilities": {}})
    + _message("initialized", params={})
    + _message("shutdown", id=2)
    + _message("exit")
)
"""What an editor sends that is opened and closed."""


def _run(command: Sequence[str], folder: Path, *, given: str = "", expected: int = 0) -> str:
    # Not this checkout, but what is installed.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        input=given.encode(),
        capture_output=True,
        check=False,
        timeout=900,
    )
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    if done.returncode != expected:
        raise Unfit(f"{' '.join(command)} ends with {done.returncode}, not {expected}:\n{said[-3000:]}")
    return said


def main(arguments: Sequence[str]) -> int:
    """Exit status 1 where an archive is unfit."""
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev try-out", description=__doc__)
    parser.add_argument("archives", metavar="FILE", type=Path, nargs="+")
    for archive in parser.parse_args(arguments).archives:
        with tempfile.TemporaryDirectory(prefix="torchlsp-try-out-", ignore_cleanup_errors=True) as scratch:
            try:
                try_out(archive, torchlsp.__version__, ROOT, Path(scratch))
            except Unfit as why:
                print(f"unfit: {why}", file=sys.stderr)
                return 1
        print(f"{archive.name} works with Python {sys.version.partition(' ')[0]} on {sys.platform}")
    return 0
