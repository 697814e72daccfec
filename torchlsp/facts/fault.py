"""Defines faults: contracts of operators that are provably broken.  An enum and operands, no sentence."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from torchlsp.core.records import dataclass, field, replace

if TYPE_CHECKING:
    from torchlsp.facts.tensor import Origin
    from torchlsp.facts.values import Mode, Value


class FaultKind(Enum):
    """The kind of a broken contract.  The comment names the data that comes with it, as keyword facts."""

    VIEW_STRIDES = "view across strides"  # input, target (as written), resolved (shape)
    VIEW_NUMEL = "view to another element count"  # input, target, reason: "count" | "two -1" | "not divisible" | "ambiguous"
    MATMUL_INNER = (
        "contracted sizes differ"  # left, right (TensorFacts or shapes), left_size, right_size, layer
    )
    MATMUL_RANK = "operand of another rank than the operator takes"  # operand, expected, got, multiplies
    LAYER_CHAIN = (
        "a layer gets another number of features than the layer before gives"  # layer, input, expected, got
    )
    BROADCAST = "sizes do not broadcast"  # left, right, dim
    EXPAND = "expand of a size that is not 1"  # input, target, dim, of expand also size, reason: "rank" | "new dim" | "size"
    CONCATENATE = (
        "sizes differ outside the joined dim"  # tensors, dim, left, right, places, at; one 0-d tensor is both
    )
    ONE_BY_ONE = "tensors where one sequence of tensors is taken"  # input, count
    SPLIT_SIZES = "parts do not sum to the size"  # input, dim, sizes, size, reason: "sum" | "negative" | "equal", total, cuts
    PERMUTE_DIMS = "dims are no permutation"  # input, dims, rank, reason: "count" | "twice" | "transpose"
    DIM_RANGE = "dim out of range"  # input, dim, rank
    INDEX = "index out of range or of too many dims"
    REVERSED_DIMS = "all dims reversed of what is no matrix"  # input
    INDEX_SHAPE = "index or source of a gather or scatter that does not fit"  # input, what, reason: "rank" | "size", dim, got, expected, along
    REPEATED_INDEX = "in-place sum at an index that holds a position twice"  # input, reason: "twice" | "room" | "drawn", count, room
    RNN_LAYOUT = "recurrent layer reads time for batch"  # input, batch (its dim), batch_first, reason: "loader" | "stack" | "padded" | "index", used
    OUTER = (
        "column and vector of one length broadcast to a table"  # left, right, column: is it `right`?, size
    )
    EINSUM = "equation does not fit its operands"  # reason, operand, letter, got, expected; other
    PERMUTED_SIZES = "reshape to the same sizes in another order"  # input (of shape), shape, target, dim and place (where a size was and is), certain, order and places (that moved), square (is it right for square images?)
    SQUEEZED_BATCH = "squeeze() that drops a batch of one"  # input, ones (the other dims of size 1)
    UNPACK = "another number of values than names"  # value, expected, got, shape_of (tensor), in_loop, first (origin), is_cut, maker (operator), input
    MASK_SHAPE = "a mask of another shape than the dims it selects from"  # input, mask, dim and mask_dim (None: too many dims), spreads
    NEGATIVE_STEP = (
        "slice with a negative step"  # input, step, flips: dims that flip() reverses instead, alone
    )
    RANK = "input of a rank that the operator does not take"  # input, expected, got
    SIZE = "a size that the operator does not take"
    DTYPE = "dtype that the operator does not take"  # input, dtype, expected
    DTYPE_MISMATCH = "operands of different dtypes"  # left, right
    DEVICE_MISMATCH = "operands on different devices"  # left, right
    ARGUMENT = "argument that the operator does not take"
    CE_TARGET_DTYPE = "class indices of a dtype that the loss does not take"  # logits, target
    CE_TARGET_SHAPE = "class indices of a shape that the loss does not take"  # logits, target, reason: "column" | "batch" | …
    CE_ONEHOT_INT = "integer one-hot target"  # logits, target
    CE_CLASS_DIM = "classes are not in dim 1"  # logits, target
    CE_OF_PROBABILITIES = "probabilities given to a loss that makes its own"  # logits, word
    NLL_OF_OTHERS = "what are no log-probabilities given to a loss on them"  # input, word, dim (of the softmax, where the word is "dim")
    BCE_OF_LOGITS = "values that are no probabilities given to a loss on them"  # input, word | low, high
    BCE_LOGITS_OF_PROBABILITIES = "probabilities given to a loss that makes its own sigmoid"  # input, word
    BCE_TARGET_DTYPE = "target of a binary loss that is not floating"  # input, target
    BCE_SHAPE = "target of a binary loss in another shape than the input"  # input, target, reason: "input" | "target" is a column | "neither"
    CLASS_DIM = "probabilities or a best class over another dim than that of the classes"  # what: "softmax" | "index", input, dim, other
    MASKED_WITH_MORE = "scores are masked with a number that takes nothing out of a softmax"  # input, value
    LOSS_BROADCAST = "input and target of a loss are expanded over each other"  # input, target, result, reason: "column" | "batch" | "rows"
    LOSS_MADE_WITH_TENSORS = "a loss layer's constructor is given what its call takes"  # arguments
    CE_TARGET_RANGE = "class index that is not in [0, C)"  # logits, target, classes, low, high, outside
    CE_NOTHING_TO_LEARN = (
        "a cross-entropy that is the same for all predictions"  # logits, target, reason: "single" | "ignored"
    )
    ONE_HOT_DTYPE = "one_hot of a dtype other than int64"  # input
    ONE_HOT_RANGE = "one_hot of values that it has no class for"  # input, classes, low, high
    EMBEDDING_DTYPE = "embedding indices of a dtype that it does not take"  # input
    EMBEDDING_RANGE = "embedding indices that the table does not have"  # input, rows, low, high
    INDEX_DTYPE = "index of a dtype that indexes nothing"  # input (the index), tensor
    RANDOM_DTYPE = "random numbers in a dtype for which there are none"  # input or None, dtype
    INPLACE_DTYPE = (
        "result of an in-place operator that the written tensor cannot hold"  # input, result (dtype)
    )
    SOURCE_DTYPE = "what is written at indices has another dtype than the tensor"  # input, source
    FRACTION_CUT = "a value with a fraction is assigned to integers"  # input, value (tensor) or number
    IMPLICIT_DIM = "a softmax without a dim, over another dim than the one meant"  # input, dim (the one that torch takes)
    BYTES_WRAP = "floats outside of 0 to 255 become uint8"  # input, low and high, or word (who made them), drawn (are they random bytes?)
    BYTE_MASK = "uint8 as a mask"  # input, mask, inverted: is it the result of `~`?
    LOSS_SWAPPED = "target and prediction in each other's place"  # input, target, reason
    KL_OF_PROBABILITIES = "kl_div of probabilities where it takes their logarithm"  # input, target, word
    NUMPY_ON_DEVICE = (
        "NumPy cannot read device memory"  # input, via (who converts), missing (methods to insert)
    )
    NUMPY_ON_GRAD = "NumPy conversion of a tensor that requires grad"  # input, via, missing
    NUMPY_DTYPE = "dtype that NumPy does not have"  # input, via, missing
    CONVERSION_DISCARDED = "a converted tensor that nobody keeps"  # input, result, method, again (can be bound), needed (may it change anything?)
    TRUTH_VALUE = (
        "truth value of a tensor that has not one element"  # input, how: "test" | "chain" | "in" | "max"
    )
    BITWISE_PRECEDENCE = (
        "a comparison whose operands `&` or `|` has taken"  # operand (place of the bitwise one), raises
    )
    DEVICE_COMPARED = "a device compared with what it never equals"  # device_operand (0: left), other: "text" | "index", text, answer, matters
    DEFAULT_DEVICE = "a new tensor on the default device beside one that follows a module"  # made, input
    PLAIN_ATTRIBUTE = "a plain tensor attribute that a module does not move"  # attribute, input, value, met, stateless (nothing else moves with it)
    NEGATIVE_STRIDES = "tensor of an array with a negative stride"  # input, via
    NUMPY_FUNCTION = "NumPy function that does not take tensors"  # input, function, reason
    INPLACE_LEAF = "in-place write to a leaf that requires grad"
    INPLACE_EXPANDED = "in-place write to memory that several elements share"  # input, dim
    LOST_WRITE = (
        "write to a copy that nothing reads"  # source, base and copied (places), name, merges, direct
    )
    INPLACE_ALIASED = "write to one of several elements that share memory"  # input (the whole), part, dim
    INPLACE_SHAPE = "in-place result does not fit"
    BACKWARD_NO_GRAD = "backward of a tensor that does not require grad"  # input
    NO_DERIVATIVE = "backward through an operator that no gradient passes"  # input, cut (origin), flat (is the gradient 0, or is there none?)
    GRAD_SWITCHED_OFF = (
        "backward after gradients were switched off for good"  # input (or None), switch (origin)
    )
    GRAD_IN_THREAD = "a module runs in a thread that records gradients"  # (none)
    BACKWARD_SHAPE = "backward without gradient of a tensor that has not one element"  # input, size
    GRAD_DTYPE = "requires_grad on a dtype without gradients"
    NON_LEAF_GRAD = (
        ".grad of a tensor that is no leaf and does not retain it"  # input, backward (its statement, or None)
    )
    DATA = ".data of a tensor in a graph"  # input
    DATA_WRITE = "a write through .data of a tensor that requires grad"  # input, written (where, or None: `x.data += …`), harmless (by numbers that softmax makes 0, or to a leaf)
    GRAD_ATTRIBUTE = "an attribute that autograd does not know is set"  # input (tensor or None), module (bool), value, wanted (does anything change?)
    MODE_NOT_ENTERED = (
        "a context manager of torch that is not entered"  # manager (name), called_for (with parentheses)
    )
    BACKWARD_TWICE = "backward through a graph that is freed"  # input, shared (origin of a node in both graphs), first (Mark)
    NOT_DETACHED = "two losses of one network go back through what another one made"  # as BACKWARD_TWICE; made (where the result of the other network was computed), given (call that took it in the first loss, or None)
    CARRIED_GRAPH = "backward through the graph of an earlier iteration"  # as BACKWARD_TWICE; name (what is carried, in a tuple?), or None
    SAVED_CHANGED = "a value that backward needs was changed in place"  # input, saver (origin), which ("result", "operand", "weight"), written (Mark)
    GRAPH_GROWS = "a sum or a list of tensors whose graphs are freed already"  # input, place (of what is added, in the operation), single (one element)
    DETACHED_WRITE = "in-place write to memory that a tensor in a graph shares"  # input (in the graph), name, alias, detached (origin)
    CUT_SCALAR = "a number read off a tensor is computed on, and the gradient ends there"  # input, result, used (place)
    DEEPCOPY = "deepcopy of a tensor in a graph"  # input, name (of the attribute that holds it, or None)
    RETAINED_GRAPH = "a graph that is kept for nobody, in each iteration of a loop"  # input, carried (origin of a node of the iteration before, or None)
    INFERENCE_TENSOR = "an inference tensor where autograd does not take one"  # input, action ("save", "write", "require"), place (of the operand)
    TWIN_WRITTEN = "in-place write to memory that an array and a tensor share"  # input (the twin), name (what the twin is called), alias (what is written through), shared (origin of the conversion), array (is the array written to?)
    CALLERS_TENSOR = "a function changes the tensor that it is given and returns it"  # input, name (of the parameter), kept (what the caller calls it)
    UNFILLED = "memory that nothing has filled is read, or made a parameter"  # input, name, parameter
    HOOK_KEEPS = "a forward hook keeps an output with its graph"  # name (of what it is kept in), tensor (is it certainly one tensor?)
    NON_LEAF_PARAMETER = "a leaf that is lost, only what was computed from it is kept"  # input (the leaf), result, parameter (bool), wanted (does anybody read the gradient?)
    OPTIMIZER_PARAMS = (
        "no list of parameters is given to an optimizer"  # reason, params (what it is about), made
    )
    # Distributed training.
    NOTHING_USED = "None that a call has given is used"  # made (where), use: "operator" | "attribute" | "item" | "argument"
    BATCH_OF_ONE = "BatchNorm in training mode on one value per channel"  # input, layer
    RANK_OPTION = "an option for the local rank that no launcher passes"  # option
    UNSHARDED = "a loader that gives every rank the whole dataset"  # load (where it is gone through), shuffles, named (is DistributedSampler imported?)
    UNFED_PARAMETERS = "parameters whose gradients DDP waits for in vain"  # cls (name), names (of attributes), made (place), call (refused)
    RANK_WRITE = (
        "weights that only some ranks change"  # call, condition, test (where), wrapped (where), trace
    )
    NO_GROUP = "a call that needs the process group where there is none"  # name, later (what makes it, or None), gone (what ended it, or None), call
    BUFFERS = "tensors that a collective does not take"  # reason: "count" | "one" | "items" | "dtype" | "sizes" | "whole" | "everywhere" | "nowhere" | "device" | "no tensor", what, …
    NO_DEVICE_CHOSEN = (
        "a model on the GPU that each process has chosen, and none has"  # init (node), imports_os
    )
    UNEVEN = (
        "a collective that the ranks run another number of times"  # collective, loop, test (or None), left
    )
    SAVED_EVERYWHERE = "a file that every rank writes"  # init (the event that makes the group)
    SAVED_ON_NODES = "what each node does and should be done once"  # condition, call (event), test
    RANK_AS_DEVICE = "the global rank where an index of a device is taken"  # (none)
    BYPASSED = "a backward that no forward of DistributedDataParallel has prepared"  # call (of the module)
    HANDLE_DROPPED = "a collective that nobody can wait for"  # name, bound (what the handle is called, or "")
    USED_UNFINISHED = "a tensor that a collective is at work on is used"  # started, bound, input
    # The training loop.  `step`, `backward` and the like are events of the trace.
    EVALUATED_IN_TRAINING = "a module predicts in training mode"  # call, layer (that depends on the mode), ref, again (is training to go on?), undone (the train() that ended an evaluation mode in which nothing ran, or None)
    TRAINED_IN_EVALUATION = "a module is left in evaluation mode"  # call, eval, loop, layer, ref
    SCHEDULED_FIRST = "a scheduler steps before its optimizer"  # schedule, step
    CLIP_SCALED = (
        "gradients are clipped while they are scaled"  # backward, step (of the scaler, or None), scaler
    )
    STEP_SCALED = "an optimizer steps on scaled gradients"  # backward, scaler, updates (does it ever update?)
    SCALER_UNSCALED = "a scaler that has scaled nothing is used"  # call, backward (or None), scaler
    SCALER_STAGE = (
        "a scaler's call comes twice or too late"  # call, before, stage: "unscaled" | "stepped", scaler
    )
    CLIPS_NOTHING = "gradients are clipped when there are none"  # reason: "early" | "late" | "last" | "empty" (no parameters), other (the step, or the clearing call, or None)
    RECREATED = "an optimizer is created again in each iteration"  # loop, name (of its class)
    NEVER_STEPPED = "a loop computes gradients that no step uses, or steps without any"  # reason: "no step" | "no backward", event (backward or step), clear, loop, made (the optimizer, or None)
    STALE_PARAMETERS = "an optimizer does not have what was put into its model later"  # made (optimizer), step, how: "put" | "bound", name (attribute or name)
    SCHEDULER_ARGUMENT = "a scheduler is given what it does not take, or not what it needs"  # reason: "metrics" | "epoch" | "refused" (measured: is it no number of an epoch?) | "initial" (last, made) | "get_lr" (seldom: under a test, of a rate that seldom changes?), name
    SCALER_HALF = "a scaler unscales gradients of half precision"  # call, backward, scaler
    # modules: what their classes, containers and methods are given
    MODULE_NOT_READY = "a module's attribute before Module.__init__"  # name, what, cls, body (first statement of __init__), late (the call that comes too late, or None), early (another __init__ was called before)
    PLAIN_CONTAINER = "modules in a container that nothing registers"  # attribute, container, what: "modules" | "parameters", wrap (container to wrap in, or ""), base (place of `nn.Module`)
    FORWARD_CALLED = "forward of a module called by its name"  # module
    CONTAINER_CALLED = "call of a container without forward"  # container
    CONTAINER_ARGUMENTS = (
        "container given modules one by one"  # container, count, made (the only one, when it is a layer)
    )
    NOT_A_MODULE = "child that is no module"  # container, index (None: not written out), what, name, completes (its call needs no arguments)
    LAYER_IN_FORWARD = "layer created in each forward call"  # layer, called (where)
    DROPOUT_ALWAYS_ON = "dropout that eval() does not switch off"  # parameter (name of the argument), receiver (name of `self`, or None), documented (is it on purpose?)
    LOADED_KEYS_USED = (
        "the report of load_state_dict taken for the model"  # name (attribute, or None: called), loaded
    )
    STATE_DICT_ARGUMENT = "load_state_dict of something that is no state dict"  # what, argument
    STATE_DICT_ALIAS = "state dict kept while the model changes"  # changed (where the model changes), name (what holds it), has_copy (`copy` is imported)
    PARAMETER_OVERWRITTEN = "a plain tensor in the place of a parameter"  # name, value
    MODULE_ATTRIBUTE = "an attribute that a module does not have"  # name, module (its class), instead ("" | name | ".name" of a parameter)
    NO_FORWARD = "call of a module without forward"  # module, close (a method with a name like it, or "")
    UNREAD_PART = "what a module's __init__ makes and nothing reads"  # name, cls
    BARE_NAME = (
        "a dotted name is compared with one that has no dot"  # text, path (such a name), method, swapped
    )
    INIT_RANK = "initialisation by fans of a tensor that has none"  # input, got
    # datasets and loaders
    LOADER_AS_SEQUENCE = "a loader indexed, or asked for its next batch"  # how: "index" | "next"
    SPLIT_LENGTHS = "lengths that do not add up to the dataset"  # total, length (None: fractions)
    LOADER_CONFLICT = (
        "arguments of a DataLoader that exclude each other"  # argument, against, shuffles (the sampler does)
    )
    LOADER_WORKERS = "an argument of a DataLoader that needs workers"  # argument
    LOADER_UNKNOWN = "an argument that DataLoader does not have"  # argument, known (those it has)
    DATASET_METHODS = "a dataset without a method that its loader needs"  # cls, missing, kind: "map" | "iterable", above (where a method could be put), measured (the attribute that __getitem__ reads, or None)
    RAGGED_BATCH = "samples of one batch that differ in shape"  # left, right (shapes, or lengths of lists), what: "tensor" | "list"
    UNCOLLATABLE = "samples that the default collation does not take"  # what: "None" | "image" | name of a class | "maybe", gives (the `return None`)
    GRAD_IN_WORKER = "samples that require grad, made in a worker"  # input, alone (without a batch)
    COPIES_IN_WORKERS = "an iterable dataset that every worker goes through"  # cls, above (its `__iter__`)
    UNPICKLABLE = "what workers are sent cannot be pickled"  # role (argument, or class and attribute), what, certain: are they spawned?
    CUDA_IN_WORKER = "a forked worker uses CUDA"  # input, made (where it came to the GPU)
    SAMPLER_EPOCH = "a shuffling sampler that no epoch is told"  # sampler (where it was made), loop, label (of the loader, or ""), near (both in one function)
    RESULT_DISCARDED = "a method that gives a new tensor, for itself"  # input, result, method, twin (its in-place form), again, is_pair
    PAIR_AS_TENSOR = "values and indices taken for the values"  # maker (operator), made (where), operand (place), again (text)
    COMPILE_ARGUMENTS = "torch.compile of what it does not take, or for nothing"  # reason: "positional" | "mode" | "both" | "not callable" | "discarded", …
    LOADED_OBJECT = "torch.load of more than weights, by its default"  # what: "module" | "object" | "array" | "optimizer" | "used", place
    REDUCE_NAME = "a reduction by a name that scatter does not have"  # given, allowed, instead (a name, "" to leave out, or None)
    NO_SUCH_NAME = "torch does not have it"  # name, namespace, instead, later (the release it comes in), statement, method
    REMOVED_NAME = "torch no longer has it, or it only raises"  # name, since, instead
    WRONG_KEYWORD = "argument of a name that the function does not take"  # function, keyword, instead
    REMOVED_KEYWORD = "argument of a name that the function took once"  # function, keyword, since
    DEPRECATED_NAME = "a function that warns that it will go"  # name, since, instead, change
    DISCOURAGED_NAME = "a function that the documentation calls deprecated"  # name, since, instead, change
    DEPRECATED_KEYWORD = "an argument that warns that it will go"  # function, keyword
    AMP_IMPORT = "names of one device's mixed precision are imported"  # bound (names), instead (the module)
    DEPRECATED_AMP = "mixed precision of one device"  # name, since, instead, change
    UNSAID_ARGUMENT = "torch warns that an argument is not given"  # name, argument, value (what it is then)
    VARIABLE = "the wrapper that tensors needed once"  # input (None: no known tensor), keywords (names)
    TENSOR_OF_TENSOR = "torch.tensor of a tensor"  # input, alone (nothing else is given), method
    TYPED_STORAGE = "a storage that knows its dtype"  # name, since, instead, change
    TORCHSCRIPT = "a function of TorchScript"  # name, since, instead, change
    LEGACY_SCHEDULER = "isinstance of a class that torch's schedulers do not derive from"  # (none)
    DEFAULT_DTYPE = "a default dtype that is not floating"  # dtype
    PART_CHANGED = "a layer one part of which was changed"  # reason: "label" (a number that nothing is computed from) | "bias" (left as it is) | "unread" (a head that the model does not call), name, new, old, made
    FLOAT_SIZE = (
        "a float where a whole number must be"  # operand (place), name, cause (where it became one, or None)
    )
    OUT_OF_GRAPH = "out= beside operands that require grad"  # input (the first that does), out
    PACKED_LENGTHS = "lengths that pack_padded_sequence refuses"  # reason: "device" (lengths) | "count" (count, batch) | "order" | "empty" (length)
    SHARED_ITEMS = "a list that holds one object several times"  # what: "module" | "tensor", write (where it is changed, or None)
    LIST_OF_ARRAYS = "a tensor of a list of NumPy arrays"  # numpy (what the file calls it, or None), name, few (are the arrays certainly small?)
    LEGACY_TENSOR = "a constructor that came before torch.tensor"  # reason: "overflow" (value, low, high) | "tensor" (input) | "fraction" | "size" | "sizes" | "data" | "any", dtype, cuda
    WHOLE_MODEL = "a module is pickled, or a state dict of its wrapper"  # what: "whole" or the wrapper's attribute, inside (a key, or None)
    UNSEEDED = "torch is seeded and another generator is not"  # reason: "NumPy" | "random" | "benchmark", place, helper (a function's name, or "")
    NO_MAIN_GUARD = (
        "processes that a script starts while it is read"  # what: "workers" | "spawn" | "start", place
    )
    CLOCK_WITHOUT_WAIT = "a clock is read while work is only queued"  # work, earlier (places), device, wanted: the time is read
    GRAPH_BREAK = "a compiled function that is not one graph"  # what: "branch" | "print", place, whole: is that asked for?, function
    HOST_SYNC = "every iteration waits for the GPU"  # what
    FIXED_CUDA = "CUDA is asked for without asking whether there is any"  # what, places (how many)
    LIST_IN_WORKERS = "a dataset keeps Python objects that workers copy"  # name, cls
    UNPINNED = "a copy that is not to block, of memory that is not pinned"  # loader (where it was made)
    EXPORTED_IN_TRAINING = "a module is exported in training mode"  # call, layer, ref, trace
    LAYER_ARGUMENTS = "a layer that cannot be built of these arguments"  # argument, value, reason: "divides" | "range" | "choice" | "same stride" | "length", other, other_value
    ARGUMENT_COUNT = "a call with too few or too many arguments"  # function, missing (names), given and taken (counts by place), named, defined (its `def`, or the layer's creation)
    NOT_A_TENSOR = "a tuple, list, dict, array, image or module where a tensor belongs"  # value: "tuple" | "list" | "dict" | "NumPy array" | "PIL image" | "module", count (of a tuple), use: "argument" | "attribute" | "index", name (of the function or attribute), first (origin of the first item), operand (place), is_tensor (the first item)
    METHOD_NOT_CALLED = "a method is named and not called, so that nothing happens"  # name, of (kind of object, or function), use: "statement" | "argument"
    NOT_CALLABLE = "what is no function is called, or a method is indexed"  # value: "module" | "dtype" | "shape" | "tensor" | "method", name, part (place)
    FUNCTION_GRADIENTS = "backward of an autograd Function returns another number of gradients than forward takes inputs"  # returned, inputs
    SCHEDULE_ENDS_IN_FIRST_EPOCH = "a learning rate schedule whose length is a number of epochs is stepped with every batch"  # name, length, made (place), loop (place)
    CONSTANT_TERM = "a term of a loss is computed from values without a graph, so it trains nothing"  # input (the term), cuts (places where the graph ends, in order), backward (place)
    LEAF_LOSS = "backward is called on a loss that was computed elsewhere and made a leaf, so it trains nothing"  # input (or None), made (place)
    UNUSED_WEIGHTS = "the best weights are kept in a name that nothing reads, and the last ones are used"  # name, model (node)
    LEAKED_GRADIENTS = "a generator's step uses gradients that the loss of its discriminator has left"  # step (event), maker (the name of its optimizer)


class Certainty(Enum):
    MUST = "on every path that reaches here"
    MAY = "on some path"


@dataclass(frozen=True, slots=True)
class Listed:
    """The content of a list at one time."""

    items: "tuple[Value | Listed, ...]"


StateOfLayer = tuple[tuple[str, Any], ...]  # Any: the device, the dtype and the Tri of `Called.layer`


@dataclass(frozen=True, slots=True)
class Called:
    """A call as it was evaluated, to be repeated: the resolved name, and values.

    Lists (as `Listed`) and dicts are given by their content at the time.  `is_open`: more arguments may have come by `*args`.
    `layer` is the layer that was called, if one was, as its class, its constructor's arguments by name, and what became
    of it: `device`, `dtype`, `training`.
    """

    name: str
    args: "tuple[Value | Listed, ...]" = ()
    keywords: "tuple[tuple[str, Value | Listed], ...]" = ()
    is_open: bool = False
    layer: "tuple[str, tuple[tuple[str, Value | Listed], ...], StateOfLayer] | None" = None
    is_attribute: bool = False
    modes: "tuple[tuple[str, Mode], ...]" = ()
    """The grad, inference and autocast modes, and the default dtype and device."""


@dataclass(frozen=True, slots=True)
class KnownBatch:
    """A batch of `size` samples that a loader of `samples` in batches of `batch_size` certainly gives; `loader` is its creation."""

    size: int
    samples: int
    batch_size: int
    loader: Origin


CallChain = tuple[tuple[str | None, int, int, str], ...]
"""The path, start, end and name of calls, outermost first."""
MOST_OTHER_CHAINS = 5
"""The maximum number of further chains of calls that are kept of a fault."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A broken contract. `start`/`end` is the call's span in code points; `op` the resolved name; `data` what
    the rule needs, by name.

    `assumptions`: what the fault rests on: "layout", "tensor", "cuda", "convention".  Empty: known facts only.
    `path` is the file of the operator (None: the checked one).  `call_chain`: the (path, start, end, name) of calls through which the faulty operator was reached, outermost first.
    `other_chains` are further ones, on which it fails under no more assumptions.
    """

    kind: FaultKind
    start: int
    end: int
    op: str
    data: tuple[tuple[str, Any], ...] = ()  # Any: what FaultKind writes beside each kind
    assumptions: frozenset[str] = frozenset()
    certainty: Certainty = Certainty.MUST
    path: str | None = None
    call_chain: CallChain = field(default=(), compare=False)
    other_chains: tuple[CallChain, ...] = field(default=(), compare=False)
    called: Called | None = field(default=None, compare=False)
    batch: KnownBatch | None = field(default=None, compare=False)
    """The batch of a loop's loader on which it fails, where it does so for the size of this one."""

    def also_reached(self, other: Fault) -> Fault:
        """Returns the fault with the calls that lead to it in another run of the same operator."""
        if not self.call_chain or not other.call_chain or not other.assumptions <= self.assumptions:
            return self
        chains = dict.fromkeys((*self.other_chains, other.call_chain, *other.other_chains))
        chains.pop(self.call_chain, None)
        kept = tuple(chains)[:MOST_OTHER_CHAINS]
        return self if kept == self.other_chains else replace(self, other_chains=kept)

    def __getitem__(self, name: str) -> Any:  # as `data`
        return dict(self.data)[name]

    def get(self, name: str, default: object = None) -> Any:  # as `data`
        return dict(self.data).get(name, default)
