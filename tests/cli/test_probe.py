"""`check --probe`: what torch says of findings, in every format, and what becomes of those that it refutes."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import venv
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from torchlsp.cli import check as check_module
from torchlsp.cli import probing
from torchlsp.cli.main import main
from torchlsp.core.finding import Finding, ProbeRequest, Severity
from torchlsp.core.span import Span
from torchlsp.engine.config import KnownRule
from torchlsp.engine.engine import Engine
from torchlsp.engine.interpreters import site_packages
from torchlsp.engine.probing import Prober
from torchlsp.lint.runner import RunResult
from torchlsp.probe.request import Hello
from torchlsp.report.formats import FORMATS

HEAD = "import torch\n"
TRUE = ProbeRequest("import torch\n\ntorch.zeros(2, 3).t().view(6)\n", flag=(3, 3))
FALSE = ProbeRequest("import torch\n\ntorch.zeros(2, 3).view(6)\n", flag=(3, 3))
# What is found at a call, and the program that is made of it.
CALLS = {
    "true(": TRUE,
    "false(": FALSE,
    "assumed(": replace(FALSE, assumes=("CUDA is available",)),
    "unknown(": None,
}


def analyse(tree, provider, codes, **_options) -> RunResult:
    """A finding at every call of CALLS. All are of TL101, whose page's examples fail in torch."""
    text = tree.document.text
    found = []
    for word, request in CALLS.items():
        place = text.find(word)
        while place >= 0:
            span = Span(place, text.index(")", place) + 1)
            name, made = "view-on-noncontiguous", request() if callable(request) else request
            found.append(
                Finding("TL101", name, tree.document.path, span, "it fails", Severity.ERROR, probe=made)
            )
            place = text.find(word, place + 1)
    return RunResult(found)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = [KnownRule("TL101", "view-on-noncontiguous", Severity.ERROR)]
    monkeypatch.setattr(check_module, "Engine", lambda options: Engine(options, runner=analyse, rules=rules))


class Shared(Prober):
    """A run's end is not its end."""

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def prober():
    pytest.importorskip("torch")
    one = Shared(sys.executable, site_packages(sys.executable), deadline=probing.DEADLINE)
    yield one
    Prober.close(one)


@pytest.fixture
def shared(prober, monkeypatch: pytest.MonkeyPatch) -> None:
    """Starting a worker takes seconds: the runs get one that is there already."""
    monkeypatch.setattr(probing, "prober_for", lambda *_, **__: prober)


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> Path:
    """An environment without torch."""
    folder = tmp_path_factory.mktemp("bare") / "env"
    venv.create(folder, with_pip=False)
    return folder


@pytest.fixture(scope="module")
def broken(tmp_path_factory) -> Path:
    """An environment whose torch does not import."""
    folder = tmp_path_factory.mktemp("broken") / "env"
    venv.create(folder, with_pip=False)
    pattern = "Lib/site-packages" if sys.platform == "win32" else "lib/python*/site-packages"
    (site,) = folder.glob(pattern)
    (site / "torch").mkdir()
    (site / "torch" / "__init__.py").write_text(
        "raise OSError('libtorch_cpu.so: cannot open shared object file')\n"
    )
    return folder


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(["check", *arguments])
    told = capsys.readouterr()
    return status, told.out, told.err


# ---- verdicts ----------------------------------------------------------------------------------------------------------


