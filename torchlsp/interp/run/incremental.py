"""Updates the analysis of a file after a change of one function, by running the roots that it affects.

The result is exactly that of a whole analysis of the new text.  A root depends on the functions that it has read, which
`program.watching` records; on the module's body, which must not have read the changed function; on what is collected from
the text as a whole, which is compared; on other files, which must be the same; and on roots before it, for which see
`roots.would_find_the_same`.  If one of these does not hold, `IncrementalAnalysis.after` returns None, and the file must be
analysed as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from torchlsp.facts.fault import Fault
from torchlsp.facts.tensor import Origin
from torchlsp.interp.checks.api.loaded_files import LoadedFiles
from torchlsp.interp.run import root_isolation, roots
from torchlsp.interp.run.main_program import MainProgram, begin_of
from torchlsp.interp.run.recording import RecordingInterpreter
from torchlsp.interp.store.analysis import release
from torchlsp.interp.store.budget import FOR_FINDINGS, Imports, Limits
from torchlsp.interp.store.entry_facts import NO_ENTRIES, Entries
from torchlsp.interp.store.heap_keys import BACKWARD, SAVED
from torchlsp.interp.store.state import MISSING
from torchlsp.program import ir
from torchlsp.program.watching import EVERYTHING, Touched, Watch

if TYPE_CHECKING:
    from torchlsp.facts.torch_names import TorchNames
    from torchlsp.interp.run.interpreter import Interpreter
    from torchlsp.interp.store.analysis import Analysis

Result = TypeVar("Result")


def _names(outcome: roots.Outcome, backward: Origin) -> bool:
    """Returns whether a fault names the last backward pass before the root, of which else only the existence matters."""
    faults: dict[object, Fault] = outcome.found.new.get("faults", {})
    return any(("backward", backward) in fault.data for fault in faults.values())


def _asks_for(outcome: roots.Outcome, file: str) -> bool:
    """Returns whether a root has asked what the program has saved in a file."""
    return file in outcome.found.new.get("states", {}).get(LoadedFiles, {}).get("asked", ())


class IncrementalAnalysis:
    """The analysis of a file, with what is needed to update it.

    `analysis` is that of the present text; `runs` counts the roots that the last update has run.
    """

    def __init__(
        self,
        module: ir.Module,
        imports: Imports,
        wanted_calls: frozenset[str],
        cancelled: Callable[[], None] | None,
        api: TorchNames | None,
        observed: Entries = NO_ENTRIES,
        limits: Limits = FOR_FINDINGS,
    ) -> None:
        """Analyses the whole file.  Raises what `cancelled` raises."""
        self._watch = Watch(module)
        self._it = RecordingInterpreter(
            module, imports, wanted_calls, False, cancelled, api, observed, limits
        )
        self._outcomes: dict[
            tuple[ir.Class | ir.Function, bool], tuple[int, roots.Outcome, frozenset[Touched]]
        ] = {}
        """By root, and whether it begins with what a recorded run has seen."""
        self._changed: set[object] = set()
        self._reads: dict[ir.Function, frozenset[str]] = {}
        """The names of the module that each function reads, where they are asked for."""
        begin = begin_of(module, self._reads)
        self._program, self._of_module = self._watched(lambda it: roots.run_module(it, begin))
        self._first: tuple[roots.Outcome, frozenset[Touched]] | None = None
        """The outcome of the main program."""
        self._steps = self._it.steps
        self._spare = self._it.body_spare
        """What the module's body has left of its steps; that of a main program of its own is not in it."""
        program = self._program
        if program is not None and not self._runs_program(program):
            program, self._steps, self._spare = None, self._it.steps, self._it.body_spare
        with nullcontext() if program is None else program.watching_what_is_forgotten(self._it):
            roots.forget_rebound_globals(self._it)
            _, asked = self._watched(roots.forget_changed_globals)
        self._of_module |= asked
        self._it.base = root_isolation.Base(self._it, None if program is None else program.steps_of_copies)
        self.runs = 0
        self.analysis = self._run()

    @property
    def module(self) -> ir.Module:
        """The module of the present text."""
        return self._watch.module

    def function_at(self, start: int) -> ir.Function:
        """Returns the function whose definition begins at a position."""
        return next(one for one in self.module.functions if one.start == start)

    def class_at(self, within: int, name: str) -> ir.Class:
        """Returns the top-level class of this name that begins at `within` or later, decorators included."""
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
        """Returns the analysis with the body of `new` in a function; None if all must be analysed again.

        The function is one of the top level, or a method of a class there, and its header is the same.  After None, and
        after an exception other than that of `cancelled`, this object cannot be used any more.
        """
        if EVERYTHING in self._of_module or not self._sees_the_same(imports):
            return None
        self.runs = 0
        rebound = roots.rebound_globals(function)
        changed = self._watch.replace(function, new)
        if roots.rebound_globals(function) != rebound or not self._of_module.isdisjoint(changed):
            return None
        self._changed |= changed
        self._reads.pop(function, None)
        self._it.imports, self._it.cancelled = imports, cancelled
        if not self._updates_program():
            return None
        self.analysis = self._run()
        return self.analysis

    def close(self) -> None:
        """Frees everything at once by breaking its reference cycles."""
        self._watch.end()
        for _, outcome, _ in self._outcomes.values():
            release(outcome.found.new.get("scopes", []))
        if self._first is not None:
            release(self._first[0].found.new.get("scopes", []))
        if self._it.base is not None:
            release(self._it.base.own["scopes"])
        self._outcomes.clear()
        self._program = self._first = None
        vars(self._it).clear()

    def _run(self) -> Analysis:
        it = self._it
        roots.reset_shared_budget(it)
        outcomes, observed, left_out = [], [], []
        if self._first is not None:
            outcomes.append(self._first[0])
            roots.carry_over(it, self._first[0])
        for number, node in enumerate(roots.root_nodes(self._watch.module), 1):
            if roots.is_run_by_calls(it, node):
                self._outcomes.pop((node, False), None)
                continue
            if not it.left:
                self._outcomes.pop((node, False), None)
                left_out.append(node)
                continue
            outcome = self._reused_or_run(number, node)
            outcomes.append(outcome)
            roots.carry_over(it, outcome)
        for number, node in roots.observed_nodes(it):
            if not it.left:
                self._outcomes.pop((node, True), None)
                continue
            outcome = self._reused_or_run(number, node, is_observed=True)
            observed.append(outcome)
            roots.carry_over(it, outcome)
        self._changed.clear()
        roots.merge_outcomes(it, outcomes, observed)
        it.analysis.left_out = left_out
        it.steps = self._steps + sum(outcome.steps for outcome in (*outcomes, *observed))
        return it.finish()

    def _updates_program(self) -> bool:
        """Runs the main program again if it depends on what has changed. Returns whether the body ends as before."""
        limit = self._it.limits.of_body(self._watch.module.size)
        if not self._spare.suffices(limit):
            return False
        program, first = self._program, self._first
        if program is None or first is None:
            return True
        if begin_of(self._watch.module, self._reads) != program.begin:
            return False
        is_same = EVERYTHING not in first[1] and first[1].isdisjoint(self._changed)
        if is_same and self._it.body_spare.suffices(limit):
            return True
        self.runs += 1
        if not self._runs_program(program):
            return False
        if program.has_patched_others:
            self._forget_outcomes(lambda outcome: True)
        for key, (before, after) in program.changed_marks.items():
            if key == ("*", BACKWARD) and MISSING not in (before, after):
                self._forget_outcomes(partial(_names, backward=before))
            elif key[0] == SAVED:
                self._forget_outcomes(partial(_asks_for, file=key[1]))
            else:
                self._forget_outcomes(lambda outcome: True)
        return True

    def _forget_outcomes(self, condition: Callable[[roots.Outcome], bool]) -> None:
        """Has the roots run again whose outcomes fulfil a condition."""
        for key in [key for key, (_, outcome, _) in self._outcomes.items() if condition(outcome)]:
            del self._outcomes[key]

    def _runs_program(self, program: MainProgram) -> bool:
        """Runs the main program; returns whether it is a root of its own. Else it is a part of the module's body."""
        outcome, touched = self._watched(lambda it: roots.run_main_program(it, program))
        if outcome is None:
            self._of_module |= touched
            self._program = self._first = None
            return False
        self._first = outcome, touched
        return True

    def _reused_or_run(
        self, number: int, node: ir.Class | ir.Function, is_observed: bool = False
    ) -> roots.Outcome:
        it = self._it
        kept = self._outcomes.get((node, is_observed))
        if kept is not None:
            at, outcome, touched = kept
            is_same = EVERYTHING not in touched and touched.isdisjoint(self._changed)
            if is_same and at == number and roots.would_find_the_same(it, outcome):
                return outcome
        outcome, touched = self._watched(lambda it: roots.run_root(it, number, node, is_observed))
        self.runs += 1
        self._outcomes[node, is_observed] = number, outcome, touched
        return outcome

    def _watched(self, run: Callable[[Interpreter], Result]) -> tuple[Result, frozenset[Touched]]:
        """Calls `run`; returns its result, and the functions that it has read."""
        touched: set[Touched] = set()
        self._watch.touched = touched
        try:
            return run(self._it), frozenset(touched)
        finally:
            self._watch.touched = None

    def _sees_the_same(self, imports: Imports) -> bool:
        """Returns whether imports find the same files as before."""
        it = self._it
        return all(
            imports.module(name, importer) is (None if info is None else info.ir)
            for (name, importer), info in it.modules.items()
            if (name, importer) not in it.refused
        )
