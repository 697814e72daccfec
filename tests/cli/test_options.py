"""Options: what they do, what they refuse, and the exit status."""

from __future__ import annotations

import io
import json
import os
import sys
from itertools import product

import pytest

from torchlsp.cli.main import main
from torchlsp.report.formats import FORMATS

pytestmark = pytest.mark.usefixtures("stand_in")
HEAD = "import torch\n"
BAD = HEAD + "x.view(1)\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--isolated", "--config", "a"], "--config and --isolated contradict each other"),
        (["--unsafe-fixes"], "--unsafe-fixes needs --fix or --diff"),
        (["--add-ignores", "--fix"], "--add-ignores and --fix contradict each other: fix first"),
        (["--add-ignores=why", "--diff"], "--add-ignores and --diff contradict each other"),
        (["--add-ignores", "--write-baseline", "b"], "--add-ignores and --write-baseline contradict"),
        (["--baseline", "b", "--write-baseline", "b"], "--baseline and --write-baseline contradict"),
        (["--write-baseline", "b", "--fix"], "--write-baseline and --fix contradict each other: fix first"),
        (["--write-baseline", "b", "--diff"], "--write-baseline and --diff contradict"),
        (["--write-baseline", "b", "--output-file", "o"], "--write-baseline and --output-file contradict"),
        (["--write-baseline", "b", "--statistics"], "--write-baseline and --statistics contradict"),
        (["--output-file", "o", "--diff"], "--output-file and --diff contradict"),
        (
            ["--show-refuted", "--probe", "auto", "--add-ignores"],
            "--show-refuted and --add-ignores contradict",
        ),
        (
            ["--show-refuted", "--probe", "auto", "--write-baseline", "b"],
            "--show-refuted and --write-baseline contradict",
        ),
        (["--report", "json=absent/o.json"], "cannot write the report absent/o.json: there is no folder"),
        (["--report", "json=o.json", "--diff"], "--report and --diff contradict each other: a diff shows no"),
        (["--write-baseline", "b", "--report", "json=o"], "--write-baseline and --report contradict"),
        (["--show-settings", "--report", "json=o"], "--show-settings and --report contradict"),
        (["--statistics", "--diff"], "--statistics and --diff contradict"),
        (["--show-settings", "--fix"], "--show-settings and --fix contradict"),
        (["--show-settings", "--output-format", "sarif"], "--show-settings prints text or json, not sarif"),
        (["--statistics", "--output-format", "junit"], "--statistics prints text or json, not junit"),
        (["--diff", "--output-format", "json"], "--diff prints a diff, not json"),
        (["-", "a.py"], "`-` reads standard input and takes no other paths"),
        (["-", "-"], "`-` reads standard input and takes no other paths"),
        (["-", "--add-ignores"], "--add-ignores needs files, not standard input"),
        (["-", "--write-baseline", "b"], "--write-baseline needs files, not standard input"),
        (["--stdin-filename", "a.py"], "--stdin-filename needs `-` as the path"),
        (
            ["--output-file", "absent/o.json"],
            "cannot write the output file absent/o.json: there is no folder",
        ),
        (["--output-file", "folder"], "cannot write the output file folder: it is a folder"),
        (["--python", "absent/python"], "--python absent/python: it does not exist"),
        (["--select", "TL5O1"], "--select: unknown rule `TL5O1`, did you mean `TL501`?"),
        (["--ignore", "TL101,nope"], "--ignore: unknown rule `nope`"),
        (
            ["--extend-select", "view-on-noncontigous"],
            "--extend-select: unknown rule `view-on-noncontigous`, did",
        ),
    ],
)
def test_what_is_refused_in_one_line(project, capsys, arguments: list[str], message: str) -> None:
    root = project({"a.py": BAD, "folder/b.py": ""})
    before = sorted(root.rglob("*"))
    assert main(["check", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith(f"torchlsp: {message}")
    assert shown.err.count("\n") == 1
    assert shown.out == ""
    assert (root / "a.py").read_text() == BAD
    assert sorted(root.rglob("*")) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["--output-format", "yaml"],
        ["--color", "sometimes"],
        ["--fail-on", "never"],
        ["--report", "findings.json"],
        ["--report", "yaml=o"],
        ["--report", "json="],
        ["--jobs", "-1"],
        ["--jobs", "many"],
        ["--jobs", "1_0"],
        ["--jobs", "²"],
        ["--jobs", ""],
        ["--nonsense"],
        ["--out", "x"],
    ],
)
def test_what_argparse_refuses(project, capsys, arguments: list[str]) -> None:
    project({})
    with pytest.raises(SystemExit) as ended:
        main(["check", *arguments])
    assert ended.value.code == 2
    assert arguments[0] in capsys.readouterr().err


