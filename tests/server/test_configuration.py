"""Configuration files, the editor's settings, folders, and files that others import."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from client_profiles import VISUAL_STUDIO_CODE
from raw_client import RawClient

FAULTY = "import torch\n\nx = torch.zeros(2, 3).t()\ny = x.view(6)\n"
PUSH: dict[str, Any] = {
    "textDocument": {
        "publishDiagnostics": {"versionSupport": True, "relatedInformation": True},
        "hover": {"contentFormat": ["plaintext"]},
    },
    "workspace": {"configuration": True},
}
PULL = VISUAL_STUDIO_CODE
both = pytest.mark.parametrize("capabilities", [PUSH, PULL], ids=["push", "pull"])
CREATED, CHANGED, DELETED = 1, 2, 3


def codes(found: list[Any]) -> list[str]:
    return [one["code"] for one in found]


def follows(client: RawClient, capabilities: dict[str, Any], uri: str, expected: list[str]) -> None:
    """Wait until the client shows these codes, after something other than the text has changed: they are sent, or
    asked for when it is told to ask."""
    if capabilities is PUSH:
        client.wait_for(
            "textDocument/publishDiagnostics",
            lambda params: params["uri"] == uri and codes(params["diagnostics"]) == expected,
        )
        return
    while True:
        client.wait_for("workspace/diagnostic/refresh")
        if codes(client.pulled(uri)) == expected:
            return


def first(client: RawClient, capabilities: dict[str, Any], uri: str) -> list[str]:
    return codes(client.published(uri) if capabilities is PUSH else client.pulled(uri))


def touch(client: RawClient, path: Path, kind: int = CHANGED) -> None:
    changes = [{"uri": path.as_uri(), "type": kind}]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})


def configure(client: RawClient, table: Any) -> None:
    client.configuration = table
    client.notify("workspace/didChangeConfiguration", {"settings": None})


@both
@pytest.mark.parametrize("name", ["torchlsp.toml", "pyproject.toml"])
def test_a_configuration_file_holds_as_soon_as_it_is_written(start, tmp_path: Path, capabilities, name: str):
    client: RawClient = start()
    client.initialize(capabilities)
    uri = client.open(client.uri("a.py"), FAULTY)
    assert first(client, capabilities, uri) == ["TL101"]
    table = "[tool.torchlsp]\n" if name == "pyproject.toml" else ""
    (tmp_path / name).write_text(f'{table}ignore = ["TL101"]\n')
    touch(client, tmp_path / name, CREATED)
    follows(client, capabilities, uri, [])
    (tmp_path / name).write_text(f'{table}severity = {{ TL101 = "warning" }}\n')
    touch(client, tmp_path / name)
    follows(client, capabilities, uri, ["TL101"])
    (tmp_path / name).write_text(f'{table}per-file-ignores = {{ "a.py" = ["TL1"] }}\n')
    touch(client, tmp_path / name)
    follows(client, capabilities, uri, [])
    (tmp_path / name).unlink()
    touch(client, tmp_path / name, DELETED)
    follows(client, capabilities, uri, ["TL101"])
    assert client.received("window/showMessage") == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('ignor = ["TL101"]\n', "ignore"),
        ('ignore = ["TL101"\n', "torchlsp.toml"),
        ('ignore = ["TL99999"]\n', "TL99999"),
        ("ignore = 7\n", "ignore"),
    ],
)
def test_a_wrong_configuration_file_is_told_once_and_checking_goes_on(
    start, tmp_path: Path, text: str, words: str
):
    client: RawClient = start()
    client.initialize(PUSH)
    path = tmp_path / "torchlsp.toml"
    path.write_text(text)
    uri = client.open(client.uri("a.py"), FAULTY)
    assert codes(client.published(uri)) == ["TL101"]
    other = client.open(client.uri("b.py"), FAULTY)
    assert codes(client.published(other)) == ["TL101"]
    for number in range(3):
        client.replace(uri, "import torch\n", f"import torch\n# {number}\n")
        assert codes(client.published(uri)) == ["TL101"]
    (shown,) = client.received("window/showMessage")
    assert "torchlsp.toml" in shown["message"] and words in shown["message"]
    assert "internal" not in shown["message"] and "\n" not in shown["message"]
    path.write_text('ignore = ["TL101"]\n')
    touch(client, path)
    assert codes(client.published(uri)) == []


@both
def test_the_editor_s_settings_are_asked_for(start, capabilities):
    client: RawClient = start()
    client.configuration = {"lint": {"ignore": ["TL101"]}}
    client.initialize(capabilities)
    uri = client.open(client.uri("a.py"), FAULTY)
    client.wait_for("workspace/configuration")
    configure(client, {"lint": {"ignore": []}, "enable": True})
    follows(client, capabilities, uri, ["TL101"])
    configure(client, {"enable": False})
    follows(client, capabilities, uri, [])
    # Nothing set any more: some clients say so with an empty table, some with null.
    for nothing in ({}, None):
        configure(client, nothing)
        follows(client, capabilities, uri, ["TL101"])
        configure(client, {"lint.select": ["TL5"]})
        follows(client, capabilities, uri, [])


def test_settings_come_with_the_change_for_a_client_that_is_not_asked(start):
    client: RawClient = start()
    client.initialize({"textDocument": PUSH["textDocument"]}, options={"lint": {"ignore": ["TL101"]}})
    uri = client.open(client.uri("a.py"), FAULTY)
    assert client.published(uri) == []
    client.notify("workspace/didChangeConfiguration", {"settings": {"torchlsp": {"lint": {"ignore": []}}}})
    assert codes(client.published(uri)) == ["TL101"]


def test_the_project_s_file_goes_before_the_editor_s_settings(start, tmp_path: Path):
    (tmp_path / "torchlsp.toml").write_text('select = ["TL1"]\n')
    client: RawClient = start()
    client.initialize({"textDocument": PUSH["textDocument"]}, options={"lint": {"ignore": ["TL101"]}})
    uri = client.open(client.uri("a.py"), FAULTY)
    assert codes(client.published(uri)) == ["TL101"]


def test_a_wrong_setting_is_told_once_and_the_others_hold(start):
    client: RawClient = start()
    client.initialize(PUSH)
    uri = client.open(client.uri("a.py"), FAULTY)
    assert codes(client.published(uri)) == ["TL101"]
    for _ in range(3):
        configure(client, {"lint": {"ignor": ["TL1"], "ignore": ["TL101"]}})
        client.wait_for("workspace/configuration")
    assert codes(client.published(uri)) == []
    (shown,) = client.received("window/showMessage")
    assert "torchlsp.lint.ignore" in shown["message"]


HINTED = """\
import numpy
import torch

