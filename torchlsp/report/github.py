"""Renders findings as GitHub workflow commands, which become annotations of a run and of the files of a pull
request.

GitHub knows columns only for a place within one row, and nothing of notebook cells: there the message names the cell,
and the annotation stands at the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.finding import Severity
from torchlsp.report.places import extent, in_checkout
from torchlsp.report.words import detailed, is_refuted, printable

if TYPE_CHECKING:
    from torchlsp.core.finding import Finding
    from torchlsp.engine.engine import CheckResult
    from torchlsp.report.sources import Sources
    from torchlsp.report.text import Painter

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(result: CheckResult, sources: Sources, _: Painter) -> str:
    """Renders one command a row; empty without findings."""
    return "\n".join(_command(finding, sources) for finding in result.findings)


def _command(finding: Finding, sources: Sources) -> str:
    # A refuted finding is shown, not held against the run.
    command = "notice" if is_refuted(finding) else _COMMANDS[finding.severity]
    properties: dict[str, str | int] = {"file": in_checkout(finding.path)}
    document = sources.get(finding.path)
    if document is not None and not document.cells:
        both = extent(document, finding.span)
        if both.start.row == both.end.row:
            properties |= {
                "line": both.start.row,
                "col": both.start.column,
                "endLine": both.end.row,
                "endColumn": both.end.column,
            }
        else:
            properties |= {"line": both.start.row, "endLine": both.last_row}
    properties["title"] = f"{finding.rule} {finding.name}"
    written = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    message = "\n".join(printable(line) for line in detailed(finding, sources))
    return f"::{command} {written}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escapes a property. Line ends in a file's name have an escape; other control characters, and marks that turn the
    direction of text, have none."""
    return printable(_data(text)).replace(":", "%3A").replace(",", "%2C")
