"""Shows the mistakes in configuration files where they stand: in open ones as they are typed, in others once a check has
met them."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from lsprotocol import types

from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.files import read_text
from torchlsp.server.convert import SOURCE, Converter, uri_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torchlsp.engine.config import Mistake, WrongConfiguration
    from torchlsp.server.app import TorchServer

CONFIGURATION_FILES = ("pyproject.toml", "torchlsp.toml")
CODE = "configuration"
_MAX_BYTES = 1_000_000
# Text is checked once typing has paused so long, in seconds.
_AFTER = 0.1


class ConfigurationReports:
    """The diagnostics of configuration files."""

    def __init__(self, server: TorchServer) -> None:
        self._server = server
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._unopened: set[str] = set()

    def is_configuration(self, uri: str) -> bool:
        """Returns whether an open text is a configuration file."""
        document = self._server.session.plain.get(uri)
        if document is None:
            return False
        path = document.path
        named = self._server.session.settings_of(path).configuration
        return os.path.basename(path) in CONFIGURATION_FILES or (
            named is not None and os.path.realpath(named) == os.path.realpath(path)
        )

    def changed(self, uri: str) -> None:
        """Checks an open text soon, if it is a configuration file and the client does not ask by itself."""
        if not self.is_configuration(uri):
            return
        if uri in self._unopened:
            self._unopened.discard(uri)
            self._send(uri, [])
        if not self._server.pulls:
            self._stop(uri)
            self._tasks[uri] = self._server.session.loop.create_task(self._publish(uri))

    def closed(self, uri: str) -> None:
        if self._stop(uri):
            self._send(uri, [])

    def refused(self, wrong: WrongConfiguration) -> None:
        """Shows what is wrong with a file that a check has read from the disk, unless the file is open."""
        opened = {os.path.realpath(one.path) for one in self._server.session.plain.values()}
        uri = uri_of(wrong.path)
        if os.path.realpath(wrong.path) in opened or uri in self._unopened:
            return
        try:
            text = read_text(wrong.path, _MAX_BYTES)
        except (OSError, UnicodeDecodeError):
            return
        self._unopened.add(uri)
        self._send(uri, self._diagnostics(Document(wrong.path, text, uri=uri), wrong.mistakes))

    def forget(self) -> None:
        """Removes what was shown of files that are not open: they are to be read again."""
        for uri in sorted(self._unopened):
            self._send(uri, [])
        self._unopened.clear()

    async def of(self, uri: str) -> list[types.Diagnostic]:
        """Returns the diagnostics of an open configuration file."""
        session = self._server.session
        document = session.plain.get(uri)
        if document is None or not session.settings_of(document.path).enable:
            return []
        mistakes = await session.run(session.analyst.mistakes_in, document)
        return self._diagnostics(document, mistakes)

    async def _publish(self, uri: str) -> None:
        await asyncio.sleep(_AFTER)
        diagnostics = await self.of(uri)
        if uri in self._server.session.plain:
            self._send(uri, diagnostics)

    def _stop(self, uri: str) -> bool:
        task = self._tasks.pop(uri, None)
        if task is not None:
            task.cancel()
        return task is not None

    def _diagnostics(self, document: Document, mistakes: Iterable[Mistake]) -> list[types.Diagnostic]:
        converter = Converter(document, self._server.session.encoding)
        starts = [0]
        for row in document.text.split("\n"):
            starts.append(starts[-1] + len(row) + 1)
        return [
            types.Diagnostic(
                range=converter.range(
                    Span(
                        starts[one.row - 1] + one.start,
                        min(starts[one.row - 1] + one.end, len(document.text)),
                    )
                ),
                message=one.message,
                severity=types.DiagnosticSeverity.Error,
                code=CODE,
                source=SOURCE,
            )
            for one in mistakes
        ]

    def _send(self, uri: str, diagnostics: list[types.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics)
        )


def register(server: TorchServer) -> None:
    """Sets the server's reports on configuration files; texts that change are told to it by `sync`."""
    server.configurations = ConfigurationReports(server)
