"""What hover says of a recorded run beside the facts: calls that were not looked at, ranks, disagreement with the program."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.engine.observations import Observations
from torchlsp.engine.records import FileRecord, FunctionRecord
from torchlsp.engine.values_shown import Note
from torchlsp.interp.run.analyse import analyse
from torchlsp.lint.files import lowered
from torchlsp.recorder.described import Observed, ObservedTensor
from torchlsp.recorder.reading import ObservedCall, ObservedFunction
from torchlsp.recorder.showing import differing_ranks
from torchlsp.syntax.parse import parse

TEXT = "def f(x, y):\n    return x + y\n"
X = TEXT.index("x")


def tensor(*sizes: int) -> ObservedTensor:
    return ObservedTensor("Tensor", sizes, "float32", "cpu", (sizes[-1], 1), False, True, "strided")


def call(rank: int | None, **parameters: Observed) -> ObservedCall:
    return ObservedCall(
        "run", rank, parameters, {}, None, None, True, False, None, None, None, True, False, None, None, None, None, {}
    )  # fmt: skip


def function(*calls: ObservedCall, skipped: int = 0) -> ObservedFunction:
    count = len(calls) + skipped
    return ObservedFunction("/a.py", "f", "f", 1, 2, ("x", "y"), "d", "l", calls, count, True, True, skipped)


def observations(one: ObservedFunction, contradicted: list[str] | None = None) -> Observations:
    tree = parse(Document("/a.py", TEXT))
    analysis = analyse(lowered(tree), recording=True)
    analysis.contradicted.extend(contradicted or ())
    record = FileRecord({}, {"f": FunctionRecord(one, {})}, (one,), None, "")
    return Observations.of(record, analysis, lowered(tree), TEXT)


def words(note: Note | None) -> str:
    assert note is not None
    return note.words


def test_calls_that_were_not_looked_at_are_counted() -> None:
    found = observations(function(call(None, x=tensor(2, 3)), skipped=999))
    assert "(1 of 1,000 calls)" in words(found.note(X))
    assert found.is_partial(X)
    assert not observations(function(call(None, x=tensor(2, 3)))).is_partial(X)


@pytest.mark.parametrize(("second", "differ"), [(tensor(4, 3), True), (tensor(2, 3), False)])
def test_ranks_that_differ_are_named(second: ObservedTensor, differ: bool) -> None:
    one = function(call(0, x=tensor(2, 3), y=tensor(1, 1)), call(1, x=second, y=tensor(1, 1)))
    assert ("the ranks differ" in words(observations(one).note(X))) is differ
    expected = {"x": {0: "f32[2, 3]", 1: "f32[4, 3]"}} if differ else {}
    assert differing_ranks(one) == expected


def test_calls_of_one_rank_differ_without_ranks_that_do() -> None:
    one = function(
        call(0, x=tensor(2, 3)), call(0, x=tensor(4, 3)), call(1, x=tensor(4, 3)), call(1, x=tensor(2, 3))
    )
    assert differing_ranks(one) == {}
    assert differing_ranks(function(call(None, x=tensor(2, 3)), call(None, x=tensor(4, 3)))) == {}


def test_an_argument_that_the_program_contradicts_says_what_the_run_has_seen() -> None:
    found = observations(function(call(None, x=tensor(2, 3)), call(None, x=tensor(8, 3))), ["f(x)"])
    note = found.disagreement(X, "x")
    assert note is not None and note.words.startswith("in the run of ") and note.code == "f32[2..8, 3]"
    assert found.disagreement(X, "y") is None
