"""What `torchlsp record` costs a training loop: 20 steps of a small convolutional network and of a small transformer on the CPU.

The same script runs with and without the recorder, taking turns; ratios are of CPU seconds. The steps go on for some seconds, as
in a real run most calls are like ones before: `first` is the ratio of the first 20 steps, `later` that of the 100 after them, `whole` that of
the process with its import of torch.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

ROUNDS = 6

_CONVOLUTIONAL = """
class Block(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return F.relu(self.norm(self.conv(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(3, 16), Block(16, 32), Block(32, 64))
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.blocks(x).mean((2, 3)))


def batch():
    return torch.randn(64, 3, 32, 32), torch.randint(0, 10, (64,))
"""
_TRANSFORMER = """
class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        return self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(x.shape))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = Attention(width, heads)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return x + self.mlp(self.second(x))


class Net(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.embedding = nn.Embedding(100, width)
        self.blocks = nn.ModuleList([Block(width, 4) for _ in range(4)])
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        x = self.embedding(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


def batch():
    return torch.randint(0, 100, (8, 64)), torch.randint(0, 10, (8,))
"""
_LOOP = """
def train_step(model, optimizer):
    inputs, labels = batch()
    loss = F.cross_entropy(model(inputs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    train_step(model, optimizer)
    begin = time.process_time()
    for _ in range(20):
        train_step(model, optimizer)
    middle = time.process_time()
    for _ in range(100):
        loss = train_step(model, optimizer)
    print(middle - begin, time.process_time() - middle, loss)


main()
"""
_HEAD = "import time\n\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n"


def recording(folder: Path, rounds: int = ROUNDS) -> dict[str, Any]:
    """Ratios of CPU seconds with and without the recorder; each network in both ways in turns."""
    from torchlsp.recorder import store
    from torchlsp.recorder.running import AGENT, VARIABLE

    answers: dict[str, Any] = {}
    for name, network in (("convolutional", _CONVOLUTIONAL), ("transformer", _TRANSFORMER)):
        place = folder / f"recording_{name}"
        place.mkdir()
        script = place / "train.py"
        script.write_text(_HEAD + network + _LOOP, encoding="utf-8")
        plain, recorded = [], []
        losses = set()
        for number in range(rounds):
            run = place / f"run{number}"
            run.mkdir()
            settings = run / "settings.json"
            store.write_json(str(settings), {"root": str(place), "folder": str(run)})
            watched = {VARIABLE: str(settings), "PYTHONPATH": str(AGENT)}
            # Which of the two goes first changes from round to round.
            for kind in (plain, recorded) if number % 2 else (recorded, plain):
                seconds, loss = _seconds(script, watched if kind is recorded else {})
                kind.append(seconds)
                losses.add(loss)
            assert any(run.glob("*.jsonl")), "nothing was recorded"
        assert len(losses) == 1, losses
        lines = sum(path.read_bytes().count(b"\n") for path in run.glob("*.jsonl"))
        answers[name] = {
            "first": _ratio(recorded, plain, 0),
            "later": _ratio(recorded, plain, 1),
            "whole": _ratio(recorded, plain, 2),
            "plain_cpu_s": [round(statistics.median(one[at] for one in plain), 3) for at in range(3)],
            "lines": lines,
        }
    return answers


def _seconds(script: Path, environment: dict[str, str]) -> tuple[tuple[float, float, float], str]:
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    child = subprocess.Popen(
        [sys.executable, str(script)], env=inherited | environment, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    told = child.stdout.read().split()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, child.returncode
    return (float(told[0]), float(told[1]), usage.ru_utime + usage.ru_stime), told[2]


def _ratio(recorded: list, plain: list, at: int) -> dict[str, float]:
    """The ratio of the medians, and that of the least times, which other processes disturb less."""
    ours, theirs = [one[at] for one in recorded], [one[at] for one in plain]
    return {
        "of_medians": round(statistics.median(ours) / statistics.median(theirs), 3),
        "of_least": round(min(ours) / min(theirs), 3),
    }
