"""Devices, pipes and sockets under the names of source files keep the server from nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from raw_client import RawClient

PUSHED = {"textDocument": {"publishDiagnostics": {"versionSupport": True, "relatedInformation": True}}}
FAULTY = "import torch\n\nx = torch.zeros(2, 3).t().view(6)\n"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")


def make_strange(folder: Path) -> list[str]:
    os.mkfifo(folder / "pipe.py")
    for name, target in (("keyboard", "/dev/stdin"), ("zeros", "/dev/zero"), ("circle", "circle.py")):
        (folder / f"{name}.py").symlink_to(target)
    with open(folder / "huge.py", "wb") as file:
        file.truncate(5_000_000_000)
    (folder / "folder.py").mkdir()
    (folder / ".gitignore").symlink_to("/dev/zero")
    (folder / "torchlsp.toml").symlink_to("/dev/stdin")
    return ["pipe", "keyboard", "zeros", "circle", "huge", "folder"]


def test_imports_of_what_is_no_file_silence_no_text(start) -> None:
    client: RawClient = start()
    names = make_strange(client.folder)
    client.initialize(PUSHED)
    for number, name in enumerate(names):
        text = f"from {name} import n\nimport {name}\n{FAULTY}y = n({name}.z)\n"
        uri = client.open(client.uri(f"using{number}.py"), text)
        assert [one["code"] for one in client.published(uri, 1)] == ["TL101"]
        client.hover(uri, "n(")
    uri = client.open(client.uri("other.py"), FAULTY)
    assert [one["code"] for one in client.published(uri, 1)] == ["TL101"]
    # A strange file may itself be open: then the editor has its text.
    uri = client.open(client.uri("keyboard.py"), FAULTY)
    assert [one["code"] for one in client.published(uri, 1)] == ["TL101"]
    assert client.leave() == 0
