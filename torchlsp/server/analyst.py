"""Runs the server's analysis of open texts and of the workspace. Everything here runs in the one analysis
thread, and nothing of the engine is imported before the first text is to be checked."""

from __future__ import annotations

import gc
import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torchlsp.core.cancel import Cancelled
from torchlsp.server.caller_findings import CallerFindings, Source, stamp_of
from torchlsp.server.caller_values import CallerValues, PassedValues

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from torchlsp.core.finding import Finding
    from torchlsp.core.text import Document
    from torchlsp.engine.config import Catalogue, Mistake, WrongConfiguration
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

_MOST_STANDING = 3
"""The number of texts whose analysis is kept for their next change: it may take tens of megabytes."""

_CALLERS_SECONDS = 2.0
"""The maximum seconds for the callers of one text."""
_MOST_CALLERS = 20
_RUNS_FOR, _SLEEPS_FOR = 0.001, 0.0002
"""The seconds for which callers are analysed before the event loop may read a message, and for which it may begin to."""
_LONGEST_CALLER = 100_000
"""The maximum number of characters of a caller: nothing interrupts its parsing."""
_KEPT_CHARACTERS = 400_000
"""The characters of source whose trees are kept while callers are analysed."""


@dataclass(slots=True)
class Examined:
    """The result of an examination, the real paths of the other files that it read, and messages for the
    user."""

    examination: Examination
    read: frozenset[str]
    rules_url: str | None = None
    documentation: str | None = None
    """How much documentation the configuration file wants on hovers."""
    problems: list[str] = field(default_factory=list)
    path: str = ""
    """The real path of the text."""
    engine: Engine | None = None
    callers: list[Finding] = field(default_factory=list)
    """The findings to which calls of other files lead."""
    callers_version: int = 0
    """The version of these findings (`CallerFindings.version`)."""
    led_to: Mapping[str, bool] = field(default_factory=dict)
    """The real paths of the files in which findings are shown if they are open, and whether each was."""
    refused: WrongConfiguration | None = None
    """The mistakes in the configuration file of the text, which does not hold because of them."""


