"""Configuration files, the editor's settings, folders, and files that others import."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from client_profiles import VISUAL_STUDIO_CODE
from raw_client import RawClient

pytestmark = pytest.mark.processes

FAULTY = "import torch\n\nx = torch.zeros(2, 3).t()\ny = x.view(6)\n"
PUSH: dict[str, Any] = {
    "textDocument": {
        "publishDiagnostics": {"versionSupport": True, "relatedInformation": True},
        "hover": {"contentFormat": ["plaintext"]},
    },
    "workspace": {"configuration": True},
}
PULL = VISUAL_STUDIO_CODE
CREATED, CHANGED, DELETED = 1, 2, 3


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory):
    """One server for each kind of client."""
    started: dict[bool, RawClient] = {}

    def kind(pulls: bool) -> RawClient:
        if pulls not in started:
            client = started[pulls] = RawClient(tmp_path_factory.mktemp("root"))
            client.initialize(PULL if pulls else PUSH)
        return started[pulls]

    yield kind
    for client in started.values():
        client.kill()


@pytest.fixture
def pushed(servers, tmp_path: Path) -> RawClient:
    """A client that is sent its diagnostics, in this test's folder."""
    client = servers(False)
    client.begin(tmp_path)
    return client


@pytest.fixture(params=[False, True], ids=["push", "pull"])
def client(request: pytest.FixtureRequest, servers, tmp_path: Path) -> RawClient:
    """A client of each kind, in this test's folder."""
    client = servers(request.param)
    client.begin(tmp_path)
    return client


def codes(found: list[Any]) -> list[str]:
    return [one["code"] for one in found]


def follows(client: RawClient, uri: str, expected: list[str]) -> None:
    """Wait until the client shows these codes, after something other than the text has changed: they are sent, or
    asked for when it is told to ask."""
    if not client.pulls:
        client.wait_for(
            "textDocument/publishDiagnostics",
            lambda params: params["uri"] == uri and codes(params["diagnostics"]) == expected,
        )
        return
    while True:
        client.wait_for("workspace/diagnostic/refresh")
        if codes(client.pulled(uri)) == expected:
            return


def first(client: RawClient, uri: str) -> list[str]:
    return codes(client.pulled(uri) if client.pulls else client.published(uri))


def touch(client: RawClient, path: Path, kind: int = CHANGED) -> None:
    changes = [{"uri": path.as_uri(), "type": kind}]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})


def configure(client: RawClient, table: Any) -> None:
    client.configuration = table
    client.notify("workspace/didChangeConfiguration", {"settings": None})


@pytest.mark.parametrize("name", ["torchlsp.toml", "pyproject.toml"])
def test_a_configuration_file_holds_as_soon_as_it_is_written(client: RawClient, tmp_path: Path, name: str):
    uri = client.open(client.uri("a.py"), FAULTY)
    assert first(client, uri) == ["TL101"]
    table = "[tool.torchlsp]\n" if name == "pyproject.toml" else ""
    (tmp_path / name).write_text(f'{table}ignore = ["TL101"]\n')
    touch(client, tmp_path / name, CREATED)
    follows(client, uri, [])
    (tmp_path / name).write_text(f'{table}severity = {{ TL101 = "warning" }}\n')
    touch(client, tmp_path / name)
    follows(client, uri, ["TL101"])
    (tmp_path / name).write_text(f'{table}per-file-ignores = {{ "a.py" = ["TL1"] }}\n')
    touch(client, tmp_path / name)
    follows(client, uri, [])
    (tmp_path / name).unlink()
    touch(client, tmp_path / name, DELETED)
    follows(client, uri, ["TL101"])
    assert client.received("window/showMessage") == []


LOADS = 'import torch\n\nstate = torch.load("weights.pt")\ndevice = torch.accelerator.current_accelerator()\n'


