"""The protocol, as the SDK's own client sees it, in this process and over pipes."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pytest

from torchlsp.cli.main import main
from torchlsp.mcp_server.definitions import DEFINITIONS, INSTRUCTIONS

pytest.importorskip("mcp", reason="the extra torchlsp[mcp] is not installed")
ROOT = Path(__file__).parents[2]
BAD = "import torch\n\nx = torch.zeros(2, 3).t()\ny = x.view(6)\n"


@pytest.fixture
def client(tools):
    """The SDK's client of a server in this process."""
    from mcp.client.client import Client

    from torchlsp.mcp_server.serving import create

    return Client(create(tools), raise_exceptions=True)


# ---- in this process -------------------------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_the_client_sees_six_tools_with_schemas_and_marks(client) -> None:
    async with client:
        tools = (await client.list_tools()).tools
    assert [one.name for one in tools] == [one.name for one in DEFINITIONS]
    assert all(one.output_schema and one.input_schema for one in tools)
    assert [one.name for one in tools if not one.annotations.read_only_hint] == ["apply_fix"]


@pytest.mark.asyncio
async def test_a_result_has_the_text_and_data_that_the_client_validates(client) -> None:
    async with client:
        result = await client.call_tool("check", {"paths": ["bad.py"]})
    assert not result.is_error
    assert result.content[0].text.startswith("bad.py:4:5: error TL101")
    assert result.structured_content["findings"][0]["rule"] == "TL101"


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("facts_at", {"path": "bad.py"}, "'line' is a required property"),
        ("facts_at", {"path": "bad.py", "line": "3"}, "'3' is not of type 'integer'"),
        ("check", {"limit": -1}, "-1 is less than the minimum"),
        ("check", {"path": "bad.py"}, "check has no argument path"),
        ("check", {"paths": [".."]}, "outside the workspace"),
        ("format", {}, "there is no tool format: check, facts_at"),
    ],
)
@pytest.mark.asyncio
async def test_a_mistake_comes_back_as_a_result_that_says_so(client, tool, arguments, message) -> None:
    async with client:
        result = await client.session.call_tool(tool, arguments)
    assert result.is_error
    assert message in result.content[0].text