class Analyst:
    """Keeps the engine and the trees of files between analyses."""

    def __init__(self) -> None:
        self.open_documents: dict[str, Document] = {}
        """What the editor has open, by real path; the event loop writes it, the analysis reads it."""
        self.root_of: Callable[[str], str | None] = lambda path: None
        """The workspace folder that a file is in; set by the session."""
        self.settings_of: Callable[[str], EditorSettings] | None = None
        """The settings that hold for a file; set by the session."""
        self.callers = CallerFindings(self.open_documents)
        self.values = CallerValues(self.open_documents)
        self._engines: dict[tuple[EditorSettings, str | None], Engine] = {}
        self._provider: Provider | None = None
        self.is_settled = False
        """Whether what was imported is left out of garbage collection."""
        self._whole = 0
        self._unused: list[str] = []
        """What is wrong with interpreters that were to be used."""
        self._catalogue: Catalogue | None = None
        self._refused: dict[str, WrongConfiguration] = {}
        """What is wrong with the configuration file of a text, by the text's real path."""
        self._standing: dict[str, tuple[Engine, Standing]] = {}
        """The analysis states of the texts that were examined last, by their real paths, the last one at the end."""

    def examine(
        self, document: Document, settings: EditorSettings, cancelled: Callable[[], None] | None = None
    ) -> Examined:
        """Analyses a text and returns the result. Raises Cancelled."""
        reader = _Reader(self._files())
        problems: list[str] = []
        engine = self._engine_for(document, settings, problems)
        problems += self._unused
        standing, checked = self._standing_of(document, engine), self._checked(document)
        opened = frozenset(self.open_documents)
        same = None
        if (
            standing is not None and engine.record_of(document.path) is None
        ):  # no run of it was recorded meanwhile
            same = standing.same(document, reader, checked, cancelled, engine.shown)
        examination = same or engine.examine(document, reader, cancelled, standing, checked=checked)  # type: ignore[arg-type]
        if standing is not None and same is None and not examination.result.internal_errors:
            standing.keep(examination, reader.answers, checked)
        problems.extend(examination.result.problems)
        if examination.how == "whole":
            self._whole += 1
            if self._whole >= _TIDY_AFTER:
                self.tidy()
        own = os.path.realpath(document.path)
        configured = engine.configuration.for_path(document.path)
        if not examination.tree.problems and own in self.open_documents:
            # Where calls lead from a text that does not parse is not known: what it led to before stays.
            self.callers.put(own, _source(examination, reader.read))
        examined = Examined(
            examination,
            frozenset(reader.read.keys() - {own}),
            configured.rules_url,
            configured.hover_documentation,
            problems,
            own,
            engine,
        )
        examined.refused = self._refused.get(own)
        examined.led_to = {one: one in opened for one in map(os.path.realpath, examination.led_to)}
        findings = self.with_callers(examined)
        if findings is not None:
            examination.show(findings)
        self.show_values(examined)
        return examined

    def show_values(self, examined: Examined) -> None:
        """Gives hovers of a text what the calls of other files make of its functions."""
        examination = examined.examination
        examination.passed = self.values.passed_to(examined.path, examination.document)

    def mistakes_in(self, document: Document) -> Sequence[Mistake]:
        """Returns the mistakes in the text of a configuration file."""
        from torchlsp.engine.config import Catalogue, ConfigError, Mistake, WrongConfiguration, read_settings
        from torchlsp.engine.engine import installed_rules

        if self._catalogue is None:
            self._catalogue = Catalogue(installed_rules())
        try:
            read_settings(document.path, document.text, self._catalogue)
        except WrongConfiguration as wrong:
            return wrong.mistakes
        except ConfigError as failure:
            return [Mistake(1, 0, 1, str(failure))]
        return ()

    def with_callers(self, examined: Examined) -> list[Finding] | None:
        """Returns the findings of a text with those to which the calls of other files lead now; None where these are the
        same as before."""
        path, examination = examined.path, examined.examination
        examined.callers_version = self.callers.version(path)
        found = self.callers.found_in(path, examination.document, examination.own_places())
        if found == examined.callers or examined.engine is None:
            return None
        examined.callers = found
        return examined.engine.with_callers(examination, found)

    def follow_callers(self, document: Document, cancelled: Callable[[], None]) -> frozenset[str]:
        """Analyses files on disk that import a text, for what their calls lead to in open texts; returns the real paths of
        all files that were read. Raises Cancelled."""
        from torchlsp.engine.callers import importing_files
        from torchlsp.engine.provider import Provider
        from torchlsp.engine.relevance import may_use_torch
        from torchlsp.engine.workspace import Workspace

        if not may_use_torch(document.text):
            return frozenset()
        limit = _TimeLimit(cancelled)
        provider: Provider | None = None
        read: set[str] = set()
        try:
            for path in importing_files(document.path, _MOST_CALLERS, limit.check):
                source, settings = os.path.realpath(path), self._settings(path)
                is_open = source in self.open_documents
                known = None if is_open else self.callers.of(source, settings)
                passed = self.values.of(source, settings)
                if passed is None or known is None and not is_open:
                    # One of its own: what those of open texts have parsed stays.
                    provider = provider or Provider(
                        Workspace(), self.open_documents, kept_characters=_KEPT_CHARACTERS
                    )
                    known, passed = self._followed(path, provider, limit.check)
                    if not is_open:  # what an open text leads to is known of its own analysis
                        self.callers.put(source, known)
                    self.values.put(source, passed)
                read |= passed.read.keys()
        except OutOfTime:
            pass
        return frozenset(read)

    def _followed(
        self, path: str, provider: Provider, cancelled: Callable[[], None]
    ) -> tuple[Source, PassedValues]:
        """Returns what the calls of a file lead to: findings, and the values that they give the places of open texts."""
        from torchlsp.engine.relevance import may_use_torch
        from torchlsp.engine.workspace import is_excluded

        own, settings = os.path.realpath(path), self._settings(path)
        stamp = stamp_of(own, self.open_documents)
        opened = frozenset(self.open_documents)
        nothing = Source(read={own: stamp}, settings=settings), PassedValues({own: stamp}, settings, opened)
        document = self._text_of(path)
        if document is None or len(document.text) > _LONGEST_CALLER or not may_use_torch(document.text):
            return nothing
        engine = self._engine_for(document, settings, [])
        if is_excluded(path, engine.configuration):
            return nothing
        reader = _Reader(provider)
        examination = engine.follow_calls(document, reader, self._checked(document), cancelled)  # type: ignore[arg-type]
        stamps = {one: stamp_of(one, self.open_documents) for one in reader.read} | {own: stamp}
        passed = PassedValues.of(examination, opened, reader.read, stamps, settings)
        return _source(examination, reader.read, stamps, settings), passed

    def _text_of(self, path: str) -> Document | None:
        """Returns the open text of a file, else what is on disk; None where that cannot be read."""
        from torchlsp.core.text import Document
        from torchlsp.files import read_source

        document = self.open_documents.get(os.path.realpath(path))
        if document is not None:
            return document
        try:
            return Document.from_bytes(path, read_source(path))
        except (OSError, ValueError):
            return None

    def forget_caller(self, path: str) -> None:
        """Forgets what the calls of a text lead to, which is closed now."""
        real = os.path.realpath(path)
        self.callers.drop(real)
        self.values.drop(real)
        if real not in self.open_documents and real in self._standing:
            self._standing.pop(real)[1].forget()

    def _settings(self, path: str) -> EditorSettings:
        from torchlsp.server.settings import EditorSettings

        return EditorSettings() if self.settings_of is None else self.settings_of(path)

    def _checked(self, document: Document) -> frozenset[str]:
        """Returns the files in which the editor shows what a text's calls lead to: those that are open. What a notebook's
        calls lead to is shown at the call."""
        if document.cells:
            return frozenset()
        paths = [document.path for document in list(self.open_documents.values())]
        return frozenset(path for path in paths if self._settings(path).enable)

    def detail(self, examination: Examination, cancelled: Callable[[], None] | None = None) -> frozenset[str]:
        """Finds more facts of an examined text; returns the real paths of the other files that it read. Raises
        Cancelled."""
        from torchlsp.engine.detailing import analyse_in_detail

        reader = _Reader(self._files())
        analyse_in_detail(examination, reader, cancelled)
        return frozenset(reader.read.keys() - {os.path.realpath(examination.document.path)})

    def is_on_disk(self, document: Document) -> bool:
        """Returns whether a text is equal to its file's content."""
        from torchlsp.core.text import Document
        from torchlsp.files import read_source

        try:
            return Document.from_bytes(document.path, read_source(document.path)).text == document.text
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
            examination = engine.examine(text, self._files(), cancelled, checked=self._checked(text))
            found = examination.result.findings
            if text is document:
                path = os.path.realpath(text.path)
                led_to = self.callers.found_in(path, text, examination.own_places())
                found = engine.with_callers(examination, led_to)
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
        self._unused.clear()
        self._forget_standing(0)
        self.callers.clear()
        self.values.clear()

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
        from torchlsp.engine.config import ConfigError, Overrides, WrongConfiguration
        from torchlsp.engine.engine import Engine, Options

        root = self.root_of(document.path)
        self._refused.pop(os.path.realpath(document.path), None)
        try:
            engine = self._engines.get((settings, root))
            if engine is None:
                engine = self._engines[settings, root] = Engine(_options(settings, root, self._unused))
            engine.configuration.for_path(document.path)
        except ConfigError as failure:
            problems.append(str(failure))
            if isinstance(failure, WrongConfiguration):
                self._refused[os.path.realpath(document.path)] = failure
            return Engine(Options(Overrides(isolated=True)))
        return engine

    def _standing_of(self, document: Document, engine: Engine) -> Standing | None:
        """Returns the analysis state of an open text, as it was left if the text was one of the last that were examined: who
        edits one text has those examined that import it, and comes back."""
        from torchlsp.engine.standing import Standing

        path = os.path.realpath(document.path)
        if path not in self.open_documents:
            return None
        kept = self._standing.pop(path, None)
        if kept is None or kept[0] is not engine:
            kept = engine, Standing()
        self._standing[path] = kept
        self._forget_standing(_MOST_STANDING)
        return kept[1]

    def _forget_standing(self, most: int) -> None:
        """Drops the oldest analysis states but so many."""
        while len(self._standing) > most:
            _, standing = self._standing.pop(next(iter(self._standing)))
            standing.forget()

    def _files(self) -> Provider:
        if self._provider is None:
            from torchlsp.engine.provider import Provider
            from torchlsp.engine.workspace import Workspace

            self._provider = Provider(Workspace(), self.open_documents)
        return self._provider

    def settle(self) -> None:
        """Excludes what was imported from garbage collection, after the first analysis."""
        if not self.is_settled:
            self.is_settled = True
            gc.collect()
            gc.freeze()
            gc.set_threshold(*_COLLECT_AFTER)


