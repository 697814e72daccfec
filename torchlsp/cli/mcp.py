"""Implements `torchlsp mcp`: serves coding agents over standard input and output."""

from __future__ import annotations

import os
from importlib import metadata
from typing import TYPE_CHECKING, NoReturn

from torchlsp.engine.config import ConfigError
from torchlsp.engine.interpreters import choose
from torchlsp.engine.probe_places import command_for

if TYPE_CHECKING:
    import argparse

_MAJOR = "2"


def mcp(options: argparse.Namespace) -> NoReturn:
    """Serves the workspace until standard input ends. Raises ConfigError where the SDK is not installed."""
    try:
        version = metadata.version("mcp")
    except metadata.PackageNotFoundError:
        version = ""
    if version.partition(".")[0] != _MAJOR:
        found = f", and there is {version}" if version else ""
        raise ConfigError(
            f"the MCP server needs the package mcp {_MAJOR}.x{found}: install it beside torchlsp, as the extra `torchlsp[mcp]` does"
        )
    if not os.path.isdir(options.root):
        raise ConfigError(f"--root {options.root}: no such folder")
    if options.python is not None:
        choose(options.python)
        options.python = os.path.abspath(options.python)
    command = command_for(options.probe_on)
    # Paths are shown relative to the current folder.
    os.chdir(options.root)
    from torchlsp.mcp_server.boundary import Boundary
    from torchlsp.mcp_server.serving import serve
    from torchlsp.mcp_server.tools import Tools

    serve(Tools(Boundary(os.getcwd()), options.python, command))
