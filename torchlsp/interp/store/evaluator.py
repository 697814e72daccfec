"""Declares the interface of the running interpreter that all its functions take as their first parameter.

`run.interpreter.Interpreter` is the only implementation. Lower packages cannot import it, and need not: they take an
`Evaluator`, evaluate nodes by `eval` and `block`, call values by `invoke`, and report faults by `report`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from torchlsp.facts import values as v
    from torchlsp.facts.fault import Fault
    from torchlsp.facts.tensor import TensorFact
    from torchlsp.facts.torch_names import TorchNames
    from torchlsp.facts.tri import Tri
    from torchlsp.facts.values import ModuleValue, Value
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.frame import FirstRun, Frame, Loop, ModuleInfo
    from torchlsp.interp.store.graph_progress import Progress
    from torchlsp.interp.store.lifetimes import StatesByClass
    from torchlsp.interp.store.state import Delta, Scope, State
    from torchlsp.interp.store.trace import Recorder
    from torchlsp.ops.signature import Arguments
    from torchlsp.ops.table import Context, LayerState, Row
    from torchlsp.program import ir


class Evaluator(Protocol):
    """The running interpreter. Its attributes are explained where `Interpreter` declares them."""

    # ---- what is run
    main: ModuleInfo
    by_path: dict[str, ModuleInfo]
    api: TorchNames | None
    wanted_calls: frozenset[str]
    frames: list[Frame]
    frame: Frame
    silent: int
    first_runs: list[FirstRun]

    # ---- what is known
    state: State
    states: StatesByClass
    graph: Progress
    recorder: Recorder
    analysis: Analysis
    faults: dict[tuple, Fault]
    buffers: list[dict[tuple, Fault]]
    scopes: list[Scope]
    classes: dict[str, v.ClassValue]
    annotated: dict[str, tuple[ir.Node, ModuleInfo]]
    constants: dict[int | str, v.Scalar]
    list_loops: dict[str, Loop | None]
    changing: dict[str, frozenset[str]]
    filled: dict[str, tuple[tuple[str, ir.Function], ...]]
    asking: dict[ir.Node, bool]
    building: dict[int, bool]
    refuted: set[tuple]
    cast: set[str]
    grad_modes: dict[int, frozenset[Tri]]
    grad_callers: dict[int, frozenset[int]]
    seen_functions: set[int]
    raising: dict[int, bool]

    # ---- what it may cost, in steps
    steps: int
    limit: int
    file_limit: int
    rehearsed: int
    allowance: int
    pool: int
    lowest_pool: int
    is_limited: bool
    costs: dict[int, int]

    def least_cost(self, function: ir.Function) -> int:
        """Returns the number of steps below which a call of the function is known not to end."""

    def was_run(self, function: ir.Function) -> bool:
        """Returns whether a visible call has run the function with everything it can be given."""

    # ---- evaluating
    def eval(self, node: ir.Node) -> Value:
        """Evaluates an expression. Raises BudgetExceeded."""

    def block(self, nodes: Iterable[ir.Node]) -> bool:
        """Runs statements; returns False if control does not reach the end of the block. Raises BudgetExceeded."""

    def invoke(self, callee: Value, arguments: Arguments, node: ir.Node) -> Value:
        """Calls a value."""

    def call_function(
        self,
        function: v.FunctionValue,
        arguments: Arguments,
        node: ir.Node,
        receiver: Value | None = None,
    ) -> Value:
        """Runs a function of the workspace; the result is unknown where that is too deep or not possible."""

    def call_object(self, value: ModuleValue, arguments: Arguments, node: ir.Node) -> Value:
        """Calls a module or an object of the workspace."""

    def call_method(self, receiver: Value, name: str, arguments: Arguments, node: ir.Node) -> Value:
        """Calls a method of a value that is not a function of the workspace."""

    def unknown_call(self, arguments: Arguments, node: ir.Node, callee: Value | None = None) -> None:
        """Forgets what an unknown function may change of what it is given."""

    def apply_row(self, row: Row, name: str, arguments: Arguments, node: ir.Node) -> Value:
        """Applies an operator of the tables, reports its faults and records the call."""

    def instance_attribute(self, instance: v.InstanceValue, name: str, node: ir.Node) -> Value:
        """Reads an attribute of an object of the workspace."""

    def item(self, value: Value, index: Value, node: ir.Node) -> Value:
        """Evaluates `value[index]`."""

    def elements(self, value: Value) -> tuple[Value, ...] | None:
        """Returns the items of a tuple or list when all are known."""

    def held(self, value: Value) -> Value:
        """Returns the items of a list as far as they are known; other values as they are."""

    def context(self, node: ir.Node) -> Context:
        """Returns what an operator's row is told of the place and the modes, and moves the clock on by one."""

    # ---- names
    def lookup(self, name: str) -> Value:
        """Returns what a name stands for in the running frame."""

    def bind(self, name: str, value: Value) -> None:
        """Binds a name in the running frame."""

    def scope_of(self, name: str) -> Scope:
        """Returns the scope in which the running code binds the name."""

    def imported_module(self, name: str) -> ModuleInfo | None:
        """Returns the file of the workspace that the running file imports by this name."""

    def module_member(self, info: ModuleInfo, name: str) -> Value:
        """Returns a name of another file's top level."""

    def resolve_import(self, imported: v.Imported) -> Value:
        """Returns what an imported name stands for."""

    def run_module(self, info: ModuleInfo) -> None:
        """Runs another file's body, once, without recording anything about it."""

    def push(self, frame: Frame) -> None:
        """Enters a frame."""

    def pop(self) -> Frame:
        """Leaves the running frame."""

    # ---- changes
    def replace(self, old: Value, new: Value) -> None:
        """Gives every name of the running function that holds this very value the new one."""

    def rewrite(self, old: TensorFact, new: Value) -> None:
        """Gives whatever holds this very tensor, anywhere, the tensor as changed in place."""

    def merge(self, a: Delta, b: Delta, name: str, cuda: bool = False) -> None:
        """Applies the join of two sets of changes to the present store."""

    # ---- reporting
    def report(self, faults: Iterable[Fault]) -> None:
        """Records faults, unless the path to them is only one of several inside a call made for particular arguments."""

    def record(self, node: ir.Node, value: Value) -> None:
        """Records what is bound to a name or an attribute."""

    def record_callee(self, node: ir.Node, value: Value) -> None:
        """Records the method that a call evaluates to."""

    def record_missed(self, function: v.FunctionValue | None) -> None:
        """Records that a function, or some module (None), is also called in a way that is not followed."""

    def record_call(
        self,
        node: ir.Node,
        name: str,
        arguments: Arguments,
        layer: tuple[v.LayerValue, LayerState] | None = None,
        is_attribute: bool = False,
    ) -> None:
        """Records a call of an operator or a layer, before what it changes is changed."""