class OutOfTime(Cancelled):
    """Signals that the time for the callers of a text is over."""


class _TimeLimit:
    """Raises Cancelled when other work waits, OutOfTime when the time is over, and lets other threads run now and then."""

    def __init__(self, cancelled: Callable[[], None]) -> None:
        self._cancelled = cancelled
        self._ran = time.monotonic()
        self._end = self._ran + _CALLERS_SECONDS

    def check(self) -> None:
        self._cancelled()
        now = time.monotonic()
        if now > self._end:
            raise OutOfTime
        if now - self._ran > _RUNS_FOR:
            # A thread that waits for the interpreter's lock gets it only while this one sleeps, or after five milliseconds.
            time.sleep(_SLEEPS_FOR)
            self._ran = time.monotonic()


def _source(
    examination: Examination,
    read: Mapping[str, Document],
    stamps: Mapping[str, object] | None = None,
    settings: EditorSettings | None = None,
) -> Source:
    """Returns what the calls of a text lead to in open texts; `read` are the texts that its analysis has read."""
    found = {os.path.realpath(path): tuple(findings) for path, findings in examination.elsewhere.items()}
    found = {path: findings for path, findings in found.items() if path in read}
    led_to = {os.path.realpath(path): is_open for path, is_open in examination.led_to.items()}
    return Source(found, {path: read[path] for path in found}, stamps or {}, led_to, settings)


