"""Malformed messages are answered or skipped, and the server goes on."""

from __future__ import annotations

import io
import json

import pytest
from raw_client import RawClient, Refused

from torchlsp.server.stdio import MAX_MESSAGE, FromEditor

FAULTY = "import torch\n\nx = torch.zeros(2, 3).t().view(6)\n"
PUSHED = {"textDocument": {"publishDiagnostics": {"versionSupport": True}}}

MALFORMED = [
    ("textDocument/hover", {}),
    ("textDocument/hover", None),
    ("textDocument/hover", 5),
    ("textDocument/hover", []),
    ("textDocument/hover", "x"),
    (
        "textDocument/hover",
        {"textDocument": {"uri": "file:///a.py"}, "position": {"line": "one", "character": 0}},
    ),
    ("textDocument/hover", {"textDocument": 7, "position": {"line": 0, "character": 0}}),
    ("textDocument/codeAction", {"textDocument": {"uri": "file:///a.py"}, "range": 5, "context": {}}),
    ("textDocument/inlayHint", {"range": {"start": {}, "end": {}}}),
    ("textDocument/diagnostic", {"textDocument": []}),
    ("workspace/executeCommand", {"arguments": []}),
]


@pytest.fixture
def client(start) -> RawClient:
    found = start()
    found.initialize(PUSHED)
    return found


def is_alive(client: RawClient) -> None:
    uri = client.open(client.uri("faulty.py"), FAULTY)
    assert [one["code"] for one in client.published(uri, 1)] == ["TL101"]
    client.close(uri)


def test_malformed_parameters_are_refused_by_name(client: RawClient) -> None:
    for method, params in MALFORMED:
        with pytest.raises(Refused) as refused:
            client.request(method, params)
        assert refused.value.code == -32602, (method, params)
    client.send({"id": "text", "method": "textDocument/hover", "params": 1})
    client.wait(lambda message: message.get("id") == "text" and message["error"]["code"] == -32602)
    client.send({"id": 4711, "method": ["a"], "params": {}})
    client.wait(lambda message: message.get("id") == 4711 and message["error"]["code"] == -32600)
    is_alive(client)


def test_malformed_notifications_are_skipped(client: RawClient) -> None:
    for params in (None, 5, {}, {"textDocument": {}}, {"textDocument": {"uri": 5}, "contentChanges": 7}):
        for method in ("didOpen", "didChange", "didClose", "didSave"):
            client.notify(f"textDocument/{method}", params)
    client.send(
        {"id": None, "method": "textDocument/hover", "params": 5}, {"id": [1], "method": "textDocument/hover"}
    )
    is_alive(client)


MALFORMED_NOTIFICATIONS = [
    {"method": "textDocument/didOpen", "params": 5},
    {"method": "window/workDoneProgress/cancel", "params": {}},
    {"method": None},
    {"method": 5, "params": {}},
    {"method": "$/cancelRequest", "params": {"id": {}}},
    {"id": [1], "method": "textDocument/hover", "params": {}},
    {"id": 10**6, "error": 5},
    {"id": 10**6},
    {"id": "x", "method": "workspace/executeCommand", "params": {"command": "torchlsp.none"}},
]


def test_malformed_messages_are_no_internal_errors(client: RawClient) -> None:
    for message in MALFORMED_NOTIFICATIONS:
        client.send(message)
    for body in (b'{"jsonrpc": "2.0"', b"NaN", b"5", b"[]", b"{}", b"[" * 200_000):
        client.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    is_alive(client)
    assert client.received("window/showMessage") == []
    assert "internal error" not in str(client.received("window/logMessage"))


def test_second_initialize_is_refused_and_closes_no_text(client: RawClient) -> None:
    uri = client.open(client.uri("kept.py"), FAULTY)
    client.published(uri, 1)
    with pytest.raises(Refused) as refused:
        client.request("initialize", {"processId": None, "rootUri": None, "capabilities": PUSHED})
    assert refused.value.code == -32600
    assert "f32[3, 2]" in str(client.hover(uri, "t()"))


@pytest.mark.parametrize(
    "uri", ["file:///%00.py", "untitled:\0", "\ud800", "file:///\ud800.py", "file:///%ED%A0%80.py", ""]
)
def test_text_of_a_name_that_no_file_has_is_checked(client: RawClient, uri: str) -> None:
    client.open(uri, FAULTY)
    assert [one["code"] for one in client.published(uri, 1)] == ["TL101"]
    assert client.received("window/showMessage") == []


LENGTHS = [
    b"1000000000000",
    b"9" * 30,
    b"9" * 6_000,
    b"-5",
    b"-" + b"9" * 30,
    b"0",
    b"abc",
    b"",
    b"1e9",
    b"0x10",
    b"\xff",
]


def test_headers_without_a_usable_length_are_skipped(client: RawClient) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 99, "method": "shutdown"}).encode()
    for length in LENGTHS:
        client.write(b"Content-Length: %s\r\n\r\n%s" % (length, body))
        client.settle()
    client.write(b"Content-Type: none\r\n\r\n%s" % body)
    client.settle()
    client.write(b"\r\n\r\n\n" + b"x" * 100_000 + b"\r\n")
    is_alive(client)
    assert not any(message.get("id") == 99 for message in client.seen)


def test_deeply_nested_message_is_skipped(client: RawClient) -> None:
    for opening in (b"[", b'{"a":'):
        body = opening * 200_000
        client.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    is_alive(client)


class Announced(io.BytesIO):
    """A stream that keeps the largest size that was asked of it."""

    most = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.most = max(self.most, size or 0)
        return super().read(size)


def test_memory_is_taken_as_content_arrives() -> None:
    stream = Announced(b"Content-Length: %d\r\n\r\nshort" % MAX_MESSAGE)
    reader = FromEditor(stream)
    assert reader.readline() == b"Content-Length: %d\r\n" % MAX_MESSAGE
    assert reader.readline() == b"\r\n"
    assert reader.read(MAX_MESSAGE) == b"short"
    assert stream.most <= 1 << 20


def test_line_without_end_takes_little_memory() -> None:
    reader = FromEditor(io.BytesIO(b"x" * 5_000_000 + b"Content-Length: 7\r\n\r\n" + b"y" * 50))
    assert reader.readline() == b"Content-Length: 7\r\n"
    assert reader.readline() == b"\r\n"
    assert reader.readline() == b"y" * 50
    assert reader.readline() == b""
