"""Runs a check over files: reads, analyses, suppresses, fixes. The same call serves the command line and the
editor."""

from __future__ import annotations

import errno
import os
import time
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from torchlsp.core.cancel import Cancelled
from torchlsp.core.finding import Finding, Severity
from torchlsp.core.records import replace
from torchlsp.core.span import Span
from torchlsp.engine import contradicted
from torchlsp.engine.config import Catalogue, ConfigError, Configuration, KnownRule
from torchlsp.engine.examination import Examination, of_caller, of_change
from torchlsp.engine.kept_errors import as_infos
from torchlsp.engine.led_to import FaultPlace, first_checked, merge
from torchlsp.engine.options import DEFAULTS, Options
from torchlsp.engine.outcome import FileOutcome, Needs, digest_of
from torchlsp.engine.relevance import TRIGGERS, may_use_torch
from torchlsp.engine.result import Change, CheckResult, FileTiming
from torchlsp.engine.selection import Selections
from torchlsp.engine.separate_checks import SeparateChecks, collect_cycles, lost_outcome, new_provider
from torchlsp.engine.stopwatch import ANALYSIS, DISCOVERY, FIXES, READING, RULES, SUPPRESSION, Stopwatch
from torchlsp.engine.unreadable import internal_error, located, problem_finding, unreadable
from torchlsp.engine.workspace import Workspace, discover, shown_path

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from torchlsp.core.text import Document
    from torchlsp.engine.provider import Provider
    from torchlsp.engine.records import FileRecord
    from torchlsp.engine.result import AnalysisResult
    from torchlsp.engine.result_cache import ResultCache
    from torchlsp.engine.standing import Broken, Standing
    from torchlsp.syntax.parse import SyntaxTree

    Runner = Callable[..., AnalysisResult]
    """Called with the tree, the provider and the codes that run; for an examination also `cancelled` and `recording`."""
    Progress = Callable[[int, int, str], None]
    """Called with (number, of how many, path) before each file."""


