"""Runs work for open texts while the analysis thread has nothing else to do."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from torchlsp.core.cancel import CancelToken

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from torchlsp.server.session import Session, Unit


class IdleWork(ABC):
    """Works on the texts of a session that are due, one at a time, in its analysis thread.

    Any other work for the thread interrupts it, and it starts over after `after` seconds without such work.
    """

    after: float

    def __init__(self, session: Session, thread: Executor) -> None:
        self._session = session
        self._thread = thread
        self._token = CancelToken()
        self._timer: asyncio.TimerHandle | None = None

    def wait(self) -> None:
        """Interrupts what runs, and begins after a while without other work."""
        self.end()
        self._timer = self._session.loop.call_later(self.after, self._begin)

    def end(self) -> None:
        """Interrupts what runs."""
        self._token.cancel()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _begin(self) -> None:
        self._timer = None
        unit = next((one for one in self._session.units.values() if self._is_due(one)), None)
        if unit is not None:
            self._token = CancelToken()
            self._session.loop.create_task(self._run(unit, self._token))

    async def _run(self, unit: Unit, token: CancelToken) -> None:
        if await self._work(unit, token) and not token.is_cancelled:
            self._begin()

    @abstractmethod
    def _is_due(self, unit: Unit) -> bool:
        """Returns whether there is work to do for a text."""

    @abstractmethod
    async def _work(self, unit: Unit, token: CancelToken) -> bool:
        """Does the work for a text. Returns whether the next may be begun: not where it was cancelled or failed."""
