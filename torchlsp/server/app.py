"""The server: pygls' protocol with our own texts, and the features registered on it."""

from __future__ import annotations

import asyncio
import gc
import itertools
import logging
import os
import tempfile
import traceback
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInternalError, JsonRpcMethodNotFound
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter

from torchlsp import __version__
from torchlsp.server.convert import Converter, path_of, uri_of
from torchlsp.server.session import Session, Unit
from torchlsp.server.settings import SECTION, EditorSettings, read_settings
from torchlsp.server.texts import offset_at

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

    from torchlsp.core.text import Document
    from torchlsp.engine.jedi_bridge import JediBridge
    from torchlsp.server.features.docs import Docs
    from torchlsp.server.features.probing import Probing

# pygls keeps its own copy of every text, split at other places than the protocol's; ours is the only one.
_TEXTS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
)
_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithCells(
            notebook=kind, cells=[types.NotebookCellLanguage(language="python")]
        )
        for kind in ("jupyter-notebook", "interactive")
    ],
    save=True,
)
# A first analysis that takes longer shows its progress.
_PATIENCE = 0.5
# Results that the client does not know of yet are announced together.
_REFRESH_AFTER = 0.05


class _Protocol(LanguageServerProtocol):
    def _register_builtin_features(self) -> None:
        super()._register_builtin_features()
        for method in _TEXTS:
            self.fm.builtin_features.pop(method, None)

    def _execute_handler(self, msg_id, handler, callback, args=None, kwargs=None) -> None:
        def finished(future) -> None:
            # pygls 2.1 lets go of the tasks of requests only; of notifications it would keep one for each key typed.
            self._request_futures.pop(msg_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, finished, args, kwargs)


