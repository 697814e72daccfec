"""Programs of one batch cannot change each other's verdicts: each runs where none has run before."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from torchlsp.engine.interpreters import site_packages
from torchlsp.probe import client
from torchlsp.probe.request import Answer, Request

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks are used on Linux"),
]

ZYGOTE = Path(client.__file__).parent / "worker" / "zygote.py"
SETUP = "import torch\nfrom torch import nn\nx = torch.ones(2, 3)\n"
# The next programs: one that must pass and one that must fail, in a kernel and in a layer.
RIGHT = SETUP + "y = torch.relu(x).view(6)\nassert y.sum() == 6 and y.dtype is torch.float32\n"
WRONG = SETUP + "y = x.t().view(6)\n"
RIGHT_LAYER = SETUP + "y = nn.Linear(3, 4)(x)\nassert y.shape == (2, 4)\ny.sum().backward()\n"
WRONG_LAYER = SETUP + "y = nn.Linear(5, 4)(x)\n"
NEXT = [Request(one, flag=(4, 4)) for one in (RIGHT, WRONG, RIGHT_LAYER, WRONG_LAYER)]
ENDS = [("passed", True), ("raised", False), ("passed", True), ("raised", False)]

# Tells what programs could leave behind, as far as Python sees it; only for a gate that lets it through.
STATE = Request(
    """
import builtins, gc, os, signal, sys, threading, warnings
import torch
import torch.nn.functional as F
from torch import nn
from torch.overrides import _get_current_function_mode_stack
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack
import numpy as np

def names(owner):
    return hash(tuple((name, id(value)) for name, value in sorted(vars(owner).items()) if name != "_"))

module = nn.modules.module
state = {
    "dtype": torch.get_default_dtype(), "device": torch.get_default_device(),
    "deterministic": torch.are_deterministic_algorithms_enabled(),
    "cudnn": (torch.backends.cudnn.enabled, torch.backends.cudnn.benchmark),
    "oneDNN": torch.backends.mkldnn.enabled,
    "precision": torch.get_float32_matmul_precision(), "threads of torch": torch.get_num_threads(),
    "grad": (torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_anomaly_enabled()),
    "autocast": (torch.is_autocast_cpu_enabled(), torch.get_autocast_cpu_dtype()),
    "hooks": [len(getattr(module, name)) for name in dir(module) if name.startswith("_global_") and
              hasattr(getattr(module, name), "__len__")],
    "hooks of optimizers": len(sys.modules["torch.optim.optimizer"]._global_optimizer_pre_hooks),
    "modes": (len(_get_current_function_mode_stack()), len(_get_current_dispatch_mode_stack())),
    "operators": len(torch._C._dispatch_get_all_op_names()),
    "kernels": hash(torch._C._dispatch_dump("aten::relu")),
    "names": [names(one) for one in (torch, F, nn, torch.Tensor, nn.Module, nn.Linear, builtins, warnings.catch_warnings)],
    "modules": hash(tuple(sorted((name, id(one)) for name, one in sys.modules.items()))),
    "filters": len(warnings.filters), "environment": sorted(os.environ), "threads": threading.active_count(),
    "random": (float(np.random.rand()), torch.rand(1).item()),
    "python": (sys.getrecursionlimit(), gc.isenabled(), sys.gettrace(), sys.getprofile(), len(sys.path)),
    "signals": signal.getsignal(signal.SIGUSR1), "printing": repr(torch.tensor(0.123456789)),
    "denormal": torch.tensor(1e-39).mul(1).item() != 0,
}
raise ValueError(state)
""",
    key="state",
)

# What the gate lets in. A layer of the program's own stands for `__torch_function__` of one of torch's, whose class it gets.
TAKES_CLASS = """import torch
from torch import nn
name = "__torch_" + "function__"
class Takes(nn.Module):
    def forward(self, function, types, args=(), kwargs=None):
        for one in types:
            one.forward = lambda layer, *given: {result}
        return 1
