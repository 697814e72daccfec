"""Analyses open texts in more detail while the analysis thread has nothing else to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.cancel import Cancelled
from torchlsp.server.idle_work import IdleWork

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from torchlsp.core.cancel import CancelToken
    from torchlsp.server.session import Session, Unit


class Details(IdleWork):
    """Runs detailed analyses of the texts of a session whose values the editor has asked for.

    `finished` is called in the event loop when more is known of a text than before.
    """

    after = 0.5

    def __init__(self, session: Session, thread: Executor, finished: Callable[[], None]) -> None:
        super().__init__(session, thread)
        self._finished = finished

    def ask(self, unit: Unit) -> None:
        """Notes that the values of a text are looked at."""
        if not unit.is_looked_at:
            unit.is_looked_at = True
            self.wait()

    def _is_due(self, unit: Unit) -> bool:
        from torchlsp.engine.detailing import has_more

        examined = unit.examined
        if not unit.is_looked_at or examined is None or not unit.is_current or examined is unit.undetailed:
            return False
        return has_more(examined.examination)

    async def _work(self, unit: Unit, token: CancelToken) -> bool:
        examined, loop = unit.examined, self._session.loop
        assert examined is not None  # due
        try:
            read = await loop.run_in_executor(
                self._thread, self._session.analyst.detail, examined.examination, token.check
            )
        except Cancelled:
            return False
        except Exception as failure:
            unit.undetailed = examined
            self._session.failed(f"{unit.document.path} could not be analysed in detail", failure)
            return False
        if unit.examined is examined and not unit.closed:
            unit.read |= read
            self._finished()
        return True
