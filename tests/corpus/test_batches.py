"""The ledgers of public repositories that were drawn by a rule and judged by hand, by reference.

Each batch has been looked at once: what was untrue is mended, so it is no evidence about later versions.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

BATCHES = sorted((Path(__file__).parent / "batches").glob("*.md"))
VERDICTS = {"true", "dead", "useless", "untrue"}


def rows(text: str, heading: str) -> list[list[str]]:
    """Returns the cells of the table below a heading."""
    section = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


@pytest.mark.parametrize("path", BATCHES, ids=lambda path: path.stem)
def test_each_finding_is_judged_with_a_reason_in_a_repository_of_the_batch(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.replace("\n", "").isprintable()
    commits = {row[2]: row[3] for row in rows(text, "Repositories")}
    wrong = [
        row
        for heading in ("Errors of the batch", "Warnings of the batch", "Errors of the extension")
        for row in rows(text, heading)
        if len(row) != 7
        or not commits.get(row[0], "").startswith(row[1])
        or not re.fullmatch(r".+:\d+", row[2])
        or not re.fullmatch(r"TL\d{3}", row[3])
        or row[5] not in VERDICTS
        or len(row[6].split()) < 2
    ]
    assert wrong == []
    assert all(re.fullmatch(r"[0-9a-f]{40}", commit) for commit in commits.values())


@pytest.mark.parametrize("path", BATCHES, ids=lambda path: path.stem)
def test_a_batch_is_large_enough(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    batch = [row for row in rows(text, "Repositories") if "extension" not in row[1]]
    assert len(batch) >= 40
    errors = [
        row for heading in ("Errors of the batch", "Errors of the extension") for row in rows(text, heading)
    ]
    # A smaller batch is kept for what it found, and says that it is no measure.
    assert len(errors) >= 60 or "fewer than 60 errors" in text
    assert (
        len(rows(text, "Warnings of the batch")) >= 60
        or "all warnings of the default output were judged" in text
        or "fewer than 60 errors" in text
    )
