"""Records functions that a call has run from end to end with arguments of which everything is known.

What is assumed of their parameters, where they are analysed by themselves, is then not to be believed. Of the file's own functions
these are calls of a script, which is run as it stands. What stands under `if __name__ == "__main__"` may be a trial with one sample.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.model.imported_names import mentions
from torchlsp.interp.store.lifetimes import gathered, last_wins, running_state
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.interp.store.frame import Frame

_MAX_FUNCTIONS = 300
_MAIN = frozenset({"__name__"})


@running_state
class FollowedCalls:
    """The functions, by path, start and end."""

    functions: dict[tuple[str, int, int], None] = gathered(dict, last_wins)


def record_followed_call(it: Evaluator, frame: Frame, given: dict[str, Value]) -> None:
    """Records the function of a frame that has ended, if nothing that it got is unknown, and it is of another file or was called by a script."""
    function, known = frame.function, it.states[FollowedCalls].functions
    if function is None or it.silent or len(known) >= _MAX_FUNCTIONS:
        return
    if frame.module is it.main and not _is_called_by_script(it):
        return
    tensors = [value for value in given.values() if isinstance(value, TensorFact)]
    if tensors and all(map(_is_known, given.values())):
        known[(frame.module.path, function.start, function.end)] = None


def _is_called_by_script(it: Evaluator) -> bool:
    """Returns whether the body of the file runs, and the file does not ask whether it is the main program."""
    if not it.main.running or it.frames[0].function is not None:
        return False
    return not any(type(one) is ir.Branch and mentions(one.test, _MAIN) for one in it.main.ir.body)


def _is_known(value: Value) -> bool:
    if isinstance(value, TensorFact):
        return None not in (value.shape, value.dtype, value.device) and not value.assumed
    return isinstance(value, v.Scalar | v.InstanceValue | v.LayerValue) or value == v.NONE