@pytest.mark.parametrize("jobs", ["0", "1", "2", "auto"])
def test_jobs(project, capsys, jobs: str) -> None:
    project({"a.py": BAD})
    assert main(["check", "--jobs", jobs, "--output-format", "concise"]) == 1
    assert capsys.readouterr().out.startswith("a.py:2:3: error TL101")


def test_reports_in_other_formats_beside_what_is_printed(project, capsys) -> None:
    root = project({"a.py": BAD})
    reports = ["--report", "json=a=b.json", "--report", "sarif=s.sarif", "--report", "concise=c.txt"]
    for shown in ([], ["--output-format", "json"], ["--output-file", "o.txt"], ["--statistics"], ["-q"]):
        assert main(["check", *reports, *shown]) == 1
        capsys.readouterr()
        (record,) = json.loads((root / "a=b.json").read_text())
        assert record["code"] == "TL101"
        assert len(json.loads((root / "s.sarif").read_text())["runs"][0]["results"]) == 1
        assert (root / "c.txt").read_text().startswith("a.py:2:3: error TL101")
    (root / "a.py").write_text(HEAD)
    assert main(["check", *reports]) == 0
    assert (root / "a=b.json").read_text() == "[]\n"
    assert (root / "c.txt").read_text() == ""


def test_fix_with_diff_changes_nothing(project, capsys) -> None:
    root = project({"a.py": BAD})
    assert main(["check", "--fix", "--diff", "--unsafe-fixes"]) == 1
    assert capsys.readouterr().out.startswith("--- a/a.py\n")
    assert (root / "a.py").read_text() == BAD


# Which findings there are, by severity, and what --fail-on makes of them.
@pytest.mark.parametrize(
    ("severity", "fail_on", "status"),
    [(severity, least, int(severity <= least)) for severity, least in product(range(3), range(3))],
)
def test_fail_on(project, severity: int, fail_on: int, status: int) -> None:
    words = ("error", "warning", "info")
    project({"a.py": BAD, "torchlsp.toml": f'select = ["TL1"]\n[severity]\nTL101 = "{words[severity]}"\n'})
    arguments = ["check", "--fail-on", words[fail_on]]
    assert main(arguments) == status
    assert main([*arguments, "--exit-zero"]) == 0
    assert main([*arguments, "--diff", "--unsafe-fixes"]) == 1
    assert main([*arguments, "--diff", "--unsafe-fixes", "--exit-zero"]) == 0


@pytest.mark.parametrize("option", ["--exit-zero", "--statistics", "--quiet"])
def test_an_internal_error_is_never_hidden(project, option: str) -> None:
    project({"a.py": HEAD + "crash\n"})
    assert main(["check", option]) == 2


# The longer of two selectors wins; between equals, ignoring does; --select replaces the file's.
@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ([], False),
        (["--select", "TL101"], True),
        (["--select", "TL1"], True),
        (["--select", "ALL"], False),
        (["--extend-select", "TL101"], True),
        (["--extend-select", "TL"], False),
        (["--select", "TL501"], False),
        (["--select", "TL501", "--extend-select", "view-on-noncontiguous"], True),
        (["--select", "TL101", "--ignore", "TL101"], False),
        (["--select", "TL501", "--select", " tl101 ,"], True),
        (["--isolated"], True),
        (["--isolated", "--ignore", "TL1"], False),
        (["--isolated", "--select", "TL101", "--ignore", "TL1"], True),
        (["--config", "other.toml"], True),
        (["--select", ""], False),
    ],
)
def test_which_rules_run(project, arguments: list[str], found: bool) -> None:
    project({"a.py": BAD, "torchlsp.toml": 'ignore = ["TL"]\n', "other.toml": ""})
    assert main(["check", "a.py", *arguments]) == int(found)


