"""Calls that torch's authors know to fail: where a row sees it, the program made from its facts fails the same way."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from torchlsp.facts import values as v
from torchlsp.facts.fault import Called, Listed
from torchlsp.facts.tensor import TensorFact
from torchlsp.lint.replay_calls import of_fault
from torchlsp.lint.replay_outline import Unreplayable

pytestmark = pytest.mark.torch


def settled(facts: Any, value: v.Value) -> v.Value | Listed:
    """Lists by their content, as the interpreter keeps them with a call."""
    items = facts.elements(value)
    if items is None:
        return value
    inner = tuple(settled(facts, item) for item in items)
    return Listed(inner) if isinstance(value, v.ListRef) else v.TupleValue(inner)


def faulty_calls(crosscheck: ModuleType):
    """Every failing sample that a row has a fault for: the call, the fault, and what torch raises."""
    for row in crosscheck.rows().values():
        functions = {name: found for name in row.names if (found := crosscheck.resolved(name)) is not None}
        for info in crosscheck.op_infos().get(row.opinfo, []):
            for sample in crosscheck.error_samples_of(info):
                for name, function in functions.items():
                    facts = crosscheck.Facts()
                    given = crosscheck._arguments(facts, sample)
                    accepted, real = crosscheck._really(function, crosscheck._copied(sample), True)
                    context = crosscheck.Context(site=crosscheck.SITE, elements=facts.elements)
                    faults = [] if accepted else row.apply(name, given, context)[1]
                    if faults and not faults[0].assumptions:
                        args = tuple(settled(facts, value) for value in given.positional)
                        keywords = tuple((key, settled(facts, value)) for key, value in given.keywords)
                        yield Called(name, args, keywords), faults[0], real


def test_a_program_fails_as_the_call_that_it_is_made_from():
    pytest.importorskip("torch")
    pytest.importorskip("expecttest")
    import crosscheck

    made, different = 0, []
    for called, fault, real in faulty_calls(crosscheck):
        try:
            request = of_fault(fault, called)
        except Unreplayable:
            # A method of something that is no tensor is the one thing that these samples hold and facts do not.
            assert called.name.startswith("Tensor.")
            assert not isinstance(called.args[0], TensorFact)
            continue
        made += 1
        assert request.assignments == ((),)
        try:
            exec(compile(request.source(()), "<program>", "exec"), {})
            raised: Any = None
        except Exception as error:
            raised = error
        first = [str(error).splitlines()[:1] for error in (raised, real)]
        if type(raised) is not type(real) or first[0] != first[1]:
            different.append((request.program, raised, real))
    assert made > 500
    assert not different
