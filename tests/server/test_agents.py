"""A server that a coding agent has started pushes errors and warnings, and nothing below."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from raw_client import RawClient

from torchlsp.cli.main import main

pytestmark = pytest.mark.processes
CONFIGURATION = '[tool.torchlsp]\nextend-select = ["TL314"]\n'
# An error, and an info of TL314, which the configuration selects.
TEXT = """\
import torch

x = torch.zeros(2, 3, device="cuda")
y = torch.zeros(2, 3).t().view(6)
"""
ERROR = 1


def test_an_agent_is_sent_no_infos(project, capsys) -> None:
    folder: Path = project({"pyproject.toml": CONFIGURATION, "a.py": TEXT, "b.py": TEXT})
    main(["check", "a.py", "--output-format", "json"])
    assert [one["severity"] for one in json.loads(capsys.readouterr().out)] == ["info", "error"]

    client = RawClient(folder, ("-m", "torchlsp", "server", "--agent"))
    try:
        client.initialize({"textDocument": {"publishDiagnostics": {}}})
        opened, unopened = ((folder / name).as_uri() for name in ("a.py", "b.py"))
        client.open(opened, TEXT)

        def pushed(uri: str) -> list[int]:
            told = client.wait(
                lambda one: (
                    one.get("method") == "textDocument/publishDiagnostics" and one["params"]["uri"] == uri
                )
            )
            return [one["severity"] for one in told["params"]["diagnostics"]]

        assert pushed(opened) == [ERROR]
        client.request("workspace/executeCommand", {"command": "torchlsp.checkWorkspace", "arguments": []})
        assert pushed(unopened) == [ERROR]
    finally:
        client.kill()
