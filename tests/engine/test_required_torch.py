"""Which torch a project requires, read from the files in which projects say so; the rules are pip's, conda's and Poetry's."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from torchlsp.cli.main import main
from torchlsp.core.project import is_requirement_file
from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine, Options
from torchlsp.engine.required_torch import RequiredByFolder

CONDA = """name: torch
channels:
  - pytorch
dependencies:
  - python=3.7
  - pytorch=1.2.0=py3.7_cuda10.0.130_cudnn7.6.2_0
  - pytorch-lightning=1.1
  - pip:
    - torchvision==0.3
"""
POETRY = '[tool.poetry.dependencies]\npython = "^3.8"\ntorch = {}\n'
NEWEST = "2.15"


@pytest.fixture
def required(tmp_path: Path):
    (tmp_path / ".git").mkdir()

    def required(name: str, text: str) -> str | None:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
        found = RequiredByFolder().for_path(str(tmp_path / "train.py"))
        return None if found is None else found.newest()

    return required


@pytest.mark.parametrize(
    ("line", "newest"),
    [
        ("torch==2.4.0", "2.4"),
        ("torch==2.1.0+cu118", "2.1"),
        ("torch == 1.6.0  # GPU", "1.6"),
        ("torch==0.1.12.post2", "0.1"),
        ("torch==1.8.*", "1.8"),
        ("torch~=1.8.1", "1.8"),
        ("torch~=1.8", "1.13"),
        ("torch>=1.7,<=1.13.1", "1.13"),
        ("torch<2", "1.13"),
        ("torch[opt-einsum]<2.1", "2.0"),
        ("torch>=1.7", NEWEST),
        ("torch", NEWEST),
        ("torch; python_version > '3.8'", NEWEST),
        ("torch<2.3; sys_platform == 'darwin'", "2.2"),
        (
            "torch @ https://download.pytorch.org/whl/cu118/torch-2.1.0%2Bcu118-cp310-cp310-linux_x86_64.whl",
            "2.1",
        ),
        ("https://download.pytorch.org/whl/cu90/torch-0.4.1-cp36-cp36m-linux_x86_64.whl", "0.4"),
        ("torchvision==0.3", "1.1"),
        ("torchvision==0.9.1", "1.8"),
        ("torch\ntorchvision==0.16", "2.1"),
        ("torch>=1.4\ntorchaudio==0.13.1", "1.13"),
        ("torch>=1.4,<1.10\ntorchvision==0.9", "1.9"),
        ("torchvision>=0.9", None),
        ("torchvision==0.2.1", None),
        ("torch-scatter==2.0.4", None),
        ("torch_geometric==2.0.4", None),
        ("# torch==1.2", "1.2"),
        ("# torch==1.2\ntorch>=1.0", NEWEST),
        ("https://conda.anaconda.org/pytorch/win-64/pytorch-1.8.1-py3.6_cuda10.2_cudnn7_0.tar.bz2", "1.8"),
        ("https://conda.anaconda.org/conda-forge/noarch/pytorch-metric-learning-1.3.0-pyh3.tar.bz2", None),
        ("pytorch=1.2.0=py3.7_cuda10.0.130_cudnn7.6.2_0", "1.2"),
        ("pytorch-lightning==1.2", None),
        ("torch==one", NEWEST),
    ],
)
def test_a_line_of_pip(required, line: str, newest: str | None):
    assert required("requirements.txt", f"numpy==1.19\n{line}\ntqdm\n") == newest


@pytest.mark.parametrize(
    ("name", "text", "newest"),
    [
        ("requirements-dev.txt", "torch==1.9\n", "1.9"),
        ("requirement.txt", "torch==1.9\n", "1.9"),
        ("environment.yml", CONDA, "1.2"),
        ("environment.yml", CONDA.replace("pytorch=1.2.0=py3.7_cuda10.0.130_cudnn7.6.2_0", "python"), "1.1"),
        ("environment.yml", CONDA.replace("pytorch=1.2.0", "x=1").replace("torchvision==0.3", "tqdm"), "1.13"),
        ("environment.yml", "dependencies:\n  - pytorch\n  - torchvision=0.8.2\n", "1.7"),
        ("compose.yml", "services:\n  - torchvision=0.8.2\n", None),
        ("setup.py", "setup(install_requires=['torch'], python_requires='>=3.6,<3.8')\n", "1.13"),
        ("setup.py", "setup(install_requires=['torch'], python_requires='>=3.6')\n", NEWEST),
        ("pyproject.toml", '[project]\nrequires-python = ">=3.7,<3.9.5"\ndependencies = ["torch"]\n', "2.8"),
        ("pyproject.toml", POETRY.format('"*"').replace('"^3.8"', '"~3.8"'), "2.4"),
        ("Pipfile", '[packages]\ntorch = "*"\n\n[requires]\npython_version = "3.7"\n', "1.13"),
        ("pyproject.toml", POETRY.format('"*"').replace('"^3.8"', '"no version"'), NEWEST),
        ("environment.yml", CONDA.replace("torchvision==0.3", "torch==1.10.1").replace("pytorch=1.2", "x=1"), "1.10"),
        ("EDSR-Pytorch.yml", CONDA, "1.2"),
        ("compose.yml", "services:\n  train:\n    image: pytorch=1.2\n    - pytorch=1.2\n", None),
        ("conda_env.yaml", "dependencies:\n- pytorch::pytorch>=1.5,<1.8\n", "1.7"),
        ("setup.py", "setup(install_requires=['numpy', 'torch>=1.5,<1.12', 'torchvision==0.9'])\n", "1.11"),
        ("setup.cfg", "[options]\ninstall_requires =\n    torch<1.10\n", "1.9"),
        ("pyproject.toml", '[project]\ndependencies = ["numpy", "torch>=2.1,<2.4"]\n', "2.3"),
        ("pyproject.toml", '[project.optional-dependencies]\nml = ["torch==2.2.1"]\n', "2.2"),
        ("pyproject.toml", '[dependency-groups]\nml = [{include-group = "x"}, "torch==2.0.1"]\n', "2.0"),
        ("pyproject.toml", POETRY.format('"^1.7.1"'), "1.13"),
        ("pyproject.toml", POETRY.format('"~1.7.1"'), "1.7"),
        ("pyproject.toml", POETRY.format('"1.8.0"'), "1.8"),
        ("pyproject.toml", POETRY.format('"*"'), NEWEST),
        ("pyproject.toml", POETRY.format('{ version = "^1.4", optional = true }'), "1.13"),
        ("pyproject.toml", POETRY.format('[{ version = "1.4", platform = "x" }, { version = "1.6" }]'), "1.6"),
        ("pyproject.toml", POETRY.format('{ git = "https://github.com/pytorch/pytorch" }'), NEWEST),
        ("pyproject.toml", "not = [toml", None),
        ("pyproject.toml", '[tool.ruff]\nselect = ["torch"]\n', None),
        ("Pipfile", '[packages]\ntorch = "==1.11"\n', "1.11"),
        ("README.md", "torch==1.1\n", "1.1"),
        ("README.md", "Tested with Python 3.6 and PyTorch v1.4 on Ubuntu.\n", "1.4"),
        ("README.md", "The code is based on `pytorch` (1.7.1).\n", "1.7"),
        ("README.md", "| PyTorch | 1.11.0 |\n| torchvision | 0.12 |\n", "1.11"),
        ("README.md", "![](https://img.shields.io/badge/PyTorch-2.5.1-red.svg)\n", "2.5"),
        ("README.md", "![](https://img.shields.io/badge/PyTorch-2.0+-red.svg)\n", None),
        ("README.md", "Written with PyTorch 2.2.0+cu118.\n", "2.2"),
        ("README.md", "Written with PyTorch 1.4.\n\nNeeds PyTorch>=1.2.\n", None),
        ("README.md", "Needs PyTorch 1.8 and above, Python 3.6 or later.\n", None),
        ("README.md", "Uses PyTorch Lightning 1.5, pytorch-ignite 0.4 and https://x.org/pytorch/2.1.\n", None),
        ("README.md", "conda create -n net python=3.7\nconda activate net\npip install torch\n", "1.13"),
        ("README.md", "Python 3.7, 3.8\nPython 3.11\n", None),
        ("INSTALL.md", "PyTorch: 1.6.0\n", "1.6"),
        ("setup.sh", "pip install torch==1.6.0\n", "1.6"),
        ("docker/Dockerfile", "FROM pytorch/pytorch:1.6.0\n", "1.6"),
        ("requirements/base.txt", "torch==1.6.0\n", "1.6"),
        ("envs/gpu.yml", "dependencies:\n  - pytorch=1.6\n", "1.6"),
        ("part/requirements.txt", "torch==1.6.0\n", None),
        ("README.md", "```\npip3 install torch==1.4.0 torchvision==0.5\n```\n", "1.4"),
        ("README.md", "    conda install pytorch=1.8 torchvision -c pytorch\n", "1.8"),
        ("README.md", "pip install http://download.pytorch.org/whl/cu80/torch-0.2.0.post3-cp35-cp35m-manylinux1_x86_64.whl\n", "0.2"),
        ("readme.rst", "* PyTorch 1.0.1\n* Python 3.6\n", "1.0"),
        ("README.md", "- [PyTorch](https://pytorch.org) 1.3.1\n", "1.3"),
        ("README.md", "- PyTorch >= 1.0\n- PyTorch 1.0 or newer\n", None),
        ("README.md", "pip install torch\npip install torch>=1.4\npip install torch-scatter==1.4\n", None),
        ("Dockerfile", "FROM pytorch/pytorch:1.8.1-cuda11.1-cudnn8-runtime\n", "1.8"),
        ("environment.yml", "dependencies:\n  - python=3.7\n  - pytorch\n", "1.13"),
        ("environment.yml", "dependencies:\n  - python=3.8.5=h7579374_1\n  - pytorch>=1.7\n", "2.4"),
        ("environment.yml", "dependencies:\n  - python=3.11\n  - pytorch\n", NEWEST),
        ("README.md", "- Python 3.8.10\n", "2.4"),
        ("README.md", "- Python 3.6\n- PyTorch 1.4\n", "1.4"),
        ("README.md", "- Python 3.6+\n- Python >= 3.6\n", None),
        ("Dockerfile", "FROM python:3.9-slim\nRUN pip install torch\n", "2.8"),
        ("Dockerfile.gpu", "FROM ubuntu\nRUN pip install torch==1.9.0+cu111\n", "1.9"),
        ("train.txt", "torch==1.1\n", None),
    ],
)  # fmt: skip
def test_a_file(required, name: str, text: str, newest: str | None):
    assert required(name, text) == newest


def test_a_wheel_that_is_unpacked_and_a_source_distribution(required, tmp_path: Path):
    metadata = "Metadata-Version: 2.1\nRequires-Dist: torchvision (<0.5)\nRequires-Dist: torch (<1.5,>=1.3)\n"
    assert required("PKG-INFO", metadata) == "1.4"
    (tmp_path / "PKG-INFO").unlink()
    for name in ("one", "two"):
        (tmp_path / f"{name}-1.dist-info").mkdir()
        (tmp_path / f"{name}-1.dist-info" / "METADATA").write_text(
            metadata.replace("(<1.5,>=1.3)", "~=1.3.0")
        )
        # Two are an environment, whose packages say nothing of the code beside them.
        assert required("train.py", "") == ("1.3" if name == "one" else None)


def test_of_several_files_the_most_recent_release_counts(required):
    required("setup.py", "setup(install_requires=['torch>=1.5'])\n")
    assert required("requirements.txt", "torch==1.8.1\n") == NEWEST


def test_the_nearest_folder_counts_and_none_above_the_repository(tmp_path: Path):
    (tmp_path / "requirements.txt").write_text("torch==1.5\n")
    repository = tmp_path / "repository"
    (repository / "old" / "src").mkdir(parents=True)
    (repository / "new").mkdir()
    found = RequiredByFolder()
    assert found.for_path(str(repository / "train.py")).newest() == "1.5"
    (repository / ".git").mkdir()
    (repository / "old" / "requirements.txt").write_text("torch==1.9\n")
    found = RequiredByFolder()
    assert found.for_path(str(repository / "train.py")) is None
    assert found.for_path(str(repository / "new" / "a.py")) is None
    assert found.for_path(str(repository / "old" / "src" / "a.py")).newest() == "1.9"
    assert found.for_path(str(repository / "old" / "b.py")).newest() == "1.9"


def test_what_cannot_be_read_says_nothing(tmp_path: Path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "requirements.txt").symlink_to("/dev/zero")
    (tmp_path / "requirements").mkdir()
    (tmp_path / "setup.cfg").write_bytes(b"\xff\xfe torch")
    assert RequiredByFolder().for_path(str(tmp_path)) is None
    assert RequiredByFolder().for_path(str(tmp_path / "gone" / "a.py")) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "/torch-" + "1.1." * 200_000),
        ("requirements.txt", "torch==" + "1." * 400_000),
        ("setup.py", "'torch" * 150_000),
        ("README.md", ("pip install " + "torch=" * 80 + "\n") * 2_000),
        ("README.md", ("torch`)" * 70 + "\n") * 2_000),
        ("README.md", ("python==(" * 50 + "\n") * 2_000),
        ("requirements.txt", ("torchvision=" * 40 + "\n") * 2_000),
        ("setup.py", "python_requires=" + "=" * 400_000),
        ("Dockerfile", ("FROM " + "pytorch/" * 60 + "\n") * 2_000),
        ("environment.yml", "dependencies:\n- pytorch=" + "1." * 400_000),
        ("pyproject.toml", POETRY.format('"' + "^1." * 200_000 + '"')),
        ("pyproject.toml", "[project]\ndependencies = [" + '"torch==' + "1." * 300_000 + '"]'),
        ("pyproject.toml", "a." * 100_000 + "b = 'torch'"),
    ],
)
def test_what_was_written_to_keep_us_busy_says_nothing(required, name: str, text: str):
    assert required(name, text) is None


def test_of_endless_requirements_the_first_count(required):
    lines = "".join(f"torch==1.{patch % 12}.{patch}\n" for patch in range(50_000))
    assert required("requirements.txt", "torch==2.1\n" + lines) == "2.1"


@pytest.mark.parametrize(
    ("installed", "allowed"),
    [("2.4.1+cu121", True), ("2.4.0a0+git1234", False), ("2.5.0", False), ("nightly", True), ("", True)],
)
def test_an_installed_release(tmp_path: Path, installed: str, allowed: bool):
    (tmp_path / "requirements.txt").write_text("torch>=2.4,<2.5\n")
    assert RequiredByFolder().for_path(str(tmp_path)).allows(installed) is allowed


def test_names_of_files():
    assert is_requirement_file("requirements_gpu.txt") and is_requirement_file("environment-cpu.yml")
    assert not is_requirement_file("train.py") and not is_requirement_file("README.md")


def test_the_newest_python_of_all_environments_counts(required):
    required("gpu.yml", "dependencies:\n  - python=3.7\n  - pytorch\n")
    assert required("setup.py", "setup(python_requires='>=3.6')\n") == "1.13"
    assert required("cpu.yml", "dependencies:\n  - python=3.8\n") == "2.4"
    assert required("new.yml", "dependencies:\n  - python=3.12\n") == NEWEST


def test_requirements_go_before_instructions(tmp_path: Path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "README.md").write_text("pip install torch==1.4.0\n")
    (tmp_path / "README.md").write_text("pip install torch==1.6.0\n")
    found = RequiredByFolder()
    assert found.for_path(str(tmp_path / "part")).newest() == "1.4"
    assert found.for_path(str(tmp_path)).newest() == "1.6"
    assert RequiredByFolder().for_path(str(tmp_path)).is_mention
    (tmp_path / "requirements.txt").write_text("torch==1.8.0\n")
    for folder in (tmp_path / "part", tmp_path):
        required = RequiredByFolder().for_path(str(folder))
        assert (required.newest(), required.is_mention) == ("1.8", False)


PROGRAM = """import torch

optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, verbose=True)
"""


def test_the_torch_that_is_required_is_checked_for(tmp_path: Path, monkeypatch, capsys):
    """`verbose` went with torch 2.7: measured with 2.6 and 2.7, as its entry in the table of releases."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    arguments = ["check", "--no-cache", "--output-format", "concise", "train.py"]
    assert main(arguments) == 1
    assert "TL908" in capsys.readouterr().out
    (tmp_path / "requirements.txt").write_text("torch==2.6.0\n")
    assert main(arguments) == 0
    assert main(["check", "--isolated", *arguments[1:]]) == 0
    # Named by hand, the environment decides: its torch is the newest that the tests install.
    assert main([*arguments, "--python", sys.executable]) == 1
    (tmp_path / "requirements.txt").write_text("torch>=2.6.0\n")
    assert main(arguments) == 1
    (tmp_path / "requirements.txt").write_text("torch==2.6.0\n")
    capsys.readouterr()
    assert main(["check", "--show-settings", "train.py"]) == 0
    assert "2.6 (required by requirements.txt)" in capsys.readouterr().out
    (tmp_path / "torchlsp.toml").write_text('torch-version = "2.9"\n')
    assert main(arguments) == 1


def test_a_torch_that_is_installed_goes_before_instructions(tmp_path: Path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "README.md").write_text("pip install torch==2.6.0\n")
    for installed, expected in ((None, ("2.6+", str(tmp_path / "README.md"))), ("2.13.0", ("2.13.0", None))):
        engine = Engine(Options(Overrides(isolated=True), torch=installed))
        assert engine.torch_for(str(tmp_path / "train.py")) == expected