layer = nn.Linear(2, 2)
"""
GIVES_IT = {
    "add_module": "layer.add_module('__torch_function__', Takes())\ntorch.relu(layer)\n",
    "a computed name": "layer.add_module(name, Takes())\ntorch.relu(layer)\n",
    "register_module": "layer.register_module(name, Takes())\ntorch.relu(layer)\n",
    "a key of ModuleDict": "layer.register_buffer(name, None)\ntorch.add(nn.ModuleDict({name: Takes()}), layer)\n",
    "an update of ModuleDict": (
        "layer.register_parameter(name, None)\ntaker = nn.ModuleDict()\ntaker.update([(name, Takes())])\ntorch.add(taker, layer)\n"
    ),
}  # fmt: skip
RESULTS = {"passes": "torch.ones(2, 4, requires_grad=True)", "fails": "1 / 0"}
ADMITTED = {
    f"{name}, {result}": TAKES_CLASS.replace("{result}", RESULTS[result]) + text
    for name, text in GIVES_IT.items()
    for result in RESULTS
}

# What it does not let in: the worker itself must hold. Each leaves something behind.
SUPERVISOR = (
    "import sys\nframe = sys._getframe()\nwhile frame.f_code.co_name != '{}':\n    frame = frame.f_back\n"
)
REPLACED = {
    "a function of torch": "torch.relu = torch.empty_like",
    "a method of tensors": "torch.Tensor.view = lambda x, *sizes: x.reshape(-1)",
    "a kernel": "import builtins\nbuiltins.kept = torch.library.Library('aten', 'IMPL')\nbuiltins.kept.impl('relu', lambda x: x * 0, 'CPU')",
    "an operator": "import builtins\nbuiltins.kept = torch.library.Library('own', 'DEF')\nbuiltins.kept.define('f(Tensor x) -> Tensor')",
    "a method of layers": "nn.Linear.forward = lambda layer, x: torch.ones(2, 4, requires_grad=True)",
    "the code of a function": "nn.Linear.forward.__code__ = (lambda self, input: 1 / 0).__code__",
    "the defaults of a function": "nn.Linear.__init__.__defaults__ = (True, 'meta', None)",
    "a module": "import sys, types\nsys.modules['torch.nn.functional'] = types.ModuleType('functional')",
    "a builtin": "import builtins\nbuiltins.iter = None",
    "a name among the builtins": "import builtins\nbuiltins.seen = True",
    "a hook of all layers": "nn.modules.module.register_module_forward_hook(lambda *a: 1)",
    "a hook of all optimizers": "import sys\nsys.modules['torch.optim.optimizer'].register_optimizer_step_pre_hook(lambda *a: 1)",
    "a hook of saved tensors": "torch._C._autograd._push_saved_tensors_default_hooks(lambda x: 1 / 0, lambda x: x)",
    "the dtype": "torch.set_default_dtype(torch.float64)",
    "the device": "torch.set_default_device('meta')",
    "determinism": "torch.use_deterministic_algorithms(True)",
    "cuDNN": "torch.backends.cudnn.enabled = False",
    "oneDNN": "torch.backends.mkldnn.set_flags(False)",
    "the precision of products": "torch.set_float32_matmul_precision('medium')",
    "denormal numbers": "torch.set_flush_denormal(True)",
    "the mode of gradients": "torch.set_grad_enabled(False)",
    "inference mode": "import builtins\nbuiltins.kept = torch.inference_mode()\nbuiltins.kept.__enter__()",
    "anomaly detection": "torch.autograd.set_detect_anomaly(True)",
    "autocast": "torch.autocast('cpu', torch.bfloat16).__enter__()",
    "a mode of functions": "from torch.overrides import TorchFunctionMode\nclass Mode(TorchFunctionMode):\n    def __torch_function__(self, f, types, args=(), kwargs=None): return torch.ones(6)\nMode().__enter__()",
    "a mode of kernels": "from torch.utils._python_dispatch import TorchDispatchMode\nclass Mode(TorchDispatchMode):\n    def __torch_dispatch__(self, f, types, args=(), kwargs=None): raise ValueError\nMode().__enter__()",
    "threads of torch": "torch.set_num_threads(3)",
    "random numbers of torch": "torch.manual_seed = torch.default_generator.manual_seed = None",
    "random numbers of NumPy": "import numpy\nnumpy.random.seed(7)",
    "a filter of warnings": "import warnings\nwarnings.catch_warnings.__exit__ = lambda *a: None\nwarnings.simplefilter('error')",
    "printing": "torch.set_printoptions(precision=1)",
    "the environment": "import os\nos.environ['PYTORCH_DEBUG'] = '1'",
    "the garbage collector": "import gc\ngc.disable()",
    "the depth of recursion": "import sys\nsys.setrecursionlimit(77)",
    "a trace function": "import sys, execute\nsys.settrace = lambda *a: None\nexecute.Watch.reached = True",
    "a profile function": "import sys\nsys.setprofile(lambda *a: None)",
    "a signal handler": "import signal\nsignal.signal(signal.SIGUSR1, lambda *a: None)",
    "the search path": "import sys\nsys.path.append('/x')",
    "the judgement": SUPERVISOR.format("_run_alone") + "frame.f_globals['judge'] = lambda error: ('raised', {'class': 'RuntimeError', 'text': 'forged', 'row': 4})",
    "the runner": SUPERVISOR.format("_run_here") + "frame.f_globals['_run_here'] = lambda *a: {'outcome': 'passed', 'error': None, 'reached': True, 'lines': None, 'ms': 1}",
    "the text of a program": SUPERVISOR.format("_child") + "for item in frame.f_locals.get('items', ()):\n    item['program'] = 'x = 1\\n' * 9",
}  # fmt: skip
PAST_THE_GATE = {
    name: "import torch\nfrom torch import nn\n" + text + "\n" for name, text in REPLACED.items()
}
# Answers for the next programs, in advance, with the nonce that this process must know.
PAST_THE_GATE["answers in advance"] = (
    SUPERVISOR.format("_child")
    + """import json, os
