"""What the calls of other files lead to in an open text is shown in that text, open or not as these files are."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from raw_client import RawClient

pytestmark = pytest.mark.processes

MODEL = """\
import torch


def heads(x):
    x = x.transpose(1, 2)
    return x.view(2, 10, 64)
"""
TRAIN = """\
import torch
from model import heads


def step(x):
    return heads(x)


def main():
    step(torch.randn(2, 4, 10, 16))
    step(torch.randn(2, 4, 10, 16))
    heads(torch.randn(2, 4, 10, 16))
    heads(torch.randn(2, 4, 10, 16))


main()
"""
RIGHT = TRAIN.replace("2, 4, 10, 16", "2, 64, 10")
# Which rows of TRAIN call what leads to the fault, in the order of the related places. That of `main()` only begins the program.
CALLS = [6, 10, 11, 12, 13]
PUSH: dict[str, Any] = {
    "textDocument": {"publishDiagnostics": {"relatedInformation": True, "versionSupport": True}}
}
PULL: dict[str, Any] = {
    "textDocument": {"publishDiagnostics": {"relatedInformation": True}, "diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}


@pytest.fixture(scope="module", params=[PUSH, PULL], ids=["pushed", "pulled"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    client = RawClient(tmp_path_factory.mktemp("root"))
    client.initialize(request.param)
    yield client
    client.kill()


@pytest.fixture
def client(server: RawClient, tmp_path: Path) -> RawClient:
    """A client in a folder with a model and a training program that calls it wrongly."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "train.py").write_text(TRAIN)
    server.begin(tmp_path)
    return server


def shown(client: RawClient, uri: str, count: int) -> list[Any]:
    """The diagnostics of a text, once it has so many."""
    if not client.pulls:
        return client.wait_for(
            "textDocument/publishDiagnostics",
            lambda params: params["uri"] == uri and len(params["diagnostics"]) == count,
        )["diagnostics"]
    while len(found := client.pulled(uri)) != count:
        client.wait_for("workspace/diagnostic/refresh")
    return found


def rows(found: Any, uri: str) -> list[int]:
    """The rows of the related places in a text that name calls."""
    return [
        one["location"]["range"]["start"]["line"] + 1
        for one in found["relatedInformation"]
        if one["location"]["uri"] == uri and "is called here" in one["message"]
    ]


def test_a_fault_that_a_call_on_disk_brings_is_shown_in_the_text_alone(client: RawClient) -> None:
    model, train = client.uri("model.py"), client.uri("train.py")
    client.open(model, MODEL)
    assert shown(client, model, 0) == []
    (found,) = shown(client, model, 1)
    assert (found["code"], client.at(model, found["range"])) == ("TL101", "x.view(2, 10, 64)")
    assert rows(found, train) == CALLS


def test_a_fault_is_shown_in_the_called_text_where_both_are_open(client: RawClient) -> None:
    model, train = client.uri("model.py"), client.uri("train.py")
    client.open(train, TRAIN)
    (at_call,) = shown(client, train, 1)
    assert client.at(train, at_call["range"]) == "heads(x)"
    client.open(model, MODEL)
    (found,) = shown(client, model, 1)
    assert (client.at(model, found["range"]), rows(found, train)) == ("x.view(2, 10, 64)", CALLS)
    assert shown(client, train, 0) == []
    client.close(model)
    (at_call,) = shown(client, train, 1)
    assert client.at(train, at_call["range"]) == "heads(x)"


def test_a_hover_says_what_calls_on_disk_and_in_open_texts_pass(client: RawClient) -> None:
    model, train = client.uri("model.py"), client.uri("train.py")
    client.open(model, MODEL)
    said = awaited_hover(client, model, "f32[2, 4, 10, 16]")
    assert "as called in train.py (lines 6 and 2 more)" in said
    client.open(train, RIGHT)
    said = awaited_hover(client, model, "f32[2, 64, 10]")
    assert "as called in train.py (lines 6 and 2 more)" in said
    client.replace(train, "2, 64, 10", "3, 64, 10", 3)
    said = awaited_hover(client, model, "f32[?, 64, 10]")
    assert "in calls that differ" in said


