"""Tests findings by running their programs in the user's torch, and attaches the verdicts.

A finding that has no program, or whose program shows nothing, stays as it is. One that torch refutes is withdrawn.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from torchlsp import __version__
from torchlsp.core.finding import Hangs, Outcome, ProbeRequest, ProofFails, Raises, Verdict
from torchlsp.core.records import replace
from torchlsp.engine.config import TOOL_RULES
from torchlsp.engine.verdict_store import VerdictStore
from torchlsp.probe.client import Unavailable, Worker
from torchlsp.probe.kinds import kind_of
from torchlsp.probe.request import Request
from torchlsp.probe.verdicts import HANG, Trial, is_predicted, verdict, verdict_of_own_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from torchlsp.core.finding import Finding, Sizes
    from torchlsp.lint.pages import Block, Page
    from torchlsp.probe.request import Answer, Hello

    Expected = Raises | ProofFails

DEADLINE = 0.4
"""Seconds for one run of a program."""
SLICE_SECONDS = 1.0
"""Seconds at least for a run of the user's own statements, which may train a while before they get there."""
BATCH = 10
"""Findings that are run together: between batches a prober can be stopped."""
_TOOLS_OWN = frozenset(rule.code for rule in TOOL_RULES)
NO_PROGRAM = Verdict(Outcome.INCONCLUSIVE, reason="facts: too little is known to run it")
NO_EXAMPLE = "control: the rule has no example that says how it fails"
EMULATED, REAL = "logical-device", "real-cuda"
_DEVICES = {"eager-cpu": "cpu", EMULATED: "cuda (emulated)"}
# Numbers that decide tests of which nothing is known: the program's own, not sizes of the user's.
_WAY = re.compile(r"way_\d+")


