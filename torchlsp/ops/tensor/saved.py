"""Lists tensors that operators save for the backward pass: measured on torch 2.13, held by
tests/ops/test_saved.py.

A node of the autograd graph keeps tensors.  They are freed by a backward that does not retain the graph, after which going
through the node raises; and they must not be changed in place before, which torch notices by their version.
"""

from __future__ import annotations

_OUT = (
    "exp exp2 expm1 sigmoid tanh sqrt rsqrt reciprocal tan softmax log_softmax softmin relu "
    "ReLU Sigmoid Tanh Softmax LogSoftmax Softmin"
)
_FIRST = (
    "log log2 log10 log1p sin cos asin acos atan sinh cosh asinh atanh abs square erf erfc lgamma sinc pow var clamp "
    "clamp_min gather gelu silu elu selu celu leaky_relu softplus mish hardswish hardsigmoid hardtanh relu6 softsign "
    "logsigmoid glu layer_norm group_norm conv1d conv2d conv3d "
    "GELU SiLU ELU SELU CELU LeakyReLU Softplus Mish Hardswish Hardsigmoid Hardtanh ReLU6 Softsign LogSigmoid GLU "
    "LayerNorm GroupNorm Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d "
    "nll_loss binary_cross_entropy_with_logits NLLLoss BCEWithLogitsLoss"
)
_FIRST_AND_OUT = "prod cumprod norm std logsumexp amax amin logcumsumexp"
_BOTH = "maximum minimum atan2 mse_loss smooth_l1_loss huber_loss MSELoss SmoothL1Loss HuberLoss scaled_dot_product_attention"
_CROSSED = "mul multiply matmul mm bmm dot outer mv"
_NOTHING_WRITABLE = (
    "cross_entropy CrossEntropyLoss l1_loss L1Loss masked_fill where index_select embedding Embedding sort topk "
    "BatchNorm1d BatchNorm2d BatchNorm3d batch_norm RNN LSTM GRU RNNCell LSTMCell GRUCell MultiheadAttention PReLU "
    "TransformerEncoderLayer"
)

SAVED: dict[str, str] = {
    **dict.fromkeys(_OUT.split(), "out"),
    **dict.fromkeys(_FIRST.split(), "0"),
    **dict.fromkeys(_FIRST_AND_OUT.split(), "0 out"),
    **dict.fromkeys(_BOTH.split(), "0 1"),
    **dict.fromkeys(_CROSSED.split(), "crossed"),
    **dict.fromkeys("div divide true_divide".split(), "1 crossed"),
    **dict.fromkeys("linear Linear".split(), "weighted"),
    **dict.fromkeys(_NOTHING_WRITABLE.split(), ""),
}
"""By the last part of an operator's name: which tensors its node keeps that a program could change.

`0`, `1`: an operand; `out`: the result; `crossed`: each of two operands if the other requires grad; `weighted`: the input
if the weight requires grad.  Empty: tensors of its own only, or which ones is not told here.  An operator that is not
listed may keep nothing at all.
"""

WEIGHTS = frozenset(
    "Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d RNN LSTM GRU RNNCell LSTMCell GRUCell".split()
)
"""Layers that keep their weights for the gradient of their input."""

LABELS: dict[str, int] = {
    **dict.fromkeys("cross_entropy CrossEntropyLoss nll_loss NLLLoss".split(), 1),
    **dict.fromkeys("binary_cross_entropy_with_logits BCEWithLogitsLoss".split(), 1),
    **dict.fromkeys("gather index_select masked_fill".split(), 1),
    **dict.fromkeys("embedding Embedding where".split(), 0),
}
"""Operands without gradients that are kept, by their place among the tensors: indices, targets, masks."""

KEEPS_ITS_INPUT = frozenset(
    "Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LayerNorm GroupNorm BatchNorm1d BatchNorm2d "
    "BatchNorm3d RNN LSTM GRU Embedding".split()
)
"""Layers whose weights require grad and that keep their input, whether or not that requires grad."""


def saved_by(op: str) -> str | None:
    """Returns what a node of this operator keeps; None for one that may keep nothing."""
    name = op.rpartition(".")[2]
    if name.endswith("_"):
        kept = SAVED.get(name[:-1])
        return kept if kept in (None, "out") else ""
    return SAVED.get(name)
