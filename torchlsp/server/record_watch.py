"""Notices runs that are recorded or deleted while texts are open, and analyses the texts again that they concern."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlsp.server.app import TorchServer
    from torchlsp.server.session import Unit

CHANGED = "torchlsp/recordsChanged"
"""The notification to a client that has asked for it: what `torchlsp.recordStatus` answers may be another now."""
INTERVAL = 2.0
"""Seconds between two looks at the names of the records' folders."""


class RecordWatch:
    """Looks for records while a text is open, in a thread of its own."""

    def __init__(self, server: TorchServer) -> None:
        self._server = server
        self._thread = ThreadPoolExecutor(1, "records")
        self._watching = False
        self._looking = asyncio.Lock()
        self._runs: dict[str, tuple[str, ...]] = {}
        self.announces = False
        """Whether the client has asked to be notified."""

    def begin(self) -> None:
        """Begins to look from time to time, until no text is open."""
        if not self._watching:
            self._watching = True
            self._server.spawn(self._watch(), "recorded runs could not be looked for")

    def end(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def look(self) -> None:
        """Looks now; what a change concerns is analysed again soon."""
        async with self._looking:
            units = list(self._server.session.units.values())
            paths = [unit.document.path for unit in units]
            runs = await asyncio.get_running_loop().run_in_executor(self._thread, _runs_around, paths)
            changed = [one for one in runs | self._runs if runs.get(one) != self._runs.get(one)]
            self._runs = runs
            if changed:
                from torchlsp.engine.record_folders import is_inside

                for unit in units:
                    if any(is_inside(unit.document.path, one) for one in changed):
                        work = self._check_again(unit)
                        self._server.spawn(work, "a recorded run could not be read")

    async def _watch(self) -> None:
        try:
            while self._server.session.units:
                await asyncio.sleep(INTERVAL)
                await self.look()
        finally:
            self._watching = False

    async def _check_again(self, unit: Unit) -> None:
        """Analyses a text again if its analysis has read other records, and has the client ask for hints: they may differ
        where the findings do not."""
        session = self._server.session
        examined = await session.examined(unit)
        if examined is None:
            return
        settings = session.settings_of(unit.document.path)
        record = await session.run(session.analyst.record_of, unit.document, settings)
        if record is examined.examination.record or unit.closed:
            return
        session.schedule(unit, 0, own_change=False)
        await session.examined(unit)
        self._server.refresh()
        if self.announces:
            self._server.protocol.notify(CHANGED, {"uri": unit.uri})


def _runs_around(paths: list[str]) -> dict[str, tuple[str, ...]]:
    from torchlsp.engine.cache_folder import cache_folder
    from torchlsp.engine.record_folders import runs_by_workspace

    return runs_by_workspace(cache_folder(), paths)
