"""Detects methods that are named and not called.

So are `optimizer.step`, `loss.backward` and `model.eval` as statements, `model.parameters` as an argument, and a method in the place
of a size: `nn.Embedding(vocab.size, 64)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.checks.api import float_arguments
from torchlsp.interp.checks.hooks import ANY, Hooks, for_names
from torchlsp.interp.model import classes
from torchlsp.ops import operator
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_OF_TRAINING = frozenset({"zero_grad", "backward"})
"""Methods that only objects of training have: nothing else is known of what they belong to."""
_OF_MODULES = frozenset("train eval cuda cpu to half float double requires_grad_ zero_grad".split())
_OF_OPTIMIZERS = frozenset({"step", "zero_grad"})
_OF_TENSORS = frozenset(
    "backward zero_ detach_ requires_grad_ retain_grad fill_ copy_ clamp_ normal_ uniform_".split()
)
_FUNCTIONS = frozenset(
    """torch.distributed.barrier torch.distributed.all_reduce torch.distributed.broadcast torch.distributed.init_process_group
    torch.distributed.destroy_process_group torch.cuda.synchronize torch.cuda.empty_cache torch.manual_seed""".split()
)
_HANDED_ON = frozenset({"parameters", "named_parameters", "state_dict", "buffers", "children", "modules"})
"""Methods of modules and optimizers whose results, and not themselves, are passed to functions of torch."""
_TAKE_RESULTS = ("torch.optim.", "torch.nn.utils.", "torch.save")


def check_statement(it: Evaluator, node: ir.Attribute, value: Value) -> None:
    """Reports a statement that only names a method."""
    name, kind = node.name, None
    match value:
        case v.External(name=dotted) if dotted in _FUNCTIONS:
            kind, name = "function", dotted
        case v.BoundExternal(receiver=receiver):
            kind = _kind(receiver, name)
        case v.Parameter() if name in _OF_TRAINING:
            kind = "object"
        case v.FunctionValue(receiver=v.InstanceValue(cls=cls)) if classes.is_module(cls):
            kind = "module" if name in _OF_MODULES else None
    if kind is not None:
        _report(it, name, kind, "statement", node)
        if type(value) is not v.Parameter:
            it.invoke(value, Arguments(), node)  # as was meant: what follows from it is no other mistake


def check_argument(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports `model.parameters` and `model.state_dict` as arguments of functions of torch that take what they return."""
    if not name.startswith(_TAKE_RESULTS) or type(node) is not ir.Call:
        return
    written: list[ir.Node] = [*node.args, *(value for _, value in node.keywords)]
    for part in node.args:
        if type(part) is ir.DictDisplay:
            written += part.values
    for part in written:
        if type(part) is ir.Attribute and part.name in _HANDED_ON:
            value = it.eval(part)
            if isinstance(value, v.BoundExternal) and _is_object(value.receiver):
                _report(it, part.name, name, "argument", part)


def check_size(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports a method among the sizes that a function of torch takes: `torch.zeros(vocab.size)`."""
    places = float_arguments.FUNCTIONS.get(name)
    if places is None or type(node) is not ir.Call or any(type(part) is ir.Starred for part in node.args):
        return
    for value, written in zip(arguments.positional[places], node.args[places]):
        _report_size(it, name, value, written)


def check_layer_size(
    it: Evaluator, name: str, config: dict[str, Value], arguments: Arguments, node: ir.Node
) -> None:
    """Reports a method as a size of a new layer: `nn.Embedding(vocab.size, 64)`."""
    if type(node) is not ir.Call or any(type(part) is ir.Starred for part in node.args):
        return
    written = dict(zip(config, node.args)) | {key: part for key, part in node.keywords if key is not None}
    for key in written:
        if key in config and key in float_arguments.INTEGER_PARAMETERS:
            _report_size(it, name, config[key], written[key])


def _report_size(it: Evaluator, function: str, value: Value, written: ir.Node) -> None:
    """Reports an argument that is a method of a tensor, or of an object of the workspace as its class defines it."""
    match value:
        case v.BoundExternal(receiver=TensorFact() as tensor, name=name):
            is_method = not tensor.assumed and operator(f"Tensor.{name}") is not None
        case v.FunctionValue(receiver=v.InstanceValue()) if not value.ir.decorators:
            is_method = True
        case _:
            return
    if is_method and type(written) is ir.Attribute:
        _report(it, written.name, function, "argument", written)


def _is_object(value: Value) -> bool:
    return isinstance(value, v.LayerValue | v.Wrapped | v.OptimizerValue | v.InstanceValue)


def _kind(receiver: Value, name: str) -> str | None:
    """Returns what a method belongs to that changes something, and gives nothing that could be meant alone."""
    match receiver:
        case v.OptimizerValue() if name in _OF_OPTIMIZERS:
            return "optimizer"
        case v.LayerValue() | v.Wrapped() if name in _OF_MODULES:
            return "module"
        case v.InstanceValue(cls=cls) if classes.is_module(cls) and name in _OF_MODULES:
            return "module"
        case v.Engine(qualname=qualname) if name == "step" and qualname.startswith(
            "torch.optim.lr_scheduler."
        ):
            return "scheduler"
        case TensorFact() if name in _OF_TENSORS:
            return "tensor"
    return None


def _report(it: Evaluator, name: str, kind: str, use: str, place: ir.Node) -> None:
    data = (("name", name), ("of", kind), ("use", use))
    it.report(
        [Fault(FaultKind.METHOD_NOT_CALLED, place.start, place.end, name, data, path=it.frame.module.path)]
    )


HOOKS = Hooks(
    external_call={ANY: check_argument, **for_names(float_arguments.FUNCTIONS, check_size)},
    layer_created={ANY: check_layer_size},
)
