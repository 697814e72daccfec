"""`explain` as a command: where it reads, what it knows of the user's line, its formats and exit statuses."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from torchlsp.cli.main import main
from torchlsp.engine import explaining

TRAIN = """\
import torch


def merge(q):
    return q


heads = torch.randn(2, 4, 8, 16).transpose(1, 2)
merged = heads.view(2, 8, 64)
"""
MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(100, 10)

    def forward(self, x):
        return self.head(x)
"""
USE = """\
import torch
from model import Net

net = Net()
out = net(torch.randn(4, 288))
"""
VIEW = (
    "RuntimeError: view size is not compatible with input tensor's size and stride (at least one dimension spans "
    "across two contiguous subspaces). Use .reshape(...) instead.\n"
)


def traceback(*frames: tuple[str, int, str, str], error: str = VIEW) -> str:
    lines = [f'  File "{path}", line {row}, in {name}\n    {source}\n' for path, row, name, source in frames]
    return "".join(["Traceback (most recent call last):\n", *lines, error])


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch):
    """A function that puts bytes or text on stdin."""

    def put(text: str | bytes) -> None:
        data = text if isinstance(text, bytes) else text.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return put


def explained(capsys, *arguments: str, status: int = 0) -> dict:
    assert main(["explain", "--output-format", "json", *arguments]) == status
    return json.loads(capsys.readouterr().out)


def test_what_is_known_of_the_line_and_the_rule_that_finds_it(project, piped, capsys) -> None:
    project({"train.py": TRAIN})
    piped(traceback((os.path.abspath("train.py"), 9, "<module>", "merged = heads.view(2, 8, 64)")))
    said = explained(capsys)
    assert said["id"] == "E01"
    assert said["place"] == {
        "filename": "train.py",
        "cell": None,
        "row": 9,
        "function": "<module>",
        "source": "merged = heads.view(2, 8, 64)",
        "unchanged": True,
    }
    assert {"name": "heads", "fact": "f32[2, 8, 4, 16] noncontig"} in said["known"]
    (caught,) = said["caught"]
    assert (caught["code"], caught["filename"], caught["location"]) == (
        "TL101",
        "train.py",
        {"row": 9, "column": TRAIN.splitlines()[8].index("heads.view") + 1},
    )


def test_the_text_names_them_too(project, piped, capsys) -> None:
    project({"train.py": TRAIN})
    piped(traceback(("train.py", 9, "<module>", "merged = heads.view(2, 8, 64)")))
    assert main(["explain", "-"]) == 0
    text = capsys.readouterr().out
    for line in (
        "E01 view cannot read this memory layout in the new shape\n",
        "\ntrain.py:9\n  9 | merged = heads.view(2, 8, 64)\n",
        "\n  heads: f32[2, 8, 4, 16] noncontig\n",
        "\nWhat is wrong here\n  `heads` f32[2, 8, 4, 16] noncontig cannot be viewed as [2, 8, 64] (line 8: transposed",
        "\n  1. Replace view by reshape, line 9: `merged = heads.reshape(2, 8, 64)`.\n",
        "\n  TL101 at train.py:9 (view-on-noncontiguous): torchlsp finds it now\n",
    ):
        assert line in text


def test_a_fault_that_only_the_call_leads_to_is_found_at_the_call(project, piped, capsys) -> None:
    project({"model.py": MODEL, "use.py": USE})
    shapes = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x288 and 100x10)\n"
    piped(
        traceback(
            ("use.py", 5, "<module>", "out = net(torch.randn(4, 288))"),
            ("model.py", 11, "forward", "return self.head(x)"),
            error=shapes,
        )
    )
    said = explained(capsys)
    assert said["place"]["filename"] == "model.py"
    assert [(one["code"], one["filename"], one["location"]["row"]) for one in said["caught"]] == [
        ("TL105", "use.py", 5)
    ]
    assert "288 values arrive" in said["here"]


