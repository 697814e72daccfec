"""Evaluates datasets, samplers and loaders: one element of a dataset, one batch of a DataLoader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.dim import BATCH, Dim, symbol
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks import running
from torchlsp.interp.checks.data import loader_arguments, worker_arguments
from torchlsp.interp.checks.data.loader_arguments import DATA_PACKAGE
from torchlsp.interp.checks.devices import pinned_memory
from torchlsp.interp.checks.layout import rnn_batch_dim
from torchlsp.interp.checks.modules.training_mode import TrainingModes
from torchlsp.interp.model import classes, heap_access, heap_values
from torchlsp.interp.objects import batch_sizes, process_groups
from torchlsp.interp.store import join
from torchlsp.interp.store.heap_keys import GIVEN
from torchlsp.interp.store.trace import Event, EventKind
from torchlsp.ops.call import Call
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.walking import module_nodes

if TYPE_CHECKING:
    from types import NotImplementedType

    from torchlsp.interp.store.evaluator import Evaluator

_LOADER = "torch.utils.data.DataLoader"


def external(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> Value | NotImplementedType:
    """Creates datasets, samplers and loaders; NotImplemented for all other functions."""
    from torchlsp.ops.libraries import data

    if name == _LOADER:
        return _loader(it, arguments, node)
    if name in SAMPLERS:
        return sampler(it, name, arguments, node)
    if name in ("torch.utils.data.Subset", "torch.utils.data.ConcatDataset"):
        element = element_of_dataset(
            it, arguments.positional[0] if arguments.positional else UNKNOWN_VALUE, node
        )
        if name.endswith("ConcatDataset"):
            parts = it.elements(arguments.positional[0]) if arguments.positional else None
            element = element_of_dataset(it, parts[0], node) if parts and len(parts) == 1 else UNKNOWN_VALUE
        else:
            element = data.of_chosen_rows(element)
            return v.DatasetValue(element, _count(it, arguments.positional[1:]))
        return v.DatasetValue(element)
    if name == "torch.utils.data.random_split":
        loader_arguments.report_split_lengths(it, arguments, node)
        element = element_of_dataset(
            it, arguments.positional[0] if arguments.positional else UNKNOWN_VALUE, node
        )
        lengths = loader_arguments.split_lengths(it, arguments, node)
        if lengths is None:
            return v.Repeated(v.DatasetValue(element))
        return heap_values.new_list(it, node, tuple(v.DatasetValue(element, length) for length in lengths))
    if name == "torch.utils.data.TensorDataset":
        if arguments.open_positional:
            return v.DatasetValue(UNKNOWN_VALUE)
        first = arguments.positional[0] if arguments.positional else None
        length = first.shape[0] if isinstance(first, TensorFact) and first.shape else None
        return v.DatasetValue(data.tensor_dataset_element(arguments.positional), length)
    if name.startswith("torchvision.datasets."):
        sample = data.dataset_element(
            name, arguments, lambda transform, image: apply_transform(it, transform, image, node)
        )
        fields = data.dataset_fields(name, arguments, Call(name, {}, it.context(node)))
        names = {name for name, _ in fields}
        files = [it.main] if it.main is it.frame.module else [it.main, it.frame.module]
        if fields and any(_replaces(info.ir, names) for info in files):
            fields = ()
        return v.DatasetValue(sample if sample is not None else UNKNOWN_VALUE, fields=fields)
    return NotImplemented


def _replaces(module: ir.Module, names: set[str]) -> bool:
    """Returns whether a file may replace attributes of these names, of whatever: they may be a dataset's."""
    for node in module_nodes(module):
        match node:
            case ir.Assign(targets=targets):
                if any(_stores(target, names) for target in targets):
                    return True
            case ir.Augmented(target=target) | ir.Annotated(target=target) | ir.For(target=target):
                if _stores(target, names):
                    return True
            case ir.Call(function=ir.Name(id="setattr")) | ir.Attribute(name="__dict__" | "__setattr__"):
                return True
            case ir.Call(function=ir.Attribute(object=ir.Attribute(name=held), name=method)):
                if held in names and method.endswith("_"):
                    return True  # `dataset.data.unsqueeze_(1)`
    return False