class _Reader:
    """A provider that notes which files were read, by real path."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self.read: dict[str, Document] = {}
        self.answers: dict[tuple[str, str], SyntaxTree | None] = {}
        """The answers of `module`."""

    def module(self, dotted_name: str, importing_path: str) -> SyntaxTree | None:
        tree = self.answers[dotted_name, importing_path] = self._provider.module(dotted_name, importing_path)
        if tree is not None:
            self.read[os.path.realpath(tree.document.path)] = tree.document
        return tree

    def resolve(self, dotted_name: str, importing_path: str) -> str | None:
        return self._provider.resolve(dotted_name, importing_path)

    def tree(self, document: Document) -> SyntaxTree:
        return self._provider.tree(document)


def _options(settings: EditorSettings, root: str | None, problems: list[str] | None = None):
    """Returns the options of an engine; what is wrong with the interpreters that go before is added to the problems."""
    from torchlsp.engine.cache_folder import cache_folder
    from torchlsp.engine.config import Overrides
    from torchlsp.engine.engine import Options
    from torchlsp.engine.ignoring import UNREADABLE
    from torchlsp.engine.interpreters import FROM_SETTING, choose, torch_version
    from torchlsp.engine.records import Records

    chosen = choose(setting=settings.interpreter, workspace=root, trusted=settings.trusted)
    if chosen.problem is not None and problems is not None and chosen.problem not in problems:
        problems.append(chosen.problem)
    return Options(
        Overrides(
            config=settings.configuration,
            default_select=settings.select,
            default_ignore=settings.ignore,
            off=frozenset(
                {UNREADABLE}
            ),  # a type checker says it too, and a text that is typed in seldom parses
        ),
        torch=torch_version(chosen.path),
        is_torch_chosen=chosen.reason == FROM_SETTING,
        records=Records(cache_folder()),
    )