def test_force_exclude(project, capsys) -> None:
    project({"torchlsp.toml": 'exclude = ["gen"]', "gen/a.py": BAD})
    assert main(["check", "gen/a.py"]) == 1
    assert main(["check", "gen/a.py", "--force-exclude"]) == 0
    assert capsys.readouterr().out.endswith("No findings in 0 files\n")


# Patterns of the command line are read from the working directory and cover what is named, too.
@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["--exclude", "gen"], ["a.py", "src/b.py"]),
        (["--exclude", "src/gen"], ["a.py", "src/b.py"]),
        (["--exclude", "./src/"], ["a.py"]),
        (["--exclude", "src/**/c.py"], ["a.py", "src/b.py"]),
        (["--exclude", "gen/c.py"], ["a.py", "src/b.py", "src/gen/c.py"]),
        (["--exclude", "b.py", "--exclude", "a*"], ["src/gen/c.py"]),
        (["--exclude", "a.py, gen"], ["src/b.py"]),
        (["src", "a.py", "--exclude", "a.py"], ["src/b.py", "src/gen/c.py"]),
        (["src/gen/c.py", "--exclude", "gen"], []),
        (["src/gen", "--exclude", "src"], []),
    ],
)
def test_exclude_leaves_out_files(project, capsys, arguments: list[str], found: list[str]) -> None:
    root = project({"a.py": BAD, "src/b.py": BAD, "src/gen/c.py": BAD, "src/torchlsp.toml": "exclude = []"})
    assert main(["check", "--output-format", "json", *arguments]) == int(bool(found))
    assert [one["filename"] for one in json.loads(capsys.readouterr().out)] == found
    whole = [str(root / one) if one in ("src/gen", "./src/") else one for one in arguments]
    assert main(["check", "--output-format", "json", *whole]) == int(bool(found))
    assert [one["filename"] for one in json.loads(capsys.readouterr().out)] == found


def test_exclude_adds_to_what_the_configuration_leaves_out(project, capsys, monkeypatch) -> None:
    root = project({"torchlsp.toml": 'exclude = ["a.py"]', "a.py": BAD, "b.py": BAD, "sub/c.py": BAD})
    assert main(["check", "--exclude", "b.py", "--output-format", "concise"]) == 1
    assert capsys.readouterr().out.startswith(f"{os.path.join('sub', 'c.py')}:2")
    assert main(["check", "--exclude", "b.py", "--show-settings", "--output-format", "json"]) == 0
    (settings,) = json.loads(capsys.readouterr().out)
    assert (settings["exclude"], settings["exclude_of_command_line"]) == (["a.py"], ["b.py"])
    monkeypatch.chdir(root / "sub")
    assert main(["check", "..", "--exclude", "../b.py,c.py"]) == 0


def test_exclude_covers_standard_input_by_its_name(project, capsys, monkeypatch) -> None:
    project({"a.py": ""})
    for exclude, status in (("a.py", 0), ("b.py", 1)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BAD.encode())))
        assert main(["check", "-", "--stdin-filename", "src/a.py", "--exclude", exclude]) == status


def test_gitignore(project) -> None:
    project({".git/HEAD": "", ".gitignore": "gen", "gen/a.py": BAD, "b.py": ""})
    assert main(["check"]) == 0
    assert main(["check", "gen/a.py"]) == 1
    assert main(["check", "--no-respect-gitignore"]) == 1


def test_output_file(project, capsys) -> None:
    root = project({"a.py": HEAD + "'é'; x.view(1)\n", "out.json": "old"})
    os.chmod(root / "out.json", 0o640)
    assert main(["check", "--output-format", "json", "--output-file", "out.json"]) == 1
    assert capsys.readouterr().out == "1 error in 1 file; 1 fixable with --fix --unsafe-fixes\n"
    (record,) = json.loads((root / "out.json").read_text(encoding="utf-8"))
    assert record["filename"] == "a.py"
    assert (root / "out.json").stat().st_mode & 0o777 == 0o640
    assert main(["check", "--output-file", "out.txt", "-q"]) == 1
    assert capsys.readouterr().out == ""
    assert "'é'; x.view(1)" in (root / "out.txt").read_text(encoding="utf-8")
    assert sorted(path.name for path in root.iterdir()) == ["a.py", "out.json", "out.txt"]


