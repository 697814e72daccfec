"""What a file alone assumes of its parameters is withdrawn where calls in other files of the run pass something else."""

import pytest

from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine
from torchlsp.engine.options import Options

NET = """\
import torch


def rows(x):
    n, d = x.shape
    return torch.relu(x).transpose(0, 1).view(n * d)


def lost(x):
    n, d = x.shape
    kept = torch.ones(n, d)
    kept.cos().double()
    kept.unsqueeze(0)
    return x.transpose(0, 1).view(n * d), kept
"""
TRANSPOSED = (
    "import torch\nfrom net import rows, lost\n\nrows(torch.ones(4, 3).t())\nlost(torch.ones(4, 3).t())\n"
)
CONTIGUOUS = "import torch\nfrom net import rows\n\nrows(torch.ones(3, 4))\n"
UNKNOWN = "import numpy as np\nimport torch\nfrom net import rows, lost\n\nrows(torch.load('x'))\nlost(torch.load('x'))\n"


def found(folder, monkeypatch, texts, **options):
    monkeypatch.chdir(folder)
    for name, text in texts.items():
        (folder / name).write_text(text)
    result = Engine(Options(**options)).check(sorted(texts))
    assert not result.internal_errors
    return [
        (one.path, one.rule, result.documents[one.path].row_column(one.span.start)[0])
        for one in result.findings
    ]


ALONE = [("net.py", "TL101", 6), ("net.py", "TL901", 13), ("net.py", "TL101", 14)]


def test_what_is_assumed_of_parameters_is_told_of_a_file_alone(tmp_path, monkeypatch):
    assert found(tmp_path, monkeypatch, {"net.py": NET}) == ALONE


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.processes)])
def test_a_call_with_known_arguments_withdraws_what_it_does_not_find(tmp_path, monkeypatch, jobs):
    texts = {"net.py": NET, "use.py": TRANSPOSED}
    assert found(tmp_path, monkeypatch, texts, jobs=jobs) == [("net.py", "TL901", 13)]


def test_a_finding_that_another_call_leads_to_stays(tmp_path, monkeypatch):
    texts = {"net.py": NET, "use.py": TRANSPOSED, "well.py": CONTIGUOUS}
    assert found(tmp_path, monkeypatch, texts) == ALONE[:2]


def test_a_call_with_unknown_arguments_withdraws_nothing(tmp_path, monkeypatch):
    assert found(tmp_path, monkeypatch, {"net.py": NET, "use.py": UNKNOWN}) == ALONE


def test_a_file_that_is_not_in_the_run_withdraws_nothing(tmp_path, monkeypatch):
    (tmp_path / "use.py").write_text(TRANSPOSED)
    assert found(tmp_path, monkeypatch, {"net.py": NET}) == ALONE


def test_kept_results_withdraw_the_same(tmp_path, monkeypatch):
    texts, cache = {"net.py": NET, "use.py": TRANSPOSED}, str(tmp_path / "cache")
    first = found(tmp_path, monkeypatch, texts, cache=cache)
    assert first == found(tmp_path, monkeypatch, texts, cache=cache) == [("net.py", "TL901", 13)]
    assert found(tmp_path, monkeypatch, {**texts, "use.py": UNKNOWN}, cache=cache) == ALONE


def test_fixes_leave_alone_what_is_withdrawn(tmp_path, monkeypatch):
    texts = {"net.py": NET, "use.py": TRANSPOSED}
    assert found(tmp_path, monkeypatch, texts, fix=True) == [("net.py", "TL901", 13)]
    assert "reshape" not in (tmp_path / "net.py").read_text()
    found(tmp_path, monkeypatch, {"net.py": NET}, fix=True)
    assert "reshape" in (tmp_path / "net.py").read_text()


def test_a_script_that_calls_its_own_function_contradicts_what_is_assumed_of_it(
    tmp_path, monkeypatch
) -> None:
    net = NET.partition("\n\ndef lost")[0]
    passes, fails = "rows(torch.ones(4, 3).t())\n", "rows(torch.ones(3, 4))\n"
    assert found(tmp_path, monkeypatch, {"net.py": f"{net}\n\n{passes}"}) == []
    assert found(tmp_path, monkeypatch, {"net.py": f"{net}\n\n{fails}"}) == [("net.py", "TL101", 6)]
    tried = f'{net}\n\nif __name__ == "__main__":\n    {passes}'  # perhaps with one sample
    assert found(tmp_path, monkeypatch, {"net.py": tried}) == [("net.py", "TL101", 6)]


