"""Lists the classification models of torchvision: their children, the order of their calls, and their sizes.

A family is a text with one child a row, as `print(model)` shows it. Braces stand for the numbers in which models of the
family differ, in the order of `_FAMILIES`; `classes` is `num_classes`. What has no class in torch.nn is a part:
`Stage(in, out, stride)` maps images of features to others, of unknown height and width where no stride is given; `Grid`
does so with the channels last; `Tokens(width)` maps images to their class token. `forward` names what is called, one after
the other; a name with a dot is a function of torch. `head` is the last layer that depends on the number of classes.

To add a model, add its name and numbers to the row of its family. `tests/ops/test_vision_models.py` holds all of them
against torchvision where that is installed. Read off torchvision 0.29.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from torchlsp.facts.dim import Dim
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import NONE, UNKNOWN_VALUE, Scalar, TupleValue, Value, integer
from torchlsp.ops.call import Broken, Call, LayerCall, LayerState
from torchlsp.ops.modules.convolution import forward as convolution_forward
from torchlsp.ops.signature import CallText, NameText, parse_call
from torchlsp.ops.table import LAYERS, TABLE

PACKAGE = "torchvision.models"
STAGE = f"{PACKAGE}.Stage"
TOKENS = f"{PACKAGE}.Tokens"
GRID = f"{PACKAGE}.Grid"
PERMUTE = f"{PACKAGE}.Permute"
PARTS = frozenset({STAGE, TOKENS, GRID, PERMUTE})
"""Modules whose inner layers are not listed."""

_RESNET = """
conv1: Conv2d(3, 64, 7, 2, 3, bias=False)
bn1: BatchNorm2d(64)
relu: ReLU(inplace=True)
maxpool: MaxPool2d(3, 2, 1)
layer1: Stage(64, {0}, 1)
layer2: Stage({0}, {1}, 2)
layer3: Stage({1}, {2}, 2)
layer4: Stage({2}, {3}, 2)
avgpool: AdaptiveAvgPool2d((1, 1))
fc: Linear({3}, classes)
forward: conv1 bn1 relu maxpool layer1 layer2 layer3 layer4 avgpool .flatten fc
head: fc
"""
_VGG = """
features: Stage(3, 512)
avgpool: AdaptiveAvgPool2d((7, 7))
classifier: Sequential(Linear(25088, 4096), ReLU(True), Dropout(),
  Linear(4096, 4096), ReLU(True), Dropout(), Linear(4096, classes))
forward: features avgpool .flatten classifier
head: classifier[6]
"""
_ALEXNET = """
features: Stage(3, 256)
avgpool: AdaptiveAvgPool2d((6, 6))
classifier: Sequential(Dropout(), Linear(9216, 4096), ReLU(True), Dropout(),
  Linear(4096, 4096), ReLU(True), Linear(4096, classes))