@pytest.mark.torch
@pytest.mark.usefixtures("stand_in", "shared")
class TestVerdicts:
    def test_what_torch_refutes_is_withdrawn_and_does_not_count(self, project, capsys):
        project({"a.py": HEAD + "false()\n"})
        assert run(capsys)[0] == 1
        status, out, err = run(capsys, "--probe", "auto")
        assert (status, err) == (0, "")
        assert out.startswith("No findings in 1 file\nprobed with torch ")
        assert out.endswith(": 1 refuted\n")

    def test_what_torch_confirms_or_cannot_tell_stays(self, project, capsys):
        project({"a.py": HEAD + "true()\nfalse()\nassumed()\nunknown()\n"})
        status, out, _ = run(capsys, "--probe", "require")
        assert status == 1
        lines = [line for line in out.splitlines() if line.startswith(("a.py", "  probe"))]
        assert [line.split()[0] for line in lines[::2]] == ["a.py:2:1:", "a.py:4:1:", "a.py:5:1:"]
        assert lines[1].startswith("  probe: torch ") and " refuses these operands: " in lines[1]
        assert "+" not in lines[1] and "RuntimeError: view size is not compatible" in lines[1]
        assert lines[3] == "  probe: inconclusive: facts: only assumed: CUDA is available"
        assert lines[5] == "  probe: inconclusive: facts: too little is known to run it"
        summary, note = out.splitlines()[-2:]
        assert summary == "3 errors in 1 file"
        assert note.endswith(": 1 reproduced, 1 refuted, 2 inconclusive (2 facts)")

    def test_several_files(self, project, capsys):
        project({"a.py": HEAD + "false()\n", "b.py": HEAD + "x = 1\n", "c.py": HEAD + "false()\ntrue()\n"})
        status, out, _ = run(capsys, "--probe", "auto", "--output-format", "concise")
        assert status == 1
        assert [line.partition(" ")[0] for line in out.splitlines()] == ["c.py:3:1:"]

    def test_json(self, project, capsys):
        project({"a.py": HEAD + "true()\nfalse()\n"})
        status, out, err = run(capsys, "--probe", "auto", "--show-refuted", "--output-format", "json")
        reproduced, refuted = json.loads(out)
        assert status == 1 and err.startswith("torchlsp: probed with torch ")
        told = reproduced["probe"]
        assert told.pop("ms") > 0
        assert told.pop("error").startswith("RuntimeError: view size is not compatible")
        assert err.startswith(f"torchlsp: probed with torch {told.pop('torch').partition('+')[0]}: ")
        assert told == {
            "verdict": "reproduced",
            "kind": "eager-cpu",
            "evidence": "torch",
            "witness": None,
            "assumes": [],
            "device": "cpu",
            "reason": None,
            "facts": [],
            "own_code": "`true` is not defined in sight",
        }
        assert (refuted["probe"]["verdict"], refuted["probe"]["error"]) == ("refuted", None)

    def test_refuted_ones_are_kept_on_demand_and_still_do_not_count(self, project, capsys):
        project({"a.py": HEAD + "false()\n"})
        shown = "--probe", "auto", "--show-refuted"
        status, out, _ = run(capsys, *shown)
        assert status == 0
        assert out.startswith("a.py:2:1: error TL101 it fails [view-on-noncontiguous] (refuted)\n")
        assert "  probe: refuted by torch " in out and "\n1 refuted in 1 file\n" in out
        concise = run(capsys, *shown, "--output-format", "concise")
        assert concise[:2] == (0, "a.py:2:1: error TL101 it fails [view-on-noncontiguous] (refuted)\n")
        status, out, _ = run(capsys, *shown, "--output-format", "sarif")
        (result,) = json.loads(out)["runs"][0]["results"]
        (suppression,) = result["suppressions"]
        assert (status, suppression["status"]) == (0, "accepted")
        assert suppression["justification"].startswith("refuted by torch ")
        status, out, _ = run(capsys, *shown, "--output-format", "github")
        assert status == 0 and out.startswith("::notice ")
        status, out, _ = run(capsys, *shown, "--output-format", "gitlab")
        assert status == 0 and json.loads(out)[0]["severity"] == "info"
        status, out, _ = run(capsys, *shown, "--output-format", "junit")
        assert status == 0
        root = ElementTree.fromstring(out)
        assert (root.get("failures"), root.get("skipped")) == ("0", "1")

    @pytest.mark.parametrize("form", FORMATS)
    def test_in_no_format_is_a_refuted_one_left(self, project, capsys, form):
        project({"a.py": HEAD + "false()\n"})
        status, out, _ = run(capsys, "--probe", "auto", "--output-format", form)
        assert status == 0
        assert "it fails" not in out

    def test_statistics(self, project, capsys):
        project({"a.py": HEAD + "true()\nfalse()\nfalse()\n"})
        for more in ([], ["--show-refuted"]):
            status, out, _ = run(capsys, "--probe", "auto", "--statistics", *more)
            assert status == 1
            assert out.splitlines()[0] == "1  TL101  view-on-noncontiguous"

    def test_a_baseline_hides_what_it_knows_and_the_rest_is_probed(self, project, capsys):
        project({"a.py": HEAD + "unknown()\n"})
        assert run(capsys, "--write-baseline", "b.json")[0] == 0
        project({"a.py": HEAD + "unknown()\nfalse()\n"})
        status, out, _ = run(capsys, "--baseline", "b.json", "--probe", "auto")
        assert status == 0
        assert "1 known finding hidden by the baseline\n" in out
        assert out.endswith(": 1 refuted\n")

    def test_no_baseline_and_no_comment_for_what_is_refuted(self, project, capsys):
        folder = project({"a.py": HEAD + "true()\nfalse()\n"})
        assert run(capsys, "--probe", "auto", "--write-baseline", "b.json")[0] == 0
        assert len(json.loads((folder / "b.json").read_text())["findings"]) == 1
        run(capsys, "--probe", "auto", "--add-ignores")
        lines = (folder / "a.py").read_text().splitlines()
        assert ["ignore" in line for line in lines] == [False, True, False]

    def test_output_file(self, project, capsys):
        folder = project({"a.py": HEAD + "true()\nfalse()\n"})
        status, out, _ = run(capsys, "--probe", "auto", "--output-format", "json", "--output-file", "o.json")
        assert status == 1
        assert out.splitlines()[-1].endswith(": 1 reproduced, 1 refuted")
        assert len(json.loads((folder / "o.json").read_text())) == 1

    def test_quiet(self, project, capsys):
        project({"a.py": HEAD + "false()\n"})
        assert run(capsys, "--probe", "auto", "-q") == (0, "", "")

    def test_what_is_not_locked_in_is_said(self, project, capsys, monkeypatch):
        project({"a.py": HEAD + "true()\n"})
        monkeypatch.setattr(Hello, "is_locked", True)
        assert "locked" not in run(capsys, "--probe", "require")[1]
        monkeypatch.setattr(Hello, "is_locked", False)
        _, out, _ = run(capsys, "--probe", "require")
        assert out.endswith(", without a sandbox: 1 reproduced\n")

    def test_a_terminal_is_shown_how_far_it_is(self, project, capsys, monkeypatch):
        """Several batches of programs that no run before has asked for."""
        shown = []
        monkeypatch.setattr(probing.Bar, "draw", lambda bar, *at: shown.append((bar._shown, *at)))
        monkeypatch.setattr(probing.Bar, "clear", lambda bar: shown.append("cleared"))
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        programs = iter(range(12))
        monkeypatch.setitem(CALLS, "true(", lambda: replace(TRUE, assumes=(f"{next(programs)}",)))
        project({"a.py": HEAD + "true()\n" * 12})
        assert run(capsys, "--probe", "auto")[0] == 1
        assert shown[-3:] == [(True, 0, 12, "in torch"), (True, 10, 12, "in torch"), "cleared"]

    def test_fail_on(self, project, capsys):
        project({"a.py": HEAD + "unknown()\nfalse()\n"})
        assert run(capsys, "--probe", "auto", "--fail-on", "error")[0] == 1
        assert run(capsys, "--probe", "auto", "--exit-zero")[0] == 0


