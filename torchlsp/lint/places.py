"""Names what a rule may give as a place: a fault, an event, an operand, a node of the IR."""

from __future__ import annotations

from typing import Protocol


class Located(Protocol):
    """A place in the file that is reported, in code points."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


class Place(Located, Protocol):
    """A place in any file: `path` None is the checked one."""

    @property
    def path(self) -> str | None: ...


class Step(Place, Protocol):
    """The place of an optimizer's step; `label` is what the user wrote for the optimizer of a gradient scaler."""

    @property
    def label(self) -> str: ...
