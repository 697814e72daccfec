"""Renders one line for each finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.report.text import headline

if TYPE_CHECKING:
    from torchlsp.engine.engine import CheckResult
    from torchlsp.report.sources import Sources
    from torchlsp.report.text import Painter


def render(result: CheckResult, sources: Sources, paint: Painter) -> str:
    """Renders one line for each finding; empty without findings."""
    return "\n".join(headline(finding, sources, paint) for finding in result.findings)
