"""Detects attributes that modules do not have: those of tensors, misspelt methods, a missing `forward`."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.model import classes, heap_access
from torchlsp.interp.store.heap_keys import OF_ROOT
from torchlsp.program import ir
from torchlsp.program.reading import reads_name
from torchlsp.program.walking import walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

NOT_OF_MODULES = {
    "device": ".device", "dtype": ".dtype", "is_cuda": ".is_cuda", "shape": "", "ndim": "", "grad": "", "requires_grad": "",
    "named_params": "named_parameters", "params": "parameters", "num_parameters": "", "weights": "weight",
}  # fmt: skip
"""Names that tensors or other frameworks' models have and torch's modules do not, with what is meant: a method, or an attribute
of a parameter."""
_ASKS = frozenset({"hasattr", "getattr"})
_SETS_BY_NAME = frozenset({"setattr", "__dict__", "vars", "__setattr__", "hasattr", "register_buffer"})


def report_layer_attribute(it: Evaluator, layer: v.LayerValue | v.Wrapped, name: str, node: ir.Node) -> None:
    """Reports an attribute of a torch layer that neither the layer nor the program defines."""
    if not isinstance(layer, v.LayerValue) or not layer.qualname.startswith("torch.nn."):
        return
    if name == "weights" or heap_access.may_be_changed(it, layer.ref):
        return
    _report(it, name, layer.qualname, node)


def report_instance_attribute(it: Evaluator, instance: v.InstanceValue, name: str, node: ir.Node) -> None:
    """Reports an attribute that modules lack, of an object of the workspace with known creation and bases."""
    cls = instance.cls
    if (
        name == "weights"
        or instance.ref.startswith(OF_ROOT)
        or not _is_plain(cls)
        or heap_access.may_be_changed(it, instance.ref)
    ):
        return
    if name in it.main.ir.changed_attributes or _is_set_by_name(cls):
        return
    _report(it, name, cls.ir.name, node)


def _report(it: Evaluator, name: str, module: str, node: ir.Node) -> None:
    if any(_asks_first(frame.function) for frame in it.frames):
        return
    data = (("name", name), ("module", module), ("instead", NOT_OF_MODULES[name]))
    op = f"{module}.{name}"
    it.report([Fault(FaultKind.MODULE_ATTRIBUTE, node.start, node.end, op, data, path=it.frame.module.path)])


def report_missing_forward(it: Evaluator, instance: v.InstanceValue, node: ir.Node) -> None:
    """Reports the call of a module without `forward`, with the method that may be a misspelt one."""
    cls = instance.cls
    if instance.ref.startswith(OF_ROOT) or not _is_plain(cls) or heap_access.may_be_changed(it, instance.ref):
        return
    if not any(isinstance(base, v.External) and base.name == "torch.nn.Module" for base in classes.mro(cls)):
        return
    if (
        (instance.ref, "forward") in it.state.heap
        or "forward" in it.main.ir.changed_attributes
        or _is_set_by_name(cls)
    ):
        return
    methods = [
        name for base in classes.mro(cls) if isinstance(base, v.ClassValue) for name in base.ir.methods
    ]
    defined = {
        name for base in classes.mro(cls) if isinstance(base, v.ClassValue) for name in base.scope.variables
    }
    if not defined.isdisjoint(("forward", "__call__")) or not {"forward", "__call__"}.isdisjoint(methods):
        return
    close = get_close_matches("forward", [name.lower() for name in methods], 1, 0.75)
    written = next((name for name in methods if close and name.lower() == close[0]), "")
    data = (("module", cls.ir.name), ("close", written))
    it.report(
        [Fault(FaultKind.NO_FORWARD, node.start, node.end, cls.ir.name, data, path=it.frame.module.path)]
    )


def _is_plain(cls: v.ClassValue) -> bool:
    """Returns whether the class is a module all of whose bases are known, none of which overrides attribute
    lookup."""
    has_module = False
    for base in classes.mro(cls):
        if isinstance(base, v.ClassValue):
            if base.ir is None or base.ir.decorators or base.ir.keywords or base.scope is None:
                return False
            if not base.ir.methods.keys().isdisjoint(
                ("__getattr__", "__getattribute__", "__new__", "__setattr__")
            ):
                return False
        elif not isinstance(base, v.External) or base.name not in (
            "torch.nn.Module",
            "abc.ABC",
            "builtins.object",
        ):
            return False
        else:
            has_module = has_module or base.name == "torch.nn.Module"
    return has_module


def _is_set_by_name(cls: v.ClassValue) -> bool:
    """Returns whether a method of the class may set attributes by names that are not visible."""
    for base in classes.mro(cls):
        if isinstance(base, v.ClassValue):
            for method in base.ir.methods.values():
                for node in walk(method.body):
                    name = (
                        node.id if type(node) is ir.Name else node.name if type(node) is ir.Attribute else ""
                    )
                    if name in _SETS_BY_NAME:
                        return True
    return False


def _asks_first(function: ir.Function | None) -> bool:
    """Returns whether the function reads attributes by `hasattr` or `getattr`, so that a missing one may be
    expected."""
    return function is not None and reads_name(function.body, _ASKS)
