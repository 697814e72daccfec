"""What the analysis says is wrong goes wrong when torch does it alone, and what it says nothing of does not.

Every finding on the pages and in the cases has a program of its own, which passes the gate and, run by the worker, ends as the
page says. On the good blocks the same programs are made of all calls, loops and collectives: none ends so.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from torchlsp.core.finding import Finding, Hangs, ProbeRequest, ProofFails, Raises
from torchlsp.core.text import Document
from torchlsp.dev.forced_reproducers import forced
from torchlsp.engine.interpreters import site_packages
from torchlsp.engine.probing import expectations
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.torch_notices import REMOVED, UNSAID
from torchlsp.interp.run.analyse import analyse
from torchlsp.lint.pages import Block, load_page
from torchlsp.lint.question import RuleInfo
from torchlsp.lint.registry import rules
from torchlsp.lint.reproducers import api
from torchlsp.lint.runner import run
from torchlsp.probe.client import Worker
from torchlsp.probe.request import Answer, Request
from torchlsp.probe.verdicts import HANG, is_predicted
from torchlsp.program.lower import lower
from torchlsp.syntax.parse import parse

pytestmark = pytest.mark.torch

RULES = {info.code: info for info in rules()}
CASES = sorted((Path(__file__).parent / "cases").glob("*.py"))
DEADLINE = 20.0

Ends = Callable[[Iterable[ProbeRequest]], list[list[Answer]]]


class NoImports:
    def module(self, dotted_name, importing_path):
        return None


def blocks(*roles: str) -> list:
    found = [(info, block) for info in RULES.values() for block in load_page(info.page_path).of_role(*roles)]
    return [pytest.param(info, block, id=f"{info.code}-{block.role}-{block.line}") for info, block in found]


@cache
def findings(text: str) -> list[Finding]:
    return run(parse(Document("program.py", text)), NoImports(), frozenset(RULES), strict=True).findings


@pytest.fixture(scope="module")
def ends() -> Iterator[Ends]:
    """Runs programs with all their sizes in the worker that users have, many at once, none twice."""
    pytest.importorskip("torch")
    known: dict[Request, Answer] = {}
    with Worker(sys.executable, site_packages(sys.executable)) as worker:

        def run_all(programs: Iterable[ProbeRequest]) -> list[list[Answer]]:
            asked = [
                [
                    Request(one.source(sizes), one.kind, one.flag, one.world, "", one.hears)
                    for sizes in one.assignments
                ]
                for one in programs
            ]
            new = list({one: None for together in asked for one in together if one not in known})
            batch = [replace(one, key=str(number)) for number, one in enumerate(new)]
            known.update(zip(new, worker.run(batch, DEADLINE)))
            return [[known[one] for one in together] for together in asked]

        yield run_all


def expected(rule: str, request: ProbeRequest) -> list[Raises | ProofFails]:
    """How the program is to end: as the request says, else as the rule's page does."""
    return [Raises("", HANG) if isinstance(one, Hangs) else one for one in expectations(rule, request)]


def assert_shown(findings: list[Finding], ends: Ends, *, in_case: bool = False) -> None:
    """The first sizes show each finding, and with others it either shows or the program runs through."""
    to_show: list[tuple[RuleInfo, ProbeRequest]] = []
    for found in findings:
        info = RULES[found.rule]
        too_little_known = in_case and bool(info.unproven_cases)
        wanted = [] if found.probe is None else expected(found.rule, found.probe)
        if (info.unproven or too_little_known) and (found.probe is None or not wanted):
            continue
        assert found.probe is not None, found.message
        assert found.probe.flag is not None and wanted
        to_show.append((info, found.probe))
    for (info, probe), answers in zip(to_show, ends([probe for _, probe in to_show])):
        wanted = expected(info.code, probe)
        first, *others = answers
        if info.unproven and first.outcome in ("denied", "unsupported"):
            continue
        if in_case and info.unproven_cases and first.outcome == "raised":
            continue  # something else than was predicted, or this: sizes were chosen
        assert any(is_predicted(one, probe.flag, first) for one in wanted), (probe.program, first)
        for answer in others:
            shown = any(is_predicted(one, probe.flag, answer) for one in wanted)
            assert shown or answer.outcome == "passed", (probe.program, answer)


@pytest.mark.parametrize(("info", "block"), blocks("bad"))
def test_what_a_bad_block_is_for_is_shown(info: RuleInfo, block: Block, ends: Ends):
    found = [one for one in findings(block.plain) if one.rule == info.code]
    assert found
    assert_shown(found, ends)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_what_is_found_in_a_case_is_shown(path: Path, ends: Ends):
    found = findings(path.read_text(encoding="utf-8"))
    assert found
    assert_shown(found, ends, in_case=True)


@pytest.mark.parametrize("name", sorted(api.WARNING_CALLS))
def test_torch_warns_of_each_deprecated_function_or_refuses_it(name: str, ends: Ends):
    kinds = [FaultKind.DEPRECATED_NAME, FaultKind.REMOVED_NAME, FaultKind.UNSAID_ARGUMENT]
    kind = kinds[1 if name in REMOVED else 2 if name in UNSAID else 0]
    fault = Fault(kind, 0, 0, name, (("name", name), ("argument", UNSAID.get(name, ("",))[0])))
    request = api.OF_KIND[kind](fault)
    assert request is not None and request.expect is not None
    ((answer,),) = ends([request])
    assert is_predicted(request.expect, request.flag, answer), answer


@cache
def expected_of(code: str) -> tuple:
    """What the programs of a rule's bad blocks are to end in."""
    bad = load_page(RULES[code].page_path).of_role("bad")
    made = [one.probe for block in bad for one in findings(block.plain) if one.rule == code and one.probe]
    return tuple({one: None for request in made for one in expected(code, request)})


@pytest.mark.parametrize(("info", "block"), blocks("good", "fixed"))
def test_nothing_in_a_good_block_is_shown(info: RuleInfo, block: Block, ends: Ends):
    tree = parse(Document("program.py", block.plain))
    if "except " in block.plain:
        return  # something in it is meant to fail
    asked = {method for method, _ in info.asks}
    made = [
        request
        for question, request in forced(analyse(lower(tree), recording=True, strict=True))
        if question in asked and not (info.chosen_sizes and request.assignments[0])
    ]
    for request, answers in zip(made, ends(made)):
        assert request.flag is not None
        for answer in answers:
            assert answer.outcome in ("passed", "raised", "unsupported", "denied"), (request.program, answer)
            for end in expected_of(info.code):
                assert not is_predicted(end, request.flag, answer), (request.program, answer)
