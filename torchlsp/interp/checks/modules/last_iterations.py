"""Finds statements of a loop that also run in its last iteration, so that what they keep is not changed by a later one."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.program import ir
from torchlsp.program.walking import dotted, walk


def is_run_at_last(chain: list[ir.Node]) -> bool:
    """Returns whether a statement, which ends a chain of statements around it, runs in the last iteration of the outermost loop.

    All conditions inside of the loop must ask for the last iteration: `step % 100 == 0 or step == steps`. Afterwards the
    iteration must neither train nor be left out.
    """
    place = next((index for index, one in enumerate(chain) if isinstance(one, ir.For | ir.While)), None)
    if place is None:
        return False
    loop, inside, statement = chain[place], chain[place + 1 : -1], chain[-1]
    assert isinstance(loop, ir.For | ir.While)
    ends = list(_ends(loop))
    for one in inside:
        if type(one) is not ir.Branch or not any(
            part.start <= statement.start < part.end for part in one.body
        ):
            return False
        tests = one.test.operands if type(one.test) is ir.Logical and one.test.op == "or" else (one.test,)
        if not any(_equal(test) in ends for test in tests):
            return False
    return bool(inside) and not any(
        type(node) is ir.Continue
        or node.start >= statement.end
        and type(node) is ir.Attribute
        and node.name in ("step", "backward")
        and "sched" not in dotted(node.object).lower()  # a scheduler's step() trains nothing
        for node in walk(loop.body)
    )


def _ends(loop: ir.For | ir.While) -> Iterator[tuple[str, str] | None]:
    """Yields the pairs of expressions that are equal in the last iteration only, as `_equal` writes them."""
    if isinstance(loop, ir.For):
        stop, name = _stop(loop.iterable), dotted(loop.target)
        if stop and name:
            yield name, f"{stop} - 1"
            yield f"{name} + 1", stop
    elif type(loop.test) is ir.Compare and loop.test.ops == ("<",):
        yield _written(loop.test.left), _written(loop.test.rights[0])
    for one in loop.body:
        if type(one) is ir.Branch and one.body and type(one.body[-1]) in (ir.Break, ir.Return):
            if type(one.test) is ir.Compare and one.test.ops in ((">=",), ("==",)):
                yield _written(one.test.left), _written(one.test.rights[0])


def _stop(iterable: ir.Node) -> str:
    """Returns where a `range` ends that a loop runs over, perhaps inside of a progress bar; "" for anything else."""
    match iterable:
        case ir.Call(function=ir.Name(id="range"), args=(stop,) | (_, stop)):
            return _written(stop)
        case ir.Call(args=(ir.Call(function=ir.Name(id="range")) as inner, *_)):
            return _stop(inner)
    return ""


def _equal(test: ir.Node) -> tuple[str, str] | None:
    """Returns the two sides of `a == b`."""
    if type(test) is ir.Compare and test.ops == ("==",):
        sides = _written(test.left), _written(test.rights[0])
        return sides if all(sides) else None
    return None


def _written(node: ir.Node) -> str:
    """Returns a name, a number, or a sum or difference of two of them as it is written; "" for anything else."""
    match node:
        case ir.Constant(value=int() as number):
            return str(number)
        case ir.Binary(op="+" | "-", left=left, right=right):
            parts = _written(left), _written(right)
            return f"{parts[0]} {node.op} {parts[1]}" if all(parts) else ""
    return dotted(node)
