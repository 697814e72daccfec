"""Adds verdicts to findings in the editor after they are shown.

Nothing waits for a verdict. One that is known already comes with the finding; the others are asked for in a thread
of their own, and shown if the text is still the same.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from lsprotocol import types

from torchlsp.probe import remote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torchlsp.core.finding import Finding, Slice, Verdict
    from torchlsp.core.text import Document
    from torchlsp.engine.probing import Prober
    from torchlsp.server.app import TorchServer
    from torchlsp.server.session import Unit

PROBE = "torchlsp.probe"
SCRIPT = "torchlsp.runnableScript"
SWITCH = "TORCHLSP_PROBE"
"""An environment variable: `off` switches the probe off, whatever the settings say."""
ROUND_SECONDS = 2.0
"""Seconds after which the verdicts so far are shown."""
QUIET_SECONDS = 0.3
"""Seconds without a change before programs are made of the user's own statements."""


class Probing:
    """The probers of the session, one for each Python of a folder, started with its first finding that has a
    program."""

    def __init__(self, server: TorchServer) -> None:
        self._server = server
        self._thread = ThreadPoolExecutor(1, "probe")
        self._probers: dict[str, Prober] = {}
        self._unlocked: set[str] = set()
        """Interpreters and commands whose worker cannot sandbox programs."""
        self.status = "not started"
        self._by_default: tuple[str, ...] = ()
        self._mistake: str | None = None
        """What is wrong with the command of the environment: nothing is run in its place."""
        try:
            self._by_default = remote.chosen(None)
        except ValueError as problem:
            self._mistake = str(problem)
        self._found: dict[str, tuple[Document, list[Finding]]] = {}
        """The findings of the analysis by unit, refuted ones included, and the text that they are about."""
        self._slices: dict[str, dict[tuple[str, str, str], Slice]] = {}
        """The programs of the user's own statements by unit and finding, of the last text that was quiet for a while."""

    @property
    def why_forbidden(self) -> str | None:
        """Returns why the user's Python may not be started at all."""
        if self._server.trusted is False:
            return "nothing is run in a workspace that is not trusted"
        return "the probe is switched off" if os.environ.get(SWITCH) == "off" else None

    def why_off(self, path: str) -> str | None:
        """Returns why no program of a file may be run: Python may not be started, or the user's choice."""
        if self.why_forbidden is None and not self._server.session.settings_of(path).probe:
            return "the probe is switched off"
        return self.why_forbidden

    def settle(self, unit: Unit) -> None:
        """Adds known verdicts to the findings of an analysis before they are shown, and requests the rest."""
        examination, document = unit.examination, unit.answered
        if examination is None or document is None:
            return
        last = self._slices.get(unit.uri, {})
        findings = [replace(one, slice=last.get(_name(one))) for one in examination.result.findings]
        self._found[unit.uri] = document, findings
        if self.why_off(document.path) is not None or not findings:
            return
        if self._prober_of(document.path) is not None:
            self._apply(unit, findings)
        self._server.spawn(self._ask(unit, document), "findings could not be probed")

    def findings(self, unit: Unit) -> list[Finding]:
        """Returns the findings of the unit's newest analysis, refuted ones included."""
        return self._found.get(unit.uri, (None, []))[1]

    async def verdict(self, finding: Finding, path: str) -> Verdict | None:
        """Returns the verdict on one finding of a file; None when nothing can be run."""
        sliced = await self._sliced([finding])
        verdicts = await self._verdicts(sliced, path, lambda: self.why_off(path) is None)
        return verdicts[0] if verdicts else None

    def forget(self, unit: Unit) -> None:
        self._found.pop(unit.uri, None)
        self._slices.pop(unit.uri, None)

    def end(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)
        for prober in list(self._probers.values()):
            # One that is importing torch, or running a program, would see only after it that the result is not needed.
            prober.kill()

    async def _ask(self, unit: Unit, document: Document) -> None:
        """Requests verdicts until all are known or the text has changed, showing known ones now and then."""

        def is_current() -> bool:
            known = self._found.get(unit.uri, (None, []))[0]
            is_shown = known is document and unit.answered is document and unit.document is document
            return is_shown and not unit.closed and self.why_off(document.path) is None

        await asyncio.sleep(QUIET_SECONDS)
        if not is_current():
            return
        sliced = await self._sliced(self.findings(unit))
        if not is_current():
            return
        self._found[unit.uri] = document, sliced
        self._slices[unit.uri] = {_name(one): one.slice for one in sliced if one.slice is not None}
        if self._prober_of(document.path) is not None:
            self._apply(unit, sliced)
            self._server.show_verdicts(unit)
        wanted = self._unknown(sliced, document.path)
        while wanted:
            if await self._verdicts(wanted, document.path, is_current) is None or not is_current():
                return
            self._apply(unit, self.findings(unit))
            self._server.show_verdicts(unit)
            wanted = self._unknown(wanted, document.path)

    async def _sliced(self, findings: list[Finding]) -> list[Finding]:
        """Attaches the programs of the user's own statements, made in the probe's thread of the texts as they are now."""
        from torchlsp.engine.slices import with_slices

        texts = list(self._server.session.analyst.open_documents.values())
        problems: list[str] = []
        loop = asyncio.get_running_loop()
        sliced = await loop.run_in_executor(self._thread, with_slices, findings, texts, problems.append)
        for problem in problems:
            self._server.tell(f"internal error: {problem}", types.MessageType.Error)
        return sliced

    async def _verdicts(
        self, findings: list[Finding], path: str, is_wanted: Callable[[], bool]
    ) -> list[Verdict | None] | None:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._run, findings, path, is_wanted)

    def _run(
        self, findings: list[Finding], path: str, is_wanted: Callable[[], bool]
    ) -> list[Verdict | None] | None:
        """Runs programs in the probe's thread for a limited time. A worker that cannot be had is said once in
        the log, and asked for again later."""
        from torchlsp.engine.probing import Unavailable

        if not is_wanted():
            return None
        python = self._server.interpreter(path)[0]
        command = self._command(path)
        prober = self._prober_for(python, command)
        place = remote.shown(command) if command else python
        in_time = _in_time()
        try:
            if self._mistake is not None and command == ():
                raise Unavailable(self._mistake)
            if any(prober.known(one) is None for one in findings):
                self._check_lock(prober, place)
            verdicts = prober.verdicts(findings, wanted=lambda: next(in_time) and is_wanted())
        except Unavailable as reason:
            status = f"nothing can be probed: {reason}"
            if status != self.status:
                self.status = status
                self._server.session.loop.call_soon_threadsafe(self._server.log, status)
            return None
        if prober.torch is not None:
            self.status = f"torch {prober.torch} {'on' if command else 'in'} {place}"
        return verdicts

    def _command(self, path: str) -> tuple[str, ...]:
        """Returns the command that leads to the machine where torch is run for a file; empty for this one."""
        given = self._server.session.settings_of(path).probe_on
        return self._by_default if given is None else given

    def _prober_for(self, python: str, command: tuple[str, ...]) -> Prober:
        from torchlsp.engine.probe_places import prober_for
        from torchlsp.engine.probing import DEADLINE

        place = shlex.join(command) or python
        if place not in self._probers:
            meant = {python for _, python in self._server.interpreters()}
            # A worker holds a torch in memory: none stays that is not used any more.
            for other in self._probers.keys() - meant:
                self._probers.pop(other).close()
            self._probers[place] = prober_for(python, command, deadline=DEADLINE)
        return self._probers[place]

    def _prober_of(self, path: str) -> Prober | None:
        """Returns the prober for a file, if it was requested before."""
        return self._probers.get(shlex.join(self._command(path)) or self._server.interpreter(path)[0])

    def _check_lock(self, prober: Prober, place: str) -> None:
        """Allows a worker without an operating system sandbox only in workspaces that the editor trusts.
        Raises Unavailable."""
        from torchlsp.engine.probing import Unavailable

        if self._server.trusted:
            return
        if place not in self._unlocked and not prober.hello().is_locked:
            self._unlocked.add(place)
            prober.close()
        if place in self._unlocked:
            raise Unavailable(
                "programs cannot be sandboxed here, and the editor does not say that the workspace is trusted"
            )

    def _unknown(self, findings: list[Finding], path: str) -> list[Finding]:
        prober = self._prober_of(path)
        return [one for one in findings if prober is None or prober.known(one) is None]

    def _apply(self, unit: Unit, findings: list[Finding]) -> None:
        """Adds the known verdicts to what is shown of a unit."""
        from torchlsp.engine.probing import with_verdicts

        prober = self._prober_of(unit.document.path)
        if unit.examination is not None and prober is not None:
            verdicts = [prober.known(one) for one in findings]
            unit.examination.result.findings[:] = with_verdicts(findings, verdicts)


