"""`torchlsp probe FILE:LINE`: what is run for a finding, how each run ends, and the verdict."""

from __future__ import annotations

import json
import sys
import venv

import pytest

from torchlsp.cli import probe_finding
from torchlsp.cli.main import main
from torchlsp.engine.interpreters import site_packages
from torchlsp.engine.probing import Prober
from torchlsp.engine.slices import OF_RANKS

VIEW = "import torch\n\n\ndef f(x: torch.Tensor):\n    a, b = x.shape\n    y = torch.zeros(a, 3)\n    return y.t().view(3 * a)\n"
LOOP = """import torch

net = torch.nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for a in torch.ones(3, 2, 4):
    net(a).sum().backward()
    opt.step()
"""
RANKS = "import torch\nimport torch.distributed as dist\n\nif dist.get_rank() == 0:\n    dist.barrier()\n"


class Shared(Prober):
    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def prober():
    pytest.importorskip("torch")
    one = Shared(sys.executable, site_packages(sys.executable), deadline=10.0)
    yield one
    Prober.close(one)


@pytest.fixture
def shared(prober, monkeypatch):
    monkeypatch.setattr(probe_finding, "Prober", lambda *_, **__: prober)


def told(capsys, *arguments: str) -> tuple[str, str]:
    assert main(["probe", *arguments]) == 0
    printed = capsys.readouterr()
    return printed.out, printed.err


@pytest.mark.torch
@pytest.mark.usefixtures("shared")
def test_text(project, capsys):
    project({"a.py": VIEW})
    out, err = told(capsys, "a.py:7")
    lines = out.splitlines()
    assert lines[0].startswith("a.py:7:12: error TL101 ")
    (program,) = (number for number, line in enumerate(lines) if line.startswith("  program ("))
    (flagged,) = (line for line in lines if line.startswith("  >"))
    assert ".view(" in flagged
    assert '  if the finding is true: RuntimeError whose text has "view size is not compatible"' in lines
    runs = [line for line in lines if line.startswith("  run with a=")]
    # One column or one row is contiguous either way round.
    assert len(runs) > 1 and runs[0].startswith("  run with a=3: raised: RuntimeError: view size")
    assert "  run with a=1: passed" in runs
    assert lines[program] == "  program (eager-cpu, with its first sizes):"
    verdict = next(number for number, line in enumerate(lines) if line.startswith("  probe: "))
    assert " refuses these operands: RuntimeError" in lines[verdict] and lines[verdict].endswith("(with a=3)")
    assert lines[verdict + 1 :] == [
        "    operands: f32[3, a] noncontig",
        "    your own code proves nothing: `x` of `f` comes from outside: no call of it is in sight",
        "",
    ]
    assert err == ""


@pytest.mark.torch
@pytest.mark.usefixtures("shared")
def test_the_users_own_code_is_shown_where_it_decides(project, capsys):
    project({"a.py": VIEW + "\n\nf(torch.zeros(4, 2))\nprint('done')\n"})
    lines = told(capsys, "a.py:7")[0].splitlines()
    assert lines[1:] == [
        "  your own code:",
        "      1 | import torch",
        "      2 |",
        "      3 | def f(x):",
        "      4 |     a, b = x.shape",
        "      5 |     y = torch.zeros(a, 3)",
        "  >   6 |     return y.t().view(3 * a)",
        "      7 | f(torch.zeros(4, 2))",
        lines[-2],
        "",
    ]
    assert " your code fails here: RuntimeError: view size is not compatible" in lines[-2]
    (found,) = json.loads(told(capsys, "a.py:7", "--output-format", "json")[0])
    assert (found["probe"]["verdict"], found["probe"]["own_code"]) == ("confirmed", None)
    own = found["own_code"]
    assert (own["flag"], own["reason"], own["given"]) == ([6, 6], None, None)
    assert own["program"].splitlines()[5] == "    return y.t().view(3 * a)"


@pytest.mark.torch
@pytest.mark.usefixtures("shared")
def test_json(project, capsys):
    project({"a.py": VIEW})
    (found,) = json.loads(told(capsys, "a.py:7", "--output-format", "json")[0])
    assert (found["code"], found["location"]["row"], found["probe"]["verdict"]) == ("TL101", 7, "reproduced")
    assert (found["own_code"]["program"], found["own_code"]["reason"]) == (None, found["probe"]["own_code"])
    assert len(found["fingerprint"]) == 64
    run = found["run"]
    assert (run["kind"], run["world"]) == ("eager-cpu", 1)
    first, last = run["flag"]
    assert ".view(" in run["program"].splitlines()[first - 1] and first == last
    by_size = {trial["sizes"]["a"]: trial for trial in run["trials"]}
    assert by_size[3]["outcome"] == "raised" and by_size[3]["row"] == first
    assert (by_size[1]["outcome"], by_size[1]["error"], by_size[1]["reached"]) == ("passed", None, True)


