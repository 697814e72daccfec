"""Records calls: the first ones of each function, then those whose arguments look different from all before."""

import itertools
import os
import sys
import threading
import types
import weakref
from time import perf_counter

from torchlsp_agent.functions import Functions
from torchlsp_agent.output import Output, torch_version
from torchlsp_agent.values import Values

FIRST_CALLS = 4
MAX_CALLS = 64
FINE_CALLS = 32
TRACED_CALLS = 8
LATE_CALLS = 4
MAX_LOCALS = 40
MAX_INSTANCES = 20000
IDLE_EVENTS = 60
"""Events of lines without a new one, after which no more lines of a call are recorded."""
MAX_SHARE = 0.03
"""The part of the run's time that looking at calls may take before calls of well known functions are left out."""
HEAD_START = 0.2
STOPPED = "(stopped)"
"""In place of an exception's name: the recorder itself ends the program."""
COUNTS = frozenset([MAX_CALLS, 1000, 10000, 100000, 1000000])


class Call:
    """A call that is recorded and has not ended."""

    __slots__ = ("id", "function", "frame", "lines", "raised", "line", "idle", "error", "has_ended_lines")

    def __init__(self, number, function, frame):
        self.id = number
        self.function = function
        self.frame = id(frame)  # not the frame: it would keep the program's tensors alive
        self.lines = None
        self.raised = None
        self.line = 0
        self.idle = 0
        self.error = None
        self.has_ended_lines = False

    def enter_line(self, line):
        """Notes that a line begins, and so that the one before it has ended; False when nothing new is to be seen."""
        lines, before = self.lines, self.line
        if before and before not in lines:
            lines.add(before)
            self.idle = 0
        else:
            self.idle += 1
        self.line = line
        return self.idle < IDLE_EVENTS

    def raise_line(self, line, error):
        """Notes that a line has raised, whether or not the function catches it."""
        self.raised.add(line)
        self.line = 0
        self.error = error


