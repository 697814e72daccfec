"""Programs made from facts and traces: their tensors are what the user's are, and their ends tell bad from good."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations

import pytest

from torchlsp.core.finding import Finding, Hangs, ProbeRequest, ProofFails
from torchlsp.core.text import Document
from torchlsp.dev.catalogue import HINTS
from torchlsp.dev.forced_reproducers import forced
from torchlsp.interp.run.analyse import analyse
from torchlsp.lint.registry import rules
from torchlsp.lint.reproducers import as_script, reproducer_of_call
from torchlsp.lint.runner import run
from torchlsp.program.lower import lower
from torchlsp.syntax.parse import parse

pytestmark = pytest.mark.torch
ALL = frozenset(info.code for info in rules()) - HINTS


class NoImports:
    def module(self, dotted_name, importing_path):
        return None


def findings(source: str) -> list[Finding]:
    return run(parse(Document("program.py", source)), NoImports(), ALL, strict=True).findings


def request_of(source: str, rule: str | None = None) -> ProbeRequest | None:
    """The program of the only finding."""
    (found,) = findings(source)
    assert rule in (None, found.rule)
    return found.probe


def recorded(source: str):
    return analyse(lower(parse(Document("program.py", source))), recording=True, strict=True)


def last_call(source: str) -> ProbeRequest | None:
    """The program of the call that ends last."""
    made = recorded(source).made
    return reproducer_of_call(made[max(made, key=lambda place: (place[1], -place[0]))])


def executed(program: str) -> tuple[dict, str]:
    """What a program leaves behind, and what it raises."""
    names: dict = {}
    try:
        exec(compile(program, "<program>", "exec"), names)
    except Exception as error:
        return names, f"{type(error).__name__}: {error}"
    return names, ""


# ---- operands -----------------------------------------------------------------------------------------------------------

TENSORS = (
    "torch.zeros(3, 4)",
    "torch.zeros(())",
    "torch.zeros(0, 3)",
    "torch.zeros(3, 4).t()",
    "torch.zeros(2, 3, 4).permute(2, 0, 1)",
    "torch.zeros(2, 3, 4).transpose(0, 2)[:, 1]",
    "torch.zeros(8, 10)[:, 2:7]",
    "torch.zeros(8, 10)[:, ::2]",
    "torch.zeros(8, 10)[2:5, :4].t()",
    "torch.zeros(8, 10)[:, 3]",
    "torch.zeros(3, 1).expand(3, 4)",
    "torch.zeros(3).expand(2, 3)",
    "torch.zeros(1).expand(2, 3)",
    "torch.zeros(()).expand(2, 3)",
    "torch.zeros(3, 4).t().unsqueeze(1)",
    "torch.zeros(3, 4)[:, None].expand(3, 5, 4).transpose(0, 2)",
    "torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last)",
    "torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last)[:, :2]",
    "torch.zeros(2, 3, dtype=torch.bfloat16).t()",
    "torch.zeros(2, 3, dtype=torch.complex64).t()",
    "torch.zeros(2, 3, dtype=torch.bool)[:, :2]",
    "torch.zeros(2, 3, dtype=torch.float8_e5m2)",
    "torch.zeros(2, 3, requires_grad=True)",
    "torch.zeros(2, 3, requires_grad=True).t()",
    "torch.zeros(2, 3, requires_grad=True) * 2",
    "torch.zeros(2, 3).t().requires_grad_()",
    "(torch.zeros(4, 6, dtype=torch.float64, requires_grad=True) + 1)[:, 1:3]",
    "torch.zeros(2, 4, 6).view(2, 4, 3, 2).permute(0, 2, 1, 3)",
)


@pytest.mark.parametrize("expression", TENSORS)
def test_an_operand_is_what_the_tensor_is(expression: str):
    torch = pytest.importorskip("torch")
    request = last_call(f"import torch\nx = {expression}\ny = x.sin()\n")
    assert request is not None
    assert not request.guesses
    real = eval(expression, {"torch": torch})
    made = executed(request.source(()).replace("x.sin()", ""))[0]["x"]
    assert (made.shape, made.dtype) == (real.shape, real.dtype)
    sizes = [size != 1 for size in real.shape]
    strides = [[s for s, large in zip(one.stride(), sizes, strict=True) if large] for one in (made, real)]
    assert strides[0] == strides[1] or real.numel() == 0
    assert (made.requires_grad, made.is_leaf) == (real.requires_grad, real.is_leaf)


def test_the_same_tensor_is_made_once():
    request = request_of("import torch\nx = torch.zeros(3, 4)\nx @ x\n")
    assert request is not None
    assert request.program.count("torch.zeros") == 1


def test_tensors_that_share_memory_but_differ_are_a_guess():
    request = request_of("import torch\nx = torch.zeros(3, 4)\ny = x[:2]\nx @ y\n")
    assert request is not None
    assert request.guesses


def test_a_finding_in_another_file_has_its_program_at_the_call_too():
    class Helpers:
        def module(self, dotted_name, importing_path):
            source = "def flat(x):\n    return x.t().view(-1)\n"
            return parse(Document("helpers.py", source)) if dotted_name == "helpers" else None

    source = "import torch\nfrom helpers import flat\nflat(torch.zeros(3, 4))\n"
    result = run(parse(Document("program.py", source)), Helpers(), ALL, strict=True)
    ((inside, (at_call,)),) = result.elsewhere
    assert inside.probe is not None
    assert at_call.probe == inside.probe


def test_strides_that_overlap_have_no_program():
    assert request_of("import torch\nx = torch.zeros(10).unfold(0, 3, 1)\nx.view(-1)\n", "TL101") is None


@pytest.mark.parametrize("argument", ["other[0]", "other", "other.attribute", "*other", "len(other) > 2"])
def test_an_argument_that_is_not_known_is_a_guess_at_best(argument: str):
    source = f"import torch\ndef f(other):\n    x = torch.zeros(3)\n    return x.sum({argument})\n"
    (called,) = [called for called in recorded(source).made.values() if called.name.endswith("sum")]
    request = reproducer_of_call(called)
    assert request is None or request.guesses


@pytest.mark.parametrize(
    "loss",
    [
        "F.cross_entropy(logits, y.int())",
        "nn.CrossEntropyLoss()(logits, y.int())",
        "F.nll_loss(logits, y.to(torch.int32))",
    ],
)
def test_class_indices_of_a_wrong_dtype_need_no_shapes(loss: str):
    source = (
        "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n\ndef f(model, batch, y: torch.Tensor):\n"
        f"    logits = model(batch)\n    return {loss}\n"
    )
    request = request_of(source, "TL201")
    assert request is not None and request.guesses
    (_, error) = executed(request.source(request.assignments[0]))
    assert "target" in error or "Long" in error


def test_an_argument_of_a_layer_that_is_not_known_is_left_to_its_default():
    source = (
        "import torch\nfrom torch import nn\n\n\ndef f(config, logits: torch.Tensor, y: torch.Tensor):\n"
        "    loss = nn.CrossEntropyLoss(label_smoothing=config.smoothing())\n    return loss(logits, y.int())\n"
    )
    request = request_of(source, "TL201")
    assert request is not None and request.guesses and "smoothing" not in request.program


def test_more_elements_than_fit_have_no_program():
    assert request_of("import torch\nx = torch.zeros(4096, 4096, 4096)\nx.transpose(0, 1).view(-1)\n") is None


def test_lists_stay_lists():
    called = last_call("import torch\nx = torch.zeros(4, 5)\nx[[0, 1]]\n")
    assert called is not None
    assert "x[[0, 1]]" in called.program


def test_a_text_is_no_place_for_sizes():
    source = "import torch\ndef f(x):\n    n, m = x.shape\n    torch.zeros(n, m).sum().to('{sizes}')\n"
    requests = [reproducer_of_call(called) for called in recorded(source).made.values()]
    made = [request for request in requests if request is not None and "sizes" in request.program]
    assert made
    for request in made:
        assert "'{sizes}'" not in request.program


def test_names_of_sizes_and_operands_differ():
    source = (
        "import torch\n"
        "def f(weight, x):\n"
        "    mat2, torch_, n = weight.shape\n"
        "    a = torch.zeros(mat2, n)\n"
        "    return torch.mm(input=a, mat2=torch.zeros(n + 1, mat2))\n"
    )
    request = request_of(source, "TL105")
    assert request is not None
    for sizes in request.assignments:
        assert "cannot be multiplied" in executed(request.source(sizes))[1]


def test_sizes_that_are_divided_come_with_divisors():
    source = (
        "import torch\n"
        "def f(x, heads: int):\n"
        "    b, t, c = x.shape\n"
        "    return x.view(b, t, heads, c // heads).transpose(1, 2).view(b, t, c)\n"
    )
    request = request_of(source, "TL101")
    assert request is not None
    assert "view size is not compatible" in executed(request.source(request.assignments[0]))[1]


def test_the_grad_mode_is_that_of_the_call():
    source = "import torch\nx = torch.zeros(3, requires_grad=True)\nwith torch.no_grad():\n    x.numpy()\n"
    request = last_call(source)
    assert request is not None
    assert executed(request.source(()))[1] == ""
    assert (
        "requires grad" in executed(request.source(()).replace("torch.no_grad()", "torch.enable_grad()"))[1]
    )


# ---- training -----------------------------------------------------------------------------------------------------------

TRAINING = """
import torch
def train(model, loader, k, flag):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for i, x in enumerate(loader):
"""
BAD_LOOPS = {
    "never cleared": ["model(x).sum().backward()", "optimizer.step()"],
    "step every k": ["model(x).sum().backward()", "if i % k == 0:", "    optimizer.step()"],
    "backward in a loop": ["for y in x:", "    model(y).sum().backward()", "optimizer.step()"],
    "skipped": ["if x is None:", "    continue", "model(x).sum().backward()", "optimizer.step()"],
    "cleared only at the end": [
        "model(x).sum().backward()", "optimizer.step()", "if flag:", "    optimizer.zero_grad()", "    break",
    ],
    "cleared too early": ["model(x).sum().backward()", "optimizer.zero_grad()", "optimizer.step()"],
    "cleared too early at times": [
        "model(x).sum().backward()", "if i % k:", "    optimizer.zero_grad()", "    optimizer.step()",
    ],
}  # fmt: skip
GOOD_LOOPS = {
    "first": ["optimizer.zero_grad()", "model(x).sum().backward()", "optimizer.step()"],
    "last": ["model(x).sum().backward()", "optimizer.step()", "optimizer.zero_grad(set_to_none=True)"],
    "accumulated": [
        "model(x).sum().backward()", "if i % k == 0:", "    optimizer.step()", "    optimizer.zero_grad()",
    ],
    "several backward calls": [
        "optimizer.zero_grad()", "for y in x:", "    model(y).sum().backward()", "optimizer.step()",
    ],
    "skipped": [
        "optimizer.zero_grad()", "if x is None:", "    continue", "model(x).sum().backward()", "optimizer.step()",
    ],
}  # fmt: skip


def loop(lines: list[str]) -> str:
    return TRAINING + "".join(f"        {line}\n" for line in lines)


@pytest.mark.parametrize("lines", BAD_LOOPS.values(), ids=BAD_LOOPS)
def test_the_proof_of_a_bad_loop_fails_on_the_way_to_its_step(lines: list[str]):
    request = request_of(loop(lines))
    assert request is not None
    assert isinstance(request.expect, ProofFails)
    ends = [executed(request.source(sizes))[1] for sizes in request.assignments]
    assert ends[0].startswith("AssertionError: a step ")
    assert all(end in ("", ends[0]) for end in ends)


@pytest.mark.parametrize("lines", GOOD_LOOPS.values(), ids=GOOD_LOOPS)
def test_the_proof_of_a_good_loop_holds(lines: list[str]):
    made = [request for question, request in forced(recorded(loop(lines))) if "clears" in question]
    assert len(made) == 2
    for request in made:
        assert [executed(request.source(sizes))[1] for sizes in request.assignments] == [""] * len(
            request.assignments
        )


def test_a_return_in_a_helper_ends_the_helper_only():
    source = (
        "import torch\n"
        "def update(model, optimizer, x, flag):\n"
        "    model(x).sum().backward()\n"
        "    if flag:\n"
        "        optimizer.step()\n"
        "        return\n"
        "    optimizer.step()\n"
        "def train(model, loader, flag):\n"
        "    optimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
        "    for x in loader:\n"
        "        update(model, optimizer, x, flag)\n"
    )
    request = request_of(source, "TL501")
    assert request is not None
    assert "def update():" in request.program
    for sizes in request.assignments:
        assert "already used" in executed(request.source(sizes))[1]


def test_a_return_in_a_training_step_ends_one_batch():
    source = (
        "import torch, lightning\n"
        "class Model(lightning.LightningModule):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.automatic_optimization = False\n"
        "    def training_step(self, batch, batch_idx):\n"
        "        optimizer = self.optimizers()\n"
        "        loss = self(batch).sum()\n"
        "        self.manual_backward(loss)\n"
        "        optimizer.step()\n"
        "        return loss\n"
        "    def configure_optimizers(self):\n"
        "        return torch.optim.SGD(self.parameters(), 0.1)\n"
    )
    request = request_of(source, "TL501")
    assert request is not None
    for sizes in request.assignments:
        assert "already used" in executed(request.source(sizes))[1]


def test_a_step_with_a_closure_has_no_program():
    lines = ["def closure():", "    model(x).sum().backward()", "optimizer.step(closure)"]
    assert not [question for question, _ in forced(recorded(loop(lines))) if "clears" in question]


# ---- ranks --------------------------------------------------------------------------------------------------------------

RANKS = "import torch.distributed as dist\ndef f(x, xs, flag):\n    rank = dist.get_rank()\n"
DIVERGING = {
    "branch": ["if rank == 0:", "    dist.all_reduce(x)"],
    "negated": ["if not rank == 0:", "    dist.barrier()"],
    "exit": ["if rank != 0:", "    return", "dist.barrier()"],
    "raise": ["if rank != 0:", "    raise ValueError(rank)", "dist.barrier()"],
    "continue": ["for y in xs:", "    if rank > 0:", "        continue", "    dist.broadcast(y, 0)"],
    "break of an endless loop": ["while True:", "    if rank:", "        break", "    dist.all_reduce(x)"],
    "two of three": ["if rank == 0:", "    dist.barrier()", "elif rank == 1:", "    dist.barrier()"],
    "and": ["if rank == 0 and flag:", "    dist.all_gather_object(xs, x)"],
    "or": ["if rank == 0 or flag:", "    dist.reduce_scatter_tensor(x, x)"],
    "under a test of all": ["if flag:", "    if rank == 0:", "        dist.all_to_all_single(x, x)"],
    "a group of three": ["g = dist.new_group([0, 1, 2])", "if rank == 1:", "    dist.all_reduce(x, group=g)"],
    "in turns": ["for i in (5, 7):", "    if i == 5 and rank == 0:", "        dist.barrier()"],
    "the other before": ["if rank == 0:", "    dist.all_reduce(x)", "    dist.barrier()"],
}  # fmt: skip
AGREEING = {
    "both": ["if rank == 0:", "    dist.broadcast(x, 0)", "else:", "    dist.broadcast(x, 0)"],
    "partners": ["if rank != 0:", "    dist.barrier()", "if rank == 0:", "    dist.barrier()"],
    "own group": ["g = dist.new_group([0])", "if rank == 0:", "    dist.all_reduce(x, group=g)"],
    "exit after": ["dist.all_reduce(x)", "if rank != 0:", "    return", "print(x)"],
}  # fmt: skip


def ended(request: ProbeRequest, number: int = 0):
    from torchlsp.probe.worker.ranks import World

    return World(request.source(request.assignments[number]), "<program>", request.world).run()


@pytest.mark.parametrize("lines", DIVERGING.values(), ids=DIVERGING)
def test_ranks_wait_in_the_flagged_rows(lines: list[str]):
    pytest.importorskip("torch")
    found = findings(RANKS + "".join(f"    {line}\n" for line in lines))
    assert found
    for one in found:
        assert one.probe is not None
        assert isinstance(one.probe.expect, Hangs)
        assert one.probe.flag is not None
        waits = {line for _, rows in ended(one.probe).stuck.values() for line in rows}
        assert waits & set(range(one.probe.flag[0], one.probe.flag[1] + 1)), one.probe.program


@pytest.mark.parametrize("lines", AGREEING.values(), ids=AGREEING)
def test_ranks_that_agree_come_to_their_end(lines: list[str]):
    pytest.importorskip("torch")
    analysis = recorded(RANKS + "".join(f"    {line}\n" for line in lines))
    made = [request for question, request in forced(analysis) if question == "divergences"]
    assert made
    for request in made:
        for number in range(len(request.assignments)):
            result = ended(request, number)
            assert (result.stuck, result.errors) == ({}, {}), request.program


def test_calls_in_another_order_do_not_run_through():
    lines = ["if rank == 0:", "    dist.all_reduce(x)", "    dist.barrier()"]
    lines += ["else:", "    dist.barrier()", "    dist.all_reduce(x)"]
    found = findings(RANKS + "".join(f"    {line}\n" for line in lines))
    assert len(found) == 4
    assert all(one.probe is not None and ended(one.probe).stuck for one in found)


def test_more_ranks_than_are_simulated_have_no_program():
    assert request_of(RANKS + "    if rank == 12:\n        dist.barrier()\n") is None


# ---- scripts ------------------------------------------------------------------------------------------------------------


def test_a_script_says_what_to_expect_and_raises_it():
    request = request_of(
        "import torch\ndef f(x):\n    n, m = x.shape\n    return x.t().view(n * m)\n", "TL101"
    )
    assert request is not None
    script = as_script(request, "TL101")
    assert script.startswith("# TL101: this raises.\n")
    assert script.count("# TL101\n") == 1
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "RuntimeError: view size is not compatible" in result.stderr


def test_a_script_for_a_warning_raises_it():
    request = request_of("import torch\nx = torch.range(0, 3)\n", "TL907")
    assert request is not None and request.hears
    script = as_script(request, "TL907")
    assert "torch.range(0, 3)  # TL907\n" in script
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "UserWarning: torch.range is deprecated" in result.stderr


def test_a_complex_argument_stands_in_the_program():
    request = request_of("import torch\ntorch.add(torch.ones(2, 3), torch.ones(4), alpha=2j)\n", "TL127")
    assert request is not None and "alpha=2j" in request.program
    assert "must match the size of tensor" in executed(request.source(request.assignments[0]))[1]


def test_what_is_deprecated_in_the_documentation_alone_has_no_program():
    assert request_of("import torch\nx = torch.norm(torch.ones(3))\n", "TL928") is None


def test_a_script_for_a_device_names_it():
    request = request_of("import torch\nx = torch.zeros(2, device='cuda')\nx.numpy()\n", "TL301")
    assert request is not None
    script = as_script(request)
    assert "# It needs a CUDA device.\n" in script
    assert 'device="cuda"' in script


def test_a_script_for_ranks_begins_with_the_process_group_where_the_program_asks_for_no_rank():
    request = request_of("import torch.distributed as dist\ndef f():\n    dist.all_reduce(1.0)\n", "TL819")
    assert request is not None and "get_rank" not in request.program
    rows = as_script(request).splitlines()
    group = next(number for number, row in enumerate(rows) if row.startswith("dist.init_process_group"))
    assert rows.index("from datetime import timedelta") < group < rows.index("dist.all_reduce(1.0)  # here")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["branch", "exit", "a group of three", "or"])
def test_a_script_for_ranks_hangs_under_torchrun(name: str, tmp_path):
    pytest.importorskip("torch")
    found = findings(RANKS + "".join(f"    {line}\n" for line in DIVERGING[name]))
    assert found[0].probe is not None
    script = tmp_path / "script.py"
    script.write_text(as_script(found[0].probe, found[0].rule))
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += [f"--nproc_per_node={found[0].probe.world}", str(script)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode != 0
    assert any(
        word in result.stderr for word in ("imed out", "imeout", "Connection closed", "Connection reset")
    )


def test_open_tests_are_first_tried_on_the_way_to_what_is_flagged():
    source = (
        "import torch.distributed as dist\n"
        "def save(x, rank):\n"
        "    if rank != dist.get_rank():\n"
        "        dist.broadcast(x, 0)\n"
        "    if dist.get_rank() != 0:\n"
        "        return\n"
        "    dist.barrier()\n"
        "def f(x, flag, other):\n"
        "    if flag:\n"
        "        dist.all_reduce(x)\n"
        "    else:\n"
        "        save(x, other)\n"
    )
    for found in findings(source):
        assert found.probe is not None
        assert found.probe.flag is not None
        waits = {line for _, rows in ended(found.probe).stuck.values() for line in rows}
        assert waits & set(range(found.probe.flag[0], found.probe.flag[1] + 1)), found.probe.program
    assert any(found.rule == "TL802" for found in findings(source))


def test_names_of_open_tests_are_told_apart():
    lines = ["if flag:", "    dist.barrier()", "if xs:", "    dist.all_reduce(x)"]
    lines += ["if rank == 0 and x:", "    dist.broadcast(x, 0)"]
    request = request_of(RANKS + "".join(f"    {line}\n" for line in lines), "TL801")
    assert request is not None
    assert len({name for name, _ in request.assignments[0]}) == 3
    for one, other in combinations(request.assignments, 2):
        assert one != other


# ---- too little is known of the operands, and it does not matter --------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("def f(x: torch.Tensor, device):\n    x.to(device)\n    return x\n", "TL304"),
        ("def f(x: torch.Tensor):\n    x.float()\n    return x\n", "TL304"),
        ("def f(x: torch.Tensor, mask):\n    x.masked_fill(mask, 0)\n    return x\n", "TL901"),
        ("def f(x: torch.Tensor, dims):\n    x.permute(dims)\n    return x\n", "TL901"),
    ],
)
def test_a_lost_result_is_shown_on_another_tensor(source: str, rule: str):
    request = request_of("import torch\n" + source, rule)
    assert request is not None and request.guesses
    with pytest.raises(AssertionError):
        exec(request.source(request.assignments[0]), {})


def test_an_argument_is_refused_for_any_tensor():
    request = request_of("import torch\ndef f(x: torch.Tensor):\n    return x.chunk(0)\n", "TL128")
    assert request is not None and request.guesses
    with pytest.raises(RuntimeError, match="chunks"):
        exec(request.source(request.assignments[0]), {})


def test_the_layers_of_torchvision_are_shown_without_it():
    source = """
from torchvision import datasets, transforms
several = transforms.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
digits = datasets.MNIST("./here", transform=transforms.Compose([transforms.ToTensor(), several]))
"""
    (found,) = findings(source)
    assert found.message == "`Normalize` does not accept these sizes: the input is f32[1, 28, 28]"
    assert found.probe is not None and "torchvision" not in found.probe.program
    with pytest.raises(RuntimeError, match="match the broadcast shape"):
        exec(found.probe.program, {})


def test_sizes_of_a_run_have_the_names_of_the_source():
    source = """import torch


def f(config, x):
    torch.zeros(config.hidden, config.heads).t().view(-1)
    x.permute(0, 2, 1).view(-1)
    torch.relu(x.first).permute(1, 0).view(-1)
"""
    requests = [
        one.probe for one in run(parse(Document("a.py", source)), NoImports(), ALL, strict=True).findings
    ]
    shown = [tuple(name for name, _ in one.assignments[0]) for one in requests if one is not None]
    assert shown[:2] == [("config.heads", "config.hidden"), ("x.shape[0]", "x.shape[2]", "x.shape[1]")]
    assert all("config_heads, config_hidden =" in one.program for one in requests[:1])
