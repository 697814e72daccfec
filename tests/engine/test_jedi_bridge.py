"""The bridge to jedi: what it finds in small made-up packages, and what it survives."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from torchlsp.engine.jedi_bridge import JediBridge, Symbol, worker_command

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[2]
LONG = 60.0
posix = pytest.mark.skipif(os.name == "nt", reason="signals and FIFOs")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def run(work, command=None):
    """The answer of `work(bridge)`, a coroutine, within a limit of time."""

    async def inside():
        bridge = JediBridge(command)
        try:
            return await asyncio.wait_for(work(bridge), LONG)
        finally:
            await asyncio.wait_for(bridge.close(), LONG)

    return asyncio.run(inside())


# What is found, by jedi itself


@pytest.fixture
def packages(project):
    """A workspace, and beside it site-packages with a torch that defines things where the real one does."""
    relu = 'def relu(input, inplace: bool = False):\n    """Rectify.\n\n    More.\n    """\n'
    module = 'class Module:\n    def train(self, mode=True):\n        "Set the mode."\n'
    conv = (
        "from torch.nn.modules.module import Module\n"
        'class Conv2d(Module):\n    """Applies a 2D convolution."""\n'
        "    def __init__(self, in_channels: int, out_channels: int): ...\n"
    )
    return project(
        {
            "site/torch/__init__.py": (
                "from torch import nn as nn\nfrom torch._C._VariableFunctions import *\n"
                "from torch.amp import autocast as autocast\ndef relu(input): ...\n"
                "from torch.functional import *\nfrom torch._C import TensorBase\nclass Tensor(TensorBase): ...\n"
            ),
            "site/torch/functional.py": "def einsum(*args): ...\n",
            "site/torch/amp/__init__.py": "from .modes import autocast, Scaler\n",
            "site/torch/amp/modes.py": (
                "class autocast: ...\nclass Scaler:\n    def step(self): ...\nclass inner: ...\n"
            ),
            "site/other/__init__.py": "",
            "site/other/deep/__init__.py": "from other.deep.er.module import thing\nclass thing2: ...\n",
            "site/other/deep/er/module.py": "def thing(): ...\n",
            "site/torch/_C/__init__.pyi": "class TensorBase:\n    def view(self, *shape): ...\n",
            "site/torch/_C/_VariableFunctions.pyi": "def zeros(*size: int) -> None: ...\n",
            "site/torch/nn/__init__.py": "from torch.nn.modules import *\nfrom torch.nn import functional as functional\n",
            "site/torch/nn/modules/__init__.py": "from .conv import Conv2d\nfrom .module import Module\n",
            "site/torch/nn/modules/conv.py": conv,
            "site/torch/nn/modules/module.py": module,
            "site/torch/nn/functional.py": relu
            + "def _pick():\n    def fn(input): ...\n    return fn\npool = _pick()\n",
            "work/mylayers/__init__.py": "import torch\nconv = torch.nn.Conv2d\nfrom torch.nn import Conv2d as conv2\n",
            "work/mylayers/blocks.py": 'def block(width: int, *, depth=2):\n    """A block.\n\n    Rest."""\n',
        }
    )


def ask(packages, text, place=None, *, name="a.py"):
    """What is known of the last occurrence of a word, by default of the end of the text."""
    before = text[: text.rindex(place) + len(place)] if place else text.rstrip("\n")
    row, column = before.count("\n") + 1, len(before) - before.rfind("\n") - 1
    work = packages / "work"

    def question(bridge):
        return bridge.resolve(
            str(work / name),
            text,
            row,
            column,
            root=str(work),
            site_packages=[str(packages / "site")],
            budget=LONG,
        )

    return run(question)


@pytest.mark.parametrize("name", ["conv", "conv2"])
def test_a_re_export_is_followed_to_torchs_public_name(packages, name):
    assert ask(packages, f"from mylayers import {name}\n{name}(3, 4)\n", name) == Symbol(
        "torch.nn.Conv2d",
        "class",
        "Conv2d(in_channels: int, out_channels: int)\nApplies a 2D convolution.",
        str(packages / "site" / "torch" / "nn" / "modules" / "conv.py"),
    )


def test_an_alias_of_torch(packages):
    found = ask(packages, "import torch as t\nt.nn.functional.relu")
    assert (found.full_name, found.kind) == ("torch.nn.functional.relu", "function")
    assert found.description == "relu(input, inplace: bool=False)\nRectify."


def test_a_function_of_the_workspace(packages):
    assert ask(packages, "from mylayers.blocks import block\nblock") == Symbol(
        "mylayers.blocks.block",
        "function",
        "block(width: int, *, depth=2)\nA block.",
        str(packages / "work" / "mylayers" / "blocks.py"),
    )


@pytest.mark.parametrize(
    ("text", "full_name", "kind"),
    [
        ("import torch\ntorch.zeros", "torch.zeros", "function"),
        ("import torch\ntorch.nn.Conv2d.train", "torch.nn.Module.train", "function"),
        ("import torch\ntorch.nn.functional.pool", "torch.nn.functional.pool", "function"),
        ("import torch.nn.modules.conv as c\nc", "torch.nn.modules.conv", "module"),
        ("import torch\nlayer = torch.nn.Conv2d(1, 2)\nlayer", "torch.nn.Conv2d", "instance"),
        ("import torch\n\ndef f():\n    n = torch.nn\n    return n", "torch.nn", "module"),
        ("import torch\ntorch.amp.autocast", "torch.autocast", "class"),
        ("from torch.amp.modes import Scaler as S\nS.step", "torch.amp.Scaler.step", "function"),
        ("from torch.amp import modes\nmodes.inner", "torch.amp.modes.inner", "class"),
        ("import torch\ntorch.relu", "torch.relu", "function"),
        ("import torch\ntorch.einsum", "torch.einsum", "function"),
        ("import torch\ntorch.Tensor.view", "torch.Tensor.view", "function"),
        ("import torch\nt: torch.Tensor\nt.view", "torch.Tensor.view", "function"),
        ("from other.deep.er import module\nmodule.thing", "other.deep.thing", "function"),
        ("from other.deep import thing2\nthing2", "other.deep.thing2", "class"),
        ("import json\njson.dumps", "json.dumps", "function"),
        ("def f(): ...\nf", "a.f", "function"),
        ("é = '😀'; import torch; 'é😀', torch.nn", "torch.nn", "module"),
    ],
)
def test_names(packages, text, full_name, kind):
    found = ask(packages, text)
    assert (found.full_name, found.kind) == (full_name, kind)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x.y",
        "import nowhere\nnowhere.thing",
        "import torch\ntorch.nothing",
        "3",
        "'text'",
        "def",
        "((((",
        "\0",
        "\ud800",
        "f()",
    ],
)
def test_what_is_not_known(packages, text):
    assert ask(packages, text) is None


def test_text_that_does_not_parse_and_a_buffer_never_saved(packages):
    found = ask(packages, "def (:\nimport torch\ntorch.nn.Conv2d", name="new/unsaved.py")
    assert found.full_name == "torch.nn.Conv2d"


@pytest.mark.parametrize(
    ("name", "text", "full_name"),
    [
        ("scripts/train.py", "import beside\nbeside.f", "beside.f"),
        ("src/package/inner/a.py", "from package.model import Net\nNet", "package.model.Net"),
        ("tests/test_model.py", "from package.model import Net\nNet", "package.model.Net"),
        ("src/package/inner/a.py", "from ..model import Net\nNet", "package.model.Net"),
        ("src/package/inner/a.py", "def own(): ...\nown", "package.inner.a.own"),
        ("scripts/train.py", "from mylayers.blocks import block\nblock", "mylayers.blocks.block"),
    ],
)
def test_the_files_own_imports(packages, project, name, text, full_name):
    project(
        {
            "work/scripts/beside.py": "def f(): ...\n",
            "work/src/package/__init__.py": "",
            "work/src/package/model.py": "class Net: ...\n",
            "work/src/package/inner/__init__.py": "",
        }
    )
    assert ask(packages, text, name=name).full_name == full_name


@pytest.mark.parametrize(("row", "column"), [(0, 0), (99, 0), (1, 99), (-1, -1)])
def test_a_place_outside_the_text(tmp_path, row, column):
    def question(bridge):
        return bridge.resolve(
            "a.py", "x = 1\n", row, column, root=str(tmp_path), site_packages=[], budget=LONG
        )

    assert run(question) is None


def test_a_file_written_later_is_seen(packages):
    work = packages / "work"

    async def twice(bridge):
        def question():
            text = "import later\nlater.thing"
            options = {"root": str(work), "site_packages": [], "budget": LONG}
            return bridge.resolve(str(work / "a.py"), text, 2, 8, **options)

        before = await question()
        seen = work.stat()
        (work / "later.py").write_text("def thing(): ...\n")
        # Python looks at a folder again when its time has changed; clocks of file systems can be coarse.
        os.utime(work, ns=(seen.st_atime_ns, seen.st_mtime_ns))
        return before, await question()

    before, after = run(twice)
    assert before is None
    assert after.full_name == "later.thing"


def test_a_slow_answer_is_no_answer_and_the_next_one_comes(packages):
    work = packages / "work"
    huge = "class A:\n    def f(self): return [1, 2, (3, 4)]\n" * 30_000

    async def three(bridge):
        def question(text, budget):
            return bridge.resolve(
                str(work / "a.py"), text, 2, 0, root=str(work), site_packages=[], budget=budget
            )

        small = "def f(): ...\nf\n"
        return await question(small, LONG), await question(huge, 0.05), await question(small, LONG)

    first, slow, last = run(three)
    assert slow is None
    assert first == last
    assert first.full_name == "a.f"


# What the worker may not do: a stand-in for jedi in the real worker, whose "analysis" is to run the text

RUNS_TEXT = """
import os, sys
print("noise", flush=True)
os.write(1, b"noise on the descriptor\\n")
class settings: pass
def InterpreterEnvironment(): pass
def Project(*arguments, **options): pass
class Name:
    full_name, type, module_name, module_path, description = "stand.in", "function", "stand", None, ""
    def get_signatures(self): return []
    def docstring(self, raw): return str(os.getpid())