forward: features avgpool .flatten classifier
head: classifier[6]
"""
_DENSENET = """
features: Stage(3, {0})
classifier: Linear({0}, classes)
forward: features .relu .pool .flatten classifier
head: classifier
"""
_MOBILENET_V2 = """
features: Stage(3, 1280)
classifier: Sequential(Dropout(0.2), Linear(1280, classes))
forward: features .pool .flatten classifier
head: classifier[1]
"""
_MOBILENET_V3 = """
features: Stage(3, {0})
avgpool: AdaptiveAvgPool2d(1)
classifier: Sequential(Linear({0}, {1}), Hardswish(True), Dropout(0.2, True), Linear({1}, classes))
forward: features avgpool .flatten classifier
head: classifier[3]
"""
_EFFICIENTNET = """
features: Stage(3, {0})
avgpool: AdaptiveAvgPool2d(1)
classifier: Sequential(Dropout(0.2, True), Linear({0}, classes))
forward: features avgpool .flatten classifier
head: classifier[1]
"""
_MNASNET = """
layers: Stage(3, 1280)
classifier: Sequential(Dropout(0.2, True), Linear(1280, classes))
forward: layers .pool .flatten classifier
head: classifier[1]
"""
_SQUEEZENET = """
features: Stage(3, 512)
classifier: Sequential(Dropout(0.5), Conv2d(512, classes, 1), ReLU(True), AdaptiveAvgPool2d((1, 1)))
forward: features classifier .flatten
head: classifier[1]
"""
_SHUFFLENET = """
conv1: Stage(3, 24, 2)
maxpool: MaxPool2d(3, 2, 1)
stage2: Stage(24, {0}, 2)
stage3: Stage({0}, {1}, 2)
stage4: Stage({1}, {2}, 2)
conv5: Stage({2}, {3}, 1)
fc: Linear({3}, classes)
forward: conv1 maxpool stage2 stage3 stage4 conv5 .pool .flatten fc
head: fc
"""
_REGNET = """
stem: Stage(3, 32, 2)
trunk_output: Stage(32, {0})
avgpool: AdaptiveAvgPool2d((1, 1))
fc: Linear({0}, classes)
forward: stem trunk_output avgpool .flatten fc
head: fc
"""
_CONVNEXT = """
features: Stage(3, {0})
avgpool: AdaptiveAvgPool2d(1)
classifier: Sequential(Stage({0}, {0}, 1), Flatten(1), Linear({0}, classes))
forward: features avgpool classifier
head: classifier[2]
"""
_VIT = """
conv_proj: Conv2d(3, {0}, {1}, {1})
encoder: Tokens({0})
heads: Sequential(head=Linear({0}, classes))
forward: conv_proj encoder heads
head: heads.head
"""
_SWIN = """
features: Grid(3, {0})
norm: LayerNorm({0})
permute: Permute([0, 3, 1, 2])
avgpool: AdaptiveAvgPool2d(1)
flatten: Flatten(1)
head: Linear({0}, classes)
forward: features norm permute avgpool flatten head
head: head
"""
_GOOGLENET = """
conv1: Stage(None, 64, 2)
maxpool1: MaxPool2d(3, 2, ceil_mode=True)
conv2: Stage(64, 64, 1)
conv3: Stage(64, 192, 1)
maxpool2: MaxPool2d(3, 2, ceil_mode=True)
inception3a: Stage(192, 256, 1)
inception3b: Stage(256, 480, 1)
maxpool3: MaxPool2d(3, 2, ceil_mode=True)
inception4a: Stage(480, 512, 1)
inception4b: Stage(512, 512, 1)
inception4c: Stage(512, 512, 1)
inception4d: Stage(512, 528, 1)
inception4e: Stage(528, 832, 1)
maxpool4: MaxPool2d(2, 2, ceil_mode=True)
inception5a: Stage(832, 832, 1)
inception5b: Stage(832, 1024, 1)
avgpool: AdaptiveAvgPool2d((1, 1))
dropout: Dropout(0.2)
fc: Linear(1024, classes)
forward: conv1 maxpool1 conv2 conv3 maxpool2 inception3a inception3b maxpool3
  inception4a inception4b inception4c inception4d inception4e
  maxpool4 inception5a inception5b avgpool .flatten dropout fc
head: fc
"""
_INCEPTION = """
Conv2d_1a_3x3: Stage(None, 32)
Conv2d_2a_3x3: Stage(32, 32)
Conv2d_2b_3x3: Stage(32, 64)
maxpool1: MaxPool2d(3, 2)
Conv2d_3b_1x1: Stage(64, 80)
Conv2d_4a_3x3: Stage(80, 192)
maxpool2: MaxPool2d(3, 2)
Mixed_5b: Stage(192, 256)
Mixed_5c: Stage(256, 288)
Mixed_5d: Stage(288, 288)
Mixed_6a: Stage(288, 768)
Mixed_6b: Stage(768, 768)
Mixed_6c: Stage(768, 768)
Mixed_6d: Stage(768, 768)
Mixed_6e: Stage(768, 768)
Mixed_7a: Stage(768, 1280)
Mixed_7b: Stage(1280, 2048)
Mixed_7c: Stage(2048, 2048)
avgpool: AdaptiveAvgPool2d((1, 1))
dropout: Dropout()
fc: Linear(2048, classes)
forward: Conv2d_1a_3x3 Conv2d_2a_3x3 Conv2d_2b_3x3 maxpool1 Conv2d_3b_1x1
  Conv2d_4a_3x3 maxpool2 Mixed_5b Mixed_5c Mixed_5d Mixed_6a Mixed_6b Mixed_6c Mixed_6d Mixed_6e
  Mixed_7a Mixed_7b Mixed_7c avgpool dropout .flatten fc
