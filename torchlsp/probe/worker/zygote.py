"""Runs the worker: imports torch once, then forks for each program and sandboxes the fork.

Started as `python -I -S -B zygote.py OPTIONS` with requests on stdin and answers on stdout, one JSON document a
line; both are moved away at once, so that nothing printed can end up among the answers. OPTIONS is a JSON object:
`site` the folders with packages, `idle` the seconds after which an unused worker leaves, `fork` false to run
programs in this very process, where there is no fork or it is not safe, `describe` to tell which GPUs there are.

Without a fork, a worker in which a program has left something changed (`leftovers`) leaves after its answer.

It never asks for CUDA: a process that has touched CUDA cannot fork workers. With `gpu`, the UUID of one or `idle`, it is another
kind of worker: it runs real-cuda programs in this very process and leaves after any error of the device.
"""

from __future__ import annotations

import json
import os
import platform
import select
import signal
import sys
import time

_HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, _HERE)
import gate  # noqa: E402
import memory  # noqa: E402
import missing  # noqa: E402
import results  # noqa: E402
import sandbox  # noqa: E402
import shared_memory  # noqa: E402

IDLE_SECONDS = 600
SET_UP_SECONDS = 10
MAX_LINE_LENGTH = 1 << 16
KEPT_VARIABLES = ("SYSTEMROOT",)
KINDS = ("eager-cpu", "logical-device", "ranks")

# Run before the first fork, so that nothing is imported, opened or started for the first time in a locked process.
WARM_UP = """
import copy, math, torch, torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
picture, words = torch.randn(2, 3, 8, 8), torch.randn(2, 5, 8)
net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Dropout(), nn.Linear(144, 3))
net = copy.deepcopy(net).to(torch.float32)
for make in (torch.optim.SGD, torch.optim.AdamW):
    optimizer = make(net.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    F.cross_entropy(net(picture), torch.zeros(2, dtype=torch.long)).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step(); optimizer.zero_grad(); schedule.step()
net.load_state_dict(net.state_dict())
nn.LSTM(8, 4)(words); nn.GRU(8, 4)(words)
nn.TransformerEncoderLayer(8, 2, batch_first=True)(words).sum().backward()
torch.einsum("bij,bkj->bik", words, words)
torch.linalg.svd(words[0]); torch.fft.rfft(words)
nn.utils.rnn.pack_padded_sequence(words, torch.tensor([5, 3]), batch_first=True)
with torch.autocast("cpu", dtype=torch.bfloat16): net(picture)
with torch.no_grad(), torch.inference_mode(): repr(words), repr(net), str(words.device), words.tolist()
with torch.device("cpu"): torch.zeros(2)
try: torch.randn(2, 3) @ torch.randn(2, 3)
except RuntimeError as error: str(error)
"""
WARM_UP_OPTIONAL = (
    "import torch, numpy as np\nnp.asarray(torch.ones(2).numpy()); torch.from_numpy(np.ones(2)); torch.tensor([np.float32(1)])",
    "import torch\ntorch.special.logit(torch.rand(2)); torch.nn.functional.scaled_dot_product_attention(*[torch.ones(1, 2, 3, 4)] * 3)",
    "import torch\nfrom torch.utils.data import DataLoader, TensorDataset\nlist(DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=2))",
    "import torch\nfor name in dir(torch.optim):\n    try: getattr(torch.optim, name)([torch.ones(1, requires_grad=True)], lr=0.1)\n    except Exception: pass",
    "import torch\nfrom torch.utils.checkpoint import checkpoint\nx = torch.ones(2, requires_grad=True)\ncheckpoint(torch.sin, x, use_reentrant=False).sum().backward()",
)

