"""Computes provenance and content of results: which operator created them, and between which numbers they
lie.

A mark is set on an operator's result after its row has run, by the operator's name.  Operators that only move, select or
convert elements hand marks on.  Everything else makes values of which nothing is said.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from torchlsp.facts import dtype as dtypes
from torchlsp.facts.content import Content, Number
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import NONE, External, Infinity, Scalar, SliceValue, TupleValue, Value, as_dim
from torchlsp.ops.call import Call

Mark = Callable[[Call, Value], Value]

MARKS: dict[str, Mark] = {}

WORDS = frozenset(
    {"softmax", "log_softmax", "sigmoid", "logsigmoid", "layer", "activation", "tanh", "normal"}
)
"""Words of `provenance` that say in which range values lie, whatever shape they are brought into.

`softmax` and `sigmoid`: from 0 to 1.  `log_softmax` and `logsigmoid`: up to 0.  `tanh`: from -1 to 1.  `activation`: ReLU
and its like, with no upper bound.  `layer`: a learned linear map or a normalisation, and `normal`: `randn`; no bounds.
"""


def _over(value: Value, change: Callable[[TensorFact], TensorFact]) -> Value:
    """Changes a result, or each of several."""
    if isinstance(value, TensorFact):
        return change(value)
    if isinstance(value, TupleValue):
        items = tuple(change(item) if isinstance(item, TensorFact) else item for item in value.items)
        return TupleValue(items, value.names, value.is_size)
    return value


# ---- who made the values ------------------------------------------------------------------------------------------------


def _made_by(word: str) -> Mark:
    def mark(c: Call, value: Value) -> Value:
        return value.but(provenance=word) if isinstance(value, TensorFact) else value

    return mark


def _name(word: str, *names: str) -> None:
    for name in names:
        MARKS[name] = _made_by(word)


_BOUNDED = frozenset({"softmax", "log_softmax", "sigmoid", "logsigmoid", "tanh"})


def _activated(c: Call, value: Value) -> Value:
    """Marks the result of ReLU and its like, which has an upper bound if the input has one, or may have one."""
    given = c.tensor("input")
    if not isinstance(value, TensorFact) or given is None or given.origin is None:
        return value
    has_bound = given.provenance in _BOUNDED or given.content is not None and given.content.high is not None
    if has_bound or given.origin.op == "parameter":
        return value
    return value.but(provenance="activation")


_F = "torch.nn.functional."
_name("sigmoid", "torch.nn.Sigmoid", "torch.special.expit", "Tensor.sigmoid_", "torch.sigmoid_")
_name("softmax", "torch.nn.Softmin", "torch.nn.Softmax2d")
_name("logsigmoid", "torch.nn.LogSigmoid", f"{_F}logsigmoid")
_name("tanh", "torch.nn.Tanh", f"{_F}tanh", "torch.tanh", "Tensor.tanh", "Tensor.tanh_")
_name("normal", "torch.randn", "torch.randn_like")
for _kind in ("Linear", "Bilinear", "LazyLinear", "LayerNorm", "GroupNorm", "RMSNorm"):
    _name("layer", f"torch.nn.{_kind}")
for _kind in ("Conv", "ConvTranspose", "LazyConv", "LazyConvTranspose", "BatchNorm", "InstanceNorm"):
    _name("layer", *(f"torch.nn.{_kind}{rank}d" for rank in (1, 2, 3)))
for _layer, _function in {
    "ReLU": "relu", "LeakyReLU": "leaky_relu", "GELU": "gelu", "SiLU": "silu", "ELU": "elu", "SELU": "selu", "Mish": "mish",
    "Softplus": "softplus", "PReLU": "prelu",
}.items():  # fmt: skip
    for _form in (f"torch.nn.{_layer}", f"{_F}{_function}", f"torch.{_function}", f"Tensor.{_function}"):
        MARKS[_form] = _activated
MARKS["Tensor.relu_"] = _activated


def _over_dim(word: str) -> Mark:
    """Makes the mark of a softmax, which also names the dim that it goes over."""

    def mark(c: Call, value: Value) -> Value:
        if not isinstance(value, TensorFact):
            return value
        dim = c.int("dim") if c.layer is None else c.layer.int("dim")
        if dim is not None and dim < 0:
            dim = None if value.rank is None else dim + value.rank
        origin = value.origin
        if dim is not None and origin is not None:
            origin = replace(origin, dim=dim)
        return value.but(provenance=word, origin=origin)

    return mark


for _word, _layer in (("softmax", "torch.nn.Softmax"), ("log_softmax", "torch.nn.LogSoftmax")):
    for _form in (_layer, f"torch.{_word}", f"Tensor.{_word}", f"torch.special.{_word}", f"{_F}{_word}"):
        MARKS[_form] = _over_dim(_word)


MASKED_WITH = "masked with "
"""The beginning of the provenance of scores of which some were set to a number that takes nothing out of a softmax."""
_HARDLY_ANYTHING = 1e-3
_INFINITE = frozenset(External(f"{library}.inf") for library in ("math", "torch", "numpy"))


def _masked_with(*names: str) -> Mark:
    """Makes the mark of scores some of which are set to infinity, or to `1e-9` where -1e9 is meant."""

    def mark(c: Call, value: Value) -> Value:
        if not isinstance(value, TensorFact):
            return value
        for name in names:
            given = c.value(name)
            number = _number(given)
            if isinstance(given, Infinity) and not given.negative or given in _INFINITE:
                number = math.inf
            is_tiny = isinstance(number, float) and 0 < number <= _HARDLY_ANYTHING and "masked_fill" in c.name
            if number == math.inf or is_tiny:
                return value.but(provenance=f"{MASKED_WITH}{number}")
        return value

    return mark


for _form in ("torch.masked_fill", "Tensor.masked_fill", "Tensor.masked_fill_", "Tensor.__setitem__"):
    MARKS[_form] = _masked_with("value")
MARKS["torch.where"] = _masked_with("input", "other")

TAKES_A_TENSOR = frozenset(name for name in MARKS if name.startswith("torch.nn.") and "functional" not in name) | {
    "torch.nn.Flatten", "torch.nn.Embedding", "torch.nn.Dropout", "torch.nn.Dropout2d", "torch.nn.MaxPool2d",
    "torch.nn.AvgPool2d", "torch.nn.AdaptiveAvgPool2d", "torch.nn.MaxPool1d",
}  # fmt: skip
"""Layers that take one tensor and return one: any argument of them is a tensor."""


# ---- what moves elements hands on what is known of them -----------------------------------------------------------------

_WHOLE = """contiguous clone detach view reshape view_as reshape_as unsqueeze squeeze flatten unflatten ravel transpose swapaxes
swapdims permute t movedim moveaxis expand expand_as broadcast_to repeat tile flip roll T mT requires_grad_ detach_ data
unsqueeze_ squeeze_ transpose_ t_ cpu cuda to type type_as float double half bfloat16 long int short"""
_SLICED = "narrow select chunk split tensor_split unbind diagonal unfold"
_CHOSEN = "index_select masked_select gather take take_along_dim"


def _hand_on(of_part: Callable[[Call, Content], Content] | None = None) -> Mark:
    """Makes the mark that passes provenance and content on.

    `of_part` gives the content where elements are left out.
    """

    def mark(c: Call, value: Value) -> Value:
        given = c.args.get("input")
        if not isinstance(given, TensorFact) or (given.provenance is None and given.content is None):
            return value

        def change(made: TensorFact) -> TensorFact:
            provenance, content = made.provenance, given.content
            if given.provenance in WORDS and provenance is None:
                provenance = given.provenance
            if made.dtype in dtypes.INTEGRAL or made.dtype == "bool":
                provenance = None if provenance in WORDS else provenance
                if not _fits(made.dtype, given):
                    content = None
            if content is not None and of_part is not None:
                content = of_part(c, content)
            return made if made is given else made.but(provenance=provenance, content=content)

        return _over(value, change)

    return mark


def _fits(dtype: str | None, given: TensorFact) -> bool:
    """Returns whether the elements keep their values in this integer dtype."""
    content = given.content
    if content is None or dtype not in ("i64", "i32", "i16"):
        return False
    return isinstance(content.low, int) and isinstance(content.high, int) and abs(content.high) < 1 << 15


def _indexed(c: Call, content: Content) -> Content:
    index = c.value("index")
    if as_dim(index) is not None or isinstance(index, Scalar) and index.kind == "int":
        return content.of_row()
    parts = index.items if isinstance(index, TupleValue) else (index,)
    by_place = all(isinstance(part, (SliceValue, Scalar)) for part in parts)
    return content.of_slice() if by_place else content.of_chosen()


for _names, _mark in (
    (_WHOLE, _hand_on()),
    (_SLICED, _hand_on(lambda c, content: content.of_slice())),
    (_CHOSEN, _hand_on(lambda c, content: content.of_chosen())),
    ("__getitem__", _hand_on(_indexed)),
):
    for _one in _names.split():
        MARKS[f"Tensor.{_one}"] = MARKS[f"torch.{_one}"] = _mark
MARKS["torch.nn.Flatten"] = MARKS["torch.nn.Unflatten"] = _hand_on()


# ---- numbers that the program says --------------------------------------------------------------------------------------


def _number(value: Value) -> Number | None:
    if isinstance(value, Scalar) and isinstance(value.value, (int, float)):
        return int(value.value) if isinstance(value.value, bool) else value.value
    return None


def _known_as(content_of: Callable[[Call], Content | None]) -> Mark:
    def mark(c: Call, value: Value) -> Value:
        if not isinstance(value, TensorFact) or value.grad.requires is Tri.YES:
            return value  # what is trained does not stay what it was made
        content = content_of(c)
        if content is None or (value.dtype in dtypes.INTEGRAL and not isinstance(content.low, int)):
            return value
        if 0 in (value.shape or ()):
            return value
        return value.but(content=content)

    return mark


def _constant(number: Number) -> Callable[[Call], Content | None]:
    return lambda c: Content(number, number)


def _filled(c: Call) -> Content | None:
    number = _number(c.value("fill_value"))
    return None if number is None else Content(number, number)


def _of_data(c: Call) -> Content | None:
    """Returns the numbers of nested lists; nothing when one of them is not known."""
    found: list[Number] = []
    return Content(min(found), max(found)) if _collected(c, c.value("data"), found) and found else None


def _collected(c: Call, data: Value, found: list[Number], depth: int = 0) -> bool:
    if isinstance(data, Scalar):
        number = _number(data)
        if number is not None and number == number:
            found.append(number)
            return True
        return False
    items = None if isinstance(data, TensorFact) or depth > 4 else c.context.elements(data)
    return items is not None and all(_collected(c, item, found, depth + 1) for item in items)


def _counted(c: Call) -> Content | None:
    """Returns the content of `arange`, where all numbers are known ints."""
    start, end = _number(c.value("start")), _number(c.value("end"))
    if c.given("start") is Tri.NO:
        start = 0
    elif c.given("end") is Tri.NO:
        start, end = 0, start
    step = _number(c.value("step"))
    if not (isinstance(start, int) and isinstance(end, int) and isinstance(step, int)) or not step:
        return None
    numbers = range(start, end, step)
    return Content(min(numbers[0], numbers[-1]), max(numbers[0], numbers[-1])) if numbers else None


def _spaced(c: Call) -> Content | None:
    start, end = _number(c.value("start")), _number(c.value("end"))
    steps = c.int("steps")
    if start is None or end is None or steps is None or steps < 2:
        return None
    return Content(min(start, end), max(start, end))


def _drawn(c: Call) -> Content | None:
    """Returns the content of `randint(high, size)`, `randint(low, high, size)`, `randint_like(input, low,
    high)`."""
    low, high = c.value("low"), c.value("high")
    first, last = (0, _number(low)) if c.given("high") is Tri.NO else (_number(low), _number(high))
    if not isinstance(first, int) or not isinstance(last, int) or first >= last:
        return None
    return Content(first, last - 1, "drawn")


for _one, _number_given in {"zeros": 0, "ones": 1}.items():
    for _form in (f"torch.{_one}", f"torch.{_one}_like", f"Tensor.new_{_one}"):
        MARKS[_form] = _known_as(_constant(_number_given))
for _form in ("torch.full", "torch.full_like", "Tensor.new_full"):
    MARKS[_form] = _known_as(_filled)
MARKS["torch.tensor"] = MARKS["torch.as_tensor"] = _known_as(_of_data)
MARKS["torch.LongTensor"] = _known_as(lambda c: None if isinstance(c.value("data"), Scalar) else _of_data(c))
MARKS["torch.arange"] = _known_as(_counted)
MARKS["torch.linspace"] = _known_as(_spaced)
MARKS["torch.rand"] = MARKS["torch.rand_like"] = _known_as(lambda c: Content(0.0, 1.0, "drawn"))
MARKS["torch.randint"] = MARKS["torch.randint_like"] = _known_as(_drawn)


def _shift(sign: int) -> Mark:
    """Makes the mark of `y + 1` and `y - 1`, which shifts the content."""

    def mark(c: Call, value: Value) -> Value:
        given, other = c.args.get("input"), _number(c.value("other"))
        if not isinstance(value, TensorFact) or not isinstance(given, TensorFact) or given.content is None:
            return value
        alpha = c.args.get("alpha")
        if other is None or (alpha is not None and _number(alpha) != 1) or value.dtype != given.dtype:
            return value
        content = given.content.shifted(sign * other)
        if value.dtype in dtypes.INTEGRAL and value.dtype not in ("i64", "i32"):
            return value
        return value.but(content=content)

    return mark


def _scale(divides: bool) -> Mark:
    """Makes the mark of `x * 255` and `x / 255` of floats, which scales the content."""

    def mark(c: Call, value: Value) -> Value:
        given, factor = c.args.get("input"), _number(c.value("other"))
        if not isinstance(value, TensorFact) or not isinstance(given, TensorFact) or given.content is None:
            return value
        if not factor or value.dtype not in dtypes.FLOATING or c.args.get("rounding_mode", NONE) != NONE:
            return value
        ends = [
            number / factor if divides else number * factor
            for number in (given.content.low, given.content.high)
        ]
        return value.but(content=Content(min(ends), max(ends), given.content.how))

    return mark


for _form in ("torch.mul", "Tensor.mul", "torch.multiply", "Tensor.multiply"):
    MARKS[_form] = _scale(False)
for _form in (
    "torch.div",
    "Tensor.div",
    "torch.divide",
    "Tensor.divide",
    "torch.true_divide",
    "Tensor.true_divide",
):
    MARKS[_form] = _scale(True)
for _form in ("torch.add", "Tensor.add"):
    MARKS[_form] = _shift(1)
for _form in ("torch.sub", "Tensor.sub", "torch.subtract", "Tensor.subtract"):
    MARKS[_form] = _shift(-1)
