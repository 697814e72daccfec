"""Losses that are given the wrong values, as small programs: mostly the same loss of a perfect prediction.

Such mistakes raise nothing, so the program does to made-up values what the user's program does to its own, and asserts what
would hold of a right loss.
"""

from __future__ import annotations

from dataclasses import replace

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import Called, Fault, FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Scalar
from torchlsp.lint.replay_calls import of_fault
from torchlsp.lint.replay_outline import Unreplayable
from torchlsp.lint.replay_results import with_proof

_F = "torch.nn.functional."
_PERFECT = 3
"""Classes of a made-up prediction, where the user's are not known."""
_RANGE = Raises(
    r"[Tt]arget -?\d+ is out of bounds|must be smaller than num_classes|must be non-negative|device-side assert|cur_target",
    "Exception",
)


def _program(lines: list[str], proof: str | None, fault: Fault, expect=None) -> ProbeRequest:
    """`lines` end with the flagged one; `proof` is the assertion after it."""
    head = ["import torch", "", *lines]
    rows = head if proof is None else [*head, "", proof]
    return ProbeRequest(
        program="\n".join(rows) + "\n",
        expect=ProofFails() if proof is not None else expect,
        flag=(len(head), len(head)),
        assumes=tuple(sorted(fault.assumptions)),
    )


def _classes(logits: TensorFact | None) -> int:
    """The user's number of classes, where it is a number that makes a small program."""
    shape = logits.shape if logits is not None else None
    size = shape[1] if shape is not None and len(shape) > 1 else None
    return size if isinstance(size, int) and 2 <= size <= 4096 else _PERFECT


def _perfect(classes: int) -> list[str]:
    return [
        f"target = torch.tensor([0, {classes - 1}])",
        f"logits = 100.0 * torch.nn.functional.one_hot(target, {classes}).float()  # certain of every target",
    ]


_MADE = {
    "softmax": ".softmax(1)",
    "sigmoid": ".sigmoid()",
    "tanh": ".tanh()",
    "activation": ".relu()",
    "layer": "",
}


def of_probabilities(fault: Fault) -> ProbeRequest:
    lines = [
        *_perfect(_classes(fault["logits"])),
        f"loss = {_F}cross_entropy(logits{_MADE[fault['word']]}, target)",
    ]
    return _program(lines, 'assert loss < 0.01, "the loss of a perfect prediction is not 0"', fault)


def of_no_log_probabilities(fault: Fault) -> ProbeRequest:
    lines = [
        *_perfect(_classes(fault["input"])),
        f"loss = {_F}nll_loss(logits{_MADE[fault['word']]}, target)",
    ]
    return _program(
        lines, 'assert loss >= 0, "a negative log-likelihood of probabilities is negative"', fault
    )


_OUTSIDE = {
    "layer": "torch.full((3,), -1.0)", "normal": "torch.full((3,), -1.0)", "activation": "torch.full((3,), 2.0)",
    "tanh": "torch.full((3,), -1.0).tanh()", "log_softmax": "torch.zeros(3).log_softmax(0)",
    "logsigmoid": f"{_F}logsigmoid(torch.zeros(3))",
}  # fmt: skip


def of_no_probabilities(fault: Fault) -> ProbeRequest:
    word = fault["word"]
    if word is None:
        outside = fault["low"] if fault["low"] < 0 else fault["high"]
        made = f"torch.full((3,), {float(outside)!r})"
    else:
        made = _OUTSIDE[word]
    lines = [f"input = {made}", f"loss = {_F}binary_cross_entropy(input, torch.ones(3))"]
    found = _program(lines, None, fault, Raises("all elements of input should be between 0 and 1"))
    return replace(found, guesses=True)


def of_squashed_twice(fault: Fault) -> ProbeRequest:
    lines = [
        "target = torch.tensor([[0.0, 1.0], [1.0, 0.0]])",
        "logits = 200.0 * target - 100.0  # certain of every target",
    ]
    lines.append(f"loss = {_F}binary_cross_entropy_with_logits(logits{_MADE[fault['word']]}, target)")
    return _program(lines, 'assert loss < 0.01, "the loss of a perfect prediction is not 0"', fault)


def of_kl_probabilities(fault: Fault) -> ProbeRequest:
    made = "torch.tensor([[0.1, 0.9]])" if fault["word"] != "layer" else "torch.tensor([[2.0, 1.0]])"
    lines = [
        f"input = {made}",
        f'loss = {_F}kl_div(input, torch.tensor([[0.1, 0.9]]), reduction="batchmean")',
    ]
    return _program(lines, 'assert loss >= 0, "a divergence is negative"', fault)