result = {'outcome': 'passed', 'error': None, 'reached': True, 'lines': None, 'ms': 1}
for place in range(6):
    line = json.dumps({'nonce': frame.f_locals['nonce'], 'place': place, 'result': result})
    os.write(frame.f_locals['writing'], line.encode() + b'\\n')
"""
)


def told(answers: list[Answer]) -> list[tuple]:
    return [(one.outcome, one.reached, one.error, one.lines) for one in answers]


def test_the_next_programs_end_as_they_should(worker):
    answers = worker.run(NEXT, 5)
    assert [(one.outcome, one.reached) for one in answers] == ENDS
    assert [one.error.row for one in answers if one.error] == [4, 4]


@pytest.mark.parametrize("attack", ADMITTED.values(), ids=ADMITTED.keys())
def test_a_program_that_is_let_in_changes_no_verdict_after_it(worker, attack):
    first, *after = worker.run([Request(attack), *NEXT], 5)
    assert first.outcome == "passed", first.error
    assert [(one.outcome, one.reached) for one in after] == ENDS
    assert told(after) == told(worker.run(NEXT, 5))


@pytest.mark.parametrize("attack", PAST_THE_GATE.values(), ids=PAST_THE_GATE.keys())
def test_a_program_past_the_gate_leaves_nothing_to_the_next(open_worker, attack):
    (alone,) = open_worker.run([STATE], 5)
    assert alone.error.name == "ValueError", alone
    _, state, *after = open_worker.run([Request(attack), STATE, *NEXT], 5)
    assert state.error == alone.error
    assert [(one.outcome, one.reached) for one in after] == ENDS
    assert told(after) == told(open_worker.run(NEXT, 5))


def test_memory_that_a_program_keeps_is_not_missed_by_the_next(worker):
    """What stands in a circle of references is found by a collection only, and a limit may be reached before."""
    keeps = "import torch\nkept = [torch.empty(2**26) for _ in range(3)]\nkept.append(kept)\n"
    answers = worker.run([Request(keeps + f"x = {place}\n") for place in range(8)], 5)
    assert [one.outcome for one in answers] == ["passed"] * 8


WRITES = SUPERVISOR.format("_child") + "import os\nos.write(frame.f_locals['writing'], {line})\nos._exit(0)\n"
# A line that bears the nonce, and in it what is no result.
SIGNED = 'b\'{"place": 0, "nonce": "\' + frame.f_locals[\'nonce\'].encode() + b\'", "result": RESULT}\\n\''
SPOILS = {
    "no object": "[1]",
    "nothing": "null",
    "a deep list": "' + b'[' * 20000 + b']' * 20000 + b'",
    "an outcome of ours": '{"outcome": "timeout", "error": {"class": "A", "text": "b", "row": 1}, "reached": null, "lines": null, "ms": 1}',
    "an unknown outcome": '{"outcome": "confirmed", "error": null, "reached": true, "lines": null, "ms": 1}',
    "an outcome that is a list": '{"outcome": [], "error": null, "reached": true, "lines": null, "ms": 1}',
    "an error without a text": '{"outcome": "raised", "error": {"class": "A"}, "reached": true, "lines": null, "ms": 1}',
    "a row that is a text": '{"outcome": "raised", "error": {"class": "A", "text": "b", "row": "1"}, "reached": true, "lines": null, "ms": 1}',
    "no number of a rank": '{"outcome": "deadlock", "error": {"class": "A", "text": "b", "row": 1}, "reached": true, "lines": {"x": 1}, "ms": 1}',
    "a time that is a text": '{"outcome": "passed", "error": null, "reached": true, "lines": null, "ms": "1"}',
}  # fmt: skip


@pytest.mark.parametrize("result", SPOILS.values(), ids=SPOILS.keys())
def test_a_result_in_another_form_spoils_no_other(open_worker, result):
    program = WRITES.replace("{line}", SIGNED.replace("RESULT", result))
    first, *after = open_worker.run([Request(program), *NEXT], 5)
    assert (first.outcome, first.error.text) == ("crash", "it answered in another form")
    assert [(one.outcome, one.reached) for one in after] == ENDS


def test_a_text_that_is_written_past_the_runner_is_cleaned_too(open_worker):
    result = '{"outcome": "raised", "error": {"class": "A", "text": "\\\\u001b[31m\\\\ud800\\\\u202e", "row": 1}, "reached": true, "lines": null, "ms": 1}'
    program = WRITES.replace("{line}", SIGNED.replace("RESULT", result))
    assert open_worker.run([Request(program)], 5)[0].error.text == " [31m  "


# What a library may have made before anything was forked: memory that all forks would share.
MAKES_SHARED = """
import builtins, mmap, os, runpy, sys, types
builtins.shared = mmap.mmap(-1, 8192)
builtins.shared[:4] = b"mine"
reading = os.open({file!r}, os.O_RDWR)
builtins.file = mmap.mmap(reading, 4096)
builtins.read_only = mmap.mmap(reading, 4096, prot=mmap.PROT_READ)
gate = types.ModuleType("gate")
gate.refusal = lambda source, missing: None
sys.modules["gate"] = gate
runpy.run_path({zygote!r}, run_name="__main__")
"""


def test_memory_that_was_shared_before_is_shared_no_more(tmp_path):
    file, driver = tmp_path / "mapped", tmp_path / "driver.py"
    file.write_bytes(b"kept" * 1024)
    driver.write_text(MAKES_SHARED.format(file=str(file), zygote=str(ZYGOTE)))
    tell = "import builtins\nassert False, (shared[:4], file[:4], read_only[:4])\n"
    attack = "import builtins\nshared[:4] = b'evil'\nfile[:4] = b'evil'\n"
    with client.Worker(sys.executable, site_packages(sys.executable), program=[str(driver)]) as worker:
        assert worker.hello().is_locked
        answers = worker.run([Request(one) for one in (tell, attack, tell)], 5)
        maps = Path(f"/proc/{worker.pid}/maps").read_text()
    assert [one.outcome for one in answers] == ["raised", "passed", "raised"]
    assert {one.error.text for one in (answers[0], answers[2])} == {"(b'mine', b'kept', b'kept')"}
    assert file.read_bytes() == b"kept" * 1024
    assert [line for line in maps.splitlines() if line.split()[1].endswith("s")] == []


@pytest.fixture(scope="module")
def unforked_worker(make_worker):
    with make_worker(fork=False) as one:
        yield one


BENIGN = sorted((Path(__file__).parent / "benign").glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("name", [f"{way}, {result}" for way in list(GIVES_IT)[1::2] for result in RESULTS])
def test_without_a_fork_the_worker_is_replaced_when_something_remains(unforked_worker, name):
    """As on macOS and Windows."""
    before = unforked_worker.hello() and unforked_worker.pid
    first, *after = unforked_worker.run([Request(ADMITTED[name]), *NEXT], 10)
    assert first.outcome == "passed", first.error
    assert [(one.outcome, one.reached) for one in after] == ENDS
    assert unforked_worker.pid != before


@pytest.mark.slow
def test_without_a_fork_the_worker_stays_when_nothing_remains(unforked_worker):
    unforked_worker.run(NEXT, 10)
    before, replaced = unforked_worker.pid, []
    for path in BENIGN:
        unforked_worker.run([Request(path.read_text())], 10)
        unforked_worker.run([NEXT[0]], 10)
        if unforked_worker.pid != before:
            before = unforked_worker.pid
            replaced.append(path.stem)
    # torch keeps which formula it has found for two distributions.
    assert replaced == ["distributions"]
