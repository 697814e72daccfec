"""What is recorded of real programs without torch, and that nothing about them changes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from torchlsp.recorder.described import (
    ObservedFlag,
    ObservedMapping,
    ObservedNothing,
    ObservedNumber,
    ObservedObject,
    ObservedSequence,
    ObservedWord,
)

pytestmark = pytest.mark.processes

ADD = "def add(a, b=2, *rest, mode='mean', **more):\n    return a + b\n\n"
PYTHONS = sorted(
    str(path)
    for version in ("3.8", "3.9", "3.10", "3.12", "3.13", "3.14")
    for path in Path(os.path.expanduser("~/.pyenv/versions")).glob(f"{version}.*/bin/python")
)
"""Other versions of Python that this machine has, below 3.12 and from there on."""


def test_parameters_and_returns_of_a_script(place):
    place.write(ADD + "add(1, 3, True, mode='sum', flag=None)\n")
    done = place.run()
    done.assert_no_errors()
    (call,) = done.calls("add")
    assert call.parameters == {
        "a": ObservedNumber(1),
        "b": ObservedNumber(3),
        "rest": ObservedSequence(True, (ObservedFlag(True),), 1, None),
        "mode": ObservedWord("sum"),
        "more": ObservedMapping((("flag", ObservedNothing()),), 1, None),
    }
    assert call.returned == ObservedNumber(4)
    assert call.lines_done == {2} and call.lines_raised == frozenset()
    assert "recorded 1 function of 1 file in 1 call" in done.err


def test_a_module_run_by_its_name(place):
    place.write("", "pack/__init__.py")
    place.write(ADD + "add(1)\n", "pack/tool.py")
    done = place.run(sys.executable, "-m", "pack.tool")
    assert len(done.calls("add", "pack/tool.py")) == 1
    assert done.record.runs[0].command[1:] == ("-m", "pack.tool")


def test_tests_of_pytest(place):
    place.write(ADD, "code.py")
    place.write(
        "import sys\nsys.path.insert(0, '.')\nfrom code_ import add\n\ndef test_add():\n    assert add(1) == 3\n",
        "test_it.py",
    )
    place.write(ADD, "code_.py")
    done = place.run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert done.status == 0, done.out
    assert len(done.calls("add", "code_.py")) == 1
    assert done.calls("test_add", "test_it.py")[0].raised is None


def test_attributes_that_a_method_reads_without_running_properties(place):
    place.write(
        """
class Thing:
    def __init__(self):
        self.size = 3
        self.unread = 4

    @property
    def costly(self):
        print("ran")

    def __getattr__(self, name):
        print("asked for", name)
        raise AttributeError(name)

    def method(self):
        return self.size or self.costly or self.missing

Thing().method()
"""
    )
    done = place.run()
    done.assert_no_errors()
    assert done.out == ""
    (call,) = done.calls("Thing.method")
    assert call.attributes == {"size": ObservedNumber(3)}
    assert call.parameters == {"self": ObservedObject("__main__.Thing")}


def test_classes_that_override_everything_run_no_code(place):
    place.write(
        """
class Meta(type):
    def __getattribute__(cls, name):
        print("meta", name)
        return type.__getattribute__(cls, name)
    def __hash__(cls):
        print("hash")
        return 1
    def __eq__(cls, other):
        print("eq")
        return True

class Hostile(metaclass=Meta):
    __slots__ = ()
    def __getattribute__(self, name):
        print("attribute", name)
    def __eq__(self, other):
        print("eq")
        return True
    def __bool__(self):
        print("bool")
        return True
    def __repr__(self):
        print("repr")
        return ""
    __hash__ = __len__ = __iter__ = __class_getitem__ = None

class Items(list):
    def __iter__(self):
        print("iter")
    def __len__(self):
        print("len")
    def __getitem__(self, at):
        print("item")

class Own:
    __dict__ = property(lambda self: print("dict"))
    def method(self):
        return self.size

def take(one, items):
    return one

take(Hostile(), Items([1, 2]))
Own.method
try:
    Own().method()
except AttributeError:
    pass
"""
    )
    done = place.run()
    done.assert_no_errors()
    assert done.out == ""
    (call,) = done.calls("take")
    assert call.parameters["one"] == ObservedObject("__main__.Hostile")
    items = ObservedSequence(False, (ObservedNumber(1), ObservedNumber(2)), 2, "__main__.Items")
    assert call.parameters["items"] == items


def test_text_is_not_stored(place):
    place.write(
        """
def read(text, password, names):
    hidden = "my private sentence"
    raise RuntimeError("private message " + text)

