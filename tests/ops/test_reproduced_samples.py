"""Programs made from the facts of torch's own samples: what fails fails in them the same way, and what runs runs."""

from __future__ import annotations

import inspect
from itertools import islice
from types import ModuleType
from typing import Any

import pytest

from torchlsp.facts import values as v
from torchlsp.facts.fault import Called, Listed
from torchlsp.facts.tensor import TensorFact
from torchlsp.lint.reproducers.outline import NotReproducible
from torchlsp.lint.reproducers.single_call import reproduce_call, reproduce_fault

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]


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
            request = reproduce_fault(fault, called)
        except NotReproducible:
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


ABOUT_VALUES = ("multinomial", "cov", "lu_factor", "repeat_interleave", "tensor_split")
"""Operators that do not take the zeros of which the operands are made, besides all that want matrices to be regular."""


def accepted_calls(crosscheck: ModuleType):
    """Some samples of every row that torch accepts, in two arrangements in memory."""
    for row in crosscheck.rows().values():
        functions = {name: found for name in row.names if (found := crosscheck.resolved(name)) is not None}
        for info in crosscheck.op_infos().get(row.opinfo, [])[:1]:
            samples = crosscheck.samples_of(info, crosscheck.torch.float32, False)
            arranged = (
                one for sample in islice(samples, 2) for one in islice(crosscheck.arrangements(sample), 2)
            )
            for sample in arranged:
                for name, function in islice(functions.items(), 2):
                    facts = crosscheck.Facts()
                    given = crosscheck._arguments(facts, sample)
                    if crosscheck._really(function, crosscheck._copied(sample), True)[0]:
                        args = tuple(settled(facts, value) for value in given.positional)
                        keywords = tuple((key, settled(facts, value)) for key, value in given.keywords)
                        method = inspect.getattr_static(
                            crosscheck.torch.Tensor, name.removeprefix("Tensor."), None
                        )
                        is_attribute = isinstance(method, property) or inspect.isgetsetdescriptor(method)
                        yield Called(name, args, keywords, is_attribute=is_attribute)


def test_a_program_runs_as_the_call_that_it_is_made_from():
    torch = pytest.importorskip("torch")
    pytest.importorskip("expecttest")
    import crosscheck

    made, raised, missing = 0, [], []
    for called in accepted_calls(crosscheck):
        try:
            request = reproduce_call(called)
        except NotReproducible as reason:
            missing.append((called.name, str(reason)))
            continue
        made += 1
        try:
            exec(compile(request.source(()), "<program>", "exec"), {})
        except torch.linalg.LinAlgError:
            pass
        except Exception as error:
            if not called.name.endswith(ABOUT_VALUES):
                raised.append((request.program, error))
    assert made > 1000
    assert not raised
    assert {name for name, _ in missing} <= {
        "Tensor.__rmatmul__",
        "torch.nn.functional.triplet_margin_with_distance_loss",
    }
