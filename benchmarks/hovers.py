"""Measures how long hovers are: at 200 symbols of torch in the programs of our notes, and at every name of given files.

    python benchmarks/hovers.py [FILE …] [--show SYMBOL …] [--documentation full|short|off]

Lines are those of the Markdown, and rows those that an editor shows of it when it breaks lines after 80 characters.
Needs torch, for its documentation.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import textwrap
import time
import tokenize
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

from lsp_client import Client, client, position

from torchlsp.docs_db.notes import load_note, note_paths

SYMBOLS = 200
WIDTH = 80
LIMIT = 25
_BUILT = "torch 2."
"""Ends the documentation of a symbol, once it has been read."""


def programs() -> Iterator[tuple[str, str, int]]:
    """Yields symbols of our notes, each with a program of its note that uses it, and where."""
    for path in note_paths():
        note = load_note(path)
        blocks = (*note.examples, *(block for pitfall in note.pitfalls for block in pitfall.blocks))
        for last, symbol in {symbol.rpartition(".")[2]: symbol for symbol in note.symbols}.items():
            for block in blocks:
                found = re.search(rf"\b{re.escape(last)}\b(?=\()", block.source)
                if found is not None and block.role != "proof":
                    yield symbol, block.source, found.start()
                    break


def names(text: str) -> Iterator[tuple[str, int]]:
    """Yields each name of a file once, where it is first used, with the names before its dots."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    seen: set[str] = set()
    dotted, is_after_dot = "", False
    for token in tokenize.generate_tokens(StringIO(text).readline):
        if token.type == tokenize.NAME:
            dotted = f"{dotted}.{token.string}" if is_after_dot else token.string
            if dotted not in seen:
                seen.add(dotted)
                yield dotted, starts[token.start[0] - 1] + token.start[1]
        is_after_dot = token.string == "."


def rows(markdown: str) -> int:
    """Counts the rows of a window that shows a text: without fences, and without the empty lines that only end a paragraph."""
    count = 0
    for line in markdown.splitlines():
        if line.strip() and not line.lstrip().startswith("```"):
            count += max(len(textwrap.wrap(line, WIDTH)), 1)
    return count


class Hovers:
    def __init__(self, server: Client) -> None:
        self._server = server
        self._opened: dict[str, int] = {}

    def at(self, name: str, text: str, offset: int) -> str:
        uri = (self._server.folder / name).as_uri()
        if uri not in self._opened:
            self._opened[uri] = 1
            self._server.open(uri, text)
            self._server.diagnostics(uri, 1)
        asked = {"textDocument": {"uri": uri}, "position": position(text, offset)}
        answer = self._server.request("textDocument/hover", asked)
        return answer["contents"]["value"] if answer else ""

    def wait_for_documentation(self) -> None:
        text = "import torch\ntorch.zeros(3).permute(0)\n"
        deadline = time.monotonic() + 200
        while time.monotonic() < deadline:
            if _BUILT in self.at("waiting.py", text, text.index("permute")):
                return
            time.sleep(0.5)
        raise SystemExit("the documentation of torch was not read")


def figures(shown: list[str]) -> dict[str, Any]:
    def three(counts: list[int]) -> dict[str, int]:
        counts = sorted(counts)
        return {
            "p50": counts[len(counts) // 2],
            "p90": counts[int(0.9 * len(counts))],
            "max": counts[-1],
        }

    if not shown:
        return {"hovers": 0}
    lines = [len(text.splitlines()) for text in shown]
    return {
        "hovers": len(shown),
        "lines": three(lines),
        f"over_{LIMIT}_lines": sum(count > LIMIT for count in lines),
        "rows": three([rows(text) for text in shown]),
        f"over_{LIMIT}_rows": sum(rows(text) > LIMIT for text in shown),
        "characters": three([len(text) for text in shown]),
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*")
    parser.add_argument("--show", nargs="*", default=[], help="symbols whose hovers are printed, or `all`")
    parser.add_argument("--documentation", choices=("full", "short", "off"))
    options = parser.parse_args()
    settings = {} if options.documentation is None else {"hover.documentation": options.documentation}
    with tempfile.TemporaryDirectory() as place, client(Path(place), limit=540.0) as server:
        server.initialize(settings | {"interpreter": sys.executable})
        hovers = Hovers(server)
        hovers.wait_for_documentation()
        found: dict[str, list[str]] = {"symbols": [], "names": []}
        for number, (symbol, text, offset) in enumerate(programs()):
            said = hovers.at(f"program_{number}.py", text, offset)
            if said and len(found["symbols"]) < SYMBOLS:
                found["symbols"].append(said)
                _print(symbol, said, options.show)
        for file in options.files:
            text = Path(file).read_text(encoding="utf-8")
            for name, offset in names(text):
                said = hovers.at(Path(file).name, text, offset)
                if said:
                    found["names"].append(said)
                    _print(name, said, options.show)
    print(json.dumps({kind: figures(shown) for kind, shown in found.items()}, indent=2))
    return 0


def _print(name: str, said: str, wanted: list[str]) -> None:
    if name in wanted or "all" in wanted:
        print(f"════ {name}\n{said}\n")


if __name__ == "__main__":
    sys.exit(main())
