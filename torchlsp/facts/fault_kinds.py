"""Describes each kind of fault: its rule family, what torch raises for it, and how the interpreter treats it.

One table, `KINDS`; the sets below it are read off it once, for the places that ask about every fault.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from torchlsp.facts.fault import FaultKind

Family = Literal[
    "layout", "dtypes", "devices", "autograd", "training", "modules", "data", "distributed", "api"
]


def _raising(*names: str) -> frozenset[str]:
    return frozenset(names)


_NOTHING = _raising()
_WARNING = _raising("Warning")
_RUNTIME_ERROR = _raising("RuntimeError")


class KindInfo(NamedTuple):
    """A row of the table of fault kinds (a tuple, which is created faster than a dataclass)."""

    family: Family
    """The folder of `rules/` with the rules that report it, and the one with its check and its reproducer."""
    raises: frozenset[str] = _RUNTIME_ERROR
    """The exceptions that torch raises ("Warning": it warns). A fault inside a handler for one of them is expected and not
    reported. RuntimeError also stands for what is silent or only wasteful and that a `try` is taken to be there for."""
    ends_program: bool = False
    """Torch always raises: no statement after it runs. Kept when the first or the second iteration of a loop is run on
    the facts that it really has."""
    in_later_iterations: bool = False
    """Checked when the body of a loop with a backward is run once more, for what only a later iteration
    breaks."""
    needs_module_device: bool = False
    """Depends on where a module and its parameters are: resolved before it is reported."""
    needs_torch_names: bool = False
    """Found only where the names that torch has are loaded: the runner loads them when a rule lists such a
    kind."""
    is_silent: bool = False
    """Torch raises nothing, or for some values only, though the operator's row reports it."""


