"""Runs the interpreter on a file and records what its calls make of the functions of other files."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from torchlsp.facts import values as v
from torchlsp.facts.notation import is_invented
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.torch_names import TorchNames
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import parameter_counts
from torchlsp.interp.model.parameter_counts import REGISTERING, SETTING
from torchlsp.interp.run.interpreter import Interpreter
from torchlsp.interp.store.analysis import Analysis
from torchlsp.interp.store.budget import FOR_FINDINGS, BudgetExceeded, Imports, Limits
from torchlsp.interp.store.called_files import CalledFiles, Running
from torchlsp.interp.store.entry_facts import NO_ENTRIES, Entries
from torchlsp.interp.store.frame import Frame
from torchlsp.program import ir

_RECORDED = frozenset({ir.Name, ir.Attribute, ir.Call, ir.Subscript, ir.Binary})


class CallerInterpreter(Interpreter):
    """An interpreter that records the values of the functions of other files while calls run them with known sizes."""

    def __init__(
        self,
        module: ir.Module,
        imports: Imports,
        wanted_calls: frozenset[str],
        strict: bool,
        cancelled: Callable[[], None] | None,
        api: TorchNames | None = None,
        observed: Entries = NO_ENTRIES,
        limits: Limits = FOR_FINDINGS,
        called: CalledFiles | None = None,
    ) -> None:
        super().__init__(module, imports, wanted_calls, strict, cancelled, api, observed, limits)
        self.called = CalledFiles(frozenset()) if called is None else called

    def block(self, nodes: Iterable[ir.Node]) -> bool:
        """Runs statements; begins to record where they are the body of a function that is called with known sizes."""
        frame, called = self.frame, self.called
        function = frame.function
        if function is None or nodes is not function.body or frame.module is self.main:
            return super().block(nodes)
        outer = called.running
        called.running = self._begun(frame, function)
        try:
            return super().block(nodes)
        finally:
            called.running = outer

    def _begun(self, frame: Frame, function: ir.Function) -> Running | None:
        """Returns where the values of a function are kept that begins to run; None where they are not."""
        path, called = frame.module.path, self.called
        if self.silent or path not in called.watched or not _are_sizes_known(frame, function):
            return None
        first = next((one for one in self.frames if one.module is not self.main), None)
        if first is None or first.call is None or first.call[0] != self.main.path:
            return None
        into = called.of(path, is_body=self.frames[0].function is None)
        into.calls.setdefault((function.start, function.end), {})[first.call[1:3]] = None
        for param in function.params:
            into.keep((param.start, param.end, False), frame.scope.variables.get(param.name, UNKNOWN_VALUE))
        return Running(frame, into)

    def eval(self, node: ir.Node) -> Value:
        """Evaluates an expression and records its value. Raises BudgetExceeded."""
        self.steps += 1
        if self.steps > self.limit:
            raise BudgetExceeded
        kind = type(node)
        value = self.expressions[kind](self, node)
        if (
            type(node) is ir.Name
            and node.id in SETTING
            or type(node) is ir.Attribute
            and node.name in SETTING
        ):
            self.called.counting.close()
        if kind in _RECORDED:
            self._keep(node, value, False)
        return value

    def record(self, node: ir.Node, value: Value) -> None:
        """Records the value bound to a name or an attribute."""
        if type(node) is ir.Attribute and parameter_counts.is_set_on_some_paths(self, value):
            self.called.counting.add_uncertain(node.name)
        self._keep(node, value, True)

    def record_callee(self, node: ir.Node, value: Value) -> None:
        """Records the method that a call evaluates to."""
        if type(value) is v.BoundExternal and value.name in REGISTERING:
            self.called.counting.register(getattr(value.receiver, "ref", ""))
        self._keep(node, value, False)

    def _keep(self, node: ir.Node, value: Value, is_bound: bool) -> None:
        running = self.called.running
        if running is None or running.frame is not self.frame or self.silent:
            return
        place = node.start, node.end, is_bound
        running.into.keep(place, value)
        if isinstance(value, v.LayerValue | v.InstanceValue | v.Wrapped) and value is not self.frame.receiver:
            if parameter_counts.is_counted(value):
                count = parameter_counts.count_parameters(self, value, self.called.counting)
                running.into.keep_count(place, count)
                if isinstance(value, v.LayerValue):
                    content = parameter_counts.container_content(self, value)
                    running.into.keep_children(place, self.called.outline(content))


def analyse_as_caller(
    called: CalledFiles,
    module: ir.Module,
    imports: Imports,
    wanted_calls: frozenset[str],
    *,
    recording: bool,
    strict: bool,
    cancelled: Callable[[], None] | None,
    api: TorchNames | None,
    observed: Entries,
) -> Analysis:
    """Analyses as `interp.run.analyse` does, without a record of the file's own values, and fills `called`."""
    called.clear()
    return CallerInterpreter(
        module, imports, wanted_calls, strict, cancelled, api, observed, FOR_FINDINGS, called
    ).run()


def _are_sizes_known(frame: Frame, function: ir.Function) -> bool:
    """Returns whether a call gives the sizes of all tensors that it passes, and passes something of which more is known than
    that there is something."""
    given = [
        frame.scope.variables.get(param.name, UNKNOWN_VALUE)
        for param in function.params
        if frame.owner is None or param is not function.params[0]
    ]
    if any(isinstance(one, TensorFact | v.ArrayValue) and not _is_sized(one) for one in given):
        return False
    return not given or any(
        isinstance(one, TensorFact | v.ArrayValue) or _is_known_size(one) for one in given
    )


def _is_sized(value: TensorFact | v.ArrayValue) -> bool:
    return value.shape is not None and not any(map(is_invented, value.shape))


def _is_known_size(value: Value) -> bool:
    match value:
        case v.TupleValue(items=items):
            return any(
                isinstance(one, TensorFact | v.ArrayValue) and _is_sized(one) or _is_known_size(one)
                for one in items
            )
        case v.Scalar(kind="int", value=size):
            return size is not None and not is_invented(size)
    return False