# What must come out, by kind: (program, world, outcome, row of the error).
SELF_TEST = {
    "eager-cpu": [
        ("import torch\ntorch.ones(2, 3) @ torch.ones(3, 2)", 1, "passed", None),
        ("import torch\nx = torch.ones(2, 3)\nx @ x", 1, "raised", 3),
        (
            "import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\nassert x.grad[0] == 2",
            1,
            "passed",
            None,
        ),
    ],
    "logical-device": [
        (
            "import torch\nx = torch.ones(2).cuda()\nassert (x + 1).is_cuda and x.cpu().tolist() == [1, 1]",
            1,
            "passed",
            None,
        ),
        ("import torch\nx = torch.ones(2, device='cuda')\nx + torch.ones(2)", 1, "raised", 3),
    ],
    "ranks": [
        ("import torch.distributed as dist\ndist.init_process_group()\ndist.barrier()", 2, "passed", None),
        (
            "import torch.distributed as dist\ndist.init_process_group()\nif dist.get_rank() == 0:\n    dist.barrier()",
            2,
            "deadlock",
            4,
        ),
    ],
    "real-cuda": [
        (
            "import torch\nx = torch.ones(2, device='cuda')\nassert (x + 1).is_cuda and x.cpu().tolist() == [1, 1]",
            1,
            "passed",
            None,
        ),
        ("import torch\nx = torch.ones(2, device='cuda')\nx.numpy()", 1, "raised", 3),
    ],
}
# Each must be refused by the lock.
LOCK_TEST = (
    "import os\nos.open(os.devnull, os.O_RDONLY)",
    "import os\nos.listdir('/')",
    "import os\nos.fork()",
    "import os\nos.write(1, b'x')",
    "import os\nos.kill(os.getppid(), 0)",
)  # fmt: skip


def main():
    requests, replies = _own_pipes()
    options = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    can_fork = hasattr(os, "fork") and sys.platform.startswith("linux") and options.get("fork", True)
    can_fork = can_fork and not options.get("gpu")
    hello = _start(options, can_fork)
    _send(replies, hello)
    _reap()
    if hello["ready"]:
        _serve(requests, replies, can_fork, set(hello["kinds"]), options.get("idle", IDLE_SECONDS))


def _own_pipes():
    """Moves stdin and stdout to descriptors of their own and leaves /dev/null in all three places."""
    requests, replies = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    return requests, replies


def _start(options, can_fork):
    # type: (dict, bool) -> dict
    """Starts the worker once; returns its description for the client."""
    if options.get("gpu") == "idle":
        import gpu

        options["gpu"], why = gpu.idle_gpu()
        if options["gpu"] is None:
            return {"ready": False, "python": _python(), "reason": why}
    gpus = []
    if options.get("describe"):
        import gpu

        gpus = gpu.described_gpus()
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    os.environ.clear()
    os.environ.update(
        kept, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", CUDA_VISIBLE_DEVICES=options.get("gpu") or ""
    )
    if options.get("gpu"):
        # Errors of the device come late: without this they would show in another call than the one that failed.
        os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
    sys.path.extend(options.get("site", ()))
    try:
        import torch

        torch.set_num_threads(1)
        torch.set_num_interop_threads(1)
        import execute
    except BaseException as error:  # a broken installation may raise anything
        return {
            "ready": False,
            "python": _python(),
            "reason": f"torch cannot be imported: {type(error).__name__}: {str(error)[:500]}",
        }
    problems = [] if options.get("gpu") else _warm(execute)
    if not can_fork:
        import leftovers  # noqa: F401
    # A program's own `import execute` or `import gate` must not find ours.
    sys.path.remove(_HERE)
    memory.share_one_heap()
    sandbox.measure()
    lock = dict(sandbox.available(), fork=can_fork)
    problems += lock.pop("why")
    if can_fork:
        shared = shared_memory.make_private()
        _freeze()
        lock["verified"], said = _test_lock()
        lock["verified"] = lock["verified"] and not shared
        problems += shared + said
    else:
        lock.update(landlock=False, seccomp=False, limits=False, verified=False)
        problems.append("programs are not locked in here: in trusted workspaces only")
    kinds = []
    for kind in ("real-cuda",) if options.get("gpu") else KINDS:
        wrong = _self_test(kind, can_fork)
        if wrong is None:
            kinds.append(kind)
        else:
            problems.append(f"{kind} is switched off: {wrong}")
    return {
        "ready": True,
        "torch": str(torch.__version__),
        "python": _python(),
        "kinds": kinds,
        "sandbox": lock,
        "problems": problems,
        "system": " ".join((platform.system(), platform.machine())),
        "cuda": torch.version.cuda,
        "gpus": gpus,
        "gpu": _name_of_gpu() if "real-cuda" in kinds else "",
    }


