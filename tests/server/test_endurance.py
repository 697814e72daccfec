"""A long session of an editor: whatever was typed, the diagnostics are those of a cold check, and the server does not grow."""

from __future__ import annotations

import json
import os
import re
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import Any

import client_text
import pytest
import raw_client
from check_from_scratch import agree, as_told, cold, led_to, told
from recording import EDITS, RECORDING, Buffer, Change, changes, programs, text_of

from torchlsp.core.text import Document

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc"),
]
PUSHED = {
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "hover": {"contentFormat": ["markdown"]},
    },
    "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}},
}
# By then every program has been open, what is kept up to a bound has reached it, and garbage has been at its most.
WARM_UP = 1_400
# So many of the recorded edits are played.
PLAYED = 2_200
# At each so many pauses the other open texts are compared too.
OTHERS_EVERY = 10
# kB. A server that kept 25 kB of each further edit would be beyond it, and the tree of a text is some 100 kB. What garbage
# waits to be collected at the two readings makes the difference 7 to 12 MB.
MAX_GROWTH = 20_000
KINDS = "open close look wait type append erase paste cut swap rename undo restore save pause".split()


def deeds() -> list[list[Any]]:
    return [json.loads(line) for line in RECORDING.read_text(encoding="utf-8").splitlines()]


def resident(process: int) -> int:
    """Resident memory in kB."""
    return int(re.search(r"^VmRSS:\s*(\d+) kB", Path(f"/proc/{process}/status").read_text(), re.MULTILINE)[1])


class Player:
    """An editor that does what was recorded, and compares at each pause."""

    def __init__(self, client: raw_client.RawClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.files = {name: text_of(path) for name, path in programs().items()}
        for name, text in self.files.items():
            (folder / name).write_bytes(text.encode())
        self.buffers: dict[str, Buffer] = {}
        self.versions: dict[str, int] = {}
        self.current = ""
        self.is_slow = False
        self.edits = 0
        self.latencies: list[float] = []
        self.seen: Counter[str] = Counter()
        self.pauses = 0
        self.memory: dict[int, int] = {}
        self._latest: dict[str, dict] = {}
        self._read = 0

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def do(self, deed: list[Any]) -> None:
        match deed:
            case ["open", name]:
                self.versions[name] = self.versions.get(name, 0) + 1
                # What is on the disk, which may have been saved.
                self.buffers[name] = Buffer((self.folder / name).read_bytes().decode())
                item = {"uri": self.uri(name), "languageId": "python", "version": self.versions[name]}
                item["text"] = self.buffers[name].text
                self.client.notify("textDocument/didOpen", {"textDocument": item})
            case ["close", name]:
                del self.buffers[name]
                self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})
            case ["look", name]:
                self.current = name
            case ["wait", is_slow]:
                self.is_slow = is_slow
            case ["save"]:
                path = self.folder / self.current
                path.write_bytes(self.buffers[self.current].text.encode())
                self._saved(path)
            case ["restore"]:
                self._edit(["revert", self.files[self.current]])
                self.do(["save"])
            case ["pause"]:
                self.compare()
            case _:
                self._edit(deed)

    def compare(self) -> None:
        """The text in front at once, the others as soon as they have been looked at again."""
        self.pauses += 1
        self._await(self.current)
        opened = {
            os.path.realpath(self.folder / name): Document(str(self.folder / name), buffer.text)
            for name, buffer in self.buffers.items()
        }
        others = (
            [name for name in self.buffers if name != self.current] if self.pauses % OTHERS_EVERY == 0 else []
        )
        for name in [self.current, *others]:
            checked = opened[os.path.realpath(self.folder / name)]
            expected = told(checked, cold(checked, opened))
            if name == self.current:
                assert agree(self._shown(name, expected), expected), (name, self.edits)
                self.seen.update(one[0] for one in expected)
            else:
                self._await_shown(name, expected)

    def _edit(self, deed: list[Any]) -> None:
        buffer = self.buffers[self.current]
        before = buffer.text
        for change in changes(buffer, deed):
            self._send(before, change)
            before = buffer.text
            self.edits += 1
            if self.is_slow:
                self._await(self.current)
            if self.edits in (WARM_UP, PLAYED):
                self.memory[self.edits] = resident(self.client.process.pid)

    def _send(self, before: str, change: Change) -> None:
        name = self.current
        self.versions[name] += 1
        where = {
            "start": client_text.position(before, change.start, "utf-16"),
            "end": client_text.position(before, change.end, "utf-16"),
        }
        self.begun = time.perf_counter()
        document = {"uri": self.uri(name), "version": self.versions[name]}
        event = {"range": where, "text": change.new}
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [event]})

    def _saved(self, path: Path) -> None:
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
        event = {"uri": path.as_uri(), "type": 2}
        self.client.notify("workspace/didChangeWatchedFiles", {"changes": [event]})

    def _await(self, name: str) -> None:
        """Until there are diagnostics for the text as it is."""
        version = self.versions[name]
        if self._told(name).get("version") == version:
            return
        self._wait(lambda: self._told(name).get("version") == version)
        self.latencies.append(time.perf_counter() - self.begun)

    def _await_shown(self, name: str, expected: list[tuple]) -> None:
        try:
            self._wait(lambda: agree(self._shown(name, expected), expected))
        except AssertionError:
            assert self._shown(name, expected) == expected, (name, self.edits)
            raise

    def _wait(self, condition) -> None:
        while not condition():
            self.client.wait_for("textDocument/publishDiagnostics", since=self._read)

    def _told(self, name: str) -> dict:
        """The newest diagnostics for a file."""
        while self._read < len(self.client.seen):
            message = self.client.seen[self._read]
            self._read += 1
            if message.get("method") == "textDocument/publishDiagnostics":
                self._latest[message["params"]["uri"]] = message["params"]
        return self._latest.get(self.uri(name), {})

    def _shown(self, name: str, expected: list[tuple]) -> list[tuple]:
        """Without what only callers lead to: those on disk are followed whenever there is time for that."""
        uri = self.uri(name)
        told = [(one, *as_told(uri, [one])) for one in self._told(name).get("diagnostics", [])]
        return [shown for one, shown in told if shown in expected or not led_to(uri, one)]


