"""Runs the interpreter and records the value of each expression, for editors, facts and tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from torchlsp.facts import values as v
from torchlsp.facts.torch_names import TorchNames
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import parameter_counts
from torchlsp.interp.model.call_records import CalledLayer, record_of_call
from torchlsp.interp.model.parameter_counts import REGISTERING, SETTING
from torchlsp.interp.run.interpreter import Interpreter
from torchlsp.interp.store.budget import FOR_FINDINGS, BudgetExceeded, Imports, Limits
from torchlsp.interp.store.entry_facts import NO_ENTRIES, Entries
from torchlsp.interp.store.recorded import ANY_MODULE, Part, Place, joined
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

_KEPT = frozenset({ir.Name, ir.Attribute, ir.Call, ir.Subscript, ir.Binary})

_MODULES = frozenset({v.InstanceValue, v.LayerValue, v.Wrapped})


class RecordingInterpreter(Interpreter):
    """An interpreter that records values.

    The values that visible calls give a function are kept beside those of the function analysed as a root.  If the module's
    own body leads to a call, only such calls count, since calls from roots know less about their arguments.
    """

    recording: Part

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
    ) -> None:
        super().__init__(module, imports, wanted_calls, strict, cancelled, api, observed, limits)
        self.recording = Part()

    def block(self, nodes: Iterable[ir.Node]) -> bool:
        """Runs statements; records the parameters of a function before its body."""
        frame = self.frame
        function = frame.function
        if function is not None and nodes is function.body:
            for param in function.params:
                self._keep(param, frame.scope.variables.get(param.name, UNKNOWN_VALUE), False)
        return super().block(nodes)

    def eval(self, node: ir.Node) -> Value:
        """Evaluates an expression and records its value. Raises BudgetExceeded."""
        # The body of Interpreter.eval is repeated and not called, since this runs for every expression.
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
            self.recording.counting.close()
        if kind in _KEPT and not self.silent and self.frame.module is self.main:
            self._keep(node, value, False)
        return value

    def record(self, node: ir.Node, value: Value) -> None:
        """Records the value bound to a name or an attribute."""
        if type(node) is ir.Attribute and parameter_counts.is_set_on_some_paths(self, value):
            self.recording.counting.add_uncertain(node.name)
        self._keep(node, value, True)

    def record_callee(self, node: ir.Node, value: Value) -> None:
        """Records the method that a call evaluates to."""
        if type(value) is v.BoundExternal and value.name in REGISTERING:
            self.recording.counting.register(getattr(value.receiver, "ref", ""))
        self._keep(node, value, False)

    def record_missed(self, function: v.FunctionValue | None) -> None:
        """Records that a function, or some module (None), is also called in a way that is not followed."""
        if function is None:
            self.recording.missed.add(ANY_MODULE)
            return
        scope = function.scope
        if scope is None or scope.module is None or scope.module is self.main:
            self.recording.missed.add((function.ir.start, function.ir.end))

    def record_call(
        self,
        node: ir.Node,
        name: str,
        arguments: Arguments,
        layer: CalledLayer | None = None,
        is_attribute: bool = False,
    ) -> None:
        """Records the arguments of a call of an operator or a layer, and calls its hooks."""
        super().record_call(node, name, arguments, layer, is_attribute)
        if not self.silent and self.frame.module is self.main:
            self.recording.made[node.start, node.end] = record_of_call(
                self, name, arguments, layer, is_attribute=is_attribute
            )

    def _keep(self, node: ir.Node | ir.Param, value: Value, is_bound: bool) -> None:
        frame = self.frame
        if self.silent or frame.module is not self.main:
            return
        recording = self.recording
        key = (node.start, node.end, is_bound)
        if type(value) is v.ListRef or type(value) is v.DictRef:
            self._keep_content(key, value)
        elif type(value) in _MODULES and value is not frame.receiver:
            self._keep_parameters(node, value, frame.is_root)
        if frame.is_root:
            place = (node.start, node.end)
            kept = recording.names if is_bound else recording.values
            # An earlier value is from another iteration of a loop that is run item by item.
            kept[place] = joined(kept.get(place), value)
            return
        of_module = recording.of_module
        if of_module is None or key not in of_module.called:
            recording.called[key] = joined(recording.called.get(key), value)
        recording.through[key] = joined(recording.through.get(key), value)

    def _keep_content(self, key: Place, value: v.ListRef | v.DictRef) -> None:
        content: object
        if type(value) is v.ListRef:
            content = self.state.heap.get((value.ref, "[]"))
            content = v.TupleValue(content) if isinstance(content, tuple) else content
        else:
            content = self.state.heap.get((value.ref, "{}"))
            content = v.DictValue(tuple(content.items())) if isinstance(content, dict) else UNKNOWN_VALUE
        known = content if isinstance(content, v.TupleValue | v.Repeated | v.DictValue) else UNKNOWN_VALUE
        contents = self.recording.contents
        contents[key] = joined(contents.get(key), known)

    def _keep_parameters(self, node: ir.Node | ir.Param, module: Value, is_root: bool) -> None:
        """Records how many parameters a module has, what a container holds, and where one of the user's own was created."""
        recording, key = self.recording, (node.start, node.end, is_root)
        if not parameter_counts.is_counted(module):
            return
        if isinstance(module, v.LayerValue):
            children = parameter_counts.container_content(self, module)
            recording.children[key] = joined(recording.children.get(key), children)
        elif isinstance(module, v.InstanceValue) and type(node) is ir.Call:
            if module.ref.endswith(f":{node.start}"):
                recording.created.setdefault(module.ref, (node.start, node.end))
        before = recording.counts.get(key)
        if before is not None and type(before) is not v.Scalar:
            return  # unknown, and stays so
        count = parameter_counts.count_parameters(self, module, recording.counting)
        value = UNKNOWN_VALUE if count is None else v.integer(count)
        recording.counts[key] = joined(before, value)
