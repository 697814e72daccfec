"""Holds the rules against a catalogue: `catalogue PATH.toml` checks that bad is found, and good and keep are silent."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchlsp.core.text import Document
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import run
from torchlsp.syntax.parse import parse

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

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
    """One program of the catalogue; `found` are the codes reported in it, its own first, each with its line."""

    code: str
    program: str
    holds: bool
    found: tuple[str, ...]


class _NoOtherFiles:
    def module(self, dotted_name: str, importing_path: str) -> None:
        return None


def main(argv: list[str]) -> int:
    """Exit status 1 when a program does not hold."""
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev catalogue", description=__doc__)
    parser.add_argument("catalogue", type=Path)
    parser.add_argument("codes", nargs="*", help="only these rules")
    parser.add_argument("-q", "--quiet", action="store_true", help="only what does not hold")
    options = parser.parse_args(argv)
    with options.catalogue.open("rb") as file:
        entries = tomllib.load(file)["rule"]
    installed = {info.code for info in rules()}
    failed = count = 0
    for entry in entries:
        if entry["code"] not in installed or (options.codes and entry["code"] not in options.codes):
            continue
        for one in held(entry):
            count += 1
            failed += not one.holds
            if not one.holds or not options.quiet:
                mark = "ok  " if one.holds else "FAIL"
                print(f"{mark} {one.code} {one.program:<8} {', '.join(one.found)}".rstrip())
    print(f"{count - failed} of {count} programs hold")
    return 1 if failed else 0


def held(entry: dict[str, Any]) -> Iterator[Held]:
    """The programs of one catalogue entry. Bad ones must show the entry's own code, the others no code at all."""
    code = entry["code"]
    front = PRELUDE + (RANKS if entry["probe"] == "ranks" else "") + FIXTURES
    found = reported(front, entry["bad"])
    yield Held(code, "bad", any(one.startswith(code) for one in found), found)
    for number, program in enumerate([entry["good"], *entry.get("keep", [])]):
        found = reported(front, program)
        yield Held(code, f"keep {number}" if number else "good", not found, found)


def reported(front: str, program: str) -> tuple[str, ...]:
    """What all rules report in a program, as "TL101:2", with what stands in front not counted."""
    document = Document("program.py", front + program)
    codes = frozenset(info.code for info in rules())
    result = run(parse(document), _NoOtherFiles(), codes, strict=True)
    skipped = front.count("\n")
    return tuple(
        f"{one.rule}:{document.lines.row(one.span.start) - skipped}"
        for one in result.findings
        if one.span.start >= len(front)
    )