# ---- the installed rules -----------------------------------------------------------------------------------------------

VIEW = "import torch\n\n\ndef f():\n    x = torch.zeros(2, 3)\n    return x.t().view(6)\n\n\nf()\n"
SHAPE = "\n\ndef g():\n    return torch.zeros(2, 3).view(4, 2)\n\n\ng()\n"


@pytest.mark.torch
@pytest.mark.usefixtures("shared")
class TestInstalledRules:
    def test_what_is_left_after_fixes_is_probed(self, project, capsys):
        folder = project({"a.py": VIEW + SHAPE})
        status, out, _ = run(capsys, "--fix", "--probe", "auto", "a.py")
        assert status == 1
        assert "reshape(6)" in (folder / "a.py").read_text()
        assert "probe: confirmed by torch" in out
        assert out.splitlines()[-1].endswith(": 1 confirmed")

    def test_standard_input(self, project, capsys, monkeypatch):
        project({})
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(VIEW.encode())))
        status, out, _ = run(capsys, "-", "--probe", "require", "--output-format", "json")
        (found,) = json.loads(out)
        assert (status, found["filename"], found["probe"]["verdict"]) == (1, "<stdin>", "confirmed")

    def test_a_notebook(self, project, capsys):
        cells = [
            {"cell_type": "code", "source": text, "metadata": {}, "outputs": [], "execution_count": None}
            for text in ("import torch\n", "%time x = torch.zeros(2, 3)\nx.t().view(6)\n")
        ]
        project({"a.ipynb": json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})})
        status, out, _ = run(capsys, "a.ipynb", "--probe", "auto", "--output-format", "json")
        (found,) = json.loads(out)
        assert (status, found["cell"], found["probe"]["verdict"]) == (1, 2, "reproduced")
        assert found["probe"]["own_code"] == "the cells of a notebook run in any order"


