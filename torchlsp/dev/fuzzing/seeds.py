"""Lists the programs that mutants are made from: cases of rules, programs of the interpreter, examples, blocks of pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from torchlsp.lint.pages import load_page, page_paths

ROOT = Path(__file__).parents[3]
PAGES = "rules"
CHOSEN = ("tests/rules/cases", "tests/rules/cases", "tests/interp/programs", "examples", PAGES, PAGES)
"""Where programs are taken from, and how often."""


@dataclass(frozen=True, slots=True)
class Seed:
    """A program; `folder` has the other files that it may import, None where it imports none."""

    name: str
    text: str
    folder: Path | None = None


@cache
def seeds(place: str) -> tuple[Seed, ...]:
    """Returns the programs of one place, in an order that does not depend on the machine."""
    if place == PAGES:
        return tuple(_blocks())
    return tuple(
        Seed(
            path.relative_to(ROOT).as_posix(),
            path.read_text(encoding="utf-8"),
            path.parent if place == "examples" else None,
        )
        for path in sorted((ROOT / place).rglob("*.py"))
    )


def chosen(chance: Random) -> Seed:
    return chance.choice(seeds(chance.choice(CHOSEN)))


def _blocks() -> list[Seed]:
    found = []
    for path in page_paths(ROOT / PAGES):
        blocks = [one for one in load_page(path).blocks if one.role in ("bad", "good", "fixed")]
        for number, block in enumerate(blocks):
            found.append(Seed(f"{PAGES}/{path.parent.name}/{path.stem}_{number}.py", block.source))
    return found
