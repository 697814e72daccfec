"""VS Code served to a browser: the extension built and installed into it, a scenario of `vscode/` driven, all ended."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from editor_availability import ROOT, editors_folder, not_there

HERE = Path(__file__).parent / "vscode"
REMEDY = ".ci/install-editors"

# A program as the user's `torchlsp`: it notes each start, and is then the server itself, under the same number.
PROGRAM = """#!/bin/sh
echo "$$ {name}" >> "{notes}"
PYTHONPATH="{root}" exec "{python}" -m torchlsp "$@"
"""

# A Python of which only pip is asked: it notes what, and installs the program.
PIP = """#!/bin/sh
echo "$*" >> "{notes}"
case "$*" in *" pip install "*) cp "{program}" "{binaries}/torchlsp" ;; esac
"""

BINARIES = "/usr/bin:/bin"

SETTINGS = {
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.tips.enabled": False,
    "telemetry.telemetryLevel": "off",
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "extensions.ignoreRecommendations": True,
    "chat.disableAIFeatures": True,
    "git.enabled": False,
    "editor.hover.delay": 100,
    "editor.minimap.enabled": False,
    "editor.accessibilitySupport": "off",
    "editor.lightbulb.enabled": "off",
    "files.autoSave": "off",
    "security.workspace.trust.enabled": False,
}


@dataclass(frozen=True, slots=True)
class Installed:
    """Programs and folders that `.ci/install-editors` has made."""

    node: Path
    npm: Path
    code_server: Path
    playwright: Path
    extension_packages: Path
    browser: str


def installed() -> Installed:
    """What is needed to show VS Code; the test ends here where a part is missing."""
    folder = editors_folder()
    binaries = folder / "node" / "node_modules" / ".bin"
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    parts = Installed(
        binaries / "node",
        binaries / "npm",
        folder / "code-server" / "node_modules" / "code-server" / "out" / "node" / "entry.js",
        folder / "playwright" / "node_modules",
        folder / "extension" / "node_modules",
        browser or "",
    )
    for part in (parts.node, parts.npm, parts.code_server, parts.playwright, parts.extension_packages):
        if not part.exists():
            not_there(f"VS Code in a browser needs {part.relative_to(folder)} in {folder}", REMEDY)
    if browser is None:
        not_there("VS Code needs a browser, there is no Chromium", REMEDY)
    lock = hashlib.sha256((ROOT / "editors" / "vscode" / "package-lock.json").read_bytes()).hexdigest()
    if (folder / "extension" / "version").read_text().strip() != lock:
        not_there("the extension is built with other packages than those installed", REMEDY)
    return parts


def built(parts: Installed, into: Path) -> Path:
    """The extension's .vsix, made from the sources as `npm run package` makes it."""
    copy = into / "extension"
    leave_out = shutil.ignore_patterns("node_modules", "dist", "*.vsix")
    shutil.copytree(ROOT / "editors" / "vscode", copy, ignore=leave_out)
    (copy / "node_modules").symlink_to(parts.extension_packages)
    environment = {"HOME": str(into), "PATH": os.pathsep.join([str(parts.node.parent), os.environ["PATH"]])}
    made = subprocess.run(
        [parts.npm, "run", "package"],
        cwd=copy,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    (package,) = copy.glob("*.vsix")
    return package


def packed(source: Path, into: Path) -> Path:
    """An extension of the tests as .vsix: it has nothing to build."""
    package = into / f"{source.name}.vsix"
    with zipfile.ZipFile(package, "w") as archive:
        for file in sorted(source.iterdir()):
            archive.write(file, f"extension/{file.name}")
    return package


@dataclass(frozen=True, slots=True)
class Seen:
    """What the steps of a scenario saw, and the extension's log."""

    steps: dict[str, dict]
    outside: list[str]
    log: str
    left_behind: list[str]
    pictures: Path

    def of(self, step: str) -> dict:
        """What a step saw; the test fails here if the step did."""
        said = self.steps.get(step)
        if said is None:
            pytest.fail(f"the scenario ended before {step}; it did {self.steps}\n{self.log}", pytrace=False)
        if "error" in said:
            text = f"{said['error']}\npicture: {said['picture']}\nlog of the extension:\n{self.log}"
            pytest.fail(text, pytrace=False)
        return said["value"]


@dataclass(frozen=True, slots=True)
class House:
    """Where one VS Code lives: its folders, and the program that is the user's torchlsp."""

    home: Path
    work: Path
    notes: Path
    program: Path
    sockets: Path


def furnished(home: Path) -> House:
    """The folders of one VS Code, empty but for the program."""
    # The path of a socket may have no more than about a hundred characters.
    house = House(home, home / "work", home / "starts", home / "torchlsp", Path(tempfile.mkdtemp()))
    house.work.mkdir(parents=True)
    # The extension host takes its environment from the user's login shell. The Python of its PATH has no torchlsp beside it.
    (home / "bin").mkdir()
    python = home / "bin" / "python3"
    python.write_text(PIP.format(notes=home / "pip", program=house.program, binaries=home / "bin"))
    python.chmod(0o755)
    (home / ".profile").write_text(f'export PATH="{home / "bin"}:{BINARIES}"\n')
    write_program(house.program, house.notes)
    return house


def write_program(path: Path, notes: Path, name: str = "torchlsp") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PROGRAM.format(name=name, notes=notes, root=ROOT, python=sys.executable))
    path.chmod(0o755)


