"""Tells which values may differ between ranks, and where that comes from: a clock, random numbers, a rank's own data, …

A number keeps its source through arithmetic, a tensor through the operators that it was computed from. What went
through `all_reduce` or `broadcast` is the same again, and of what unknown code was given nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass, field, replace
from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.tensor import MAX_ANCESTORS, Origin, TensorFact
from torchlsp.facts.values import Condition, Value
from torchlsp.interp.checks.devices.unsynchronized_timers import Reading
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.walking import module_nodes

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

CLOCK, RANDOM, BATCH, REDUCED = "clock", "random", "batch", "reduced"
"""The sources, as `Origin.op`: a rank's clock, its unseeded random numbers, its batches, `reduce` to another rank."""
SOURCES = frozenset({CLOCK, RANDOM, BATCH, REDUCED})
_SAMPLER = "torch.utils.data.DistributedSampler"
_RANDOM = frozenset(
    f"torch.{name}" for name in "rand randn randint randperm bernoulli multinomial normal".split()
)
_PICKS = frozenset({
    "Tensor.nonzero", "torch.nonzero", "torch.argwhere", "Tensor.masked_select", "torch.masked_select", "Tensor.unique",
    "torch.unique",
})  # fmt: skip
"""Operators whose result has as many items as the values say."""
_SAME = frozenset({
    "all_reduce", "broadcast", "all_gather", "all_gather_into_tensor", "_all_gather_base", "all_reduce_coalesced",
})  # fmt: skip
"""Collectives after which all ranks hold the same in the tensors that they were given."""
_Place = tuple[str | None, int, int]


@dataclass(frozen=True, slots=True)
class Varying(v.Unknown):
    """A number of which it is only known that it may differ between ranks, and from what that comes."""

    source: Origin | None = field(default=None, compare=False)


@running_state
class OwnData:
    """What distinguishes tensors of one rank from those of others."""

    batches: dict[str, Origin] = per_root(dict)
    """The storage of batches that a DistributedSampler gives to one rank, with the place of the loop."""
    reduced: dict[_Place, Origin] = per_root(dict)
    """Tensors that `reduce` has changed on one rank, by their origins."""
    agreed: set[_Place | str] = per_root(set)
    """The origins and the storage of tensors that all ranks have exchanged, or that unknown code was given."""


def source_of(it: Evaluator, value: Value) -> Origin | None:
    """Returns from what it comes that a value may differ between ranks; None if nothing tells that it may."""
    if isinstance(value, Reading):
        return Origin(value.start, value.end, CLOCK, (), value.path)
    if isinstance(value, Varying):
        return value.source
    if isinstance(value, v.Scalar):
        return value.varies
    return _source_of_tensor(it, value) if isinstance(value, TensorFact) else None


def _source_of_tensor(it: Evaluator, tensor: TensorFact) -> Origin | None:
    own = it.states[OwnData]
    for fact in _ancestors(it, tensor):
        origin = fact.origin
        if origin is not None and (reduced := own.reduced.get(_place(origin))) is not None:
            return reduced
        for name in sorted(fact.storage.ids or ()):
            if name in own.batches:
                return own.batches[name]
    return None


def _ancestors(it: Evaluator, tensor: TensorFact) -> Iterator[TensorFact]:
    """Yields a tensor and all that it was computed from, but not what the ranks have exchanged."""
    agreed = it.states[OwnData].agreed
    seen: set[int] = set()
    to_visit = [tensor]
    while to_visit and len(seen) < MAX_ANCESTORS:
        fact = to_visit.pop()
        if id(fact) in seen or not agreed.isdisjoint(_marks(fact)):
            continue
        seen.add(id(fact))
        yield fact
        to_visit.extend(fact.origin.parents if fact.origin is not None else ())


def _marks(tensor: TensorFact) -> set[_Place | str]:
    """Returns by what a tensor and its views are known again."""
    return {*(tensor.storage.ids or ()), *((_place(tensor.origin),) if tensor.origin is not None else ())}


def _place(origin: Origin) -> _Place:
    return origin.path, origin.start, origin.end


def number_read(it: Evaluator, tensor: Value, result: Value, node: ir.Node) -> Value:
    """Returns the number that was read off a tensor, with its source if the tensor may differ between ranks."""
    if not isinstance(tensor, TensorFact):
        return result
    return marked(result, source_of(it, tensor) or _drawn_here(it, tensor, node))


def _drawn_here(it: Evaluator, tensor: TensorFact, node: ir.Node) -> Origin | None:
    """Returns the place of `torch.rand(1)` in `torch.rand(1).item()`: a tensor that the ranks cannot have exchanged."""
    origin = tensor.origin
    if origin is None or origin.op not in _RANDOM or origin.path != it.frame.module.path:
        return None
    if not node.start <= origin.start <= origin.end <= node.end or not _is_unseeded(it, "torch"):
        return None
    return Origin(origin.start, origin.end, RANDOM, (), origin.path)


def marked(result: Value, source: Origin | None) -> Value:
    """Returns a number with the source of its differing from rank to rank."""
    if source is None:
        return result
    if type(result) is v.Scalar and result.value is None and result.kind in ("int", "float", "bool"):
        return replace(result, varies=source)
    return Varying(None, source) if type(result) is v.Unknown else result


