"""Adds the documentation of the user's torch and our notes to hovers on a symbol.

The documentation is read once for each torch, in the background, by the user's Python; until then, and without torch,
there are the notes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types

from torchlsp.server.features.diagnostics import page_link

if TYPE_CHECKING:
    from torchlsp.engine.documentation import Documentation
    from torchlsp.server.app import TorchServer


def _rules(codes: tuple[str, ...]) -> str:
    """Returns the rules that find what a note warns about."""
    links = [f"[{code}](<{link}>)" for code in codes if (link := page_link(code, None))]
    return f"\n\nFound by {', '.join(links)}" if links else ""


def parameter(markdown: str, name: str) -> str:
    """Returns the list item that documents a parameter, with what is indented below it; empty without one."""
    lines = markdown.split("\n")
    start = next(
        (i for i, line in enumerate(lines) if re.match(rf"- `\*{{0,2}}{re.escape(name)}`", line)), None
    )
    if start is None:
        return ""
    end = start + 1
    while end < len(lines) and (not lines[end].strip() or lines[end].startswith(" ")):
        end += 1
    return "\n".join(lines[start:end]).rstrip()


class Docs:
    def __init__(self, server: TorchServer) -> None:
        self._server = server
        self._documentations: dict[str, Documentation] = {}
        self._asked: set[str] = set()

    def about(self, symbol: str, path: str) -> str:
        """Returns Markdown about a symbol of the torch that a file uses, empty where there is nothing. The
        first look has the documentation built."""
        from torchlsp.docs_db.notes import note
        from torchlsp.report.documentation import MEASURED, as_markdown, our_notes

        documentation = self._of(path)
        entry = documentation.entry(symbol)
        if entry is None and not documentation.is_built():
            self._build(documentation)
        version = entry.torch if entry is not None else MEASURED if documentation.path else None
        ours = our_notes(symbol, version)
        parts = [as_markdown(entry)] if entry is not None else []
        if ours:
            known = note(symbol)
            parts.append(ours + _rules(known.rules if known is not None else ()))
        return "\n\n---\n\n".join(parts)

    def argument(self, symbol: str, name: str, path: str) -> str:
        """Returns what the documentation says about one parameter."""
        entry = self._of(path).entry(symbol)
        return parameter(entry.markdown, name) if entry is not None else ""

    def end(self) -> None:
        for documentation in self._documentations.values():
            documentation.stop()

    def _of(self, path: str) -> Documentation:
        """Returns the documentation of the torch in a file's workspace folder."""
        from torchlsp.engine.documentation import Documentation

        python, folders = self._server.interpreter(path)
        if python not in self._documentations:
            self._documentations[python] = Documentation(python, folders)
        return self._documentations[python]

    def _build(self, documentation: Documentation) -> None:
        """Builds the documentation, once for each Python: a failure would only repeat. As for the probe,
        nothing of the user's is started in a workspace that is not trusted."""
        if documentation.python in self._asked or documentation.path is None:
            return
        if self._server.probing.why_forbidden is not None:
            return
        self._asked.add(documentation.python)
        self._server.spawn(self._built(documentation), "the documentation could not be read")

    async def _built(self, documentation: Documentation) -> None:
        from torchlsp.engine.documentation import Unbuildable

        session = self._server.session
        progress = await self._server.progress("torchlsp: reading torch's documentation")

        def told(done: float, text: str) -> None:
            session.loop.call_soon_threadsafe(progress.report, round(100 * done), text)

        try:
            await session.run_aside(documentation.build, told)
        except Unbuildable as reason:
            self._server.log(str(reason))
        finally:
            progress.end()


def register(server: TorchServer) -> None:
    """Sets the server's documentation, which hovers and commands ask."""
    server.docs = Docs(server)


def documented(server: TorchServer, symbol: str, path: str, kind: types.MarkupKind) -> str:
    """Returns the documentation of a symbol, to be shown below the facts of a place. Markdown only, as it is
    long."""
    said = server.docs.about(symbol, path) if kind == types.MarkupKind.Markdown else ""
    return f"\n\n---\n\n{said}" if said else ""
