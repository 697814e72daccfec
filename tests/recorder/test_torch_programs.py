"""What is recorded of programs that use torch, and that torch does the same as without the recorder."""

from __future__ import annotations

import json
import shutil
import sys

import pytest

from torchlsp.recorder.described import (
    ObservedDevice,
    ObservedDType,
    ObservedModule,
    ObservedNumber,
    ObservedObject,
    ObservedTensor,
)
from torchlsp.recorder.reading import load_export

pytestmark = [pytest.mark.processes, pytest.mark.torch]

NET = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)
        self.weight = nn.Parameter(torch.ones(2))
        self.register_buffer("scale", torch.ones(1, dtype=torch.float64))

    def forward(self, x):
        return self.layer(x) * self.weight / self.scale

"""
TRAINING = (
    NET
    + """
def main():
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(6):
        optimizer.zero_grad()
        loss = net(torch.randn(3 + step // 5, 4)).sum()
        loss.backward()
        optimizer.step()
        print(step, loss.item())

main()
print("after", torch.rand(1).item())
"""
)


def tensor(
    *sizes: int, dtype="float32", grad=False, leaf=True, strides=None, name="Tensor"
) -> ObservedTensor:
    row_major = []
    size = 1
    for one in reversed(sizes):
        row_major.insert(0, size)
        size *= one
    return ObservedTensor(name, sizes, dtype, "cpu", strides or tuple(row_major), grad, leaf, "strided")


@pytest.fixture(scope="module")
def training(new_place):
    """A project with the training loop."""
    place = new_place()
    place.write(TRAINING)
    return place


@pytest.fixture(scope="module")
def trained(training):
    """The recorded run of the training loop, which tests only read."""
    return training.run()


@pytest.fixture(scope="module")
def printed_without_recorder(training) -> str:
    return training.plain().stdout


def test_a_training_loop(trained, printed_without_recorder):
    done = trained
    done.assert_no_errors()
    assert done.status == 0 and done.out == printed_without_recorder != ""
    calls = done.calls("forward")
    assert [call.parameters["x"] for call in calls] == [tensor(3, 4)] * 4 + [tensor(4, 4)]
    first = calls[0]
    assert first.attributes == {
        "layer": ObservedModule("torch.nn.modules.linear.Linear"),
        "weight": tensor(2, grad=True, name="Parameter"),
        "scale": tensor(1, dtype="float64"),
    }
    assert (first.grad, first.inference, first.training, first.autocast) == (True, False, True, None)
    assert first.returned == tensor(3, 2, dtype="float64", grad=True, leaf=False)
    assert first.caller is not None and first.caller[1] == "main"
    assert len({call.instance for call in calls}) == 1
    assert done.function("forward").count == 6
    assert done.record.runs[0].torch


def test_steps_stop_the_run(place, printed_without_recorder):
    place.write("import atexit\natexit.register(print, 'at exit')\n" + TRAINING)
    done = place.run(options=("--steps", "3"))
    assert done.status == 0 and "Traceback" not in done.err
    assert done.out.splitlines()[-1] == "at exit" and done.out.count("\n") == 3
    (main,) = done.calls("main")
    assert not main.is_ended and main.raised is None and main.lines_raised == frozenset()
    assert not done.record.runs[0].crashes
    assert place.run(options=("--steps", "50")).out == printed_without_recorder + "at exit\n"


def test_modes_layouts_and_dtypes(place):
    place.write(
        NET
        + """
def take(x, dtype=torch.bfloat16, device=torch.device("cpu")):
    return x

take(torch.zeros(2, 3).t())
with torch.no_grad():
    take(torch.zeros(2, dtype=torch.int64))
with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
    take(torch.zeros(()))
take(torch.eye(2).to_sparse())
"""
    )
    done = place.run()
    done.assert_no_errors()
    one, two, three, four = done.calls("take")
    assert one.parameters == {
        "x": tensor(3, 2, strides=(1, 3)),
        "dtype": ObservedDType("bfloat16"),
        "device": ObservedDevice("cpu"),
    }
    assert (one.grad, two.grad, two.parameters["x"]) == (True, False, tensor(2, dtype="int64"))
    assert (three.inference, three.autocast, three.autocast_device) == (True, "bfloat16", "cpu")
    sparse = four.parameters["x"]
    assert isinstance(sparse, ObservedTensor) and (sparse.strides, sparse.layout) == (None, "sparse_coo")


def test_hostile_tensors_run_no_code(place):
    place.write(
        """import torch

class Loud(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        print("function", function)
        return super().__torch_function__(function, types, args, kwargs or {})

    @property
    def shape(self):
        print("shape")

class Dispatching(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        print("dispatch", function)
        raise RuntimeError

class Mode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        print("mode", function)
        return function(*args, **(kwargs or {}))

def take(x):
    return 1

loud = torch.zeros(2, 3).as_subclass(Loud)
wrapped = Dispatching(torch.zeros(2))
print("begin")
take(loud)
take(wrapped)
plain = torch.zeros(5)
with Mode():
    take(plain)
torch.vmap(lambda x: x.add(take(x)))(torch.zeros(4, 3))
lazy = torch.nn.LazyLinear(3)
take(lazy.weight)
print("end")
"""
    )
    done = place.run()
    done.assert_no_errors()
    plain = place.plain()
    assert done.out == plain.stdout, done.err
    assert [call.parameters["x"] for call in done.calls("take")][:3] == [
        tensor(2, 3, name="__main__.Loud"),
        ObservedObject("__main__.Dispatching"),
        tensor(5),
    ]
    assert {type(call.parameters["x"]) for call in done.calls("take")[3:]} <= {ObservedObject}


def test_compiled_functions(place):
    place.write(
        NET
        + """
def double(x):
    return x * 2

fast = torch.compile(double, backend="eager", fullgraph=True)
net = torch.compile(Net(), backend="eager")
for size in (2, 2, 3):
    fast(torch.ones(size))
    net(torch.ones(size, 4))
import torch._dynamo.utils as utils
print(sorted(utils.counters["graph_break"].items()), utils.counters["stats"]["unique_graphs"])
traced = torch.jit.trace(double, torch.ones(2))
print(traced.graph)
"""
    )
    done = place.run()
    done.assert_no_errors()
    plain = place.plain()
    assert done.status == plain.returncode == 0, done.err
    assert done.out == plain.stdout


def test_workers_of_a_data_loader(place):
    place.write(
        """import torch
from torch.utils.data import DataLoader, Dataset

class Data(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, at):
        return torch.full((3,), float(at)), at

def collate(items):
    return torch.stack([x for x, _ in items])

if __name__ == "__main__":
    for batch in DataLoader(Data(), batch_size=2, num_workers=2, collate_fn=collate):
        print(batch.shape)
"""
    )
    done = place.run()
    done.assert_no_errors()
    assert done.out == "torch.Size([2, 3])\n" * 2
    assert done.record.runs[0].processes == 3
    assert {call.parameters["at"] for call in done.calls("__getitem__")} == {
        ObservedNumber(n) for n in range(4)
    }
    assert {call.returned for call in done.calls("collate")} == {tensor(2, 3)}


def test_ranks_of_torchrun_are_merged(place):
    place.write(
        """import torch
import torch.distributed as dist

def work(rank, x):
    dist.all_reduce(x)
    return x

if __name__ == "__main__":
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    work(rank, torch.ones(2))
    dist.destroy_process_group()
"""
    )
    run = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "main.py")
    done = place.run(*run)
    assert done.status == 0, done.err
    done.assert_no_errors()
    calls = sorted(done.calls("work"), key=lambda call: call.rank or 0)
    assert [(call.rank, call.parameters["rank"]) for call in calls] == [
        (0, ObservedNumber(0)),
        (1, ObservedNumber(1)),
    ]


def test_a_crash_keeps_the_operands_and_torchs_message(place):
    place.write(
        "import torch\n\ndef mix(a, b):\n    c = a.t()\n    return c @ b\n\nmix(torch.ones(2, 3), torch.ones(4, 5))\n"
    )
    done = place.run()
    assert done.status == 1
    (crash,) = done.record.runs[0].crashes
    assert crash.error == "RuntimeError" and "mat1 and mat2 shapes" in (crash.message or "")
    (call,) = done.calls("mix")
    assert call.raised == "RuntimeError" and call.lines_raised == {5}
    assert call.variables["c"] == tensor(3, 2, strides=(1, 3)) and call.variables["b"] == tensor(4, 5)


def test_an_exported_file_says_the_same_elsewhere(trained, tmp_path):
    target = tmp_path / "facts.json"
    from torchlsp.cli.main import main

    options = ["--root", str(trained.root), "--cache-dir", str(trained.cache)]
    assert main(["record", "export", *options, str(target)]) == 0
    assert str(trained.root) not in target.read_text()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "main.py").write_text(TRAINING)
    record = load_export(str(target), str(elsewhere))
    here = trained.record.functions(str(trained.root / "main.py"))
    there = record.functions(str(elsewhere / "main.py"))
    assert [(one.qualname, one.digest, one.count, len(one.calls)) for one in here] == [
        (one.qualname, one.digest, one.count, len(one.calls)) for one in there
    ]
    assert [call.parameters for one in here for call in one.calls] == [
        call.parameters for one in there for call in one.calls
    ]


def test_what_show_and_status_print(trained, tmp_path, capsys):
    cache = shutil.copytree(trained.cache, tmp_path / "cache")
    from torchlsp.cli.main import main

    options = ["--root", str(trained.root), "--cache-dir", str(cache)]
    assert main(["record", "show", *options, str(trained.root / "main.py"), "--function", "forward"]) == 0
    out = capsys.readouterr().out
    assert "forward   6 calls in the run of" in out
    assert "    x: f32[3..4, 4]\n" in out and "    self.weight: f32[2] grad\n" in out
    assert "    returned f64[3..4, 2] grad\n" in out
    assert main(["record", "status", *options, "--output-format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["runs"]) == 1 and told["runs"][0]["status"] == 0 and told["files"] == 1
    assert main(["record", "clear", *options]) == 0
    assert main(["record", "status", *options]) == 0
    assert "no runs" in capsys.readouterr().out
