"""Edits that come faster than analyses, requests that are cancelled, and internal errors."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from client_profiles import VISUAL_STUDIO_CODE
from raw_client import RawClient, Refused

CANCELLED = -32800
FAULTY = "import torch\n\nx = torch.zeros(2, 3).t()\ny = x.view(6)\n"
PUSHED = {
    "textDocument": {
        "publishDiagnostics": {"versionSupport": True},
        "hover": {"contentFormat": ["plaintext"]},
    },
}
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a named pipe")

# An analysis of a text with the word BLOCK stands still until the test opens the other end of a pipe.
BLOCKING = """
import sys
from torchlsp.server import analyst
from torchlsp.server.features import hover
hover._PATIENCE = 0.05
examined = analyst.Analyst.examine
def examine(self, document, *arguments):
    if "BLOCK" in document.text:
        print("standing still", file=sys.stderr, flush=True)
        with open({pipe!r}) as pipe:
            pipe.read()
    return examined(self, document, *arguments)
analyst.Analyst.examine = examine
"""


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def release(pipe: Path) -> None:
    with open(pipe, "w") as end:
        end.write("go on")


@posix
def test_the_server_reads_on_while_an_analysis_runs(start, pipe: Path):
    client: RawClient = start(BLOCKING.format(pipe=str(pipe)))
    client.initialize(VISUAL_STUDIO_CODE)
    uri = client.open(client.uri("a.py"), FAULTY)
    assert len(client.pulled(uri)) == 1
    client.replace(uri, "y = ", "BLOCK = y = ")
    client.wait_for_error(b"standing still")
    number = client.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    client.settle()
    # From the result before: nobody keeps a pointer still for so long.
    assert "f32[3, 2]" in client.hover(uri, "x.view")["contents"]["value"]
    client.notify("$/cancelRequest", {"id": number})
    with pytest.raises(Refused) as refused:
        client.answer(number)
    assert refused.value.code == CANCELLED
    release(pipe)
    (found,) = client.pulled(uri)
    assert client.at(uri, found["range"]) == "x.view(6)"


def test_a_cancellation_that_comes_too_late_is_no_news(start):
    client: RawClient = start()
    client.initialize(VISUAL_STUDIO_CODE)
    uri = client.open(client.uri("a.py"), FAULTY)
    number = client.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    client.answer(number)
    client.notify("$/cancelRequest", {"id": number})
    client.settle()
    assert client.received("window/logMessage") == []


@posix
def test_the_newest_text_wins(start, pipe: Path):
    client: RawClient = start(BLOCKING.format(pipe=str(pipe)))
    client.initialize(PUSHED)
    uri = client.open(client.uri("a.py"), FAULTY + "# BLOCK")
    client.wait_for_error(b"standing still")
    for number in range(20):
        client.replace(uri, "import torch\n", f"import torch\n# {number}\n")
    client.replace(uri, "BLOCK", "done")
    client.settle()
    release(pipe)
    (found,) = client.published(uri)
    assert found["range"]["start"]["line"] == 23
    client.settle()
    assert [one["version"] for one in client.received("textDocument/publishDiagnostics")] == [22]


@posix
def test_closing_while_an_analysis_runs_shows_nothing_afterwards(start, pipe: Path):
    client: RawClient = start(BLOCKING.format(pipe=str(pipe)))
    client.initialize(PUSHED)
    uri = client.open(client.uri("a.py"), FAULTY + "# BLOCK")
    client.wait_for_error(b"standing still")
    client.close(uri)
    client.settle()
    release(pipe)
    other = client.open(client.uri("b.py"), FAULTY)
    assert len(client.published(other)) == 1
    assert all(not one["diagnostics"] for one in client.received("textDocument/publishDiagnostics")[:-1])


@posix
def test_an_answer_is_never_about_another_text_than_was_asked_about(start, pipe: Path):
    client: RawClient = start(BLOCKING.format(pipe=str(pipe)).replace("0.05", "60"))
    client.initialize(VISUAL_STUDIO_CODE)
    uri = client.open(client.uri("a.py"), FAULTY)
    client.pulled(uri)
    client.replace(uri, "y = ", "BLOCK = y = ")
    client.wait_for_error(b"standing still")
    start_of = {"textDocument": {"uri": uri}, "position": client.span(uri, "x.view")["start"]}
    place = client.span(uri, "x.view(6)")
    hover = client.ask("textDocument/hover", start_of)
    actions = client.ask(
        "textDocument/codeAction",
        {"textDocument": {"uri": uri}, "range": place, "context": {"diagnostics": []}},
    )
    hints = client.ask("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": place})
    client.settle()
    # What was asked about is now further down; other faulty words stand in its place.
    client.replace(uri, "import torch\n", "import torch\n" + "w = torch.zeros(5, 2).t().view(10)\n" * 3)
    client.replace(uri, "BLOCK", "done")
    client.settle()
    release(pipe)
    found = client.answer(hover)
    assert found is None or client.at(uri, found["range"]) == "x"
    for action in client.answer(actions):
        for one in action["diagnostics"]:
            assert client.at(uri, one["range"]) == "x.view(6)"
    assert client.answer(hints) is not None


@posix
def test_a_request_about_a_text_that_is_closed_meanwhile_is_answered(start, pipe: Path):
    client: RawClient = start(BLOCKING.format(pipe=str(pipe)).replace("0.05", "60"))
    client.initialize(VISUAL_STUDIO_CODE)
    uri = client.open(client.uri("a.py"), FAULTY + "# BLOCK")
    client.wait_for_error(b"standing still")
    document = {"textDocument": {"uri": uri}}
    place = client.span(uri, "x.view(6)")
    asked = [
        client.ask("textDocument/diagnostic", document),
        client.ask("textDocument/hover", document | {"position": place["start"]}),
        client.ask("textDocument/inlayHint", document | {"range": place}),
        client.ask("textDocument/codeAction", document | {"range": place, "context": {"diagnostics": []}}),
    ]
    client.settle()
    client.close(uri)
    assert [client.answer(number) for number in asked] == [{"kind": "full", "items": []}, None, [], []]
    release(pipe)
    assert client.received("window/showMessage") == []


def test_requests_that_are_taken_back_are_each_answered_once(start):
    client: RawClient = start()
    client.initialize(VISUAL_STUDIO_CODE)
    uri = client.open(client.uri("a.py"), FAULTY)
    client.pulled(uri)
    document = {"textDocument": {"uri": uri}}
    numbers = []
    messages = []
    for round_number in range(50):
        messages.append(client.replacing(uri, "import torch\n", f"import torch\n# {round_number}\n"))
        place = client.span(uri, "x.view(6)")
        for method, params in (
            ("textDocument/hover", {"position": place["start"]}),
            ("textDocument/codeAction", {"range": place, "context": {"diagnostics": []}}),
            ("textDocument/inlayHint", {"range": place}),
            ("textDocument/diagnostic", {}),
        ):
            number = client.number()
            numbers.append(number)
            messages.append({"id": number, "method": method, "params": document | params})
            messages.append({"method": "$/cancelRequest", "params": {"id": number}})
    client.send(*messages)
    (found,) = client.pulled(uri)
    assert found["range"]["start"]["line"] == 53
    for number in numbers:
        try:
            client.answer(number)
        except Refused as refused:
            assert refused.code == CANCELLED
    client.settle()
    answered = [message["id"] for message in client.seen if "id" in message and "method" not in message]
    assert len(answered) == len(set(answered))
    assert client.received("window/showMessage") == []
    assert "f32[3, 2]" in client.hover(uri, "x.view")["contents"]["value"]


def raising(place: str, words: str = "") -> str:
    """A server in which something of ours fails, with other words each time."""
    return f"""
