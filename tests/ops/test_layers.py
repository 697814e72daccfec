"""Layers where torch's module_db is thin: constructor sweeps, lazy layers, memory formats, and calls that torch refuses."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch
from crosscheck import Report, Sample, _arguments, arrangements, check_call
from real_facts import SHORT_NAMES, SITE, Facts
from torch import nn

from torchlsp import ops
from torchlsp.facts.device import CPU, CUDA, Device
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import LayerValue, Value
from torchlsp.ops.call import Context, LayerState
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import LAYERS

pytestmark = pytest.mark.torch


def x(*shape: int, dtype=torch.float32) -> torch.Tensor:
    return torch.rand(shape).to(dtype)


def given(name: str, *args, **kwargs) -> tuple:
    """A constructor call of torch.nn."""
    return name, args, kwargs


def _config(made: tuple, facts: Facts) -> dict[str, Value]:
    name, args, kwargs = made
    row = ops.layer(f"torch.nn.{name}")
    values = {
        key: LayerValue("layer", value[0], tuple(_config(value, facts).items()))
        if _is_layer(value)
        else value
        for key, value in kwargs.items()
    }
    arguments = Arguments(
        tuple(_value(arg, facts) for arg in args), tuple((key, _value(v, facts)) for key, v in values.items())
    )
    config = row.configure(arguments)
    assert config is not None, f"{name}{args}{kwargs} does not fit {row.signature}"
    return config


def _is_layer(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 3 and isinstance(value[0], str)


def _value(value: object, facts: Facts) -> Value:
    if _is_layer(value):
        return LayerValue("layer", f"torch.nn.{value[0]}", tuple(_config(value, facts).items()))
    return value if isinstance(value, LayerValue) else facts.of(value)


def build(made: tuple) -> nn.Module:
    name, args, kwargs = made
    args = tuple(build(arg) if _is_layer(arg) else arg for arg in args)
    return getattr(nn, name)(*args, **kwargs)


def check(
    made: tuple, *inputs, training: bool = True, channels_last: bool = False, dtype=torch.float32, **keywords
):
    """What the row says of this layer against what torch does, in every memory layout of the inputs."""
    torch.manual_seed(0)
    module = build(made).to(dtype).train(training)
    if made[0].startswith("Lazy"):
        module(*inputs)
    facts = Facts()
    state = LayerState(
        _config(made, facts),
        CPU,
        SHORT_NAMES[dtype],
        Tri.of(training),
        Tri.YES,
        "channels_last" if channels_last else "row-major",
    )
    if channels_last:
        module = module.to(memory_format=torch.channels_last)
    row = ops.layer(f"torch.nn.{made[0]}")
    real = {key: tuple(value.shape) for key, value in module.state_dict(keep_vars=True).items()}
    if row.parameters is not None and not made[0].startswith("Lazy"):
        claimed = row.parameters(state)
        assert {key: shape for key, shape in claimed.items() if shape is not None} == real
    report = Report()

    def claim(arguments: Arguments, context: Context):
        return row.call(f"torch.nn.{made[0]}", arguments, context, state)

    for sample in arrangements(Sample(inputs, keywords)):
        for grad_mode in (True, False):
            check_call(report, made[0], claim, module, sample, grad_mode=grad_mode)
    assert not report.wrong, "\n".join(dict.fromkeys(report.wrong))
    assert report.checked[made[0]]
    assert report.answered["shape"], "the row knows nothing"
    return report


IMAGES = x(2, 4, 8, 8)
SWEEP = [
    *[
        (given("Conv2d", 4, 6, kernel, stride=stride, padding=padding, dilation=dilation, groups=groups), IMAGES)
        for kernel in (1, 3, (2, 3))
        for stride in (1, 2, (2, 1))
        for padding in (0, 1, (0, 2))
        for dilation in (1, 2)
        for groups in (1, 2)
    ],
    (given("Conv2d", 4, 6, (4, 3), padding="same", dilation=2), IMAGES),
    (given("Conv2d", 4, 6, 3, padding="valid", bias=False), IMAGES),
    (given("Conv2d", 4, 6, 3, padding=1, padding_mode="reflect"), IMAGES),
    (given("Conv2d", 4, 6, 3, padding=1, padding_mode="circular"), x(4, 8, 8)),
    (given("Conv1d", 4, 6, 3, stride=2, padding_mode="replicate", padding=2), x(2, 4, 9)),
    (given("Conv3d", 4, 6, (1, 2, 3), padding="same"), x(2, 4, 5, 6, 7)),
    *[
        (given("ConvTranspose2d", 4, 6, 3, stride, padding, out, groups), IMAGES)
        for stride, padding, out in ((1, 0, 0), (2, 1, 1), (3, (0, 1), (2, 0)))
        for groups in (1, 2)
    ],
    (given("LazyConv2d", 6, 3), IMAGES),
    (given("LazyConvTranspose1d", 6, 3, 2), x(2, 4, 9)),
    (given("LazyLinear", 5), x(3, 7)),
    (given("LazyBatchNorm2d"), IMAGES),
    (given("LazyInstanceNorm1d"), x(2, 4, 9)),
    (given("LazyConv1d", 6, 3), x(2, 4, 9)),
    (given("LazyConv3d", 6, 3), x(2, 4, 5, 5, 5)),
    (given("LazyConvTranspose2d", 6, 3), IMAGES),
    (given("LazyConvTranspose3d", 6, 3), x(2, 4, 3, 3, 3)),
    (given("LazyBatchNorm1d"), x(2, 4, 9)),
    (given("LazyBatchNorm3d"), x(2, 4, 3, 3, 3)),
    (given("LazyInstanceNorm2d"), IMAGES),
    (given("LazyInstanceNorm3d"), x(2, 4, 3, 3, 3)),
    *[
        (given(f"{kind}Pool2d", kernel, stride, padding, ceil_mode=ceil), x(2, 3, 9, 10))
        for kind in ("Max", "Avg")
        for kernel in (2, 3, (4, 2))
        for stride in (None, 1, 2, (3, 2))
        for padding in (0, 1)
        for ceil in (False, True)
    ],
    (given("MaxPool2d", 3, 2, 1, 2, return_indices=True), x(3, 9, 10)),
    (given("MaxPool1d", 3, 2, 1, 2, ceil_mode=True), x(2, 3, 9)),
    (given("MaxPool3d", 2, ceil_mode=True), x(2, 3, 5, 4, 5)),
    (given("AdaptiveAvgPool2d", (None, 2)), x(2, 3, 9, 10)),
    (given("AdaptiveAvgPool2d", 1), x(3, 9, 10)),
    (given("AdaptiveAvgPool2d", 1), x(9, 10)),
    (given("AdaptiveAvgPool2d", (1, 1)), x(2, 3, 4, 9, 10)),
    (given("AdaptiveAvgPool3d", 1), x(3, 9, 10)),
    (given("AdaptiveMaxPool1d", 4, return_indices=True), x(2, 3, 9)),
    (given("LPPool2d", 2, (3, 2), stride=2, ceil_mode=True), x(2, 3, 9, 10)),
    (given("FractionalMaxPool2d", 2, output_ratio=0.5), x(2, 3, 8, 8)),
    (given("MaxUnpool1d", 2), x(2, 3, 4), torch.arange(4).expand(2, 3, 4)),
    (given("MaxUnpool3d", 2), x(2, 3, 2, 2, 2), torch.arange(8).reshape(2, 2, 2).expand(2, 3, 2, 2, 2)),
    (given("MaxUnpool2d", 2), x(2, 3, 4, 4), torch.arange(16).expand(2, 3, 16).reshape(2, 3, 4, 4)),
    (given("BatchNorm1d", 5), x(3, 5)),
    (given("BatchNorm1d", 5, affine=False), x(3, 5, 2)),
    (given("BatchNorm2d", 4, track_running_stats=False), IMAGES),
    (given("BatchNorm3d", 4, affine=False, track_running_stats=False), x(2, 4, 3, 3, 3)),
    (given("InstanceNorm2d", 4, affine=True, track_running_stats=True), IMAGES),
    (given("InstanceNorm1d", 4), x(4, 9)),
    (given("GroupNorm", 2, 4), IMAGES),
    (given("GroupNorm", 4, 4, affine=False), x(2, 4)),
    (given("LayerNorm", 8), IMAGES),
    (given("LayerNorm", (8, 8), bias=False), IMAGES),
    (given("LayerNorm", [8], elementwise_affine=False), IMAGES),
    (given("RMSNorm", (8, 8)), IMAGES),
    (given("LocalResponseNorm", 2), IMAGES),
    (given("Identity"), IMAGES),
    (given("Identity", 54, unused_argument=0.1), IMAGES),
    (given("Linear", 8, 3, bias=False), x(8)),
    (given("Linear", 8, 3), IMAGES),
    (given("Bilinear", 8, 5, 3), x(2, 4, 8), x(2, 4, 5)),
    (given("Flatten"), IMAGES),
    (given("Flatten", 0), IMAGES),
    (given("Flatten", 2, 3), IMAGES),
    (given("Unflatten", 1, (2, 2)), IMAGES),
    (given("Unflatten", 1, (2, -1)), IMAGES),
    (given("PixelShuffle", 2), IMAGES),
    (given("PixelShuffle", 2), x(4, 8, 8)),
    (given("PixelUnshuffle", 2), IMAGES),
    (given("ChannelShuffle", 2), IMAGES),
    (given("Fold", (4, 5), 2), x(1, 12, 12)),
    (given("Fold", (4, 5), (2, 2), padding=1, stride=2), x(12, 9)),
    (given("Unfold", 2), IMAGES),
    (given("Unfold", (2, 3), dilation=2, padding=1, stride=2), IMAGES),
    (given("Upsample", scale_factor=2), IMAGES),
    (given("Upsample", scale_factor=2.5, mode="bilinear"), IMAGES),
    (given("Upsample", (3, 5)), IMAGES),
    (given("Upsample", 7, mode="linear", align_corners=True), x(2, 4, 9)),
    (given("UpsamplingNearest2d", scale_factor=3), IMAGES),
    (given("UpsamplingBilinear2d", 5), IMAGES),
    *[(given(f"{kind}Pad2d", padding), IMAGES) for kind in ("Zero", "Reflection", "Replication", "Circular") for padding in (1, (1, 2, 0, 3))],
    (given("ConstantPad1d", (2, 1), 3.5), x(2, 4, 9)),
    (given("ReflectionPad3d", 1), x(2, 4, 5, 6, 7)),
    (given("CosineSimilarity"), x(2, 4, 8), x(2, 4, 8)),
    (given("CosineSimilarity", dim=-1), x(2, 4, 8), x(4, 8)),
    (given("PairwiseDistance"), x(2, 8), x(2, 8)),
    (given("PairwiseDistance", keepdim=True), x(2, 4, 8), x(2, 4, 8)),
    (given("Embedding", 10, 3), torch.arange(6).reshape(2, 3)),
    (given("Embedding", 10, 3, padding_idx=0, max_norm=1.0), torch.arange(6, dtype=torch.int32)),
    (given("EmbeddingBag", 10, 3), torch.arange(6).reshape(2, 3)),
    (given("EmbeddingBag", 10, 3, mode="sum"), torch.arange(6), torch.tensor([0, 2])),
    (given("EmbeddingBag", 10, 3, include_last_offset=True), torch.arange(6), torch.tensor([0, 2, 6])),
    *[
        (given(name, 5, 4, layers, batch_first=first, bidirectional=both, **extra), *inputs)
        for name, extra in (("RNN", {}), ("GRU", {"bias": False}), ("LSTM", {}), ("LSTM", {"proj_size": 3}))
        for layers in (1, 2)
        for first in (False, True)
        for both in (False, True)
        for inputs in ((x(3, 2, 5),), (x(3, 5),), (x(1, 2, 5),))
    ],
    (given("LSTM", 5, 4), x(3, 2, 5), (x(1, 2, 4), x(1, 2, 4))),
    (given("GRU", 5, 4, batch_first=True), x(3, 2, 5), x(1, 3, 4)),
    (given("RNNCell", 5, 4, bias=False), x(2, 5), x(2, 4)),
    (given("GRUCell", 5, 4), x(5)),
    (given("LSTMCell", 5, 4), x(2, 5), (x(2, 4), x(2, 4))),
    *[
        (given("MultiheadAttention", 8, 2, batch_first=first, **extra), *inputs)
        for first in (False, True)
        for extra in ({}, {"bias": False}, {"add_zero_attn": True}, {"add_bias_kv": True})
        for inputs in ((x(3, 2, 8),) * 3, (x(3, 8),) * 3)
    ],
    (given("MultiheadAttention", 8, 2, kdim=5, vdim=6), x(3, 2, 8), x(4, 2, 5), x(4, 2, 6)),
    *[
        (given("TransformerEncoderLayer", 8, 2, 16, batch_first=first, norm_first=norm), x(3, 2, 8))
        for first in (False, True)
        for norm in (False, True)
    ],
    *[
        (given("MultiheadAttention", 8, 2, batch_first=True), *(x(3, 5, 8),) * 3, padding, True, mask)
        for padding in (None, torch.zeros(3, 5))
        for mask in (None, torch.zeros(5, 5), torch.zeros(6, 5, 5))
    ],
    (given("MultiheadAttention", 8, 2), *(x(5, 8),) * 3, None, True, torch.zeros(2, 5, 5)),
    (given("MultiheadAttention", 8, 2, add_bias_kv=True), x(5, 3, 8), *(x(4, 3, 8),) * 2, None, True, torch.zeros(5, 4)),
    (given("TransformerEncoderLayer", 8, 2, 16), x(5, 3, 8), torch.zeros(5, 5)),
    (given("TransformerDecoderLayer", 8, 2, 16), x(5, 3, 8), x(4, 3, 8), torch.zeros(5, 5), torch.zeros(5, 4)),
    (given("TransformerDecoderLayer", 8, 2, 16, batch_first=True), x(3, 2, 8), x(3, 4, 8)),
    (given("TransformerEncoder", given("TransformerEncoderLayer", 8, 2, 16), 2), x(3, 2, 8)),
    (given("TransformerDecoder", given("TransformerDecoderLayer", 8, 2, 16), 2), x(3, 2, 8), x(4, 2, 8)),
    (given("Transformer", 8, 2, 1, 1, 16), x(3, 2, 8), x(4, 2, 8)),
    (given("PReLU", 4), IMAGES),
    (given("RReLU"), IMAGES),
    (given("Hardsigmoid"), IMAGES),
    (given("Dropout"), IMAGES),
    (given("Dropout1d"), x(2, 4, 9)),
    (given("Dropout2d"), IMAGES),
    (given("Dropout3d", 0.0), x(2, 4, 3, 3, 3)),
    (given("AlphaDropout"), IMAGES),
    (given("FeatureAlphaDropout"), IMAGES),
    (given("AdaptiveLogSoftmaxWithLoss", 8, 20, [5, 10]), x(4, 8), torch.arange(4)),
    (given("LinearCrossEntropyLoss", 8, 5, bias=True, reduction="none"), x(4, 8), torch.arange(4)),
    (given("TripletMarginLoss"), x(4, 3), x(4, 3), x(4, 3)),
    (given("TripletMarginWithDistanceLoss", reduction="none"), x(4, 3), x(4, 3), x(4, 3)),
]  # fmt: skip


def _label(entry: tuple) -> str:
    (name, args, kwargs), *_ = entry
    return f"{name}({', '.join([*map(str, args), *(f'{k}={v}' for k, v in kwargs.items())])})"


@pytest.mark.parametrize("entry", SWEEP, ids=_label)
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
def test_a_layer_does_what_its_row_says(entry: tuple, training: bool) -> None:
    made, *inputs = entry
    check(made, *inputs, training=training)


def test_every_layer_that_torch_has_no_samples_for_is_swept() -> None:
    ops.load()
    rows = {row.names[0]: row for row in LAYERS.rows.values() if row.names[0].startswith("torch.nn.")}
    without = {name for name, row in rows.items() if row.moduleinfo is None}
    on_cuda_only = {"torch.nn.SyncBatchNorm"}
    assert without - {f"torch.nn.{entry[0][0]}" for entry in SWEEP} == on_cuda_only


@pytest.mark.parametrize("layer", [given("Conv2d", 4, 6, 3), given("ConvTranspose2d", 4, 6, 3), given("BatchNorm2d", 4),
                                   given("Conv2d", 4, 4, 3, groups=4), given("Linear", 8, 3), given("MaxPool2d", 2)],
                         ids=lambda made: made[0])  # fmt: skip
@pytest.mark.parametrize("model", [False, True], ids=["model-row-major", "model-channels-last"])
@pytest.mark.parametrize("images", [False, True], ids=["row-major", "channels-last"])
def test_memory_formats_go_through(layer: tuple, model: bool, images: bool) -> None:
    tensor = IMAGES.to(memory_format=torch.channels_last) if images else IMAGES
    check(layer, tensor, channels_last=model)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_dtypes_go_through(dtype) -> None:
    for made, *inputs in (
        (given("Conv2d", 4, 6, 3), IMAGES), (given("Linear", 8, 3), IMAGES), (given("LSTM", 5, 4), x(3, 2, 5)),
        (given("BatchNorm2d", 4), IMAGES), (given("LayerNorm", 8), IMAGES), (given("MultiheadAttention", 8, 2), *(x(3, 2, 8),) * 3),
    ):  # fmt: skip
        check(made, *(tensor.to(dtype) for tensor in inputs), dtype=dtype)


# ---- calls that torch refuses -------------------------------------------------------------------------------------------

K = FaultKind
REFUSED = [
    (given("Linear", 10, 3), (IMAGES,), K.MATMUL_INNER),
    (given("Linear", 8, 3), (x(),), K.MATMUL_RANK),
    (given("Linear", 8, 3), (IMAGES.double(),), K.DTYPE_MISMATCH),
    (given("Linear", 8, 3), (IMAGES.long(),), K.DTYPE_MISMATCH),
    (given("Bilinear", 8, 5, 3), (x(2, 7), x(2, 5)), K.LAYER_CHAIN),
    (given("Conv2d", 3, 6, 3), (IMAGES,), K.LAYER_CHAIN),
    (given("Conv2d", 4, 6, 3), (x(8, 8),), K.RANK),
    (given("Conv2d", 4, 6, 3), (x(1, 2, 4, 8, 8),), K.RANK),
    (given("Conv2d", 4, 6, 9), (IMAGES,), K.SIZE),
    (given("Conv2d", 4, 6, 3, dilation=4), (IMAGES,), K.SIZE),
    (given("Conv2d", 4, 6, 3), (IMAGES.double(),), K.DTYPE_MISMATCH),
    (given("Conv2d", 4, 6, 3), (IMAGES.byte(),), K.DTYPE_MISMATCH),
    (given("Conv1d", 4, 6, 3), (x(2, 9, 4),), K.LAYER_CHAIN),
    (given("ConvTranspose2d", 3, 6, 3), (IMAGES,), K.LAYER_CHAIN),
    (given("ConvTranspose2d", 4, 6, 3), (IMAGES.half(),), K.DTYPE_MISMATCH),
    (given("MaxPool2d", 9), (IMAGES,), K.SIZE),
    (given("MaxPool2d", 2, padding=2), (IMAGES,), K.ARGUMENT),
    (given("MaxPool2d", 2), (x(8, 8),), K.RANK),
    (given("AvgPool2d", 9), (IMAGES,), K.SIZE),
    (given("BatchNorm2d", 3), (IMAGES,), K.LAYER_CHAIN),
    (given("BatchNorm2d", 4), (x(2, 4),), K.RANK),
    (given("BatchNorm1d", 4), (IMAGES,), K.RANK),
    (given("BatchNorm1d", 4), (x(1, 4),), K.SIZE),
    (given("BatchNorm2d", 4), (IMAGES.double(),), K.DTYPE_MISMATCH),
    (given("InstanceNorm2d", 3, affine=True), (IMAGES,), K.LAYER_CHAIN),
    (given("GroupNorm", 2, 6), (IMAGES,), K.LAYER_CHAIN),
    (given("LayerNorm", 7), (IMAGES,), K.LAYER_CHAIN),
    (given("LayerNorm", (4, 8)), (IMAGES,), K.LAYER_CHAIN),
    (given("LayerNorm", 8), (IMAGES.double(),), K.DTYPE_MISMATCH),
    (given("LayerNorm", 8), (IMAGES.long(),), K.DTYPE),
    (given("RMSNorm", 7), (IMAGES,), K.LAYER_CHAIN),
    (given("LocalResponseNorm", 2), (x(2, 3),), K.RANK),
    (given("Embedding", 10, 3), (x(2, 3),), K.EMBEDDING_DTYPE),
    (given("Embedding", 10, 3), (torch.zeros(2, 3, dtype=torch.int16),), K.EMBEDDING_DTYPE),
    (given("EmbeddingBag", 10, 3), (torch.zeros(6, dtype=torch.int64),), K.ARGUMENT),
    (given("LSTM", 5, 4), (x(3, 2, 6),), K.LAYER_CHAIN),
    (given("LSTM", 5, 4), (x(3, 2, 5).double(),), K.DTYPE_MISMATCH),
    (given("LSTM", 5, 4), (x(1, 3, 2, 5),), K.RANK),
    (given("LSTM", 5, 4), (x(3, 2, 5), (x(1, 3, 4), x(1, 3, 4))), K.SIZE),
    (given("LSTM", 5, 4), (x(3, 2, 5), x(2, 2, 4)), K.ARGUMENT),
    (given("GRU", 5, 4), (x(3, 2, 5), x(1, 3, 4)), K.SIZE),
    (given("GRUCell", 5, 4), (x(2, 6),), K.LAYER_CHAIN),
    (given("RNNCell", 5, 4), (x(2, 2, 5),), K.RANK),
    (given("RNNCell", 5, 4), (x(2, 5), x(3, 4)), K.SIZE),
    (given("MultiheadAttention", 8, 2), (x(3, 2, 6),) * 3, K.LAYER_CHAIN),
    (given("MultiheadAttention", 8, 2), (x(3, 2, 8), x(3, 5, 8), x(3, 5, 8)), K.SIZE),
    (given("MultiheadAttention", 8, 2), (x(3, 2, 8), x(4, 2, 8), x(5, 2, 8)), K.SIZE),
    (given("MultiheadAttention", 8, 2), (x(3, 2, 8).double(),) * 3, K.DTYPE_MISMATCH),
    *[
        (given("MultiheadAttention", 8, 2, batch_first=True), (*(x(3, 5, 8),) * 3, None, True, torch.zeros(shape)), kind)
        for shape, kind in (((5,), K.RANK), ((3, 2, 5, 5), K.RANK), ((3, 5), K.SIZE), ((1, 5), K.SIZE),
                            ((1, 5, 5), K.SIZE), ((3, 5, 5), K.SIZE), ((2, 5, 5), K.SIZE), ((6, 1, 5), K.SIZE))
    ],
    (given("MultiheadAttention", 8, 2), (*(x(5, 8),) * 3, None, True, torch.zeros(5, 1)), K.SIZE),
    (given("MultiheadAttention", 8, 2), (*(x(5, 8),) * 3, None, True, torch.zeros(1, 5, 5)), K.SIZE),
    (given("MultiheadAttention", 8, 2), (*(x(5, 3, 8),) * 3, torch.zeros(5, 3)), K.SIZE),
    (given("MultiheadAttention", 8, 2), (*(x(5, 3, 8),) * 3, torch.zeros(1, 5)), K.SIZE),
    (given("TransformerEncoderLayer", 8, 2, 16), (x(5, 3, 8), torch.zeros(3, 3)), K.SIZE),
    (given("TransformerEncoderLayer", 8, 2, 16), (x(5, 3, 8), None, torch.zeros(5, 3)), K.SIZE),
    (given("TransformerDecoderLayer", 8, 2, 16), (x(5, 3, 8), x(4, 3, 8), None, torch.zeros(4, 4)), K.SIZE),
    (given("TransformerDecoderLayer", 8, 2, 16), (x(5, 3, 8), x(4, 3, 8), None, None, None, torch.zeros(3, 5)), K.SIZE),
    (given("Transformer", 8, 2, 1, 1, 16), (x(5, 3, 8), x(4, 3, 8), None, None, None, torch.zeros(3, 4)), K.SIZE),
    (given("TransformerEncoderLayer", 8, 2, 16), (x(3, 2, 6),), K.LAYER_CHAIN),
    (given("TransformerDecoderLayer", 8, 2, 16), (x(3, 2, 8), x(3, 5, 8)), K.SIZE),
    (given("Transformer", 8, 2, 1, 1, 16), (x(3, 2, 8), x(3, 4, 8)), K.SIZE),
    (given("PReLU", 3), (IMAGES,), K.SIZE),
    (given("Softmax2d"), (x(2, 3),), K.RANK),
    (given("BCELoss"), (x(4, 1), x(4)), K.BCE_SHAPE),
    (given("BCELoss"), (x(4), torch.ones(4).long()), K.BCE_TARGET_DTYPE),
    (given("BCEWithLogitsLoss"), (x(4, 1), x(4)), K.BCE_SHAPE),
    (given("BCEWithLogitsLoss"), (x(4), torch.ones(4).long()), K.BCE_TARGET_DTYPE),
    (given("CrossEntropyLoss"), (x(4, 3), torch.zeros(4).int()), K.CE_TARGET_DTYPE),
    (given("NLLLoss"), (x(4, 3), torch.zeros(4, 1).long()), K.CE_TARGET_SHAPE),
    (given("MSELoss"), (x(4, 3), x(2)), K.BROADCAST),
    (given("CosineEmbeddingLoss"), (x(4, 3), x(4, 3), x(4, 3)), K.RANK),
    (given("TripletMarginLoss"), (x(4, 3), x(4, 3), x(3)), K.RANK),
    (given("MSELoss", reduction="average"), (x(4), x(4)), K.ARGUMENT),
    (given("AdaptiveAvgPool2d", (1, 1)), (x(9, 10),), K.RANK),
    (given("AdaptiveAvgPool2d", 2), (x(9, 10),), K.RANK),
    (given("AdaptiveAvgPool2d", (1, 2)), (x(2, 3, 4, 9, 10),), K.RANK),
    (given("AdaptiveAvgPool2d", 1), (x(9),), K.RANK),
    (given("AdaptiveMaxPool2d", 1), (x(9, 10),), K.RANK),
]  # fmt: skip


def faults_of(made: tuple, inputs: tuple, **state) -> list[Fault]:
    facts = Facts()
    config = _config(made, facts)
    name = f"torch.nn.{made[0]}"
    arguments = _arguments(facts, Sample(inputs, {}))
    context = Context(site=SITE, elements=facts.elements)
    return ops.layer(name).call(name, arguments, context, LayerState(config, **state))[1]


@pytest.mark.parametrize(
    ("made", "inputs", "kind"), REFUSED, ids=lambda value: value[0] if _is_layer(value) else None
)
def test_what_torch_refuses_is_a_fault(made: tuple, inputs: tuple, kind: FaultKind | None) -> None:
    with pytest.raises(Exception):  # noqa: B017 - torch raises many kinds
        build(made)(*inputs)
    faults = faults_of(made, inputs)
    assert faults
    assert kind is None or faults[0].kind is kind
    assert faults[0].op == f"torch.nn.{made[0]}"


def test_a_half_precision_input_goes_with_float_norm_parameters() -> None:
    for made in (given("BatchNorm2d", 4), given("LayerNorm", 8), given("GroupNorm", 2, 4)):
        build(made)(IMAGES.bfloat16())
        assert not faults_of(made, (IMAGES.bfloat16(),))


def test_a_layer_on_another_device_is_a_fault() -> None:
    for made in (
        given("Linear", 8, 3),
        given("Conv2d", 4, 6, 3),
        given("BatchNorm2d", 4),
        given("LayerNorm", 8),
    ):
        (fault,) = faults_of(made, (IMAGES,), device=CUDA)
        assert fault.kind is FaultKind.DEVICE_MISMATCH
        assert not faults_of(made, (IMAGES,), device=None)
        (where_cuda_is,) = faults_of(made, (IMAGES,), device=Device("cuda", relative=True))
        assert where_cuda_is.assumptions == {"cuda"}


def test_autocast_may_change_any_dtype() -> None:
    facts = Facts()
    name = "torch.nn.Linear"
    context = Context(site=SITE, autocast=Tri.UNKNOWN)
    state = LayerState(_config(given("Linear", 8, 3), facts))
    result, faults = ops.layer(name).call(
        name, _arguments(facts, Sample((IMAGES.double(),), {})), context, state
    )
    assert not faults
    assert result.dtype is None


def test_a_wrong_size_that_a_layer_made_is_a_chain() -> None:
    facts = Facts()
    first, _ = ops.layer("torch.nn.Conv2d").call(
        "torch.nn.Conv2d", _arguments(facts, Sample((IMAGES,), {})), Context(site="1"),
        LayerState(_config(given("Conv2d", 4, 6, 3), facts)),
    )  # fmt: skip
    flat, _ = ops.operator("torch.flatten").apply(
        "torch.flatten", Arguments((first, facts.of(1))), Context(site="2")
    )
    for name, made in (
        ("torch.nn.Linear", given("Linear", 100, 3)),
        ("torch.nn.BatchNorm1d", given("BatchNorm1d", 9)),
    ):
        _, (fault,) = ops.layer(name).call(
            name, Arguments((flat,)), Context(site="3"), LayerState(_config(made, facts))
        )
        assert fault["chain"] is True
        assert fault["layer"] == name
    assert faults_of(given("Linear", 100, 3), (IMAGES,))[0]["chain"] is False
