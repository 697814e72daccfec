"""One run over files: read, analyse, suppress, fix. The same call serves the command line and the editor."""

from __future__ import annotations

import gc
import os
import time
import traceback
from collections import Counter
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Protocol

from torchlsp.core.cancel import Cancelled
from torchlsp.core.finding import Finding, Severity
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.config import Catalogue, ConfigError, Configuration, KnownRule, Overrides, matcher
from torchlsp.engine.fixing import fixed_in_rounds, write
from torchlsp.engine.provider import Provider, shown_path
from torchlsp.engine.reading import read_document
from torchlsp.engine.result import Change, CheckResult, FileTiming
from torchlsp.engine.stopwatch import ANALYSIS, DISCOVERY, FIXES, READING, RULES, SUPPRESSION, Stopwatch
from torchlsp.engine.suppressing import suppress
from torchlsp.engine.workspace import Workspace, discover, relative_to_root
from torchlsp.syntax.statements import scope_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from torchlsp.engine.changes import Changes
    from torchlsp.engine.config import Settings
    from torchlsp.interp.interpreter import Analysis
    from torchlsp.syntax.parse import SyntaxProblem, SyntaxTree

# A file that holds none of these cannot hold PyTorch code of its own: it is parsed, not analysed.
TRIGGERS = ("torch", "lightning", "accelerat", "deepspeed")
# With the collector off, cycles that the analysis made are freed once so many objects have been made and not freed.
_COLLECT_EVERY = 250_000
# These say that torchlsp stopped, not that the file is wrong.
_NOT_A_MISTAKE = frozenset({"newer-python", "too-large"})


class AnalysisResult(Protocol):
    """What a runner answers for one tree: findings, one line for each internal error (its traceback on the
    lines below), and one line for each thing given up within limits.

    `elsewhere` are findings in imported files that only this file's calls lead to, each with the same finding
    at the call (None when it has none): where the imported file is checked too, it is shown there."""

    findings: Sequence[Finding]
    elsewhere: Sequence[tuple[Finding, Finding | None]]
    internal_errors: Sequence[str]
    stopped: Sequence[str]
    analysis: Analysis | None
    steps: int


if TYPE_CHECKING:
    Runner = Callable[..., AnalysisResult]
    """Called with the tree, the provider and the codes that run; for an examination also `cancelled` and `recording`."""
    Progress = Callable[[int, int, str], None]
    """Told (number, of how many, path) before each file."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a run goes; what is not about one run is configuration."""

    overrides: Overrides = field(default_factory=Overrides)
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    force_exclude: bool = False
    """`exclude` holds for files and folders that are named, too."""
    jobs: int = 1
    """The most processes to check files in, 0 for as many as there are CPUs. Small runs stay in one, and so do
    fixes: what is fixed in one file is what the next that imports it is given."""
    torch: str | None = None
    """The version of torch installed for the code; a configuration's `torch-version` goes before it."""
    changes: Changes | None = None
    """Check only the files that were changed, and fix only what the changes brought. The result has all findings of
    these files: all count for fingerprints, and `kept` tells."""


@dataclass(slots=True)
class Examination:
    """One text with all that was found out about it. `analysis` is None where nothing was analysed.

    `cancelled` is called between statements and may raise Cancelled.
    """

    tree: SyntaxTree
    result: CheckResult
    cancelled: Callable[[], None] | None = None
    analysis: Analysis | None = None

    @property
    def document(self) -> Document:
        return self.tree.document


