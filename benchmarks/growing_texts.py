"""Writes texts that grow in one respect each: what an analysis whose cost is not in proportion to its input trips over."""

from __future__ import annotations

from collections.abc import Iterable


def _function(rows: Iterable[str], params: str = "x, flag", last: str = "return x") -> str:
    return f"def f({params}):\n" + "".join(f"    {row}\n" for row in rows) + f"    {last}\n"


def rebound_by_view(n: int) -> str:
    return _function(["x = x.view(-1) @ w" for _ in range(n)], "x, w")


def rebound_in_module(n: int) -> str:
    return "x = torch.zeros(2, 3)\n" + "".join(f"x = x + {i}\n" for i in range(n))


def rebound_in_function(n: int) -> str:
    return _function([f"x = x.relu() + {i}" for i in range(n)])


def rebound_with_gradient(n: int) -> str:
    rows = ["x = torch.randn(4, 4, requires_grad=True)"]
    return _function([*rows, *(f"x = x * {i}.5" for i in range(n)), "x.sum().backward()"])


def rebound_to_types(n: int) -> str:
    values = ("1", "'a'", "[1]", "torch.zeros(2)", "{}", "None")
    return "".join(f"x = {values[i % 6]}\n" for i in range(n))


def augmented(n: int) -> str:
    return _function([f"x += {i}" for i in range(n)])


def rank_ladder(n: int) -> str:
    """`elif` upon `elif` over the rank, with a collective in each."""
    rows = ["rank = dist.get_rank()", "if rank == 0:", "    dist.all_reduce(x)"]
    for i in range(1, n):
        rows += [f"elif rank == {i}:", "    dist.all_reduce(x)"]
    return _function(rows)


def rank_ladder_of_names(n: int) -> str:
    rows = ["rank = dist.get_rank()", "if rank == 0:", "    dist.barrier()"]
    for i in range(1, n):
        rows += [f"elif rank == {i}:", f"    y{i} = x + {i}", "    dist.broadcast(x, 0)"]
    return _function(rows)


def rank_branches(n: int) -> str:
    rows = []
    for i in range(n):
        rows += ["if dist.get_rank() == 0:", f"    print({i})", "    dist.barrier()", "dist.all_reduce(x)"]
    return _function(rows)


def rank_branches_nested(n: int) -> str:
    rows = []
    for i in range(n):
        rows += ["    " * i + f"if dist.get_rank() == {i}:", "    " * (i + 1) + "dist.all_reduce(x)"]
    return _function(rows)


def elif_ladder(n: int) -> str:
    rows = ["x = torch.zeros(4, 6)", "if flag == 0:", "    pass"]
    for i in range(1, n):
        rows += [f"elif flag == {i}:", f"    x = x.view({i}, -1)"]
    return _function(rows)


def ifs_in_a_row(n: int) -> str:
    rows = []
    for i in range(n):
        rows += [f"if flag > {i}:", f"    a{i} = x + 1", "else:", f"    a{i} = x.t()"]
    return _function(rows)


def ifs_nested(n: int) -> str:
    rows = []
    for i in range(n):
        rows += ["    " * i + f"if flag > {i}:", "    " * (i + 1) + f"x = x + {i}"]
    return _function(rows)


def early_returns(n: int) -> str:
    rows = []
    for i in range(n):
        rows += [f"if flag == {i}:", f"    return x.view({i})"]
    return _function(rows)


def match_ladder(n: int) -> str:
    rows = ["match flag:"]
    for i in range(n):
        rows += [f"    case {i}:", f"        x = x + {i}"]
    return _function(rows)


def view_matmul_chain(n: int) -> str:
    return _function(["y = x" + "".join(".view(4, 4) @ x" for _ in range(n))])


def method_chain(n: int) -> str:
    return _function(["y = x" + ".relu()" * n])


def method_chain_of_tensor(n: int) -> str:
    return "x = torch.zeros(2, 3)\ny = x" + ".t()" * n + "\n"


def binary_chain(n: int) -> str:
    return "x = torch.zeros(2, 3)\ny = " + " + ".join(["x"] * n) + "\n"


def comparison_chain(n: int) -> str:
    return _function(["y = " + " < ".join(["x"] * n)])


def boolean_chain(n: int) -> str:
    return _function(["y = " + " and ".join(f"x > {i}" for i in range(n))])


def subscript_chain(n: int) -> str:
    return _function(["y = x" + "[0]" * n])


def attribute_chain(n: int) -> str:
    return _function(["y = x" + ".a" * n])


def conditional_chain(n: int) -> str:
    return _function(["y = " + "".join(f"x if flag == {i} else " for i in range(n)) + "x"])


def brackets_nested(n: int) -> str:
    return "x = [\n" + "[" * n + "1" + "]" * n + "\n]\n"


