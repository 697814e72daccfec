"""How the server starts and stops, and that nothing but the protocol is ever on its stdout."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from client_profiles import VISUAL_STUDIO_CODE
from raw_client import LIMIT, RawClient, Refused, environment

FAULTY = "import torch\n\nx = torch.zeros(2, 3).t().view(6)\n"
PUSHED = {
    "textDocument": {"publishDiagnostics": {"versionSupport": True, "relatedInformation": True}},
}

NOISE = """
import os, subprocess, sys
def make_noise():
    print("stray line")
    sys.stdout.write("no line end")
    sys.__stdout__.write("around the guard\\n")
    sys.__stdout__.flush()
    os.write(1, b"from a C library\\n")
    subprocess.run([sys.executable, "-c", "print('from a child process')"])
"""
NOISE_BEFORE = (
    NOISE
    + """
import torchlsp.server.main as main
made = main.create
def create():
    make_noise()
    return made()
main.create = create
"""
)
NOISE_DURING = (
    NOISE
    + """
from torchlsp.server import analyst, app
begun, examined = app.TorchServer.begin, analyst.Analyst.examine
def begin(self, params):
    make_noise()
    begun(self, params)
def examine(self, *arguments):
    make_noise()
    return examined(self, *arguments)
app.TorchServer.begin, analyst.Analyst.examine = begin, examine
"""
)


@pytest.mark.parametrize("patch", [NOISE_BEFORE, NOISE_DURING], ids=["before", "during"])
def test_what_others_print_stays_out_of_the_protocol(start, patch: str):
    client = start(patch)
    client.initialize(PUSHED)
    uri = client.open(client.uri("a.py"), FAULTY)
    assert [one["code"] for one in client.published(uri)] == ["TL101"]
    assert client.leave() == 0
    assert [message for message in client.seen if "stray" in message] == []
    client.errors_end.wait(LIMIT)
    assert b"from a child process" in b"".join(client.errors)


def test_nothing_is_written_before_the_client_speaks(start):
    client = start()
    client.initialize({})
    assert "id" in client.seen[0] and "result" in client.seen[0]


def test_shutdown_and_exit_end_with_0(start):
    client = start()
    client.initialize({})
    assert client.leave() == 0


def test_exit_without_shutdown_ends_with_1(start):
    client = start()
    client.initialize({})
    client.notify("exit", None)
    assert client.process.wait(LIMIT) == 1


def test_exit_before_initialize_ends_with_1(start):
    client = start()
    client.notify("exit", None)
    assert client.process.wait(LIMIT) == 1


def test_closing_stdin_ends_the_server(start):
    client = start()
    client.initialize(PUSHED)
    client.open(client.uri("a.py"), FAULTY)
    client.process.stdin.close()
    client.process.wait(LIMIT)


ENDLESS = """
import threading
from torchlsp.server import analyst
def examine(self, *arguments):
    print("analysing", flush=True)
    threading.Event().wait()
