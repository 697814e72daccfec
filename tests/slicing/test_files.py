"""Slices over several files."""

from __future__ import annotations

from cutting import cut_at, program, reason

HEAD = "import torch\n"


def test_imported_file_comes_first():
    made = program(
        {
            "main.py": HEAD + "from lib import f\nx = f()\nx.view(7)\n",
            "lib.py": HEAD + "def f():\n    return torch.zeros(3)\n",
        },
        "x.view(7)",
    )
    assert made == HEAD + "\ndef f():\n    return torch.zeros(3)\nx = f()\nx.view(7)\n"


def test_block_of_the_program_of_an_imported_file_is_left_out():
    lib = "n = 3\nif '__main__' == __name__:\n    n = 4\n"
    made = program(
        {"main.py": HEAD + "from lib import n\nx = torch.zeros(n)\nx.view(7)\n", "lib.py": lib}, "x.view(7)"
    )
    assert "n = 4" not in made and "n = 3" in made


def test_block_of_the_program_itself_is_kept():
    text = HEAD + "if __name__ == '__main__':\n    x = torch.zeros(3)\n    x.view(7)\n"
    assert program(text, "x.view(7)") == text


def test_imported_file_that_asks_for_its_name_otherwise_is_not_whole():
    texts = {
        "main.py": HEAD + "from lib import n\nx = torch.zeros(n)\nx.view(7)\n",
        "lib.py": "n = 3\nif __name__ != '__main__':\n    n = 4\n",
    }
    assert reason(texts, "x.view(7)") == "a file on the way asks whether it is the program"


def test_names_of_two_files_that_clash_are_renamed():
    texts = {
        "main.py": HEAD + "from lib import f\nn = 5\nx = f(n)\nx.view(7)\n",
        "lib.py": HEAD + "n = 3\ndef f(k):\n    return torch.zeros(n, k)\n",
    }
    made = program(texts, "x.view(7)")
    assert "n_2 = 3" in made and "torch.zeros(n_2, k)" in made and "n = 5" in made


def test_name_that_a_local_has_is_renamed():
    texts = {
        "main.py": HEAD + "import lib\ndef g():\n    make = lib.make()\n    make.view(7)\ng()\n",
        "lib.py": HEAD + "def make():\n    return torch.zeros(3)\n",
    }
    assert "make = make_2()" in program(texts, "g()", "make.view(7)")


def test_attribute_of_a_module_that_a_function_sets_is_global():
    texts = {
        "main.py": HEAD + "import lib\ndef g():\n    lib.n = 4\ng()\nx = torch.zeros(lib.n)\nx.view(7)\n",
        "lib.py": "n = 3\n",
    }
    assert "def g():\n    global n\n    n = 4" in program(texts, "x.view(7)")


def test_import_of_a_module_of_a_package_under_a_name():
    texts = {
        "main.py": HEAD + "import pkg.lib as l\nx = torch.zeros(l.n)\nx.view(7)\n",
        "pkg/__init__.py": "",
        "pkg/lib.py": "n = 3\n",
    }
    assert program(texts, "x.view(7)") == HEAD + "n = 3\nx = torch.zeros(n)\nx.view(7)\n"


def test_relative_import():
    texts = {
        "pkg/main.py": HEAD + "from .lib import n\nfrom . import lib\nx = torch.zeros(n, lib.n)\nx.view(7)\n",
        "pkg/lib.py": "n = 3\n",
        "pkg/__init__.py": "",
    }
    assert program(texts, "pkg/main.py:x.view(7)") == HEAD + "n = 3\nx = torch.zeros(n, n)\nx.view(7)\n"


def test_star_import():
    texts = {
        "main.py": HEAD + "from lib import *\nx = torch.zeros(n)\nx.view(7)\n",
        "lib.py": "from inner import *\n",
        "inner.py": "n = 3\n",
    }
    assert program(texts, "x.view(7)") == HEAD + "n = 3\nx = torch.zeros(n)\nx.view(7)\n"


def test_import_circle_ends():
    texts = {
        "main.py": HEAD + "from a import n\nx = torch.zeros(n)\nx.view(7)\n",
        "a.py": "from b import m\nn = m\n",
        "b.py": "from a import n\nm = 3\n",
    }
    assert program(texts, "x.view(7)") == HEAD + "m = 3\nn = m\nx = torch.zeros(n)\nx.view(7)\n"


def test_name_that_two_files_import_from_each_other_is_not_defined():
    texts = {
        "main.py": HEAD + "from a import n\nx = torch.zeros(n)\nx.view(7)\n",
        "a.py": "from b import n\n",
        "b.py": "from a import n\n",
    }
    assert reason(texts, "x.view(7)") == "`n` is not defined in sight"


def test_goal_in_an_imported_file():
    texts = {
        "main.py": HEAD + "import lib\nlib.f(torch.zeros(3))\n",
        "lib.py": "n = 7\ndef f(x):\n    x.view(n)\n",
    }
    made = cut_at(texts, "lib.f(torch.zeros(3))", "lib.py:x.view(n)")
    assert made.program.splitlines()[made.flag[0] - 1] == "    x.view(n)"


def test_import_inside_of_a_function_is_moved_to_the_top():
    text = (
        HEAD
        + "def f():\n    import torch.nn.functional as F\n    x = F.relu(torch.zeros(3))\n    x.view(7)\nf()\n"
    )
    assert program(text, "f()", "x.view(7)").startswith("import torch.nn.functional as F\nimport torch\n")


def test_module_as_a_value_is_not_whole():
    texts = {
        "main.py": HEAD + "import lib\nl = [lib]\nx = torch.zeros(l[0].n)\nx.view(7)\n",
        "lib.py": "n = 3\n",
    }
    assert reason(texts, "x.view(7)") == "`lib` is a module that is used as a value"


def test_file_that_does_not_parse():
    texts = {"main.py": HEAD + "from lib import n\nx = torch.zeros(n)\nx.view(7)\n", "lib.py": "n = = 3\n"}
    assert reason(texts, "x.view(7)").startswith("a file on the way does not parse")


def test_imports_that_bind_the_same():
    text = (
        HEAD
        + "import torch.utils.data\nimport torch.nn as nn\nfrom torch import nn\nx = nn.Flatten()(torch.zeros(3))\nx.view(7)\n"
    )
    assert program(text, "x.view(7)").endswith("x = nn.Flatten()(torch.zeros(3))\nx.view(7)\n")


def test_files_that_are_read_while_methods_are_read_add_theirs():
    texts = {
        "main.py": HEAD + "from lib import helper\n"
        "class Net(torch.nn.Module):\n    def forward(self, x):\n        return helper(x) + 1\n"
        "net = Net()\nx = torch.zeros(2, 3).t()\ny = net(x)\nx.view(6)\n",
        "lib.py": HEAD + "class Deep:\n    def six(self):\n        return 6\n"
        "def helper(x):\n    y = x + 1\n    y += Deep().six()\n    x.t_()\n    return y\n",
    }
    assert "x.t_()" in program(texts, "x.view(6)")
