"""Answers how a run of a file is recorded, and what is recorded of it; watches for new records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torchlsp.server.convert import path_of
from torchlsp.server.record_watch import RecordWatch

if TYPE_CHECKING:
    from torchlsp.core.text import Document
    from torchlsp.engine.record_command import RecordCommand
    from torchlsp.engine.records import FileRecord
    from torchlsp.server.app import TorchServer

RECORD_COMMAND = "torchlsp.recordCommand"
RECORD_STATUS = "torchlsp.recordStatus"


def register(server: TorchServer) -> None:
    """Sets the server's watch for records, which begins with the first text that is opened."""
    server.records = RecordWatch(server)

    @server.command(RECORD_COMMAND)
    async def record_command(uri: str) -> dict[str, Any] | None:
        unit = server.session.units.get(uri)
        # Nothing of a workspace that is not trusted is run; an editor that says nothing of trust leaves it to its user.
        if unit is None or unit.document.cells or path_of(uri) is None or server.trusted is False:
            return None
        found = await server.session.run_aside(_command, server, unit.document)
        return None if found is None else {"command": list(found.arguments), "folder": found.folder}

    @server.command(RECORD_STATUS)
    async def record_status(uri: str) -> dict[str, Any] | None:
        unit = server.session.units.get(uri)
        if unit is None or path_of(uri) is None:
            return None
        await server.records.look()
        session, document = server.session, unit.document
        record = await session.run(session.analyst.record_of, document, session.settings_of(document.path))
        return None if record is None else await session.run_aside(_status, record, document)


def _command(server: TorchServer, document: Document) -> RecordCommand | None:
    from torchlsp.engine.interpreters import choose
    from torchlsp.engine.record_command import record_command

    root = server.session.root_of(document.path)
    setting = server.session.settings_of(document.path).interpreter
    # Whoever asks is about to run code of the workspace, so its own interpreter may be meant.
    python = choose(setting=setting, workspace=root, trusted=True).path
    return record_command(document.path, document.text, python, root)


def _status(record: FileRecord, document: Document) -> dict[str, Any] | None:
    """Returns the newest run that has called functions of a file, and how many of these have changed since."""
    from torchlsp.engine.records import MODULE_BODY, changed_functions

    if record.run is None:
        return None
    return {
        "started": record.run.started,
        "command": list(record.run.command),
        "status": record.run.status,
        "functions": len(record.functions.keys() - {MODULE_BODY}),
        "changed": len(changed_functions(record, document.text)),
    }