def test_the_recording_holds_every_kind_of_edit_and_is_long_enough():
    kinds = Counter(deed[0] for deed in deeds())
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= 10
    edits = 0
    buffers: dict[str, Buffer] = {}
    current = ""
    for deed in deeds():
        if deed[0] == "look":
            current = deed[1]
            buffers[current] = Buffer(text_of(programs()[current]))
        elif deed[0] not in ("open", "close", "wait", "save", "pause"):
            edits += 1 if deed[0] == "restore" else sum(1 for _ in changes(buffers[current], deed))
    assert edits >= EDITS


def test_thousands_of_edits(start, tmp_path_factory, record_testsuite_property):
    folder = tmp_path_factory.mktemp("session")
    # What is said of a text that does not parse is compared too; editors leave it to others unless it is asked for.
    (folder / "pyproject.toml").write_text('[tool.torchlsp]\nextend-select = ["TL000"]\n')
    client = start(folder=folder)
    client.initialize(PUSHED, options={"settings": {"debounce": 0, "probe.enable": False}})
    player = Player(client, folder)
    for deed in deeds():
        player.do(deed)
        if player.edits >= PLAYED:
            break
    assert player.edits >= PLAYED
    # It was not all silence, nor all broken text.
    assert player.seen["TL000"] > 20
    assert player.seen.total() - player.seen["TL000"] > 2 * player.pauses
    grown = player.memory[PLAYED] - player.memory[WARM_UP]
    cut = statistics.quantiles(player.latencies, n=20)
    report = (
        f"{player.edits} edits, {player.pauses} pauses; diagnostics after {1000 * cut[9]:.0f} ms (p50), "
        f"{1000 * cut[18]:.0f} ms (p95) in {len(player.latencies)} waits; "
        f"{player.memory[WARM_UP] / 1024:.0f} MB after {WARM_UP} edits, {grown / 1024:+.1f} MB at the end"
    )
    record_testsuite_property("endurance", report)
    print("\n" + report)
    assert grown < MAX_GROWTH
    assert not [message for message in client.seen if "stray" in message]
    assert [one for one in client.received("window/logMessage") if one["type"] <= 2] == []
    assert client.leave() == 0
    assert client.errors_end.wait(raw_client.LIMIT)
    assert client.errors == []
