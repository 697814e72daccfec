"""`check` with recorded runs: findings that rest on one, findings that one contradicts, and what editors show."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from torchlsp.cli import check as check_module
from torchlsp.cli.main import main
from torchlsp.core.finding import Finding, ProbeRequest, ProofFails, Raises, Severity
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine import inspection
from torchlsp.engine.cache_folder import cache_folder
from torchlsp.engine.config import KnownRule
from torchlsp.engine.engine import Engine, Options
from torchlsp.engine.examination import Examination
from torchlsp.engine.provider import Provider
from torchlsp.engine.records import Records
from torchlsp.engine.workspace import Workspace
from torchlsp.lint.runner import RunResult
from torchlsp.recorder import running, store
from torchlsp.report.hover import plain_text
from torchlsp.syntax.parse import SyntaxTree

pytestmark = [pytest.mark.torch, pytest.mark.processes]

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3)

    def forward(self, x, mask=None):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).unbind(2)
        attention = torch.einsum("bihd,bjhd->bhij", q, k)
        out = attention @ v.transpose(1, 2)
        return out.transpose(1, 2).reshape(b, n, c)


def scaled(x):
    return x * 2
"""
TRAIN = """\
import torch

from model import Net, scaled

net = Net(16, 4)
for size in (8, 32, 4):
    with torch.no_grad():
        net(torch.randn(size, 5, 16))
    scaled(torch.ones(size, requires_grad=True))
"""


@pytest.fixture
def recorded(project, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory):
    """A function that writes files and records a run of one of them."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TORCHLSP_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))

    def record(files: dict[str, str], main_file: str) -> Path:
        root = project({"pyproject.toml": "", **files})
        folder = store.records_folder(cache_folder(), str(root))
        ended = running.run([sys.executable, main_file], str(root), folder)
        assert ended.problem is None and ended.calls
        return root

    return record


def findings(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict]:
    capsys.readouterr()
    main(["check", "--output-format", "json", "--select", "TL1,TL2", *arguments])
    return json.loads(capsys.readouterr().out)


def examined(path: str) -> Examination:
    engine = Engine(Options(records=Records(cache_folder())))
    return engine.examine(Document(path, Path(path).read_text()), Provider(Workspace()))


def hovered(examination: Examination, expression: str) -> str:
    description = inspection.at(examination, examination.document.text.index(expression))
    return "" if description is None else plain_text(description, {})  # type: ignore[arg-type]


def test_a_change_shows_its_consequence_before_the_next_run(recorded, capsys) -> None:
    recorded({"model.py": MODEL, "train.py": TRAIN}, "train.py")
    assert findings(capsys, "model.py") == []
    Path("model.py").write_text(MODEL.replace("v.transpose(1, 2)", "v"))
    (found,) = findings(capsys, "model.py")
    assert (found["code"], found["severity"]) == ("TL105", "warning")
    assert "[N, 4, 5, 5]" in found["message"] and "[N, 5, 4, 4]" in found["message"]
    assert any("`x` is as a recorded run passed it" in one["message"] for one in found["related"])
    assert findings(capsys, "--no-recorded", "model.py") == []


def test_in_ci_only_a_named_file_takes_part(recorded, capsys, monkeypatch) -> None:
    root = recorded({"model.py": MODEL, "train.py": TRAIN}, "train.py")
    Path("model.py").write_text(MODEL.replace("v.transpose(1, 2)", "v"))
    main(["record", "--root", str(root), "export", "facts.json"])
    monkeypatch.setenv("CI", "true")
    assert findings(capsys, "model.py") == []
    assert [one["code"] for one in findings(capsys, "--recorded", "facts.json", "model.py")] == ["TL105"]
    Path("broken.json").write_text("{")
    assert main(["check", "--recorded", "broken.json", "model.py"]) == 2
    assert "broken.json: not JSON" in capsys.readouterr().err
    assert main(["check", "--recorded", "none.json", "model.py"]) == 2
    assert main(["check", "--recorded", "facts.json", "--no-recorded", "model.py"]) == 2


def test_results_are_kept_apart_by_what_was_recorded(recorded, capsys) -> None:
    root = recorded(
        {"model.py": MODEL.replace("v.transpose(1, 2)", "v"), "train.py": "import model\nmodel.scaled(1)\n"},
        "train.py",
    )
    assert findings(capsys, "model.py") == [] == findings(capsys, "model.py")
    Path("train.py").write_text(
        "from model import *\ntry:\n    Net(16, 4)(torch.ones(8, 5, 16))\nexcept RuntimeError:\n    pass\n"
    )
    running.run([sys.executable, "train.py"], str(root), store.records_folder(cache_folder(), str(root)))
    assert [one["code"] for one in findings(capsys, "model.py")] == ["TL105"]


CLAIMED = ProbeRequest("import torch\n\ntorch.zeros(2, 3).t().view(6)\n", flag=(3, 3))
"""The program of a finding that says that its expression raises."""

CALLS = """\
import torch


