"""Names and signatures of collectives, optimizers and wrappers, against the torch that is installed."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import pytest
import torch
import torch.distributed.checkpoint
import torch.distributed.fsdp
import torch.distributed.nn
import torch.distributed.optim
import torch.distributed.tensor.parallel

from torchlsp.facts.values import Scalar
from torchlsp.ops import signature
from torchlsp.ops.libraries import collectives, optim

pytestmark = pytest.mark.torch


def resolved(name: str) -> Any:
    """What an import of a dotted name gives: the longest module in it, then attributes."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise ImportError(name)


def of_torch(names) -> list[str]:
    return sorted(name for name in names if isinstance(name, str) and name.startswith("torch."))


def assert_same_parameters(written: str, real: inspect.Signature, but: tuple[str, ...] = ()) -> None:
    """The same names in the same order, of the same kind, with the same simple defaults."""
    own = signature.parse(written).params
    theirs = [p for p in real.parameters.values() if p.name not in ("self", *but) or p.name == own[0].name]
    assert [param.name for param in own] == [p.name for p in theirs]
    for param, actual in zip(own, theirs):
        assert (param.kind == "keyword") == (actual.kind is inspect.Parameter.KEYWORD_ONLY), param.name
        assert (param.default is signature.MISSING) == (actual.default is inspect.Parameter.empty), param.name
        if isinstance(actual.default, (bool, int, float, str)) and isinstance(param.default, Scalar):
            assert param.default.value == actual.default, param.name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", of_torch(collectives.COLLECTIVES))
def test_signature_of_collective_is_that_of_torch(name):
    collective = collectives.COLLECTIVES[name]
    assert_same_parameters(collective.signature, inspect.signature(resolved(name)))
    if collective.group_parameter is not None:
        assert collective.group_parameter in {
            param.name for param in signature.parse(collective.signature).params
        }


@pytest.mark.parametrize("name", list(collectives.COLLECTIVES))
def test_signature_of_collective_can_be_read(name):
    signature.parse(collectives.COLLECTIVES[name].signature)


def test_every_public_function_of_torch_distributed_is_judged():
    judged = {name.rpartition(".")[2] for name in collectives.COLLECTIVES} | {
        name.rpartition(".")[2] for name in collectives.NOT_COLLECTIVE
    }
    module = torch.distributed.distributed_c10d
    public = {n for n in module.__all__ if inspect.isfunction(getattr(module, n, None))}
    others = """get_backend_config get_default_backend_for_device get_pg_count is_backend_available is_mpi_available
        is_ucc_available is_xccl_available record_comm shrink_group supports_complex""".split()  # fmt: skip
    assert not public - judged - set(others)


def test_point_to_point_calls_are_no_collectives():
    assert not collectives.NOT_COLLECTIVE & set(collectives.COLLECTIVES)
    assert not collectives.NOT_COLLECTIVE & set(collectives.HIDDEN)
    for name in collectives.NOT_COLLECTIVE:
        assert callable(resolved(name))


@pytest.mark.parametrize("name", of_torch([*collectives.HIDDEN, *collectives.RANK_SOURCES]))
def test_hidden_collectives_and_rank_sources_exist(name):
    assert callable(resolved(name))


@pytest.mark.parametrize(
    "pair", [p for p in collectives.HIDDEN if isinstance(p, tuple) and p[0].startswith("torch.")]
)
def test_methods_of_hidden_collectives_exist(pair):
    assert pair[1] == "backward" or callable(getattr(resolved(pair[0]), pair[1]))


@pytest.mark.parametrize("name", of_torch(optim.OPTIMIZERS))
def test_signature_of_optimizer_is_that_of_torch(name):
    cls = resolved(name)
    assert issubclass(cls, torch.optim.Optimizer)
    assert_same_parameters(optim.OPTIMIZERS[name], inspect.signature(cls.__init__), but=("defaults",))


def test_every_optimizer_of_torch_is_named():
    classes = {
        n for n, x in vars(torch.optim).items() if inspect.isclass(x) and issubclass(x, torch.optim.Optimizer)
    }
    assert {f"torch.optim.{n}" for n in classes - {"Optimizer"}} <= set(optim.OPTIMIZERS)


def test_every_scheduler_of_torch_is_named():
    module = torch.optim.lr_scheduler
    classes = {n for n, x in vars(module).items() if inspect.isclass(x) and issubclass(x, module.LRScheduler)}
    assert {f"torch.optim.lr_scheduler.{n}" for n in classes} <= optim.SCHEDULERS


@pytest.mark.parametrize("name", of_torch([*optim.SCHEDULERS, *optim.SCALERS, *optim.WRAPPERS, *optim.SAME_MODULE, *optim.OPTIMIZER_WRAPPERS]))  # fmt: skip
def test_names_of_training_exist(name):
    assert callable(resolved(name))


def test_normalising_wrappers_return_the_module():
    layer = torch.nn.Linear(2, 2)
    for name in ("torch.nn.utils.parametrizations.weight_norm", "torch.nn.utils.prune.identity"):
        arguments = ("bias",) if "prune" in name else ()
        assert name in optim.SAME_MODULE and resolved(name)(layer, *arguments) is layer
