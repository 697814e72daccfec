"""Analyses the callers of open texts while the analysis thread has nothing else to do."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from torchlsp.core.cancel import Cancelled
from torchlsp.server.idle_work import IdleWork

if TYPE_CHECKING:
    from torchlsp.core.cancel import CancelToken
    from torchlsp.server.session import Unit


class CallerSearch(IdleWork):
    """Finds faults in open texts to which the calls of files lead that are not open, and what the calls of all files make of
    the functions of open texts, for one text at a time.

    What it has found is kept (`caller_findings`), so that it goes on where it was interrupted.
    """

    after = 0.6
    """Longer than `Details.after`: the open text itself comes first."""

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

    def _is_due(self, unit: Unit) -> bool:
        is_file = not unit.document.cells
        return (
            is_file and unit.is_current and unit.searched is not unit.document and unit.examined is not None
        )

    async def _work(self, unit: Unit, token: CancelToken) -> bool:
        document, session = unit.document, self._session
        try:
            read = await session.loop.run_in_executor(
                self._thread, session.analyst.follow_callers, document, token.check
            )
        except Cancelled:
            return False
        except Exception as failure:
            unit.searched = document
            session.failed(f"the callers of {document.path} could not be analysed", failure)
            return False
        if not unit.closed:
            unit.searched, unit.callers_read = document, read
            session.show_callers()
            for examined in [one.examined for one in session.units.values()]:
                if examined is not None:
                    await session.loop.run_in_executor(self._thread, session.analyst.show_values, examined)
        return True
