"""Holds the rules against the catalogue's programs: `catalogue` prints a table of rules by bad, good, fix and verdict.

Bad must be found at its rows, good and keep must show nothing, the first fix must make bad right in torch, and the
probe must confirm what is found.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchlsp.core.finding import Finding, Outcome
from torchlsp.core.text import Document
from torchlsp.engine.interpreters import choose, site_packages
from torchlsp.engine.probing import Prober, Unavailable
from torchlsp.interp.run.analyse import NoImports
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import run
from torchlsp.syntax.edits import apply_edits
from torchlsp.syntax.parse import parse

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "tests" / "rules" / "catalogue.toml"
DEADLINE = 10.0
HINTS = frozenset(info.code for info in rules() if info.hint)
"""Rules on what correct programs do as well: they count in programs that are about them only."""

# What the catalogue's own check puts in front of every program.
PRELUDE = """
import copy, math, os, random, time, threading, warnings
import numpy as np
import torch, torch.nn as nn, torch.nn.functional as F
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.utils.data import *
"""
RANKS = """
dist.init_process_group("gloo")
rank, world = dist.get_rank(), 2
"""
FIXTURES = """
torch.manual_seed(0)
net = nn.Linear(4, 3)
x = torch.randn(8, 4)
y = torch.randint(0, 3, (8,))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loss_fn = nn.CrossEntropyLoss()
loader = [(x, y)] * 3
"""


@dataclass(frozen=True, slots=True)
class Held:
    """One program of the catalogue; `found` are the codes reported in it, each with its row."""

    code: str
    program: str
    holds: bool
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mended:
    """The outcome of the bad program after the finding's first fix; `problem` is "" when it is correct now.
    Without a fix `safety` is ""."""

    code: str
    safety: str = ""
    problem: str = ""


# ---- what is found -------------------------------------------------------------------------------------------------


def load(path: Path = CATALOGUE, codes: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Returns the entries whose rules are installed."""
    with path.open("rb") as file:
        entries = tomllib.load(file)["rule"]
    installed = {info.code for info in rules()}
    return [one for one in entries if one["code"] in installed and (not codes or one["code"] in codes)]


def front(entry: dict[str, Any]) -> str:
    return PRELUDE + (RANKS if entry["probe"] == "ranks" else "") + FIXTURES


def held(entry: dict[str, Any]) -> Iterator[Held]:
    """Yields the programs of one entry. The bad one must show the entry's own code at each of its rows, the
    others nothing."""
    code, before = entry["code"], front(entry)
    found = reported(before, entry["bad"], code)
    own = {one for one in found if one.startswith(f"{code}:")}
    wanted = {f"{code}:{row}" for row in entry.get("lines", [])}
    yield Held(code, "bad", own == wanted if wanted else bool(own), found)
    for number, program in enumerate([entry["good"], *entry.get("keep", [])]):
        found = reported(before, program, code)
        yield Held(code, f"keep {number}" if number else "good", not found, found)


def reported(before: str, program: str, own: str) -> tuple[str, ...]:
    """Returns what all rules report in a program of the rule `own`, as "TL101:2": code and row, not counting
    what stands in front."""
    skipped = before.count("\n")
    lines = Document("program.py", before + program).lines
    return tuple(
        f"{one.rule}:{lines.row(one.span.start) - skipped}" for one in _findings(before, program, own)
    )


def _findings(before: str, program: str, own: str) -> list[Finding]:
    codes = frozenset(info.code for info in rules()) - (HINTS - {own})
    result = run(parse(Document("program.py", before + program)), NoImports(), codes, strict=True)
    return [one for one in result.findings if one.span.start >= len(before)]


# ---- what its fixes do ---------------------------------------------------------------------------------------------


def mended(entries: Sequence[dict[str, Any]], python: str) -> list[Mended]:
    """Returns the first fix of each finding of each bad program, tested in the torch of this Python."""
    found: dict[str, Mended] = {}
    jobs: list[tuple[dict[str, Any], str, dict[str, Any]]] = []
    for entry in entries:
        code, before = entry["code"], front(entry)
        fixes = [
            fix for one in _findings(before, entry["bad"], code) if one.rule == code for fix in one.fixes[:1]
        ]
        if not fixes:
            found[code] = Mended(code)
            continue
        text = apply_edits(before + entry["bad"], [edit for fix in fixes for edit in fix.edits])
        if not entry.get("run_good", True):
            found[code] = Mended(code, fixes[0].applicability.value, _still_reported(code, text))
            continue
        # A fix may import what it needs above everything.
        job = {"front": "", "program": text, "probe": entry["probe"]}
        job |= {name: entry.get(name, "") for name in ("check", "good_check")}
        jobs.append((entry, fixes[0].applicability.value, job))
    answers = _answers([job for *_, job in jobs], python)
    for (entry, safety, job), answer in zip(jobs, answers, strict=True):
        found[entry["code"]] = Mended(entry["code"], safety, _problem(entry, job["program"], answer))
    return [found[entry["code"]] for entry in entries]


