"""Holds what the features share: the session, settings, interpreters and places in open texts."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from lsprotocol import types

from torchlsp.server.client import ClientServer
from torchlsp.server.convert import Converter, path_of, uri_of
from torchlsp.server.session import Session, Unit
from torchlsp.server.settings import SECTION, EditorSettings, read_settings
from torchlsp.server.texts import offset_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torchlsp.core.text import Document
    from torchlsp.engine.jedi_bridge import JediBridge
    from torchlsp.server.features.configuration import ConfigurationReports
    from torchlsp.server.features.diagnostics import Reports
    from torchlsp.server.features.docs import Docs
    from torchlsp.server.features.names import ResolvedNames
    from torchlsp.server.features.probing import Probing
    from torchlsp.server.record_watch import RecordWatch

# A first analysis that takes longer shows its progress.
_PATIENCE = 0.5
# Results that the client does not know of yet are announced together.
_REFRESH_AFTER = 0.05


class TorchServer(ClientServer):
    """The session begins with `initialize`; before that there is none. A feature sets its part when it is registered."""

    reports: Reports
    probing: Probing
    docs: Docs
    configurations: ConfigurationReports
    records: RecordWatch

    def __init__(self) -> None:
        super().__init__()
        self.session: Session = None  # type: ignore[assignment]
        self.left_without_shutdown = False
        self.for_agent = False
        """Whether a coding agent is served, which acts on all that it reads."""
        self._names: JediBridge | None = None
        self._resolved_names: ResolvedNames | None = None
        self._interpreters: dict[object, tuple[str, list[str]]] = {}
        self.trusted: bool | None = None
        """What the editor says about trust in the workspace; None where it does not say."""
        self.initial_settings: object = {}
        self._refresh: asyncio.TimerHandle | None = None
        self._first_analysis: asyncio.TimerHandle | None = None

    # ---- the session --------------------------------------------------------------------------------------------------

    def begin(self, params: types.InitializeParams) -> None:
        encoding = self.protocol.workspace.position_encoding
        folders = [folder.uri for folder in params.workspace_folders or ()]
        if not folders and params.root_uri:
            folders = [params.root_uri]
        elif not folders and params.root_path:
            folders = [uri_of(params.root_path)]
        roots = [path for path in map(path_of, folders) if path is not None]
        name = getattr(encoding, "value", encoding)
        self.session = Session(str(name), roots, self._changed, self.failed, self.tell, self.refresh_hints)
        options = params.initialization_options
        if isinstance(options, dict):
            # Trust is the editor's to give: a workspace's own settings must not be able to.
            trusted = options.get("trusted")
            self.trusted = trusted if isinstance(trusted, bool) else None
            self.records.announces = options.get("recordsChanged") is True
            rest = {key: value for key, value in options.items() if key not in ("trusted", "recordsChanged")}
            self.initial_settings = rest.get("settings", rest)
            self.apply_settings(self.initial_settings)

    def apply_settings(self, table: object, folders: Mapping[str, object] | None = None) -> bool:
        """Applies the user's settings, and those of single folders; returns whether anything changed."""
        settings = self._read(table)
        of_folders = {root: self._read(one) for root, one in (folders or {}).items()}
        session = self.session
        changed = (settings, of_folders) != (session.settings, session.folder_settings)
        session.settings, session.folder_settings = settings, of_folders
        return changed

    def _read(self, table: object) -> EditorSettings:
        if isinstance(table, dict) and set(table) == {SECTION}:
            table = table[SECTION]
        settings, problems = read_settings(table, EditorSettings(trusted=self.trusted is True))
        for problem in problems:
            self.tell(problem)
        return settings

    def names(self) -> JediBridge:
        """Returns the bridge that resolves names unknown to the engine. No process starts before the first
        question."""
        if self._names is None:
            from torchlsp.engine.jedi_bridge import JediBridge

            self._names = JediBridge()
        return self._names

    def resolved_names(self) -> ResolvedNames:
        """Returns the answers of that bridge about one text."""
        if self._resolved_names is None:
            from torchlsp.server.features.names import ResolvedNames

            self._resolved_names = ResolvedNames()
        return self._resolved_names

    def interpreter(self, path: str | None = None) -> tuple[str, list[str]]:
        """Returns the Python of a file's workspace folder (without a file, of the first folder), and where it
        imports installed packages from."""
        roots = self.session.roots
        root = self.session.root_of(path) if path is not None else None
        root = root or (roots[0] if roots else None)
        settings = self.session.folder_settings.get(root or "", self.session.settings)
        key = (settings.interpreter, settings.trusted, root)
        if key not in self._interpreters:
            from torchlsp.engine.interpreters import choose, site_packages

            chosen = choose(setting=settings.interpreter, workspace=root, trusted=settings.trusted)
            if chosen.problem:
                self.session.loop.call_soon_threadsafe(self.tell, chosen.problem)
            self._interpreters[key] = (chosen.path, site_packages(chosen.path))
        return self._interpreters[key]

    def interpreters(self) -> list[tuple[str | None, str]]:
        """Returns each workspace folder with its Python; without folders, the Python of any file."""
        roots = self.session.roots
        return [(root, self.interpreter(os.path.join(root, ""))[0]) for root in roots] or [
            (None, self.interpreter()[0])
        ]

    def session_end(self) -> None:
        """Ends all processes of the session, so that none outlives the editor. The one for names ends by
        itself, at once: its stdin closes with this process. Whatever is in the middle of something long is
        ended here."""
        if self.session is not None:
            self.session.end()
            self.probing.end()
            self.docs.end()
            self.records.end()

    def show_verdicts(self, unit: Unit) -> None:
        """Shows verdicts that have arrived for findings shown already."""
        if self.reports.update(unit):
            if self.pulls:
                self.refresh()
            else:
                self.reports.publish(unit)

    def _changed(self, unit: Unit, own_change: bool) -> None:
        if unit.examined is not None and unit.examined.refused is not None:
            self.configurations.refused(unit.examined.refused)
        self.probing.settle(unit)
        news = self.reports.update(unit)
        if not self.pulls:
            self.reports.publish(unit)
        elif news and (not own_change or unit.uri in self.session.notebooks):
            # Of a notebook's cells the client asks for the one that was edited.
            self.refresh()
        if not own_change and not self.pulls:
            self.refresh()

    def refresh(self) -> None:
        """Asks the client to request again what it shows, soon and once."""
        if self._refresh is None:
            self._refresh = asyncio.get_running_loop().call_later(_REFRESH_AFTER, self._refresh_now)

    def refresh_hints(self) -> None:
        """Asks the client to request inlay hints again."""
        if self.client_has("workspace.inlay_hint.refresh_support"):
            self.spawn(self.workspace_inlay_hint_refresh_async(None), "hints could not be refreshed")

    def _refresh_now(self) -> None:
        self._refresh = None
        if self.pulls:
            self.spawn(self.workspace_diagnostic_refresh_async(None), "diagnostics could not be refreshed")
        self.refresh_hints()

    # ---- places -------------------------------------------------------------------------------------------------------

    def place(self, uri: str, position: types.Position) -> tuple[Unit, int] | None:
        """Returns the unit that a text belongs to, and the offset in it; None when the text is not open."""
        unit = self.session.unit_of(uri)
        if unit is None:
            return None
        notebook = self.session.notebooks.get(unit.uri)
        if notebook is None:
            return unit, offset_at(unit.document, position, self.session.encoding)
        for cell in unit.document.cells:
            if cell.uri == uri:
                offset = offset_at(notebook.texts[uri], position, self.session.encoding)
                return unit, min(cell.span.start + offset, cell.span.end)
        return None

    def converter(self, document: Document) -> Converter:
        return Converter(document, self.session.encoding)

    # ---- progress -----------------------------------------------------------------------------------------------------

    async def show_first_analysis(self, unit: Unit) -> None:
        """Informs the user when the first analysis, which loads the operator tables, takes long."""
        try:
            await asyncio.wait_for(asyncio.shield(self._ready(unit)), _PATIENCE)
        except asyncio.TimeoutError:
            progress = await self.progress("torchlsp: reading the code")
            try:
                await self._ready(unit)
            finally:
                progress.end()

    async def _ready(self, unit: Unit) -> None:
        await self.session.examined(unit)