def _name_of_gpu():
    # type: () -> str
    """Returns the name of the GPU that programs run on."""
    import torch

    return str(torch.cuda.get_device_name(0))


def _python():
    return ".".join(map(str, sys.version_info[:3]))


def _warm(execute):
    """Runs the warm-up; a failure there is a problem to report, and its kind of program may be denied later."""
    problems = []
    try:
        import logical  # noqa: F401
        import ranks  # noqa: F401
    except Exception as error:
        problems.append(f"ranks cannot be simulated: {error}")
    ended = execute.run(WARM_UP)
    if ended["outcome"] != "passed":
        problems.append("warm-up: " + ended["error"]["text"].partition("\n")[0])
    for program in WARM_UP_OPTIONAL:
        execute.run(program)
    execute.run(SELF_TEST["logical-device"][0][0], "logical-device", flag=(1, 1))
    try:
        import numpy  # noqa: F401
    except ImportError:
        problems.append("numpy is not installed beside torch")
    return problems


def _freeze():
    """Excludes existing objects from garbage collection: a collection in a fork would copy their pages."""
    import gc

    gc.collect()
    gc.freeze()


def _test_lock():
    """Returns whether everything forbidden is refused in a fork, and a message."""
    global _known_gaps
    items = [_item(program) for program in LOCK_TEST]
    said = []
    ends = _run_batch(items, SET_UP_SECONDS, said)
    _known_gaps = list(said)
    passed = [item["program"] for item, result in zip(items, ends) if result["outcome"] != "denied"]
    said += ["the lock lets through: " + program.partition("\n")[2] for program in passed]
    return not said, said


def _self_test(kind, can_fork):
    """Returns the first self-test that fails, in words; None when all pass."""
    tests = SELF_TEST[kind]
    items = [_item(program, kind, world) for program, world, _, _ in tests]
    ends = _run_batch(items, SET_UP_SECONDS) if can_fork else [_run_here(item) for item in items]
    for (_, _, outcome, row), result in zip(tests, ends):
        got = (result["outcome"], result["error"] and result["error"]["row"])
        if got != (outcome, row):
            text = result["error"]["text"].partition("\n")[0] if result["error"] else ""
            return f"expected {outcome} at row {row}, got {got[0]} at row {got[1]} {text}"
    return None


def _item(program, kind="eager-cpu", world=1):
    return {"key": "", "kind": kind, "program": program, "flag": None, "world": world, "hears": False}


def _serve(requests, replies, can_fork, kinds, idle):
    for line in _lines(requests, idle):
        try:
            request = json.loads(line)
            items = [_checked(item) for item in request["batch"]]
            answers = _answer(items, float(request["deadline"]), can_fork, kinds)
            reply = {"id": request["id"], "results": answers}
        except (ValueError, KeyError, TypeError) as error:
            reply = {"id": None, "error": f"bad request: {type(error).__name__}: {error}"}
        _send(replies, reply)
        _reap()
        if _before == [None]:
            return
        if "real-cuda" in kinds and _has_broken_the_device(reply.get("results", ())):
            return


def _has_broken_the_device(results):
    """Returns whether an error of the device makes every later call in this process fail: another process
    must take over."""
    return any("CUDA error" in result["error"]["text"] for result in results if result["error"])


