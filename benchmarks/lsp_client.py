"""A plain client of the language server over its real stdio: it sends, reads and counts, and knows no protocol library."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
COMMAND = (sys.executable, "-m", "torchlsp", "server")
# What an editor that is sent its diagnostics says of itself.
PUSHED = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "publishDiagnostics": {
            "relatedInformation": True,
            "versionSupport": True,
            "codeDescriptionSupport": True,
            "tagSupport": {"valueSet": [1, 2]},
        },
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
        "inlayHint": {},
    },
    "workspace": {"workspaceEdit": {"documentChanges": True}},
}
_LINE_END = re.compile(r"\r\n|\n|\r")
_ENCODED = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class Gone(Exception):
    """The server ended, or did not answer within its time limit and was ended."""


class Client:
    """One server process. Reads only while something is awaited; what else arrives meanwhile is kept in `notes`.

    `limit`: seconds after which the server is ended, whatever it does.
    """

    def __init__(self, folder: Path, command: Sequence[str] = COMMAND, limit: float = 120.0) -> None:
        self.folder = folder
        self.notes: list[dict[str, Any]] = []
        self._numbers = 0
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        self._said: list[bytes] = []
        self._errors = threading.Thread(target=self._read_errors, daemon=True)
        self._errors.start()
        self._end = threading.Timer(limit, self.process.kill)
        self._end.daemon = True
        self._end.start()

    def initialize(
        self,
        settings: dict[str, Any] | None = None,
        capabilities: dict[str, Any] | None = None,
        **more: Any,
    ) -> dict[str, Any]:
        uri = self.folder.as_uri()
        answer = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": self.folder.name}],
                "capabilities": PUSHED if capabilities is None else capabilities,
                "initializationOptions": {
                    "settings": {"debounce": 0, "probe.enable": False} | (settings or {})
                },
                **more,
            },
        )
        self.notify("initialized", {})
        return answer

    def open(self, uri: str, text: str, version: int = 1) -> None:
        item = {"uri": uri, "languageId": "python", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, *changes: dict[str, Any]) -> None:
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})

    def diagnostics(self, uri: str, version: int) -> list[dict[str, Any]]:
        """The diagnostics published for one version of a text."""

        def is_it(message: dict[str, Any]) -> bool:
            if message.get("method") != "textDocument/publishDiagnostics":
                return False
            return message["params"]["uri"] == uri and message["params"].get("version") == version

        return self.until(is_it)["params"]["diagnostics"]

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def request(self, method: str, params: Any) -> Any:
        """The result. Raises RuntimeError for an error of the protocol, Gone."""
        self._numbers += 1
        number = self._numbers
        self._send({"id": number, "method": method, "params": params})
        answer = self.until(lambda message: message.get("id") == number and "method" not in message)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message that is wanted, of those kept or of those to come. Raises Gone."""
        for place, message in enumerate(self.notes):
            if wanted(message):
                return self.notes.pop(place)
        while True:
            message = self._read()
            if "id" in message and "method" in message:
                self._send({"id": message["id"], "result": None})
            if wanted(message):
                return message
            self.notes.append(message)

    def messages(self, kinds: Sequence[int] = (1, 2)) -> list[str]:
        """What the server has told its user so far, errors and warnings unless said otherwise."""
        told = ("window/showMessage", "window/logMessage")
        return [
            note["params"]["message"]
            for note in self.notes
            if note.get("method") in told and note["params"]["type"] in kinds
        ]

    def cpu_ms(self) -> float:
        """The processor time that the server's threads have taken so far; 0 where the system does not tell it in /proc."""
        taken = 0
        for thread in Path(f"/proc/{self.process.pid}/task").glob("*/schedstat"):
            try:
                taken += int(thread.read_text().split()[0])
            except (OSError, ValueError, IndexError):  # a thread that has ended
                continue
        return taken / 1e6

    def shut_down(self) -> int:
        """The exit status of a server that was asked to leave."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait()

    def end(self) -> str:
        """End the process, however it is; what it wrote to stderr."""
        self._end.cancel()
        self.process.kill()
        self.process.wait()
        self._errors.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass
        return b"".join(self._said).decode(errors="replace")

    def _read_errors(self) -> None:
        for line in self.process.stderr:
            self._said.append(line)

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        try:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Gone(self.end()) from None

    def _read(self) -> dict[str, Any]:
        stream = self.process.stdout
        length = None
        while True:
            line = stream.readline()
            if not line:
                raise Gone(self.end())
            if line == b"\r\n":
                return json.loads(stream.read(length))
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)


@contextmanager
def client(folder: Path, command: Sequence[str] = COMMAND, limit: float = 120.0) -> Iterator[Client]:
    """A running server, ended afterwards."""
    running = Client(folder, command, limit)
    try:
        yield running
    finally:
        running.end()


def position(text: str, offset: int, encoding: str = "utf-16") -> dict[str, int]:
    """A place as the protocol writes it; worked out from the text alone, not by the server's own means."""
    starts = [0, *(end.end() for end in _LINE_END.finditer(text) if end.end() <= offset)]
    codec, width = _ENCODED[encoding]
    column = len(text[starts[-1] : offset].encode(codec, "surrogatepass")) // width
    return {"line": len(starts) - 1, "character": column}


def replacement(text: str, start: int, end: int, new: str, encoding: str = "utf-16") -> dict[str, Any]:
    """A change event that puts `new` in the place of part of the text."""
    place = {"start": position(text, start, encoding), "end": position(text, end, encoding)}
    return {"range": place, "text": new}
