"""Brings the analysis of a file up to date after the body of one function has changed, by running only the roots that have
looked into it.

It is exact: the result is what a whole analysis of the new text finds.  A root depends on the functions that it looked into,
which `program.watching` tells; on the module's body, which must not have looked into the changed one; on what the text as a
whole says, which is compared; on other files, which must be the same; and on roots before it as `roots.would_find_the_same`
says.  Where any of this does not hold, `Again.after` gives None, and everything is to be analysed anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torchlsp.interp.run import root_isolation, roots
from torchlsp.interp.run.recording import RecordingInterpreter
from torchlsp.interp.store.analysis import release
from torchlsp.interp.store.budget import Imports
from torchlsp.program import ir
from torchlsp.program.watching import EVERYTHING, Watch

if TYPE_CHECKING:
    from torchlsp.facts.torch_names import TorchNames
    from torchlsp.interp.store.analysis import Analysis


class Again:
    """`analysis` is that of the text as it is; `runs` counts the roots that the last one took."""

    def __init__(
        self,
        module: ir.Module,
        imports: Imports,
        wanted_calls: frozenset[str],
        cancelled: Callable[[], None] | None,
        api: TorchNames | None,
    ) -> None:
        """Analyses everything.  May raise what `cancelled` raises."""
        self._watch = Watch(module)
        self._it = RecordingInterpreter(module, imports, wanted_calls, False, cancelled, api)
        self._outcomes: dict[ir.Class | ir.Function, tuple[int, roots.Outcome, frozenset[Any]]] = {}
        self._changed: set[Any] = set()
        _, self._of_module = self._looking(roots.run_module)
        roots.forget_rebound_globals(self._it)
        _, asked = self._looking(roots.forget_changed_globals)
        self._of_module |= asked
        self._it.base = root_isolation.Base(self._it)
        self._steps = self._it.steps
        self.runs = 0
        self.analysis = self._run()

    @property
    def module(self) -> ir.Module:
        """That of the text as it is."""
        return self._watch.module

    def function_at(self, start: int) -> ir.Function:
        return next(one for one in self.module.functions if one.start == start)

    def class_at(self, within: int, name: str) -> ir.Class:
        """A class of the top level, by its name and where its decorators or itself begin."""
        return next(
            node.cls
            for node in self.module.body
            if type(node) is ir.DefineClass and node.start >= within and node.cls.name == name
        )

    def after(
        self,
        function: ir.Function,
        new: ir.Function,
        imports: Imports,
        cancelled: Callable[[], None] | None,
    ) -> Analysis | None:
        """The analysis with the body of `new` in a function of the top level, or a method of a class there, whose header is
        the same.  After None, and after an exception other than that of `cancelled`, this is of no use any more.
        """
        if EVERYTHING in self._of_module or not self._sees_the_same(imports):
            return None
        rebound = roots.rebound_globals(function)
        changed = self._watch.replace(function, new)
        if roots.rebound_globals(function) != rebound or not self._of_module.isdisjoint(changed):
            return None
        self._changed |= changed
        self._it.imports, self._it.cancelled = imports, cancelled
        self.analysis = self._run()
        return self.analysis

    def close(self) -> None:
        """Lets go of everything at once: it holds itself in circles."""
        self._watch.end()
        for _, outcome, _ in self._outcomes.values():
            release(outcome.found.new.get("scopes", []))
        if self._it.base is not None:
            release(self._it.base.own["scopes"])
        self._outcomes.clear()
        vars(self._it).clear()

    def _run(self) -> Analysis:
        it = self._it
        roots.starts_over(it)
        self.runs = 0
        outcomes = []
        for number, node in enumerate(roots.units(self._watch.module), 1):
            outcome = self._outcome(number, node)
            if outcome is not None:
                outcomes.append(outcome)
                roots.goes_before(it, outcome)
        self._changed.clear()
        roots.put_together(it, outcomes)
        it.steps = self._steps + sum(outcome.steps for outcome in outcomes)
        return it.finish()

    def _outcome(self, number: int, node: ir.Class | ir.Function) -> roots.Outcome | None:
        it = self._it
        if roots.is_run_by_calls(it, node):
            return None
        kept = self._outcomes.get(node)
        if kept is not None:
            at, outcome, touched = kept
            is_same = EVERYTHING not in touched and touched.isdisjoint(self._changed)
            if is_same and at == number and roots.would_find_the_same(it, outcome):
                return outcome
        outcome, touched = self._looking(lambda it: roots.run_unit(it, number, node))
        self.runs += 1
        self._outcomes[node] = number, outcome, touched
        return outcome

    def _looking(self, run: Callable[[Any], Any]) -> tuple[Any, frozenset[Any]]:
        """What something gives, and the functions that it looked into."""
        self._watch.touched = touched = set()
        try:
            return run(self._it), frozenset(touched)
        finally:
            self._watch.touched = None

    def _sees_the_same(self, imports: Imports) -> bool:
        """Are the other files what they were?"""
        it = self._it
        return all(
            imports.module(name, importer) is (None if info is None else info.ir)
            for (name, importer), info in it.modules.items()
            if (name, importer) not in it.refused
        )
