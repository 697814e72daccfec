"""Lists names of the installed torch that the probe's gate has not been told about, for review.

Paths under the listed modules that no list holds, and attributes of the objects that a program can get hold of that are neither
let in nor left out. What is let in goes by hand into `torchlsp/probe/worker/names.py`, after reading what it does.
"""

from __future__ import annotations

import argparse
import importlib.util
import types
import warnings
from collections.abc import Iterator

from torchlsp.probe.worker import names

# They stand for the checks of arguments that `gate.py` makes.
CHECKED_CALLS = frozenset(
    [
        "torch.as_strided",
        "torch.empty_strided",
        "torch.distributed.init_process_group",
        "torch.optim.lr_scheduler.LambdaLR",
        "torch.optim.lr_scheduler.MultiplicativeLR",
        "torch.utils.data.DataLoader",
    ]
)
CHECKED_METHODS = frozenset(["as_strided", "new_empty_strided"])


def public(value: object) -> list[str]:
    return [name for name in dir(value) if not name.startswith("_")]


def unlisted_paths() -> dict[str, list[str]]:
    """Returns each module's public names that are neither modules nor in a list."""
    known = names.VALUES | names.CLASSES | names.LEGACY_TENSOR | names.SCOPED | CHECKED_CALLS
    found = {}
    for path in sorted(names.MODULES):
        module = importlib.import_module(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fresh = [
                name
                for name in public(module)
                if f"{path}.{name}" not in known and not isinstance(getattr(module, name), types.ModuleType)
            ]
        if fresh:
            found[path] = fresh
    return found


def reachable() -> Iterator[tuple[str, object]]:
    """Yields a description, and an object of each kind that a program can obtain without naming its class."""
    import torch
    from torch import nn
    from torch.optim import lr_scheduler
    from torch.utils import data

    tensor = torch.ones(2, 2, requires_grad=True)
    layer = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    values = data.TensorDataset(torch.ones(4))
    loader = data.DataLoader(values)
    yield "tensor", tensor
    yield "parameter", layer.weight
    for kind in sorted(names.LAYER_CLASS):
        yield f"class nn.{kind}", getattr(nn, kind, nn.Module)
    for module in nn.Transformer(4, 2, 1, 1, 4, batch_first=True).modules():
        yield type(module).__name__, module
    yield "LSTM", nn.LSTM(2, 2)
    yield "optimizer", optimizer
    yield "scheduler", lr_scheduler.StepLR(optimizer, 1)
    yield "scheduler", lr_scheduler.OneCycleLR(optimizer, 1.0, 10)
    yield "scheduler", lr_scheduler.ReduceLROnPlateau(optimizer)
    yield "gradient scaler", torch.amp.GradScaler("cpu")
    yield "data set", values
    yield "loader", loader
    yield "iterator of a loader", iter(loader)
    yield "subset", data.Subset(values, [0])
    yield "sampler", data.RandomSampler(values)
    yield "handle of a hook", tensor.register_hook(print)
    yield "node of the graph", (tensor * 2).grad_fn
    yield "context of a Function", torch.autograd.Function
    for value in (torch.float32, torch.strided, torch.device("cpu"), torch.Size(), torch.Generator()):
        yield type(value).__name__, value
    yield "limits", torch.finfo(torch.float32)
    yield "named result", tensor.max(0)
    yield "packed sequence", nn.utils.rnn.pack_sequence([torch.ones(2, 1)])
    yield "distribution", torch.distributions.Normal(0.0, 1.0)
    array = torch.ones(2).numpy()
    for value in (array, array[0], array.dtype, array.flat, array.data):
        yield f"NumPy's {type(value).__name__}", value
    for value in ("", 1, 1.0, 1j, [], (), {}, set(), range(1), slice(1), {}.keys(), zip(), (x for x in [])):
        yield type(value).__name__, value
    yield "function", reachable
    yield "method", [].append
    yield "property", property()
    yield "exception", ValueError("x")


def unlisted_attributes() -> dict[str, list[str]]:
    """Returns, for each owner, attributes that are neither allowed nor excluded."""
    known = names.METHODS | names.REFUSED_NAMES | CHECKED_METHODS
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for kind, value in reachable():
        fresh = [name for name in public(value) if name not in known | seen]
        seen.update(fresh)
        if fresh:
            found.setdefault(kind, []).extend(fresh)
    return found


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev gate-names", description=__doc__)
    parser.add_argument("--attributes", action="store_true", help="only attributes and methods")
    options = parser.parse_args(argv)
    if importlib.util.find_spec("torch") is None:
        print("torch is not installed")
        return 2
    tables = {} if options.attributes else unlisted_paths()
    for owner, fresh in [
        *tables.items(),
        *((f"of a {kind}", found) for kind, found in unlisted_attributes().items()),
    ]:
        print(f"{owner}: {' '.join(fresh)}")
    return 0