def test_a_line_that_has_changed_is_said_and_not_judged(project, piped, capsys) -> None:
    project({"train.py": TRAIN.replace("heads.view", "heads.reshape")})
    piped(traceback(("train.py", 9, "<module>", "merged = heads.view(2, 8, 64)")))
    said = explained(capsys)
    assert (said["place"]["unchanged"], said["known"], said["caught"]) == (False, [], [])
    piped(traceback(("train.py", 9, "<module>", "merged = heads.view(2, 8, 64)")))
    assert main(["explain"]) == 0
    text = capsys.readouterr().out
    assert "The file has another line there now." in text and "  9 | merged = heads.view(2, 8, 64)" in text


@pytest.mark.parametrize("row", [0, 10, 400, 999_999_999])
def test_a_line_that_is_not_there(project, piped, capsys, row: int) -> None:
    project({"train.py": TRAIN})
    piped(traceback(("train.py", row, "<module>", "merged = heads.view(2, 8, 64)")))
    assert explained(capsys)["place"]["unchanged"] is False


def test_marks_choose_the_operands(project, piped, capsys) -> None:
    source = "z = torch.ones(2) + torch.ones(3); y = other(z)"
    project(
        {
            "a.py": f"import torch\na = torch.ones(2)\nb = torch.ones(3)\nc = torch.ones(4)\nd = c + (a + b)\n{source}\n"
        }
    )
    text = traceback(
        ("a.py", 5, "<module>", "d = c + (a + b)"),
        error="RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0\n",
    )
    piped(text.replace("c + (a + b)\n", "c + (a + b)\n             ~~^~~\n"))
    assert [one["name"] for one in explained(capsys)["known"]] == ["a", "b"]
    piped(text)
    assert [one["name"] for one in explained(capsys)["known"]][:1] == ["d"]


def test_operands_on_the_rows_below(project, piped, capsys) -> None:
    project({"a.py": "import torch\nx = torch.ones(2, 3)\ny = torch.cat(\n    [x, torch.ones(2, 4)],\n)\n"})
    text = traceback(
        ("a.py", 3, "<module>", "y = torch.cat("),
        error="RuntimeError: Sizes of tensors must match except in dimension 0\n",
    )
    piped(text.replace("cat(\n", "cat(\n        ^^^^^^^^^^\n"))
    assert {"name": "x", "fact": "f32[2, 3]"} in explained(capsys)["known"]


def test_only_plain_python_files_that_the_text_names_are_opened(project, piped, capsys, monkeypatch) -> None:
    project({"train.py": TRAIN, "secret.txt": "x", "pyproject.toml": "[tool.torchlsp]\nselekt = 1\n"})
    (Path.cwd() / "folder.py").mkdir()
    os.mkfifo(Path.cwd() / "pipe.py")
    (Path.cwd() / "large.py").write_bytes(b"#" * (explaining.MAX_FILE_BYTES + 1))
    opened: list[str] = []
    real = os.open

    def watched(path, *arguments, **keywords):
        opened.append(os.path.basename(str(path)))
        return real(path, *arguments, **keywords)

    monkeypatch.setattr("os.open", watched)
    names = (
        "train.py",
        "secret.txt",
        "folder.py",
        "pipe.py",
        "large.py",
        "absent.py",
        "/dev/zero",
        "//host/share/a.py",
    )
    for name in names:
        piped(traceback((name, 9, "<module>", "merged = heads.view(2, 8, 64)")))
        assert explained(capsys)["id"] == "E01"
    ours = [name for name in opened if name in {os.path.basename(one) for one in names} | {"pyproject.toml"}]
    assert ours == ["train.py"]


def test_imports_that_the_text_does_not_name_are_not_read(project, piped, capsys) -> None:
    project({"model.py": MODEL, "use.py": USE})
    shapes = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x288 and 100x10)\n"
    piped(traceback(("use.py", 5, "<module>", "out = net(torch.randn(4, 288))"), error=shapes))
    assert explained(capsys)["caught"] == []


def test_an_error_text_as_argument(capsys) -> None:
    assert explained(capsys, "RuntimeError: shape '[4, -1]' is invalid for input of size 6")["id"] == "E02"
    assert explained(
        capsys, "mat1", "and", "mat2", "shapes", "cannot", "be", "multiplied", "(2x5", "and", "3x4)"
    )["values"] == {"rows": "2", "arrives": "5", "expected": "3", "columns": "4"}
    assert explained(capsys, "e03")["title"] == "The inner dimensions of a matrix product differ"
    assert explained(capsys, "tl101")["name"] == "view-on-noncontiguous"


