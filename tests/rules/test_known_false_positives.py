"""False positives of other checkers on real code stay silent, and a twin of each that is wrong is reported."""

from __future__ import annotations

import textwrap

import pytest

from torchlsp.core.text import Document
from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine, Options

IMPORTS = """
import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
"""


def codes(source: str, imports: str = IMPORTS) -> list[str]:
    engine = Engine(Options(Overrides(isolated=True)))
    result = engine.check_document(Document("lesson.py", imports + textwrap.dedent(source)))
    assert not result.internal_errors, result.internal_errors
    return [finding.rule for finding in result.findings]


# ---- f(**kwargs) means that an argument is unknown, never that it is missing ---------------------------------------


@pytest.mark.parametrize(
    "silent",
    [
        "def f(**kw):\n    return F.cross_entropy(torch.randn(8, 3), torch.zeros(8, **kw))",
        "def f(**kw):\n    return torch.zeros(4, 6, **kw).numpy()",
        "def f(kw):\n    out, _ = nn.LSTM(6, 8, **kw)(torch.randn(2, 7, 6))\n    return out.view(-1, 8)",
        "def f(kw):\n    return nn.Sequential(nn.Linear(4, 8, **kw), nn.Linear(8, 2, **kw))(torch.randn(3, 4))",
        "def f(kw):\n    return torch.randn(2, 3, 4).permute(**kw).view(24)",
        "def f(*dims):\n    return torch.randn(2, 3, 4).permute(*dims).view(24)",
        "def f(*sizes):\n    return torch.randn(2, 3).t().view(*sizes)",
        "def f(kw):\n    return torch.randn(2, 3, 4).transpose(1, 2).contiguous(**kw).view(24)",
        "def f(kw):\n    x = torch.randn(2, 3, 4).transpose(1, 2).to(**kw)\n    return x.cpu().numpy()",
        "def f(kw):\n    return nn.CrossEntropyLoss(**kw)(torch.randn(8, 3), torch.randint(0, 3, (8,), **kw))",
    ],
)
def test_arguments_behind_stars_are_unknown(silent):
    assert codes(silent) == []


def test_the_same_without_stars_is_reported():
    assert codes("F.cross_entropy(torch.randn(8, 3), torch.zeros(8))") == ["TL201"]
    assert codes(
        "def f():\n    out, _ = nn.LSTM(6, 8, batch_first=True)(torch.randn(2, 7, 6))\n    return out.view(-1, 8)"
    ) == ["TL101"]
    assert codes("torch.randn(2, 3, 4).permute(0, 2, 1).view(24)") == ["TL101"]
    assert codes("nn.Sequential(nn.Linear(4, 8), nn.Linear(9, 2))(torch.randn(3, 4))") == ["TL121"]


def test_gradients_cleared_with_arguments_behind_stars_are_cleared():
    loop = """
    def train(model, loader, clear):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x, y in loader:
            {}
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    """
    assert codes(loop.format("optimizer.zero_grad(**clear)")) == []
    assert codes(loop.format("pass")) == ["TL501"]


# ---- a list of tensors that forward returns is no leak -------------------------------------------------------------


def test_feature_maps_collected_in_forward_are_no_fault():
    assert (
        codes("""
        class Backbone(nn.Module):
            def __init__(self):
                super().__init__()
                self.stages = nn.ModuleList([nn.Conv2d(3, 8, 3), nn.Conv2d(8, 16, 3)])

            def forward(self, x):
                features, by_name = [], {}
                for i, stage in enumerate(self.stages):
                    x = stage(x)
                    features.append(x)
                    by_name[f"stage{i}"] = x
                return features, by_name

        class Head(nn.Module):
            def __init__(self):
                super().__init__()
                self.backbone = Backbone()
                self.score = nn.Conv2d(16, 5, 1)

            def forward(self, x):
                features, by_name = self.backbone(x)
                losses = [feature.mean() for feature in features]
                return self.score(features[-1]), torch.stack(losses).sum()
        """)
        == []
    )


def test_tensors_of_several_shapes_in_one_list_are_not_taken_for_one():
    assert (
        codes("""
        def pyramid(x):
            levels = []
            for i in range(5):
                levels.append(x)
                x = F.max_pool2d(x, 2)
            top = levels[-1].flatten(1)
            return torch.cat([level.flatten(1) for level in levels], dim=1), top @ top.t()
        """)
        == []
    )


