"""Defines loss layers, by the laws of `ops.losses.functional` and `ops.losses.classification`."""

from __future__ import annotations

from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, TupleValue, Value
from torchlsp.ops.call import LayerCall, LayerState
from torchlsp.ops.columns import grad_through, one_dtype
from torchlsp.ops.losses.classification import INDEXED
from torchlsp.ops.losses.functional import LEGACY
from torchlsp.ops.parameters import (
    another_storage,
    by_functional,
    features_agree,
    optional_parameter,
    parameter,
    ranks_allowed,
    same_place,
    size_or_fresh,
    trailing,
)
from torchlsp.ops.table import LAYERS

_PAIR, _PAIRS = "input, target", "input1, input2, target"

for _name, _functional, _signature, _forward in (
    ("L1Loss", "l1_loss", LEGACY, _PAIR),
    ("MSELoss", "mse_loss", LEGACY, _PAIR),
    ("SmoothL1Loss", "smooth_l1_loss", f"{LEGACY}, beta=1.0", _PAIR),
    ("HuberLoss", "huber_loss", "reduction='mean', delta=1.0", _PAIR),
    ("KLDivLoss", "kl_div", f"{LEGACY}, log_target=False", _PAIR),
    ("SoftMarginLoss", "soft_margin_loss", LEGACY, _PAIR),
    ("HingeEmbeddingLoss", "hinge_embedding_loss", f"margin=1.0, {LEGACY}", _PAIR),
    ("BCELoss", "binary_cross_entropy", f"weight=None, {LEGACY}", _PAIR),
    ("BCEWithLogitsLoss", "binary_cross_entropy_with_logits", f"weight=None, {LEGACY}, pos_weight=None", _PAIR),
    ("CrossEntropyLoss", "cross_entropy", f"weight=None, {INDEXED}, label_smoothing=0.0", _PAIR),
    ("NLLLoss", "nll_loss", f"weight=None, {INDEXED}", _PAIR),
    ("MultiMarginLoss", "multi_margin_loss", f"p=1, margin=1.0, weight=None, {LEGACY}", _PAIR),
    ("MultiLabelMarginLoss", "multilabel_margin_loss", LEGACY, _PAIR),
    ("MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss", f"weight=None, {LEGACY}", _PAIR),
    ("GaussianNLLLoss", "gaussian_nll_loss", "*, full=False, eps=1e-06, reduction='mean'", f"{_PAIR}, var"),
    ("MarginRankingLoss", "margin_ranking_loss", f"margin=0.0, {LEGACY}", _PAIRS),
    ("CosineEmbeddingLoss", "cosine_embedding_loss", f"margin=0.0, {LEGACY}", _PAIRS),
    (
        "TripletMarginLoss", "triplet_margin_loss", f"margin=1.0, p=2.0, eps=1e-06, swap=False, {LEGACY}",
        "anchor, positive, negative",
    ),
    (
        "TripletMarginWithDistanceLoss", "triplet_margin_with_distance_loss",
        "*, distance_function=None, margin=1.0, swap=False, reduction='mean'", "anchor, positive, negative",
    ),
    (
        "CTCLoss", "ctc_loss", "blank=0, reduction='mean', zero_infinity=False",
        "log_probs, targets, input_lengths, target_lengths",
    ),
    (  # its forward calls the input log_input, as its constructor calls a flag
        "PoissonNLLLoss", "poisson_nll_loss", "log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, "
        "reduction='mean'", _PAIR,
    ),
):  # fmt: skip
    LAYERS.row(
        f"torch.nn.{_name}", signature=_signature, forward=_forward, owns_parameters=False,
        result=by_functional(f"torch.nn.functional.{_functional}"),
        moduleinfo=f"nn.{_name}" if not _name.startswith("Triplet") else None,
    )  # fmt: skip


# ---- losses with parameters ---------------------------------------------------------------------------------------------


def _projection(state: LayerState) -> dict[str, Shape]:
    """Returns a linear layer to the classes, as many times as `out_features` has elements."""
    classes, features, outputs = (
        state.dim("num_classes"),
        state.dim("in_features"),
        state.value("out_features"),
    )
    if classes is None or features is None or not isinstance(outputs, TupleValue) or outputs.items:
        return {}
    found: dict[str, Shape] = {"linear.weight": (classes, features)}
    return {**found, "linear.bias": (classes,)} if state.flag("bias") else found


def _class_weight(c: LayerCall) -> Value:
    sizes = (c.layer.dim("num_classes"), c.layer.dim("in_features"))
    outputs = c.layer.value("out_features")
    if not isinstance(outputs, TupleValue) or outputs.items:
        return UNKNOWN_VALUE
    return parameter(c.layer, tuple(size_or_fresh(c, size, i) for i, size in enumerate(sizes)))


def _class_bias(c: LayerCall) -> Value:
    classes = c.layer.dim("num_classes")
    return optional_parameter(c.layer, "bias", None if classes is None else (classes,))


LAYERS.row(
    "torch.nn.LinearCrossEntropyLoss",
    signature="in_features, num_classes, *, out_features=(), bias=False, device=None, dtype=None, reduction='mean', "
    "weight=None, ignore_index=None, label_smoothing=0.0, options=None",
    forward=_PAIR, parameters=_projection, moduleinfo="nn.LinearCrossEntropyLoss",
    result=by_functional(
        "torch.nn.functional.linear_cross_entropy", linear_weight=_class_weight, linear_bias=_class_bias
    ),
)  # fmt: skip


def _adaptive(c: LayerCall) -> Value:
    """Returns (output, loss): the target's log-probability for each row, and its mean."""
    tensor, target, state = c.tensor("input"), c.tensor("target"), c.layer
    if tensor is None:
        return UNKNOWN_VALUE
    ranks_allowed(c, tensor, 1, 2)
    got = trailing(tensor)
    if got is not None:
        features_agree(c, tensor, got, state.dim("in_features"))
    weight = parameter(state, None)
    dtype, device = one_dtype(c, tensor, weight), same_place(c, tensor, weight)
    grad = grad_through(c, (tensor, weight), dtype, complete=True)
    shape = tensor.shape[:-1] if tensor.shape is not None else target.shape if target is not None else None
    parents = tuple(fact for fact in (tensor, target) if isinstance(fact, TensorFact))
    results = tuple(
        c.make(each, dtype, device, None, another_storage(c, index), grad, parents=parents)
        for index, each in enumerate((shape, ()))
    )
    return TupleValue(results, ("output", "loss"))


LAYERS.row(
    "torch.nn.AdaptiveLogSoftmaxWithLoss",
    signature="in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None",
    forward=_PAIR, result=_adaptive,
)  # fmt: skip