def test_the_torch_that_is_meant_may_change(client: RawClient, tmp_path: Path, tmp_path_factory):
    """By the configuration, and where it says nothing by the environment of the setting `interpreter`."""
    environment = tmp_path_factory.mktemp("environment")
    about = environment / "lib" / "python3.12" / "site-packages" / "torch-2.4.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Name: torch\nVersion: 2.4.0\n")
    (environment / "pyvenv.cfg").write_text("version = 3.12.1\n")
    (environment / "bin").mkdir()
    (environment / "bin" / "python").touch(mode=0o755)

    path = tmp_path / "torchlsp.toml"
    path.write_text('torch-version = "2.13"\nextend-select = ["upgrade"]\n')
    uri = client.open(client.uri("a.py"), LOADS)
    assert first(client, uri) == []
    path.write_text('torch-version = "2.5"\nextend-select = ["upgrade"]\n')
    touch(client, path)
    follows(client, uri, ["TL907", "TL902"])
    # What is installed does not count where the configuration speaks.
    configure(client, {"interpreter": str(environment), "lint": {"select": ["correctness", "upgrade"]}})
    path.write_text('torch-version = "2.6"\nextend-select = ["upgrade"]\n')
    touch(client, path)
    follows(client, uri, [])
    path.unlink()
    touch(client, path, DELETED)
    follows(client, uri, ["TL907", "TL902"])
    configure(client, None)
    follows(client, uri, [])


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
    pushed: RawClient, tmp_path: Path, text: str, words: str
):
    path = tmp_path / "torchlsp.toml"
    path.write_text(text)
    uri = pushed.open(pushed.uri("a.py"), FAULTY)
    assert codes(pushed.published(uri)) == ["TL101"]
    other = pushed.open(pushed.uri("b.py"), FAULTY)
    assert codes(pushed.published(other)) == ["TL101"]
    for number in range(3):
        pushed.replace(uri, "import torch\n", f"import torch\n# {number}\n")
        assert codes(pushed.published(uri)) == ["TL101"]
    (shown,) = pushed.received("window/showMessage")
    assert "torchlsp.toml" in shown["message"] and words in shown["message"]
    assert "internal" not in shown["message"] and "\n" not in shown["message"]
    path.write_text('ignore = ["TL101"]\n')
    touch(pushed, path)
    assert codes(pushed.published(uri)) == []


def test_the_editor_s_settings_are_asked_for(client: RawClient):
    uri = client.open(client.uri("a.py"), FAULTY)
    assert first(client, uri) == ["TL101"]
    configure(client, {"lint": {"ignore": ["TL101"]}})
    follows(client, uri, [])
    configure(client, {"lint": {"ignore": []}, "enable": True})
    follows(client, uri, ["TL101"])
    configure(client, {"enable": False})
    follows(client, uri, [])
    # Nothing set any more: some clients say so with an empty table, some with null.
    for nothing in ({}, None):
        configure(client, nothing)
        follows(client, uri, ["TL101"])
        configure(client, {"lint.select": ["TL5"]})
        follows(client, uri, [])
    configure(client, None)
    follows(client, uri, ["TL101"])


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


def test_a_wrong_setting_is_told_once_and_the_others_hold(pushed: RawClient):
    uri = pushed.open(pushed.uri("a.py"), FAULTY)
    assert codes(pushed.published(uri)) == ["TL101"]
    for _ in range(3):
        configure(pushed, {"lint": {"ignor": ["TL1"], "ignore": ["TL101"]}})
        pushed.wait_for("workspace/configuration")
    assert codes(pushed.published(uri)) == []
    (shown,) = pushed.received("window/showMessage")
    assert "torchlsp.lint.ignore" in shown["message"]
    configure(pushed, None)
    follows(pushed, uri, ["TL101"])


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


def test_each_kind_of_hint_has_a_switch(start):
    names = {"shapes": "x", "arrays": "a", "sizes": "n", "modules": "layer"}
    client: RawClient = start()
    client.configuration = {"inlayHints": dict.fromkeys(names, True)}
    client.initialize(PULL)
    uri = client.open(client.uri("a.py"), HINTED)
    client.wait_for("workspace/inlayHint/refresh")
    assert hinted(client, uri) == {"a", "x", "n", "layer"}
    for kind, name in names.items():
        configure(client, {"inlayHints": {one: one != kind for one in names}})
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


def test_what_imports_an_edited_text_follows(client: RawClient, tmp_path: Path):
    (tmp_path / "layers.py").write_text(LAYER)
    user = client.open(client.uri("user.py"), USER)
    assert first(client, user) == ["TL101"]
    layers = client.open(client.uri("layers.py"), LAYER)
    first(client, layers)
    client.replace(layers, "x.t()", "x.t().contiguous()")
    follows(client, user, [])
    client.replace(layers, ".contiguous()", "")
    follows(client, user, ["TL101"])
    # The file as it is saved counts again once the text is closed.
    client.replace(layers, "x.t()", "x.relu()")
    follows(client, user, [])
    client.close(layers)
    follows(client, user, ["TL101"])


