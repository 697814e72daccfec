"""Defines RNN, LSTM, GRU and their cells: (output, state), with the strides that batch_first leaves.

Source: torch/nn/modules/rnn.py (torch 2.13).  With batch_first the output is computed as (T, B, H) and transposed.
"""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.facts import dim as dims
from torchlsp.facts import layout as layouts
from torchlsp.facts import shape as shapes
from torchlsp.facts.device import Device
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import Grad, TensorFact, free_size
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, TupleValue, Value
from torchlsp.ops.call import LayerCall, LayerState, ResultColumn, are_tensors
from torchlsp.ops.columns import grad_through, one_dtype
from torchlsp.ops.first_sizes import has_second_one
from torchlsp.ops.parameters import (
    another_storage,
    features_agree,
    in_row_major,
    layer_name,
    parameter,
    ranks_allowed,
    reads_none,
    same_place,
    size_or_fresh,
    width,
    with_width,
)
from torchlsp.ops.table import LAYERS
from torchlsp.ops.tensor.reordering import revealed

_MOST_LAYERS = 1_000
_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def _directions(state: LayerState) -> int | None:
    both = state.flag("bidirectional")
    return None if both is None else 2 if both else 1


def _output_size(state: LayerState) -> Dim | None:
    """Returns the features of one direction: `proj_size` of an LSTM that projects."""
    projected = state.dim("proj_size") if "proj_size" in state.config else 0
    if projected is None:
        return None
    return state.dim("hidden_size") if projected == 0 else projected


def recurrent_parameters(gates: int) -> Callable[[LayerState], dict[str, Shape]]:
    """Makes the shapes of weight_ih_l0, weight_hh_l0, … of every layer and direction."""

    def parameters(state: LayerState) -> dict[str, Shape]:
        layers, directions, hidden = state.int("num_layers"), _directions(state), state.dim("hidden_size")
        out, taken = _output_size(state), state.dim("input_size")
        if layers is None or directions is None or hidden is None or out is None or taken is None:
            return {}
        found: dict[str, Shape] = {}
        for layer in range(min(layers, _MOST_LAYERS)):
            features = taken if layer == 0 else out * directions
            for suffix in ("", "_reverse")[:directions]:
                found[f"weight_ih_l{layer}{suffix}"] = (gates * hidden, features)
                found[f"weight_hh_l{layer}{suffix}"] = (gates * hidden, out)
                if state.flag("bias"):
                    found[f"bias_ih_l{layer}{suffix}"] = found[f"bias_hh_l{layer}{suffix}"] = (
                        gates * hidden,
                    )
                if out != hidden:
                    found[f"weight_hr_l{layer}{suffix}"] = (out, hidden)
        return found

    return parameters


def _recurrent(is_lstm: bool) -> ResultColumn[LayerCall]:
    def result(c: LayerCall) -> Value:
        tensor, state = c.tensor("input"), c.layer
        if tensor is None:
            return UNKNOWN_VALUE  # may be a PackedSequence
        one_step = has_second_one(tensor) or _carries_state(c, is_lstm, tensor)
        one_sequence = any(fact.rank == 2 for fact in _states(c, is_lstm))
        if tensor.shape is None and state.flag("batch_first") and not one_sequence:
            # an unbatched sequence has no use for batch_first
            tensor = revealed(c, tensor, 3)
            tensor = tensor.but(assumed=tensor.assumed | {"batched"})
            c.args["input"] = tensor
        ranks_allowed(c, tensor, 2, 3)
        features = width(tensor, -1)
        if features is not None:
            features_agree(c, tensor, features, state.dim("input_size"))
        given = _states(c, is_lstm)
        weight = parameter(state, None)
        dtype, device = (
            one_dtype(c, tensor, weight),
            same_place(c, tensor, weight, *given, named="the hidden state"),
        )
        grad = grad_through(
            c, (tensor, *given, weight), dtype, complete=bool(given) or reads_none(c.value("hx"))
        )
        batch_first = state.flag("batch_first")
        if batch_first is not None:
            _states_are_of_the_batch(c, tensor, given, batch_first)
        output, hidden, cell = _shapes(c, tensor, state, batch_first)
        _states_fit(c, is_lstm, given, hidden, cell, tensor.assumed)
        layout: Layout = ROW_MAJOR
        if output is None or (batch_first is not False and len(output) == 3):
            layout = _batch_first_layout(output) if batch_first and not one_step else None
        made = in_row_major(
            c, c.make(output, dtype, device, layout, c.fresh_storage(), grad, parents=(tensor, *given))
        )
        features, directions = _output_size(state), _directions(state)
        if features is not None and directions is not None:
            made = with_width(c, made, -1, features * directions)
        last = _state_fact(c, 1, hidden, dtype, device, grad, (tensor, *given))
        if not is_lstm:
            return TupleValue((made, last))
        cells = _state_fact(c, 2, cell, dtype, device, grad, (tensor, *given))
        return TupleValue((made, TupleValue((last, cells))))

    return result


