"""Renders a result in an output format, whose module is imported only when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from torchlsp.engine.engine import CheckResult
    from torchlsp.report.sources import Sources
    from torchlsp.report.text import Painter

# A new format is a module with a function `render`, as `Renderer` says, and an entry here.
FORMATS = {
    "text": "torchlsp.report.text",
    "concise": "torchlsp.report.concise",
    "json": "torchlsp.report.json",
    "sarif": "torchlsp.report.sarif",
    "github": "torchlsp.report.github",
    "gitlab": "torchlsp.report.gitlab",
    "junit": "torchlsp.report.junit",
    "markdown": "torchlsp.report.markdown",
    "agent": "torchlsp.report.agent",
}


class Renderer(Protocol):
    """Renders the whole document without a final line end; only formats for a terminal paint."""

    def __call__(self, result: CheckResult, sources: Sources, paint: Painter, /) -> str: ...


def render(name: str, result: CheckResult, sources: Sources, painter: Painter) -> str:
    """Renders the whole document, without a final line end. Text, concise and github are empty without
    findings; after the last finding of text stands an empty line. Raises ValueError for an unknown format."""
    if name not in FORMATS:
        raise ValueError(f"unknown output format: {name}")
    renderer: Renderer = import_module(FORMATS[name]).render
    return renderer(result, sources, painter)


def render_statistics(name: str, result: CheckResult, painter: Painter) -> str:
    """Renders findings counted by rule: as JSON when that is the format, otherwise as text (empty without
    findings)."""
    if name == "json":
        from torchlsp.report import json

        return json.statistics(result)
    from torchlsp.report.text import statistics

    return "\n".join(statistics(result, painter))
