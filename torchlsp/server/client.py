"""Talks to the editor: its capabilities, messages, progress, edits and new texts."""

from __future__ import annotations

import asyncio
import itertools
import os
import tempfile
import traceback
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter

from torchlsp import __version__
from torchlsp.server.convert import uri_of

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

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


_SKIPPED = object()
"""Stands for a message that is refused or malformed, and needs no more handling."""


class _Protocol(LanguageServerProtocol):
    _is_initialized = False

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

    def structure_message(self, data):
        """Converts the JSON of a message. A request that is malformed is answered with the reason, and anything else logged;
        pygls would call both an internal error."""
        try:
            return super().structure_message(data)
        except JsonRpcException:
            number, method = data.get("id"), data.get("method")
            if method is None or isinstance(number, bool) or not isinstance(number, int | str):
                self._server.log(f"a malformed message was skipped: {str(method)[:100]}")
                return _SKIPPED
            refusal = JsonRpcInvalidParams if isinstance(method, str) else JsonRpcInvalidRequest
            self._refuse(number, refusal())
            return _SKIPPED

    def handle_message(self, message) -> None:
        if message is _SKIPPED:
            return
        if not hasattr(message, "jsonrpc") or not isinstance(getattr(message, "method", ""), str):
            self._server.log("a message without a version of the protocol, or a method, was skipped")
        elif isinstance(message, types.CancelNotification) and not isinstance(message.params.id, int | str):
            self._server.log("a cancellation of no request was skipped")
        elif isinstance(message, types.InitializeRequest) and self._is_initialized:
            # It would begin with a new workspace, in which no text is open.
            self._refuse(message.id, JsonRpcInvalidRequest("the server is initialized already"))
        else:
            self._is_initialized |= isinstance(message, types.InitializeRequest)
            if isinstance(message, types.ShutdownRequest):
                # pygls cancels them while it goes through the table that they then take themselves out of.
                for future in list(self._request_futures.values()):
                    future.cancel()
            super().handle_message(message)

    def _refuse(self, number: int | str, refusal: JsonRpcException) -> None:
        self._send_response(number, None, refusal.to_response_error())


class ClientServer(LanguageServer):
    """Sends messages to the client and knows what it can show, but nothing about code."""

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
        self._told: set[str] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._numbers = itertools.count(1)

    # ---- what the client can ------------------------------------------------------------------------------------------

    def client_has(self, dotted: str) -> Any:
        """Returns a capability of the client by its path (`workspace.diagnostics.refresh_support`). None
        where a part is missing."""
        found: Any = self.client_capabilities
        for name in dotted.split("."):
            found = getattr(found, name, None)
            if found is None:
                return None
        return found

    @property
    def pulls(self) -> bool:
        """Returns whether the client asks for diagnostics. Then none are sent unasked, or they would show
        twice.

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
        """Logs a problem, and shows the first of its topic, which is its first line unless named."""
        head = text.partition("\n")[0]
        topic = topic or head
        self.log(text, kind)
        if topic not in self._told:
            self._told.add(topic)
            self.window_show_message(types.ShowMessageParams(kind, f"torchlsp: {head}"))

    def failed(self, what: str, failure: BaseException) -> None:
        """Reports an internal error: informs the user once and logs the traceback."""
        topic = f"internal error: {what}: {type(failure).__name__}"
        trail = "".join(traceback.format_exception(failure))
        if isinstance(failure, JsonRpcInternalError) and isinstance(failure.data, dict):
            # pygls keeps the real one here.
            trail = "".join(failure.data.get("traceback", ()))
        # The failure's own words may differ at each keystroke.
        self.tell(f"{topic}: {failure}\n{trail}", types.MessageType.Error, topic)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Logs a failed notification, instead of pygls' pop-up for every one."""
        if isinstance(error, JsonRpcException) and not isinstance(error, JsonRpcInternalError):
            self.log(str(error)[:500])  # the request is refused, which is not an error of ours
            return
        if isinstance(error, ValueError | RecursionError):
            # What fails while a message is handled is a JsonRpcInternalError.
            self.log(f"a malformed message was skipped: {type(error).__name__}")
            return
        self.failed("a message could not be handled", error)

    def spawn(self, work: Coroutine[Any, Any, Any], what: str) -> None:
        """Starts a task without waiting for it."""

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

    # ---- edits, texts and progress -----------------------------------------------------------------------------------

    def workspace_edit(
        self, edits: Mapping[str, list[types.TextEdit]], versions: Mapping[str, int | None]
    ) -> types.WorkspaceEdit:
        """Returns a workspace edit, in the form with versions where the client supports it."""
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

    async def show_text(self, name: str, text: str) -> None:
        """Opens a new text in the editor that belongs to no file."""
        folder = tempfile.mkdtemp(prefix="torchlsp-")
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        await self.window_show_document_async(types.ShowDocumentParams(uri=uri_of(path), take_focus=True))

    async def progress(self, title: str) -> Progress:
        """Shows a progress report in the client, where it supports any."""
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


class Progress:
    """A running progress report; without a token, none."""

    def __init__(self, server: ClientServer, token: str | None) -> None:
        self._server = server
        self._token = token

    def report(self, percentage: int, text: str) -> None:
        if self._token is not None:
            value = types.WorkDoneProgressReport(message=text, percentage=percentage)
            self._server.work_done_progress.report(self._token, value)

    def end(self) -> None:
        if self._token is not None:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd())
