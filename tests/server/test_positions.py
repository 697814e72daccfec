"""Line ends that are none, characters of several units, and the names of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import client_text
import pytest
from client_profiles import VISUAL_STUDIO_CODE
from raw_client import RawClient

pytestmark = pytest.mark.processes

WIDE_LINE = 'import torch\n\ny = torch.zeros(2, 3).t()\né = "😀😀"; x = y.view(-1)\n'
# Python ends lines at none of these, and neither does the protocol; str.splitlines does.
ODD = """\
import torch
\x0c
# \u2028 \u2029 \x85 \x0b \x1c \x1d \x1e \x0c é😀 end
x = torch.zeros(2, 3).t()
\x0c
y = x.view(6)
"""


def pushed(encoding: str | None = None) -> dict[str, Any]:
    """A client that is sent its diagnostics."""
    capabilities: dict[str, Any] = {
        "textDocument": {
            "publishDiagnostics": {"versionSupport": True, "relatedInformation": True},
            "hover": {"contentFormat": ["plaintext"]},
        },
        "workspace": {"workspaceEdit": {"documentChanges": True}},
    }
    if encoding is not None:
        capabilities["general"] = {"positionEncodings": [encoding]}
    return capabilities


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory):
    """One server for each encoding, and for a client that names none."""
    started: dict[str | None, RawClient] = {}

    def of(encoding: str | None) -> RawClient:
        if encoding not in started:
            client = started[encoding] = RawClient(tmp_path_factory.mktemp("root"))
            client.initialize(pushed(encoding))
        return started[encoding]

    yield of
    for client in started.values():
        client.kill()


@pytest.fixture(params=["utf-8", "utf-16", "utf-32", None], ids=str)
def client(request: pytest.FixtureRequest, servers, tmp_path: Path) -> RawClient:
    """A client of each encoding, in this test's folder."""
    client = servers(request.param)
    client.begin(tmp_path)
    return client


@pytest.fixture
def one_client(servers, tmp_path: Path) -> RawClient:
    client = servers(None)
    client.begin(tmp_path)
    return client


def test_the_column_of_one_finding(client: RawClient):
    column = {"utf-8": 21, "utf-16": 16, "utf-32": 14}[client.encoding]
    uri = client.open(client.uri("a.py"), WIDE_LINE)
    (found,) = client.published(uri)
    assert found["range"]["start"] == {"line": 3, "character": column}
    assert found["range"]["end"] == {"line": 3, "character": column + len("y.view(-1)")}
    (step,) = found["relatedInformation"]
    assert client.at(uri, step["location"]["range"]) == "torch.zeros(2, 3).t()"


def test_edits_after_odd_line_ends_keep_both_copies_alike(client: RawClient):
    uri = client.open(client.uri("odd.py"), ODD)
    expected = "x.view(6)"
    (found,) = client.published(uri)
    assert client.at(uri, found["range"]) == expected

    def after(old: str, new: str) -> list[str]:
        client.replace(uri, old, new)
        found = client.published(uri, client.versions[uri])
        assert all(one["code"] == "TL101" for one in found)
        return [client.at(uri, one["range"]) for one in found]

    assert after("x.view", "x.reshape") == []
    assert after("x.reshape", "x.view") == [expected]
    assert after("é😀 end", "é😀 𝒳 the \x0b end") == [expected]
    assert after("𝒳", "\n# \u2028") == [expected]
    assert after("\x0c\n", "\x0c\x0c\n\n") == [expected]
    assert after("y = x.view(6)\n", 'é = "😀\x85"; z = x.view(6)') == [expected]
    assert after("😀\x85", "\u2029") == [expected]
    assert after("z = x.view(6)", "z = x.view(6); w = x.view(2, 3)\n") == [expected, "x.view(2, 3)"]


def test_a_fix_behind_wide_characters_lands_in_its_place(client: RawClient):
    uri = client.open(client.uri("a.py"), WIDE_LINE)
    client.published(uri)
    fix = client.actions(uri, "y.view")[0]
    (change,) = fix["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 1}
    assert client_text.edited(WIDE_LINE, change["edits"], client.encoding) == WIDE_LINE.replace(
        "view", "reshape"
    )


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_every_line_end_of_the_protocol_counts(one_client: RawClient, end: str):
    text = WIDE_LINE.replace("\n", end)
    uri = one_client.open(one_client.uri("a.py"), text)
    (found,) = one_client.published(uri)
    assert found["range"]["start"] == {"line": 3, "character": 16}
    one_client.replace(uri, f"import torch{end}", f"import torch{end}{end}")
    (found,) = one_client.published(uri, 2)
    assert found["range"]["start"]["line"] == 4
    ignore = next(one for one in one_client.actions(uri, "y.view") if one["title"] == "Ignore TL101 here")
    (change,) = ignore["edit"]["documentChanges"]
    after = client_text.edited(one_client.texts[uri], change["edits"], one_client.encoding)
    assert after.endswith(f"y.view(-1)  # torchlsp: ignore[TL101]{end}")


def test_a_file_keeps_the_name_that_the_client_gave_it(start, tmp_path: Path):
    folder = tmp_path / "a b é"
    folder.mkdir()
    client: RawClient = start()
    client.initialize(pushed(), folders=[folder])
    # As VS Code writes it: more is percent-encoded than need be, in small letters.
    plain = (folder / "c+d 1.py").as_uri()
    uri = plain.replace("+", "%2b").replace("%C3%A9", "%c3%a9")
    client.open(uri, WIDE_LINE)
    (found,) = client.published(uri)
    assert found["relatedInformation"][0]["location"]["uri"] == uri
    fix = client.actions(uri, "y.view")[0]
    assert fix["edit"]["documentChanges"][0]["textDocument"]["uri"] == uri
    client.close(uri)
    assert client.published(uri) == []


def test_a_text_that_was_never_saved_is_checked(one_client: RawClient):
    uri = one_client.open("untitled:Untitled-1", WIDE_LINE)
    (found,) = one_client.published(uri)
    assert found["relatedInformation"][0]["location"]["uri"] == uri
    one_client.replace(uri, "view", "reshape")
    assert one_client.published(uri) == []
    assert "f32[3, 2]" in one_client.hover(uri, "y.reshape")["contents"]["value"]


def test_a_text_of_another_scheme_is_checked(start):
    client: RawClient = start()
    client.initialize(VISUAL_STUDIO_CODE)
    for uri in ("git:/a/b.py?%7B%22ref%22%3A%22%22%7D", "vscode-vfs://github/a/b.py", "jdt://["):
        client.open(uri, WIDE_LINE)
        (found,) = client.pulled(uri)
        assert found["relatedInformation"][0]["location"]["uri"] == uri