FILLED = """import torch

label = torch.full((4,), 1)
torch.nn.BCEWithLogitsLoss()(torch.zeros(4), label)
"""


def test_what_full_gave_before_it_took_the_dtype_of_the_value(tmp_path: Path, monkeypatch, capsys):
    """Before torch 1.7 `full` gave floats for any value, as its release notes say; from then on whole numbers give i64."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text(FILLED)
    monkeypatch.chdir(tmp_path)
    for required, status in (("1.7.0", 1), ("1.4.0", 0)):
        (tmp_path / "requirements.txt").write_text(f"torch=={required}\n")
        assert main(["check", "--no-cache", "--output-format", "concise", "train.py"]) == status
        assert ("TL207" in capsys.readouterr().out) is bool(status)


REFUSED_LATER = """import torch

convolution = torch.nn.Conv1d(3, 4, kernel_size=(1, 3))
torch.ones(2, 3)[torch.ones(2, 3, 1, dtype=torch.bool)]
torch.zeros(3, dtype=torch.bool).argmax()
"""


def test_what_only_later_releases_refuse(tmp_path: Path, monkeypatch, capsys):
    """The measured releases, from 1.13 on, refuse each of the three; of older ones 1.9 takes such a kernel for 4D input."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text(REFUSED_LATER)
    monkeypatch.chdir(tmp_path)
    arguments = ["check", "--no-cache", "--output-format", "concise", "train.py"]
    for required, codes in (("1.13.1", ["TL922", "TL113", "TL230"]), ("1.9.0", [])):
        (tmp_path / "requirements.txt").write_text(f"torch=={required}\n")
        main(arguments)
        out = capsys.readouterr().out
        assert [code for code in ("TL922", "TL113", "TL230") if code in out] == codes, out


