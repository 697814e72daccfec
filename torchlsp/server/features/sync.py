"""Opens, changes and closes the session and its texts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from torchlsp.core.project import REQUIREMENT_FILES, is_requirement_file
from torchlsp.server.convert import path_of, uri_of
from torchlsp.server.features.configuration import CONFIGURATION_FILES
from torchlsp.server.features.diagnostics import register_pull
from torchlsp.server.notebooks import Notebook
from torchlsp.server.settings import SECTION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torchlsp.server.app import TorchServer

_WATCHED = (*(f"**/{name}" for name in dict.fromkeys(("torchlsp.toml", *REQUIREMENT_FILES))), "**/*.py")


def _decides_how_to_check(name: str) -> bool:
    """Returns whether a file of this name is a configuration, or says which torch a project requires."""
    return name in CONFIGURATION_FILES or is_requirement_file(name)


def register(server: TorchServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.begin(params)
        if server.pulls:
            register_pull(server)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        if server.client_has("workspace.configuration"):
            server.spawn(_ask_settings(server), "the settings could not be read")
        dynamic = []
        if server.client_has("workspace.did_change_watched_files.dynamic_registration"):
            watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            dynamic.append(("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
        if server.client_has("workspace.did_change_configuration.dynamic_registration"):
            options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
            dynamic.append(("settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options))
        if dynamic:
            registrations = [types.Registration(f"torchlsp-{name}", method, o) for name, method, o in dynamic]
            server.spawn(
                server.client_register_capability_async(types.RegistrationParams(registrations)),
                "the client refused to watch files",
            )

    @server.feature(types.EXIT)
    def leave(*_: Any) -> None:
        server.left_without_shutdown = not server.protocol._shutdown

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def did_open(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        if server.session.unit_of(item.uri) is not None and item.uri not in server.session.units:
            return  # a notebook's cell, which comes with its notebook
        if item.language_id != "python":
            server.session.open_plain(item.uri, item.text, item.version)
            server.configurations.changed(item.uri)
            return
        first = not server.session.units
        unit = server.session.open_text(item.uri, item.text, item.version)
        server.reports.forget_unopened(item.uri)
        server.records.begin()
        if first:
            server.spawn(server.show_first_analysis(unit), "progress could not be shown")

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        server.session.change_text(document.uri, document.version, list(params.content_changes))
        server.configurations.changed(document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def did_save(params: types.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.session.saved(uri)
        watches = server.client_has("workspace.did_change_watched_files.dynamic_registration")
        if not watches and server.configurations.is_configuration(uri):
            await _reconfigure(server)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def did_close(params: types.DidCloseTextDocumentParams) -> None:
        _close(server, params.text_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    async def notebook_did_open(params: types.DidOpenNotebookDocumentParams) -> None:
        server.session.open_notebook(Notebook(params))
        server.records.begin()

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    async def notebook_did_change(params: types.DidChangeNotebookDocumentParams) -> None:
        notebook = server.session.notebooks.get(params.notebook_document.uri)
        if notebook is not None:
            notebook.change(params, server.session.encoding)
            server.session.update_notebook(notebook)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    async def notebook_did_save(params: types.DidSaveNotebookDocumentParams) -> None:
        server.session.saved(params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    async def notebook_did_close(params: types.DidCloseNotebookDocumentParams) -> None:
        _close(server, params.notebook_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def settings_changed(params: types.DidChangeConfigurationParams) -> None:
        if server.client_has("workspace.configuration"):
            await _ask_settings(server)
        elif params.settings:
            _use(server, params.settings)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        named = [(change, path_of(change.uri)) for change in params.changes]
        paths = [path for _, path in named if path is not None]
        if any(_decides_how_to_check(os.path.basename(path)) for path in paths):
            await _reconfigure(server)
        modules = [path for path in paths if path.endswith(".py")]
        if modules:
            came_or_went = any(
                change.type != types.FileChangeType.Changed for change, path in named if path in modules
            )
            server.session.files_changed(modules, listings=came_or_went)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        roots = server.session.roots
        for folder in params.event.removed:
            path = path_of(folder.uri)
            if path in roots:
                roots.remove(path)
        for folder in params.event.added:
            path = path_of(folder.uri)
            if path is not None and path not in roots:
                roots.append(path)
        if server.client_has("workspace.configuration"):
            await _ask_settings(server)


async def _reconfigure(server: TorchServer) -> None:
    """Reads the configuration files again, and checks everything by them."""
    await server.session.run(server.session.analyst.reconfigure)
    server.configurations.forget()
    server.session.check_again()


def _close(server: TorchServer, uri: str) -> None:
    server.configurations.closed(uri)
    unit = server.session.close(uri)
    if unit is not None:
        server.reports.close(unit)
        server.probing.forget(unit)


async def _ask_settings(server: TorchServer) -> None:
    """Requests the settings of the workspace, then of each folder, which may have its own interpreter."""
    roots = list(server.session.roots)
    items = [types.ConfigurationItem(section=SECTION)]
    items.extend(types.ConfigurationItem(scope_uri=uri_of(root), section=SECTION) for root in roots)
    answers = await server.workspace_configuration_async(types.ConfigurationParams(items))
    if answers:
        # Where the user has set nothing, or nothing any more, what the client began with holds.
        whole = answers[0] or server.initial_settings
        _use(server, whole, {root: one or whole for root, one in zip(roots, answers[1:], strict=False)})


def _use(server: TorchServer, table: object, folders: Mapping[str, object] | None = None) -> None:
    if server.apply_settings(table, folders):
        server.session.check_again()
        server.refresh()
