"""Reproduces faults with gradients and with the autograd graph.

What is said of one tensor or node is asked of one like it. The programs raise, or end in an assertion that holds where the
mistake is not made.
"""

from __future__ import annotations

import math

from torchlsp.core.finding import ProbeRequest
from torchlsp.facts.dtype import TORCH_NAMES, can_require_grad
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.lint.reproducers.outline import NotReproducible, Reproducer
from torchlsp.lint.reproducers.program_text import around_row
from torchlsp.lint.reproducers.single_call import reproduce_fault
from torchlsp.ops.tensor.saved import SAVED

_MAX_ELEMENTS = 1 << 20


def _tensor(fact: TensorFact | None, options: str = "") -> tuple[str, bool]:
    """Writes a tensor of the fact's shape and dtype on the CPU; returns also whether something was chosen."""
    shape, dtype = (fact.shape, fact.dtype) if fact is not None else (None, None)
    numbers = tuple(size for size in shape or () if isinstance(size, int))
    known = shape is not None and len(numbers) == len(shape)
    sizes = numbers if known else (2, 3)
    if math.prod(sizes) > _MAX_ELEMENTS:
        raise NotReproducible("a smaller tensor")
    kept = f", dtype=torch.{TORCH_NAMES[dtype]}" if dtype is not None and dtype != "f32" else ""
    inner = ", ".join(map(str, sizes))
    comma = "," if len(sizes) == 1 else ""
    return f"torch.ones(({inner}{comma}){kept}{options})", not known or dtype is None


def _leaf(fact: TensorFact | None) -> tuple[str, bool]:
    """Writes a leaf that requires grad, of the fact's shape and dtype. Returns also whether something was
    chosen."""
    if fact is not None and fact.dtype is not None and not can_require_grad(fact.dtype):
        raise NotReproducible("a dtype that can require grad")
    return _tensor(fact, ", requires_grad=True")


def _non_leaf_grad(fault: Fault) -> ProbeRequest:
    made, guesses = _leaf(fault["input"])
    lines = [f"w = {made}", "h = w.clone()", "h.sum().backward()"]
    return around_row(
        lines, "gradient = h.grad", 'assert gradient is not None, "h is no leaf"', fault, guesses
    )


def _data(fault: Fault) -> ProbeRequest:
    """Reproduces a gradient that needs the value which is written through `.data`. Through `detach()` torch
    would refuse."""
    made, guesses = _leaf(fault["input"])
    if fault["input"].grad.leaf is Tri.YES:
        lines = [f"w = {made}", "expected = 2 * w.detach()", "total = (w * w).sum()"]
        flagged, after = "w.data.add_(1)", "total.backward()"
    else:
        lines = [f"w = {made}", "h = w.exp()", "expected = h.detach().clone()"]
        flagged, after = "h.data.add_(1)", "h.sum().backward()"
    proof = f'{after}\nassert torch.equal(w.grad, expected), "the gradient is wrong"'
    return around_row(lines, flagged, proof, fault, guesses)


def _detached_write(fault: Fault) -> ProbeRequest:
    made, guesses = _leaf(fault["input"])
    lines = [f"w = {made}", "h = w * 2", "before = h.detach().clone()", "part = h.detach()"]
    proof = 'assert torch.equal(h, before), "the tensor in the graph was changed as well"'
    return around_row(lines, "part.add_(1)", proof, fault, guesses)


def _cut_scalar(fault: Fault) -> ProbeRequest:
    lines = ["scale = torch.ones((), requires_grad=True)", "w = torch.ones(3, requires_grad=True)"]
    proof = 'result.sum().backward()\nassert scale.grad is not None, "the gradient has ended before"'
    return around_row(lines, "result = w * scale.item()", proof, fault, False)


def _inplace_leaf(fault: Fault) -> ProbeRequest:
    made, guesses = _leaf(fault["input"])
    lines = [f"w = {made}", *(["w = w.view(-1)"] if fault["view"] else [])]
    return around_row(lines, "w.add_(1)", "", fault, guesses)


def _no_derivative(fault: Fault) -> ProbeRequest | None:
    """Reproduces the operator on a tensor that requires grad: its result has no graph, or the gradient
    through it is 0."""
    if not fault["flat"]:
        if fault.called is None:
            raise NotReproducible("the call")
        return reproduce_fault(fault, fault.called)
    name = fault["cut"].op.rpartition(".")[2].removesuffix("_")
    lines = ["w = torch.full((3,), 0.7, requires_grad=True)", f"loss = torch.{name}(w).sum()"]
    proof = 'assert w.grad.any(), "the gradient is 0"'
    return around_row(lines, "loss.backward()", proof, fault, False)


