"""What the documentation of the installed torch costs: reading it once, its file, and looking a symbol up."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from latency import summary
from lsp_client import client

LOOKUPS = 500
HOVERS = 300
# A training script: at its names of torch, hover shows facts, documentation and notes.
TEXT = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.head = nn.Linear(8, 10)

    def forward(self, x):
        x = F.relu(self.norm(self.conv(x)))
        return self.head(x.mean(dim=(2, 3)).flatten(1))

data = TensorDataset(torch.randn(64, 3, 8, 8), torch.randint(0, 10, (64,)))
loader = DataLoader(data, batch_size=16, shuffle=True)
model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
loss_fn = nn.CrossEntropyLoss(reduction="mean")
for x, y in loader:
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
out = torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(3, 4)).permute(1, 0).reshape(-1)
"""
SYMBOLS = (
    "Conv2d", "BatchNorm2d", "Linear", "relu", "conv(", "mean(dim", "flatten", "TensorDataset(", "randn", "randint",
    "DataLoader(", "AdamW", "lr=", "CrossEntropyLoss", "reduction", "zero_grad", "backward", "clip_grad_norm_", "step",
    "einsum", "permute", "reshape",
)  # fmt: skip


def documentation(folder: Path) -> dict[str, Any]:
    """Under the running Python, which needs torch; the file is made in `folder`."""
    from torchlsp.engine.documentation import Documentation, Unbuildable
    from torchlsp.engine.interpreters import site_packages

    docs = Documentation(sys.executable, site_packages(sys.executable), str(folder))
    start = time.perf_counter()
    try:
        docs.build()
    except Unbuildable as reason:
        return {"problem": str(reason)}
    built = time.perf_counter() - start
    assert docs.path is not None
    fresh = Documentation(sys.executable, site_packages(sys.executable), str(folder))
    start = time.perf_counter()
    assert fresh.entry("torch.Tensor.view") is not None
    first = time.perf_counter() - start
    symbols = sorted({entry.symbol for entry in fresh.search("tensor", LOOKUPS)})
    times = []
    for symbol in symbols:
        start = time.perf_counter()
        fresh.entry(symbol)
        times.append(1000 * (time.perf_counter() - start))
    times.sort()
    return {
        "versions": fresh.versions(),
        "symbols": fresh.count(),
        "build_s": round(built, 1),
        "size_mb": round(Path(docs.path).stat().st_size / 1e6, 1),
        "first_lookup_ms": round(1000 * first, 1),
        "hover": _hovers(folder),
        "lookup_ms": {
            "p50": round(times[len(times) // 2], 3),
            "p95": round(times[int(0.95 * len(times))], 3),
        },
    }


def _hovers(folder: Path) -> dict[str, Any]:
    """Hover on names of torch through the server's stdio: in a server that has to build the documentation first, and in
    one that finds it built. Milliseconds."""
    uri = (folder / "documented.py").as_uri()
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")

    def hover(server, word: str) -> str:
        offset = TEXT.index(word)
        row = TEXT.count("\n", 0, offset)
        column = offset - (TEXT.rfind("\n", 0, offset) + 1)
        place = {"line": row, "character": column}
        answer = server.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
        return answer["contents"]["value"] if answer else ""

    def timed(server, word: str) -> tuple[float, str]:
        begin = time.perf_counter()
        text = hover(server, word)
        return 1000 * (time.perf_counter() - begin), text

    def opened(server) -> None:
        server.initialize()
        server.open(uri, TEXT)
        server.diagnostics(uri, 1)

    with client(folder) as server:
        opened(server)
        unbuilt = [timed(server, "Conv2d")[0]]
        deadline = time.monotonic() + 100
        while "2D convolution over" not in hover(server, "Conv2d") and time.monotonic() < deadline:
            unbuilt.append(timed(server, "BatchNorm2d")[0])
            time.sleep(0.2)
    with client(folder) as server:
        opened(server)
        first, text = timed(server, "Conv2d")
        warm = [timed(server, SYMBOLS[number % len(SYMBOLS)]) for number in range(HOVERS)]
    return {
        "first_ms": round(first, 1),
        "first_has_docs": "2D convolution over" in text,
        "warm_ms": summary([milliseconds for milliseconds, _ in warm]),
        "while_building_ms": summary(unbuilt),
        "characters": summary([len(shown) for _, shown in warm]),
    }
