"""What is installed is what is in the repository, under the right names."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def tracked() -> list[str]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("not a git checkout")
    return [name for name in done.stdout.split("\0") if name]


def expected_members() -> set[str]:
    """The files of the three packages as they lie in a wheel."""
    wanted = set()
    for name in tracked():
        top = name.split("/")[0]
        if not name.endswith((".py", ".md", ".toml", "py.typed")) or not (ROOT / name).is_file():
            continue
        if top == "torchlsp":
            wanted.add(name)
        elif top in ("rules", "docs_db"):
            wanted.add(f"torchlsp/{name}")
    return wanted


@pytest.mark.processes
def test_every_package_is_listed() -> None:
    if sys.version_info < (3, 11):
        import tomli as tomllib
    else:
        import tomllib
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    folders = {os.path.dirname(name).replace("/", ".") for name in expected_members()}
    assert set(table["packages"]) == folders
    assert table["packages"] == sorted(table["packages"])


def test_the_links_for_static_readers_are_there() -> None:
    for name in ("rules", "docs_db"):
        link = ROOT / "torchlsp" / name
        if link.is_file() or not (ROOT / ".git").exists():
            pytest.skip("an sdist, or a checkout on a system without symbolic links")
        assert os.readlink(link) == f"../{name}"


def copy_tracked(target: Path) -> Path:
    """The tracked files as they are now: a build leaves its own files beside them."""
    for name in tracked():
        origin, copy = ROOT / name, target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if origin.is_symlink():
            copy.symlink_to(os.readlink(origin))
        elif origin.is_file():
            copy.write_bytes(origin.read_bytes())
            copy.chmod(origin.stat().st_mode)
    return target


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[str]]:
    """A wheel built through the sdist, from a copy of the tracked files as they are now, and what it must hold."""
    pytest.importorskip("build")
    pytest.importorskip("setuptools")
    expected = expected_members()
    source = copy_tracked(tmp_path_factory.mktemp("source"))
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    (wheel,) = out.glob("*.whl")
    return wheel, expected


@pytest.mark.slow
def test_the_wheel_holds_the_tracked_files(built: tuple[Path, set[str]]) -> None:
    wheel, expected = built
    with zipfile.ZipFile(wheel) as archive:
        members = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert members == expected


@pytest.mark.slow
def test_nothing_is_installed_at_the_top_level_but_torchlsp(
    built: tuple[Path, set[str]], tmp_path: Path
) -> None:
    wheel, _ = built
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    assert {path.name for path in tmp_path.iterdir() if ".dist-info" not in path.name} == {"torchlsp"}
    code = (
        "import torchlsp.rules, torchlsp.docs_db, importlib.util\n"
        "assert importlib.util.find_spec('rules') is None\n"
        "assert importlib.util.find_spec('docs_db') is None\n"
        "from torchlsp.cli.main import main\n"
        "raise SystemExit(main(['rules']))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pages = sorted((ROOT / "rules").glob("*/*.md"))
    assert len(done.stdout.splitlines()) >= len([page for page in pages if page.with_suffix(".py").exists()])


@pytest.mark.slow
def test_an_editable_install_is_live_and_adds_one_name(tmp_path: Path) -> None:
    source = copy_tracked(tmp_path / "source")
    site = tmp_path / "site"
    build = f"from setuptools.build_meta import build_editable\nprint(build_editable({str(tmp_path)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", build], cwd=source, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    (source / "rules" / "api" / "written_later.py").write_text("value = 7\n")
    code = (
        f"import site, importlib.util\nsite.addsitedir({str(site)!r})\n"
        "import torchlsp, torchlsp.rules.api.written_later as later\n"
        f"assert torchlsp.__file__.startswith({str(source)!r}), torchlsp.__file__\n"
        "assert later.value == 7\n"
        "assert importlib.util.find_spec('rules') is None\n"
        "assert importlib.util.find_spec('docs_db') is None\n"
    )
    # -I: neither this environment's own editable install nor the current folder may help.
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.processes
def test_the_folders_refuse_to_be_top_level_packages() -> None:
    for name in ("rules", "docs_db"):
        done = subprocess.run(
            [sys.executable, "-c", f"import {name}"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert f"ImportError: import torchlsp.{name}, not {name}" in done.stderr


@pytest.mark.processes
def test_no_path_of_a_machine_is_tracked() -> None:
    suspicious = ("/" + "home/", "/" + "root/", "/" + "work/", "/" + "Users/")
    for name in tracked():
        path = ROOT / name
        if path.suffix not in (".py", ".md", ".toml", ".json", "") or not path.is_file() or path.is_symlink():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found = [word for word in suspicious if word in text]
        assert not found, f"{name} names a folder of one machine: {found}"
