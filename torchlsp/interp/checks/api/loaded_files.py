"""Detects `torch.load` of files that hold more than weights, which its default refuses.

What a file holds is known from a `torch.save` in the program, or from how the loaded value is used. From torch 2.6 on the default
reads tensors, plain Python data and a short allow-list of classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.api import saved_models
from torchlsp.interp.checks.distributed import rank_saves
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import classes
from torchlsp.interp.store.heap_keys import SAVED
from torchlsp.interp.store.lifetimes import extend, gathered, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_MODULE_METHODS = frozenset(
    "eval train parameters named_parameters modules named_modules children named_children state_dict load_state_dict forward "
    "zero_grad register_buffer register_forward_hook named_buffers".split()
)
"""Methods that a module has, and neither a tensor nor a container."""
_RETURNS_SAME_OBJECT = frozenset({"to", "cuda", "cpu", "float", "half", "double", "bfloat16"})
_MAX_NESTING = 3


@running_state
class LoadedFiles:
    """The files that were asked for what the program itself has saved in them."""

    asked: list[str] = gathered(list, extend)


def evaluate_save(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `torch.save(obj, path)` and records what the file holds."""
    given = dict(zip(("obj", "f"), arguments.positional)) | dict(arguments.keywords)
    saved_models.record_save(it, given.get("obj", UNKNOWN_VALUE), node)
    path = v.known(given.get("f", UNKNOWN_VALUE), str)
    written = _written_path(node)
    if written is not None and not arguments.open_positional:
        rank_saves.record_save(it, written, given.get("f", UNKNOWN_VALUE), node, "torch.save")
    if path is not None:
        what = _foreign(it, given.get("obj", UNKNOWN_VALUE), 0)
        place = Origin(node.start, node.end, "torch.save", (), it.frame.module.path)
        it.state.set(it.state.heap, (SAVED, path), v.Saved(what, place))
    return v.NONE


def _written_path(node: ir.Node) -> ir.Node | None:
    """Returns the expression of the file that `torch.save` is called with."""
    if type(node) is not ir.Call:
        return None
    return next(
        (value for key, value in node.keywords if key == "f"), node.args[1] if len(node.args) > 1 else None
    )


def evaluate_load(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `torch.load(path)`, and reports a file that is known to hold more than weights.

    Returns a `Loaded` where only later uses can show what the file holds.
    """
    given = dict(zip(("f", "map_location", "pickle_module"), arguments.positional)) | dict(arguments.keywords)
    if it.api is None or it.api.is_before(2, 6) or arguments.open_keywords or "weights_only" in given:
        return UNKNOWN_VALUE
    if "pickle_module" in given or any(frame.guards for frame in it.frames):
        return UNKNOWN_VALUE
    path = v.known(given.get("f", UNKNOWN_VALUE), str)
    known = None
    if path is not None:
        it.states[LoadedFiles].asked.append(path)
        known = it.state.heap.get((SAVED, path))
    if isinstance(known, v.Saved):
        if known.what is not None:
            _report(it, node.start, node.end, it.frame.module.path, known.what, known.place)
        return UNKNOWN_VALUE
    frame = it.frame
    return v.Loaded(None, node.start, node.end, frame.module.path, frame.site, frame.conditional)


def report_use_as_module(it: Evaluator, loaded: v.Loaded, name: str, node: ir.Node) -> Value:
    """Reports a loaded value that is called, or whose method `name` is called, as only a module's is.

    `name` is `__call__` where the value itself is called.
    """
    if name in _RETURNS_SAME_OBJECT:
        return loaded
    if name in _MODULE_METHODS or name == "__call__":
        # in each branch of an `if` the file may hold something else: only uses no more conditional than the load are reported
        tests = loaded.conditional if it.frame.site == loaded.site else 0
        if loaded.path == it.frame.module.path and it.frame.conditional <= tests and not it.frame.guards:
            place = Origin(node.start, node.end, name, (), it.frame.module.path)
            _report(it, loaded.start, loaded.end, loaded.path, "used", place)
    return UNKNOWN_VALUE


def _foreign(it: Evaluator, value: Value, depth: int) -> str | None:
    """Returns the kind of thing in a value that `weights_only` refuses; None where nothing is known to be refused."""
    match value:
        case v.LayerValue() | v.Wrapped():
            return "module"
        case v.OptimizerValue():
            return "optimizer"
        case v.InstanceValue(cls=cls):
            return "module" if classes.is_module(cls) else "object" if _is_plain_class(cls) else None
        case v.ArrayValue():
            return "array"
        case v.TupleValue(items=items) if depth < _MAX_NESTING:
            return next((found for item in items if (found := _foreign(it, item, depth + 1))), None)
        case v.ListRef() if depth < _MAX_NESTING:
            items = it.elements(value) or ()
            return next((found for item in items if (found := _foreign(it, item, depth + 1))), None)
        case v.DictRef(ref=ref) if depth < _MAX_NESTING:
            entries = it.state.heap.get((ref, "{}"))
            held = entries.values() if isinstance(entries, dict) else ()
            return next((found for item in held if (found := _foreign(it, item, depth + 1))), None)
    return None


def _is_plain_class(cls: v.ClassValue) -> bool:
    """Returns whether a class has visible bases only and does not define how it is pickled."""
    known = all(isinstance(base, v.ClassValue) for base in classes.mro(cls))
    return known and not any(
        classes.find_method(cls, name) for name in ("__reduce__", "__reduce_ex__", "__getnewargs__")
    )


def _report(it: Evaluator, start: int, end: int, path: str | None, what: str, place: Origin | None) -> None:
    data = (("what", what), ("place", place))
    it.report([Fault(FaultKind.LOADED_OBJECT, start, end, "torch.load", data, path=path)])


HOOKS = Hooks(external_result={"torch.load": evaluate_load, "torch.save": evaluate_save})
