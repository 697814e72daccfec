"""Describes the activations of functions, class bodies and modules, their loops, and the files that they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from zlib import crc32

from torchlsp.core.records import dataclass, field
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.fault_kinds import END_PROGRAM
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import ClassValue, Mode, Value
from torchlsp.interp.store.graph_progress import Iteration
from torchlsp.interp.store.state import Delta, Scope
from torchlsp.program import ir
from torchlsp.program.ir import Node


@dataclass(slots=True)
class ModuleInfo:
    """A file of the workspace in this run: its IR, its scope, and whether its body has been run."""

    ir: ir.Module
    scope: Scope
    index: int
    path: str
    executed: bool = False
    running: bool = False
    had: set[Node] = field(default_factory=set)
    """Assignments (`ir.Node`) of the top level that were run without the rest of the body."""
    uses_distributed: bool = False
    postpones_annotations: bool = False
    """The file has `from __future__ import annotations`, so annotations are not evaluated."""
    stars: list[str] = field(default_factory=list)
    """Modules of the workspace that are star-imported; they are searched when a name is looked up."""
    rebound: dict[str, list[Value]] = field(default_factory=dict)
    """The earlier values of names of the module level that were bound again."""


def number_of(path: str, known: Mapping[str, ModuleInfo]) -> int:
    """Returns an index for an imported file (the analysed one has 0) that does not depend on the order of imports."""
    taken = {info.index for info in known.values()}
    return next(
        number for number in count(crc32(path.encode("utf-8", "surrogatepass"))) if number not in taken
    )


@dataclass(slots=True)
class Loop:
    """A running loop: the journal's mark at its head, and the changes at each `break` and `continue`.

    `unrolled` is the number of iterations if they are run one by one, else 0.  `iteration` then describes the running one
    for the checks of the autograd graph.
    """

    mark: int
    unrolled: int = 0
    managers: int = 0
    """The number of the frame's `managers` outside of the loop."""
    iteration: Iteration | None = None
    began: int = 0
    """The moment (`Progress.clock`) at which the running iteration began."""
    over_modules: bool = False
    """Each iteration has another module, so an undecided test usually asks which one it is."""
    doubt: int = 0
    node: ir.Node | None = None
    """The number of such tests around the point of execution, early exits of other modules included."""
    breaks: list[Delta] = field(default_factory=list)
    continues: list[Delta] = field(default_factory=list)


@dataclass(slots=True)
class Frame:
    """One activation of a function, a class body or a module.

    `site` identifies it by the places of its calls.  `conditional` counts the undecided branches around the point of
    execution inside this activation, early exits of other paths included.  `loop_targets` are names bound by loops.
    """

    function: ir.Function | None
    scope: Scope
    module: ModuleInfo
    site: str
    mark: int
    is_root: bool = False
    conditional: int = 0
    undecided: int = 0
    """The number of undecided branches, and loops that may not run, around it in all frames, early exits included."""
    call: tuple[str | None, int, int, str] | None = None
    receiver: Value | None = None
    owner: ClassValue | None = None
    returns: list[tuple[Value, Delta, Tri]] = field(default_factory=list)
    """Of each `return` the value, what has changed, and whether CUDA is available on its path."""
    yielded: Value | None = None
    loops: list[Loop] = field(default_factory=list)
    managers: list[tuple[str, Mode]] = field(default_factory=list)
    """(mode, outer value) of every mode that a `with`, a `try` or a decorator around the point of execution sets."""
    guards: int = 0
    """The number of tests around the point of execution that ask for the version of torch, early exits included."""
    without_gpu: int = 0
    """The number of tests around the point of execution that ask for a GPU by their name, as `if use_cuda:`, and do not hold there."""
    exits: int = 0
    """The number of `return` and `raise` run so far."""
    loop_targets: set[str] = field(default_factory=set)
    statement: tuple[int, int] = (0, 0)
    changed: dict[str, tuple[str, ir.Node]] = field(default_factory=dict)
    """By storage of the caller that was written to, the parameter and the write."""


def enclosing_scope(scope: Scope | None) -> Scope | None:
    """Returns the scope that functions inside can see: names of a class body are not visible in its methods."""
    while scope is not None and scope.kind == "class":
        scope = scope.parent
    return scope


@dataclass(slots=True)
class FirstRun:
    """An iteration run on its exact facts, with the `undecided` branches around the loop and the `silent` outside of it."""

    undecided: int
    silent: int
    faults: dict[tuple, Fault] = field(default_factory=dict)
    kinds: frozenset[FaultKind] = END_PROGRAM
    """The kinds that are kept."""
