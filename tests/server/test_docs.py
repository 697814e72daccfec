"""Hover on a symbol of torch: the facts of the place, then the docs of the user's torch, then our notes."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.docs_db.build import DocEntry, Extracted, Header
from torchlsp.docs_db.store import write
from torchlsp.engine import documentation, documentation_pages
from torchlsp.engine.documentation import Documentation, Unbuildable
from torchlsp.engine.engine import Engine
from torchlsp.engine.inspection import Description, at
from torchlsp.engine.interpreters import site_packages
from torchlsp.engine.provider import Provider
from torchlsp.engine.workspace import Workspace
from torchlsp.server.features.docs import Docs, documented, how_much, parameter

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
    client.published(uri)
    told = client.hover(uri, "permute")["contents"]["value"]
    assert told.startswith("```python\nx.permute: f32[2, 3] → f32[3, 2] noncontig\n```\n")
    assert told.index("shares memory with") < told.index("2 pitfalls") < told.index("How facts are written")
    # Both dimensions are named, so the pitfall does not concern this call.
    assert "Leaving a dimension out" not in told and len(told.split("\n")) <= 25


def links(markdown: str) -> dict[str, str]:
    return dict(re.findall(r"\[([^\]]+)\]\(<?([^>)]+)>?\)", markdown))


def read(link: str) -> str:
    return Path(url2pathname(urlsplit(link).path)).read_text(encoding="utf-8")


LONG = DocEntry(
    "torch.nn.functional.cross_entropy",
    "function",
    "torch.nn.functional.cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None) -> Tensor",
    "Compute the cross entropy loss between input logits and target.",
    "\n\n".join(f"Paragraph {i}." for i in range(100)),
    None,
    "2.13.0",
    url="https://docs.pytorch.org/docs/2.13/cross_entropy.html",
)
LOSS = """import torch
import torch.nn.functional as F
def loss(x, y):
    return F.§cross_entropy(x.softmax(1), y)
