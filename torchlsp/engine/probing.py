"""Findings put to the test: what they say is run in the user's torch, and the verdict goes with them.

A finding that has no program, or whose program shows nothing, stays as it is. One that torch refutes is withdrawn.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from torchlsp.core.finding import Hangs, Outcome, ProofFails, Raises, Verdict
from torchlsp.engine.config import TOOL_RULES
from torchlsp.probe.client import Unavailable, Worker
from torchlsp.probe.request import Request
from torchlsp.probe.verdicts import HANG, Trial, is_predicted, verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from torchlsp.core.finding import Finding, ProbeRequest, Sizes
    from torchlsp.engine.verdict_store import VerdictStore
    from torchlsp.probe.request import Answer, Hello

    Expected = Raises | ProofFails

DEADLINE = 0.4
"""Seconds for one run of a program."""
_TOOLS_OWN = frozenset(rule.code for rule in TOOL_RULES)
NO_PROGRAM = Verdict(Outcome.INCONCLUSIVE, reason="facts: too little is known to run it")


class Prober:
    """Runs the programs of findings in one worker and remembers the verdicts, on disk too where there is a store.
    Blocks; safe to share between threads."""

    def __init__(
        self,
        python: str,
        site_packages: Sequence[str],
        *,
        deadline: float = DEADLINE,
        store: VerdictStore | None = None,
    ) -> None:
        self._worker = Worker(python, site_packages)
        self._deadline = deadline
        self._store = store
        self._verdicts: dict[str, Verdict] | VerdictStore = {} if store is None else store

    def hello(self) -> Hello:
        """Starts the worker. Raises Unavailable."""
        return self._worker.hello()

    def known(self, finding: Finding) -> Verdict | None:
        """The verdict if it was given before."""
        if finding.probe is not None:
            return self._verdicts.get(_digest(finding))
        return None if finding.rule in _TOOLS_OWN else NO_PROGRAM

    def verdicts(self, findings: Sequence[Finding]) -> list[Verdict | None]:
        """One for each finding, None for those that torch has nothing to say to. Raises Unavailable."""
        asked = [one for one in findings if one.probe is not None and self.known(one) is None]
        if asked:
            self._probe(asked)
            if self._store is not None:
                self._store.save()
        return [self.known(finding) for finding in findings]

    def trials(self, finding: Finding) -> list[Trial]:
        """Every run of a finding's program, for those who want to see them. Raises Unavailable."""
        request = finding.probe
        return [] if request is None else self._run([request])[0]

    def close(self) -> None:
        self._worker.close()

    def _probe(self, findings: Sequence[Finding]) -> None:
        hello = self._worker.hello()
        requests = [finding.probe for finding in findings if finding.probe is not None]
        for finding, request, trials in zip(findings, requests, self._run(requests), strict=True):
            self._verdicts[_digest(finding)] = self._verdict(finding.rule, request, trials, hello.torch)

    def _verdict(self, rule: str, request: ProbeRequest, trials: Sequence[Trial], torch: str) -> Verdict:
        flag = request.flag or (1, request.program.count("\n"))
        expected = expectations(rule, request)
        answers = [trial.answer for trial in trials]
        fitting = (one for one in expected if any(is_predicted(one, flag, answer) for answer in answers))
        control = None
        if all(answer.outcome == "passed" for answer in answers):
            control = self._control(rule, expected, flag)
        return verdict(
            next(fitting, expected[0]),
            flag,
            trials,
            control=control,
            assumes=(*request.assumes, *(["what is unknown"] if request.guesses else ())),
            kind=request.kind,
            torch=torch,
        )

    def _run(self, requests: Sequence[ProbeRequest]) -> list[list[Trial]]:
        batch = [
            Request(one.source(sizes), one.kind, one.flag, one.world, key=f"{number}.{place}")
            for number, one in enumerate(requests)
            for place, sizes in enumerate(one.assignments)
        ]
        answers = {answer.key: answer for answer in self._worker.run(batch, self._deadline)}
        return [
            [
                Trial(answers[f"{number}.{place}"], _words(sizes))
                for place, sizes in enumerate(one.assignments)
            ]
            for number, one in enumerate(requests)
        ]

    def _control(self, rule: str, expected: Sequence[Expected], flag: tuple[int, int]) -> Answer | None:
        """The end of the rule's own bad example, as if it had stood in the flagged rows: where that runs through
        too, this torch does not do what the rule says. None when there is no example or it ends otherwise."""
        for program, rows in _bad_examples(rule):
            (answer,) = self._worker.run([Request(program, flag=rows)], self._deadline)
            if answer.error is not None and any(is_predicted(one, rows, answer) for one in expected):
                return replace(answer, error=replace(answer.error, row=flag[0]))
        return None


def expectations(rule: str, request: ProbeRequest) -> list[Expected]:
    """What the program does if the finding is true: as it says, else as the rule's page says of its bad examples."""
    if isinstance(request.expect, Hangs):
        return [Raises("", HANG)]
    if request.expect is not None:
        return [request.expect]
    found = []
    for block in _bad_blocks(rule):
        exception, _, text = block.attr("raises").partition(": ")
        found.append(Raises(text, exception))
    return list(dict.fromkeys(found)) or [Raises("")]


def _words(sizes: Sizes) -> str | None:
    return ", ".join(f"{name}={size}" for name, size in sizes) or None


def _bad_examples(rule: str) -> list[tuple[str, tuple[int, int]]]:
    """Bad programs of the rule's page with the row that fails."""
    return [
        (block.plain, (found.line, found.line))
        for block in _bad_blocks(rule)
        for found in block.expectations[:1]
    ]


@lru_cache(maxsize=256)
def _bad_blocks(rule: str):
    """The examples on the rule's page that raise."""
    page = _page(rule)
    return tuple(block for block in page.of_role("bad") if block.attr("raises")) if page is not None else ()


def _page(rule: str):
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
    """The findings with their verdicts; those that torch refuted are left out unless they are to be kept."""
    found = []
    for finding, given in zip(findings, verdicts, strict=True):
        if given is None:
            found.append(finding)
        elif given.outcome is not Outcome.REFUTED or keep_refuted:
            found.append(replace(finding, verdict=given))
    return found


def counted(given: Iterable[Verdict | None]) -> str:
    """A line on verdicts: how many of each, and why some say nothing."""
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


def _digest(finding: Finding) -> str:
    """What a verdict depends on: the program, what it should do, and what was assumed or chosen for it."""
    request = finding.probe
    return sha256(f"{finding.rule}\0{request!r}".encode()).hexdigest()


__all__ = ["NO_PROGRAM", "Prober", "Trial", "Unavailable", "counted", "expectations", "with_verdicts"]
