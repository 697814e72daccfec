"""Detects floats where torch takes integers.

The usual cause is `/`, which returns a float even where the division has no remainder.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import ANY, Hooks, for_names
from torchlsp.interp.model import python_math
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_ALL = slice(0, None)
FUNCTIONS: dict[str, slice] = {
    **dict.fromkeys((f"torch.{name}" for name in ("zeros", "ones", "empty", "rand", "randn")), _ALL),
    "torch.full": slice(0, 1), "torch.eye": slice(0, 2), "torch.randperm": slice(0, 1), "torch.linspace": slice(2, 3),
    "torch.set_num_threads": slice(0, 1), "torch.split": slice(1, 2), "torch.chunk": slice(1, 2),
    "torch.nn.functional.one_hot": slice(1, 2),
}  # fmt: skip
"""The positions of the arguments that must be integers."""
METHODS: dict[str, slice] = {
    **dict.fromkeys(("view", "reshape", "expand", "repeat", "new_zeros", "new_ones", "new_empty"), _ALL),
    "split": slice(0, 1), "chunk": slice(0, 1), "topk": slice(0, 1), "narrow": slice(1, 3),
}  # fmt: skip
INTEGER_PARAMETERS = frozenset(
    """in_features out_features in_channels out_channels kernel_size num_features normalized_shape num_embeddings embedding_dim
    input_size hidden_size embed_dim d_model num_channels""".split()
)


def report_float_argument(
    it: Evaluator, name: str, places: slice, arguments: Arguments, node: ir.Node
) -> None:
    """Reports a float among the arguments at `places` of a function, or of a method (its tensor left out)."""
    if type(node) is not ir.Call or any(type(arg) is ir.Starred for arg in node.args):
        return
    for value, written in zip(arguments.positional[places], node.args[places]):
        for one, place in _parts(it, value, written):
            if _is_float(it, one, place):
                _report(it, name, node, place, one)
                return


def report_float_in_layer(
    it: Evaluator, name: str, config: dict[str, Value], arguments: Arguments, node: ir.Node
) -> None:
    """Reports a float size in a layer's constructor call; `config` are its arguments by name."""
    if type(node) is not ir.Call or not any(
        type(config[key]) is v.Scalar for key in INTEGER_PARAMETERS & config.keys()
    ):
        return
    written = dict(zip(config, node.args)) | {key: one for key, one in node.keywords if key is not None}
    for key in written:
        if (
            key in config
            and key in INTEGER_PARAMETERS
            and type(written[key]) is not ir.Starred
            and _is_float(it, config[key], written[key])
        ):
            _report(it, name, node, written[key], config[key])
            return


def _parts(it: Evaluator, value: Value, written: ir.Node) -> Iterator[tuple[Value, ir.Node]]:
    """Yields an argument, or each item of a list that is written out."""
    if type(written) is ir.Display:
        items = it.elements(value) or ()
        if len(items) == len(written.items):
            yield from zip(items, written.items)
            return
    yield value, written


def _is_float(it: Evaluator, value: Value, written: ir.Node) -> bool:
    """Returns whether a value is certainly a float; one that is only annotated so may be an int."""
    if type(value) is not v.Scalar or value.kind != "float":
        return False
    if isinstance(value.value, float) or type(written) is ir.Binary and written.op == "/":
        return True
    return type(written) is ir.Call and python_math.is_math_function(it, written.function)


def _cause(it: Evaluator, value: Value, written: ir.Node) -> Origin | None:
    """Returns the expression that made the value a float, or for a constant that a caller wrote, the call that passes it."""
    if type(value) is v.Scalar and value.origin is not None:
        return value.origin
    function, call = it.frame.function, it.frame.call
    if function is None or call is None or type(written) is not ir.Name:
        return None
    if all(param.name != written.id for param in function.params):
        return None
    path, start, end, _ = call
    return Origin(start, end, written.id, (), path)


def _report(it: Evaluator, name: str, node: ir.Node, written: ir.Node, value: Value) -> None:
    data = (
        ("operand", (written.start, written.end)),
        ("name", name),
        ("cause", _cause(it, value, written)),
    )
    it.report([Fault(FaultKind.FLOAT_SIZE, node.start, node.end, name, data, path=it.frame.module.path)])


def _function_called(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    report_float_argument(it, name, FUNCTIONS[name], arguments, node)


HOOKS = Hooks(
    external_call=for_names(FUNCTIONS, _function_called), layer_created={ANY: report_float_in_layer}
)
