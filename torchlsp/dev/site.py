"""Makes the site: its Markdown tree from the files that there are, its pages by Zensical; and checks every link."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from torchlsp.dev.website import links, tree

EXPLAIN_MARKERS = ("contributing/", "design/", "architecture/")
"""The pages that show the markers of tests because they explain them."""


def main(arguments: Sequence[str]) -> int:
    """Exit status 1 where the generator fails or a link leads nowhere; 2 without the generator."""
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev site", description=__doc__)
    parser.add_argument("out", type=Path, help="the folder to write: pages/ (Markdown) and html/")
    parser.add_argument("--tree", action="store_true", help="write the Markdown only")
    parser.add_argument("--check", action="store_true", help="only check the pages that were built before")
    options = parser.parse_args(arguments)
    out: Path = options.out
    if not options.check:
        for name in ("pages", "html"):
            shutil.rmtree(out / name, ignore_errors=True)
        print(f"{tree.write(out)} pages in {out / 'pages'}")
        if options.tree:
            return 0
        if find_spec("zensical") is None:
            print("the site is built by Zensical: pip install -e '.[site]'", file=sys.stderr)
            return 2
        command = [
            sys.executable,
            "-m",
            "zensical",
            "build",
            "--clean",
            "--config-file",
            str(out / "zensical.toml"),
        ]
        if subprocess.run(command, check=False).returncode != 0:
            return 1
    found = links.problems(out / "html", markers_in=EXPLAIN_MARKERS)
    print("\n".join(found))
    print(f"{len(list((out / 'html').rglob('*.html')))} pages, {len(found)} problems")
    return 1 if found else 0
