"""Reproduces losses with wrong arguments, and values that a dtype cannot represent.

Wrong losses raise nothing, so the program does to made-up values what the user's program does to its own, mostly to a perfect
prediction, and asserts what would hold of a right loss.
"""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.core.records import replace
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import TORCH_NAMES
from torchlsp.facts.fault import Called, Fault, FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Scalar
from torchlsp.lint.reproducers.outline import NotReproducible, Reproducer
from torchlsp.lint.reproducers.program_text import with_flags
from torchlsp.lint.reproducers.single_call import reproduce_fault, with_assertion

_FUNCTIONAL = "torch.nn.functional."
_CLASSES = 3
"""The number of classes of a prediction, where the user's is not known."""
_RANGE = Raises(
    r"[Tt]arget -?\d+ is out of bounds|must be smaller than num_classes|must be non-negative|device-side assert|cur_target",
    "Exception",
)


def _loss_program(
    lines: list[str], proof: str | None, fault: Fault, expect: Raises | None = None
) -> ProbeRequest:
    """Returns the program of a loss; `lines` end with the flagged one; `proof` is the assertion after it."""
    head = ["import torch", "", *lines]
    rows = head if proof is None else [*head, "", proof]
    return ProbeRequest(
        program="\n".join(rows) + "\n",
        expect=ProofFails() if proof is not None else expect,
        flag=(len(head), len(head)),
        assumes=tuple(sorted(fault.assumptions)),
    )


def _classes(logits: TensorFact | None) -> int:
    """Returns the user's number of classes, where it is a number that makes a small program."""
    shape = logits.shape if logits is not None else None
    size = shape[1] if shape is not None and len(shape) > 1 else None
    return size if isinstance(size, int) and 2 <= size <= 4096 else _CLASSES


def _perfect(classes: int) -> list[str]:
    return [
        f"target = torch.tensor([0, {classes - 1}])",
        f"logits = 100.0 * torch.nn.functional.one_hot(target, {classes}).float()  # certain of every target",
    ]


_ACTIVATED = {
    "softmax": ".softmax(1)",
    "sigmoid": ".sigmoid()",
    "tanh": ".tanh()",
    "activation": ".relu()",
    "layer": "",
}


def _ce_of_probabilities(fault: Fault) -> ProbeRequest:
    lines = [
        *_perfect(_classes(fault["logits"])),
        f"loss = {_FUNCTIONAL}cross_entropy(logits{_ACTIVATED[fault['word']]}, target)",
    ]
    return _loss_program(lines, 'assert loss < 0.01, "the loss of a perfect prediction is not 0"', fault)


def _nll_of_others(fault: Fault) -> ProbeRequest:
    if fault["word"] == "dim":
        lines = [
            "target = torch.tensor([0, 0, 1])",
            "logits = 20.0 * torch.eye(2)[target]",
            f"loss = {_FUNCTIONAL}nll_loss(logits.log_softmax(0), target)",
        ]
        return _loss_program(lines, 'assert loss < 0.01, "the loss of a perfect prediction is not 0"', fault)
    lines = [
        *_perfect(_classes(fault["input"])),
        f"loss = {_FUNCTIONAL}nll_loss(logits{_ACTIVATED[fault['word']]}, target)",
    ]
    return _loss_program(
        lines, 'assert loss >= 0, "a negative log-likelihood of probabilities is negative"', fault
    )


_OUTSIDE = {
    "layer": "torch.full((3,), -1.0)", "normal": "torch.full((3,), -1.0)", "activation": "torch.full((3,), 2.0)",
    "tanh": "torch.full((3,), -1.0).tanh()", "log_softmax": "torch.zeros(3).log_softmax(0)",
    "logsigmoid": f"{_FUNCTIONAL}logsigmoid(torch.zeros(3))",
}  # fmt: skip


def _bce_of_logits(fault: Fault) -> ProbeRequest:
    word = fault["word"]
    if word is None:
        outside = fault["low"] if fault["low"] < 0 else fault["high"]
        made = f"torch.full((3,), {float(outside)!r})"
    else:
        made = _OUTSIDE[word]
    lines = [f"input = {made}", f"loss = {_FUNCTIONAL}binary_cross_entropy(input, torch.ones(3))"]
    found = _loss_program(lines, None, fault, Raises("all elements of input should be between 0 and 1"))
    return replace(found, guesses=True)


