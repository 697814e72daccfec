"""Facts flow through the files of a package: imports, re-exports, circles, constants, classes that are subclassed."""

from __future__ import annotations

import pytest
from claimed_facts import parsed

from torchlsp.facts.notation import value_text
from torchlsp.interp.run.analyse import analyse
from torchlsp.interp.run.interpreter import Interpreter
from torchlsp.program import ir


class Project:
    """A package in memory.  A module is asked for by its dotted name, as the workspace answers."""

    def __init__(self, files: dict[str, str]):
        self.modules: dict[str, ir.Module] = {}
        for path, text in files.items():
            name = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
            self.modules[name] = parsed(text, path, name)
        self.texts = files

    def module(self, dotted_name: str, importing_path: str) -> ir.Module | None:
        return self.modules.get(dotted_name)

    def facts(self, path: str) -> dict[str, str]:
        """The facts of the names that a file binds, as text."""
        name = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        analysis = analyse(self.modules[name], self, recording=True, strict=True)
        assert not analysis.faults, analysis.faults
        text = self.texts[path]
        return {text[start:end]: value_text(value) for (start, end), value in analysis.names.items()}


FILES = {
    "pkg/__init__.py": "from .models import *\nfrom .models import Net as Model\nfrom . import ops\nfrom .config import SIZE\n",
    "pkg/config.py": "import torch\nSIZE = 4\nHIDDEN = SIZE * 2\nDTYPE = torch.float64\n_PRIVATE = 3\n\ndef scale(x, by=HIDDEN):\n    return x.repeat(by)\n",
    "pkg/ops.py": "from __future__ import annotations\nimport torch\nimport torch.nn.functional as F\nfrom . import config\nfrom .config import scale as _scale\n\n"
    "def act(x):\n    return F.relu(x)\n\ndef wide(n=config.HIDDEN):\n    return torch.zeros(n, dtype=config.DTYPE)\n\ndef grown(x):\n    return _scale(act(x))\n\ndef back(x):\n    from .models import Net\n    return Net()(x)\n",
    "pkg/models/__init__.py": "from .base import Base\nfrom .net import *\n__all__ = ['Net', 'Base', 'make']\n",
    "pkg/models/base.py": "import torch.nn as nn\nfrom ..config import SIZE, HIDDEN\n\nclass Base(nn.Module):\n    width = HIDDEN\n\n    def __init__(self, n=SIZE):\n        super().__init__()\n        self.fc = nn.Linear(n, self.width)\n        self.build()\n\n    def build(self):\n        self.out = nn.Identity()\n\n    def forward(self, x):\n        return self.out(self.fc(x))\n",
    "pkg/models/net.py": "import torch.nn as nn\nfrom .base import Base\nfrom ..ops import act\n\nclass Net(Base):\n    width = 16\n\n    def build(self):\n        super().build()\n        self.out = nn.Linear(self.width, 3)\n\n    def forward(self, x):\n        return act(super().forward(x))\n\ndef make(**kw):\n    return Net(**kw)\n",
    "pkg/circle_a.py": "from . import circle_b\nfrom .circle_b import B\n\nclass A:\n    size = 3\n    def get(self):\n        return circle_b.B().n\n\nVALUE = 5\n",
    "pkg/circle_b.py": "from . import circle_a\nimport pkg.circle_a as other\n\nclass B:\n    n = 7\n    def get(self):\n        return circle_a.A().size + other.VALUE\n\nLATE = circle_a\n",
}  # fmt: skip

