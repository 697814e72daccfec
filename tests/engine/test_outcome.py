"""Findings as JSON, on their way from another process or out of the cache: nothing of them is lost."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest

from torchlsp.core.finding import (
    Applicability,
    Edit,
    Finding,
    Fix,
    Hangs,
    ProbeRequest,
    ProofFails,
    Raises,
    Related,
    Severity,
)
from torchlsp.core.span import Span
from torchlsp.engine.outcome import findings_read, findings_told

PROBE = ProbeRequest(
    program="import torch\n",
    expect=Raises("size", "RuntimeError"),
    kind="ranks",
    flag=(1, 2),
    assignments=((("B", 2),), (("B", 3), ("C", 1))),
    world=4,
    assumes=("`x` is on a GPU",),
    guesses=True,
    facts=("f32[2]",),
    shown="has no `torch.foo`",
)
FINDING = Finding(
    rule="TL101",
    name="view-on-noncontiguous",
    path="train.py",
    span=Span(3, 9),
    message="cannot be viewed",
    severity=Severity.WARNING,
    related=(Related(Span(0, 2), "permuted here", "model.py"), Related(Span(1, 2), "called here", None)),
    fixes=(Fix("Use reshape", (Edit(Span(3, 4), "é"),), Applicability.SAFE),),
    probe=PROBE,
    scope="Net.forward",
)
LATER = {"verdict", "slice"}
"""Fields that the process that prints the findings sets."""


def through_json(finding: Finding) -> Finding:
    (read,) = findings_read(json.loads(json.dumps(findings_told([finding]))))
    return read


def test_the_example_differs_from_every_default() -> None:
    for example in (FINDING, PROBE):
        unset = {one.name for one in fields(example) if getattr(example, one.name) == one.default}
        assert unset - LATER == set()


@pytest.mark.parametrize("expect", [None, PROBE.expect, ProofFails(), Hangs()], ids=repr)
def test_every_field_of_a_finding_comes_through_json(expect) -> None:
    finding = replace(FINDING, probe=replace(PROBE, expect=expect))
    assert through_json(finding) == finding
    assert through_json(replace(finding, probe=None)) == replace(finding, probe=None)