def _stores(target: ir.Node, names: set[str]) -> bool:
    if isinstance(target, ir.Display):
        return any(_stores(item, names) for item in target.items)
    return isinstance(target, ir.Attribute) and target.name in names


def _count(it: Evaluator, given: tuple[Value, ...]) -> int | None:
    """Returns how many indices a subset is given."""
    indices = given[0] if given else UNKNOWN_VALUE
    if isinstance(indices, v.Repeated) and isinstance(indices.length, int):
        return indices.length
    items = it.elements(indices)
    return None if items is None else len(items)


def apply_transform(it: Evaluator, transform: Value, image: Value, node: ir.Node) -> Value:
    """Applies a torchvision transform, or any callable, to an image."""
    if isinstance(transform, v.LayerValue) and transform.qualname.endswith(".Compose"):
        steps = it.elements(transform["transforms"])
        if steps is None:
            return UNKNOWN_VALUE
        for i, step in enumerate(steps):
            site, it.frame.site = it.frame.site, f"{it.frame.site}.t{i}"
            try:
                image = apply_transform(it, step, image, node)
            finally:
                it.frame.site = site
        return image
    if isinstance(transform, (v.LayerValue, v.FunctionValue, v.InstanceValue)):
        return it.invoke(transform, Arguments((image,)), node)
    return UNKNOWN_VALUE


def element_of_dataset(it: Evaluator, dataset: Value, node: ir.Node) -> Value:
    """Returns what indexing a dataset with an unknown index yields."""
    match dataset:
        case v.DatasetValue(element=element):
            return element
        case v.InstanceValue():
            return item_of_instance(it, dataset, node)
        case v.ListRef() | v.TupleValue():
            items = it.elements(dataset)
            if items:
                return join.join_all(list(items), node)
            content = heap_access.items_at(it, dataset.ref) if isinstance(dataset, v.ListRef) else None
            return content.element if isinstance(content, v.Repeated) else UNKNOWN_VALUE
    return UNKNOWN_VALUE


def item_of_instance(it: Evaluator, instance: v.InstanceValue, node: ir.Node, in_loop: bool = False) -> Value:
    """Returns an item of an object of the workspace: by `__getitem__` at an unknown index, or by iterating.

    A loop iterates where it can, a DataLoader asks for indices.
    """
    ways = [("__getitem__", Arguments((v.Scalar("int"),))), ("__iter__", Arguments())]
    for name, arguments in reversed(ways) if in_loop else ways:
        found = classes.find_method(instance.cls, name)
        if found is not None:
            owner, function = found
            method = v.FunctionValue(f"{owner.ref}.{name}", function, owner.scope, instance, owner)
            result = it.call_function(method, arguments, node)
            if name == "__iter__":
                return result.element if isinstance(result, v.Repeated) else UNKNOWN_VALUE
            return result
    return UNKNOWN_VALUE


_POSITIONS = (
    "dataset",
    "batch_size",
    "shuffle",
    "sampler",
    "batch_sampler",
    "num_workers",
    "collate_fn",
    "pin_memory",
    "drop_last",
    "timeout",
    "worker_init_fn",
    "multiprocessing_context",
    "generator",
)


