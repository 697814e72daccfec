"""Measures how much the operator tables infer: the share of every column that is not unknown.

Needs torch and expecttest: it runs torch's own samples (tests/ops/crosscheck.py).  Without `--update` it compares with the
ledger and exits 1 when a share has fallen.  A column that the ledger leaves out is answered always.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).parents[2] / "tests" / "ops"
LEDGER = TESTS / "precision.toml"
TOLERANCE = 0.02
COLUMNS = ("shape", "dtype", "device", "layout", "requires", "leaf", "storage", "symbols", "errors")

Shares = dict[str, dict[str, dict[str, float]]]
"""Kind of row, name, column: the share that is inferred."""


def measured() -> Shares:
    sys.path.insert(0, str(TESTS))
    import crosscheck

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return crosscheck.measure()


def text_of(shares: Shares) -> str:
    """Returns the ledger: one line a row, only the columns that are not always inferred."""
    lines = [
        "# Shares answered other than unknown, by torch's own samples; a column left out is always answered.",
        "# `symbols`: shapes with symbols for sizes.  `errors`: calls that torch refuses and a fault is given for.",
        "# Written by: python -m torchlsp.dev precision --update",
    ]
    for kind, rows in shares.items():
        lines += ["", f"[{kind}]"]
        for name, columns in sorted(rows.items()):
            gaps = ", ".join(f"{column} = {share}" for column, share in sorted(columns.items()) if share < 1)
            lines.append(f'"{name}" = {{{gaps}}}')
    return "\n".join(lines) + "\n"


def read(path: Path) -> Shares:
    """Returns the ledger as written by `text_of`."""
    found: Shares = defaultdict(dict)
    if not path.exists():
        return found
    kind = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
        elif line.startswith('"'):
            name, _, rest = line.partition(" = ")
            parts = (part.partition("=") for part in rest.strip("{} ").split(",") if part.strip())
            found[kind][name.strip('"')] = {column.strip(): float(share) for column, _, share in parts}
    return found


def fallen(before: Shares, now: Shares) -> list[str]:
    """Returns rows that infer less than the ledger says."""
    return [
        f"{name}: {column} {share} < {before[kind][name].get(column, 1.0)}"
        for kind, rows in now.items()
        for name, columns in rows.items()
        if name in before.get(kind, {})
        for column, share in columns.items()
        if share < before[kind][name].get(column, 1.0) - TOLERANCE
    ]


def summary(shares: Shares) -> str:
    """Returns averages by column, and the rows that infer least."""
    rows = {name: columns for kind in shares.values() for name, columns in kind.items()}
    lines = [f"{len(rows)} rows checked"]
    for column in COLUMNS:
        found = [columns[column] for columns in rows.values() if column in columns]
        if found:
            lines.append(f"  {column:<9} {sum(found) / len(found):6.1%} of {len(found)} rows")
    least = sorted(rows, key=lambda name: rows[name].get("shape", 1.0))[:15]
    lines += ["least known shapes: " + ", ".join(f"{name} {rows[name].get('shape', 1.0)}" for name in least)]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev precision", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the ledger")
    options = parser.parse_args(arguments)
    now = measured()
    print(summary(now))
    lost = fallen(read(LEDGER), now)
    if lost:
        print("\n".join(["answered less than before:", *(f"  {line}" for line in lost)]))
    if options.update:
        LEDGER.write_text(text_of(now), encoding="utf-8")
        return 0
    return 1 if lost else 0
