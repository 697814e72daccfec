"""Source text made by rule: a corpus that needs no network, and inputs that double in one respect."""

from __future__ import annotations

from pathlib import Path

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n\n"

_LAYERS = '''class Attention{n}(nn.Module):
    """Multi-head attention with {heads} heads."""

    def __init__(self, dim={dim}, heads={heads}, drop=0.1):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.proj = nn.Linear(dim, dim)
        self.drop = nn.Dropout(drop)

    def forward(self, x, mask=None):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        weights = (q @ k.transpose(-2, -1)) * self.scale
        if mask is not None:
            weights = weights.masked_fill(mask, float("-inf"))
        weights = self.drop(weights.softmax(dim=-1))
        x = (weights @ v).transpose(1, 2).reshape(b, n, c)
        return self.proj(x)


class Block{n}(nn.Module):
    def __init__(self, dim={dim}):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attention = Attention{n}(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.mlp(self.norm2(x))


class Network{n}(nn.Module):
    def __init__(self, channels=3, dim={dim}, depth=4, classes={classes}):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(channels, dim // 2, 3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(dim // 2),
            nn.ReLU(inplace=True),
            nn.Conv2d(dim // 2, dim, 3, stride=2, padding=1),
        )
        self.blocks = nn.ModuleList([Block{n}(dim) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)

    def forward_features(self, images):
        x = self.stem(images)
        x = x.flatten(2).transpose(1, 2)
        for block in self.blocks:
            x = block(x)
        return self.norm(x)

    def forward(self, images, return_features=False):
        features = self.forward_features(images)
        pooled = features.mean(dim=1)
        if return_features:
            return pooled
        return self.head(pooled)


def prepare_batch_{n}(batch, device, half=False):
    images, labels = batch["image"], batch["label"]
    images = images.to(device, non_blocking=True)
    if half:
        images = images.half()
    return images / 255.0, labels.to(device)


def train_epoch_{n}(model, loader, optimizer, device, clip=None, log_every=50):
    model.train()
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    total, seen = 0.0, 0
    for step, batch in enumerate(loader):
        images, labels = prepare_batch_{n}(batch, device)
        optimizer.zero_grad(set_to_none=True)
        logits = model(images)
        loss = criterion(logits, labels)
        loss.backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total += loss.item() * len(labels)
        seen += len(labels)
        if step % log_every == 0:
            print(f"step {{step}} loss {{total / seen:.4f}}")
    return total / max(seen, 1)


@torch.no_grad()
def evaluate_{n}(model, loader, device):
    model.eval()
    correct = torch.zeros((), dtype=torch.long, device=device)
    count = 0
    for batch in loader:
        images, labels = prepare_batch_{n}(batch, device)
        predicted = model(images).argmax(dim=1)
        correct += (predicted == labels).sum()
        count += labels.shape[0]
    return correct.item() / max(count, 1)


def export_{n}(model, path, size={size}):
    example = torch.randn(1, 3, size, size)
    traced = torch.jit.trace(model.eval().cpu(), example)
    state = {{key: value.detach().cpu() for key, value in model.state_dict().items()}}
    torch.save({{"state": state, "size": size}}, path)
    return traced


'''


def write_corpus(folder: Path, size: int = 200_000) -> list[Path]:
    """Files of training code, about `size` bytes in all; each run writes the same text."""
    paths: list[Path] = []
    written = number = 0
    while written < size:
        parts = [HEAD]
        for _ in range(3):
            number += 1
            parts.append(_training_code(number))
        path = folder / f"part_{len(paths):02}.py"
        path.write_text("".join(parts), encoding="utf-8")
        written += path.stat().st_size
        paths.append(path)
    return paths


def training_file(lines: int) -> str:
    """One file of training code, of about so many lines."""
    parts = [HEAD]
    number = 0
    while sum(part.count("\n") for part in parts) < lines:
        number += 1
        parts.append(_training_code(number))
    return "".join(parts)