def _carries_state(c: LayerCall, is_lstm: bool, tensor: TensorFact) -> bool:
    """Returns whether the state comes from the caller and the length is unknown: then a sequence may be one step."""
    steps = (
        free_size(tensor, 1) if tensor.shape is None else tensor.shape[1] if len(tensor.shape) == 3 else None
    )
    if isinstance(steps, int) or reads_none(c.value("hx")):
        return False
    given = _states(c, is_lstm)
    return not given or any(
        origin is not None and origin.op == "parameter" for origin in (one.origin for one in given)
    )


def _states(c: LayerCall, is_lstm: bool) -> tuple[TensorFact, ...]:
    """Returns the initial states that are passed."""
    value = c.value("hx")
    if isinstance(value, TensorFact):
        if is_lstm:
            raise c.broken(
                FaultKind.ARGUMENT, layer=layer_name(c), argument="hx", value=value, expected="(h_0, c_0)"
            )
        return (value,)
    items = c.items("hx") if is_lstm else None
    return items if items is not None and are_tensors(items) else ()


def _shapes(
    c: LayerCall, tensor: TensorFact, state: LayerState, batch_first: bool | None
) -> tuple[Shape, Shape, Shape]:
    """Returns the shapes of the output, the last hidden state and the last cell state."""
    if tensor.shape is None:
        return None, None, None
    directions, layers, out = _directions(state), state.dim("num_layers"), _output_size(state)
    features = None if out is None or directions is None else out * directions
    output = (*tensor.shape[:-1], size_or_fresh(c, features, "features"))
    batch: tuple[Dim, ...] = ()
    if len(tensor.shape) == 3:
        if batch_first is None:
            return output, None, None
        batch = (tensor.shape[0 if batch_first else 1],)
    count = c.fresh("layers") if layers is None or directions is None else layers * directions
    hidden = (count, *batch, size_or_fresh(c, out, "hidden"))
    return output, hidden, (count, *batch, size_or_fresh(c, state.dim("hidden_size"), "cell"))


def _states_fit(
    c: LayerCall,
    is_lstm: bool,
    given: tuple[TensorFact, ...],
    hidden: Shape,
    cell: Shape,
    assumed: frozenset[str],
) -> None:
    for index, (fact, expected) in enumerate(
        zip(given, (hidden, cell) if is_lstm else (hidden,), strict=False)
    ):
        if "batched" in fact.assumed | assumed and len(fact.shape or ()) != len(expected or ()):
            continue  # rather a sequence without a batch
        swapped = _is_swapped(fact.shape, expected)
        if swapped or shapes.same(fact.shape, expected) is Tri.NO:
            raise c.broken(
                FaultKind.SIZE, (fact.assumed | assumed) - {"layout"} | ({"lengths"} if swapped else set()), layer=layer_name(c), input=fact, reason="hidden state", size=expected,
                index=index,
            )  # fmt: skip


def _is_swapped(given: Shape, expected: Shape) -> bool:
    """Returns whether a state is (B, 1, H) for (1, B, H): batch first, as in the input. B is not known, and
    may be 1."""
    if given is None or expected is None or len(given) != 3 or len(expected) != 3:
        return False
    if given != (expected[1], expected[0], expected[2]) or shapes.same(given, expected) is Tri.NO:
        return False
    return dims.generically_equal(expected[0], expected[1]) is Tri.NO


def _states_are_of_the_batch(
    c: LayerCall, tensor: TensorFact, given: tuple[TensorFact, ...], batch_first: bool
) -> None:
    """Raises a fault for as many initial states as there are time steps, instead of one a sequence.

    `x.size(0)` is read so where nothing else is known of `x`: it has three dims, or the states would have two. A number,
    as the 1 of `x.view(1, -1, n)`, may be both sizes.
    """
    time, batch = (1, 0) if batch_first else (0, 1)
    sizes: tuple[Dim | None, ...] = tensor.shape or tuple(free_size(tensor, i) for i in (0, 1, 2))
    if len(sizes) != 3:
        return
    length, count = sizes[time], sizes[batch]
    if length is None or count is None:
        return
    for fact in given:
        if fact.shape is not None and len(fact.shape) == 3 and fact.shape[1] == length:
            if dims.generically_equal(length, count) is Tri.NO:
                certain = dims.equal(length, count) is Tri.NO
                if isinstance(length, int) and not certain:
                    continue
                raise c.broken(
                    FaultKind.SIZE, (tensor.assumed - {"layout"}) | (set() if certain else {"lengths"}), layer=layer_name(c),
                    input=fact, sequence=tensor, reason="state of time", size=count, got=length,
                )  # fmt: skip


