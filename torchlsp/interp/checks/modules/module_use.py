"""Detects misuse of modules.

That is what is set before `Module.__init__`, parameters that are overwritten, containers and their children, direct calls of
`forward`, and what `load_state_dict` takes and returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.modules import unused_submodules
from torchlsp.interp.checks.modules.layers_made_in_forward import FreshLayers
from torchlsp.interp.model import classes, module_tree
from torchlsp.interp.store.heap_keys import DELETED, GRAD, UNREADY
from torchlsp.ops.libraries import transforms
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.reading import unpacked_from
from torchlsp.program.walking import module_nodes

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

NOT_CALLABLE = frozenset({
    "torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.ParameterList", "torch.nn.ParameterDict",
})  # fmt: skip
"""Containers without `forward`."""
_TUPLE_ATTRIBUTES = frozenset(
    {"count", "index", "_asdict", "_fields", "_replace", "_make", "_field_defaults"}
)


def _report(it: Evaluator, kind: FaultKind, node: ir.Node, op: str, *data: tuple[str, object]) -> None:
    it.report([Fault(kind, node.start, node.end, op, data, path=it.frame.module.path)])


def _origin(it: Evaluator, node: ir.Node, op: str = "") -> Origin:
    """Returns a place of the running code."""
    return Origin(node.start, node.end, op, (), it.frame.module.path)


# ---- what is set before Module.__init__ -----------------------------------------------------------------------------------


def initialise(
    it: Evaluator, method: v.FunctionValue, instance: v.InstanceValue, arguments: Arguments, node: ir.Node
) -> None:
    """Runs `__init__` on a new object and records what it has set up."""
    mark_not_ready(it, instance)
    it.call_function(method, arguments, node)
    module_tree.mark_ready(it, instance)
    unused_submodules.record_trainable_parts(it, instance)


def mark_not_ready(it: Evaluator, instance: v.InstanceValue) -> None:
    """Marks an object as not ready: before Module.__init__ has run, it cannot hold modules or parameters."""
    if classes.is_module(instance.cls) and not _customises_creation(instance.cls):
        it.state.set(it.state.heap, (instance.ref, UNREADY), True)


def _customises_creation(cls: v.ClassValue) -> bool:
    """Returns whether the class or a base of it customises how objects are created or attributes set.

    So does a `super` that is not Python's own: which `__init__` its result runs is not known.
    """
    for base in classes.mro(cls):
        if isinstance(base, v.ClassValue):
            if base.ir is None or base.ir.decorators or base.ir.keywords:
                return True
            if not base.ir.methods.keys().isdisjoint(("__new__", "__setattr__", "__getattribute__")):
                return True
            if base.scope.module.scope.variables.get("super", _SUPER[0]) not in _SUPER:
                return True
    return False


_SUPER = (v.External("builtins.super"), v.Imported("builtins", "super"))
"""What the name `super` may stand for where it is Python's own."""


def report_set_before_init(
    it: Evaluator, instance: v.InstanceValue, name: str, value: Value, node: ir.Node
) -> None:
    """Reports `self.name = value` of a module or a parameter on an object that is not ready."""
    match value:
        case v.LayerValue(qualname=qualname) if qualname not in transforms.PLAIN_CLASSES:
            what = "module"
        case v.InstanceValue(cls=cls) if classes.is_module(cls):
            what = "module"
        case TensorFact(provenance="parameter", grad=grad) if grad.leaf is Tri.YES:
            what = "parameter"
        case _:
            return
    _not_ready(it, instance, name, what, node)


def report_registered_before_init(
    it: Evaluator, module: Value, method: str, arguments: Arguments, node: ir.Node
) -> None:
    """Reports `self.register_buffer(…)` and similar calls on an object that is not ready."""
    if not isinstance(module, v.InstanceValue):
        return
    if it.state.heap.get((module.ref, UNREADY)) is True and arguments.positional:
        what = {"register_buffer": "buffer", "register_parameter": "parameter"}.get(method, "module")
        _not_ready(it, module, v.known(arguments.positional[0], str), what, node)