def awaited_hover(client: RawClient, uri: str, fact: str) -> str:
    """What is said of the argument of `heads` once it says this."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        said = str(client.hover(uri, "x"))
        if fact in said:
            return said
        time.sleep(0.1)
    raise AssertionError(f"{fact} is not in\n{said}")


def test_it_goes_away_when_the_call_in_the_other_open_text_is_right(client: RawClient) -> None:
    model, train = client.uri("model.py"), client.uri("train.py")
    client.open(model, MODEL)
    client.open(train, TRAIN)
    shown(client, model, 1)
    shown(client, train, 0)
    for number in range(4):
        client.replace(train, "2, 4, 10, 16", "2, 64, 10")
        if number < 3:
            client.settle()
    assert shown(client, model, 0) == []
    client.replace(train, "2, 64, 10", "2, 4, 10, 16", 3)
    (found,) = shown(client, model, 1)
    assert rows(found, train) == [13]


def test_it_goes_away_when_the_file_on_disk_calls_it_right(client: RawClient) -> None:
    model, train = client.uri("model.py"), client.uri("train.py")
    client.open(model, MODEL)
    shown(client, model, 1)
    (client.folder / "train.py").write_text(RIGHT)
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": train, "type": 2}]})
    assert shown(client, model, 0) == []


def test_a_caller_that_is_closed_counts_as_it_is_on_disk(client: RawClient) -> None:
    model, train = client.uri("model.py"), client.uri("train.py")
    client.open(model, MODEL)
    client.open(train, RIGHT)
    shown(client, train, 0)
    client.close(train)
    (found,) = shown(client, model, 1)
    assert rows(found, train) == CALLS


def test_it_stays_at_its_place_while_one_types_elsewhere(client: RawClient) -> None:
    model = client.uri("model.py")
    client.open(model, MODEL)
    shown(client, model, 1)
    client.settle()
    client.replace(model, "import torch\n", "import torch\n\nSIZE = 4\n")
    version = client.versions[model]
    found = client.pulled(model) if client.pulls else client.published(model, version)
    assert [client.at(model, one["range"]) for one in found] == ["x.view(2, 10, 64)"]


def test_a_mended_text_has_it_no_longer(client: RawClient) -> None:
    model = client.uri("model.py")
    client.open(model, MODEL)
    shown(client, model, 1)
    client.replace(model, "view", "reshape")
    assert shown(client, model, 0) == []


def test_its_fix_is_offered_and_made_with_all_others(client: RawClient) -> None:
    model = client.uri("model.py")
    client.open(model, MODEL)
    shown(client, model, 1)
    titles = [one["title"] for one in client.actions(model, "x.view")]
    assert "Replace view by reshape" in titles and "Ignore TL101 here" in titles
    (every,) = client.actions(model, "x.view", only=["source.fixAll"])
    (edit,) = [one for edits in every["edit"]["changes"].values() for one in edits]
    assert "x.reshape(2, 10, 64)" in edit["newText"]


def test_a_comment_that_only_callers_need_is_not_called_unused(client: RawClient) -> None:
    model = client.uri("model.py")
    client.open(model, MODEL.replace("64)", "64)  # torchlsp: ignore[TL101]"))
    assert [one["code"] for one in shown(client, model, 1)] == ["TL001"]
    assert shown(client, model, 0) == []


def test_the_calls_of_open_and_of_other_files_are_places_of_one_finding(client: RawClient) -> None:
    model, train, infer = (client.uri(name) for name in ("model.py", "train.py", "infer.py"))
    (client.folder / "infer.py").write_text(
        "import torch\nimport model\nmodel.heads(torch.ones(2, 4, 10, 16))\n"
    )
    client.open(train, TRAIN)
    client.open(model, MODEL)
    while True:
        (found,) = shown(client, model, 1)
        if rows(found, infer):
            break
    assert (rows(found, infer), rows(found, train)) == ([3], CALLS)


def test_a_caller_on_disk_is_analysed_again_when_another_open_text_changes_that_it_reads(
    client: RawClient,
) -> None:
    sizes = "SHAPE = (2, 4, 10, 16)\n"
    (client.folder / "sizes.py").write_text(sizes)
    (client.folder / "train.py").write_text(
        "import torch\nfrom model import heads\nfrom sizes import SHAPE\nheads(torch.ones(SHAPE))\n"
    )
    model, other = client.open(client.uri("model.py"), MODEL), client.open(client.uri("sizes.py"), sizes)
    shown(client, model, 1)
    client.replace(other, "2, 4, 10, 16", "2, 64, 10")
    assert shown(client, model, 0) == []


def test_a_text_outside_of_the_checked_ones_is_reported_at_the_innermost_open_call(client: RawClient) -> None:
    middle = "from model import heads\nimport torch\n\n\ndef middle(x):\n    return heads(x)\n"
    (client.folder / "middle.py").write_text(middle)
    (client.folder / "top.py").write_text(
        "import torch\nfrom middle import middle\nmiddle(torch.ones(2, 4, 10, 16))\n"
    )
    uri = client.open(client.uri("middle.py"), middle)
    (found,) = shown(client, uri, 1)
    assert client.at(uri, found["range"]) == "heads(x)"
    assert rows(found, client.uri("top.py")) == [3]


def test_a_caller_that_the_configuration_excludes_counts_for_nothing(client: RawClient) -> None:
    (client.folder / "torchlsp.toml").write_text('exclude = ["train.py"]\n')
    (client.folder / "infer.py").write_text(
        "import torch\nimport model\nmodel.heads(torch.ones(2, 4, 10, 16))\n"
    )
    model = client.open(client.uri("model.py"), MODEL)
    (found,) = shown(client, model, 1)
    assert (rows(found, client.uri("infer.py")), rows(found, client.uri("train.py"))) == ([3], [])


ENDLESS = """
import sys, time
from torchlsp.server.analyst import Analyst


def follow_callers(self, document, cancelled):
    print("follows the callers", file=sys.stderr, flush=True)
    try:
        while True:
            cancelled()
            time.sleep(0.005)
    finally:
        print("is interrupted", file=sys.stderr, flush=True)


Analyst.follow_callers = follow_callers
"""


def test_other_work_interrupts_the_analysis_of_callers(start) -> None:
    client: RawClient = start(ENDLESS)
    client.initialize(PUSH)
    uri = client.open(client.uri("model.py"), MODEL)
    assert client.published(uri, 1) == []
    client.wait_for_error(b"follows the callers")
    client.replace(uri, "view", "reshape")
    assert client.published(uri, 2) == []
    client.wait_for_error(b"follows the callers")
    page = {"command": "torchlsp.explain", "arguments": ["TL101"]}
    assert "view" in client.request("workspace/executeCommand", page)


def test_a_keystroke_interrupts_it_before_the_text_is_analysed(start) -> None:
    client: RawClient = start(ENDLESS)
    client.initialize(PUSH, options={"debounce": 10_000})
    uri = client.open(client.uri("model.py"), MODEL)
    client.wait_for_error(b"follows the callers")
    typed = time.monotonic()
    client.replace(uri, "view", "reshape")
    client.wait_for_error(b"is interrupted")
    assert time.monotonic() - typed < 8
    assert [one.get("version") for one in client.received("textDocument/publishDiagnostics")] == [1]