def _name(finding: Finding) -> tuple[str, str, str]:
    """Returns what a finding keeps while its text changes elsewhere."""
    return finding.rule, finding.scope, finding.message


def _in_time() -> Iterator[bool]:
    """Yields before each batch of a round whether there is time for it. There is for one, however long a
    worker takes to start."""
    ends = time.monotonic() + ROUND_SECONDS
    yield True
    while True:
        yield time.monotonic() < ends


def register(server: TorchServer) -> None:
    server.probing = Probing(server)

    @server.command(PROBE)
    async def probe(uri: str, rule: str, line: int) -> str | None:
        """Runs the program of a rule's finding on a line (from 0) now, and returns the outcome."""
        from torchlsp.report.words import verdict_words

        finding = _finding(server, uri, rule, line)
        if finding is None:
            return None
        path = server.session.path(uri)
        verdict = await server.probing.verdict(finding, path)
        unable = server.probing.why_off(path) or server.probing.status
        words = verdict_words(verdict) if verdict is not None else unable
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"{rule}: {words}"))
        return words

    @server.command(SCRIPT)
    async def script(uri: str, rule: str, line: int) -> str | None:
        """Returns the program of a finding as a script; shown in the editor where it can open a file."""
        from torchlsp.lint.reproducers import as_script

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
