"""Collects what the interpreter claims of each assigned name, with the contents of containers and objects at that moment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from torchlsp.core.text import Document
from torchlsp.facts import values as v
from torchlsp.facts.notation import value_text
from torchlsp.facts.tensor import TensorFact
from torchlsp.interp.evaluate import loops
from torchlsp.interp.model import module_tree
from torchlsp.interp.run.analyse import analyse
from torchlsp.interp.run.interpreter import Interpreter
from torchlsp.interp.store.analysis import Analysis
from torchlsp.interp.store.budget import Imports
from torchlsp.interp.store.heap_keys import ATTRIBUTES
from torchlsp.program import ir
from torchlsp.program.lower import lower
from torchlsp.syntax.parse import parse

DEPTH = 4
"""Containers and objects nested deeper are not looked at."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A list or dict and what it holds: items (a tuple, a Repeated or a dict), or None where that is not known."""

    kind: str
    content: Any


@dataclass(frozen=True, slots=True)
class Made:
    """A module or object: its class, what is claimed of its parameters' state, its children and its attributes."""

    value: v.Value
    state: Any
    content: Any
    attributes: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Claim:
    """`of_root`: made for all calls of the function; otherwise for one call of it.  `text` is the notation.

    `assumes_grad`: under the assumption that gradients are recorded, as they are outside of a caller's `no_grad`.
    """

    value: Any
    of_root: bool
    text: str
    assumes_grad: bool = False


Claims = dict[tuple[int, int], list[Claim]]


def parsed(text: str, path: str = "program.py", name: str | None = None) -> ir.Module:
    return lower(parse(Document(path, text)), name)


def claims_of(text: str, imports: Imports | None = None) -> tuple[Analysis, Claims]:
    """Analyses a program and collects the claims on every assigned name, by its span."""
    seen: list[tuple[tuple[int, int], Claim]] = []
    with _recording(seen):
        analysis = analyse(parsed(text), imports, strict=True)
    claims: Claims = {}
    for span, claim in seen:
        claims.setdefault(span, []).append(claim)
    return analysis, claims


@contextmanager
def _recording(seen: list) -> Iterator[None]:
    """Notes what is bound in every frame; a pass over a loop that is run again, and a silent pass, do not count."""
    record, run_pass, fixpoint = Interpreter.record, loops._pass, loops._fixpoint
    starts: list[int] = []

    def noted(it: Interpreter, node: ir.Node, value: v.Value) -> None:
        record(it, node, value)
        if not it.silent and it.frame.module is it.main:
            assumes = it.state.modes["grad_assumed"]
            claim = Claim(frozen(it, value), it.frame.is_root, value_text(value), assumes)
            seen.append(((node.start, node.end), claim))

    def one_pass(*args):
        del seen[starts[-1] :]
        return run_pass(*args)

    def all_passes(*args, **more):
        starts.append(len(seen))
        try:
            return fixpoint(*args, **more)
        finally:
            starts.pop()

    Interpreter.record, loops._pass, loops._fixpoint = noted, one_pass, all_passes
    try:
        yield
    finally:
        Interpreter.record, loops._pass, loops._fixpoint = record, run_pass, fixpoint


def frozen(it: Interpreter, value: v.Value, depth: int = 0, seen: frozenset = frozenset()) -> Any:
    """The value with what the heap knows of it now."""
    heap = it.state.heap
    if depth > DEPTH:
        return v.UNKNOWN_VALUE

    def inner(item: v.Value) -> Any:
        return frozen(it, item, depth + 1, seen)

    match value:
        case v.TupleValue(items=items):
            return v.TupleValue(tuple(inner(item) for item in items), value.names, value.is_size)
        case v.Repeated(element=element, length=length):
            return v.Repeated(inner(element), length)
        case v.DictValue(entries=entries):
            return Listed("dict", {key: inner(item) for key, item in entries})
        case v.ListRef(ref=ref):
            return Listed("list", None if ref in seen else _content(heap.get((ref, "[]")), inner))
        case v.DictRef(ref=ref):
            return Listed("dict", _content(heap.get((ref, "{}")), inner))
        case v.LayerValue(ref=ref) | v.InstanceValue(ref=ref):
            if ref in seen:
                return v.UNKNOWN_VALUE
            seen = seen | {ref}
            names = heap.get((ref, ATTRIBUTES), ())
            state = module_tree.layer_state(it, value) if isinstance(value, v.LayerValue) else None
            content = _content(heap.get((ref, "[]"), heap.get((ref, "{}"))), inner)
            attributes = {name: inner(heap[ref, name]) for name in names if (ref, name) in heap}
            return Made(value, state, content, attributes)
        case v.Wrapped(module=module):
            return inner(module) if value.qualname == "torch.compile" else v.UNKNOWN_VALUE
    return value


def _content(content: Any, inner) -> Any:
    if isinstance(content, tuple):
        return tuple(inner(item) for item in content)
    if isinstance(content, dict):
        return {key: inner(item) for key, item in content.items()}
    return inner(content) if isinstance(content, v.Repeated) else None


__all__ = ["Claim", "Claims", "Listed", "Made", "TensorFact", "claims_of", "parsed"]
