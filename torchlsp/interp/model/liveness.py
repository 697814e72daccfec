"""Returns whether a name is read again after a place in the running function."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.interp.store.frame import Frame
from torchlsp.program import ir
from torchlsp.program.reading import bound_to, is_read


def is_used_later(frame: Frame, name: str, node: ir.Node) -> bool:
    """Returns whether the name is read after a statement before it is bound again. A module's last names
    always may be.

    A write to the object that it names is not a read.  The result is yes where that is not certain.
    """
    function = frame.function
    body = frame.module.ir.body if function is None else function.body
    for statement in statements_after(body, node.end):
        if is_read((statement,), name):
            return True
        if any(True for _ in bound_to((statement,), name)):
            return False
    return function is None


def statements_after(body: tuple[ir.Node, ...], offset: int) -> Iterator[ir.Node]:
    """Yields the statements that may run after a place: the later ones, and all of a loop that holds it."""
    for statement in body:
        if statement.start >= offset:
            yield statement
        elif statement.end >= offset and not isinstance(statement, ir.Define | ir.DefineClass):
            for part in ("body", "orelse", "final"):
                yield from statements_after(getattr(statement, part, ()) or (), offset)
            for part in ("handlers", "cases"):
                for inner in getattr(statement, part, ()) or ():
                    yield from statements_after(inner.body, offset)
            if isinstance(statement, ir.For | ir.While):
                yield from statement.body


def root_name(node: ir.Node) -> str | None:
    """Returns the variable through which a write goes: `x` for `x[0] += 1` and `x[0].zero_()`."""
    match node:
        case ir.Call(function=ir.Attribute(object=inner)):
            return root_name(inner)
        case ir.Augmented(target=inner) | ir.Subscript(object=inner):
            return root_name(inner)
        case ir.Name(id=name):
            return name
    return None
