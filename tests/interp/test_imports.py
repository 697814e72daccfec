"""Facts that come from other files of the workspace."""

from __future__ import annotations

from torchlsp.dev.facts import analysed
from torchlsp.facts.notation import value_text


def facts(path: str) -> dict[str, str]:
    document, analysis = analysed(path)
    assert not analysis.faults
    return {document.text[start:end]: value_text(value) for (start, end), value in analysis.names.items()}


def test_functions_of_another_file_see_its_imports_and_constants(project):
    project(
        {
            "shapes.py": """
import torch
from sizes import WIDTH
HEIGHT = 2
try:
    from torch.nn import functional as F
except ImportError:
    F = None

def make(n):
    return torch.zeros(n, HEIGHT, WIDTH)

def pick():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
""",
            "sizes.py": "WIDTH = 3\n",
            "use.py": "from shapes import make, pick, HEIGHT\nx = make(4)\nd = pick()\nh = HEIGHT\n",
        }
    )
    assert facts("use.py") == {"x": "f32[4, 2, 3]", "d": "device cuda?", "h": "2"}


def test_files_that_import_each_other_or_themselves_end(project):
    project(
        {
            "a.py": "from b import size\nfrom a import size as again\nimport torch\n"
            "def make():\n    return torch.zeros(size())\nx = make()\ny = again\n",
            "b.py": "from a import make\nfrom b import missing\ndef size():\n    return 5\nz = missing\n",
        }
    )
    assert facts("a.py")["x"] == "f32[5]"
    facts("b.py")


def test_star_imports_are_followed_where_a_name_is_asked_for(project):
    project(
        {
            "pkg/__init__.py": "from .layers import *\nfrom .sizes import *\n",
            "pkg/layers.py": "import torch\nfrom .sizes import WIDTH\ndef make():\n    return torch.zeros(WIDTH)\n",
            "pkg/sizes.py": "WIDTH = 3\n_HIDDEN = 4\n",
            "use.py": "from pkg import *\nx = make()\nw = WIDTH\nh = _HIDDEN\nfrom pkg import make as again\ny = again()\n",
            "pkg/circle.py": "from .circle import *\nfrom . import *\nz = missing\n",
        }
    )
    assert facts("use.py") == {"x": "f32[3]", "w": "3", "h": "?", "y": "f32[3]"}
    assert facts("pkg/circle.py") == {"z": "?"}


def test_a_package_of_a_thousand_files_is_not_read_for_one(project):
    names = [f"part{i}" for i in range(300)]
    project(
        {
            "pkg/__init__.py": "".join(f"from .{name} import *\n" for name in names),
            "use.py": "from pkg import *\nx = something\n",
            **{f"pkg/{name}.py": f"from . import *\ny{name} = 1\n" for name in names},
        }
    )
    document, analysis = analysed("use.py")
    assert len(analysis.names) == 1


def test_a_dataclass_of_another_file_has_what_it_is_made_with(project):
    """Fields of its bases come first, and `__post_init__` runs."""
    project(
        {
            "conf.py": """
from dataclasses import dataclass
import torch

@dataclass
class Base:
    rows: int = 8

@dataclass
class Args(Base):
    columns: int = 16
    half: int = 0

    def __post_init__(self):
        self.half = self.columns // 2

def made(args):
    return torch.zeros(args.rows, args.columns, args.half)
""",
            "use.py": "from conf import Args, made\nx = made(Args(2, 6))\ny = made(Args(columns=4))\nz = made(Args())\n",
        }
    )
    assert facts("use.py") == {"x": "f32[2, 6, 3]", "y": "f32[8, 4, 2]", "z": "f32[8, 16, 8]"}


def test_a_name_that_functions_of_another_file_rebind_is_unknown(project):
    project(
        {
            "sizes.py": """
WIDTH, HEIGHT = 3, 4
DEPTH: int = 5
def grow():
    global WIDTH, DEPTH
    WIDTH = DEPTH = 6
def width():
    return WIDTH
class Deep:
    def __enter__(self): global DEPTH; DEPTH = 7
""",
            "use.py": "import sizes\nfrom sizes import width, HEIGHT, DEPTH\na = width()\nb = sizes.WIDTH\n"
            "h = HEIGHT\nd = DEPTH\n",
        }
    )
    found = facts("use.py")
    assert {name: found[name] for name in "abhd"} == {"a": "?", "b": "?", "h": "4", "d": "?"}


def test_a_field_whose_default_is_none_is_not_what_its_annotation_says(project):
    project(
        {
            "config.py": """
from dataclasses import dataclass, field
@dataclass
class Config:
    size: int = field(default=None, metadata={})
    width: int = field(default=make())
""",
            "use.py": "from config import Config\na = Config().size\nb = Config().width\n",
        }
    )
    found = facts("use.py")
    assert (found["a"], found["b"]) == ("?", "int")
