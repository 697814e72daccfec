"""Detects sizes of dims that a tensor does not have, and reshapes that permute sizes of a tensor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import dim as dims
from torchlsp.facts import shape as shapes
from torchlsp.facts import values as v
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.interp.model.call_records import with_call
from torchlsp.interp.store import equal_sizes
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.reading import bound_to, unpacked_from
from torchlsp.program.walking import walk, word

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def report_missing_dim(it: Evaluator, sizes: v.TupleValue, index: v.Value, node: ir.Node) -> None:
    """Reports `x.shape[2]` of a tensor of fewer dims, which raises IndexError as `x.size(2)` does."""
    position = v.known(index, int)
    match node:
        case ir.Subscript(object=ir.Attribute(name="shape", object=ir.Name(id=name))) if position is not None:
            tensor = it.lookup(name)
            rank = len(sizes.items)
            if sizes.is_size and isinstance(tensor, TensorFact) and not -rank <= position < rank:
                arguments = Arguments((tensor, index))
                row = ops.operator("Tensor.size")
                assert row is not None
                _, faults = row.apply("Tensor.size", arguments, it.context(node))
                it.report(with_call(it, faults, "Tensor.size", arguments))


def without_intended_permutations(it: Evaluator, faults: list[Fault], node: ir.Node) -> list[Fault]:
    """Returns the faults without permuted sizes that may be equal by chance or are permuted on purpose."""
    return [
        fault
        for fault in faults
        if fault.kind is not FaultKind.PERMUTED_SIZES or _is_mistake(it, fault, node)
    ]


def _is_mistake(it: Evaluator, fault: Fault, node: ir.Node) -> bool:
    """Returns whether permuted sizes are a mistake."""
    if not fault["certain"] and not _are_read_off_tensor(it, fault, node):
        return False
    function = it.frame.function
    body = it.frame.module.ir.body if function is None else function.body
    return not (
        _is_shifted_later(body, node)
        or _counts_bytes(body, node)
        or _is_kept_elsewhere(body, node)
        or _is_only_resized(body, node)
        or _is_plain_for_equal_sizes(it, fault)
    )


def _is_plain_for_equal_sizes(it: Evaluator, fault: Fault) -> bool:
    """Returns whether a reshape only joins or splits dims once sizes that have to be equal are taken for one.

    Those are the ones that a test has found equal, and a size that the target leaves out where another one must stand
    for it: `[n, b, d, k]` is reshaped to `[n * b, b, k]` only if d is b. Sizes side by side that were unpacked as `_`
    may stand for several.
    """
    shape, target = ([equal_sizes.with_ties(it, one) for one in fault[name]] for name in ("shape", "target"))
    if (tuple(shape), tuple(target)) != (fault["shape"], fault["target"]) and _is_plain(shape, target):
        return True
    named = set().union(*map(dims.symbols_of, target))
    left_out = [place for place, size in enumerate(shape) if _is_left_out(size, named)]
    if not left_out:
        return False
    first, last = left_out[0], left_out[-1] + 1
    if len(left_out) > 1 and not all(_has_no_name(shape[place]) for place in left_out):
        return False  # two sizes with names of their own are meant to be others
    if left_out == list(range(first, last)):
        needed = dims.exact_quotient(shapes.product(target), shapes.product(shape[:first] + shape[last:]))
        return needed is not None and _is_plain([*shape[:first], needed, *shape[last:]], target)
    return False


def _is_left_out(size: Dim, named: set[str]) -> bool:
    """Returns whether a size is a name that the target does not have."""
    names = dims.symbols_of(size)
    return len(names) == 1 and not names & named and size == dims.symbol(next(iter(names)))


def _has_no_name(size: Dim) -> bool:
    """Returns whether a size was unpacked as `_`."""
    return all(_UNNAMED.match(name) for name in dims.symbols_of(size))


_UNNAMED = re.compile(r"d\d+@")


def _is_plain(shape: list[Dim], target: list[Dim]) -> bool:
    """Returns whether a reshape only joins dims that stand side by side, and splits dims."""
    shape, target = ([one for one in sizes if one != 1] for sizes in (shape, target))
    ends = [shapes.product(shape[: place + 1]) for place in range(len(shape))]
    other_ends = [shapes.product(target[: place + 1]) for place in range(len(target))]
    start = other_start = 0
    for place, end in enumerate(ends):
        if end in other_ends[other_start:]:
            other_place = other_ends.index(end, other_start)
            if place > start and other_place > other_start:
                return False
            start, other_start = place + 1, other_place + 1
    return start == len(shape)


_OF_EACH_IMAGE = frozenset({"interpolate", "upsample", "pad", "avg_pool2d", "max_pool2d"})
"""Functions that treat each image, of the last two dims, by itself."""


def _is_only_resized(body: tuple[ir.Node, ...], call: ir.Node) -> bool:
    """Returns whether the images of a result are only resized, and reshaped back at once: their order does not matter."""
    for one in walk(body):
        if type(one) is ir.Call and (source := _reshaped(one)) is not None and type(source) is ir.Call:
            if word(source.function) in _OF_EACH_IMAGE and source.args and source.args[0] is call:
                return True
    return False


def _is_shifted_later(body: tuple[ir.Node, ...], call: ir.Node) -> bool:
    """Returns whether a part of the result is reshaped again.

    So code for relative positions shifts rows against each other: by padding, or cutting off, between two reshapes.
    """
    whole: set[str] = set()
    parts: set[str] = set()
    for statement in sorted(walk(body), key=lambda one: one.start):
        if type(statement) is ir.Assign and len(statement.targets) == 1:
            (target,), value = statement.targets, statement.value
            if type(target) is ir.Name:
                cut = _cut(value)
                if value is call:
                    whole.add(target.id)
                elif type(cut) is ir.Name and cut.id in whole:
                    parts.add(target.id)
        elif type(statement) is ir.Call and (source := _reshaped(statement)) is not None:
            cut = _cut(source)
            if type(source) is ir.Name and source.id in parts or cut is call:
                return True
            if type(cut) is ir.Name and cut.id in whole:
                return True
    return False


def _cut(node: ir.Node) -> ir.Node | None:
    """Returns `x` of `x[:, 1:]`; None for what is no slice."""
    if type(node) is not ir.Subscript:
        return None
    items = node.index.items if type(node.index) is ir.Display else (node.index,)
    is_slice = any(type(item) is ir.Slice and (item.lower or item.upper) is not None for item in items)
    return node.object if is_slice else None


def _reshaped(call: ir.Call) -> ir.Node | None:
    """Returns what a reshape or a view is of; None for any other call."""
    function = call.function
    if type(function) is not ir.Attribute or function.name not in ("reshape", "view", "view_as"):
        return None
    is_torch = type(function.object) is ir.Name and function.object.id == "torch"
    return call.args[0] if is_torch and call.args else function.object


def _is_kept_elsewhere(body: tuple[ir.Node, ...], call: ir.Node) -> bool:
    """Returns whether it is a view of an entry of what another object keeps (`layer.cache[1]`).

    Memory that is allocated in one layout is read in another one there.
    """
    match call:
        case ir.Call(function=ir.Attribute(object=ir.Name(id=name), name="view")):
            kept = tuple(bound_to(body, name))
            return any(
                isinstance(one, ir.Subscript)
                and isinstance(one.object, ir.Attribute)
                and isinstance(one.index, ir.Constant)
                and isinstance(one.object.object, ir.Name)
                and one.object.object.id != "self"
                for one in kept
            )
    return False


def _counts_bytes(body: tuple[ir.Node, ...], call: ir.Node) -> bool:
    """Returns whether a size is computed from the bytes of an element. Then memory is laid out for a kernel."""
    return any(
        _asks_for_bytes(part)
        or type(part) is ir.Name
        and any(_asks_for_bytes(node) for value in bound_to(body, part.id) for node in walk((value,)))
        for part in walk((call,))
    )


def _asks_for_bytes(node: ir.Node) -> bool:
    return type(node) is ir.Attribute and node.name in ("element_size", "itemsize")


def _are_read_off_tensor(it: Evaluator, fault: Fault, node: ir.Node) -> bool:
    """Returns whether all sizes that moved, except -1, are read off a tensor."""
    if type(node) is not ir.Call:
        return False
    given = node.args if fault.op.startswith("Tensor.") else node.args[1:]
    if len(given) == 1 and type(given[0]) is ir.Display:
        given = given[0].items
    if len(given) <= max(fault["places"]):
        return False
    moved = [given[place] for place in fault["places"]]
    read = [one for one in moved if _is_size(it, one)]
    others = [one for one in moved if one not in read]
    return bool(read) and all(_is_minus_one(one) for one in others)


def _is_minus_one(node: ir.Node) -> bool:
    return (
        type(node) is ir.Unary
        and node.op == "-"
        and type(node.operand) is ir.Constant
        and node.operand.value == 1
    )


def _is_size(it: Evaluator, node: ir.Node) -> bool:
    """Returns whether an expression is a size of a tensor, or a name that is only bound to such sizes."""
    match node:
        case ir.Subscript(object=ir.Attribute(name="shape")) | ir.Call(function=ir.Attribute(name="size")):
            return True
        case ir.Name(id=name):
            function = it.frame.function
            body = it.frame.module.ir.body if function is None else function.body
            values = list(unpacked_from(body, name))
            return bool(values) and all(_is_size(it, value) or _is_shape(value) for value in values)
    return False


def _is_shape(node: ir.Node) -> bool:
    """Returns whether an expression is the shape of a tensor, or a slice of that."""
    match node:
        case ir.Attribute(name="shape") | ir.Call(function=ir.Attribute(name="size"), args=()):
            return True
        case ir.Subscript(object=inner, index=ir.Slice()):
            return _is_shape(inner)
    return False