def _grad_attribute(fault: Fault) -> ProbeRequest:
    name, value = fault.op, getattr(fault["value"], "value", None)
    if not isinstance(value, bool):
        raise NotReproducible("the value that is set")
    if fault["module"]:
        lines, target = ["target = torch.nn.Linear(2, 2)"], "target.weight.requires_grad"
    else:
        lines, target = ["target = torch.ones(2, requires_grad=True)"], "target.requires_grad"
    if value:
        lines.append("target.requires_grad_(False)")
    return around_row(lines, f"target.{name} = {value}", f"assert {target} is {value}", fault, False)


def _mode_not_entered(fault: Fault) -> ProbeRequest:
    name = fault["manager"]
    if fault["called_for"]:
        raise NotReproducible("a manager outside of `with`")  # the probe's gate refuses it
    return around_row([], f"with {name}: pass", "", fault, False)


def _non_leaf_parameter(fault: Fault) -> ProbeRequest:
    parent, result = fault["input"], fault["result"]
    made, guesses = _leaf(parent)
    if result.dtype != parent.dtype and result.dtype is not None:
        done = f"w.to(torch.{TORCH_NAMES[result.dtype]})"
    elif result.device != parent.device and result.device is not None:
        done = 'w.to("cuda")'
    else:
        done = "w.clone()"
    kind = "logical-device" if "cuda" in done else "eager-cpu"
    return around_row(
        [f"w = {made}"], f"kept = {done}", 'assert kept.is_leaf, "the leaf is lost"', fault, guesses, kind
    )


