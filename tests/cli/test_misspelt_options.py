"""Words of the command line that do not exist: whose usage is shown, and what is suggested."""

from __future__ import annotations

import pytest

from torchlsp.cli.main import main


def refusal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """The usage and the message that a wrong call is answered with."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    *usage, message = shown.err.splitlines()
    return "\n".join(usage), message


@pytest.mark.parametrize(
    ("arguments", "command", "message"),
    [
        (["check", "--exclud", "x"], "check", "no such option: `--exclud`, did you mean `--exclude`?"),
        (
            ["check", "a.py", "--statistcs"],
            "check",
            "no such option: `--statistcs`, did you mean `--statistics`?",
        ),
        (["check", "--output_format=json"], "check", "`--output_format`, did you mean `--output-format`?"),
        (["check", "--fromat", "json"], "check", "`--fromat`, did you mean `--output-format`?"),
        (
            ["check", "--list"],
            "check",
            "no such option: `--list`; `torchlsp check --help` lists those there are",
        ),
        (["check", "--Fix"], "check", "no such option: `--Fix`, did you mean `--fix`?"),
        (["check", "-statistics"], "check", "no such option: `-statistics`, did you mean `--statistics`?"),
        (["check", "-x"], "check", "no such option: `-x`; `torchlsp check --help` lists those there are"),
        (["check", "--output-format", "jsno"], "check", "did you mean `json`?"),
        (["docs", "--serch", "cat"], "docs", "no such option: `--serch`, did you mean `--search`?"),
        (["docs", "--serch"], "docs", "no such option: `--serch`, did you mean `--search`?"),
        (["rules", "--gruop", "style"], "rules", "no such option: `--gruop`, did you mean `--group`?"),
        (["explain", "--colour", "always", "TL101"], "explain", "did you mean `--color`?"),
        (["record", "--step", "3", "--", "python", "a.py"], "record", "did you mean `--steps`?"),
        (["record", "show", "a.py", "--functon", "f"], "record show", "did you mean `--function`?"),
        (["record", "stauts"], "record", "did you mean `status`?"),
        (["cache", "cleer"], "cache", "did you mean `clear`?"),
    ],
)
def test_a_misspelt_word_is_answered_with_the_usage_of_its_command(
    capsys, arguments: list[str], command: str, message: str
) -> None:
    usage, told = refusal(arguments, capsys)
    assert usage.startswith(f"usage: torchlsp {command} ")
    assert told.startswith(f"torchlsp {command}: error: ")
    assert told.endswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--verison"], "no such option: `--verison`, did you mean `--version`?"),
        (["chek", "a.py"], "did you mean `check`?"),
        (["--statistics"], "no such option: `--statistics`, it is one of `torchlsp check`"),
        (["."], "`.` is no command; did you mean `torchlsp check .`?"),
    ],
)
def test_what_stands_before_a_command_is_answered_with_the_usage_of_all(
    capsys, arguments: list[str], message: str
) -> None:
    usage, told = refusal(arguments, capsys)
    assert usage.startswith("usage: torchlsp [-h] [-V] COMMAND")
    assert told.endswith(message)


def test_other_mistakes_are_named_where_every_option_exists(capsys) -> None:
    _, told = refusal(["check", "--jobs", "-1"], capsys)
    assert told.endswith("argument --jobs: `-1` is neither a number of processes nor auto")
    _, told = refusal(["docs"], capsys)
    assert "no such option" not in told
    _, told = refusal(["doctor", "here"], capsys)
    assert told.endswith("unrecognized arguments: here")


@pytest.mark.processes
def test_the_command_that_is_recorded_has_options_of_its_own(capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["record", "--", "no-such-command", "--statistcs"]) != 0
    assert "no such option" not in capsys.readouterr().err