class TorchServer(LanguageServer):
    """The session begins with `initialize`; before that there is none."""

    def __init__(self) -> None:
        super().__init__(
            "torchlsp",
            __version__,
            types.TextDocumentSyncKind.Incremental,
            _NOTEBOOKS,
            protocol_cls=_Protocol,
            converter_factory=default_converter,
            # It reads stdin; analyses have a thread of their own, so that they can never keep it from reading.
            max_workers=2,
        )
        self.session: Session = None  # type: ignore[assignment]
        self.left_without_shutdown = False
        self.reports = None
        self._names: JediBridge | None = None
        self._interpreters: dict[object, tuple[str, list[str]]] = {}
        self.probing: Probing = None  # type: ignore[assignment]
        self.docs: Docs = None  # type: ignore[assignment]
        self.trusted: bool | None = None
        """What the editor says of the workspace; None where it does not say."""
        self.initial_settings: object = {}
        self._told: set[str] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._refresh: asyncio.TimerHandle | None = None
        self._numbers = itertools.count(1)
        self._first_analysis: asyncio.TimerHandle | None = None

    # ---- what the client can ------------------------------------------------------------------------------------------

    def client_has(self, dotted: str) -> Any:
        """A capability of the client by its path (`workspace.diagnostics.refresh_support`); None where a part is
        missing."""
        found: Any = self.client_capabilities
        for name in dotted.split("."):
            found = getattr(found, name, None)
            if found is None:
                return None
        return found

    @property
    def pulls(self) -> bool:
        """Whether the client asks for diagnostics; then none are sent unasked, or they would show twice.

        One that cannot be told to ask again (Neovim 0.11) would show a verdict, or what another file's change leads
        to, only after the next edit: to such a client diagnostics are sent.
        """
        can_be_told = self.client_has("workspace.diagnostics.refresh_support")
        return bool(can_be_told) and self.client_has("text_document.diagnostic") is not None

    # ---- talking to the user ------------------------------------------------------------------------------------------

    def log(self, text: str, kind: types.MessageType = types.MessageType.Info) -> None:
        self.window_log_message(types.LogMessageParams(kind, text))

    def tell(
        self, text: str, kind: types.MessageType = types.MessageType.Warning, topic: str | None = None
    ) -> None:
        """Log a problem, and show the first of its topic, which is its first line unless named."""
        head = text.partition("\n")[0]
        topic = topic or head
        self.log(text, kind)
        if topic not in self._told:
            self._told.add(topic)
            self.window_show_message(types.ShowMessageParams(kind, f"torchlsp: {head}"))

    def failed(self, what: str, failure: BaseException) -> None:
        """A mistake of ours: the user is told once, the log has the traceback."""
        topic = f"internal error: {what}: {type(failure).__name__}"
        trail = "".join(traceback.format_exception(failure))
        if isinstance(failure, JsonRpcInternalError) and isinstance(failure.data, dict):
            # pygls keeps the real one here.
            trail = "".join(failure.data.get("traceback", ()))
        # The failure's own words may differ at each keystroke.
        self.tell(f"{topic}: {failure}\n{trail}", types.MessageType.Error, topic)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Instead of pygls' pop-up for every failed notification."""
        if isinstance(error, JsonRpcMethodNotFound):
            self.log(str(error))  # it is refused, and nobody's mistake
            return
        self.failed("a message could not be handled", error)

    def spawn(self, work: Coroutine[Any, Any, Any], what: str) -> None:
        """Do something that nobody waits for."""

        async def guarded() -> None:
            try:
                await work
            except asyncio.CancelledError:
                raise
            except Exception as failure:
                self.failed(what, failure)

        task = asyncio.get_running_loop().create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # ---- the session --------------------------------------------------------------------------------------------------

    def begin(self, params: types.InitializeParams) -> None:
        from torchlsp.server.features.diagnostics import Reports
        from torchlsp.server.features.docs import Docs
        from torchlsp.server.features.probing import Probing

        encoding = self.protocol.workspace.position_encoding
        folders = [folder.uri for folder in params.workspace_folders or ()]
        if not folders and params.root_uri:
            folders = [params.root_uri]
        elif not folders and params.root_path:
            folders = [uri_of(params.root_path)]
        roots = [path for path in map(path_of, folders) if path is not None]
        name = getattr(encoding, "value", encoding)
        self.session = Session(str(name), roots, self._changed, self.failed, self.tell)
        self.reports = Reports(self)
        self.probing = Probing(self)
        self.docs = Docs(self)
        options = params.initialization_options
        if isinstance(options, dict):
            # Trust is the editor's to give: a workspace's own settings must not be able to.
            trusted = options.get("trusted")
            self.trusted = trusted if isinstance(trusted, bool) else None
            rest = {key: value for key, value in options.items() if key != "trusted"}
            self.initial_settings = rest.get("settings", rest)
            self.apply_settings(self.initial_settings)
        if self.pulls:
            from torchlsp.server.features.diagnostics import register_pull

            register_pull(self)

    def apply_settings(self, table: object, folders: Mapping[str, object] | None = None) -> bool:
        """Take over the user's settings, and what is set otherwise for single folders; whether anything changed."""
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
        """Who is asked about names that the engine does not know; nothing runs before the first question."""
        if self._names is None:
            from torchlsp.engine.jedi_bridge import JediBridge

            self._names = JediBridge()
        return self._names

    def interpreter(self, path: str | None = None) -> tuple[str, list[str]]:
        """The Python that a file's folder of the workspace means (without a file, the first folder), and where it
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
        """Each folder of the workspace and the Python that it means; without folders, that of any file."""
        roots = self.session.roots
        return [(root, self.interpreter(os.path.join(root, ""))[0]) for root in roots] or [
            (None, self.interpreter()[0])
        ]

    def session_end(self) -> None:
        """No process of ours may outlive the editor. The one for names ends by itself, at once: its stdin closes with
        this process. Whatever is in the middle of something long is ended here."""
        if self.session is not None:
            self.session.end()
            self.probing.end()
            self.docs.end()

    def show_verdicts(self, unit: Unit) -> None:
        """Verdicts have come for what is shown already."""
        if self.reports.update(unit):
            if self.pulls:
                self.refresh()
            else:
                self.reports.publish(unit)

    async def show_text(self, name: str, text: str) -> None:
        """Open a new text in the editor, from a file that is nobody's."""
        folder = tempfile.mkdtemp(prefix="torchlsp-")
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        await self.window_show_document_async(types.ShowDocumentParams(uri=uri_of(path), take_focus=True))

    def _changed(self, unit: Unit, own_change: bool) -> None:
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
        """Have the client ask anew for what it shows, soon and once."""
        if self._refresh is None:
            self._refresh = asyncio.get_running_loop().call_later(_REFRESH_AFTER, self._refresh_now)

    def _refresh_now(self) -> None:
        self._refresh = None
        if self.pulls:
            self.spawn(self.workspace_diagnostic_refresh_async(None), "diagnostics could not be refreshed")
        if self.client_has("workspace.inlay_hint.refresh_support"):
            self.spawn(self.workspace_inlay_hint_refresh_async(None), "hints could not be refreshed")

    # ---- places -------------------------------------------------------------------------------------------------------

    def place(self, uri: str, position: types.Position) -> tuple[Unit, int] | None:
        """The unit that a text belongs to, and the offset in it; None when the text is not open."""
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

    def workspace_edit(
        self, edits: Mapping[str, list[types.TextEdit]], versions: Mapping[str, int | None]
    ) -> types.WorkspaceEdit:
        """In the form with versions where the client has it."""
        if self.client_has("workspace.workspace_edit.document_changes"):
            return types.WorkspaceEdit(
                document_changes=[
                    types.TextDocumentEdit(
                        types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=versions.get(uri)),
                        changes,
                    )
                    for uri, changes in edits.items()
                ]
            )
        return types.WorkspaceEdit(changes=dict(edits))

    # ---- progress -----------------------------------------------------------------------------------------------------

    async def progress(self, title: str) -> Progress:
        """A progress report in the client, where it shows any."""
        token = f"torchlsp-{next(self._numbers)}"
        if not self.client_has("window.work_done_progress"):
            return Progress(self, None)
        try:
            await self.work_done_progress.create_async(token)
        except Exception:  # a client that refuses the token shows nothing
            return Progress(self, None)
        self.work_done_progress.begin(
            token, types.WorkDoneProgressBegin(title=title, percentage=0, cancellable=False)
        )
        return Progress(self, token)

    async def show_first_analysis(self, unit: Unit) -> None:
        """Says so when the first analysis, which loads the operator tables, takes long."""
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


