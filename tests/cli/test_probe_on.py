"""`--probe-on`: torch is run where a command of the user's leads, and what goes wrong there is told in a line."""

from __future__ import annotations

import json
import shlex
import shutil
import sys

import pytest

from torchlsp.cli.main import main
from torchlsp.probe.remote import VARIABLE

VIEW = "import torch\nx = torch.zeros(2, 3).t()\nprint(x.view(6))\n"
HERE = f"env {shlex.quote(sys.executable)}"


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(VIEW)
    return "a.py"


def _check(file, *options):
    return main(["check", "--isolated", "--cache-dir", "kept", *options, file])


@pytest.mark.torch
@pytest.mark.processes
@pytest.mark.parametrize("way", ["option", "variable"])
def test_findings_are_tested_where_the_command_leads(file, capsys, monkeypatch, way):
    if way == "variable":
        monkeypatch.setenv(VARIABLE, HERE)
    options = ["--probe-on", HERE] if way == "option" else []
    assert _check(file, "--probe", "require", *options) == 1
    told = capsys.readouterr()
    assert "probe: confirmed by torch" in told.out
    assert f" on `{HERE}`: 1 confirmed" in told.out + told.err


@pytest.mark.processes
def test_a_machine_that_is_not_reached_costs_only_the_verdicts(file, capsys):
    command = "sh -c 'echo no route to gpu1 >&2; exit 255'"
    assert _check(file, "--probe", "auto", "--probe-on", command) == 1
    told = capsys.readouterr()
    reason = f"`{command}` ended with status 255 before a worker ran: no route to gpu1"
    assert "TL101" in told.out
    assert f"nothing was probed: {reason}" in told.out + told.err
    assert _check(file, "--probe", "require", "--probe-on", command) == 2
    assert f"torchlsp: nothing can be probed: {reason}" in capsys.readouterr().err


def test_what_cannot_be_meant(file, capsys, monkeypatch):
    assert _check(file, "--probe-on", "ssh gpu1") == 2
    assert "--probe-on needs --probe auto, require or gpu" in capsys.readouterr().err
    assert _check(file, "--probe", "auto", "--probe-on", "ssh 'gpu1") == 2
    assert "`ssh 'gpu1` is no command: No closing quotation" in capsys.readouterr().err
    monkeypatch.setenv(VARIABLE, "ssh 'gpu1")
    assert _check(file, "--probe", "auto") == 2
    assert f"{VARIABLE}: `ssh 'gpu1` is no command" in capsys.readouterr().err
    assert _check(file) == 1  # nothing is run: nobody asks


@pytest.mark.processes
def test_a_file_of_the_project_names_no_command(file, tmp_path, capsys):
    (tmp_path / "torchlsp.toml").write_text('probe-on = "touch started"\n')
    assert main(["check", "--probe", "auto", file]) == 2
    assert "probe-on" in capsys.readouterr().err
    assert not (tmp_path / "started").exists()


@pytest.mark.torch
@pytest.mark.processes
def test_a_program_of_one_s_own(file, capsys):
    assert main(["probe", "--program", file, "--probe-on", HERE]) == 0
    told = capsys.readouterr().out
    assert told.startswith("confirmed: RuntimeError: view size is not compatible")
    assert f" on `{HERE}`, " in told
    assert (
        main(
            [
                "probe",
                "--program",
                file,
                "--gpu",
                "--probe-on",
                f"env PATH=/nonexistent {shlex.quote(sys.executable)}",
            ]
        )
        == 0
    )
    assert "there is no GPU: nvidia-smi is not installed" in capsys.readouterr().out


@pytest.mark.torch
@pytest.mark.processes
def test_a_finding_by_its_place(file, capsys):
    assert main(["probe", f"{file}:3", "--probe-on", HERE]) == 0
    assert "confirmed by torch" in capsys.readouterr().out


@pytest.mark.torch
@pytest.mark.processes
def test_doctor_shows_the_other_side(file, capsys):
    import torch

    assert main(["doctor", "--output-format", "json", "--probe-on", HERE]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["probe on"] == f"`{HERE}`"
    assert told["torch there"].partition(" ")[0] == torch.__version__
    assert "eager-cpu" in told["probes there"]
    assert main(["doctor", "--output-format", "json", "--probe-on", "sh -c 'exit 4'"]) == 0
    assert "ended with status 4" in json.loads(capsys.readouterr().out)["torch there"]


@pytest.mark.torch
@pytest.mark.processes
@pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="there may be a GPU")
@pytest.mark.parametrize("there", [False, True])
def test_without_a_gpu_devices_are_emulated_and_the_summary_says_why(tmp_path, capsys, monkeypatch, there):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("import torch\ntorch.ones(3, device='cuda').numpy()\n")
    assert _check("a.py", "--probe", "gpu", *(["--probe-on", HERE] if there else [])) == 1
    told = capsys.readouterr()
    assert "confirmed (emulated device)" in told.out
    summary = told.out + told.err
    assert "devices were emulated: " in summary and "there is no GPU: nvidia-smi is not installed" in summary
