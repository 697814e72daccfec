"""Describes the exception that has ended the program: its class, torch's message, and the lines that led to it."""

import opcode
import sys

MAX_TEXT = 2000
MAX_FRAMES = 40
_RAISES = frozenset([opcode.opmap[name] for name in ("RAISE_VARARGS", "RERAISE") if name in opcode.opmap])
# Their messages consist of data: names of files, keys, text that could not be read.
_TEXT_IS_DATA = (OSError, KeyError, UnicodeError, SyntaxError, AssertionError)
_TEXT_OF_PYTHON = (RuntimeError, IndexError, TypeError, NotImplementedError)


def crash_line():
    """Returns the line about the exception that has left the main module, None when there was none."""
    error = getattr(sys, "last_value", None)
    if error is None or "_pytest" in sys.modules or isinstance(error, (KeyboardInterrupt, SystemExit)):
        return None
    trace = getattr(sys, "last_traceback", None)
    frames = []
    is_main = False
    last = None
    while trace is not None:
        frame = trace.tb_frame
        code = frame.f_code
        if code.co_name == "<module>" and frame.f_globals.get("__name__") == "__main__":
            is_main = True
        frames.append([code.co_filename, trace.tb_lineno, code.co_name])
        last = trace
        trace = trace.tb_next
    if not is_main:
        return None
    name = type.__dict__["__name__"].__get__(type(error))
    return {
        "k": "crash",
        "e": name if name.isidentifier() else "?",
        "m": _message(error, last),
        "tb": frames[-MAX_FRAMES:],
    }


def _message(error, last):
    """Returns the message where torch or Python has written it; what the program says in its own is not kept."""
    if isinstance(error, _TEXT_IS_DATA) or last is None:
        return None
    cls = type(error)
    module = type.__dict__["__module__"].__get__(cls)
    is_of_libraries = module == "builtins" or (type(module) is str and module.partition(".")[0] == "torch")
    if not is_of_libraries:
        return None
    frame = last.tb_frame
    if frame.f_globals.get("__name__", "").partition(".")[0] != "torch":
        code = frame.f_code.co_code
        is_raised_here = 0 <= last.tb_lasti < len(code) and code[last.tb_lasti] in _RAISES
        if is_raised_here or not isinstance(error, _TEXT_OF_PYTHON):
            return None
    return str(error)[:MAX_TEXT]
