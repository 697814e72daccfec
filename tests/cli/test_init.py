"""`torchlsp init`: which files it writes, that they work, and that it replaces nothing that it did not ask about."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from importlib import metadata
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from torchlsp.cli import init as init_module
from torchlsp.cli.main import main
from torchlsp.core.publication import Publication
from torchlsp.engine.config import Catalogue, Configuration
from torchlsp.engine.engine import installed_rules

yaml = pytest.importorskip("yaml")


class Nothing:
    """Stands for `metadata` where torchlsp is not installed from a repository."""

    PackageNotFoundError = metadata.PackageNotFoundError

    @staticmethod
    def distribution(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)


BAD = "import torch\n\nx = torch.zeros(2, 3).t()\ny = x.view(6)\n"
GOOD = BAD.replace("view", "reshape")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """A function that answers the questions in order; it returns the list that the questions are put into."""

    def give(*words: str) -> list[str]:
        asked: list[str] = []
        left = list(words)

        def answer(question: str) -> str:
            asked.append(question)
            if not left:
                raise EOFError
            return left.pop(0)

        monkeypatch.setattr(sys, "stdin", Terminal())
        monkeypatch.setattr("builtins.input", answer)
        return asked

    return give


def settings(root: Path):
    return Configuration(Catalogue(installed_rules())).for_path(str(root))


def files(root: Path) -> set[str]:
    return {
        str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and ".git/" not in str(path)
    }


def test_without_a_terminal_and_without_yes_nothing_is_done(project, capsys, monkeypatch) -> None:
    root = project({"a.py": BAD})
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n" * 10))
    assert main(["init"]) == 2
    assert "needs a terminal; --yes takes their defaults" in capsys.readouterr().err
    assert files(root) == {"a.py"}


def test_yes_in_an_empty_folder_writes_a_configuration_and_changes_no_rule(project, capsys) -> None:
    root = project({})
    before = settings(root)
    assert main(["init", "--yes"]) == 0
    assert files(root) == {"torchlsp.toml"}
    after = settings(root)
    assert after.source is not None
    assert (after.select, after.extend_select, after.ignore) == (before.select, (), ())
    assert after.exclude == before.exclude
    assert "wrote torchlsp.toml" in capsys.readouterr().out


def test_a_second_run_changes_nothing(project, capsys) -> None:
    root = project({"a.py": BAD, ".git/config": "", ".github/x": ""})
    assert main(["init", "-y"]) == 0
    kept = {name: (root / name).read_text() for name in files(root)}
    assert set(kept) >= {
        "torchlsp.toml", "torchlsp-known.json", ".pre-commit-config.yaml", ".github/workflows/torchlsp.yml"
    }  # fmt: skip
    capsys.readouterr()
    assert main(["init", "-y"]) == 0
    assert {name: (root / name).read_text() for name in files(root)} == kept
    assert "wrote" not in capsys.readouterr().out


def commands(printed: str) -> list[list[str]]:
    """The arguments of the commands that a text names."""
    return [command.split() for command in re.findall(r"`torchlsp (check[^`]*)`", printed)]


def test_the_commands_that_init_names_work_and_report_what_it_says(project, capsys) -> None:
    project({"a.py": BAD})
    assert main(["init", "--yes"]) == 0
    told = capsys.readouterr().out
    assert "wrote torchlsp-known.json" in told
    new, everything = commands(told)
    assert main(new) == 0
    assert main(everything) == 1
    capsys.readouterr()
    assert main(["init", "--yes"]) == 0
    update, *_ = commands(capsys.readouterr().out)
    assert main(update) == 0


def test_without_known_findings_plain_check_is_what_init_names(project, capsys) -> None:
    project({"a.py": GOOD})
    assert main(["init", "--yes"]) == 0
    check, _ = commands(capsys.readouterr().out)
    assert check == ["check"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_table_is_added_to_the_end_of_pyproject(project, end: str) -> None:
    text = f'[project]{end}name = "a"{end}'
    root = project({"pyproject.toml": text.encode()})
    assert main(["init", "--yes"]) == 0
    written = (root / "pyproject.toml").read_bytes().decode()
    assert written.startswith(f"{text}{end}[tool.torchlsp]{end}")
    assert written.count("\n") == written.count(end)
    assert settings(root).source == str(root / "pyproject.toml")
    assert files(root) == {"pyproject.toml"}


def test_a_project_that_is_configured_keeps_its_configuration(project, capsys) -> None:
    text = '[tool.torchlsp]\nselect = ["TL5"]\n'
    root = project({"pyproject.toml": text})
    assert main(["init", "--yes"]) == 0
    assert (root / "pyproject.toml").read_text() == text
    assert "pyproject.toml configures torchlsp already" in capsys.readouterr().out


def test_groups_are_selected_by_the_answers(project, answers) -> None:
    root = project({})
    asked = answers("y", "yes", "perhaps", "n", "")
    assert main(["init"]) == 0
    assert settings(root).extend_select == ("performance",)
    assert [question.split("[")[-1] for question in asked] == ["Y/n] ", "y/N] ", "y/N] ", "y/N] ", "y/N] "]


def test_no_is_respected_everywhere(project, answers) -> None:
    root = project({"a.py": BAD, ".git/config": "[remote]\n\turl = git@gitlab.com:a/b\n"})
    asked = answers("n", "n", "n", "n")
    assert main(["init"]) == 0
    assert files(root) == {"a.py"}
    assert len(asked) == 4
    assert "1 finding in 1 file. List them in torchlsp-known.json" in asked[1]
    assert "GitLab CI" in asked[3]


def test_answers_that_end_leave_the_rest_undone(project, answers, capsys) -> None:
    root = project({"a.py": BAD, ".git/config": ""})
    answers("y", "", "", "")
    assert main(["init"]) == 1
    assert files(root) == {"a.py", "torchlsp.toml"}
    assert "ended before the last question" in capsys.readouterr().err


@pytest.mark.parametrize(("arguments", "words"), [(["--yes"], ()), ([], ("n",)), ([], ("",)), ([], ("y",))])
def test_a_file_is_replaced_only_after_a_question(project, answers, arguments, words) -> None:
    name = ".github/workflows/torchlsp.yml"
    root = project({"torchlsp.toml": "", name: "theirs\n"})
    asked = answers(*words)
    assert main(["init", "--ci", "github", *arguments]) == 0
    assert ((root / name).read_text() == "theirs\n") == (words != ("y",))
    assert asked == ([f"{name} exists. Replace it? [y/N] "] if not arguments else [])


@pytest.mark.parametrize("indent", ["", "  "])
def test_a_hook_is_added_to_the_hooks_there_are(project, indent: str) -> None:
    text = (
        "# ours\ndefault_stages: [pre-commit]\nrepos:\n"
        f"{indent}- repo: https://example.org/lint\n{indent}  rev: v1\n{indent}  hooks:\n{indent}    - id: lint\n"
    )
    root = project({"torchlsp.toml": "", ".git/config": "", ".pre-commit-config.yaml": text})
    assert main(["init", "--yes"]) == 0
    written = (root / ".pre-commit-config.yaml").read_text()
    assert written.startswith(text)
    first, second = yaml.safe_load(written)["repos"]
    assert first == yaml.safe_load(text)["repos"][0]
    assert second["hooks"][0]["id"] == "torchlsp"


@pytest.mark.parametrize(
    "text", ["repos: []\n", "repos:\n- repo: a\nexclude: b\n", "", "repos:\n - repo: a\n  - repo: b\n"]
)
def test_hooks_that_cannot_be_added_to_are_left_and_the_entry_is_printed(project, capsys, text: str) -> None:
    root = project({"torchlsp.toml": "", ".git/config": "", ".pre-commit-config.yaml": text})
    assert main(["init", "--yes"]) == 0
    assert (root / ".pre-commit-config.yaml").read_text() == text
    out = capsys.readouterr().out
    assert "Add this to the list `repos`" in out and "  - repo: local\n" in out


def test_a_job_for_gitlab_that_has_others_is_printed(project, capsys) -> None:
    root = project({"torchlsp.toml": "", ".gitlab-ci.yml": "test:\n  script: [make]\n"})
    assert main(["init", "--yes"]) == 0
    assert (root / ".gitlab-ci.yml").read_text() == "test:\n  script: [make]\n"
    assert "Add this to .gitlab-ci.yml:\n\ntorchlsp:\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("service", "path"), [("github", ".github/workflows/torchlsp.yml"), ("gitlab", ".gitlab-ci.yml")]
)
def test_jobs_install_what_is_installed_here_and_use_the_list(
    project, monkeypatch, tmp_path_factory, service, path
) -> None:
    root = project({"a.py": BAD, "torchlsp.toml": ""})

    folder = tmp_path_factory.mktemp("torchlsp-0.dist-info")
    told = {"url": "https://example.org/t.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}}
    (folder / "direct_url.json").write_text(json.dumps(told))
    (folder / "METADATA").write_text("Name: torchlsp\nVersion: 0\n")
    (folder / "RECORD").write_text(f"{folder.name}/direct_url.json,,\n")
    monkeypatch.setattr(init_module.metadata, "distribution", lambda name: PathDistribution(folder))
    assert main(["init", "--yes", "--ci", service]) == 0
    job = yaml.safe_load((root / path).read_text())
    job = job["jobs"]["check"]["steps"] if service == "github" else job["torchlsp"]
    text = json.dumps(job)
    assert 'pip install \\"torchlsp @ git+https://example.org/t.git@abc\\"' in text
    assert "--baseline torchlsp-known.json" in text


@pytest.mark.parametrize(
    ("published", "wanted"),
    [
        (Publication("", False, False), "torchlsp @ git+$TORCHLSP_REPOSITORY"),
        (Publication("some", False, False), "torchlsp @ git+https://github.com/some/torchlsp"),
        (Publication("some", True, False), "torchlsp"),
    ],
)
def test_jobs_install_what_is_published(project, monkeypatch, published: Publication, wanted: str) -> None:
    monkeypatch.setattr(init_module, "CURRENT", published)
    monkeypatch.setattr(init_module, "metadata", Nothing)
    root = project({"torchlsp.toml": ""})
    assert main(["init", "--yes", "--ci", "github"]) == main(["init", "--yes", "--ci", "gitlab"]) == 0
    texts = [(root / name).read_text() for name in (".github/workflows/torchlsp.yml", ".gitlab-ci.yml")]
    github, gitlab = map(yaml.safe_load, texts)
    step = github["jobs"]["check"]["steps"][2]
    assert step["run"] == gitlab["torchlsp"]["before_script"][0] == f'pip install "{wanted}"'
    # Where nobody knows the repository, the job says how to name one.
    is_open = not published.owner
    assert (step.get("env") == {"TORCHLSP_REPOSITORY": "${{ vars.TORCHLSP_REPOSITORY }}"}) == is_open
    assert ["set the variable TORCHLSP_REPOSITORY" in text for text in texts] == [is_open, is_open]


def test_known_findings_are_not_listed_where_that_is_not_wanted(project) -> None:
    root = project({"a.py": BAD, ".git/config": ""})
    assert main(["init", "--yes", "--no-baseline", "--no-pre-commit", "--ci", "none"]) == 0
    assert files(root) == {"a.py", "torchlsp.toml"}