class Script:
    def __init__(self, text, **options): self.text = text
    def goto(self, row, column, **options):
        print("more noise", flush=True)
        os.write(1, b"{}\\n")
        exec(self.text, {"stdin": sys.stdin.read(), "stdin_descriptor": os.read(0, 1)})
        return [Name()]
"""


@pytest.fixture
def stand_in(tmp_path):
    """The command of the real worker with that jedi."""
    (tmp_path / "folder" / "jedi").mkdir(parents=True)
    (tmp_path / "folder" / "jedi" / "__init__.py").write_text(RUNS_TEXT)
    *start, _, _ = worker_command()
    return [*start, str(tmp_path / "folder")]


def tell(bridge, text, budget=LONG, **options):
    return bridge.resolve("a.py", text, 1, 0, root=".", site_packages=[], budget=budget, **options)


async def pid(bridge) -> int:
    return int((await tell(bridge, "")).description)


def test_noise_does_not_break_the_protocol(stand_in):
    async def work(bridge):
        return [await pid(bridge) for _ in range(3)]

    assert len(set(run(work, stand_in))) == 1


@pytest.mark.parametrize(
    "code",
    [
        "import subprocess; subprocess.run([{python!r}, '-c', {write!r}])",
        "import os; os.system('touch {mark}')",
        "import os; os.posix_spawn({python!r}, [{python!r}, '-c', {write!r}], {{}})",
        "import os; os.fork() or os._exit(0); {write}",
        "import sys; sys.path.insert(0, {folder!r}); import users_code",
        "import users_code",
        "__import__('torch'); {write}",
    ],
)
def test_nothing_is_started_and_nobodys_code_imported(stand_in, tmp_path, code):
    mark = tmp_path / "mark"
    write = f"open({str(mark)!r}, 'w')"
    folder = tmp_path / "folder"
    (folder / "users_code.py").write_text(write)
    text = code.format(python=sys.executable, mark=mark, folder=str(folder), write=write)

    async def work(bridge):
        before = await pid(bridge)
        return await tell(bridge, text), before == await pid(bridge)

    refused, is_same_worker = run(work, stand_in)
    assert refused is None
    assert is_same_worker
    assert not mark.exists()


def test_a_module_without_source_is_not_imported(tmp_path, packages):
    """jedi imports what has no source, a compiled module of torch for one, if it lies beside jedi itself."""
    import py_compile

    source = tmp_path / "users_code.py"
    source.write_text(f"open({str(tmp_path / 'mark')!r}, 'w')\nthing = 1\n")
    for folder in (packages / "site", packages / "work", packages / "site" / "torch"):
        py_compile.compile(str(source), str(folder / "users_code.pyc"))
    for module in ("users_code", "torch.users_code"):
        text = f"import {module}\n{module}.thing"

        async def work(bridge, text=text, module=module):
            options = {
                "root": str(packages / "work"),
                "site_packages": [str(packages / "site")],
                "budget": LONG,
            }
            return await bridge.resolve("a.py", text, 2, len(module) + 2, **options)

        assert run(work, [*worker_command(), str(packages / "site")]) is None
        assert not (tmp_path / "mark").exists()


# What the bridge survives


def test_a_worker_that_hangs_is_killed_and_another_started(stand_in):
    async def work(bridge):
        first = await pid(bridge)
        assert await tell(bridge, "while True: pass", budget=0.05) is None
        return first, await pid(bridge)

    first, second = run(work, stand_in)
    assert first != second
    if os.name != "nt":
        with pytest.raises(ProcessLookupError):
            os.kill(first, 0)


@posix
def test_a_worker_killed_in_between_is_replaced_without_loss(stand_in):
    async def work(bridge):
        first = await pid(bridge)
        os.kill(first, signal.SIGKILL)
        return first, await pid(bridge)

    first, second = run(work, stand_in)
    assert first != second


def test_a_question_that_ends_the_worker_is_answered_none(stand_in):
    async def work(bridge):
        return await tell(bridge, "import os; os._exit(3)"), await pid(bridge)

    answer, later = run(work, stand_in)
    assert answer is None
    assert later > 0


def test_a_budget_too_small_for_the_start_does_not_start_again_and_again(stand_in, tmp_path):
    starts = tmp_path / "starts"
    source = tmp_path / "folder" / "jedi" / "__init__.py"
    source.write_text(f"with open({str(starts)!r}, 'a') as file: file.write('x')\n" + source.read_text())

    async def work(bridge):
        hasty = [await tell(bridge, "", budget=0.001) for _ in range(5)]
        await pid(bridge)
        return hasty

    assert run(work, stand_in) == [None] * 5
    assert starts.read_text() == "x"


def test_a_newer_question_of_the_same_purpose_answers_the_older_with_none(stand_in):
    async def work(bridge):
        await pid(bridge)
        older = [asyncio.ensure_future(tell(bridge, "", purpose="hover")) for _ in range(3)]
        other = asyncio.ensure_future(tell(bridge, "", purpose="definition"))
        await asyncio.wait({*older, other})
        return [one.result() for one in older], other.result()

    (first, second, third), other = run(work, stand_in)
    assert (first, second) == (None, None)
    assert third.full_name == other.full_name == "stand.in"


def test_an_unwanted_question_holds_up_the_next_no_longer_than_its_budget(stand_in):
    async def work(bridge):
        await pid(bridge)
        slow = asyncio.ensure_future(tell(bridge, "while True: pass", budget=0.3))
        await asyncio.wait({slow}, timeout=0.05)
        assert not slow.done()
        newer = asyncio.ensure_future(tell(bridge, ""))
        assert await slow is None
        return await newer

    assert run(work, stand_in).full_name == "stand.in"


def test_a_handler_that_is_cancelled_is_cancelled_at_once(stand_in):
    async def work(bridge):
        first = await pid(bridge)
        slow = asyncio.ensure_future(tell(bridge, "while True: pass", budget=0.3))
        await asyncio.wait({slow}, timeout=0.05)
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        return first, await pid(bridge)

    first, second = run(work, stand_in)
    assert first != second


@pytest.mark.parametrize(
    "program",
    [
        "",
        "print('hello')",
        "print('[]')",
        "import time; print('x' * 3_000_000)",
        "print('{\"ready\": true}')",
    ],
)
def test_a_command_that_is_no_worker(program):
    def work(bridge):
        return tell(bridge, "", budget=LONG)

    assert run(work, [sys.executable, "-c", program]) is None


def test_a_command_that_does_not_exist(tmp_path):
    assert run(lambda bridge: tell(bridge, ""), [str(tmp_path / "nowhere")]) is None


@pytest.mark.parametrize(
    "answer",
    [
        "[]",
        "null",
        '{"id": 1}',
        '{"id": 7, "symbol": null}',
        '{"id": 1, "symbol": {"x": 1}}',
        '{"id": 1, "symbol": 3}',
    ],
)
def test_an_answer_in_no_known_form(answer):
    program = f"import sys\nprint('{{\"ready\": true}}', flush=True)\nfor line in sys.stdin: print({answer!r}, flush=True)"
    assert run(lambda bridge: tell(bridge, ""), [sys.executable, "-c", program]) is None


def test_closing_answers_what_waits_and_refuses_what_comes(stand_in):
    async def work(bridge):
        first = await pid(bridge)
        slow = asyncio.ensure_future(tell(bridge, "while True: pass"))
        await asyncio.wait({slow}, timeout=0.05)
        await bridge.close()
        return first, await slow, await tell(bridge, "")

    first, slow, later = run(work, stand_in)
    assert (slow, later) == (None, None)
    if os.name != "nt":
        with pytest.raises(ProcessLookupError):
            os.kill(first, 0)


PARENT = """
import asyncio, json, sys
from torchlsp.engine.jedi_bridge import JediBridge
async def main():
    bridge = JediBridge(json.loads(sys.argv[1]))
    await bridge.resolve("a.py", sys.argv[2], 1, 0, root=".", site_packages=[], budget=1000)
    await asyncio.Event().wait()
asyncio.run(main())
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a process that is not its child")
@pytest.mark.parametrize("afterwards", ["", "while True: pass"], ids=["idle", "busy"])
def test_the_worker_ends_with_its_parent_however_that_ends(stand_in, tmp_path, afterwards):
    import json

    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    text = f"import os\nwith open({str(fifo)!r}, 'w') as file: file.write(str(os.getpid()))\n{afterwards}"
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, json.dumps(stand_in), text],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        assert select.select([reader], [], [], LONG)[0], "the worker was never asked"
        worker = os.pidfd_open(int(os.read(reader, 20)))
        parent.kill()
        parent.wait(LONG)
        assert select.select([worker], [], [], LONG)[0], "the worker outlived its parent"
        os.close(worker)
    finally:
        parent.kill()
        parent.wait(LONG)
        os.close(reader)
