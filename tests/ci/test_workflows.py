"""The workflows, issue forms and other files that GitHub reads of this repository."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import torchlsp
from torchlsp.dev.__main__ import commands

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
SCHEMAS = {
    "github-workflows": WORKFLOWS,
    "github-issue-forms": FORMS,
    "github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "dependabot": [GITHUB / "dependabot.yml"],
}


def read(name: str) -> dict[str, Any]:
    return yaml.safe_load((GITHUB / "workflows" / name).read_text(encoding="utf-8"))


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in WORKFLOWS:
        for name, job in read(path.name)["jobs"].items():
            for step in job["steps"]:
                yield f"{path.name}: {name}", step


@pytest.mark.processes
@pytest.mark.parametrize("schema", SCHEMAS)
def test_what_github_reads_has_the_form_that_it_publishes(schema: str) -> None:
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    assert SCHEMAS[schema]
    done = subprocess.run([*command, *map(str, SCHEMAS[schema])], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.processes
def test_every_shell_step_can_be_parsed_and_names_commands_that_there_are() -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    scripts = [(name, step["run"]) for name, step in steps() if "run" in step]
    assert len(scripts) > 10
    for name, script in scripts:
        plain = re.sub(r"\$\{\{.*?\}\}", "x", script)
        assert subprocess.run([bash, "-n", "-c", plain], check=False).returncode == 0, f"{name}: {script}"
        for command in re.findall(r"torchlsp\.dev ([\w-]+)", script):
            assert command in commands(), f"{name}: {script}"
        for path in re.findall(r"(?<![\w/])(?:examples/\w*|\.ci/\w+)", script):
            assert (ROOT / path).exists(), f"{name}: {path}"


def test_nothing_from_outside_is_pasted_into_a_script() -> None:
    pasted = [name for name, step in steps() if "${{" in step.get("run", "")]
    assert pasted == []


@pytest.mark.parametrize(("workflow", "job"), [("tests.yml", "fast"), ("release.yml", "wheel")])
def test_tests_and_the_wheel_run_on_every_python_and_system_that_is_declared(workflow: str, job: str) -> None:
    matrix = read(workflow)["jobs"][job]["strategy"]["matrix"]
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert matrix["python"] == re.findall(r"Python :: (3\.\d+)\"", declared)
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}


@pytest.mark.processes
def test_a_tag_that_is_not_the_version_is_not_released() -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    build = read("release.yml")["jobs"]["build"]["steps"]
    (script,) = [step["run"] for step in build if step.get("name") == "The tag is the version"]
    folder = str(Path(sys.executable).parent)
    for tag, status in ((f"v{torchlsp.__version__}", 0), ("v99.0.0", 1), (torchlsp.__version__, 1)):
        environment = {"PATH": f"{folder}:/usr/bin:/bin", "GITHUB_REF_NAME": tag}
        done = subprocess.run([bash, "-c", script], cwd=ROOT, env=environment, check=False)
        assert done.returncode == status, tag


def test_nothing_is_published_before_all_is_built_and_tried_nor_without_a_tag() -> None:
    jobs = read("release.yml")["jobs"]
    publishing = {name for name, job in jobs.items() if job.get("environment") or job.get("permissions")}
    assert publishing == {"pypi", "marketplace", "open-vsx", "github"}
    assert jobs["pypi"]["if"] == "github.ref_type == 'tag'"
    assert set(jobs["pypi"]["needs"]) == jobs.keys() - publishing
    # What needs a job that is left out is left out.
    assert {jobs[name]["needs"] for name in publishing - {"pypi"}} == {"pypi"}


@pytest.mark.processes
def test_a_compiled_wheel_is_not_released(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    (script,) = [
        step["run"] for _, step in steps() if step.get("name") == "One wheel for every Python and system"
    ]
    (tmp_path / "dist").mkdir()
    for name, status in (
        ("torchlsp-1.0.0.tar.gz", 1),
        ("torchlsp-1.0.0-py3-none-any.whl", 0),
        ("torchlsp-1.0.0-cp312-cp312-win_amd64.whl", 1),
    ):
        (tmp_path / "dist" / name).touch()
        done = subprocess.run([bash, "-c", script], cwd=tmp_path, check=False)
        assert done.returncode == status, name


@pytest.mark.processes
def test_the_notes_of_a_release_are_its_section() -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    (script,) = [step["run"] for _, step in steps() if step.get("name") == "The section of this version"]
    script = script.replace("> notes.md", "")
    environment = {"PATH": "/usr/bin:/bin", "GITHUB_REF_NAME": f"v{torchlsp.__version__}"}
    done = subprocess.run(
        [bash, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## {torchlsp.__version__}")[2].partition("\n")[2].partition("\n## ")[0]
    assert done.stdout.strip() == section.strip() != ""


def test_only_what_publishes_may_write() -> None:
    for path in WORKFLOWS:
        workflow = read(path.name)
        assert workflow["permissions"] == {"contents": "read"}, path.name
        for name, job in workflow["jobs"].items():
            written = {key for key, value in job.get("permissions", {}).items() if value == "write"}
            assert not written or name in ("pypi", "github", "publish"), f"{path.name}: {name}"
