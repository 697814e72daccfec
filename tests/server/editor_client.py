"""pytest-lsp's client with texts of its own, and the same words whether it asks for diagnostics or is sent them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import client_text
from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from pathlib import Path

    from client_profiles import Profile

LIMIT = 30.0


class Editor(LanguageClient):
    """`sent` are the diagnostics that came unasked, in their order."""

    profile: Profile
    folder: Path
    encoding: str
    offered: types.ServerCapabilities

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.sent: list[types.PublishDiagnosticsParams] = []
        self.registered: list[types.Registration] = []
        self._heard = asyncio.Event()
        self._counted: dict[str, int] = {}

    async def begin(self, profile: Profile, folder: Path, options: Any = None) -> types.InitializeResult:
        self.profile, self.folder = profile, folder
        answer = await within(
            self.initialize_session(
                types.InitializeParams(
                    capabilities=profile.capabilities,
                    root_uri=folder.as_uri(),
                    workspace_folders=[types.WorkspaceFolder(folder.as_uri(), folder.name)],
                    initialization_options=options,
                )
            )
        )
        self.offered = answer.capabilities
        encoding = answer.capabilities.position_encoding or types.PositionEncodingKind.Utf16
        self.encoding = str(getattr(encoding, "value", encoding))
        return answer

    def open(self, name: str, text: str) -> str:
        uri = (self.folder / name).as_uri()
        self.texts[uri], self.versions[uri] = text, 1
        self._mark(uri)
        self.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, text))
        )
        return uri

    def replace(self, uri: str, old: str, new: str, nth: int = 0) -> None:
        """Type `new` in place of the nth `old`."""
        place = client_text.span(self.texts[uri], old, self.encoding, nth)
        self.edit(uri, [{"range": place, "newText": new}])

    def edit(self, uri: str, edits: list[dict[str, Any]]) -> None:
        """Make edits that all speak of the present text."""
        text = self.texts[uri]
        changes = []
        # From the end, since each change speaks of the text after the one before.
        for one in sorted(
            edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"])
        ):
            changes.insert(
                0, types.TextDocumentContentChangePartial(range=_range(one["range"]), text=one["newText"])
            )
        self.texts[uri] = client_text.edited(text, edits, self.encoding)
        self.versions[uri] += 1
        self._mark(uri)
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri]), changes
            )
        )

    def apply(self, edit: types.WorkspaceEdit) -> None:
        """Make a workspace edit, whichever form it has; its versions must be those of the texts."""
        assert (edit.document_changes is not None) == self.profile.versioned_edits
        assert (edit.changes is not None) != self.profile.versioned_edits
        for uri, changes in (edit.changes or {}).items():
            self.edit(uri, [_plain(one) for one in changes])
        for document in edit.document_changes or ():
            assert isinstance(document, types.TextDocumentEdit)
            assert document.text_document.version == self.versions[document.text_document.uri]
            self.edit(document.text_document.uri, [_plain(one) for one in document.edits])

    def close(self, uri: str) -> None:
        self._mark(uri)
        self.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    async def found(self, uri: str) -> list[types.Diagnostic]:
        """What the editor shows for the present text."""
        if self.profile.pulls:
            report = await within(
                self.text_document_diagnostic_async(
                    types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
                )
            )
            assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
            return list(report.items)
        return list((await self.next_sent(uri)).diagnostics)

    async def next_sent(self, uri: str) -> types.PublishDiagnosticsParams:
        """The first diagnostics sent for a text since its last change."""
        while True:
            for params in self.sent[self._counted[uri] :]:
                if params.uri == uri:
                    return params
            self._heard.clear()
            await within(self._heard.wait())

    async def hover(self, uri: str, word: str, nth: int = 0) -> types.Hover | None:
        place = self.span(uri, word, nth).start
        params = types.HoverParams(types.TextDocumentIdentifier(uri), place)
        return await within(self.text_document_hover_async(params))

    async def actions(
        self, uri: str, word: str, nth: int = 0, only: list[str] | None = None
    ) -> list[types.CodeAction]:
        context = types.CodeActionContext(diagnostics=[], only=only)
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), self.span(uri, word, nth), context)
        return list(await within(self.text_document_code_action_async(params)) or ())

    async def with_edit(self, action: types.CodeAction) -> types.WorkspaceEdit:
        """The edit of an action, asked for if the client does that."""
        if action.edit is None and self.profile.resolves:
            action = await within(self.code_action_resolve_async(action))
        assert action.edit is not None, f"{action.title} has no edit"
        return action.edit

    async def hints(self, uri: str) -> list[tuple[str, str]]:
        """Each line that has a hint, and the hint."""
        text = self.texts[uri]
        end = types.Position(len(client_text.lines(text)), 0)
        params = types.InlayHintParams(
            types.TextDocumentIdentifier(uri), types.Range(types.Position(0, 0), end)
        )
        found = await within(self.text_document_inlay_hint_async(params)) or ()
        return [(client_text.lines(text)[hint.position.line][0].strip(), str(hint.label)) for hint in found]

    def span(self, uri: str, word: str, nth: int = 0) -> types.Range:
        return _range(client_text.span(self.texts[uri], word, self.encoding, nth))

    def at(self, uri: str, place: types.Range) -> str:
        """The text in a range."""
        return client_text.at(self.texts[uri], _plain_range(place), self.encoding)

    async def settle(self) -> None:
        """Wait until the server has answered something, and so has handled all that was sent before."""
        await within(
            self.workspace_execute_command_async(types.ExecuteCommandParams("torchlsp.debugInformation"))
        )

    def hear(self, params: types.PublishDiagnosticsParams) -> None:
        self.sent.append(params)
        self._heard.set()

    def _mark(self, uri: str) -> None:
        self._counted[uri] = len(self.sent)


async def within(work: Awaitable[Any]) -> Any:
    """A wait that must not last for ever."""
    return await asyncio.wait_for(work, LIMIT)


def _converter() -> Any:
    """lsprotocol takes a code action that has a command for a command."""

    def action(value: Any, _: type) -> types.Command | types.CodeAction:
        is_command = isinstance(value.get("command"), str)
        return converter.structure(value, types.Command if is_command else types.CodeAction)

    converter = default_converter()
    converter.register_structure_hook(types.Command | types.CodeAction, action)
    return converter


def make_editor() -> Editor:
    editor = Editor(converter_factory=_converter)
    register_lsp_features(editor, DEFAULT_CLIENT_FEATURES | _FEATURES)
    return editor


def _range(place: dict[str, Any]) -> types.Range:
    start, end = place["start"], place["end"]
    return types.Range(
        types.Position(start["line"], start["character"]), types.Position(end["line"], end["character"])
    )


def _plain_range(place: types.Range) -> dict[str, Any]:
    return {
        name: {"line": one.line, "character": one.character}
        for name, one in (("start", place.start), ("end", place.end))
    }


def _plain(edit: Any) -> dict[str, Any]:
    return {"range": _plain_range(edit.range), "newText": edit.new_text}


def _published(editor: Editor, params: types.PublishDiagnosticsParams) -> None:
    editor.hear(params)


def _registration(editor: Editor, params: types.RegistrationParams) -> None:
    editor.registered.extend(params.registrations)


def _hints_refresh(editor: Editor, params: None) -> None:
    """The test asks when it wants to."""


def _apply(editor: Editor, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
    editor.apply(params.edit)
    return types.ApplyWorkspaceEditResult(applied=True)


_FEATURES = {
    types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: _published,
    types.CLIENT_REGISTER_CAPABILITY: _registration,
    types.WORKSPACE_INLAY_HINT_REFRESH: _hints_refresh,
    types.WORKSPACE_APPLY_EDIT: _apply,
}
