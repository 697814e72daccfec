"""Words verdicts, fixes and steps for several formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.finding import SAME_CAUSE, Outcome
from torchlsp.report.places import shown

if TYPE_CHECKING:
    from torchlsp.core.finding import Finding, Related, Verdict
    from torchlsp.report.sources import Sources


def printable(text: str) -> str:
    """Replaces control characters of checked code, which could drive the terminal, by `?`."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() or character == "\t" else "?" for character in text)


def is_refuted(finding: Finding) -> bool:
    """Returns whether a probe showed the finding to be wrong; such findings are kept only on demand."""
    return finding.verdict is not None and finding.verdict.outcome is Outcome.REFUTED


def verdict_words(verdict: Verdict) -> str:
    """Words the result of a probe, and what it holds for. Only real kernels may be called torch."""
    error, outcome = verdict.error, verdict.outcome
    # What follows the plus names the build, not the version.
    torch = f"torch {(verdict.torch or '').partition('+')[0]}".rstrip()
    if verdict.kind == "real-cuda" and verdict.device:
        torch += f" on {verdict.device}"
    is_ranks, is_real = verdict.kind == "ranks", verdict.evidence == "torch"
    emulated = "simulated ranks" if is_ranks else "emulated device"
    if is_ranks and error is not None:
        error = error.partition(": ")[2] or error
    match outcome:
        case Outcome.INCONCLUSIVE:
            # The reason names the error where there was one.
            head, error = "inconclusive", None
        case Outcome.CONFIRMED:
            by = f"by {torch}" if is_real else f"({emulated})"
            head = f"confirmed {by}: your code fails here"
        case Outcome.REPRODUCED if is_real:
            head = f"{torch} {'shows it' if error is None else verdict.shown or 'refuses these operands'}"
        case Outcome.REPRODUCED:
            head = f"would {'hang' if is_ranks else 'raise'} ({emulated})"
        case Outcome.REFUTED if verdict.evidence == "recorded":
            head = "refuted"
        case Outcome.REFUTED:
            head = f"refuted by {torch}" if is_real else f"refuted ({emulated})"
    detail = " ".join((error or verdict.reason or "").split())
    if verdict.is_positive and verdict.witness:
        detail = f"{detail} (with {verdict.witness})".lstrip()
    return f"{head}: {detail}" if detail else head


def basis_words(verdict: Verdict) -> list[str]:
    """Words what a verdict rests on: the facts of the operands, and why the user's own code was no proof."""
    lines = []
    if verdict.outcome is Outcome.REPRODUCED and verdict.facts:
        lines.append(f"operands: {', '.join(verdict.facts)}")
    if verdict.own_code is not None:
        lines.append(f"your own code proves nothing: {verdict.own_code}")
    return lines


def link_word(related: Related) -> str:
    """Returns the word between a finding and a step of its because-trail; empty where the step has a word of its own."""
    if related.message == SAME_CAUSE:
        return "and"
    first = related.message.partition(" ")[0]
    return "" if first in ("unless", "with") else "only" if first == "if" else "because"


def related_words(finding: Finding, related: Related, sources: Sources) -> str:
    """Words one step of the because-trail, with its place; an assumption by its own word."""
    path, word = related.path or finding.path, link_word(related)
    place = shown(path, sources.get(path), related.span)
    return f"{word} {related.message} ({place})" if word else f"{related.message} ({place})"


def fix_words(finding: Finding) -> str | None:
    """Words the fix; None if there is none."""
    fix = finding.fix
    return None if fix is None else f"fix{'' if fix.is_safe else ' (unsafe)'}: {fix.title}"


def in_cell(finding: Finding, sources: Sources) -> str:
    """Returns `cell 3, row 12: ` before a message, for formats that can only name the file of a notebook."""
    document = sources.get(finding.path)
    if document is None or not document.cells:
        return ""
    place = document.place(finding.span.start)
    return f"cell {place.cell}, row {place.row}: "


def detailed(finding: Finding, sources: Sources) -> list[str]:
    """Renders the message, and below it the because-trail, the fix and the verdict."""
    lines = [in_cell(finding, sources) + finding.message]
    lines.extend(related_words(finding, related, sources) for related in finding.trail)
    fix = fix_words(finding)
    if fix is not None:
        lines.append(fix)
    if finding.verdict is not None:
        lines.append(f"probe: {verdict_words(finding.verdict)}")
        lines.extend(basis_words(finding.verdict))
    return lines