read("Dear Sir or Madam", "hunter", {"a private key": 1, "api_key": "letmein"})
"""
    )
    done = place.run(sys.executable, "main.py", "--token", "abcdef")
    assert done.status == 1
    for secret in ("Sir", "hunter", "private", "letmein", "abcdef"):
        assert secret not in done.text.replace("private_", ""), secret


def test_lines_that_completed_and_lines_that_raised(place):
    place.write(
        """def work(n):
    try:
        [][n]
    except IndexError:
        n = 0
    if n:
        n = 2
    return n

work(1)
"""
    )
    (call,) = place.run().calls("work")
    assert call.lines_done is not None and {2, 5, 6, 8} <= call.lines_done
    assert call.lines_raised == {3}
    assert 7 not in call.lines_done


def test_an_exception_leaves_the_variables_and_a_crash(place):
    place.write("def fail(n):\n    items = [1, 2]\n    return items[n]\n\nfail(5)\n")
    done = place.run()
    assert done.status == 1 and "IndexError: list index out of range" in done.err
    (call,) = done.calls("fail")
    assert call.raised == "IndexError" and call.returned is None and call.lines_raised == {3}
    assert set(call.variables) == {"n", "items"}
    (crash,) = done.record.runs[0].crashes
    assert crash.error == "IndexError" and crash.message == "list index out of range"
    assert [name for _, _, name in crash.frames] == ["<module>", "fail"]


def test_a_call_like_others_is_recorded_when_it_raises(place):
    place.write(
        """count = 0

def fail(n):
    global count
    count += 1
    if count == 20:
        raise ValueError
    return n

for _ in range(20):
    fail(1)
"""
    )
    done = place.run()
    calls = done.calls("fail")
    assert len(calls) == 5 and calls[-1].is_late and calls[-1].raised is not None
    assert done.function("fail").count == 20


def test_only_new_signatures_are_recorded_after_the_first_calls(place):
    place.write(
        "def size(n):\n    return n\n\nfor n in [1] * 30 + [2] * 30 + list(range(3, 200)):\n    size(n)\n"
    )
    function = place.run().function("size")
    assert function.count >= 257 or function.count >= 64
    assert len(function.calls) <= 64
    assert ObservedNumber(2) in [call.parameters["n"] for call in function.calls]


def test_os_exit_loses_nothing(place):
    place.write("import os\n" + ADD + "add(1)\nos._exit(7)\n")
    done = place.run()
    assert done.status == 7
    assert done.calls("add")[0].returned == ObservedNumber(3)


def test_a_killed_process_loses_nothing_but_its_end(place):
    place.write(
        "import os, signal\n" + ADD + "add(1)\ndef end():\n    os.kill(os.getpid(), signal.SIGKILL)\nend()\n"
    )
    done = place.run()
    assert done.status == 128 + signal.SIGKILL
    assert done.calls("add")[0].returned == ObservedNumber(3)
    assert not done.calls("end")[0].is_ended


def test_ctrl_c_ends_the_program_as_without_the_recorder(place):
    place.write(
        ADD
        + "import time\nadd(1)\ntry:\n    print('ready', flush=True)\n    time.sleep(60)\nexcept KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n    raise SystemExit(3)\n"
    )
    child = subprocess.Popen(
        place.command(sys.executable, "main.py"),
        cwd=place.root,
        env=place.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell starts its background jobs with SIGINT ignored, and that would be inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does: the whole group
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (3, "interrupted\n")
    assert "recorded 1 function" in err


def test_a_fork_has_its_own_file(place):
    place.write(
        ADD
        + "import os\nadd(1)\npid = os.fork()\nadd(1.5 if pid else None and 1 or 2)\nif pid:\n    os.waitpid(pid, 0)\n"
    )
    done = place.run()
    done.assert_no_errors()
    assert done.record.runs[0].processes == 2
    assert [call.parameters["a"] for call in done.calls("add")].count(ObservedNumber(2)) == 1


def test_processes_of_multiprocessing(place):
    place.write(
        ADD + "import multiprocessing\n\ndef work(n):\n    return add(n)\n\nif __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(2) as pool:\n        print(pool.map(work, [10, 20]))\n"
    )
    done = place.run()
    done.assert_no_errors()
    assert done.out == "[12, 22]\n"
    seen = {call.parameters["n"] for call in done.calls("work")}
    assert seen == {ObservedNumber(10), ObservedNumber(20)}


def test_threads_are_recorded(place):
    place.write(
        ADD + "import threading\nones = [threading.Thread(target=add, args=(n,)) for n in (10, 20)]\n"
        "[one.start() for one in ones]\n[one.join() for one in ones]\n"
    )
    done = place.run()
    assert {call.parameters["a"] for call in done.calls("add")} == {ObservedNumber(10), ObservedNumber(20)}


def test_a_sitecustomize_of_the_users_own_is_run(place):
    place.write("import sys\nsys.own = __name__, __file__\n", "site/sitecustomize.py")
    place.write(ADD + "import sys, sitecustomize\nadd(1)\nprint(sys.own, sitecustomize.__file__)\n")
    extra = str(place.root / "site")
    done = place.run(PYTHONPATH=extra)
    assert done.out == place.plain(PYTHONPATH=extra).stdout and "site" in done.out
    assert len(done.calls("add")) == 1


def test_without_a_sitecustomize_there_is_none(place):
    place.write("import sys\nprint('sitecustomize' in sys.modules, sys.path)\n")
    done = place.run(sys.executable, "-S", "main.py")
    assert "with -S Python does not load the recorder" in done.err
    assert place.run().out == place.plain().stdout


@pytest.mark.parametrize("switch", ["-I", "-E", "-S"])
def test_python_that_loads_no_recorder_is_named(place, switch):
    place.write(ADD + "add(1)\n")
    done = place.run(sys.executable, switch, "main.py")
    assert done.status == 0
    assert f"nothing was recorded: with {switch} Python does not load the recorder" in done.err
    assert not done.record.runs


def test_a_run_of_other_code_is_named(place):
    done = place.run(sys.executable, "-c", "print(1)")
    assert done.out == "1\n" and "nothing was recorded: no code of files below" in done.err
    done = place.run("true")
    assert "nothing was recorded: the command has run no Python" in done.err


def test_a_profiler_of_the_program_works(place):
    place.write(
        ADD + "import cProfile, pstats\nadd(1)\nprofiler = cProfile.Profile()\nprofiler.runcall(add, 5)\n"
        "print(pstats.Stats(profiler).total_calls)\n"
    )
    done = place.run()
    done.assert_no_errors()
    assert done.out == place.plain().stdout
    assert ObservedNumber(1) in [call.parameters["a"] for call in done.calls("add")]


def test_a_tracer_of_the_program_works(place):
    place.write(
        "import sys\nseen = []\ndef tracer(frame, event, arg):\n    seen.append(event)\n    return tracer\n"
        + ADD
        + "sys.settrace(tracer)\nadd(1)\nsys.settrace(None)\nprint(seen)\n"
    )
    done = place.run()
    done.assert_no_errors()
    assert done.out == place.plain().stdout
    assert len(done.calls("add")) == 1


def test_output_status_seeds_and_warnings_stay_the_same(place):
    place.write(
        """import random, sys, threading, warnings