def _problem(entry: dict[str, Any], fixed: str, answer: dict[str, Any]) -> str:
    if answer["error"]:
        return answer["error"]
    if still := _still_reported(entry["code"], fixed):
        return still
    if answer["good_check"] is False or answer["good_check"] is None and answer["check"]:
        return "it does what the bad program does"
    return ""


def _still_reported(code: str, fixed: str) -> str:
    found = any(one.rule == code for one in _findings("", fixed, code))
    return "it is still reported" if found else ""


def _answers(jobs: list[dict[str, Any]], python: str) -> list[dict[str, Any]]:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    command = [python, "-m", "torchlsp.dev.catalogue_runs"]
    done = subprocess.run(
        command, input=json.dumps(jobs), stdout=subprocess.PIPE, text=True, env=environment, check=True
    )
    return json.loads(done.stdout)


# ---- the table -----------------------------------------------------------------------------------------------------


def verdicts(entries: Sequence[dict[str, Any]], prober: Prober) -> list[str]:
    """Returns the probe's verdict on each bad program's first own finding. Raises Unavailable."""
    found = []
    for entry in entries:
        own = [
            one for one in _findings(front(entry), entry["bad"], entry["code"]) if one.rule == entry["code"]
        ]
        found.append(own[0] if own else None)
    probed = [one for one in found if one is not None and one.probe is not None]
    outcomes = iter(prober.verdicts(probed))
    words = []
    for one in found:
        if one is None:
            words.append("")
        elif one.probe is None:
            words.append("no program")
        else:
            verdict = next(outcomes)
            words.append(verdict.outcome.value if verdict is not None else Outcome.INCONCLUSIVE.value)
    return words


def main(argv: list[str]) -> int:
    """Prints the table; returns exit status 1 when something does not hold."""
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev catalogue", description=__doc__)
    parser.add_argument("codes", nargs="*", help="only these rules")
    parser.add_argument("--file", type=Path, default=CATALOGUE, help="another catalogue")
    parser.add_argument(
        "--static", action="store_true", help="run nothing: only what is found and what is not"
    )
    parser.add_argument("--python", metavar="PATH", help="the Python whose torch is asked")
    options = parser.parse_args(argv)
    entries = load(options.file, options.codes)
    programs = {entry["code"]: list(held(entry)) for entry in entries}
    fixes: dict[str, Mended] = {}
    said: dict[str, str] = {}
    if not options.static:
        python = choose(options.python).path
        prober = Prober(python, site_packages(python), deadline=DEADLINE)
        try:
            fixes = {one.code: one for one in mended(entries, python)}
            said = dict(zip(programs, verdicts(entries, prober), strict=True))
        except Unavailable as reason:
            print(f"nothing can be probed: {reason}", file=sys.stderr)
            return 2
        finally:
            prober.close()
    print("\n".join(_table(entries, programs, fixes, said)))
    wrong = list(_wrong(programs, fixes, said))
    print("\n".join(wrong) if wrong else f"all of {sum(map(len, programs.values()))} programs hold")
    return 1 if wrong else 0


def _table(entries, programs, fixes, said) -> Iterator[str]:
    width = max((len(entry["name"]) for entry in entries), default=4)
    yield f"{'rule':<{width + 6}}  bad   good   fix             verdict".rstrip()
    for entry in entries:
        bad, *others = programs[entry["code"]]
        good = f"{sum(one.holds for one in others)}/{len(others)}"
        fix = fixes.get(entry["code"], Mended(""))
        made = f"{fix.safety}{' FAILS' if fix.problem else ''}" or "-"
        row = f"{entry['code']} {entry['name']:<{width}}  {'ok' if bad.holds else 'MISS':<4}  {good:<5}  {made:<14}  "
        yield (row + said.get(entry["code"], "")).rstrip()


def _wrong(programs, fixes, said) -> Iterator[str]:
    for one in (one for each in programs.values() for one in each):
        if not one.holds:
            yield f"{one.code} {one.program}: found {', '.join(one.found) or 'nothing'}"
    for fix in fixes.values():
        if fix.problem:
            yield f"{fix.code} fix: {fix.problem}"
    for code, outcome in said.items():
        if outcome == Outcome.REFUTED.value:
            yield f"{code} verdict: refuted"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
