"""Which torch is meant steers what is found: `torch-version` of the nearest configuration, else the environment's."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from torchlsp.cli.main import main
from torchlsp.engine import pool

PROGRAM = """import torch
from torch import nn

state = torch.load("weights.pt")
net = nn.Linear(4, 3)
torch.save(net, "net.pt")
whole = torch.load("net.pt")
said = torch.load("net.pt", weights_only=False)
device = torch.accelerator.current_accelerator()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3, verbose=True)
scaler = torch.cuda.amp.GradScaler()
torch.set_default_tensor_type(torch.FloatTensor)
solution = torch.solve(torch.ones(3, 1), torch.eye(3))
torch.testing.assert_allclose(state, state)
if torch.__version__ >= "1.13":
    torch.testing.assert_allclose(state, state)
"""

# From which release on, and up to which, a row is found; None is without end. Where `weights_only` is, the default
# changed with 2.6: before, it runs what is in the file (known from 1.13 on, when the argument came), then it refuses.
EXPECTED = [
    (4, "TL907", (1, 13), (2, 5)),
    (7, "TL907", (1, 13), (2, 5)),
    (7, "TL905", (2, 6), None),
    (9, "TL902", (1, 0), (2, 5)),
    (11, "TL908", (2, 7), None),
    (12, "TL909", (2, 4), None),
    (13, "TL907", (2, 1), None),
    (14, "TL908", (1, 13), None),
    (15, "TL907", (1, 12), None),
]
VERSIONS = ["1.12", "1.13", "2.0", "2.1.2", "2.3", "2.4.1", "2.5", "2.6.0", "2.7", "2.13.0"]


def expected(version: str) -> list[tuple[int, str]]:
    release = tuple(int(number) for number in version.split(".")[:2])
    return [
        (row, code)
        for row, code, first, last in EXPECTED
        if first <= release and (last is None or release <= last)
    ]


def found(capsys, *arguments: str) -> dict[str, list[tuple[int, str]]]:
    """Row and code of each finding, by file."""
    capsys.readouterr()
    assert main(["check", *arguments, "--extend-select", "upgrade", "--output-format", "json"]) in (0, 1)
    places: dict[str, list[tuple[int, str]]] = {}
    for one in json.loads(capsys.readouterr().out):
        places.setdefault(one["filename"], []).append((one["location"]["row"], one["code"]))
    return places


def environment(folder: Path, version: str | None) -> Path:
    """A virtual environment by its files; with a torch of which only the metadata are there."""
    packages = folder / "lib" / "python3.12" / "site-packages"
    packages.mkdir(parents=True)
    if version is not None:
        about = packages / f"torch-{version}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")
    (folder / "pyvenv.cfg").write_text("version = 3.12.1\n")
    (folder / "bin").mkdir()
    (folder / "bin" / "python").touch(mode=0o755)
    return folder


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("by", ["torchlsp.toml", "pyproject.toml", "--config", "--python", "VIRTUAL_ENV"])
def test_each_release(project, capsys, monkeypatch, tmp_path_factory, version: str, by: str) -> None:
    root = project({"a.py": PROGRAM})
    line = f'torch-version = "{version}"\n'
    arguments: list[str] = []
    if by == "torchlsp.toml":
        (root / by).write_text(line)
    elif by == "pyproject.toml":
        (root / by).write_text(f"[tool.torchlsp]\n{line}")
    elif by == "--config":
        (root / "other.toml").write_text(line)
        arguments = ["--config", "other.toml"]
    else:
        # Installed is a build of the release, as wheels and sources name them.
        built = f"{version}.0+cu121" if version.count(".") == 1 else f"{version}a0+git1234"
        folder = environment(tmp_path_factory.mktemp("environment"), built)
        if by == "--python":
            arguments = ["--python", str(folder)]
        else:
            monkeypatch.setenv(by, str(folder))
    assert found(capsys, "a.py", *arguments).get("a.py", []) == expected(version)


def test_the_configuration_goes_before_what_is_installed(project, capsys, tmp_path_factory) -> None:
    root = project({"a.py": PROGRAM, "torchlsp.toml": 'torch-version = "2.5"\n'})
    python = str(environment(tmp_path_factory.mktemp("environment"), "2.13.0"))
    assert found(capsys, "--python", python) == {"a.py": expected("2.5")}
    assert found(capsys, "--python", python, "--isolated") == {"a.py": expected("2.13")}
    (root / "torchlsp.toml").write_text("")
    assert found(capsys, "--python", python) == {"a.py": expected("2.13")}


@pytest.mark.parametrize("version", [None, "nightly"])
def test_where_no_release_is_known_it_is_the_newest(
    project, capsys, tmp_path_factory, version: str | None
) -> None:
    project({"a.py": PROGRAM})
    python = str(environment(tmp_path_factory.mktemp("environment"), version))
    assert found(capsys, "--python", python) == {"a.py": expected("2.13")}


@pytest.mark.processes
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_each_file_has_the_release_of_its_own_configuration(project, capsys, monkeypatch, jobs: str) -> None:
    """A file is judged by the torch of its own project, whoever imports it and in whichever process."""
    for name in ("_WORTH_A_POOL", "_WORTH_A_PROCESS"):
        monkeypatch.setattr(pool, name, 1e-9)
    project(
        {
            "old/torchlsp.toml": 'torch-version = "2.3"\n',
            "old/a.py": PROGRAM,
            "new/pyproject.toml": '[tool.torchlsp]\ntorch-version = "2.7"\n',
            "new/sub/a.py": PROGRAM,
        }
    )
    assert found(capsys, "--jobs", jobs) == {
        os.path.join("old", "a.py"): expected("2.3"),
        os.path.join("new", "sub", "a.py"): expected("2.7"),
    }


def test_text_on_standard_input(project, capsys, monkeypatch) -> None:
    project({"old/torchlsp.toml": 'torch-version = "2.3"\n'})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PROGRAM.encode())))
    assert found(capsys, "-", "--stdin-filename", "old/a.py") == {
        os.path.join("old", "a.py"): expected("2.3")
    }


def test_the_fix_follows_the_release(project) -> None:
    """Where the default refuses a module, the file must be trusted by hand; before, reading it is made safe."""
    root = project({"a.py": PROGRAM, "torchlsp.toml": 'torch-version = "2.13"\n'})
    main(["check", "--select", "TL905,TL907", "--fix", "--unsafe-fixes"])
    assert 'whole = torch.load("net.pt", weights_only=False)\n' in (root / "a.py").read_text()
    project({"a.py": PROGRAM, "torchlsp.toml": 'torch-version = "2.5"\n'})
    main(["check", "--select", "TL905,TL907", "--fix", "--unsafe-fixes"])
    assert 'state = torch.load("weights.pt", weights_only=True)\n' in (root / "a.py").read_text()
