"""Runs that are recorded while files are open: the command that records one, and what is shown once it has ended."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from client_profiles import VISUAL_STUDIO_CODE
from raw_client import LIMIT, RawClient, environment

pytestmark = [pytest.mark.processes, pytest.mark.torch, pytest.mark.slow, pytest.mark.timeout(180)]

MODEL = """\
import torch


def attended(weights, values):
    values = values.transpose(1, 2)
    return weights @ values
"""
# What the calls pass is known from the run alone.
TRAIN = """\
import json

import torch

from model import attended


def main():
    attended(torch.ones(2, 4, 5, 5), torch.ones(*json.loads("[2, 5, 4, 3]")))


if __name__ == "__main__":
    main()
"""
LINE = "    values = values.transpose(1, 2)\n"
PUSH: dict[str, Any] = {
    "textDocument": {"publishDiagnostics": {"relatedInformation": True}},
    "workspace": {"inlayHint": {"refreshSupport": True}},
}


@pytest.fixture(params=[False, True], ids=["push", "pull"])
def client(request, start, tmp_path: Path, tmp_path_factory, monkeypatch) -> RawClient:
    """A client whose server keeps records in a folder of this test; of both kinds, and notified of records."""
    monkeypatch.setenv("TORCHLSP_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    for name, text in {"model.py": MODEL, "train.py": TRAIN, "pyproject.toml": ""}.items():
        (tmp_path / name).write_text(text)
    client = start()
    client.initialize(VISUAL_STUDIO_CODE if request.param else PUSH, options={"recordsChanged": True})
    return client


def asked(client: RawClient, command: str, uri: str) -> Any:
    return client.request("workspace/executeCommand", {"command": f"torchlsp.{command}", "arguments": [uri]})


def run(client: RawClient, uri: str) -> None:
    """Record a run in the way of an editor: the server's command in a process of its own."""
    told = asked(client, "recordCommand", uri)
    done = subprocess.run(
        told["command"], cwd=told["folder"], env=environment(), capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    assert "recorded" in done.stderr


def announced(client: RawClient, uri: str) -> None:
    client.wait_for("torchlsp/recordsChanged", lambda params: params["uri"] == uri)


def codes(client: RawClient, uri: str) -> list[str]:
    found = client.pulled(uri) if client.pulls else client.published(uri)
    return [one["code"] for one in found]


def test_a_run_is_noticed_and_forgotten_while_its_files_are_open(client: RawClient) -> None:
    model, train = client.open(client.uri("model.py"), MODEL), client.open(client.uri("train.py"), TRAIN)
    assert codes(client, model) == []
    client.replace(model, LINE, "")
    assert codes(client, model) == []
    assert asked(client, "recordStatus", model) is None
    before = time.time()
    run(client, train)
    announced(client, model)
    client.wait_for("workspace/inlayHint/refresh")
    if not client.pulls:
        client.wait_for(
            "textDocument/publishDiagnostics",
            lambda params: (
                params["uri"] == model and [one["code"] for one in params["diagnostics"]] == ["TL105"]
            ),
        )
    else:
        assert codes(client, model) == ["TL105"]
    assert "observed in the run of" in client.hover(model, "values):")["contents"]["value"]
    status = asked(client, "recordStatus", model)
    assert before - 1 <= status["started"] <= time.time()
    assert (status["status"], status["functions"], status["changed"]) == (0, 1, 1)
    assert status["command"][-1] == "train.py"
    subprocess.run(
        [sys.executable, "-m", "torchlsp", "record", "clear"],
        cwd=client.folder,
        env=environment(),
        check=True,
        capture_output=True,
        timeout=LIMIT,
    )
    announced(client, model)
    assert codes(client, model) == []
    assert asked(client, "recordStatus", model) is None


def test_a_file_that_no_record_concerns_is_not_analysed_again(client: RawClient) -> None:
    text = "import torch\n\nx = torch.zeros(2, 3).t()\ny = x.view(6)\n"
    other, train = client.open(client.uri("other.py"), text), client.open(client.uri("train.py"), TRAIN)
    assert codes(client, other) == ["TL101"]
    run(client, train)
    announced(client, train)
    asked(client, "recordStatus", other)
    told = [params["uri"] for params in client.received("torchlsp/recordsChanged")]
    assert other not in told
    if not client.pulls:
        sent = [params["uri"] for params in client.received("textDocument/publishDiagnostics")]
        assert sent.count(other) == 1


def test_a_file_without_main_block_and_tests_has_no_command(client: RawClient) -> None:
    assert asked(client, "recordCommand", client.open(client.uri("model.py"), MODEL)) is None
    assert asked(client, "recordCommand", client.uri("closed.py")) is None
    text = "def test_it():\n    pass\n"
    told = asked(client, "recordCommand", client.open(client.uri("test_it.py"), text))
    assert told["command"][-3:] == ["-m", "pytest", "test_it.py"]
    assert told["folder"] == str(client.folder)


def test_the_workspace_s_own_interpreter_runs_it(client: RawClient) -> None:
    binaries = client.folder / ".venv" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "python").symlink_to(sys.executable)
    client.configuration = {"interpreter": ".venv"}
    client.notify("workspace/didChangeConfiguration", {"settings": {"torchlsp": {"interpreter": ".venv"}}})
    client.settle()
    told = asked(client, "recordCommand", client.open(client.uri("train.py"), TRAIN))
    assert told["command"][-2:] == [str(binaries / "python"), "train.py"]


def test_nothing_is_run_in_a_workspace_that_is_not_trusted(start, tmp_path: Path) -> None:
    client = start()
    client.initialize(PUSH, options={"trusted": False})
    assert asked(client, "recordCommand", client.open(client.uri("train.py"), TRAIN)) is None
    client.settle()
    assert client.received("torchlsp/recordsChanged") == []


def test_a_run_goes_before_what_calls_of_other_files_are_believed_to_pass(
    client: RawClient, tmp_path: Path
) -> None:
    known = TRAIN.replace('*json.loads("[2, 5, 4, 3]")', "2, 5, 4, 3")
    (tmp_path / "train.py").write_text(known)
    train, model = client.open(client.uri("train.py"), known), client.open(client.uri("model.py"), MODEL)
    assert codes(client, model) == []
    run(client, train)
    announced(client, model)
    assert codes(client, model) == []
    hover = client.hover(model, "values):")["contents"]["value"]
    assert "f32[2, 5, 4, 3]" in hover
    assert "observed in the run of" in hover and "as called in" not in hover