def _bce_logits_of_probabilities(fault: Fault) -> ProbeRequest:
    lines = [
        "target = torch.tensor([[0.0, 1.0], [1.0, 0.0]])",
        "logits = 200.0 * target - 100.0  # certain of every target",
    ]
    lines.append(
        f"loss = {_FUNCTIONAL}binary_cross_entropy_with_logits(logits{_ACTIVATED[fault['word']]}, target)"
    )
    return _loss_program(lines, 'assert loss < 0.01, "the loss of a perfect prediction is not 0"', fault)


def _kl_of_probabilities(fault: Fault) -> ProbeRequest:
    made = "torch.tensor([[0.1, 0.9]])" if fault["word"] != "layer" else "torch.tensor([[2.0, 1.0]])"
    lines = [
        f"input = {made}",
        f'loss = {_FUNCTIONAL}kl_div(input, torch.tensor([[0.1, 0.9]]), reduction="batchmean")',
    ]
    return _loss_program(lines, 'assert loss >= 0, "a divergence is negative"', fault)


def _ce_nothing_to_learn(fault: Fault) -> ProbeRequest:
    if fault["reason"] == "ignored":
        lines = [
            f"target = torch.full((2,), {fault['ignored']})",
            f"loss = {_FUNCTIONAL}cross_entropy(torch.zeros(2, 3), target, ignore_index={fault['ignored']})",
        ]
        return _loss_program(lines, 'assert loss == loss, "the mean over no target is nan"', fault)
    lines = [
        "target = torch.zeros(3, dtype=torch.int64)",
        f"loss = {_FUNCTIONAL}cross_entropy(torch.full((3, 1), -5.0), target)",
    ]
    return _loss_program(lines, 'assert loss > 0, "with one class every prediction has loss 0"', fault)


def _loss_broadcast(fault: Fault) -> ProbeRequest:
    """Reproduces the loss of each pair, to see whether there are more of them than predictions."""
    called = Called(
        f"{_FUNCTIONAL}mse_loss", (fault["input"], fault["target"]), (("reduction", Scalar("str", "none")),)
    )
    return with_assertion(replace(fault, called=called), "result.numel() == x.numel()")


def _ce_target_range(fault: Fault) -> ProbeRequest:
    """Reproduces the call, with the index that has no class in every place of the target."""
    logits, target = fault["logits"], fault["target"]
    stand_ins: dict[int, tuple[Dim, ...]] = {}
    if logits.shape is None:
        stand_ins = {id(logits): (3, fault["classes"]), id(target): (3,)}
    elif target.shape is None:
        stand_ins = {id(target): (logits.shape[0], *logits.shape[2:]) if len(logits.shape) > 1 else ()}
    return _faulty_call(fault, _RANGE, stand_ins, {id(target): fault["outside"]})


def _one_hot_range(fault: Fault) -> ProbeRequest:
    tensor = fault["input"]
    value = fault["low"] if fault["low"] < 0 else fault["high"]
    return _faulty_call(fault, _RANGE, {id(tensor): (3,)}, {id(tensor): value})


def _one_hot_dtype(fault: Fault) -> ProbeRequest:
    wanted = Raises("one_hot is only applicable to index tensor")
    return _faulty_call(fault, wanted, {id(fault["input"]): (3,)}, {})


def _bce_target_dtype(fault: Fault) -> ProbeRequest:
    """Reproduces the call with a dtype that is refused for all shapes that fit."""
    wanted = Raises(
        "result type .* can't be cast|Found dtype .* but expected|operator, with two bool tensors"
    )
    tensor, target = fault["input"], fault["target"]
    if tensor is None:
        raise NotReproducible("the input")
    shape = tensor.shape if tensor.shape is not None else target.shape if target.shape is not None else (3,)
    return _faulty_call(fault, wanted, {id(tensor): shape, id(target): shape}, {})


def _loss_swapped(fault: Fault) -> ProbeRequest:
    if fault["reason"] == "integers":
        return _faulty_call(fault, Raises(".", "Exception"), {}, {})
    lines = [
        "labels, predicted = torch.ones(3), torch.full((3,), 0.9)",
        f"right = {_FUNCTIONAL}binary_cross_entropy(predicted, labels)",
        f"loss = {_FUNCTIONAL}binary_cross_entropy(labels, predicted)",
    ]
    return _loss_program(
        lines, 'assert abs(loss - right) < 0.01, "the order of the arguments makes another loss"', fault
    )


