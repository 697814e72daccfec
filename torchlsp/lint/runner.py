"""Runs the enabled rules over one file: analyses once, then runs the rules whose questions have answers."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from torchlsp.core.cancel import Cancelled
from torchlsp.core.records import dataclass, field
from torchlsp.core.span import Span
from torchlsp.facts.fault_kinds import NEED_TORCH_NAMES
from torchlsp.facts.torch_names import TorchNames, Version, parse_version
from torchlsp.interp.checks.dtypes.patched_functions import PatchingFiles
from torchlsp.interp.objects.followed_calls import FollowedCalls
from torchlsp.interp.run.analyse import analyse as analyse_all
from torchlsp.interp.store.entry_facts import NO_ENTRIES
from torchlsp.lint.causes import one_for_each_cause, places_of, with_other_places
from torchlsp.lint.check import Answers, Check
from torchlsp.lint.files import File
from torchlsp.lint.registry import load, rules

if TYPE_CHECKING:
    from torchlsp.core.finding import Finding
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.entry_facts import Entries
    from torchlsp.lint.question import RuleInfo
    from torchlsp.program import ir
    from torchlsp.syntax.parse import SyntaxTree


MAX_FINDINGS = 1_000
"""The number of findings of one file that are made: each takes a millisecond or two."""
_TOO_MANY = f"more than {MAX_FINDINGS:,} findings in the file, the others are not reported"


class Provider(Protocol):
    """Finds other files for the run."""

    def module(self, dotted_name: str, importing_path: str) -> SyntaxTree | None: ...


@dataclass(slots=True)
class RunResult:
    """The result of a run. `findings` are those in the file itself. `elsewhere` are pairs: a finding in an
    imported file, and the same finding at the innermost call in each file on the way there, innermost first
    (nothing when no call leads there); one of all these is to be shown. `internal_errors` have their traceback below the first line; `stopped` is
    what was given up within limits. `analysis` is there when its facts were recorded; `steps` is what it
    cost, in steps of the interpreter. `followed` are functions of other files that calls have run with known arguments,
    `cast` the paths of files whose dtypes the program changes."""

    findings: list[Finding] = field(default_factory=list)
    elsewhere: list[tuple[Finding, tuple[Finding, ...]]] = field(default_factory=list)
    internal_errors: list[str] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    analysis: Analysis | None = None
    steps: int = 0
    followed: list[tuple[str, Span]] = field(default_factory=list)
    cast: list[str] = field(default_factory=list)
    is_quiet: bool = True
    """Whether no rule was run: then none has read the text."""


def run(
    tree: SyntaxTree,
    provider: Provider,
    enabled: frozenset[str],
    *,
    installed: Iterable[RuleInfo] | None = None,
    cancelled: Callable[[], None] | None = None,
    strict: bool = False,
    recording: bool = False,
    at_rule: Callable[[str], None] = lambda code: None,
    torch: str | None = None,
    observed: Entries | None = None,
    analyse: Callable[..., Analysis] | None = None,
) -> RunResult:
    """Analyses a file and returns the findings of the rules whose codes are enabled.

    `recording`: keep what each expression evaluates to. `cancelled` is called between statements and may raise Cancelled. `strict`: an internal error is raised (tests).
    `at_rule` is called with "" before it is asked which rule has something to do, and with a rule's code before it runs. `torch` is the version that the file is meant for; None: the newest known; "1.7+": that or a later one.
    `observed`: what recorded runs have seen of the file's functions.
    `analyse` stands in for `interp.interpreter.analyse`.
    """
    version = parse_version(torch) if torch else None
    chosen = [
        info
        for info in (rules() if installed is None else installed)
        if info.code in enabled and not _is_newer(info.since or _FIRST_MEASURED, version)
    ]
    main = File(tree)
    wanted = frozenset(argument for info in chosen for method, argument in info.asks if method == "calls")
    api = None
    if any(argument in NEED_TORCH_NAMES for info in chosen for _, argument in info.asks):
        api = TorchNames(version, may_be_newer=torch is not None and torch.endswith("+"))
    while True:
        imports = Imports(provider, main)
        analysis = (analyse or analyse_all)(
            main.module,
            imports,
            wanted,
            recording=recording,
            strict=strict,
            cancelled=cancelled,
            api=api,
            observed=observed or NO_ENTRIES,
        )
        if not imports.were_misread():
            break
    at_rule("")
    kept = analysis if recording else None
    result = RunResult(internal_errors=list(analysis.errors), analysis=kept, steps=analysis.steps)
    result.stopped.extend(f"{name} not analysed further: too much to follow" for name in analysis.stopped)
    if analysis.left_out:
        result.stopped.append(_described_left_out(main, analysis.left_out))
    result.followed.extend(
        (path, Span(start, end)) for path, start, end in analysis.states[FollowedCalls].functions
    )
    if analysis.states[PatchingFiles].paths:
        from torchlsp.lint.reached_files import reached_files

        result.cast.extend(reached_files(main.module, imports.module))
    answers = Answers(analysis)

    def run_rule(info: RuleInfo, into: RunResult) -> None:
        try:
            if is_awake(info, answers):
                result.is_quiet = False
                at_rule(info.code)
                _run_rule(info, answers, main, imports, into)
                at_rule("")
        except Cancelled:
            raise
        except Exception as failure:
            if strict:
                raise
            into.internal_errors.append(_described(info.code, failure))

    for info in chosen:
        if not info.fallback:
            run_rule(info, result)
    for info in chosen:
        if info.fallback:
            found = RunResult()
            run_rule(info, found)
            _add_where_no_other_rule_reports(
                found, result, _found_by_disabled_rules(info, chosen, installed, run_rule)
            )
    result.findings.sort(key=lambda one: (one.span, one.rule))
    if not recording:
        analysis.release()
    return result


_FIRST_MEASURED = "1.0"
"""The release since which torch does what is known of it here. Before, tensors of no dims, variables and whole numbers were others."""


def _is_newer(since: str, version: Version | None) -> bool:
    """Returns whether a torch is older than the release since which it refuses something; a torch not known is not."""
    first = parse_version(since)
    return first is not None and version is not None and version < first


def _found_by_disabled_rules(
    fallback: RuleInfo,
    chosen: Iterable[RuleInfo],
    installed: Iterable[RuleInfo] | None,
    run_rule: Callable[[RuleInfo, RunResult], None],
) -> Callable[[], RunResult]:
    """Runs the disabled rules on the same faults: a fallback does not replace them."""

    def found() -> RunResult:
        silent = RunResult()
        for info in rules() if installed is None else installed:
            if info not in chosen and not info.fallback and info.asks & fallback.asks:
                run_rule(info, silent)
        return silent

    return found


def _add_where_no_other_rule_reports(
    found: RunResult, result: RunResult, found_by_others: Callable[[], RunResult]
) -> None:
    """Adds the findings of a fallback that no other rule's finding overlaps, switched on or off."""
    result.internal_errors.extend(found.internal_errors)
    if not found.findings and not found.elsewhere:
        return
    disabled = found_by_others()
    reported: dict[str, list[Span]] = {}
    for one in (one for part in (result, disabled) for one in _all_findings(part)):
        for path, span in places_of(one):
            reported.setdefault(path, []).append(span)

    def is_new(one: Finding) -> bool:
        return not any(
            one.span.start < other.end and other.start < one.span.end for other in reported.get(one.path, ())
        )

    result.findings.extend(one for one in found.findings if is_new(one))
    result.elsewhere.extend(pair for pair in found.elsewhere if is_new(pair[0]))