# ---- .to(x) is a move only where x is a device ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "moved",
    [
        "torch.float64",
        "x.dtype",
        "other",
        "torch.zeros(1)",
        "options['place']",
        "device",
        "memory_format=torch.channels_last",
    ],
)
def test_to_of_something_that_is_no_device_is_no_move(moved):
    assert (
        codes(
            f"def f(other, device, options):\n    x = torch.ones(2, 3, 4, 5)\n    return x.to({moved}).numpy()"
        )
        == []
    )


@pytest.mark.parametrize(
    "moved", ["'cuda'", "torch.device('cuda')", "gpu", "torch.ones(1, device='cuda')", "0"]
)
def test_to_of_a_device_is_a_move(moved):
    assert codes(f"gpu = torch.device('cuda', 0)\nprint(torch.ones(2).to({moved}).numpy())") == ["TL301"]


# ---- try: new, except ImportError: old is compatibility ------------------------------------------------------------


def test_a_name_imported_in_two_ways_is_either_of_them():
    assert (
        codes("""
        try:
            from torch.amp import GradScaler
        except ImportError:
            from torch.cuda.amp import GradScaler
        try:
            from fused import cross_entropy
        except ImportError:
            from torch.nn.functional import cross_entropy
        try:
            import cupy as xp
        except ImportError:
            xp = np

        def train(model, optimizer, loader):
            scaler = GradScaler()
            for x, y in loader:
                optimizer.zero_grad()
                loss = cross_entropy(model(x), y.int())
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
            return xp.asarray(torch.ones(2, device="cuda"))
        """)
        == []
    )


def test_a_flag_of_an_optional_import_decides_nothing():
    assert (
        codes("""
        try:
            import apex
            HAS_APEX = True
        except ImportError:
            HAS_APEX = False

        def norm(x):
            x = x.transpose(1, 2)
            if not HAS_APEX:
                x = x.contiguous()
            return x.view(x.shape[0], -1)
        """)
        == []
    )


# ---- code that provokes an error on purpose ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "test",
    [
        "with pytest.raises(RuntimeError):\n    torch.ones(2, 3).t().view(6)",
        "try:\n    torch.ones(2, 3).t().view(6)\nexcept RuntimeError:\n    print('as expected')",
        "class T(unittest.TestCase):\n    def test(self):\n        with self.assertRaises(RuntimeError):\n"
        "            torch.ones(2, 3).t().view(6)",
        "with contextlib.suppress(RuntimeError):\n    torch.ones(2, 3).t().view(6)",
    ],
)
def test_an_error_that_is_caught_on_purpose_is_no_finding(test):
    assert codes("import contextlib\nimport unittest\nimport pytest\n" + test) == []


def test_an_error_in_a_block_that_catches_something_else_is_reported():
    assert codes("try:\n    torch.ones(2, 3).t().view(6)\nexcept KeyError:\n    pass") == ["TL101"]