_TWO = frozenset("mul multiply matmul mm div divide true_divide maximum minimum atan2".split())
_TORCH_PRODUCTS = frozenset("bmm dot outer mv".split())
_BARE = frozenset(
    "exp exp2 expm1 sigmoid tanh sqrt rsqrt reciprocal tan relu log log2 log10 log1p sin cos asin acos atan sinh cosh asinh "
    "atanh abs square erf erfc lgamma sinc var std prod norm".split()
)
_LABELS = "torch.tensor([0, 1])"
_EXAMPLES = {
    **{name: f"x.{name}()" for name in _BARE},
    **{name: f"torch.{name}(x, y)" for name in _TWO},
    **{
        name: f"x.{name}(-1)"
        for name in "softmax log_softmax cumprod logsumexp amax amin logcumsumexp".split()
    },
    **{
        name: f"torch.nn.functional.{name}(x)"
        for name in "gelu silu elu selu celu leaky_relu softplus mish hardswish hardsigmoid hardtanh relu6 softsign logsigmoid".split()
    },
    **{
        name: f"torch.nn.{name}()(x)"
        for name in (
            "GELU SiLU ELU SELU CELU LeakyReLU Softplus Mish Hardswish Hardsigmoid Hardtanh ReLU6 Softsign LogSigmoid ReLU "
            "Sigmoid Tanh PReLU"
        ).split()
    },
    **{
        name: f"torch.nn.functional.{name}(x, y)"
        for name in "mse_loss smooth_l1_loss huber_loss l1_loss".split()
    },
    **{name: f"torch.nn.{name}()(x, y)" for name in "MSELoss SmoothL1Loss HuberLoss L1Loss".split()},
    **{name: f"torch.nn.{name}(-1)(x)" for name in "Softmax LogSoftmax Softmin GLU".split()},
    **{name: f"torch.nn.{name}(2, 2)(x)" for name in "Linear RNNCell GRUCell GroupNorm".split()},
    **{name: f"torch.nn.{name}(2, 2)(x)[0]" for name in "RNN LSTM GRU LSTMCell".split()},
    "softmin": "torch.nn.functional.softmin(x, -1)",
    "glu": "torch.nn.functional.glu(x, -1)",
    "pow": "x.pow(2)",
    "clamp": "x.clamp(0, 2)",
    "clamp_min": "x.clamp_min(0)",
    "gather": "x.gather(1, torch.zeros(2, 1, dtype=torch.long))",
    "outer": "torch.outer(x[0], y[0])",
    "dot": "torch.dot(x[0], y[0])",
    "mv": "torch.mv(x, y[0])",
    "bmm": "torch.bmm(x.unsqueeze(0), y.unsqueeze(0))",
    "linear": "torch.nn.functional.linear(x, y)",
    "layer_norm": "torch.nn.functional.layer_norm(x, (2,))",
    "group_norm": "torch.nn.functional.group_norm(x, 2)",
    "LayerNorm": "torch.nn.LayerNorm(2)(x)",
    "BatchNorm1d": "torch.nn.BatchNorm1d(2)(x)",
    "batch_norm": "torch.nn.functional.batch_norm(x, None, None, training=True)",
    **{
        f"BatchNorm{n}d": f"torch.nn.BatchNorm{n}d(2)(x.reshape({(1, 2, 2, *[1] * (n - 1))}))" for n in (2, 3)
    },
    **{f"Conv{n}d": f"torch.nn.Conv{n}d(2, 2, 1)(x.reshape({(1, 2, 2, *[1] * (n - 1))}))" for n in (1, 2, 3)},
    **{
        f"ConvTranspose{n}d": f"torch.nn.ConvTranspose{n}d(2, 2, 1)(x.reshape({(1, 2, 2, *[1] * (n - 1))}))"
        for n in (1, 2, 3)
    },
    **{
        f"conv{n}d": f"torch.nn.functional.conv{n}d(x.reshape({(1, 2, 2, *[1] * (n - 1))}), y.reshape({(2, 2, *[1] * n)}))"
        for n in (1, 2, 3)
    },
    "cross_entropy": f"torch.nn.functional.cross_entropy(x, {_LABELS})",
    "CrossEntropyLoss": f"torch.nn.CrossEntropyLoss()(x, {_LABELS})",
    "nll_loss": f"torch.nn.functional.nll_loss(x, {_LABELS})",
    "NLLLoss": f"torch.nn.NLLLoss()(x, {_LABELS})",
    "binary_cross_entropy_with_logits": "torch.nn.functional.binary_cross_entropy_with_logits(x, y.detach())",
    "BCEWithLogitsLoss": "torch.nn.BCEWithLogitsLoss()(x, y.detach())",
    "masked_fill": "x.masked_fill(torch.ones(2, 2) > 2, 0.0)",
    "where": "torch.where(torch.ones(2, 2) > 0, x, y)",
    "index_select": f"x.index_select(0, {_LABELS})",
    "embedding": f"torch.nn.functional.embedding({_LABELS}, x)",
    "Embedding": f"torch.nn.Embedding(2, 2)({_LABELS})",
    "sort": "x.sort().values",
    "topk": "x.topk(1).values",
    "scaled_dot_product_attention": (
        "torch.nn.functional.scaled_dot_product_attention(x.reshape(1, 1, 2, 2), y.reshape(1, 1, 2, 2), y.reshape(1, 1, 2, 2))"
    ),
    "MultiheadAttention": "torch.nn.MultiheadAttention(2, 1)(x, x, x)[0]",
    "TransformerEncoderLayer": "torch.nn.TransformerEncoderLayer(2, 1)(x)",
}
_HEAD = [
    "w = torch.full((2, 2), 0.5, requires_grad=True)",
    "x, y = w + 0.1, w + 0.2",
]


def example(op: str) -> str:
    """Writes an expression over `x` and `y`, of shape [2, 2], that require grad, whose node is one of this operator."""
    name = op.rpartition(".")[2]
    found = _EXAMPLES.get(name) or _EXAMPLES.get(name.removesuffix("_"))
    if found is None:
        raise NotReproducible(f"a call of {op}")
    return found


def examples() -> dict[str, str]:
    """Lists the expressions of all operators that save something, by the last part of the operator's name."""
    return {name: _EXAMPLES[name] for name in SAVED}


def _backward_twice(fault: Fault) -> ProbeRequest:
    made = example(fault["shared"].op)
    lines = [*_HEAD, f"h = {made}", "h.sum().backward()"]
    return around_row(lines, "h.mean().backward()", "", fault, False)


def _carried_graph(fault: Fault) -> ProbeRequest:
    made = example(fault["shared"].op)
    lines = [
        *_HEAD,
        "carried = 0",
        "for _ in range(2):",
        "    x, y = w + 0.1, w + 0.2",
        f"    carried = carried + ({made}).sum()",
    ]
    return around_row(lines, "    carried.backward()", "", fault, False)