head: fc
"""

_FAMILIES: tuple[tuple[str, str, str], ...] = (
    ("resnet", _RESNET, """
        resnet18 64 128 256 512; resnet34 64 128 256 512; resnet50 256 512 1024 2048; resnet101 256 512
        1024 2048; resnet152 256 512 1024 2048; resnext50_32x4d 256 512 1024 2048; resnext101_32x8d 256
        512 1024 2048; resnext101_64x4d 256 512 1024 2048; wide_resnet50_2 256 512 1024 2048;
        wide_resnet101_2 256 512 1024 2048""",
    ),
    ("vgg", _VGG, "vgg11; vgg13; vgg16; vgg19; vgg11_bn; vgg13_bn; vgg16_bn; vgg19_bn"),
    ("alexnet", _ALEXNET, "alexnet"),
    ("densenet", _DENSENET, "densenet121 1024; densenet161 2208; densenet169 1664; densenet201 1920"),
    ("mobilenetv2", _MOBILENET_V2, "mobilenet_v2"),
    ("mobilenetv3", _MOBILENET_V3, "mobilenet_v3_small 576 1024; mobilenet_v3_large 960 1280"),
    ("efficientnet", _EFFICIENTNET, """
        efficientnet_b0 1280; efficientnet_b1 1280; efficientnet_b2 1408; efficientnet_b3 1536;
        efficientnet_b4 1792; efficientnet_b5 2048; efficientnet_b6 2304; efficientnet_b7 2560;
        efficientnet_v2_s 1280; efficientnet_v2_m 1280; efficientnet_v2_l 1280""",
    ),
    ("mnasnet", _MNASNET, "mnasnet0_5; mnasnet0_75; mnasnet1_0; mnasnet1_3"),
    ("squeezenet", _SQUEEZENET, "squeezenet1_0; squeezenet1_1"),
    ("shufflenetv2", _SHUFFLENET, """
        shufflenet_v2_x0_5 48 96 192 1024; shufflenet_v2_x1_0 116 232 464 1024; shufflenet_v2_x1_5 176
        352 704 1024; shufflenet_v2_x2_0 244 488 976 2048""",
    ),
    ("regnet", _REGNET, """
        regnet_y_400mf 440; regnet_y_800mf 784; regnet_y_1_6gf 888; regnet_y_3_2gf 1512; regnet_y_8gf
        2016; regnet_y_16gf 3024; regnet_y_32gf 3712; regnet_y_128gf 7392; regnet_x_400mf 400;
        regnet_x_800mf 672; regnet_x_1_6gf 912; regnet_x_3_2gf 1008; regnet_x_8gf 1920; regnet_x_16gf
        2048; regnet_x_32gf 2520""",
    ),
    ("convnext", _CONVNEXT, "convnext_tiny 768; convnext_small 768; convnext_base 1024; convnext_large 1536"),
    ("vision_transformer", _VIT, "vit_b_16 768 16; vit_b_32 768 32; vit_l_16 1024 16; vit_l_32 1024 32; vit_h_14 1280 14"),
    ("swin_transformer", _SWIN, "swin_t 768; swin_s 768; swin_b 1024; swin_v2_t 768; swin_v2_s 768; swin_v2_b 1024"),
    ("googlenet", _GOOGLENET, "googlenet"),
    ("inception", _INCEPTION, "inception_v3"),
)  # fmt: skip
"""The module of a family, its rows, and its models with their numbers."""

AUXILIARY: Mapping[str, tuple[tuple[str, ...], bool]] = {
    "inception_v3": (("logits", "aux_logits"), True),
    "googlenet": (("logits", "aux_logits2", "aux_logits1"), False),
}
"""Models that return a named tuple while training: its fields, and whether pretrained ones do so by default."""

KEPT_SIZES = frozenset(
    "weights progress pretrained num_classes dropout aux_logits transform_input init_weights zero_init_residual drop_rate "
    "memory_efficient stochastic_depth_prob".split()
)
"""Keywords of the functions that build models under which children and sizes are as listed."""


@dataclass(frozen=True, slots=True)
class Child:
    """A child as it is built: its class and arguments, or the children of a Sequential with names, "" for a number."""

    layer: str
    positional: tuple[Value | str, ...] = ()
    keywords: tuple[tuple[str, Value | str], ...] = ()
    children: tuple[tuple[str, Child], ...] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """A model: its children in order, the steps of `forward`, and where the head is."""

    name: str
    children: tuple[tuple[str, Child], ...]
    forward: tuple[str, ...]
    head: str


CLASSES = "classes"
"""Stands for the number of classes among the arguments of a child."""


@cache
def models() -> Mapping[str, tuple[str, str, tuple[str, ...]]]:
    """Returns the name, the family's rows and the numbers of each model by dotted names of the functions that build it."""
    found: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for module, rows, listed in _FAMILIES:
        for text in listed.split(";"):
            name, *numbers = text.split()
            row = (name, rows, tuple(numbers))
            found[f"{PACKAGE}.{name}"] = found[f"{PACKAGE}.{module}.{name}"] = row
    return found


@cache
def model(qualname: str) -> Model | None:
    """Returns the model that a function of torchvision builds; None for any other name."""
    if not qualname.startswith(PACKAGE) or (row := models().get(qualname)) is None:
        return None
    name, rows, numbers = row
    *listed, forward, head = (
        line.split(": ", 1) for line in rows.replace("\n  ", " ").format(*numbers).strip().splitlines()
    )
    children = tuple((child, _parsed(parse_call(text))) for child, text in listed)
    return Model(name, children, tuple(forward[1].split()), head[1])


