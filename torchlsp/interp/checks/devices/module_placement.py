"""Tracks the device and dtype of modules' parameters, buffers and plain tensor attributes.

`Module.to` and related methods move parameters and registered buffers. A plain tensor attribute stays where it was created.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.device import CPU, Device
from torchlsp.facts.dtype import FLOATING, DType, can_require_grad
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import MAX_ORIGINS, Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.devices import unregistered_tensors
from torchlsp.interp.model import classes, module_tree
from torchlsp.interp.model.liveness import statements_after
from torchlsp.interp.store.heap_keys import AGAIN, ATTRIBUTES, BUFFERS, DEVICE, DTYPE, MEMORY, TRAINING
from torchlsp.interp.store.state import MISSING, Names
from torchlsp.ops.default_device import made_new
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.walking import walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def register_buffer(it: Evaluator, ref: str, name: str) -> None:
    """Records that an attribute is a registered buffer from now on, whatever is assigned to it."""
    names = it.state.heap.get((ref, BUFFERS), Names())
    if name not in names:
        it.state.set(it.state.heap, (ref, BUFFERS), Names((*names, name)))


def is_registered_buffer(it: Evaluator, ref: str, name: str) -> bool:
    """Returns whether an attribute of an object is a registered buffer."""
    return name in it.state.heap.get((ref, BUFFERS), ())


def leaves_plain_tensors(module: Value) -> TypeGuard[v.InstanceValue]:
    """Returns whether moving the module certainly leaves its plain tensor attributes where they are."""
    if not isinstance(module, v.InstanceValue):
        return False
    cls = module.cls
    return (
        classes.is_module(cls)
        and not classes.has_unknown_base(cls)
        and classes.find_method(cls, "_apply") is None
    )


def move_tensors(
    it: Evaluator, module: v.LayerValue | v.InstanceValue, device: Device | None, dtype: DType | None
) -> None:
    """Moves the parameters and buffers that are attributes of a module; `state.MISSING` leaves a column as it is."""
    heap = it.state.heap
    staying = module if leaves_plain_tensors(module) else None
    for name in heap.get((module.ref, ATTRIBUTES), ()):
        held = heap.get((module.ref, name))
        if not isinstance(held, TensorFact):
            continue
        goes = held.provenance == "parameter" or is_registered_buffer(it, module.ref, name)
        if staying is not None and not goes:
            if _would_change(held, device, dtype):
                unregistered_tensors.report_plain_attribute(it, staying, name, held)
            continue
        it.state.set(heap, (module.ref, name), _moved(held, device, dtype, goes))
    if isinstance(module, v.LayerValue) and module.qualname == "torch.nn.ParameterList":
        _move_items(it, module.ref, device, dtype)


def _move_items(it: Evaluator, ref: str, device: Device | None, dtype: DType | None) -> None:
    """Moves the items of a list of parameters: the list has made parameters of all tensors."""
    content = it.state.heap.get((ref, "[]"))
    if isinstance(content, tuple):
        items = tuple(
            _moved(item, device, dtype, True) if isinstance(item, TensorFact) else item for item in content
        )
        it.state.set(it.state.heap, (ref, "[]"), items)
    elif isinstance(content, v.Repeated) and isinstance(content.element, TensorFact):
        element = _moved(content.element, device, dtype, True)
        it.state.set(it.state.heap, (ref, "[]"), replace(content, element=element))


def _moved(held: TensorFact, device: Device | None, dtype: DType | None, goes: bool) -> TensorFact:
    """Returns a tensor of a module that was moved; `goes` is whether it certainly goes with it."""
    if device is not MISSING:
        held = held.but(device=device if goes else None)
    if dtype is not MISSING:
        cast = dtype if goes and held.dtype is not None and can_require_grad(held.dtype) else None
        held = held.but(dtype=held.dtype if goes and held.dtype and cast is None else cast)
    return held


def _would_change(held: TensorFact, device: Device | None, dtype: DType | None) -> bool:
    """Returns whether moving the tensor with its module would change it; `state.MISSING` leaves a column as it is.

    Of a tensor that was given a device it may be the one that the module goes to, too.
    """
    if device is not MISSING and held.device is not None and device != held.device:
        if device is not None or held.device == CPU:
            return True
    return dtype not in (MISSING, None) and dtype != held.dtype and held.dtype in FLOATING


def forget_unless_moved(it: Evaluator, value: Value) -> None:
    """Forgets the devices of a module that other code may move, except those that analysed code has set once.

    A function may have run before the last of several moves; the same holds of casts and training modes.
    """
    heap = it.state.heap
    for module in module_tree.submodules(it, value):
        again = {key for key, mark in AGAIN.items() if (module.ref, mark) in heap}
        if DTYPE in again:
            it.state.set(heap, (module.ref, DTYPE), None)
        if TRAINING in again:
            it.state.set(heap, (module.ref, TRAINING), Tri.UNKNOWN)
        if (module.ref, DEVICE) not in heap or DEVICE in again:
            it.state.set(heap, (module.ref, DEVICE), None)
            for name in heap.get((module.ref, ATTRIBUTES), ()):
                held = heap.get((module.ref, name))
                if isinstance(held, TensorFact) and (
                    held.provenance == "parameter" or is_registered_buffer(it, module.ref, name)
                ):
                    it.state.set(heap, (module.ref, name), held.but(device=None))


def forget_placement_of_owners(it: Evaluator, ids: frozenset[str] | None) -> None:
    """Forgets device and dtype of the modules whose parameters got other memory by `p.data = …`."""
    for owner in sorted(ids or ()):
        ref, _, parameter = owner.rpartition(".")
        forget_placement(it, ref if parameter.isidentifier() else owner)


def forget_placement(it: Evaluator, ref: str) -> None:
    """Forgets the device, dtype and memory format of a module's parameters."""
    for key in (DEVICE, DTYPE, MEMORY):
        it.state.set(it.state.heap, (ref, key), None)


