"""Whatever the text, analysis ends: no crash, and what costs too much is given up by name."""

from __future__ import annotations

import random
import sys
import sysconfig
import time
from pathlib import Path

import pytest
from claimed_facts import parsed

from torchlsp.facts.values import UNKNOWN_VALUE
from torchlsp.interp.run.analyse import analyse
from torchlsp.interp.store.analysis import Analysis

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
STANDARD = (
    "dataclasses",
    "contextlib",
    "functools",
    "enum",
    "typing",
    "argparse",
    "collections/__init__",
    "heapq",
)


def analysed(text: str) -> Analysis:
    return analyse(parsed(text), recording=True, strict=True)


def mutated(text: str, chance: random.Random) -> str:
    """The text with some lines dropped, doubled, moved, indented or mixed up with others."""
    lines = text.split("\n")
    for _ in range(chance.randint(1, 6)):
        i, j = chance.randrange(len(lines)), chance.randrange(len(lines))
        match chance.randrange(6):
            case 0:
                lines.pop(i)
            case 1:
                lines.insert(j, lines[i])
            case 2:
                lines[i], lines[j] = lines[j], lines[i]
            case 3:
                lines[i] = "    " + lines[i]
            case 4:
                words = lines[i].split(" ")
                chance.shuffle(words)
                lines[i] = " ".join(words)
            case 5:
                names = [word for word in lines[j].replace("(", " ").split() if word.isidentifier()]
                found = [word for word in lines[i].replace("(", " ").split() if word.isidentifier()]
                if names and found:
                    lines[i] = lines[i].replace(chance.choice(found), chance.choice(names))
        if not lines:
            return ""
    return "\n".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_mutated_programs(path: Path):
    chance = random.Random(path.stem)
    text = path.read_text()
    for _ in range(12):
        changed = mutated(text, chance)
        try:
            analysed(changed)
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error}\n{changed}") from error


@pytest.mark.slow
@pytest.mark.parametrize("name", STANDARD)
def test_standard_library(name: str):
    path = Path(sysconfig.get_paths()["stdlib"]) / f"{name}.py"
    text = path.read_text(encoding="utf-8")
    assert not analysed(text).errors
    chance = random.Random(name)
    for _ in range(3):
        analysed(mutated(text, chance))


def _nested(opening: str, depth: int, inner: str) -> str:
    return "\n".join("    " * i + opening for i in range(depth)) + "\n" + "    " * depth + inner


