"""A client that writes and reads the protocol's bytes itself, so that it can also do what no library would."""

from __future__ import annotations

import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import client_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).parents[2]
# Far longer than anything takes: a test that waits so long has failed.
LIMIT = 20.0
Message = dict[str, Any]


class Refused(Exception):
    """The server answered a request with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


def environment() -> dict[str, str]:
    """Without the probe, whose worker takes seconds to start; tests/server/test_probing.py has it on."""
    return os.environ | {"PYTHONPATH": str(ROOT), "TORCHLSP_PROBE": "off"}


class RawClient:
    """`seen` are all messages of the server in their order. `configuration` is what it is told when it asks for
    settings: a table for all, or a function of the folder that it asks for. Anything else that it asks is answered with null."""

    def __init__(self, folder: Path, command: Sequence[str] = ("-m", "torchlsp", "server")) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment(),
        )
        self.seen: list[Message] = []
        self.errors: list[bytes] = []
        self.errors_end = threading.Event()
        self.configuration: Any = None
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.opened: set[str] = set()
        self.pulls = False
        self.encoding = "utf-16"
        self.capabilities: dict[str, Any] = {}
        self._arrived: queue.Queue[Message | None] = queue.Queue()
        self._numbers = itertools.count(1)
        self._taken: set[int] = set()
        self._begun = 0
        self._writing = threading.Lock()
        self._error_lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        threading.Thread(target=self._read_errors, daemon=True).start()

    # ---- messages ------------------------------------------------------------------------------------------------

    def initialize(
        self,
        capabilities: dict[str, Any],
        *,
        folders: Sequence[Path] | None = None,
        options: Any = None,
    ) -> Any:
        self.pulls = "diagnostic" in capabilities.get("textDocument", {})
        places = [self.folder] if folders is None else folders
        answer = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": places[0].as_uri() if places else None,
                "capabilities": capabilities,
                "initializationOptions": options,
                "workspaceFolders": [{"uri": one.as_uri(), "name": one.name} for one in places],
            },
        )
        self.capabilities = answer["capabilities"]
        self.encoding = self.capabilities.get("positionEncoding", "utf-16")
        self.notify("initialized", {})
        return answer

    def write(self, data: bytes) -> None:
        # The reading thread answers the server's own requests.
        with self._writing:
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def send(self, *messages: Message) -> None:
        """In one write, so that they are there together."""
        parts = []
        for message in messages:
            body = json.dumps({"jsonrpc": "2.0", **message}).encode()
            parts.append(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.write(b"".join(parts))

    def notify(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> int:
        """Send a request and do not wait for its answer."""
        number = next(self._numbers)
        self.send({"id": number, "method": method, "params": params})
        return number

    def number(self) -> int:
        """A number for a request that is sent by `send`."""
        return next(self._numbers)

    def answer(self, number: int) -> Any:
        """Raises Refused."""
        found = self.wait(lambda message: message.get("id") == number and "method" not in message)
        if "error" in found:
            raise Refused(found["error"]["code"], found["error"]["message"])
        return found["result"]

    def request(self, method: str, params: Any) -> Any:
        """Raises Refused."""
        return self.answer(self.ask(method, params))

    def wait(self, wanted: Callable[[Message], bool], since: int = 0) -> Message:
        """The first message, from the `since`-th on, that is wanted and was not waited for before."""
        deadline = time.monotonic() + LIMIT
        index = max(since, self._begun)
        while True:
            while index < len(self.seen):
                message = self.seen[index]
                if index not in self._taken and wanted(message):
                    self._taken.add(index)
                    return message
                index += 1
            try:
                arrived = self._arrived.get(timeout=max(deadline - time.monotonic(), 0.01))
            except queue.Empty:
                raise AssertionError(f"nothing came; seen: {self._summary()}") from None
            if arrived is None:
                self._arrived.put(None)
                raise AssertionError(f"the server went away; seen: {self._summary()}")

    def wait_for(
        self, method: str, wanted: Callable[[Any], bool] = lambda params: True, since: int = 0
    ) -> Any:
        """The parameters of the server's next such message."""
        found = self.wait(
            lambda message: message.get("method") == method and wanted(message.get("params")), since
        )
        return found.get("params")

    def received(self, method: str) -> list[Any]:
        """The parameters of all such messages since `begin`."""
        messages = self.seen[self._begun :]
        return [message.get("params") for message in messages if message.get("method") == method]

    def begin(self, folder: Path) -> None:
        """A new test, in a folder of its own: nothing is open, and what came before does not count."""
        for uri in list(self.opened):
            self.close(uri)
        self.settle()
        self.folder = folder
        self._begun = len(self.seen)

    def wait_for_error(self, words: bytes) -> None:
        """Wait for a line on the server's stderr."""
        try:
            while words not in self._error_lines.get(timeout=LIMIT):
                continue
        except queue.Empty:
            raise AssertionError(f"{words!r} never came on stderr; seen: {self._summary()}") from None

    def settle(self) -> None:
        """Wait until the server has answered something, and so has handled all that was sent before."""
        self.request("workspace/executeCommand", {"command": "torchlsp.debugInformation"})

    # ---- texts ---------------------------------------------------------------------------------------------------

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, uri: str, text: str) -> str:
        self.texts[uri], self.versions[uri] = text, 1
        self.opened.add(uri)
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def replacing(self, uri: str, old: str, new: str, nth: int = 0) -> Message:
        """The notification that one place of a text has changed; the copy here has changed with it."""
        text = self.texts[uri]
        place = client_text.span(text, old, self.encoding, nth)
        change = {"range": place, "text": new}
        self.texts[uri] = client_text.edited(text, [{"range": place, "newText": new}], self.encoding)
        self.versions[uri] += 1
        return {
            "method": "textDocument/didChange",
            "params": {
                "textDocument": {"uri": uri, "version": self.versions[uri]},
                "contentChanges": [change],
            },
        }

    def replace(self, uri: str, old: str, new: str, nth: int = 0) -> None:
        self.send(self.replacing(uri, old, new, nth))

    def close(self, uri: str) -> None:
        self.opened.discard(uri)
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def published(self, uri: str, version: int | None = None) -> list[Any]:
        """The next diagnostics that the server sends for a text, or those for one version of it."""
        params = self.wait_for(
            "textDocument/publishDiagnostics",
            lambda params: params["uri"] == uri and version in (None, params.get("version")),
        )
        return params["diagnostics"]

    def pulled(self, uri: str) -> list[Any]:
        return self.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"]

    def span(self, uri: str, word: str, nth: int = 0) -> dict[str, Any]:
        return client_text.span(self.texts[uri], word, self.encoding, nth)

    def at(self, uri: str, place: dict[str, Any]) -> str:
        return client_text.at(self.texts[uri], place, self.encoding)

    def hover(self, uri: str, word: str, nth: int = 0) -> Any:
        place = {"textDocument": {"uri": uri}, "position": self.span(uri, word, nth)["start"]}
        return self.request("textDocument/hover", place)

    def actions(self, uri: str, word: str, nth: int = 0, only: list[str] | None = None) -> list[Any]:
        context: dict[str, Any] = {"diagnostics": []}
        if only is not None:
            context["only"] = only
        params = {"textDocument": {"uri": uri}, "range": self.span(uri, word, nth), "context": context}
        return self.request("textDocument/codeAction", params)

    # ---- the end -------------------------------------------------------------------------------------------------

    def leave(self) -> int:
        """Shut down and exit; the process's exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(LIMIT)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(LIMIT)
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except OSError:
                pass

    def _summary(self) -> str:
        told = "\n".join(json.dumps(message)[:500] for message in self.seen)
        return told + b"".join(self.errors).decode(errors="replace")[-3000:]

    def _read(self) -> None:
        stream = self.process.stdout
        while True:
            length = None
            while line := stream.readline():
                if line == b"\r\n":
                    break
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                elif name.lower() != b"content-type":
                    self.seen.append({"stray": line.decode(errors="replace")})
            if length is None:
                self._arrived.put(None)
                return
            message = json.loads(stream.read(length))
            self._reply(message)
            self.seen.append(message)
            self._arrived.put(message)

    def _reply(self, message: Message) -> None:
        if "id" not in message or "method" not in message:
            return
        result = None
        if message["method"] == "workspace/configuration":
            table = self.configuration
            items = message["params"]["items"]
            result = [table(item.get("scopeUri")) if callable(table) else table for item in items]
        elif message["method"] == "workspace/applyEdit":
            result = {"applied": True}
        elif message["method"] == "window/showDocument":
            result = {"success": True}
        try:
            self.send({"id": message["id"], "result": result})
        except (OSError, ValueError):
            pass

    def _read_errors(self) -> None:
        for line in self.process.stderr:
            self.errors.append(line)
            self._error_lines.put(line)
        self.errors_end.set()