def test_a_call_of_a_cast_module_in_another_file_contradicts_its_dtype(tmp_path, monkeypatch) -> None:
    net = """\
import numpy as np
import torch
from torch import nn


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(x + torch.from_numpy(np.random.laplace(size=(x.size(0), x.size(1)))))
"""
    calls = "import torch\nfrom net import Noisy\n\nNoisy(){}(torch.ones(3, 4){})\n"
    texts = {"net.py": net, "train.py": calls.format(".double()", ".double()")}
    assert found(tmp_path, monkeypatch, texts) == []
    texts = {"net.py": net, "train.py": calls.format("", "")}
    assert found(tmp_path, monkeypatch, texts) == [("net.py", "TL213", 12)]


DROPS = """\
import torch
from torch import nn
from torch.nn import functional as F


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(8, 1)

    def forward(self, x):
        return self.score(F.dropout(x, 0.2))
"""
TRAINED = """\
from critic import Critic

critic = Critic()
for x in batches:
    critic(x).mean().backward()
"""


@pytest.mark.parametrize(
    ("evaluated", "shown"),
    [
        ("", False),
        ("critic.train()", False),
        ("critic.eval()", True),
        ("critic.train(False)", True),
        ("critic.train(mode=False)", True),
        ("critic.train(not True)", True),
        ("import lightning", True),
    ],
)
def test_dropout_that_eval_does_not_switch_off_is_shown_where_a_module_is_evaluated(
    tmp_path, monkeypatch, evaluated, shown
):
    texts = {"critic.py": DROPS, "train.py": f"{TRAINED}{evaluated}\n"}
    assert found(tmp_path, monkeypatch, texts) == [("critic.py", "TL609", 12)] * shown


def test_dropout_that_eval_does_not_switch_off_is_shown_where_nothing_is_trained(tmp_path, monkeypatch):
    assert found(tmp_path, monkeypatch, {"critic.py": DROPS}) == [("critic.py", "TL609", 12)]


def test_dropout_that_eval_does_not_switch_off_is_shown_in_training_on_request(tmp_path, monkeypatch):
    texts = {"critic.py": DROPS, "train.py": TRAINED}
    asked = Overrides(select=("TL609",))
    assert found(tmp_path, monkeypatch, texts, overrides=asked) == [("critic.py", "TL609", 12)]


LOADED = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.GroupNorm(2, 4)

    def load_from(self, weights):
        self._copy(weights)

    def _copy(self, weights):
        self.norm.weight.copy_(weights["scale"])
"""


@pytest.mark.parametrize(
    ("use", "rows"),
    [
        ("def load(net, weights):\n    with torch.no_grad():\n        for part in net.children():\n            part.load_from(weights)\n", []),
        ("@torch.no_grad()\ndef load(net, weights):\n    for part in net.children():\n        part.load_from(weights)\n", []),
        ("def load(net, weights):\n    for part in net.children():\n        part.load_from(weights)\n", [14]),
        ("def evaluate(net, x):\n    with torch.no_grad():\n        return net(x)\n", [14]),
        ("with torch.no_grad():\n    made = Block()\n", [14]),
    ],
)  # fmt: skip
def test_what_is_called_where_gradients_are_off_is_not_assumed_to_compute_them(
    tmp_path, monkeypatch, use, rows
):
    texts = {"block.py": LOADED, "use.py": f"import torch\nfrom block import Block\n\n{use}"}
    assert found(tmp_path, monkeypatch, texts) == [("block.py", "TL401", row) for row in rows]


def test_what_its_own_file_calls_where_gradients_are_off_is_not_assumed_to_compute_them(
    tmp_path, monkeypatch
):
    own = "\n\ndef load(net, weights):\n    with torch.no_grad():\n        net.load_from(weights)\n"
    assert found(tmp_path, monkeypatch, {"block.py": LOADED + own}) == []


HALVES = """\
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(4, width, 3)

    def forward(self, x: torch.Tensor):
        return self.conv(x.half())
"""
OF_CELLS = "from torch import nn\nfrom net import Cell\n\n\ndef build(widths):\n    return nn.Sequential(*map(Cell, widths))\n"
PATCHES = """\
import torch
from apex import amp
from model import build


