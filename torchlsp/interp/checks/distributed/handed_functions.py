"""Records functions with collectives that unknown code gets and may call: `Thread(target=run)`, `executor.submit(run)`.

Which collectives that runs, and when, is not known: ranks that hand such a function over are not compared with others. A function
that shows no collective itself is recorded by name: where other ranks reach a collective by a call of it, so may these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model.collective_names import may_run_collective
from torchlsp.interp.store.trace import Event, EventKind
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.signature import Arguments


def _unknown_called(it: Evaluator, arguments: Arguments, node: ir.Node) -> None:
    given = (*arguments.positional, *(value for _, value in arguments.keywords))
    if any(map(_may_meet, given)):
        it.recorder.add(Event(EventKind.HANDED, node.start, node.end, path=it.frame.module.path))
        return
    for value in given:
        if type(value) is v.FunctionValue and value.scope is not None and value.scope.module.uses_distributed:
            it.recorder.add(Event(
                EventKind.HANDED, node.start, node.end, path=it.frame.module.path, name=value.ir.name,
            ))  # fmt: skip


def _may_meet(value: Value) -> bool:
    """Returns whether a call of a value may run a collective."""
    match value:
        case v.PartialValue(function=function):
            return _may_meet(function)
        case v.FunctionValue(ir=function, scope=scope) if scope is not None and scope.module.uses_distributed:
            return may_run_collective(scope.module.ir, function.name)
        case v.InstanceValue(cls=cls) if cls.ir is not None and cls.scope.module.uses_distributed:
            return "__call__" in cls.ir.methods and may_run_collective(cls.scope.module.ir, "__call__")
    return False


HOOKS = Hooks(unknown_call=_unknown_called)