def claimed(x):
    return x


def plain(x):
    return claimed(x)


def chosen(x):
    return x and claimed(x)


def failing(x):
    return claimed(x.absent)


def unreached(x):
    if x:
        return 1
    return claimed(x)


def over(
    x,
):
    return claimed(
        x,
    )


def main():
    plain(1)
    chosen(1)
    try:
        failing(1)
    except AttributeError:
        pass
    unreached(1)
    over(1)


main()
"""


def claims(request: ProbeRequest):
    """A runner that says that every call of `claimed` raises."""

    def analyse(tree: SyntaxTree, provider: Provider, codes: frozenset[str], **_options: object) -> RunResult:
        text = tree.document.text
        spans = [
            Span(one.start(), text.index(")", one.start()) + 1)
            for one in re.finditer(r"(?<!def )claimed\(", text)
        ]
        name, path = "view-on-noncontiguous", tree.document.path
        return RunResult(
            [Finding("TL101", name, path, span, "it fails", Severity.ERROR, probe=request) for span in spans]
        )

    return analyse


def claimed_in(monkeypatch, capsys, request: ProbeRequest, *arguments: str) -> list[str]:
    """The functions in which `check` shows the claims."""
    rules = [KnownRule("TL101", "view-on-noncontiguous", Severity.ERROR)]
    monkeypatch.setattr(
        check_module, "Engine", lambda options: Engine(options, runner=claims(request), rules=rules)
    )
    main(["check", "--output-format", "json", "calls.py", *arguments])
    rows = Path("calls.py").read_text().split("\n")
    found = []
    for one in json.loads(capsys.readouterr().out):
        above = [row for row in rows[: one["location"]["row"]] if row.startswith("def ")]
        found.append(above[-1][4:].partition("(")[0])
    return found


ALL = ["plain", "chosen", "failing", "unreached", "over"]


def test_a_finding_that_the_run_contradicts_is_withdrawn(recorded, capsys, monkeypatch) -> None:
    recorded({"calls.py": CALLS}, "calls.py")
    capsys.readouterr()
    assert claimed_in(monkeypatch, capsys, CLAIMED, "--no-recorded") == ALL
    assert claimed_in(monkeypatch, capsys, CLAIMED) == ["chosen", "failing", "unreached"]
    assert claimed_in(monkeypatch, capsys, CLAIMED, "--show-refuted") == ALL
    main(["check", "calls.py"])
    assert "2 findings were withdrawn: a recorded run evaluated the code" in capsys.readouterr().out
    main(["check", "--show-refuted", "calls.py"])
    assert "refuted: a recorded run evaluated it" in capsys.readouterr().out


@pytest.mark.parametrize(
    "request_",
    [
        replace(CLAIMED, assumes=("cuda",)),
        replace(CLAIMED, expect=ProofFails()),
        replace(CLAIMED, expect=Raises(".", "Warning")),
    ],
    ids=["on a machine with CUDA", "without raising", "a warning"],
)
def test_what_a_run_cannot_contradict_stays(recorded, capsys, monkeypatch, request_: ProbeRequest) -> None:
    recorded({"calls.py": CALLS}, "calls.py")
    capsys.readouterr()
    assert claimed_in(monkeypatch, capsys, request_) == ALL


def test_a_function_that_was_changed_since_is_another_one(recorded, capsys, monkeypatch) -> None:
    recorded({"calls.py": CALLS}, "calls.py")
    capsys.readouterr()
    Path("calls.py").write_text(
        "# moved\n"
        + CALLS.replace("return claimed(x)\n\n\ndef chosen", "return claimed(x + 1)\n\n\ndef chosen")
    )
    assert claimed_in(monkeypatch, capsys, CLAIMED) == ["plain", "chosen", "failing", "unreached"]


def test_an_error_that_the_run_has_raised_stays(recorded, capsys) -> None:
    text = "import torch\n\n\ndef f(x):\n    return x.view(3, 5)\n\n\ntry:\n    f(torch.ones(16))\nexcept ZeroDivisionError:\n    pass\n"
    recorded({"a.py": text}, "a.py")
    assert [(one["code"], one["severity"]) for one in findings(capsys, "a.py")] == [("TL102", "error")]


def test_hover_and_hints_say_what_was_seen(recorded) -> None:
    recorded({"model.py": MODEL, "train.py": TRAIN}, "train.py")
    examination = examined("model.py")
    text = hovered(examination, "x, mask")
    assert text.startswith("x: f32[N=4..32, 5, 16]\nobserved in the run of ") and "(3 calls)" in text
    assert "before this function was changed" not in text
    assert hovered(examination, "attention @").startswith("attention: f32[N=4..32, 4, 5, 5]")
    assert (
        "grad" not in hovered(examination, "attention @").partition("\n")[0]
    )  # all calls were under no_grad
    assert hovered(examination, "x * 2").startswith("x: f32[N=4..32] grad")
    hints = inspection.hints(examination, Span(0, len(MODEL)))
    assert ": f32[N=4..32, 4, 5, 5]" in [one.text for one in hints]
    assert any(one.tooltip.startswith("observed in the run of ") for one in hints)


def test_facts_age_when_their_function_changes(recorded) -> None:
    recorded({"model.py": MODEL, "train.py": TRAIN}, "train.py")
    Path("model.py").write_text("# moved\n\n" + MODEL.replace("return x * 2", "return x * 3"))
    examination = examined("model.py")
    assert "before this function was changed" in hovered(examination, "x * 3")
    assert "before this function was changed" not in hovered(examination, "x, mask")


def test_hints_show_that_their_function_has_changed(recorded) -> None:
    recorded({"model.py": MODEL, "train.py": TRAIN}, "train.py")
    Path("model.py").write_text(MODEL.replace("return x * 2", "doubled = x * 2\n    return doubled"))
    examination = examined("model.py")
    hints = inspection.hints(examination, Span(0, len(examination.document.text)))
    aged = [one for one in hints if one.text.startswith(": ~")]
    assert [one.text for one in aged] == [": ~f32[N=4..32] grad"]
    assert "before this function was changed" in aged[0].tooltip
    assert ": f32[N=4..32, 4, 5, 5]" in [one.text for one in hints]


def test_nothing_is_said_to_be_constant_where_not_every_call_was_recorded(recorded) -> None:
    model = "import torch\n\n\ndef f(x, flag, size):\n    return x.view(-1) if flag else x[:size]\n"
    train = "import torch\nfrom model import f\nfor i in range(100):\n    f(torch.ones(i + 3), i == 99, 2 if i < 99 else 3)\n"
    recorded({"model.py": model, "train.py": train}, "train.py")
    examination = examined("model.py")
    assert hovered(examination, "flag, size") == hovered(examination, "size):") == ""
    assert hovered(examination, "x, flag").startswith("x: f32[?]")


def test_the_run_that_is_named_has_called_functions_of_the_file(recorded) -> None:
    root = recorded({"model.py": MODEL, "train.py": TRAIN, "other.py": "def f(): pass\nf()\n"}, "train.py")
    running.run([sys.executable, "other.py"], str(root), store.records_folder(cache_folder(), str(root)))
    records = Records(cache_folder())
    run = {name: records.of(name).run for name in ("model.py", "other.py")}  # type: ignore[union-attr]
    assert {name: one.command[-1] for name, one in run.items() if one is not None} == {
        "model.py": "train.py",
        "other.py": "other.py",
    }
