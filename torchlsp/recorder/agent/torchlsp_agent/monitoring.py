"""Follows calls from Python 3.12 on, by `sys.monitoring`: code outside of the workspace is left alone after its first call."""

import sys
import threading

from torchlsp_agent.calls import ENDS_OF_ITERATION, TRACED_CALLS

_FREE_TOOLS = (4, 3)


def start(recorder):
    """Records all threads; False where other tools have taken all places."""
    monitoring = sys.monitoring
    for tool in _FREE_TOOLS:
        if monitoring.get_tool(tool) is None:
            break
    else:
        return False
    monitoring.use_tool_id(tool, "torchlsp record")
    recorder.tool = tool
    _Monitor(recorder, monitoring, tool).start()
    return True


def stop(recorder):
    """Ends recording, as before the process ends."""
    if sys.monitoring.get_tool(recorder.tool) == "torchlsp record":
        sys.monitoring.set_events(recorder.tool, 0)
        sys.monitoring.free_tool_id(recorder.tool)


class _Monitor:
    """The functions that Python calls for events."""

    def __init__(self, recorder, monitoring, tool):
        self.recorder = recorder
        self.monitoring = monitoring
        self.tool = tool
        self.stacks = {}
        events = monitoring.events
        self.returns = events.PY_RETURN
        self.lines = events.PY_RETURN | events.LINE

    def start(self):
        events, register = self.monitoring.events, self.monitoring.register_callback
        register(self.tool, events.PY_START, self.on_start)
        register(self.tool, events.PY_RETURN, self.on_return)
        register(self.tool, events.PY_UNWIND, self.on_unwind)
        register(self.tool, events.RAISE, self.on_raise)
        register(self.tool, events.LINE, self.on_line)
        self.monitoring.set_events(self.tool, events.PY_START | events.PY_UNWIND | events.RAISE)

    def stack(self):
        thread = threading.get_ident()
        found = self.stacks.get(thread)
        if found is None:
            found = self.stacks[thread] = []
            self.recorder.stacks.append(found)
        return found

    def on_start(self, code, offset):
        recorder = self.recorder
        try:
            function = recorder.functions.look_up(code)
            if function is None or function.done:
                return self.monitoring.DISABLE
            if function.is_step:
                self.monitoring.set_local_events(self.tool, code, self.returns)
                return self.monitoring.DISABLE
            frame = sys._getframe(1)
            call = recorder.begin(frame, function)
            if call is None or function.suspends:
                return None
            stack = self.stack()
            for at in range(len(stack)):
                if stack[at].frame == id(frame):  # its end was not seen
                    del stack[at:]
                    break
            stack.append(call)
            if function.traced < TRACED_CALLS:
                function.traced += 1
                call.lines, call.raised = set(), set()
                function.traced_now += 1
                self.monitoring.set_local_events(self.tool, code, self.lines)
            elif function.traced_now <= 0:
                self.monitoring.set_local_events(self.tool, code, self.returns)
        except Exception as failure:
            recorder.output.error(failure)
        return None

    def on_line(self, code, line):
        recorder = self.recorder
        try:
            call = self._call(sys._getframe(1))
            if call is not None and call.lines is not None and not call.enter_line(line):
                self._end_lines(call)
        except Exception as failure:
            recorder.output.error(failure)

    def on_return(self, code, offset, result):
        recorder = self.recorder
        function = recorder.known.get(id(code))
        if function is None:
            return None
        if function.is_step:
            recorder.count_step(self.stack())
            return None
        try:
            frame = sys._getframe(1)
            call = self._call(frame)
            if call is not None:
                self.stack().pop()
                recorder.end(call, frame, result, None)
                self._end_lines(call)
        except Exception as failure:
            recorder.output.error(failure)
        return None

    def on_unwind(self, code, offset, error):
        recorder = self.recorder
        function = recorder.known.get(id(code))
        if function is None or function.is_step:
            return
        try:
            frame = sys._getframe(1)
            call = self._call(frame)
            if call is None:
                recorder.end_late(frame, function, _name(type(error)))
            else:
                self.stack().pop()
                recorder.end(call, frame, None, _name(type(error)))
                self._end_lines(call)
        except Exception as failure:
            recorder.output.error(failure)

    def on_raise(self, code, offset, error):
        recorder = self.recorder
        if recorder.known.get(id(code)) is None:
            return
        try:
            frame = sys._getframe(1)
            call = self._call(frame)
            if call is not None and call.lines is not None:
                if not any(type(error) is one for one in ENDS_OF_ITERATION):
                    call.raise_line(frame.f_lineno, _name(type(error)))
        except Exception as failure:
            recorder.output.error(failure)

    def _call(self, frame):
        """Returns the call of a frame if it is the innermost that is recorded."""
        stack = self.stack()
        while stack:
            call = stack[-1]
            if call.frame == id(frame):
                return call if call.function.code is frame.f_code else None
            if any(one.frame == id(frame) for one in stack):
                stack.pop()
                continue
            return None
        return None

    def _end_lines(self, call):
        """Asks for no more lines of a function when no call is left whose lines are recorded."""
        function = call.function
        if call.lines is not None and not call.has_ended_lines:
            call.has_ended_lines = True
            function.traced_now -= 1
            if function.traced_now <= 0:
                events = 0 if function.done and not self._is_running(function) else self.returns
                self.monitoring.set_local_events(self.tool, function.code, events)

    def _is_running(self, function):
        return any(call.function is function for stack in self.recorder.stacks for call in stack)


def _name(error):
    name = type.__dict__["__name__"].__get__(error)
    return name if name.isidentifier() and len(name) < 80 else "?"
