"""Reproduces faults with loaders and datasets: a loader over a few numbers, with the conflicting parts."""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.lint.reproducers.outline import NotReproducible, Reproducer
from torchlsp.lint.reproducers.program_text import with_flags

_HEAD = "import torch\nfrom torch.utils.data import DataLoader, Dataset, IterableDataset, SequentialSampler\n"
_GIVEN = {
    "shuffle": "shuffle=True",
    "sampler": "sampler=SequentialSampler(data)",
    "batch_sampler": "batch_sampler=[[0, 1], [2, 3]]",
    "drop_last": "drop_last=True",
}


def _loader_conflict(fault: Fault) -> ProbeRequest:
    one, other = fault["argument"], fault["against"]
    if other == "dataset":
        return with_flags(
            f"""{_HEAD}
class Numbers(IterableDataset):
    def __iter__(self):
        return iter([1, 2, 3, 4])

data = Numbers()
DataLoader(data, {_GIVEN[one].replace("SequentialSampler(data)", "[0, 1]")})  #!
""",
            Raises("DataLoader with IterableDataset: expected unspecified", "ValueError"),
        )
    given = {**_GIVEN, "batch_size": "batch_size=2" if other == "batch_sampler" else "batch_size=None"}
    return with_flags(
        f"""{_HEAD}
data = [1, 2, 3, 4]
DataLoader(data, {given[one]}, {given[other]})  #!
""",
        Raises("mutually exclusive", "ValueError"),
    )


def _dataset_methods(fault: Fault) -> ProbeRequest:
    if fault["kind"] != "map":
        raise NotReproducible("a class that torch of every version makes an object of")
    body = {
        "__len__": "def __getitem__(self, index):\n        return index",
        "__getitem__": "def __len__(self):\n        return 4",
    }[fault["missing"]]
    return with_flags(
        f"""{_HEAD}
class Numbers(Dataset):
    {body}

next(iter(DataLoader(Numbers())))  #!
""",
        Raises("has no len|^$|Subclasses of Dataset|not subscriptable", "Exception"),
    )


def _ragged_batch(fault: Fault) -> ProbeRequest:
    left, right = fault["left"], fault["right"]
    if fault["what"] == "list":
        one, other = str([0] * left), str([0] * right)
    else:
        if not all(isinstance(size, int) and size < 1000 for size in (*left, *right)):
            raise NotReproducible("the sizes of the samples")
        one, other = (f"torch.zeros({list(shape)})" for shape in (left, right))
    return with_flags(
        f"""{_HEAD}
samples = [{one}, {other}]
next(iter(DataLoader(samples, batch_size=2)))  #!
""",
        Raises("stack expects each tensor to be equal size|should be of equal size"),
    )


def _loader_workers(fault: Fault) -> ProbeRequest:
    given = {
        "prefetch_factor": "prefetch_factor=2",
        "persistent_workers": "persistent_workers=True",
        "multiprocessing_context": 'multiprocessing_context="spawn"',
        "timeout": "timeout=5",
    }[fault["argument"]]
    return with_flags(
        f"""{_HEAD}
next(iter(DataLoader([1, 2, 3, 4], num_workers=0, {given})))  #!
""",
        Raises("num_workers > 0|requires timeout == 0", "Exception"),
    )


def _sampler_epoch(fault: Fault) -> ProbeRequest:
    return with_flags(
        """
import torch
from torch.utils.data import DistributedSampler

sampler = DistributedSampler(torch.arange(32), num_replicas=2, rank=0)
first_epoch = list(sampler)
second_epoch = list(sampler)  #!

assert first_epoch != second_epoch, "every epoch gives the samples in the same order"
""",
        ProofFails(),
    )


def _loader_as_sequence(fault: Fault) -> ProbeRequest:
    return with_flags(
        f"""{_HEAD}
loader = DataLoader([1, 2, 3, 4], batch_size=2)
{"loader[0]" if fault["how"] == "index" else "next(loader)"}  #!
""",
        Raises("not subscriptable|not an iterator", "TypeError"),
    )


def _split_lengths(fault: Fault) -> ProbeRequest:
    total, length = fault["total"], fault["length"]
    lengths = f"[{total}, 0]" if length is not None else f"[{total - 0.1:.6f}, 0.1]"
    size = 10 if length is None else length
    if size > 100000 or not 0 <= total < 100000:
        raise NotReproducible("a dataset of that length")
    return with_flags(
        f"""
import torch
from torch.utils.data import random_split

random_split(list(range({size})), {lengths})  #!
""",
        Raises("Sum of input lengths|Sum of input fractions|Fraction at index", "ValueError"),
    )


def _uncollatable(fault: Fault) -> ProbeRequest:
    what = fault["what"]
    made = "None" if what in ("None", "maybe") else "Sample()"
    cls = "" if made == "None" else "class Sample:\n    pass\n\n"
    return with_flags(
        f"""{_HEAD}
{cls}next(iter(DataLoader([{made}, {made}], batch_size=2)))  #!
""",
        Raises("default_collate: batch must contain", "TypeError"),
        guesses=what == "maybe",
    )


def _grad_in_worker(fault: Fault) -> ProbeRequest:
    """Reproduces the batch as a worker creates it: in existing memory, so that it can be shared."""
    if fault["alone"]:
        raise NotReproducible("a worker")
    return with_flags(
        """
import torch

samples = [torch.ones(2, requires_grad=True) * 2, torch.ones(2, requires_grad=True) * 2]
torch.stack(samples, 0, out=torch.empty(2, 2))  #!
""",
        Raises("don't support automatic differentiation"),
    )


OF_KIND: dict[FaultKind, Reproducer] = {
    FaultKind.LOADER_AS_SEQUENCE: _loader_as_sequence,
    FaultKind.LOADER_CONFLICT: _loader_conflict,
    FaultKind.SPLIT_LENGTHS: _split_lengths,
    FaultKind.DATASET_METHODS: _dataset_methods,
    FaultKind.LOADER_WORKERS: _loader_workers,
    FaultKind.RAGGED_BATCH: _ragged_batch,
    FaultKind.SAMPLER_EPOCH: _sampler_epoch,
    FaultKind.UNCOLLATABLE: _uncollatable,
    FaultKind.GRAD_IN_WORKER: _grad_in_worker,
}
