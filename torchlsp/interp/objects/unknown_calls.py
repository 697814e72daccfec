"""Forgets what a call of an unknown function may change: everything that it can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks import running
from torchlsp.interp.checks.devices import module_placement
from torchlsp.interp.model import (
    given_functions,
    heap_access,
    heap_values,
    later_changes,
    listed_models,
    module_tree,
    store_entries,
)
from torchlsp.interp.store.heap_keys import DEVICE, DTYPE, GRAD, MEMORY, RESUMED, TRAINING
from torchlsp.interp.store.possible_objects import objects_of
from torchlsp.interp.store.trace import Event, EventKind
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


READING = frozenset(
    """parameters named_parameters buffers named_buffers modules named_modules children named_children state_dict get items keys
    values index count copy""".split()
)
"""Methods that change nothing."""
_SETTING = frozenset("eval train to cuda cpu float half double bfloat16 type".split())
"""Methods that change a module's modes, place or dtype, and neither its gradients nor what it holds."""


def unknown_call(
    it: Evaluator, arguments: Arguments, node: ir.Node, callee: Value | None = None, method: str = ""
) -> None:
    """Records a call of an unknown function, and forgets the mutable objects that it gets.

    `method` is the name of a method of `callee`, which is empty where `callee` itself is called.
    """
    for hook in running.UNKNOWN_CALL:
        hook(it, arguments, node)
    subjects: set[str] = set()
    if callee is not None and method not in READING:
        heap_values.forget_values_of(it, callee)
        for owner in objects_of(callee):
            escape(it, owner, set() if method in _SETTING else subjects)
    for value in (*arguments.positional, *(value for _, value in arguments.keywords)):
        escape(it, value, subjects)
    given_functions.run_given(it)
    it.recorder.add(Event(
        EventKind.UNKNOWN_CALL, node.start, node.end, frozenset(subjects), path=it.frame.module.path, node=it.frame.statement,
        handed=_handed(arguments, callee),
    ))  # fmt: skip


def _handed(arguments: Arguments, callee: Value | None) -> frozenset[str]:
    """Returns the names of unknown values that a call can reach; "*" stands for any."""
    handed = {value.name for value in arguments.positional if type(value) is v.Parameter}
    handed.update(value.name for _, value in arguments.keywords if type(value) is v.Parameter)
    match callee:
        case v.Parameter(name=name):
            handed.add(f"{name}()")
        case v.InstanceValue() | v.FunctionValue() | v.ClassValue():
            handed.add("*")
    return frozenset(handed)


def escape(it: Evaluator, value: Value, subjects: set[str], depth: int = 0) -> None:
    """Forgets what an unknown function may change through a value, and collects the refs that it can reach."""
    state = it.state
    if type(value) is v.FunctionValue:
        it.record_missed(value)
    given_functions.give(it, value)
    match value:
        case v.ListRef(ref=ref):
            content = heap_access.items_at(it, ref)
            for inner in content if isinstance(content, tuple) else ():
                if depth < 3:
                    escape(it, inner, subjects, depth + 1)
            state.set(state.heap, (ref, "[]"), UNKNOWN_VALUE)
        case v.DictRef(ref=ref):
            entries = heap_access.entries_at(it, ref)
            if isinstance(entries, v.Repeated):
                entries = {"": entries.element}
            for inner in entries.values() if isinstance(entries, dict) else ():
                if depth < 3:
                    escape(it, inner, subjects, depth + 1)
            state.set(state.heap, (ref, "{}"), UNKNOWN_VALUE)
        case v.TupleValue(items=items):
            for inner in items:
                escape(it, inner, subjects, depth + 1)
        case v.OptimizerValue(ref=ref, owns=owns):
            subjects.add(ref)
            subjects.update(owns or ())
            state.set(state.heap, (ref, RESUMED), True)
        case v.LayerValue(ref=ref) | v.InstanceValue(ref=ref):
            inside = module_tree.owned_refs(it, value) or {ref}
            subjects.update(inside)
            module_placement.forget_unless_moved(it, value)
            for part in sorted(inside):
                for key in (DEVICE, DTYPE, MEMORY):
                    state.set(state.heap, (part, key), None)
                state.set(state.heap, (part, TRAINING), Tri.UNKNOWN)
            state.set(state.heap, (ref, GRAD), Tri.UNKNOWN)
            module_tree.mark_ready(it, value)
            listed_models.forget(it, value)
            if isinstance(value, v.InstanceValue):
                later_changes.forget_changing(it, value)
            heap_values.forget_if_empty(it, ref)
        case v.DatasetValue(fields=fields) if fields:
            store_entries.forget_fields(it)  # `keep_digits(dataset)` may replace its `data`
        case v.SamplerValue(ref=ref) | v.LoaderValue(sampler=v.SamplerValue(ref=ref)):
            subjects.add(ref)
        case v.Wrapped(ref=ref, module=module):
            subjects.add(ref)
            escape(it, module, subjects, depth + 1)
        case v.Engine(ref=ref, wraps=wraps):
            subjects.add(ref)
            subjects.update(wraps)
        case v.Parameter(name=name, objects=objects):
            if name in it.analysis.scalers:
                subjects.add(name)
            heap_values.forget_values_of(it, value)
            for inner in objects:
                escape(it, inner, subjects, depth + 1)
        case v.OneOf(objects=objects):
            heap_values.forget_values_of(it, value)
            for inner in objects:
                escape(it, inner, subjects, depth + 1)
        case v.FunctionValue(receiver=inner) if inner is not None:
            escape(it, inner, subjects, depth + 1)
        case v.BoundExternal(receiver=inner):
            if isinstance(
                inner, v.OptimizerValue | v.LayerValue | v.InstanceValue | v.ListRef | v.DictRef | v.OneOf
            ):
                escape(it, inner, subjects, depth + 1)
        case v.Repeated(element=inner):
            escape(it, inner, subjects, depth + 1)
        case v.PartialValue(function=function, args=args, kwargs=kwargs):
            for inner in (function, *args, *(value for _, value in kwargs)):
                escape(it, inner, subjects, depth + 1)
        case v.ParametersOf(owns=owns):
            subjects.update(owns or ())
        case TensorFact():
            heap_values.forget_values(it, value)
