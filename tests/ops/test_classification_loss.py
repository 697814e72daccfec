"""The truth table of cross-entropy targets: every cell is run in torch, and the fault's kind must fit torch's text."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch
from crosscheck import Sample
from real_facts import SITE, Facts
from torch.nn import functional as F

from torchlsp import ops
from torchlsp.facts import dim as dims
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.fault_kinds import SILENT
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.values import Value, integer
from torchlsp.ops.call import Context, LayerState
from torchlsp.ops.signature import Arguments

pytestmark = pytest.mark.torch

DTYPES = (
    torch.int64, torch.uint8, torch.int32, torch.int16, torch.int8, torch.bool,
    torch.float32, torch.float64, torch.float16, torch.bfloat16,
)  # fmt: skip
LOGITS = ((4,), (2, 4), (2, 1), (4, 4), (2, 4, 3), (2, 4, 4), (2, 4, 3, 3), (2, 3, 4, 3), (2, 4, 3, 3, 3))
TEXTS = {
    "expected target dtype to be Long or Byte": {FaultKind.CE_TARGET_DTYPE},
    "expected scalar type Long but found Byte": {FaultKind.CE_TARGET_DTYPE},
    "Expected floating point type for target": {FaultKind.CE_ONEHOT_INT},
    "0D or 1D target tensor expected": {FaultKind.CE_TARGET_SHAPE},
    "to match target batch_size": {FaultKind.CE_TARGET_SHAPE},
    "For 1D input, 1D target must have size 1": {FaultKind.CE_TARGET_SHAPE},
    "only batches of spatial targets": {FaultKind.CE_TARGET_SHAPE, FaultKind.CE_CLASS_DIM},
    "size mismatch (got input": {FaultKind.CE_TARGET_SHAPE, FaultKind.CE_CLASS_DIM},
    "input and target batch or spatial sizes": {FaultKind.CE_TARGET_SHAPE, FaultKind.CE_CLASS_DIM},
    "Expected target size": {FaultKind.CE_TARGET_SHAPE, FaultKind.CE_CLASS_DIM},
}
"""What torch 2.13 says, and the faults that mean it."""


def target_shapes(logits: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Right ones, and each way to be wrong: one-hot, a column, another batch, classes last, other ranks."""
    batch = logits[:1]
    found = [
        (), (1,), (2,), (3,), (4,), logits, batch + logits[2:], (*batch, 1), (*batch, 3), logits[:-1],
        (*batch, 9), (*logits, 1), (2, 3, 3), (2, 3, 1),
    ]  # fmt: skip
    return list(dict.fromkeys(found))


CELLS = [(logits, target) for logits in LOGITS for target in target_shapes(logits)]


def _faults(name: str, facts: Facts, logits: torch.Tensor, target: torch.Tensor, **keywords) -> list[Fault]:
    sample = Sample((logits, target), keywords)
    arguments = Arguments(
        tuple(facts.of(value) for value in sample.args),
        tuple((key, facts.of(value)) for key, value in keywords.items()),
    )
    return ops.operator(name).apply(name, arguments, Context(site=SITE, elements=facts.elements))[1]


@pytest.mark.parametrize("loss", ["cross_entropy", "nll_loss"])
@pytest.mark.parametrize(("logits", "target"), CELLS, ids=lambda shape: "x".join(map(str, shape)) or "0-d")
def test_a_cell_faults_exactly_when_torch_raises(loss: str, logits: tuple, target: tuple) -> None:
    for dtype in DTYPES:
        left, right = torch.rand(logits), torch.zeros(target).to(dtype)
        faults = [
            fault for fault in _faults(f"torch.nn.functional.{loss}", Facts(), left, right) if fault.kind not in SILENT
        ]  # fmt: skip
        try:
            getattr(F, loss)(left, right)
        except (RuntimeError, ValueError) as error:
            kinds = next((kinds for text, kinds in TEXTS.items() if text in str(error)), None)
            assert kinds is not None, f"{dtype}: no kind for {error}"
            assert faults, f"{dtype}: torch raises {error}"
            assert faults[0].kind in kinds, f"{dtype}: {faults[0].kind}, torch raises {error}"
        else:
            assert not faults, f"{dtype}: {faults[0].kind}, torch accepts it"


def test_the_reason_tells_what_is_wrong_with_the_shape() -> None:
    logits = torch.rand(8, 3)
    for target, reason in (((8, 1), "column"), ((7,), "batch"), ((8, 2), "rank")):
        (fault,) = _faults("torch.nn.functional.cross_entropy", Facts(), logits, torch.zeros(target).long())
        assert (fault.kind, fault["reason"]) == (FaultKind.CE_TARGET_SHAPE, reason)


def test_classes_last_are_told_from_another_wrong_size() -> None:
    name = "torch.nn.functional.cross_entropy"
    (fault,) = _faults(name, Facts(), torch.rand(4, 5, 3), torch.zeros(4, 5).long())
    assert (fault.kind, fault["reason"]) == (FaultKind.CE_CLASS_DIM, "raises")
    (fault,) = _faults(name, Facts(), torch.rand(4, 5, 3), torch.zeros(4, 2).long())
    assert (fault.kind, fault["reason"]) == (FaultKind.CE_TARGET_SHAPE, "size")
    assert not _faults(name, Facts(), torch.rand(4, 5, 5), torch.zeros(4, 5).long())


