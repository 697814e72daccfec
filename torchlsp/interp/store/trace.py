"""Defines traces: the events of a program (backward, step, collective, …), in their order and nesting.

A trace is a list of items: events, and the branches, loops, calls and exits between them.  The protocol of training loops and
the agreement of ranks on collectives are checked on traces, never on source text.
"""

from __future__ import annotations

from enum import Enum
from typing import Union

from torchlsp.core.records import dataclass, field
from torchlsp.facts.values import Condition


class EventKind(Enum):
    """The kind of an event.  The comment says what `subjects` holds."""

    BACKWARD = "backward"  # nothing: gradients reach whatever the loss was computed from; `name` "engine": an unknown object takes the loss
    STEP = "step"  # the optimizer
    ZERO_GRAD = "zero_grad"  # the optimizer, or the modules whose parameters are cleared; empty: some gradients, not known which
    MADE = "made"  # the module or optimizer that is created
    UNKNOWN_CALL = "unknown call"  # the tracked objects that are passed; empty: none
    COLLECTIVE = "collective"  # nothing; `name` and `group` identify it
    EVAL = "eval"  # the module
    TRAIN = "train"  # the module
    FORWARD = "forward"  # the layers that run and depend on the mode; `other` the module called, `name` "grad" or "no_grad"
    BUILT = "built"  # the layer without parameters that is created
    LOADED = "loaded"  # the modules that weights are loaded into; `label` the call, if these are the same on all ranks so far
    SCHEDULE = "schedule"  # the learning rate scheduler that steps without arguments; other uses of it have their `name`
    SCALER = "scaler"  # the gradient scaler; `name` is its method, `other` the optimizer that it takes
    CLIP = "clip"  # the modules whose gradients are clipped; empty: not known which; `label` "empty": an iterator without items
    SNAPSHOT = "snapshot"  # the modules whose state dict is taken; empty: not known which
    WRITE = "write"  # the modules whose parameters are written to in place; `name` the parameter; `label` as of LOADED
    LOAD = "load"  # the shuffling sampler of a loader that is iterated; `label` the user's name of the loader
    WHOLE = "whole"  # the loader without a sampler that is iterated
    EPOCH = "epoch"  # the sampler whose `set_epoch` is called; empty: an unknown one
    GRADIENT = "gradient"  # nothing: a `.grad` is read, and may be changed
    WRAPPED = "wrapped"  # the DistributedDataParallel that has unused parameters; `name` is "made", "called", "no_grad" or "maybe"
    EXCHANGE = "exchange"  # nothing: a call of torch.distributed that is not a known collective, beside a wrapped module
    UNFOLLOWED = "unfollowed"  # nothing: a function that asks for the rank and has collectives is called and not analysed
    HANDED = "handed"  # nothing: unknown code gets a function that has collectives, and may call it
    GROUP = "group"  # nothing: the call `name`, which needs the default process group and makes no other rank wait
    REPLACED = "replaced"  # by `name`: "put" into the module `other` (`handed`: the user's name of it), or "bound" in the place of
    # the modules `handed`: the new module; "called": the new module; "regrouped": the optimizer; only where there are optimizers
    SAVE = "save"  # nothing: a file is written; `label` is "same" if all processes write to its path
    UNKNOWN_STEP = "unknown step"  # `step()` of an unknown object that is not an argument
    UNSEEN_STEP = "unseen step"  # the otherwise unknown argument whose `step()` is called; `name` is "given" if that has arguments,
    # and "scaler" if a gradient scaler takes it


@dataclass(frozen=True, slots=True)
class Event:
    """Something that the program does.  `group` None is the default group; else the ranks of a known group, or "unknown"."""

    kind: EventKind
    start: int
    end: int
    subjects: frozenset[str] = frozenset()
    name: str = ""
    path: str | None = None
    group: frozenset[int] | str | None = None
    hidden: bool = False
    label: str = ""
    node: tuple[int, int] = (0, 0)
    """The span of the statement that holds the call."""
    other: str = ""
    """The ref of another object that takes part: the scaler of a loss, the optimizer of a scaler's call."""
    handed: frozenset[str] = frozenset()
    """Unknown arguments of the running functions that an unknown call takes; "*": it may reach any."""


@dataclass(frozen=True, slots=True)
class Exit:
    """A statement that leaves the path.  `kind` is return, break, continue or raise."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class BranchItem:
    """Two paths.  `condition` is the meaning of the test, if that is known; `start`/`end` are the test's span.

    `names` are the names in the test, such as `self.distributed`, each with its truth value where the test holds; None for
    an operand that is not a name.  They are `joined` by "and" or "or", "" for a single one.
    """

    start: int
    end: int
    condition: Condition | None
    body: tuple[Item, ...]
    orelse: tuple[Item, ...]
    path: str | None = None
    names: tuple[tuple[str, bool] | None, ...] = ()
    joined: str = ""
    begins: bool = False
    """The test holds in the first iteration of the loop around it, whose number it asks for: `if epoch % 10 == 0`."""
    tried: tuple[int, int] = (0, 0)
    """The body is a handler of errors that one process may meet alone: the span of the statements that raise them."""


@dataclass(frozen=True, slots=True)
class LoopItem:
    """A loop.  `body_start` is the start of its first statement, `header_end` the end of its header expression."""

    start: int
    end: int
    body: tuple[Item, ...]
    body_start: int = 0
    header_end: int = 0
    path: str | None = None
    endless: bool = False
    counted: bool = False
    """It runs a number of times, or while a test holds, not over data."""
    by_rank: bool = False
    """The number of its iterations differs from rank to rank."""
    called: str = ""
    """A framework's loop around a method of this name: a `return` ends one iteration."""


@dataclass(frozen=True, slots=True)
class CallItem:
    """A call of a function of the workspace; a `return` inside ends the call only."""

    start: int
    end: int
    name: str
    body: tuple[Item, ...]
    path: str | None = None
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class IterationItem:
    """One iteration of a loop that is run item by item; a `continue` inside ends it."""

    start: int
    end: int
    body: tuple[Item, ...]


Item = Union[Event, Exit, BranchItem, LoopItem, CallItem, IterationItem]


@dataclass(slots=True)
class Recorder:
    """The trace under construction: a stack of lists."""

    stack: list[list[Item]] = field(default_factory=lambda: [[]])

    def add(self, item: Item) -> None:
        """Appends an item to the innermost open list."""
        self.stack[-1].append(item)

    def open(self) -> None:
        """Opens a list for the items of a branch, a loop or a call."""
        self.stack.append([])

    def close(self) -> tuple[Item, ...]:
        """Closes the innermost list, and returns its items."""
        return tuple(self.stack.pop())
