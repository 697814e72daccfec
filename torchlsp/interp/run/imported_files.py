"""Imports other files of the workspace: finds the value of a name in them, and runs their bodies as far as it is needed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.torch_names import canonical
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.evaluate import statements
from torchlsp.interp.model import heap_values, later_changes, top_level_names
from torchlsp.interp.run import initialised_objects
from torchlsp.interp.store.budget import BudgetExceeded
from torchlsp.interp.store.frame import Frame, ModuleInfo
from torchlsp.interp.store.heap_keys import ATTRIBUTES
from torchlsp.interp.store.state import MISSING, MODES
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.run.interpreter import Interpreter

STEPS_ON_MODULES = 20_000
"""Steps that the bodies of imported files may take together."""
MAX_MODULES, MAX_STARS = 40, 8
"""How many files are read to analyse one; how many star imports are searched for a name: a package may have a thousand."""


def _names_without_run(info: ModuleInfo) -> top_level_names.Known:
    """Returns what is known of the names of a file before it is run."""
    memo = info.ir.memo
    known = memo.get("known names")
    if known is None:
        known = memo["known names"] = top_level_names.known_names(info.ir)
    return known


def imported_module(it: Interpreter, name: str) -> ModuleInfo | None:
    """Returns the file that the running file imports by this name; None if it is not in the workspace."""
    importer = it.frame.module.path
    key = (name, importer)
    if key not in it.modules:
        if len(it.by_path) >= MAX_MODULES:
            it.refused.add(key)
        found = None if key in it.refused else it.imports.module(name, importer)
        it.modules[key] = None if found is None else it.module_info(found)
    return it.modules[key]


def run_module(it: Interpreter, info: ModuleInfo) -> None:
    """Runs another file's body, once, without recording its faults and events."""
    if info.executed or info.running:
        return
    if it.spent_on_modules > STEPS_ON_MODULES:
        info.executed = True
        return
    info.running = True
    try:
        _run_for_all(it, info, lambda: it.block(node for node in info.ir.body if node not in info.had))
    finally:
        info.executed, info.running = True, False
        for name in sorted(info.ir.rebound_globals):
            info.scope.variables[name] = UNKNOWN_VALUE


def _run_assignment(it: Interpreter, info: ModuleInfo, name: str, node: ir.Assign | ir.Annotated) -> Value:
    """Runs one assignment of another file's top level without the rest; returns the value of the name."""
    if node in info.had or it.spent_on_modules > STEPS_ON_MODULES:
        return UNKNOWN_VALUE
    info.had.add(node)
    _run_for_all(it, info, lambda: it.block((node,)))
    return info.scope.variables.get(name, UNKNOWN_VALUE)


def _run_for_all(it: Interpreter, info: ModuleInfo, run: Callable[[], object]) -> None:
    """Runs statements of another file for all roots, without recording their faults and events."""
    with _kept_for_all_roots(it):
        _run_at_top_level(it, info, run if it.base is None else lambda: _run_before_functions(it, run))


def _run_before_functions(it: Interpreter, run: Callable[[], object]) -> None:
    """Runs statements of another file that have run before the function that needs them, as any methods of their objects may."""
    before = set(it.classes)
    try:
        run()
    finally:
        made = [ref for ref in it.classes if ref not in before]
        for ref in made:
            for name in it.state.heap.get((ref, ATTRIBUTES), ()):
                if later_changes.is_changed_in_its_file(it.classes[ref], name):
                    heap_values.put_attribute(it, ref, name, UNKNOWN_VALUE)
        initialised_objects.forget_changed_by_methods(it, made)


def _kept_for_all_roots(it: Interpreter) -> AbstractContextManager[None]:
    """Returns a context whose changes are kept when the running root ends."""
    return nullcontext() if it.base is None else it.base.for_all(it)


def _run_at_top_level(it: Interpreter, info: ModuleInfo, run: Callable[[], object]) -> None:
    steps, limit, silent = it.steps, it.limit, it.silent
    file_limit, rehearsed = it.file_limit, it.rehearsed
    traces, buffers = len(it.recorder.stack), len(it.buffers)
    frames, frame, modes = it.frames, it.frame, dict(it.state.modes)
    mark = it.state.mark()
    it.frames = []
    it.silent += 1
    it.recorder.open()
    it.state.modes.update(MODES)
    try:
        it.limit = it.steps + it.limits.steps_per_root + 4 * len(info.ir.body)
        # Other files do not depend on what the code that imports them has left, and cost it nothing.
        it.file_limit, it.rehearsed = it.steps + it.limits.steps_of_bodies, 0
        it.push(Frame(None, info.scope, info, f"m{info.index}", mark, is_root=True))
        run()
    except BudgetExceeded:
        pass
    finally:
        it.frames, it.frame = frames, frame
        it.state.modes.update(modes)
        del it.recorder.stack[traces:], it.buffers[buffers:]
        # the changes of the body hold on every path of the file that first needed it
        del it.state.journal[mark:]
        it.silent = silent
        it.spent_on_modules += it.steps - steps
        it.steps, it.limit = steps, limit
        it.file_limit, it.rehearsed = file_limit, rehearsed