def test_class_weights_have_one_element_a_class() -> None:
    logits, target = torch.rand(2, 4), torch.tensor([1, 2])
    name = "torch.nn.functional.cross_entropy"
    for weight, kind in ((torch.ones(3), FaultKind.SIZE), (torch.ones(4).double(), FaultKind.DTYPE_MISMATCH)):
        (fault,) = _faults(name, Facts(), logits, target, weight=weight)
        assert fault.kind is kind
        with pytest.raises(RuntimeError):
            F.cross_entropy(logits, target, weight=weight)
    assert not _faults(name, Facts(), logits, target, weight=torch.ones(4))


def test_integer_class_weights_of_unknown_length_are_refused() -> None:
    name, logits, target = "torch.nn.functional.cross_entropy", torch.rand(2, 4), torch.tensor([1, 2])
    facts = Facts()
    weight = facts.of(torch.ones(4).long())
    assert isinstance(weight, TensorFact)
    unknown_length = weight.but(shape=None, layout=None)
    arguments = Arguments((facts.of(logits), facts.of(target)), (("weight", unknown_length),))
    _, (fault,) = ops.operator(name).apply(name, arguments, Context(site=SITE, elements=facts.elements))
    assert fault.kind is FaultKind.DTYPE_MISMATCH
    with pytest.raises(RuntimeError):
        F.cross_entropy(logits, target, weight=torch.ones(4).long())


def test_ignore_index_with_probabilities_is_refused() -> None:
    logits = torch.rand(2, 4)
    (fault,) = _faults(
        "torch.nn.functional.cross_entropy", Facts(), logits, logits.softmax(1), ignore_index=0
    )
    assert fault.kind is FaultKind.ARGUMENT
    with pytest.raises(RuntimeError, match="ignore_index is not supported"):
        F.cross_entropy(logits, logits.softmax(1), ignore_index=0)


# ---- symbolic and unknown sizes -----------------------------------------------------------------------------------------

B, C, T, V = (dims.symbol(name) for name in "BCTV")


def _of(*arguments: Value, loss: str = "cross_entropy") -> Fault | None:
    name = f"torch.nn.functional.{loss}"
    faults = ops.operator(name).apply(name, Arguments(arguments), Context())[1]
    return faults[0] if faults else None


def _fact(shape, dtype="f32", **columns) -> TensorFact:
    return TensorFact(shape, dtype, **columns)


@pytest.mark.parametrize(
    ("logits", "target", "kind"),
    [
        ((B, C), _fact((B,), "i64"), None),
        ((B, C), _fact((B,), "i32"), FaultKind.CE_TARGET_DTYPE),
        ((B, C), _fact((B,), "f32"), FaultKind.CE_TARGET_DTYPE),
        ((B, C), _fact((B, C), "f32"), None),
        ((B, C), _fact((B, C), "i64"), FaultKind.CE_ONEHOT_INT),
        ((B, C), _fact((B, 1), "i64"), FaultKind.CE_TARGET_SHAPE),
        ((B, C), _fact((B, 1), "f32"), None),  # probabilities, if there is one class
        ((B, C), _fact((B, T), "f32"), None),
        ((B, C), _fact(None, "f32"), None),
        ((B, C), _fact(None, "bool"), FaultKind.CE_TARGET_DTYPE),
        ((B, C), _fact(None, "i64"), None),
        (None, _fact((B,), "i32"), FaultKind.CE_TARGET_DTYPE),
        (None, _fact((B,), "f32"), None),
        (None, _fact((B, T), "u8"), None),
        ((B, C, T), _fact((B, T), "i64"), None),
        ((B, C, T), _fact((B, T), "u8"), FaultKind.CE_TARGET_DTYPE),
        ((B, T, V), _fact((B, T), "i64"), None),  # right where T == V and dim 1 has the classes
        ((B, 5, 7), _fact((B, 5), "i64"), FaultKind.CE_CLASS_DIM),
        ((B, C), _fact((B,), None), None),
        ((B, C), _fact((B + 1,), "i64"), FaultKind.CE_TARGET_SHAPE),
    ],
)  # fmt: skip
def test_only_what_holds_for_all_sizes_is_a_fault(logits, target: TensorFact, kind: FaultKind | None) -> None:
    fault = _of(_fact(logits), target)
    assert (fault.kind if fault else None) is kind


def test_an_integer_one_hot_target_is_known_by_its_origin() -> None:
    fault = _of(_fact((B, C)), _fact((B, T), "i64", provenance="one_hot"))
    assert fault is not None and fault.kind is FaultKind.CE_ONEHOT_INT


def test_features_of_a_linear_layer_are_the_last_dim_even_where_the_sizes_agree() -> None:
    layer = ops.layer("torch.nn.Linear")
    config = layer.configure(Arguments((integer(8), integer(5))))

    def logits_of(time) -> TensorFact:
        features = Arguments((_fact((4, time, 8)),))
        return layer.call("torch.nn.Linear", features, Context(site="1"), LayerState(config))[0]

    for time, reason in ((5, "silent"), (7, "raises"), (T, "either")):
        fault = _of(logits_of(time), _fact((4, time), "i64"))
        assert fault is not None and (fault.kind, fault["reason"]) == (FaultKind.CE_CLASS_DIM, reason)
    logits = logits_of(5)
    turned = logits.but(origin=Origin(0, 0, "Tensor.transpose", (logits,)))
    assert _of(turned, _fact((4, 5), "i64")) is None