a = numpy.zeros((2, 3))
x = torch.zeros(2, 3)
n = x.shape[0]
layer = torch.nn.Linear(3, 4)
"""


def hinted(client: RawClient, uri: str) -> set[str]:
    """The names that have a hint."""
    lines = client.texts[uri].split("\n")
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    found = client.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": whole})
    return {lines[one["position"]["line"]].split(" = ")[0] for one in found}


@pytest.mark.parametrize(
    ("kind", "name"), [("shapes", "x"), ("arrays", "a"), ("sizes", "n"), ("modules", "layer")]
)
def test_each_kind_of_hint_has_a_switch(start, kind: str, name: str):
    client: RawClient = start()
    kinds = dict.fromkeys(["shapes", "arrays", "sizes", "modules"], True)
    client.configuration = {"inlayHints": kinds}
    client.initialize(VISUAL_STUDIO_CODE)
    uri = client.open(client.uri("a.py"), HINTED)
    client.wait_for("workspace/inlayHint/refresh")
    assert hinted(client, uri) == {"a", "x", "n", "layer"}
    configure(client, {"inlayHints": kinds | {kind: False}})
    while hinted(client, uri) != {"a", "x", "n", "layer"} - {name}:
        client.wait_for("workspace/inlayHint/refresh")


def test_hover_has_a_switch(start):
    client: RawClient = start()
    client.initialize(PUSH, options={"hover": {"enable": False}})
    uri = client.open(client.uri("a.py"), FAULTY)
    assert client.hover(uri, "x.view") is None


def test_on_save_means_on_save(start):
    client: RawClient = start()
    client.initialize(PUSH, options={"lint.run": "onSave"})
    uri = client.open(client.uri("a.py"), FAULTY)
    assert codes(client.published(uri)) == ["TL101"]
    client.replace(uri, "view", "reshape")
    client.settle()
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    assert client.wait_for("textDocument/publishDiagnostics") == {"uri": uri, "diagnostics": [], "version": 2}


def test_each_folder_has_its_own_configuration(start, tmp_path: Path):
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
    (one / "torchlsp.toml").write_text('ignore = ["TL101"]\n')
    (two / "torchlsp.toml").write_text('severity = { TL101 = "warning" }\n')
    client: RawClient = start()
    client.initialize(PUSH, folders=[one, two])
    first_uri, second_uri = (one / "a.py").as_uri(), (two / "a.py").as_uri()
    client.open(first_uri, FAULTY)
    client.open(second_uri, FAULTY)
    assert client.published(first_uri) == []
    (found,) = client.published(second_uri)
    assert found["severity"] == 2
    (two / "torchlsp.toml").unlink()
    touch(client, two / "torchlsp.toml", DELETED)
    (found,) = client.published(second_uri)
    assert found["severity"] == 1


LAYER = "import torch\n\n\ndef layer(x):\n    return x.t()\n"
USER = "import torch\nfrom layers import layer\n\ny = layer(torch.zeros(2, 3)).view(6)\n"


@both
def test_what_imports_an_edited_text_follows(start, tmp_path: Path, capabilities):
    (tmp_path / "layers.py").write_text(LAYER)
    client: RawClient = start()
    client.initialize(capabilities)
    user = client.open(client.uri("user.py"), USER)
    assert first(client, capabilities, user) == ["TL101"]
    layers = client.open(client.uri("layers.py"), LAYER)
    first(client, capabilities, layers)
    client.replace(layers, "x.t()", "x.t().contiguous()")
    follows(client, capabilities, user, [])
    client.replace(layers, ".contiguous()", "")
    follows(client, capabilities, user, ["TL101"])
    # The file as it is saved counts again once the text is closed.
    client.replace(layers, "x.t()", "x.relu()")
    follows(client, capabilities, user, [])
    client.close(layers)
    follows(client, capabilities, user, ["TL101"])


@both
def test_what_imports_a_changed_file_follows(start, tmp_path: Path, capabilities):
    path = tmp_path / "layers.py"
    client: RawClient = start()
    client.initialize(capabilities)
    user = client.open(client.uri("user.py"), USER)
    assert first(client, capabilities, user) == []
    path.write_text(LAYER)
    touch(client, path, CREATED)
    follows(client, capabilities, user, ["TL101"])
    path.write_text(LAYER.replace("x.t()", "x.relu()"))
    touch(client, path)
    follows(client, capabilities, user, [])


def test_a_trail_leads_into_an_open_text_by_its_own_name(start, tmp_path: Path):
    folder = tmp_path / "a+b"
    folder.mkdir()
    (folder / "layers.py").write_text("# An older text.\n" + LAYER)
    client: RawClient = start()
    client.initialize(PUSH, folders=[folder])
    layers = (folder / "layers.py").as_uri().replace("+", "%2b")
    client.open(layers, LAYER)
    user = client.open((folder / "user.py").as_uri(), USER)
    (found,) = client.published(user)
    steps = [one["location"] for one in found["relatedInformation"]]
    assert [client.at(layers, one["range"]) for one in steps if one["uri"] == layers] == ["x.t()"]


def test_a_workspace_is_checked_on_demand(start, tmp_path: Path):
    (tmp_path / "closed.py").write_text(FAULTY)
    (tmp_path / "open.py").write_text(FAULTY)
    client: RawClient = start()
    client.initialize(PUSH)
    opened = client.open(client.uri("open.py"), FAULTY)
    client.published(opened)
    asked = {"command": "torchlsp.checkWorkspace"}
    assert client.request("workspace/executeCommand", asked) == {"files": 2, "findings": 2}
    closed = client.uri("closed.py")
    assert codes(client.published(closed)) == ["TL101"]
    (tmp_path / "closed.py").write_text("import torch\n")
    client.request("workspace/executeCommand", asked)
    assert client.published(closed) == []
    client.settle()
    assert [one["uri"] for one in client.received("textDocument/publishDiagnostics")].count(opened) == 1
