"""Forgets what functions change that are not run, that run bit by bit, or that write to an argument."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import heap_values, store_entries
from torchlsp.interp.store.state import Entry, Key, Store
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.walking import scope_nodes

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def forget_set_attributes(
    it: Evaluator, function: ir.Function, name: str, value: v.InstanceValue | v.LayerValue
) -> None:
    """Forgets the attributes of an argument that the text of a function sets."""
    for node in scope_nodes(function.body):
        match node:
            case ir.Assign(targets=targets):
                for target in targets:
                    for part in target.items if type(target) is ir.Display else (target,):
                        if type(part) is ir.Attribute and _is_name(part.object, name):
                            heap_values.put_attribute(it, value.ref, part.name, UNKNOWN_VALUE)
            case ir.Call(function=ir.Name(id="setattr"), args=(first, *_)) if _is_name(first, name):
                heap_values.forget_attributes(it, value)


def _is_name(node: ir.Node, name: str) -> bool:
    return type(node) is ir.Name and node.id == name


def forget_changes(it: Evaluator, mark: int) -> None:
    """Forgets what a generator changes, which happens bit by bit while it is used; one for `with` takes some of it back."""
    state = it.state
    changes = state.take(mark)
    objects = (
        {key[0] for key in state.heap}
        if any(store is state.heap for store, _, _ in changes.values())
        else set()
    )

    def after(store: Store, name: Key, value: Entry) -> Entry:
        is_new = name not in store if store is not state.heap else name[0] not in objects
        return value if is_new or store is state.modes else store_entries.forgotten(it, store, value)

    state.apply(
        {key: (store, name, after(store, name, value)) for key, (store, name, value) in changes.items()}
    )


def forget_out_argument(it: Evaluator, arguments: Arguments) -> None:
    """Forgets the values of the tensor that is passed as `out=`, and the shape of one without elements, which is resized."""
    for value in _given_as_out(arguments):
        if isinstance(value, TensorFact) and value.shape is not None and 0 in value.shape:
            it.rewrite(value, value.but(content=None, shape=None, layout=None))
        elif isinstance(value, TensorFact) and (value.content or value.provenance):
            storage = replace(value.storage, version=value.storage.version + 1)
            kept = value.provenance if value.provenance in ("parameter", "buffer") else None
            it.rewrite(value, value.but(content=None, provenance=kept, storage=storage))


def _given_as_out(arguments: Arguments) -> tuple[Value, ...]:
    given = dict(arguments.keywords).get("out")
    if given is None:
        return ()
    return given.items if type(given) is v.TupleValue else (given,)
