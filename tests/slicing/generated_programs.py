"""Makes programs of two files that change, share and pass on tensors, and end in an error that shows their values."""

from __future__ import annotations

import random
from textwrap import indent

LIBRARY = """
import torch
from torch import nn

STATE = [torch.zeros(3)]
COUNT = {"n": 0}
SCALE = 2


class Box:
    shared = []

    def __init__(self, t):
        self.t = t
        self.calls = 0

    def bump(self, by=1):
        self.t.add_(by)
        self.calls += 1
        return self

    def swap(self, other):
        self.t, other.t = other.t, self.t

    def keep(self, t):
        self.shared.append(t)

    def get(self):
        self.calls += 1
        return self.t

    @property
    def seen(self):
        self.calls += 1
        return self.calls


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        with torch.no_grad():
            self.fc.weight.fill_(0.5)
            self.fc.bias.fill_(0.25)

    def forward(self, x):
        return self.fc(x)


def scaled(x):
    return x * SCALE


def bump_state(by=1):
    STATE[0].add_(by)


def count():
    COUNT["n"] += 1
    return COUNT["n"]


def set_scale(value):
    global SCALE
    SCALE = value


def remember(x, seen=[]):
    seen.append(x)
    return seen


def first(x, *rest):
    return x


def touch(x, y):
    y.mul_(2)
    return x


def fill(module):
    if isinstance(module, nn.Linear):
        module.weight.data.fill_(0.125)


def numbers(n):
    for i in range(n):
        yield i
"""


