"""A real VS Code with the extension in it: what its user sees."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import venv
from dataclasses import asdict
from importlib.metadata import distribution, version
from pathlib import Path

import pytest
import recorded_project
from code_server import (
    HERE,
    House,
    Seen,
    built,
    drive,
    first_comer,
    furnished,
    installed,
    packed,
    write_program,
)

from torchlsp.core.publication import CURRENT

pytestmark = [pytest.mark.editors, pytest.mark.slow]

TORCH = version("torch").partition("+")[0]

# Columns count UTF-16 for VS Code: the line has letters of one and of two units before the fault.
SOURCE = """import torch


def shuffled():
    x = torch.zeros(2, 3, 4).permute(0, 2, 1)
    é = "😀😀"; y = x.view(2, 12)
    return torch.cat([y, y])
"""
CALL = "x.view(2, 12)"
HINT = "y: f32[2, 12]"
FIX = "Replace view by reshape"
WHY = "this torchlsp cannot run"
ROW = 6
LINE = SOURCE.splitlines()[ROW - 1]
CELLS = (
    "import torch\nx = torch.zeros(2, 3, 4).permute(0, 2, 1)",
    'é = "😀😀"; y = x.view(2, 12)',
)


def column(part: str) -> int:
    """Where a part of the line begins, in units of UTF-16."""
    return len(LINE[: LINE.index(part)].encode("utf-16-le")) // 2


def scenario(name: str, factory: pytest.TempPathFactory, run) -> Seen:
    """What a scenario saw; the first of all workers that asks runs it, the others read it."""
    shared = factory.getbasetemp()
    # The workers of pytest-xdist have folders of their own below the run's.
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    report = shared / f"vscode-{name}.json"
    installed()
    with first_comer(shared / f"vscode-{name}.lock") as is_first:
        if is_first:
            seen = run(furnished(shared / f"vscode-{name}"))
            report.write_text(json.dumps(asdict(seen), default=str))
            return seen
    if not report.exists():
        pytest.fail(f"the scenario {name} could not be run; another test says why")
    said = json.loads(report.read_text())
    return Seen(**said | {"pictures": Path(said["pictures"])})


def packages(house: House, *of_the_tests: str) -> list[Path]:
    return [built(installed(), house.home), *(packed(HERE / name, house.home) for name in of_the_tests)]


def notebook(*cells: str) -> str:
    """A notebook of code cells."""
    made = [
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": cell.splitlines(True),
        }
        for cell in cells
    ]
    language = {"language_info": {"name": "python"}}
    return json.dumps({"cells": made, "metadata": language, "nbformat": 4, "nbformat_minor": 4})


@pytest.fixture(scope="module")
def editing(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    def run(house: House) -> Seen:
        (house.work / "train.py").write_text(SOURCE, encoding="utf-8")
        # What proves it runs from the first to the last statement: somebody calls the function.
        (house.work / "proven.py").write_text(SOURCE + "\n\nshuffled()\n", encoding="utf-8")
        shutil.copy(HERE / "attention.py", house.work)
        (house.work / "cells.ipynb").write_text(notebook(*CELLS), encoding="utf-8")
        settings = {
            "torchlsp.path": str(house.program),
            "torchlsp.interpreter": sys.executable,
            "torchlsp.probe.enable": False,
        }
        plan = {"call": CALL, "hint": HINT, "hover": "torch.Tensor.view", "fix": FIX}
        return drive("editing", house, packages(house, "bridge"), settings=settings, plan=plan)

    return scenario("editing", tmp_path_factory, run)


def test_the_squiggle_stands_below_its_word(editing):
    seen = editing.of("squiggle")
    (mark,) = seen["marks"]
    assert mark["left"] == pytest.approx(seen["word"]["left"], abs=2)
    assert mark["right"] == pytest.approx(seen["word"]["right"], abs=2)


def test_the_finding_has_its_columns_page_and_reasons(editing):
    (found,) = editing.of("diagnostics")
    assert found["start"] == [ROW - 1, column("x.view")]
    assert found["end"] == [ROW - 1, column("x.view") + len(CALL)]
    assert (found["code"], found["source"], found["severity"]) == ("TL101", "torchlsp", 0)
    assert "noncontig cannot be viewed as [2, 12]" in found["message"]
    assert found["page"].startswith("file:") and found["page"].endswith(".md")
    assert ["permuted here", ROW - 2] in [[said[:13], row] for said, row in found["because"]]


def test_hints_stand_behind_their_names(editing):
    seen = editing.of("hints")
    assert [ROW - 1, column("y = ") + 1, ": f32[2, 12]"] in seen["told"]
    assert seen["shown"][ROW - 1] == LINE.replace("y =", "y: f32[2, 12] =")


def test_the_hover_of_a_finding_shows_message_link_and_facts(editing):
    hover = editing.of("hover_of_finding")
    assert "cannot be viewed as [2, 12]" in hover["text"]
    assert "TL101" in hover["text"]
    assert "permuted here" in hover["text"]


def test_the_hover_of_a_tensor_shows_its_facts(editing):
    assert "f32[2, 12]" in editing.of("hover_of_tensor")["text"]


def test_the_hover_of_a_symbol_shows_the_docs_of_the_installed_torch(editing):
    hover = editing.of("hover_of_symbol")
    assert "Concatenates the given sequence" in hover["text"]


def test_the_problems_panel_lists_it(editing):
    message, source, code, place = editing.of("problems").split("\n")
    assert "cannot be viewed as [2, 12]" in message
    assert (source, code, place) == ("torchlsp", "TL101", f"[Ln {ROW}, Col {column('x.view') + 1}]")


def test_the_quick_fix_is_made_and_the_squiggle_goes(editing):
    seen = editing.of("quick_fix")
    assert FIX in seen["offered"][0]
    assert seen["lines"][ROW - 1] == LINE.replace("y =", "y: f32[2, 12] =").replace("view", "reshape")


def test_safe_fixes_are_made_on_save(editing):
    seen = editing.of("fix_on_save")
    assert seen["saved"] == SOURCE.replace("x.view(", "x.reshape(") + "# saved"


def test_a_cell_of_a_notebook_shows_its_finding(editing):
    seen = editing.of("notebook")
    (mark,) = seen["marks"]
    assert mark["left"] == pytest.approx(seen["word"]["left"], abs=2)
    first, (found,) = seen["cells"]
    assert first == []
    assert (found["code"], found["text"]) == ("TL101", CALL)
    assert any(said.startswith("permuted here") for said, _ in found["because"])


def test_a_verdict_arrives_by_itself(editing):
    seen = editing.of("verdict")
    assert "confirmed" not in seen["before"][0]["message"]
    assert "confirmed by torch" in seen["after"][0]["message"]


def test_the_status_says_what_runs(editing):
    from torchlsp import __version__

    assert f"torchlsp {__version__}" in editing.of("status")["text"]


def test_a_restart_ends_one_server_and_starts_another(editing):
    seen = editing.of("restart")
    assert len(seen["after"]) == len(seen["before"]) + 1


def test_the_rule_of_the_finding_at_the_cursor_is_explained_first(editing):
    seen = editing.of("explain_rule")
    assert seen["offered"][0].startswith("TL101 view-on-noncontiguous") and "here" in seen["offered"][0]
    assert seen["tab"]["label"].endswith("TL101-view-on-noncontiguous.md")
    # Rendered, not as it is written.
    assert seen["tab"]["kind"].endswith("markdown.preview")
    assert (
        seen["text"].startswith("TL101 view-on-noncontiguous\n") and "\nWhen to ignore it\n" in seen["text"]
    )


def test_the_finding_at_the_cursor_is_put_to_the_test(editing):
    assert editing.of("probe_here").startswith(
        f"TL101: confirmed by torch {TORCH}: your code fails here: RuntimeError: view size"
    )


def test_debug_information_is_ready_to_be_pasted(editing):
    from torchlsp import __version__

    seen = editing.of("debug_information")
    extension, server = map(json.loads, re.findall(r"```json\n(.+?)```", seen["text"], re.DOTALL))
    assert (extension["state"], extension["server"]["command"]) == ("ready", "~/torchlsp")
    assert server["torchlsp"] == __version__
    assert TORCH in [one["torch"].partition("+")[0] for one in server["environments"]]
    # Whose home it is, and what is in the files, is nobody else's business.
    assert "/vscode-editing" not in seen["text"] and "permute" not in seen["text"]


def test_the_walkthrough_leads_from_an_example_to_its_proof(editing):
    seen = editing.of("walkthrough")
    assert seen["titles"] == ["Install the server", "Open a training script", "Look at a finding", "Prove it"]
    assert seen["example"]["codes"] == ["TL101", "TL501"]
    # The cursor is led to the first of the two, although the walkthrough was in front.
    assert "cannot be viewed as [8, 16, 64]" in seen["hover"] and "f32[" in seen["hover"]
    assert seen["verdict"].startswith("TL101: confirmed by torch")


def test_the_pictures_of_the_readme_show_a_finding_and_its_verdict(editing):
    seen = editing.of("portraits")
    assert "transpose" in seen["hover"]
    assert "confirmed by torch" in seen["verdict"]
    for name in ("squiggle", "hover", "quickfix", "verdict"):
        assert (editing.pictures / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_nothing_pops_up(editing):
    assert editing.of("notifications") == []


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    def run(house: House) -> Seen:
        (house.work / "train.py").write_text(SOURCE, encoding="utf-8")
        failing = house.home / "failing"
        failing.write_text(f'#!/bin/sh\necho "$$ failing" >> "{house.notes}"\necho "{WHY}" >&2\nexit 3\n')
        failing.chmod(0o755)
        settings = {"torchlsp.probe.enable": False}
        copy = house.home / "copy"
        copy.mkdir()
        (copy / "pyproject.toml").write_text('[project]\nname = "torchlsp"\n')
        asked = "" if CURRENT.on_pypi or CURRENT.owner else str(copy)
        plan = {"call": CALL, "failing": str(failing), "why": WHY, "copy": asked}
        return drive("broken", house, packages(house, "bridge"), settings=settings, plan=plan)

    return scenario("broken", tmp_path_factory, run)


def programs(starts: list[dict]) -> list[str]:
    return [one["program"] for one in starts]


def test_without_a_server_the_status_says_so_and_offers_one(broken):
    seen = broken.of("missing")
    assert "Install" in seen["links"]
    assert "Install" in seen["toast"]
    assert seen["marks"] == []


def test_nothing_is_installed_without_consent(broken):
    seen = broken.of("install_refused")
    assert "-m pip install" in seen["asked"]
    assert [row for row in seen["pip"] if " install " in row] == []
    assert seen["starts"] == []


def test_what_is_installed_is_started(broken):
    seen = broken.of("install")
    (called,) = [row for row in seen["pip"] if " install " in row]
    assert called.endswith("/copy" if not CURRENT.on_pypi and not CURRENT.owner else CURRENT.requirement)
    assert programs(seen["starts"]) == ["torchlsp"]
    assert seen["walkthrough"] == {"before": 0, "marked": True}


def test_after_three_crashes_it_stays_down_and_says_so(broken):
    seen = broken.of("crashes")
    assert "Restart" in seen["links"]
    assert programs(seen["starts"]) == ["torchlsp"] * 3
    assert programs(broken.of("restart_by_hand")) == ["torchlsp"] * 4


def test_what_ends_at_once_is_started_once_and_its_reason_shown(broken):
    assert WHY in broken.of("ends_at_once")["text"]
    assert programs(broken.of("setting_of_a_program"))[4:] == ["failing", "torchlsp"]


def test_a_setting_that_names_no_program_is_named(broken):
    seen = broken.of("no_program")
    assert "torchlsp.path" in seen["text"]
    assert "Open Setting" in seen["links"]


def test_what_ends_before_it_answers_is_not_started_a_second_time_after_a_crash(broken):
    seen = broken.of("fails_after_a_crash")
    assert programs(seen["starts"])[6:] == ["failing"]
    assert "Restart" in seen["links"]


def test_failures_pop_up_nothing(broken):
    # What the installation offered and said may still be there: VS Code hides it after some seconds.
    about_installing = re.compile(r"torchlsp (is not|\S+ is) installed in ")
    assert [said for said in broken.of("notifications") if not about_installing.search(said)] == []


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    def run(house: House) -> Seen:
        (house.work / "train.py").write_text(SOURCE, encoding="utf-8")

        def environment(folder: Path, *, has_torch: bool = True, has_torchlsp: bool = True) -> str:
            venv.create(folder, symlinks=True)
            if has_torch:
                (packages_of_torch,) = (folder / "lib").glob("python*/site-packages")
                # Which torch an environment has is read off its metadata; nothing is imported here.
                metadata = Path(distribution("torch").locate_file("")) / f"torch-{version('torch')}.dist-info"
                (packages_of_torch / metadata.name).symlink_to(metadata)
            if has_torchlsp:
                write_program(folder / "bin" / "torchlsp", house.notes, folder.name)
            return str(folder / "bin" / "python")

        plan = {
            "call": CALL,
            "inside": environment(house.work / ".venv"),
            "first": environment(house.home / "first"),
            "second": environment(house.home / "second"),
            "without_torch": environment(house.home / "without-torch", has_torch=False),
            "torch": version("torch"),
            "bare": environment(house.home / "bare", has_torchlsp=False),
        }
        own = {"torchlsp.path": str(house.work / ".venv" / "bin" / "torchlsp")}
        (house.work / ".vscode").mkdir()
        (house.work / ".vscode" / "settings.json").write_text(json.dumps(own))
        settings = {"torchlsp.probe.enable": False}
        trust = {
            "security.workspace.trust.enabled": True,
            "security.workspace.trust.startupPrompt": "never",
            "security.workspace.trust.banner": "never",
            "security.workspace.trust.untrustedFiles": "open",
        }
        extensions = packages(house, "bridge", "python")
        return drive("environments", house, extensions, settings=settings, user=trust, plan=plan)

    return scenario("environments", tmp_path_factory, run)


def test_of_a_folder_that_is_not_trusted_nothing_is_started(environments):
    assert environments.of("open") is False
    seen = environments.of("untrusted")
    assert seen["starts"] == []
    assert "Manage Trust" in seen["links"]


def test_the_users_own_program_is_run_there_with_limits(environments):
    seen = environments.of("limited")
    assert seen["programs"] == ["torchlsp"]
    assert "limited" in seen["text"]
    # No program of the folder is offered to be run.
    assert "no recorded run" in seen["text"] and "Record a Run" not in seen["links"]


def test_a_trusted_folder_may_choose_the_program(environments):
    # Trust and the settings that come with it may arrive one after the other.
    assert set(environments.of("trusted")[:-1]) == {"torchlsp"}
    assert environments.of("trusted")[-1] == ".venv"


def test_the_selected_environment_brings_the_server(environments):
    assert environments.of("found")[-1] == "first"


def test_another_environment_means_another_server(environments):
    seen = environments.of("changed")
    assert seen["programs"] == ["second"]
    assert f"torch {version('torch')}" in seen["text"]


def test_the_same_environment_again_means_no_other_server(environments):
    assert environments.of("same_again") == ["without-torch"]


def test_an_environment_without_torch_is_told(environments):
    assert "no torch" in environments.of("torch_missing")["text"]


def test_without_a_selection_the_folders_own_environment_is_meant(environments):
    assert environments.of("none") == ".venv"


def test_an_environment_without_torchlsp_is_offered_it(environments):
    assert "Install" in environments.of("without_torchlsp")["links"]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    def run(house: House) -> Seen:
        for name, text in recorded_project.FILES.items():
            (house.work / name).write_text(text, encoding="utf-8")
        settings = {
            "torchlsp.path": str(house.program),
            "torchlsp.interpreter": sys.executable,
            "torchlsp.probe.enable": False,
        }
        plan = {"line": recorded_project.LINE, "changed": recorded_project.CHANGED}
        return drive("recording", house, packages(house, "bridge"), settings=settings, plan=plan)

    return scenario("recording", tmp_path_factory, run)


def test_a_file_that_cannot_be_run_is_not_recorded(recording):
    assert recording.of("refused") == "torchlsp: this file has neither a main block nor tests"


def test_before_a_run_the_change_shows_nothing(recording):
    seen = recording.of("before")
    assert seen["found"] == []
    assert "observed" not in seen["hover"]
    assert "no recorded run" in seen["status"]


def test_a_run_is_recorded_in_the_terminal_and_the_status_says_when(recording):
    seen = recording.of("record")
    assert seen["exit"] == 0
    assert re.search(r"recorded \d\d:\d\d", seen["status"]["text"])
    assert "train.py" in seen["status"]["text"] and "Record a Run" in seen["status"]["links"]
    assert seen["program"] == recorded_project.TRAIN + "# saved before it is run"


def test_what_the_run_has_seen_is_shown_in_the_library(recording):
    seen = recording.of("observed")
    assert "f32[2, 5, 4, 3]" in seen["hover"] and "observed in the run of" in seen["hover"]
    assert any("f32[2, 4, 5, 3]" in line for line in seen["lines"])


def test_a_change_shows_what_could_not_be_seen_before_the_run(recording):
    (found,) = recording.of("finding")["found"]
    assert any("turned: ~f32[2, 5, 4, 3]" in line for line in recording.of("finding")["lines"])
    assert found["code"] == "TL105" and "[2, 4, 5, 5]" in found["message"]
    assert "1 of 1 functions changed since" in recording.of("aged")


def test_recording_pops_up_nothing(recording):
    assert recording.of("notifications") == []


@pytest.mark.parametrize("scenario", ["editing", "broken", "environments", "recording"])
def test_nothing_is_left_behind_and_nothing_asked_of_the_network(scenario, request):
    seen: Seen = request.getfixturevalue(scenario)
    assert seen.left_behind == []
    assert seen.outside == []
