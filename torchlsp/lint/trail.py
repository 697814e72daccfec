"""Builds the because-trail: the origins of the clashing facts, the finding's assumptions, and the calls
through which the faulty operator was reached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.core.finding import FAILS_HERE, Finding, Related
from torchlsp.facts.fault import Fault
from torchlsp.facts.notation import tensor_text
from torchlsp.facts.tensor import MAX_ORIGINS, Origin, TensorFact
from torchlsp.facts.tri import Tri

if TYPE_CHECKING:
    from torchlsp.core.span import Span
    from torchlsp.interp.checks.distributed.collective_divergence import Divergence

_MAX_STEPS = 3

PAST = {
    "transpose": "transposed", "swapaxes": "transposed", "swapdims": "transposed", "t": "transposed", "T": "transposed",
    "mT": "transposed", "H": "transposed", "mH": "transposed", "adjoint": "transposed", "permute": "permuted",
    "movedim": "permuted", "moveaxis": "permuted", "expand": "expanded", "expand_as": "expanded",
    "broadcast_to": "expanded", "chunk": "cut into chunks", "split": "split", "narrow": "sliced",
    "__getitem__": "indexed", "select": "indexed", "unbind": "indexed", "unfold": "unfolded", "flatten": "flattened",
    "view": "viewed", "reshape": "reshaped", "unsqueeze": "unsqueezed", "squeeze": "squeezed", "cat": "joined",
    "stack": "stacked",
}  # fmt: skip
"""The past participle of each operator, as a step of the trail names it."""

ASSUMPTIONS = {
    "layout": "if {name} is contiguous when it is passed in",
    "tensor": "if {name} is a tensor",
    "matrix": "if {name} has two dims, as t() suggests",
    "batched": "if {name} is a batch, as batch_first suggests",
    "mask": "if no mask is larger than what it masks",
    "batch": "unless a batch holds as many examples as the layer takes channels",
    "images": "if {name} is given a batch",
    "lengths": "unless there are as many sequences as each is long",
    "image": "if the picture is higher than it has channels",
    "cuda": "if CUDA is available",
    "started": "if the main process has used CUDA before, as training does",
    "drawn": "if such a value is drawn",
    "padded": "if the sequences differ in length",
    "labels": "if what the loss compares with is in no graph, as labels are",
    "grad": "unless the caller switches gradients off",
    "scaler": "if the gradient scaler is enabled",
    "optimizer": "if {name} is an optimizer of torch, as its use suggests",
    "numpy": "with NumPy 2.4; older versions may let torch do it",
    "gpu": "if the module runs on a GPU",
    "precedence": "if the comparisons were meant to come first",
    "dtype": "unless the module is cast to another dtype",
    "shaped": "if {name} is a tensor and not an array, of which only the shape is used before",
    "module": "if this is a module, as its other uses suggest",
    "observed": "{name} is as a recorded run passed it",
    "convention": "if the rank in {name} is this process's",
}
"""The clause of a message for each assumption; `{name}` is the user's expression that it is about."""


def because(fact: TensorFact | None, column: str) -> Iterator[tuple[Origin, str]]:
    """Yields where a column of the fact (`layout`, `device`, `dtype`, `grad`, `shape`) was last decided,
    newest first."""
    count = 0
    for origin, newer, older in _history(fact):
        if count == _MAX_STEPS:
            return
        if origin.op == "parameter":
            return
        if older is None or _value(newer, column) != _value(older, column):
            count += 1
            yield origin, _words(origin, newer, older, column)
            if column != "shape":
                return


def maker(fact: TensorFact | None) -> Iterator[tuple[Origin, str]]:
    """Yields the places where the values of the fact were created."""
    for origin, newer, older in _history(fact):
        if origin.op == "parameter":
            return
        if older is None or (older.provenance, older.content) != (newer.provenance, newer.content):
            yield origin, _words(origin, newer, older, "shape")
            return


def rank_test(divergence: Divergence) -> Iterator[tuple[Origin, str]]:
    """Yields the test at which ranks diverge, and the place where the rank is read when that is elsewhere (a
    helper)."""
    test, asked = divergence.test, divergence.condition.source
    if test is None:
        return
    yield test, "only some ranks go on from here"
    if asked is not None and (asked.path != test.path or not test.start <= asked.start < test.end):
        yield asked, "the rank is asked for here"


def assumption(word: str, name: str) -> str:
    """Writes the sentence on what a finding assumes; `name` is the user's expression that it is about."""
    return ASSUMPTIONS.get(word, "if {name} is what its name says").format(name=name)


def known_batch(what: object) -> Iterator[tuple[Origin, str]]:
    """Yields the loader of the batch on which a site is wrong, and where the batch's size comes from."""
    batch = what.batch if isinstance(what, Fault) else None
    if batch is None:
        return
    if batch.size == batch.batch_size:
        yield batch.loader, f"its batches have {batch.size} samples"
        return
    samples = "sample" if batch.size == 1 else "samples"
    yield (
        batch.loader,
        f"its last batch has {batch.size} {samples}: {batch.samples} in batches of {batch.batch_size}",
    )


def first_origin(fact: TensorFact | None) -> Origin | None:
    """Returns the oldest origin of a fact, followed through the first operand of each operator."""
    oldest: Origin | None = None
    for origin, _, _ in _history(fact):
        oldest = origin
    return oldest


def _history(fact: TensorFact | None) -> Iterator[tuple[Origin, TensorFact, TensorFact | None]]:
    """Yields a fact's origin, the fact, and the first operand that it was computed from; newest first."""
    for _ in range(MAX_ORIGINS):
        if fact is None or fact.origin is None:
            return
        parent = fact.origin.parents[0] if fact.origin.parents else None
        yield fact.origin, fact, parent
        fact = parent


def _value(fact: TensorFact, column: str) -> object:
    match column:
        case "layout":
            return fact.is_contiguous() is Tri.YES
        case "grad":
            return fact.grad.requires
    return getattr(fact, column)


def at_call(finding: Finding, path: str, span: Span, scope: str) -> Finding:
    """Returns a finding as it is shown at a call that leads to it, without fixes."""
    related = [Related(finding.span, FAILS_HERE, finding.path)]
    for one in finding.related:
        at = finding.path if one.path is None else one.path
        if (at, one.span) != (path, span):
            related.append(Related(one.span, one.message, None if at == path else at, one.explains))
    return Finding(
        finding.rule, finding.name, path, span, finding.message, finding.severity, tuple(related),
        probe=finding.probe, scope=scope,
    )  # fmt: skip


def _words(origin: Origin, fact: TensorFact, parent: TensorFact | None, column: str) -> str:
    name = origin.op.rpartition(".")[2]
    text = tensor_text(fact)
    match column:
        case "device" if fact.device is not None:
            done = (
                "created on" if parent is None else "moved to" if name in ("to", "cuda", "type") else "put on"
            )
            return f"{done} {fact.device} here: {text}"
        case "dtype" if fact.dtype is not None:
            return f"{'created as' if parent is None else 'becomes'} {fact.dtype} here: {text}"
        case "grad":
            if fact.grad.requires is Tri.NO:
                return f"no gradient from here on: {text}"
            return f"requires grad from here on: {text}"
    if parent is None:
        return f"created here: {text}"
    return f"{PAST[name]} here: {text}" if name in PAST else f"result of {name} here: {text}"