class Program:
    """A random program; `main` and `library` are its files."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = {
            "T": ["t0", "t1"],
            "L": ["l0"],
            "D": ["d0"],
            "B": ["b0"],
            "K": ["k0"],
            "N": ["n0"],
            "I": ["i0"],
        }
        self.counter = 10
        self.by_module = self.random.random() < 0.5
        start = [
            "t0 = torch.ones(3)", "t1 = torch.arange(3.0)", "l0 = [t0, torch.full((3,), 2.0)]", "d0 = {'a': t1}",
            f"b0 = {self.lib('Box')}(torch.zeros(3))", "k0 = 1", f"n0 = {self.lib('Net')}()", "i0 = iter([1, 2, 3, 4, 5, 6])",
            "o0 = torch.optim.SGD(n0.parameters(), lr=0.1)",
        ]  # fmt: skip
        globals_ = "G = [torch.zeros(3)]\nTOTAL = torch.zeros(3)\n"
        functions = "\n".join(self.function(f"f{n}") for n in range(3))
        self.own_functions = [f"f{n}" for n in range(3)]
        shape = self.random.choice(["flat", "function", "chain", "loop", "chain"])
        body = start + self.block(self.random.randint(4, 14))
        goal = self.goal()
        if shape == "flat":
            program = "\n".join([*body, goal])
        elif shape == "loop":
            inner = "\n".join(["if r == 2:", indent(goal, "    "), *self.block(4)])
            program = "\n".join([*body, "for r in range(3):", indent(inner, "    ")])
        elif shape == "function":
            program = "def main():\n" + indent("\n".join([*body, goal]), "    ") + "\n\nmain()"
        else:
            given = self.some("TTLDBKNI")
            inner = "\n".join([*self.block(5), goal])
            before = self.block(2)
            call = f"check({', '.join(given)})"
            parameters = list(dict.fromkeys(given))
            call = f"check({', '.join(parameters)})"
            needed = {name for names in self.names.values() for name in names} | {"o0"}
            others = sorted(needed - set(parameters))
            # What is not given is made anew in the function.
            again = [one for one in start if one.split(" ")[0] in others]
            made_here = {one.split(" ")[0] for one in start}
            again += [f"{one} = {self.default(one)}" for one in others if one not in made_here]
            program = (
                f"def check({', '.join(parameters)}):\n"
                + indent("\n".join([*again, inner]), "    ")
                + "\n\ndef main():\n"
                + indent("\n".join([*body, *before, call]), "    ")
                + "\n\nif __name__ == '__main__':\n    main()"
            )
        head = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
        head += "import lib\n" if self.by_module else "from lib import *\nimport lib\n"
        self.main = f"{head}\n{globals_}\n{functions}\n{program}\n"
        self.library = LIBRARY

    def default(self, name: str) -> str:
        kind = next(kind for kind, names in self.names.items() if name in names)
        return {
            "T": "torch.ones(3)", "L": "[torch.ones(3)]", "D": "{'a': torch.ones(3)}", "K": "3",
            "B": f"{self.lib('Box')}(torch.ones(3))", "N": f"{self.lib('Net')}()", "I": "iter([1, 2])",
        }[kind]  # fmt: skip

    def lib(self, name: str) -> str:
        return f"lib.{name}" if self.by_module else name

    def some(self, kinds: str) -> list[str]:
        return [self.random.choice(self.names[kind]) for kind in kinds]

    def new(self, kind: str) -> str:
        if self.random.random() < 0.3:
            return self.random.choice(self.names[kind])
        self.counter += 1
        name = f"{kind.lower()}{self.counter}"
        self.names[kind].append(name)
        return name

    def function(self, name: str) -> str:
        body = self.random.sample(
            [
                "x.add_(1)", "y.mul_(2)", "G.append(x)", "G[0].add_(1)", "x = x + 1", "x, y = y, x", "z = x",
                "lib.STATE[0].add_(1)", "lib.COUNT['n'] += 1", "x[0] = 7.0", "TOTAL.add_(x.detach().sum())",
                "for one in G:\n    one.sub_(1)", "if x.detach().sum() > 3:\n    y.add_(1)", "alias = y.view(3)\nalias.add_(2)",
                "if x.detach()[0] > 100:\n    return y", "torch.set_default_dtype(torch.float64)",
            ],
            3,
        )  # fmt: skip
        result = self.random.choice(["x", "y", "x + y", "[x, y][0]", "x.clone()"])
        return f"def {name}(x, y):\n" + indent("\n".join([*body, f"return {result}"]), "    ") + "\n"

    def goal(self) -> str:
        t, u, lst, d, b, k, n, i = self.some("TTLDBKNI")
        shown = self.random.choice(
            [
                f"{t}.tolist()", f"{u}.tolist()", f"{lst}[0].tolist()", f"{d}['a'].tolist()", f"({b}.t.tolist(), {b}.calls)",
                f"{k}", f"{n}({t}.detach()).tolist()", f"next({i}, None)", "[one.tolist() for one in G]", "TOTAL.tolist()",
                "(lib.STATE, lib.COUNT)", "lib.scaled(torch.ones(1)).item()", f"[one.tolist() for one in {lst}]",
                f"len({b}.shared)", f"{n}.fc.weight[0].tolist()", "torch.zeros(1).dtype", f"{n}.training", "lib.count()",
                f"{d}.keys()", f"len({lst})", f"{n}.fc.weight.grad is None", f"{t}.requires_grad", "torch.is_grad_enabled()",
            ]
        )  # fmt: skip
        return f"int('value ' + repr({shown}))"

    def block(self, count: int) -> list[str]:
        return [self.statement() for _ in range(count)]

    def statement(self, depth: int = 0) -> str:
        t, u, lst, m, d, b, c, k, j, n, i = self.some("TTLLDBBKKNI")
        lib = self.lib
        f = self.random.choice(["f0", "f1", "f2"])
        choices = [
            f"{t}.add_(1)", f"{t}.mul_(2)", f"{t} += {u}", f"{t}[0] = 5.0", f"torch.add({t}, 1, out={u})",
            f"F.relu({t}, inplace=True)", f"{t}.copy_({u})", f"{t}.data.add_(1)", f"{lst}.append({t})", f"{lst}[0] = {t}",
            f"{lst}.reverse()", f"{lst}.insert(0, {t})", f"[one.add_(1) for one in {lst}]", f"for one in {lst}:\n    one.add_(1)",
            f"for r1, one in enumerate({lst}):\n    {lst}[r1] = one + 1", f"{d}['a'] = {t}", f"{d}.update(b={t})",
            f"{d}['a'].add_(1)", f"for one in {d}.values():\n    one.add_(3)", f"{d}.setdefault('c', {t}).add_(1)",
            f"{b}.t = {t}", f"{b}.bump()", f"{b}.t.add_(1)", f"setattr({b}, 't', {t})", f"{b}.swap({c})", f"{b}.keep({t})",
            f"{b}.get()", f"{b}.get().add_(1)", f"{b}.seen", f"print({b}.seen)", f"print({b}.bump())", f"vars({b})['t'] = {t}",
            f"{b}.__dict__['t'] = {t}", f"getattr({b}, 't').add_(1)", f"type({b}).shared = [{t}]",
            f"{lib('Box')}.shared = [{t}]", f"del {lst}[1:]", f"next({i}, None)", f"for one in {i}:\n    break",
            f"print(next({i}, None))", f"list({i})", f"{k} += 1", f"{k} = {k} * 2 + len({lst})", f"lib.STATE.append({t})",
            "lib.COUNT['n'] += 1", "lib.SCALE = 3", "lib.bump_state()", "lib.set_scale(5)", f"{lib('bump_state')}(2)",
            f"{lib('count')}()", f"{lib('remember')}({t})[0].add_(1)", f"{lib('touch')}({t}, {u})", f"{f}({t}, {u})",
            f"{f}({lst}[0], {d}['a'])", f"G.append({t})", f"G[0] = {t}", f"{n}.apply({lib('fill')})", f"{n}.fc.weight.data.add_(1)",
            f"{n}.eval()", f"{n}.double().float()", f"{n}.requires_grad_(False)", "o0.step()", "o0.zero_grad()",
            f"{n}({t}.detach()).sum().backward()", f"{n}.fc.register_forward_hook(lambda module, args, out: G.append(out.detach()))",
            f"{n}.fc.register_forward_hook(lambda module, args, out: out + 1)", f"{n}({t}.detach())",
            f"for one in {n}.parameters():\n    one.data.add_(1)", f"{t}.requires_grad_(False)",
            f"for name, one in {n}.named_parameters():\n    if name.endswith('bias'):\n        one.data.fill_(3)",
            f"nn.init.ones_({n}.fc.weight)", f"torch.nn.utils.clip_grad_norm_({n}.parameters(), 0.1)",
            f"torch.nn.utils.vector_to_parameters(torch.ones(12), {n}.parameters())", f"{n}.load_state_dict({lib('Net')}().state_dict())",
            f"{lib('Net')}.forward = lambda self, x: self.fc(x) * 2", f"{n}.fc = nn.Linear(3, 3, bias=False)\nnn.init.zeros_({n}.fc.weight)",
            f"{lib('Box')}.bump = lambda self, by=1: self", f"(lambda: {t}.add_(4))()", f"map_ = list(map(lambda one: one.add_(1), {lst}))",
            f"print({t}.add_(1))", f"print(f'{{{t}.add_(1)}}')", f"assert {k} < 10 ** 9", "torch.set_grad_enabled(False)",
            f"if {k} > 2:\n    {t}.add_(10)\nelse:\n    {u}.sub_(1)",
            f"try:\n    {t}.view(7)\n    {k} = 50\nexcept RuntimeError:\n    {k} += 100",
            f"try:\n    {t}.add_(1)\nfinally:\n    {k} += 2", f"while True:\n    {k} += 1\n    if {k} % 5 == 0:\n        break",
            f"for one in {lst}:\n    if one.sum() > 1e9:\n        break\nelse:\n    {k} += 7",
            f"for one in range(5):\n    if one == {k}:\n        continue\n    {t}.add_(one)",
            f"with torch.no_grad():\n    {t}.add_(1)", f"with torch.no_grad():\n    {n}.fc.bias.zero_()",
            f"{t}, {u} = {u}, {t}", f"if (w := {t}) is not None:\n    w.add_(1)", f"torch.Tensor.add_({t}, 1)",
            f"nn.Module.eval({n})", f"nn.ReLU(inplace=True)({t})", "torch.set_default_dtype(torch.float64)", f"del {d}['b'] if False else {d}['a']"
            if False else f"{d}.pop('b', None)", f"{lst} += [{t}]", f"{lst}.extend({m})", f"{lst} = {m}",
            f"def local():\n    {t}.add_(2)\nlocal()", f"def late(one={t}):\n    one.add_(2)\nlate()",
            f"acc = [{t}]\nacc[0].add_(1)", f"pair = ({t}, {u})\npair[0].add_(1)", f"star, *rest_ = {lst}\nstar.add_(3)",
        ]  # fmt: skip
        made = [
            lambda: f"{self.new('T')} = {t}", lambda: f"{self.new('T')} = {t} + {u}", lambda: f"{self.new('T')} = {t}.view(3)",
            lambda: f"{self.new('T')} = {t}.detach()", lambda: f"{self.new('T')} = {lst}[0]", lambda: f"{self.new('T')} = {d}['a']",
            lambda: f"{self.new('T')} = {b}.t", lambda: f"{self.new('T')} = {b}.get()", lambda: f"{self.new('T')} = {f}({t}, {u})",
            lambda: f"{self.new('T')} = {lib('first')}({t}, {u})", lambda: f"{self.new('L')} = [{t}, {u}]",
            lambda: f"{self.new('L')} = list({m})", lambda: f"{self.new('L')} = {m}[:1]", lambda: f"{self.new('D')} = dict(a={t})",
            lambda: f"{self.new('D')} = {d}", lambda: f"{self.new('B')} = {lib('Box')}({t})", lambda: f"{self.new('B')} = {b}",
            lambda: f"{self.new('B')} = {b}.bump()", lambda: f"{self.new('N')} = {n}", lambda: f"{self.new('N')} = {lib('Net')}()",
            lambda: f"{self.new('N')} = {n}.eval()", lambda: f"{self.new('I')} = {i}", lambda: f"{self.new('I')} = iter([1, 2, 3])",
            lambda: f"{self.new('I')} = {lib('numbers')}(5)", lambda: f"{self.new('K')} = {j} + 1",
            lambda: f"{self.new('K')} = {lib('count')}()", lambda: f"{self.new('T')} = {lib('remember')}({t})[0]",
            lambda: f"{self.new('T')} = {n}({t}.detach()).detach()", lambda: f"{self.new('T')} = {t} if {k} > 2 else {u}",
            lambda: f"{self.new('T')} = {n}.fc.bias.data", lambda: f"{self.new('T')} = F.relu({t}, inplace=True)",
            lambda: f"{self.new('T')} = {t}.to(torch.float32)", lambda: f"{self.new('T')} = torch.add({t}, 1, out={u})",
        ]  # fmt: skip
        if self.random.random() < 0.4:
            return self.random.choice(made)()
        return self.random.choice(choices)
