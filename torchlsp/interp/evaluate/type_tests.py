"""Answers comparisons of an object's class: `type(x) is tuple`, `x.__class__.__name__ == "StepLR"`.

Where a value is an instance of a class that is not seen, it is not what it was taken for: nothing is known of it there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.store.heap_keys import OF_OTHER_CLASS
from torchlsp.interp.store.possible_objects import one_of
from torchlsp.ops.modules.class_bases import derives
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

IsInstance = Callable[["Evaluator", Value, Value], Tri]
Narrowing = Callable[["Evaluator"], None]
"""Changes the store to what a test implies on one of its paths."""
_OPERATORS = {"==": True, "is": True, "in": True, "!=": False, "is not": False, "not in": False}


def answer_of(
    it: Evaluator, op: str, node: ir.Compare, left: Value, right: Value, is_instance: IsInstance
) -> Tri:
    """Returns the answer of a comparison of `type(x)`, `x.__class__` or the name of either; else UNKNOWN.

    `is_instance` tells whether a value is an instance of a class.
    """
    holds = _OPERATORS.get(op)
    if holds is None or len(node.ops) > 1:
        return Tri.UNKNOWN
    asked, other = _asked(it, node.left), right
    if asked is None and op not in ("in", "not in"):
        asked, other = _asked(it, node.rights[0]), left
    if asked is None:
        return Tri.UNKNOWN
    subject, by_name = asked
    value = it.eval(subject)
    if isinstance(value, v.InstanceValue | v.LayerValue) and (value.ref, OF_OTHER_CLASS) in it.state.heap:
        return Tri.UNKNOWN
    candidates = (it.elements(other) if op in ("in", "not in") else None) or (other,)
    truth = Tri.NO
    for candidate in candidates:
        truth = truth.either(
            _is_named(value, candidate) if by_name else _is_of(it, value, candidate, is_instance)
        )
    return truth if holds else truth.negated()


def _asked(it: Evaluator, node: ir.Node) -> tuple[ir.Node, bool] | None:
    """Returns the object whose class, or (True) the name of whose class, an expression is; None if it is neither."""
    by_name = type(node) is ir.Attribute and node.name == "__name__"
    if type(node) is ir.Attribute and by_name:
        node = node.object
    if type(node) is ir.Attribute and node.name == "__class__":
        subject = node.object
    elif (
        type(node) is ir.Call
        and type(node.function) is ir.Name
        and len(node.args) == 1
        and it.lookup(node.function.id) == v.External("builtins.type")
    ):
        subject = node.args[0]
    else:
        return None
    return (subject, by_name) if _is_plain(subject) else None


def _is_of(it: Evaluator, value: Value, cls: Value, is_instance: IsInstance) -> Tri:
    found = is_instance(it, value, cls)
    if found is Tri.YES:
        own = _class_name(value)
        if isinstance(value, v.InstanceValue):
            return Tri.of(value.cls == cls)
        return Tri.UNKNOWN if own is None or not isinstance(cls, v.External) else Tri.of(cls.name == own)
    return found


def _is_named(value: Value, name: Value) -> Tri:
    own, text = _class_name(value), v.known(name, str)
    return Tri.UNKNOWN if own is None or text is None else Tri.of(own.rpartition(".")[2] == text)


def _class_name(value: Value) -> str | None:
    """Returns the name of the very class of a value, not of a base; None if it is not known."""
    match value:
        case v.LayerValue(qualname=name) | v.OptimizerValue(qualname=name) | v.Engine(qualname=name):
            return name
        case v.InstanceValue(cls=cls) if cls.ir is not None:
            return cls.ir.name
    return None


# ---- instances of classes that are not seen -----------------------------------------------------------------------------

_BELIEVED = (
    TensorFact, v.ArrayValue, v.ListRef, v.TupleValue, v.DictRef, v.Scalar, v.LayerValue, v.InstanceValue,
)  # fmt: skip
"""Values that a program may ask for their class because they may be something else."""
_OF_ANY_VALUE = ("typing.", "collections.", "numbers.", "abc.", "builtins.")
"""Modules of classes that have instances of all kinds."""


def narrowed_by_call(it: Evaluator, node: ir.Call) -> tuple[tuple[Narrowing, ...], tuple[Narrowing, ...]]:
    """Returns what `isinstance(x, C)`, `issubclass(type(x), C)` or `is_tensor(x)` implies where it holds, and where it does not.

    Of an instance of a class that is not seen nothing is known, nor of an argument that is no tensor though it is used as one.
    """
    function = node.function
    is_named = type(function) is ir.Name or type(function) is ir.Attribute and function.name == "is_tensor"
    if not node.args or node.keywords or not is_named or not _is_plain(function):
        return (), ()
    subject, asks = node.args[0], it.eval(function)
    if asks == v.External("builtins.issubclass"):
        found = _asked(it, subject)
        if found is None or found[1] or len(node.args) != 2:
            return (), ()
        return _forgetting(it, found[0], node.args[1]), ()
    if asks not in (v.External("builtins.isinstance"), v.External("torch.is_tensor")) or not _is_plain(
        subject
    ):
        return (), ()
    no_tensor: tuple[Narrowing, ...] = ()
    if is_only_used_as_tensor(it, it.eval(subject)):
        no_tensor = _forgetting(it, subject, None)
    return _forgetting(it, subject, node.args[1]) if len(node.args) == 2 else (), no_tensor


def is_only_used_as_tensor(it: Evaluator, value: Value) -> bool:
    """Returns whether an argument of a running function is a tensor by its use, not by an annotation."""
    if not isinstance(value, TensorFact) or value.origin is None or value.origin.op != "parameter":
        return False
    ids = value.storage.ids or ()
    functions = [frame.function for frame in it.frames if frame.function is not None]
    params = [param for function in functions for param in function.params]
    return any(param.annotation is None and f"{param.name}@{param.start}" in ids for param in params)


def narrowed_by_comparison(it: Evaluator, op: str, node: ir.Compare) -> tuple[Narrowing, ...]:
    """Returns what `type(x) is C` or `x.__class__.__name__ == "C"` implies where it has the operator's answer."""
    asked, other = _asked(it, node.left), node.rights[0]
    if asked is None and op not in ("in", "not in"):
        asked, other = _asked(it, node.rights[0]), node.left
    if asked is None:
        return ()
    return _forgetting(it, asked[0], None if asked[1] else other)