# ---- read the binding, not the name --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        # Methods of the same name on other objects
        "class Table:\n    def t(self):\n        return self\n    def view(self, *size):\n        return self\n"
        "Table().t().view(6)",
        "a = np.ones((2, 3)).T.view(np.int64)",
        "def f(frame):\n    return frame.T.view(6).numpy()",
        "class Loss:\n    def backward(self): ...\nclass Env:\n    def step(self): ...\n"
        "def play(env, loss):\n    for _ in range(3):\n        loss.backward()\n        env.step()",
        "def play():\n    env, loss = Env(), Loss()\n    for _ in range(3):\n        loss.backward()\n        env.step()\n"
        "class Env:\n    def step(self): ...\nclass Loss:\n    def backward(self): ...",
        # A rank that is no rank, collectives that are none
        "def solve(rank):\n    if rank == 0:\n        all_reduce(torch.ones(2))\ndef all_reduce(x):\n    return x.sum()",
        "class Tucker:\n    def __init__(self):\n        self.rank = 4\n"
        "    def run(self, x):\n        if self.rank == 4:\n            dist.all_reduce(x)",
        "class Pool:\n    def barrier(self): ...\ndef f(pool):\n    if dist.get_rank() == 0:\n        pool.barrier()",
        # Names of torch that mean something else here
        "def cross_entropy(a, b):\n    return a\ncross_entropy(torch.randn(8, 3), torch.zeros(8))",
        "class F:\n    @staticmethod\n    def cross_entropy(a, b):\n        return a\n"
        "F.cross_entropy(torch.randn(8, 3), torch.zeros(8))",
        "def f(torch):\n    return torch.ones(2, 3).t().view(6)",
        "import jax.numpy as torch\ntorch.ones((2, 3)).T.view(6)",
        "class CrossEntropyLoss(nn.Module):\n    def forward(self, a, b):\n        return a.sum() + b.sum()\n"
        "CrossEntropyLoss()(torch.randn(8, 3), torch.zeros(8))",
        "device = 'cuda'\ndef f(device):\n    return torch.ones(2, device=device).numpy()",
        "def f(cuda):\n    return torch.ones(2).to(cuda).numpy()",
    ],
)
def test_the_binding_is_read_not_the_name(source):
    assert codes(source) == []


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("from torch import ones as anything\nanything(2, 3).t().view(6)", "TL101"),
        ("ce = F.cross_entropy\nce(torch.randn(8, 3), torch.zeros(8))", "TL201"),
        ("flatten = torch.Tensor.view\nflatten(torch.ones(2, 3).t(), 6)", "TL101"),
        (
            "from torch.distributed import get_rank as where, all_reduce as add_up\n"
            "if where() == 0:\n    add_up(torch.ones(2))",
            "TL801",
        ),
        ("place = 'cuda'\ntorch.ones(2, device=place).numpy()", "TL301"),
    ],
)
def test_another_name_for_the_same_thing_is_followed(source, code):
    assert codes(source) == [code]


# ---- false alarms of our own, found on public code -----------------------------------------------------------------


def test_what_a_framework_does_on_one_process_is_no_collective():
    source = """
    from accelerate import Accelerator

    def stop(loss):
        accelerator = Accelerator()
        if accelerator.is_main_process:
            accelerator.{}()
    """
    assert codes(source.format("set_trigger")) == []
    assert codes(source.format("check_trigger")) == ["TL804"]


def test_a_size_of_which_nothing_is_known_may_be_a_whole_shape():
    source = """
    class Encoder(nn.Module):
        def __init__(self, config):
            super().__init__()
            for name in config:
                setattr(self, name, config[name])

    class Model(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.encoder = Encoder(config)
            self.levels = nn.Parameter(torch.Tensor(3, config.dim))

        def forward(self):
            grid = torch.ones(self.encoder.size, device=self.levels.device)
            return grid.cumsum(dim=1).t().view(4, 2), self.levels[0].view(1, 1, -1)
    """
    assert codes(source) == []


# ---- a conversion whose result is dropped does no harm where the tensor is moved later ------------------------------

MOVES = """
def spikes(inputs, device):
    return torch.einsum("ab,bc->ac", inputs.to(device), torch.ones(3, 2, device=device))
"""


def test_a_tensor_that_is_moved_where_it_is_used_is_no_discarded_conversion() -> None:
    by_callee = (
        "def f(device):\n    rows = torch.ones(2, 3)\n    rows.to(device)\n    return spikes(rows, device)\n"
    )
    again = "def f(device):\n    rows = torch.ones(2, 3)\n    rows.to(device)\n    rows = rows.float().to(device)\n    return rows + 1\n"
    never = "def f(device):\n    rows = torch.ones(2, 3)\n    rows.to(device)\n    return rows + 1\n"
    assert [codes(MOVES + one) for one in (by_callee, again, never)] == [[], [], ["TL304"]]


# ---- what is written through `.data` to mask an entry leaves the gradients right -------------------------------------

ENTRIES = """
class Crf(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(count, count))

    def decode(self, forward):
        terminal = forward.exp() + self.transitions[1]
        terminal.data[2] = {value}
        return terminal
"""


def test_an_entry_that_is_masked_through_data_is_no_lost_change() -> None:
    assert [codes(ENTRIES.format(value=one)) for one in ("-10000.0", "float('-inf')", "1.0")] == [
        [],
        [],
        ["TL407"],
    ]