def dicts_nested(n: int) -> str:
    return "x = " + "{'a': " * n + "1" + "}" * n + "\n"


def calls_nested(n: int) -> str:
    return _function(["y = " + "torch.relu(" * n + "x" + ")" * n])


def many_nested(n: int) -> str:
    """Statements of calls that are nested thirty deep."""
    return _function(["y = " + "torch.relu(" * 30 + "x" + ")" * 30 for _ in range(n)])


def long_string(n: int) -> str:
    return 'x = "' + "a" * n + '"\n'


def long_docstring(n: int) -> str:
    return '"""' + "view of a tensor, torch.zeros(2)\n" * n + '"""\n'


def functions(n: int) -> str:
    return "".join(f"def f{i}(x):\n    y = x.view(-1)\n    return y + {i}\n\n\n" for i in range(n))


def functions_nested(n: int) -> str:
    rows = []
    for i in range(n):
        rows += [f"def g{i}(a):", f"    return a + x + {i}", f"x = g{i}(x)"]
    return _function(rows)


def functions_called(n: int) -> str:
    return functions(n) + "".join(f"z{i} = f{i}(torch.zeros(2, 3))\n" for i in range(n))


def attributes(n: int) -> str:
    """A class that sets many attributes and reads them."""
    rows = "".join(f"        self.a{i} = nn.Linear(8, 8)\n" for i in range(n))
    uses = "".join(f"        x = self.a{i}(x)\n" for i in range(n))
    return (
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"{rows}\n    def forward(self, x):\n{uses}        return x\n"
    )


def attributes_plain(n: int) -> str:
    rows = "".join(f"        self.a{i} = {i}\n" for i in range(n))
    return f"class C:\n    def __init__(self):\n{rows}\n    def use(self):\n        return self.a0\n"


def methods(n: int) -> str:
    return "class M(nn.Module):\n" + "".join(
        f"    def m{i}(self, x):\n        self.a{i} = x\n        return self.m{(i * 7 + 1) % n}(x)\n\n"
        for i in range(n)
    )


def classes(n: int) -> str:
    return "".join(
        f"class M{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = nn.Linear(8, 8)\n\n"
        f"    def forward(self, x):\n        return self.a(x)\n\n\n"
        for i in range(n)
    )


def classes_that_inherit(n: int) -> str:
    """Each class has the one before it as its base."""
    return "class M0(nn.Module):\n    pass\n\n\n" + "".join(
        f"class M{i}(M{i - 1}):\n    def __init__(self):\n        super().__init__()\n        self.a{i} = nn.Linear(8, 8)\n\n\n"
        for i in range(1, n)
    )


def classes_of_one_base(n: int) -> str:
    return "class Base(nn.Module):\n    def forward(self, x):\n        return self.body(x)\n\n\n" + "".join(
        f"class M{i}(Base):\n    def body(self, x):\n        return x.view(-1) + {i}\n\n\n" for i in range(n)
    )


def tuples(n: int) -> str:
    return "table = [\n" + "".join(f"    ({i}, 'a', {i}.5),\n" for i in range(n)) + "]\n"


def dict_entries(n: int) -> str:
    return "table = {\n" + "".join(f"    'k{i}': torch.zeros({i % 9}),\n" for i in range(n)) + "}\n"


def appended(n: int) -> str:
    return _function(
        ["out = []", *(f"out.append(x + {i})" for i in range(n))], last="return torch.stack(out)"
    )


def dict_items_set(n: int) -> str:
    return _function(["d = {}", *(f"d['k{i}'] = x + {i}" for i in range(n))], last="return d")


def star_imports(n: int) -> str:
    return "".join(f"from m{i} import *\n" for i in range(n)) + "".join(
        f"y{i} = name{i}(1)\n" for i in range(n)
    )


def imports(n: int) -> str:
    return "".join(f"import m{i}\nfrom n{i} import a as a{i}\n" for i in range(n)) + _function(
        [f"x = a{i}(x)" for i in range(n)]
    )


def guarded_imports(n: int) -> str:
    return "".join(
        f"try:\n    import torch as t{i}\nexcept ImportError:\n    t{i} = None\n" for i in range(n)
    )


def decorators(n: int) -> str:
    return "\n".join(f"@d{i}" for i in range(n)) + "\ndef f(x):\n    return x\n"


def decorated_functions(n: int) -> str:
    return "".join(f"@torch.no_grad()\n@other({i})\ndef f{i}(x):\n    return x + {i}\n\n\n" for i in range(n))


def comprehensions(n: int) -> str:
    return _function([f"y{i} = [a + {i} for a in x if a > {i}]" for i in range(n)])