class Engine:
    """Checks files under one set of options. Raises ConfigError for the user's mistakes, nothing else."""

    def __init__(
        self,
        options: Options = Options(),
        *,
        runner: Runner | None = None,
        rules: Iterable[KnownRule] | None = None,
    ) -> None:
        if options.jobs < 0:
            raise ConfigError("jobs must be 1 or more, or 0 for one on each CPU")
        self.options = options
        self.catalogue = Catalogue(installed_rules() if rules is None else rules)
        self.configuration = Configuration(self.catalogue, options.overrides)
        self._runner = runner
        self._enabled: dict[Settings, tuple[frozenset[str], frozenset[str], dict[str, Severity]]] = {}
        self._ignores: dict[Settings, list[tuple[Callable[[str], bool], tuple[str, ...]]]] = {}
        # The files of this run, as shown; what other files' calls find in them is shown there.
        self._in_run: frozenset[str] = frozenset()
        # Findings that other files' calls lead to, by the file of this run that they stand in.
        self._from_callers: dict[str, dict[tuple[str, Span], Finding]] = {}
        self._steps = 0
        self._watch = Stopwatch({})
        self._before: Counter[tuple[str, str, str]] | None = None

    def __getstate__(self) -> dict[str, object]:
        """What another process needs; patterns are compiled anew there."""
        return self.__dict__ | {"_ignores": {}, "options": replace(self.options, changes=None)}

    def check(self, paths: Iterable[str], progress: Progress | None = None) -> CheckResult:
        """Check files and folders."""
        result = CheckResult()
        watch = Stopwatch(result.seconds)
        watch.enter(DISCOVERY)
        found = discover(paths, self.configuration, force_exclude=self.options.force_exclude)
        for path in found.files:
            self._policy(self.configuration.for_path(path))
        changes = self.options.changes
        files = list(found.files) if changes is None else changes.among(found.files)
        watch.enter(None)
        result.files = len(files)
        result.problems.extend(found.skipped)
        result.problems.extend(f"{folder}: no Python files found" for folder in found.empty)
        provider = Provider(Workspace())
        self._in_run, self._from_callers = frozenset(map(shown_path, files)), {}
        told = progress or (lambda number, total, path: None)
        if self.options.fix or self.options.diff:
            # What callers find in a file must be known before its text and its comments are changed.
            for path in files:
                self._ask_callers(path, provider)
            self._check_each(files, provider, told, result)
        else:
            again = self._check_apart(files, told, result)
            if again is None:
                again = self._check_each(files, provider, told, result)
            self._check_again(again, provider, result)
        result.findings.sort(key=lambda one: (one.path, one.span, one.rule, one.message))
        return result

    def _check_each(
        self, paths: Sequence[str], provider: Provider, progress: Progress, result: CheckResult
    ) -> list[str]:
        """Check files in their order; those in which a file after them found something."""
        known: dict[str, list[Finding]] = {}
        for number, path in enumerate(paths):
            progress(number, len(paths), path)
            known[path] = self._found_by_callers(path)
            self._check_file(path, provider, result)
            _collect()
        return [path for path in paths if self._found_by_callers(path) != known[path]]

    def _check_apart(self, paths: Sequence[str], progress: Progress, result: CheckResult) -> list[str] | None:
        """As `_check_each`, in several processes; None when that is not asked for or not worth it.

        Each file is checked as if it were the first, and what it finds in others is put together here in the order
        of the run, so that the outcome does not depend on which process is faster.
        """
        if self.options.jobs == 1 or len(paths) < 2 or any(map(_is_stream, paths)):
            return None
        from torchlsp.engine import pool

        seconds = pool.seconds_by_path(paths, TRIGGERS)
        workers = pool.number_of_workers(self.options.jobs, seconds.values())
        if workers == 1:
            return None
        if self._runner is None:
            _installed_runner()  # imported once, before the processes are forked
        begun = count()
        outcomes = dict(
            pool.each(
                sorted(paths, key=seconds.__getitem__, reverse=True),
                _Apart(self),
                workers,
                lambda path: progress(next(begun), len(paths), path),
            )
        )
        self._from_callers = {}
        for path in paths:
            outcome = outcomes[path]
            if isinstance(outcome, pool.Failed):
                result.internal_errors.append(
                    f"{shown_path(path)}: the process that checked it {outcome.reason}"
                )
                continue
            result.add(outcome.result)
            for found in outcome.elsewhere:
                self._keep(found)
        return [
            path
            for path in paths
            if self._found_by_callers(path) and not isinstance(outcomes[path], pool.Failed)
        ]

    def _found_by_callers(self, path: str) -> list[Finding]:
        return list(self._from_callers.get(shown_path(path), {}).values())

    def check_document(self, document: Document, provider: Provider | None = None) -> CheckResult:
        """Check one text that need not be on disk. What it leads to in other files is shown at its calls."""
        self._in_run, self._from_callers = frozenset(), {}
        result = CheckResult(files=1)
        self._watch = Stopwatch(result.seconds)
        self._one(document, provider or Provider(Workspace()), result)
        self._watch.enter(None)
        return result

    def examine(
        self, document: Document, provider: Provider, cancelled: Callable[[], None] | None = None
    ) -> Examination:
        """As `check_document`, keeping the facts of every expression."""
        self._in_run, self._from_callers = frozenset(), {}
        examination = Examination(provider.tree(document), CheckResult(files=1), cancelled)
        self._one(document, provider, examination.result, examination)
        return examination

    def kept(self, findings: Sequence[Finding], documents: Mapping[str, Document]) -> list[Finding]:
        """Of the findings of the last run those that came with the changes that the options name; all without."""
        changes = self.options.changes
        return list(findings) if changes is None else changes.kept(findings, documents, self._found_before)

    def _found_before(self) -> Counter[tuple[str, str, str]]:
        """What is found in the texts as they were before the changes, in one run in which imports see them too."""
        if self._before is None and self.options.changes is not None:
            from torchlsp.engine.changes import key

            texts = self.options.changes.old_texts
            engine = copy(self)
            engine.options = replace(self.options, fix=False, diff=False, changes=None)
            engine._watch, engine._from_callers = Stopwatch({}), {}
            provider = Provider(Workspace(), {os.path.realpath(one.path): one for one in texts})
            found: dict[str, list[Finding]] = {}
            callers: dict[str, list[Finding]] = {}
            # A file checked later may lead to findings in one before it.
            for one in (*texts, *texts):
                if one.path in found and engine._found_by_callers(one.path) == callers[one.path]:
                    continue
                callers[one.path] = engine._found_by_callers(one.path)
                found[one.path] = engine._findings(one, provider, None)[0]
                _collect()
            self._before = Counter(key(finding, one) for one in texts for finding in found[one.path])
        return self._before or Counter()

    def _ask_callers(self, path: str, provider: Provider) -> None:
        """Collect what this file's calls lead to in other files of the run."""
        if not os.path.isfile(path):
            return  # a pipe can be read only once
        try:
            with open(path, "rb") as file:
                document = read_document(shown_path(path), file.read())
            self._findings(document, provider, None)
        except Cancelled:
            raise
        except Exception:  # the check itself comes later, and tells
            return

    def _check_again(self, paths: list[str], provider: Provider, result: CheckResult) -> None:
        """Files in which a file checked after them found something: theirs are the comments and settings that count."""
        again = CheckResult()
        for path in paths:
            self._check_file(path, provider, again)
            _collect()
        replaced = {shown_path(path) for path in paths}
        result.findings[:] = [one for one in result.findings if one.path not in replaced] + again.findings
        for shown in replaced:
            result.documents.pop(shown, None)
        result.documents.update(again.documents)

    def _check_file(self, path: str, provider: Provider, result: CheckResult) -> None:
        start, self._steps = time.perf_counter(), 0
        self._watch = Stopwatch(result.seconds)
        self._watch.enter(READING)
        self._read_and_check(path, provider, result)
        self._watch.enter(None)
        result.timings.append(FileTiming(shown_path(path), time.perf_counter() - start, self._steps))

    def _read_and_check(self, path: str, provider: Provider, result: CheckResult) -> None:
        shown = shown_path(path)
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as failure:
            document = Document(shown, "")
            message = f"cannot be read: {failure.strerror or failure}"
            finding = _unreadable(document, Span(0, 0), message, Severity.ERROR, "")
            if finding.rule in self._policy(self.configuration.for_path(path))[0]:
                result.findings.append(finding)
                result.documents[shown] = document
            return
        try:
            self._one(read_document(shown, data), provider, result)
        except Cancelled:
            raise
        except Exception as failure:
            # One file must never cost the run, whatever is wrong with us.
            result.internal_errors.append(_internal_error(shown, failure))

    def _one(
        self,
        document: Document,
        provider: Provider,
        result: CheckResult,
        examination: Examination | None = None,
    ) -> None:
        original = document
        if self.options.fix or self.options.diff:
            document = self._fixed(document, provider, result)
        changed = document is not original
        findings, _ = self._findings(document, provider, result, changed=changed, examination=examination)
        if findings:
            result.findings.extend(findings)
            result.documents[document.path] = document

    def _findings(
        self,
        document: Document,
        provider: Provider,
        result: CheckResult | None,
        *,
        changed: bool = False,
        examination: Examination | None = None,
    ) -> tuple[list[Finding], bool]:
        """The findings to show of one text, and whether the whole of it was read. Notices and internal errors
        go to `result`, unless it is None. `changed`: by fixes, so that callers' findings no longer fit."""
        settings = self.configuration.for_path(document.path)
        enabled, by_hand, severities = self._policy(settings)
        codes = self._without_file_ignores(document.path, settings, enabled)
        self._watch.enter(READING)
        tree = provider.tree(document)
        findings: list[Finding] = []
        for problem in tree.problems:
            findings.append(_problem_finding(tree, problem))
            if problem.kind in _NOT_A_MISTAKE and result is not None:
                row, _ = document.row_column(problem.span.start)
                result.stopped.append(f"{document.path}:{row}: {problem.message}")
        whole = not tree.problems
        if tree.module is not None and _may_use_torch(document):
            found, analysed = self._analysed(tree, provider, codes, result, examination)
            findings.extend(found)
            whole = whole and analysed
        if not changed:
            own = {(one.rule, one.span) for one in findings}
            callers = self._from_callers.get(document.path, {})
            findings.extend(one for place, one in callers.items() if place not in own)
        self._watch.enter(SUPPRESSION)
        # A fault in what was not read or followed is unknown: then no comment is called unused.
        findings, unused = suppress(tree, findings, self.catalogue, codes if whole else frozenset())
        findings.extend(unused)
        shown: dict[Finding, None] = {}
        for finding in findings:
            if finding.rule not in codes:
                continue
            severity = severities.get(finding.rule)
            if severity is not None and finding.severity is not severity:
                finding = replace(finding, severity=severity)
            if finding.severity is Severity.INFO and finding.rule not in by_hand:
                continue
            shown[finding] = None
        return sorted(shown, key=lambda one: (one.span, one.rule)), not tree.problems

    def _analysed(
        self,
        tree: SyntaxTree,
        provider: Provider,
        codes: frozenset[str],
        result: CheckResult | None,
        examination: Examination | None,
    ) -> tuple[Sequence[Finding], bool]:
        """The findings, and whether nothing was given up."""
        path = tree.document.path
        try:
            answer = self._run(tree, provider, codes, examination)
        except Cancelled:
            raise
        except RecursionError:
            if result is not None:
                result.stopped.append(f"{path}: nested too deeply to be analysed")
            return (), False
        except Exception as failure:
            if result is not None:
                result.internal_errors.append(_internal_error(path, failure))
            return (), False
        if result is not None:
            result.internal_errors.extend(_located(path, line) for line in answer.internal_errors)
            result.stopped.extend(_located(path, line) for line in answer.stopped)
        findings = list(answer.findings)
        for finding, at_call in answer.elsewhere:
            if finding.path in self._in_run:
                self._keep(finding)
            elif at_call is not None:
                findings.append(at_call)
        self._steps += answer.steps
        return findings, not answer.internal_errors and not answer.stopped

    def _keep(self, finding: Finding) -> None:
        """A finding that a call in another file leads to; of two at one place the graver, else the first."""
        kept = self._from_callers.setdefault(finding.path, {})
        place = finding.rule, finding.span
        if place not in kept or finding.severity.rank < kept[place].severity.rank:
            kept[place] = finding

    def _run(
        self, tree: SyntaxTree, provider: Provider, codes: frozenset[str], examination: Examination | None
    ) -> AnalysisResult:
        torch = self.configuration.for_path(tree.document.path).torch_version or self.options.torch
        runner = self._runner or partial(_installed_runner(), at_rule=self._at_rule, torch=torch)
        self._watch.enter(ANALYSIS)
        if examination is None:
            return runner(tree, provider, codes)
        answer = runner(tree, provider, codes, cancelled=examination.cancelled, recording=True)
        examination.analysis = answer.analysis
        return answer

    def _at_rule(self, code: str) -> None:
        self._watch.enter(code or RULES)

    def _fixed(self, document: Document, provider: Provider, result: CheckResult) -> Document:
        """The document after all rounds of fixes, written to disk unless only a diff is asked for."""

        def findings(current: Document) -> Sequence[Finding]:
            found, whole = self._findings(current, provider, None, changed=current is not document)
            self._watch.enter(FIXES)
            return self.kept(found, {current.path: current}) if whole else ()

        fixed = fixed_in_rounds(document, findings, unsafe=self.options.unsafe_fixes)
        if not fixed.parses:
            result.problems.append(f"{document.path}: left alone, its fixes would not parse")
        if not fixed.fixes:
            return document
        if self.options.fix and not self.options.diff:
            refused = write(document, fixed.document)
            if refused is not None:
                result.problems.append(f"{document.path}: not fixed: {refused}")
                return document
        result.changes.append(Change(document, fixed.document, fixed.fixes))
        return fixed.document

    def _policy(self, settings: Settings) -> tuple[frozenset[str], frozenset[str], dict[str, Severity]]:
        """Codes that run, codes chosen by hand, and severities by code, for some settings."""
        if settings not in self._enabled:
            severities: dict[str, Severity] = {}
            # The longer selector wins, as for `select`.
            for word, severity in sorted(settings.severity, key=lambda pair: len(pair[0])):
                selector = self.catalogue.selector(word)
                for rule in self.catalogue.rules:
                    if selector == "ALL" or (selector and rule.code.startswith(selector)):
                        severities[rule.code] = severity
            self._enabled[settings] = (
                self.catalogue.enabled(settings),
                self.catalogue.chosen_by_hand(settings),
                severities,
            )
        return self._enabled[settings]

    def codes_for(self, path: str) -> dict[str, Severity]:
        """The codes that run on a file, each with the severity that its settings give it."""
        settings = self.configuration.for_path(path)
        enabled, _, severities = self._policy(settings)
        codes = self._without_file_ignores(path, settings, enabled)
        return {
            rule.code: severities.get(rule.code, rule.severity)
            for rule in self.catalogue.rules
            if rule.code in codes
        }

    def _without_file_ignores(self, path: str, settings: Settings, enabled: frozenset[str]) -> frozenset[str]:
        if not settings.per_file_ignores:
            return enabled
        if settings not in self._ignores:
            self._ignores[settings] = [
                (matcher((pattern,)), words) for pattern, words in settings.per_file_ignores
            ]
        relative = relative_to_root(path, settings)
        dropped: set[str] = set()
        for matches, words in self._ignores[settings]:
            if not matches(relative):
                continue
            for word in words:
                selector = self.catalogue.selector(word)
                dropped.update(
                    code for code in enabled if selector == "ALL" or code.startswith(selector or "?")
                )
        return enabled - dropped


