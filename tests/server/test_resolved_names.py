"""Hovers on names that only jedi may know: they are answered at once, and jedi's answer is there for the next hover."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace

import pytest

from torchlsp.core.text import Document
from torchlsp.engine.jedi_bridge import Symbol
from torchlsp.server.features import names
from torchlsp.server.features.names import ResolvedNames, resolved_hover

TEXT = "from package import relu, tanh\n\nrelu(tanh(3))\n"


class StandIn:
    """A server whose bridge takes a while for each name."""

    def __init__(self, seconds: float, full_name: str = "torch.relu") -> None:
        self.seconds, self.full_name = seconds, full_name
        self.asked: list[int] = []
        self._kept = ResolvedNames()
        self.session = SimpleNamespace(root_of=lambda path: None)
        self._newest: asyncio.Future[None] | None = None

    def names(self) -> StandIn:
        return self

    def resolved_names(self) -> ResolvedNames:
        return self._kept

    def interpreter(self, path: str) -> tuple[str, list[str]]:
        return "python", []

    def converter(self, document: Document) -> SimpleNamespace:
        return SimpleNamespace(range=lambda span: span)

    async def resolve(self, path: str, text: str, row: int, column: int, **options: object) -> Symbol | None:
        """As the bridge does, answers None where another name is asked for meanwhile."""
        self.asked.append(column)
        if self._newest is not None and not self._newest.done():
            self._newest.set_result(None)
        self._newest = newest = asyncio.get_running_loop().create_future()
        await asyncio.wait({newest}, timeout=self.seconds)
        return None if newest.done() else Symbol(self.full_name, "function", "relu(input)", None)


@pytest.fixture(autouse=True)
def without_documentation(monkeypatch):
    monkeypatch.setattr(names, "shows_markdown", lambda server: False)
    monkeypatch.setattr(names, "how_much", lambda server, unit: "full")


def unit() -> SimpleNamespace:
    return SimpleNamespace(document=Document("typed.py", TEXT))


def test_a_hover_does_not_wait_for_jedi_and_the_next_one_has_its_answer():
    async def run():
        server, text, place = StandIn(0.2), unit(), TEXT.index("relu(")
        began = time.monotonic()
        first = await resolved_hover(server, text, place)
        took = time.monotonic() - began
        await asyncio.sleep(0.4)
        return first, took, await resolved_hover(server, text, place + 2), server.asked

    first, took, second, asked = asyncio.run(run())
    assert first is None and took < 0.15
    assert second is not None and second.contents.value.startswith("torch.relu")
    assert asked == [0]


def test_an_answer_that_comes_at_once_is_shown():
    shown = asyncio.run(resolved_hover(StandIn(0), unit(), TEXT.index("relu(")))
    assert shown is not None


def test_a_text_that_has_changed_is_asked_about_again():
    async def run():
        server = StandIn(0)
        for text in (unit(), unit()):
            await resolved_hover(server, text, TEXT.index("relu("))
        return server.asked

    assert asyncio.run(run()) == [0, 0]


def test_a_name_that_another_one_has_displaced_is_asked_about_again():
    async def run():
        server, text = StandIn(0.1), unit()
        await resolved_hover(server, text, TEXT.index("relu("))
        await resolved_hover(server, text, TEXT.index("tanh("))
        await asyncio.sleep(0.2)
        again = await resolved_hover(server, text, TEXT.index("relu("))
        await asyncio.sleep(0.2)
        return again, await resolved_hover(server, text, TEXT.index("relu(")), server.asked

    again, last, asked = asyncio.run(run())
    assert again is None and last is not None
    assert asked == [0, 5, 0]
