"""Follows calls below Python 3.12: by a profile function, and by a trace function for the lines of a function's first calls."""

import opcode
import sys
import threading

from torchlsp_agent.calls import ENDS_OF_ITERATION, TRACED_CALLS, Call

_RETURNS = frozenset(
    [
        opcode.opmap[name]
        for name in (
            "RETURN_VALUE",
            "YIELD_VALUE",
            "YIELD_FROM",
            "RETURN_GENERATOR",
            "SEND",
            "ASYNC_GEN_WRAP",
        )
        if name in opcode.opmap
    ]
)
_RESUME = opcode.opmap.get("RESUME")


def start(recorder):
    """Records this thread and those that will be started."""
    recorder.functions.knows_imports = True
    profile = _profile_of_thread(recorder)
    recorder.profile = profile

    def first_event(frame, event, arg):
        # The first event of a new thread: from here on it has a function of its own.
        own = _profile_of_thread(recorder)
        sys.setprofile(own)
        own(frame, event, arg)

    threading.setprofile(first_event)
    sys.setprofile(profile)


def stop(recorder):
    """Ends recording in this thread, as before the process ends."""
    if sys.getprofile() is recorder.profile:
        sys.setprofile(None)
    if sys.gettrace() is _ignore:
        sys.settrace(None)


def _ignore(frame, event, arg):
    """Is the trace function while lines are recorded: it wants none of the calls that begin meanwhile."""
    return None


def _profile_of_thread(recorder):
    """Creates the profile function of a thread. It runs for each call and return in the whole program."""
    stack = []
    recorder.stacks.append(stack)
    get, look_up = recorder.known.get, recorder.functions.look_up
    begin = recorder.begin
    output = recorder.output
    traced = []  # calls whose lines are recorded, of this thread

    # Short and with few variables of its own, since it runs for all calls and returns of the whole program, C functions included.
    def profile(frame, event, arg):
        if event == "call":
            if get(id(frame.f_code), 0) is not None:
                enter(frame)
        elif event == "return":
            if stack and stack[-1].frame == id(frame):
                leave(frame, arg)
            elif arg is None and get(id(frame.f_code)) is not None:
                leave_unrecorded(frame)

    def enter(frame):
        try:
            function = look_up(frame.f_code)
            if function is None:
                return
            if function.done:
                function.calls += 1
                return
            if not function.id:
                enter_library(frame, function)
                return
            if function.suspends and not _is_first(frame):
                return
            call = begin(frame, function)
            if call is not None and not function.suspends:
                stack.append(call)
                if function.traced < TRACED_CALLS:
                    trace(call, frame)
        except Exception as failure:
            output.error(failure)

    def leave(frame, arg):
        call = stack.pop()
        if call.function.is_step:
            if arg is not None or _returns(frame, call.function):
                recorder.count_step(stack)
            return
        try:
            end(call, frame, arg)
        except Exception as failure:
            output.error(failure)

    def leave_unrecorded(frame):
        function = get(id(frame.f_code))
        if not function.id:
            return
        try:
            lose_stale(frame)
            if not function.suspends and not _returns(frame, function):
                recorder.end_late(frame, function, "?")
        except Exception as failure:
            output.error(failure)

    def enter_library(frame, function):
        """Notes that a step of an optimizer begins, or an import during which lines are of no interest."""
        if function.is_step or (function.is_import and traced and sys.gettrace() is _ignore):
            stack.append(Call(0, function, frame))
            if function.is_import:
                sys.settrace(None)

    def lose_stale(frame):
        """Drops calls whose end was not seen, since the program had a profile function of its own meanwhile."""
        for at in range(len(stack)):
            if stack[at].frame == id(frame):
                del stack[at:]
                return

    def end(call, frame, arg):
        if call.function.is_import:
            if traced and sys.gettrace() is None:
                sys.settrace(_ignore)
            return
        if call.function.code is not frame.f_code:
            return  # the end of a call that had the same frame was not seen
        error = None
        if arg is None and not _returns(frame, call.function):
            error = call.error or "?"
        if call in traced:
            untrace(call, frame)
        recorder.end(call, frame, arg, error)

    def trace(call, frame):
        """Records the lines of a call, unless the program is traced by a debugger or a measure of coverage."""
        running = sys.gettrace()
        if (running is not None and running is not _ignore) or frame.f_trace is not None:
            return
        call.function.traced += 1
        call.lines, call.raised = set(), set()
        traced.append(call)

        def local(frame, event, arg):
            try:
                if event == "line":
                    if not call.enter_line(frame.f_lineno):
                        untrace(call, frame)
                        return None
                elif event == "exception":
                    error = arg[0]
                    if not any(error is one for one in ENDS_OF_ITERATION):
                        call.raise_line(frame.f_lineno, _name(error))
            except Exception as failure:
                output.error(failure)
            return local

        frame.f_trace = local
        if running is None:
            sys.settrace(_ignore)

    def untrace(call, frame):
        traced.remove(call)
        frame.f_trace = None
        if not traced and sys.gettrace() is _ignore:
            sys.settrace(None)

    return profile


def _name(error):
    name = type.__dict__["__name__"].__get__(error) if isinstance(error, type) else ""
    return name if name.isidentifier() and len(name) < 80 else "?"


def _is_first(frame):
    """Says whether a generator begins rather than goes on."""
    if _RESUME is None:
        return frame.f_lasti < 0
    code = frame.f_code.co_code
    return code[frame.f_lasti] == _RESUME and code[frame.f_lasti + 1] == 0


def _returns(frame, function):
    """Says whether a frame whose result is None returns, rather than being left by an exception."""
    if function.bytecode is None:
        function.bytecode = function.code.co_code
    at = frame.f_lasti
    return 0 <= at < len(function.bytecode) and function.bytecode[at] in _RETURNS
