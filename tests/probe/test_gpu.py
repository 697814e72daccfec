"""Choosing a GPU, and the worker that runs on one; a real one is needed for the marker `gpu` only."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from torchlsp.engine.interpreters import site_packages
from torchlsp.probe.client import Worker
from torchlsp.probe.request import Request
from torchlsp.probe.worker import zygote
from torchlsp.probe.worker.gpu import chosen, idle_gpu


@pytest.mark.parametrize(
    ("table", "uuid", "said"),
    [
        ("GPU-a, 3, 70000\n", "GPU-a", "idle"),
        ("GPU-a, 95, 70000\nGPU-b, 0, 2048\n", "GPU-b", "idle"),
        ("GPU-a, 21, 70000\n", None, "all GPUs are in use"),
        ("GPU-a, 0, 2047\n", None, "all GPUs are in use"),
        ("GPU-a, [N/A], 70000\n", None, "all GPUs are in use"),
        ("", None, "there is no GPU"),
        ("No devices were found\n", None, "there is no GPU"),
    ],
)
def test_an_idle_gpu_is_chosen(table: str, uuid: str | None, said: str):
    assert chosen(table) == (uuid, said)


@pytest.fixture
def nvidia(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts an nvidia-smi of our own on the path."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", str(tmp_path / "mps"))

    def says(program: str) -> None:
        path = tmp_path / "nvidia-smi"
        path.write_text(f"#!{sys.executable}\n{program}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    return says


@pytest.mark.processes
def test_nvidia_smi_is_asked(nvidia):
    nvidia("import sys; print('GPU-x, 1, 9000' if 'uuid' in sys.argv[1] else '')")
    assert idle_gpu() == ("GPU-x", "idle")


@pytest.mark.processes
def test_what_nvidia_smi_refuses_is_said(nvidia):
    nvidia("print('NVIDIA-SMI has failed'); raise SystemExit(9)")
    assert idle_gpu() == (None, "nvidia-smi says: NVIDIA-SMI has failed")


@pytest.mark.processes
def test_without_nvidia_smi_there_is_no_gpu(nvidia):
    assert idle_gpu() == (None, "there is no GPU: nvidia-smi is not installed")


def test_beside_the_multi_process_service_nothing_runs(nvidia, tmp_path: Path):
    nvidia("print('GPU-x, 1, 9000')")
    (tmp_path / "mps").mkdir()
    (tmp_path / "mps" / "control").write_text("")
    assert idle_gpu() == (None, "the multi-process service of NVIDIA is running")


def test_an_error_of_the_device_ends_the_worker():
    def ended(text: str) -> dict:
        return {"error": {"class": "RuntimeError", "text": text, "row": 1}}

    assert zygote._has_broken_the_device([{"error": None}, ended("CUDA error: device-side assert triggered")])
    assert not zygote._has_broken_the_device(
        [{"error": None}, ended("can't convert cuda:0 device type tensor")]
    )


@pytest.mark.torch
def test_where_the_gpu_does_not_work_its_kind_is_off():
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with Worker(sys.executable, site_packages(sys.executable), gpu="GPU-none") as worker:
        hello = worker.hello()
        assert not hello.kinds and not hello.is_locked
        assert any("real-cuda is switched off" in problem for problem in hello.problems)
        (answer,) = worker.run([Request("import torch\n", "real-cuda")], 5.0)
        assert answer.outcome == "unsupported"


@pytest.mark.torch
def test_the_command_says_why_there_is_no_gpu(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text("import torch\n")
    ended = subprocess.run(
        [
            sys.executable,
            "-m",
            "torchlsp",
            "probe",
            "--gpu",
            "--program",
            str(program),
            "--output-format",
            "json",
        ],
        env=os.environ | {"PATH": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 0
    assert '"verdict": "inconclusive"' in ended.stdout and "there is no GPU" in ended.stdout


@pytest.mark.gpu
@pytest.mark.torch
def test_a_real_gpu_answers_as_the_emulated_one():
    uuid, why = idle_gpu()
    if uuid is None:
        pytest.skip(why)
    with Worker(sys.executable, site_packages(sys.executable), gpu=uuid) as worker:
        assert worker.hello().kinds == {"real-cuda"}
        program = "import torch\nx = torch.ones(2).cuda()\nx.numpy()\n"
        (answer,) = worker.run([Request(program, "real-cuda", (3, 3))], 30.0)
        assert answer.outcome == "raised" and "can't convert cuda:0" in answer.error.text