def _parsed(call: CallText) -> Child:
    if call.name == "Sequential":
        named = [(name, _parsed(one)) for name, one in call.keywords if isinstance(one, CallText)]
        unnamed = [("", _parsed(one)) for one in call.positional if isinstance(one, CallText)]
        return Child("torch.nn.Sequential", children=(*unnamed, *named))
    part = f"{PACKAGE}.{call.name}"
    keywords = tuple((name, _argument(one)) for name, one in call.keywords)
    return Child(
        part if part in PARTS else f"torch.nn.{call.name}", tuple(map(_argument, call.positional)), keywords
    )


def _argument(given: object) -> Value | str:
    return CLASSES if isinstance(given, NameText) else _as_value(given)


def _as_value(constant: object) -> Value:
    if constant is None:
        return NONE
    if isinstance(constant, (tuple, list)):
        return TupleValue(tuple(map(_as_value, constant)))
    return Scalar(type(constant).__name__, constant)


def head_names() -> frozenset[str]:
    """Returns the attributes under which models of torchvision hold their last layers."""
    texts = (rows.rpartition("head: ")[2].strip() for _, rows, _ in _FAMILIES)
    return frozenset({text.split("[")[0].split(".")[0] for text in texts} | {"head"})


# ---- parts --------------------------------------------------------------------------------------------------------------


def _stage(c: LayerCall) -> Value:
    """Evaluates a Stage by the law of the convolution that it begins with."""
    out = c.layer.dim("out_channels")
    stride = NONE if out is None else c.layer.value("stride")
    try:
        made = begin_with_convolution(c, c.layer.value("in_channels"), c.layer.value("out_channels"), stride)
    except Broken as broken:
        raise broken.giving(
            UNKNOWN_VALUE if c.name == GRID else _resized(c, broken.result, stride, out)
        ) from None
    return _resized(c, made, stride, out)


def begin_with_convolution(c: LayerCall, channels: Value, out: Value, stride: Value) -> Value:
    """Returns what a convolution makes of the input that takes and gives these channels; a fault names it."""
    wide = stride == integer(2)
    config = {
        "in_channels": UNKNOWN_VALUE if channels == NONE else channels, "out_channels": out,
        "kernel_size": integer(3 if wide else 1), "stride": integer(2 if wide else 1), "padding": integer(1 if wide else 0),
        "dilation": integer(1), "groups": integer(1), "bias": Scalar("bool", False), "padding_mode": Scalar("str", "zeros"),
    }  # fmt: skip
    state = LayerState(
        config, c.layer.device, c.layer.dtype, c.layer.training, c.layer.requires_grad, None, c.layer.ref
    )
    return _CONVOLVED(LayerCall("torch.nn.Conv2d", {"input": c.value("input")}, c.context, state))


_CONVOLVED = convolution_forward(2, False)


def _resized(c: LayerCall, made: Value, stride: Value, out: Dim | None) -> Value:
    """Returns features without what is not known of them: layout, and sizes where no stride is listed."""
    if not isinstance(made, TensorFact) or made.shape is None or len(made.shape) < 3:
        return made
    if stride != NONE:
        return made.but(layout=None)
    return made.but(shape=(*made.shape[:-2], c.fresh("height"), c.fresh("width")), layout=None)


def _token(c: LayerCall) -> Value:
    """Evaluates Tokens: the class token of an image of features; tokens [B, N, width] keep their sizes."""
    tensor, width = c.tensor("input"), c.layer.dim("width")
    if tensor is None or tensor.shape is None or width is None or len(tensor.shape) not in (3, 4):
        return UNKNOWN_VALUE
    shape = (tensor.shape[0], width) if len(tensor.shape) == 4 else tensor.shape
    requires = tensor.grad.requires
    if c.layer.requires_grad is not requires:
        return c.make(shape, tensor.dtype, tensor.device)
    return c.make(shape, tensor.dtype, tensor.device, grad=tensor.grad)


def _grid(c: LayerCall) -> Value:
    """Evaluates a Grid: the features of a Stage with their channels last."""
    made = _stage(c)
    if not isinstance(made, TensorFact) or made.shape is None or len(made.shape) != 4:
        return UNKNOWN_VALUE
    batch, channels, height, width = made.shape
    return made.but(shape=(batch, height, width, channels), layout=None)


def _permuted(c: LayerCall) -> Value:
    """Evaluates Permute: the dims of a tensor in another order."""
    row = TABLE.rows.get("Tensor.permute")
    if row is None:
        return UNKNOWN_VALUE
    result, faults = row.run(
        Call(c.name, {"input": c.value("input"), "dims": c.layer.value("dims")}, c.context)
    )
    c.faults.extend(faults)
    return result


LAYERS.row(GRID, signature="in_channels, out_channels, stride=None", result=_grid)
LAYERS.row(PERMUTE, signature="dims", owns_parameters=False, result=_permuted)
LAYERS.row(STAGE, signature="in_channels, out_channels, stride=None", result=_stage)
LAYERS.row(TOKENS, signature="width", result=_token)