def of_operands(it: Evaluator, result: Value, left: Value, right: Value) -> Value:
    """Returns the result of arithmetic on two numbers with the source of the one that may differ."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, (Reading, Varying, v.Scalar)) and isinstance(other, (v.Unknown, v.Scalar)):
            source = source_of(it, one)
            if source is not None:
                return marked(result, source)
    return result


def random_number(it: Evaluator, kind: str, node: ir.Node) -> v.Scalar:
    """Returns a number that each rank draws for itself, or that a common seed makes the same."""
    number = v.Scalar(kind)
    if not _is_unseeded(it, "random"):
        return number
    return replace(number, varies=Origin(node.start, node.end, RANDOM, (), it.frame.module.path))


def _is_unseeded(it: Evaluator, generator: str) -> bool:
    """Returns whether nothing seeds a generator, in a file that makes the process group and is running.

    Whatever has "seed" or the like in its name may seed all generators, except torch's own functions.
    """
    module = it.analysis.module
    if module is None or it.frame.module is not it.main:
        return False
    seeds: frozenset[str] | None = module.memo.get(_SEEDS)
    if seeds is None:
        words = {_text(node).lower() for node in module_nodes(module)}
        found = {one for one in words if any(part in one for part in _TELLING)}
        seeds = module.memo[_SEEDS] = frozenset(found if "init_process_group" in words else {"seed"})
    return not (seeds - _OF_TORCH if generator == "random" else seeds)


_SEEDS = "words with seed"
_TELLING = ("seed", "determin", "reproduc", "rng", "setstate", "random_state")
_OF_TORCH = frozenset({"manual_seed", "manual_seed_all"})


def _text(node: ir.Node) -> str:
    match node:
        case ir.Name(id=text) | ir.Attribute(name=text):
            return text
        case ir.Constant(value=str() as text) if " " not in text:
            return text
        case ir.Import(names=names):
            return " ".join(f"{bound} {source} {attribute}" for bound, source, attribute in names)
    return ""


def record_batch(it: Evaluator, loader: v.LoaderValue, batch: Value, node: ir.Node) -> None:
    """Records the tensors of a batch as those of one rank, if a DistributedSampler has chosen them."""
    if loader.sampler is None or loader.sampler.qualname != _SAMPLER:
        return
    source = Origin(node.start, node.end, BATCH, (), it.frame.module.path)
    for part in it.elements(batch) or (batch,):
        if isinstance(part, TensorFact):
            for name in part.storage.ids or ():
                it.states[OwnData].batches[name] = source


def record_collective(it: Evaluator, name: str, bound: dict[str, Value], node: ir.Node) -> None:
    """Records tensors that are the same on all ranks from now on, or only right on one of them."""
    if name not in _SAME and name != "reduce":
        return
    own = it.states[OwnData]
    for value in bound.values():
        for one in it.elements(value) or (value,):
            if isinstance(one, TensorFact) and one.origin is not None:
                own.reduced.pop(_place(one.origin), None)
                if name == "reduce":
                    reduced = Origin(node.start, node.end, REDUCED, (), it.frame.module.path)
                    own.reduced[_place(one.origin)] = reduced
                else:
                    own.agreed |= _marks(one)


def _given_to_unknown(it: Evaluator, arguments: Arguments, node: ir.Node) -> None:
    """Takes tensors that unknown code gets for exchanged: it may reduce them in place."""
    if not it.frame.module.uses_distributed:
        return
    for value in (*arguments.positional, *(value for _, value in arguments.keywords)):
        if isinstance(value, TensorFact):
            it.states[OwnData].agreed |= _marks(value)


def condition_of(it: Evaluator, node: ir.Node, *values: Value) -> Condition | None:
    """Returns the condition of a test of such a value, or of the size of what a rank has picked from its batch."""
    for value in (*values, *_counted(it, node)):
        source = source_of(it, value)
        if source is not None:
            return Condition("own", source=source)
    return None


def _counted(it: Evaluator, node: ir.Node) -> Iterator[TensorFact]:
    """Yields the tensors whose items a test counts, if their number depends on values: `len(x[mask]) == 0`."""
    operands = (node.left, *node.rights) if isinstance(node, ir.Compare) else (node,)
    for operand in operands:
        match operand:
            case ir.Call(function=ir.Name(id="len"), args=(ir.Name(id=name),)):
                pass
            case ir.Call(function=ir.Attribute(object=ir.Name(id=name), name="numel"), args=()):
                pass
            case ir.Subscript(object=ir.Attribute(object=ir.Name(id=name), name="shape")):
                pass
            case _:
                continue
        tensor = it.lookup(name)
        if isinstance(tensor, TensorFact) and any(map(_is_picked, _ancestors(it, tensor))):
            yield tensor


def _is_picked(tensor: TensorFact) -> bool:
    origin, first = tensor.origin, tensor.shape[0] if tensor.shape else None
    by_mask = isinstance(first, dims.Poly) and any(".mask" in name for name in dims.symbols_of(first))
    return by_mask or origin is not None and origin.op in _PICKS


HOOKS = Hooks(unknown_call=_given_to_unknown)
