"""Analyses the callers of open texts while the analysis thread has nothing else to do."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from torchlsp.core.cancel import Cancelled, CancelToken

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from torchlsp.server.session import Session, Unit

AFTER = 0.6
"""Seconds without another analysis after which callers are analysed: after `details.AFTER`."""


class CallerSearch:
    """Finds faults in open texts to which the calls of files lead that are not open, for one text at a time.

    It runs in the analysis thread; any other work for the thread interrupts it, and it starts over later. What it has found is kept
    (`caller_findings`), so that it goes on where it was interrupted.
    """

    def __init__(self, session: Session, thread: Executor) -> None:
        self._session = session
        self._thread = thread
        self._token = CancelToken()
        self._timer: asyncio.TimerHandle | None = None

    def wait(self) -> None:
        """Interrupts what runs, and begins after a while without other work."""
        self.end()
        self._timer = self._session.loop.call_later(AFTER, self._begin)

    def end(self) -> None:
        """Interrupts what runs."""
        self._token.cancel()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def text_changed(self, unit: Unit) -> None:
        """Notes that a text has changed, which callers of others have read."""
        path = os.path.realpath(unit.document.path)
        for other in self._session.units.values():
            if path in other.callers_read:
                other.searched = None

    def files_changed(self) -> None:
        """Notes that files were changed on disk, opened or closed: each may be a caller now, or no longer."""
        for unit in self._session.units.values():
            unit.searched = None
        self.wait()

    def _begin(self) -> None:
        self._timer = None
        unit = next((one for one in self._session.units.values() if _is_due(one)), None)
        if unit is not None:
            self._token = CancelToken()
            self._session.loop.create_task(self._search(unit, self._token))

    async def _search(self, unit: Unit, token: CancelToken) -> None:
        document, session = unit.document, self._session
        try:
            read = await session.loop.run_in_executor(
                self._thread, session.analyst.follow_callers, document, token.check
            )
        except Cancelled:
            return
        except Exception as failure:
            unit.searched = document
            session.failed(f"the callers of {document.path} could not be analysed", failure)
            return
        if not unit.closed:
            unit.searched, unit.callers_read = document, read
            session.show_callers()
        if not token.is_cancelled:
            self._begin()


def _is_due(unit: Unit) -> bool:
    is_file = not unit.document.cells
    return is_file and unit.is_current and unit.searched is not unit.document and unit.examined is not None
