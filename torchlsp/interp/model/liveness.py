"""What becomes of a name behind a place in the running function: whether it is read again."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.interp.store.frame import Frame
from torchlsp.program import ir
from torchlsp.program.reading import bound_to, is_read


def is_used_later(frame: Frame, name: str, node: ir.Node) -> bool:
    """Is the name read behind a statement before it is bound anew?  A script's names may be asked for by anybody."""
    function = frame.function
    body = frame.module.ir.body if function is None else function.body
    for statement in behind(body, node.end):
        if is_read((statement,), name):
            return True
        if any(True for _ in bound_to((statement,), name)):
            return False
    return function is None


def behind(body: tuple[ir.Node, ...], place: int) -> Iterator[ir.Node]:
    """Statements that run after a place: those behind it, and all of a loop that holds it."""
    for statement in body:
        if statement.start >= place:
            yield statement
        elif statement.end >= place and not isinstance(statement, ir.Define | ir.DefineClass):
            for part in ("body", "orelse", "final"):
                yield from behind(getattr(statement, part, ()) or (), place)
            for part in ("handlers", "cases"):
                for inner in getattr(statement, part, ()) or ():
                    yield from behind(inner.body, place)
            if isinstance(statement, ir.For | ir.While):
                yield from statement.body


def root_name(node: ir.Node) -> str | None:
    """The name that a write is made through."""
    match node:
        case ir.Call(function=ir.Attribute(object=inner)):
            return root_name(inner)
        case ir.Augmented(target=inner) | ir.Subscript(object=inner):
            return root_name(inner)
        case ir.Name(id=name):
            return name
    return None
