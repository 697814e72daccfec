"""An interpreter that also keeps what each expression evaluates to, for those who look at single places."""

from __future__ import annotations

from torchlsp.facts.values import Value
from torchlsp.interp import join as joins
from torchlsp.interp.interpreter import Interpreter
from torchlsp.interp.state import MISSING
from torchlsp.program import ir

_KEPT = frozenset({ir.Name, ir.Attribute, ir.Call, ir.Subscript, ir.Binary})

Kept = dict[tuple[int, int], Value]


class RecordingInterpreter(Interpreter):
    """A function that is analysed for itself is recorded so, else as the join of what its visible calls make of it."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._from_roots: set[tuple[int, int, bool]] = set()

    def eval(self, node: ir.Node) -> Value:
        value = super().eval(node)
        if type(node) in _KEPT:
            self._keep(self.analysis.values, node, value)
        return value

    def record(self, node: ir.Node, value: Value) -> None:
        self._keep(self.analysis.names, node, value)

    def record_callee(self, node: ir.Node, value: Value) -> None:
        self._keep(self.analysis.values, node, value)

    def _keep(self, kept: Kept, node: ir.Node, value: Value) -> None:
        if self.silent or self.frame.module is not self.main:
            return
        place = (node.start, node.end)
        key = (*place, kept is self.analysis.names)
        if self.frame.is_root:
            self._from_roots.add(key)
        elif key in self._from_roots:
            return
        else:
            before = kept.get(place, MISSING)
            if before is not MISSING and before is not value and before != value:
                value = joins.join(before, value, "calls")
        kept[place] = value
