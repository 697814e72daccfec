"""Adds the documentation of the user's torch and our notes to hovers on a symbol: a few lines of it, or all.

The documentation is read once for each torch, in the background, by the user's Python; until then, and without torch,
there are the notes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types

from torchlsp.server.convert import uri_of
from torchlsp.server.features.diagnostics import page_link

if TYPE_CHECKING:
    from torchlsp.docs_db.build import DocEntry
    from torchlsp.engine.documentation import Documentation
    from torchlsp.engine.inspection import Description
    from torchlsp.report.brief import Links
    from torchlsp.server.app import TorchServer
    from torchlsp.server.session import Unit


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


_NOTATION = re.compile(r"\b(?:[a-z]+\d+|bool|tensor)\[")
"""The fact of a tensor or an array."""


class Docs:
    def __init__(self, server: TorchServer) -> None:
        self._server = server
        self._documentations: dict[str, Documentation] = {}
        self._asked: set[str] = set()

    def about(self, symbol: str, path: str) -> str:
        """Returns Markdown about a symbol of the torch that a file uses, empty where there is nothing. The
        first look has the documentation built."""
        from torchlsp.docs_db.notes import note
        from torchlsp.report.documentation import as_markdown, our_notes

        entry, version = self._looked_up(symbol, path)
        ours = our_notes(symbol, version)
        parts = [as_markdown(entry)] if entry is not None else []
        if ours:
            known = note(symbol)
            parts.append(ours + _rules(known.rules if known is not None else ()))
        return "\n\n---\n\n".join(parts)

    def brief(self, symbol: str, path: str, description: Description | None) -> str:
        """Returns a few lines about a symbol, with links to all that `about` returns and to how facts are written."""
        from torchlsp.docs_db.notes import note
        from torchlsp.engine.pitfalls import concerning
        from torchlsp.report.brief import brief

        entry, version = self._looked_up(symbol, path)
        ours = note(symbol)
        if ours is not None and version is not None and not ours.holds_for(version):
            ours = None
        call = description.call if description is not None else None
        pitfall, is_certain = concerning(ours, call) if ours is not None else (None, False)
        if entry is None and ours is None:
            return self.legend(description)
        return brief(
            entry,
            ours,
            pitfall,
            is_certain=is_certain,
            says_memory=description is not None and description.fact != "",
            links=self._links(symbol, path, version, _notation(description)),
            other=self._of(path).entry,
            version=version,
        )

    def legend(self, description: Description | None) -> str:
        """Returns the link to how facts are written, for a hover that shows the fact of a tensor."""
        from torchlsp.report.brief import Links, legend

        return legend(Links(notation=_notation(description)))

    def _links(self, symbol: str, path: str, version: str | None, legend: str) -> Links:
        from torchlsp.engine.documentation_pages import write_page
        from torchlsp.lint.pages import notation
        from torchlsp.report.brief import Links

        text = f"# {symbol}\n\n{self.about(symbol, path)}\n\n#{notation()}"
        page = write_page(self._of(path).folder, version or "torchlsp", symbol, text)
        return Links(
            page=uri_of(page) if page is not None else "",
            notation=legend,
            rule=lambda code: page_link(code, None) or "",
        )

    def _looked_up(self, symbol: str, path: str) -> tuple[DocEntry | None, str | None]:
        """Returns the entry of a symbol, and the torch that our notes on it are for. The first look has the documentation
        built."""
        from torchlsp.report.documentation import MEASURED

        documentation = self._of(path)
        entry = documentation.entry(symbol)
        if entry is None and not documentation.is_built():
            self._build(documentation)
        return entry, entry.torch if entry is not None else MEASURED if documentation.path else None

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


def documented(
    server: TorchServer, symbol: str, path: str, how_much: str, description: Description | None
) -> str:
    """Returns the documentation of a symbol in Markdown, to be shown below the facts of a place.

    `how_much` is `full`, `short` or `off`.
    """
    if how_much == "off":
        return server.docs.legend(description)
    if how_much == "short":
        return server.docs.brief(symbol, path, description)
    said = server.docs.about(symbol, path)
    return f"---\n\n{said}\n\n{server.docs.legend(description)}".rstrip() if said else ""


def how_much(server: TorchServer, unit: Unit) -> str:
    """Returns how much documentation the hovers of a text show: by the configuration file, else by the editor."""
    configured = unit.examined.documentation if unit.examined is not None else None
    return configured or server.session.settings_of(unit.document.path).documentation


def shows_markdown(server: TorchServer) -> bool:
    """Returns whether the client shows hovers in Markdown."""
    formats = server.client_has("text_document.hover.content_format") or ()
    return types.MarkupKind.Markdown in formats


def _notation(description: Description | None) -> str:
    """Returns the address of the page on how facts are written; empty where a hover shows none that needs it."""
    if description is None or _NOTATION.search(description.fact) is None:
        return ""
    from torchlsp.lint.pages import NOTATION_PAGE

    return uri_of(str(NOTATION_PAGE))