class Progress:
    """A running progress report; without a token, none."""

    def __init__(self, server: TorchServer, token: str | None) -> None:
        self._server = server
        self._token = token

    def report(self, percentage: int, text: str) -> None:
        if self._token is not None:
            value = types.WorkDoneProgressReport(message=text, percentage=percentage)
            self._server.work_done_progress.report(self._token, value)

    def end(self) -> None:
        if self._token is not None:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd())


class _ToClient(logging.Handler):
    """pygls' own warnings go into the client's log: editors show stderr as errors."""

    def __init__(self, server: TorchServer) -> None:
        super().__init__(logging.WARNING)
        self._server = server
        # Answers and cancellations cross on their way: VS Code cancels answered requests with every few keys.
        self.addFilter(lambda record: not str(record.msg).startswith("Cancel notification for unknown"))

    def emit(self, record: logging.LogRecord) -> None:
        if self._server.session is not None:
            kind = types.MessageType.Error if record.levelno >= logging.ERROR else types.MessageType.Warning
            self._server.log(self.format(record), kind)


def make_server() -> TorchServer:
    """The server with all features, not yet started."""
    from torchlsp.server.features import actions, commands, diagnostics, hints, hover, probing, sync

    gc.set_threshold(50_000, 20, 50)
    server = TorchServer()
    logger = logging.getLogger("pygls")
    logger.handlers = [_ToClient(server)]
    logger.propagate = False
    for feature in (sync, diagnostics, hover, hints, actions, commands, probing):
        feature.register(server)
    return server
