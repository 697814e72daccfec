"""Makes pictures of the hovers at ten places in a real VS Code, to be looked at, or those of the extension's README.

    python tests/editors/hover_pictures.py FOLDER
    python tests/editors/hover_pictures.py FOLDER --readme

Those of the README (`squiggle`, `hover`, `verdict`, `quickfix`) stand in `editors/vscode/media`.
Needs what `.ci/install-editors` installs, and torch in this Python.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from code_server import HERE, House, Seen, built, drive, furnished, installed, packed

MODEL = '''\
import torch
from torch import nn


class Block(nn.Module):
    """Two convolutions with a shortcut."""

    def __init__(self, width):
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, maps):
        inner = torch.relu(self.norm(self.first(maps)))
        return maps + self.second(inner)


class Net(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.stem = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3)
        self.reduce = nn.Sequential(nn.Conv2d(64, width, 1), nn.BatchNorm2d(width), nn.ReLU())
        self.blocks = nn.ModuleList([Block(width) for _ in range(4)])
        self.head = nn.Linear(width, classes)

    def forward(self, images):
        features = self.reduce(self.stem(images))
        for block in self.blocks:
            features = block(features)
        tokens = features.flatten(2).transpose(1, 2)
        pooled = tokens.mean(dim=1)
        return self.head(pooled)
'''
TRAIN = """\
import torch
import torch.nn.functional as F
from model import Net


def main():
    net = Net(256, 10)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    images = torch.randn(8, 3, 64, 64)
    labels = torch.randint(0, 10, (8,))
    for epoch in range(3):
        logits = net(images)
        loss = F.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
"""
BROKEN = """\
import torch
from torch import nn


def heads(batch, steps, width):
    q = torch.randn(8, 16, 64)
    split = q.view(8, 16, 4, 16).transpose(1, 2)
    merged = split.view(8, 16, 64)
    stem = nn.Conv2d(4, 32, 3)
    maps = stem(torch.randn(2, 3, 32, 32))
    flat = maps.flatten(1)
    return merged, flat
"""
FILES = {"model.py": MODEL, "train.py": TRAIN, "broken.py": BROKEN}
PLACES = {
    "01-argument-of-forward": ("model.py", "def forward(self, images)", "self, images)"),
    "02-call-of-a-layer": ("model.py", "self.stem(images)", "self.stem(images"),
    "03-a-value-within": ("model.py", "tokens = features", "tokens ="),
    "04-a-method": ("model.py", "tokens.mean(dim=1)", ".mean("),
    "05-a-container": ("model.py", "self.blocks = nn", "self.blocks = nn"),
    "06-a-call-of-its-own": ("model.py", "self.reduce(self", "self.reduce(self.stem"),
    "07-an-own-module": ("train.py", "net = Net(256, 10)", "net ="),
    "08-a-loss": ("train.py", "F.cross_entropy(logits", "F.cross_entropy"),
    "09-a-refused-call": ("broken.py", "stem(torch.randn", "stem(t"),
    "10-after-an-error": ("broken.py", "flat = maps", "flat ="),
}
"""By the name of a picture, the file, the text that begins at the place, and the part of its row in whose middle the pointer is."""


def new_house(name: str) -> House:
    return furnished(Path(tempfile.mkdtemp(prefix="torchlsp-")) / name)


def packages(house: House) -> list[Path]:
    return [built(installed(), house.home), packed(HERE / "bridge", house.home)]


def readme_pictures() -> Seen:
    """Drives VS Code over the program of the README, with what torch says of it."""
    house = new_house("readme")
    shutil.copy(HERE / "attention.py", house.work)
    settings = {"torchlsp.path": str(house.program), "torchlsp.interpreter": sys.executable}
    return drive("portraits", house, packages(house), settings=settings, plan={})


def pictures() -> Seen:
    """Drives VS Code over all places."""
    house = new_house("hovers")
    (house.work / "pyproject.toml").write_text("")
    for name, text in FILES.items():
        (house.work / name).write_text(text, encoding="utf-8")
    places = []
    for name, (file, text, part) in PLACES.items():
        row = FILES[file][: FILES[file].index(text)].count("\n") + 1
        places.append({"name": name, "file": file, "row": row, "part": part})
    settings = {
        "torchlsp.path": str(house.program),
        "torchlsp.interpreter": sys.executable,
        "torchlsp.probe.enable": False,
    }
    # Hints would move what is pointed at.
    user = {"editor.inlayHints.enabled": "off", "editor.hover.delay": 50}
    plan: dict[str, object] = {"places": places, "rest": 6000}
    return drive("hovers", house, packages(house), settings=settings, user=user, plan=plan)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--readme", action="store_true", help="the pictures of the extension's README")
    options = parser.parse_args()
    folder = options.folder.absolute()
    os.environ["TORCHLSP_SCREENSHOTS"] = str(folder)
    os.environ.setdefault("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    seen = readme_pictures() if options.readme else pictures()
    said = seen.of("portraits" if options.readme else "hovers")
    seen.pictures.joinpath("said.json").write_text(json.dumps(said, indent=2, ensure_ascii=False))
    for name, text in said.items():
        print(f"{name}: {len(text.splitlines())} lines")
    print(seen.pictures)


if __name__ == "__main__":
    main()
