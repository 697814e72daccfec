"""Prints the probe's verdicts on every rule's page: bad blocks must be confirmed, good ones never.

Every finding in a bad block is probed as users' findings are. In a good block and in a fixed one every call, loop and
collective that the rule asks about is probed as if it had been found.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from torchlsp.core.finding import Finding, Outcome, ProbeRequest, Severity, Verdict
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.dev.forced_reproducers import forced
from torchlsp.engine.interpreters import choose, site_packages
from torchlsp.engine.probing import NO_PROGRAM, Prober, Unavailable
from torchlsp.interp.run.analyse import NoImports, analyse
from torchlsp.lint.pages import Block, load_page
from torchlsp.lint.question import RuleInfo
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import run
from torchlsp.program.lower import lower
from torchlsp.syntax.parse import parse

DEADLINE = 10.0


@dataclass(frozen=True, slots=True)
class Judged:
    """A finding, reported (bad) or constructed (good, fixed), and its verdict. `line` is the page's first
    line of the block."""

    rule: str
    role: str
    line: int
    finding: Finding
    verdict: Verdict

    @property
    def is_as_it_should_be(self) -> bool:
        return self.verdict.is_positive == (self.role == "bad")


def judged(prober: Prober, installed: Sequence[RuleInfo]) -> list[Judged]:
    """Returns all findings on the pages of these rules. Raises Unavailable."""
    found = [
        (info.code, block, finding)
        for info in installed
        for block in load_page(info.page_path).of_role("bad", "good", "fixed")
        for finding in (_reported if block.role == "bad" else _made_up)(info, block)
    ]
    verdicts = prober.verdicts([finding for _, _, finding in found])
    return [
        Judged(rule, block.role, block.line, finding, given or NO_PROGRAM)
        for (rule, block, finding), given in zip(found, verdicts, strict=True)
    ]


def _reported(info: RuleInfo, block: Block) -> Iterator[Finding]:
    tree = parse(Document("example.py", block.plain))
    for finding in run(tree, NoImports(), frozenset({info.code}), strict=True).findings:
        yield replace(finding, path=str(info.page_path))


def _made_up(info: RuleInfo, block: Block) -> Iterator[Finding]:
    tree = parse(Document("example.py", block.plain))
    methods = {method for method, _ in info.asks}
    for question, request in forced(analyse(lower(tree), recording=True, strict=True)):
        if question in methods:
            yield _finding(info, request)


def _finding(info: RuleInfo, request: ProbeRequest) -> Finding:
    path = str(info.page_path)
    return Finding(info.code, info.name, path, Span(0, 0), "made up", Severity.INFO, probe=request)


def table(found: Sequence[Judged], installed: Sequence[RuleInfo], *, markdown: bool) -> Iterator[str]:
    """Yields a row for each rule: bad and good by outcome."""
    heads = [f"{role} {outcome.value}" for role in ("bad", "good") for outcome in Outcome]
    row = "| {} | {} |".format if markdown else "{}  {}".format
    width = max(len(info.name) for info in installed)
    yield row(f"{'rule':<{width + 6}}", (" | " if markdown else "  ").join(heads))
    if markdown:
        yield "|---" * (len(heads) + 1) + "|"
    for info in installed:
        counts = Counter(
            ("bad" if one.role == "bad" else "good", one.verdict.outcome)
            for one in found
            if one.rule == info.code
        )
        numbers = [str(counts[role, outcome]) for role in ("bad", "good") for outcome in Outcome]
        cells = [f"{number:>{len(head)}}" for number, head in zip(numbers, heads, strict=True)]
        yield row(f"{info.code} {info.name:<{width}}", (" | " if markdown else "  ").join(cells))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev verdicts", description=__doc__)
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    parser.add_argument("--python", metavar="PATH", help="the Python whose torch is asked")
    parser.add_argument("rules", nargs="*", metavar="CODE", help="only these rules")
    options = parser.parse_args(arguments)
    installed = [info for info in rules() if not options.rules or info.code in options.rules]
    if not installed:
        print(f"no rule of these: {', '.join(options.rules)}", file=sys.stderr)
        return 2
    python = choose(options.python).path
    prober = Prober(python, site_packages(python), deadline=DEADLINE)
    try:
        found = judged(prober, installed)
    except Unavailable as reason:
        print(f"nothing can be probed: {reason}", file=sys.stderr)
        return 2
    finally:
        prober.close()
    print("\n".join(table(found, installed, markdown=options.markdown)))
    wrong = [one for one in found if not one.is_as_it_should_be]
    for one in wrong:
        told = one.verdict.error or one.verdict.reason
        print(f"{one.finding.path}:{one.line}: {one.role}: {one.verdict.outcome.value}: {told}")
    return 1 if wrong else 0
