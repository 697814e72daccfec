"""Runs the programs of all pages in several releases of torch, each in an environment of its own, and writes what differs."""

from __future__ import annotations

import argparse
import subprocess
import sys
import venv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchlsp.lint.pages import load_page, page_paths

if TYPE_CHECKING:
    from torchlsp.lint.pages import Block, Page

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "tests" / "torch_programs"
ROLES = ("bad", "good", "fixed")
MEASURED = "2.13.0"
"""The release that the pages were written with."""
OTHERS = ("2.2.2", "2.4.1", "2.6.0", "2.9.1", "2.15.0")
_FIRST_WITH_NUMPY_2 = (2, 3)

Ends = Mapping[str, str]
"""How each program ended in one release, by the program's name."""


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev matrix", description=__doc__)
    parser.add_argument(
        "releases", nargs="*", default=OTHERS, metavar="RELEASE", help="of torch (default: %(default)s)"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        required=True,
        help="where the environments are, or are made: several GB for each release",
    )
    parser.add_argument("--out", type=Path, help="the file for the table (default: standard output)")
    options = parser.parse_args(argv)
    if not PROGRAMS.exists():
        print("the pages' programs are run in the repository, not in the installed package", file=sys.stderr)
        return 2
    found: dict[str, Ends] = {}
    for release in dict.fromkeys((MEASURED, *options.releases)):
        try:
            found[release] = ends_of_pages(environment(options.folder, release))
        except subprocess.CalledProcessError as error:
            print(f"torch {release}: no environment: {error}", file=sys.stderr)
    if MEASURED not in found:
        return 1
    text = table(found)
    if options.out is None:
        print(text)
    else:
        options.out.write_text(text, encoding="utf-8")
    return 0


def environment(folder: Path, release: str) -> Path:
    """Returns the interpreter of an environment with a release of torch, which is made where it is missing.

    Raises subprocess.CalledProcessError where pip cannot install it.
    """
    home = folder / f"torch-{release}"
    python = home / "bin" / "python"
    done = home / "installed"
    if not done.exists():
        venv.create(home, with_pip=True)
        numpy = "numpy<2" if _version(release) < _FIRST_WITH_NUMPY_2 else "numpy"
        subprocess.run(
            [str(python), "-m", "pip", "install", "-q", f"torch=={release}", numpy],
            check=True,
            stdout=sys.stderr,
        )
        done.touch()
    return python


def ends_of_pages(python: Path) -> Ends:
    """Returns how each program of each page ends under an interpreter."""
    sys.path.insert(0, str(PROGRAMS))
    from torch_runs import TorchRuns, program_of  # type: ignore[import-not-found]  # of the tests

    blocks = [
        (page, block) for path in page_paths(ROOT / "rules") for page, block in _blocks(load_page(path))
    ]
    runs = TorchRuns(str(python))
    try:
        ends = runs.run_all(program_of(page, block) for page, block in blocks)
    finally:
        runs.close()
    return {name_of(page, block): kind_of(ended) for (page, block), ended in zip(blocks, ends, strict=True)}


def _blocks(page: Page) -> Iterable[tuple[Page, Block]]:
    return ((page, block) for block in page.of_role(*ROLES))


def name_of(page: Page, block: Block) -> str:
    """Returns the name of a program: `TL101 view_on_noncontiguous.md:12 bad`."""
    return f"{page.code} {page.path.name}:{block.line} {block.role}"


def kind_of(ended: Any) -> str:
    """Returns how a program ended, in words: what it raised, that it hung, or whether its proof held."""
    if ended.error.startswith("hang"):
        return "hangs"
    if ended.error:
        return f"raises {ended.error.partition(':')[0]}"
    return "ends, the proof fails" if ended.proof else "ends"


def table(found: Mapping[str, Ends]) -> str:
    """Writes the programs that end otherwise than in the measured release, and their number for each release."""
    measured = found[MEASURED]
    others = [release for release in found if release != MEASURED]
    rows = [
        (name, [ends.get(name, "") for ends in found.values()])
        for name in measured
        if any(found[release].get(name) != measured[name] for release in others)
    ]
    lines = [
        "# What other releases of torch do",
        "",
        f"The {len(measured)} programs of the pages, written for torch {MEASURED}, run in other releases on Linux with a CPU by",
        "`python -m torchlsp.dev matrix`. A program is listed where it ends otherwise in one of them; what is deprecated, removed or new in a",
        "release is known by `facts/torch_table.py`, and a rule's `since` says from which release on it reports.",
        "",
        "| torch | programs that end otherwise |",
        "| --- | --- |",
        *(
            f"| {release} | {sum(found[release].get(name) != end for name, end in measured.items())} |"
            for release in others
        ),
        "",
        f"| program | {' | '.join(found)} |",
        f"| --- |{' --- |' * len(found)}",
        *(
            f"| {name} | {ends[0]} | {' | '.join('same' if end == ends[0] else end for end in ends[1:])} |"
            for name, ends in rows
        ),
    ]
    return "\n".join(lines) + "\n"


def _version(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".")[:2])
