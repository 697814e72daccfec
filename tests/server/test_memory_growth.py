"""The memory of a server does not grow over hours of edits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import raw_client

ROOT = Path(__file__).parents[2]
SOURCE = (ROOT / "tests" / "rules" / "cases" / "views_across_functions.py").read_text(encoding="utf-8")
WARM_UP, EDITS = 300, 300
# The text has 1,650 characters, its tree some 37 bytes for each (see syntax/parse.py), and what the analysis derives
# from it as much again: a server that kept no more of each edit than its tree would grow by 18 MB in 300 edits.
# The allocator's own unrest is a few MB, whatever the number of edits.
MAX_GROWTH = 12_000
# Told at the end: the tasks that are still kept, the one that ends the server among them.
COUNTED = """
import sys
from torchlsp.server.app import TorchServer

end = TorchServer.session_end


def told(server):
    print("kept:", len(server.protocol._request_futures), file=sys.stderr)
    end(server)


TorchServer.session_end = told
"""
CAPABILITIES = {
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "hover": {"contentFormat": ["markdown"]},
    }
}


def resident(process_id: int) -> int:
    """Resident memory in kB."""
    status = Path(f"/proc/{process_id}/status").read_text()
    return int(re.search(r"^VmRSS:\s*(\d+) kB", status, re.MULTILINE)[1])


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_hundreds_of_edits_leave_the_memory_as_it_was(start):
    client = start()
    client.initialize(CAPABILITIES, options={"settings": {"debounce": 0, "probe.enable": False}})
    uri = client.open(client.uri("edited.py"), SOURCE)
    client.published(uri, 1)
    last = len(SOURCE.splitlines())
    place = {"start": {"line": last, "character": 0}, "end": {"line": last + 1, "character": 0}}
    hovered = {"line": last, "character": 2}
    version = 1

    def edit() -> None:
        nonlocal version
        version += 1
        # Names and sizes that were never there before, and every third text does not parse.
        line = f"spare_{version} = torch.zeros({version}, 3).t().view({3 * version}" + ")" * (version % 3 > 0)
        change = {"range": place, "text": line + "\n"}
        document = {"uri": uri, "version": version}
        # Looking through all messages since the beginning would take longer and longer.
        seen = len(client.seen)
        client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        told = client.wait_for(
            "textDocument/publishDiagnostics", lambda params: params["version"] == version, seen
        )
        assert told["diagnostics"]
        asked = client.ask("textDocument/hover", {"textDocument": document, "position": hovered})
        client.wait(lambda message: message.get("id") == asked and "method" not in message, seen)

    for _ in range(WARM_UP):
        edit()
    before = resident(client.process.pid)
    for _ in range(EDITS):
        edit()
    after = resident(client.process.pid)
    assert after - before < MAX_GROWTH
    assert client.leave() == 0


def test_what_the_editor_tells_leaves_no_task(start):
    client = start(COUNTED)
    client.initialize(CAPABILITIES, options={"settings": {"debounce": 0, "probe.enable": False}})
    uri = client.open(client.uri("edited.py"), "x = 1\n")
    start_of_text = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    for version in range(2, 52):
        change = {"range": start_of_text, "text": "#"}
        document = {"uri": uri, "version": version}
        client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    client.published(uri, 51)
    assert client.leave() == 0
    assert client.errors_end.wait(raw_client.LIMIT)
    (kept,) = [int(line.split()[1]) for line in client.errors if line.startswith(b"kept:")]
    assert kept <= 1