def test_what_imports_a_changed_file_follows(client: RawClient, tmp_path: Path):
    path = tmp_path / "layers.py"
    user = client.open(client.uri("user.py"), USER)
    assert first(client, user) == []
    path.write_text(LAYER)
    touch(client, path, CREATED)
    follows(client, user, ["TL101"])
    path.write_text(LAYER.replace("x.t()", "x.relu()"))
    touch(client, path)
    follows(client, user, [])


def test_a_trail_leads_into_an_open_text_by_its_own_name(pushed: RawClient, tmp_path: Path):
    folder = tmp_path / "a+b"
    folder.mkdir()
    (folder / "layers.py").write_text("# An older text.\n" + LAYER)
    layers = (folder / "layers.py").as_uri().replace("+", "%2b")
    pushed.open(layers, LAYER)
    user = pushed.open((folder / "user.py").as_uri(), USER)
    (found,) = pushed.published(user)
    steps = [one["location"] for one in found["relatedInformation"]]
    assert [pushed.at(layers, one["range"]) for one in steps if one["uri"] == layers] == ["x.t()"]


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


def test_each_folder_has_the_editor_s_settings_for_it(start, tmp_path: Path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    ignoring = {"lint": {"ignore": ["TL101"]}, "inlayHints": {"shapes": False}}
    client: RawClient = start()
    client.configuration = lambda folder: ignoring if folder == one.as_uri() else {}
    client.initialize(PULL, folders=[one, two])
    client.wait_for("workspace/configuration")
    texts = [client.open((folder / "a.py").as_uri(), FAULTY) for folder in (one, two)]
    while [codes(client.pulled(uri)) for uri in texts] != [[], ["TL101"]]:
        client.wait_for("workspace/diagnostic/refresh")
    assert [hinted(client, uri) for uri in texts] == [set(), {"x", "y"}]
    # A folder that comes later is asked for as well.
    three = tmp_path / "three"
    three.mkdir()
    client.configuration = lambda folder: ignoring if folder == three.as_uri() else {}
    added = [{"uri": three.as_uri(), "name": "three"}]
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": added, "removed": []}})
    texts.append(client.open((three / "a.py").as_uri(), FAULTY))
    while [codes(client.pulled(uri)) for uri in texts] != [["TL101"], ["TL101"], []]:
        client.wait_for("workspace/diagnostic/refresh")


def environment(folder: Path, torch: str) -> str:
    """A virtual environment as it lies on disk, with a torch of which nothing is there but its name."""
    packages = folder / "lib" / "python3.11" / "site-packages"
    metadata = packages / f"torch-{torch}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {torch}\n")
    (folder / "pyvenv.cfg").write_text("version = 3.11.4\n")
    python = folder / "bin" / "python"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    return str(python)


def test_each_folder_has_its_own_interpreter(start, tmp_path: Path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    pythons = [environment(tmp_path / f"of {folder.name}", f"2.{n}.0") for n, folder in enumerate(folders, 4)]
    of_folder = {folder.as_uri(): {"interpreter": path} for folder, path in zip(folders, pythons)}
    client: RawClient = start()
    client.configuration = lambda folder: of_folder.get(folder, {})
    client.initialize(PUSH, folders=folders)
    client.wait_for("workspace/configuration")
    asked = {"command": "torchlsp.debugInformation"}
    said = client.request("workspace/executeCommand", asked)
    assert said["environments"] == [
        {"folder": str(folder), "python": path, "torch": f"2.{n}.0"}
        for n, (folder, path) in enumerate(zip(folders, pythons), 4)
    ]


def test_all_rules_are_told(start):
    client: RawClient = start()
    client.initialize(PUSH)
    said = client.request("workspace/executeCommand", {"command": "torchlsp.rules"})
    assert len(said) == len({one["code"] for one in said}) > 50
    assert ("TL101", "view-on-noncontiguous") in {(one["code"], one["name"]) for one in said}
    assert all(one["summary"] for one in said)


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_broken_environment_of_the_workspace_is_named(
    start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to("/opt/gone/python3.9")
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("version = 3.9.1\n")
    client: RawClient = start()
    client.initialize(PUSH, options={"trusted": True})
    uri = client.open(client.uri("a.py"), FAULTY)
    assert codes(client.published(uri)) == ["TL101"]
    told = client.wait_for("window/showMessage", lambda params: ".venv" in params["message"])
    assert "its bin/python leads to /opt/gone/python3.9, which does not exist" in told["message"]
    information = client.request("workspace/executeCommand", {"command": "torchlsp.debugInformation"})
    (environment,) = information["environments"]
    assert environment["python"] == str(tmp_path / ".venv" / "bin" / "python")
