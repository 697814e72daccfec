"""JupyterLab finds the server by itself, through an entry point that costs its process nothing."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest
from editor_availability import ROOT

GROUP = "jupyter_lsp_spec_v1"


def entry_point() -> EntryPoint:
    """As an installed package declares it; the tests may run from source."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    name, value = re.search(
        rf'^\[project\.entry-points\.{GROUP}\]\n(\w+) = "(.+)"$', text, re.MULTILINE
    ).groups()
    return EntryPoint(name, value, GROUP)


@pytest.mark.processes
def test_what_the_entry_point_names_starts_and_answers(tmp_path):
    found = entry_point().load()(None)
    assert list(found) == ["torchlsp"]
    spec = found["torchlsp"]
    assert (spec["version"], spec["languages"]) == (2, ["python"])
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {"processId": None, "rootUri": None, "capabilities": {}},
        }
    )
    answered = subprocess.run(
        spec["argv"],
        input=f"Content-Length: {len(body)}\r\n\r\n{body}".encode(),
        capture_output=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        timeout=60,
    )
    assert b'"serverInfo"' in answered.stdout
    assert answered.stderr == b""


@pytest.mark.processes
def test_loading_it_imports_nothing_else():
    module = entry_point().module
    code = (
        f"import sys; before = set(sys.modules); import {module}; print(*sorted(set(sys.modules) - before))"
    )
    said = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        timeout=60,
    )
    packages = {name.partition(".")[0] for name in said.stdout.split()} - sys.stdlib_module_names
    assert packages == {"torchlsp"}, said.stderr
    assert len(said.stdout.split()) < 10, said.stdout
