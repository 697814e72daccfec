"""Errors that the program says it expects: inside `try … except RuntimeError` or `with pytest.raises(RuntimeError)`.

A handler for all exceptions expects none in particular: around a whole program it hides mistakes, so what happens under
it is still reported.  Around a few statements of the same function it is there for them: trying one way, then another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

# What torch raises where it is not a RuntimeError.
_RAISED = {
    FaultKind.DIM_RANGE: {"IndexError"}, FaultKind.INDEX: {"IndexError"},
    FaultKind.RANK: {"RuntimeError", "ValueError", "IndexError"}, FaultKind.PERMUTE_DIMS: {"RuntimeError", "TypeError"},
    FaultKind.PERMUTED_SIZES: set(), FaultKind.SQUEEZED_BATCH: set(), FaultKind.LOST_WRITE: set(), FaultKind.INPLACE_ALIASED: set(),
    FaultKind.BROADCAST: {"RuntimeError", "IndexError"}, FaultKind.OUTER: set(), FaultKind.RNN_LAYOUT: set(), FaultKind.REPEATED_INDEX: set(), FaultKind.REVERSED_DIMS: set(),
    FaultKind.INDEX_SHAPE: {"RuntimeError", "IndexError"}, FaultKind.UNPACK: {"ValueError"}, FaultKind.NEGATIVE_STEP: {"ValueError"},
    FaultKind.MASK_SHAPE: {"IndexError"}, FaultKind.ONE_BY_ONE: {"TypeError"},
    FaultKind.CE_TARGET_SHAPE: {"ValueError", "RuntimeError"}, FaultKind.CE_TARGET_RANGE: {"IndexError", "RuntimeError"},
    FaultKind.BCE_SHAPE: {"ValueError"}, FaultKind.EMBEDDING_RANGE: {"IndexError", "RuntimeError"},
    FaultKind.INDEX_DTYPE: {"IndexError"}, FaultKind.RANDOM_DTYPE: {"RuntimeError", "NotImplementedError"},
    FaultKind.ARGUMENT: {"ValueError", "TypeError", "RuntimeError"}, FaultKind.SIZE: {"ValueError", "RuntimeError"},
    FaultKind.MODULE_ATTRIBUTE: {"AttributeError"}, FaultKind.NO_FORWARD: {"NotImplementedError", "RuntimeError"},
    FaultKind.PARAMETER_OVERWRITTEN: {"TypeError"}, FaultKind.INIT_RANK: {"ValueError"},
    FaultKind.LOADER_AS_SEQUENCE: {"TypeError"}, FaultKind.SPLIT_LENGTHS: {"ValueError"},
    FaultKind.LOADER_CONFLICT: {"ValueError"}, FaultKind.LOADER_WORKERS: {"ValueError", "AssertionError"},
    FaultKind.LOADER_UNKNOWN: {"TypeError"}, FaultKind.DATASET_METHODS: {"TypeError", "NotImplementedError"},
    FaultKind.MODULE_NOT_READY: {"AttributeError"}, FaultKind.LOADED_KEYS_USED: {"AttributeError", "TypeError"},
    FaultKind.CONTAINER_CALLED: {"NotImplementedError", "RuntimeError"}, FaultKind.CONTAINER_ARGUMENTS: {"TypeError"},
    FaultKind.NOT_A_MODULE: {"TypeError"}, FaultKind.STATE_DICT_ARGUMENT: {"TypeError"},
    FaultKind.BATCH_OF_ONE: {"ValueError"},
    FaultKind.NOTHING_USED: {"TypeError", "AttributeError"}, FaultKind.BYPASSED: set(), FaultKind.RANK_AS_DEVICE: set(), FaultKind.HANDLE_DROPPED: set(), FaultKind.USED_UNFINISHED: set(),
    FaultKind.NO_GROUP: {"ValueError", "RuntimeError"},
    FaultKind.BUFFERS: {"ValueError", "RuntimeError", "TypeError", "IndexError"},
    FaultKind.OPTIMIZER_PARAMS: {"ValueError", "TypeError"},
    FaultKind.NUMPY_ON_DEVICE: {"TypeError"}, FaultKind.NUMPY_DTYPE: {"TypeError"},
    FaultKind.PAIR_AS_TENSOR: {"TypeError", "AttributeError"},
    FaultKind.COMPILE_ARGUMENTS: {"TypeError", "RuntimeError", "AssertionError"},
    FaultKind.LOADED_OBJECT: {"UnpicklingError", "PickleError", "PicklingError", "RuntimeError"},
    FaultKind.NO_SUCH_NAME: {"AttributeError", "ImportError", "ModuleNotFoundError"},
    FaultKind.REMOVED_NAME: {"AttributeError", "ImportError", "ModuleNotFoundError", "RuntimeError"},
    FaultKind.WRONG_KEYWORD: {"TypeError"}, FaultKind.REMOVED_KEYWORD: {"TypeError"},
    FaultKind.DEPRECATED_NAME: {"Warning"}, FaultKind.DEPRECATED_AMP: {"Warning"}, FaultKind.DEPRECATED_KEYWORD: {"Warning"},
    FaultKind.FRACTION_CUT: set(), FaultKind.BYTES_WRAP: set(), FaultKind.BYTE_MASK: {"Warning"},
    FaultKind.UNCOLLATABLE: {"TypeError"}, FaultKind.COPIES_IN_WORKERS: set(),
    FaultKind.UNPICKLABLE: {"PicklingError", "AttributeError", "TypeError"},
    FaultKind.NEGATIVE_STRIDES: {"ValueError"}, FaultKind.NUMPY_FUNCTION: {"TypeError"},
    FaultKind.UNSAID_ARGUMENT: {"Warning"}, FaultKind.VARIABLE: {"Warning"}, FaultKind.TENSOR_OF_TENSOR: {"Warning"},
    FaultKind.TYPED_STORAGE: {"Warning"}, FaultKind.TORCHSCRIPT: {"Warning"}, FaultKind.LEGACY_SCHEDULER: set(),
    FaultKind.DEFAULT_DTYPE: {"TypeError"},
    FaultKind.FLOAT_SIZE: {"TypeError", "RuntimeError"}, FaultKind.PART_CHANGED: {"RuntimeError"}, FaultKind.OUT_OF_GRAPH: {"RuntimeError"}, FaultKind.PACKED_LENGTHS: {"RuntimeError"},
    FaultKind.SCHEDULER_ARGUMENT: {"TypeError", "KeyError", "Warning"},
    FaultKind.TWIN_WRITTEN: set(), FaultKind.CALLERS_TENSOR: set(), FaultKind.RETAINED_GRAPH: set(), FaultKind.GRAD_IN_THREAD: set(),
    FaultKind.UNFILLED: set(), FaultKind.HOOK_KEEPS: set(),
    FaultKind.LIST_OF_ARRAYS: {"Warning"}, FaultKind.SHARED_ITEMS: set(),
    FaultKind.LAYER_ARGUMENTS: {"ValueError", "AssertionError"},
}  # fmt: skip
_EXPECTING = frozenset({"pytest.raises", "contextlib.suppress"})
_HEARING = frozenset({"warnings.catch_warnings", "pytest.warns", "pytest.deprecated_call"})
_EXPECTING_METHODS = frozenset({"assertRaises", "assertRaisesRegex"})
_ALL = frozenset({"Exception", "BaseException"})


SHORT = 3
"""Statements that a `try` with a handler for everything may hold to be meant for them."""


def is_expected(kind: FaultKind, caught: frozenset[str], depth: int) -> bool:
    """Whether one of the exceptions is what torch raises for the fault, `depth` calls deep."""
    if f"@{depth}" in caught:
        return True
    return bool(caught) and not caught.isdisjoint(_RAISED.get(kind, {"RuntimeError"}) | _ALL)


def handled(node: ir.Try, depth: int) -> frozenset[str]:
    """The exceptions that a statement's handlers name, those that are raised again left out.

    `@depth` stands for all of them, in the function that runs `depth` calls deep only.
    """
    handlers = node.handlers
    names: set[str] = set()
    if len(node.body) <= SHORT and any(
        (handler.type is None or _names(handler.type) & _ALL)
        and not (handler.body and type(handler.body[-1]) is ir.Raise)
        for handler in handlers
    ):
        names.add(f"@{depth}")
    for handler in handlers:
        if handler.type is not None and not (handler.body and type(handler.body[-1]) is ir.Raise):
            names.update(_names(handler.type))
    return frozenset(names - _ALL)


def expected(it: Evaluator, node: ir.Node) -> frozenset[str]:
    """The exceptions that the body of `with node:` is there to raise."""
    if type(node) is not ir.Call:
        return frozenset()
    function = node.function
    is_method = type(function) is ir.Attribute and function.name in _EXPECTING_METHODS
    if not is_method and _dotted(it, function) not in _EXPECTING:
        return frozenset()
    return frozenset(name for arg in node.args for name in _names(arg))


def hears_warnings(it: Evaluator, node: ir.Node) -> frozenset[str]:
    """`with node:` is there for the warnings of its body."""
    if type(node) is not ir.Call:
        return frozenset()
    function = node.function
    is_method = type(function) is ir.Attribute and function.name in ("assertWarns", "assertWarnsRegex")
    return frozenset({"Warning"}) if is_method or _dotted(it, function) in _HEARING else frozenset()


def _dotted(it: Evaluator, node: ir.Node) -> str | None:
    if type(node) is ir.Name:
        found = it.lookup(node.id)
        return found.name if isinstance(found, v.External) else None
    if type(node) is ir.Attribute and type(node.object) is ir.Name:
        found = it.lookup(node.object.id)
        return f"{found.name}.{node.name}" if isinstance(found, v.External) else None
    return None


def _names(node: ir.Node) -> set[str]:
    match node:
        case ir.Name(id=name) | ir.Attribute(name=name):
            return {name}
        case ir.Display(items=items):
            return {name for item in items for name in _names(item)}
    return set()
