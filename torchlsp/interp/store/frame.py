"""One activation of a function, a class body or a module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from zlib import crc32

from torchlsp.facts.fault import Fault
from torchlsp.facts.values import Value
from torchlsp.interp.store.state import Delta, Scope
from torchlsp.program import ir


@dataclass(slots=True)
class ModuleInfo:
    """A file of the workspace as the interpreter sees it: its IR, its scope, and whether its body has been run."""

    ir: ir.Module
    scope: Scope
    index: int
    path: str
    executed: bool = False
    running: bool = False
    had: set[Any] = field(default_factory=set)
    """Assignments of the top level that were run without the rest of the body."""
    uses_distributed: bool = False
    postpones_annotations: bool = False
    """`from __future__ import annotations`: nobody evaluates them."""
    stars: list[str] = field(default_factory=list)
    """Modules of the workspace whose names a star import brings in; looked up when a name is asked for."""
    rebound: dict[str, Value] = field(default_factory=dict)
    """What names of the module level were before they were bound to something else."""


def number_of(path: str, known: Mapping[str, ModuleInfo]) -> int:
    """The index of a file beside the one that is analysed, which has 0: it does not depend on who asks for a file first."""
    taken = {info.index for info in known.values()}
    return next(
        number for number in count(crc32(path.encode("utf-8", "surrogatepass"))) if number not in taken
    )


@dataclass(slots=True)
class Loop:
    """A loop being run: the journal's mark at its head and the states at each break and continue.

    `unrolled`: the number of its iterations when they are run one by one, else 0.  `iteration` is then what the graph
    mechanism keeps of the running one.
    """

    mark: int
    unrolled: int = 0
    managers: int = 0
    """How many of the frame's `managers` lie outside the loop."""
    iteration: Any = None
    began: int = 0
    """The moment at which the running iteration began."""
    over_modules: bool = False
    """Each iteration has another module, so an undecided test is as a rule about which one that is."""
    doubt: int = 0
    """How many such tests are around the point of execution, early exits of other modules included."""
    breaks: list[Delta] = field(default_factory=list)
    continues: list[Delta] = field(default_factory=list)


@dataclass(slots=True)
class Frame:
    """`site` names the activation (the call's place, nested); `conditional` counts the undecided branches around the point
    of execution inside this activation, early exits of other paths included; `loop_targets` are names bound by loops."""

    function: ir.Function | None
    scope: Scope
    module: ModuleInfo
    site: str
    mark: int
    is_root: bool = False
    conditional: int = 0
    undecided: int = 0
    """How many undecided branches, and loops that may not run, are around it in all frames, early exits included."""
    call: tuple[str | None, int, int, str] | None = None
    receiver: Value | None = None
    owner: Any = None
    returns: list[tuple[Value, Delta]] = field(default_factory=list)
    yielded: Value | None = None
    loops: list[Loop] = field(default_factory=list)
    managers: list[tuple[str, Any]] = field(default_factory=list)
    """(mode, value outside) of every mode that a `with`, a `try` or a decorator around the point of execution has set."""
    guards: int = 0
    """How many tests around the point of execution ask which torch this is, early exits included."""
    exits: int = 0
    """How many `return` and `raise` have been run so far."""
    loop_targets: set[str] = field(default_factory=set)
    statement: tuple[int, int] = (0, 0)
    changed: dict[str, tuple[str, ir.Node]] = field(default_factory=dict)
    """Memory of the caller's that was written to: the parameter, and the write."""


def enclosing_scope(scope: Scope | None) -> Scope | None:
    """Names of a class body are not visible in its methods."""
    while scope is not None and scope.kind == "class":
        scope = scope.parent
    return scope


@dataclass(slots=True)
class FirstRun:
    """One iteration that is run on the facts that it really has: `undecided` branches around its loop, `silent` as outside."""

    undecided: int
    silent: int
    faults: dict[tuple, Fault] = field(default_factory=dict)
