"""Evaluates figures and axes of matplotlib: a method of axes converts the tensors that the function of pyplot converts."""

from __future__ import annotations

from types import NotImplementedType
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model.call_records import with_argument, with_call
from torchlsp.interp.objects.library import Library
from torchlsp.ops.libraries.consumers import conversion_faults
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_FIGURE, _AXES = "matplotlib.figure.Figure", "matplotlib.axes.Axes"
_MAKE_AXES = frozenset({"matplotlib.pyplot.gca", "matplotlib.pyplot.subplot", "matplotlib.pyplot.axes"})


def _call(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> Value | NotImplementedType:
    """Evaluates a function of pyplot that makes a figure or axes."""
    figure, axes = (v.Engine(f"{kind}@{it.frame.site}:{node.start}", kind) for kind in (_FIGURE, _AXES))
    if name == "matplotlib.pyplot.subplots":
        return v.TupleValue((figure, _grid(arguments, axes)))
    if name == "matplotlib.pyplot.figure":
        return figure
    return axes if name in _MAKE_AXES else NotImplemented


def _grid(arguments: Arguments, axes: v.Engine) -> Value:
    """Returns the axes of `subplots(rows, columns)`: one, or those in an array."""
    given = dict(zip(("nrows", "ncols"), arguments.positional)) | dict(arguments.keywords)
    if arguments.is_open or "squeeze" in given:
        return UNKNOWN_VALUE
    counts = [v.as_int(given.get(name, v.integer(1))) for name in ("nrows", "ncols")]
    known = [count for count in counts if count is not None]
    if max(known, default=1) > 1:
        return v.Repeated(axes)
    return axes if len(known) == 2 else UNKNOWN_VALUE


def _figure_method(it: Evaluator, figure: v.Engine, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates a method of a figure that makes axes."""
    axes = v.Engine(f"{_AXES}@{it.frame.site}:{node.start}", _AXES)
    if name == "subplots":
        return _grid(arguments, axes)
    return axes if name in ("add_subplot", "add_axes", "gca") else UNKNOWN_VALUE


def _draw(it: Evaluator, axes: v.Engine, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Reports a tensor that a method of axes cannot convert to an array."""
    function = f"matplotlib.pyplot.{name}"
    faults = with_argument(conversion_faults(function, arguments, it.context(node)), arguments)
    it.report(with_call(it, faults, function, arguments))
    return UNKNOWN_VALUE


LIBRARY = Library(package="matplotlib", call=_call, methods={_FIGURE: _figure_method, _AXES: _draw})
