"""Detects wrong inputs of losses: probabilities for logits, targets out of range, swapped arguments.

These faults raise nothing in torch, or only for some values; the loss is computed all the same, so they are noted and the
analysis goes on with the loss.  The marks that they read are set in `marks`.
"""

from __future__ import annotations

from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import shape as shapes
from torchlsp.facts.content import Content
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.ops.call import Call
from torchlsp.ops.class_dim import softmax_dim
from torchlsp.ops.parameters import is_plain_float, layer_name, width

DRAWN = "drawn"
"""The assumption that of a range from which values are drawn at random, the ends are drawn too."""
PADDED = "padded"
"""The assumption that sequences that are brought to one length differ in it."""

_TOLD = ("certain", DRAWN, PADDED)
"""How contents are known of which the ends are there, perhaps under an assumption."""
_NO_LOG_PROBABILITIES = frozenset({"softmax", "sigmoid", "layer", "activation", "tanh"})
_NO_PROBABILITIES = frozenset({"layer", "activation", "tanh", "log_softmax", "logsigmoid", "normal"})
_PROBABILITIES = frozenset({"softmax", "sigmoid"})


def _note(c: Call, kind: FaultKind, assumptions: frozenset[str] = frozenset(), **data: object) -> None:
    c.faults.append(c.broken(kind, assumptions, layer=layer_name(c), **data).fault)


def logits_of_cross_entropy(c: Call) -> None:
    """Reports probabilities in place of logits."""
    logits = c.tensor("input")
    if logits is not None and logits.provenance in _PROBABILITIES:
        _note(
            c, FaultKind.CE_OF_PROBABILITIES, logits=logits, word=logits.provenance, target=c.tensor("target")
        )


def log_probabilities_of_nll(c: Call) -> None:
    """Reports logits or probabilities in place of log-probabilities."""
    tensor, target = c.tensor("input"), c.tensor("target")
    if tensor is None:
        return
    if tensor.provenance in _NO_LOG_PROBABILITIES:
        _note(c, FaultKind.NLL_OF_OTHERS, input=tensor, word=tensor.provenance, target=target)
    elif tensor.provenance == "log_softmax":
        rank = 2 if tensor.rank is None and target is not None and target.rank == 1 else tensor.rank
        found = softmax_dim(tensor) if rank is not None and rank >= 2 else None
        if found is not None and found[1] != 1:
            _note(c, FaultKind.NLL_OF_OTHERS, input=tensor, word="dim", dim=found[1], target=target)


def probabilities_of_bce(c: Call) -> None:
    """Reports what is not probabilities: by its origin, or by elements outside [0, 1]."""
    tensor = c.tensor("input")
    if tensor is None:
        return
    content = tensor.content if tensor.grad.requires is not Tri.YES else None
    if tensor.provenance in _NO_PROBABILITIES:
        _note(c, FaultKind.BCE_OF_LOGITS, input=tensor, word=tensor.provenance, target=c.tensor("target"))
    elif content is not None and content.how == "certain" and (content.low < 0 or content.high > 1):
        _note(
            c, FaultKind.BCE_OF_LOGITS, input=tensor, word=None, low=content.low, high=content.high,
            target=c.tensor("target"),
        )  # fmt: skip


def logits_of_bce(c: Call) -> None:
    """Reports probabilities in place of logits."""
    tensor = c.tensor("input")
    if tensor is not None and tensor.provenance in _PROBABILITIES:
        _note(
            c,
            FaultKind.BCE_LOGITS_OF_PROBABILITIES,
            input=tensor,
            word=tensor.provenance,
            target=c.tensor("target"),
        )


# ---- class indices ------------------------------------------------------------------------------------------------------


def classes_of(logits: TensorFact, target: TensorFact) -> Dim | None:
    """Returns the number of classes: dim 1 of the logits, or their only dim.

    After a linear layer also of unknown rank.
    """
    if logits.shape:
        return logits.shape[1] if len(logits.shape) > 1 else logits.shape[0]
    if logits.shape is None and target.rank == 1:
        return width(logits, -1)  # a row for each of the targets
    return None


def log_probabilities_in_range(c: Call) -> None:
    """Reports the same of `nll_loss`, which does not normalise: its loss of one class need not be 0."""
    scores = c.tensor("input")
    indices_in_range(c, scores is not None and scores.provenance == "log_softmax")