class Recorder:
    """The record of this process."""

    def __init__(self, settings, workspace):
        self.output = Output(settings["folder"])
        self.steps_wanted = settings.get("steps")
        self.steps = 0
        self.functions = Functions(workspace, self.steps_wanted is not None)
        self.functions.on_compiler = leave_recorder_uncompiled
        self.values = Values()
        self.known = self.functions.known
        self.stacks = []
        self.forget()
        self.begun = perf_counter()
        self.spent = 0.0
        self.main = threading.main_thread().ident

    def forget(self):
        """Begins a new record: at the start, and in the child of a fork."""
        self.numbers = itertools.count(1)
        self.instances = {}
        self.instance_numbers = itertools.count(1)
        self.torch = None
        self.is_told = False
        for stack in self.stacks:
            del stack[:]
        for function in self.functions.all():
            function.reset()

    def after_fork(self):
        """Gives the child of a fork its own file."""
        self.output.reset()
        self.forget()

    # ---- lines about the process -----------------------------------------------------------------------------------

    def process_line(self):
        version = self.torch = torch_version()
        cuda = None
        cuda_module = sys.modules.get("torch.cuda")
        if version is not None and cuda_module is not None:
            # Says whether the program uses CUDA; asking whether there is one would start the driver.
            cuda = bool(getattr(cuda_module, "_initialized", False))
        self.is_told = True
        return {
            "k": "process",
            "pid": os.getpid(),
            "argv": self._program(),
            "python": ".".join(map(str, sys.version_info[:3])),
            "rank": _number("RANK"),
            "world": _number("WORLD_SIZE"),
            "torch": version,
            "cuda": cuda,
            "time": _now(),
        }

    def _program(self):
        """Returns the name of the script or module; its arguments may hold anything."""
        given = getattr(sys, "orig_argv", None) or []
        if "-m" in given[:-1]:
            return ["-m", given[given.index("-m") + 1][:100]]
        script = (getattr(sys, "argv", None) or [""])[0]
        if not script.endswith(".py"):
            return [os.path.basename(script)[:100]]
        path, root = os.path.realpath(script), self.functions.workspace.root
        return [os.path.relpath(path, root) if path.startswith(root + os.sep) else os.path.basename(path)]

    def write(self, *lines):
        if not self.is_told or (self.torch is None and self.values.torch is not None):
            lines = (self.process_line(),) + lines
        self.output.write(*lines)

    # ---- calls -----------------------------------------------------------------------------------------------------

    def begin(self, frame, function):
        """Returns the call when it is recorded, None when it is like one before it or there were enough."""
        begun = perf_counter()
        function.calls += 1
        if function.calls in COUNTS:
            self.write(self.count_line(function))
        if self.output.closed:
            function.done = True
            return None
        # Each time that a function has been called twice as often it is looked at, whatever time was spent.
        is_due = not function.calls & (function.calls - 1)
        if (
            function.written >= FIRST_CALLS
            and not is_due
            and self.spent > MAX_SHARE * (begun - self.begun) + HEAD_START
        ):
            function.skipped += 1
            return None
        try:
            if function.is_body:
                return self._begin_body(frame, function) if function.calls <= FIRST_CALLS else None
            return self._begin(frame, function)
        finally:
            self.spent += perf_counter() - begun

    def _begin_body(self, frame, function):
        call = Call(next(self.numbers), function, frame)
        told = self._call_line(call, frame, {}, {}, None, None, (None, None, None, None))
        self._write_call(function, told)
        return call

    def _begin(self, frame, function):
        values = self.values
        if values.torch is None:
            values.find_libraries()
        elif values.is_traced():
            function.skipped += 1
            return None
        guard = values.guard_class() if values.torch is not None else _NO_GUARD
        with guard:
            local = frame.f_locals
            given = [(name, local[name]) for name in function.parameters if name in local]
            owner, training, attributes = None, None, {}
            if function.attribute_names and "self" in local:
                owner = local["self"]
                found = values.attributes(owner, function.attribute_names + ("training",))
                if found is not None:
                    training = found.get("training")
                    training = training if type(training) is bool else None
                    if "training" not in function.attribute_names:
                        found.pop("training", None)
                    attributes = found
            modes = values.modes()
            is_coarse = function.written >= FINE_CALLS
            key = self._key(given, attributes, training, modes, is_coarse)
            seen = function.coarse_keys if is_coarse else function.keys
            if function.written >= FIRST_CALLS and key in seen:
                return None
            call = Call(next(self.numbers), function, frame)
            told_given = {name: values.describe(value, name) for name, value in given}
            told_attributes = {name: values.describe(value, name) for name, value in attributes.items()}
            told = self._call_line(call, frame, told_given, told_attributes, owner, training, modes)
            seen.add(key)
            if not is_coarse:
                function.coarse_keys.add(self._key(given, attributes, training, modes, True))
        self._write_call(function, told)
        return call

    def _key(self, given, attributes, training, modes, is_coarse):
        key = self.values.key
        return (
            tuple([key(value, is_coarse) for _, value in given]),
            tuple([(name, key(value, is_coarse)) for name, value in attributes.items()]),
            training,
            modes,
        )

    def _call_line(self, call, frame, given, attributes, owner, training, modes):
        grad, inference, autocast, autocast_device = modes
        told = {
            "k": "call",
            "id": call.id,
            "fn": call.function.id,
            "by": self._caller(frame),
            "p": given,
            "a": attributes,
            "i": self._instance(owner) if owner is not None else None,
            "g": grad,
            "inf": inference,
            "tr": training,
            "ac": autocast,
        }
        if autocast_device is not None:
            told["acd"] = autocast_device
        return told

    def _write_call(self, function, told):
        function.written += 1
        if not function.is_told:
            function.is_told = True
            self.write(function.line(), told)
        else:
            self.write(told)
        if function.written >= MAX_CALLS:
            function.done = True
            function.keys = function.coarse_keys = frozenset()

    def _caller(self, frame):
        """Returns the nearest function of the workspace that has led to a call, and the line it was at."""
        known, above = self.known, frame.f_back
        for _ in range(60):
            if above is None:
                return None
            function = known.get(id(above.f_code))
            if function is not None and function.id:
                return [function.id, above.f_lineno] if function.is_told else None
            above = above.f_back
        return None

    def _instance(self, owner):
        """Returns a small number that stands for an object as long as it lives."""
        found = self.instances.get(id(owner))
        if found is not None and found[0]() is owner:
            return found[1]
        try:
            reference = weakref.ref(owner)
        except TypeError:
            return None
        if len(self.instances) > MAX_INSTANCES:
            self.instances.clear()
        number = next(self.instance_numbers)
        self.instances[id(owner)] = (reference, number)
        return number

    def end(self, call, frame, result, error):
        """Writes how a call has ended: by its result, or by the name of an exception's class."""
        begun = perf_counter()
        told = {"k": "end", "id": call.id}
        lines = call.lines
        values = self.values
        if values.torch is None:
            values.find_libraries()
        is_traced = values.is_traced()
        if error == STOPPED:
            told["stop"] = True
        elif error is None:
            if not is_traced and not call.function.is_body:
                with values.guard_class() if values.torch is not None else _NO_GUARD:
                    told["r"] = values.describe(result)
            if lines is not None and call.line:
                lines.add(call.line)
        else:
            told["e"] = error
            if lines is not None:
                call.raised.add(frame.f_lineno)
            else:
                told["lx"] = [frame.f_lineno]
            if not is_traced and error != "SystemExit":
                told["w"] = self._locals(frame, call.function)
        if lines is not None:
            told["ln"] = sorted(lines)
            told["lx"] = sorted(call.raised)
        self.write(told)
        self.spent += perf_counter() - begun

    def end_late(self, frame, function, error):
        """Writes a call that was like others until it raised."""
        if function.late >= LATE_CALLS or self.output.closed or error in _QUIET or function.suspends:
            return
        function.late += 1
        call = Call(next(self.numbers), function, frame)
        local = frame.f_locals
        values = self.values
        if values.torch is None:
            values.find_libraries()
        if values.is_traced():
            return
        with values.guard_class() if values.torch is not None else _NO_GUARD:
            names = () if function.is_body else function.parameters
            given = {name: values.describe(local[name], name) for name in names if name in local}
            modes = values.modes()
            told = self._call_line(call, frame, given, {}, None, None, modes)
        told["late"] = True
        self._write_call(function, told)
        self.end(call, frame, None, error)

    def _locals(self, frame, function):
        """Returns descriptions of the variables of a frame that an exception leaves."""
        local, values = frame.f_locals, self.values
        names = function.code.co_names if function.is_body else list(local)
        found = {}
        with values.guard_class() if values.torch is not None else _NO_GUARD:
            for name in names:
                if len(found) >= MAX_LOCALS:
                    break
                if name in local and name != "self" and name.isidentifier():
                    told = values.describe(local[name], name)
                    if "o" not in told and "c" not in told:
                        found[name] = told
        return found

    def count_line(self, function):
        return {"k": "count", "fn": function.id, "n": function.calls, "u": function.skipped}

    # ---- the end ---------------------------------------------------------------------------------------------------

    def count_step(self, stack):
        """Counts a step of an optimizer; ends the program after as many as were asked for."""
        self.steps += 1
        if self.steps < self.steps_wanted or threading.get_ident() != self.main:
            return
        frame = sys._getframe(3)
        frames = {}
        while frame is not None:
            frames[id(frame)] = frame
            frame = frame.f_back
        # What is still running ends here as far as the record goes.
        while stack:
            call = stack.pop()
            if call.frame in frames and call.function.id:
                self.end(call, frames[call.frame], None, STOPPED)
        raise SystemExit(0)

    def finish(self):
        """Writes how often each function was called."""
        told = [self.count_line(one) for one in self.functions.all() if one.is_told]
        if told:
            self.output.lines = min(self.output.lines, 1)  # these are few, and come last
            self.output.closed = False
            self.write(*told)


