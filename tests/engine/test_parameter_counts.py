"""The number of parameters that hover says of containers and of the user's own modules; each program leaves one as `m`."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.engine.engine import Engine
from torchlsp.engine.inspection import at
from torchlsp.engine.provider import Provider
from torchlsp.engine.workspace import Workspace
from torchlsp.report.hover import plain_text
from torchlsp.report.sources import Sources

ENGINE = Engine()
HEAD = "import torch\nfrom collections import OrderedDict\nfrom torch import nn\nimport torch.nn.functional as F\n"
OWN = """
class Own(nn.Module):
    def __init__(self, width=8, flag=None):
        super().__init__()
{body}

    def forward(self, x):
        return x


m = Own()
"""


def own(*rows: str, more: str = "") -> str:
    return OWN.format(body="\n".join(f"        {row}" for row in rows)) + more


KNOWN = {
    "a sequence": "m = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten())",
    "a list": "m = nn.ModuleList([nn.Linear(3, n) for n in (4, 5)])",
    "a dict": "m = nn.ModuleDict({'a': nn.Linear(2, 2), 'b': nn.PReLU(4)})",
    "named children": "m = nn.Sequential(OrderedDict([('a', nn.Linear(2, 2)), ('b', nn.Linear(2, 3))]))",
    "parameters": "m = nn.ParameterList([nn.Parameter(torch.zeros(3, n)) for n in range(1, 4)])",
    "nothing": "m = nn.Sequential(nn.ReLU(), nn.MaxPool2d(2))",
    "one": "m = nn.Sequential(nn.PReLU())",
    "a list that grows": "m = nn.ModuleList()\nfor n in range(3):\n    m.append(nn.Linear(n + 1, 2))",
    "one layer many times": "one = nn.Linear(3, 3)\nm = nn.Sequential(one, nn.ReLU(), one)",
    "recurrent layers": "m = nn.ModuleList([nn.LSTM(5, 6, 2, bidirectional=True), nn.GRU(3, 4), nn.RNNCell(2, 3)])",
    "attention": "m = nn.ModuleList([nn.MultiheadAttention(8, 2), nn.MultiheadAttention(8, 2, kdim=4, vdim=6)])",
    "norms": "m = nn.ModuleList([nn.LayerNorm((3, 4)), nn.GroupNorm(2, 6), nn.InstanceNorm2d(4), nn.RMSNorm(5)])",
    "embeddings": "m = nn.ModuleList([nn.Embedding(10, 3), nn.EmbeddingBag(7, 2), nn.Bilinear(2, 3, 4)])",
    "transposed": "m = nn.Sequential(nn.ConvTranspose2d(4, 6, 3, groups=2), nn.Conv1d(4, 8, 3, groups=4))",
    "own": own("self.first = nn.Linear(3, width)", "self.second = nn.Sequential(nn.Linear(width, 2))"),
    "a parameter": own("self.scale = nn.Parameter(torch.ones(width, 1))", "self.steps = 3"),
    "a frozen parameter": own("self.scale = nn.Parameter(torch.ones(3), requires_grad=False)"),
    "a buffer": own(
        "self.register_buffer('mean', torch.zeros(5))", "self.plain = torch.zeros(7)", "self.a = nn.Linear(2, 2)"
    ),
    "a plain list": own("self.hidden = [nn.Linear(3, 3)]", "self.seen = nn.Linear(2, 2)"),
    "tied weights": own(
        "self.table = nn.Embedding(11, 4)",
        "self.head = nn.Linear(4, 11, bias=False)",
        "self.head.weight = self.table.weight",
    ),
    "a module twice": own("self.a = nn.Linear(3, 3)", "self.b = self.a"),
    "replaced": own("self.a = nn.Linear(3, 3)", "self.head = nn.Linear(3, 10)", more="m.head = nn.Linear(3, 2)\n"),
    "removed": own("self.a = nn.Linear(3, 3)", "self.head = nn.Linear(3, 10)", more="m.head = nn.Identity()\n"),
    "moved": own("self.a = nn.Linear(3, 3)", more="m = m.eval()\n"),
    "decided": own("if width > 4:", "    self.a = nn.Linear(3, 3)", "else:", "    self.a = nn.Linear(9, 9)"),
    "a method": own(
        "self.a = self.made(2)", "self.b = self.made(3)"
    ).replace("    def forward", "    def made(self, n):\n        return nn.Sequential(nn.Linear(n, n), nn.ReLU())\n\n    def forward"),
    "a derived class": own("self.a = nn.Linear(3, 3)")
    + "class More(Own):\n    def __init__(self):\n        super().__init__()\n        self.b = nn.Linear(2, 2)\n\n\nm = More()\n",
    "of a sequence": "class Own(nn.Sequential):\n    def __init__(self, n):\n        super().__init__(nn.Linear(n, 2), nn.ReLU())\n\n\nm = Own(5)\n",
    "of a layer": "class Own(nn.Linear):\n    def forward(self, x):\n        return x\n\n\nm = nn.Sequential(Own(5, 2), nn.ReLU())\n",
    "computed": own("self.a = nn.Linear(3, 3)", "self.b = self.a.weight * 2"),
}  # fmt: skip
UNKNOWN = {
    "an unknown size": "import sys\nm = nn.Sequential(nn.Linear(int(sys.argv[1]), 3), nn.ReLU())",
    "an unknown bias": "import sys\nm = nn.Sequential(nn.MultiheadAttention(8, 2, bias=bool(sys.argv[1:])))",
    "an unknown number": "import sys\nm = nn.ModuleList([nn.Linear(3, 3) for _ in range(int(sys.argv[1]))])",
    "some paths": own("if flag_of_user():", "    self.a = nn.Linear(3, 3)", "self.b = nn.Linear(2, 2)").replace(
        "class Own", "def flag_of_user():\n    import random\n    return random.random() < 0.5\n\n\nclass Own"
    ),
    "some paths in a method": own("if torch.rand(1) > 0.5:", "    self.add()", "self.b = nn.Linear(2, 2)").replace(
        "    def forward", "    def add(self):\n        self.a = nn.Linear(3, 3)\n\n    def forward"
    ),
    "some paths outside": own("self.b = nn.Linear(2, 2)", more="if torch.rand(1) > 0.5:\n    m.a = nn.Linear(3, 3)\nm\n"),
    "a lazy layer": "m = nn.Sequential(nn.LazyLinear(3))",
    "a layer of elsewhere": "from elsewhere import Block\nm = nn.Sequential(nn.Linear(3, 3), Block(3))",
    "what is passed": "def build(extra):\n    m = nn.Sequential(nn.Linear(3, 3), extra)\n    return m",
    "set by name": own("setattr(self, 'a', nn.Linear(3, 3))", "self.b = nn.Linear(2, 2)"),
    "a weight norm": own("self.a = nn.utils.parametrizations.weight_norm(nn.Linear(3, 3))"),
    "pruned": own("self.a = nn.Linear(3, 3)", more="from torch.nn.utils import prune\nprune.identity(m.a, 'weight')\nm\n"),
    "registered": own("import sys", "self.add_module(sys.argv[0], nn.Linear(2, 2))", "self.b = nn.Linear(2, 2)"),
    "registered in a loop": own("for name in open('names'):", "    self.register_parameter(name, nn.Parameter(torch.ones(2)))"),
    "its own table": own("import sys", "self._modules[sys.argv[0]] = nn.Linear(2, 2)"),
    "an unknown attribute": own("import elsewhere", "self.a = elsewhere.thing()", "self.b = nn.Linear(2, 2)"),
    "two parameters of one tensor": own(
        "base = torch.zeros(3)", "self.a = nn.Parameter(base)", "self.b = nn.Parameter(base)"
    ),
    "unknown code": own("self.a = nn.Linear(3, 3)", more="from elsewhere import change\nchange(m)\nm\n"),
    "a base of elsewhere": own("self.a = nn.Linear(3, 3)").replace(
        "class Own(nn.Module)", "from elsewhere import Base\n\n\nclass Own(Base)"
    ),
    "replaced weights": own(
        "self.a = nn.Linear(3, 3)", more="import elsewhere\nm.a.weight = nn.Parameter(elsewhere.rows())\nm\n"
    ),
}  # fmt: skip


def hovered(program: str) -> str:
    """What is said of the last `m`."""
    text = HEAD + program
    document = Document("program.py", text)
    examination = ENGINE.examine(document, Provider(Workspace()))
    assert not examination.result.internal_errors
    places = [
        i for i in range(len(text)) if text[i : i + 2] in ("m ", "m\n", "m.") and not text[i - 1].isalnum()
    ]
    found = [
        one for one in (at(examination, i) for i in reversed(places)) if one is not None and one.name == "m"
    ]
    return plain_text(found[0], Sources({document.path: document})) if found else ""


@pytest.mark.torch
@pytest.mark.parametrize("program", KNOWN.values(), ids=KNOWN)
def test_the_number_of_parameters_is_that_of_torch(program: str) -> None:
    names: dict[str, object] = {"__name__": "program"}
    exec(HEAD + program, names)
    count = sum(one.numel() for one in names["m"].parameters())  # type: ignore[attr-defined]
    said = hovered(program.rstrip() + "\nm\n")
    assert f"\n{count:,} parameter{'s' * (count != 1)}\n" in said + "\n", said


@pytest.mark.parametrize("program", UNKNOWN.values(), ids=UNKNOWN)
def test_no_number_is_said_where_not_all_parameters_are_known(program: str) -> None:
    said = hovered(program)
    assert said.startswith("m: ")
    assert " parameter" not in said


@pytest.mark.parametrize(
    ("program", "held"),
    [
        ("a sequence", "Conv2d(3, 8, kernel_size=3, bias=False), BatchNorm2d(8), ReLU(), Flatten()"),
        ("a dict", "a: Linear(2, 2), b: PReLU(num_parameters=4)"),
        ("one layer many times", "Linear(3, 3), ReLU(), Linear(3, 3)"),
    ],
)
def test_a_container_says_what_it_holds(program: str, held: str) -> None:
    assert f"\nholds {held}\n" in hovered(KNOWN[program])


def test_equal_children_are_counted() -> None:
    assert "\nholds ReLU(), 3 × Linear(4, 4)\n" in hovered(
        "m = nn.Sequential(nn.ReLU(), *[nn.Linear(4, 4) for _ in range(3)])"
    )


def test_the_modules_of_a_class_have_the_sizes_of_its_calls_in_the_file() -> None:
    text = (
        HEAD + own("self.a = nn.Sequential(nn.Linear(3, width))").replace("width=8", "width") + "m = Own(4)\n"
    )
    text = text.replace("m = Own()\n", "").replace("return x", "return self.a(x)") + "m(torch.ones(2, 3))\n"
    document = Document("program.py", text)
    examination = ENGINE.examine(document, Provider(Workspace()))
    sources = Sources({document.path: document})
    made = at(examination, text.index("self.a =") + 5)
    assert made is not None and "\nholds Linear(3, 4)\n16 parameters\nas called in this file\n" in plain_text(
        made, sources
    )
    called = at(examination, text.index("self.a(") + 5)
    assert called is not None
    said = plain_text(called, sources)
    assert (
        "f32[2, 3] → f32[2, 4] grad" in said
        and said.count("as called in this file") == 1
        and "\nholds Linear(3, 4)\n16 parameters\n" in said
    )


def test_what_calls_of_the_file_of_several_sizes_make_of_a_container_is_not_said() -> None:
    text = HEAD + own("self.a = nn.Sequential(nn.Linear(3, width))").replace("width=8", "width")
    text = text.replace("m = Own()\n", "Own(4)\nOwn(5)\n")
    document = Document("program.py", text)
    made = at(ENGINE.examine(document, Provider(Workspace())), text.index("self.a =") + 5)
    assert made is not None
    said = plain_text(made, Sources({document.path: document}))
    assert said.startswith("self.a: Sequential\nholds Linear(3, width)\nmade at ")


def test_where_a_module_of_the_user_was_made_is_said() -> None:
    said = hovered(
        own("self.a = nn.Linear(3, 3)").replace("m = Own()", "m = Own(width=4)\nm = m.to('cpu')\nm")
    )
    assert said == "m: Own\n12 parameters\nmade at line 15 (m = Own(width=4))"


def test_counts_are_those_of_the_moment() -> None:
    rows = [
        "m = nn.Sequential(nn.Linear(2, 2))",
        "m",
        "m.append(nn.Linear(3, 3))",
        "m",
        "m[0].weight = m[1].weight",
        "m",
    ]
    document = Document("program.py", HEAD + "\n".join(rows) + "\n")
    examination = ENGINE.examine(document, Provider(Workspace()))
    place = document.text.index("m\n", len(HEAD))
    said = []
    for row in (1, 3, 5):
        place = len(HEAD) + sum(len(one) + 1 for one in rows[:row])
        found = at(examination, place)
        assert found is not None
        said += [note.words for note in found.notes if "parameter" in note.words]
    assert said == [
        "6 parameters",
        "18 parameters",
    ]  # of the last nothing is known: the weight has another size


def test_counting_many_modules_at_many_places_has_a_bound() -> None:
    text = HEAD + "m = nn.ModuleList([nn.Linear(2, 2) for _ in range(8)])\n" + "m.a = None\nm\n" * 3000
    from torchlsp.interp.model import parameter_counts
    from torchlsp.interp.run.analyse import NoImports
    from torchlsp.interp.run.recording import RecordingInterpreter
    from torchlsp.lint.files import lowered
    from torchlsp.syntax.parse import parse

    it = RecordingInterpreter(
        lowered(parse(Document("program.py", text))), NoImports(), frozenset(), True, None
    )
    it.run()
    most = parameter_counts._MAX_WALKED
    assert most < it.recording.counting.walked < most + 100