def _not_ready(it: Evaluator, instance: v.InstanceValue, name: str | None, what: str, node: ir.Node) -> None:
    for frame in reversed(it.frames):
        function = frame.function
        if function is None or function.name != "__init__" or not function.params:
            continue
        if frame.scope.variables.get(function.params[0].name) != instance:
            continue
        if function.decorators:
            return  # which may call `Module.__init__` first
        path = frame.module.path
        body = [one for one in function.body if not _is_text(one)] or list(function.body)
        late = next((one for one in body if one.start > node.start and _calls_init(one)), None)
        early = any(one.start < node.start and _calls_init(one) for one in body)
        first = Origin(body[0].start, body[0].end, "__init__", (), path)
        later = None if late is None else Origin(late.start, late.end, "__init__", (), path)
        cls = instance.cls.ir.name
        if _is_initialised_by_others(frame.module.ir, cls):
            return
        data = (
            ("name", name),
            ("what", what),
            ("body", first),
            ("late", later),
            ("early", early),
            ("cls", cls),
        )
        _report(it, FaultKind.MODULE_NOT_READY, node, "torch.nn.Module.__setattr__", *data)
        return


def _is_initialised_by_others(module: ir.Module, name: str) -> bool:
    """Returns whether a class is a part of others, which call `Name.__init__(self, …)` and perhaps that of a module before."""
    return any(
        type(node) is ir.Call
        and type(node.function) is ir.Attribute
        and node.function.name == "__init__"
        and type(node.function.object) is ir.Name
        and node.function.object.id == name
        for node in module_nodes(module)
    )


def _is_text(node: ir.Node) -> bool:
    return type(node) is ir.Expression and type(node.value) is ir.Constant


def _calls_init(node: ir.Node) -> bool:
    call = node.value if type(node) is ir.Expression else None
    return type(call) is ir.Call and type(call.function) is ir.Attribute and call.function.name == "__init__"


# ---- parameters that are overwritten --------------------------------------------------------------------------------------

_MAY_BE_THE_SAME = frozenset(
    """to cuda cpu float double half bfloat16 type contiguous requires_grad_ detach_ share_memory_ type_as squeeze view reshape
    expand flatten ravel real resolve_conj resolve_neg broadcast_to""".split()
)
"""Methods that may return the very object that they are called on, or whose results are not worth distinguishing from it."""


def report_overwritten_own_parameter(
    it: Evaluator, module: v.InstanceValue, name: str, value: Value, node: ir.Node
) -> None:
    """Reports `self.scale = self.scale * 2` where the attribute of a workspace module is a parameter."""
    heap, ref = it.state.heap, module.ref
    old = heap.get((ref, name))
    if not isinstance(old, TensorFact) or old.provenance != "parameter" or old.grad.leaf is Tri.NO:
        return
    if not isinstance(value, TensorFact) or value.storage.ids is None or not _is_new(value):
        return
    if old.storage.ids is None or not value.storage.ids.isdisjoint(old.storage.ids):
        return
    if not classes.is_module(module.cls) or classes.has_unknown_base(module.cls):
        return
    if classes.find_method(module.cls, "__setattr__") is not None or heap.get((ref, DELETED)) is True:
        return
    if heap.get((ref, GRAD), Tri.YES) is Tri.UNKNOWN:
        return  # unknown code may have changed it
    if classes.may_lose(module.cls, name):
        return
    refused = f"{module.cls.ref}.__setattr__"
    _report(it, FaultKind.PARAMETER_OVERWRITTEN, node, refused, ("name", name), ("value", value))


def _is_new(value: TensorFact) -> bool:
    """Returns whether a value is certainly a tensor that an operator created, and no parameter."""
    origin = value.origin
    if value.provenance in ("parameter", "buffer") or value.assumed or origin is None or origin.merged:
        return False
    return (
        origin.op.startswith(("torch.", "Tensor.")) and origin.op.rpartition(".")[2] not in _MAY_BE_THE_SAME
    )


def report_overwritten_parameter(
    it: Evaluator, layer: v.LayerValue, name: str, value: Value, node: ir.Node
) -> None:
    """Reports `layer.weight = tensor`, where only a parameter or None can be assigned."""
    if not isinstance(value, TensorFact) or value.provenance in ("parameter", "buffer") or value.assumed:
        return
    row, origin = ops.layer(layer.qualname), value.origin
    if row is None or row.parameters is None or not layer.qualname.startswith("torch.nn.") or origin is None:
        return
    heap, ref = it.state.heap, layer.ref
    if heap.get((ref, DELETED)) is True or heap.get((ref, GRAD), Tri.YES) is Tri.UNKNOWN:
        return  # it may no longer be a parameter, or unknown code may have changed it
    if name.startswith("running_") or name == "num_batches_tracked":
        return
    if (
        not _is_new(value)
        or value.storage.ids is None
        or any(storage_id.startswith(f"{ref}.") for storage_id in value.storage.ids)
    ):
        return
    config = dict(layer.config)
    if name not in row.parameters(module_tree.layer_state(it, layer)) or config.get(name) == v.FALSE:
        return
    _report(
        it, FaultKind.PARAMETER_OVERWRITTEN, node, f"{layer.qualname}.__setattr__", ("name", name), ("value", value)
    )  # fmt: skip