random.seed(3)

def step(n):
    warnings.warn("deprecated", DeprecationWarning, stacklevel=2)
    return random.random() * n

print([step(n) for n in range(40)])
print(sys.path, sys.argv, sorted(name for name in sys.modules if name.startswith("site")))
print(sys.gettrace(), sys.stdin.read(), threading.active_count(), sys.excepthook is sys.__excepthook__)
sys.exit("bad end")
"""
    )
    plain = subprocess.run(
        [sys.executable, "-W", "always", "main.py"],
        cwd=place.root,
        env=place.environment(),
        capture_output=True,
        text=True,
        input="typed",
    )
    done = place.run(sys.executable, "-W", "always", "main.py", input="typed")
    assert done.status == plain.returncode == 1
    shown = [line for line in done.out.splitlines() if "None typed" not in line and "function" not in line]
    assert shown == [line for line in plain.stdout.splitlines() if "None typed" not in line]
    assert "typed 1 True" in done.out
    assert done.err.startswith(plain.stderr) and done.err[len(plain.stderr) :].startswith(
        "torchlsp: recorded"
    )


def test_an_exception_of_a_handler_of_signals_reaches_the_program(place):
    place.write(
        """import signal

class Late(Exception):
    pass

def late(*_):
    raise Late

def spin():
    n = 0
    while True:
        n = one(n)

def one(n):
    return n + 1

signal.signal(signal.SIGALRM, late)
for _ in range(20):
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        spin()
    except Late:
        print("late")