def _batch_first_layout(output: Shape) -> Layout:
    if output is None:
        return None
    batch, time, features = output
    strides = layouts.row_major_strides((time, batch, features))
    return layouts.of_strides(output, (strides[1], strides[0], strides[2]))


def _state_fact(
    c: LayerCall,
    index: int,
    shape: Shape,
    dtype: DType | None,
    device: Device | None,
    grad: Grad,
    parents: tuple[TensorFact, ...],
) -> TensorFact:
    layout = None if shape is None else ROW_MAJOR
    made = c.make(shape, dtype, device, layout, another_storage(c, index), grad, parents=parents)
    return in_row_major(c, made)


_COMMON = "num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False"
for _name, _signature in (
    ("RNN", "input_size, hidden_size, num_layers=1, nonlinearity='tanh', bias=True, batch_first=False, dropout=0.0, "
     "bidirectional=False, device=None, dtype=None"),
    ("GRU", f"input_size, hidden_size, {_COMMON}, device=None, dtype=None"),
    ("LSTM", f"input_size, hidden_size, {_COMMON}, proj_size=0, device=None, dtype=None"),
):  # fmt: skip
    LAYERS.row(
        f"torch.nn.{_name}", signature=_signature, forward="input, hx=None", result=_recurrent(_name == "LSTM"),
        parameters=recurrent_parameters(_GATES[_name]), moduleinfo=f"nn.{_name}",
    )  # fmt: skip


# ---- cells --------------------------------------------------------------------------------------------------------------


def _cell(is_lstm: bool) -> ResultColumn[LayerCall]:
    def result(c: LayerCall) -> Value:
        tensor, state = c.tensor("input"), c.layer
        if tensor is None:
            return UNKNOWN_VALUE
        ranks_allowed(c, tensor, 1, 2)
        features = width(tensor, -1)
        if features is not None:
            features_agree(c, tensor, features, state.dim("input_size"))
        given = _states(c, is_lstm)
        hidden_size = size_or_fresh(c, state.dim("hidden_size"), "hidden")
        shape = None if tensor.shape is None else (*tensor.shape[:-1], hidden_size)
        for fact in given:
            if fact.shape is not None and shape is not None and len(fact.shape) == len(shape):
                if any(dims.equal(x, y) is Tri.NO for x, y in zip(fact.shape, shape, strict=True)):
                    raise c.broken(
                        FaultKind.SIZE,
                        fact.assumed - {"layout"},
                        layer=layer_name(c),
                        input=fact,
                        reason="hidden state",
                        size=shape,
                    )
        weight = parameter(state, None)
        dtype, device = one_dtype(c, tensor, weight, *given), same_place(c, tensor, weight, *given)
        grad = grad_through(
            c, (tensor, *given, weight), dtype, complete=bool(given) or reads_none(c.value("hx"))
        )

        found = tuple(_state_fact(c, index, shape, dtype, device, grad, (tensor, *given)) for index in (0, 1))
        return TupleValue(found) if is_lstm else found[0]

    return result


def _cell_parameters(gates: int) -> Callable[[LayerState], dict[str, Shape]]:
    def parameters(state: LayerState) -> dict[str, Shape]:
        taken, hidden = state.dim("input_size"), state.dim("hidden_size")
        if taken is None or hidden is None:
            return {}
        found: dict[str, Shape] = {
            "weight_ih": (gates * hidden, taken),
            "weight_hh": (gates * hidden, hidden),
        }
        if state.flag("bias"):
            found["bias_ih"] = found["bias_hh"] = (gates * hidden,)
        return found

    return parameters


for _name in ("RNN", "GRU", "LSTM"):
    _extra = "nonlinearity='tanh', " if _name == "RNN" else ""
    LAYERS.row(
        f"torch.nn.{_name}Cell", signature=f"input_size, hidden_size, bias=True, {_extra}device=None, dtype=None",
        forward="input, hx=None", result=_cell(_name == "LSTM"), parameters=_cell_parameters(_GATES[_name]),
        moduleinfo=f"nn.{_name}Cell",
    )  # fmt: skip
