"""Mistakes in configuration files, shown where they stand: in open ones as they are typed, in others after a check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from client_profiles import VISUAL_STUDIO_CODE
from raw_client import RawClient

pytestmark = pytest.mark.processes

FAULTY = "import torch\n\nx = torch.zeros(2, 3).t()\ny = x.view(6)\n"
PUSH: dict[str, Any] = {"textDocument": {"publishDiagnostics": {"versionSupport": True}}}
WRONG = """\
# naïve 𝕏
selekt = ["TL1"]
ignore = ["TL101", "TL9999", "é-𝕏"]
preview = "yes"
torch-version = "2"
[severity]
TL502 = "fatal"
[hover]
documentation = "all"
"""
MESSAGES = {
    "selekt": "unknown key `selekt`, did you mean `select`?",
    "TL9999": "unknown rule `TL9999`",
    "é-𝕏": "unknown rule `é-𝕏`",
    "preview": "`preview` must be true or false",
    "torch-version": "`torch-version` must look like 2.13 or 2.13.0, not `2`",
    "TL502": "severity must be error, warning or info, not `fatal`",
    "documentation": "`hover.documentation` must be full, short or off",
}


@pytest.fixture(params=[False, True], ids=["push", "pull"])
def client(request: pytest.FixtureRequest, start) -> RawClient:
    client: RawClient = start()
    client.initialize(VISUAL_STUDIO_CODE if request.param else PUSH)
    return client


def open_toml(client: RawClient, name: str, text: str) -> str:
    uri = client.uri(name)
    client.texts[uri], client.versions[uri] = text, 1
    document = {"uri": uri, "languageId": "toml", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})
    return uri


def shown(client: RawClient, uri: str) -> dict[str, str]:
    """The messages of a text, by what they underline."""
    found = client.pulled(uri) if client.pulls else client.published(uri)
    assert all(
        (one["source"], one["code"], one["severity"]) == ("torchlsp", "configuration", 1) for one in found
    )
    return {client.at(uri, one["range"]): one["message"].split(", did you mean `TL")[0] for one in found}


@pytest.mark.parametrize("name", ["torchlsp.toml", "pyproject.toml"])
def test_each_mistake_is_underlined_as_it_is_typed(client: RawClient, name: str) -> None:
    head = 'ignore = 1\n[project]\nname = "preview"\n[tool.torchlsp]\n' if name == "pyproject.toml" else ""
    wrong = WRONG.replace("[severity]", "[tool.torchlsp.severity]").replace(
        "[hover]", "[tool.torchlsp.hover]"
    )
    uri = open_toml(client, name, head + wrong if head else WRONG)
    assert shown(client, uri) == MESSAGES
    client.replace(uri, "selekt", "select")
    assert shown(client, uri) == {word: told for word, told in MESSAGES.items() if word != "selekt"}
    client.replace(uri, 'preview = "yes"', "preview = [")
    (found,) = shown(client, uri).values()
    assert found.startswith("not valid TOML: ")


def test_other_files_and_tables_are_not_looked_at(client: RawClient) -> None:
    for name, text in (("Cargo.toml", WRONG), ("pyproject.toml", "[project]\nselekt = 1\n")):
        uri = open_toml(client, name, text)
        if client.pulls:
            assert client.pulled(uri) == []
    own = open_toml(client, "torchlsp.toml", "selekt = 1\n")
    assert list(shown(client, own)) == ["selekt"]
    sent = {one["uri"] for one in client.received("textDocument/publishDiagnostics") if one["diagnostics"]}
    assert sent <= {own}


def test_what_a_check_meets_in_a_closed_file_is_shown_until_it_is_corrected(
    client: RawClient, tmp_path: Path
) -> None:
    path = tmp_path / "torchlsp.toml"
    path.write_text('select = ["TL1"]\nselekt = []\n')
    place = path.as_uri()
    uri = client.open(client.uri("a.py"), FAULTY)
    if client.pulls:
        assert [one["code"] for one in client.pulled(uri)] == ["TL101"]
    sent = client.wait_for("textDocument/publishDiagnostics", lambda params: params["uri"] == place)
    (found,) = sent["diagnostics"]
    assert found["message"] == "unknown key `selekt`, did you mean `select`?"
    assert found["range"]["start"] == {"line": 1, "character": 0}
    path.write_text('select = ["TL1"]\n')
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": place, "type": 2}]})
    sent = client.wait_for("textDocument/publishDiagnostics", lambda params: params["uri"] == place)
    assert sent["diagnostics"] == []


def test_a_file_that_is_opened_shows_its_text_and_not_what_lies_on_the_disk(
    client: RawClient, tmp_path: Path
) -> None:
    path = tmp_path / "torchlsp.toml"
    path.write_text("selekt = []\n")
    client.open(client.uri("a.py"), FAULTY)
    client.wait_for("textDocument/publishDiagnostics", lambda params: params["uri"] == path.as_uri())
    open_toml(client, "torchlsp.toml", "select = []\n")
    sent = client.wait_for("textDocument/publishDiagnostics", lambda params: params["uri"] == path.as_uri())
    assert sent["diagnostics"] == []


def test_a_saved_file_holds_where_the_client_watches_none(start, tmp_path: Path) -> None:
    client: RawClient = start()
    client.initialize(PUSH)
    uri = client.open(client.uri("a.py"), FAULTY)
    assert [one["code"] for one in client.published(uri)] == ["TL101"]
    toml = open_toml(client, "torchlsp.toml", 'ignore = ["TL101"]\n')
    (tmp_path / "torchlsp.toml").write_text('ignore = ["TL101"]\n')
    client.notify("textDocument/didSave", {"textDocument": {"uri": toml}})
    sent = client.wait_for("textDocument/publishDiagnostics", lambda params: params["uri"] == uri)
    assert sent["diagnostics"] == []


def test_closing_a_file_takes_its_marks_away(start) -> None:
    client: RawClient = start()
    client.initialize(PUSH)
    uri = open_toml(client, "torchlsp.toml", "selekt = 1\n")
    assert list(shown(client, uri)) == ["selekt"]
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert client.published(uri) == []