KINDS: dict[FaultKind, KindInfo] = {
    # layout
    FaultKind.VIEW_STRIDES: KindInfo("layout", ends_program=True),
    FaultKind.VIEW_NUMEL: KindInfo("layout", ends_program=True),
    FaultKind.MATMUL_INNER: KindInfo("layout", ends_program=True),
    FaultKind.MATMUL_RANK: KindInfo("layout", ends_program=True),
    FaultKind.LAYER_CHAIN: KindInfo("layout", ends_program=True),
    FaultKind.BROADCAST: KindInfo("layout", _raising("RuntimeError", "IndexError"), ends_program=True),
    FaultKind.EXPAND: KindInfo("layout", ends_program=True),
    FaultKind.CONCATENATE: KindInfo("layout", ends_program=True),
    FaultKind.ONE_BY_ONE: KindInfo("layout", _raising("TypeError"), ends_program=True),
    FaultKind.SPLIT_SIZES: KindInfo("layout", ends_program=True),
    FaultKind.PERMUTE_DIMS: KindInfo("layout", _raising("RuntimeError", "TypeError"), ends_program=True),
    FaultKind.DIM_RANGE: KindInfo("layout", _raising("IndexError"), ends_program=True),
    FaultKind.INDEX: KindInfo("layout", _raising("IndexError"), ends_program=True),
    FaultKind.REVERSED_DIMS: KindInfo("layout", _NOTHING),
    FaultKind.INDEX_SHAPE: KindInfo("layout", _raising("RuntimeError", "IndexError"), ends_program=True),
    FaultKind.REPEATED_INDEX: KindInfo("layout", _NOTHING),
    FaultKind.RNN_LAYOUT: KindInfo("layout", _NOTHING),
    FaultKind.OUTER: KindInfo("layout", _NOTHING),
    FaultKind.EINSUM: KindInfo("layout", ends_program=True),
    FaultKind.PERMUTED_SIZES: KindInfo("layout", _NOTHING),
    FaultKind.SQUEEZED_BATCH: KindInfo("layout", _NOTHING),
    FaultKind.UNPACK: KindInfo("layout", _raising("ValueError"), ends_program=True),
    FaultKind.MASK_SHAPE: KindInfo("layout", _raising("IndexError"), ends_program=True),
    FaultKind.NEGATIVE_STEP: KindInfo("layout", _raising("ValueError"), ends_program=True),
    FaultKind.RANK: KindInfo(
        "layout", _raising("RuntimeError", "IndexError", "ValueError"), ends_program=True
    ),
    FaultKind.SIZE: KindInfo("layout", _raising("RuntimeError", "ValueError"), ends_program=True),
    FaultKind.ARGUMENT: KindInfo(
        "layout", _raising("RuntimeError", "TypeError", "ValueError"), ends_program=True
    ),
    FaultKind.INPLACE_EXPANDED: KindInfo("layout", ends_program=True),
    FaultKind.LOST_WRITE: KindInfo("layout", _NOTHING),
    FaultKind.INPLACE_ALIASED: KindInfo("layout", _NOTHING),
    FaultKind.INPLACE_SHAPE: KindInfo("layout", ends_program=True),
    # dtypes
    FaultKind.DTYPE: KindInfo("dtypes", ends_program=True),
    FaultKind.DTYPE_MISMATCH: KindInfo("dtypes", ends_program=True),
    FaultKind.CE_TARGET_DTYPE: KindInfo("dtypes", ends_program=True),
    FaultKind.CE_TARGET_SHAPE: KindInfo("dtypes", _raising("RuntimeError", "ValueError"), ends_program=True),
    FaultKind.CE_ONEHOT_INT: KindInfo("dtypes", ends_program=True),
    FaultKind.CE_CLASS_DIM: KindInfo("dtypes", ends_program=True),
    FaultKind.CE_OF_PROBABILITIES: KindInfo("dtypes", is_silent=True),
    FaultKind.NLL_OF_OTHERS: KindInfo("dtypes", is_silent=True),
    FaultKind.BCE_OF_LOGITS: KindInfo("dtypes", is_silent=True),
    FaultKind.BCE_LOGITS_OF_PROBABILITIES: KindInfo("dtypes", is_silent=True),
    FaultKind.BCE_TARGET_DTYPE: KindInfo("dtypes", ends_program=True),
    FaultKind.BCE_SHAPE: KindInfo("dtypes", _raising("ValueError"), ends_program=True),
    FaultKind.CLASS_DIM: KindInfo("dtypes", _NOTHING, is_silent=True),
    FaultKind.MASKED_WITH_MORE: KindInfo("dtypes", _NOTHING, is_silent=True),
    FaultKind.LOSS_BROADCAST: KindInfo("dtypes", _raising("RuntimeError", "Warning"), is_silent=True),
    FaultKind.LOSS_MADE_WITH_TENSORS: KindInfo("dtypes"),
    FaultKind.CE_TARGET_RANGE: KindInfo("dtypes", _raising("RuntimeError", "IndexError"), ends_program=True),
    FaultKind.CE_NOTHING_TO_LEARN: KindInfo("dtypes", is_silent=True),
    FaultKind.ONE_HOT_DTYPE: KindInfo("dtypes", ends_program=True),
    FaultKind.ONE_HOT_RANGE: KindInfo("dtypes"),
    FaultKind.EMBEDDING_DTYPE: KindInfo("dtypes", ends_program=True),
    FaultKind.EMBEDDING_RANGE: KindInfo("dtypes", _raising("RuntimeError", "IndexError"), ends_program=True),
    FaultKind.INDEX_DTYPE: KindInfo("dtypes", _raising("IndexError"), ends_program=True),
    FaultKind.RANDOM_DTYPE: KindInfo("dtypes", _raising("RuntimeError", "NotImplementedError")),
    FaultKind.INPLACE_DTYPE: KindInfo("dtypes", ends_program=True),
    FaultKind.SOURCE_DTYPE: KindInfo("dtypes", ends_program=True),
    FaultKind.FRACTION_CUT: KindInfo("dtypes", _NOTHING),
    FaultKind.IMPLICIT_DIM: KindInfo("dtypes", is_silent=True),
    FaultKind.BYTES_WRAP: KindInfo("dtypes", _NOTHING),
    FaultKind.BYTE_MASK: KindInfo("dtypes", _WARNING),
    FaultKind.LOSS_SWAPPED: KindInfo("dtypes"),
    FaultKind.KL_OF_PROBABILITIES: KindInfo("dtypes", is_silent=True),
    FaultKind.TRUTH_VALUE: KindInfo("dtypes", ends_program=True),
    FaultKind.BITWISE_PRECEDENCE: KindInfo("dtypes"),
    # devices
    FaultKind.DEVICE_MISMATCH: KindInfo("devices", ends_program=True, needs_module_device=True),
    FaultKind.NUMPY_ON_DEVICE: KindInfo("devices", _raising("TypeError"), ends_program=True),
    FaultKind.NUMPY_ON_GRAD: KindInfo("devices", ends_program=True),
    FaultKind.NUMPY_DTYPE: KindInfo("devices", _raising("TypeError")),
    FaultKind.CONVERSION_DISCARDED: KindInfo("devices"),
    FaultKind.DEVICE_COMPARED: KindInfo("devices"),
    FaultKind.DEFAULT_DEVICE: KindInfo("devices", needs_module_device=True),
    FaultKind.PLAIN_ATTRIBUTE: KindInfo("devices"),
    FaultKind.NEGATIVE_STRIDES: KindInfo("devices", _raising("ValueError")),
    FaultKind.NUMPY_FUNCTION: KindInfo("devices", _raising("TypeError")),
    FaultKind.TWIN_WRITTEN: KindInfo("devices", _NOTHING),
    FaultKind.CALLERS_TENSOR: KindInfo("devices", _NOTHING),
    FaultKind.UNFILLED: KindInfo("devices", _NOTHING),
    FaultKind.PACKED_LENGTHS: KindInfo("devices"),
    FaultKind.SHARED_ITEMS: KindInfo("devices", _NOTHING),
    FaultKind.LIST_OF_ARRAYS: KindInfo("devices", _WARNING),
    FaultKind.CLOCK_WITHOUT_WAIT: KindInfo("devices"),
    FaultKind.FIXED_CUDA: KindInfo("devices"),
    FaultKind.UNPINNED: KindInfo("devices"),
    # autograd
    FaultKind.INPLACE_LEAF: KindInfo("autograd"),
    FaultKind.BACKWARD_NO_GRAD: KindInfo("autograd", in_later_iterations=True),
    FaultKind.NO_DERIVATIVE: KindInfo("autograd"),
    FaultKind.GRAD_SWITCHED_OFF: KindInfo("autograd", in_later_iterations=True),
    FaultKind.GRAD_IN_THREAD: KindInfo("autograd", _NOTHING),
    FaultKind.BACKWARD_SHAPE: KindInfo("autograd"),
    FaultKind.GRAD_DTYPE: KindInfo("autograd"),
    FaultKind.NON_LEAF_GRAD: KindInfo("autograd"),
    FaultKind.DATA: KindInfo("autograd"),
    FaultKind.DATA_WRITE: KindInfo("autograd"),
    FaultKind.GRAD_ATTRIBUTE: KindInfo("autograd"),
    FaultKind.MODE_NOT_ENTERED: KindInfo("autograd"),
    FaultKind.BACKWARD_TWICE: KindInfo("autograd", in_later_iterations=True),
    FaultKind.CARRIED_GRAPH: KindInfo("autograd", in_later_iterations=True),
    FaultKind.SAVED_CHANGED: KindInfo("autograd", in_later_iterations=True),
    FaultKind.GRAPH_GROWS: KindInfo("autograd", in_later_iterations=True),
    FaultKind.DETACHED_WRITE: KindInfo("autograd"),
    FaultKind.CUT_SCALAR: KindInfo("autograd"),
    FaultKind.DEEPCOPY: KindInfo("autograd"),
    FaultKind.RETAINED_GRAPH: KindInfo("autograd", _NOTHING),
    FaultKind.INFERENCE_TENSOR: KindInfo("autograd"),
    FaultKind.HOOK_KEEPS: KindInfo("autograd", _NOTHING),
    FaultKind.NON_LEAF_PARAMETER: KindInfo("autograd"),
    FaultKind.OUT_OF_GRAPH: KindInfo("autograd"),
    FaultKind.FUNCTION_GRADIENTS: KindInfo("autograd"),
    FaultKind.CONSTANT_TERM: KindInfo("autograd", _NOTHING),
    FaultKind.LEAF_LOSS: KindInfo("autograd", _NOTHING),
    # training
    FaultKind.NOT_DETACHED: KindInfo("training", in_later_iterations=True),
    FaultKind.OPTIMIZER_PARAMS: KindInfo("training", _raising("TypeError", "ValueError")),
    FaultKind.BATCH_OF_ONE: KindInfo("training", _raising("ValueError"), ends_program=True),
    FaultKind.EVALUATED_IN_TRAINING: KindInfo("training"),
    FaultKind.TRAINED_IN_EVALUATION: KindInfo("training"),
    FaultKind.SCHEDULED_FIRST: KindInfo("training"),
    FaultKind.CLIP_SCALED: KindInfo("training"),
    FaultKind.STEP_SCALED: KindInfo("training"),
    FaultKind.SCALER_UNSCALED: KindInfo("training"),
    FaultKind.SCALER_STAGE: KindInfo("training"),
    FaultKind.CLIPS_NOTHING: KindInfo("training"),
    FaultKind.RECREATED: KindInfo("training"),
    FaultKind.NEVER_STEPPED: KindInfo("training"),
    FaultKind.STALE_PARAMETERS: KindInfo("training"),
    FaultKind.SCHEDULER_ARGUMENT: KindInfo("training", _raising("KeyError", "TypeError", "Warning")),
    FaultKind.SCALER_HALF: KindInfo("training"),
    FaultKind.METHOD_NOT_CALLED: KindInfo("training", _NOTHING),
    FaultKind.SCHEDULE_ENDS_IN_FIRST_EPOCH: KindInfo("training", _NOTHING),
    FaultKind.UNUSED_WEIGHTS: KindInfo("training", _NOTHING),
    FaultKind.LEAKED_GRADIENTS: KindInfo("training", _NOTHING),
    # modules
    FaultKind.MODULE_NOT_READY: KindInfo("modules", _raising("AttributeError")),
    FaultKind.PLAIN_CONTAINER: KindInfo("modules"),
    FaultKind.FORWARD_CALLED: KindInfo("modules"),
    FaultKind.CONTAINER_CALLED: KindInfo("modules", _raising("RuntimeError", "NotImplementedError")),
    FaultKind.CONTAINER_ARGUMENTS: KindInfo("modules", _raising("TypeError")),
    FaultKind.NOT_A_MODULE: KindInfo("modules", _raising("TypeError")),
    FaultKind.LAYER_IN_FORWARD: KindInfo("modules"),
    FaultKind.DROPOUT_ALWAYS_ON: KindInfo("modules"),
    FaultKind.LOADED_KEYS_USED: KindInfo("modules", _raising("AttributeError", "TypeError")),
    FaultKind.STATE_DICT_ARGUMENT: KindInfo("modules", _raising("TypeError")),
    FaultKind.STATE_DICT_ALIAS: KindInfo("modules"),
    FaultKind.PARAMETER_OVERWRITTEN: KindInfo("modules", _raising("TypeError")),
    FaultKind.MODULE_ATTRIBUTE: KindInfo("modules", _raising("AttributeError")),
    FaultKind.NO_FORWARD: KindInfo("modules", _raising("RuntimeError", "NotImplementedError")),
    FaultKind.UNREAD_PART: KindInfo("modules"),
    FaultKind.BARE_NAME: KindInfo("modules"),
    FaultKind.INIT_RANK: KindInfo("modules", _raising("ValueError")),
    FaultKind.PART_CHANGED: KindInfo("modules"),
    # data
    FaultKind.LOADER_AS_SEQUENCE: KindInfo("data", _raising("TypeError")),
    FaultKind.SPLIT_LENGTHS: KindInfo("data", _raising("ValueError")),
    FaultKind.LOADER_CONFLICT: KindInfo("data", _raising("ValueError")),
    FaultKind.LOADER_WORKERS: KindInfo("data", _raising("AssertionError", "ValueError")),
    FaultKind.LOADER_UNKNOWN: KindInfo("data", _raising("TypeError")),
    FaultKind.DATASET_METHODS: KindInfo("data", _raising("NotImplementedError", "TypeError")),
    FaultKind.RAGGED_BATCH: KindInfo("data"),
    FaultKind.UNCOLLATABLE: KindInfo("data", _raising("TypeError")),
    FaultKind.GRAD_IN_WORKER: KindInfo("data"),
    FaultKind.COPIES_IN_WORKERS: KindInfo("data", _NOTHING),
    FaultKind.UNPICKLABLE: KindInfo("data", _raising("AttributeError", "PicklingError", "TypeError")),
    FaultKind.CUDA_IN_WORKER: KindInfo("data"),
    FaultKind.SAMPLER_EPOCH: KindInfo("data"),
    FaultKind.NO_MAIN_GUARD: KindInfo("data"),
    FaultKind.LIST_IN_WORKERS: KindInfo("data"),
    # distributed
    FaultKind.NOTHING_USED: KindInfo("distributed", _raising("AttributeError", "TypeError")),
    FaultKind.RANK_OPTION: KindInfo("distributed"),
    FaultKind.UNSHARDED: KindInfo("distributed"),
    FaultKind.UNFED_PARAMETERS: KindInfo("distributed"),
    FaultKind.RANK_WRITE: KindInfo("distributed"),
    FaultKind.NO_GROUP: KindInfo("distributed", _raising("RuntimeError", "ValueError")),
    FaultKind.BUFFERS: KindInfo(
        "distributed", _raising("RuntimeError", "IndexError", "TypeError", "ValueError")
    ),
    FaultKind.NO_DEVICE_CHOSEN: KindInfo("distributed"),
    FaultKind.UNEVEN: KindInfo("distributed"),
    FaultKind.SAVED_EVERYWHERE: KindInfo("distributed"),
    FaultKind.SAVED_ON_NODES: KindInfo("distributed"),
    FaultKind.RANK_AS_DEVICE: KindInfo("distributed", _NOTHING),
    FaultKind.BYPASSED: KindInfo("distributed", _NOTHING),
    FaultKind.HANDLE_DROPPED: KindInfo("distributed", _NOTHING),
    FaultKind.USED_UNFINISHED: KindInfo("distributed", _NOTHING),
    # api
    FaultKind.RESULT_DISCARDED: KindInfo("api"),
    FaultKind.PAIR_AS_TENSOR: KindInfo("api", _raising("AttributeError", "TypeError")),
    FaultKind.COMPILE_ARGUMENTS: KindInfo("api", _raising("RuntimeError", "AssertionError", "TypeError")),
    FaultKind.LOADED_OBJECT: KindInfo(
        "api",
        _raising("RuntimeError", "PickleError", "PicklingError", "UnpicklingError"),
        needs_torch_names=True,
    ),
    FaultKind.REDUCE_NAME: KindInfo("api"),
    FaultKind.NO_SUCH_NAME: KindInfo(
        "api", _raising("AttributeError", "ImportError", "ModuleNotFoundError"), needs_torch_names=True
    ),
    FaultKind.REMOVED_NAME: KindInfo(
        "api",
        _raising("RuntimeError", "AttributeError", "ImportError", "ModuleNotFoundError"),
        needs_torch_names=True,
    ),
    FaultKind.WRONG_KEYWORD: KindInfo("api", _raising("TypeError"), needs_torch_names=True),
    FaultKind.REMOVED_KEYWORD: KindInfo("api", _raising("TypeError"), needs_torch_names=True),
    FaultKind.DEPRECATED_NAME: KindInfo("api", _WARNING, needs_torch_names=True),
    FaultKind.DISCOURAGED_NAME: KindInfo("api", _NOTHING, needs_torch_names=True),
    FaultKind.DEPRECATED_KEYWORD: KindInfo("api", _WARNING, needs_torch_names=True),
    FaultKind.AMP_IMPORT: KindInfo("api"),
    FaultKind.DEPRECATED_AMP: KindInfo("api", _WARNING, needs_torch_names=True),
    FaultKind.UNSAID_ARGUMENT: KindInfo("api", _WARNING, needs_torch_names=True),
    FaultKind.VARIABLE: KindInfo("api", _WARNING, needs_torch_names=True),
    FaultKind.TENSOR_OF_TENSOR: KindInfo("api", _WARNING, needs_torch_names=True),
    FaultKind.TYPED_STORAGE: KindInfo("api", _WARNING, needs_torch_names=True),
    FaultKind.TORCHSCRIPT: KindInfo("api", _WARNING, needs_torch_names=True),
    FaultKind.LEGACY_SCHEDULER: KindInfo("api", _NOTHING, needs_torch_names=True),
    FaultKind.DEFAULT_DTYPE: KindInfo("api", _raising("TypeError")),
    FaultKind.FLOAT_SIZE: KindInfo("api", _raising("RuntimeError", "TypeError")),
    FaultKind.LEGACY_TENSOR: KindInfo("api"),
    FaultKind.WHOLE_MODEL: KindInfo("api"),
    FaultKind.UNSEEDED: KindInfo("api"),
    FaultKind.GRAPH_BREAK: KindInfo("api"),
    FaultKind.HOST_SYNC: KindInfo("api"),
    FaultKind.EXPORTED_IN_TRAINING: KindInfo("api", needs_torch_names=True),
    FaultKind.LAYER_ARGUMENTS: KindInfo("api", _raising("AssertionError", "ValueError", "RuntimeError")),
    FaultKind.ARGUMENT_COUNT: KindInfo("api", _raising("TypeError")),
    FaultKind.NOT_A_TENSOR: KindInfo("api", _raising("TypeError", "AttributeError")),
    FaultKind.NOT_CALLABLE: KindInfo("api", _raising("TypeError")),
}

RAISES = {kind: info.raises for kind, info in KINDS.items()}
END_PROGRAM = frozenset(kind for kind, info in KINDS.items() if info.ends_program)
IN_LATER_ITERATIONS = frozenset(kind for kind, info in KINDS.items() if info.in_later_iterations)
NEED_MODULE_DEVICE = frozenset(kind for kind, info in KINDS.items() if info.needs_module_device)
NEED_TORCH_NAMES = frozenset(kind.name for kind, info in KINDS.items() if info.needs_torch_names)
"""The kinds with `needs_torch_names`, by name, as rules list them."""
SILENT = frozenset(kind for kind, info in KINDS.items() if info.is_silent)
