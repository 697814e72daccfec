"""The output formats by name. Each is imported only when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlsp.engine.engine import CheckResult
    from torchlsp.report.sources import Sources
    from torchlsp.report.text import Painter

FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown")


def render(name: str, result: CheckResult, sources: Sources, painter: Painter) -> str:
    """The whole document, without a final line end. Text, concise and github are empty without findings; after
    the last finding of text stands an empty line. Raises ValueError for a name that is no format."""
    if name == "text":
        from torchlsp.report.text import render_full

        return "\n".join(render_full(result, sources, painter))
    if name == "concise":
        from torchlsp.report.text import render_concise

        return "\n".join(render_concise(result, sources, painter))
    if name == "json":
        from torchlsp.report import json

        return json.render(result, sources)
    if name == "sarif":
        from torchlsp.report import sarif

        return sarif.render(result, sources)
    if name == "github":
        from torchlsp.report import github

        return github.render(result, sources)
    if name == "gitlab":
        from torchlsp.report import gitlab

        return gitlab.render(result, sources)
    if name == "junit":
        from torchlsp.report import junit

        return junit.render(result, sources)
    if name == "markdown":
        from torchlsp.report import markdown

        return markdown.render(result, sources)
    raise ValueError(f"unknown output format: {name}")


def render_statistics(name: str, result: CheckResult, painter: Painter) -> str:
    """Findings counted by rule: as JSON when that is the format, otherwise as text (empty without findings)."""
    if name == "json":
        from torchlsp.report import json

        return json.statistics(result)
    from torchlsp.report.text import statistics

    return "\n".join(statistics(result, painter))