def _all_findings(result: RunResult) -> Iterable[Finding]:
    return [*result.findings, *(finding for finding, _ in result.elsewhere)]


def is_awake(info: RuleInfo, answers: Answers) -> bool:
    """Returns whether one of the rule's questions has an answer, so that it must be imported and run."""
    return any(answers(question) for question in sorted(info.asks))


def _run_rule(info: RuleInfo, answers: Answers, main: File, imports: Imports, result: RunResult) -> None:
    check = Check(info, answers, main, imports.file_at)
    found: list[Finding] = []
    left = MAX_FINDINGS - len(result.findings) - len(result.elsewhere)
    try:
        for finding in load(info).run(check):
            if len(found) >= left:
                if _TOO_MANY not in result.stopped:
                    result.stopped.append(_TOO_MANY)
                break
            found.append(finding)
    finally:  # an internal error leaves what was found before it
        for finding, others in one_for_each_cause(found, check.causes):
            shown = with_other_places(finding, others)
            if finding in check.moved:
                at_calls = tuple(with_other_places(one, others) for one in check.moved[finding])
                result.elsewhere.append((shown, at_calls))
            else:
                result.findings.append(shown)


class Imports:
    """Gives the interpreter other files, and keeps them so that rules can read their text."""

    def __init__(self, provider: Provider, main: File) -> None:
        self._provider = provider
        self._files = {main.path: main}
        self._main = main
        self._outlined: list[SyntaxTree] = []

    def module(self, dotted_name: str, importing_path: str) -> ir.Module | None:
        tree = self._provider.module(dotted_name, importing_path)
        if tree is None:
            return None
        if tree.outline is not None:
            self._outlined.append(tree)
        elif tree.module is None:
            return None
        return self._files.setdefault(tree.document.path, File(tree)).module

    def were_misread(self) -> bool:
        """Returns whether a function of a file parsed without its bodies fails to parse. Then all is parsed again."""
        return any(tree.outline is None for tree in self._outlined)

    def file_at(self, path: str | None) -> File | None:
        """Returns the file of a path that the analysis named; None names the checked one."""
        return self._main if path is None else self._files.get(path)


def _described_left_out(main: File, left_out: Sequence[ir.Class | ir.Function]) -> str:
    """Returns the notice that names what of a file was not analysed because of its size."""
    first = left_out[0]
    row = main.document.lines.row(first.start)
    rest = f" and {len(left_out) - 1:,} more functions and classes" if len(left_out) > 1 else ""
    return f"{first.qualname}{rest} from row {row:,} on not analysed: the file is too large"


def _described(code: str, failure: Exception) -> str:
    last = traceback.extract_tb(failure.__traceback__)[-1]
    place = f"{os.path.basename(last.filename)}:{last.lineno}"
    head = f"{code}: {type(failure).__name__} at {place}: {' '.join(str(failure).split())[:200]}"
    return head + "\n" + "".join(traceback.format_exception(failure)).rstrip()
