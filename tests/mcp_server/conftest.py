"""Tools on a small project, without the protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import jsonschema
import pytest

from torchlsp.mcp_server.boundary import Boundary
from torchlsp.mcp_server.definitions import DEFINITIONS
from torchlsp.mcp_server.tools import Reply, Tools

BAD = "import torch\n\nx = torch.zeros(2, 3).t()\ny = x.view(6)\n"
MODEL = """\
import torch
from torch import nn

import absent


def step(images, crop):
    small = crop(images)
    rows = small.view(4, -1)
    made = absent.make(3)
    known = torch.zeros(2, 3, device="cuda")
    return rows, made, known
"""


@pytest.fixture
def tools(project, tmp_path_factory, monkeypatch) -> Iterator[Tools]:
    """Tools for a project with a fault in `bad.py`; its folder is the current one."""
    monkeypatch.setenv("TORCHLSP_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    root = project({"pyproject.toml": "", "bad.py": BAD, "model.py": MODEL})
    made = Tools(Boundary(str(root)))
    yield made
    made.close()


@pytest.fixture
def ask(tools: Tools) -> Callable[..., Reply]:
    """Calls a tool and holds its result to its schema."""

    def asked(tool: str, /, **arguments: object) -> Reply:
        (definition,) = [one for one in DEFINITIONS if one.name == tool]
        jsonschema.validate(arguments, definition.arguments)
        reply = tools.call(tool, arguments)
        jsonschema.validate(reply.data, definition.result | {"additionalProperties": False})
        return reply

    return asked


@pytest.fixture
def root(tools: Tools) -> Path:
    return Path.cwd()
