"""Which Python is meant, and what is installed beside it, on made-up environments."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from torchlsp.engine.config import ConfigError
from torchlsp.engine.interpreters import choose, distribution_version, site_packages, torch_version

posix = pytest.mark.skipif(os.name == "nt", reason="links and permissions")


@pytest.fixture(autouse=True)
def nothing_active(monkeypatch, tmp_path):
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONUSERBASE", "PYTHONNOUSERSITE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def environment(folder: Path, *, settings: str | None = "version = 3.11.7\n", version: str = "3.11") -> Path:
    """An environment's folder; with `settings`, a virtual one."""
    (folder / "bin").mkdir(parents=True)
    python = folder / "bin" / "python"
    python.touch(mode=0o755)
    (folder / "lib" / f"python{version}" / "site-packages").mkdir(parents=True)
    if settings is not None:
        (folder / "pyvenv.cfg").write_text(settings)
    return folder


def install(
    site: Path, name: str, version: str, *, folder: str | None = None, metadata: str | None = None
) -> None:
    place = site / (folder or f"{name}-{version}.dist-info")
    place.mkdir(parents=True)
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nVersion: 0\n"
    (place / ("PKG-INFO" if str(place).endswith("egg-info") else "METADATA")).write_text(
        text if metadata is None else metadata
    )


def python_of(folder: Path) -> str:
    return str(folder / "bin" / "python")


def site_of(folder: Path, version: str = "3.11") -> Path:
    return folder / "lib" / f"python{version}" / "site-packages"


# Choosing


def test_nothing_said_is_our_own_python():
    chosen = choose()
    assert (chosen.path, chosen.problem) == (sys.executable, None)


def test_each_wish_goes_before_the_next(tmp_path, monkeypatch):
    named = {name: environment(tmp_path / name) for name in ("explicit", "setting", "virtual", "conda")}
    paths = {name: str(folder) for name, folder in named.items()}
    monkeypatch.setenv("CONDA_PREFIX", paths["conda"])
    assert choose().path == python_of(named["conda"])
    monkeypatch.setenv("VIRTUAL_ENV", paths["virtual"])
    assert (choose().path, choose().reason) == (python_of(named["virtual"]), "VIRTUAL_ENV")
    assert choose(setting=paths["setting"]).path == python_of(named["setting"])
    chosen = choose(explicit=paths["explicit"], setting=paths["setting"])
    assert (chosen.path, chosen.reason) == (python_of(named["explicit"]), "--python")


@pytest.mark.parametrize("where", ["env", "env/bin/python"])
def test_a_folder_or_an_executable_relative_or_not(tmp_path, where):
    folder = environment(tmp_path / "env")
    assert choose(explicit=where).path == python_of(folder)
    assert choose(explicit=str(tmp_path / where)).path == python_of(folder)


@pytest.mark.parametrize("name", ["Scripts/python.exe", "python.exe", "bin/python3"])
def test_other_layouts(tmp_path, name):
    python = tmp_path / "env" / name
    python.parent.mkdir(parents=True)
    python.touch()
    assert choose(explicit="env").path == str(python)


def test_a_command_is_looked_up(tmp_path, monkeypatch):
    folder = environment(tmp_path / "env")
    (folder / "bin" / "python").rename(folder / "bin" / "mypython")
    monkeypatch.setenv("PATH", str(folder / "bin"))
    assert choose(explicit="mypython").path == str(folder / "bin" / "mypython")
    (tmp_path / "mypython").mkdir()
    assert choose(setting="mypython", workspace=str(tmp_path / "x")).path == str(folder / "bin" / "mypython")
    assert choose(explicit="mypython").path == str(folder / "bin" / "mypython")


@pytest.mark.parametrize(
    ("wish", "why"), [("nowhere", "does not exist"), ("empty", "no Python"), ("text", "not executable")]
)
def test_an_invalid_wish(tmp_path, wish, why):
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").touch(mode=0o644)
    with pytest.raises(ConfigError, match=f"--python {wish}: .*{why}"):
        choose(explicit=wish)
    chosen = choose(setting=wish)
    assert chosen.path == sys.executable
    assert wish in chosen.problem
    assert why in chosen.problem


def test_a_deleted_active_environment_is_passed_over_and_told(tmp_path, monkeypatch):
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "gone"))
    monkeypatch.setenv("CONDA_PREFIX", str(environment(tmp_path / "conda")))
    chosen = choose()
    assert chosen.path == python_of(tmp_path / "conda")
    assert "VIRTUAL_ENV" in chosen.problem


