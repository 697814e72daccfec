"""Compares the facts and findings of a program with a run of it: `truth [--root DIR] -- python train.py`.

COMMAND is run as it is, with the values of the expressions of the files below the root observed; its files are then
analysed, and every claim is compared with every value that was seen. Exit status: 1 where a run contradicts a claim or an
error finding, 2 where nothing was observed.
"""

from __future__ import annotations

import argparse
import os
import sys
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory

from torchlsp.dev.oracle.comparing import COLUMNS, KNOWN, Result, compare
from torchlsp.dev.oracle.observations import run
from torchlsp.engine.records import Records
from torchlsp.recorder.running import run as record
from torchlsp.recorder.store import records_folder


def table(result: Result) -> str:
    """The counts in rows: by column, how many places claim something and how many claims are untrue."""
    lines = [
        f"{result.files} files, {result.expressions} expressions evaluated, {result.compared} compared, "
        f"{result.tensors} of them tensors",
        "",
        f"{'column':<11} {'claims':>7} {'untrue':>7} {'assumed':>8} {'untrue':>7}",
    ]
    for column in COLUMNS:
        counts = (
            result.claims[column],
            result.contradicted[column],
            result.resting[column],
            result.contradicted_resting[column],
        )
        if any(counts):
            lines.append("{:<11} {:>7} {:>7} {:>8} {:>7}".format(column, *counts))
    if result.tensors:
        shares = (f"{name} {result.known[name] / result.tensors:.0%}" for name in KNOWN)
        lines += ["", "known of tensor expressions: " + ", ".join(shares)]
    return "\n".join(lines)


def text(result: Result) -> str:
    """The whole report."""
    parts = [table(result)]
    if result.contradictions:
        parts.append("\n".join(map(str, result.contradictions)))
    for title, is_contradicted in (
        ("errors predicted where nothing was raised:", True),
        ("other errors on expressions that were evaluated:", False),
    ):
        rows = [
            f"{one.path}:{one.row}:{one.column}  {one.code}  {one.expression}  ({one.evaluations} times)  {one.message}"
            for one in result.findings
            if one.is_contradicted is is_contradicted
        ]
        if rows:
            parts.append("\n".join([title, *rows]))
    parts.extend(result.problems)
    return "\n\n".join(parts)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m torchlsp.dev truth", description=__doc__, usage="%(prog)s [options] -- COMMAND"
    )
    parser.add_argument("--root", default=".", help="only files below this folder are observed")
    parser.add_argument(
        "--only", action="append", help="a pattern of paths below the root; only these are compared"
    )
    parser.add_argument(
        "--recorded", action="store_true", help="record the command first, and analyse with what was recorded"
    )
    parser.add_argument("--json", metavar="FILE", help="write everything there too")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(argv)
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        parser.error("no command")
    root = os.path.realpath(options.root)
    observed = run(command, root)
    for path, reason in observed.skipped.items():
        print(f"not instrumented: {path}: {reason}", file=sys.stderr)
    paths = [
        path
        for path in observed.files
        if not options.only or any(fnmatch(os.path.relpath(path, root), pattern) for pattern in options.only)
    ]
    if not paths:
        print(f"nothing was observed (the command's exit status is {observed.status})", file=sys.stderr)
        return 2
    with TemporaryDirectory() as cache:
        records = None
        if options.recorded:
            record(command, root, records_folder(cache, root))
            records = Records(cache)
        result = compare(observed, paths, records)
    if observed.status:
        result.problems.append(f"the command's exit status is {observed.status}")
    print(text(result))
    if options.json:
        Path(options.json).write_text(result.as_json(), encoding="utf-8")
    return 1 if result.untrue or result.untrue_findings else 0
