"""Mistakes with the autograd graph as small programs: one node like the one in question, gone through as the program does."""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.lint.replay_autograd import program
from torchlsp.lint.replay_outline import Unreplayable
from torchlsp.ops.tensor.saved import SAVED

_TWO = frozenset("mul multiply matmul mm div divide true_divide maximum minimum atan2".split())
_OF_TORCH = frozenset("bmm dot outer mv".split())
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
    """An expression over `x` and `y`, two tensors of shape [2, 2] that require grad, whose node is one of this operator."""
    name = op.rpartition(".")[2]
    found = _EXAMPLES.get(name) or _EXAMPLES.get(name.removesuffix("_"))
    if found is None:
        raise Unreplayable(f"a call of {op}")
    return found


def examples() -> dict[str, str]:
    """All of them, by the last part of the operator's name."""
    return {name: _EXAMPLES[name] for name in SAVED}


def _of_twice(fault: Fault) -> ProbeRequest:
    made = example(fault["shared"].op)
    lines = [*_HEAD, f"h = {made}", "h.sum().backward()"]
    return program(lines, "h.mean().backward()", "", fault, False)


def _of_adversaries(fault: Fault) -> ProbeRequest:
    lines = [
        "first = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())",
        "second = torch.nn.Linear(2, 1)",
        "made = first(torch.ones(3, 2))",
        "second(made).mean().backward()",
        "loss = second(made).sum()",
    ]
    return program(lines, "loss.backward()", "", fault, False)


def _of_carried(fault: Fault) -> ProbeRequest:
    made = example(fault["shared"].op)
    lines = [
        *_HEAD,
        "carried = 0",
        "for _ in range(2):",
        "    x, y = w + 0.1, w + 0.2",
        f"    carried = carried + ({made}).sum()",
    ]
    return program(lines, "    carried.backward()", "", fault, False)


def _of_changed(fault: Fault) -> ProbeRequest:
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
    return program(lines, "h.sum().backward()", "", fault, False)


def _of_growing(fault: Fault) -> ProbeRequest:
    lines = [
        "model = torch.nn.Linear(2, 1)", "total = 0", "for _ in range(2):", "    loss = model(torch.ones(3, 2)).mean()", "    loss.backward()",
    ]  # fmt: skip
    proof = 'assert torch.as_tensor(total).grad_fn is None, "the graphs are still held"'
    return program(lines, "    total = total + loss", proof, fault, False)


def _of_retained(fault: Fault) -> ProbeRequest:
    """Two iterations; the graph of the first one is still there if one can go through it again."""
    carried = "carried" if fault["carried"] else "0"
    lines = [
        "w = torch.ones(2, requires_grad=True)", "carried, losses = 0, []", "for _ in range(2):", f"    carried = (w * w).sum() + {carried}",
        "    losses.append(carried)",
    ]  # fmt: skip
    proof = (
        "freed = False\ntry:\n    losses[0].backward()\nexcept RuntimeError:\n    freed = True\n"
        'assert freed, "the graph of the first iteration is still held"'
    )
    return program(lines, "    carried.backward(retain_graph=True)", proof, fault, False)


def _of_hook(fault: Fault) -> ProbeRequest:
    lines = ["kept = []", "net = torch.nn.Linear(2, 1)", "def keep(output):"]
    proof = 'keep(net(torch.ones(3, 2)))\nassert kept[0].grad_fn is None, "the graph is kept as well"'
    return program(lines, "    kept.append(output)", proof, fault, False)


def _of_switch(fault: Fault) -> ProbeRequest:
    lines = [
        "net = torch.nn.Linear(2, 1)",
        "with torch.set_grad_enabled(False):",
        "    loss = net(torch.ones(3, 2)).mean()",
    ]
    return program(lines, "loss.backward()", "", fault, False)


def _of_inference(fault: Fault) -> ProbeRequest:
    name = fault.op.rpartition(".")[2]
    lines = ["with torch.inference_mode():", "    x = torch.ones(2, 2)", "    labels = torch.tensor([0, 1])"]
    if fault["action"] == "write":
        return program(lines, "x.add_(1)", "", fault, False)
    if fault["action"] == "require":
        return program(lines, "x.requires_grad_()", "", fault, False)
    made = example(fault.op)
    lines.append("w = torch.full((2, 2), 0.5, requires_grad=True)")
    if fault["input"].dtype == "i64":
        made = made.replace(_LABELS, "labels").replace("(x", "(w").replace("x.", "w.")
    elif "y" in made.replace("torch.nn.functional", "") and not name[0].isupper():
        made = made.replace("y.detach()", "x").replace("(x", "(w").replace(", y", ", x")
    return program(lines, made, "", fault, True)


OF_GRAPH = {
    FaultKind.BACKWARD_TWICE: _of_twice,
    FaultKind.NOT_DETACHED: _of_adversaries,
    FaultKind.CARRIED_GRAPH: _of_carried,
    FaultKind.SAVED_CHANGED: _of_changed,
    FaultKind.GRAPH_GROWS: _of_growing,
    FaultKind.RETAINED_GRAPH: _of_retained,
    FaultKind.GRAD_SWITCHED_OFF: _of_switch,
    FaultKind.HOOK_KEEPS: _of_hook,
    FaultKind.INFERENCE_TENSOR: _of_inference,
}