@posix
@pytest.mark.parametrize("name", [".venv", "venv"])
def test_a_broken_environment_of_the_workspace_is_named_and_not_passed_over(tmp_path, name):
    folder = environment(tmp_path / "work" / name)
    install(site_of(folder), "torch", "2.5.1")
    (folder / "bin" / "python").unlink()
    (folder / "bin" / "python").symlink_to("/opt/python3.9/bin/python3.9")
    chosen = choose(workspace=str(tmp_path / "work"), trusted=True)
    assert (chosen.path, chosen.reason) == (python_of(folder), f"{name} in the workspace, which is broken")
    assert chosen.problem == (
        f"{name} in the workspace is broken: its bin/python leads to /opt/python3.9/bin/python3.9, which does not exist."
        f" `python3 -m venv --clear {name}` makes it again, without what was installed in it"
    )
    assert torch_version(chosen.path) == "2.5.1"
    assert choose(workspace=str(tmp_path / "work")).path == sys.executable
    (folder / "bin" / "python").unlink()
    assert "there is no Python in it" in choose(workspace=str(tmp_path / "work"), trusted=True).problem


@posix
def test_one_that_works_goes_before_a_broken_environment(tmp_path):
    broken, works = environment(tmp_path / ".venv"), environment(tmp_path / "venv")
    (broken / "bin" / "python").unlink()
    assert choose(workspace=str(tmp_path), trusted=True).path == python_of(works)


def test_a_folder_that_is_no_environment_is_not_called_broken(tmp_path):
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    chosen = choose(workspace=str(tmp_path), trusted=True)
    assert (chosen.path, chosen.problem) == (sys.executable, None)


@posix
@pytest.mark.parametrize("wish", ["own", "own/bin/python"])
def test_a_link_that_leads_nowhere_is_named(tmp_path, wish):
    folder = environment(tmp_path / "own")
    (folder / "bin" / "python").unlink()
    (folder / "bin" / "python").symlink_to(tmp_path / "gone")
    with pytest.raises(ConfigError, match="leads to .*gone, which does not exist"):
        choose(explicit=wish)


def test_an_environment_of_the_workspace_needs_trust(tmp_path, monkeypatch):
    inside = environment(tmp_path / "work" / ".venv")
    workspace = str(tmp_path / "work")
    assert choose(workspace=workspace).path == sys.executable
    assert choose(workspace=workspace).problem is None
    assert choose(workspace=workspace, trusted=True).path == python_of(inside)
    assert choose(explicit=str(inside), workspace=workspace).path == python_of(inside)
    refused = choose(setting=".venv", workspace=workspace)
    assert refused.path == sys.executable
    assert "not trusted" in refused.problem
    assert choose(setting=".venv", workspace=workspace, trusted=True).reason == "the setting"
    monkeypatch.setenv("VIRTUAL_ENV", str(inside))
    assert choose(workspace=workspace).path == sys.executable
    assert choose(workspace=str(tmp_path / "wor")).path == python_of(inside)


@posix
def test_links_do_not_hide_where_an_environment_lies(tmp_path):
    outside = environment(tmp_path / "outside")
    inside = environment(tmp_path / "work" / "env")
    (tmp_path / "work" / "out").symlink_to(outside)
    (tmp_path / "in").symlink_to(inside)
    (tmp_path / "alias").symlink_to(tmp_path / "work")
    for workspace in ("work", "alias"):
        for wish in (tmp_path / "work" / "out", tmp_path / "in", tmp_path / "alias" / "env"):
            assert choose(setting=str(wish), workspace=str(tmp_path / workspace)).path == sys.executable


@posix
def test_a_link_out_of_an_environment_is_not_followed(tmp_path):
    folder = environment(tmp_path / "env")
    (folder / "bin" / "python").unlink()
    (folder / "bin" / "python").symlink_to(sys.executable)
    install(site_of(folder), "torch", "9.8.7")
    chosen = choose(setting=str(folder))
    assert chosen.path == python_of(folder)
    assert torch_version(chosen.path) == "9.8.7"


# What is installed


def test_versions_are_read_from_metadata(tmp_path):
    folder = environment(tmp_path / "env")
    install(site_of(folder), "torch", "2.1.0+cu121")
    install(site_of(folder), "torchvision", "0.16.0", folder="torchvision-0.16.0-py3.11.egg-info")
    install(site_of(folder), "torch_geometric", "2.5.0")
    assert torch_version(python_of(folder)) == "2.1.0+cu121"
    assert distribution_version(python_of(folder), "torchvision") == "0.16.0"
    assert distribution_version(python_of(folder), "Torch-Geometric") == "2.5.0"
    assert distribution_version(python_of(folder), "torchaudio") is None


@pytest.mark.parametrize(
    "text", ["", "\0\xff garbage", "Name: torch\n", "Version: ../../x\n", "\nVersion: 1\n"]
)
def test_broken_metadata_leave_the_version_of_the_folder(tmp_path, text):
    folder = environment(tmp_path / "env")
    install(site_of(folder), "torch", "2.2.0", metadata=text)
    assert torch_version(python_of(folder)) == "2.2.0"
    install(site_of(folder), "torch", "2.1.0")
    assert torch_version(python_of(folder)) == "2.1.0"


