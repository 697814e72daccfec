"""What a program does to the outside of its values, in the order and structure in which it does it.

A trace is a list of items: events, and the branches, loops, calls and exits between them.  The protocol of training loops and
the ranks' agreement on collectives are read off traces, never off source text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Union

from torchlsp.facts.values import Condition


class EventKind(Enum):
    """What happened.  The comment says what `subjects` holds."""

    BACKWARD = "backward"  # nothing: gradients reach whatever the loss was computed from; `name` "engine": something unseen is given the loss
    STEP = "step"  # the optimizer
    ZERO_GRAD = "zero_grad"  # the optimizer, or the modules whose parameters are cleared; empty: some gradients, not known which
    MADE = "made"  # the module or optimizer that came into being
    UNKNOWN_CALL = "unknown call"  # the tracked objects that were handed over; empty: none
    COLLECTIVE = "collective"  # nothing; `name` and `group` tell it
    EVAL = "eval"  # the module
    TRAIN = "train"  # the module
    FORWARD = "forward"  # layers that depend on the mode and are run; `other` the module called, `name` "grad" or "no_grad"
    BUILT = "built"  # the layer without parameters that came into being
    LOADED = "loaded"  # the modules that weights were loaded into; `label` the call, if those are the same on all ranks so far
    SCHEDULE = "schedule"  # the learning rate scheduler that steps without arguments; other uses of it have their `name`
    SCALER = "scaler"  # the gradient scaler; `name` is its method, `other` the optimizer that it is given
    CLIP = "clip"  # nothing: gradients are clipped
    SNAPSHOT = "snapshot"  # the modules whose state dict is taken; empty: not known which
    WRITE = "write"  # the modules whose parameters are written to in place; `name` the parameter; `label` as of LOADED
    LOAD = "load"  # the shuffling sampler of a loader that is gone through; `label` is what the user calls the loader
    WHOLE = "whole"  # the loader without a sampler that is gone through
    EPOCH = "epoch"  # the sampler that is told its epoch; empty: one that is not seen
    GRADIENT = "gradient"  # nothing: the `.grad` of something is named, and may be changed
    WRAPPED = "wrapped"  # the DistributedDataParallel that has unused parameters; `name` is "made", "called", "no_grad" or "maybe"
    EXCHANGE = "exchange"  # nothing: a call of torch.distributed that is no known collective, beside a wrapped module
    UNFOLLOWED = (
        "unfollowed"  # nothing: a function that asks for the rank and has collectives is called and not run
    )
    GROUP = "group"  # nothing: a call named `name` that asks the default process group and makes no other rank wait
    REPLACED = "replaced"  # by `name`: "put" into the module `other` (`handed`: what the user calls that), or "bound" in the place of
    # the modules `handed`: what is new; "called": the new module; "regrouped": the optimizer; noted where there are optimizers
    SAVE = "save"  # nothing: a file is written; `label` is "same" where its path is that of all processes
    UNKNOWN_STEP = "unknown step"  # `step()` of something that is no argument, and of which nothing is known
    UNSEEN_STEP = "unseen step"  # the argument whose `step()` is called and of which no more is seen; `name` is "given" with arguments,
    # and "scaler" where a gradient scaler is given it


@dataclass(frozen=True, slots=True)
class Event:
    """`group`: None is the default group; the ranks of a known group, or "unknown"."""

    kind: EventKind
    start: int
    end: int
    subjects: frozenset[str] = frozenset()
    name: str = ""
    path: str | None = None
    group: "frozenset[int] | str | None" = None
    hidden: bool = False
    label: str = ""
    node: tuple[int, int] = (0, 0)
    """The statement that holds the call."""
    other: str = ""
    """What else takes part: the scaler of the loss that backward is called on, the optimizer of a scaler's call."""
    handed: frozenset[str] = frozenset()
    """Arguments of the running functions, of which nothing is seen, that an unknown call is given; "*": it may reach any."""


@dataclass(frozen=True, slots=True)
class Exit:
    """`kind` is return, break, continue or raise."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class BranchItem:
    """Two ways on.  `condition` tells what decides when that is known; `start`/`end` are the test's span.

    `names`: what the test asks for by name, `self.distributed` for one, and what that is where the test holds, None for
    what is no name; `joined` by "and" or "or", "" for one alone.
    """

    start: int
    end: int
    condition: Condition | None
    body: tuple["Item", ...]
    orelse: tuple["Item", ...]
    path: str | None = None
    names: tuple[tuple[str, bool] | None, ...] = ()
    joined: str = ""


@dataclass(frozen=True, slots=True)
class LoopItem:
    """`body_start` is where the first statement of the body stands; `header_end` the end of the loop's header expression."""

    start: int
    end: int
    body: tuple["Item", ...]
    body_start: int = 0
    header_end: int = 0
    path: str | None = None
    endless: bool = False
    counted: bool = False
    """It runs so many times, or while something holds, not over data."""
    by_rank: bool = False
    """How often it runs differs from rank to rank."""


@dataclass(frozen=True, slots=True)
class CallItem:
    """A call into a function of the workspace; a Return inside ends the call only."""

    start: int
    end: int
    name: str
    body: tuple["Item", ...]
    path: str | None = None
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class IterationItem:
    """One iteration of a loop that is run item by item; `continue` inside ends it."""

    start: int
    end: int
    body: tuple["Item", ...]


Item = Union[Event, Exit, BranchItem, LoopItem, CallItem, IterationItem]


@dataclass(slots=True)
class Recorder:
    """The trace under construction: a stack of lists."""

    stack: list[list[Item]] = field(default_factory=lambda: [[]])

    def add(self, item: Item) -> None:
        self.stack[-1].append(item)

    def open(self) -> None:
        self.stack.append([])

    def close(self) -> tuple[Item, ...]:
        return tuple(self.stack.pop())