# ---- without a worker --------------------------------------------------------------------------------------------------


@pytest.mark.processes
def test_without_torch_auto_says_so_and_goes_on(project, capsys, bare):
    project({"a.py": VIEW})
    status, out, err = run(capsys, "a.py", "--probe", "auto", "--python", str(bare))
    assert (status, err) == (1, "")
    assert "TL101" in out and "  probe: " not in out
    told = "nothing was probed: torch cannot be imported: ModuleNotFoundError: No module named 'torch'"
    assert out.splitlines()[-1] == told
    status, out, err = run(
        capsys, "a.py", "--probe", "auto", "--python", str(bare), "--output-format", "json"
    )
    assert (status, err) == (1, f"torchlsp: {told}\n")
    assert json.loads(out)[0]["probe"] is None


@pytest.mark.processes
def test_without_torch_require_fails(project, capsys, bare):
    project({"a.py": VIEW, "b.py": "x = 1\n"})
    told = "torchlsp: nothing can be probed: torch cannot be imported: ModuleNotFoundError: No module named 'torch'\n"
    for path, found in (("a.py", True), ("b.py", False)):
        status, out, err = run(capsys, path, "--probe", "require", "--python", str(bare))
        assert (status, err) == (2, told)
        assert ("TL101" in out) == found


@pytest.mark.processes
def test_a_torch_that_does_not_import(project, capsys, broken):
    project({"a.py": VIEW})
    status, out, _ = run(capsys, "a.py", "--probe", "auto", "--python", str(broken))
    assert status == 1
    assert out.splitlines()[-1] == (
        "nothing was probed: torch cannot be imported: OSError: libtorch_cpu.so: cannot open shared object file"
    )


@pytest.mark.processes
def test_a_program_that_is_no_python(project, capsys, tmp_path):
    project({"a.py": VIEW})
    for name, text in (("ends", "#!/bin/sh\nexit 0\n"), ("nonsense", "not a program")):
        path = tmp_path / name
        path.write_text(text)
        path.chmod(0o755)
        status, out, _ = run(capsys, "a.py", "--probe", "auto", "--python", str(path))
        assert status == 1
        assert "nothing was probed: the " in out


@pytest.mark.usefixtures("stand_in")
def test_no_worker_is_started_for_nothing(project, capsys, bare):
    """A Python without torch would be complained of."""
    project({"a.py": HEAD + "unknown()\n", "b.py": HEAD})
    for path, note in (("a.py", "probed: 1 inconclusive (1 facts)"), ("b.py", "No findings in 1 file")):
        _, out, err = run(capsys, path, "--probe", "auto", "--python", str(bare))
        assert (out.splitlines()[-1], err) == (note, "")


@pytest.mark.torch
def test_the_next_run_needs_no_worker(project, tmp_path, monkeypatch):
    """As users run it: what one process was told the next one knows."""
    pytest.importorskip("torch")
    project({"a.py": VIEW})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    command = [sys.executable, "-m", "torchlsp", "check", "a.py", "--probe", "auto"]
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    first = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert first.returncode == 1 and "confirmed by torch" in first.stdout
    script = (
        "import subprocess\n"
        "def refuse(*args, **more): raise OSError('a worker was started')\n"
        "subprocess.Popen = refuse\n"
        "from torchlsp.cli.main import main\n"
        "raise SystemExit(main(['check', 'a.py', '--probe', 'auto']))\n"
    )
    second = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (second.returncode, second.stdout) == (1, first.stdout)
