"""Evaluates sampling: operators with random values, the in-place fills, and torch.nn.init."""

from __future__ import annotations

from torchlsp.facts import dtype as dtypes
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import NONE, UNKNOWN_VALUE, Scalar, Value
from torchlsp.ops.call import Call, Columns, ResultColumn
from torchlsp.ops.columns import (
    NOT_FLOATING,
    broadcast,
    fixed,
    fresh,
    leaving_out,
    no_grad,
    promoted,
    row_major,
    same_device,
    same_dtype,
    same_shape,
    through_of,
    together,
)
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.creation import kept_layout, sizes_as_shape
from torchlsp.ops.writing import after_write, refuse_write


def _preserved(c: Call, shape: Shape) -> Layout:
    tensor = c.tensor("input")
    return None if tensor is None else kept_layout(tensor)


def _floating_probabilities(c: Call) -> None:
    tensor = c.tensor("input")
    if tensor is not None and tensor.dtype in NOT_FLOATING:
        raise c.broken(FaultKind.RANDOM_DTYPE, input=tensor, dtype=tensor.dtype)


_SAMPLED: Columns = {
    "shape": same_shape, "dtype": same_dtype, "device": same_device, "layout": _preserved, "storage": fresh,
    "grad": through_of("input"),
}  # fmt: skip


def _floating_without_p(c: Call) -> None:
    """Checks the dtype of what holds the probabilities: with `p` it gives the shape only."""
    if c.given("p") is Tri.NO:
        _floating_probabilities(c)


TABLE.row("torch.bernoulli", "Tensor.bernoulli", signature="input, p=None, *, generator=None", opinfo="bernoulli",
          faults=[_floating_without_p], **leaving_out(_SAMPLED, "layout"))  # fmt: skip
TABLE.row("torch.poisson", signature="input, generator=None", **leaving_out(_SAMPLED, "layout"))


def _multinomial_shape(c: Call) -> Shape:
    tensor, samples = c.tensor("input"), c.dim("num_samples")
    if tensor is None or tensor.shape is None:
        return None
    if len(tensor.shape) not in (1, 2):
        raise c.broken(FaultKind.RANK, input=tensor, expected="1 or 2", got=tensor.rank)
    last, replacement = tensor.shape[-1], c.flag("replacement")
    if isinstance(samples, int) and isinstance(last, int) and samples > last and replacement is False:
        raise c.broken(FaultKind.SIZE, input=tensor, size=samples, expected=last, reason="replacement")
    return (*tensor.shape[:-1], c.fresh() if samples is None else samples)


TABLE.row("torch.multinomial", "Tensor.multinomial", signature="input, num_samples, replacement=False, *, generator=None",
          opinfo="multinomial", faults=[_floating_probabilities], shape=_multinomial_shape, dtype=fixed("i64"), device=same_device,
          layout=row_major, storage=fresh, grad=no_grad)  # fmt: skip


def _normal(c: Call) -> Value:
    """Evaluates `normal(mean, std)` of tensors, or `normal(0.0, 1.0, size)` of two numbers."""
    mean, std = c.value("mean"), c.value("std")
    if isinstance(mean, Scalar) and isinstance(std, Scalar):
        given = c.given("dtype")
        dtype = c.dtype() if given is Tri.YES else c.context.default_dtype if given is Tri.NO else None
        if c.given("size") is not Tri.YES:
            return UNKNOWN_VALUE
        from torchlsp.ops.columns import given_device, given_requires_grad

        return c.make(
            sizes_as_shape()(c), dtype, given_device(c), ROW_MAJOR, fresh(c), given_requires_grad(c, dtype)
        )
    operands = [value for value in (mean, std) if isinstance(value, TensorFact)]
    if not operands:
        return UNKNOWN_VALUE
    shape = broadcast("mean", "std")(c)
    dtype = operands[0].dtype if len(operands) == 1 else promoted("mean", "std")(c)
    dtype = dtype if dtype is not None and dtypes.can_require_grad(dtype) else None
    return c.make(
        shape, dtype, together("mean", "std")(c), ROW_MAJOR, fresh(c), through_of("mean", "std")(c, dtype)
    )