def _loss_made_with_tensors(fault: Fault) -> ProbeRequest:
    """Reproduces the constructor, with tensors for unknown arguments."""
    called = fault.called
    if called is None:
        raise NotReproducible("the call")
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
    return _faulty_call(given, Raises("Boolean value of Tensor|must be a float", "Exception"), shapes, {})


def _faulty_call(
    fault: Fault, expect: Raises, stand_ins: dict[int, tuple[Dim, ...]], fills: dict[int, int]
) -> ProbeRequest:
    if fault.called is None:
        raise NotReproducible("the call")
    return replace(reproduce_fault(fault, fault.called, stand_ins, fills), expect=expect)


_INDICES = Raises(
    "Expected tensor for argument #1 'indices'|index out of range in self|device-side assert|out of bounds",
    "Exception",
)


def _embedding_indices(fault: Fault) -> ProbeRequest:
    indices = fault["input"]
    stand_ins: dict[int, tuple[Dim, ...]] = {id(indices): (3,)} if indices.shape is None else {}
    low = fault.get("low")
    fills = {} if low is None else {id(indices): low if low < 0 else fault["high"]}
    return _faulty_call(fault, _INDICES, stand_ins, fills)


def _index_dtype(fault: Fault) -> ProbeRequest:
    index, tensor = fault["input"], fault["tensor"]
    stand_ins: dict[int, tuple[Dim, ...]] = {id(one): (3,) for one in (index, tensor) if one.shape is None}
    return _faulty_call(
        fault, Raises("tensors used as indices must be|Index must be", "IndexError"), stand_ins, {}
    )


def _random_dtype(fault: Fault) -> ProbeRequest:
    tensor = fault["input"]
    wanted = Raises(
        "not implemented for|only supports floating|continuous probability distribution", "Exception"
    )
    return _faulty_call(fault, wanted, {} if tensor is None else {id(tensor): tensor.shape or (3,)}, {})


def _inplace_dtype(fault: Fault) -> ProbeRequest:
    if fault.called is None:
        raise NotReproducible("the call")
    shape: tuple[Dim, ...] = fault["input"].shape or ()
    stand_ins = {
        id(value): shape or (3,)
        for value in fault.called.args
        if isinstance(value, TensorFact) and value.shape is None
    }
    return _faulty_call(fault, Raises("can't be cast to the desired output type"), stand_ins, {})


# ---- calls that are found by what they are not given --------------------------------------------------------------------


def _guessed_dim(name: str) -> ProbeRequest:
    """Reproduces softmax of two and of three dims, to see whether it is over the same dim."""
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
        'assert torch.allclose(planes, torch.ones(2, 4)), "for 3-D input the sum is 1 along another dim than for 2-D input"',
    ]
    return ProbeRequest("\n".join(lines) + "\n", ProofFails(), flag=(3, 4))


def _mean_of_elements(name: str) -> ProbeRequest:
    """Reproduces the default mean and the mean over the batch."""
    called = f"{name}()(log_p, q)" if name == "torch.nn.KLDivLoss" else f"{name}(log_p, q)"
    lines = [
        "import torch",
        "",
        "q = torch.tensor([[0.1, 0.9], [0.5, 0.5]])",
        "log_p = torch.full((2, 2), 0.5).log()",
        f"loss = {called}",
        "",
        f'divergence = {_FUNCTIONAL}kl_div(log_p, q, reduction="batchmean")',
        'assert abs(loss - divergence) < 0.001, "the mean is over every element"',
    ]
    return ProbeRequest("\n".join(lines) + "\n", ProofFails(), flag=(5, 5))


OF_CALL = {
    **dict.fromkeys(
        (
            "torch.nn.functional.softmax", "torch.nn.functional.log_softmax", "torch.nn.functional.softmin",
            "torch.nn.Softmax", "torch.nn.LogSoftmax", "torch.nn.Softmin",
        ),
        _guessed_dim,
    ),
    "torch.nn.functional.kl_div": _mean_of_elements,
    "torch.nn.KLDivLoss": _mean_of_elements,
}  # fmt: skip
"""Programs of calls in which an argument is missing, by the name that is called."""
_MAX_VALUE = 1e6