def drive(
    scenario: str,
    house: House,
    extensions: list[Path],
    *,
    settings: dict[str, object],
    user: dict[str, object] | None = None,
    plan: dict[str, object],
    limit: float = 400.0,
) -> Seen:
    """Shows VS Code with these extensions and settings, runs the scenario, and ends every process."""
    parts = installed()
    home = house.home
    data = home / "data"
    # Settings of the machine's scope count only here: to the browser this machine is a remote one.
    for name, table in (("User", SETTINGS | (user or {})), ("Machine", settings)):
        (data / name).mkdir(parents=True)
        (data / name / "settings.json").write_text(json.dumps(table))
    pictures = _pictures(home)
    mark = f"TORCHLSP_TEST_RUN={home.name}-{os.getpid()}-{time.monotonic_ns()}"
    environment = {
        "HOME": str(home),
        "PATH": BINARIES,
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "EXTENSIONS_GALLERY": "{}",
        "NODE_PATH": str(parts.playwright),
        "TORCHLSP_TEST_SOCKET": str(house.sockets / "bridge"),
        # The documentation of torch is read once for all tests, verdicts too.
        "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"],
        **dict([mark.split("=")]),
    }
    command = [
        parts.node,
        parts.code_server,
        "--user-data-dir",
        data,
        "--extensions-dir",
        home / "extensions",
    ]
    command += ["--config", data / "config.yaml"]
    plan_file, report = home / "plan.json", home / "report.json"
    ended = None
    try:
        installs = [part for package in extensions for part in ("--install-extension", package)]
        _run([*command, *installs], environment, home / "install.log", 120)
        with _served(command, environment, home / "code-server.log") as origin:
            common = {
                "origin": origin,
                "home": str(home),
                "folder": str(house.work),
                "socket": environment["TORCHLSP_TEST_SOCKET"],
                "screenshots": str(pictures),
                "report": str(report),
                "browser": parts.browser,
                "scenario": scenario,
                "notes": str(house.notes),
                "program": str(house.program),
                "pip": str(home / "pip"),
            }
            plan_file.write_text(json.dumps(common | plan))
            ended = _run([parts.node, HERE / "drive.js", plan_file], environment, home / "drive.log", limit)
        left = _until_gone(mark)
    finally:
        _end_all(mark)
        shutil.rmtree(house.sockets, ignore_errors=True)
    log = _log_of_extension(data)
    assert report.exists(), f"{ended}\n{log}"
    said = json.loads(report.read_text(encoding="utf-8"))
    return Seen(said["steps"], said["outside"], log, left, pictures)


def _pictures(home: Path) -> Path:
    wanted = os.environ.get("TORCHLSP_SCREENSHOTS")
    folder = Path(wanted).absolute() / home.name if wanted else home / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _run(command: list, environment: dict[str, str], log: Path, limit: float) -> str:
    """Runs a program to its end; the test ends here if it fails or does not end in time."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = f"not ended within {limit} s"
        finally:
            _kill_group(process)
    said = log.read_text(encoding="utf-8", errors="replace")
    assert status == 0, f"{command[2:]}: {status}\n{said}"
    return said


@contextlib.contextmanager
def _served(command: list, environment: dict[str, str], log: Path) -> Iterator[str]:
    """VS Code behind a free port of its own choice, until the block ends."""
    options = [
        "--bind-addr",
        "127.0.0.1:0",
        "--auth",
        "none",
        "--disable-telemetry",
        "--disable-update-check",
    ]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, *options, "--disable-getting-started-override"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            end = time.monotonic() + 60
            while not (found := re.search(r"listening on (http://127\.0\.0\.1:\d+)", log.read_text())):
                assert process.poll() is None and time.monotonic() < end, log.read_text()
                time.sleep(0.05)
            yield found[1]
        finally:
            _kill_group(process, gently=True)


def _kill_group(process: subprocess.Popen, *, gently: bool = False) -> None:
    if gently:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)


def _marked(mark: str) -> dict[int, str]:
    """The processes whose environment carries the mark of this run."""
    found = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            if mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found


def _until_gone(mark: str) -> list[str]:
    """What still runs ten seconds after the editor has gone."""
    end = time.monotonic() + 10
    while (alive := _marked(mark)) and time.monotonic() < end:
        time.sleep(0.1)
    return sorted(alive.values())


def _end_all(mark: str) -> None:
    for number in _marked(mark):
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def _log_of_extension(data: Path) -> str:
    """The end of what the extension and its server logged."""
    texts = [
        f"{file.parent.name}/{file.name}:\n{file.read_text(encoding='utf-8', errors='replace')[-6000:]}"
        for file in sorted(data.glob("logs/**/*torchlsp*.log"))
    ]
    return "\n".join(texts) or "none was written"


@contextlib.contextmanager
def first_comer(shared: Path) -> Iterator[bool]:
    """Whether the block is the first of all the workers to come here; the others wait until its work is done."""
    with shared.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        is_first = file.read() == ""
        # Said beforehand: what fails for the first would fail for the others too.
        file.write("begun")
        file.flush()
        yield is_first
