"""Runs the server's analysis of open texts and of the workspace. Everything here runs in the one analysis
thread, and nothing of the engine is imported before the first text is to be checked."""

from __future__ import annotations

import gc
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torchlsp.core.finding import Finding
    from torchlsp.core.text import Document
    from torchlsp.engine.engine import CheckResult, Engine
    from torchlsp.engine.examination import Examination
    from torchlsp.engine.provider import Provider
    from torchlsp.engine.records import FileRecord
    from torchlsp.engine.standing import Standing
    from torchlsp.server.settings import EditorSettings
    from torchlsp.syntax.parse import SyntaxTree

# The collector's default thresholds make it look at every living tree several times a keystroke.
_COLLECT_AFTER = (50_000, 5, 50)

# A whole analysis leaves cycles that the collector finds late: what lives through several keystrokes counts as old.
_TIDY_AFTER = 25


@dataclass(slots=True)
class Examined:
    """The result of an examination, the real paths of the other files that it read, and messages for the
    user."""

    examination: Examination
    read: frozenset[str]
    rules_url: str | None = None
    problems: list[str] = field(default_factory=list)


class Analyst:
    """Keeps the engine and the trees of files between analyses."""

    def __init__(self) -> None:
        self.open_documents: dict[str, Document] = {}
        """What the editor has open, by real path; the event loop writes it, the analysis reads it."""
        self.root_of: Callable[[str], str | None] = lambda path: None
        """The workspace folder that a file is in; set by the session."""
        self._engines: dict[tuple[EditorSettings, str | None], Engine] = {}
        self._provider: Provider | None = None
        self._settled = False
        self._whole = 0
        self._standing: tuple[str, Engine, Standing] | None = None
        """The analysis state of the text that is being edited, by its real path."""

    def examine(
        self, document: Document, settings: EditorSettings, cancelled: Callable[[], None] | None = None
    ) -> Examined:
        """Analyses a text and returns the result. Raises Cancelled."""
        reader = _Reader(self._files())
        problems: list[str] = []
        engine = self._engine_for(document, settings, problems)
        examination = engine.examine(document, reader, cancelled, self._standing_of(document, engine))  # type: ignore[arg-type]
        problems.extend(examination.result.problems)
        self._settle()
        if examination.how == "whole":
            self._whole += 1
            if self._whole >= _TIDY_AFTER:
                self.tidy()
        own = os.path.realpath(document.path)
        url = engine.configuration.for_path(document.path).rules_url
        return Examined(examination, frozenset(reader.read - {own}), url, problems)

    def detail(self, examination: Examination, cancelled: Callable[[], None] | None = None) -> frozenset[str]:
        """Finds more facts of an examined text; returns the real paths of the other files that it read. Raises
        Cancelled."""
        from torchlsp.engine.detailing import analyse_in_detail

        reader = _Reader(self._files())
        analyse_in_detail(examination, reader, cancelled)
        return frozenset(reader.read - {os.path.realpath(examination.document.path)})

    def is_on_disk(self, document: Document) -> bool:
        """Returns whether a text is equal to its file's content."""
        from torchlsp.core.text import Document

        try:
            with open(document.path, "rb") as file:
                return Document.from_bytes(document.path, file.read()).text == document.text
        except (OSError, ValueError):
            return False

    def record_of(self, document: Document, settings: EditorSettings) -> FileRecord | None:
        """Returns what recorded runs say of a file now."""
        return self._engine_for(document, settings, []).record_of(document.path)

    def fixed(
        self,
        document: Document,
        settings: EditorSettings,
        rule: str | None,
        cancelled: Callable[[], None] | None = None,
    ) -> Document | None:
        """Returns the document after all safe fixes (of one rule, or of all), in rounds as `--fix` makes
        them; None when nothing would change or the result would not parse."""
        from torchlsp.engine.fixing import fix_document

        engine = self._engine_for(document, settings, [])

        def findings(text: Document) -> Sequence[Finding]:
            found = engine.examine(text, self._files(), cancelled).result.findings
            return [one for one in found if rule is None or one.rule == rule]

        return fix_document(document, findings)

    def check_workspace(
        self,
        folders: Sequence[str],
        settings: EditorSettings,
        progress: Callable[[int, int, str], None] | None = None,
    ) -> CheckResult:
        """Checks all files below the folders as they are on disk. Raises ConfigError."""
        from torchlsp.engine.engine import Engine

        return Engine(_options(settings, next(iter(folders), None))).check(list(folders), progress)

    def reconfigure(self) -> None:
        """Makes the next analysis read the configuration files again."""
        self._engines.clear()
        self._standing = None

    def forget_listings(self) -> None:
        """Clears cached folder listings, after files were created or deleted."""
        if self._provider is not None:
            self._provider.forget_listings()

    def tidy(self) -> None:
        """Frees reference cycles, when no request waits or when the collection takes long anyway."""
        gc.collect()
        self._whole = 0

    def _engine_for(self, document: Document, settings: EditorSettings, problems: list[str]) -> Engine:
        """Returns the engine of these settings; without configuration files where one of them is wrong."""
        from torchlsp.engine.config import ConfigError, Overrides
        from torchlsp.engine.engine import Engine, Options

        root = self.root_of(document.path)
        try:
            engine = self._engines.get((settings, root))
            if engine is None:
                engine = self._engines[settings, root] = Engine(_options(settings, root))
            engine.configuration.for_path(document.path)
        except ConfigError as failure:
            problems.append(str(failure))
            return Engine(Options(Overrides(isolated=True)))
        return engine

    def _standing_of(self, document: Document, engine: Engine) -> Standing | None:
        """Returns the analysis state of an open text; only the text that is being edited has one."""
        from torchlsp.engine.standing import Standing

        path = os.path.realpath(document.path)
        if path not in self.open_documents:
            return None
        if self._standing is None or self._standing[:2] != (path, engine):
            self._standing = path, engine, Standing()
        return self._standing[2]

    def _files(self) -> Provider:
        if self._provider is None:
            from torchlsp.engine.provider import Provider
            from torchlsp.engine.workspace import Workspace

            self._provider = Provider(Workspace(), self.open_documents)
        return self._provider

    def _settle(self) -> None:
        """Excludes what was imported from garbage collection, after the first analysis."""
        if not self._settled:
            self._settled = True
            gc.collect()
            gc.freeze()
            gc.set_threshold(*_COLLECT_AFTER)


class _Reader:
    """A provider that notes which files were read."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self.read: set[str] = set()

    def module(self, dotted_name: str, importing_path: str) -> SyntaxTree | None:
        tree = self._provider.module(dotted_name, importing_path)
        if tree is not None:
            self.read.add(os.path.realpath(tree.document.path))
        return tree

    def resolve(self, dotted_name: str, importing_path: str) -> str | None:
        return self._provider.resolve(dotted_name, importing_path)

    def tree(self, document: Document) -> SyntaxTree:
        return self._provider.tree(document)


def _options(settings: EditorSettings, root: str | None):
    from torchlsp.engine.cache_folder import cache_folder
    from torchlsp.engine.config import Overrides
    from torchlsp.engine.engine import Options
    from torchlsp.engine.interpreters import choose, torch_version
    from torchlsp.engine.records import Records

    python = choose(setting=settings.interpreter, workspace=root, trusted=settings.trusted).path
    return Options(
        Overrides(
            config=settings.configuration,
            default_select=settings.select,
            default_ignore=settings.ignore,
        ),
        torch=torch_version(python),
        records=Records(cache_folder()),
    )