def _saved_changed(fault: Fault) -> ProbeRequest:
    made = example(fault["saver"].op)
    if fault["which"] == "weight":
        layer, given = made.removesuffix("[0]").split(")(", 1)
        lines = [
            *_HEAD,
            f"layer = {layer})",
            f"h = layer({given}",
            *(["h = h[0]"] if made.endswith("[0]") else []),
        ]
        lines += ["with torch.no_grad():", "    for weight in layer.parameters():", "        weight.add_(1)"]
    else:
        changed = ["    h.add_(1)"] if fault["which"] == "result" else ["    x.add_(1)", "    y.add_(1)"]
        lines = [*_HEAD, f"h = {made}", "with torch.no_grad():", *changed]
    return around_row(lines, "h.sum().backward()", "", fault, False)


def _graph_grows(fault: Fault) -> ProbeRequest:
    lines = [
        "model = torch.nn.Linear(2, 1)", "total = 0", "for _ in range(2):", "    loss = model(torch.ones(3, 2)).mean()", "    loss.backward()",
    ]  # fmt: skip
    proof = 'assert torch.as_tensor(total).grad_fn is None, "the graphs are still held"'
    return around_row(lines, "    total = total + loss", proof, fault, False)


def _retained_graph(fault: Fault) -> ProbeRequest:
    """Reproduces two iterations. The graph of the first one is still there if backward can run through it
    again."""
    carried = "carried" if fault["carried"] else "0"
    lines = [
        "w = torch.ones(2, requires_grad=True)", "carried, losses = 0, []", "for _ in range(2):", f"    carried = (w * w).sum() + {carried}",
        "    losses.append(carried)",
    ]  # fmt: skip
    proof = (
        "freed = False\ntry:\n    losses[0].backward()\nexcept RuntimeError:\n    freed = True\n"
        'assert freed, "the graph of the first iteration is still held"'
    )
    return around_row(lines, "    carried.backward(retain_graph=True)", proof, fault, False)


def _hook_keeps(fault: Fault) -> ProbeRequest:
    lines = ["kept = []", "net = torch.nn.Linear(2, 1)", "def keep(output):"]
    proof = 'keep(net(torch.ones(3, 2)))\nassert kept[0].grad_fn is None, "the graph is kept as well"'
    return around_row(lines, "    kept.append(output)", proof, fault, False)


def _grad_switched_off(fault: Fault) -> ProbeRequest:
    lines = [
        "net = torch.nn.Linear(2, 1)",
        "with torch.set_grad_enabled(False):",
        "    loss = net(torch.ones(3, 2)).mean()",
    ]
    return around_row(lines, "loss.backward()", "", fault, False)


def _inference_tensor(fault: Fault) -> ProbeRequest:
    name = fault.op.rpartition(".")[2]
    lines = ["with torch.inference_mode():", "    x = torch.ones(2, 2)", "    labels = torch.tensor([0, 1])"]
    if fault["action"] == "write":
        return around_row(lines, "x.add_(1)", "", fault, False)
    if fault["action"] == "require":
        return around_row(lines, "x.requires_grad_()", "", fault, False)
    made = example(fault.op)
    lines.append("w = torch.full((2, 2), 0.5, requires_grad=True)")
    if fault["input"].dtype == "i64":
        made = made.replace(_LABELS, "labels").replace("(x", "(w").replace("x.", "w.")
    elif "y" in made.replace("torch.nn.functional", "") and not name[0].isupper():
        made = made.replace("y.detach()", "x").replace("(x", "(w").replace(", y", ", x")
    return around_row(lines, made, "", fault, True)


OF_KIND: dict[FaultKind, Reproducer] = {
    FaultKind.INPLACE_LEAF: _inplace_leaf,
    FaultKind.NON_LEAF_GRAD: _non_leaf_grad,
    FaultKind.DATA: _data,
    FaultKind.DATA_WRITE: _data,
    FaultKind.CUT_SCALAR: _cut_scalar,
    FaultKind.DETACHED_WRITE: _detached_write,
    FaultKind.NO_DERIVATIVE: _no_derivative,
    FaultKind.GRAD_ATTRIBUTE: _grad_attribute,
    FaultKind.MODE_NOT_ENTERED: _mode_not_entered,
    FaultKind.NON_LEAF_PARAMETER: _non_leaf_parameter,
    FaultKind.BACKWARD_TWICE: _backward_twice,
    FaultKind.CARRIED_GRAPH: _carried_graph,
    FaultKind.SAVED_CHANGED: _saved_changed,
    FaultKind.GRAPH_GROWS: _graph_grows,
    FaultKind.RETAINED_GRAPH: _retained_graph,
    FaultKind.GRAD_SWITCHED_OFF: _grad_switched_off,
    FaultKind.HOOK_KEEPS: _hook_keeps,
    FaultKind.INFERENCE_TENSOR: _inference_tensor,
}