# ---- containers -----------------------------------------------------------------------------------------------------------


def container_base(cls: v.ClassValue) -> str | None:
    """Returns the container without `forward` that a class derives from, if no base before it has one."""
    for base in classes.mro(cls):
        if isinstance(base, v.External):
            return base.name if base.name in NOT_CALLABLE else None
        if not isinstance(base, v.ClassValue) or base.ir is None or "forward" in base.scope.variables:
            return None
    return None


def report_container_called(it: Evaluator, container: str, node: ir.Node) -> None:
    """Reports the call of a container that has no `forward`."""
    if container in NOT_CALLABLE:
        _report(it, FaultKind.CONTAINER_CALLED, node, container, ("container", container))


def check_children(it: Evaluator, container: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports what cannot be a child of a container, and children that are not passed in a list or dict."""
    if arguments.is_open:
        return
    given = arguments.positional
    if container == "torch.nn.Sequential":
        if len(given) == 1 and isinstance(given[0], v.DictRef):
            return  # an OrderedDict of children
        generators = _generators(it, node, len(given))
        for index, child in enumerate(given):
            _check_child(it, container, index, child, node, index in generators)
        return
    if len(given) > 1:
        if container in NOT_CALLABLE:
            _report_arguments(it, container, len(given), None, node)
        return
    only = given[0] if given else None
    if isinstance(only, v.LayerValue) and (only.ref, "[]") not in it.state.heap and ops.layer(only.qualname):
        _report_arguments(it, container, 1, only.qualname, node)
    if container == "torch.nn.ModuleList" and only is not None:
        for child in it.elements(only) or ():
            _check_child(it, container, None, child, node)


def _report_arguments(it: Evaluator, container: str, count: int, made: str | None, node: ir.Node) -> None:
    """Reports a container that is constructed from several values, or from a layer, in the place of a list of modules."""
    data = (("container", container), ("count", count), ("made", made))
    _report(it, FaultKind.CONTAINER_ARGUMENTS, node, container, *data)


def _generators(it: Evaluator, node: ir.Node, count: int) -> set[int]:
    """Returns the positions of a call's arguments that are generator expressions, where all `count` are written out."""
    if (
        type(node) is not ir.Call
        or len(node.args) != count
        or any(type(arg) is ir.Starred for arg in node.args)
    ):
        return set()
    return {index for index, arg in enumerate(node.args) if _is_generator(it, arg)}


def _is_generator(it: Evaluator, node: ir.Node) -> bool:
    """Returns whether this is a generator expression, or a name of the running body that is bound to one."""
    if type(node) is ir.Name:
        function = it.frame.function
        bound = list(unpacked_from(it.frame.module.ir.body if function is None else function.body, node.id))
        return bool(bound) and all(type(one) is ir.Comprehension and one.kind == "generator" for one in bound)
    return type(node) is ir.Comprehension and node.kind == "generator"


def _check_child(
    it: Evaluator,
    container: str,
    index: int | None,
    child: Value,
    node: ir.Node,
    is_generator: bool = False,
) -> None:
    what, name, completes = _described_non_module(child)
    if is_generator and what in ("", "tuple"):
        what = "generator"
    if what:
        data = (
            ("container", container),
            ("index", index),
            ("what", what),
            ("name", name),
            ("completes", completes),
        )
        _report(it, FaultKind.NOT_A_MODULE, node, container, *data)


def _described_non_module(value: Value) -> tuple[str, str, bool]:
    """Returns what a value is that is certainly no module, its name if any, and whether calling it creates a
    module."""
    match value:
        case v.ListRef():
            return "list", "", False
        case v.TupleValue(names=(), is_size=False):
            return "tuple", "", False
        case v.Scalar(kind="str" | "int" | "float" | "bool" as kind):
            return kind, "", False
        case v.ELLIPSIS:
            return "ellipsis", "", False
        case TensorFact(assumed=assumed) if not assumed:
            return "Tensor", "", False
        case v.External(name=name):
            layer = ops.layer(name)
            if layer is not None and name.startswith("torch.nn."):
                return "class", name, layer.configure(Arguments(())) is not None
            if ops.operator(name) is not None and name.startswith("torch."):
                return "function", name, False
        case v.ClassValue(ir=ir.Class(decorators=(), name=name)) if classes.is_module(value):
            found = classes.find_method(value, "__init__")
            params = () if found is None else found[1].params[1:]
            plain = all(
                param.default is not None or param.kind in ("variadic", "mapping") for param in params
            )
            return "class", name, plain and found is not None
        case v.FunctionValue(ir=ir.Function(decorators=(), name=name, is_lambda=is_lambda)):
            return "function", "" if is_lambda else name, False
    return "", "", False


# ---- forward called by its name -------------------------------------------------------------------------------------------


def report_forward_called(it: Evaluator, receiver: Value, node: ir.Node) -> None:
    """Reports `module.forward(x)`, which bypasses what is registered on the module (hooks, wrappers)."""
    made_at, _, _ = getattr(receiver, "ref", "").rpartition(":")
    if it.frame.function is not None and made_at.endswith(f"@{it.frame.site}"):
        return  # created by this very function, so nothing can have been registered
    match receiver:
        case v.LayerValue(qualname=qualname) if qualname.startswith("torch.nn."):
            name = qualname
        case v.Wrapped(qualname=qualname):
            name = qualname
        case v.InstanceValue(cls=cls) if classes.is_module(cls) and not classes.has_unknown_base(cls):
            if (
                classes.find_method(cls, "__call__") is not None
                or cls.ir.decorators
                or _runs_on(it, receiver)
            ):
                return
            name = cls.ir.name
        case _:
            return
    _report(it, FaultKind.FORWARD_CALLED, node, f"{name}.forward", ("module", name))


def _runs_on(it: Evaluator, instance: v.InstanceValue) -> bool:
    """Returns whether the running code is a method of this very object, or called by one."""
    for frame in it.frames:
        function = frame.function
        if function is not None and frame.owner is not None and function.params:
            if frame.scope.variables.get(function.params[0].name) == instance:
                return True
    return False


# ---- load_state_dict ------------------------------------------------------------------------------------------------------


def load_state_dict(it: Evaluator, module: Value, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `module.load_state_dict(…)`, which returns a report of keys, and checks its argument."""
    it.states[FreshLayers].fresh.pop(getattr(module, "ref", None), None)
    if isinstance(module, v.InstanceValue) and classes.has_unknown_base(module.cls):
        return UNKNOWN_VALUE
    given = arguments.positional[0] if arguments.positional else dict(arguments.keywords).get("state_dict")
    if given is not None and not arguments.open_positional:
        what = _described_non_mapping(given)
        if what:
            _report(
                it, FaultKind.STATE_DICT_ARGUMENT, node, "torch.nn.Module.load_state_dict", ("what", what),
                ("argument", given),
            )  # fmt: skip
    return v.LoadedKeys(_origin(it, node, "load_state_dict"))


def _described_non_mapping(value: Value) -> str:
    """Returns what a value is that is certainly no mapping; "" for anything else."""
    match value:
        case v.Scalar(kind="str" | "int" | "float" | "bool" | "bytes" as kind):
            return "" if value.annotated else kind
        case v.Scalar(kind="none"):
            return "NoneType"
        case v.LayerValue(qualname=qualname):
            return qualname.rpartition(".")[2]
        case v.InstanceValue(cls=cls) if classes.is_module(cls) and not classes.has_unknown_base(cls):
            return cls.ir.name
        case v.ListRef():
            return "list"
    return ""


def keys_attribute(it: Evaluator, keys: v.LoadedKeys, name: str, node: ir.Node) -> Value:
    """Evaluates an attribute of what `load_state_dict` returned."""
    if name in ("missing_keys", "unexpected_keys"):
        return v.Repeated(v.Scalar("str"))
    if name not in _TUPLE_ATTRIBUTES and not name.startswith("__"):
        report_keys_used(it, keys, name, node)
    return UNKNOWN_VALUE


def report_keys_used(it: Evaluator, keys: v.LoadedKeys, name: str | None, node: ir.Node) -> None:
    """Reports a report of keys that is used as if it were the module.  `name` is the attribute, None for a call."""
    _report(
        it, FaultKind.LOADED_KEYS_USED, node, "torch.nn.Module.load_state_dict", ("name", name), ("loaded", keys.origin)
    )  # fmt: skip