def comprehension_clauses(n: int) -> str:
    return _function(["y = [a0 " + " ".join(f"for a{i} in x if a{i} > {i}" for i in range(n)) + "]"])


def try_ladder(n: int) -> str:
    rows = []
    for i in range(n):
        rows += ["try:", f"    x = x + {i}", "except ValueError:", f"    x = x.view({i} + 1, -1)"]
    return _function(rows)


def except_ladder(n: int) -> str:
    rows = ["try:", "    x = x + 1"]
    for i in range(n):
        rows += [f"except E{i}:", f"    x = x.view({i} + 1, -1)"]
    return _function(rows)


def with_ladder(n: int) -> str:
    rows = []
    for i in range(n):
        rows += ["with torch.no_grad():", f"    x = x + {i}"]
    return _function(rows)


def with_items(n: int) -> str:
    return _function(
        ["with (" + ", ".join(f"open(str({i})) as f{i}" for i in range(n)) + "):", "    x = x + 1"]
    )


def lambdas(n: int) -> str:
    return _function([f"g{i} = lambda a: a + x + {i}" for i in range(n)])


def lambdas_nested(n: int) -> str:
    return "g = " + "lambda: " * n + "1\n"


def f_strings(n: int) -> str:
    return _function(["y = f'" + "{x}" * n + "'"])


def f_strings_in_a_row(n: int) -> str:
    return _function([f"y = f'{{x.shape}} {i} {{x + {i}}}'" for i in range(n)])


def suppressions(n: int) -> str:
    return "".join(f"x{i} = {i}  # torchlsp: ignore[TL101]\n" for i in range(n))


def suppressions_used(n: int) -> str:
    row = "y{0} = torch.zeros(2, 3).t().view(-1)  # torchlsp: ignore[TL101]\n"
    return "".join(row.format(i) for i in range(n))


def findings(n: int) -> str:
    return "".join(f"y{i} = torch.zeros(2, 3).t().view(-1)\n" for i in range(n))


def findings_in_one_function(n: int) -> str:
    return _function(["x = torch.zeros(2, 3)", *(f"y{i} = x.t().view(-1)" for i in range(n))])


def findings_on_a_line(n: int) -> str:
    return "y = [" + ", ".join("torch.zeros(2, 3).t().view(-1)" for _ in range(n)) + "]\n"


def sequential(n: int) -> str:
    return "m = nn.Sequential(\n" + "    nn.Linear(8, 8),\n" * n + ")\ny = m(torch.zeros(2, 8))\n"