def resolve_import(it: Interpreter, imported: v.Imported) -> Value:
    """Returns the value of an imported name."""
    info = imported_module(it, imported.module)
    if imported.attribute is None:
        return v.External(imported.module) if info is None else v.WorkspaceModule(imported.module, info)
    if info is None:
        return v.External(canonical(f"{imported.module}.{imported.attribute}"))
    known = _names_without_run(info)
    if known.stars is Tri.UNKNOWN and imported.attribute not in known.bound:
        # A name that is imported for type checkers only does not hide a file.
        return _submodule(it, imported) or module_member(it, info, imported.attribute)
    found = module_member(it, info, imported.attribute)
    return found if found != UNKNOWN_VALUE else _submodule(it, imported) or found


def _submodule(it: Interpreter, imported: v.Imported) -> Value | None:
    dots = imported.module.endswith(".")
    found = imported_module(it, f"{imported.module}{'' if dots else '.'}{imported.attribute}")
    return None if found is None else v.WorkspaceModule(imported.attribute or "", found)


def module_member(it: Interpreter, info: ModuleInfo, name: str) -> Value:
    """Returns the value of a name of another file's top level.

    A definition is evaluated alone; for any other name the file's body is run, if that can bind it. A name that functions of the file
    rebind is unknown.
    """
    if name in info.ir.rebound_globals and not info.running:
        return UNKNOWN_VALUE
    value = info.scope.variables.get(name, MISSING)
    known = _names_without_run(info) if value is MISSING else None
    alone = known.definitions.get(name) if known is not None and not info.executed else None
    if isinstance(alone, ir.Assign | ir.Annotated):
        if not info.running:
            value = _run_assignment(it, info, name, alone)
    elif alone is not None:
        mark, steps, limit = it.state.mark(), it.steps, it.limit
        file_limit, rehearsed = it.file_limit, it.rehearsed
        frame = Frame(None, info.scope, info, f"m{info.index}", mark, is_root=True)
        it.push(frame)
        it.limit = steps + it.limits.steps_per_root
        it.file_limit, it.rehearsed = steps + it.limits.steps_of_bodies, 0
        try:
            with _kept_for_all_roots(it):
                value = alone if isinstance(alone, v.Imported) else statements.evaluate_definition(it, alone)
            info.scope.variables[name] = value
        finally:
            it.pop()
            # The first use of a name costs no more than others; a class keeps its methods when the code that used it is left.
            it.steps, it.limit = steps, limit
            it.file_limit, it.rehearsed = file_limit, rehearsed
            del it.state.journal[mark:]
    if value is MISSING and known is not None and (known.stars is not Tri.NO or name in known.bound):
        run_module(it, info)
        value = info.scope.variables.get(name, MISSING)
    if value is MISSING:
        value = star_imported(it, info, name)
    if type(value) is v.Imported:
        # A name of a circular import, even from its own file, is unknown.
        info.scope.variables[name] = UNKNOWN_VALUE
        it.push(Frame(None, info.scope, info, f"m{info.index}", it.state.mark(), is_root=True))
        try:
            value = resolve_import(it, value)
        finally:
            it.pop()
        info.scope.variables[name] = value
    return value


def star_imported(it: Interpreter, info: ModuleInfo, name: str) -> Value:
    """Returns the value of a name that a file may have from its star imports."""
    stars, info.stars = info.stars, []
    value: Value = UNKNOWN_VALUE
    if not name.startswith("_") and len(stars) <= MAX_STARS:
        it.push(Frame(None, info.scope, info, f"m{info.index}", it.state.mark(), is_root=True))
        try:
            for module in reversed(stars):
                found = imported_module(it, module)
                if found is not None and value == UNKNOWN_VALUE:
                    value = module_member(it, found, name)
        finally:
            it.pop()
    info.stars = stars
    info.scope.variables[name] = value
    return value