def without_devices(arguments: Arguments) -> Arguments:
    """Returns the arguments of a DataParallel call without devices.

    Such wrappers move the tensors themselves.
    """

    def moved(value: Value) -> Value:
        return value.but(device=None) if isinstance(value, TensorFact) else value

    return Arguments(
        tuple(moved(value) for value in arguments.positional),
        tuple((name, moved(value)) for name, value in arguments.keywords),
        arguments.open_positional,
        arguments.open_keywords,
    )


def assumes_no_cast(it: Evaluator, fault: Fault) -> bool:
    """Returns whether a mismatch of floating-point dtypes assumes that nothing casts the running module."""
    owner = it.frames[0].owner
    if owner is None or not it.frames[0].is_root or not classes.is_module(owner):
        return False
    operands = fault["left"], fault["right"]
    if not all(operand.dtype in FLOATING for operand in operands):
        return False
    return _has_dtype_of_module(operands[0]) is not _has_dtype_of_module(operands[1])


def _has_dtype_of_module(tensor: TensorFact) -> bool:
    """Returns whether a tensor has its dtype from parameters or buffers of a module, which a cast of the module changes."""
    pending, seen = [tensor], 0
    while pending and seen < MAX_ORIGINS:
        fact, seen = pending.pop(), seen + 1
        if fact.provenance in ("parameter", "buffer") or fact.origin is None:
            return True
        if fact.origin.layer is not None:
            return True
        pending.extend(parent for parent in fact.origin.parents if parent.dtype == fact.dtype)
    return False


def record_cast(it: Evaluator, module: Value) -> None:
    """Records that visible code casts objects of a module's class.

    When methods of that class run as roots, no dtype is known.
    """
    if isinstance(module, v.InstanceValue):
        it.cast.update(base.ref for base in classes.mro(module.cls) if isinstance(base, v.ClassValue))


def classify_device_mismatch(it: Evaluator, fault: Fault) -> Fault | None:
    """Distinguishes a tensor that `forward` creates on the default device from other device mismatches.

    Returns the fault to report, or None for none.
    """
    if fault.kind is FaultKind.DEFAULT_DEVICE:
        # Where a visible call runs or has run the method, that call has the module's device.
        outermost = it.frames[0]
        owner, function = outermost.owner, outermost.function
        if owner is None or function is None or not classes.is_module(owner) or it.was_run(function):
            return None
        if _is_moved_later(function, fault):
            return None
        if _in_forward(it, fault["new"]):
            return fault
        if _in_forward(it, None):
            met = Origin(fault.start, fault.end, fault.op, (), fault.path)
            unregistered_tensors.report_attribute_met_in_forward(it, fault["new"], met)
        return None
    for tensor, other in ((fault["left"], fault["right"]), (fault["right"], fault["left"])):
        new = made_new(tensor)
        if new is not None and _in_forward(it, new):
            data = (*fault.data, ("tensor", tensor), ("input", other), ("new", new))
            return replace(fault, kind=FaultKind.DEFAULT_DEVICE, data=data)
    return fault


def _is_moved_later(function: ir.Function, fault: Fault) -> bool:
    """Returns whether a function moves a name only after an operation on it, so that it came on the CPU: `x.cuda()` after `x + y`."""
    names: set[str] = set()
    for node in walk(function.body):
        if node.start == fault.start and node.end == fault.end:
            names.update(one.id for one in walk((node,)) if type(one) is ir.Name)
    return any(
        type(node) is ir.Call
        and type(node.function) is ir.Attribute
        and node.function.name in ("to", "cuda")
        and type(node.function.object) is ir.Name
        and node.function.object.id in names
        for node in walk(tuple(statements_after(function.body, fault.end)))
    )


def _in_forward(it: Evaluator, place: Origin | None) -> bool:
    """Returns whether a place is in the running `forward` of a module or a function that it has called.

    `place` None: tells whether a `forward` is running at all.
    """
    inside = False
    for frame in it.frames:
        function = frame.function
        if function is None:
            continue
        inside |= function.name == "forward" and frame.owner is not None and classes.is_module(frame.owner)
        if not inside:
            continue
        if place is None:
            return True
        if frame.module.path == place.path and function.start <= place.start < function.end:
            return True
    return False
