"""Analyses a text once more with more steps, for what an editor shows of its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.interp.run.analyse import analyse
from torchlsp.interp.store.budget import FOR_DETAILS
from torchlsp.interp.store.entry_facts import NO_ENTRIES
from torchlsp.lint.files import File
from torchlsp.lint.runner import Imports

if TYPE_CHECKING:
    from collections.abc import Callable

    from torchlsp.engine.examination import Examination
    from torchlsp.lint.runner import Provider


def has_more(examination: Examination) -> bool:
    """Returns whether calls were given up that an analysis with more steps would follow."""
    analysis = examination.analysis
    return analysis is not None and examination.detailed is None and analysis.unfollowed > 0


def analyse_in_detail(
    examination: Examination, provider: Provider, cancelled: Callable[[], None] | None = None
) -> None:
    """Follows more calls, so that the facts of an examination are known at more places; its findings stay.

    `cancelled` is called between statements and may raise Cancelled; then the examination is as it was.
    """
    main = File(examination.analysed)
    record = examination.record
    examination.detailed = analyse(
        main.module,
        Imports(provider, main),
        recording=True,
        cancelled=cancelled,
        observed=NO_ENTRIES if record is None else record.entries,
        limits=FOR_DETAILS,
    )