def of_nothing_to_learn(fault: Fault) -> ProbeRequest:
    if fault["reason"] == "ignored":
        lines = [
            f"target = torch.full((2,), {fault['ignored']})",
            f"loss = {_F}cross_entropy(torch.zeros(2, 3), target, ignore_index={fault['ignored']})",
        ]
        return _program(lines, 'assert loss == loss, "the mean over no target is nan"', fault)
    lines = [
        "target = torch.zeros(3, dtype=torch.int64)",
        f"loss = {_F}cross_entropy(torch.full((3, 1), -5.0), target)",
    ]
    return _program(lines, 'assert loss > 0, "with one class every prediction has loss 0"', fault)


def of_broadcast(fault: Fault) -> ProbeRequest:
    """The loss of each pair: are there more of them than predictions?"""
    called = Called(
        f"{_F}mse_loss", (fault["input"], fault["target"]), (("reduction", Scalar("str", "none")),)
    )
    return with_proof(replace(fault, called=called), "result.numel() == x.numel()")


def of_index_out_of_range(fault: Fault) -> ProbeRequest:
    """The call, with the index that has no class in every place of the target."""
    logits, target = fault["logits"], fault["target"]
    stand_ins: dict[int, tuple[Dim, ...]] = {}
    if logits.shape is None:
        stand_ins = {id(logits): (3, fault["classes"]), id(target): (3,)}
    elif target.shape is None:
        stand_ins = {id(target): (logits.shape[0], *logits.shape[2:]) if len(logits.shape) > 1 else ()}
    return _called(fault, _RANGE, stand_ins, {id(target): fault["outside"]})


def of_one_hot_out_of_range(fault: Fault) -> ProbeRequest:
    tensor = fault["input"]
    value = fault["low"] if fault["low"] < 0 else fault["high"]
    return _called(fault, _RANGE, {id(tensor): (3,)}, {id(tensor): value})


def of_one_hot_dtype(fault: Fault) -> ProbeRequest:
    wanted = Raises("one_hot is only applicable to index tensor")
    return _called(fault, wanted, {id(fault["input"]): (3,)}, {})


def of_binary_dtype(fault: Fault) -> ProbeRequest:
    """The dtype is refused for all shapes that fit."""
    wanted = Raises(
        "result type .* can't be cast|Found dtype .* but expected|operator, with two bool tensors"
    )
    tensor, target = fault["input"], fault["target"]
    if tensor is None:
        raise Unreplayable("the input")
    shape = tensor.shape if tensor.shape is not None else target.shape if target.shape is not None else (3,)
    return _called(fault, wanted, {id(tensor): shape, id(target): shape}, {})


def of_swapped(fault: Fault) -> ProbeRequest:
    if fault["reason"] == "integers":
        return _called(fault, Raises(".", "Exception"), {}, {})
    lines = [
        "labels, predicted = torch.ones(3), torch.full((3,), 0.9)",
        f"right = {_F}binary_cross_entropy(predicted, labels)",
        f"loss = {_F}binary_cross_entropy(labels, predicted)",
    ]
    return _program(
        lines, 'assert abs(loss - right) < 0.01, "the order of the arguments makes another loss"', fault
    )


def of_made_with_tensors(fault: Fault) -> ProbeRequest:
    """The constructor, with tensors for what is not known of its arguments."""
    called = fault.called
    if called is None:
        raise Unreplayable("the call")
    args = tuple(
        value
        if isinstance(value, TensorFact)
        else TensorFact(dtype="i64" if place else "f32", layout=ROW_MAJOR)
        for place, value in enumerate(called.args)
    )
    shapes: dict[int, tuple[Dim, ...]] = {
        id(one): (3,) if place else (3, 5) for place, one in enumerate(args)
    }
    given = replace(fault, called=replace(called, args=args))
    return _called(given, Raises("Boolean value of Tensor|must be a float", "Exception"), shapes, {})


def _called(
    fault: Fault, expect: Raises, stand_ins: dict[int, tuple[Dim, ...]], fills: dict[int, int]
) -> ProbeRequest:
    if fault.called is None:
        raise Unreplayable("the call")
    return replace(of_fault(fault, fault.called, stand_ins, fills), expect=expect)


_INDICES = Raises(
    "Expected tensor for argument #1 'indices'|index out of range in self|device-side assert|out of bounds",
    "Exception",
)


def of_embedding(fault: Fault) -> ProbeRequest:
    indices = fault["input"]
    stand_ins: dict[int, tuple[Dim, ...]] = {id(indices): (3,)} if indices.shape is None else {}
    low = fault.get("low")
    fills = {} if low is None else {id(indices): low if low < 0 else fault["high"]}
    return _called(fault, _INDICES, stand_ins, fills)


