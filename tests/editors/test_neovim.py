"""Real Neovims with the set-ups that editors/README.md shows: what their users see of the server."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from editor_availability import ROOT, not_there
from editor_project import FIXED, LIMIT, LINE, ROW, SOURCE, Desk, block, byte_column, desk
from recorded_project import CHANGED, FILES
from recorded_project import ROW as ROW_OF_CHANGE
from terminal import terminal

HERE = Path(__file__).parent
pytestmark = [pytest.mark.editors, pytest.mark.slow]

# The blocks of editors/README.md, in their order: for which Neovim, and what each is.
SET_UPS = {"new, folder": 0, "old, folder": 1, "new, by hand": 2}


def version_of(program: str) -> tuple[int, int]:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60).stdout
    number = re.search(r"NVIM v(\d+)\.(\d+)", said)
    return (int(number[1]), int(number[2])) if number else (0, 0)


def neovim(new: bool) -> str:
    """A Neovim of 0.11 or later, or an older one."""
    beside = str(Path(sys.executable).with_name("nvim"))
    for found in filter(None, (shutil.which(beside), shutil.which("nvim"), shutil.which("/usr/bin/nvim"))):
        version = version_of(found)
        if version >= (0, 7) and (version >= (0, 11)) == new:
            return found
    if new:
        not_there("Neovim 0.11 or later is needed", "pip install '.[editors]'")
    not_there("a Neovim from 0.7 to 0.10 is needed", ".ci/install-editors")


@dataclass(frozen=True, slots=True)
class Seen:
    """What Neovim knew, what the server's process said at its end, and Neovim's log of the server."""

    set_up: str
    report: dict
    ending: str
    log: str

    @property
    def is_new(self) -> bool:
        return self.set_up.startswith("new")


def command_of(made: Desk, set_up: str, *options: str) -> list[str]:
    """Neovim with a set-up, and a Python file in it; nothing else of the user's home is read."""
    program = neovim(set_up.startswith("new"))
    (made.home / "init.lua").write_text(block("Neovim", "lua", SET_UPS[set_up]), encoding="utf-8")
    return [program, "-i", "NONE", "-n", "-u", str(made.home / "init.lua"), *options, "train.py"]