def test_metadata_that_are_a_folder_or_missing_are_no_crash(tmp_path):
    folder = environment(tmp_path / "env")
    (site_of(folder) / "torch-2.3.0.dist-info" / "METADATA").mkdir(parents=True)
    (site_of(folder) / "torch.egg-info").mkdir()
    (site_of(folder) / "torchaudio-2.3.0.dist-info").mkdir()
    assert torch_version(python_of(folder)) == "2.3.0"
    assert distribution_version(python_of(folder), "torchaudio") == "2.3.0"


def test_of_two_in_one_folder_the_higher_counts(tmp_path):
    folder = environment(tmp_path / "env")
    install(site_of(folder), "torch", "2.9.1")
    install(site_of(folder), "torch", "2.10.0")
    assert torch_version(python_of(folder)) == "2.10.0"


def test_an_editable_install_is_found_through_its_pth_file(tmp_path):
    folder = environment(tmp_path / "env")
    install(tmp_path / "pytorch", "torch", "2.6.0a0+git1234", folder="torch.egg-info")
    text = f"import os; os.abort()\n# comment\n{tmp_path / 'pytorch'}\n/nowhere\n"
    (site_of(folder) / "easy-install.pth").write_text(text)
    assert site_packages(python_of(folder)) == [str(site_of(folder)), str(tmp_path / "pytorch")]
    assert torch_version(python_of(folder)) == "2.6.0a0+git1234"


@pytest.mark.parametrize("name", ["Scripts/python.exe", "python.exe"])
def test_windows_layout(tmp_path, name):
    python = tmp_path / "env" / name
    python.parent.mkdir(parents=True)
    python.touch()
    install(tmp_path / "env" / "Lib" / "site-packages", "torch", "2.4.0")
    assert torch_version(str(python)) == "2.4.0"


@pytest.mark.parametrize(("switch", "version"), [("true", "2.0.1"), ("false", None)])
def test_system_packages_count_when_the_environment_says_so(tmp_path, switch, version):
    base = environment(tmp_path / "base", settings=None)
    install(site_of(base), "torch", "2.0.1")
    text = f"home = {base / 'bin'}\nInclude-System-Site-Packages = {switch}\nversion_info = 3.11.7\n"
    folder = environment(tmp_path / "env", settings=text)
    assert torch_version(python_of(folder)) == version
    install(site_of(folder), "torch", "2.5.0")
    assert torch_version(python_of(folder)) == "2.5.0"


def test_only_the_folder_of_the_right_version_counts(tmp_path):
    folder = environment(tmp_path / "env", settings="version = 3.12.1\n", version="3.12")
    install(site_of(folder, "3.9"), "torch", "1.0.0")
    assert torch_version(python_of(folder)) is None
    assert site_packages(python_of(folder)) == [str(site_of(folder, "3.12"))]


@posix
def test_debian_and_user_packages(tmp_path):
    prefix = tmp_path / "usr"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "python3.11").touch(mode=0o755)
    (prefix / "bin" / "python3").symlink_to("python3.11")
    install(prefix / "lib" / "python3" / "dist-packages", "torch", "1.13.1")
    python = str(prefix / "bin" / "python3")
    assert torch_version(python) == "1.13.1"
    install(prefix / "local" / "lib" / "python3.11" / "dist-packages", "torch", "2.1.0")
    assert torch_version(python) == "2.1.0"
    install(tmp_path / "home" / ".local" / "lib" / "python3.11" / "site-packages", "torch", "2.2.0")
    assert torch_version(python) == "2.2.0"


@posix
def test_a_link_to_a_python_of_no_environment_is_followed(tmp_path):
    base = environment(tmp_path / "base", settings=None)
    install(site_of(base), "torch", "2.0.1")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "python").symlink_to(base / "bin" / "python")
    assert torch_version(str(tmp_path / "tools" / "python")) == "2.0.1"


@pytest.mark.processes
@posix
@pytest.mark.parametrize("options", [[], ["--system-site-packages"]])
def test_a_real_environment_imports_from_the_folders_that_we_name(tmp_path, options):
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", *options, str(tmp_path / "env")], check=True
    )
    python = str(tmp_path / "env" / "bin" / "python")
    program = "import sys; print('\\n'.join(sys.path))"
    told = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    expected = [one for one in told if os.path.basename(one) in ("site-packages", "dist-packages")]
    assert [one for one in site_packages(python) if one in expected] == expected


def test_our_own_packages_are_found():
    from importlib.metadata import version

    assert distribution_version(sys.executable, "jedi") == version("jedi")


def test_no_python_is_no_crash(tmp_path):
    assert site_packages(str(tmp_path / "nowhere" / "bin" / "python")) == []
    assert torch_version("") is None or isinstance(torch_version(""), str)
