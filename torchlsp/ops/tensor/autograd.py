"""Evaluates autograd's functions: backward, grad, and the switches of requires_grad."""

from __future__ import annotations

from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import shape as shapes
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import ANY_STORAGE, NO_GRAD, Grad, Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import NONE, UNKNOWN_VALUE, Repeated, Scalar, TupleValue, Value
from torchlsp.ops.call import Call
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor import undifferentiable


def _is_several(count: dims.Dim) -> bool:
    """Returns whether there is certainly more than one element, or as many as a loader's batch has, which is
    one by chance only."""
    names = dims.symbols_of(count)
    if names and all(name.startswith(dims.BATCH) for name in names):
        return all(dims.substitute(count, dict.fromkeys(names, size)) not in (0, 1) for size in (2, 3, 7))
    return dims.equal(count, 1) is Tri.NO


def refuse_backward(c: Call, tensor: TensorFact, gradient: str) -> None:
    """Raises a fault for backward without requires_grad, or of several elements without a gradient."""
    if tensor.grad.requires is Tri.NO:
        assumed, cut = tensor.assumed & {"tensor"}, undifferentiable.cut_by(tensor)
        if cut is not None:
            raise c.broken(FaultKind.NO_DERIVATIVE, assumed, input=tensor, cut=cut, flat=False)
        raise c.broken(FaultKind.BACKWARD_NO_GRAD, assumed, input=tensor)
    count = shapes.numel(tensor.shape)
    if c.given(gradient) is Tri.NO and count is not None and _is_several(count):
        raise c.broken(FaultKind.BACKWARD_SHAPE, tensor.assumed & {"tensor"}, input=tensor, size=count)


def _backward(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is not None:
        refuse_backward(c, tensor, "gradient")
    return NONE


TABLE.row(
    "Tensor.backward",
    signature="input, gradient=None, retain_graph=None, create_graph=False, inputs=None",
    result=_backward,
)


def _outputs(c: Call, name: str) -> tuple[TensorFact, ...]:
    """Returns the tensors of an argument that is one tensor or a sequence of them."""
    value = c.value(name)
    if isinstance(value, TensorFact):
        return (value,)
    return tuple(item for item in c.items(name) or () if isinstance(item, TensorFact))


def _backward_of_several(c: Call) -> Value:
    for tensor in _outputs(c, "tensors"):
        refuse_backward(c, tensor, "grad_tensors")
    return NONE


TABLE.row("torch.autograd.backward", signature="tensors, grad_tensors=None, retain_graph=None, create_graph=False, "
          "grad_variables=None, inputs=None", result=_backward_of_several)  # fmt: skip


def _gradients(c: Call) -> Value:
    """Returns one gradient for every input, like the input; in a graph only with `create_graph`."""
    for tensor in _outputs(c, "outputs"):
        refuse_backward(c, tensor, "grad_outputs")
    value = c.value("inputs")
    inputs = (value,) if isinstance(value, TensorFact) else c.items("inputs")
    graph, unused = c.flag("create_graph"), c.flag("allow_unused")
    grad = NO_GRAD if graph is False else Grad()
    some_may_be_none = unused is not False and c.given("allow_unused") is not Tri.NO
    if inputs is None:
        return UNKNOWN_VALUE if some_may_be_none else Repeated(c.make(grad=grad, parents=()))
    if some_may_be_none:
        return TupleValue((UNKNOWN_VALUE,) * len(inputs))
    return TupleValue(tuple(
        c.make(item.shape, item.dtype, item.device, grad=grad, parents=(item,))
        if isinstance(item, TensorFact) else c.make(grad=grad, parents=())
        for item in inputs
    ))  # fmt: skip


TABLE.row("torch.autograd.grad", signature="outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, "
          "only_inputs=True, allow_unused=None, is_grads_batched=False, materialize_grads=False", result=_gradients)  # fmt: skip


def _requires_grad(c: Call) -> Value:
    """Switches requires_grad of a leaf; integers cannot have it."""
    tensor, flag = c.tensor("input"), c.flag("requires_grad")
    if tensor is None:
        return UNKNOWN_VALUE
    if flag is True and tensor.dtype is not None and not dtypes.can_require_grad(tensor.dtype):
        raise c.broken(FaultKind.GRAD_DTYPE, input=tensor, dtype=tensor.dtype).giving(
            tensor.but(grad=Grad(), dtype=None)
        )
    if flag is True and tensor.storage.is_inference and c.context.inference is Tri.NO:
        raise c.broken(FaultKind.INFERENCE_TENSOR, input=tensor, action="require", place=0)
    return tensor.but(
        grad=Grad(Tri.of(flag), tensor.grad.leaf if flag is True else Tri.YES), origin=c.origin(tensor)
    )


TABLE.row(
    "Tensor.requires_grad_", signature="input, requires_grad=True", mutates="input", result=_requires_grad
)


def _detached_in_place(c: Call) -> Value:
    tensor = c.tensor("input")
    return UNKNOWN_VALUE if tensor is None else tensor.but(grad=NO_GRAD, origin=c.origin(tensor))


TABLE.row("Tensor.detach_", "torch.detach_", mutates="input", result=_detached_in_place)


def _retained(c: Call) -> Value:
    tensor = c.tensor("input")
    if tensor is not None and tensor.grad.requires is Tri.NO:
        raise c.broken(FaultKind.BACKWARD_NO_GRAD, input=tensor)
    return NONE


TABLE.row("Tensor.retain_grad", result=_retained)
TABLE.row("Tensor.retains_grad", result=lambda c: Scalar("bool"))
TABLE.row("Tensor.register_hook", signature="input, hook", result=lambda c: UNKNOWN_VALUE)


def _resized(c: Call) -> Value:
    """Evaluates resize_, which changes the tensor itself: only its dtype and device stay."""
    tensor = c.tensor("input")
    if tensor is None:
        return UNKNOWN_VALUE
    return tensor.but(
        shape=None,
        layout=None,
        storage=Storage(tensor.storage.ids, tensor.storage.version + 1),
        origin=c.origin(tensor),
    )


def _set(c: Call) -> Value:
    """Evaluates set_, after which the tensor is a view of the memory that it is given."""
    tensor = c.tensor("input")
    return (
        UNKNOWN_VALUE
        if tensor is None
        else tensor.but(shape=None, layout=None, storage=ANY_STORAGE, origin=c.origin(tensor))
    )


TABLE.row("Tensor.resize_", signature="input, *size, memory_format=None", mutates="input", result=_resized)
TABLE.row(
    "Tensor.set_",
    signature="input, source=None, storage_offset=0, size=None, stride=None",
    mutates="input",
    result=_set,
)
TABLE.row("torch.is_grad_enabled", signature="", result=lambda c: Scalar("bool", _known(c.context.grad_mode)))
TABLE.row(
    "torch.is_inference_mode_enabled",
    signature="",
    result=lambda c: Scalar("bool", _known(c.context.inference)),
)


def _known(answer: Tri) -> bool | None:
    return None if answer is Tri.UNKNOWN else answer is Tri.YES
