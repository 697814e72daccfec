"""Every program on every page does in real torch what the page says."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest
from gloo_processes import run_processes

from torchlsp.lint.pages import Block, Page, load_page, page_paths

FOLDER = Path(__file__).resolve().parents[2] / "rules"
PAGES = [load_page(path) for path in page_paths(FOLDER)]
HANG = re.compile(r"[Tt]imed out|[Tt]imeout|no result|Connection reset|Connection closed")


def programs(*roles: str, ranks_only: bool = False) -> list:
    return [
        pytest.param(page, block, id=f"{page.code}-{block.role}-{block.line}")
        for page in PAGES
        for block in page.of_role(*roles)
        if block.attr("world") or not ranks_only
    ]


@pytest.mark.torch
@pytest.mark.parametrize(("page", "block"), programs("bad"))
def test_bad_program_fails_on_the_line_that_is_marked(
    page: Page, block: Block, tmp_path: Path, torch_runs: ModuleType
):
    ended = torch_runs.run_block(page, block, str(tmp_path))
    marked = {e.line for e in block.expectations}
    if block.attr("world") and (pattern := block.attr("raises")):
        assert re.search(pattern, ended.error), ended.error or "nothing was raised"
    elif block.attr("world"):
        assert ended.error.startswith("hang: "), ended.error or "every rank came to its end"
        assert marked & set(ended.lines), f"the ranks wait on lines {ended.lines}"
    elif pattern := block.attr("raises"):
        assert re.search(pattern, ended.error), ended.error or "nothing was raised"
        assert ended.lines[0] in marked, f"raised on line {ended.lines[0]}"
    else:
        assert ended.error == ""
        assert torch_runs.prove(page, ended), "the proof holds, so the program is not bad"


@pytest.mark.torch
@pytest.mark.parametrize(("page", "block"), programs("good", "fixed"))
def test_good_program_runs_and_keeps_the_proof(
    page: Page, block: Block, tmp_path: Path, torch_runs: ModuleType
):
    ended = torch_runs.run_block(page, block, str(tmp_path))
    assert ended.error == ""
    assert torch_runs.prove(page, ended) == ""


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize(("page", "block"), programs("bad", "good", "fixed", ranks_only=True))
def test_processes_agree_with_the_simulator(page: Page, block: Block, tmp_path: Path):
    pytest.importorskip("torch")
    ends = run_processes(block.source, int(block.attr("world")), tmp_path)
    if block.role == "bad":
        expected = re.compile(block.attr("raises")) if block.attr("raises") else HANG
        assert any(expected.search(end) for end in ends), ends
    else:
        assert ends == ["ok"] * len(ends)


@pytest.mark.torch
@pytest.mark.gpu
@pytest.mark.parametrize(
    ("page", "block"),
    [p for p in programs("bad", "good", "fixed") if p.values[1].attr("needs") == "cuda-emulated"],
)
def test_gpu_agrees_with_the_emulated_device(
    page: Page, block: Block, tmp_path: Path, torch_runs: ModuleType
):
    if not torch_runs.torch.cuda.is_available():
        pytest.skip("no CUDA device")
    ended = torch_runs.run_block(page, block, str(tmp_path), emulate=False)
    assert (
        (re.search(block.attr("raises"), ended.error) is not None) if block.role == "bad" else not ended.error
    )