def test_an_output_file_is_coloured_only_when_told(project, monkeypatch, capsys) -> None:
    root = project({"a.py": BAD})
    monkeypatch.setenv("FORCE_COLOR", "1")
    main(["check", "--output-file", "out.txt"])
    assert "\x1b" not in (root / "out.txt").read_text()
    assert "\x1b" in capsys.readouterr().out
    main(["check", "--output-file", "out.txt", "--color", "always"])
    assert "\x1b" in (root / "out.txt").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such devices there")
def test_an_output_file_may_be_a_device(project) -> None:
    project({"a.py": BAD})
    assert main(["check", "--output-file", os.devnull]) == 1
    assert not os.path.isfile(os.devnull)


@pytest.mark.parametrize(
    ("environment", "terminal", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
    ],
)
def test_when_there_are_colours(project, capsys, monkeypatch, environment, terminal, expected) -> None:
    project({"a.py": BAD})
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    main(["check"])
    assert ("\x1b[" in capsys.readouterr().out) == expected
    main(["check", "--color", "always"])
    assert "\x1b[" in capsys.readouterr().out
    main(["check", "--color", "never"])
    assert "\x1b[" not in capsys.readouterr().out


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("text", [BAD, HEAD])
def test_every_format_has_the_same_exit_status(project, capsys, name: str, text: str) -> None:
    project({"a.py": text})
    assert main(["check", "--output-format", name]) == int(text is BAD)
    out = capsys.readouterr().out
    assert out == "" or out.endswith("\n")
    if text is BAD:
        assert "TL101" in out


def test_statistics_as_json(project, capsys) -> None:
    project({"a.py": BAD})
    assert main(["check", "--statistics", "--output-format", "json"]) == 1
    assert "TL101" in json.dumps(json.loads(capsys.readouterr().out))


def test_quiet_prints_findings_only(project, capsys) -> None:
    project({"a.py": BAD, "docs/a.txt": ""})
    assert main(["check", "-q", "a.py", "docs", "--output-format", "concise"]) == 1
    shown = capsys.readouterr()
    assert (shown.out.count("\n"), shown.err) == (1, "")
    assert main(["check", "-q", "docs"]) == 0
    assert capsys.readouterr() == ("", "")


def test_help_names_every_option(capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    for option in (
        "select", "extend-select", "ignore", "fix", "unsafe-fixes", "diff", "add-ignores", "baseline",
        "write-baseline", "stdin-filename", "exclude", "force-exclude", "no-respect-gitignore", "jobs", "config", "isolated",
        "python", "show-settings", "output-format", "output-file", "statistics", "color", "timings", "quiet",
        "show-internal-errors", "exit-zero", "fail-on",
    ):  # fmt: skip
        assert f"--{option}" in text
    assert all(len(line) <= 120 for line in text.splitlines())


def test_a_reason_needs_an_equals_sign() -> None:
    from torchlsp.cli.options import with_optional_reason

    assert with_optional_reason(["check", "--add-ignores", "src", "--", "--add-ignores"]) == [
        "check", "--add-ignores=", "src", "--", "--add-ignores",
    ]  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("options", [[], ["--fix"], ["--jobs", "2"]])
def test_pipes_are_read_once(project, capsys, options: list[str]) -> None:
    """As in `torchlsp check <(git show HEAD:a.py) <(git show HEAD:b.py)`."""
    from threading import Thread

    root = project({})
    writers = []
    for name in ("a", "b"):
        os.mkfifo(root / name)
        writers.append(Thread(target=(root / name).write_text, args=(BAD,), daemon=True))
        writers[-1].start()
    assert main(["check", "a", "b", "--output-format", "concise", *options]) == 1
    for writer in writers:
        writer.join(10)
    out = capsys.readouterr().out
    assert [line.split(":")[0] for line in out.splitlines()] == ["a", "b"]
