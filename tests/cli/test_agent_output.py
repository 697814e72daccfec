"""When `check` prints for coding agents, and what `--since-last` leaves out."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from torchlsp.cli.main import main
from torchlsp.engine.agent_environment import VARIABLES
from torchlsp.engine.since_last import FOLDER

pytestmark = pytest.mark.usefixtures("stand_in")
BAD = "import torch\nx.view(1)\n"
HEAD = "a.py:2:3: error TL101 [view-on-noncontiguous]: `x` is not contiguous"
CLEAN = "import torch\n"


@pytest.fixture
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("TORCHLSP_CACHE_DIR", str(path))
    return path


def check(capsys, *arguments: str, status: int = 1) -> str:
    assert main(["check", *arguments]) == status
    return capsys.readouterr().out


# ---- the choice of the format ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("variable", VARIABLES)
def test_each_variable_of_an_agent_chooses_the_format(project, capsys, monkeypatch, variable: str) -> None:
    project({"a.py": BAD})
    assert not check(capsys).startswith(HEAD)
    monkeypatch.setenv(variable, "1")
    assert check(capsys).startswith(HEAD)


@pytest.mark.parametrize("value", ["", "0", "false"])
def test_a_variable_that_is_switched_off_chooses_nothing(project, capsys, monkeypatch, value: str) -> None:
    project({"a.py": BAD})
    monkeypatch.setenv("CLAUDECODE", value)
    assert not check(capsys).startswith(HEAD)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--output-format", "text"),
        ("--output-format", "concise"),
        ("--statistics",),
        ("--output-file", "o.txt"),
        ("--diff",),
    ],
)
def test_what_is_named_is_printed_in_an_agents_shell_too(
    project, capsys, monkeypatch, arguments: tuple[str, ...]
) -> None:
    project({"a.py": BAD})
    usual = check(capsys, *arguments, status=0 if "--diff" in arguments else 1)
    monkeypatch.setenv("CLAUDECODE", "1")
    assert check(capsys, *arguments, status=0 if "--diff" in arguments else 1) == usual


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_text(project, monkeypatch) -> None:
    project({"a.py": BAD})
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert main(["check", "--color", "never"]) == 1
    assert "[view-on-noncontiguous]\n" in sys.stdout.getvalue()


def test_a_fixed_text_goes_out_as_ever(project, capsysbinary, monkeypatch) -> None:
    project({})
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BAD.encode())))
    main(["check", "-", "--fix", "--unsafe-fixes"])
    assert capsysbinary.readouterr().out == BAD.replace("view", "reshape").encode()


@pytest.mark.parametrize(
    ("text", "arguments", "status"),
    [(BAD, (), 1), (CLEAN, (), 0), (BAD, ("--exit-zero",), 0), (BAD, ("--output-format", "agent"), 1)],
)
def test_the_exit_status_is_that_of_any_format(
    project, capsys, monkeypatch, text: str, arguments: tuple[str, ...], status: int
) -> None:
    project({"a.py": text})
    monkeypatch.setenv("CLAUDECODE", "1")
    check(capsys, *arguments, status=status)


def test_a_clean_project_is_one_line_on_both_streams_together(project, capsys, monkeypatch) -> None:
    project({"a.py": CLEAN})
    monkeypatch.setenv("CLAUDECODE", "1")
    assert main(["check"]) == 0
    told = capsys.readouterr()
    assert (told.out, told.err) == ("No findings in 1 file\n", "")


def test_quiet_prints_findings_only(project, capsys) -> None:
    project({"a.py": BAD})
    assert "1 error" not in check(capsys, "--output-format", "agent", "-q")
    project({"a.py": CLEAN})
    assert check(capsys, "--output-format", "agent", "-q", status=0) == ""


def test_the_number_of_findings_is_bounded(project, capsys) -> None:
    project({"a.py": BAD + "x.view(2)\n" * 30})
    count = lambda *more: check(capsys, "--output-format", "agent", *more).count("error TL101 [")  # noqa: E731
    assert count() == 20
    assert count("--max-findings", "3") == 3
    assert count("--max-findings", "0") == 31


def test_the_bound_goes_with_the_format(project, capsys) -> None:
    project({"a.py": BAD})
    assert main(["check", "--max-findings", "3"]) == 2
    assert "--max-findings goes with --output-format agent, not text" in capsys.readouterr().err


def test_a_file_gets_everything_and_the_stream_the_closing_line(project, capsys) -> None:
    root = project({"a.py": BAD})
    told = check(capsys, "--output-format", "agent", "--output-file", "o.txt")
    assert told == "1 error in 1 file; 1 fixable with --fix --unsafe-fixes\n"
    written = (root / "o.txt").read_text()
    assert written.startswith(HEAD) and written.endswith(told)


# ---- --since-last ----------------------------------------------------------------------------------------------------


def since_last(capsys, *arguments: str, status: int = 1) -> list[str]:
    """The rows on which a finding is, of those that are new, and the closing line."""
    told = check(capsys, "--output-format", "agent", "--since-last", *arguments, status=status).splitlines()
    return [line.split(":")[1] for line in told if ": error TL101" in line] + told[-1:]


LEFT_OUT = "No new findings in 1 file; 1 finding left out that an earlier call has shown"


def test_what_was_shown_is_left_out_and_counts_for_the_exit_status(project, capsys, cache) -> None:
    project({"a.py": BAD})
    assert since_last(capsys)[0] == "2"
    assert since_last(capsys) == [LEFT_OUT]
    assert check(capsys).count("TL101") == 1


def test_what_is_new_is_shown_wherever_the_old_one_has_moved(project, capsys, cache) -> None:
    root = project({"a.py": BAD})
    since_last(capsys)
    (root / "a.py").write_text("import torch\n\n\ny.view(2)\nx.view(1)\n")
    assert since_last(capsys)[0] == "4"


def test_a_line_that_was_edited_and_is_still_wrong_is_new(project, capsys, cache) -> None:
    root = project({"a.py": BAD})
    since_last(capsys)
    (root / "a.py").write_text(BAD.replace("x.view(1)", "x.view(1, 1)"))
    assert since_last(capsys)[0] == "2"


def test_what_came_back_after_it_was_gone_is_new(project, capsys, cache) -> None:
    root = project({"a.py": BAD})
    since_last(capsys)
    (root / "a.py").write_text(CLEAN)
    assert since_last(capsys, status=0) == ["No new findings in 1 file"]
    (root / "a.py").write_text(BAD)
    assert since_last(capsys)[0] == "2"


def test_what_the_bound_has_left_out_is_shown_next(project, capsys, cache) -> None:
    project({"a.py": BAD + "y.view(2)\nz.view(3)\n"})
    assert [since_last(capsys, "--max-findings", "1")[0] for _ in range(3)] == ["2", "3", "4"]


def test_files_that_were_not_checked_keep_what_was_shown_of_them(project, capsys, cache) -> None:
    project({"pyproject.toml": "", "a.py": BAD, "b.py": BAD})
    since_last(capsys)
    assert since_last(capsys, "a.py") == [LEFT_OUT]
    assert since_last(capsys, "b.py") == [LEFT_OUT]


def test_every_project_has_a_memory_of_its_own(project, capsys, cache, monkeypatch) -> None:
    root = project({"one/pyproject.toml": "", "one/a.py": BAD, "two/pyproject.toml": "", "two/a.py": BAD})
    for name in ("one", "two"):
        monkeypatch.chdir(root / name)
        assert since_last(capsys)[0] == "2"


def test_plain_calls_change_nothing(project, capsys, cache) -> None:
    project({"a.py": BAD})
    check(capsys, "--output-format", "agent")
    assert since_last(capsys)[0] == "2"


def test_other_formats_leave_out_the_same(project, capsys, cache) -> None:
    project({"a.py": BAD})
    assert len(json.loads(check(capsys, "--output-format", "json", "--since-last"))) == 1
    assert json.loads(check(capsys, "--output-format", "json", "--since-last")) == []


@pytest.mark.parametrize(
    "kept", ["", "[]", '{"version": 2, "files": {}}', '{"version": 1, "files": 3}', "\xff"]
)
def test_a_broken_memory_is_an_empty_one(project, capsys, cache, kept: str) -> None:
    project({"a.py": BAD})
    since_last(capsys)
    (file,) = (cache / FOLDER).iterdir()
    file.write_text(kept, encoding="latin-1")
    assert since_last(capsys)[0] == "2"
    assert since_last(capsys) == [LEFT_OUT]


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_only_the_user_can_read_the_memory(project, capsys, cache) -> None:
    project({"a.py": BAD})
    since_last(capsys)
    (file,) = (cache / FOLDER).iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_a_memory_that_cannot_be_written_is_named(project, capsys, cache) -> None:
    project({"a.py": BAD})
    (cache / FOLDER).write_text("a file")
    assert main(["check", "--since-last"]) == 1
    assert "cannot keep what was shown" in capsys.readouterr().err


def test_cache_clear_forgets_what_was_shown(project, capsys, cache) -> None:
    project({"a.py": BAD})
    since_last(capsys)
    assert main(["cache", "clear"]) == 0
    capsys.readouterr()
    assert since_last(capsys)[0] == "2"