@pytest.mark.torch
@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(
    ("text", "line", "expected", "verdict"),
    [
        (LOOP, 6, "nothing is raised, and the assertion at the end fails", "torch "),
        (
            "import torch.distributed as dist\n\ndef f(x):\n    if dist.get_rank() == 0:\n        dist.all_reduce(x)\n",
            5,
            "a rank waits here for others that do not come",
            "would hang (simulated ranks): rank 0 waits",
        ),
    ],
)
def test_other_kinds(project, capsys, text, line, expected, verdict):
    project({"a.py": text})
    lines = told(capsys, f"a.py:{line}")[0].splitlines()
    assert f"  if the finding is true: {expected}" in lines
    assert any(line.startswith(f"  probe: {verdict}") for line in lines)


@pytest.mark.torch
@pytest.mark.usefixtures("shared")
def test_the_users_own_ranks_prove_nothing(project, capsys):
    """What rank 1 would do after the flagged statement is not part of a slice."""
    project({"a.py": RANKS})
    assert told(capsys, "a.py:5")[0].splitlines()[-3:-1] == [
        "  probe: would hang (simulated ranks): rank 0 waits in barrier, rank 1 has ended",
        f"    your own code proves nothing: {OF_RANKS}",
    ]


@pytest.mark.torch
@pytest.mark.usefixtures("shared")
def test_an_assertion_of_ours_is_not_worded_as_an_error_of_torch(project, capsys):
    project({"a.py": LOOP})
    text = told(capsys, "a.py:6")[0]
    (verdict,) = (line for line in text.splitlines() if line.startswith("  probe: "))
    assert ": nothing is raised, but a step was taken on gradients" in verdict
    assert "AssertionError" not in text


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"numpy\(\) on Tensor", '"numpy() on Tensor"'),
        ("out of range|[Dd]imension specified as|dim", '"out of range" or "dimension specified as" or "dim"'),
        (
            r"mean\(\) (got an unexpected|received an invalid)",
            '"mean() got an unexpected/received an invalid"',
        ),
        (r"size \d+ at .*(?:one|two)$", '"size ... at ...one/two"'),
        (r"\d-?D|a{2,3}", '"...-D" or "a"'),
        (r"\w", ""),
        ("", ""),
    ],
)
def test_a_pattern_is_shown_in_words(pattern, words):
    assert probe_finding.in_words(pattern) == words


@pytest.mark.torch
@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("place", ["./a.py:7", "a.py:7:12", "a.py:7:12:"])
def test_places_as_reports_print_them(project, capsys, place):
    project({"a.py": VIEW})
    assert "TL101" in told(capsys, place)[0]


@pytest.mark.torch
@pytest.mark.usefixtures("shared")
def test_a_notebook(project, capsys):
    cells = [
        {"cell_type": "code", "source": text, "metadata": {}, "outputs": [], "execution_count": None}
        for text in ("import torch\n", "x = torch.zeros(2, 3)\nx.t().view(6)\n")
    ]
    project({"a.ipynb": json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})})
    assert "TL101" in told(capsys, "a.ipynb:cell 2:2")[0]
    _, err = told(capsys, "a.ipynb:cell 1:1")
    assert err == "torchlsp: a.ipynb:cell 1:1: nothing is found here, but at a.ipynb:cell 2:2\n"


def test_a_line_without_findings(project, capsys):
    project({"a.py": VIEW, "b.py": "import torch\n"})
    assert told(capsys, "a.py:2") == ("", "torchlsp: a.py:2: nothing is found here, but at a.py:7\n")
    assert told(capsys, "b.py:1") == ("", "torchlsp: b.py:1: nothing is found in this file\n")
    assert told(capsys, "b.py:1", "--output-format", "json")[0] == "[]\n"


def test_a_finding_without_a_program(project, capsys, monkeypatch):
    monkeypatch.setattr("torchlsp.lint.check.reproducer", lambda what: None)
    project({"a.py": VIEW})
    out, _ = told(capsys, "a.py:7", "--output-format", "json")
    (found,) = json.loads(out)
    assert found["run"] is None
    assert found["probe"]["reason"].startswith("facts: ")
    head, verdict, *_ = told(capsys, "a.py:7")[0].split("\n")
    assert head.startswith("a.py:7:12: error TL101 ") and verdict.startswith("  probe: inconclusive: facts: ")


@pytest.mark.processes
def test_without_torch_the_program_is_shown(project, capsys, tmp_path):
    project({"a.py": VIEW})
    venv.create(tmp_path / "env", with_pip=False)
    out, _ = told(capsys, "a.py:7", "--python", str(tmp_path / "env"))
    lines = out.splitlines()
    assert any(line.startswith("  >") for line in lines)
    assert not any(line.startswith("  run") for line in lines)
    assert any(line.startswith("  probe: inconclusive: no torch: torch cannot be imported") for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.py"], "torchlsp: a.py: give a file and a line, as in model.py:27"),
        (["a.py:0"], "torchlsp: a.py:0: give a file and a line"),
        (["none.py:3"], "torchlsp: no such file: none.py"),
        ([".:3"], "torchlsp: no such file: ."),
        (["a.py:7", "--deadline", "0"], "torchlsp: --deadline 0: give seconds"),
        (["a.py:7", "--python", "/no/such"], "torchlsp: --python /no/such: it does not exist"),
    ],
)
def test_usage_errors(project, capsys, arguments, message):
    project({"a.py": VIEW})
    assert main(["probe", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(message) and printed.out == ""


def test_a_place_or_a_program_not_both(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["probe", "a.py:3", "--program", "a.py"])
    assert ended.value.code == 2