class Engine:
    """Checks files under one set of options. Raises ConfigError for the user's mistakes, nothing else."""

    def __init__(
        self,
        options: Options = DEFAULTS,
        *,
        runner: Runner | None = None,
        rules: Iterable[KnownRule] | None = None,
    ) -> None:
        if options.jobs < 0:
            raise ConfigError("jobs must be 1 or more, or 0 for one on each CPU")
        self.options = options
        self._cache: ResultCache | None = None
        # What a stand-in for the analysis or for the rules says is not kept as if these had said it.
        is_itself = runner is None and rules is None
        if options.cache is not None and is_itself and not (options.fix or options.diff):
            from torchlsp.engine.result_cache import ResultCache

            self._cache = ResultCache(options.cache, installed_rules)
            rules = self._cache.rules()
        self.catalogue = Catalogue(installed_rules() if rules is None else rules)
        self.configuration = Configuration(self.catalogue, options.overrides)
        self._runner = runner
        self._selections = Selections(self.catalogue, self.configuration, options)
        # The files of this run, as shown; what other files' calls find in them is shown there.
        self._in_run: frozenset[str] = frozenset()
        # Findings that other files' calls lead to, by the file of this run that they stand in.
        self._from_callers: dict[str, dict[FaultPlace, Finding]] = {}
        # Of the file under way: the digest of its content if results are kept, and the files its calls lead to findings in.
        self._digest: str | None = None
        self._led_to: dict[str, bool] = {}
        self._steps = 0
        self._watch = Stopwatch({})
        self._before: Counter[tuple[str, str, str]] | None = None

    def __getstate__(self) -> dict[str, object]:
        """Returns the state that another process needs."""
        return self.__dict__ | {"_cache": None, "options": replace(self.options, changes=None)}

    def check(self, paths: Iterable[str], progress: Progress | None = None) -> CheckResult:
        """Checks files and folders."""
        result = CheckResult(groups=self.catalogue.groups())
        watch = Stopwatch(result.seconds)
        watch.enter(DISCOVERY)
        found = discover(paths, self.configuration, force_exclude=self.options.force_exclude)
        for path in found.files:
            self._selections.for_path(path)
        changes = self.options.changes
        files = list(found.files) if changes is None else changes.among(found.files)
        watch.enter(None)
        result.files = len(files)
        result.problems.extend(found.skipped)
        result.problems.extend(f"{folder}: no Python files found" for folder in found.empty)
        self._in_run, self._from_callers = frozenset(map(shown_path, files)), {}
        told = progress or (lambda number, total, path: None)
        if self.options.fix or self.options.diff:
            self._fix_each(files, told, result)
        else:
            try:
                self._check_all(files, told, result)
            finally:
                if self._cache is not None:
                    self._cache.save()
        if self._cache is not None and self._cache.problem is not None:
            result.problems.append(self._cache.problem)
        result.findings.sort(key=lambda one: (one.path, one.span, one.rule, one.message))
        return result

    def _fix_each(self, paths: Sequence[str], progress: Progress, result: CheckResult) -> None:
        provider = new_provider()
        # What callers find in a file must be known before its text and its comments are changed.
        for path in paths:
            self._ask_callers(path, provider)
        for number, path in enumerate(paths):
            progress(number, len(paths), path)
            self._check_file(path, provider, result)
            result.checked.append(shown_path(path))
            collect_cycles()

    def _check_all(self, paths: Sequence[str], progress: Progress, result: CheckResult) -> None:
        """Checks each file as if it were the only one, and merges what it finds in others in the run's order.
        So the outcome does not depend on what is recalled, nor on which process is faster."""
        outcomes: dict[str, FileOutcome] = {}
        situations: dict[str, str] = {}
        if self._cache is not None:
            situations = {path: self._situation(path) for path in paths}
            outcomes = self._cache.recall(situations, self._in_run)
            result.recalled, result.imported = len(outcomes), set(self._cache.imported)
        left = [path for path in paths if path not in outcomes]
        begun = count(len(outcomes))
        for path, outcome in self._checked_apart(left, lambda path: progress(next(begun), len(paths), path)):
            outcomes[path] = outcome
            result.imported.update(outcome.needs.imported)
            if self._cache is not None:
                self._cache.keep(path, situations[path], outcome)
        self._from_callers = {}
        for path in paths:
            result.add(outcomes[path].result)
            if not outcomes[path].is_lost:
                result.checked.append(shown_path(path))
            for finding in outcomes[path].elsewhere:
                self._keep(finding)
        if not self._from_callers:
            return
        # Where an error of ours left nothing, nothing can be added either.
        told = {path: self._found_by_callers(path) for path in paths if not outcomes[path].is_lost}
        again = [path for path in told if contradicted.only_findings(told[path])]
        self._check_again(again, situations, result)
        contradicted.withdraw(result.findings, {shown_path(path): found for path, found in told.items()})

    def _checked_apart(
        self, paths: Sequence[str], started: Callable[[str], None]
    ) -> Iterable[tuple[str, FileOutcome]]:
        """Yields files with their outcomes as they arrive, from several processes if requested and worthwhile."""
        workers = 1
        if self.options.jobs != 1 and len(paths) > 1 and not any(map(_is_stream, paths)):
            from torchlsp.engine import pool

            seconds = pool.seconds_by_path(paths, TRIGGERS)
            workers = pool.number_of_workers(self.options.jobs, seconds.values())
        work = SeparateChecks(self)
        if workers == 1:
            for path in paths:
                started(path)
                yield path, work(path)
            return
        if self._runner is None:
            _installed_runner()  # imported once, before the processes are forked
        largest_first = sorted(paths, key=seconds.__getitem__, reverse=True)
        lost: list[str] = []
        for path, answer in pool.each(largest_first, work, workers, started):
            if isinstance(answer, pool.Failed) and answer.died:
                lost.append(path)
            else:
                yield path, lost_outcome(path, answer.reason) if isinstance(answer, pool.Failed) else answer
        # There may have been too little memory for all of them at once: each gets a process, and all of it, to itself.
        for path in lost:
            for _, answer in pool.each([path], work, 1, never_here=True):
                if isinstance(answer, pool.Failed):
                    answer = lost_outcome(path, f"{answer.reason}, alone too")
                yield path, answer

    def _situation(self, path: str) -> str:
        """Returns everything besides texts that the findings of a file depend on."""
        record = self.record_of(path)
        known = "" if record is None else record.digest
        told, torch = self._selections.for_path(path).told, self.torch_for(path)[0]
        return f"{told} {torch} {known} {self.options.show_refuted}"

    def torch_for(self, path: str) -> tuple[str | None, str | None]:
        """Returns the version of torch that a file is checked for, and the file that says so, if one does."""
        return self._selections.torch_for(path)

    def record_of(self, path: str) -> FileRecord | None:
        """Returns what recorded runs say of a file."""
        return None if self.options.records is None else self.options.records.of(path)

    def codes_for(self, path: str) -> dict[str, Severity]:
        """Returns the codes that run on a file, each with the severity that its settings give it."""
        return self._selections.codes_for(path)

    def _found_by_callers(self, path: str) -> list[Finding]:
        return list(self._from_callers.get(shown_path(path), {}).values())

    def check_document(
        self, document: Document, provider: Provider | None = None, checked: frozenset[str] = frozenset()
    ) -> CheckResult:
        """Checks one text that need not be on disk. What it leads to in other files is shown at its calls, unless
        these files are `checked` too."""
        self._in_run, self._from_callers = checked, {}
        result = CheckResult(files=1, groups=self.catalogue.groups())
        self._watch = Stopwatch(result.seconds)
        self._one(document, provider or new_provider(), result)
        self._watch.enter(None)
        return result

    def examine(
        self,
        document: Document,
        provider: Provider,
        cancelled: Callable[[], None] | None = None,
        standing: Standing | None = None,
        *,
        checked: frozenset[str] = frozenset(),
    ) -> Examination:
        """Checks as `check_document` does, and keeps the facts of every expression. `standing` is what was
        kept of the text before this one, and is brought up to date. What its calls lead to in the files that are
        `checked` too is kept apart."""
        self._in_run, self._from_callers, self._led_to = checked, {}, {}
        if standing is not None:
            from torchlsp.engine.standing import Broken, Outdated

            step = standing.step(document)
            if isinstance(step, Broken):
                return self._examined_but_for(step, cancelled)
            if step is not None:
                try:
                    return self._examined(of_change(document, step, standing, cancelled), provider)
                except Outdated:
                    pass
        tree = provider.tree(document)
        if standing is not None and tree.problems and (kept := standing.broken(tree)) is not None:
            return self._examined_but_for(kept, cancelled)
        examination = Examination(tree, CheckResult(files=1), cancelled)
        if standing is not None and standing.begin(examination.tree):
            examination.standing = standing
            examination.padded, examination.padding = standing.padded(examination.tree)
        examined = self._examined(examination, provider)
        if standing is not None and examined.standing is None and not examined.result.internal_errors:
            standing.settled(document, examined.own)
        return examined

    def follow_calls(
        self, document: Document, provider: Provider, checked: frozenset[str], cancelled: Callable[[], None]
    ) -> Examination:
        """Finds what the calls of a text lead to in the files that are checked, and keeps no facts of the text."""
        self._in_run, self._from_callers, self._led_to = checked, {}, {}
        return self._examined(of_caller(provider.tree(document), checked, cancelled), provider)

    def with_callers(self, examination: Examination, led_to: Sequence[Finding]) -> list[Finding]:
        """Returns the findings of an examined text together with those to which calls of other files lead."""
        return examination.with_callers(led_to, self.shown)

    def _examined(self, examination: Examination, provider: Provider) -> Examination:
        result, document = examination.result, examination.document
        findings, _ = self._findings(examination.analysed.document, provider, result, examination=examination)
        if examination.standing is not None:
            if result.internal_errors:
                examination.standing.forget()
            else:
                examination.standing.settled(document, findings)
        examination.tell(findings)
        examination.keep_elsewhere(self._from_callers, self._led_to)
        return examination

    def _examined_but_for(self, broken: Broken, cancelled: Callable[[], None] | None) -> Examination:
        """Returns the earlier findings outside of the one statement that does not parse at the moment."""
        examination = Examination(broken.tree, CheckResult(files=1), cancelled, how="kept")
        problems = [problem_finding(broken.tree, problem) for problem in broken.tree.problems]
        shown = self.shown(broken.tree, problems, frozenset())
        found = dict.fromkeys((*shown, *broken.findings))
        examination.tell(sorted(found, key=lambda one: (one.span, one.rule)))
        return examination

    def kept(self, findings: Sequence[Finding], documents: Mapping[str, Document]) -> list[Finding]:
        """Returns those findings of the last run that the options' changes caused; without changes all."""
        changes = self.options.changes
        return list(findings) if changes is None else changes.kept(findings, documents, self._found_before)

    def _found_before(self) -> Counter[tuple[str, str, str]]:
        """Returns the findings in the texts before the changes, which imports see too in that run."""
        if self._before is None and self.options.changes is not None:
            from collections import Counter
            from copy import copy

            from torchlsp.engine.changes import key
            from torchlsp.engine.provider import Provider

            texts = self.options.changes.old_texts
            engine = copy(self)
            engine.options = replace(self.options, fix=False, diff=False, changes=None)
            engine._watch, engine._from_callers = Stopwatch({}), {}
            modules = self.options.changes.modules_before()
            files = {**modules, **{os.path.realpath(one.path): one for one in texts}}
            provider = Provider(Workspace(modules), files)
            found: dict[str, list[Finding]] = {}
            callers: dict[str, list[Finding]] = {}
            # A file checked later may lead to findings in one before it.
            for one in (*texts, *texts):
                if one.path in found and engine._found_by_callers(one.path) == callers[one.path]:
                    continue
                callers[one.path] = engine._found_by_callers(one.path)
                found[one.path] = engine._findings(one, provider, None)[0]
                collect_cycles()
            self._before = Counter(key(finding, one) for one in texts for finding in found[one.path])
        return self._before or Counter()

    def _ask_callers(self, path: str, provider: Provider) -> None:
        """Collects findings that this file's calls lead to in other files of the run."""
        from torchlsp.engine.reading import read_document
        from torchlsp.files import read_source

        try:
            document = read_document(shown_path(path), read_source(path))
            self._findings(document, provider, None)
        except Cancelled:
            raise
        except Exception:  # the check itself comes later, and tells
            return

    def _check_again(self, paths: Sequence[str], situations: Mapping[str, str], result: CheckResult) -> None:
        """Checks files again in which other files' calls find something, by their own comments and settings."""
        if not paths:
            return
        callers = {path: self._found_by_callers(path) for path in paths}
        outcomes: dict[str, FileOutcome] = {}
        if self._cache is not None:
            outcomes = self._cache.recall({path: situations[path] for path in paths}, self._in_run, callers)
        again = CheckResult()
        provider: Provider | None = None
        for path in paths:
            if path not in outcomes:
                provider = provider or new_provider()
                outcomes[path] = self._apart(path, provider)
                if self._cache is not None:
                    self._cache.keep(path, situations[path], outcomes[path], callers[path])
            again.add(outcomes[path].result)
        replaced = {shown_path(path) for path in paths}
        result.findings[:] = [one for one in result.findings if one.path not in replaced] + again.findings
        for shown in replaced:
            result.documents.pop(shown, None)
        result.documents.update(again.documents)

    def _apart(self, path: str, provider: Provider) -> FileOutcome:
        """Returns the outcome of checking one file, given the known findings of its callers."""
        result = CheckResult()
        provider.asked, self._led_to, self._digest = {}, {}, None
        self._check_file(path, provider, result)
        collect_cycles()
        return FileOutcome(result, (), self._digest, Needs(provider.asked, self._led_to))

    def _check_file(self, path: str, provider: Provider, result: CheckResult) -> None:
        start, self._steps = time.perf_counter(), 0
        self._watch = Stopwatch(result.seconds)
        self._watch.enter(READING)
        self._read_and_check(path, provider, result)
        self._watch.enter(None)
        result.timings.append(FileTiming(shown_path(path), time.perf_counter() - start, self._steps))

    def _read_and_check(self, path: str, provider: Provider, result: CheckResult) -> None:
        from torchlsp.core.text import Document
        from torchlsp.engine.reading import read_document
        from torchlsp.files import read_named

        shown = shown_path(path)
        try:
            data = read_named(path)
        except OSError as failure:
            document = Document(shown, "")
            message, severity = f"cannot be read: {failure.strerror or failure}", Severity.ERROR
            if failure.errno == errno.EFBIG:  # no mistake, as where a text is too long for the parser
                message, severity = f"file not analysed: {failure.strerror}", Severity.INFO
                result.stopped.append(f"{shown}:1: {message}")
            finding = unreadable(document, Span(0, 0), message, severity, "")
            if finding.rule in self._selections.for_path(path).codes:
                result.findings.append(finding)
                result.documents[shown] = document
            return
        try:
            self._digest = digest_of(data)
            self._one(read_document(shown, data), provider, result)
        except Cancelled:
            raise
        except Exception as failure:
            # One file must never cost the run, whatever is wrong with us.
            result.internal_errors.append(internal_error(shown, failure))

    def _one(self, document: Document, provider: Provider, result: CheckResult) -> None:
        original = document
        if self.options.fix or self.options.diff:
            document = self._fixed(document, provider, result)
        changed = document is not original
        findings, _ = self._findings(document, provider, result, changed=changed)
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
        """Returns the findings to show of one text, and whether the whole of it was read. Notices and
        internal errors go to `result`, unless it is None. `changed`: by fixes, so that callers' findings no
        longer fit."""
        codes = self._selections.for_path(document.path).codes
        self._watch.enter(READING)
        tree = provider.tree(document) if examination is None else examination.analysed
        findings: list[Finding] = []
        for problem in tree.problems:
            findings.append(problem_finding(tree, problem, self.torch_for(document.path)[0]))
            if findings[-1].severity is Severity.INFO and result is not None:
                row, _ = document.row_column(problem.span.start)
                result.stopped.append(f"{document.path}:{row}: {findings[-1].message}")
        whole = not tree.problems
        if tree.has_code and may_use_torch(document.text):
            found, analysed = self._analysed(tree, provider, codes, result, examination)
            findings.extend(found)
            whole = whole and analysed
        if not changed:
            told = list(self._from_callers.get(document.path, {}).values())
            findings = contradicted.with_callers(findings, told)
        findings = contradicted.in_workspace(findings, document.path)
        # A fault in what was not read or followed is unknown: then no comment is called unused.
        judged = codes if whole else frozenset()
        if examination is not None:
            examination.found, examination.judged = findings, judged
        return self.shown(tree, findings, judged), not tree.problems

    def shown(self, tree: SyntaxTree, findings: list[Finding], judged: frozenset[str]) -> list[Finding]:
        """Returns the findings that no comment and no setting suppresses, and the comments about the `judged`
        codes that suppress none."""
        from torchlsp.engine.suppressing import suppress

        selection = self._selections.for_path(tree.document.path)
        codes = selection.codes
        self._watch.enter(SUPPRESSION)
        findings, unused = suppress(tree, as_infos(tree.document, findings), self.catalogue, judged)
        findings.extend(unused)
        shown: dict[Finding, None] = {}
        for finding in findings:
            if finding.rule not in codes:
                continue
            severity = selection.severities.get(finding.rule)
            if severity is not None and finding.severity is not severity:
                finding = replace(finding, severity=severity)
            if finding.severity is Severity.INFO and finding.rule not in selection.by_hand:
                continue
            shown[finding] = None
        return sorted(shown, key=lambda one: (one.span, one.rule))

    def _analysed(
        self,
        tree: SyntaxTree,
        provider: Provider,
        codes: frozenset[str],
        result: CheckResult | None,
        examination: Examination | None,
    ) -> tuple[Sequence[Finding], bool]:
        """Returns the findings, and whether the analysis was complete."""
        path = tree.document.path
        try:
            answer = self._run(tree, provider, codes, examination, record := self.record_of(path))
        except Cancelled:
            raise
        except RecursionError:
            self._digest = None  # how deep is too deep depends on who calls
            if result is not None:
                result.stopped.append(f"{path}: nested too deeply to be analysed")
            return (), False
        except Exception as failure:
            if result is not None:
                result.internal_errors.append(internal_error(path, failure))
            return (), False
        if result is not None:
            result.internal_errors.extend(located(path, line) for line in answer.internal_errors)
            result.stopped.extend(located(path, line) for line in answer.stopped)
        own = contradicted.without_own(answer.findings, path, answer.followed, answer.cast)
        findings = self._without_contradicted(tree, own, result, record)
        for finding, at_calls in answer.elsewhere:
            placed = first_checked((finding, *at_calls), path, self._in_run, self._led_to)
            if placed is not None and placed.path != path:
                self._keep(placed)
            elif placed is not None:
                findings.append(placed)
        for told in contradicted.told_of_others(path, answer) if examination is None else ():
            self._led_to[told.path] = told.path in self._in_run
            if told.path in self._in_run:
                self._keep(told)
        self._steps += answer.steps
        return findings, not answer.internal_errors and not answer.stopped

    def _without_contradicted(
        self, tree: SyntaxTree, found: list[Finding], result: CheckResult | None, record: FileRecord | None
    ) -> list[Finding]:
        """Returns the findings that no recorded run contradicts; all, with verdicts, where that is asked for."""
        if record is None or not found:
            return found
        from torchlsp.engine.records import with_contradicted

        judged = with_contradicted(found, record, tree)
        kept = judged if self.options.show_refuted else [one for one in judged if one.verdict is None]
        if result is not None:
            result.contradicted += len(judged) - len(kept)
        return kept

    def _keep(self, finding: Finding) -> None:
        """Stores a finding from a call in another file."""
        merge((finding,), self._from_callers.setdefault(finding.path, {}))

    def _run(
        self,
        tree: SyntaxTree,
        provider: Provider,
        codes: frozenset[str],
        examination: Examination | None,
        record: FileRecord | None,
    ) -> AnalysisResult:
        torch, _ = self.torch_for(tree.document.path)
        observed = {} if record is None else {"observed": record.entries}
        runner = self._runner or partial(_installed_runner(), at_rule=self._at_rule, torch=torch, **observed)
        self._watch.enter(ANALYSIS)
        if examination is None:
            return runner(tree, provider, codes)
        how = {} if examination.analyse is None else {"analyse": examination.analyse}
        recording = examination.is_recorded
        answer = runner(tree, provider, codes, cancelled=examination.cancelled, recording=recording, **how)
        examination.analysis, examination.record = answer.analysis, record
        examination.reads_callers, examination.is_quiet = self.options.reads_callers, answer.is_quiet
        return answer

    def _at_rule(self, code: str) -> None:
        self._watch.enter(code or RULES)

    def _fixed(self, document: Document, provider: Provider, result: CheckResult) -> Document:
        """Returns the document after all rounds of fixes, written to disk unless only a diff is requested."""
        from torchlsp.engine.fixing import fixed_in_rounds, write

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


def installed_rules() -> list[KnownRule]:
    """Returns the rules of this installation, none of them imported."""
    from torchlsp.lint.registry import rules

    found = rules()
    return [KnownRule(r.code, r.name, r.severity, bool(r.preview), r.group, bool(r.mended)) for r in found]


def _is_stream(path: str) -> bool:
    """Returns whether a path is a pipe or the standard input, which only this process can read, and once."""
    return os.path.exists(path) and not os.path.isfile(path)


def _installed_runner() -> Runner:
    from torchlsp.lint.runner import run

    return run  # type: ignore[return-value]  # its options are keywords, which a Callable cannot name
