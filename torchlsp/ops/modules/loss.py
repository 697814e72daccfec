"""Loss layers, by the laws of `ops.loss` and `ops.classification_loss`."""

from __future__ import annotations

from torchlsp.ops.classification_loss import INDEXED
from torchlsp.ops.loss import LEGACY
from torchlsp.ops.parameters import by_functional
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