def installed_rules() -> list[KnownRule]:
    """The rules of this installation, none of them imported."""
    from torchlsp.lint.registry import rules

    return [KnownRule(rule.code, rule.name, rule.severity, bool(rule.preview)) for rule in rules()]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What checking one file apart gave; `elsewhere` is what its calls lead to in other files of the run."""

    result: CheckResult
    elsewhere: tuple[Finding, ...]


class _Apart:
    """The work of one process: each file is checked as if no other had been."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._provider = Provider(Workspace())

    def __call__(self, path: str) -> _Outcome:
        engine, result = self._engine, CheckResult()
        engine._from_callers = {}
        engine._check_file(path, self._provider, result)
        _collect()
        kept = engine._from_callers.values()
        return _Outcome(result, tuple(finding for found in kept for finding in found.values()))


def _collect() -> None:
    """Now and then, free the cycles that the analysis made, where nothing else does.

    Only what was made since the last time is looked at: an analysis is over by now and its cycles are among that.
    What lives longer, the trees of imported files and what is derived of them, has no cycles.
    """
    if gc.get_count()[0] > _COLLECT_EVERY and not gc.isenabled():
        gc.collect(0)


def _is_stream(path: str) -> bool:
    """A pipe can be read only once, and the standard input only by this process."""
    return os.path.exists(path) and not os.path.isfile(path)


