"""Checks unpacked wheels and compares what is found with the ledger of findings read by hand.

Says what was found, every crash and internal error, the functions whose analysis was given up, and CPU seconds.
The exit status is 1 when a finding is missing from the ledger or gone from the code, 2 after an internal error.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import CheckResult, Engine, Options

DEFAULT_FOLDER = Path.home() / ".cache" / "torchlsp" / "corpus"
LEDGER = Path(__file__).parents[2] / "tests" / "corpus" / "ledger.toml"
WHEELS = Path(__file__).parents[2] / "benchmarks" / "corpus.toml"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A finding as the ledger names it: the file below the wheel's top, the stripped source line, the code."""

    file: str
    line: str
    code: str


@dataclass(slots=True)
class Found:
    """The result of a run over one wheel; `rows` are where each place is, `messages` what is said there."""

    wheel: str
    places: Counter[Place] = field(default_factory=Counter)
    rows: dict[Place, list[int]] = field(default_factory=dict)
    messages: dict[Place, str] = field(default_factory=dict)
    internal_errors: list[str] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    files: int = 0
    lines: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Ledger:
    """The findings read by hand. `wheels` are versions by name; each finding has file, line, code, verdict
    ("true" or "false") and cause."""

    wheels: dict[str, str]
    findings: list[dict]


def read_ledger(path: Path = LEDGER) -> Ledger:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    wheels = tomllib.loads(WHEELS.read_text(encoding="utf-8"))["wheels"]
    return Ledger(wheels, table.get("finding", []))


def fetch(wheels: dict[str, str], folder: Path) -> None:
    """Downloads and unpacks each wheel that is missing, below a folder of its name; nothing is installed or run."""
    for name, version in wheels.items():
        if (folder / name / f"{name}-{version}.dist-info").is_dir():
            continue
        with tempfile.TemporaryDirectory() as downloads:
            command = ["download", "--quiet", "--no-deps", "--only-binary=:all:", f"{name}=={version}"]
            subprocess.run([sys.executable, "-m", "pip", *command, "--dest", downloads], check=True)
            for wheel in Path(downloads).glob("*.whl"):
                with zipfile.ZipFile(wheel) as archive:
                    archive.extractall(folder / name)


def ledger_places(entries: list[dict], top: str | None = None) -> Counter[Place]:
    """Returns what the ledger expects, below one top folder if it is given."""
    places = (Place(entry["file"], entry["line"], entry["code"]) for entry in entries)
    return Counter(place for place in places if top is None or place.file.split("/")[0] == top)


def top_folder(path: str) -> str:
    """Returns the folder that holds the package which `path` is or is in. `path` itself when it is not a
    package."""
    folder = os.path.realpath(path)
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder = os.path.dirname(folder)
    return folder


def check(path: str, select: tuple[str, ...] | None = None) -> Found:
    """Runs the engine over one folder as the command line would, without any configuration file."""
    found = Found(os.path.basename(os.path.normpath(path)))
    top = top_folder(path)
    engine = Engine(Options(Overrides(select=select, isolated=True)))
    enabled = gc.isenabled()
    gc.disable()
    begin = time.process_time()
    try:
        result = engine.check([path])
    finally:
        found.seconds = time.process_time() - begin
        if enabled:
            gc.enable()
    found.files = result.files
    found.internal_errors = result.internal_errors
    found.stopped = result.stopped
    found.problems = result.problems
    found.lines = _line_count(path)
    _collect(result, top, found)
    return found


def _collect(result: CheckResult, top: str, found: Found) -> None:
    for finding in result.findings:
        document = result.documents[finding.path]
        row, _ = document.row_column(finding.span.start)
        span = document.row_span(row)
        file = os.path.relpath(os.path.realpath(finding.path), top).replace(os.sep, "/")
        place = Place(file, document.text[span.start : span.end].strip(), finding.rule)
        found.places[place] += 1
        found.rows.setdefault(place, []).append(row)
        found.messages[place] = f"{finding.severity.value}: {finding.message}"


def _line_count(path: str) -> int:
    """Returns the number of lines of all Python files below a folder."""
    count = 0
    for folder, _, names in os.walk(path):
        for name in names:
            if name.endswith(".py"):
                with open(os.path.join(folder, name), "rb") as file:
                    count += file.read().count(b"\n")
    return count


def _in_short(text: str) -> str:
    """Returns the first line of an internal error and the innermost place of its traceback."""
    places = [line.strip() for line in text.splitlines() if line.startswith("  File ")]
    return "  ".join([text.partition("\n")[0], *places[-1:]])


def report(found: Found, entries: list[dict], tracebacks: bool = False) -> int:
    """Prints one wheel's figures; returns the number of places that differ from the ledger."""
    verdicts = {Place(e["file"], e["line"], e["code"]): e["verdict"] for e in entries}
    tops = {place.file.split("/")[0] for place in found.places}
    expected: Counter[Place] = Counter()
    for top in tops | {found.wheel}:
        expected |= ledger_places(entries, top)
    for place, rows in sorted(found.rows.items()):
        verdict = verdicts.get(place, "NEW")
        for row in rows:
            print(f"{place.file}:{row}: {place.code} [{verdict}] {found.messages[place]}\n    {place.line}")
    gone = expected - found.places
    for place in sorted(gone):
        print(f"{place.file}: {place.code} [GONE]\n    {place.line}")
    for text in found.internal_errors:
        print(f"internal error: {text if tracebacks else _in_short(text)}")
    for line in found.stopped:
        print(f"stopped: {line}")
    for line in found.problems:
        print(f"problem: {line}")
    judged = Counter(verdicts.get(place, "NEW") for place in found.places.elements())
    count = sum(found.places.values())
    rate = 1000 * count / max(found.lines, 1)
    print(
        f"{found.wheel}: {found.files} files, {found.lines} lines, {count} findings ({rate:.3f} per 1,000 lines; "
        f"true {judged['true']}, false {judged['false']}, not judged {judged['NEW']}), {len(gone)} gone, "
        f"{len(found.internal_errors)} internal errors, {len(found.stopped)} stopped, {found.seconds:.1f} CPU s"
    )
    return judged["NEW"] + sum(gone.values())


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev corpus", description=__doc__)
    parser.add_argument("folders", nargs="*", metavar="DIR", help="an unpacked wheel or a package")
    parser.add_argument(
        "--fetch", type=Path, metavar="FOLDER", help="get the wheels of benchmarks/corpus.toml and check them"
    )
    parser.add_argument("--ledger", type=Path, default=LEDGER, help="default: tests/corpus/ledger.toml")
    parser.add_argument("--select", metavar="CODES", help="run only these rules")
    parser.add_argument("--tracebacks", action="store_true", help="print those of internal errors")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON lines instead")
    options = parser.parse_args(argv)
    select = tuple(options.select.split(",")) if options.select else None
    ledger = read_ledger(options.ledger) if options.ledger.exists() else Ledger({}, [])
    entries = ledger.findings
    folders = list(options.folders)
    if options.fetch is not None:
        fetch(ledger.wheels, options.fetch)
        folders.extend(str(options.fetch / name) for name in sorted(ledger.wheels))
    if not folders:
        parser.error("name a folder, or --fetch")
    different = broken = 0
    for folder in folders:
        found = check(folder, select)
        broken += len(found.internal_errors)
        if options.json:
            for place, rows in sorted(found.rows.items()):
                for row in rows:
                    record = {"file": place.file, "row": row, "code": place.code, "line": place.line}
                    print(json.dumps(record | {"message": found.messages[place]}))
        else:
            different += report(found, entries, options.tracebacks)
    return 2 if broken else 1 if different else 0