def test_the_notation_is_explained(capsys) -> None:
    assert main(["explain", "notation"]) == 0
    text = capsys.readouterr().out
    assert (
        text.startswith("# How facts are written\n") and "| `f32[8] grad` | it requires gradients |" in text
    )
    assert main(["explain", "notation", "--output-format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"page": text}
    assert main(["explain", "TL101"]) == 0
    assert capsys.readouterr().out.endswith("## Notation\n" + text.partition("\n")[2])


def test_only_existing_rules_are_named(capsys) -> None:
    from torchlsp.lint.registry import rules

    existing = {info.code for info in rules()}
    said = explained(
        capsys,
        "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
    )
    assert all(rule["code"] in existing for rule in said["rules"])
    assert explained(capsys, "mat1 and mat2 shapes cannot be multiplied (2x5 and 3x4)")["rules"]


def test_an_unknown_error_names_the_nearest(capsys) -> None:
    said = explained(capsys, "RuntimeError: mat1 and mat2 do not fit together", status=1)
    assert said["id"] is None and said["nearest"][0]["id"] in ("E03", "E04")
    assert main(["explain", "RuntimeError: mat1 and mat2 do not fit together"]) == 1
    text = capsys.readouterr().out
    assert text.startswith("No explanation of this error is known\n  RuntimeError: mat1 and mat2 do not fit")
    assert "Nearest to it are:" in text


def test_an_unknown_error_at_a_line_where_something_is_found(project, piped, capsys) -> None:
    project({"train.py": TRAIN})
    row = ("train.py", 9, "<module>", "merged = heads.view(2, 8, 64)")
    piped(traceback(row, error="RuntimeError: entirely new words of a later torch\n"))
    said = explained(capsys, status=1)
    assert said["id"] is None and [one["code"] for one in said["caught"]] == ["TL101"]


@pytest.mark.parametrize("text", ["", "\n\n", "all is well\n", "\x00\xff"])
def test_text_without_an_error(piped, capsys, text: str) -> None:
    piped(text)
    assert main(["explain"]) == 1
    assert capsys.readouterr().out


def test_a_terminal_without_an_argument(monkeypatch, capsys) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    assert main(["explain"]) == 2
    assert "python train.py 2>&1 | torchlsp explain" in capsys.readouterr().err


def test_other_encodings(piped, capsys) -> None:
    for data in (VIEW.encode("utf-16"), b"\xef\xbb\xbf" + VIEW.encode(), b"\xe9\xff\n" + VIEW.encode()):
        piped(data)
        assert explained(capsys)["id"] == "E01"


def test_of_a_huge_output_the_end_is_read(project, piped, capsys) -> None:
    project({"train.py": TRAIN})
    end = traceback(("train.py", 9, "<module>", "merged = heads.view(2, 8, 64)"))
    piped("step 1 loss 0.5 é\n" * 800_000 + end)
    said = explained(capsys)
    assert (said["id"], said["place"]["row"]) == ("E01", 9)


def test_colours(capsys, monkeypatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    for choice, coloured in (("always", True), ("never", False), ("auto", False)):
        assert main(["explain", "--color", choice, VIEW]) == 0
        assert ("\x1b[1m" in capsys.readouterr().out) is coloured


@pytest.mark.torch
@pytest.mark.slow
def test_a_real_program_piped_into_the_command(project) -> None:
    """Real tracebacks of the installed torch, with the carets of this Python."""
    pytest.importorskip("torch")
    project({"train.py": TRAIN, "model.py": MODEL, "use.py": USE})
    for script, identifier, place in (
        ("train.py", "E01", ("train.py", 9)),
        ("use.py", "E03", ("model.py", 11)),
    ):
        run = subprocess.run([sys.executable, script], capture_output=True)
        done = subprocess.run(
            [sys.executable, "-m", "torchlsp", "explain", "--output-format", "json"],
            input=run.stdout + run.stderr,
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        assert (said["id"], said["place"]["filename"], said["place"]["row"]) == (identifier, *place)
        assert said["caught"]
