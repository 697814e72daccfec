"""Programs that end in an error whose text shows whether everything that leads there was run.

Each is its `main.py`, or texts of several files by name.
"""

from __future__ import annotations

_NET = """
class Net(nn.Module):
    def __init__(self, hidden=4):
        super().__init__()
        self.hidden = hidden
        self.first = nn.Linear(3, hidden)
        self.second = nn.Linear(hidden, 2)

    def encode(self, x):
        return self.first(x)

    def forward(self, x):
        return self.second(self.encode(x))
"""

_HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"


def _show(expression: str) -> str:
    return f"int('value ' + repr({expression}))\n"


def _main(body: str, shown: str) -> dict[str, str]:
    return {"main.py": _HEAD + body + "\n" + _show(shown)}


PROGRAMS: dict[str, dict[str, str]] = {
    "global_changed_by_a_function": _main(
        "state = []\ndef note():\n    state.append(1)\nnote()\nnote()", "state"
    ),
    "global_changed_by_a_function_of_a_function": _main(
        "state = []\ndef inner():\n    state.append(1)\ndef outer():\n    inner()\nouter()", "state"
    ),
    "global_rebound": _main("size = 3\ndef grow():\n    global size\n    size += 1\ngrow()", "size"),
    "module_of_a_global_is_cast": _main(
        "net = nn.Linear(2, 2)\ndef prepare():\n    net.double()\nprepare()", "net.weight.dtype"
    ),
    "module_cast_in_place": _main("net = nn.Linear(2, 2)\nnet.to(torch.float64)", "net.weight.dtype"),
    "module_cast_under_another_name": _main(
        "net = nn.Linear(2, 2)\nother = net.double()", "net.weight.dtype"
    ),
    "global_in_a_chain": {
        "main.py": _HEAD
        + "net = nn.Linear(2, 2)\ndef prepare():\n    net.double()\n"
        + "def show():\n    int('value ' + str(net.weight.dtype))\ndef main():\n    prepare()\n    show()\nmain()\n"
    },
    "two_arguments_share_an_object": {
        "main.py": _HEAD
        + "def f(a, b):\n    b.add_(1)\n    int('value ' + str(a))\nx = torch.zeros(2)\nf(x, x.view(2))\n"
    },
    "an_argument_shares_with_a_global": {
        "main.py": _HEAD
        + "x = torch.zeros(2)\ndef f(b):\n    b.add_(1)\n    int('value ' + str(x))\nf(x.view(2))\n"
    },
    "optimizer_of_the_model_is_another_argument": {
        "main.py": _HEAD
        + _NET
        + "def train(net, opt):\n    net(torch.ones(1, 3)).sum().backward()\n    opt.step()\n    opt.zero_grad()\n"
        + "    int('value ' + str(net.first.weight.grad))\nnet = Net()\ntrain(net, torch.optim.SGD(net.parameters(), 0.1))\n"
    },
    "function_called_before": {
        "main.py": _HEAD
        + "seen = []\ndef step(x):\n    if seen:\n        int('value ' + str(seen))\n    seen.append(x)\nstep(1)\nstep(2)\n"
    },
    "function_called_before_changes_another_argument": {
        "main.py": _HEAD
        + "def step(x, other):\n    other.append(x)\n    int('value ' + str(x)) if len(x) > 1 else None\n"
        + "a, b = [], [1]\nstep(b, a)\nstep(a + [2, 3], b)\n"
    },
    "argument_is_popped": {
        "main.py": _HEAD
        + "items = [1, 2, 3]\ndef f(x, y):\n    int('value ' + str(x))\ndef g():\n    f(items, items.pop())\ng()\n"
    },
    "entry_of_a_list_is_changed": _main(
        "x = torch.zeros(2)\nitems = []\nitems.append(x)\nitems[0].add_(1)", "x"
    ),
    "entry_of_a_dict_is_changed": _main("x = torch.zeros(2)\nd = {}\nd.update(a=x)\nd['a'].add_(1)", "x"),
    "changed_in_a_comprehension": _main(
        "net = nn.Linear(2, 2)\n[p.requires_grad_(False) for p in net.parameters()]",
        "net.weight.requires_grad",
    ),
    "changed_by_map": _main("xs = [torch.zeros(2)]\nlist(map(lambda one: one.add_(1), xs))", "xs"),
    "changed_by_a_lambda": _main("x = torch.zeros(2)\nf = lambda: x.add_(1)\nf()", "x"),
    "changed_by_a_nested_function": {
        "main.py": _HEAD
        + "def main():\n    n = 0\n    x = torch.zeros(2)\n    def bump():\n        nonlocal n\n        n += 1\n        x.add_(n)\n"
        + "    bump()\n    bump()\n    int('value ' + repr((n, x)))\nmain()\n"
    },
    "in_place_argument": _main("x = torch.full((2,), -1.0)\ny = F.relu(x, inplace=True)", "x"),
    "in_place_by_position": _main("x = torch.full((2,), -1.0)\ny = F.relu(x, True)", "x"),
    "in_place_layer": _main("x = torch.full((2,), -1.0)\ny = nn.ReLU(inplace=True)(x)", "x"),
    "out_argument": _main("x = torch.zeros(2)\ntorch.ones(2, out=x)", "x"),
    "method_called_through_its_class": _main(
        "x = torch.zeros(2)\ntorch.Tensor.add_(x, 1)\nnet = nn.Linear(1, 1)\nnn.Module.eval(net)",
        "(x, net.training)",
    ),
    "graph_freed_by_grad": {
        "main.py": _HEAD
        + "w = torch.ones(2, requires_grad=True)\nloss = (w * w).sum()\ng = torch.autograd.grad(loss, w)\nloss.backward()\n"
    },
    "weight_norm_under_another_name": _main(
        "net = nn.Linear(2, 2)\nwn = torch.nn.utils.parametrizations.weight_norm(net)",
        "sorted(dict(net.named_parameters()))",
    ),
    "forward_hook": _main(
        "seen = []\ndef hook(module, args, out):\n    seen.append(out.shape)\nnet = nn.Linear(2, 3)\nnet.register_forward_hook(hook)\nnet(torch.ones(4, 2))",
        "seen",
    ),
    "hook_of_all_modules": _main(
        "from torch.nn.modules.module import register_module_forward_hook\nregister_module_forward_hook(lambda m, a, o: o * 0)\nnet = nn.Linear(2, 2)",
        "net(torch.ones(2)).tolist()",
    ),
    "tensor_hook": _main(
        "w = torch.ones(2, requires_grad=True)\nw.register_hook(lambda g: g * 10)\nw.sum().backward()",
        "w.grad",
    ),
    "initialised_by_apply": _main(
        "def fill(m):\n    if isinstance(m, nn.Linear):\n        nn.init.zeros_(m.weight)\nnet = nn.Linear(2, 2)\nnet.apply(fill)",
        "net.weight.tolist()",
    ),
    "decorator_changes_the_result": _main(
        "def twice(f):\n    def run(x):\n        return f(f(x))\n    return run\n@twice\ndef grow(x):\n    return x + 1",
        "grow(1)",
    ),
    "class_attribute_is_set": _main("class Config:\n    size = 3\nConfig.size = 4\nc = Config()", "c.size"),
    "class_attribute_is_shared": _main(
        "class Pool:\n    items = []\n    def add(self, x):\n        self.items.append(x)\na, b = Pool(), Pool()\na.add(1)",
        "b.items",
    ),
    "class_counts_its_objects": _main(
        "class Counter:\n    made = 0\n    def __init__(self):\n        Counter.made += 1\na = Counter()\nb = Counter()",
        "Counter.made",
    ),
    "default_argument_is_kept": _main(
        "def f(x, seen=[]):\n    seen.append(x)\n    return seen\nf(1)\nf(2)", "f(3)"
    ),
    "function_attribute": _main("def f():\n    return f.calls\nf.calls = 3\nf.calls += 1", "f()"),
    "property_counts": _main(
        "class Box:\n    n = 0\n    @property\n    def next(self):\n        self.n += 1\n        return self.n\nb = Box()\nb.next\nprint(b.next)",
        "b.n",
    ),
    "item_access_counts": _main(
        "class Data:\n    n = 0\n    def __getitem__(self, i):\n        self.n += 1\n        return i\nd = Data()\nd[1]\ny = d[2]",
        "d.n",
    ),
    "attribute_setter": _main(
        "log = []\nclass Box:\n    def __setattr__(self, name, value):\n        log.append(name)\nb = Box()\nb.x = 1",
        "log",
    ),
    "method_is_replaced": _main(
        _NET + "net = Net()\nNet.forward = lambda self, x: x * 2", "net(torch.ones(2)).tolist()"
    ),
    "function_of_torch_is_replaced": _main(
        "x = torch.ones(2)\ntorch.Tensor.twice = lambda self: self * 2", "x.twice().tolist()"
    ),
    "attribute_set_by_name": _main(
        "class A:\n    pass\na = A()\nsetattr(a, 'x', 3)\nvars(a)['y'] = 4\na.__dict__['z'] = 5",
        "(a.x, a.y, a.z)",
    ),
    "method_found_by_name": _main(
        _NET
        + "net = Net()\ntorch.nn.init.ones_(net.first.weight)\ntorch.nn.init.zeros_(net.first.bias)\nname = 'en' + 'code'",
        "getattr(net, name)(torch.ones(3)).tolist()",
    ),
    "scheduler_of_ones_own": _main(
        "class Warm(torch.optim.lr_scheduler.LRScheduler):\n    def get_lr(self):\n        return [0.5 for _ in self.base_lrs]\n"
        "opt = torch.optim.SGD([torch.zeros(1, requires_grad=True)], 0.1)\ns = Warm(opt)",
        "opt.param_groups[0]['lr']",
    ),
    "autograd_function_of_ones_own": _main(
        "class Neg(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return -x\n    @staticmethod\n    def backward(ctx, g):\n        return g * 7\n"
        "w = torch.ones(1, requires_grad=True)\nNeg.apply(w).backward()",
        "w.grad",
    ),
    "iterator_is_used_up": _main(
        "it = iter([1, 2, 3])\nfor one in it:\n    print(one)\n    break", "next(it)"
    ),
    "iterator_under_another_name": _main("it = iter([1, 2, 3])\nother = it\nnext(other)", "next(it)"),
    "iterator_is_used_up_in_a_function": {
        "main.py": _HEAD
        + "def f(it):\n    for one in it:\n        print(one)\n        break\n    int('value ' + str(next(it)))\nf(iter([1, 2, 3]))\n"
    },
    "generator_of_ones_own": _main(
        "def count():\n    yield 1\n    yield 2\ng = count()\nfor one in g:\n    break", "next(g)"
    ),
    "dropped_by_print": _main("items = [1, 2]\nprint(items.pop(), end=str(items.pop()))", "items"),
    "output_name_of_another_function": _main(
        "import json\ndef read():\n    data = json.loads('[]')\n    return data\ndef fill(data):\n    data.append(1)\nd = []\nfill(d)",
        "d",
    ),
    "default_dtype": _main(
        "def setup():\n    torch.set_default_dtype(torch.float64)\nsetup()", "torch.zeros(1).dtype"
    ),
    "grad_mode": _main(
        "torch.set_grad_enabled(False)\nx = torch.zeros(1, requires_grad=True)", "(x * 2).requires_grad"
    ),
    "no_grad": _main(
        "x = torch.zeros(1, requires_grad=True)\nwith torch.no_grad():\n    y = x * 2", "y.requires_grad"
    ),
    "deleted_entry": _main("d = {'a': 1, 'b': 2}\ndel d['a']\nitems = [1, 2]\ndel items[0]", "(d, items)"),
    "star_assignment": _main(
        "first, *rest = [torch.zeros(1), torch.ones(1)]\nrest[0].add_(1)", "(first, rest)"
    ),
    "walrus": _main("x = torch.zeros(1)\nif (y := x) is not None:\n    y.add_(1)", "x"),
    "conditional_definition": _main(
        "flag = True\nif flag:\n    def f():\n        return 1\nelse:\n    def f():\n        return 2", "f()"
    ),
    "function_redefined": _main("def f():\n    return 1\ndef f():\n    return 2", "f()"),
    "name_bound_by_except": _main(
        "found = None\ntry:\n    torch.zeros(3).view(2)\nexcept RuntimeError as error:\n    found = str(error)",
        "found",
    ),
    "failing_statement_in_try": _main(
        "ok = True\ntry:\n    torch.zeros(3).view(2)\n    done = 1\nexcept RuntimeError:\n    ok = False",
        "ok",
    ),
    "missing_attribute_in_try": _main(
        "kind = 'new'\ntry:\n    torch.zeros(1).never\nexcept AttributeError:\n    kind = 'old'", "kind"
    ),
    "for_else": _main("n = 0\nfor i in range(3):\n    if i > 5:\n        break\nelse:\n    n = 7", "n"),
    "while_break": _main("n = 0\nwhile True:\n    n += 1\n    if n > 4:\n        break", "n"),
    "continue": _main(
        "items = []\nfor i in range(4):\n    if i == 2:\n        continue\n    items.append(i)", "items"
    ),
    "return_before": {
        "main.py": _HEAD
        + "def f(x):\n    if len(x) < 3:\n        return\n    int('value ' + str(x))\nitems = []\nfor i in range(5):\n    items.append(i)\n    f(items)\n"
    },
    "list_of_layers": _main(
        "layers = []\nwidth = 3\nfor i in range(3):\n    layers.append(nn.Linear(width, width + 1))\n    width += 1\nnet = nn.Sequential(*layers)",
        "[tuple(p.shape) for p in net.parameters()]",
    ),
    "optimizer_over_rounds": _main(
        "w = torch.zeros(1, requires_grad=True)\nopt = torch.optim.SGD([w], lr=1.0)\nfor i in range(3):\n    loss = (w - 1).abs().sum()\n    opt.zero_grad()\n    loss.backward()\n    opt.step()",
        "w.tolist()",
    ),
    "alias_changed_after_the_goal_in_a_loop": {
        "main.py": _HEAD
        + "x = torch.zeros(1)\ny = x.view(1)\nfor i in range(3):\n    int('value ' + str(x)) if i == 2 else None\n    y.add_(1)\n"
    },
    "changed_after_the_goal_in_a_function": {
        "main.py": _HEAD
        + "def f(x, y, i):\n    int('value ' + str(x)) if i == 2 else None\n    y.add_(1)\na = torch.zeros(1)\nb = a.view(1)\nfor i in range(3):\n    f(a, b, i)\n"
    },
    "module_goal_in_forward": {
        "main.py": _HEAD
        + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.n = 0\n    def forward(self, x):\n"
        + "        if self.n == 2:\n            int('value ' + str(self.n))\n        self.n += 1\n        return x\nnet = Net()\nfor i in range(4):\n    net(torch.ones(1))\n"
    },
    "module_attribute_of_another_file": {
        "settings.py": "SIZE = 3\nNAMES = []\n",
        "main.py": "import torch\nimport settings\nfrom settings import NAMES\n"
        "def change():\n    settings.SIZE = 5\n    NAMES.append(1)\nchange()\n"
        + _show("(settings.SIZE, settings.NAMES)"),
    },
    "file_reads_what_main_sets": {
        "settings.py": "SIZE = 3\ndef size():\n    return SIZE\n",
        "main.py": "import torch\nimport settings\nsettings.SIZE = 5\n" + _show("settings.size()"),
    },
    "function_of_another_file_changes_its_global": {
        "lib.py": "COUNT = 0\nSEEN = []\ndef bump():\n    global COUNT\n    COUNT += 1\n    SEEN.append(COUNT)\n",
        "main.py": "import torch\nimport lib\nfrom lib import SEEN\nlib.bump()\nlib.bump()\n"
        + _show("(lib.COUNT, SEEN)"),
    },
    "local_of_the_name_of_an_attribute": {
        "losses.py": "def loss(x):\n    return x + 1\n",
        "main.py": "import torch\nimport losses\ndef main():\n    loss = losses.loss(1)\n    int('value ' + str(loss))\nmain()\n",
    },
    "names_of_two_files_clash": {
        "lib.py": "size = 3\ndef make(data):\n    return [data for data in [data, size]]\n",
        "main.py": "import torch\nfrom lib import make\nsize = 7\ndata = 2\n" + _show("(make(data), size)"),
    },
    "star_import": {
        "lib.py": "from inner import *\nB = 2\n",
        "inner.py": "A = [1]\ndef more():\n    A.append(2)\n",
        "main.py": "import torch\nfrom lib import *\nmore()\n" + _show("(A, B)"),
    },
    "import_circle": {
        "a.py": "import b\nX = 1\ndef f():\n    return b.Y\n",
        "b.py": "import a\nY = 2\ndef g():\n    return a.X\n",
        "main.py": "import torch\nimport a\nimport b\n" + _show("(a.f(), b.g())"),
    },
    "package": {
        "pkg/__init__.py": "from .nets import make\n",
        "pkg/nets.py": "from . import sizes\nfrom .sizes import SIZE as WIDE\ndef make():\n    return sizes.SIZE + WIDE\n",
        "pkg/sizes.py": "SIZE = 4\nif __name__ == '__main__':\n    SIZE = 5\n",
        "main.py": "import torch\nimport pkg.sizes as s\nimport pkg\nfrom pkg import make\n"
        + _show("(make(), s.SIZE, pkg.make())"),
    },
    "command_line": {
        "main.py": _HEAD
        + "import argparse\ndef options():\n    parser = argparse.ArgumentParser('train')\n    group = parser.add_argument_group('sizes')\n"
        + "    group.add_argument('--hidden-size', type=int, default='8')\n    parser.add_argument('-l', '--lr', type=float, default=0.1)\n"
        + "    parser.add_argument('--deep', action='store_true')\n    parser.add_argument('--no-bias', dest='bias', action='store_false')\n"
        + "    parser.add_argument('--name')\n    parser.add_argument('files', nargs='*')\n    parser.set_defaults(lr=0.2, extra=3)\n    return parser.parse_args()\n"
        + "def main():\n    args = options()\n    args.hidden_size *= 2\n    if args.deep:\n        args.lr = 0\n"
        + "    int('value ' + repr(sorted(vars(args).items())))\nif __name__ == '__main__':\n    main()\n"
    },
    "two_command_lines": {
        "lib.py": "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--n', type=int, default=3)\nopt = parser.parse_args()\n",
        "main.py": "import torch\nimport argparse\nfrom lib import opt\nparser = argparse.ArgumentParser()\nparser.add_argument('--n', type=int, default=5)\nargs = parser.parse_args()\n"
        + _show("(opt.n, args.n)"),
    },
    "command_line_attribute_is_an_object": {
        "main.py": _HEAD
        + "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--n', default=2)\nargs = parser.parse_args()\n"
        + "net = nn.Linear(2, 2)\nargs.net = net\nargs.net.double()\n"
        + _show("net.weight.dtype")
    },
    "names_in_a_class_body": _main(
        "size = 3\nclass C:\n    size = size + 1\n    sizes = [size] * 2\n    def get(self):\n        return size",
        "(C.size, C.sizes, C().get())",
    ),
    "exception_class_of_ones_own": {
        "main.py": _HEAD
        + "class Wrong(ValueError):\n    pass\ndef check(x):\n    if x.dim() != 2:\n        raise Wrong(f'value {x.dim()}')\ncheck(torch.zeros(3))\n"
    },
    "guard_before": {
        "main.py": _HEAD
        + "x = torch.zeros(3)\nlimit = 5\nlimit += 1\nassert limit > 6, f'value {limit}'\ny = x.view(2)\n"
    },
    "annotated_names": _main("size: int = 3\nsizes: list[int]\nsizes = [size]", "sizes"),
    "text_with_unicode": _main("größe = 'ä€😀'; x = torch.zeros(2); x.add_(1)", "(größe, x)"),
    "object_in_two_names_of_self": {
        "main.py": _HEAD
        + "class Trainer:\n    def __init__(self, net):\n        self.net = net\n        self.steps = 0\n    def train(self):\n        for i in range(2):\n            self.step()\n"
        + "        self.show()\n    def step(self):\n        self.net.double()\n        self.steps += 1\n    def show(self):\n        int('value ' + repr((self.net.weight.dtype, self.steps)))\n"
        + "def main():\n    net = nn.Linear(2, 2)\n    Trainer(net).train()\nmain()\n"
    },
}
