"""Lists models of timm by the width of their features, which `create_model(name, num_classes=0)` returns and `num_features` is.

To add a model, add its name to the row of its width. `tests/ops/test_timm_models.py` holds them against timm where that is
installed. Read off timm 1.0.20.
"""

from __future__ import annotations

from torchlsp.facts.dim import Dim
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import NONE, UNKNOWN_VALUE, Value, integer
from torchlsp.ops.call import Broken, LayerCall, LayerState
from torchlsp.ops.libraries.vision_models import begin_with_convolution
from torchlsp.ops.table import LAYERS

CONSTRUCTORS = ("timm.create_model", "timm.models.create_model")

_NAMES: dict[int, str] = {
    192: "vit_tiny_patch16_224 deit_tiny_patch16_224",
    384: "vit_small_patch16_224 deit_small_patch16_224",
    512: "resnet18 resnet34",
    768: "vit_base_patch16_224 vit_base_patch32_224 deit_base_patch16_224 swin_tiny_patch4_window7_224 "
    "swin_small_patch4_window7_224 convnext_tiny convnext_small",
    1024: "vit_large_patch16_224 swin_base_patch4_window7_224 convnext_base densenet121",
    1280: "efficientnet_b0 efficientnet_b1 tf_efficientnet_b0 tf_efficientnetv2_s mobilenetv2_100",
    1408: "efficientnet_b2",
    1536: "efficientnet_b3 convnext_large",
    1792: "efficientnet_b4",
    2048: "resnet50 resnet101 resnet152 resnext50_32x4d wide_resnet50_2",
}
WIDTHS: dict[str, int] = {name: width for width, names in _NAMES.items() for name in names.split()}
"""The number of features of a model by its name."""


def width(state: LayerState) -> int | None:
    """Returns how many features a model has; None where its name is not known, which may have a tag: `resnet50.a1_in1k`."""
    name = state.text("model_name")
    return None if name is None else WIDTHS.get(name.removeprefix("timm/").partition(".")[0])


def shown(state: LayerState, name: str) -> Value:
    """Returns an attribute of a model."""
    features = width(state)
    return integer(features) if name == "num_features" and features is not None else UNKNOWN_VALUE


def _classified(c: LayerCall) -> Value:
    """Evaluates a model: one row of features for each image, or of classes if it has any."""
    features, classes = width(c.layer), c.layer.value("num_classes")
    if features is None:
        return UNKNOWN_VALUE
    out: Dim | None = features if classes == integer(0) else c.layer.dim("num_classes")
    channels = integer(3) if c.layer.value("in_chans") == NONE else c.layer.value("in_chans")
    try:
        made = begin_with_convolution(c, channels, integer(features), NONE)
    except Broken as broken:
        raise broken.giving(UNKNOWN_VALUE) from None
    if not isinstance(made, TensorFact) or made.shape is None or len(made.shape) != 4:
        return UNKNOWN_VALUE
    return made.but(shape=(made.shape[0], c.fresh("classes") if out is None else out), layout=None)


LAYERS.row(
    *CONSTRUCTORS,
    signature="model_name, pretrained=False, *, num_classes=None, in_chans=None, drop_rate=0.0, drop_path_rate=None",
    result=_classified,
)
