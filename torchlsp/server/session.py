"""Holds an editor's session: its open texts and their results.

An open file or notebook is a *unit*. After a change its analysis is cancelled and begun again a moment later, on
the newest text; a request that needs a result waits for that one. All of this runs in the event loop, the analysis in a
thread of its own.
"""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torchlsp.core.cancel import Cancelled, CancelToken
from torchlsp.server.analyst import Analyst
from torchlsp.server.caller_search import CallerSearch
from torchlsp.server.convert import path_of, place_name
from torchlsp.server.details import Details
from torchlsp.server.settings import EditorSettings
from torchlsp.server.texts import changed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torchlsp.core.text import Document
    from torchlsp.engine.examination import Examination
    from torchlsp.server.analyst import Examined
    from torchlsp.server.notebooks import Notebook

# A file that others import has changed: they are checked once typing has paused.
_DEPENDANTS_AFTER = 0.3
# The first result is on its way to the editor before garbage is collected, which stops everything.
_SETTLED_AFTER = 0.05
# When nothing was asked for this long, garbage is collected.
_IDLE = 5.0


@dataclass(slots=True, eq=False)
class Unit:
    """A text that is analysed as a whole. `examined` is the newest result; `intact` the newest of a text that
    parsed; `answered` the document that `examined` is about."""

    uri: str
    document: Document
    examined: Examined | None = None
    answered: Document | None = None
    intact: Examination | None = None
    read: frozenset[str] = frozenset()
    token: CancelToken = field(default_factory=CancelToken)
    task: asyncio.Task[None] | None = None
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    closed: bool = False
    is_looked_at: bool = False
    """Whether the editor has asked for values of the text."""
    undetailed: Examined | None = None
    """The result that could not be made more detailed."""
    searched: Document | None = None
    """The text whose callers on disk were analysed."""
    callers_read: frozenset[str] = frozenset()
    """The real paths of the files that the analyses of its callers have read."""

    @property
    def is_current(self) -> bool:
        return self.answered is self.document

    @property
    def examination(self) -> Examination | None:
        return None if self.examined is None else self.examined.examination

    @property
    def uris(self) -> tuple[str, ...]:
        """Returns the URIs that diagnostics are published for: the file, or each code cell."""
        cells = tuple(cell.uri for cell in self.document.cells if cell.uri is not None)
        return cells or (self.uri,)


