"""What a call of something unknown may do: whatever it gets hold of is unknown afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks import running
from torchlsp.interp.model import heap_values, module_tree
from torchlsp.interp.store.state import MISSING
from torchlsp.interp.store.trace import Event, EventKind
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def unknown_call(it: Evaluator, arguments: Arguments, node: ir.Node, callee: Value | None = None) -> None:
    """A call whose target is not known: mutable things handed to it are unknown afterwards."""
    for hook in running.UNKNOWN_CALL:
        hook(it, arguments, node)
    subjects: set[str] = set()
    for value in (*arguments.positional, *(value for _, value in arguments.keywords)):
        escape(it, value, subjects)
    it.recorder.add(Event(
        EventKind.UNKNOWN_CALL, node.start, node.end, frozenset(subjects), path=it.frame.module.path, node=it.frame.statement,
        handed=_handed(arguments, callee),
    ))  # fmt: skip


def _handed(arguments: Arguments, callee: Value | None) -> frozenset[str]:
    """Names of unseen arguments that the call gets hold of; a method of an object of the workspace may know any."""
    handed = {value.name for value in arguments.positional if type(value) is v.Parameter}
    handed.update(value.name for _, value in arguments.keywords if type(value) is v.Parameter)
    match callee:
        case v.Parameter(name=name):
            handed.add(f"{name}()")
        case v.InstanceValue() | v.FunctionValue() | v.ClassValue():
            handed.add("*")
    return frozenset(handed)


def escape(it: Evaluator, value: Value, subjects: set[str], depth: int = 0) -> None:
    """Forgets what an unknown function may change, and collects the tracked objects that it gets hold of."""
    state = it.state
    match value:
        case v.ListRef(ref=ref):
            content = state.heap.get((ref, "[]"), MISSING)
            for inner in content if isinstance(content, tuple) else ():
                if depth < 3:
                    escape(it, inner, subjects, depth + 1)
            state.set(state.heap, (ref, "[]"), UNKNOWN_VALUE)
        case v.DictRef(ref=ref):
            content = state.heap.get((ref, "{}"), MISSING)
            if isinstance(content, v.Repeated):
                content = {"": content.element}
            for inner in content.values() if isinstance(content, dict) else ():
                if depth < 3:
                    escape(it, inner, subjects, depth + 1)
            state.set(state.heap, (ref, "{}"), UNKNOWN_VALUE)
        case v.TupleValue(items=items):
            for inner in items:
                escape(it, inner, subjects, depth + 1)
        case v.OptimizerValue(ref=ref, owns=owns):
            subjects.add(ref)
            subjects.update(owns or ())
            state.set(state.heap, (ref, "@resumed"), True)
        case v.LayerValue(ref=ref) | v.InstanceValue(ref=ref):
            subjects.add(ref)
            inside = module_tree.owned_refs(it, value) or ()
            subjects.update(inside)
            for part in sorted(inside):
                state.set(state.heap, (part, "@training"), Tri.UNKNOWN)
            module_tree.is_ready(it, value)
            for key in ("@device", "@dtype", "@memory"):
                state.set(state.heap, (ref, key), None)
            for key in ("@grad", "@training"):
                state.set(state.heap, (ref, key), Tri.UNKNOWN)
        case v.SamplerValue(ref=ref) | v.LoaderValue(sampler=v.SamplerValue(ref=ref)):
            subjects.add(ref)
        case v.Wrapped(ref=ref, module=module):
            subjects.add(ref)
            escape(it, module, subjects, depth + 1)
        case v.Engine(ref=ref, wraps=wraps):
            subjects.add(ref)
            subjects.update(wraps)
        case v.Parameter(name=name) if name in it.analysis.scalers:
            subjects.add(name)
        case v.FunctionValue(receiver=inner) if inner is not None:
            escape(it, inner, subjects, depth + 1)
        case v.FunctionValue(scope=scope):
            heap_values.forget_around(it, scope)
        case v.BoundExternal(receiver=inner):
            if isinstance(inner, (v.OptimizerValue, v.LayerValue, v.InstanceValue)):
                escape(it, inner, subjects, depth + 1)
        case v.ParametersOf(owns=owns):
            subjects.update(owns or ())
        case TensorFact():
            heap_values.forget_values(it, value)
