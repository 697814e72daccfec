"""Detects calls of what is no function: `x.shape(0)`, `torch.float32(x)`, `nn.parameter(x)`; and `x.size[0]`, an index of a method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.checks.api.torch_api import is_version_tested
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.ops import operator
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

MODULES = {
    "torch.nn.parameter": "Parameter", "torch.utils.checkpoint": "checkpoint", "torch.optim.lr_scheduler": "", "torch.optim": "", "torch.nn": "", "torch.nn.functional": "", "torch.nn.init": "",
    "torch.nn.utils": "", "torch.nn.utils.rnn": "", "torch.utils.data": "", "torch.utils.data.dataset": "Dataset",
    "torch.utils.data.dataloader": "DataLoader", "torch.utils.data.distributed": "DistributedSampler", "torch.utils.data.sampler": "Sampler",
    "torch.autograd.function": "Function", "torch.autograd": "",
    "torch.cuda": "", "torch.cuda.amp": "", "torch.amp": "", "torch.distributed": "", "torch.linalg": "", "torch.fft": "", "torch.random": "",
    "torch.nn.parallel.distributed": "DistributedDataParallel",
}  # fmt: skip
"""Modules of torch that are taken for functions, and the name in them that is likely to be meant."""
_METHODS = frozenset("size dim numel stride shape tolist item".split())


def check_module_call(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports a call of a module of torch."""
    if type(node) is ir.Call and not is_version_tested(it):
        _report(it, "module", name, node, node.function)


def check_call(it: Evaluator, callee: Value, node: ir.Node) -> None:
    """Reports a call of a value that is certainly no function."""
    if type(node) is not ir.Call:
        return
    kind = name = ""
    match callee:
        case v.DTypeValue(numpy=False, dtype=dtype) if dtype is not None:
            kind, name = "dtype", dtype
        case v.ShapeOf(tensor=TensorFact() as tensor) if not tensor.assumed:
            kind = "shape"
        case v.TupleValue(is_size=True):
            kind = "shape"
        case TensorFact() if _is_plain(callee):
            kind = "tensor"
    if kind:
        _report(it, kind, name, node, node.function)


def check_index(it: Evaluator, value: Value, node: ir.Node) -> None:
    """Reports an index of a method of a tensor."""
    if type(node) is ir.Subscript and isinstance(value, v.BoundExternal) and value.name in _METHODS:
        receiver = value.receiver
        if isinstance(receiver, TensorFact) and not receiver.assumed and operator(f"Tensor.{value.name}"):
            _report(it, "method", value.name, node, node.object)


def _is_plain(fact: TensorFact) -> bool:
    return not fact.assumed and fact.origin is not None and fact.origin.op != "parameter"


def _report(it: Evaluator, kind: str, name: str, node: ir.Node, part: ir.Node) -> None:
    data = (("value", kind), ("name", name), ("part", (part.start, part.end)))
    it.report([Fault(FaultKind.NOT_CALLABLE, node.start, node.end, kind, data, path=it.frame.module.path)])


HOOKS = Hooks(external_call=for_names(MODULES, check_module_call))
