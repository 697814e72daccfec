"""Publishes findings as diagnostics: pushed, or pulled where the client can."""

from __future__ import annotations

import itertools
import os
from functools import cache
from typing import TYPE_CHECKING

from lsprotocol import types

from torchlsp.core import publication
from torchlsp.core.finding import Severity
from torchlsp.core.text import Document
from torchlsp.files import read_source
from torchlsp.server.convert import Converter, DiagnosticMaker, uri_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torchlsp.core.finding import Finding
    from torchlsp.engine.documentation_pages import RulePages
    from torchlsp.server.app import TorchServer
    from torchlsp.server.session import Unit

Report = tuple[str, list[types.Diagnostic]]
"""The result's id, and the diagnostics of one text."""


class Reports:
    """The newest diagnostics of every open text, and what was published."""

    def __init__(self, server: TorchServer) -> None:
        self._server = server
        self._reports: dict[str, dict[str, Report]] = {}
        self._unopened: set[str] = set()
        self._numbers = itertools.count(1)

    def update(self, unit: Unit) -> bool:
        """Creates the diagnostics of a new result; returns whether they differ from the previous ones."""
        before = self._reports.get(unit.uri, {})
        found: dict[str, list[types.Diagnostic]] = {uri: [] for uri in unit.uris}
        document = unit.answered
        examination = unit.examination
        if document is not None and examination is not None and self._enabled(document):
            converter = self._server.converter(document)
            make = self.maker(unit, converter)
            for finding in self.pushed(examination.result.findings):
                found.setdefault(converter.uri(finding.span.start), []).append(make(finding))
        reports: dict[str, Report] = {}
        for uri, diagnostics in found.items():
            old = before.get(uri)
            unchanged = old is not None and old[1] == diagnostics
            reports[uri] = old if unchanged and old is not None else (str(next(self._numbers)), diagnostics)
        self._reports[unit.uri] = reports
        if not self._server.pulls:
            for uri in sorted(before.keys() - reports.keys()):
                self._send(uri, [], None)  # a cell that was deleted
        return reports != before

    def pushed(self, findings: Iterable[Finding]) -> list[Finding]:
        """Returns the findings to send: all of them to an editor, no infos to an agent."""
        return [one for one in findings if not self._server.for_agent or one.severity is not Severity.INFO]

    def _enabled(self, document: Document) -> bool:
        return self._server.session.settings_of(document.path).enable

    def publish(self, unit: Unit) -> None:
        """Sends the diagnostics of a unit, with the versions of the texts that they are about."""
        notebook = self._server.session.notebooks.get(unit.uri)
        for uri, (_, diagnostics) in self._reports.get(unit.uri, {}).items():
            version = unit.answered.version if unit.answered is not None else None
            if notebook is not None:
                text = notebook.texts.get(uri)
                version = text.version if text is not None else None
            self._send(uri, diagnostics, version)

    def of(self, unit: Unit, uri: str) -> Report:
        return self._reports.get(unit.uri, {}).get(uri, ("0", []))

    def close(self, unit: Unit) -> None:
        """Removes the diagnostics of a text that was closed."""
        for uri in self._reports.pop(unit.uri, {}):
            if not self._server.pulls:
                self._send(uri, [], None)

    def show_unopened(self, findings: dict[str, list[types.Diagnostic]]) -> None:
        """Sends the diagnostics of files that are not open, found by checking the workspace, and removes
        those of an earlier check."""
        for uri in sorted(self._unopened - findings.keys()):
            self._send(uri, [], None)
        for uri, diagnostics in findings.items():
            self._send(uri, diagnostics, None)
        self._unopened = set(findings)

    def forget_unopened(self, uri: str) -> None:
        """Forgets the diagnostics that a file had while it was not open."""
        if uri in self._unopened:
            self._unopened.discard(uri)
            self._send(uri, [], None)

    def maker(self, unit: Unit, converter: Converter) -> DiagnosticMaker:
        url = unit.examined.rules_url if unit.examined is not None else None
        return self.maker_for(converter, url)

    def maker_for(self, converter: Converter, rules_url: str | None) -> DiagnosticMaker:
        server = self._server
        pulls = server.pulls
        place = "text_document.diagnostic" if pulls else "text_document.publish_diagnostics"
        # Clients that pull have these since the protocol's 3.18; before, they said them in one place for both.
        other = "text_document.publish_diagnostics"
        related = server.client_has(f"{place}.related_information") or server.client_has(
            f"{other}.related_information"
        )
        links = server.client_has(f"{place}.code_description_support") or server.client_has(
            f"{other}.code_description_support"
        )
        tags = server.client_has(f"{place}.tag_support.value_set") or server.client_has(
            f"{other}.tag_support.value_set"
        )
        return DiagnosticMaker(
            converter,
            self._other_file,
            lambda code: page_link(code, rules_url) if links else None,
            rule_tag,
            related=bool(related),
            supported_tags=frozenset(tags or ()),
        )

    def _other_file(self, path: str) -> Converter | None:
        document = self._server.session.analyst.open_documents.get(os.path.realpath(path))
        if document is None:
            try:
                document = Document.from_bytes(path, read_source(path), uri=uri_of(path))
            except OSError:
                return None
        return self._server.converter(document)

    def _send(self, uri: str, diagnostics: list[types.Diagnostic], version: int | None) -> None:
        if not self._server.client_has("text_document.publish_diagnostics.version_support"):
            version = None
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics, version=version)
        )


def page_link(code: str, rules_url: str | None) -> str | None:
    """Returns the address of a rule's page: below the configured address, else on the site if it is published
    (`torchlsp.core.publication`), else the page of this installation."""
    if rules_url := rules_url or publication.CURRENT.rules_url:
        return rules_url + code
    return own_page(code)


def own_page(code: str) -> str | None:
    """Returns the address of a rule's page of this installation."""
    path = _pages().path(code)
    return uri_of(path) if path is not None else None


@cache
def _pages() -> RulePages:
    from torchlsp.engine.documentation_pages import RulePages

    return RulePages()


def rule_tag(code: str) -> str | None:
    from torchlsp.engine.suppressing import UNUSED
    from torchlsp.lint.registry import find

    if code == UNUSED:
        return "unnecessary"
    info = find(code)
    return info.tag if info is not None else None


def findings_in(unit: Unit, start: int, end: int) -> list[Finding]:
    """Returns the findings that a range touches; a cursor touches both its sides."""
    examination = unit.examination
    if examination is None:
        return []
    return [one for one in examination.result.findings if one.span.start <= end and start <= one.span.end]


def register(server: TorchServer) -> None:
    """Sets the server's reports. Pushing needs no handler; `register_pull` adds one where the client pulls."""
    server.reports = Reports(server)


def register_pull(server: TorchServer) -> None:
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=False, identifier="torchlsp"
    )

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def pull(params: types.DocumentDiagnosticParams):
        uri = params.text_document.uri
        unit = server.session.unit_of(uri)
        if unit is None and server.configurations.is_configuration(uri):
            return types.RelatedFullDocumentDiagnosticReport(items=await server.configurations.of(uri))
        if unit is None or await server.session.examined(unit) is None:
            return types.RelatedFullDocumentDiagnosticReport(items=[])
        name, diagnostics = server.reports.of(unit, uri)
        if params.previous_result_id == name:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=name)
        return types.RelatedFullDocumentDiagnosticReport(items=diagnostics, result_id=name)