def _checked(item):
    """Returns a request's program with all its keys, of the right types."""
    flag, world = item.get("flag"), item.get("world", 1)
    if flag is not None:
        flag = int(flag[0]), int(flag[1])
    if not (isinstance(world, int) and 1 <= world <= 8):
        raise ValueError("world must be 1 to 8")
    return {
        "key": str(item["key"]),
        "kind": str(item["kind"]),
        "program": str(item["program"]),
        "flag": flag,
        "world": world,
        "hears": item.get("hears") is True,
    }


def _answer(items, deadline, can_fork, kinds):
    """Answers a request: applies the gate to every program, whatever the lock supports. Then runs the rest."""
    found = [None] * len(items)
    lacking = [missing.Missing() for _ in items]
    for place, item in enumerate(items):
        reason = gate.refusal(item["program"], lacking[place])
        if reason is not None:
            found[place] = results.ended("denied", "Refused", reason)
        elif item["kind"] not in kinds:
            found[place] = results.ended("unsupported", "Unsupported", f"{item['kind']} is not on")
    open_places = [place for place, result in enumerate(found) if result is None]
    left = [items[place] for place in open_places]
    done = _run_batch(left, deadline) if can_fork else [_run_watched(item) for item in left]
    for place, result in zip(open_places, done):
        if result["outcome"] == "import" and lacking[place].imports:
            # What it imports is not there at all, which has nothing to do with the lock.
            result = dict(result, outcome="raised")
        found[place] = result
    return [dict(result, key=item["key"]) for item, result in zip(items, found)]


def _run_here(item, crew=None):
    import execute

    return execute.run(item["program"], item["kind"], item["flag"], item["world"], crew, item["hears"])


# What torch was like before the first program, where there is no fork; then None, when one has left it changed.
_before = []


def _run_watched(item):
    """Runs a program in this very process, unless one before it has left something changed."""
    if not _before:
        import leftovers

        _before.append(leftovers.Leftovers())
    if _before[0] is None:
        return results.ended("crash", "Crash", "the worker has to be replaced")
    result = _run_here(item)
    if _before[0].found():
        _before[0] = None
    return result


def _run_batch(items, deadline, said=None):
    """Runs each program in a fork of its own: this process, from which all are forked, runs none of them, and
    nothing that one changes is there for the next."""
    return [_run_fork(item, deadline, said) for item in items]


# What this machine's lock lacks, as it was told to the client; None until it was tried.
_known_gaps = None

# Forks that have given their answers and were killed. To tear one down takes the kernel as long as to run it: that is
# waited for when there is another.
_ending = []


def _run_fork(item, deadline, said=None):
    """Returns the result of one program."""
    allowance = memory.allowance()
    _reap(1)
    nonce = os.urandom(16).hex()
    reading, writing = os.pipe()
    try:
        process = os.fork()
    except OSError as error:  # the machine has no room for it
        os.close(reading)
        os.close(writing)
        return results.ended("crash", "Crash", f"it could not be started: {error}")
    if process == 0:
        try:
            _child(writing, item, nonce, deadline, allowance)
        finally:
            os._exit(70)
    os.close(writing)
    try:
        result, why = _supervise(reading, nonce, deadline, said)
    finally:
        os.close(reading)
        _kill(process)
        if result is None:
            ended = os.wait4(process, 0)
        else:
            _ending.append(process)
    if result is None:
        result = _culprit(why, *ended[1:], allowance)
    if result["outcome"] == "resource":
        result["error"]["text"] = f"it takes more than {allowance >> 20} MB of memory"
    return result


def _reap(left=0):
    """Waits for the end of all killed forks but the last `left`."""
    while len(_ending) > left:
        os.waitpid(_ending.pop(0), 0)


