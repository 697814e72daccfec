"""Verdicts in the editor: a finding shows at once, and a moment later what torch says of it.

Nothing waits for a verdict. One that is known already comes with the finding; the others are asked for in a thread
of their own, and shown if the text is still the same.
"""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from torchlsp.core.finding import Finding, Verdict
    from torchlsp.core.text import Document
    from torchlsp.engine.probing import Prober
    from torchlsp.server.app import TorchServer
    from torchlsp.server.session import Unit

PROBE = "torchlsp.probe"
SCRIPT = "torchlsp.runnableScript"
SWITCH = "TORCHLSP_PROBE"
"""An environment variable: `off` switches the probe off, whatever the settings say."""


class Probing:
    """The prober of the session, started with the first finding that has a program."""

    def __init__(self, server: TorchServer) -> None:
        self._server = server
        self._thread = ThreadPoolExecutor(1, "probe")
        self._prober: Prober | None = None
        self._python: str | None = None
        self.status = "not started"
        self._found: dict[str, tuple[Document, list[Finding]]] = {}
        """The findings of the analysis by unit, refuted ones included, and the text that they are about."""

    @property
    def is_on(self) -> bool:
        """The user's own choice; never in a workspace that the editor says is not trusted."""
        allowed = self._server.trusted is not False and os.environ.get(SWITCH) != "off"
        return allowed and self._server.session.settings.probe

    def settle(self, unit: Unit) -> None:
        """After an analysis, before its findings are shown: put in what is known, ask for the rest."""
        examination, document = unit.examination, unit.answered
        if examination is None or document is None:
            return
        findings = list(examination.result.findings)
        self._found[unit.uri] = document, findings
        if not self.is_on:
            return
        wanted = [one for one in findings if one.probe is not None]
        if not wanted:
            return
        if self._prober is not None:
            self._apply(unit, findings, [self._prober.known(one) for one in findings])
            wanted = [one for one in wanted if self._prober.known(one) is None]
        if wanted:
            self._server.spawn(self._ask(unit, document, wanted), "findings could not be probed")

    def findings(self, unit: Unit) -> list[Finding]:
        """Those of the unit's newest analysis, refuted ones included."""
        return self._found.get(unit.uri, (None, []))[1]

    async def verdict(self, finding: Finding) -> Verdict | None:
        """Put one finding to the test; None when nothing can be run."""
        verdicts = await self._verdicts([finding])
        return verdicts[0] if verdicts else None

    def forget(self, unit: Unit) -> None:
        self._found.pop(unit.uri, None)

    def end(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, unit: Unit, document: Document, wanted: list[Finding]) -> None:
        if await self._verdicts(wanted) is None or self._prober is None:
            return
        known, findings = self._found.get(unit.uri, (None, []))
        if unit.closed or known is not document or unit.answered is not document:
            return  # the text has moved on, and with it came another question
        self._apply(unit, findings, [self._prober.known(one) for one in findings])
        self._server.show_verdicts(unit)

    async def _verdicts(self, findings: list[Finding]) -> list[Verdict] | None:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, findings)

    def _run(self, findings: list[Finding]) -> list[Verdict] | None:
        """In the probe's thread. A worker that cannot be had is said once in the log, and asked for again later."""
        from torchlsp.engine.interpreters import torch_version
        from torchlsp.engine.probing import Prober, Unavailable
        from torchlsp.engine.verdict_store import store_for

        python, folders = self._server.interpreter()
        if self._prober is None or python != self._python:
            if self._prober is not None:
                self._prober.close()
            store = store_for(python, torch_version(python))
            self._prober, self._python = Prober(python, folders, store=store), python
        try:
            verdicts = self._prober.verdicts(findings)
            self.status = f"torch {torch_version(python)} in {python}"
            return verdicts
        except Unavailable as reason:
            status = f"nothing can be probed: {reason}"
            if status != self.status:
                self.status = status
                self._server.session.loop.call_soon_threadsafe(self._server.log, status)
            return None

    def _apply(self, unit: Unit, findings: list[Finding], verdicts: list[Verdict | None]) -> None:
        from torchlsp.engine.probing import with_verdicts

        if unit.examination is not None:
            unit.examination.result.findings[:] = with_verdicts(findings, verdicts)


def register(server: TorchServer) -> None:
    @server.command(PROBE)
    async def probe(uri: str, rule: str, line: int) -> str | None:
        """Put the finding of a rule on a line (from 0) to the test now, and say what came of it."""
        from torchlsp.report.words import verdict_words

        finding = _finding(server, uri, rule, line)
        if finding is None:
            return None
        verdict = await server.probing.verdict(finding)
        words = verdict_words(verdict) if verdict is not None else server.probing.status
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"{rule}: {words}"))
        return words

    @server.command(SCRIPT)
    async def script(uri: str, rule: str, line: int) -> str | None:
        """The program of a finding as a script; shown in the editor where it can open a file."""
        from torchlsp.lint.replay import as_script

        finding = _finding(server, uri, rule, line)
        if finding is None or finding.probe is None:
            return None
        text = as_script(finding.probe, finding.rule)
        if server.client_has("window.show_document.support"):
            await server.show_text(f"{rule}.py", text)
        return text


def _finding(server: TorchServer, uri: str, rule: str, line: int) -> Finding | None:
    unit = server.session.unit_of(uri)
    if unit is None or unit.answered is None:
        return None
    converter = server.converter(unit.answered)
    for finding in server.probing.findings(unit):
        start = finding.span.start
        if finding.rule == rule and converter.uri(start) == uri and converter.position(start).line == line:
            return finding
    return None
