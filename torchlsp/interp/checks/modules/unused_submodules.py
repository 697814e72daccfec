"""Detects layers and parameters that `__init__` creates and nothing reads, so that they are never trained.

An attribute counts as unused only if nothing can reach it: its name occurs once in the file and in those of the class's
bases, and nowhere are parameters or modules reached without their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import classes, module_tree, parameter_ownership
from torchlsp.interp.store.heap_keys import ATTRIBUTES, BASE
from torchlsp.interp.store.lifetimes import first_wins, gathered, running_state
from torchlsp.program import ir
from torchlsp.program.walking import nodes

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator


_DDP = "DistributedDataParallel"
"""Of modules that are wrapped in it, a rule of its own reports what is unused, and what follows from that."""
_SAFE_WITH_SELF = frozenset({"super", "isinstance", "print", "type", "id", "len", "repr", "hash"})


ClassParts = tuple[ir.Class, dict[str, ir.Node], frozenset[str], tuple[ir.Module, ...]]
"""A class, where its trainable attributes that share no part with others are set, all that are trainable, and the files of its
bases."""


@running_state
class UnusedSubmodules:
    """The trainable parts of each class of the checked file of which an object was created."""

    parts: dict[str, ClassParts | None] = gathered(dict, first_wins)
    """By the ref of the class; None where nothing is known, or nothing can be unused."""


def record_trainable_parts(it: Evaluator, instance: v.InstanceValue) -> None:
    """Records which attributes of a new object are trainable, for each class of the checked file."""
    cls = instance.cls
    if (
        cls.ref in it.states[UnusedSubmodules].parts
        or not classes.is_module(cls)
        or cls.scope.module is not it.main
    ):
        return
    it.states[UnusedSubmodules].parts[cls.ref] = _trainable_parts(it, instance)


def _trainable_parts(it: Evaluator, instance: v.InstanceValue) -> ClassParts | None:
    cls, heap = instance.cls, it.state.heap
    order = classes.mro(cls)
    own = [base for base in order if isinstance(base, v.ClassValue)]
    others = {getattr(base, "name", "") for base in order if not isinstance(base, v.ClassValue)}
    if others - {"builtins.object"} != {"torch.nn.Module"}:
        return None
    if any(base.ir.decorators or base.ir.keywords for base in own) or (instance.ref, BASE) in heap:
        return None
    init = classes.find_method(cls, "__init__")
    if init is None or init[0] is not cls or not init[1].params:
        return None
    if classes.find_method(cls, "forward") is None:
        return None
    attributes: dict[str, Value] = {
        name: heap.get((instance.ref, name), UNKNOWN_VALUE)
        for name in heap.get((instance.ref, ATTRIBUTES), ())
    }
    learning = {
        name for name, value in attributes.items() if parameter_ownership.has_trainable_parameters(it, value)
    }
    set_up = {
        name: place
        for name, place in parameter_ownership.created_in_init(init[1]).items()
        if name in learning
    }
    if len(learning) < 2 or not set_up:
        return None
    apart: dict[str, ir.Node] = {}
    parts = {
        name: {part.ref for part in module_tree.submodules(it, value)} for name, value in attributes.items()
    }
    holders = Counter(ref for refs in parts.values() for ref in refs)
    for name, place in set_up.items():
        if all(holders[ref] == 1 for ref in parts[name]):
            apart[name] = place
    files = {base.scope.module.path: base.scope.module.ir for base in own}
    return cls.ir, apart, frozenset(learning), tuple(files.values())


def unread_submodules(analysis: Analysis) -> Iterator[Fault]:
    """Yields the trainable attributes of modules that nothing reads."""
    found = [
        part for part in analysis.states[UnusedSubmodules].parts.values() if part is not None and part[1]
    ]
    if not found or analysis.module is None:
        return
    for cls, set_up, learning, files in found:
        mentioned = _mentioned({file.path: file for file in (analysis.module, *files)}.values())
        if mentioned is None or _passes_itself_on(cls) or _is_derived_from(analysis.module, cls):
            continue
        if all(mentioned.count(name) == 1 for name in learning):
            continue  # a sketch of a module
        for name, place in set_up.items():
            if mentioned.count(name) == 1:
                data = (("name", name), ("cls", cls.name))
                yield Fault(
                    FaultKind.UNREAD_PART, place.start, place.end, "torch.nn.Module", data, path=analysis.path
                )


def _mentioned(files: Iterable[ir.Module]) -> list[str] | None:
    """Returns every attribute that the files name; None when they reach modules without naming them, too."""
    names: list[str] = []
    for file in files:
        harmless = _harmless_listings(file)
        wrappers: set[str] = set()
        for node in nodes(file.body):
            if type(node) is ir.Import:
                wrappers.update(bound for bound, _, name in node.names if name == _DDP)
            elif type(node) is ir.Name:
                if node.id in parameter_ownership.INDIRECT_ACCESS or node.id in wrappers:
                    return None
            elif type(node) is ir.Attribute:
                if node.name == _DDP:
                    return None
                if node.name in parameter_ownership.INDIRECT_ACCESS and id(node) not in harmless:
                    if not (
                        node.name == "join" and parameter_ownership.is_string_or_path_receiver(node.object)
                    ):
                        return None
                names.append(node.name)
            elif type(node) is ir.Function and node.name in parameter_ownership.INDIRECT_ACCESS:
                return None
            elif type(node) is ir.Constant and isinstance(node.value, str):
                names.extend(node.value.replace(".", " ").split())
            elif (
                type(node) is ir.Call
                and type(node.function) is ir.Name
                and node.function.id in ("getattr", "hasattr")
            ):
                if len(node.args) < 2 or type(node.args[1]) is not ir.Constant:
                    return None
    return names


def _harmless_listings(file: ir.Module) -> set[int]:
    """Returns the `modules` of loops such as `for m in self.modules(): if isinstance(m, …): init(m.weight)`, by identity.

    Such a loop asks the modules for their class and attributes, and neither calls nor keeps them.
    """
    found: set[int] = set()
    for node in nodes(file.body):
        if type(node) is not ir.For:
            continue
        call = node.iterable
        function = call.function if type(call) is ir.Call else None
        if type(function) is not ir.Attribute or function.name not in (
            "modules",
            "named_modules",
            "named_parameters",
        ):
            continue
        targets = {part.id for part in nodes((node.target,)) if type(part) is ir.Name}
        allowed: set[int] = set()
        for inner in nodes(node.body):
            if type(inner) is ir.Attribute:
                allowed.add(id(inner.object))
            elif (
                type(inner) is ir.Call
                and type(inner.function) is ir.Name
                and inner.function.id in ("isinstance", "print")
            ):
                allowed.update(id(argument) for argument in inner.args)
        used = (part for part in nodes(node.body) if type(part) is ir.Name and part.id in targets)
        if all(id(use) in allowed for use in used):
            found.add(id(function))
    return found


def _passes_itself_on(cls: ir.Class) -> bool:
    """Returns whether a method passes its object to something unknown."""
    for method in cls.methods.values():
        own = method.params[0].name if method.params else ""
        allowed: set[int] = set()
        for node in nodes(method.body):
            if type(node) is ir.Attribute:
                allowed.add(id(node.object))
            elif (
                type(node) is ir.Call
                and type(node.function) is ir.Name
                and node.function.id in _SAFE_WITH_SELF
            ):
                allowed.update(id(arg) for arg in node.args)
            elif type(node) is ir.Return and type(node.value) is ir.Name:
                allowed.add(id(node.value))
        if any(
            type(inner) is ir.Name and inner.id == own and id(inner) not in allowed
            for inner in nodes(method.body)
        ):
            return True
    return False


def _is_derived_from(file: ir.Module, cls: ir.Class) -> bool:
    """Returns whether a class of the file derives from this one, and may use the attribute."""
    return any(
        type(base) in (ir.Name, ir.Attribute)
        and cls.name in (getattr(base, "id", ""), getattr(base, "name", ""))
        for other in file.classes
        for base in other.bases
    )


def _initialised(it: Evaluator, instance: v.InstanceValue, cls: ir.Class, init: ir.Function) -> None:
    record_trainable_parts(it, instance)


HOOKS = Hooks(class_initialised=_initialised)
