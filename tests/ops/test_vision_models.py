"""The listed models of torchvision are held against torchvision where it is installed."""

import pytest

from torchlsp.facts.values import Scalar, TupleValue
from torchlsp.ops.libraries import vision_models

CONSTRUCTORS = sorted(name for name in vision_models.models() if name.count(".") == 2)


def test_a_model_is_known_under_the_name_of_its_module_too():
    short, long = (
        vision_models.model(f"torchvision.models.{name}") for name in ("resnet50", "resnet.resnet50")
    )
    assert short is not None and short == long
    assert vision_models.model("torchvision.models.resnet") is None
    assert vision_models.model("torch.nn.Linear") is None


def test_every_step_is_a_child_or_a_function_of_torch():
    for name in CONSTRUCTORS:
        model = vision_models.model(name)
        children = dict(model.children)
        assert all(step.startswith(".") or step in children for step in model.forward), name
        assert model.head.split("[")[0].split(".")[0] in children, name


def _argument(value):
    if isinstance(value, TupleValue):
        return tuple(map(_argument, value.items))
    return value.value if isinstance(value, Scalar) else value


def _row(child):
    return {"layer": child.layer.rpartition(".")[2], "given": [_argument(one) for one in child.positional]}


def _same_child(listed, module, path):
    if listed.children:
        names = [name or str(i) for i, (name, _) in enumerate(listed.children)]
        assert [name for name, _ in module.named_children()] == names, path
        for (name, inner), (_, found) in zip(listed.children, module.named_children(), strict=True):
            _same_child(inner, found, f"{path}.{name}")
        return
    row = _row(listed)
    if listed.layer not in vision_models.PARTS:
        assert row["layer"] == type(module).__name__.removeprefix("NonDynamicallyQuantizable"), path
    if row["layer"] == "Linear":
        given = [7 if one == vision_models.CLASSES else one for one in row["given"]]
        assert given == [module.in_features, module.out_features], path
    if row["layer"] == "Conv2d":
        given = [7 if one == vision_models.CLASSES else one for one in row["given"]]
        assert given[:2] == [module.in_channels, module.out_channels], path


def _stage_hook(listed, path):
    def hook(module, args, result):
        inside, outside, *stride = _row(listed)["given"]
        if listed.layer == vision_models.GRID:
            result = result.permute(0, 3, 1, 2)
        assert inside in (None, args[0].shape[1]), path
        assert result.shape[1] == outside, path
        if stride:
            assert result.shape[2:] == tuple((size - 1) // stride[0] + 1 for size in args[0].shape[2:]), path

    return hook


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("name", CONSTRUCTORS, ids=lambda name: name.rpartition(".")[2])
def test_children_and_result_are_those_of_torchvision(name):
    torch = pytest.importorskip("torch")
    library = pytest.importorskip("torchvision.models")
    listed = vision_models.model(name)
    size = 299 if listed.name == "inception_v3" else 224
    with torch.device("cpu" if "regnet" in name else "meta"):
        model = getattr(library, listed.name)(num_classes=7).eval()
        images = torch.zeros(2, 3, size, size)
    children = dict(model.named_children())
    if listed.name not in vision_models.AUXILIARY:
        assert list(children) == [child for child, _ in listed.children]
    for child_name, child in listed.children:
        _same_child(child, children[child_name], child_name)
        if child.layer in (vision_models.STAGE, vision_models.GRID):
            children[child_name].register_forward_hook(_stage_hook(child, child_name))
    assert model(images).shape == (2, 7)


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(vision_models.AUXILIARY))
def test_further_classifiers_make_a_named_tuple_while_training(name):
    torch = pytest.importorskip("torch")
    library = pytest.importorskip("torchvision.models")
    with torch.device("meta"):
        model, images = getattr(library, name)(), torch.zeros(2, 3, 299, 299)
        result = model(images)
    assert result._fields == vision_models.AUXILIARY[name][0]
    assert model.eval()(images).shape == (2, 1000)