_RUN = """def main(path="weights.pt", size=32, epochs=2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Network1(depth=2).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    images = torch.randn(8, 3, size, size)
    labels = torch.randint(0, 10, (8,))
    loader = [{"image": images, "label": labels}]
    for epoch in range(epochs):
        loss = train_epoch_1(model, loader, optimizer, device)
        accuracy = evaluate_1(model, loader, device)
        print(f"epoch {epoch} loss {loss:.3f} accuracy {accuracy:.3f}")
    torch.save(model.state_dict(), path)


if __name__ == "__main__":
    main()
"""


def script(lines: int) -> str:
    """Training code of about so many lines that runs `main()` at its end."""
    return training_file(lines) + _RUN


def split_script(lines: int) -> dict[str, str]:
    """A short script, under "", that runs `main()` at its end, and the file that it imports its model and its loops from."""
    names = "Network1, evaluate_1, train_epoch_1"
    return {"": f"import torch\n\nfrom parts import {names}\n\n\n{_RUN}", "parts.py": training_file(lines)}


def _training_code(number: int) -> str:
    heads = 2 + number % 3 * 2
    words = {"n": number, "heads": heads, "dim": heads * (8 + number % 5), "classes": 10 + number}
    return _LAYERS.format(size=32 * (1 + number % 4), **words)


# ---- inputs that double ------------------------------------------------------------------------------------------


def _function(body: list[str], params: str = "x, flag") -> str:
    return f"def f({params}):\n" + "".join(f"    {line}\n" for line in body) + "    return x\n"


def long_function(n: int) -> str:
    return _function([f"y{i} = (x.float() + {i}).relu()" for i in range(n)])


def branches(n: int) -> str:
    lines = ["x = torch.zeros(4, 6)"]
    for i in range(n):
        lines += [f"if flag > {i}:", f"    x = x + {i}", f"    a{i} = x", "else:", f"    a{i} = x.t()"]
    return _function(lines)


def nested_ifs(n: int) -> str:
    lines = ["x = torch.zeros(4, 6)"]
    for i in range(n):
        lines += ["    " * i + f"if flag > {i}:", "    " * (i + 1) + f"x = x + {i}"]
    return _function(lines)


def early_exits(n: int) -> str:
    lines = ["x = torch.zeros(4, 6)"]
    for i in range(n):
        lines += [f"if flag == {i}:", f"    return x + {i}"]
    return _function(lines)


def loops(n: int) -> str:
    lines = ["x = torch.zeros(4, 6)"]
    for i in range(n):
        lines += [f"for i{i} in range(flag):", f"    x = x + i{i}", f"    y{i} = x.view(-1)"]
    return _function(lines)


def nested_loops(n: int) -> str:
    lines = ["x = torch.zeros(4, 6)"]
    for i in range(n):
        lines += ["    " * i + f"for i{i} in range(flag):", "    " * (i + 1) + f"x = x + i{i}"]
    return _function(lines)


def call_chain(n: int) -> str:
    text = "def f0(x):\n    return x + 1\n\n\n"
    for i in range(1, n):
        text += f"def f{i}(x):\n    return f{i - 1}(x) * 2\n\n\n"
    return text + f"y = f{n - 1}(torch.zeros(2, 3))\n"


def call_diamond(n: int) -> str:
    """Each function calls the one before it twice: 2 to the power of n calls where nothing bounds them."""
    text = "def f0(x):\n    return x + 1\n\n\n"
    for i in range(1, n):
        text += f"def f{i}(x):\n    return f{i - 1}(x) + f{i - 1}(x.relu())\n\n\n"
    return text + f"y = f{n - 1}(torch.zeros(2, 3))\n"


def recursion(n: int) -> str:
    names = [
        f"def f{i}(x):\n    if x.sum() > {i}:\n        return f{(i + 1) % n}(x) + f{(i + 2) % n}(x)\n    return x\n\n\n"
        for i in range(n)
    ]
    return "".join(names)