def indices_in_range(c: Call, is_normalised: bool = True) -> None:
    """Reports class indices out of range, and logits of one class, which leave nothing to learn."""
    logits, target = c.tensor("input"), c.tensor("target")
    if logits is None or target is None:
        return
    classes = classes_of(logits, target)
    if not isinstance(classes, int):
        return
    content, ignored = target.content, c.int("ignore_index")
    outside: list[int | float] = []
    if content is None or target.dtype not in ("i64", "u8") or content.how not in _TOLD:
        content = None
    elif ignored is not None:
        ends = content.low, content.high
        outside = [number for number in ends if not 0 <= number < classes and number != ignored]
    if (
        classes == 1
        and is_normalised
        and not outside
        and (logits.rank is None or logits.rank >= 2)
        and _may_fit(logits, target)
    ):
        _note(c, FaultKind.CE_NOTHING_TO_LEARN, logits=logits, target=target, reason="single")
        return
    if content is None or ignored is None:
        return
    if outside:
        assumed = frozenset({content.how}) & {DRAWN, PADDED}
        _note(
            c, FaultKind.CE_TARGET_RANGE, assumed, logits=logits, target=target, classes=classes, low=content.low,
            high=content.high, outside=outside[-1],
        )  # fmt: skip
    elif (
        content.how == "certain" and content.low == content.high == ignored and c.text("reduction") == "mean"
    ):
        _note(
            c, FaultKind.CE_NOTHING_TO_LEARN, logits=logits, target=target, ignored=ignored, reason="ignored"
        )


def _may_fit(logits: TensorFact, target: TensorFact) -> bool:
    """Returns whether the loss takes the target at all, as far as shapes show."""
    if logits.shape is None or target.shape is None:
        return True
    without = (logits.shape[0], *logits.shape[2:])
    return (
        shapes.same(without, target.shape) is not Tri.NO
        or shapes.same(logits.shape, target.shape) is not Tri.NO
    )


def outside_of_classes(tensor: TensorFact, classes: Dim | None) -> Content | None:
    """Returns the content of class indices of which some are negative or too large."""
    content = tensor.content
    if content is None or content.how not in _TOLD or not isinstance(content.low, int):
        return None
    too_large = isinstance(classes, int) and classes > 0 and content.high >= classes
    return content if content.low < 0 or too_large else None


# ---- binary losses ------------------------------------------------------------------------------------------------------


def binary_target(c: Call) -> None:
    """Raises the faults of a binary loss's target: it is floating, and has the input's shape."""
    tensor, target = c.tensor("input"), c.tensor("target")
    if target is None:
        return
    on_probabilities = not c.name.endswith(("with_logits", "WithLogitsLoss"))
    if tensor is not None and (
        shapes.same(tensor.shape, target.shape) is Tri.NO or _has_fewer_dims(tensor, target)
    ):
        tensor = tensor if tensor.shape is not None or tensor.origin is None else tensor.origin.parents[0]
        raise c.broken(
            FaultKind.BCE_SHAPE, (tensor.assumed | target.assumed) - {"layout"}, layer=layer_name(c), input=tensor,
            target=target, reason=_column(tensor, target),
        )  # fmt: skip
    if target.dtype is None:
        return
    if not dtypes.can_require_grad(target.dtype):
        raise c.broken(FaultKind.BCE_TARGET_DTYPE, layer=layer_name(c), input=tensor, target=target)
    if not on_probabilities or tensor is None or tensor.dtype is None or not is_plain_float(c):
        return
    if tensor.dtype != target.dtype:
        raise c.broken(FaultKind.BCE_TARGET_DTYPE, layer=layer_name(c), input=tensor, target=target)


def _has_fewer_dims(tensor: TensorFact, target: TensorFact) -> bool:
    """Returns whether the input is the result of a squeeze, unknown which, of a tensor that already has fewer dims."""
    made = tensor.origin
    if tensor.shape is not None or target.shape is None or made is None or made.merged or not made.parents:
        return False
    whole = made.parents[0].shape
    return (
        made.op in ("torch.squeeze", "Tensor.squeeze")
        and whole is not None
        and len(whole) < len(target.shape)
    )


def _column(tensor: TensorFact, target: TensorFact) -> str:
    """Returns which of the two is the other with a last dim of size 1: `input`, `target`, or neither."""
    for name, longer, shorter in (("input", tensor, target), ("target", target, tensor)):
        more, less = longer.shape, shorter.shape
        if more is None or less is None or len(more) != len(less) + 1:
            continue
        if dims.equal(more[-1], 1) is Tri.YES and shapes.same(more[:-1], less) is not Tri.NO:
            return name
    return "neither"


# ---- regression ---------------------------------------------------------------------------------------------------------