class Prober:
    """Runs the programs of findings in one worker and remembers the verdicts, on disk too if the store does.
    Blocks; safe to share between threads.

    `torch` is the version of the worker that answered last, and `is_locked` whether the operating system shuts its
    programs in; None before. `gpu` is a worker on a real GPU: programs about devices run there, and `why_no_gpu` says
    why they could not. Where the torch is not known before the worker tells, `stores` gives the store for it.
    """

    def __init__(
        self,
        python: str,
        site_packages: Sequence[str],
        *,
        deadline: float = DEADLINE,
        store: VerdictStore | None = None,
        worker: Worker | None = None,
        stores: Callable[[str], VerdictStore] | None = None,
        gpu: Worker | None = None,
    ) -> None:
        self.torch: str | None = None
        self.is_locked: bool | None = None
        self._worker = worker or Worker(python, site_packages)
        self._deadline = deadline
        self._store = store or VerdictStore()
        self._stores = stores
        self._gpu = gpu
        self.why_no_gpu: str | None = None
        self._controls: dict[tuple[str, str, Expected | None], tuple[Expected, Answer] | None] = {}

    def hello(self) -> Hello:
        """Starts the worker. Raises Unavailable."""
        hello = self._worker.hello()
        if self.torch not in (None, hello.torch):
            # Another torch was installed meanwhile, and may say something else.
            self._store, self._controls = VerdictStore(), {}
        if self._stores is not None and self.torch != hello.torch:
            self._store = self._stores(hello.torch)
        self.torch, self.is_locked = hello.torch, hello.is_locked
        return hello

    def known(self, finding: Finding) -> Verdict | None:
        """Returns the verdict if it was reached before."""
        if _has_program(finding):
            return self._store.get(_digest(finding))
        if finding.rule in _TOOLS_OWN:
            return None
        return replace(NO_PROGRAM, own_code=finding.slice.reason) if finding.slice is not None else NO_PROGRAM

    def verdicts(
        self,
        findings: Sequence[Finding],
        *,
        wanted: Callable[[], bool] = lambda: True,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> list[Verdict | None]:
        """Returns one verdict for each finding. None for those that torch cannot judge, and for those no
        longer `wanted` before a batch. Raises Unavailable; what was found out till then is known."""
        if self._stores is not None and self.torch is None and any(map(_has_program, findings)):
            self.hello()
        asked: dict[str, Finding] = {}
        for finding in findings:
            if _has_program(finding) and self.known(finding) is None:
                asked.setdefault(_digest(finding), finding)
        left = list(asked.values())
        given: dict[str, Verdict] = {}
        try:
            while left and wanted():
                progress(len(given), len(asked))
                given |= self._judged(left[:BATCH])
                left = left[BATCH:]
        finally:
            if given:
                self._store.save()
        # The store may have dropped some: it is bounded.
        return [
            (given.get(_digest(one)) if _has_program(one) else None) or self.known(one) for one in findings
        ]

    def trials(self, finding: Finding) -> list[Trial]:
        """Yields every run of a finding's program, to be shown. Raises Unavailable."""
        request = finding.probe
        return [] if request is None else self._run([request])[0]

    def close(self) -> None:
        self._worker.close()
        if self._gpu is not None:
            self._gpu.close()

    def kill(self) -> None:
        """Closes as `close` does, without waiting, for a process that is about to exit."""
        self._worker.kill()
        if self._gpu is not None:
            self._gpu.kill()

    def _judged(self, findings: Sequence[Finding]) -> dict[str, Verdict]:
        """Returns the verdicts on findings that have programs, by digest."""
        hello = self.hello()
        found = [self._of_own_code(finding, hello.torch) for finding in findings]
        made_of_facts: dict[int, ProbeRequest] = {}
        for n, own in enumerate(found):
            if own is None or own.outcome is Outcome.INCONCLUSIVE:
                request = findings[n].probe
                if request is not None:
                    made_of_facts[n] = request
                elif own is not None:
                    found[n] = replace(NO_PROGRAM, own_code=own.own_code)
        for (n, request), trials in zip(
            made_of_facts.items(), self._run([*made_of_facts.values()]), strict=True
        ):
            own = found[n]
            made = self._verdict(findings[n].rule, request, trials, hello.torch)
            made = self._on_gpu(findings[n].rule, request) or made
            found[n] = made if own is None else replace(made, own_code=own.own_code)
        given = {}
        for finding, one in zip(findings, found, strict=True):
            assert one is not None  # it has a program, see `_has_program`
            given[_digest(finding)] = one
            # What was emulated in want of a GPU is asked again when there is one.
            if self.why_no_gpu is None or one.kind != EMULATED:
                self._store[_digest(finding)] = one
        return given

    def _on_gpu(self, rule: str, request: ProbeRequest) -> Verdict | None:
        """Runs a program about devices on a real GPU; None where there is none, or it decides nothing."""
        if request.kind != EMULATED:
            return None
        real = replace(request, kind=REAL)
        return self._decided_on_gpu(
            lambda gpu, torch: self._verdict(rule, real, self._run([real], gpu)[0], torch)
        )

    def _decided_on_gpu(self, judge: Callable[[Worker, str], Verdict]) -> Verdict | None:
        """Returns a verdict from the real GPU; None where there is none, which is remembered, or it decides nothing."""
        if self._gpu is None or self.why_no_gpu is not None:
            return None
        try:
            hello = self._gpu.hello()
            if REAL not in hello.kinds:
                raise Unavailable("; ".join(hello.problems) or "torch cannot use it")
            found = judge(self._gpu, hello.torch)
        except Unavailable as reason:
            self.why_no_gpu = str(reason)
            return None
        return None if found.outcome is Outcome.INCONCLUSIVE else replace(found, device=hello.gpu)

    def _of_own_code(self, finding: Finding, torch: str) -> Verdict | None:
        """Runs the user's own statements; None where the finding has no slice."""
        request, own = finding.probe or ProbeRequest(""), finding.slice
        if own is None:
            return None
        if own.reason is not None:
            return Verdict(Outcome.INCONCLUSIVE, own_code=own.reason)
        expected = own_code_expectations(finding.rule, request)
        # What is wrong must be the flagged call itself, whatever the machine and the values.
        can_refute = bool(request.facts) and isinstance(request.expect, Raises) and not request.assumes
        found = []

        def judge(worker: Worker, torch: str, kind: str) -> Verdict:
            run = Request(own.program, kind, own.flag, hears=request.hears)
            (answer,) = worker.run([run], max(self._deadline, SLICE_SECONDS))
            return verdict_of_own_code(
                expected, own.flag, answer, kind=kind, torch=torch, given=own.given, can_refute=can_refute
            )

        for kind in _kinds(request.kind, own.program):
            real = None
            if kind == EMULATED:
                real = self._decided_on_gpu(lambda worker, torch: judge(worker, torch, REAL))
            found.append(real or replace(judge(self._worker, torch, kind), device=_DEVICES.get(kind)))
        # Refuted only where it runs through with a GPU and without one.
        order = (Outcome.CONFIRMED, Outcome.INCONCLUSIVE, Outcome.REFUTED)
        return min(found, key=lambda one: order.index(one.outcome))

    def _verdict(self, rule: str, request: ProbeRequest, trials: Sequence[Trial], torch: str) -> Verdict:
        flag = request.flag or (1, request.program.count("\n"))
        expected = expectations(rule, request)
        if not expected:
            return Verdict(Outcome.INCONCLUSIVE, kind=request.kind, torch=torch, reason=NO_EXAMPLE)
        answers = [trial.answer for trial in trials]
        fitting = next(
            (one for one in expected if any(is_predicted(one, flag, end) for end in answers)), None
        )
        control = None
        if fitting is None and all(answer.outcome == "passed" for answer in answers):
            failed = self._control(rule, request)
            if failed is not None:
                fitting, control = failed[0], _moved(failed[1], failed[0], flag)
        found = verdict(
            fitting or expected[0],
            flag,
            trials,
            control=control,
            assumes=(*request.assumes, *(["values that are not known"] if request.guesses else ())),
            kind=request.kind,
            torch=torch,
        )
        shown = request.shown or ("warns" if request.hears else None)
        return replace(
            found,
            device=_DEVICES.get(request.kind),
            facts=request.facts,
            shown=shown if found.outcome is Outcome.REPRODUCED else None,
        )

    def _run(self, requests: Sequence[ProbeRequest], worker: Worker | None = None) -> list[list[Trial]]:
        """Returns how each program ended with each of its sizes; a program that two findings share runs once."""
        worker = worker or self._worker
        wanted = [
            [
                Request(one.source(sizes), one.kind, one.flag, one.world, hears=one.hears)
                for sizes in one.assignments
            ]
            for one in requests
        ]
        keys = {run: str(number) for number, run in enumerate(dict.fromkeys(sum(wanted, [])))}
        batch = [replace(run, key=key) for run, key in keys.items()]
        answers = {answer.key: answer for answer in worker.run(batch, self._deadline)}
        return [
            [
                Trial(answers[keys[run]], _words(sizes))
                for run, sizes in zip(runs, one.assignments, strict=True)
            ]
            for runs, one in zip(wanted, requests, strict=True)
        ]

    def _control(self, rule: str, request: ProbeRequest) -> tuple[Expected, Answer] | None:
        """Returns what the rule's own bad example raises, and how it ended: where it runs through, this torch
        does not behave as the rule says. None when there is no example or it ends otherwise."""
        own = None if request.expect is None else expectations(rule, request)[0]
        key = rule, request.kind, own
        if key not in self._controls:
            self._controls[key] = self._failing_example(rule, request)
        return self._controls[key]

    def _failing_example(self, rule: str, request: ProbeRequest) -> tuple[Expected, Answer] | None:
        expected = expectations(rule, request)
        worker, kind = self._worker, request.kind
        if kind == REAL and self._gpu is not None:
            worker, kind = self._gpu, EMULATED
        for run in _bad_examples(rule, kind):
            (answer,) = worker.run([replace(run, kind=request.kind)], self._deadline)
            rows = run.flag or (1, 1)
            fitting = next((one for one in expected if is_predicted(one, rows, answer)), None)
            if fitting is not None:
                return fitting, answer
        return None


def _kinds(kind: str, program: str) -> tuple[str, ...]:
    """Returns the kinds of run to try for the user's own statements: without a GPU first, unless the finding is about one."""
    own = kind_of(program)
    if kind == "ranks" or own == "ranks":
        return ("ranks",)
    return (own,) if kind == own else ("eager-cpu", "logical-device") if own == "logical-device" else (own,)


def expectations(rule: str, request: ProbeRequest | None) -> list[Expected]:
    """Returns what a program made from facts does if the finding is true, as it or the rule's page says. Empty where
    neither says anything.

    Its sizes are chosen, so that it could fail by the choice alone: it must fail exactly as the page says, with its exception.
    """
    found = _expected_by(request)
    if found is not None:
        return [found]
    named = filter(None, map(_NAMED.fullmatch, _stated_errors(rule)))
    return list(dict.fromkeys(Raises(one[2] or "", one[1]) for one in named))


def own_code_expectations(rule: str, request: ProbeRequest | None) -> list[Expected]:
    """Returns what the user's own statements do if the finding is true: as its program says, else errors like those
    on the rule's page."""
    found = _expected_by(request)
    return list(dict.fromkeys(map(error_like, _stated_errors(rule)))) if found is None else [found]


def _expected_by(request: ProbeRequest | None) -> Expected | None:
    expect = None if request is None else request.expect
    return Raises("", HANG) if isinstance(expect, Hangs) else expect


def _stated_errors(rule: str) -> list[str]:
    return [stated for block in _bad_blocks(rule) if (stated := block.attr("raises"))]


_NAMED = re.compile(r"([A-Z]\w*(?:Error|Exception|Warning))(?:: (.*))?")
_NAME = re.compile(r"'[^'\\]*'")
_NUMBER = re.compile(r"(?<![\w\\{])\d+(?!\w)")
_PLURAL = re.compile(r"\b(argument|parameter|value|dimension|element)s?\b")


def error_like(stated: str) -> Raises:
    """Returns the errors like the one that a page states for its own program: the same words about any names and numbers.

    `stated` is a regular expression, perhaps behind the name of an exception: `TypeError: missing 1 required positional argument: 'k'`.
    """
    named = _NAMED.fullmatch(stated)
    exception, text = (named[1], named[2] or "") if named else ("Exception", stated)
    text = _NUMBER.sub(r"\\d+", _NAME.sub("'[^']*'", text))
    return Raises(_PLURAL.sub(r"\1s?", text), exception)


def _moved(answer: Answer, expected: Expected, flag: tuple[int, int]) -> Answer:
    """Returns the end of another program, moved to what is flagged here."""
    if isinstance(expected, Raises) and expected.exception == HANG:
        return replace(answer, lines={0: flag[0]})
    row = flag[1] + 1 if isinstance(expected, ProofFails) else flag[0]
    return replace(answer, error=replace(answer.error, row=row)) if answer.error is not None else answer


def _words(sizes: Sizes) -> str | None:
    return ", ".join(f"{name}={size}" for name, size in sizes if not _WAY.fullmatch(name)) or None


@lru_cache(maxsize=256)
def _bad_examples(rule: str, kind: str) -> tuple[Request, ...]:
    """Returns the bad programs of the rule's page, flagged where they fail; then the reproducers of the
    findings in them, which are all where nothing is raised."""
    as_they_stand = [
        Request(block.plain, kind, (found.line, found.line))
        for block in _bad_blocks(rule)
        if block.attr("raises")
        for found in block.expectations[:1]
    ]
    replayed = [
        Request(made.source(made.assignments[0]), made.kind, made.flag, made.world, hears=made.hears)
        for block in _bad_blocks(rule)
        for made in _replays(rule, block)
        if made.kind == kind
    ]
    return (*as_they_stand, *replayed)


def _replays(rule: str, block: Block) -> list[ProbeRequest]:
    from torchlsp.core.text import Document
    from torchlsp.lint.runner import run
    from torchlsp.syntax.parse import parse

    result = run(parse(Document("example.py", block.plain)), _NoFiles(), frozenset({rule}))
    return [finding.probe for finding in result.findings if finding.probe is not None]


class _NoFiles:
    """Provides no files: an example imports nothing of a workspace."""

    def module(self, dotted_name: str, importing_path: str) -> None:
        return None


def _bad_blocks(rule: str) -> tuple[Block, ...]:
    page = _page(rule)
    return page.of_role("bad") if page is not None else ()


@lru_cache(maxsize=256)
def _page(rule: str) -> Page | None:
    from torchlsp.lint.pages import PageError, load_page
    from torchlsp.lint.registry import find

    info = find(rule)
    try:
        return load_page(info.page_path) if info is not None else None
    except (OSError, PageError):
        return None


def with_verdicts(
    findings: Iterable[Finding], verdicts: Iterable[Verdict | None], *, keep_refuted: bool = False
) -> list[Finding]:
    """Returns the findings with their verdicts. Those that torch refuted are left out unless they are to be
    kept."""
    found = []
    for finding, given in zip(findings, verdicts, strict=True):
        if given is None:
            found.append(finding)
        elif given.outcome is not Outcome.REFUTED or keep_refuted:
            found.append(replace(finding, verdict=given))
    return found


def counted(given: Iterable[Verdict | None]) -> str:
    """Returns a line on verdicts: how many of each, and why some are inconclusive."""
    verdicts = [one for one in given if one is not None]
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    parts = [f"{outcomes[outcome]} {outcome.value}" for outcome in Outcome if outcomes[outcome]]
    reasons = Counter(
        re.split(r"[:(]", verdict.reason or "unknown", maxsplit=1)[0].strip()
        for verdict in verdicts
        if verdict.outcome is Outcome.INCONCLUSIVE
    )
    if reasons:
        parts[-1] += f" ({', '.join(f'{number} {reason}' for reason, number in reasons.most_common())})"
    return ", ".join(parts) or "nothing to probe"


def _has_program(finding: Finding) -> bool:
    """Returns whether there is anything to run for a finding."""
    return finding.probe is not None or bool(finding.slice is not None and finding.slice.program)


def _digest(finding: Finding) -> str:
    """Returns a digest of what a verdict depends on besides torch and the worker: the program, its expected
    behaviour, what was assumed or chosen for it, and how it is judged."""
    rule, request, own = finding.rule, finding.probe, finding.slice
    expected = expectations(rule, request)
    if own is not None:
        expected = [*expected, *own_code_expectations(rule, request)]
    judged = f"{rule}\0{request!r}\0{own!r}\0{expected!r}\0{__version__}"
    return sha256(judged.encode("utf-8", "surrogateescape")).hexdigest()


__all__ = ["NO_PROGRAM", "Prober", "Trial", "Unavailable", "counted", "expectations", "with_verdicts"]
