"""Programs as users write them, run in torch: no fact may be wrong, no fault where a program runs to its end.

`# fact: name = f32[2, 3]` states what must be known of the name that the line binds (as called, or else for all calls);
`# calls: not all followed` says that functions are also called in ways that no fact is known of.  `# fault: KIND` the fault on the line, where the program then ends.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from claimed_facts import claims_of

pytest.importorskip("torch")
from torch_execution import Reality

pytestmark = pytest.mark.torch

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
_FACT = re.compile(r"# fact: (?P<name>[\w.]+) = (?P<fact>.*?)(?=$|  #)")
_FAULT = re.compile(r"# fault: (?P<kind>\w+)")


def stated_facts(text: str):
    """(row from 0, name, fact) of every comment."""
    for row, line in enumerate(text.split("\n")):
        for match in _FACT.finditer(line):
            yield row, match["name"], match["fact"].strip()


def row_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset)


@pytest.mark.torch
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_facts_are_true(path: Path):
    text = path.read_text()
    analysis, claims = claims_of(text)
    reality = Reality(text, claims)
    error = reality.run()
    expected = {(row, m["kind"]) for row, line in enumerate(text.split("\n")) for m in _FAULT.finditer(line)}
    faults = {(row_of(text, fault.start), fault.kind.name) for fault in analysis.faults}
    problems = sorted(set(reality.wrong))
    if "# calls: not all followed" in text:
        problems = [problem for problem in problems if "(as called)" not in problem]
    if bool(error) != bool(expected):
        problems.append(f"the program ends with {error!r}")
    problems.extend(f"line {row + 1}: no fault {kind}" for row, kind in sorted(expected - faults))
    problems.extend(f"line {row + 1}: a fault {kind}" for row, kind in sorted(faults - expected))
    problems.extend(f"given up: {name}" for name in analysis.stopped)
    for row, name, fact in stated_facts(text):
        found = {
            claim.text
            for span, group in claims.items()
            if row_of(text, span[0]) == row and text[span[0] : span[1]] == name
            for claim in group
        }
        if fact not in found:
            problems.append(f"line {row + 1}: {name} should be {fact}, is {sorted(found) or 'not bound'}")
    assert not problems, "\n" + "\n".join(problems)
