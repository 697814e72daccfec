"""Sends random messages to a real server: wrong types, unknown methods, places that are none, texts that nobody opened."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from torchlsp.dev.fuzzing.sessions import OTHER, Session, problems_in_sessions
from torchlsp.dev.fuzzing.token_mutations import UNICODE
from torchlsp.dev.fuzzing.watch import CEILING_S

Message = dict[str, Any]

PER_SEQUENCE = 25
"""How many messages are sent before the untouched file is asked about."""
_AT_ONCE = 20
"""How many sequences one server is sent."""
REQUESTS = (
    "textDocument/hover", "textDocument/codeAction", "textDocument/inlayHint", "textDocument/diagnostic", "codeAction/resolve",
    "workspace/executeCommand", "textDocument/completion", "textDocument/definition", "textDocument/rename", "workspace/symbol",
    "textDocument/semanticTokens/full", "workspace/diagnostic", "initialize", "inlayHint/resolve", "$/unknown", "", "x" * 10_000, "é\u202e",
)  # fmt: skip
NOTIFICATIONS = (
    "textDocument/didOpen", "textDocument/didChange", "textDocument/didChange", "textDocument/didClose", "textDocument/didSave",
    "notebookDocument/didOpen", "notebookDocument/didChange", "notebookDocument/didClose", "workspace/didChangeConfiguration",
    "workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders", "$/cancelRequest", "$/setTrace", "$/progress", "initialized",
    "window/workDoneProgress/cancel", "$/unknown", "torchlsp/none",
)  # fmt: skip
COMMANDS = (
    "torchlsp.fixAll",
    "torchlsp.debugInformation",
    "torchlsp.rules",
    "torchlsp.checkWorkspace",
    "torchlsp.none",
    "",
    5,
)
NUMBERS = (0, 1, 2, 5, -1, 10**5, 2**31, 2**64, 10**30, 1.5, -0.0, 1e300, True)
JUNK: tuple[Any, ...] = (
    None, True, 0, -1, 10**30, 1e300, "", "x", "\x00", "\ud800", "é" * 2_000, [], {}, [[]], [None], {"": None}, {"uri": {}}, [{}] * 50,
    {"textDocument": None}, "file:///etc/passwd", float(2**70),
)  # fmt: skip
STRANGE_URIS = (
    "", "x", "file:", "file:///", "file:///%00", "file:///%ff.py", "file:///dev/zero", "file:///dev/stdin", "untitled:Untitled-1", "http://x/y.py",
    "file://host/a.py", "file:///" + "a/" * 3_000 + "b.py", "vscode-notebook-cell:/a.ipynb#X", "file:///a\nb.py", "file:///C%3A/a.py", "git:/a.py?x",
    "file:///\ud800.py", "file:///%ED%A0%80.py", "untitled:\ud800", "file:///" + "n" * 300 + ".py", "untitled:\x00",
)  # fmt: skip


def problems(run: int, numbers: Iterable[int]) -> Iterator[str]:
    """Returns what did not hold, each with the number of the sequence that had been sent."""

    def of_one(session: Session, number: int) -> Iterator[str]:
        sender = Sender(session, Random(f"{run}:{number}"), f"{number}")
        sender.send()
        found = (*session.problems(), *sender.unanswered())
        return (f"sequence {number}: {problem}" for problem in found)

    return problems_in_sessions(numbers, _AT_ONCE, of_one)


class Sender:
    """Sends one sequence of messages, and knows which of them must be answered."""

    def __init__(self, session: Session, chance: Random, name: str) -> None:
        self._client, self._chance = session.client, chance
        self._name = name
        self._since = len(self._client.seen)
        self._uris = [self._client.uri(f"sent_{name}_{number}.py") for number in range(3)]
        self._wanted: list[str] = []

    def send(self) -> None:
        waiting: list[Message] = []
        for number in range(PER_SEQUENCE):
            if self._chance.random() < 0.06:
                self._client.write(self._bytes())
            waiting.append(self._message(number))
            if self._chance.random() < 0.5:
                self._client.send(*waiting)
                waiting = []
        self._client.send(*waiting)

    def unanswered(self) -> Iterator[str]:
        """Yields the requests that have no answer within the time."""
        until = time.monotonic() + CEILING_S
        while True:
            answered = {
                one.get("id")
                for one in self._client.seen[self._since :]
                if "method" not in one and _hashable(one.get("id"))
            }
            left = [one for one in self._wanted if one not in answered]
            if not left or time.monotonic() > until:
                break
            time.sleep(0.01)
        for one in left:
            yield f"no answer to {one}"

    def _message(self, number: int) -> Message:
        chance = self._chance
        if chance.random() < 0.08:
            return self._answer_to_nothing()
        if chance.random() < 0.5:
            method, identity = chance.choice(REQUESTS), f"{self._name}.{number}"
            self._wanted.append(identity)
            return {"id": identity, "method": method, "params": self._params(method)}
        method = chance.choice(NOTIFICATIONS)
        message = {"method": method, "params": self._params(method)}
        if chance.random() < 0.03:
            message["id"] = chance.choice(JUNK)
        if chance.random() < 0.03:
            message["method"] = chance.choice(JUNK)
        if chance.random() < 0.03:
            message["jsonrpc"] = chance.choice(("1.0", 2, None))
        return message

    def _answer_to_nothing(self) -> Message:
        chance = self._chance
        identity = chance.choice((10**6, "none", None, -1, [1]))
        return {
            "id": identity,
            **chance.choice(({"result": chance.choice(JUNK)}, {"error": {"code": "x"}}, {"error": 5}, {})),
        }

    def _params(self, method: str) -> Any:
        """Returns parameters as the protocol has them, in which something may be exchanged or left out."""
        made = self._well_formed(method)
        return _spoilt(made, self._chance) if self._chance.random() < 0.6 else made

    def _well_formed(self, method: str) -> Any:
        chance = self._chance
        document: dict[str, Any] = {"uri": self._uri()}
        whole = {
            "textDocument": document,
            "range": self._range(),
            "position": self._place(),
            "context": {"diagnostics": []},
        }
        match method:
            case "textDocument/didOpen":
                return {
                    "textDocument": {**document, "languageId": "python", "version": 1, "text": self._text()}
                }
            case "textDocument/didChange":
                changes = [
                    {"range": self._range(), "text": self._text()}
                    if chance.random() < 0.8
                    else {"text": self._text()}
                    for _ in range(chance.randint(0, 4))
                ]
                return {
                    "textDocument": {**document, "version": chance.choice(NUMBERS[:8])},
                    "contentChanges": changes,
                }
            case "textDocument/didClose" | "textDocument/didSave":
                return {"textDocument": document, "text": self._text()}
            case "notebookDocument/didOpen":
                cell = {"kind": 2, "document": f"{self._uri()}#c"}
                item = {"uri": f"{self._uri()}#c", "languageId": "python", "version": 1, "text": self._text()}
                notebook = {
                    "uri": self._uri(),
                    "notebookType": "jupyter-notebook",
                    "version": 1,
                    "cells": [cell],
                }
                return {"notebookDocument": notebook, "cellTextDocuments": [item]}
            case "notebookDocument/didChange":
                array = {
                    "start": chance.choice(NUMBERS[:6]),
                    "deleteCount": chance.choice(NUMBERS[:6]),
                    "cells": [],
                }
                return {
                    "notebookDocument": {**document, "version": 2},
                    "change": {"cells": {"structure": {"array": array}}},
                }
            case "notebookDocument/didClose":
                return {"notebookDocument": document, "cellTextDocuments": [document]}
            case "workspace/executeCommand":
                return {
                    "command": chance.choice(COMMANDS),
                    "arguments": [chance.choice((document, self._uri(), *JUNK))],
                }
            case "workspace/didChangeConfiguration":
                table = {
                    "lint": {"select": chance.choice((["ALL"], *JUNK))},
                    "probe.enable": False,
                    "debounce": 0,
                }
                return {"settings": {"torchlsp": table}}
            case "workspace/didChangeWatchedFiles":
                return {"changes": [{"uri": self._uri(), "type": chance.choice(NUMBERS)} for _ in range(3)]}
            case "workspace/didChangeWorkspaceFolders":
                return {
                    "event": {"added": [{"uri": chance.choice(STRANGE_URIS), "name": "x"}], "removed": []}
                }
            case "$/cancelRequest":
                return {"id": chance.choice((*self._wanted[-3:], 1, 10**9, "x"))}
            case "initialize":
                return {"processId": None, "rootUri": self._uri(), "capabilities": {}}
            case "codeAction/resolve":
                return {"title": "x", "data": chance.choice(JUNK), "kind": "quickfix"}
        return whole

    def _uri(self) -> str:
        return (
            self._chance.choice(STRANGE_URIS)
            if self._chance.random() < 0.2
            else self._chance.choice(self._uris)
        )

    def _place(self) -> Message:
        chance = self._chance
        some = NUMBERS if chance.random() < 0.3 else range(20)
        return {"line": chance.choice(some), "character": chance.choice(some)}

    def _range(self) -> Message:
        return {"start": self._place(), "end": self._place()}

    def _text(self) -> str:
        text, chance = OTHER, self._chance
        cut = sorted(chance.randint(0, len(text)) for _ in range(2))
        return chance.choice((text, text[cut[0] : cut[1]], chance.choice(UNICODE), "\n" * 200, text * 3, ""))

    def _bytes(self) -> bytes:
        """Returns what is no message."""
        chance = self._chance
        body = json.dumps(chance.choice(JUNK)).encode()
        junk = (
            body, b"[" * 5_000, b'{"jsonrpc":"2.0"', b"\xff\xfe{}", b"", json.dumps([{"jsonrpc": "2.0"}] * 3).encode(), b"NaN",
            b'{"id":1e999}', b'{"jsonrpc":"2.0","id":1,"id":2}', b'"\\ud800"',
        )  # fmt: skip
        body = chance.choice(junk)
        return chance.choice(
            (b"", b"Content-Type: x; charset=none\r\n", b"X: y\r\n")
        ) + b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def _hashable(identity: object) -> bool:
    return isinstance(identity, (str, int, float))


def _spoilt(made: Any, chance: Random) -> Any:
    """Returns parameters with junk in one place, or with that place left out."""
    if not isinstance(made, (dict, list)) or not made or chance.random() < 0.15:
        return chance.choice(JUNK)
    key = chance.choice(list(made) if isinstance(made, dict) else range(len(made)))
    copy = made.copy()
    if chance.random() < 0.2:
        del copy[key]
    else:
        copy[key] = _spoilt(made[key], chance)
    return copy
