"""Programs made up by chance, run in torch: a fact is true of what is bound, and what runs has no fault."""

from __future__ import annotations

import pytest
from claimed_facts import claims_of

torch = pytest.importorskip("torch")
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from torch_execution import Reality  # noqa: E402

from torchlsp.facts.fault import FaultKind  # noqa: E402

pytestmark = pytest.mark.torch

STARTS = (
    "torch.ones(2, 3)", "torch.zeros(3, 2, dtype=torch.float64)", "torch.arange(6)", "torch.ones(2, 3, requires_grad=True)",
    "torch.tensor([[True, False]])", "torch.ones(2, 1, 3)", "torch.rand(3)", "torch.tensor(2.0)", "torch.ones(4, 4).t()",
)  # fmt: skip
STEPS = (
    "{a} + {b}", "{a} * {b}", "{a} - 1", "{a} / 2", "{a} // 2", "{a} > 0", "-{a}.float()", "{a} @ {b}", "{a}.t()", "{a}.sum()",
    "{a}.float().mean(0)", "{a}.sum(-1, keepdim=True)", "{a}.reshape(-1)", "{a}.view(2, -1)", "{a}.unsqueeze(0)", "{a}.squeeze()",
    "{a}.transpose(0, -1)", "{a}.flatten()", "torch.cat([{a}, {b}])", "torch.stack([{a}, {b}])", "{a}[0]", "{a}[..., :1]",
    "{a}[None]", "{a}.detach()", "{a}.clone()", "{a}.double()", "{a}.long()", "{a}.expand(2, *{a}.shape)", "{a}.permute(*range({a}.dim()))",
    "{a}.contiguous()", "torch.relu({a})", "{a}.float().softmax(-1)", "{a}.argmax()", "{a}.float().max(0)[0]", "{a}.repeat(2, 1)",
    "{a} if {a}.dim() > 1 else {b}", "torch.where({a} > 0, {a}, {b})", "{a}.chunk(2)[0]", "{a}.new_zeros({b}.shape)",
    "{a}.T.reshape({a}.shape)", "{a}.mul(2).add({b})", "[{a}, {b}][-1]", "({a}, {b})[0]", "F.linear({a}, {b})", "{a}.numel()",
    "{a}.shape[0]", "len({a})", "{a}.masked_fill({b} > 0, 1)", "{a}.type_as({b})", "{a}.to({b})", "{a}.size()", "({a}).requires_grad",
)  # fmt: skip
STATEMENTS = (
    "{t} += 1", "{t} *= {b}", "{t}.add_(1)", "{t}.unsqueeze_(0)", "{t}.requires_grad_()", "{t}[0] = 1", "{t}.zero_()",
    "for i in range({n}):\n    {t} = {e}", "for i in range({n}):\n    {t} = {e}\n    if i == 1:\n        break",
    "if {a}.sum() > 1:\n    {t} = {e}\nelse:\n    {t} = {f}", "with torch.no_grad():\n    {t} = {e}",
    "try:\n    {t} = {e}\nexcept (RuntimeError, IndexError, ValueError, TypeError, AttributeError):\n    {t} = {f}", "{t} = f({a})", "{t} = g({a}, {b})", "{t}, {s} = {s}, {t}",
    "ls = [{a}, {b}]\nls.append({e})\n{t} = ls[-1]", "h.x = {e}\n{t} = h.x", "{t} = [y for y in ({a}, {b})][0]", "{t} = {s}",
    "d = {{'k': {e}}}\n{t} = d['k']", "{t} = (lambda q: q)({a})", "{t} = h.step({a})", "while {t}.dim() < 3:\n    {t} = {t}[None]",
)  # fmt: skip
PRELUDE = """import torch
import torch.nn.functional as F
class H:
    x = None
    n = 0
    def step(self, v):
        self.n += 1
        if self.x is None:
            self.x = v
        return self.x
h = H()
def f(v, *, k=2):
    w = v
    if v.dim() > 1:
        return w.sum(0)
    return w * k
def g(a, b):
    for q in (a, b):
        if q.dim() == 2:
            return q
    return b
"""
NAMES = ("a", "b", "c")


class Small(Reality):
    """A run that ends where loops make tensors large."""

    def seen(self, line: int, column: int, end_line: int, end_column: int, real) -> None:
        if isinstance(real, torch.Tensor) and real.numel() > 100_000:
            raise OverflowError
        super().seen(line, column, end_line, end_column, real)


@st.composite
def programs(draw) -> str:
    lines = [f"{name} = {draw(st.sampled_from(STARTS))}" for name in NAMES]

    def expression() -> str:
        step = draw(st.sampled_from(STEPS))
        return step.format(a=draw(st.sampled_from(NAMES)), b=draw(st.sampled_from(NAMES)))

    for _ in range(draw(st.integers(1, 8))):
        if draw(st.booleans()):
            lines.append(f"{draw(st.sampled_from(NAMES))} = {expression()}")
            continue
        target = draw(st.sampled_from(NAMES))
        lines.append(
            draw(st.sampled_from(STATEMENTS)).format(
                t=target, s=draw(st.sampled_from(NAMES)), a=draw(st.sampled_from(NAMES)), b=draw(st.sampled_from(NAMES)),
                e=expression(), f=expression(), n=draw(st.sampled_from((2, 30))),
            )
        )  # fmt: skip
        lines.append(f"{target} = {target}")
    return PRELUDE + "\n".join(lines) + "\n"


NOT_RAISED = {
    FaultKind.REVERSED_DIMS, FaultKind.DETACHED_WRITE, FaultKind.SQUEEZED_BATCH, FaultKind.PERMUTED_SIZES,
}  # fmt: skip
"""Of `.T` on what is no matrix torch only warns; gradients that a write has made wrong, and a batch of one that squeeze() removes,
show in no forward pass, and values that a reshape mixes up are values."""


@pytest.mark.torch
@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_facts_of_generated_programs_are_true(text: str):
    analysis, claims = claims_of(text)
    reality = Small(text, claims)
    error = reality.run()
    assert not reality.wrong, "\n".join(reality.wrong) + "\n" + text
    if error is None and "else:" not in text and "except" not in text:
        faults = [one for one in analysis.faults if one.kind not in NOT_RAISED]
        assert not faults, f"{faults[0]}\n{text}"