def of_index_dtype(fault: Fault) -> ProbeRequest:
    index, tensor = fault["input"], fault["tensor"]
    stand_ins: dict[int, tuple[Dim, ...]] = {id(one): (3,) for one in (index, tensor) if one.shape is None}
    return _called(
        fault, Raises("tensors used as indices must be|Index must be", "IndexError"), stand_ins, {}
    )


def of_random_dtype(fault: Fault) -> ProbeRequest:
    tensor = fault["input"]
    wanted = Raises(
        "not implemented for|only supports floating|continuous probability distribution", "Exception"
    )
    return _called(fault, wanted, {} if tensor is None else {id(tensor): tensor.shape or (3,)}, {})


def of_inplace_dtype(fault: Fault) -> ProbeRequest:
    if fault.called is None:
        raise Unreplayable("the call")
    shape: tuple[Dim, ...] = fault["input"].shape or ()
    stand_ins = {
        id(value): shape or (3,)
        for value in fault.called.args
        if isinstance(value, TensorFact) and value.shape is None
    }
    return _called(fault, Raises("can't be cast to the desired output type"), stand_ins, {})


OF_LOSSES = {
    FaultKind.INPLACE_DTYPE: of_inplace_dtype,
    FaultKind.EMBEDDING_DTYPE: of_embedding,
    FaultKind.EMBEDDING_RANGE: of_embedding,
    FaultKind.INDEX_DTYPE: of_index_dtype,
    FaultKind.RANDOM_DTYPE: of_random_dtype,
    FaultKind.CE_OF_PROBABILITIES: of_probabilities,
    FaultKind.NLL_OF_OTHERS: of_no_log_probabilities,
    FaultKind.BCE_OF_LOGITS: of_no_probabilities,
    FaultKind.BCE_LOGITS_OF_PROBABILITIES: of_squashed_twice,
    FaultKind.LOSS_BROADCAST: of_broadcast,
    FaultKind.LOSS_MADE_WITH_TENSORS: of_made_with_tensors,
    FaultKind.CE_TARGET_RANGE: of_index_out_of_range,
    FaultKind.CE_NOTHING_TO_LEARN: of_nothing_to_learn,
    FaultKind.BCE_TARGET_DTYPE: of_binary_dtype,
    FaultKind.ONE_HOT_DTYPE: of_one_hot_dtype,
    FaultKind.ONE_HOT_RANGE: of_one_hot_out_of_range,
    FaultKind.LOSS_SWAPPED: of_swapped,
    FaultKind.KL_OF_PROBABILITIES: of_kl_probabilities,
}


# ---- calls that are found by what they are not given --------------------------------------------------------------------


def of_guessed_dim(name: str) -> ProbeRequest:
    """Softmax of two and of three dims: is it over the same dim?"""
    plain = name.removeprefix("torch.nn.functional.")
    called = f"{name}({{}})" if plain != name else f"{name}()({{}})"
    logarithm = ".exp()" if "log" in plain.lower() else ""
    lines = [
        "import torch",
        "",
        f"rows = {called.format('torch.zeros(2, 3)')}{logarithm}.sum(1)",
        f"planes = {called.format('torch.zeros(2, 3, 4)')}{logarithm}.sum(1)",
        "",
        "assert torch.allclose(rows, torch.ones(2))",
        'assert torch.allclose(planes, torch.ones(2, 4)), "with three dims it is another dim than with two"',
    ]
    return ProbeRequest("\n".join(lines) + "\n", ProofFails(), flag=(3, 4))


def of_mean_of_elements(name: str) -> ProbeRequest:
    """The default mean and the mean over the batch."""
    called = f"{name}()(log_p, q)" if name == "torch.nn.KLDivLoss" else f"{name}(log_p, q)"
    lines = [
        "import torch",
        "",
        "q = torch.tensor([[0.1, 0.9], [0.5, 0.5]])",
        "log_p = torch.full((2, 2), 0.5).log()",
        f"loss = {called}",
        "",
        f'divergence = {_F}kl_div(log_p, q, reduction="batchmean")',
        'assert abs(loss - divergence) < 0.001, "the mean is over every element"',
    ]
    return ProbeRequest("\n".join(lines) + "\n", ProofFails(), flag=(5, 5))


OF_CALLS = {
    **dict.fromkeys(
        (
            "torch.nn.functional.softmax", "torch.nn.functional.log_softmax", "torch.nn.functional.softmin",
            "torch.nn.Softmax", "torch.nn.LogSoftmax", "torch.nn.Softmin",
        ),
        of_guessed_dim,
    ),
    "torch.nn.functional.kl_div": of_mean_of_elements,
    "torch.nn.KLDivLoss": of_mean_of_elements,
}  # fmt: skip
"""Programs of calls in which an argument is missing, by the name that is called."""
