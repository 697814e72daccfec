"""Knows which classes of `torch.nn` derive from which: what `isinstance(layer, nn.Conv2d)` answers (torch 2.13)."""

from __future__ import annotations

from torchlsp.facts.tri import Tri

_PLAIN = """
AdaptiveLogSoftmaxWithLoss Bilinear CELU ChannelShuffle CosineSimilarity CrossMapLRN2d ELU Embedding EmbeddingBag Flatten Fold
FractionalMaxPool2d FractionalMaxPool3d GELU GLU GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh Identity LayerNorm LeakyReLU Linear
LocalResponseNorm LogSigmoid LogSoftmax Mish ModuleDict ModuleList MultiheadAttention PReLU PairwiseDistance ParameterDict
ParameterList PixelShuffle PixelUnshuffle RMSNorm RNNBase RNNCellBase RReLU ReLU SELU Sequential SiLU Sigmoid Softmax Softmax2d
Softmin Softplus Softshrink Softsign Tanh Tanhshrink Threshold Transformer TransformerDecoder TransformerDecoderLayer
TransformerEncoder TransformerEncoderLayer Unflatten Unfold Upsample
"""
"""Classes that derive from Module alone."""
_DERIVED = """
ConstantPad1d _ConstantPadNd: ZeroPad1d
ConstantPad2d _ConstantPadNd: ZeroPad2d
ConstantPad3d _ConstantPadNd: ZeroPad3d
Hardtanh: ReLU6
NLLLoss _WeightedLoss _Loss: NLLLoss2d
RNNBase: GRU LSTM RNN
RNNCellBase: GRUCell LSTMCell RNNCell
Upsample: UpsamplingBilinear2d UpsamplingNearest2d
_AdaptiveAvgPoolNd: AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d
_AdaptiveMaxPoolNd: AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d
_AvgPoolNd: AvgPool1d AvgPool2d AvgPool3d
_BatchNorm _NormBase: BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm
_CircularPadNd: CircularPad1d CircularPad2d CircularPad3d
_ConstantPadNd: ConstantPad1d ConstantPad2d ConstantPad3d
_ConvNd: Conv1d Conv2d Conv3d
_ConvTransposeNd _ConvNd: ConvTranspose1d ConvTranspose2d ConvTranspose3d
_DropoutNd: AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout
_InstanceNorm _NormBase: InstanceNorm1d InstanceNorm2d InstanceNorm3d
_LPPoolNd: LPPool1d LPPool2d LPPool3d
_Loss: BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss GaussianNLLLoss HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss MSELoss
_Loss: MarginRankingLoss MultiLabelMarginLoss PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss
_Loss: TripletMarginWithDistanceLoss
_MaxPoolNd: MaxPool1d MaxPool2d MaxPool3d
_MaxUnpoolNd: MaxUnpool1d MaxUnpool2d MaxUnpool3d
_ReflectionPadNd: ReflectionPad1d ReflectionPad2d ReflectionPad3d
_ReplicationPadNd: ReplicationPad1d ReplicationPad2d ReplicationPad3d
_WeightedLoss _Loss: BCELoss CrossEntropyLoss LinearCrossEntropyLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss
"""
"""Classes after all of their bases but Module. The lazy ones are left out: at their first call they become another class."""


def _read() -> dict[str, frozenset[str]]:
    bases = dict.fromkeys(_PLAIN.split(), frozenset[str]())
    for line in _DERIVED.strip().splitlines():
        above, _, classes = line.partition(": ")
        bases |= dict.fromkeys(classes.split(), frozenset(above.split()))
    return bases


BASES = _read()
"""The bases of each class but Module, by their names without the module."""
_KNOWN = frozenset(BASES).union(*BASES.values())


def derives(name: str, base: str) -> Tri:
    """Returns whether a class of `torch.nn` is another one or derives from it, by their dotted names."""
    if base in ("torch.nn.Module", "torch.nn.modules.module.Module"):
        return Tri.YES
    if base == name and not name.startswith("torch.nn.Lazy"):
        return Tri.YES
    own, asked = name.removeprefix("torch.nn."), base.rpartition(".")[2]
    if own not in BASES or asked not in _KNOWN or not base.startswith("torch.nn."):
        return Tri.UNKNOWN
    return Tri.of(asked == own or asked in BASES[own])