class Session:
    """The open texts of an editor. `changed` is called in the event loop after each analysis that was not
    discarded: with the unit, and whether the client knows of the change (its own edit of the text) or must be
    notified. `detailed` is called when more is known of a text's values than before."""

    def __init__(
        self,
        encoding: str,
        roots: list[str],
        changed: Callable[[Unit, bool], None],
        failed: Callable[[str, BaseException], None],
        told: Callable[[str], None],
        detailed: Callable[[], None],
    ) -> None:
        self.encoding = encoding
        self.roots = roots
        self.settings = EditorSettings()
        self.folder_settings: dict[str, EditorSettings] = {}
        """What the editor says of single folders of the workspace, where it says it."""
        self.analyst = Analyst()
        self.analyst.root_of, self.analyst.settings_of = self.root_of, self.settings_of
        self.units: dict[str, Unit] = {}
        self.notebooks: dict[str, Notebook] = {}
        self.plain: dict[str, Document] = {}
        """Open texts that are not Python, such as configuration files."""
        self._changed = changed
        self.failed = failed
        self._told = told
        self.loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(1, "analysis")
        self._aside = ThreadPoolExecutor(1, "workspace")
        self.details = Details(self, self._thread, detailed)
        self.callers = CallerSearch(self, self._thread)
        self._idle: asyncio.TimerHandle | None = None

    # ---- texts -------------------------------------------------------------------------------------------------------

    def open_text(self, uri: str, text: str, version: int | None) -> Unit:
        from torchlsp.core.text import Document

        return self._put(Document(self.path(uri), text, uri=uri, version=version))

    def open_plain(self, uri: str, text: str, version: int | None) -> None:
        """Opens a text that is kept up to date and not analysed."""
        from torchlsp.core.text import Document

        self.plain[uri] = Document(self.path(uri), text, uri=uri, version=version)

    def change_text(self, uri: str, version: int | None, changes: list[Any]) -> None:
        if uri in self.plain:
            self.plain[uri] = changed(self.plain[uri], changes, version, self.encoding)
        unit = self.units.get(uri)
        if unit is not None:
            self._replace(unit, changed(unit.document, changes, version, self.encoding))

    def open_notebook(self, notebook: Notebook) -> Unit:
        self.notebooks[notebook.uri] = notebook
        return self._put(notebook.document(self.path(notebook.uri)))

    def update_notebook(self, notebook: Notebook) -> None:
        """Updates a notebook whose cells or their texts have changed."""
        unit = self.units.get(notebook.uri)
        if unit is not None:
            self._replace(unit, notebook.document(self.path(notebook.uri)))

    def close(self, uri: str) -> Unit | None:
        self.plain.pop(uri, None)
        unit = self.units.pop(uri, None)
        self.notebooks.pop(uri, None)
        if unit is not None:
            unit.closed = True
            unit.token.cancel()
            if unit.task is not None:
                unit.task.cancel()
            unit.ready.set()
            self.analyst.open_documents.pop(os.path.realpath(unit.document.path), None)
            self._schedule_dependants(unit)
            self.loop.create_task(self._forget_caller(unit.document.path))
        return unit

    def saved(self, uri: str) -> None:
        unit = self.units.get(uri)
        if unit is not None and not unit.is_current and self._settings(unit).run == "onSave":
            self.schedule(unit, 0, own_change=False)

    def unit_of(self, uri: str) -> Unit | None:
        """Returns the unit of a file, a notebook or one of a notebook's cells."""
        unit = self.units.get(uri)
        if unit is not None:
            return unit
        for notebook in self.notebooks.values():
            if uri in notebook.texts:
                return self.units.get(notebook.uri)
        return None

    def path(self, uri: str) -> str:
        """Returns the path of a text; one that was never saved counts as a file of the first folder."""
        path = path_of(uri)
        if path is not None:
            return path
        name = place_name(uri)
        if os.path.isabs(name):
            return name
        folder = self.roots[0] if self.roots else os.getcwd()
        return os.path.join(folder, os.path.basename(name) or "untitled")

    def root_of(self, path: str) -> str | None:
        """Returns the innermost workspace folder that holds a file; None outside all."""
        above = [root for root in self.roots if path.startswith(root.rstrip(os.sep) + os.sep)]
        return max(above, key=len, default=None)

    def settings_of(self, path: str) -> EditorSettings:
        """Returns the settings of the workspace folder that holds a file."""
        root = self.root_of(path)
        return self.folder_settings.get(root, self.settings) if root is not None else self.settings

    # ---- analysis ----------------------------------------------------------------------------------------------------

    def schedule(self, unit: Unit, delay: float, *, own_change: bool) -> None:
        """Schedules an analysis of the newest text, after `delay` seconds."""
        self.callers.end()
        unit.token.cancel()
        unit.token = CancelToken()
        if unit.task is not None:
            unit.task.cancel()
        unit.ready.clear()
        unit.task = asyncio.get_running_loop().create_task(self._analyse(unit, delay, unit.token, own_change))

    async def examined(self, unit: Unit, patience: float | None = None) -> Examined | None:
        """Returns the result for the unit's newest text; None when it was closed. After `patience` seconds
        the newest result there is."""
        if self._settings(unit).run == "onSave" and unit.examined is not None:
            return unit.examined
        loop = asyncio.get_running_loop()
        deadline = None if patience is None else loop.time() + patience
        while not unit.closed and not unit.ready.is_set():
            left = None if deadline is None else max(deadline - loop.time(), 0)
            try:
                await asyncio.wait_for(unit.ready.wait(), left)
            except asyncio.TimeoutError:
                break
        return None if unit.closed else unit.examined

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Runs a function in the analysis thread, before what only makes facts more detailed or reads callers."""
        self.details.wait()
        self.callers.wait()
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)

    async def run_aside(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Runs a long task that shares nothing with the open texts, while these are analysed as usual."""
        return await asyncio.get_running_loop().run_in_executor(self._aside, function, *arguments)

    def check_again(self) -> None:
        """Analyses everything open again, after settings, configuration or other files have changed."""
        for unit in self.units.values():
            self.schedule(unit, 0, own_change=False)

    def files_changed(self, paths: list[str], *, listings: bool) -> None:
        """Handles files that changed on disk. With `listings` some were created or deleted, so that imports
        may resolve differently."""
        if listings:
            self.analyst.forget_listings()
            self.callers.files_changed()
            self.check_again()
            return
        real = {os.path.realpath(path) for path in paths}
        if real - self.analyst.open_documents.keys():
            self.callers.files_changed()
        for unit in self.units.values():
            if unit.read & real:
                self.schedule(unit, _DEPENDANTS_AFTER, own_change=False)

    def end(self) -> None:
        for unit in self.units.values():
            unit.closed = True
            unit.token.cancel()
        self.details.end()
        self.callers.end()
        if self._idle is not None:
            self._idle.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._aside.shutdown(wait=False, cancel_futures=True)

    def _put(self, document: Document) -> Unit:
        unit = Unit(document.uri, document)
        before = self.units.get(unit.uri)
        if before is not None:
            before.closed = True
            before.token.cancel()
            before.ready.set()
        self.units[unit.uri] = unit
        self._remember(unit)
        self.schedule(unit, 0, own_change=True)
        for other in self.units.values():
            self._place_again(other)
        return unit

    def _replace(self, unit: Unit, document: Document) -> None:
        unit.document = document
        self._remember(unit)
        settings = self._settings(unit)
        if settings.run == "onType":
            self.schedule(unit, settings.debounce, own_change=True)

    def _settings(self, unit: Unit) -> EditorSettings:
        return self.settings_of(unit.document.path)

    def _remember(self, unit: Unit) -> None:
        if not unit.document.cells:
            self.analyst.open_documents[os.path.realpath(unit.document.path)] = unit.document

    async def _analyse(self, unit: Unit, delay: float, token: CancelToken, own_change: bool) -> None:
        await asyncio.sleep(delay)
        document, settings = unit.document, self._settings(unit)
        try:
            examined = await self.run(self.analyst.examine, document, settings, token.check)
        except Cancelled:
            return
        except Exception as failure:
            self.failed(f"{document.path} could not be analysed", failure)
            if unit.document is document:
                unit.answered = document
                unit.ready.set()
            return
        # A text that was opened with changes, or changed before it was first checked, is news to those that import it.
        is_news = unit.examined is not None
        if not is_news and any(self._dependants(unit)):
            is_news = not await self.run(self.analyst.is_on_disk, document)
        if unit.closed or token.is_cancelled:
            return
        try:
            self._take(unit, document, examined, own_change, is_news)
        except Exception as failure:
            self.failed(f"what was found in {document.path} could not be shown", failure)

    def _take(
        self, unit: Unit, document: Document, examined: Examined, own_change: bool, is_news: bool
    ) -> None:
        """Stores a finished analysis and reports it. With `is_news`, also to the texts that import this one,
        if it has changed."""
        known = () if unit.examined is None else unit.examined.problems
        for problem in (*examined.problems, *examined.examination.result.internal_errors):
            if problem not in known:
                self._told(problem)
        if examined.examination.is_cut_short:
            head = f"{document.path}: the file is too large to be analysed whole"
            self._told("\n".join((head, *examined.examination.result.stopped)))
        text_changed = unit.answered is not document
        unit.examined, unit.answered, unit.read = examined, document, examined.read
        if not examined.examination.tree.problems:
            unit.intact = examined.examination
        unit.ready.set()
        self._changed(unit, own_change)
        if not self.analyst.is_settled:
            self.loop.call_later(_SETTLED_AFTER, self._settle)
        if text_changed:
            self.callers.text_changed(unit)
            if is_news:
                self._schedule_dependants(unit)
        self._place_again(unit)
        self.show_callers()
        self.details.wait()
        self.callers.wait()
        self._await_idleness()

    def _settle(self) -> None:
        with suppress(RuntimeError):  # the session has ended meanwhile
            self._thread.submit(self.analyst.settle)

    def _place_again(self, unit: Unit) -> None:
        """Analyses a text again whose calls lead to a finding in a file that was opened or closed since."""
        led_to = {} if unit.examined is None else unit.examined.led_to
        if any((path in self.analyst.open_documents) != was_open for path, was_open in led_to.items()):
            self.schedule(unit, _DEPENDANTS_AFTER, own_change=False)

    def show_callers(self) -> None:
        """Shows in open texts what the calls of other files lead to, where that has changed."""
        for unit in self.units.values():
            examined = unit.examined
            if examined is None or not unit.is_current or not unit.ready.is_set():
                continue
            if examined.callers_version != self.analyst.callers.version(examined.path):
                self.loop.create_task(self._show_callers(unit, examined))

    async def _show_callers(self, unit: Unit, examined: Examined) -> None:
        findings = await self.loop.run_in_executor(self._thread, self.analyst.with_callers, examined)
        if findings is not None and unit.examined is examined and not unit.closed:
            examined.examination.show(findings)
            self._changed(unit, False)

    async def _forget_caller(self, path: str) -> None:
        await self.loop.run_in_executor(self._thread, self.analyst.forget_caller, path)
        self.show_callers()
        self.callers.files_changed()

    def _schedule_dependants(self, unit: Unit) -> None:
        for other in self._dependants(unit):
            self.schedule(other, _DEPENDANTS_AFTER, own_change=False)

    def _dependants(self, unit: Unit) -> Iterator[Unit]:
        path = os.path.realpath(unit.document.path)
        return (other for other in self.units.values() if other is not unit and path in other.read)

    def _await_idleness(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(
            _IDLE, lambda: self._thread.submit(self.analyst.tidy)
        )