@pytest.mark.parametrize(
    ("requirement", "readme", "newest"),
    [
        ("torch", "conda create -n net python=3.8\n", "2.4"),
        ("torch", "Written with PyTorch 1.7.\n", "1.7"),
        ("torch>=1.6", "Written with PyTorch 1.7.\n", "1.7"),
        ("torch>=1.8", "Written with PyTorch 1.7.\n", NEWEST),
        ("torch==1.9", "Written with PyTorch 1.7.\n", "1.9"),
        ("torch<2", "Written with PyTorch 1.7.\n", "1.13"),
        ("torch", "Needs PyTorch 1.7 or later.\n", NEWEST),
    ],
)
def test_instructions_narrow_a_requirement_without_an_upper_limit(required, requirement, readme, newest):
    required("README.md", readme)
    assert required("requirements.txt", f"numpy\n{requirement}\n") == newest


def test_a_requirement_in_utf_16_is_read(required, tmp_path):
    (tmp_path / "requirements.txt").write_bytes("numpy==1.22\r\ntorch==1.13.0+cu116\r\n".encode("utf-16"))
    assert required("other.txt", "x\n") == "1.13"


@pytest.mark.parametrize(
    ("text", "newest"),
    [
        ('"""Trains.\n\nDependencies:\ntorch: 0.4\nmatplotlib\n"""\nimport torch\n', "0.4"),
        ("# pytorch == 1.2.0\nimport torch\n", "1.2"),
        ("# works around a bug of torch 1.2\nimport torch\n", None),
        ("x = 1\n", None),
    ],
)
def test_the_head_of_a_file_lists_its_release(required, tmp_path, text, newest):
    (tmp_path / "train.py").write_text(text, encoding="utf-8")
    assert required("other.txt", "x\n") == newest
    required("requirements.txt", "torch==1.9\n")
    assert required("other.txt", "x\n") == "1.9"