def forget_believed(it: Evaluator, value: Value) -> None:
    """Forgets what names of the running function are known to hold, where that is this value."""
    if isinstance(value, _BELIEVED):
        it.replace(value, one_of(value))


def _forgetting(it: Evaluator, subject: ir.Node, asked: ir.Node | None) -> tuple[Narrowing, ...]:
    """Returns how a name or an attribute is forgotten that is an instance of an asked class, if that is not seen."""
    value = it.eval(subject)
    if not isinstance(value, _BELIEVED):
        return ()
    if asked is not None:
        classes = it.eval(asked)
        if not any(_is_unseen(cls) or _may_be(value, cls) for cls in it.elements(classes) or (classes,)):
            return ()

    def forget(it: Evaluator) -> None:
        unknown = one_of(value)
        it.replace(value, unknown)
        holder = it.eval(subject.object) if type(subject) is ir.Attribute else None
        if isinstance(holder, v.InstanceValue) and type(subject) is ir.Attribute:
            it.state.set(it.state.heap, (holder.ref, subject.name), unknown)

    return (forget,)


def _is_unseen(cls: Value) -> bool:
    """Returns whether nothing is known of a class, so that its instances may be anything."""
    if not isinstance(cls, v.External):
        return type(cls) is v.Unknown
    if cls.name.startswith("torch."):
        return cls.name.endswith(".PackedSequence")
    return not cls.name.startswith(_OF_ANY_VALUE)


def _may_be(value: Value, cls: Value) -> bool:
    """Returns whether a layer may be an instance of a class, or not: then it is no longer what it was taken for."""
    if type(value) is not v.LayerValue or not isinstance(cls, v.External):
        return False
    return derives(value.qualname, cls.name) is Tri.UNKNOWN


def _is_plain(node: ir.Node) -> bool:
    """Returns whether an expression is a name or an attribute of one: what is evaluated once more has no effects."""
    while type(node) is ir.Attribute:
        node = node.object
    return type(node) is ir.Name
