"""`annotate`: what a run has observed, written into the code, is read by our own reader and runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from torchlsp.cli.main import main
from torchlsp.core.text import Document
from torchlsp.engine import inspection
from torchlsp.engine.cache_folder import cache_folder
from torchlsp.engine.engine import Engine, Options
from torchlsp.engine.provider import Provider
from torchlsp.engine.workspace import Workspace
from torchlsp.recorder import running, store

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.lin = nn.Linear(dim, 4)

    def forward(self, x, labels: torch.Tensor, mask=None):
        out = self.lin(x)
        return out, labels > 0


def mixed(x):
    return x.sum()


def lengths(x):
    return x
"""
TRAIN = """\
import torch

from model import Net, lengths, mixed

net = Net(16)
for size in (8, 5):
    print(net(torch.ones(size, 3, 16), torch.arange(size))[0].shape)
mixed(torch.ones(1, 2))
mixed(torch.ones(3, 2).double())
lengths(torch.ones(1))
lengths(torch.ones(1, 1))
"""
# A stand-in for the package, which only has to be there.
JAXTYPING = "class _Named:\n    def __class_getitem__(cls, item):\n        return item[0]\n\n\nFloat = Float32 = Int64 = Bool = _Named\n"

_ROWS = """\
--- a/model.py
+++ b/model.py
@@ -1,5 +1,6 @@
 import torch
-from torch import nn
+from jaxtyping import Bool, Float, Float32, Int64
+from torch import Tensor, nn


 class Net(nn.Module):
@@ -7,12 +8,12 @@
         super().__init__()
         self.lin = nn.Linear(dim, 4)

-    def forward(self, x, labels: torch.Tensor, mask=None):
+    def forward(self, x: Float32[Tensor, "N 3 16"], labels: Int64[Tensor, "N"], mask=None) -> tuple[Float32[Tensor, "N 3 4"], Bool[Tensor, "N"]]:
         out = self.lin(x)
         return out, labels > 0


-def mixed(x):
+def mixed(x: Float[Tensor, "_ 2"]) -> Float[Tensor, ""]:
     return x.sum()


"""
DIFF = "".join((row or " ") + "\n" for row in _ROWS.splitlines())


@pytest.fixture
def recorded(project, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of which a run is recorded."""
    monkeypatch.setenv("TORCHLSP_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    root = project({"pyproject.toml": "", "model.py": MODEL, "train.py": TRAIN})
    folder = store.records_folder(cache_folder(), str(root))
    assert running.run([sys.executable, "train.py"], str(root), folder).problem is None
    return root


def annotate(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main(["annotate", *arguments])
    told = capsys.readouterr()
    return status, told.out, told.err


def facts(path: Path, *expressions: str) -> list[str]:
    document = Document(str(path), path.read_text())
    examination = Engine(Options()).examine(document, Provider(Workspace()))
    found = [inspection.at(examination, document.text.index(one)) for one in expressions]
    return [one.fact if one is not None and one.fact is not None else "" for one in found]


@pytest.mark.torch
@pytest.mark.processes
def test_a_diff_that_our_reader_reads_and_that_runs(recorded, capsys) -> None:
    assert annotate(capsys, "model.py") == (0, DIFF, "")
    assert annotate(capsys, "model.py", "--diff") == (0, DIFF, "")
    assert (recorded / "model.py").read_text() == MODEL
    assert "3, 16" not in facts(recorded / "model.py", "x)\n        return out")[0]
    status, out, err = annotate(capsys, "model.py", "--write")
    assert (status, out, err) == (0, "", "torchlsp: annotated 2 functions of model.py\n")
    read = facts(recorded / "model.py", "x)\n        return out", "out, labels > 0", "labels > 0", "x.sum()")
    assert read == ["f32[N, 3, 16]", "f32[N, 3, 4] grad", "i64[N]", "tensor[?, 2]"]
    (recorded / "jaxtyping.py").write_text(JAXTYPING)
    ended = subprocess.run([sys.executable, "train.py"], cwd=recorded, capture_output=True, text=True)
    assert ended.returncode == 0 and ended.stdout.startswith("torch.Size([8, 3, 4])\n"), ended.stderr


@pytest.mark.torch
@pytest.mark.processes
def test_functions_that_were_changed_are_left_out_and_named(recorded, capsys) -> None:
    (recorded / "model.py").write_text("# above\n" + MODEL.replace("x.sum()", "x.mean()"))
    status, out, err = annotate(capsys, "model.py")
    assert status == 0 and 'x: Float32[Tensor, "N 3 16"]' in out and "mean" not in out
    assert err == "torchlsp: left out, since they were changed after the run: mixed\n"
    (recorded / "model.py").write_text(MODEL.replace("x.sum()", "x.mean()").replace("labels >", "labels >="))
    status, out, err = annotate(capsys, "model.py")
    assert (status, out) == (1, "")
    assert "changed after the run: Net.forward, mixed\n" in err and "nothing to annotate" in err


@pytest.mark.torch
@pytest.mark.processes
def test_a_file_that_cannot_name_tensors_is_left_alone(recorded, capsys) -> None:
    text = MODEL.replace("import torch\n", "Tensor = list\n").replace(": torch.Tensor", "")
    (recorded / "model.py").write_text(text)
    status, out, err = annotate(capsys, "model.py")
    assert (status, out) == (1, "") and "`Tensor` stands for something else" in err


def test_what_cannot_be_annotated_is_said(project, capsys, tmp_path: Path) -> None:
    project({"a.py": "x = 1\n", "a.ipynb": "{}"})
    status, out, err = annotate(capsys, "a.py", "--cache-dir", str(tmp_path / "cache"))
    assert (status, out) == (1, "") and "nothing is recorded of a.py" in err
    assert annotate(capsys, "b.py")[0] == 2 and annotate(capsys, "a.ipynb")[0] == 2
