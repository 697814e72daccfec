"""The command as a user runs it: output, exit status, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from torchlsp.cli.main import main

ROOT = Path(__file__).parents[2]
HEAD = "import torch\n"


pytestmark = pytest.mark.usefixtures("stand_in")


def test_text(project, capsys) -> None:
    project({"a.py": HEAD + "\ty = x.view(é, 2)\n".replace("\t", "if x:\n\t")})
    assert main(["check"]) == 1
    assert capsys.readouterr().out == (
        "a.py:3:8: error TL101 `x` is not contiguous [view-on-noncontiguous]\n"
        "    3 | \ty = x.view(é, 2)\n"
        "      | \t      ^^^^^^^^^^\n"
        "  because torch comes from here (a.py:1:1)\n"
        "    1 | import torch\n"
        "      | ^^^^^^^^^^^^\n"
        "  fix (unsafe): Use `reshape`\n"
        "\n"
        "1 error in 1 file; 1 fixable with --fix --unsafe-fixes\n"
    )


def test_concise_and_quiet(project, capsys) -> None:
    project({"a.py": HEAD + "x.view(1)\n"})
    assert main(["check", "--output-format", "concise", "a.py"]) == 1
    assert capsys.readouterr().out == "a.py:2:3: error TL101 `x` is not contiguous [view-on-noncontiguous]\n"


def test_json(project, capsys) -> None:
    project({"a.py": HEAD + "'𝕏é'; x.view(1)\n"})
    assert main(["check", "--output-format", "json"]) == 1
    (record,) = json.loads(capsys.readouterr().out)
    fingerprint = record.pop("fingerprint")
    assert len(fingerprint) == 64
    assert record == {
        "filename": "a.py",
        "location": {"row": 2, "column": 9},
        "end_location": {"row": 2, "column": 16},
        "cell": None,
        "code": "TL101",
        "name": "view-on-noncontiguous",
        "message": "`x` is not contiguous",
        "severity": "error",
        "group": "correctness",
        "fix": {
            "title": "Use `reshape`",
            "applicability": "unsafe",
            "edits": [
                {
                    "location": {"row": 2, "column": 9},
                    "end_location": {"row": 2, "column": 13},
                    "cell": None,
                    "content": "reshape",
                }
            ],
        },
        "related": [
            {
                "filename": "a.py",
                "location": {"row": 1, "column": 1},
                "end_location": {"row": 1, "column": 13},
                "cell": None,
                "message": "torch comes from here",
            }
        ],
        "probe": None,
    }


def test_json_of_nothing_is_an_empty_array(project, capsys) -> None:
    project({"a.py": HEAD})
    assert main(["check", "--output-format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_no_findings(project, capsys) -> None:
    project({"a.py": HEAD, "b.py": ""})
    assert main(["check"]) == 0
    assert capsys.readouterr().out == "No findings in 2 files\n"


def test_colour(project, capsys, monkeypatch) -> None:
    project({"a.py": HEAD + "x.view(1)\n"})
    main(["check", "--color", "always"])
    assert "\x1b[1;31m" in capsys.readouterr().out
    main(["check"])
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    main(["check"])
    assert "\x1b[1;31m" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    main(["check"])
    assert "\x1b" not in capsys.readouterr().out


def test_control_characters_of_checked_code_do_not_reach_the_terminal(project, capsys) -> None:
    project({"a.py": HEAD + "'\x1b]0;title\x07'; x.view(1)\n"})
    main(["check"])
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\x07" not in out


def test_statistics(project, capsys) -> None:
    project({"a.py": HEAD + "x.view(1)\nx.view(2)\n", "b.py": "def f(:\n"})
    assert main(["check", "--statistics", "-q"]) == 1
    assert capsys.readouterr().out == (
        "2  TL101  view-on-noncontiguous  fixable: 2 with --fix --unsafe-fixes\n1  TL000  unreadable-source\n"
    )


def test_exit_status_options(project) -> None:
    project({"a.py": HEAD + "x.view(1)\n", "b.py": HEAD + "crash\n", "c.py": "# torchlsp: ignore[TL101]\n"})
    assert main(["check", "a.py", "--exit-zero"]) == 0
    assert main(["check", "a.py", "--ignore", "TL1"]) == 0
    assert main(["check", "a.py", "--select", "missing-zero-grad"]) == 0
    assert main(["check", "c.py"]) == 1
    assert main(["check", "c.py", "--fail-on", "error"]) == 0
    assert main(["check", "b.py", "--exit-zero"]) == 2


def test_internal_errors_are_one_line_unless_asked_for(project, capsys) -> None:
    project({"a.py": HEAD + "crash\n"})
    assert main(["check"]) == 2
    err = capsys.readouterr().err
    assert "torchlsp: internal error: a.py: KeyError at conftest.py:" in err
    assert "Traceback" not in err
    assert main(["check", "--show-internal-errors"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_many_internal_errors_are_counted(project, capsys) -> None:
    project({f"a{number}.py": HEAD + "crash\n" for number in range(14)})
    assert main(["check"]) == 2
    err = capsys.readouterr().err
    assert err.count("KeyError") == 10
    assert "torchlsp: and 4 more internal errors\n" in err


def test_a_finding_is_fixed(project, capsys) -> None:
    root = project({"a.py": HEAD + "x.view(1)\n"})
    assert main(["check", "--fix", "--unsafe-fixes"]) == 0
    assert (root / "a.py").read_text() == HEAD + "x.reshape(1)\n"
    assert capsys.readouterr().out == "1 fix made, no findings in 1 file\n"


def test_diff(project, capsys) -> None:
    root = project({"a.py": HEAD + "\x0cx.view(1)"})
    assert main(["check", "--diff", "--unsafe-fixes"]) == 1
    assert capsys.readouterr().out == (
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n import torch\n"
        "-\x0cx.view(1)\n\\ No newline at end of file\n"
        "+\x0cx.reshape(1)\n\\ No newline at end of file\n"
    )
    assert (root / "a.py").read_text() == HEAD + "\x0cx.view(1)"
    assert main(["check", "--diff"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "absent.py"], "torchlsp: no such file or folder: absent.py"),
        (["check", "--select", "TL5O1"], "torchlsp: --select: unknown rule `TL5O1`, did you mean `TL501`?"),
        (["check", "--config", "absent.toml"], "torchlsp: absent.toml: cannot read the configuration"),
        (["check", "--unsafe-fixes"], "torchlsp: --unsafe-fixes needs --fix or --diff"),
        (["check", "--isolated", "--config", "a"], "torchlsp: --config and --isolated contradict each other"),
        (["explain", "TL0O1"], "torchlsp: unknown rule `TL0O1`, did you mean `TL001`?"),
    ],
)
def test_the_users_mistakes(project, capsys, arguments: list[str], message: str) -> None:
    project({})
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(message)


NESTED = {
    "lists": "select = " + "[" * 100_000,
    "closed lists": "select = " + "[" * 20_000 + "]" * 20_000,
    "tables": "a = " + "{a = " * 50_000,
    "key": "a." * 50_000 + "a = 1",
    "quoted key": "'a' . " * 50_000 + "a = 1",
    "name of a table": "[" + "a." * 50_000 + "a]",
    "value of a message": "severity.TL101 = " + "[" * 300 + "]" * 300,
}


@pytest.mark.parametrize("name", ["torchlsp.toml", "pyproject.toml", "named.toml"])
@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED)
def test_deep_nesting_in_the_configuration_is_one_sentence(project, capsys, name: str, text: str) -> None:
    project({name: f"[tool.torchlsp]\n{text}" if name == "pyproject.toml" else text, "a.py": HEAD})
    start = time.process_time()
    assert main(["check", *(["--config", name] if name == "named.toml" else [])]) == 2
    assert time.process_time() - start < 1.5
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith("torchlsp: ") and f"{name}:" in told
    if not text.startswith("severity"):
        assert "nested too deeply" in told


def test_configuration_of_a_gigabyte_is_one_sentence(project, capsys) -> None:
    root = project({"a.py": HEAD})
    with open(root / "torchlsp.toml", "wb") as file:
        file.truncate(1_000_000_000)
    assert main(["check"]) == 2
    (told,) = capsys.readouterr().err.splitlines()
    assert told.endswith("torchlsp.toml: cannot read the configuration: larger than 1,000,000 bytes")


def test_a_mistake_in_the_configuration(project, capsys) -> None:
    project({"torchlsp.toml": "\nselekt = []", "a.py": HEAD})
    assert main(["check"]) == 2
    assert "torchlsp.toml:2: unknown key `selekt`, did you mean `select`?" in capsys.readouterr().err


def test_a_folder_without_python(project, capsys) -> None:
    project({"docs/a.txt": ""})
    assert main(["check", "docs"]) == 0
    assert capsys.readouterr().err == "torchlsp: docs: no Python files found\n"


def test_explain_and_rules(capsys) -> None:
    assert main(["explain", "tl001"]) == 0
    assert capsys.readouterr().out.startswith("# TL001 unused-suppression\n")
    assert main(["rules"]) == 0
    text = capsys.readouterr().out
    assert main(["rules", "--output-format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [line.split()[0] for line in text.splitlines()] == [rule["code"] for rule in listed]
    assert main(["rules", "--output-format", "markdown"]) == 0
    head, line, *rows = capsys.readouterr().out.splitlines()
    assert (head.count("|"), line) == (7, "|---|---|---|---|---|---|")
    assert [[cell.strip() for cell in row.split("|")][1:6] for row in rows] == [
        [
            rule["code"],
            rule["name"],
            rule["severity"],
            rule["group"] or "-",
            "on" if rule["default"] else "off",
        ]
        for rule in listed
    ]


def test_rules_with_a_code_shows_its_page(capsys, monkeypatch) -> None:
    assert main(["explain", "TL101"]) == 0
    page = capsys.readouterr().out
    for word in ("TL101", "tl101", "view-on-noncontiguous", "view_on_noncontiguous"):
        assert main(["rules", word]) == 0
        assert capsys.readouterr().out == page
    assert main(["rules", "TL101", "--output-format", "markdown"]) == 0
    assert capsys.readouterr().out == page
    assert main(["rules", "TL101", "--output-format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["code"], told["name"], told["page"]) == ("TL101", "view-on-noncontiguous", page)
    for command in ("rules", "explain"):
        assert main([command, "TL101", "--color", "always"]) == 0
        first = capsys.readouterr().out.splitlines()[0]
        assert "\x1b[" in first and "TL101 view-on-noncontiguous" in first


def test_rules_with_a_prefix_or_several_words_lists_them(capsys) -> None:
    assert main(["rules", "--output-format", "json"]) == 0
    codes = [rule["code"] for rule in json.loads(capsys.readouterr().out)]
    assert main(["rules", "TL7", "TL501"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == [code for code in codes if code.startswith("TL7") or code == "TL501"]
    assert main(["rules", "TL7", "--group", "performance", "--output-format", "json"]) == 0
    both = json.loads(capsys.readouterr().out)
    assert both and all(one["code"].startswith("TL7") and one["group"] == "performance" for one in both)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["TL5O1"], "unknown rule `TL5O1`, did you mean `TL501`?"),
        (
            ["view-on-noncontigous"],
            "unknown rule `view-on-noncontigous`, did you mean `view-on-noncontiguous`?",
        ),
        (["TL101", "nothing-like-it"], "unknown rule `nothing-like-it`"),
        (["TL101", "--group", "style"], "--group goes with a list of rules, not with the page of one"),
    ],
)
def test_rules_refuses_words_that_mean_no_rule(capsys, words: list[str], message: str) -> None:
    assert main(["rules", *words]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.startswith(f"torchlsp: {message}")) == ("", True)


def test_rules_of_a_group(capsys) -> None:
    assert main(["rules", "--group", "style,Performance", "--output-format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {rule["group"] for rule in listed} == {"style", "performance"}
    assert main(["rules", "--group", "style", "--group", "performance"]) == 0
    text = capsys.readouterr().out
    assert [line.split()[0] for line in text.splitlines()] == [rule["code"] for rule in listed]
    assert main(["rules", "--group", "stile"]) == 2
    assert capsys.readouterr().err == "torchlsp: --group: unknown group `stile`, did you mean `style`?\n"
    assert main(["explain", "style"]) == 2
    assert "is a group of rules; `torchlsp rules --group style` lists them" in capsys.readouterr().err


def test_explain_shows_the_group(capsys) -> None:
    assert main(["explain", "TL424", "--output-format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["group"], told["default"]) == ("style", False)
    assert "*warning · style · off by default*" in told["page"]


def test_every_rule_can_be_explained(capsys) -> None:
    main(["rules", "--output-format", "json"])
    for rule in json.loads(capsys.readouterr().out):
        for word in (rule["code"], rule["name"]):
            assert main(["explain", word]) == 0
            assert capsys.readouterr().out.startswith(f"# {rule['code']} {rule['name']}\n")


@pytest.mark.processes
def test_doctor_reads_the_active_environment(tmp_path: Path, capsys, monkeypatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").touch()
    folder = tmp_path / "lib" / "python3.12" / "site-packages" / "torch-9.8.7.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 9.8.7\n")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path))
    assert main(["doctor", "--output-format", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["torch"] == "9.8.7"
    assert facts["interpreter for torch"].endswith("(VIRTUAL_ENV)")
    assert main(["doctor"]) == 0


def run(*arguments: str, cwd: Path, **options) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "torchlsp", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, **options)


@pytest.mark.processes
def test_the_module_runs(tmp_path: Path) -> None:
    assert run("--version", cwd=tmp_path).stdout.startswith("torchlsp ")
    assert run("-V", cwd=tmp_path).stdout == run("--version", cwd=tmp_path).stdout
    (tmp_path / "a.py").write_text("def f(:\n")
    done = run("check", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("a.py:1:7: error TL000 does not parse: ")


@pytest.mark.processes
def test_without_a_command_the_help_is_shown(tmp_path: Path) -> None:
    done = run(cwd=tmp_path)
    assert done.returncode == 2
    assert "usage: torchlsp" in done.stdout


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="pipes break differently there")
def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"a{number}.py").write_text("def f(:\n")
    command = f'"{sys.executable}" -m torchlsp check | head -n 1'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


FORBIDDEN_AT_START = ("libcst", "torch", "numpy", "jedi", "pygls", "lsprotocol", "asyncio", "multiprocessing")


def imported(arguments: list[str], cwd: Path) -> set[str]:
    """The modules that a run imports, beyond those that Python and the installation load at start."""
    code = (
        "import sys, json\nbefore = set(sys.modules)\nfrom torchlsp.cli.main import main\n"
        f"try:\n    main({arguments!r})\nexcept SystemExit:\n    pass\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, env=environment, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.processes
def test_version_imports_next_to_nothing(tmp_path: Path) -> None:
    modules = imported(["--version"], tmp_path)
    heavy = (*FORBIDDEN_AT_START, "ast", "dataclasses", "inspect", "typing_extensions", "pathlib")
    assert [name for name in heavy if name in modules] == []
    assert "torchlsp.engine.engine" not in modules


@pytest.mark.processes
def test_check_without_a_candidate_imports_no_libcst(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b.py").write_text("def f(:\n")
    modules = {name.split(".")[0] for name in imported(["check", "a.py"], tmp_path)}
    assert [name for name in FORBIDDEN_AT_START if name in modules] == []


@pytest.mark.skipif(sys.platform == "win32", reason="such names are not possible")
@pytest.mark.parametrize(
    "options", [[], ["--diff"], ["--output-format", "github"], ["--timings"], ["--statistics"]]
)
def test_names_of_files_drive_no_terminal(project, capsys, options: list[str]) -> None:
    name = "a\x1b]0;title\x07\u202e\nb"
    project(
        {
            f"{name}.py": f"{HEAD}bad(1)\n",
            f"{name}2.py": f"{HEAD}crash\n",
            f"{name}3.py": "\0",
            f"{name}4.py": "#" * 5_000_001,
        }
    )
    main(["check", *options])
    told = capsys.readouterr()
    assert f"{name[:1]}?" in told.err and (told.out or told.err)
    lines = (told.out + told.err).replace("\t", " ").split("\n")
    assert [line for line in lines if not line.isprintable()] == []


@pytest.mark.skipif(sys.platform == "win32", reason="such names are not possible")
def test_name_of_a_wrong_configuration_drives_no_terminal(project, capsys) -> None:
    project({"a\x1b[31m.toml": "selekt = 1", "a.py": HEAD})
    assert main(["check", "--config", "a\x1b[31m.toml"]) == 2
    assert capsys.readouterr().err.startswith("torchlsp: a?[31m.toml:1: unknown key")