CASES = {
    "a name from the package": ("import torch\nfrom pkg import Model\ny = Model()(torch.ones(2, 4))\n", {"y": "f32[2, 3] grad"}),
    "a star import": ("import torch\nfrom pkg import *\ny = make(n=5)(torch.ones(2, 5))\nz = Base()(torch.ones(1, 4))\n", {"y": "f32[2, 3] grad", "z": "f32[1, 8] grad"}),
    "attributes of modules": ("import torch\nimport pkg\nimport pkg.models.net as net\ny = net.Net(6)(torch.ones(2, 6))\nz = pkg.ops.wide()\nw = pkg.SIZE\n", {"y": "f32[2, 3] grad", "z": "f64[8]", "w": "4"}),
    "a dotted import": ("import torch\nimport pkg.ops\ny = pkg.ops.wide()\nz = pkg.config.HIDDEN\n", {"y": "f64[8]", "z": "8"}),
    "functions of functions": ("import torch\nfrom pkg.ops import grown, back\ny = grown(torch.ones(2))\nz = back(torch.ones(2, 4))\n", {"y": "f32[16]", "z": "f32[2, 3] grad"}),
    "constants": ("import torch\nfrom pkg.config import HIDDEN as H, DTYPE\ny = torch.zeros(H, dtype=DTYPE)\n", {"y": "f64[8]"}),
    "a subclass here": ("import torch\nimport torch.nn as nn\nfrom pkg.models.base import Base\nclass Mine(Base):\n    def build(self):\n        self.out = nn.Linear(8, 2)\ny = Mine()(torch.ones(3, 4))\n", {"y": "f32[3, 2] grad"}),
    "circles": ("from pkg.circle_a import A, VALUE\nfrom pkg.circle_b import B\nx = A().get()\ny = B().get()\nz = VALUE\n", {"x": "7", "y": "8", "z": "5"}),
    "an import inside a function": ("import torch\ndef f(flag):\n    if flag:\n        from pkg.config import HIDDEN\n        y = torch.zeros(HIDDEN)\n    else:\n        from pkg import config\n        y = torch.zeros(config.HIDDEN)\n    return y\nz = f(torch.rand(1) > 2)\n", {"z": "f32[8]"}),
    "on one path only": ("import torch\nimport pkg\nif torch.rand(1) > 2:\n    a = pkg.ops.wide()\nb = pkg.ops.wide()\nc = pkg.SIZE\n", {"b": "f64[8]", "c": "4"}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_facts_cross_files(name: str):
    text, expected = CASES[name]
    found = Project({**FILES, "main.py": text}).facts("main.py")
    assert {key: found.get(key) for key in expected} == expected


@pytest.mark.parametrize("path", FILES)
def test_every_file_for_itself(path: str):
    Project(FILES).facts(path)


def test_modes_of_another_file_stay_there():
    files = {
        "quiet.py": "import torch\ntorch.set_grad_enabled(False)\ntorch.set_default_dtype(torch.float64)\nX = torch.zeros(2)\n",
        "main.py": "import torch\nfrom quiet import X\nx = X\nw = torch.ones(2, requires_grad=True)\ny = w * 2\n",
    }
    assert Project(files).facts("main.py")["x"] == "f64[2]"


def test_names_are_those_of_the_importing_path():
    files = {
        "a/__init__.py": "", "a/util.py": "def size(): return 1\n", "a/use.py": "from .util import size\nx = size()\n",
        "b/__init__.py": "", "b/util.py": "def size(): return 2\n", "b/use.py": "from .util import size\nx = size()\n",
        "main.py": "from a.use import size as p\nfrom b.use import size as q\nx = p()\ny = q()\n",
    }  # fmt: skip
    assert Project(files).facts("main.py") == {"x": "1", "y": "2"}


def test_a_star_import_binds_what_all_names():
    files = {
        "lib.py": "__all__ = ['a', '_b']\na = 1\n_b = 2\nc = 3\n",
        "main.py": "c = 5\nfrom lib import *\nx = a\ny = _b\nz = c\n",
    }
    assert Project(files).facts("main.py") == {"c": "5", "x": "1", "y": "2", "z": "5"}


HEAVY = "".join(f"heavy_{i} = sorted([{i}, {i}])[0] + len(str({i}))\n" for i in range(50))

ALONE = {
    "a constant": ({"lib.py": f"SIZE = 4\n{HEAVY}"}, "from lib import SIZE\nx = SIZE\n", "4"),
    "a tuple": ({"lib.py": f"{HEAVY}MEAN: tuple = (-1, 2)\n"}, "from lib import MEAN\nx = MEAN[0]\n", "-1"),
    "what is made of others": ({"lib.py": f"A = 3\n{HEAVY}B = abs(A)\nTABLE = {{'k': A}}\n"}, "from lib import TABLE\nx = TABLE['k']\n", "3"),
    "what another is made from": ({"lib.py": f"T = {{'k': 3}}\nU = dict(T)\n{HEAVY}"}, "from lib import T\nx = T['k']\n", "3"),
    "for checkers": ({"lib.py": f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from low import K\n{HEAVY}", "low.py": "K = 5\n"}, "from lib import K\nx = K\n", "5"),
    "a file of a package": ({"p/__init__.py": HEAVY, "p/part.py": "N = 6\n"}, "from p import part\nx = part.N\n", "6"),
    "a file beside a star import for checkers": (
        {"p/__init__.py": f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .low import *\n{HEAVY}", "p/low.py": HEAVY, "p/part.py": "N = 6\n"},
        "from p import part\nx = part.N\n", "6",
    ),
    "a name that nothing binds": ({"lib.py": HEAVY}, "import lib\nx = lib.missing\n", "?"),
}  # fmt: skip


@pytest.mark.parametrize("name", ALONE)
def test_what_can_be_had_without_the_rest_of_a_file_is(name: str):
    files, text, expected = ALONE[name]
    project = Project({**files, "main.py": text})
    assert project.facts("main.py")["x"] == expected
    interpreter = Interpreter(project.modules["main"], project, frozenset(), True, None)
    interpreter.run()
    assert interpreter.spent_on_modules < 30


IN_ORDER = {
    "an item that is put in": ("D = {'a': 1}\nD['a'] = 2\n", "D['a']", "2"),
    "a list that grows": ("L = list((1,))\nL.append(2)\n", "len(L)", "2"),
    "a second value": ("S = 1\nfor S in (2,):\n    pass\n", "S", "2"),
    "a name bound by unpacking, too": ("S = 1\nS, T = 2, 3\n", "S", "2"),
    "a decorator's table": ("T = dict(a=1)\ndef add(f):\n    T['a'] = 2\n    return f\nT.update(a=3)\n", "T['a']", "3"),
    "a file of this name is hidden": ("part = 7\n", "part", "7"),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_ORDER)
def test_what_the_rest_of_a_file_does_to_a_name_counts(name: str):
    text, expression, expected = IN_ORDER[name]
    bound = expression.split("[")[0].removeprefix("len(").rstrip(")")
    files = {"p/__init__.py": text, "p/part.py": "", "main.py": f"from p import {bound}\nx = {expression}\n"}
    assert Project(files).facts("main.py")["x"] in (expected, "?", "int")
