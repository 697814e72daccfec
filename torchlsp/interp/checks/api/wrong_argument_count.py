"""Detects calls with too few or too many arguments: of torch's Python functions, of layers, and of the program's own modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.signatures import parameters
from torchlsp.facts.tensor import Origin
from torchlsp.interp.checks.api.torch_api import PatchedNames, is_version_tested, likely_name
from torchlsp.interp.checks.autograd.forward_hooks import ForwardHooks
from torchlsp.interp.checks.hooks import ANY, Hooks
from torchlsp.interp.model import classes
from torchlsp.interp.model.module_tree import CONTAINERS
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import LayerState
from torchlsp.program import ir
from torchlsp.program.reading import is_stub

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def check_torch_call(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports a call of a function or class of torch with too few or too many arguments."""
    if not name.startswith("torch.") or name.endswith(".forward") or type(node) is not ir.Call:
        return
    if name in CONTAINERS:  # of which another check says that they take one list
        return
    if (
        type(node.function) is not ir.Attribute or node.function.name != "__init__"
    ):  # which is given the object
        _check(it, name, arguments, node)


def check_layer_call(
    it: Evaluator, layer: v.LayerValue, state: LayerState, arguments: Arguments, node: ir.Node
) -> None:
    """Reports a call of a layer with too few or too many arguments."""
    if not it.states[ForwardHooks].hooks and type(node) is ir.Call:
        _check(it, f"{layer.qualname}.forward", arguments, node, layer.origin)


def check_own_call(it: Evaluator, function: v.FunctionValue, arguments: Arguments, node: ir.Node) -> None:
    """Reports a call of a module of the program that does not fit its `forward`, or of its class that does not fit `__init__`.

    The arguments include the object itself.
    """
    definition: ir.Function = function.ir
    owner = arguments.positional[0] if arguments.positional else None
    if (
        type(node) is not ir.Call
        or definition.decorators
        or is_stub(definition)  # what subclasses take is theirs to say
        or not isinstance(owner, v.InstanceValue)
        or not classes.is_module(owner.cls)
        or classes.has_unknown_base(owner.cls)
        or it.states[ForwardHooks].hooks
        or _is_of_subclass(it, node.function)
        or _may_be_overridden(it, function, owner, node.function)
    ):
        return
    called = node.function.name if type(node.function) is ir.Attribute else ""
    if called == definition.name:  # `super().__init__(x)`: which class is next depends on the object's
        return
    params = definition.params
    kinds = {param.kind for param in params}
    ordered = [param.name for param in params if param.kind == "positional"]
    required = frozenset(param.name for param in params if param.default is None)
    if arguments.is_open or kinds & {"variadic", "mapping"}:
        return
    names = [one.name for one in params]
    missing = _missing(ordered, names, required, arguments)
    given = len(arguments.positional)
    start = definition.name_start
    made = Origin(start, start + len(definition.name), "def", (), function.scope.module.path)
    name = owner.cls.ir.name if definition.name == "__init__" else f"{owner.cls.ir.name}.{definition.name}"
    if missing or given > len(ordered):
        _report(it, name, missing, given - 1, len(ordered) - 1, made, arguments, node)
    else:
        _report_keyword(it, name, names, arguments, node)


def _is_of_subclass(it: Evaluator, called: ir.Node) -> bool:
    """Returns whether what is called is the class of an object, which may be a subclass with an `__init__` of its own:
    `self.__class__(…)`, `type(self)(…)`, or `cls(…)` in a class method."""
    match called:
        case ir.Attribute(name="__class__") | ir.Call(function=ir.Name(id="type"), args=(_,)):
            return True
        case ir.Name(id=name):
            function = it.frame.function
            return (
                function is not None
                and bool(function.params)
                and function.params[0].name == name
                and any(isinstance(one, ir.Name) and one.id == "classmethod" for one in function.decorators)
            )
    return False


