"""Finds the names that an iteration of a loop may read before it binds them: what the iteration before can hand on."""

from __future__ import annotations

from torchlsp.program import ir
from torchlsp.program.reading import READS_ALL, names_of_target
from torchlsp.program.walking import below


def names_read_first(loop: ir.For | ir.While, function: ir.Function) -> frozenset[str] | None:
    """Returns the names of a function that an iteration may read with their values at the loop's head; None if that may be all.

    Names that functions inside of the function read count as read.
    """
    read: set[str] = set()
    for node in below(function.body):
        if type(node) is ir.Global:
            return None
        if isinstance(node, ir.Define | ir.DefineClass | ir.Lambda):
            read |= _names((node,))
    bound: set[str] = set()
    if isinstance(loop, ir.For):
        bound.update(names_of_target(loop.target))
    else:
        read |= _names((loop.test,))
    _follow(loop.body, bound, read)
    return None if _names((loop,)) & READS_ALL else frozenset(read)


def _names(part: object) -> set[str]:
    return {node.id for node in below(part) if type(node) is ir.Name}


def _read_by_target(target: ir.Node) -> set[str]:
    """Returns the names that are read to assign to a target."""
    return set() if type(target) is ir.Name else _names((target,)) - set(names_of_target(target))


def _follow(body: tuple[ir.Node, ...], bound: set[str], read: set[str]) -> None:
    """Adds names that statements read and that are not `bound` yet to `read`, and those that all of their paths bind to `bound`."""

    def reads(*parts: object) -> None:
        read.update(_names(parts) - bound)

    for node in body:
        match node:
            case ir.Assign(targets=targets, value=value):
                reads(value)
                for target in targets:
                    read.update(_read_by_target(target) - bound)
                for target in targets:
                    bound.update(names_of_target(target))
            case ir.Branch(test=test, body=then, orelse=orelse):
                reads(test)
                left, right = set(bound), set(bound)
                _follow(then, left, read)
                _follow(orelse, right, read)
                bound |= left & right
            case ir.With(items=items, body=inner):
                for context, alias in items:
                    reads(context)
                    if alias is not None:
                        read.update(_read_by_target(alias) - bound)
                        bound.update(names_of_target(alias))
                _follow(inner, bound, read)
            case ir.For(target=target, iterable=iterable, body=inner, orelse=orelse):
                reads(iterable)
                own = set(bound)
                read.update(_read_by_target(target) - bound)
                own.update(names_of_target(target))
                _follow(inner, own, read)
                _follow(orelse, set(bound), read)
            case ir.While(test=test, body=inner, orelse=orelse):
                reads(test)
                _follow(inner, set(bound), read)
                _follow(orelse, set(bound), read)
            case _:
                reads(node)
