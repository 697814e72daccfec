"""Detects lists of results that a last batch of one sample adds a tensor without dims to, which `torch.cat` refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind, KnownBatch
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.interp.model import heap_access
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.signature import Arguments

_JOINS = frozenset({"torch.cat", "torch.concat", "torch.concatenate"})


@running_state
class JoinedBatches:
    """The lists that get a tensor without dims from a batch of known size."""

    batch: KnownBatch | None = per_root(lambda: None)
    """The batch on which the body of a loop is run just now."""
    single: dict[str, tuple[TensorFact, KnownBatch]] = per_root(dict)
    """By the ref of the list."""


def record_append(it: Evaluator, ref: str, value: Value) -> None:
    """Records a tensor without dims that a batch of known size certainly adds to a list."""
    state = it.states[JoinedBatches]
    if state.batch is None or not isinstance(value, TensorFact) or value.shape != () or not it.first_runs:
        return
    if it.first_runs[-1].undecided == it.frame.undecided and it.first_runs[-1].silent == it.silent:
        state.single[ref] = value, state.batch


def forget_changed(it: Evaluator, ref: str) -> None:
    """Forgets what a list holds that something is taken out of."""
    it.states[JoinedBatches].single.pop(ref, None)


def report_single(it: Evaluator, node: ir.Node, name: str, arguments: Arguments, layer: object) -> None:
    """Reports the concatenation of a list with a tensor without dims."""
    given = arguments.positional[0] if arguments.positional else dict(arguments.keywords).get("tensors")
    single = it.states[JoinedBatches].single
    if not single or it.silent or not isinstance(given, v.Repeated):
        return
    ref = next((ref for ref in single if heap_access.items_at(it, ref) is given), None)
    if ref is None:
        return
    tensor, batch = single[ref]
    data = (("left", tensor), ("right", tensor), ("places", (None, None)), ("dim", 0))
    path = it.frame.module.path
    it.report([Fault(FaultKind.CONCATENATE, node.start, node.end, name, data, path=path, batch=batch)])


HOOKS = Hooks(applied=for_names(_JOINS, report_single))
