"""What a coding agent does with the tools of `torchlsp mcp`, as a script: check, mend the worst finding, check again.

It sees nothing of the project but what the tools say, makes the fixes that they offer by `apply_fix`, and edits the fault for
which there is none at the places that the finding names.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

MOST_ROUNDS = 10
PLACE = re.compile(r"([^\s():]+\.py):(\d+):\d+")
Finding = dict[str, Any]


def let_all_ranks_go_there(lines: list[str], finding: Finding) -> None:
    """Moves the flagged row above the branch that only some ranks enter."""
    branch = next(one for one in finding["because"] if "only some ranks go on from here" in one)
    above, row = (int(PLACE.search(text)[2]) - 1 for text in (branch, finding["place"]))  # type: ignore[index]
    moved = lines.pop(row).strip()
    lines.insert(above, f"{indent(lines[above])}{moved}\n")


def indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


BY_HAND: dict[str, Callable[[list[str], Finding], None]] = {"TL803": let_all_ranks_go_there}


async def mended(folder: Path, cache: Path) -> list[str]:
    """Mends a project until `check` is clean. Returns the steps, as rule and tool; raises where it gets stuck."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "torchlsp", "mcp", "--root", str(folder)],
        env={"TORCHLSP_CACHE_DIR": str(cache), "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    steps: list[str] = []
    async with Client(stdio_client(server)) as client:

        async def use(tool: str, **arguments: object) -> dict[str, Any]:
            result = await client.call_tool(tool, arguments)
            if result.is_error:
                raise RuntimeError(result.content[0].text)
            return result.structured_content

        for _ in range(MOST_ROUNDS):
            findings = (await use("check"))["findings"]
            if not findings:
                return steps
            worst = findings[0]
            path, rule = PLACE.match(worst["place"])[1], worst["rule"]  # type: ignore[index]
            if "fix" in worst:
                made = await use("apply_fix", path=path, id=worst["id"])
                if not made["gone"]:
                    raise RuntimeError(f"{rule} is still there: {made['summary']}")
                steps.append(f"{rule} apply_fix")
                continue
            lines = (folder / path).read_text(encoding="utf-8").splitlines(keepends=True)
            BY_HAND[rule](lines, worst)
            (folder / path).write_text("".join(lines), encoding="utf-8")
            steps.append(f"{rule} by hand")
    raise RuntimeError(f"not clean after {MOST_ROUNDS} rounds: {steps}")