def _installed_runner() -> Runner:
    from torchlsp.lint.runner import run

    return run  # type: ignore[return-value]


def _may_use_torch(document: Document) -> bool:
    text = document.text
    return any(word in text for word in TRIGGERS)


def _problem_finding(tree: SyntaxTree, problem: SyntaxProblem) -> Finding:
    severity = Severity.INFO if problem.kind in _NOT_A_MISTAKE else Severity.ERROR
    message = problem.message
    if problem.kind == "syntax":
        message = f"does not parse: {message}"
    return _unreadable(tree.document, problem.span, message, severity, scope_name(tree, problem.span))


def _unreadable(document: Document, span: Span, message: str, severity: Severity, scope: str) -> Finding:
    return Finding("TL000", "unreadable-source", document.path, span, message, severity, scope=scope)


def _internal_error(path: str, failure: Exception) -> str:
    last = traceback.extract_tb(failure.__traceback__)[-1]
    place = f"{os.path.basename(last.filename)}:{last.lineno}"
    text = " ".join(str(failure).split())[:200]
    head = f"{path}: {type(failure).__name__} at {place}: {text}"
    return head + "\n" + "".join(traceback.format_exception(failure)).rstrip()


def _located(path: str, line: str) -> str:
    return line if line.startswith(path) else f"{path}: {line}"
