"""Runs one command of this folder: `python -m torchlsp.dev NAME …` calls `main` of the file of that name."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def commands() -> dict[str, str]:
    """Returns the commands and the first line of each one's docstring; none of them is imported."""
    found = {}
    for path in sorted(FOLDER.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body):
            found[path.stem.replace("_", "-")] = (ast.get_docstring(tree) or "").partition("\n")[0]
    return found


def run(arguments: list[str]) -> int:
    """Returns the exit status of a command; 2 when there is none of that name."""
    known = commands()
    if not arguments or arguments[0] not in known:
        print("usage: python -m torchlsp.dev COMMAND …\n")
        print("\n".join(f"  {name:<10} {summary}" for name, summary in known.items()))
        return 0 if arguments in (["-h"], ["--help"]) else 2
    module = importlib.import_module(f"torchlsp.dev.{arguments[0].replace('-', '_')}")
    return module.main(arguments[1:])


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
