"""`explain --last`: the crash of the newest recorded run, with the operands that the failing line had."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from torchlsp.cli.main import main
from torchlsp.engine.cache_folder import cache_folder
from torchlsp.recorder import running, store
from torchlsp.syntax.names_read import names_read

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))
        self.lin = nn.Linear(dim, 4)

    def forward(self, x, mask=None):
        x = self.lin(x)
        return mask.half() @ x * self.scale
"""
TRAIN = """\
import torch

from model import Net

net = Net(16)
net(torch.ones(8, 16), torch.ones(5, 9))
"""


@pytest.fixture
def recorded(project, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory):
    """A function that writes files and records a run of one of them."""
    monkeypatch.setenv("TORCHLSP_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))

    def record(files: dict[str, str], main_file: str) -> Path:
        root = project({"pyproject.toml": "", **files})
        folder = store.records_folder(cache_folder(), str(root))
        assert running.run([sys.executable, main_file], str(root), folder).problem is None
        return root

    return record


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main(["explain", "--last", *arguments])
    told = capsys.readouterr()
    return status, told.out, told.err


@pytest.mark.torch
@pytest.mark.processes
def test_a_crash_is_explained_with_the_operands_of_its_line(recorded, capsys) -> None:
    recorded({"model.py": MODEL, "train.py": TRAIN}, "train.py")
    status, text, _ = explained(capsys)
    assert status == 0
    assert "RuntimeError: " in text and ": python train.py" not in text.partition("\n")[0]
    assert "model.py:13 in forward\n  13 | return mask.half() @ x * self.scale" in text
    had = text.partition("What the run had there\n")[2].partition("\n\n")[0]
    assert had == "  mask: f32[5, 9]\n  x: f32[8, 4] grad\n  self.scale: f32[3] grad"
    assert "What it means" in text and "What to do" in text


@pytest.mark.torch
@pytest.mark.processes
def test_rules_see_the_sizes_that_the_call_had(recorded, capsys) -> None:
    model = MODEL.replace("mask.half()", "mask")
    train = TRAIN.replace(
        "net(torch.ones(8, 16), torch.ones(5, 9))",
        "import json\nnet(torch.ones(*json.loads('[8, 16]')), torch.ones(*json.loads('[5, 9]')))",
    )
    recorded({"model.py": model, "train.py": train}, "train.py")
    status, text, _ = explained(capsys, "--output-format", "json")
    told = json.loads(text)
    assert (status, told["id"], told["place"]["row"], told["place"]["unchanged"]) == (0, "E03", 13, True)
    assert told["operands"][0] == {"name": "mask", "value": "f32[5, 9]"}
    assert told["run"]["command"][1:] == ["train.py"] and told["run"]["rank"] is None
    (caught,) = told["caught"]
    assert caught["code"] == "TL105" and "`mask` f32[5, 9]" in caught["message"]


@pytest.mark.torch
@pytest.mark.processes
def test_a_function_that_was_changed_is_said_to_be(recorded, capsys) -> None:
    root = recorded({"model.py": MODEL, "train.py": TRAIN}, "train.py")
    (root / "model.py").write_text("# moved\n" + MODEL)
    assert "model.py:14 in forward\n  14 | return mask.half() @ x" in explained(capsys)[1]
    (root / "model.py").write_text(MODEL.replace("mask.half()", "mask.double()"))
    text = explained(capsys)[1]
    assert "model.py:13 in forward" in text and "This function was changed after the run" in text
    assert "  mask: f32[5, 9]" in text and "double" not in text


@pytest.mark.processes
def test_an_error_of_the_program_shows_what_the_line_had(recorded, capsys) -> None:
    program = "def check(n, limit):\n    if n > limit:\n        raise ValueError(f'{n} is secret')\n\n\ncheck(7, limit=3)\n"
    recorded({"main.py": program}, "main.py")
    status, text, _ = explained(capsys)
    assert status == 1 and "ValueError" in text and "secret'" in text and "7 is secret" not in text
    assert "keeps no message" in text and "main.py:3 in check" in text
    assert "What the run had there\n  n: 7\n" in text


@pytest.mark.processes
def test_of_several_processes_the_one_that_failed_first_is_explained(recorded, capsys) -> None:
    program = """\
import os
import subprocess
import sys


def work(rank):
    return [1, 2][rank + 1]


def launch():
    subprocess.run([sys.executable, "main.py"], env={**os.environ, "RANK": "1"}, check=True)


work(1) if "RANK" in os.environ else launch()
"""
    recorded({"main.py": program}, "main.py")
    text = explained(capsys)[1]
    assert "IndexError: list index out of range" in text and "main.py, rank 1" in text
    assert "main.py:7 in work" in text and "  rank: 1\n" in text + "\n"


@pytest.mark.processes
def test_without_a_crash_one_sentence_says_so(recorded, project, capsys, tmp_path: Path) -> None:
    recorded({"main.py": "def f():\n    return 1\n\n\nf()\n"}, "main.py")
    status, out, err = explained(capsys)
    assert (status, out) == (1, "") and err.count("\n") == 1
    assert "has left no crash: it ended with status 0" in err
    (tmp_path / "other").mkdir()
    status, out, err = explained(capsys, "--root", str(tmp_path / "other"))
    assert (status, out) == (1, "") and "no run is recorded below" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--last", "TL101"], "--last explains a recorded crash"),
        (["--root", ".", "TL101"], "--root goes with --last"),
        (["--cache-dir", ".", "TL101"], "--cache-dir goes with --last"),
    ],
)
def test_options_that_do_not_go_together(arguments: list[str], message: str, capsys) -> None:
    assert main(["explain", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "row", "names"),
    [
        ("y = x @ self.w\n", 1, ("x", "self.w")),
        ("x += y\n", 1, ("x", "y")),
        ("for a in b:\n    c(a)\n", 1, ("b",)),
        ("for a in b:\n    c(a)\n", 2, ("c", "a")),
        ("f(\n    a,\n    k=b,\n)\n", 3, ("b", "f", "a")),
        ("try:\n    pass\nexcept E:\n    g(h)\n", 4, ("g", "h")),
        ("match m:\n    case 1:\n        g(h)\n", 3, ("g", "h")),
        ("@d\ndef f(a=b):\n    pass\n", 1, ("d", "b")),
        ("x =\n", 1, ()),
        ("x = y\n", 5, ()),
    ],
)
def test_names_that_a_row_reads(text: str, row: int, names: tuple[str, ...]) -> None:
    assert names_read(text, row) == names