def _supervise(reading, nonce, deadline, said):
    """Reads two lines that bear the nonce: what the lock lacks, and the result. Returns the result, or None and
    what was wrong: it is late, or none of ours."""
    buffer = b""
    ends = time.monotonic() + SET_UP_SECONDS
    for place in (-1, 0):
        while b"\n" not in buffer:
            left = ends - time.monotonic()
            if left <= 0 or not select.select([reading], [], [], left)[0]:
                return None, "timeout"
            received = os.read(reading, 1 << 16)
            if not received or len(buffer) > MAX_LINE_LENGTH:
                return None, "crash"
            buffer += received
        line, _, buffer = buffer.partition(b"\n")
        try:
            told = json.loads(line.decode("utf-8"))
            if told["nonce"] != nonce or told["place"] != place:
                return None, "forged"
            result = told["result"] if place < 0 else results.read(told["result"])
        except (ValueError, KeyError, TypeError, RecursionError):
            return None, "forged"
        if place < 0 and said is not None:
            said += [problem for problem in result if problem not in said]
        ends = time.monotonic() + deadline
    return result, None


def _kill(process):
    """Kills the fork and its process group."""
    for end in (os.killpg, os.kill):
        try:
            end(process, signal.SIGKILL)
        except OSError:
            pass


def _culprit(why, status, usage, allowance):
    if why == "timeout":
        return results.ended("timeout", "Timeout", "it did not end in time")
    if why == "forged":
        return results.ended("crash", "Crash", "it answered in another form")
    # Not all code survives that an allocation fails.
    if usage.ru_maxrss * 1024 > sandbox.resident() + allowance * 3 // 4:
        return results.ended("resource", "MemoryError", "")
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return results.ended("timeout", "Timeout", "it used up its processor time")
        return results.ended("crash", "Crash", f"ended by signal {number}")
    return results.ended("crash", "Crash", f"ended with status {os.WEXITSTATUS(status)}")


class _Nowhere:
    """Discards what a program prints."""

    encoding = "utf-8"

    def write(self, text):
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return False


def _child(writing, item, nonce, deadline, allowance):
    """Runs the fork: gives up descriptors and rights, runs the program and reports its result."""
    os.setsid()
    os.chdir(os.sep)
    _close_all_but(writing)
    sys.stdin, sys.stdout, sys.stderr = None, _Nowhere(), _Nowhere()
    crews = []

    def prepare():
        if item["kind"] == "ranks":
            import ranks

            crews.append(ranks.Crew(item["world"]))

    problems = sandbox.lock_down(writing, int(deadline) + 2, allowance, prepare)
    if _known_gaps is not None and not set(problems) <= set(_known_gaps):
        # Nothing runs under a weaker lock than the one that the client was told of.
        os._exit(71)
    _tell(writing, nonce, -1, problems)
    spare = memory.spare()
    result = None
    try:
        result = _run_here(item, crews[0] if crews else None)
    except MemoryError:  # there was too little left to say so
        pass
    spare.clear()
    _tell(writing, nonce, 0, result or results.ended("resource", "MemoryError", ""))
    os._exit(0)


def _tell(writing, nonce, place, result):
    line = json.dumps({"nonce": nonce, "place": place, "result": result})
    _write_all(writing, line.encode("utf-8") + b"\n")


def _close_all_but(kept):
    try:
        numbers = [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        numbers = list(range(3, 1024))
    for number in numbers:
        if number > 2 and number != kept:
            try:
                os.close(number)
            except OSError:
                pass


def _send(replies, document):
    _write_all(replies, json.dumps(document).encode("utf-8") + b"\n")


def _write_all(descriptor, data):
    while data:
        data = data[os.write(descriptor, data) :]


def _lines(descriptor, idle):
    """Yields lines until the other side closes its end or is silent for `idle` seconds."""
    buffer = b""
    while True:
        while b"\n" not in buffer:
            # Windows cannot wait for a pipe with a limit.
            if os.name == "posix" and not select.select([descriptor], [], [], idle)[0]:
                return
            received = os.read(descriptor, 1 << 16)
            if not received:
                return
            buffer += received
        line, _, buffer = buffer.partition(b"\n")
        yield line


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    # Nothing of torch's or Python's own farewell is needed, and threads of libraries must not hold it up.
    os._exit(0)