def _loader(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Creates a DataLoader."""
    given = dict(zip(_POSITIONS, arguments.positional)) | dict(arguments.keywords)
    ref = f"loader@{it.frame.site}:{node.start}"
    if arguments.is_open:
        # batch_size, collate_fn and the rest may be in there
        given.setdefault("collate_fn", UNKNOWN_VALUE)
        given.setdefault("batch_size", UNKNOWN_VALUE)
    element = element_of_dataset(it, given.get("dataset", UNKNOWN_VALUE), node)
    it.state.set(it.state.heap, (ref, GIVEN), given)
    sampler = given.get("sampler")
    loader = v.LoaderValue(
        ref,
        element,
        sampler if isinstance(sampler, v.SamplerValue) else None,
        origin=Origin(node.start, node.end, _LOADER, (), it.frame.module.path),
    )
    for hook in running.LOADER_CREATED:
        hook(it, loader, given, element, arguments, node)
    return loader


def batch_of(it: Evaluator, loader: v.LoaderValue, node: ir.Node) -> Value:
    """Returns one batch, with a size of this loop's own.

    The last batch may be smaller, unless `drop_last`.
    """
    from torchlsp.ops.libraries import data

    given: dict[str, Value] = it.state.heap.get((loader.ref, GIVEN), {})
    collate_fn = given.get("collate_fn", v.NONE)
    if any("collate_fn" in info.ir.replaced_attributes for info in it.by_path.values()):
        collate_fn = UNKNOWN_VALUE  # which a program replaces, perhaps in this loader
    batch_size = given.get("batch_size", v.integer(1))
    if given.get("batch_sampler", v.NONE) != v.NONE:
        batch_size = UNKNOWN_VALUE
    if batch_size == v.NONE:
        return loader.element
    size = v.as_dim(batch_size)
    batch: Dim = symbol(f"{BATCH}{node.start}")
    if size is not None and (given.get("drop_last") == v.TRUE or size == 1):
        batch = size
    batch = batch_sizes.exact_size(it, loader) or batch
    rnn_batch_dim.record_batch_size(it, batch)
    if collate_fn != v.NONE:
        if isinstance(collate_fn, (v.FunctionValue, v.InstanceValue, v.PartialValue)):
            samples = heap_values.new_list(it, node, v.Repeated(loader.element, batch))
            collated = it.invoke(collate_fn, Arguments((samples,)), node)
            worker_arguments.report_cuda_samples(it, given, collated, node)
            return collated
        return UNKNOWN_VALUE
    pinned_memory.record_batches(it, loader, f"{it.frame.site}:{node.start}")
    collated = data.collate(
        loader.element,
        batch,
        f"{it.frame.site}:{node.start}",
        it.elements,
        lambda value: entries_of(it, value),
    )
    for part in collated.items if isinstance(collated, v.TupleValue) else (collated,):
        if isinstance(part, TensorFact):
            it.states[TrainingModes].batches |= part.storage.ids or frozenset()
    if isinstance(collated, v.TupleValue) and not collated.names:
        return heap_values.new_list(it, node, collated.items)  # torch collates a tuple to a list
    return collated


def entries_of(it: Evaluator, value: Value) -> tuple[tuple[object, Value], ...] | None:
    """Returns the entries of a dict with known keys, as pairs; None for anything else."""
    if isinstance(value, v.DictRef):
        entries = heap_access.entries_at(it, value.ref)
        return tuple(entries.items()) if isinstance(entries, dict) else None
    return None


SAMPLERS = {
    f"{DATA_PACKAGE}SequentialSampler": Tri.NO, f"{DATA_PACKAGE}RandomSampler": Tri.YES, f"{DATA_PACKAGE}SubsetRandomSampler": Tri.YES,
    f"{DATA_PACKAGE}WeightedRandomSampler": Tri.YES, f"{DATA_PACKAGE}DistributedSampler": Tri.YES, f"{DATA_PACKAGE}BatchSampler": Tri.UNKNOWN,
}  # fmt: skip
"""Samplers of torch, and whether they shuffle by default."""


def sampler(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Creates a sampler of torch."""
    shuffles = SAMPLERS[name]
    if name.endswith(".DistributedSampler"):
        given = dict(zip(("dataset", "num_replicas", "rank", "shuffle"), arguments.positional))
        given |= dict(arguments.keywords)
        if "shuffle" in given:
            shuffles = Tri.of(v.known(given["shuffle"], bool))
        elif arguments.is_open:
            shuffles = Tri.UNKNOWN
        if given.get("num_replicas", v.NONE) == v.NONE or given.get("rank", v.NONE) == v.NONE:
            process_groups.record_group_use(
                it,
                name,
                Arguments((), arguments.keywords, arguments.open_positional, arguments.open_keywords),
                node,
            )
    origin = Origin(node.start, node.end, name, (), it.frame.module.path)
    if name.endswith(".DistributedSampler"):
        ref = f"sampler@{it.frame.site}:{node.start}"
        it.recorder.add(
            Event(EventKind.MADE, node.start, node.end, frozenset({ref}), path=it.frame.module.path)
        )
    return v.SamplerValue(f"sampler@{it.frame.site}:{node.start}", name, shuffles, origin)
