"""Leaves out what is assumed of a function's parameters, where a call in the same script or in another file of the run is seen to pass all.

Such a call has run the function from end to end. If it has found the same, the finding stays. What is assumed of gradients, and what shows
in eval mode only, is held against the other files of the workspace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from torchlsp.core.finding import ALSO_CALLED_HERE, CALLED_HERE, Finding, Severity
from torchlsp.core.records import replace
from torchlsp.core.span import Span

if TYPE_CHECKING:
    from torchlsp.engine.result import AnalysisResult

FOLLOWED = "followed"
"""The code of what is no finding: the place of a function that a call in another file has run."""
CAST = "cast"
"""The code of what is no finding either: that another file imports this one, and casts what functions of torch are given."""
_GRADIENTS = ("grad",)
_HALF = re.compile(r"\bb?f16\b")
_F32, _F64 = re.compile(r"\bf32\b"), re.compile(r"\bf64\b")
_DTYPE = ("dtype",)
_OF_ARGUMENTS = (
    "layout",
    "tensor",
    "matrix",
    "batched",
    "batch",
    "images",
    "image",
    "lengths",
    "shaped",
    "gpu",
    "dtype",
)
"""What callers decide, of all that findings assume."""
_OF_DEFAULT_DEVICE = frozenset({"TL313"})
_OF_DEVICES = frozenset({"TL303"})
_ON_CPU = re.compile("created on cpu here: ")
"""Where a tensor is made, by default or by name: a device that is written out is left out with the default."""
_IN_EVAL_MODE = frozenset({"TL609"})
"""The rules whose findings show in eval mode only."""


def followed_call(path: str, span: Span) -> Finding:
    """Returns what tells the other processes, and later runs, that a call has run a function of this file."""
    return Finding(FOLLOWED, FOLLOWED, path, span, "", Severity.INFO)


def cast_file(path: str) -> Finding:
    """Returns what tells the other processes, and later runs, that dtypes in this file are changed by one that imports it."""
    return Finding(CAST, CAST, path, Span(0, 0), "", Severity.INFO)


def told_of_others(path: str, answer: AnalysisResult) -> list[Finding]:
    """Returns what the analysis of a file tells of others: the functions that it has run, and what it casts."""
    run = [followed_call(other, span) for other, span in answer.followed if other != path]
    return run + [cast_file(other) for other in answer.cast if other != path]


def only_findings(told: Iterable[Finding]) -> list[Finding]:
    """Returns what callers have found, without what they have run or cast."""
    return [one for one in told if one.rule not in (FOLLOWED, CAST)]


def with_callers(findings: Sequence[Finding], told: Sequence[Finding]) -> list[Finding]:
    """Returns what a file has alone, but for what callers contradict, and what they have found in it."""
    own = _without_contradicted(findings, told)
    known = {(one.rule, one.span) for one in own}
    return [*own, *(one for one in only_findings(told) if (one.rule, one.span) not in known)]


def withdraw(findings: list[Finding], told: Mapping[str, Sequence[Finding]]) -> None:
    """Removes the findings which callers contradict, that have told so by the path of the file."""
    findings[:] = [one for one in findings if _without_contradicted([one], told.get(one.path, ()))]


def without_own(
    findings: Sequence[Finding],
    path: str,
    followed: Iterable[tuple[str, Span]],
    cast: Iterable[str] = (),
) -> list[Finding]:
    """Returns the findings but for those that calls of the file itself contradict."""
    own = [followed_call(path, span) for place, span in followed if place == path]
    own += [cast_file(path) for place in cast if place == path]
    return _without_contradicted(findings, own)


def in_workspace(findings: Sequence[Finding], path: str) -> list[Finding]:
    """Returns the findings as what the files of the workspace do leaves them.

    Withdrawn is what assumes gradients in a function that is called by its name where they are off, and what assumes parameters in
    f32 beside half precision where modules are cast or run under autocast, and what takes the default device for the CPU, or the default
    dtype for f32 beside f64, where a file sets another. What shows in eval mode only is an info where the workspace trains and evaluates no module.
    """
    found = list(findings)
    if not found:
        return found
    # Late, since not every run finds something.
    from torchlsp.engine.callers import (
        named_without_grad,
        only_trains,
        runs_in_half,
        sets_default_device,
        sets_default_dtype,
    )

    if any(_rests_on(one, _GRADIENTS) for one in found):
        names = named_without_grad(path)
        found = [one for one in found if not (_rests_on(one, _GRADIENTS) and _function(one) in names)]
    if any(_assumes_no_halves(one) for one in found) and runs_in_half(path):
        found = [one for one in found if not _assumes_no_halves(one)]
    if any(_takes_default_device(one) for one in found) and sets_default_device(path):
        found = [one for one in found if not _takes_default_device(one)]
    if any(_takes_default_dtype(one) for one in found) and sets_default_dtype(path):
        found = [one for one in found if not _takes_default_dtype(one)]
    if any(one.rule in _IN_EVAL_MODE for one in found) and only_trains(path):
        found = [replace(one, severity=Severity.INFO) if one.rule in _IN_EVAL_MODE else one for one in found]
    return found


def _assumes_no_halves(finding: Finding) -> bool:
    return _HALF.search(finding.message) is not None and _rests_on(finding, _DTYPE)


def _takes_default_device(finding: Finding) -> bool:
    """Returns whether a finding rests on a tensor that is created without a device, which the device's other operand is not."""
    if finding.rule in _OF_DEFAULT_DEVICE:
        return True
    return finding.rule in _OF_DEVICES and any(_ON_CPU.match(one.message) for one in finding.related)


def _takes_default_dtype(finding: Finding) -> bool:
    """Returns whether a finding rests on f32 beside f64, one of which is likely the default dtype."""
    return _F32.search(finding.message) is not None and _F64.search(finding.message) is not None


def _function(finding: Finding) -> str:
    """Returns the name of the function that a finding stands in, empty for a module's body."""
    return finding.scope.rpartition(".")[2]


def _without_contradicted(findings: Sequence[Finding], told: Sequence[Finding]) -> list[Finding]:
    """Returns the findings but for those that assume of arguments what calls have shown to be otherwise."""
    run = [one.span for one in told if one.rule == FOLLOWED]
    if any(one.rule == CAST for one in told):
        findings = [one for one in findings if not _assumes(one, _DTYPE)]
    if not run:
        return list(findings)
    found = {(one.rule, one.span) for one in told}
    return [
        one
        for one in findings
        if (one.rule, one.span) in found
        or not any(span.start <= one.span.start < span.end for span in run)
        or not _assumes(one, _OF_ARGUMENTS)
    ]


def _assumes(finding: Finding, words: tuple[str, ...]) -> bool:
    """Returns whether a finding to which no call has led assumes one of these."""
    messages = [one.message for one in finding.related]
    if any(message.endswith((CALLED_HERE, ALSO_CALLED_HERE)) for message in messages):
        return False
    return _rests_on(finding, words)


def _rests_on(finding: Finding, words: tuple[str, ...]) -> bool:
    """Returns whether a finding assumes one of these, perhaps where a call leads to it."""
    return any(_assumptions(words).fullmatch(one.message) for one in finding.related)


@cache
def _assumptions(words: tuple[str, ...]) -> re.Pattern[str]:
    from torchlsp.lint.trail import assumption

    texts = (re.escape(assumption(word, "NAME")).replace("NAME", ".+") for word in words)
    return re.compile("|".join(texts), re.DOTALL)