loss(torch.ones(4, 10), torch.zeros(4).long())
"""


def loss_call() -> Description:
    text = LOSS.replace("§", "")
    found = at(Engine().examine(Document("loss.py", text), Provider(Workspace())), LOSS.index("§"))
    assert found is not None
    return found


def with_long_docs(cache: Path) -> Docs:
    docs = Docs(Server())
    path = Documentation(*Server().interpreter()).path
    assert path is not None
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write(path, Header({"torch": "2.13.0"}, "py311"), [Extracted(LONG, (), ())])
    return docs


def test_a_short_hover_has_the_pitfall_of_the_call_the_signature_a_sentence_and_links(cache: Path):
    docs = with_long_docs(cache)
    said = docs.brief(LONG.symbol, "loss.py", loss_call())
    first, _, rest = said.partition("\n\n")
    assert first.startswith("**Pitfall: Softmax before it.** ")
    assert rest.startswith(
        "```python\ntorch.nn.functional.cross_entropy(input, target, weight=None) -> Tensor\n```\n\n"
    )
    assert LONG.summary in rest and "Paragraph" not in rest
    assert len(said.split("\n")) <= 12
    found = links(said)
    assert found["manual of torch 2.13.0"] == LONG.url
    assert "| `f32[8, 3]` |" in read(found["How facts are written"])


def test_the_page_that_is_linked_has_all_of_it(cache: Path):
    docs = with_long_docs(cache)
    page = links(docs.brief(LONG.symbol, "loss.py", loss_call()))["Documentation and 9 pitfalls"]
    text = read(page)
    assert text.startswith("# torch.nn.functional.cross_entropy\n")
    assert (
        text.index("Paragraph 99.")
        < text.index("Everything ignored")
        < text.index("## How facts are written")
    )
    assert page.endswith("torch.nn.functional.cross_entropy.md") and "2.13.0" in page


def test_pages_are_among_what_is_kept_and_go_with_it(cache: Path):
    docs = with_long_docs(cache)
    page = links(docs.brief(LONG.symbol, "loss.py", loss_call()))["Documentation and 9 pitfalls"]
    path = url2pathname(urlsplit(page).path)
    assert path in [kept for kept, _ in documentation.kept()]
    assert documentation.clear() > 0 and not Path(path).exists()


def test_where_no_page_can_be_written_the_manual_is_linked(cache: Path, monkeypatch: pytest.MonkeyPatch):
    docs = with_long_docs(cache)
    monkeypatch.setattr(documentation_pages, "FOLDER", "no\0folder")
    monkeypatch.setattr("os.makedirs", refuse)
    found = links(docs.brief(LONG.symbol, "loss.py", loss_call()))
    assert set(found) == {"manual of torch 2.13.0", "How facts are written"}


def refuse(*args: object, **others: object) -> None:
    raise OSError("read-only")


@pytest.mark.parametrize(
    ("fact", "is_shown"),
    [
        ("f32[3] → f32[3]", True),
        ("ndarray f64[?, 2]", True),
        ("tensor[...]", True),
        ("(input: bool[2]) → float", True),
        ("[Standardize, RandomScale]", False),
        ("0.5", False),
        ("", False),
    ],
)
def test_how_facts_are_written_is_linked_where_there_is_one(fact: str, is_shown: bool):
    found = Description("value", Span(0, 1), "x", fact)
    assert ("How facts are written" in Docs(Server()).legend(found)) == is_shown


def test_an_argument_has_no_documentation_when_that_is_off(start):
    text = "import torch\ny = torch.sum(torch.ones(2), dim=0)\n"
    client = start()
    formats = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}
    client.initialize(formats, options={"settings": {"hover.documentation": "off"}})
    uri = client.open(client.uri("summed.py"), text)
    client.published(uri)
    assert client.hover(uri, "dim") is None
    told = client.hover(uri, "sum")["contents"]["value"]
    assert told.startswith(
        "```python\ntorch.sum: f32[2] → f32[]\n```\n\n- `torch.sum`\n\n[How facts are written]("
    )
    assert len(told.split("\n")) == 7


@pytest.mark.parametrize(
    ("configured", "edited", "much"),
    [(None, "short", "short"), (None, "off", "off"), ("full", "off", "full"), ("off", "full", "off")],
)
def test_the_configuration_file_goes_before_the_editor(configured: str | None, edited: str, much: str):
    settings = SimpleNamespace(documentation=edited)
    server = SimpleNamespace(session=SimpleNamespace(settings_of=lambda path: settings))
    unit = SimpleNamespace(examined=SimpleNamespace(documentation=configured), document=Document("x.py", ""))
    assert how_much(server, unit) == much


def test_full_short_and_off(cache: Path):
    server = SimpleNamespace(docs=with_long_docs(cache))
    shown = {
        much: documented(server, LONG.symbol, "loss.py", much, loss_call())
        for much in ("full", "short", "off")
    }
    assert list(links(shown["off"])) == ["How facts are written"]
    assert "Paragraph 99." in shown["full"] and "Everything ignored" in shown["full"]
    assert "Paragraph" not in shown["short"] and "cross_entropy(input, target" in shown["short"]


@pytest.mark.parametrize(
    ("much", "is_whole", "is_shown"), [("full", True, True), ("short", False, True), ("off", False, False)]
)
def test_the_server_shows_as_much_as_the_configuration_file_says(
    start, tmp_path: Path, much: str, is_whole: bool, is_shown: bool
):
    (tmp_path / "torchlsp.toml").write_text(f'hover.documentation = "{much}"\n', encoding="utf-8")
    client = start()
    client.initialize({"textDocument": {"hover": {"contentFormat": ["markdown"]}}})
    uri = client.open(client.uri("turned.py"), TEXT)
    client.published(uri)
    told = client.hover(uri, "permute")["contents"]["value"]
    assert "f32[2, 3] → f32[3, 2]" in told
    assert ("Leaving a dimension out" in told, "Puts the dimensions" in told) == (is_whole, is_shown)


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