TABLE.row("torch.normal", signature="mean, std=1.0, size=None, *, generator=None, dtype=None, layout=None, device=None, "
          "pin_memory=False, requires_grad=False", opinfo="normal", result=_normal)  # fmt: skip

# ---- in-place fills -----------------------------------------------------------------------------------------------------


def _filled(*refused: str) -> ResultColumn[Call]:
    """Makes the result column of the target filled with samples; dtypes without a kernel are a fault."""

    def result(c: Call) -> Value:
        target = c.tensor("input")
        if target is None:
            return UNKNOWN_VALUE
        refuse_write(c, target)
        if target.dtype in refused:
            raise c.broken(FaultKind.RANDOM_DTYPE, input=target, dtype=target.dtype)
        return after_write(c, target)

    return result


for _name, _arguments in {
    "normal_": "mean=0.0, std=1.0", "uniform_": "to=1.0", "exponential_": "lambd=1.0", "cauchy_": "median=0.0, sigma=1.0",
    "log_normal_": "mean=1.0, std=2.0",
}.items():  # fmt: skip
    _signature = f"input, {_arguments}, *, generator=None".replace("to=1.0", "low=0.0, to=1.0")
    TABLE.row(
        f"Tensor.{_name}", signature=_signature, mutates="input", opinfo=None, result=_filled(*NOT_FLOATING)
    )
TABLE.row("Tensor.bernoulli_", signature="input, p=0.5, *, generator=None", mutates="input", result=_filled())
TABLE.row(
    "Tensor.geometric_", signature="input, p, *, generator=None", mutates="input", result=_filled("bool")
)
TABLE.row(
    "Tensor.random_", signature="input, low=0, to=None, *, generator=None", mutates="input", result=_filled()
)

# ---- torch.nn.init ------------------------------------------------------------------------------------------------------


def _initialized(least_rank: int = 0) -> ResultColumn[Call]:
    """Makes the result column of torch.nn.init, which writes under no_grad; fans need two dims."""

    def result(c: Call) -> Value:
        target = c.tensor("tensor")
        if target is None:
            return UNKNOWN_VALUE
        if target.rank is not None and target.rank < least_rank:
            if least_rank == 2 and "orthogonal" not in c.name:
                raise c.broken(FaultKind.INIT_RANK, input=target, got=target.rank)
            raise c.broken(FaultKind.RANK, input=target, expected=f"{least_rank} or more", got=target.rank)
        return target.but(storage=Storage(target.storage.ids, target.storage.version + 1), content=None)

    return result


_INIT = {
    "uniform_": ("a=0.0, b=1.0", 0), "normal_": ("mean=0.0, std=1.0", 0), "constant_": ("val", 0), "ones_": ("", 0),
    "zeros_": ("", 0), "trunc_normal_": ("mean=0.0, std=1.0, a=-2.0, b=2.0", 0), "xavier_uniform_": ("gain=1.0", 2),
    "xavier_normal_": ("gain=1.0", 2), "orthogonal_": ("gain=1", 2), "eye_": ("", 0), "dirac_": ("groups=1", 3),
    "kaiming_uniform_": ("a=0, mode='fan_in', nonlinearity='leaky_relu'", 2),
    "kaiming_normal_": ("a=0, mode='fan_in', nonlinearity='leaky_relu'", 2), "sparse_": ("sparsity, std=0.01", 0),
}  # fmt: skip
for _name, (_arguments, _rank) in _INIT.items():
    _generator = "" if _name in ("constant_", "ones_", "zeros_", "eye_", "dirac_") else ", generator=None"
    TABLE.row(f"torch.nn.init.{_name}", signature=", ".join(filter(None, ("tensor", _arguments))) + _generator, mutates="tensor",
              result=_initialized(_rank))  # fmt: skip
TABLE.row("torch.manual_seed", "torch.cuda.manual_seed", "torch.cuda.manual_seed_all", signature="seed",
          result=lambda c: UNKNOWN_VALUE if c.name == "torch.manual_seed" else NONE)  # fmt: skip
