"""Implements the commands that an editor's user can call."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from torchlsp import __version__
from torchlsp.server.convert import uri_of
from torchlsp.server.features.actions import EXPLAIN, fix_all
from torchlsp.server.features.diagnostics import own_page

if TYPE_CHECKING:
    from torchlsp.core.finding import Finding
    from torchlsp.engine.engine import CheckResult
    from torchlsp.server.app import TorchServer
    from torchlsp.server.settings import EditorSettings

CHECK_WORKSPACE = "torchlsp.checkWorkspace"
FIX_ALL = "torchlsp.fixAll"
DEBUG_INFORMATION = "torchlsp.debugInformation"
RULES = "torchlsp.rules"


def register(server: TorchServer) -> None:
    @server.command(EXPLAIN)
    async def explain(code: str) -> str | None:
        return await _explain(server, code)

    @server.command(FIX_ALL)
    async def fix_all_of(uri: str) -> bool:
        unit = server.session.unit_of(uri)
        edit = await fix_all(server, unit, None) if unit is not None else None
        if edit is None:
            return False
        await server.workspace_apply_edit_async(
            types.ApplyWorkspaceEditParams(edit, label="torchlsp: make all safe fixes")
        )
        return True

    @server.command(CHECK_WORKSPACE)
    async def check_workspace() -> dict[str, int]:
        return await _check_workspace(server)

    @server.command(DEBUG_INFORMATION)
    async def debug_information() -> dict[str, Any]:
        return await _debug_information(server)

    @server.command(RULES)
    async def rules() -> list[dict[str, str]]:
        return await server.session.run_aside(_rules)


async def _explain(server: TorchServer, code: str) -> str | None:
    """Opens a rule's page in the editor and returns the page's text."""
    from torchlsp.lint.registry import find

    info = await server.session.run(find, code)
    if info is None:
        server.tell(f"there is no rule {code}")
        return None
    link = own_page(info.code)
    if link is not None and server.client_has("window.show_document.support"):
        await server.window_show_document_async(types.ShowDocumentParams(uri=link, take_focus=True))
    from torchlsp.lint.pages import PageError, load_page

    try:
        return load_page(info.page_path).markdown
    except (OSError, PageError):
        return info.summary


async def _check_workspace(server: TorchServer) -> dict[str, int]:
    """Checks every file below the workspace folders; files that are not open show their findings."""
    from torchlsp.engine.config import ConfigError

    session = server.session
    progress = await server.progress("torchlsp: checking the workspace")
    loop = session.loop

    def tell(number: int, total: int, path: str) -> None:
        percentage = 100 * number // max(total, 1)
        loop.call_soon_threadsafe(progress.report, percentage, os.path.basename(path))

    try:
        result = await session.run_aside(
            session.analyst.check_workspace, list(session.roots), session.settings, tell
        )
    except ConfigError as failure:
        server.tell(str(failure))
        return {"files": 0, "findings": 0}
    finally:
        progress.end()
    _show(server, result)
    for problem in (*result.problems, *result.stopped):
        server.log(problem)
    return {"files": result.files, "findings": len(result.findings)}


def _show(server: TorchServer, result: CheckResult) -> None:
    open_paths = {os.path.realpath(unit.document.path) for unit in server.session.units.values()}
    by_file: dict[str, list[Finding]] = {}
    for finding in server.reports.pushed(result.findings):
        if os.path.realpath(finding.path) not in open_paths:
            by_file.setdefault(finding.path, []).append(finding)
    shown: dict[str, list[types.Diagnostic]] = {}
    for path, findings in by_file.items():
        document = result.documents[path]
        if document.cells:
            continue  # a notebook's cells have names only while it is open
        make = server.reports.maker_for(server.converter(document), None)
        shown[uri_of(path)] = [make(finding) for finding in findings]
    server.reports.show_unopened(shown)


def _rules() -> list[dict[str, str]]:
    """Returns the rules that can be explained."""
    from torchlsp.lint.registry import rules

    return [
        {"code": rule.code, "name": rule.name, "group": rule.group, "summary": rule.summary}
        for rule in rules()
    ]


def _environments(server: TorchServer) -> list[dict[str, str | None]]:
    from torchlsp.engine.interpreters import torch_version

    return [
        {"folder": folder, "python": python, "torch": torch_version(python)}
        for folder, python in server.interpreters()
    ]


async def _debug_information(server: TorchServer) -> dict[str, Any]:
    """Returns the information that a bug report needs. Editors show the environments and their torch from it
    too."""
    session = server.session
    return {
        "torchlsp": __version__,
        "python": sys.version.split()[0],
        "executable": sys.executable,
        "encoding": session.encoding,
        "diagnostics": "pull" if server.pulls else "push",
        "folders": list(session.roots),
        "environments": await session.run_aside(_environments, server),
        "trusted": server.trusted,
        "probe": server.probing.status,
        "settings": _table(session.settings),
        "settings of folders": {root: _table(one) for root, one in session.folder_settings.items()},
        "open": [unit.uri for unit in session.units.values()],
    }


def _table(settings: EditorSettings) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in settings.__slots__}
