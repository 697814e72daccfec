"""What a recorded run has seen is given to a function when it begins, as far as the program does not say it."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import Grad, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.interp.run.analyse import NoImports, analyse
from torchlsp.interp.run.incremental import IncrementalAnalysis
from torchlsp.interp.store.analysis import Analysis
from torchlsp.interp.store.entry_facts import Entries, EntryDict, EntryFacts, EntryList, EntryTuple
from torchlsp.program.lower import lower
from torchlsp.syntax.parse import parse

NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.lin = nn.Linear(dim, heads)
        self.scale = make()

    def forward(self, x, extra):
        y = self.lin(x)
        return extra[0] @ self.scale
"""


def tensor(*sizes: int, dtype: str = "f32") -> TensorFact:
    return TensorFact(shape=sizes, dtype=dtype, layout=ROW_MAJOR)


def analysed(text: str, entries: Entries) -> Analysis:
    return analyse(lower(parse(Document("a.py", text))), recording=True, strict=True, observed=entries)


def faults(text: str, entries: Entries) -> list[tuple[FaultKind, str, frozenset[str]]]:
    found = analysed(text, entries).faults
    return [(one.kind, text[one.start : one.end], one.assumptions) for one in found]


def observed(text: str, entries: Entries, expression: str) -> v.Value:
    """The value of the last place at which an expression is evaluated, as it was observed."""
    at = text.rindex(expression)
    return analysed(text, entries).observed[at, at + len(expression), False]


OF_NET: Entries = {
    "Net.__init__": EntryFacts({"dim": v.integer(8), "heads": v.integer(4)}),
    "Net.forward": EntryFacts(
        {"x": tensor(3, 8), "extra": EntryList((tensor(5, 6),))}, {"scale": tensor(7, 2)}
    ),
}


def test_a_fault_on_observed_operands_says_that_it_assumes_them() -> None:
    assert faults(NET, {}) == []
    assert faults(NET, OF_NET) == [(FaultKind.MATMUL_INNER, "extra[0] @ self.scale", frozenset({"observed"}))]


def test_layers_have_the_sizes_that_the_constructor_was_given() -> None:
    y = observed(NET, OF_NET, "self.lin(x)")
    assert isinstance(y, TensorFact) and y.shape == (3, 4)


@pytest.mark.parametrize("name", ["forward", "__init__"])
def test_a_method_alone(name: str) -> None:
    entries = {f"Net.{name}": OF_NET[f"Net.{name}"]}
    assert analysed(NET, entries).errors == []


def test_what_the_program_says_goes_before_what_was_observed() -> None:
    text = "import torch\ndef f(n: str, x: torch.Tensor, m=3):\n    y = x.view(2, -1)\n    return n, m\n"
    entries = {"f": EntryFacts({"n": v.integer(3), "x": tensor(4, 6), "m": v.integer(5)})}
    assert analysed(text, entries).contradicted == ["f(n)"]
    shape = observed(text, entries, "x.view(2, -1)")
    assert isinstance(shape, TensorFact) and shape.shape == (2, 12)
    assert observed(text, entries, "m") == v.integer(5)
    assert observed(text, entries, "n") == v.Scalar("str")


def test_an_annotated_shape_that_was_not_seen_is_kept() -> None:
    text = 'import torch\nfrom jaxtyping import Float\ndef f(x: Float[torch.Tensor, "4 n"]):\n    return x\n'
    found = analysed(text, {"f": EntryFacts({"x": tensor(5, 6)})})
    assert found.contradicted == ["f(x)"]
    at = text.rindex("x")
    value = found.observed[at, at + 1, False]
    assert isinstance(value, TensorFact) and value.shape is not None and value.shape[0] == 4


def test_containers() -> None:
    text = "def f(a, b, *rest, **more):\n    return a[0], b['k'], rest[1], len(a)\n"
    entries = {
        "f": EntryFacts(
            {
                "a": EntryTuple((tensor(1), EntryList((tensor(2),)))),
                "b": EntryDict((("k", tensor(3)),)),
                "rest": EntryTuple((tensor(4), tensor(5))),
            }
        )
    }
    for expression, size in (("a[0]", 1), ("b['k']", 3), ("rest[1]", 5)):
        value = observed(text, entries, expression)
        assert isinstance(value, TensorFact) and value.shape == (size,)


def test_gradients_are_off_where_no_call_recorded_them() -> None:
    text = "import torch\ndef f(x):\n    return x * 2\n"
    x = TensorFact(shape=(2,), dtype="f32", grad=Grad(Tri.YES, Tri.YES))
    for grad in Tri:
        value = observed(text, {"f": EntryFacts({"x": x}, grad=grad)}, "x * 2")
        assert isinstance(value, TensorFact) and value.grad.requires is grad


def test_other_functions_are_as_without() -> None:
    text = "import torch\ndef f(x):\n    return x.view(3)\ndef g():\n    return f(torch.ones(3))\n"
    alone, with_entry = analysed(text, {}), analysed(text, {"f": EntryFacts({"x": tensor(4)})})
    assert alone.faults == [] and [one.assumptions for one in with_entry.faults] == [{"observed"}]
    assert with_entry.roots == alone.roots and with_entry.calls == alone.calls
    assert with_entry.values == alone.values and with_entry.names == alone.names


def test_a_fault_that_holds_without_the_run_assumes_nothing_of_it() -> None:
    text = "import torch\ndef f(x):\n    return torch.ones(2) @ torch.ones(3)\n"
    assert [one[2] for one in faults(text, {"f": EntryFacts({"x": tensor(4)})})] == [frozenset()]


def test_updates_give_what_a_whole_analysis_gives() -> None:
    text = "import torch\ndef f(x):\n    return x.view(3)\ndef g(x):\n    return x.t().view(-1)\n"
    entries = {"f": EntryFacts({"x": tensor(4)}), "g": EntryFacts({"x": tensor(2, 3)})}
    again = IncrementalAnalysis(
        lower(parse(Document("a.py", text))), NoImports(), frozenset(), None, None, entries
    )
    other = text.replace("view(3)", "view(4)")
    new = lower(parse(Document("a.py", other)))
    updated = again.after(again.function_at(text.index("def f")), new.functions[0], NoImports(), None)
    assert updated is not None and again.runs == 2
    whole = analysed(other, entries)
    assert [repr(one) for one in updated.faults] == [repr(one) for one in whole.faults]
    assert updated.observed == whole.observed
