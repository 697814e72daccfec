"""What docs/ci.md tells a user to do, and the ready files in examples/ci, done."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import torchlsp
from torchlsp.cli.main import _parser, main
from torchlsp.core.publication import CURRENT

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[2]
DOCUMENTS = (
    ROOT / "README.md",
    *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name != "releasing.md"),
)
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)

HEAD = "import torch\n\nx = torch.zeros(2, 3).t()\n"
OLD = HEAD + "y = x.view(6)\n"


def shell(line: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | variables,
    )


def told(done: subprocess.CompletedProcess[str]) -> list[str]:
    return re.findall(r"^(\S+:\d+):\d+: (?:error|warning)", done.stdout, re.MULTILINE)


def test_the_recipe_for_an_old_code_base(commit, project, git, command) -> None:
    write, keep, check = BLOCKS[0].splitlines()
    commit({"src/a.py": OLD, "src/b.py": OLD})
    assert told(shell("torchlsp check")) == ["src/a.py:4", "src/b.py:4"]
    done = shell(write)
    assert (done.returncode, done.stdout) == (0, "2 findings written to torchlsp-known.json\n")
    assert shell(keep).returncode == 0
    assert git("status", "--porcelain") == ""
    done = shell(check)
    assert (done.returncode, told(done)) == (0, [])
    # A new fault is seen alone, though the old ones have moved.
    project({"src/a.py": "# moved\n" + OLD + "z = x.view(6)\n", "src/c.py": OLD})
    done = shell(check)
    assert (done.returncode, told(done)) == (1, ["src/a.py:6", "src/c.py:4"])
    assert "2 known findings hidden by the baseline" in done.stdout
    # Repaired ones are counted, and leave the list.
    project({"src/b.py": HEAD, "src/a.py": OLD, "src/c.py": HEAD})
    done = shell(check)
    assert done.returncode == 0 and "1 entry of the baseline is gone" in done.stdout
    assert shell(write).stdout == "1 finding written to torchlsp-known.json\n"


def test_the_recipe_for_a_branch(commit, project, git, command) -> None:
    (line,) = BLOCKS[1].splitlines()
    commit({"a.py": OLD})
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    git("switch", "--quiet", "--create", "work")
    assert shell(line).returncode == 0
    commit({"a.py": OLD + "z = x.view(6)\n"})
    done = shell(line)
    assert (done.returncode, told(done)) == (1, ["a.py:5"])


def test_the_gitlab_job(commit, git, command, monkeypatch) -> None:
    job = yaml.safe_load((ROOT / "examples" / "ci" / "gitlab-ci.yml").read_text(encoding="utf-8"))["torchlsp"]
    (script,) = job["script"]
    report = Path(job["artifacts"]["reports"]["codequality"])
    base = commit({"a b.py": OLD})
    commit({"c.py": OLD})
    monkeypatch.setenv("CI_PROJECT_DIR", os.getcwd())
    for variables, paths in (({}, ["a b.py", "c.py"]), ({"CI_MERGE_REQUEST_DIFF_BASE_SHA": base}, ["c.py"])):
        done = shell(script, **variables)
        assert done.returncode == 1 and done.stderr == ""
        assert [one["location"]["path"] for one in json.loads(report.read_text())] == paths
        assert "error TL101" in done.stdout
    # GitLab takes its variables for text; a missing one, and blanks in one, are no other words.
    assert git("status", "--porcelain") == f"?? {report}"


def test_the_github_workflow_fits_the_action() -> None:
    workflow = yaml.safe_load((ROOT / "examples" / "ci" / "github.yml").read_text(encoding="utf-8"))
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    checkout, *copy, check = workflow["jobs"]["check"]["steps"]
    assert checkout["with"]["fetch-depth"] == 0
    if CURRENT.owner:
        assert (check["uses"], copy) == (f"{CURRENT.owner}/torchlsp@v{torchlsp.__version__}", [])
    else:  # the action of a checkout that the workflow makes
        assert check["uses"] == f"./{copy[0]['with']['path']}"
    assert set(check["with"]) <= set(action["inputs"])
    assert check["with"]["changed-since"] == "auto"
    assert workflow["permissions"] == {"contents": "read", "security-events": "write"}


@pytest.mark.processes
@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("github-actions", "action.yml"),
        ("github-workflows", "examples/ci/github.yml"),
        ("gitlab-ci", "examples/ci/gitlab-ci.yml"),
    ],
)
def test_what_the_services_read_has_the_form_that_they_publish(
    schema: str, path: str, tmp_path: Path
) -> None:
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    if schema == "gitlab-ci":
        command += ["--data-transform", "gitlab-ci"]
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(
        (ROOT / path).read_text(encoding="utf-8").replace("script", "scirpt").replace("steps", "stpes")
    )
    for file, status in ((ROOT / path, 0), (wrong, 1)):
        done = subprocess.run([*command, str(file)], capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stdout


def options_of(command: str) -> dict[str, object]:
    """The options of a command by each of their spellings."""
    (commands,) = [one.choices for one in _parser()._actions if one.dest == "command"]
    return dict(commands[command]._option_string_actions)  # type: ignore[index]


TEXTS = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in (
        *DOCUMENTS,
        ROOT / ".pre-commit-hooks.yaml",
        *sorted((ROOT / "examples" / "ci").iterdir()),
    )
}
CALLS = [
    (name, line.strip())
    for name, text in TEXTS.items()
    for line in re.findall(
        r"torchlsp (?:check|probe|explain|hang|docs|rules|doctor|server|mcp)\b[^`\n#|]*", text
    )
]


@pytest.mark.parametrize(("name", "line"), CALLS)
def test_every_call_that_is_shown_has_options_that_there_are(name: str, line: str) -> None:
    _, command, *words = shlex.split(
        line.replace("[PATHS]", "").partition(" && ")[0].replace("${", "").replace(";", " ")
    )
    for word in words:
        if word.startswith("--") and len(word) > 2:
            assert word.partition("=")[0] in options_of(command), f"{name}: {line}"


def test_every_option_that_the_documents_name_is_there() -> None:
    commands = (
        "check",
        "probe",
        "docs",
        "record",
        "explain",
        "hang",
        "annotate",
        "rules",
        "init",
        "server",
        "mcp",
    )
    known = {option for command in commands for option in options_of(command)}
    text = "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    text = re.sub(r"(?<=record) -- [^#\n]*", "", text)  # the options of the recorded command
    text = re.sub(r'(?<=--probe-on) "[^"]*"', "", text)  # the words of the user's command
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))
    assert named - known == set()


def test_the_help_tells_of_every_option(capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main(["check", "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    for spelling, action in options_of("check").items():
        assert spelling in shown, spelling
        assert action.help and action.help != "==SUPPRESS==", spelling  # type: ignore[attr-defined]
    assert max(map(len, shown.splitlines())) <= 80
