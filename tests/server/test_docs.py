"""Hover on a symbol of torch: the facts of the place, then the docs of the user's torch, then our notes."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from torchlsp.docs_db.build import DocEntry, Extracted, Header
from torchlsp.docs_db.store import write
from torchlsp.engine import documentation
from torchlsp.engine.documentation import Documentation, Unbuildable
from torchlsp.engine.interpreters import site_packages
from torchlsp.server.features.docs import Docs, parameter

TEXT = "import torch\nx = torch.zeros(2, 3)\ny = x.permute(1, 0)\n"


class Server:
    """What the documentation asks of the server."""

    begun: list = []

    def __init__(self, why_forbidden: str | None = None) -> None:
        # The user may have the probe off, and is shown the documentation all the same.
        self.probing = SimpleNamespace(why_off="the probe is switched off", why_forbidden=why_forbidden)
        self.session = SimpleNamespace(run_aside=self.run_aside, loop=None)
        self.work: list = []
        self.said: list[str] = []

    def interpreter(self, path: str = "") -> tuple[str, list[str]]:
        return sys.executable, site_packages(sys.executable)

    def spawn(self, work, what: str) -> None:
        self.work.append(work)
        self.begun.append(work)

    async def progress(self, title: str) -> SimpleNamespace:
        return SimpleNamespace(report=print, end=lambda: None)

    async def run_aside(self, function, *arguments):
        return function(*arguments)

    def log(self, text: str) -> None:
        self.said.append(text)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(
        documentation, "distribution_version", lambda python, name: {"torch": "2.13.0"}.get(name)
    )
    yield tmp_path
    while Server.begun:
        Server.begun.pop().close()


def built(server: Server, *symbols: str) -> None:
    path = Documentation(*server.interpreter()).path
    assert path is not None
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    entries = [
        DocEntry(symbol, "method", f"{symbol}(*dims)", "Turns it.", "Turns it about.", None, "2.13.0")
        for symbol in symbols
    ]
    write(path, Header({"torch": "2.13.0"}, "py311"), [Extracted(entry, (), ()) for entry in entries])


def test_the_docs_of_the_users_torch_stand_above_our_notes(cache: Path):
    server = Server()
    built(server, "torch.Tensor.permute")
    said = Docs(server).about("torch.Tensor.permute", "turned.py")
    assert said.index("Turns it about.") < said.index("Leaving a dimension out")
    assert not server.work


def test_before_the_docs_are_read_there_are_the_notes_and_they_are_read_once(cache: Path):
    server = Server()
    docs = Docs(server)
    for _ in range(3):
        assert "Leaving a dimension out" in docs.about("torch.Tensor.permute", "turned.py")
    (work,) = server.work
    work.close()


def test_nothing_of_the_users_is_started_where_nothing_may_run(cache: Path):
    server = Server(why_forbidden="the workspace is not trusted")
    assert "Leaving a dimension out" in Docs(server).about("torch.Tensor.permute", "turned.py")
    assert not server.work


def test_docs_that_cannot_be_read_are_told_in_the_log(cache: Path, monkeypatch: pytest.MonkeyPatch):
    def build(self, progress=None) -> None:
        raise Unbuildable("torch cannot be imported: no libcudart")

    monkeypatch.setattr(Documentation, "build", build)
    server = Server()
    Docs(server).about("torch.Tensor.permute", "turned.py")
    asyncio.run(server.work[0])
    assert server.said == ["torch cannot be imported: no libcudart"]


def test_the_rules_that_find_a_pitfall_are_linked(cache: Path):
    said = Docs(Server()).about("torch.Tensor.view", "turned.py")
    assert "Found by [TL101](<file:" in said


def test_nothing_is_said_of_what_nobody_knows(cache: Path):
    server = Server()
    built(server, "torch.Tensor.permute")
    assert Docs(server).about("torch.Tensor.no_such_thing", "turned.py") == ""


def test_hover_on_a_call_tells_its_facts_and_the_pitfalls(start):
    client = start()
    client.initialize({"textDocument": {"hover": {"contentFormat": ["markdown"]}}})
    uri = client.open(client.uri("turned.py"), TEXT)
    told = client.hover(uri, "permute")["contents"]["value"]
    assert told.index("f32[2, 3] → f32[3, 2]") < told.index("Leaving a dimension out")


def test_one_parameter_is_found_in_the_list_of_all():
    text = "Sums.\n\n**Args**\n\n- `dim` (int): which one\n  - below\n\n- `dim_size` (int): other\n- `**kwargs`: rest\n\nEnd."
    assert parameter(text, "dim") == "- `dim` (int): which one\n  - below"
    assert parameter(text, "dim_size") == "- `dim_size` (int): other"
    assert parameter(text, "size") == ""


def test_each_folder_of_the_workspace_has_the_docs_of_its_own_torch(cache: Path):
    class TwoFolders(Server):
        def interpreter(self, path: str = "") -> tuple[str, list[str]]:
            return ("old-python" if path.startswith("old") else sys.executable), []

    server = TwoFolders()
    docs = Docs(server)
    built(server, "torch.Tensor.permute")
    path = docs._of("old/x.py").path
    assert path is not None
    entry = DocEntry("torch.Tensor.permute", "method", "old", "Old.", "As it was.", None, "2.1.0")
    # The names of the files differ by the torch that is installed; here they are told apart by hand.
    docs._of("old/x.py")._path = str(cache / "old.sqlite")
    write(str(cache / "old.sqlite"), Header({"torch": "2.1.0"}, "py38"), [Extracted(entry, (), ())])
    assert "As it was." in docs.about("torch.Tensor.permute", "old/x.py")
    assert "Turns it about." in docs.about("torch.Tensor.permute", "new/x.py")


def test_whether_memory_is_shared_is_said_as_measured(cache: Path):
    docs = Docs(Server())
    assert "Gives a view: it shares memory." in docs.about("torch.Tensor.permute", "x.py")
    assert "Gives a copy." in docs.about("torch.Tensor.repeat", "x.py")
    assert "strides: a view where they can express the new shape" in docs.about(
        "torch.Tensor.reshape", "x.py"
    )


def test_without_a_torch_it_is_said_whose_facts_these_are(cache: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(documentation, "distribution_version", lambda python, name: None)
    server = Server()
    assert "this is of torch 2.13" in Docs(server).about("torch.Tensor.permute", "x.py")
    assert not server.work


PLACES = """import torch
import torch.nn.functional as F
from torch import nn
from torch.optim import AdamW
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.§Module):
    def __init__(self, dim=32):
        super().__init__()
        self.stem = nn.§Conv2d(3, dim, kernel_size=3, padding=1)
        self.norm = nn.§BatchNorm2d(dim)
        self.head = nn.§Linear(dim, 10)

    def forward(self, x):
        x = self.§stem(x)
        x = F.§relu(self.§norm(x))
        x = F.§adaptive_avg_pool2d(x, 1).§flatten(1)
        return self.§head(x)