def train(widths, optimizer, fp16):
    model = build(widths)
    if fp16:
        model, optimizer = amp.initialize(model, optimizer, opt_level="{}")
    return model
"""


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.processes)])
def test_functions_that_apex_patches_for_an_importing_file_take_any_dtype(tmp_path, monkeypatch, jobs):
    texts = {"net.py": HALVES, "model.py": OF_CELLS, "train.py": PATCHES.format("O1")}
    assert found(tmp_path, monkeypatch, texts, jobs=jobs) == []
    reported = [("net.py", "TL230", 11)]
    assert (
        found(tmp_path, monkeypatch, texts | {"train.py": PATCHES.format("O0")}, jobs=jobs) == reported
    )  # casts nothing
    alone = {"net.py": HALVES, "model.py": "", "train.py": PATCHES.format("O1")}
    assert found(tmp_path, monkeypatch, alone, jobs=jobs) == reported


def test_functions_that_apex_patches_take_any_dtype_in_the_file_itself(tmp_path, monkeypatch):
    patches = PATCHES.replace("from model import build", "").replace("build(", "Cell(")
    assert found(tmp_path, monkeypatch, {"net.py": HALVES + patches.format("O1")}) == []
    assert found(tmp_path, monkeypatch, {"net.py": HALVES + patches.format("O0")}) == [
        ("net.py", "TL230", 11)
    ]


MIXED = """\
import torch
from torch import nn


class Narrow(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor):
        return self.proj(x.half())
"""
RUN = "import torch\nfrom mixed import Narrow\nfrom steps import step\n\nnet = Narrow().cuda()\nstep(net, batches)\n"


@pytest.mark.parametrize(
    ("steps", "is_found"),
    [
        ("def step(net, batch):\n    with torch.autocast('cuda'):\n        return net(batch)\n", False),
        ("def step(net, batch):\n    for p in net.parameters():\n        p.data = p.data.half()\n    return net(batch)\n", False),
        ("def step(net, batch):\n    return net(batch)\n", True),
        ("def step(net, batch):\n    return net(batch).data.double()\n", True),
        ("def step(net, batch):\n    return net(batch)\n\ndef other(net, x):\n    with torch.autocast('cuda'):\n        return net(x)\n", True),
    ],
)  # fmt: skip
def test_half_precision_meets_what_autocast_and_casts_make_of_a_module(
    tmp_path, monkeypatch, steps, is_found
):
    texts = {"mixed.py": MIXED, "steps.py": f"import torch\n\n{steps}", "train.py": RUN}
    assert found(tmp_path, monkeypatch, texts) == [("mixed.py", "TL230", 11)] * is_found


MADE = """\
import torch
from config import dev


def powers(a: torch.Tensor):
    found = torch.eye(3)
    return found + torch.matrix_power(a, 2).to(dev)
"""
CONFIG = """\
import torch

if torch.cuda.is_available():
    dev = torch.device("cuda")
{set}
else:
    dev = torch.device("cpu")
"""


@pytest.mark.parametrize(
    ("sets", "is_found"),
    [
        ("    torch.set_default_tensor_type('torch.cuda.FloatTensor')", False),
        ("    torch.set_default_device(dev)", False),
        ("    print(dev)", True),
    ],
)
def test_a_default_device_that_another_file_sets_is_not_taken_for_the_cpu(
    tmp_path, monkeypatch, sets, is_found
):
    texts = {"made.py": MADE, "config.py": CONFIG.replace("{set}", sets)}
    assert found(tmp_path, monkeypatch, texts) == [("made.py", "TL303", 7)] * is_found


DOUBLE = """\
import numpy as np
import torch


def product(count: int):
    return torch.ones(count, 3) @ torch.from_numpy(np.zeros((3, 3)))
"""


@pytest.mark.parametrize(
    ("sets", "is_found"),
    [
        ("torch.set_default_dtype(torch.double)", False),
        ("torch.set_default_tensor_type(torch.DoubleTensor)", False),
        ("torch.set_num_threads(1)", True),
    ],
)
def test_a_default_dtype_that_another_file_sets_is_not_taken_for_float32(
    tmp_path, monkeypatch, sets, is_found
):
    texts = {"product.py": DOUBLE, "loader.py": f"import torch\n\n{sets}\n"}
    assert found(tmp_path, monkeypatch, texts) == [("product.py", "TL213", 6)] * is_found
