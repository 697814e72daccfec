"""The plugin for coding agents, and what is written beside it, have the formats that agents document, and commands that exist."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from torchlsp.cli.main import _parser
from torchlsp.lint.registry import find
from torchlsp.mcp_server.definitions import DEFINITIONS

AGENTS = Path(__file__).parents[2] / "editors" / "agents"
PLUGIN = AGENTS / "torchlsp"
README = (AGENTS / "README.md").read_text(encoding="utf-8")
SKILL = (PLUGIN / "skills" / "torchlsp" / "SKILL.md").read_text(encoding="utf-8")
SERVER = ["torchlsp", "server", "--agent"]
TOOLS = ["torchlsp", "mcp"]

# The fields of a language server in a plugin of Claude Code, where an unknown one is an error.
LSP_FIELDS = {
    "command", "extensionToLanguage", "args", "transport", "env", "initializationOptions", "settings", "workspaceFolder",
    "startupTimeout", "shutdownTimeout", "restartOnCrash", "maxRestarts", "diagnostics",
}  # fmt: skip
MANIFEST_FIELDS = {
    "$schema", "name", "displayName", "version", "description", "author", "homepage", "repository", "license", "keywords",
    "metadata", "defaultEnabled", "dependencies",
}  # fmt: skip


def block(heading: str, language: str) -> str:
    """The code below a heading of the README."""
    below = README.partition(f"\n## {heading}\n")[2]
    return below.partition(f"```{language}\n")[2].partition("\n```")[0]


def test_the_manifest_has_known_fields_only() -> None:
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
    assert manifest.keys() <= MANIFEST_FIELDS
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", manifest["name"])


def test_the_plugin_starts_the_server_for_agents_on_python_files() -> None:
    (server,) = json.loads((PLUGIN / ".lsp.json").read_text(encoding="utf-8")).values()
    assert server.keys() <= LSP_FIELDS
    assert " " not in server["command"]
    assert [server["command"], *server["args"]] == SERVER
    assert server["extensionToLanguage"] == {".py": "python"}


def test_the_plugin_starts_the_tools() -> None:
    (server,) = json.loads((PLUGIN / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"].values()
    assert [server["command"], *server["args"]] == TOOLS


def test_the_blocks_for_other_agents_start_the_same() -> None:
    (copilot,) = json.loads(block("Copilot CLI", "json"))["lspServers"].values()
    assert [copilot["command"], *copilot["args"]] == SERVER
    assert copilot["fileExtensions"] == {".py": "python"}
    opencode = json.loads(block("OpenCode", "json"))
    assert opencode["lsp"]["torchlsp"] == {"command": SERVER, "extensions": [".py"]}
    assert opencode["mcp"]["torchlsp"] == {"type": "local", "command": TOOLS}
    lsp, mcp = (shlex.split(line) for line in block("Crush", "sh").splitlines())
    started = [
        [line[at + 1] for at, word in enumerate(line) if word in ("--command", "--args")]
        for line in (lsp, mcp)
    ]
    assert started == [SERVER, TOOLS]


def test_the_skill_is_named_as_its_folder_and_short() -> None:
    head, _, body = SKILL.removeprefix("---\n").partition("\n---\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert fields.keys() == {"name", "description"}
    assert fields["name"] == "torchlsp"
    assert 0 < len(fields["description"]) <= 1_024
    assert len(body) < 2_000


@pytest.mark.parametrize("text", [SKILL, README], ids=["skill", "readme"])
def test_the_commands_that_agents_are_told_exist(text: str) -> None:
    told = [
        one.rpartition("| ")[2]
        for one in re.findall(r"`([^`\n]*torchlsp [a-z][^`\n]*)`", text)
        if "$" not in one
    ]
    assert len(told) >= 3
    for command in told:
        program, *arguments = shlex.split(command)
        assert program == "torchlsp", command
        _parser().parse_args(arguments)


def test_the_tools_that_the_skill_names_exist() -> None:
    named = set(re.findall(r"`(\w+_\w+|check|docs)`", SKILL))
    assert named == {one.name for one in DEFINITIONS}


def test_the_rules_that_agents_are_told_exist() -> None:
    for code in re.findall(r"TL\d{3}", README + SKILL):
        assert find(code) is not None