ENDS_OF_ITERATION = (StopIteration, GeneratorExit, StopAsyncIteration)
_QUIET = frozenset(["StopIteration", "StopAsyncIteration", "GeneratorExit", "AttributeError", "SystemExit"])


class _Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


_NO_GUARD = _Nothing()


def _number(name):
    text = os.environ.get(name, "")
    return int(text) if text.isdigit() and len(text) < 8 else None


def _now():
    from time import time

    return round(time(), 3)


def leave_recorder_uncompiled():
    """Tells torch's compiler to run the code of the recorder as it is.

    It takes every Python function that runs while a compiled one is called for a part of the program.
    """
    compiler = getattr(getattr(sys.modules.get("torch._C"), "_dynamo", None), "eval_frame", None)
    skip = getattr(compiler, "skip_code", None)
    if skip is None and hasattr(compiler, "set_code_exec_strategy"):
        action = compiler._FrameAction.SKIP
        strategy = compiler._FrameExecStrategy(action, action)  # of the code itself, and of what it calls

        def skip(code):
            compiler.set_code_exec_strategy(code, strategy)

    if skip is None:
        return
    for name, module in list(sys.modules.items()):
        if name.startswith("torchlsp_agent.") and module is not None:
            for value in list(vars(module).values()):
                members = list(vars(value).values()) if isinstance(value, type) else [value]
                for member in members:
                    if type(member) is types.FunctionType and member.__module__ == name:
                        _skip_all(member.__code__, skip)


def _skip_all(code, skip):
    skip(code)
    for one in code.co_consts:
        if type(one) is types.CodeType:
            _skip_all(one, skip)
