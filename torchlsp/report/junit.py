"""Renders findings as JUnit XML: a suite for each file, a failing test for each finding.

A run that found nothing has one passing test, so that a CI service shows a result and not a missing report. Internal
errors are tests that ended in an error; what was given up or could not be done is the suite's error output.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from torchlsp.report.places import shown
from torchlsp.report.words import detailed, is_refuted, verdict_words

if TYPE_CHECKING:
    from torchlsp.core.finding import Finding
    from torchlsp.engine.engine import CheckResult
    from torchlsp.report.sources import Sources
    from torchlsp.report.text import Painter

# The production Char of XML 1.0, turned round; a carriage return would be read back as a line feed.
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TOOL = "torchlsp"


def render(result: CheckResult, sources: Sources, _: Painter) -> str:
    """Renders the whole document, in ASCII, without a final line end."""
    suites = [
        _suite(path, [_failure(finding, sources) for finding in findings])
        for path, findings in groupby(result.findings, key=lambda finding: finding.path)
    ]
    errors = [_error(text) for text in result.internal_errors]
    notices = "\n".join((*result.problems, *result.stopped))
    if errors or notices or not suites:
        tests = errors if errors or suites else [_test("check", _TOOL)]
        own = _suite(_TOOL, tests)
        if notices:
            ElementTree.SubElement(own, "system-err").text = _valid(notices)
        suites.append(own)
    root = ElementTree.Element("testsuites", {"name": _TOOL, **_totals(suites)})
    root.extend(suites)
    ElementTree.indent(root)
    # Character references for what is not ASCII: true to the declaration whatever the output's encoding is.
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, "us-ascii").decode("ascii")


def _suite(name: str, tests: list[ElementTree.Element]) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", {"name": _valid(name), **_totals(tests)})
    suite.extend(tests)
    return suite


def _totals(elements: list[ElementTree.Element]) -> dict[str, str]:
    outcomes = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}
    return {
        name: str(sum(1 for element in elements for _ in element.iter(tag))) for name, tag in outcomes.items()
    }


def _test(name: str, classname: str) -> ElementTree.Element:
    return ElementTree.Element("testcase", {"name": _valid(name), "classname": _valid(classname)})


def _failure(finding: Finding, sources: Sources) -> ElementTree.Element:
    place = shown(finding.path, sources.get(finding.path), finding.span)
    row_and_column = place[len(finding.path) + 1 :]
    test = _test(f"{finding.rule} {finding.name} {row_and_column}".rstrip(), finding.path)
    message, *rest = detailed(finding, sources)
    if is_refuted(finding) and finding.verdict is not None:
        ElementTree.SubElement(test, "skipped", {"message": _valid(verdict_words(finding.verdict))})
        return test
    attributes = {"message": _valid(message), "type": finding.severity.value}
    failure = ElementTree.SubElement(test, "failure", attributes)
    failure.text = _valid("\n".join((f"{place}: {finding.rule} {finding.message}", *rest)))
    return test


def _error(text: str) -> ElementTree.Element:
    head, _, traceback = text.partition("\n")
    test = _test(head, _TOOL)
    attributes = {"message": _valid(head), "type": "internal error"}
    ElementTree.SubElement(test, "error", attributes).text = _valid(traceback)
    return test


def _valid(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
