"""Keeps a file open in a real server, and tells whether it is answered as ever while something else is done there."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from torchlsp.dev.fuzzing.seeds import ROOT
from torchlsp.dev.fuzzing.watch import CEILING_S, descendants, left_behind

# A client that can do what no library would; it belongs to the tests of the server.
sys.path.insert(0, str(ROOT / "tests" / "server"))

MEMORY_MB = 3_000
"""Of address space: threads take some that is never used."""
RESIDENT_MB = 600
CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {"diagnostics": {"refreshSupport": True}},
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "diagnostic": {},
        "hover": {"contentFormat": ["markdown"]},
        "inlayHint": {},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
    },
}
OPTIONS = {"settings": {"debounce": 0, "probe.enable": False}}
OTHER = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.linear = nn.Linear(width, 4)

    def forward(self, features):
        return self.linear(features)


scores = Net()(torch.zeros(2, 8))
turned = torch.zeros(2, 3).t()
flat = turned.view(6)
"""
WORDS = ("scores =", "turned =", "flat =", "linear(features")
SERVER = (
    "from torchlsp.dev.fuzzing.watch import limit_memory\nlimit_memory({memory})\n"
    "from torchlsp.server.stdio import serve\nserve()\n"
)


class Session:
    """A server with a file that nobody touches."""

    def __init__(self, folder: Path) -> None:
        from raw_client import RawClient

        self.client = RawClient(folder, ("-I", "-c", SERVER.format(memory=MEMORY_MB)))
        self.slowest = 0.0
        self._heard = 0
        self.unanswered: list[str] = []
        self.client.initialize(CAPABILITIES, options=OPTIONS)
        self._uri = self.client.open(self.client.uri("untouched_other.py"), OTHER)
        # A hover does not wait for a first analysis that takes long.
        self.client.request("textDocument/diagnostic", {"textDocument": {"uri": self._uri}})
        self._expected = self._answers()
        codes = [one["code"] for one in self._expected[0]["items"]]
        if codes != ["TL101"] or None in self._expected[1:]:
            self.unanswered.append(f"at the start the other file is answered with {self._expected}")

    def _answers(self) -> list[Any]:
        """Returns the diagnostics, hovers and hints of the file, asked all at once."""
        client, document = self.client, {"uri": self._uri}
        asked: list[tuple[str, dict[str, Any]]] = [("textDocument/diagnostic", {"textDocument": document})]
        for word in WORDS:
            place = client.span(self._uri, word)["start"]
            asked.append(("textDocument/hover", {"textDocument": document, "position": place}))
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        asked.append(("textDocument/inlayHint", {"textDocument": document, "range": whole}))
        numbers = [client.ask(method, params) for method, params in asked]
        answers = [client.answer(number) for number in numbers]
        for key in ("resultId", "data"):
            answers[0].pop(key, None)
        return answers

    def problems(self) -> Iterator[str]:
        """Asks about the file again, and yields what is wrong with the answers; also what the server complained of."""
        began = time.monotonic()
        try:
            if (answers := self._answers()) != self._expected:
                different = [pair for pair in zip(answers, self._expected) if pair[0] != pair[1]]
                yield f"other answers about the other file (now, before): {different}"
        except Exception as error:
            yield f"no answer about the other file: {type(error).__name__}: {str(error)[-3000:]}"
        took = time.monotonic() - began
        self.slowest = max(self.slowest, took)
        if took > CEILING_S:
            yield f"answers about the other file took {took:.1f} s"
        yield from self._complaints()
        if (resident := self.resident_megabytes()) > RESIDENT_MB:
            yield f"the server has taken {resident} MB"

    def _complaints(self) -> Iterator[str]:
        errors, self.client.errors[:] = b"".join(self.client.errors), []
        if errors:
            yield f"on stderr: {errors.decode(errors='replace')[:2000]}"
        for message in self.client.seen[self._heard :]:
            if "stray" in message:
                yield f"on stdout: {message}"
            told = str(message.get("params"))
            if (
                message.get("method") in ("window/logMessage", "window/showMessage")
                and "internal error" in told
            ):
                yield f"told: {told[:3000]}"
        self._heard = len(self.client.seen)

    def resident_megabytes(self) -> int:
        """Returns the most memory that the server has had at a time; 0 where the system does not tell."""
        try:
            status = Path(f"/proc/{self.client.process.pid}/status").read_text()
        except OSError:
            return 0
        return next(
            (int(row.split()[1]) // 1000 for row in status.splitlines() if row.startswith("VmHWM")), 0
        )

    def end(self) -> Iterator[str]:
        """Ends the server, and yields what is wrong with how it ended."""
        started = descendants(self.client.process.pid)
        try:
            status = self.client.leave()
            if status != 0:
                yield f"ended with status {status}"
        except Exception as error:
            yield f"did not end: {type(error).__name__}: {str(error)[-2000:]}"
        self.client.kill()
        if left := left_behind(started):
            yield f"left {len(left)} processes"


def problems_in_sessions(
    numbers: Iterable[int], at_once: int, of_one: Callable[[Session, int], Iterable[str]]
) -> Iterator[str]:
    """Yields what did not hold of each number, `at_once` of them in one server."""
    numbers = list(numbers)
    for first in range(0, len(numbers), at_once):
        with tempfile.TemporaryDirectory(prefix="torchlsp-fuzz-") as folder:
            session = Session(Path(folder))
            yield from session.unanswered
            for number in numbers[first : first + at_once]:
                yield from of_one(session, number)
            yield from session.end()