"""
    )
    done = place.run()
    assert done.status == 0 and done.out == "late\n" * 20


def test_files_outside_of_the_workspace_are_left_out(place):
    for folder in (".hidden", "lib/site-packages", "env/lib"):
        place.write("def other():\n    return 1\n", f"{folder}/other_{len(folder)}.py")
    place.write("", "env/pyvenv.cfg")
    place.write(
        "import sys\nsys.path += ['.hidden', 'lib/site-packages', 'env/lib']\nimport other_7, other_17, other_7\n"
        "import json\n\ndef main():\n    other_7.other(); other_17.other()\n    json.dumps({})\nmain()\n"
    )
    done = place.run()
    assert done.record.paths() == [str(place.root / "main.py")]


def test_generators_are_recorded_once(place):
    place.write("def numbers(n):\n    for i in range(n):\n        yield i\n\nprint(sum(numbers(5)))\n")
    done = place.run()
    assert done.out == "10\n"
    (call,) = done.calls("numbers")
    assert call.parameters == {"n": ObservedNumber(5)} and not call.is_ended


def test_a_function_that_changed_during_the_run_is_not_kept(place):
    place.write(ADD + "add(1)\nopen(__file__, 'a').write('\\n# changed')\n")
    done = place.run()
    assert not done.record.functions(str(place.root / "main.py"))


def test_an_unwritable_cache_costs_the_record_not_the_run(place):
    place.write(ADD + "print(add(1))\n")
    place.cache.write_text("a file where a folder should be")
    done = place.run()
    assert (done.status, done.out) == (0, "3\n")
    assert "the run was not recorded" in done.err


def test_a_run_folder_that_vanishes_costs_the_record_not_the_run(place):
    place.write(
        "import os, shutil\n"
        + ADD
        + "add(1)\nshutil.rmtree(os.path.dirname(os.environ['TORCHLSP_RECORD']))\n"
        "print(add(1.5), add('a', 'b'))\n"
    )
    done = place.run()
    assert (done.status, done.out) == (0, "3.5 ab\n") and "Traceback" not in done.err


def test_a_full_disk_costs_the_record_not_the_run(place):
    """A limit on the size of files stands for it: writes fail, and some are short."""
    place.write(
        "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (700, 700))\n"
        + ADD
        + "for n in range(40):\n    add(n)\nprint(add(1))\n"
    )
    done = place.run()
    assert (done.status, done.out) == (0, "3\n")
    assert "recorded" in done.err


def test_two_runs_at_once_are_two_runs(place):
    place.write(ADD + "add(1)\n")
    ones = [
        subprocess.Popen(
            place.command(sys.executable, "main.py"),
            cwd=place.root,
            env=place.environment(),
            stderr=subprocess.DEVNULL,
        )
        for _ in range(2)
    ]
    assert [one.wait(60) for one in ones] == [0, 0]
    done = place.run()
    assert len(done.record.runs) == 3 and done.function("add").count == 3


def test_a_command_that_is_not_there(place):
    assert place.run("no-such-command").status == 127
    assert place.run(str(place.root)).status == 126


def test_a_signal_is_passed_on(place):
    place.write(
        ADD + "import signal, sys, time\nadd(1)\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(9))\n"
        "print('ready', flush=True)\ntime.sleep(60)\n"
    )
    child = subprocess.Popen(
        place.command(sys.executable, "main.py"),
        cwd=place.root,
        env=place.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert child.stdout is not None
    child.stdout.readline()
    child.send_signal(signal.SIGTERM)
    assert child.wait(60) == 9


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).parents[1].name)
def test_other_versions_of_python_record_the_same(place, python):
    place.write(
        """class Thing:
    def __init__(self):
        self.size = 3

    def method(self, n, items):
        try:
            items[n]
        except IndexError:
            return None
        return self.size

def fail(a):
    return a / 0

def numbers():
    yield 1

thing = Thing()
for n in range(12):
    thing.method(n % 3, [1, 2])
list(numbers())
fail(1)
"""
    )
    ours, other = place.run(), place.run(python, "main.py")
    ours.assert_no_errors()
    newest, oldest = (run.id for run in other.record.runs)
    for name in ("method", "fail", "numbers", "__init__"):
        found: dict[str, list] = {newest: [], oldest: []}
        for call in other.calls(name):
            told = (call.parameters, call.attributes, call.returned, call.raised, call.variables)
            found[call.run].append((told, call.lines_done, call.lines_raised, call.caller))
        assert found[newest] == found[oldest] != [], name
    assert other.record.runs[0].crashes[0].error == "ZeroDivisionError"


def test_time_of_a_function_called_often_is_bounded(place):
    place.write("def tiny(x):\n    return x\n\nfor n in range(300_000):\n    tiny(1)\n")
    begin = time.monotonic()
    done = place.run()
    assert done.status == 0 and len(done.calls("tiny")) == 4
    assert time.monotonic() - begin < 30
