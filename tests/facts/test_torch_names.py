"""What the table says of torch's releases, held against the torch that is installed."""

from __future__ import annotations

import importlib
import inspect
import warnings

import pytest

from torchlsp.facts.torch_names import MODULES, TorchNames, parse_version
from torchlsp.facts.torch_notices import AMP, DEPRECATED, DISCOURAGED, REMOVED
from torchlsp.facts.tri import Tri

NAMESPACES = (
    "torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.parallel torch.optim torch.optim.lr_scheduler "
    "torch.utils.data torch.utils.checkpoint torch.linalg torch.fft torch.special torch.amp torch.cuda torch.cuda.amp torch.autograd "
    "torch.func torch.functional torch.jit torch.distributed torch.distributions torch.sparse torch.random torch.multiprocessing "
    "torch.testing torch.profiler torch.compiler torch.export torch.library torch.nn.attention"
).split()


def test_versions_are_read_as_packages_write_them():
    assert parse_version("2.13.0+cpu") == (2, 13)
    assert parse_version("2.4") == (2, 4)
    assert parse_version("2.15.0a0+git1234") == (2, 15)
    assert parse_version("nightly") is None


def test_a_name_is_known_from_the_release_on_that_brought_it():
    assert TorchNames((2, 5)).has("torch", "accelerator") is Tri.NO
    assert TorchNames((2, 6)).has("torch", "accelerator") is Tri.YES
    assert TorchNames((2, 5)).first_with("torch", "accelerator") == (2, 6)
    assert TorchNames((2, 13)).first_without("torch.Tensor", "refine_names") == (2, 13)
    assert TorchNames((2, 12)).has("torch.Tensor", "refine_names") is Tri.YES
    assert TorchNames((2, 13)).first_without(MODULES, "torch._six") == (2, 0)


def test_what_a_torch_before_the_table_lacks_is_not_known():
    """torch 1.7 had `torch.rfft`, which 1.8 removed."""
    old = TorchNames((1, 7))
    assert old.has("torch", "rfft") is Tri.UNKNOWN and old.has("torch", "fft") is Tri.YES
    assert old.takes("torch.nn.Linear", "colour") is Tri.UNKNOWN
    assert old.takes("torch.nn.Linear", "bias") is Tri.YES
    assert old.has("torch", "accelerator") is Tri.NO
    assert TorchNames((1, 13)).has("torch", "rfft") is Tri.NO
    assert TorchNames().has("torch", "rfft") is Tri.NO


@pytest.mark.torch
@pytest.mark.parametrize("name", ["Module", "Device"])
def test_a_name_that_only_the_stubs_have_is_none_of_torch(name: str):
    assert TorchNames().has("torch", name) is Tri.NO
    assert not hasattr(pytest.importorskip("torch"), name)


def test_arguments_come_and_go():
    scheduler = "torch.optim.lr_scheduler.StepLR"
    assert TorchNames((2, 6)).takes(scheduler, "verbose") is Tri.YES
    assert TorchNames((2, 7)).takes(scheduler, "verbose") is Tri.NO
    assert TorchNames().takes("torch.tril", "k") is Tri.NO
    assert TorchNames().takes("torch.sum", "axis") is Tri.YES
    assert TorchNames().takes("torch.unique", "return_index") is Tri.NO
    assert TorchNames().takes("torch.load", "anything") is Tri.UNKNOWN
    assert TorchNames().takes("torch.nothing_of_this_name", "anything") is Tri.UNKNOWN


def test_a_release_beyond_the_table_is_the_newest_of_it():
    assert TorchNames((3, 0)).release == TorchNames().release
    assert TorchNames((3, 0)).has("torch", "from_array") is Tri.NO


@pytest.mark.torch
@pytest.mark.parametrize("namespace", [*NAMESPACES, "torch.Tensor"])
def test_nothing_that_torch_has_is_missing(namespace: str):
    torch = pytest.importorskip("torch")
    names = TorchNames(parse_version(torch.__version__))
    owner = torch.Tensor if namespace == "torch.Tensor" else importlib.import_module(namespace)
    public = [name for name in dir(owner) if not name.startswith("_")]
    assert [name for name in public if names.has(namespace, name) is not Tri.YES] == []


@pytest.mark.torch
@pytest.mark.parametrize("namespace", NAMESPACES)
def test_nothing_that_a_function_takes_is_missing(namespace: str):
    torch = pytest.importorskip("torch")
    names = TorchNames(parse_version(torch.__version__))
    module = importlib.import_module(namespace)
    for name in dir(module):
        function = f"{namespace}.{name}"
        try:
            signature = inspect.signature(getattr(module, name))
        except (ValueError, TypeError):
            continue
        by_name = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        taken = [one.name for one in signature.parameters.values() if one.kind in by_name]
        assert [one for one in taken if names.takes(function, one) is Tri.NO] == [], function


@pytest.mark.torch
@pytest.mark.parametrize("name", [*DEPRECATED, *DISCOURAGED, *AMP, *REMOVED])
def test_functions_that_will_go_are_still_there(name: str):
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        owner = torch
        if name.startswith("functorch"):
            owner = pytest.importorskip("functorch")
        for part in ("nn.utils.stateless", "ao.quantization"):
            importlib.import_module(f"torch.{part}")
        for part in name.split(".")[1:]:
            owner = getattr(owner, part)
    assert callable(owner)


@pytest.mark.torch
def test_functions_that_only_the_documentation_calls_deprecated_do_not_warn():
    torch = pytest.importorskip("torch")
    square, layer = torch.eye(2), torch.nn.Linear(2, 2)
    calls = {
        "torch.norm": lambda: torch.norm(square),
        "torch.ger": lambda: torch.ger(square[0], square[1]),
        "torch.svd": lambda: torch.svd(square),
        "torch.nn.Module.register_backward_hook": lambda: layer.register_backward_hook(print),
    }
    assert calls.keys() == DISCOURAGED.keys()
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)  # torch's own code warns only once otherwise
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for call in calls.values():
                call()
    finally:
        torch.set_warn_always(always)


@pytest.mark.torch
@pytest.mark.parametrize(
    "name",
    [one.instead for one in (*DEPRECATED.values(), *DISCOURAGED.values(), *AMP.values(), *REMOVED.values())],
)
def test_what_replaces_them_is_there(name: str):
    torch = pytest.importorskip("torch")
    owner = torch
    importlib.import_module("torch.nn.attention")
    for part in name.split(".")[1:]:
        owner = getattr(owner, part)
