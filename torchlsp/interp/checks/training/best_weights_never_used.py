"""Detects copies of a model's best weights that a loop keeps in a local name which nothing reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts.fault import FaultKind
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model.reporting import fault
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.reading import is_read

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def report_unread_copy(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports `best = copy.deepcopy(model.state_dict())` under a test in a loop, where nothing reads the name."""
    function = it.frame.function
    match node:
        case ir.Call(args=(ir.Call(function=ir.Attribute(object=model, name="state_dict"), args=()),)):
            pass
        case _:
            return
    if (
        function is None
        or function.is_lambda
        or function.is_generator
        or it.frame.module.path != it.main.path
    ):
        return
    around = _statements_around(function.body, node)
    loops = [one for one in around if isinstance(one, ir.For | ir.While)]
    tested = bool(loops) and any(type(one) is ir.Branch and one.start > loops[0].start for one in around)
    target = _bound_by(around[-1], node) if tested else None
    if target is None or is_read(function.body, target):
        return
    fault(it, FaultKind.UNUSED_WEIGHTS, node, "copy.deepcopy", name=target, model=model)


def _statements_around(body: tuple[ir.Node, ...], node: ir.Node) -> list[ir.Node]:
    """Returns the statements that hold a node, outermost first."""
    found: list[ir.Node] = []
    blocks = [body]
    while blocks:
        for statement in blocks.pop():
            if statement.start <= node.start < statement.end:
                found.append(statement)
                blocks.extend(getattr(statement, part, ()) or () for part in ("body", "orelse", "final"))
                blocks.extend(handler.body for handler in getattr(statement, "handlers", ()))
                break
    return found


def _bound_by(statement: ir.Node, value: ir.Node) -> str | None:
    """Returns the only name that a statement binds to a value, alone or in `best, weights = accuracy, value`."""
    match statement:
        case ir.Assign(targets=(ir.Name(id=name),), value=bound) if bound is value:
            return name
        case ir.Assign(targets=(ir.Display(items=targets),), value=ir.Display(items=values)):
            for target, bound in zip(targets, values):
                if bound is value and type(target) is ir.Name and len(targets) == len(values):
                    return target.id
    return None


HOOKS = Hooks(external_call={"copy.deepcopy": report_unread_copy})