import itertools
from torchlsp.server import analyst, app, convert, session
from torchlsp.server.features import diagnostics, hover
numbers = itertools.count()
whole = {place}
def fails(self, *arguments, **named):
    if not {words!r} or {words!r} in repr(arguments):
        raise RuntimeError(f"mistake number {{next(numbers)}}")
    return whole(self, *arguments, **named)
{place} = fails
"""


def test_a_failing_notification_is_told_once(start):
    client: RawClient = start(raising("session.Session.change_text", "bad.py"))
    client.initialize(PUSHED)
    bad = client.open(client.uri("bad.py"), FAULTY)
    good = client.open(client.uri("good.py"), FAULTY)
    for number in range(10):
        client.replace(bad, "import torch\n", f"import torch\n# {number}\n")
    client.replace(good, "view", "reshape")
    assert client.published(good, 2) == []
    (shown,) = client.received("window/showMessage")
    assert "mistake number 0" in shown["message"] and "\n" not in shown["message"]
    logged = "".join(one["message"] for one in client.received("window/logMessage"))
    assert "in fails" in logged and "mistake number 9" in logged
    assert client.leave() == 0


@pytest.mark.parametrize(
    ("place", "capabilities"),
    [
        ("analyst.Analyst.examine", PUSHED),
        ("analyst.Analyst.examine", VISUAL_STUDIO_CODE),
        ("diagnostics.Reports.update", VISUAL_STUDIO_CODE),
        ("convert.DiagnosticMaker.__call__", PUSHED),
    ],
    ids=["analysis-push", "analysis-pull", "reports-pull", "diagnostics-push"],
)
def test_a_failing_analysis_is_told_once_and_nothing_waits_for_it(start, place: str, capabilities):
    client: RawClient = start(raising(place))
    client.initialize(capabilities)
    uri = client.open(client.uri("a.py"), FAULTY)
    client.wait_for("window/showMessage")
    for number in range(3):
        client.replace(uri, "import torch\n", f"import torch\n# {number}\n")
        client.wait_for("window/logMessage", lambda params: "Traceback" in params["message"])
        place = client.span(uri, "x.view(6)")
        client.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": place})
        if "diagnostic" in capabilities["textDocument"]:
            assert client.pulled(uri) == []
    assert len(client.received("window/showMessage")) == 1
    assert client.leave() == 0


def test_a_failing_request_is_refused_and_told_once(start):
    client: RawClient = start(raising("app.TorchServer.place"))
    client.initialize(VISUAL_STUDIO_CODE)
    uri = client.open(client.uri("a.py"), FAULTY)
    for _ in range(5):
        with pytest.raises(Refused) as refused:
            client.hover(uri, "x.view")
        assert refused.value.code == -32603
    assert len(client.pulled(uri)) == 1
    assert len(client.received("window/showMessage")) == 1


def test_many_texts_at_once(start):
    client: RawClient = start()
    client.initialize(PUSHED)
    uris = [client.open(client.uri(f"file_{number}.py"), FAULTY) for number in range(30)]
    for uri in uris:
        client.replace(uri, "view(6)", "view(6) ")
    for uri in uris:
        assert len(client.published(uri, 2)) == 1