def _source_dtype(fault: Fault) -> ProbeRequest:
    """Reproduces the call; under a mask, one that selects as many elements as there are values."""
    called = fault.called
    if called is None:
        raise NotReproducible("the call")
    index = called.args[1] if len(called.args) > 1 else None
    if not fault.op.endswith("__setitem__") or not isinstance(index, TensorFact) or index.dtype != "bool":
        return reproduce_fault(fault, called)
    written, source = (TORCH_NAMES[fault[role].dtype] for role in ("input", "source"))
    return with_flags(
        f"""
import torch

tensor = torch.zeros(3, dtype=torch.{written})
mask = torch.tensor([True, True, False])
tensor[mask] = torch.zeros(2, dtype=torch.{source})  #!
""",
        Raises("dtypes match"),
        assumes=tuple(sorted(fault.assumptions)),
    )


def _fraction_cut(fault: Fault) -> ProbeRequest:
    number, dtype = fault["number"], TORCH_NAMES[fault["input"].dtype]
    value = 0.5 if number is None else number
    return with_flags(
        f"""
import torch

tensor = torch.zeros(3, dtype=torch.{dtype})
tensor[0] = {value!r}  #!

assert tensor[0] == {value!r}, "the fraction is cut off"
""",
        ProofFails(),
        guesses=number is None,
    )


def _bytes_wrap(fault: Fault) -> ProbeRequest:
    low, high = fault["low"], fault["high"]
    outside = 280.5 if low is None else low if low <= -1 else high
    outside = max(min(float(outside), _MAX_VALUE), -_MAX_VALUE)
    return with_flags(
        f"""
import torch

values = torch.tensor([{outside!r}])
image = values.to(torch.uint8)  #!

assert image == values.clamp(0, 255).to(torch.uint8), "the value wraps around"
""",
        ProofFails(),
        guesses=low is None,
    )


def _byte_mask(fault: Fault) -> ProbeRequest | None:
    """Reproduces `~` of a deprecated mask, which without `~` selects what it should."""
    if not fault["inverted"]:
        return None
    return with_flags(
        """
import torch

mask = torch.tensor([1, 0], dtype=torch.uint8)
chosen = torch.ones(2)[~mask]  #!

assert chosen.numel() == 1, "the inverted mask selects everything"
""",
        ProofFails(),
    )


OF_KIND: dict[FaultKind, Reproducer] = {
    FaultKind.INPLACE_DTYPE: _inplace_dtype,
    FaultKind.EMBEDDING_DTYPE: _embedding_indices,
    FaultKind.EMBEDDING_RANGE: _embedding_indices,
    FaultKind.INDEX_DTYPE: _index_dtype,
    FaultKind.RANDOM_DTYPE: _random_dtype,
    FaultKind.CE_OF_PROBABILITIES: _ce_of_probabilities,
    FaultKind.NLL_OF_OTHERS: _nll_of_others,
    FaultKind.BCE_OF_LOGITS: _bce_of_logits,
    FaultKind.BCE_LOGITS_OF_PROBABILITIES: _bce_logits_of_probabilities,
    FaultKind.LOSS_BROADCAST: _loss_broadcast,
    FaultKind.LOSS_MADE_WITH_TENSORS: _loss_made_with_tensors,
    FaultKind.CE_TARGET_RANGE: _ce_target_range,
    FaultKind.CE_NOTHING_TO_LEARN: _ce_nothing_to_learn,
    FaultKind.BCE_TARGET_DTYPE: _bce_target_dtype,
    FaultKind.ONE_HOT_DTYPE: _one_hot_dtype,
    FaultKind.ONE_HOT_RANGE: _one_hot_range,
    FaultKind.LOSS_SWAPPED: _loss_swapped,
    FaultKind.KL_OF_PROBABILITIES: _kl_of_probabilities,
    FaultKind.SOURCE_DTYPE: _source_dtype,
    FaultKind.FRACTION_CUT: _fraction_cut,
    FaultKind.BYTES_WRAP: _bytes_wrap,
    FaultKind.BYTE_MASK: _byte_mask,
}
