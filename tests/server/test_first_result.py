"""The first result of a session: it is shown before garbage is collected, which takes as long as a tenth of all that comes before."""

from __future__ import annotations

import asyncio
import gc

from torchlsp.server.session import Session


def test_it_is_shown_before_garbage_is_collected(tmp_path, monkeypatch):
    done: list[str] = []
    monkeypatch.setattr(gc, "collect", lambda *_: done.append("collected"))
    monkeypatch.setattr(gc, "freeze", lambda: done.append("frozen"))
    monkeypatch.setattr(gc, "set_threshold", lambda *_: None)
    path = tmp_path / "typed.py"

    async def run() -> None:
        session = Session(
            "utf-16",
            [str(tmp_path)],
            lambda unit, own_change: done.append("shown"),
            lambda what, failure: done.append(f"failed: {what} {failure}"),
            lambda message: done.append(message),
            lambda: None,
        )
        unit = session.open_text(path.as_uri(), "import torch\n", 1)
        await session.examined(unit)
        for version in (2, 3):
            while "frozen" not in done:
                await asyncio.sleep(0.01)
            session.open_text(path.as_uri(), "import torch\n" * version, version)
            await session.examined(session.units[path.as_uri()])
        await asyncio.sleep(0.1)
        session.end()

    asyncio.run(run())
    assert done == ["shown", "collected", "frozen", "shown", "shown"]
