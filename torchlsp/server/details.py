"""Analyses open texts in more detail while the analysis thread has nothing else to do."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from torchlsp.core.cancel import Cancelled, CancelToken

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from torchlsp.server.session import Session, Unit

AFTER = 0.5
"""Seconds without another analysis after which a text is analysed in detail."""


class Details:
    """Runs detailed analyses of the texts of a session, one at a time, in its analysis thread.

    Only texts whose values the editor has asked for are analysed in detail. Any other work for the thread interrupts a detailed
    analysis, which starts over later. `finished` is called in the event loop when more is known of a text than before.
    """

    def __init__(self, session: Session, thread: Executor, finished: Callable[[], None]) -> None:
        self._session = session
        self._thread = thread
        self._finished = finished
        self._token = CancelToken()
        self._timer: asyncio.TimerHandle | None = None

    def ask(self, unit: Unit) -> None:
        """Notes that the values of a text are looked at."""
        if not unit.is_looked_at:
            unit.is_looked_at = True
            self.wait()

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

    def _begin(self) -> None:
        self._timer = None
        unit = next((one for one in self._session.units.values() if _is_due(one)), None)
        if unit is not None:
            self._token = CancelToken()
            self._session.loop.create_task(self._detail(unit, self._token))

    async def _detail(self, unit: Unit, token: CancelToken) -> None:
        examined, loop = unit.examined, self._session.loop
        assert examined is not None  # due
        try:
            read = await loop.run_in_executor(
                self._thread, self._session.analyst.detail, examined.examination, token.check
            )
        except Cancelled:
            return
        except Exception as failure:
            unit.undetailed = examined
            self._session.failed(f"{unit.document.path} could not be analysed in detail", failure)
            return
        if unit.examined is examined and not unit.closed:
            unit.read |= read
            self._finished()
        if not token.is_cancelled:
            self._begin()


def _is_due(unit: Unit) -> bool:
    from torchlsp.engine.detailing import has_more

    examined = unit.examined
    if not unit.is_looked_at or examined is None or not unit.is_current or examined is unit.undetailed:
        return False
    return has_more(examined.examination)
