"""How a program's end is told: what was raised where, whether rows were executed, and which rank waits."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.torch


def test_what_torch_raises_comes_with_its_row(run):
    answer = run("import torch\nx = torch.ones(2, 3)\ny = x.t().view(6)\n")
    assert answer.outcome == "raised"
    assert (answer.error.name, answer.error.row) == ("RuntimeError", 3)
    assert answer.error.text.startswith("view size is not compatible with input tensor's size and stride")


def test_the_row_is_that_of_the_innermost_frame_of_the_program(run):
    program = (
        "import torch\ndef f(x):\n    return x.view(5)\ndef g(x):\n    return f(x)\ng(torch.ones(2, 3))\n"
    )
    assert run(program).error.row == 3


def test_the_row_is_the_program_s_when_torch_s_own_python_raises(run):
    program = (
        "import torch\nnet = torch.nn.Sequential(torch.nn.Linear(3, 4))\n\nnet.load_state_dict({})\nnet(1)\n"
    )
    answer = run(program)
    assert (answer.outcome, answer.error.row) == ("raised", 4)
    assert answer.error.text.startswith("Error(s) in loading state_dict for Sequential:\n")


@pytest.mark.parametrize(
    ("program", "outcome", "name"),
    [
        ("x = 1\n", "passed", None),
        ("assert 1 == 2, 'no'\n", "raised", "AssertionError"),
        ("1 / 0\n", "raised", "ZeroDivisionError"),
        ("raise SystemExit(0)\n", "raised", "SystemExit"),
        ("def f(): f()\nf()\n", "raised", "RecursionError"),
        ("x = = 1\n", "syntax", "SyntaxError"),
        ("x = '\0'\n", "syntax", "SyntaxError"),
        ("import no_such_module\n", "import", "ModuleNotFoundError"),
        ("from torch import no_such_name\n", "import", "ImportError"),
        ("import torch\ntorch.empty(10**12)\n", "resource", "RuntimeError"),
        ("x = [0] * 10**12\n", "resource", "MemoryError"),
        ("import torch\ntorch.ones(2).cuda()\n", "unsupported", None),
        ("import torch\ntorch.ones(2, device='cuda')\n", "unsupported", None),
        ("while True: pass\n", "timeout", "Timeout"),
        ("import torch\nwhile True:\n    try:\n        torch.ones(9)\n    except BaseException: pass\n", "timeout", None),
        ("import os\nos._exit(0)\n", "crash", "Crash"),
        ("import os\nos.abort()\n", "crash", "Crash"),
        ("import ctypes\nctypes.string_at(0)\n", "crash", "Crash"),
    ],
)  # fmt: skip
def test_outcomes(run, program: str, outcome: str, name: str | None):
    answer = run(program, deadline=0.5)
    assert answer.outcome == outcome, answer
    assert name is None or answer.error.name == name


def test_a_lambda_that_loops_in_its_text_is_a_timeout(run):
    program = "class Loops(Exception):\n    def __str__(self):\n        while True: pass\nraise Loops\n"
    assert run(program, deadline=0.5).outcome == "timeout"


def test_an_error_without_a_text_of_its_own(run):
    program = "class Fails(Exception):\n    def __str__(self):\n        raise KeyError(1)\nraise Fails\n"
    answer = run(program)
    assert (answer.outcome, answer.error.text) == ("raised", "(its text raises KeyError)")


def test_a_text_is_bounded_and_without_control_characters(run):
    answer = run("raise ValueError('a\\x1b[31m\\u202e\\nb' + 'é' * 5000)\n")
    assert answer.error.text.startswith("a [31m \nbé")
    assert 1900 < len(answer.error.text.encode()) <= 2000


@pytest.mark.parametrize(
    ("program", "flag", "reached"),
    [
        ("a = 1\nb = 2\nc = 3\n", (2, 2), True),
        ("a = 1\nb = 2", (2, 2), True),
        ("a = 1\nb = a / 0\n", (2, 2), False),
        ("a = 1\nif a > 1:\n    b = 2\n", (3, 3), False),
        ("def f(x):\n    return x + 1\nf(1)\n", (2, 2), True),
        ("def f(x):\n    return x / 0\ntry:\n    f(1)\nexcept ZeroDivisionError: pass\n", (2, 2), False),
        ("try:\n    a = 1 / 0\nexcept ZeroDivisionError:\n    b = 2\n", (2, 2), False),
        ("try:\n    a = 1 / 0\nexcept ZeroDivisionError:\n    b = 2\n", (4, 4), True),
        ("a = max(\n    1,\n    2,\n)\nb = 3\n", (1, 4), True),
        ("a = max(\n    1,\n    2 / 0,\n)\n", (1, 4), False),
        ("a = [x for x in (1, 2)][5]\n", (1, 1), False),
        ("f = lambda x: x + 1\na = 2\n", (1, 1), False),
        ("f = lambda x: x + 1\na = f(2)\n", (1, 1), True),
        ("for i in range(2):\n    a = 1 / (1 - i)\n", (2, 2), True),
        ("a = 1\n", (7, 7), False),
    ],
)
def test_flagged_rows_are_reached_when_they_were_executed_to_their_end(run, program, flag, reached):
    assert run(program, flag=flag).reached is reached


def test_without_a_flag_nothing_is_said_of_rows(run):
    assert run("a = 1\n").reached is None


def test_numbers_are_the_same_each_time(open_worker):
    from torchlsp.probe.request import Request

    programs = ["import torch\nassert False, torch.rand(3).tolist()\n"] * 2
    texts = [answer.error.text for answer in open_worker.run([Request(one) for one in programs], 5)]
    assert texts[0] == texts[1]


def test_each_program_that_asks_for_warnings_hears_them(open_worker):
    from torchlsp.probe.request import Request

    programs = [f"import torch\n{name} = torch.qr(torch.eye(2))\n" for name in "abc"]
    asked = [Request(one, flag=(2, 2), hears=place < 2) for place, one in enumerate(programs)]
    first, second, deaf = open_worker.run(asked, 5)
    assert first.error == second.error and (first.error.name, first.error.row) == ("UserWarning", 2)
    assert (
        first.error.text.startswith("torch.qr is deprecated")
        and "Triggered internally" not in first.error.text
    )
    assert (deaf.outcome, deaf.reached) == ("passed", True)


def test_a_warning_about_cuda_is_no_lack_of_a_device(open_worker):
    from torchlsp.probe.request import Request

    program = "import torch\nwith torch.cuda.amp.autocast():\n    pass\n"
    (answer,) = open_worker.run([Request(program, flag=(2, 2), hears=True)], 5)
    assert (answer.outcome, answer.error.name, answer.error.row) == ("raised", "FutureWarning", 2)


SETUP = "import torch, torch.distributed as dist\ndist.init_process_group('gloo')\nrank = dist.get_rank()\n"


def test_a_deadlock_names_the_rows_of_the_ranks_that_wait(run):
    program = SETUP + "if rank == 0:\n    dist.barrier()\n"
    answer = run(program, "ranks", world=2, flag=(5, 5))
    assert (answer.outcome, dict(answer.lines)) == ("deadlock", {0: 5, 1: None})
    assert answer.error.text == "rank 0 waits in barrier, rank 1 has ended"
    assert answer.reached is False


def test_calls_that_do_not_fit_are_a_mismatch(run):
    answer = run(SETUP + "dist.all_reduce(torch.ones(rank + 1))\n", "ranks", world=2)
    assert (answer.outcome, dict(answer.lines)) == ("mismatch", {0: 4, 1: 4})


def test_ranks_that_meet_pass(run):
    program = SETUP + "x = torch.ones(2)\ndist.all_reduce(x)\nassert x[0] == 3\n"
    answer = run(program, "ranks", world=3, flag=(5, 5))
    assert (answer.outcome, answer.reached) == ("passed", True)


def test_what_a_rank_raises_is_told(run):
    answer = run(SETUP + "if rank == 1:\n    torch.ones(2, 3).view(5)\n", "ranks", world=2)
    assert (answer.outcome, answer.error.row) == ("raised", 5)
    assert answer.error.text.endswith("(rank 1)")


def test_a_rank_that_raises_leaves_the_others_waiting(run):
    answer = run(SETUP + "if rank == 1:\n    raise ValueError('x')\ndist.barrier()\n", "ranks", world=2)
    assert (answer.outcome, answer.error.name, dict(answer.lines)) == (
        "deadlock",
        "ValueError",
        {0: 6, 1: None},
    )


def test_ranks_may_live_on_the_logical_device(run):
    program = SETUP + "x = torch.ones(2).cuda()\ndist.all_reduce(x)\nx + torch.ones(2)\n"
    answer = run(program, "ranks", world=2)
    assert (answer.outcome, answer.error.row) == ("raised", 6)
    assert answer.error.text.startswith("Expected all tensors to be on the same device")


def test_endless_collectives_are_given_up(run):
    answer = run(SETUP + "while True:\n    dist.barrier()\n", "ranks", world=2, deadline=30)
    assert answer.outcome == "unsupported"


@pytest.mark.parametrize(
    "program",
    [
        "dist.all_to_all_single(torch.ones(2), torch.ones(2))",
        "dist.broadcast(torch.ones(2), src=7)",
        "dist.all_reduce(torch.ones(2, dtype=torch.int64), op=dist.ReduceOp.BAND)",
        "torch.distributed.fsdp.FullyShardedDataParallel(torch.nn.Linear(2, 2))",
    ],
)
def test_what_the_simulation_cannot_follow_is_unsupported(run, program):
    answer = run("import torch.distributed.fsdp\n" + SETUP + program + "\n", "ranks", world=2)
    assert answer.outcome in ("unsupported", "import"), answer


@pytest.mark.parametrize(
    ("program", "outcome", "text"),
    [
        # The other rank waits for what the one that sends has refused to send.
        (
            "dist.scatter(torch.ones(2))",
            "deadlock",
            "Argument ``scatter_list`` must be specified on source rank.",
        ),
        (
            "dist.all_gather([torch.ones(3), torch.ones(3)], torch.ones(2))",
            "raised",
            "invalid tensor size at index 0 (expected (2,), got (3,))",
        ),
    ],
)
def test_what_torch_refuses_is_refused(run, program, outcome, text):
    answer = run(SETUP + program + "\n", "ranks", world=2)
    assert (answer.outcome, answer.error.text) == (outcome, f"{text} (rank 0)")


@pytest.mark.parametrize(
    "program",
    [
        "y = torch.zeros(2)\ndist.scatter(y, [torch.ones(2), 2 * torch.ones(2)] if rank == 0 else None)\nassert y[0] == rank + 1",
        "y = torch.zeros(2)\ndist.reduce_scatter(y, [x, 2 * x])\nassert y[0] == 3 * (rank + 1)",
        "y = torch.zeros(4)\ndist.all_gather_into_tensor(y, x)\nassert y.tolist() == [1, 1, 2, 2]",
        "dist.reduce(x, 1)\nassert x[0] == (3 if rank else 1)",
        "dist.all_reduce(x, op=dist.ReduceOp.PRODUCT)\nassert x[0] == 2",
        "dist.send(x, 1) if rank == 0 else dist.recv(x)\nassert x[0] == 1",
        "work = dist.all_reduce(x, async_op=True)\nwork.wait()\nassert x[0] == 3",
        "dist.monitored_barrier()",
    ],
)  # fmt: skip
def test_values_are_exchanged(run, program):
    answer = run(SETUP + "x = torch.ones(2) * (rank + 1)\n" + program + "\n", "ranks", world=2)
    assert answer.outcome == "passed", answer


@pytest.mark.parametrize("program", ["torch.cuda.Stream()", "torch.cuda.FloatTensor(2)", "torch.cuda.get_device_properties(0)"])  # fmt: skip
def test_cuda_beyond_tensors_is_unsupported(run, program):
    assert run("import torch\n" + program + "\n", "logical-device").outcome == "unsupported"


def test_an_unknown_kind_is_unsupported(run):
    assert run("x = 1\n", "no-such-kind").outcome == "unsupported"


def test_what_the_emulation_cannot_follow_is_unsupported(run):
    program = "import torch\nwith torch.autocast('cuda'):\n    torch.ones(2).cuda()\n"
    assert run(program, "logical-device").outcome == "unsupported"