def expanded_over_each_other(c: Call) -> None:
    """Reports predictions (N, 1) and targets (N,), or the reverse: each is compared with all of the others.

    Also a batch that meets another dim: (N, T, 1) and (N, 1), or (N, C) and (N,), as class indices are; and a single
    prediction for the targets of many samples.
    """
    tensor, target = c.tensor("input"), c.tensor("target")
    if tensor is None or target is None or not tensor.shape or not target.shape:
        return
    longer, sizes = tensor.shape, target.shape
    if len(longer) <= len(sizes):
        longer, sizes = sizes, longer
    if len(longer) == len(sizes):
        reason = "rows" if _is_one_row_for_many(tensor, target) else None
    elif (
        len(longer) == len(sizes) + 1
        and dims.equal(longer[-1], 1) is Tri.YES
        and shapes.same(longer[:-1], sizes) is Tri.YES
        and all(dims.is_generic_one(size) is Tri.NO for size in sizes)
    ):
        reason = "column"
    else:
        reason = "batch" if _meets_another_dim(longer, sizes) else None
    if reason is None or _is_pairwise(c, tensor if longer is tensor.shape else target):
        return
    result = (*longer[:-1], sizes[-1]) if len(sizes) == 1 and dims.equal(longer[-1], 1) is Tri.YES else None
    _note(
        c, FaultKind.LOSS_BROADCAST, (tensor.assumed | target.assumed) - {"layout"}, input=tensor, target=target,
        result=result, reason=reason,
    )  # fmt: skip


def _meets_another_dim(longer: tuple[Dim, ...], sizes: tuple[Dim, ...]) -> bool:
    """Returns whether the batch of the shorter one, which is that of the longer one, is aligned with another dim of it.

    Sizes that torch refuses in any case are reported where they are broadcast.
    """
    if dims.equal(longer[0], sizes[0]) is not Tri.YES or dims.is_generic_one(sizes[0]) is not Tri.NO:
        return False
    aligned = longer[-len(sizes) :]
    if shapes.same(aligned, sizes) is Tri.YES or not all(_is_telling(size) for size in aligned):
        return False
    try:
        shapes.broadcast([longer, sizes], "")
    except shapes.NotBroadcastable:
        return False
    return True


def _is_telling(size: Dim) -> bool:
    """Returns whether more is known of a size than that it is one."""
    return isinstance(size, int) or dims.is_generic_one(size) is Tri.NO


def _is_one_row_for_many(tensor: TensorFact, target: TensorFact) -> bool:
    """Returns whether a single prediction of a network meets the targets of many samples."""
    if not tensor.shape or not target.shape or len(tensor.shape) < 2:
        return False
    return (
        dims.equal(tensor.shape[0], 1) is Tri.YES
        and dims.is_generic_one(target.shape[0]) is Tri.NO
        and shapes.same(tensor.shape[1:], target.shape[1:]) is Tri.YES
        and tensor.provenance == "layer"
        and tensor.grad.requires is Tri.YES
        and target.grad.requires is Tri.NO
    )


def _is_pairwise(c: Call, longer: TensorFact) -> bool:
    """Returns whether all pairs may be meant, with `reduction="none"`, unless the column is a layer's output."""
    if c.text("reduction") in ("mean", "sum"):
        return False
    return longer.provenance != "layer"


# ---- swapped arguments --------------------------------------------------------------------------------------------------

_NETWORK_OUTPUTS = frozenset({"softmax", "log_softmax", "sigmoid", "logsigmoid", "layer"})


def swapped_arguments(c: Call) -> None:
    """Raises a fault for swapped arguments: an integer prediction and a floating target of one dim more."""
    tensor, target = c.tensor("input"), c.tensor("target")
    if tensor is None or target is None or target.dtype not in dtypes.FLOATING:
        return
    if tensor.dtype not in dtypes.INTEGRAL and tensor.dtype != "bool":
        return
    of_network = target.provenance in _NETWORK_OUTPUTS
    one_more = tensor.rank is not None and target.rank == tensor.rank + 1
    if of_network or one_more:
        raise c.broken(
            FaultKind.LOSS_SWAPPED, layer=layer_name(c), input=tensor, target=target, reason="integers"
        )


def swapped_silently(c: Call) -> None:
    """Reports swapped arguments that torch takes: a network's output is the target."""
    tensor, target = c.tensor("input"), c.tensor("target")
    if tensor is None or target is None or target.provenance not in _NETWORK_OUTPUTS:
        return
    of_data = tensor.grad.requires is Tri.NO and tensor.provenance in (None, "one_hot")
    if of_data and target.grad.requires is Tri.YES:
        _note(c, FaultKind.LOSS_SWAPPED, input=tensor, target=target, reason="gradient")


# ---- kl_div -------------------------------------------------------------------------------------------------------------


def log_probabilities_of_kl(c: Call) -> None:
    """Reports probabilities or logits in place of log-probabilities."""
    tensor = c.tensor("input")
    if tensor is not None and tensor.provenance in ("softmax", "sigmoid", "layer"):
        _note(
            c, FaultKind.KL_OF_PROBABILITIES, input=tensor, word=tensor.provenance, target=c.tensor("target")
        )