def aliases(n: int) -> str:
    lines = ["x = torch.zeros(8, 8)"]
    for i in range(n):
        lines += [f"v{i} = x[{i % 8}]", f"v{i}.add_({i})"]
    return _function(lines)


def unpacked_shapes(n: int) -> str:
    params = ", ".join(f"t{i}" for i in range(n))
    lines = [f"b{i}, c{i} = t{i}.shape" for i in range(n)]
    return _function(lines, "x, " + params)


def symbolic_sizes(n: int) -> str:
    lines = ["b, c, h, w = x.shape", "s = b"]
    for i in range(n):
        lines += [f"s = s * h + c * {i}", f"y{i} = x.new_zeros(s, w)"]
    return _function(lines)


def modules(n: int) -> str:
    text = ""
    for i in range(n):
        text += (
            f"class M{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            f"        self.a = nn.Linear(8, {i + 8})\n        self.b = nn.Linear({i + 8}, 8)\n\n"
            f"    def forward(self, x):\n        return self.b(F.relu(self.a(x)))\n\n\n"
        )
    return text


def nested_modules(n: int) -> str:
    """A module of a module of a module."""
    text = "class M0(nn.Linear):\n    pass\n\n\n"
    for i in range(1, n):
        text += (
            f"class M{i}(nn.Module):\n    def __init__(self, *size):\n        super().__init__()\n"
            f"        self.inner = M{i - 1}(8, 8)\n\n    def forward(self, x):\n        return self.inner(x)\n\n\n"
        )
    return text


def literals(n: int) -> str:
    return "table = [\n" + "".join(f"    ({i}, 'a', {{'k': {i}}}),\n" for i in range(n)) + "]\n"


def rebound_name(n: int) -> str:
    return "x = torch.zeros(2, 3)\n" + "".join(f"x = x + {i}\n" for i in range(n))


def method_chain(n: int) -> str:
    return "x = torch.zeros(2, 3)\ny = x" + ".relu()" * n + "\n"


def binary_chain(n: int) -> str:
    return "x = torch.zeros(2, 3)\ny = " + " + ".join(["x"] * n) + "\n"


def handlers(n: int) -> str:
    lines = ["x = torch.zeros(4, 6)"]
    for i in range(n):
        lines += ["try:", f"    x = x + {i}", "except ValueError:", f"    x = x.view({i} + 1, -1)"]
    return _function(lines)


def training_loops(n: int) -> str:
    text = ""
    for i in range(n):
        text += (
            f"def train{i}(model, optimizer, loader):\n    for x, y in loader:\n        optimizer.zero_grad()\n"
            f"        loss = F.cross_entropy(model(x), y)\n        loss.backward()\n"
            f"        if loss > {i}:\n            continue\n        optimizer.step()\n\n\n"
        )
    return text


def rank_branches(n: int) -> str:
    lines = ["import torch.distributed as dist", "x = torch.zeros(4)"]
    for i in range(n):
        lines += ["if dist.get_rank() == 0:", f"    print({i})", "else:", "    pass", "dist.all_reduce(x)"]
    return _function(lines)


# name: (generator, the smallest size); sizes double three times
SCALING = {
    "long_function": (long_function, 100),
    "branches": (branches, 50),
    "nested_ifs": (nested_ifs, 10),
    "early_exits": (early_exits, 50),
    "loops": (loops, 25),
    "nested_loops": (nested_loops, 2),
    "call_chain": (call_chain, 25),
    "call_diamond": (call_diamond, 4),
    "recursion": (recursion, 4),
    "aliases": (aliases, 50),
    "unpacked_shapes": (unpacked_shapes, 50),
    "symbolic_sizes": (symbolic_sizes, 8),
    "modules": (modules, 25),
    "nested_modules": (nested_modules, 16),
    "literals": (literals, 250),
    "rebound_name": (rebound_name, 100),
    "method_chain": (method_chain, 20),
    "binary_chain": (binary_chain, 50),
    "handlers": (handlers, 50),
    "training_loops": (training_loops, 25),
    "rank_branches": (rank_branches, 25),
}