model = Net()
images, labels = torch.§randn(8, 3, 16, 16), torch.§randint(0, 10, (8,))
loader = §DataLoader(TensorDataset(images, labels), batch_size=4)
optimizer = §AdamW(model.parameters(), lr=1e-3)
for batch, target in loader:
    loss = F.§cross_entropy(model(batch), target)
    optimizer.§zero_grad()
    loss.§backward()
    optimizer.§step()
    best = model(batch).§argmax(dim=1)
both = torch.§cat([images, images], dim=0)
"""


@pytest.mark.torch
@pytest.mark.slow
def test_every_symbol_of_a_training_script_has_its_docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from torchlsp.core.text import Document
    from torchlsp.engine.engine import Engine
    from torchlsp.engine.inspection import at
    from torchlsp.engine.provider import Provider
    from torchlsp.engine.workspace import Workspace

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    server = Server()
    Documentation(*server.interpreter()).build()
    docs = Docs(server)
    text = PLACES.replace("§", "")
    examination = Engine().examine(Document(str(tmp_path / "train.py"), text), Provider(Workspace()))
    marks = [i for i, character in enumerate(PLACES) if character == "§"]
    assert len(marks) == 20
    for number, mark in enumerate(marks):
        place = at(examination, mark - number + 1)
        assert place is not None and place.symbol, PLACES[mark : mark + 30]
        said = docs.about(place.symbol, "train.py")
        assert "torch 2.13" in said and "```python" in said, place.symbol
        assert ".. " not in said and not re.search(r":[a-z]+:`", said), place.symbol
    assert "Removed." in docs.about("torch.symeig", "train.py")
    assert "linalg.eigh" in docs.about("torch.symeig", "train.py")
