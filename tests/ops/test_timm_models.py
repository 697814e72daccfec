"""The listed models of timm are held against timm where it is installed."""

import pytest

from torchlsp.facts.values import Scalar, integer
from torchlsp.ops.call import LayerState
from torchlsp.ops.libraries import timm_models


def state(name):
    return LayerState({"model_name": Scalar("str", name)})


def test_a_name_may_have_a_tag():
    assert timm_models.width(state("resnet50.a1_in1k")) == timm_models.width(state("timm/resnet50")) == 2048
    assert timm_models.width(state("resnet50d")) is None
    assert timm_models.shown(state("resnet18"), "num_features") == integer(512)


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(timm_models.WIDTHS))
def test_features_are_those_of_timm(name):
    torch = pytest.importorskip("torch")
    timm = pytest.importorskip("timm")
    model = timm.create_model(name, num_classes=0).eval()
    assert model.num_features == timm_models.WIDTHS[name]
    assert model(torch.zeros(1, 3, 224, 224)).shape == (1, timm_models.WIDTHS[name])
    model.reset_classifier(7)
    assert model.get_classifier().out_features == 7