@pytest.mark.asyncio
async def test_an_error_of_ours_is_named_and_the_server_goes_on(client, tools, monkeypatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("of ours")

    async with client:
        with monkeypatch.context() as patched:
            patched.setattr(tools, "call", broken)
            result = await client.call_tool("check", {})
        assert result.is_error
        assert result.content[0].text == "internal error of torchlsp: ZeroDivisionError: of ours"
        assert not (await client.call_tool("facts_at", {"path": "bad.py", "line": 3})).is_error


@pytest.mark.asyncio
async def test_calls_are_answered_one_after_the_other(client, tools, monkeypatch) -> None:
    running, most, lock = [], [], threading.Lock()
    answer = tools.call("facts_at", {"path": "bad.py", "line": 3})
    waits = threading.Event()

    def watched(*_: object):
        with lock:
            running.append(1)
            most.append(len(running))
        waits.wait(0.02)
        running.pop()
        return answer

    monkeypatch.setattr(tools, "call", watched)
    async with client:
        await asyncio.gather(*(client.call_tool("facts_at", {"path": "bad.py", "line": 3}) for _ in range(4)))
    assert (len(most), max(most)) == (4, 1)


# ---- as a process ----------------------------------------------------------------------------------------------------

# All that prints by itself must not reach the protocol, and torch must not be imported.
NOISY = """
import os, sys
from torchlsp.cli.main import main
from torchlsp.mcp_server.tools import Tools

quiet = Tools.call
def noisy(*arguments):
    print("from Python")
    os.write(1, b"from C\\n")
    return quiet(*arguments)
Tools.call = noisy
sys.addaudithook(lambda event, args: event == "import" and args[0].partition(".")[0] == "torch" and os._exit(77))
main(["mcp"])
"""


CALLS = {
    "check": ("check", {"probe": True}),
    "facts": ("facts_at", {"path": "bad.py", "line": 3}),
    "error": (
        "explain_error",
        {"text": "RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x5 and 4x3)"},
    ),
    "passes": ("try_snippet", {"code": "import torch\nassert torch.zeros(2, 3).t().shape == (3, 2)\n"}),
    "raises": ("try_snippet", {"code": "import torch\ntorch.zeros(2, 3).t().view(6)\n"}),
    "denied": ("try_snippet", {"code": "import os\nos.getcwd()\n"}),
}
MODERN = "2025-06-18"


@dataclass(frozen=True)
class Conversation:
    """What a server answered to `CALLS`, by name, what else it wrote, and how it ended when its input ended."""

    instructions: str
    answers: dict[str, dict]
    rest: str
    noise: str
    status: int


@pytest.fixture(scope="module")
def conversation(tmp_path_factory: pytest.TempPathFactory) -> Conversation:
    folder, cache = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("cache")
    (folder / "bad.py").write_text(BAD)
    process = subprocess.Popen(
        [sys.executable, "-c", NOISY],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "TORCHLSP_CACHE_DIR": str(cache)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin and process.stdout and process.stderr
    reading, writing = process.stdout, process.stdin

    def send(method: str, params: dict, number: int | None = None) -> dict:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        writing.write(json.dumps(message if number is None else message | {"id": number}) + "\n")
        writing.flush()
        return {} if number is None else json.loads(reading.readline())["result"]

    with process:
        client = {"name": "test", "version": "1"}
        hello = send("initialize", {"protocolVersion": MODERN, "capabilities": {}, "clientInfo": client}, 1)
        send("notifications/initialized", {})
        answers = {
            name: send("tools/call", {"name": tool, "arguments": given}, number)
            for number, (name, (tool, given)) in enumerate(CALLS.items(), 2)
        }
        writing.close()
        rest, noise = reading.read(), process.stderr.read()
    return Conversation(hello["instructions"], answers, rest, noise, process.returncode)


@pytest.mark.processes
@pytest.mark.torch
def test_stdout_has_the_protocol_only_whatever_prints(conversation: Conversation) -> None:
    assert conversation.instructions == INSTRUCTIONS
    assert conversation.rest == ""
    assert conversation.noise.count("from Python") == conversation.noise.count("from C") == len(CALLS)


@pytest.mark.processes
@pytest.mark.torch
def test_the_server_ends_with_its_input_and_never_imports_torch(conversation: Conversation) -> None:
    assert conversation.status == 0, conversation.noise
    assert not any(one.get("isError") for one in conversation.answers.values())


@pytest.mark.processes
@pytest.mark.torch
@pytest.mark.parametrize(
    ("name", "outcome", "line", "error"),
    [
        ("passes", "passed", None, ""),
        ("raises", "raised", 2, "RuntimeError: view size is not compatible"),
        ("denied", "denied", None, "os"),
    ],
)
def test_snippets_run_behind_gate_and_lock(conversation: Conversation, name, outcome, line, error) -> None:
    data = conversation.answers[name]["structuredContent"]
    assert (data["outcome"], data.get("line")) == (outcome, line)
    assert error in data.get("error", "")


@pytest.mark.processes
@pytest.mark.torch
def test_check_with_probe_adds_verdicts(conversation: Conversation) -> None:
    data = conversation.answers["check"]["structuredContent"]
    assert data["findings"][0]["verdict"].startswith("confirmed by torch")
    assert "probed: 1 confirmed" in data["summary"]


# ---- without the SDK ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("version", "found"), [(None, ""), ("1.30.0", ", and there is 1.30.0")])
def test_without_the_sdk_one_line_says_what_to_install(project, capsys, monkeypatch, version, found) -> None:
    project({})

    def installed(name: str) -> str:
        if version is None:
            raise metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(metadata, "version", installed)
    assert main(["mcp"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == (
        f"torchlsp: the MCP server needs the package mcp 2.x{found}: install it beside torchlsp, as the extra"
        " `torchlsp[mcp]` does\n"
    )


def test_a_root_that_is_none_is_named(project, capsys) -> None:
    project({})
    assert main(["mcp", "--root", "absent"]) == 2
    assert capsys.readouterr().err == "torchlsp: --root absent: no such folder\n"


def test_the_tests_of_ci_install_the_sdk() -> None:
    """Else those of the protocol would be skipped there."""
    written = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extra = written.partition("\nmcp = [")[2].partition("]")[0].strip('"')
    assert extra == "mcp>=2,<3"
    assert f'"{extra}"' in written.partition("\ntest = [")[2].partition("\n]")[0]
