"""Runs the body of a loop over a DataLoader with the sizes that its batches really have, where these are known.

In `DataLoader(dataset, batch_size=8)` over 33 samples the last batch has one of them, on which `squeeze()` and batch
normalisation do what they do on no other.  Facts with a symbol for the batch do not show that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind, KnownBatch
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.data import loader_arguments
from torchlsp.interp.checks.data.joined_batches import JoinedBatches
from torchlsp.interp.model import first_iterations
from torchlsp.interp.store.heap_keys import GIVEN
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_SILENT = frozenset({FaultKind.LOSS_BROADCAST, FaultKind.OUTER})
"""Kinds that are reported of a batch of known size though torch does not raise for them."""


@running_state
class BatchSizes:
    """The sizes of batches while the body of a loop is run on one of them, and the loaders that a loop takes batches of."""

    exact: dict[str, int] = per_root(dict)
    """The size of the batches of a loader in the present run, by its ref."""
    drawn: list[tuple[v.LoaderValue, int]] = per_root(list)
    """The loaders of which the expression after `in` has taken a batch, and in how many frames."""


def exact_size(it: Evaluator, loader: v.LoaderValue) -> int | None:
    """Returns the size of a loader's batch in this run, and records that one was taken."""
    sizes = it.states[BatchSizes]
    sizes.drawn.append((loader, len(it.frames)))
    return sizes.exact.get(loader.ref)


def evaluate_iterable(it: Evaluator, node: ir.Node) -> tuple[Value, v.LoaderValue | None]:
    """Evaluates what a loop goes through; also returns the loader that it takes its batches of, where there is one."""
    sizes = it.states[BatchSizes]
    outer, sizes.drawn = sizes.drawn, []
    iterable = it.eval(node)
    found = {loader.ref: loader for loader, frames in sizes.drawn if frames == len(it.frames)}
    sizes.drawn = outer
    if type(iterable) is v.LoaderValue:
        return iterable, iterable
    return iterable, next(iter(found.values())) if len(found) == 1 else None


def known_batches(it: Evaluator, loader: v.LoaderValue | None, node: ir.Node) -> tuple[KnownBatch, ...]:
    """Returns the batches of different sizes that a loader certainly gives: a full one and a last, smaller one."""
    if loader is None or loader.origin is None:
        return ()
    given: dict[str, Value] = it.state.heap.get((loader.ref, GIVEN), {})
    size = v.as_int(given.get("batch_size", v.integer(1)))
    if size is None or size < 2:
        return ()
    if any(given.get(name, v.NONE) != v.NONE for name in ("sampler", "batch_sampler")):
        return ()
    dataset = given.get("dataset", UNKNOWN_VALUE)
    if isinstance(dataset, v.InstanceValue) and not loader_arguments.defines(dataset.cls, "__getitem__"):
        return ()
    length = loader_arguments.length_of_dataset(it, dataset, node)
    if length is None or length < 1:
        return ()
    found = [KnownBatch(size, length, size, loader.origin)] if length >= size else []
    if length % size and given.get("drop_last", v.FALSE) == v.FALSE:
        found.append(KnownBatch(length % size, length, size, loader.origin))
    return tuple(found)


def faults_of(
    it: Evaluator, loader: v.LoaderValue, batch: KnownBatch, run_body: Callable[[], object]
) -> dict[tuple, Fault]:
    """Returns the faults of the body on a batch of this size, which the loop certainly reaches; undoes all effects."""
    joined = it.states[JoinedBatches]
    around, joined.batch = joined.batch, batch
    with _batches_of(it, loader, batch):
        found = first_iterations.rehearsed_faults(it, run_body, _SILENT)
    joined.batch = around
    return {key: replace(fault, batch=batch) for key, fault in found.items()}


def first_batch(it: Evaluator, loader: v.LoaderValue, node: ir.Node, take: Callable[[], Value]) -> Value:
    """Returns the first batch of a loader, of its full size where the dataset is known to have as many samples."""
    batches = known_batches(it, loader, node)
    if not batches:
        return take()
    with _batches_of(it, loader, batches[0]):
        return take()


@contextmanager
def _batches_of(it: Evaluator, loader: v.LoaderValue, batch: KnownBatch) -> Iterator[None]:
    """Gives the batches of a loader this size."""
    exact = it.states[BatchSizes].exact
    before = exact.get(loader.ref)
    exact[loader.ref] = batch.size
    try:
        yield
    finally:
        if before is None:
            del exact[loader.ref]
        else:
            exact[loader.ref] = before