def module_list(n: int) -> str:
    return (
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = nn.ModuleList([\n"
        + "            nn.Linear(8, 8),\n" * n
        + "        ])\n\n    def forward(self, x):\n        for a in self.a:\n            x = a(x)\n        return x\n"
        + "\n\ny = M()(torch.zeros(2, 8))\n"
    )


def loops_in_a_row(n: int) -> str:
    rows = []
    for i in range(n):
        rows += [f"for i{i} in range(flag):", f"    x = x + i{i}"]
    return _function(rows)


def loops_nested(n: int) -> str:
    rows = []
    for i in range(n):
        rows += ["    " * i + f"for i{i} in range(flag):", "    " * (i + 1) + f"x = x + i{i}"]
    return _function(rows)


def loops_counted(n: int) -> str:
    return _function([row for i in range(n) for row in (f"for i{i} in range(3):", f"    x = x + i{i}")])


def loop_body(n: int) -> str:
    return _function(["for i in range(flag):", *(f"    x = x + {i}" for i in range(n))])


def training_loops(n: int) -> str:
    return "".join(
        f"def train{i}(model, optimizer, loader):\n    for x, y in loader:\n        optimizer.zero_grad()\n"
        f"        loss = F.cross_entropy(model(x), y)\n        loss.backward()\n        optimizer.step()\n\n\n"
        for i in range(n)
    )


def backwards(n: int) -> str:
    rows = ["optimizer = torch.optim.SGD(model.parameters(), lr=1)"]
    for i in range(n):
        rows += [f"loss = model(x).sum() * {i}", "loss.backward()", "optimizer.step()"]
    return _function(rows, "model, x")


def backward_branches(n: int) -> str:
    rows = ["optimizer = torch.optim.SGD(model.parameters(), lr=1)", "loss = model(x).sum()"]
    for i in range(n):
        rows += [f"if x > {i}:", "    loss.backward()", "else:", "    optimizer.step()"]
    return _function(rows, "model, x")


def recursion(n: int) -> str:
    return "".join(
        f"def f{i}(x):\n    if x.sum() > {i}:\n        return f{(i + 1) % n}(x) + f{(i + 2) % n}(x)\n    return x\n\n\n"
        for i in range(n)
    )


def call_chain(n: int) -> str:
    text = "def f0(x):\n    return x + 1\n\n\n"
    text += "".join(f"def f{i}(x):\n    return f{i - 1}(x) * 2\n\n\n" for i in range(1, n))
    return text + f"y = f{n - 1}(torch.zeros(2, 3))\n"


def call_trees(n: int) -> str:
    """Trees of calls, each with fan-out 3 and depth 10."""
    text = ""
    for tree in range(n):
        text += f"def t{tree}_0(x):\n    return x.view(-1) + 1\n\n\n"
        for i in range(1, 11):
            below = f"t{tree}_{i - 1}(x)"
            text += f"def t{tree}_{i}(x):\n    return {below} + {below} + {below}\n\n\n"
        text += f"y{tree} = t{tree}_10(torch.zeros(2, 3))\n\n\n"
    return text


def aliases(n: int) -> str:
    rows = ["x = torch.zeros(8, 8)"]
    for i in range(n):
        rows += [f"v{i} = x[{i % 8}]", f"v{i}.add_({i})"]
    return _function(rows)


def in_place(n: int) -> str:
    return _function(["x = torch.zeros(8, 8)", *(f"x.add_({i})" for i in range(n))])


def unpacked_shapes(n: int) -> str:
    return _function(
        [f"b{i}, c{i} = t{i}.shape" for i in range(n)], "x, " + ", ".join(f"t{i}" for i in range(n))
    )


def symbolic_sizes(n: int) -> str:
    rows = ["b, c, h, w = x.shape", "s = b"]
    for i in range(n):
        rows += [f"s = s * h + c * {i}", f"y{i} = x.new_zeros(s, w)"]
    return _function(rows)


def global_statements(n: int) -> str:
    return "".join(
        f"g{i} = 0\n\n\ndef f{i}():\n    global g{i}\n    g{i} = torch.zeros({i % 9})\n\n\n" for i in range(n)
    )


def parameters(n: int) -> str:
    return _function(["y = a0"], ", ".join(f"a{i}: torch.Tensor = None" for i in range(n)), "return y")


def arguments(n: int) -> str:
    return "y = print(" + ", ".join(f"torch.zeros({i % 9})" for i in range(n)) + ")\n"


def concatenated(n: int) -> str:
    return "y = torch.cat([" + ", ".join(f"torch.zeros({i % 9}, 3)" for i in range(n)) + "])\n"


def assigned_together(n: int) -> str:
    return " = ".join(f"a{i}" for i in range(n)) + " = torch.zeros(2)\n"


def assertions(n: int) -> str:
    return _function([f"assert x.shape[0] == {i}" for i in range(n)])


def shape_tests(n: int) -> str:
    return _function(
        [row for i in range(n) for row in (f"if x.shape[{i % 4}] != {i}:", "    raise ValueError")]
    )


def comments(n: int) -> str:
    return "# a comment about torch.zeros\n" * n


def blank_rows(n: int) -> str:
    return "\n" * n


def one_row(n: int) -> str:
    return "x = 1; " * n + "\n"


def one_row_of_calls(n: int) -> str:
    return "; ".join(f"x{i} = torch.zeros(2, 3).t().view(6)" for i in range(n)) + "\n"


def wide_characters(n: int) -> str:
    return "".join(f"x{i} = 'ä' + torch.zeros(2).view(3)\n" for i in range(n))


def wide_row(n: int) -> str:
    return "y = ['ä', " + ", ".join(f"torch.zeros({i % 9})" for i in range(n)) + "]\n"


def syntax_errors(n: int) -> str:
    return "".join(f"x{i} = torch.zeros(2\n" if i % 3 == 0 else f"y{i} = torch.zeros(2)\n" for i in range(n))


def unclosed_bracket(n: int) -> str:
    return "x = [\n" + "".join(f"y{i} = torch.zeros(2)\n" for i in range(n))


def unclosed_string(n: int) -> str:
    return 'x = """\n' + "".join(f"y{i} = torch.zeros(2)\n" for i in range(n))


def words_of_errors(n: int) -> str:
    return "def (:\n" * n


def closures(n: int) -> str:
    """Functions in functions."""
    return "".join("    " * i + f"def g{i}(x):\n" for i in range(n)) + "    " * n + "return x\n"


def generators(n: int) -> str:
    return "".join(
        f"def g{i}(x):\n    yield x + {i}\n    yield from g{(i + 1) % n}(x)\n\n\n" for i in range(n)
    )


def big_numbers(n: int) -> str:
    return _function([f"y{i} = torch.zeros({i}) * {10**30 + i}" for i in range(n)])


def walrus(n: int) -> str:
    return _function([row for i in range(n) for row in (f"if (a{i} := x + {i}).sum() > 0:", f"    x = a{i}")])
