"""A part that does not parse may do anything: nothing is believed of the rest that it may change, and the rest is checked."""

from __future__ import annotations

import textwrap

import pytest

from torchlsp.core.text import Document
from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine, Options


def rows(source: str) -> list[tuple[str, int]]:
    """Returns the rules that report, each with the text of its row."""
    document = Document("net.py", textwrap.dedent(source))
    result = Engine(Options(Overrides(isolated=True, extend_select=("TL314",)))).check_document(document)
    assert not result.internal_errors, result.internal_errors
    return [
        (one.rule, document.text.splitlines()[document.row_column(one.span.start)[0] - 1].strip())
        for one in result.findings
        if one.rule != "TL000"
    ]


NETS = """
    import torch
    from torch import nn

    class Part(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(4, 3), nn.Linear(5, 2)

        def forward(self, x):
            return self.second(self.first(x))

    class Net(nn.Module):
        def __init__(self):
            {init}
            self.part = Part()

    {broken}
"""
BROKEN = "class Wide(nn.Module):\n        def __init__(self, depth):\n            super().__init__(),,\n"


def test_what_a_broken_class_calls_keeps_its_meaning_elsewhere():
    assert rows(NETS.format(init="super().__init__()", broken=BROKEN)) == [
        ("TL121", "return self.second(self.first(x))")
    ]
    assert rows(NETS.format(init="pass", broken=BROKEN)) == [
        ("TL121", "return self.second(self.first(x))"),
        ("TL601", "self.part = Part()"),
    ]


@pytest.mark.parametrize(
    "other",
    [
        "super = find(,",
        "from mine import super,,",
        "def super(x:\n        pass",
        "for super in (1,,):\n        pass",
    ],
)
def test_super_may_be_another_one(other):
    assert rows(NETS.format(init="super().__init__()", broken=other)) == [
        ("TL121", "return self.second(self.first(x))")
    ]


def test_super_of_another_library_may_run_the_constructor():
    other = "from future.builtins import super"
    assert rows(NETS.format(init="super().__init__()", broken=other)) == [
        ("TL121", "return self.second(self.first(x))")
    ]
    python = "from builtins import super"
    assert rows(NETS.format(init="pass", broken=python))[1:] == [("TL601", "self.part = Part()")]


SIZES = """
    import torch

    class Sized:
        height = 3

        def project(self, x):
            return torch.zeros(2, self.height) @ torch.zeros(5, 2)

    Sized()

    {rest}
"""
PROJECTS = ("TL105", "return torch.zeros(2, self.height) @ torch.zeros(5, 2)")


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("def change(sized: Sized):\n        sized.height = 5,,", []),
        ("class Tall(Sized):\n        height = 5,,", []),
        ("def change(sized: Sized):\n        sized.width = 5,,", [PROJECTS]),
    ],
)
def test_attributes_that_the_broken_part_mentions_may_be_others(rest, found):
    assert rows(SIZES.format(rest=rest)) == found


SCHEDULES = """
    import torch
    from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR

    def train(model, loss):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for scheduler in (ReduceLROnPlateau(optimizer), StepLR(optimizer, 2)):
            optimizer.step()
            if isinstance(scheduler, ReduceLROnPlateau):
                scheduler.step({metric})
            else:
                scheduler.step()

    class Plateau(ReduceLROnPlateau):
        def step(self, metrics=0.0, epoch=None):
            super().step(metrics),,
"""


def test_the_bases_of_a_broken_class_keep_their_meaning():
    assert rows(SCHEDULES.format(metric="loss")) == []
    assert rows(SCHEDULES.format(metric="")) == [("TL508", "scheduler.step()")]


ON_THE_GPU = """
    import torch

    x = torch.ones(3).cuda()


    def check():
        return torch.{name}(){end}
"""


def test_a_broken_part_may_hold_what_the_file_lacks():
    lacks = [("TL314", "x = torch.ones(3).cuda()")]
    assert rows(ON_THE_GPU.format(name="rand", end="")) == lacks
    assert rows(ON_THE_GPU.format(name="cuda.is_available", end="")) == []
    assert rows(ON_THE_GPU.format(name="cuda.is_available", end=",,")) == []


def test_a_broken_part_may_set_the_transform_of_a_dataset():
    source = """
    from torch.utils.data import DataLoader
    from torchvision import datasets

    def prepare(dataset):
        {what}

    train = datasets.MNIST("data")
    prepare(train)
    loader = DataLoader(train)
    """
    reported = [("TL709", "loader = DataLoader(train)")]
    assert rows(source.format(what="return dataset")) == reported
    assert rows(source.format(what="dataset.classes = [],,")) == reported
    assert rows(source.format(what="dataset.transform = None,,")) == []


@pytest.mark.parametrize(
    "call", ["dist.all_reduce(grad)", "average_gradients(model)", "torch.cuda.synchronize()"]
)
def test_a_broken_part_may_average_the_gradients(call):
    source = """
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel as DDP

    def under_its_old_name(x):
        net = nn.Linear(4, 1)
        model = DDP(net)
        out = net(x)
        out.mean().backward()
        return model

    def after(model, grad):
        {call},,
    """
    averages = "synchronize" not in call
    assert rows(source.format(call=call)) == ([] if averages else [("TL811", "out = net(x)")])


@pytest.mark.parametrize("call", ["set_start_method", "get_start_method"])
def test_a_broken_part_may_set_the_start_method_of_processes(call):
    source = """
    import torch
    from torch import multiprocessing
    from torch.utils.data import DataLoader, Dataset

    class Moved(Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, index):
            return torch.zeros(3).cuda()

    loader = DataLoader(Moved(), num_workers=2)

    def main():
        multiprocessing.{call}("spawn"),,
    """
    found = rows(source.format(call=call))
    assert [rule for rule, _ in found] == ([] if call.startswith("set") else ["TL707"])


STEPS = """
    import torch
    from torch import nn

    def run(model, optimizer, features):
        for part in features:
            {clears}
            model(part).sum().backward()
            {steps}

    def caller(features):
        model = nn.Linear(4, 3)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        run(model, optimizer, features)
        optimizer.{called}(){end}
"""


def test_a_broken_part_may_step():
    never = {"clears": "optimizer.zero_grad()", "steps": "pass", "called": "step"}
    assert rows(STEPS.format(end=",,", **never)) == []
    assert rows(STEPS.format(end="", **never)) == []


def test_a_broken_part_may_clear_the_gradients():
    kept = {"clears": "pass", "steps": "optimizer.step()"}
    assert rows(STEPS.format(end=",,", called="zero_grad", **kept)) == []
    assert [rule for rule, _ in rows(STEPS.format(end=",,", called="state_dict", **kept))] == ["TL501"]
