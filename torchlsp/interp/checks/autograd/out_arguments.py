"""Detects `out=` with operands that require grad, which torch refuses.

Autograd does not support writing to a tensor that is passed in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.interp.model.call_records import with_call
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

REFUSES = frozenset(
    f"torch.{name}"
    for name in """abs add addmm amax angle atan2 baddbmm bmm cat ceil clamp cos cumprod cumsum div erf exp floor fmod gather hstack
    index_select inverse lerp log logcumsumexp logsumexp masked_select matmul max maximum mean min minimum mm mul mv neg norm pow
    prod reciprocal remainder round rsqrt sigmoid sign sin sort sqrt square stack std sub sum take tanh topk tril triu true_divide
    trunc var where""".split()
)
"""Functions that raise for such operands in torch 2.13, each measured."""


def report_out_argument(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports a call with `out=` of one of these functions while gradients are recorded."""
    modes = it.state.modes
    out = dict(arguments.keywords).get("out")
    if type(out) is not TensorFact or modes["grad"] is not Tri.YES or modes["inference"] is not Tri.NO:
        return
    operands = [*_tensors(it, arguments.positional), out]
    guilty = next((operand for operand in operands if operand.grad.requires is Tri.YES), None)
    if guilty is None:
        return
    assumptions = guilty.assumed & {"tensor"} | ({"grad"} if modes["grad_assumed"] else set())
    data = (("input", guilty), ("out", out))
    fault = Fault(
        FaultKind.OUT_OF_GRAPH,
        node.start,
        node.end,
        name,
        data,
        frozenset(assumptions),
        path=it.frame.module.path,
    )
    it.report(with_call(it, [fault], name, arguments))


def _tensors(it: Evaluator, values: tuple[Value, ...]) -> Iterator[TensorFact]:
    """Yields the tensors among the arguments and in lists of them."""
    for value in values:
        for item in it.elements(value) or (value,):
            if type(item) is TensorFact:
                yield item


HOOKS = Hooks(external_call=for_names(REFUSES, report_out_argument))