def _may_be_overridden(
    it: Evaluator, method: v.FunctionValue, owner: v.InstanceValue, called: ir.Node
) -> bool:
    """Returns whether a method calls its own object, `self(x)`, and a subclass may have the `forward` that it means:
    one in the file has its own, or the class has none itself."""
    function = it.frame.function
    if function is None or not function.params or type(called) is not ir.Name:
        return False
    if called.id != function.params[0].name or owner.cls.scope is None:
        return False
    return method.owner != it.frame.owner or any(
        method.ir.name in one.methods
        and any(isinstance(base, ir.Name) and base.id == owner.cls.ir.name for base in one.bases)
        for one in owner.cls.scope.module.ir.classes
    )


def _check(it: Evaluator, name: str, arguments: Arguments, node: ir.Node, made: Origin | None = None) -> None:
    known = None if arguments.is_open else parameters(name)
    if known is None or is_version_tested(it) or _is_replaced(it, name):
        return
    given = len(arguments.positional)
    missing = _missing(known.ordered, (*known.ordered, *known.named), known.required, arguments)
    if it.api is not None:
        missing = tuple(one for one in missing if it.api.always_takes(name, one))
    taken = len(known.ordered)
    if given > taken and it.api is not None:
        taken = max(taken, it.api.most_parameters(name))
    if missing or given > taken:
        _report(it, name, missing, given, taken, made, arguments, node)
    elif name.endswith(".forward"):
        _report_keyword(it, name, (*known.ordered, *known.named), arguments, node)


def _is_replaced(it: Evaluator, name: str) -> bool:
    """Returns whether the program puts something of its own in the place of a function or class of torch."""
    last = name.removesuffix(".forward").rpartition(".")[2]
    return last in it.states[PatchedNames].names or last in it.main.ir.changed_attributes


def _missing(
    ordered: Sequence[str],
    names: Sequence[str],
    required: frozenset[str],
    arguments: Arguments,
) -> tuple[str, ...]:
    """Returns the parameters without a default that a call gives neither by place nor by name.

    There are none where a name is given that is not a parameter: that is reported, and may be the one that is meant.
    """
    keywords = {key for key, _ in arguments.keywords}
    if not keywords <= set(names):
        return ()
    held = {*ordered[: len(arguments.positional)], *keywords}
    return tuple(one for one in names if one in required and one not in held)


def _not_given(names: Sequence[str], arguments: Arguments) -> list[str]:
    """Returns the parameters that a call gives neither by place nor by name."""
    keywords = {key for key, _ in arguments.keywords}
    return [name for name in names[len(arguments.positional) :] if name not in keywords]


def _report_keyword(
    it: Evaluator, name: str, names: Sequence[str], arguments: Arguments, node: ir.Node
) -> None:
    """Reports the first argument of a call that has a name which the callee does not take."""
    keyword = next((key for key, _ in arguments.keywords if key not in names), None)
    if keyword is not None and not keyword.startswith("_"):
        data = (
            ("function", name),
            ("keyword", keyword),
            ("instead", likely_name(keyword, _not_given(names, arguments))),
            ("is_same", False),
            ("later", None),
        )
        it.report(
            [Fault(FaultKind.WRONG_KEYWORD, node.start, node.end, name, data, path=it.frame.module.path)]
        )


def _report(
    it: Evaluator,
    name: str,
    missing: tuple[str, ...],
    given: int,
    taken: int,
    made: Origin | None,
    arguments: Arguments,
    node: ir.Node,
) -> None:
    named = tuple(key for key, _ in arguments.keywords)
    data = (
        ("function", name), ("missing", missing), ("given", given), ("named", named), ("taken", taken), ("defined", made),
    )  # fmt: skip
    it.report([Fault(FaultKind.ARGUMENT_COUNT, node.start, node.end, name, data, path=it.frame.module.path)])


HOOKS = Hooks(external_call={ANY: check_torch_call}, layer_call={ANY: check_layer_call})
