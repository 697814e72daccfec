"""What the user's own torch and our notes say of a symbol, below what is known of the place itself.

The documentation is read once for each torch, in the background, by the user's Python; until then, and without torch,
there are the notes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.server.features.diagnostics import page_link

if TYPE_CHECKING:
    from torchlsp.engine.documentation import Documentation
    from torchlsp.server.app import TorchServer


def _rules(codes: tuple[str, ...]) -> str:
    """The rules that find what a note warns of."""
    links = [f"[{code}](<{page_link(code, None)}>)" for code in codes if page_link(code, None)]
    return f"\n\nFound by {', '.join(links)}" if links else ""


class Docs:
    def __init__(self, server: TorchServer) -> None:
        self._server = server
        self._documentation: Documentation | None = None
        self._python: str | None = None
        self._asked: set[str] = set()

    def about(self, symbol: str) -> str:
        """Markdown on a symbol of torch, empty where there is nothing. The first look has the documentation built."""
        from torchlsp.docs_db.notes import note
        from torchlsp.report.documentation import as_markdown

        documentation = self._of_the_user()
        entry = documentation.entry(symbol)
        if entry is None and not documentation.is_built():
            self._build(documentation)
        pitfalls = note(symbol)
        if pitfalls is not None and entry is not None and not pitfalls.holds_for(entry.torch):
            pitfalls = None
        parts = [as_markdown(entry)] if entry is not None else []
        if pitfalls is not None:
            parts.append(pitfalls.markdown.rstrip() + _rules(pitfalls.rules))
        return "\n\n---\n\n".join(parts)

    def _of_the_user(self) -> Documentation:
        from torchlsp.engine.documentation import Documentation

        python, folders = self._server.interpreter()
        if self._documentation is None or python != self._python:
            if self._documentation is not None:
                self._documentation.close()
            self._documentation, self._python = Documentation(python, folders), python
        return self._documentation

    def _build(self, documentation: Documentation) -> None:
        """Once for each Python: what cannot be read now cannot be read a moment later. As for the probe, nothing of the
        user's is started in a workspace that is not trusted."""
        if documentation.python in self._asked or documentation.path is None or self._server.probing.why_off:
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
