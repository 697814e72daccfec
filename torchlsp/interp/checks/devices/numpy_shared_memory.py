"""Detects writes through an array or a tensor that change the other one.

`from_numpy`, `as_tensor` and `numpy()` copy nothing. Reported is a write through one of two names while the other one is still
read later. Where the memory is certainly shared on purpose (all of it is overwritten, or it is shared before a loop that fills
it) nothing is reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import Origin, Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model.liveness import is_used_later, statements_after
from torchlsp.interp.model.reporting import fault
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.reading import is_read

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_CONVERSIONS = frozenset(
    "torch.from_numpy torch.as_tensor torch.asarray Tensor.numpy Tensor.__array__ numpy.asarray".split()
)
_FILLS = frozenset("copy_ fill_ zero_ normal_ uniform_ random_ bernoulli_ exponential_ set_".split())
_MAX_ORIGINS = 12
_NAMES_PER_STEP = 100
"""How many names are looked at in the time of a step."""


def evaluate_from_numpy(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `torch.from_numpy(x)`, after which an unknown `x` is known to be an array."""
    name = node.args[0].id if type(node) is ir.Call and node.args and type(node.args[0]) is ir.Name else None
    given = arguments.positional[0] if arguments.positional else None
    if name is not None and type(given) in (v.Unknown, v.OneOf, v.Parameter):
        array = v.ArrayValue(storage=Storage(frozenset({f"array@{it.frame.site}:{node.start}"})))
        it.replace(given, array) if type(given) is v.Parameter else it.state.set(
            it.scope_of(name).variables, name, array
        )
        arguments = Arguments((array, *arguments.positional[1:]), arguments.keywords)
    row = ops.operator("torch.from_numpy")
    return UNKNOWN_VALUE if row is None else it.apply_row(row, "torch.from_numpy", arguments, node)


def report_shared_write(it: Evaluator, target: TensorFact | v.ArrayValue, alias: str, node: ir.Node) -> None:
    """Reports an in-place write through the name `alias` where a name of the other kind shares the memory."""
    if target.storage.ids is None or len(target.storage.ids) != 1 or _fills(node):
        return
    is_array = type(target) is v.ArrayValue
    it.steps += len(it.frame.scope.variables) // _NAMES_PER_STEP
    other_kind = TensorFact if is_array else v.ArrayValue
    for name, twin in it.frame.scope.variables.items():
        if type(twin) is not other_kind or name == alias:
            continue
        if twin.storage.may_share(target.storage) is not Tri.YES:
            continue
        of_twin = _conversion(twin)
        shared = of_twin or _conversion(target)
        if shared is None or shared.path != it.frame.module.path or _is_in_a_later_loop(it, shared, node):
            continue
        if not is_used_later(it.frame, name, node) or of_twin is None and not _is_read_later(it, name, node):
            continue
        fault(
            it, FaultKind.TWIN_WRITTEN, node, shared.op,
            input=twin if isinstance(twin, TensorFact) else target, name=name, alias=alias, shared=shared, array=is_array,
        )  # fmt: skip
        return


def _conversion(value: TensorFact | v.ArrayValue) -> Origin | None:
    """Returns the last call that shared the memory of this value between an array and a tensor."""
    for _ in range(_MAX_ORIGINS):
        origin = value.origin
        if origin is None or origin.merged:
            return None
        if origin.op in _CONVERSIONS:
            return origin
        if not origin.parents or origin.parents[0].storage.may_share(value.storage) is not Tri.YES:
            return None
        value = origin.parents[0]
    return None


def _fills(node: ir.Node) -> bool:
    """Returns whether a write overwrites all of the memory, as buffers are refilled.

    `a[:] = …` and `t.copy_(…)` do.
    """
    match node:
        case ir.Subscript(index=ir.Slice(lower=None, upper=None, step=None)):
            return True
        case ir.Subscript(index=ir.Constant(value=value)):
            return value is Ellipsis
        case ir.Call(function=ir.Attribute(name=name)):
            return name in _FILLS
    return False


def _is_in_a_later_loop(it: Evaluator, shared: Origin, node: ir.Node) -> bool:
    """Returns whether the write is in a loop that the conversion is outside of."""
    function = it.frame.function
    to_visit = list(it.frame.module.ir.body if function is None else function.body)
    while to_visit:
        statement = to_visit.pop()
        if not statement.start <= node.start < statement.end:
            continue
        if isinstance(statement, ir.For | ir.While) and not statement.start <= shared.start < statement.end:
            return True
        for part in ("body", "orelse", "final"):
            to_visit.extend(getattr(statement, part, ()) or ())
        for part in ("handlers", "cases"):
            for inner in getattr(statement, part, ()) or ():
                to_visit.extend(inner.body)
    return False


def _is_read_later(it: Evaluator, name: str, node: ir.Node) -> bool:
    """Returns whether a name is read later.

    For a script's top level, `is_used_later` says yes to every name.
    """
    function = it.frame.function
    if function is not None:
        return True
    return any(is_read((one,), name) for one in statements_after(it.frame.module.ir.body, node.end))


HOOKS = Hooks(external_result={"torch.from_numpy": evaluate_from_numpy})