analyst.Analyst.examine = examine
"""


@pytest.mark.parametrize("command", ["torchlsp.checkWorkspace", "torchlsp.fixAll"])
def test_shutdown_while_requests_are_under_way_is_answered(start, command: str):
    client = start(ENDLESS)
    client.initialize(VISUAL_STUDIO_CODE)
    uri = client.open(client.uri("a.py"), FAULTY)
    for _ in range(3):
        client.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        client.ask("workspace/executeCommand", {"command": command, "arguments": [uri]})
    client.settle()
    assert client.leave() == 0


@pytest.mark.parametrize("how", ["exit", "close"])
def test_an_analysis_under_way_does_not_keep_it_alive(start, how: str):
    client = start(ENDLESS)
    client.initialize(PUSHED)
    client.open(client.uri("a.py"), FAULTY)
    client.wait_for_error(b"analysing")
    if how == "exit":
        assert client.leave() == 0
    else:
        client.process.stdin.close()
        client.process.wait(LIMIT)


EDITOR = """
import os, subprocess, sys
server = subprocess.Popen([sys.executable, "-m", "torchlsp", "server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
body = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": %d, "capabilities": {}}}' % os.getpid()
server.stdin.write(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
server.stdin.flush()
server.stdout.readline()
print(server.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_the_server_goes_with_a_killed_editor(tmp_path: Path):
    # Its stderr ends when the server, the last to hold it, is gone.
    ours, theirs = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", EDITOR],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=tmp_path,
        env=environment(),
    ) as editor:
        os.close(theirs)
        server = int(editor.stdout.readline())
        os.kill(server, 0)
        editor.send_signal(signal.SIGKILL)
        editor.wait(LIMIT)
        with os.fdopen(ours, "rb") as errors:
            errors.read()


def test_requests_before_initialize_are_refused_and_notifications_dropped(start):
    client: RawClient = start()
    client.open(client.uri("early.py"), FAULTY)
    with pytest.raises(Refused):
        client.request("textDocument/hover", place(client.uri("early.py")))
    client.initialize(PUSHED)
    uri = client.open(client.uri("a.py"), FAULTY)
    assert len(client.published(uri)) == 1
    assert client.leave() == 0


def test_unknown_requests_are_refused_by_the_protocol_s_number(start):
    client: RawClient = start()
    client.initialize({})
    with pytest.raises(Refused) as refused:
        client.request("textDocument/completelyUnknown", {})
    assert refused.value.code == -32601
    client.notify("$/neverHeardOf", {})
    client.notify("workspace/neverHeardOf", {})
    client.settle()
    assert client.received("window/showMessage") == []


def test_damaged_messages_do_not_end_the_server(start):
    client: RawClient = start()
    client.initialize(PUSHED)
    for body in (b"{", b"[]", b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "2.0", "method": 7}', b"\xff\xfe"):
        client.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    client.notify("textDocument/didOpen", {"textDocument": {"uri": 3}})
    client.notify("textDocument/didChange", {})
    uri = client.open(client.uri("a.py"), FAULTY)
    assert len(client.published(uri)) == 1


def test_messages_in_pieces_with_other_headers_and_of_any_size(start):
    client: RawClient = start()
    client.initialize(PUSHED)
    uri = client.uri("a.py")
    text = FAULTY + "# é😀 " + "long " * 100_000 + "\n" + FAULTY.replace("x", "z")
    item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    message = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}
    body = json.dumps(message, ensure_ascii=False).encode()
    head = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(
        body
    )
    for piece in (head[:20], head[20:60], head[60:] + body[:1], body[1:70_000], body[70_000:]):
        client.write(piece)
    assert [one["range"]["start"]["line"] for one in client.published(uri)] == [2, 6]


@pytest.mark.parametrize(
    "params",
    [
        {"processId": None, "rootUri": None, "capabilities": {}},
        {"processId": None, "capabilities": {}, "rootPath": "."},
        {
            "processId": None,
            "rootUri": "file:///nowhere/at/all",
            "capabilities": {},
            "workspaceFolders": None,
        },
        {
            "processId": None,
            "rootUri": "vscode-vfs://github/torch",
            "capabilities": {},
            "workspaceFolders": [],
        },
        {"processId": None, "rootUri": None, "capabilities": {}, "initializationOptions": ["odd"]},
        {"processId": None, "rootUri": None, "capabilities": {}, "trace": "verbose", "locale": "de"},
    ],
)
def test_any_way_to_begin_works(start, params):
    client: RawClient = start()
    client.request("initialize", params)
    client.notify("initialized", {})
    uri = client.open(client.uri("a.py"), FAULTY)
    assert len(client.published(uri)) == 1


def test_diagnostics_carry_their_version_for_a_client_that_reads_it(start):
    client: RawClient = start()
    client.initialize(PUSHED)
    uri = client.open(client.uri("a.py"), FAULTY)
    assert client.wait_for("textDocument/publishDiagnostics")["version"] == 1
    client.replace(uri, "view(6)", "view(5)")
    assert client.wait_for("textDocument/publishDiagnostics")["version"] == 2


def test_the_first_long_analysis_shows_its_progress(start):
    client: RawClient = start(
        """
import time
from torchlsp.server import analyst, app
app._PATIENCE = 0
"""
    )
    client.initialize(VISUAL_STUDIO_CODE)
    uri = client.open(client.uri("a.py"), FAULTY)
    token = client.wait_for("window/workDoneProgress/create")["token"]
    kinds = []
    while "end" not in kinds:
        kinds.append(client.wait_for("$/progress", lambda params: params["token"] == token)["value"]["kind"])
    assert kinds == ["begin", "end"]
    assert len(client.pulled(uri)) == 1


def place(uri: str) -> dict:
    return {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}


def test_a_text_that_is_opened_with_changes_is_news_to_those_that_import_it(start, tmp_path):
    """As after the restart of an editor that keeps what was not saved."""
    saved = "import torch\n\nEXAMPLE = torch.zeros(2, 3)\n"
    (tmp_path / "made.py").write_text(saved)
    client = start()
    client.initialize(PUSHED, options={"settings": {"debounce": 0}})
    text = "import torch\nfrom made import EXAMPLE\n\nflat = EXAMPLE.view(6)\n"
    user = client.open(client.uri("used.py"), text)
    assert client.published(user) == []
    client.open(client.uri("made.py"), saved.replace("(2, 3)", "(2, 3).t()"))
    (found,) = client.published(user)
    assert found["code"] == "TL101"
