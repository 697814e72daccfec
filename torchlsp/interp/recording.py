"""An interpreter that also keeps what each expression evaluates to, for those who look at single places."""

from __future__ import annotations

from collections.abc import Iterable

from torchlsp.facts import values as v
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp import join as joins
from torchlsp.interp.called import made
from torchlsp.interp.interpreter import BudgetExceeded, Interpreter
from torchlsp.interp.state import MISSING
from torchlsp.program import ir

_KEPT = frozenset({ir.Name, ir.Attribute, ir.Call, ir.Subscript, ir.Binary})

Place = tuple[int, int, bool]
"""Start, end, and whether something is bound there."""


class RecordingInterpreter(Interpreter):
    """A function that is analysed for itself is recorded so, else as the join of what its visible calls make of it.

    What calls make of it is kept beside that; where the module's own body leads to a call, only such calls count, for
    those made by functions that are analysed for themselves know less.
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._from_roots: set[Place] = set()
        self._from_module: set[Place] = set()

    def block(self, nodes: Iterable[ir.Node]) -> bool:
        frame = self.frame
        function = frame.function
        if function is not None and nodes is function.body:
            for param in function.params:
                value = frame.scope.variables.get(param.name, UNKNOWN_VALUE)
                self._keep(self.analysis.values, param, value)
        return super().block(nodes)

    def eval(self, node: ir.Node) -> Value:
        # As the interpreter's own, and not by calling it: this is done once for every expression.
        self.steps += 1
        if self.steps > self.limit:
            raise BudgetExceeded
        kind = type(node)
        value = self.expressions[kind](self, node)
        if kind in _KEPT and not self.silent and self.frame.module is self.main:
            self._keep(self.analysis.values, node, value)
        return value

    def record(self, node: ir.Node, value: Value) -> None:
        self._keep(self.analysis.names, node, value)

    def record_callee(self, node: ir.Node, value: Value) -> None:
        self._keep(self.analysis.values, node, value)

    def record_call(self, node: ir.Node, *call, is_attribute: bool = False) -> None:
        super().record_call(node, *call, is_attribute=is_attribute)
        if not self.silent and self.frame.module is self.main:
            self.analysis.made[node.start, node.end] = made(self, *call, is_attribute=is_attribute)

    def _keep(self, kept: dict[tuple[int, int], Value], node: ir.Node | ir.Param, value: Value) -> None:
        frame = self.frame
        if self.silent or frame.module is not self.main:
            return
        place = (node.start, node.end)
        key = (node.start, node.end, kept is self.analysis.names)
        kind = type(value)
        if kind is v.ListRef or kind is v.DictRef:
            self._keep_content(key, value)
        if frame.is_root:
            if key in self._from_roots:  # an iteration of a loop that is run item by item
                value = _joined(kept.get(place, MISSING), value)
            else:
                self._from_roots.add(key)
            kept[place] = value
            return
        self._keep_called(key, value)
        if key not in self._from_roots:
            kept[place] = _joined(kept.get(place, MISSING), value)

    def _keep_called(self, key: Place, value: Value) -> None:
        called = self.analysis.called
        if self.frames[0].function is None:
            self._from_module.add(key)
        elif key in self._from_module:
            return
        called[key] = _joined(called.get(key, MISSING), value)

    def _keep_content(self, key: Place, value: v.ListRef | v.DictRef) -> None:
        content: object
        if type(value) is v.ListRef:
            content = self.state.heap.get((value.ref, "[]"))
            content = v.TupleValue(content) if isinstance(content, tuple) else content
        else:
            content = self.state.heap.get((value.ref, "{}"))
            content = v.DictValue(tuple(content.items())) if isinstance(content, dict) else UNKNOWN_VALUE
        known = content if isinstance(content, v.TupleValue | v.Repeated | v.DictValue) else UNKNOWN_VALUE
        contents = self.analysis.contents
        contents[key] = _joined(contents.get(key, MISSING), known)


def _joined(before: Value, value: Value) -> Value:
    if before is MISSING or before is value or before == value:
        return value
    return joins.join(before, value, "calls")
