"""Runs the benchmarks of the repository's `benchmarks/` folder; `bench --help` lists them."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

RUN = Path(__file__).parents[2] / "benchmarks" / "run.py"


def main(argv: list[str]) -> int:
    if not RUN.exists():
        print("the benchmarks are in the repository, not in the installed package", file=sys.stderr)
        return 2
    sys.path.insert(0, str(RUN.parent))
    return runpy.run_path(str(RUN))["main"](argv)
