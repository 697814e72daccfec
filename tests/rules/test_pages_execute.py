"""Every program on every page does in real torch what the page says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from gloo_processes import run_processes
from torch_runs import Ended, TorchRuns, program_of

from torchlsp.lint.pages import Block, Page, load_page, page_paths

pytestmark = pytest.mark.torch

FOLDER = Path(__file__).resolve().parents[2] / "rules"
PAGES = [load_page(path) for path in page_paths(FOLDER)]
ROLES = ("bad", "good", "fixed")
ON_RANKS = sorted(
    ((page, block) for page in PAGES for block in page.of_role(*ROLES) if block.attr("world")),
    key=lambda pair: pair[1].role != "bad",
)
HANG = re.compile(r"[Tt]imed out|[Tt]imeout|no result|Connection reset|Connection closed")


def _raising(block: Block, marked: set[int]) -> set[int]:
    """The lines of which one may raise: those marked, or where the page gives another, as for what a later call of torch refuses."""
    at = block.attr("at")
    return {int(at)} if at else marked


def wrong_with(block: Block, ended: Ended) -> Iterator[str]:
    """In what the end of a program differs from what its page says."""
    marked = {expected.line for expected in block.expectations}
    pattern = block.attr("raises")
    if block.role != "bad":
        if ended.error or ended.proof:
            yield ended.error or f"the proof fails: {ended.proof}"
    elif pattern:
        if not re.search(pattern, ended.error):
            yield ended.error or "nothing was raised"
        elif not block.attr("world") and ended.lines[0] not in _raising(block, marked):
            yield f"raised on line {ended.lines[0]}"
    elif block.attr("world"):
        if not ended.error.startswith("hang: "):
            yield ended.error or "every rank came to its end"
        elif not marked & set(ended.lines):
            yield f"the ranks wait on lines {ended.lines}"
    elif ended.error or not ended.proof:
        yield ended.error or "the proof holds, so the program is not bad"


def assert_none(problems: list[str]) -> None:
    assert not problems, "\n".join(["", *problems])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_programs_end_as_the_page_says(page: Page, torch_runs: TorchRuns):
    """A bad one fails on the line that is marked, a good one runs to its end and keeps the proof."""
    blocks = page.of_role(*ROLES)
    ends = torch_runs.run_all(program_of(page, block) for block in blocks)
    assert_none(
        [
            f"{page.path.name}:{block.line}: {block.role}: {problem}"
            for block, ended in zip(blocks, ends)
            for problem in wrong_with(block, ended)
        ]
    )


@pytest.mark.slow
@pytest.mark.processes
def test_processes_agree_with_the_simulator(tmp_path: Path):
    """Every program for ranks, on real ranks: they hang where the simulated ones do."""
    problems = []
    programs = [(block.source, int(block.attr("world"))) for _, block in ON_RANKS]
    for (page, block), ends in zip(ON_RANKS, run_processes(programs, tmp_path)):
        if block.role == "bad":
            expected = re.compile(block.attr("raises")) if block.attr("raises") else HANG
            holds = any(expected.search(end) for end in ends)
        else:
            holds = ends == ["ok"] * len(ends)
        if not holds:
            problems.append(f"{page.path.name}:{block.line}: {block.role}: {ends}")
    assert_none(problems)


@pytest.mark.gpu
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if any(block.attr("needs") == "cuda-emulated" for block in page.of_role(*ROLES))],
    ids=lambda page: page.code,
)
def test_gpu_agrees_with_the_emulated_device(page: Page, torch_runs: TorchRuns):
    if not torch_runs.sees_a_gpu():
        pytest.skip("no CUDA device")
    blocks = [block for block in page.of_role(*ROLES) if block.attr("needs") == "cuda-emulated"]
    ends = torch_runs.run_all(program_of(page, block, emulate=False) for block in blocks)
    assert_none(
        [
            f"{page.path.name}:{block.line}: {block.role}: {ended.error or 'nothing was raised'}"
            for block, ended in zip(blocks, ends)
            if bool(block.role != "bad" and ended.error)
            or (block.role == "bad" and not re.search(block.attr("raises"), ended.error))
        ]
    )