def test_a_notebook_lists_or_installs_its_release(tmp_path):
    (tmp_path / ".git").mkdir()
    listed = '{"cells": [{"cell_type": "markdown", "source": ["Dependencies:\\n", "* torch: 0.1.11\\n"]}]}'
    installed = (
        '{"cells": [{"cell_type": "code", "source": ["!pip install -q torch==1.4.0 torchvision\\n"]}]}'
    )
    for name, text, newest in (("a", listed, "0.1"), ("b", installed, "1.4"), ("c", "{}", None)):
        (tmp_path / f"{name}.ipynb").write_text(text, encoding="utf-8")
        found = RequiredByFolder().for_path(str(tmp_path / f"{name}.ipynb"))
        assert (found and found.newest()) == newest


def test_a_name_of_a_later_torch_is_missing_only_where_a_requirement_says_so(required, tmp_path, monkeypatch):
    """A README grows old: that the program uses what came later says that it did."""
    from torchlsp.engine.config import Overrides
    from torchlsp.engine.engine import Engine, Options

    def found() -> set[str]:
        monkeypatch.chdir(tmp_path)
        result = Engine(Options(Overrides(isolated=True), torch=None)).check(["train.py"])
        return {one.rule for one in result.findings}

    text = "import torch\n\nnet = torch.compile(torch.nn.Linear(3, 4))\ntorch.symeig(torch.eye(3))\n"
    (tmp_path / "train.py").write_text(text, encoding="utf-8")
    assert required("README.md", "Written with PyTorch 2.13.\n") == "2.13"
    assert found() == {"TL908"}
    required("README.md", "Written with PyTorch 1.7.\n")
    assert found() == set()
    required("requirements.txt", "torch==1.7\n")
    assert found() == {"TL902"}