def driven(home: Path, set_up: str, script: str, files: Mapping[str, str] | None = None, **more: str) -> Seen:
    """What a script saw in a Neovim with a set-up; `files` are written into the project."""
    made = desk(home)
    for name, text in (files or {}).items():
        (made.work / name).write_text(text, encoding="utf-8")
    report = home / "report.json"
    environment = made.environment | {
        "REPORT": str(report),
        "ROW": str(ROW),
        "COLUMN": str(byte_column("x.view")),
        "FIX": "Replace view by reshape",
        **more,
    }
    # Once Neovim is up: before, some of its functions do less.
    run = f"autocmd VimEnter * lua vim.schedule(function() vim.cmd('luafile {HERE / script}') end)"
    try:
        ended = subprocess.run(
            command_of(made, set_up, "--headless", "-c", run),
            cwd=made.work,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
        logs = [*(home / "state" / "nvim").glob("lsp.log"), *(home / "cache" / "nvim").glob("lsp.log")]
        said = "".join(log.read_text(encoding="utf-8", errors="replace") for log in logs)
        assert report.exists(), ended.stderr + said
        told = json.loads(report.read_text(encoding="utf-8"))
        assert "failed" not in told, f"{told['failed']}\n{told}\n{ended.stderr}\n{said}"
        ending = made.until_gone()
    finally:
        os.close(made.alive)
    return Seen(set_up, told, ending, said)


@pytest.fixture(scope="module", params=SET_UPS)
def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    return driven(tmp_path_factory.mktemp("neovim"), request.param, "drive.lua")


def test_it_is_sent_diagnostics_and_columns_are_counted_as_it_wants(seen):
    assert seen.report["encoding"] == ("utf-8" if seen.is_new else "utf-16")
    assert not seen.report["pulls"]
    assert Path(seen.report["root"]).name == "project"


def test_the_finding_stands_at_its_bytes(seen):
    (found,) = seen.report["found"]
    assert (found["lnum"], found["col"]) == (ROW - 1, byte_column("x.view"))
    assert found["end_col"] == len(LINE.encode())
    assert (found["code"], found["source"], found["severity"]) == ("TL101", "torchlsp", 1)
    assert "noncontig cannot be viewed as [2, 12]" in found["message"]
    assert any(step.startswith("permuted here") for step in found["because"])


def test_hover_tells_the_fact_and_where_it_came_from(seen):
    assert "x: f32[2, 4, 3] noncontig" in seen.report["hover"]
    assert "permuted" in seen.report["hover"]


def test_hints_stand_behind_their_names(seen):
    if not seen.is_new:
        assert "hints" not in seen.report, "a Neovim that old shows none"
        return
    after = {
        byte_column("x = ") + 1: ": f32[2, 4, 3] noncontig",
        byte_column("y = ") + 1: ": f32[2, 12]",
    }
    shown = {column: label for row, column, label in seen.report["hints"] if row == ROW - 1}
    assert {column: shown.get(column) for column in after} == after


def test_the_fix_is_made_and_the_finding_goes(seen):
    assert seen.report["fixed"] == FIXED.splitlines()


def test_while_a_line_does_not_parse_the_finding_stays_and_hover_answers(seen):
    assert seen.report["broken"] == seen.report["found"]
    assert "f32[2, 4, 3]" in seen.report["hover_while_broken"]


def test_undo_brings_the_finding_back(seen):
    assert seen.report["undone"] == SOURCE.splitlines()
    assert seen.report["found_again"] == seen.report["found"]


def test_nothing_pops_up_and_nothing_is_written_to_stderr(seen):
    assert seen.report["notified"] == []
    assert not [line for line in seen.log.splitlines() if "stderr" in line or "[ERROR]" in line]


def test_the_server_leaves_with_its_editor(seen):
    assert seen.ending == "left with 0\n"


# ---- the plugin: commands, health, help ----------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[name for name in SET_UPS if "folder" in name])
def plugin(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    home = tmp_path_factory.mktemp("plugin")
    # Tags are made beside the text that they lead to.
    tags = home / "runtime" / "doc"
    shutil.copytree(ROOT / "editors" / "neovim" / "doc", tags, ignore=shutil.ignore_patterns("tags"))
    more = {"TAGS": str(tags), "XDG_DATA_DIRS": str(home / "shared")}
    site = home / "shared" / "nvim" / "site"
    site.parent.mkdir(parents=True)
    site.symlink_to(tags.parent)
    return driven(home, request.param, "drive_plugin.lua", **more)


def test_commands_are_completed(plugin):
    names = "checkWorkspace debugInformation explain fixAll probe record recordStatus restart rules runnableScript"
    assert plugin.report["completed"] == names.split()
    assert plugin.report["codes"] == ["TL101"]


def test_every_command_of_the_server_has_its_word(plugin):
    from torchlsp.server.main import create

    served = {name.removeprefix("torchlsp.") for name in create().protocol.fm.commands}
    # The command line that the server answers is run.
    words = {"recordCommand" if name == "record" else name for name in plugin.report["completed"]}
    assert served == words - {"restart"}


def test_explain_opens_the_page_of_the_finding_or_of_a_code(plugin):
    assert "# TL101 view-on-noncontiguous" in plugin.report["explained"]["text"]
    assert plugin.report["explained"]["filetype"] == "markdown"
    assert "TL501" in plugin.report["explained_by_name"]["text"]


def test_a_rule_is_chosen_among_all(plugin):
    assert len(plugin.report["rules"]) > 100
    code, name = plugin.report["rules"][-1].split()
    assert plugin.report["chosen"]["text"].startswith(f"# {code} {name}")


def test_the_program_of_a_finding_is_shown(plugin):
    assert ".view(" in plugin.report["script"]["text"]
    assert plugin.report["script"]["filetype"] == "python"
    compile(plugin.report["script"]["text"], "script", "exec")


def test_versions_and_settings_are_shown_for_reports(plugin):
    assert "encoding" in plugin.report["information"]["text"]
    assert plugin.report["information"]["windows"] == 2


def test_what_came_of_a_probe_is_said(plugin):
    assert plugin.report["probed"] == "TL101: the probe is switched off"


def test_a_command_that_can_do_nothing_says_why(plugin):
    assert plugin.report["unknown"] == "torchlsp: there is no command nonsense"
    assert plugin.report["nothing_here"] == "torchlsp: there is no finding on this line"
    assert plugin.report["unattached"].startswith("torchlsp: no server is attached to this buffer")


def test_restart_brings_another_server_with_the_same_finding(plugin):
    assert plugin.report["restarted"]
    assert plugin.report["fixed"] == FIXED.splitlines()


def test_the_whole_workspace_lands_in_the_quickfix_list(plugin):
    assert plugin.report["everything"] == "torchlsp: 1 findings in 1 files"
    ((row, column, text),) = plugin.report["quickfix"]
    assert (row, column) == (ROW, byte_column("x.view") + 1)
    assert "cannot be viewed" in text


def test_health_says_what_is_found(plugin):
    health = plugin.report["health"]
    assert "ERROR" not in health
    for words in (
        "starts torchlsp",
        "torchlsp 0.",
        "starts, answers and ends",
        "1 buffers",
        "columns in " + ("utf-8" if plugin.is_new else "utf-16"),
        "configuration: none",
    ):
        assert words in health, health


def test_help_is_found_and_leads_nowhere_in_vain(plugin):
    assert plugin.report["help"] == ["torchlsp.txt", "\t\t\t\t\t\t*:Torchlsp-fixAll*"]
    assert plugin.report["links"] > 10
    # Help of later Neovims is not in an old one.
    later = {":checkhealth", "vim.lsp.config()"}
    assert set(plugin.report["unresolved"]) <= (set() if plugin.is_new else later)


@pytest.mark.parametrize("set_up", [name for name in SET_UPS if "folder" in name])
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("", "`torchlsp` is not found"),
        ("exit 3", "`torchlsp --version` fails"),
        ("[ $1 = server ] && echo hello && exit 0", "`torchlsp server` answers hello"),
        ("[ $1 = server ] && exit 3", "`torchlsp server` answers nothing"),
        ("[ $1 = server ] && exec head -c 60", "`torchlsp server` does not answer as a language server does"),
        ("[ $1 = doctor ] && exit 1", "`torchlsp doctor` fails"),
    ],
    ids=["missing", "broken", "noisy", "silent", "another", "half"],
)
def test_health_names_what_is_wrong(tmp_path, set_up, fault, words):
    made = desk(tmp_path)
    os.close(made.alive)
    wrapper = tmp_path / "bin" / "torchlsp"
    wrapper.rename(wrapper.with_name("true_torchlsp"))
    if fault:
        wrapper.write_text(f'#!/bin/sh\n{fault}\nexec true_torchlsp "$@"\n')
        wrapper.chmod(0o755)
    report = tmp_path / "health.txt"
    # Nothing else on the PATH may be a torchlsp.
    environment = made.environment | {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", "ALIVE": "/dev/null"}
    subprocess.run(
        command_of(
            made, set_up, "--headless", "-c", "checkhealth torchlsp", "-c", f"w! {report}", "-c", "qa!"
        ),
        cwd=made.work,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIMIT,
    )
    health = report.read_text(encoding="utf-8")
    (error,) = [line for line in health.splitlines() if "ERROR" in line and line.lstrip().startswith("-")]
    assert words in error, health


# ---- recording a run -------------------------------------------------------------------------------------------------


@pytest.mark.torch
@pytest.mark.parametrize("set_up", [name for name in SET_UPS if "folder" in name])
def test_a_recorded_run_shows_what_could_not_be_seen_before(tmp_path, set_up):
    change = {"CHANGED": CHANGED, "CHANGED_ROW": str(ROW_OF_CHANGE)}
    report = driven(tmp_path, set_up, "drive_record.lua", FILES, **change).report
    assert report["refused"] == "torchlsp: this file has neither a main block nor tests"
    assert report["unrecorded"] == "torchlsp: no run of this file is recorded"
    assert report["found_before"] == []
    assert "observed" not in report["hover_before"]
    assert "trained" in report["terminal"] and "recorded 2 functions of 2 files" in report["terminal"]
    assert "f32[2, 5, 4, 3]" in report["hover"]
    assert "observed in the run of" in report["hover"]
    assert "train.py: 1 functions of this file" in report["recorded"]
    (found,) = report["found"]
    assert found["code"] == "TL105" and "[2, 4, 5, 5]" in found["message"]
    assert "1 of them changed since" in report["aged"]


# ---- what is seen, and what is left ---------------------------------------------------------------------------------


@pytest.fixture
def sat(tmp_path) -> Iterator[Desk]:
    made = desk(tmp_path)
    yield made
    os.close(made.alive)


@pytest.mark.parametrize("set_up", SET_UPS)
def test_what_the_user_sees(sat, tmp_path_factory, set_up):
    run = tmp_path_factory.mktemp("t")
    with terminal(command_of(sat, set_up), sat.work, sat.environment, run) as screen:
        shown = screen.until_shown("E ", "cannot be viewed")
        (marked,) = [line for line in shown.splitlines() if "x.view" in line]
        assert marked.startswith("E "), shown
        screen.keys("/x.view", "Enter", "K")
        # The hover's window, not the text behind the line.
        floated = screen.until(
            "the hover", lambda text: "x: f32[2, 4, 3] noncontig" in text and "permuted" in text
        )
        assert "import torch" in floated
        screen.keys(":qa!", "Enter")
        sat.until_gone()


@pytest.mark.parametrize("set_up", ["new, folder", "old, folder"])
def test_the_server_leaves_when_its_editor_is_killed(sat, tmp_path_factory, set_up):
    run = tmp_path_factory.mktemp("t")
    with terminal(command_of(sat, set_up), sat.work, sat.environment, run) as screen:
        screen.until_shown("cannot be viewed")
        # Neovim's screen and its core are processes of their own.
        group = int(screen.do("display-message", "-p", "-t", "it", "#{pane_pid}"))
        for process in [group, *children(group)]:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # one may be gone with another
                if Path(f"/proc/{process}/comm").read_text().strip() == "nvim":
                    os.kill(process, signal.SIGKILL)
        # The terminal goes with its editor, and may take the wrapper along before that has said its word.
        assert sat.until_gone() in ("left with 0\n", "")


def children(process: int) -> list[int]:
    """All below a process."""
    found = []
    for thread in Path(f"/proc/{process}/task").iterdir():
        for child in map(int, (thread / "children").read_text().split()):
            found += [child, *children(child)]
    return found