LONG = {
    "branches in a row": "import torch\nx = torch.ones(2)\n" + "".join(
        f"if x.sum() > {i}:\n    x = x + {i}\n" for i in range(200)
    ),
    "elif chain": "import torch\nx = torch.ones(2)\nif x.sum() > 0:\n    y = 0\n" + "".join(
        f"elif x.sum() > {i}:\n    y = {i}\n" for i in range(300)
    ) + "z = y\n",
    "nested branches": "import torch\nx = torch.ones(2)\n" + _nested("if x.sum() > 0:", 18, "x = x + 1") + "\n",
    "nested branches with both ways": "import torch\nx = torch.ones(2)\n" + "\n".join(
        "    " * i + "if x.sum() > 0:" for i in range(12)
    ) + "\n" + "    " * 12 + "x = x + 1\n" + "\n".join("    " * i + "else:\n" + "    " * (i + 1) + "x = x - 1" for i in reversed(range(12))),
    "nested loops": "import torch\nx = torch.ones(2)\n" + _nested("for i in range(n):", 15, "x = torch.cat([x, x])") + "\n",
    "nested unrolled loops": "import torch\nys = []\n" + _nested("for i in [1, 2, 3, 5, 8, 9, 11]:", 8, "ys.append(i)") + "\n",
    "nested whiles": "x = 0\n" + _nested("while x < 5:", 15, "x += 1") + "\n",
    "nested tries": "import torch\nx = 1\n" + "\n".join("    " * i + "try:" for i in range(15)) + "\n" + "    " * 15 + "x = 2\n"
    + "\n".join("    " * i + "except E:\n" + "    " * (i + 1) + "x = 3" for i in reversed(range(15))),
    "nested functions": _nested("def f(x):", 40, "return x") + "\n",
    "nested classes": _nested("class A:", 40, "x = 1") + "\n",
    "calls of calls": "x = " + "f(" * 80 + "1" + ")" * 80 + "\n",
    "nested lists": "x = " + "[" * 80 + "1" + "]" * 80 + "\n",
    "nested lambdas": "x = " + "lambda y: " * 80 + "1\n",
    "attributes": "x = a" + ".b" * 500 + "\n",
    "subscripts": "x = a" + "[0]" * 200 + "\n",
    "sum": "x = " + " + ".join(["1"] * 3000) + "\n",
    "and": "x = " + " and ".join(f"a{i}" for i in range(2000)) + "\n",
    "comparison": "x = " + " < ".join(f"a{i}" for i in range(1000)) + "\n",
    "literals": "x = [" + ", ".join(map(str, range(20000))) + "]\ny = {" + ", ".join(f"{i}: {i}" for i in range(20000)) + "}\n",
    "text": 'x = "' + "a" * 1_000_000 + '"\ny = x * 1000\nz = x + x\n',
    "numbers": "x = " + "9" * 3000 + "\ny = x ** x\nz = 2 ** 10 ** 8\nw = 1 << 10 ** 9\nv = [0] * 10 ** 12\nu = 'a' * 10 ** 12\n",
    "numbers of operators": "import torch\nimport numpy as np\nimport torch.distributed as dist\n\ndef f(x):\n    y = x.flatten(2147483648)\n"
    "    z = torch.nn.Flatten(10 ** 9)(x)\n    return torch.chunk(x, 10 ** 9), x.unflatten(0, (10 ** 9, -1))\n\n"
    "a = torch.tensor_split(torch.zeros(10 ** 9), 10 ** 9)\nb = torch.tril_indices(10 ** 9, 10 ** 9)\nc = torch.nn.LSTM(2, 3, 10 ** 9)\n"
    "d = torch.combinations(torch.zeros(10 ** 9), 10 ** 8)\ne = np.array([1], ndmin=10 ** 9)\nif dist.get_rank() < 10 ** 9:\n    dist.barrier()\n"
    "g, *h = torch.zeros(10 ** 9)\ni = [*torch.zeros(10 ** 9)]\nj = list(range(10 ** 12))\nk = dict.fromkeys(range(10 ** 12))\n",
    "sizes": "import torch\nx = torch.ones(10 ** 30, -1, 0)\ny = x.view(-1, -1)\nz = x[10 ** 40 :: -5]\nw = range(10 ** 40)\nfor i in w: a = i\n",
    "statements": "import torch\nx = torch.ones(2, 3)\n" + "x = x + 1\n" * 4000,
    "call chain": "def f0(x): return x\n" + "".join(f"def f{i}(x): return f{i - 1}(x)\n" for i in range(1, 100)) + "y = f99(1)\n",
    "call tree": "def f0(x): return x\n" + "".join(f"def f{i}(x): return f{i - 1}(x), f{i - 1}(x)\n" for i in range(1, 40)) + "y = f39(1)\n",
    "methods": "class A:\n" + "".join(f"    def m{i}(self):\n        self.x{i} = self.m{i + 1}()\n        return self.m{i + 1}()\n" for i in range(60)) + "A().m0()\n",
    "match": "x = f()\nmatch x:\n" + "".join(f"    case {i}:\n        y = {i}\n" for i in range(300)) + "z = y\n",
    "tuple growing": "t = (1,)\nfor i in range(100):\n    t = t + t\n    t = (t, t)\nx = t\n",
    "tuple growing in a function": "def f(t, n):\n    t = (t, t)\n    return f(t, n - 1)\nx = f(1, 5)\ny = (1, 2)\n" + "y = (y, y, y)\n" * 60 + "z = y\n",
    "text growing": "s = 'a'\n" + "s = s + s\n" * 60,
    "list growing": "s = [1]\n" + "s = s + s\n" * 60 + "r = [s, s]\nr.append(r)\nt = (r, r)\n" ,
    "dict growing": "d = {}\nd['d'] = d\nfor k, v in d.items():\n    d[k] = d\ne = {**d, **d}\n",
    "sizes growing": "import torch\nx = torch.ones(3)\n" + "x = torch.cat([x, x])\n" * 200,
    "symbols growing": "def f(x):\n    a, b, c = x.shape\n" + "    a = a * b + c * a\n    b = b * a - c // a\n" * 30 + "    return x.view(a, b)\n",
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_long_and_deep(name: str):
    text = LONG[name]
    started = time.process_time()
    analysed(text)
    seconds = time.process_time() - started
    assert seconds < 4 + len(text) / 20_000, f"{seconds:.1f} s for {len(text)} characters"


STRANGE = {
    "own base": "class A(A): pass\nclass B(B, B):\n    def f(self): return super().f()\nB().f()\nclass A(A):\n    x = A.x\n",
    "bases in a circle": "class A: pass\nB = A\nclass A(B): pass\nclass B(A): pass\nclass C(A, B): pass\nclass D(B, A): pass\nclass E(C, D): pass\nE().f()\n",
    "no class": "class A(5, None, *x, **y, metaclass=M): pass\na = A()\na.f()\na()\nwith a: pass\na[0] += 1\ndel a[0]\n",
    "metaclass": "class M(type):\n    def __call__(cls, *a): return 5\n    def __new__(m, *a): return 5\nclass A(metaclass=M): pass\nx = A(1)\ny = M('n', (), {})\n",
    "shadowed torch": "import torch\ntorch = None\nx = torch.ones(2)\nclass torch: ones = 5\ny = torch.ones(2)\ndef torch(): return torch\nz = torch().ones\n",
    "shadowed builtins": "len = list = range = 5\nfor i in range(3): len(i)\ndef print(*a): return print(*a)\nprint(1)\nsuper = isinstance = None\nsuper().x\nisinstance(1, 2)\n",
    "self": "x = x\nf = f()\ndef g(a=g): return a\ng()\nx: x = x\nlambda y=y: y\n[y for y in y]\n",
    "properties in a circle": "class A:\n    @property\n    def a(self): return self.b\n    @property\n    def b(self): return self.a\n    def __getitem__(self, i): return self[i]\n    def __call__(self): return self()\n    def __enter__(self):\n        with self: pass\n    def __iter__(self): return self\nA().a\nA()[0]\nA()()\nfor i in A(): pass\nwith A(): pass\n",
    "mutual recursion": "def f(x): return g(x)\ndef g(x): return f(x) + h(x)\ndef h(x): return [f(y) for y in x]\nf(1)\nf(f)\n(lambda f: f(f))(lambda f: f(f))\n",
    "recursion in init": "class A:\n    def __init__(self): self.a = A()\n    def f(self): self.f().f()\na = A()\na.a.a.a = a\na.f()\n",
    "delete": "import torch\ndel torch, x, y.z, w[0]\nx = [1]\ndel x[0], x[5], x\ndel x\nfor i in x: del i\ndef f(x):\n    del x\n    return x\nf(1)\n",
    "global": "def f():\n    global x, f\n    x = f = 5\n    nonlocal_ = x\nf()\nf()\ndef g():\n    def h():\n        nonlocal y\n        y = 1\n    y = 0\n    h()\n    return y\ng()\nglobal x\n",
    "exec": "exec('x = 1')\nx\neval('y')\nglobals()['z'] = 1\nz\nvars()['w'] = 2\nlocals()\n__import__('os')\nimport *\n",
    "conditional definitions": "if a:\n    def f(x): return 1\n    class C: x = 1\nelse:\n    def f(y, z): return 2\n    class C: y = 2\nf(1)\nC().x\ntry:\n    import q\nexcept ImportError:\n    q = None\nq.z()\n",
    "decorators": "@f\n@f.g(1)[2]\n@(lambda h: h)\n@property\n@staticmethod\ndef k(x): return x\nk(1)\n@k\nclass A:\n    @A\n    @k.setter\n    def f(self): pass\nA().f\n",
    "arguments": "def f(a, b=1, *c, d, e=2, **g): return a\nf()\nf(1, 2, 3, a=1)\nf(*x, **y)\nf(*f, **f)\nf(1, d=2, d2=3)\ndef g(*, a): return a\ng(1)\n(lambda *a, **k: (a, k))(1, z=2)\n",
    "unpacking": "a, b = 1\na, *b = ()\n*a, = 5\n(a, (b, *c)), d = f()\n[a, b] = {1, 2}\na.b, c[0], *d = 1, 2\nfor a, (b, c) in [1, (2, 3)]: pass\nwith f() as (a, b): pass\n",
    "tensors as anything": "import torch\nx = torch.ones(2)\nx()\nx.foo.bar()\nx[x][x] = x\nfor a, b in x: pass\nx.shape = x\nx.data = 5\nx += 'a'\nclass A(x): pass\nwith x: pass\nx.T.T()\nlen(x)(x)\n~x\nx @ x @ None\nif x: pass\nnot x\nx in x\n{x: x}[x]\n",
    "layers as anything": "import torch.nn as nn\nl = nn.Linear\nl()\nl(1)(2)\nl(l, l)(l)\nnn.Sequential(5, None, l)(l)\nnn.ModuleList(5)[0]\nnn.ModuleList([nn.Linear(1, 2)] * 5)[::2][9]\nnn.ModuleDict({1: 2})['a']\nnn.Sequential(*5)(1)\nnn.Sequential(nn.Sequential)(3)\nclass A(nn.Linear, nn.Sequential, nn.Module): pass\nA(1, 2)(3)\nA.forward(1)\n",
    "module holding itself": "import torch.nn as nn\nclass A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.me = self\n        self.l = nn.ModuleList([self])\n    def forward(self, x): return self.me(self.l[0](x))\na = A()\na.to('cuda')\na.train()\na(1)\nlist(a.parameters())\nimport copy\ncopy.deepcopy(a)\ns = nn.Sequential()\ns.append(s)\ns(1)\n",
    "lists holding themselves": "x = []\nx.append(x)\nx += x\nx.extend(x)\nfor y in x: x.append(y)\nf(x)\ny = [x] * 3\nimport torch\ntorch.stack(x)\ntorch.tensor(x)\nmax(x)\nsum(x, x)\nx.sort()\nd = {}\nd['d'] = d\ndict(d, **d)\n",
    "yield": "def f():\n    x = yield\n    yield from f()\n    yield x\n    return (yield)\nfor a in f(): list(f())\nasync def g():\n    async for a in g(): yield a\n    async with a as b: await b\n    return [x async for x in g()]\nyield 5\n",
    "return outside": "return 5\nbreak\ncontinue\nfor i in x:\n    pass\nelse:\n    break\nwhile 1: break\nx = 5\n",
    "names of attributes": "class A: pass\na = A()\nsetattr(a, '[]', 5)\nsetattr(a, '@attributes', 5)\na.x = 1\nsetattr(a, '', 5)\nsetattr(a, '{}', {})\ngetattr(a, '@device')\nlen(a)\na[0]\nfor i in a: pass\n",
    "getattr of a pair": "import torch\nx = getattr(torch.max(torch.ones(2, 3), 0), 'float')\n",
    "empty": "",
    "only a comment": "# -*- coding: utf-8 -*-\n\f\n",
    "broken": "def f(:\n  x = \nclass\nimport torch\nx = torch.ones(2).view(7)\n)))\n",
}  # fmt: skip


@pytest.mark.parametrize("name", STRANGE)
def test_strange_programs(name: str):
    analysis = analysed(STRANGE[name])
    assert not analysis.errors


def test_deep_text_is_given_up_not_raised():
    for depth in (100, 400, 2000):
        analysed("x = " + "(" * depth + "1" + ",)" * depth)
        analysed("x = " + "-" * depth + "1")
        analysed(
            "\n".join("    " * min(i, 90) + "if x:" for i in range(min(depth, 90)))
            + "\n"
            + "    " * 90
            + "y = 1"
        )
    assert sys.getrecursionlimit() < 100_000


def test_a_name_that_deep_text_may_bind_is_unknown():
    """Statements nested too deeply to be looked into may have bound and returned anything."""
    chain = (
        "y = 0\nif a > 0:\n    y = 1\n"
        + "".join(f"elif a == {i}:\n    y = {i}\n" for i in range(250))
        + "z = y\n"
    )
    analysis = analysed(chain)
    texts = {chain[start:end]: value for (start, end), value in analysis.names.items()}
    assert texts["z"] == UNKNOWN_VALUE


def test_equal_sizes_are_forgotten_like_all_else():
    """Loops in loops around a `try`, in which a test of sizes changes from one iteration to the next."""
    text = """
import torch

def check(x, other):
    n, d = x.size()
    m, e = other.size()
    assert d == e
    made = torch.empty(n, 3)
    assert made.shape == (n, 3)

def loop(batches):
    for x, other in batches:
        for again in range(3):
            try:
                check(x, other)
                x, other = other, x
            except AssertionError:
                continue
        check(other, x)
"""
    assert not analysed(text).errors
