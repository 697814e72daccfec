"""The laws of joining and widening values."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.device import CPU, CUDA, CUDA_IF_AVAILABLE, META, Device
from torchlsp.facts.tensor import Grad, Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.store.join import join, join_all, join_marks, leq, widened
from torchlsp.interp.store.state import MISSING
from torchlsp.program import ir

laws = settings(
    deadline=None, derandomize=True, max_examples=200, suppress_health_check=[HealthCheck.too_slow]
)
tris = st.sampled_from(list(Tri))
devices = st.sampled_from((None, CPU, CUDA, META, Device("cuda", 1), CUDA_IF_AVAILABLE))
sizes = st.one_of(st.integers(0, 4), st.sampled_from("BC").map(dims.symbol))
tensors = st.builds(
    TensorFact,
    shape=st.none() | st.lists(sizes, max_size=3).map(tuple),
    dtype=st.sampled_from((None, "f32", "f64", "i64")),
    device=devices,
    grad=st.builds(Grad, tris, tris),
    storage=st.builds(Storage, st.none() | st.frozensets(st.sampled_from("st"), min_size=1)),
)
scalars: st.SearchStrategy[Value] = st.one_of(
    st.builds(v.Scalar, st.just("int"), st.none() | sizes),
    st.builds(v.Scalar, st.just("bool"), st.none() | st.booleans()),
    st.builds(v.Scalar, st.just("str"), st.none() | st.sampled_from(("a", "cuda", "cpu"))),
    st.sampled_from((v.NONE, v.ELLIPSIS, v.Scalar("float"), v.Scalar("float", 0.5))),
)
ordered = st.recursive(
    st.one_of(scalars, tensors, st.just(UNKNOWN_VALUE)),
    lambda inner: st.one_of(
        st.builds(v.TupleValue, st.lists(inner, max_size=3).map(tuple)),
        st.builds(v.Repeated, inner),
    ),
    max_leaves=5,
)
"""Values that `leq` compares by what is in them."""
groups = st.sampled_from(
    (v.Condition("group"), v.Condition("rank"), v.Condition("rank", True), v.Condition("cuda"))
)
others: st.SearchStrategy[Value] = st.one_of(
    groups,
    st.sampled_from((v.RankValue(), v.RankValue("local"), v.OfRank(), v.MemoryFormat("channels_last"))),
    st.builds(v.DTypeValue, st.sampled_from((None, "f32", "i64")), st.booleans()),
    st.builds(v.DeviceValue, devices, st.sampled_from(("", "device", "tensor"))),
    st.sampled_from((v.External("torch.relu"), v.External("torch.optim.SGD"), v.External("torch.optim.Adam"))),
    st.builds(v.Repeated, scalars, st.none() | st.integers(0, 3)),
    st.sampled_from((v.ListRef("l1"), v.ListRef("l2"), v.DictRef("d1"))),
    st.builds(v.OptimizerValue, st.sampled_from(("o1", "o2")), st.sampled_from(("torch.optim.SGD", "torch.optim.Adam")),
              st.none() | st.just(frozenset({"m"}))),
    st.builds(v.ParametersOf, st.none() | st.frozensets(st.sampled_from("mn"))),
    st.sampled_from((v.LayerValue("a", "torch.nn.ReLU"), v.LayerValue("b", "torch.nn.ReLU"),
                     v.Wrapped("w", "torch.compile", v.LayerValue("a", "torch.nn.ReLU")))),
)  # fmt: skip
values = st.one_of(ordered, others)


@laws
@given(values)
def test_a_value_joined_with_itself_is_itself(a: Value) -> None:
    assert join(a, a, "n") == a


@laws
@given(values, values)
def test_the_order_of_two_paths_does_not_matter(a: Value, b: Value) -> None:
    assert join(a, b, "n") == join(b, a, "n")


@laws
@given(ordered, ordered)
def test_the_join_is_at_least_as_general_as_both(a: Value, b: Value) -> None:
    joined = join(a, b, "n")
    assert leq(a, joined) and leq(b, joined)


@laws
@given(values, values)
def test_joining_once_more_changes_nothing(a: Value, b: Value) -> None:
    joined = join(a, b, "n")
    assert leq(join(joined, a, "m"), joined)


@laws
@given(values)
def test_unknown_is_above_everything(a: Value) -> None:
    assert leq(a, UNKNOWN_VALUE)
    assert leq(join(a, UNKNOWN_VALUE, "n"), UNKNOWN_VALUE)
    assert leq(a, a)


@laws
@given(ordered, ordered)
def test_a_value_below_another_that_is_below_it_is_equally_known(a: Value, b: Value) -> None:
    if leq(a, b) and leq(b, a):
        assert widened(a) == widened(b)


@laws
@given(ordered)
def test_a_widened_value_is_above_and_stays(a: Value) -> None:
    above = widened(a)
    assert leq(a, above)
    assert widened(above) == above


@laws
@given(values)
def test_what_one_path_does_not_set_is_what_the_other_sets(a: Value) -> None:
    assert join(a, MISSING, "n") == a
    assert join(MISSING, a, "n") == a


def test_two_sizes_become_a_new_one_of_the_given_name() -> None:
    joined = join(v.integer(2), v.integer(3), "here")
    assert isinstance(joined, v.Scalar) and joined.kind == "int"
    assert dims.is_fresh(joined.value)
    assert join(v.integer(2), v.integer(3), "there") != joined


@pytest.mark.parametrize(
    ("with_cuda", "without"),
    [
        (v.DeviceValue(CUDA, "device"), v.DeviceValue(CPU, "device")),
        (v.Scalar("str", "cuda"), v.Scalar("str", "cpu")),
        (v.Scalar("int", 0), v.Scalar("str", "cpu")),
        (v.Scalar("str", "cuda"), v.Scalar("str")),
    ],
)
def test_cuda_where_it_is_and_the_cpu_where_not_is_cuda_if_available(
    with_cuda: Value, without: Value
) -> None:
    joined = join(with_cuda, without, "n", cuda=True)
    assert isinstance(joined, v.DeviceValue) and joined.device == CUDA_IF_AVAILABLE


def test_tensors_of_both_paths_are_on_cuda_if_available() -> None:
    there, here = TensorFact(shape=(2,), device=CUDA), TensorFact(shape=(2,), device=CPU)
    joined = join(there, here, "n", cuda=True)
    assert isinstance(joined, TensorFact) and joined.device == CUDA_IF_AVAILABLE
    relative = TensorFact(shape=(2,), device=CUDA_IF_AVAILABLE)
    kept = join(there, relative, "n", cuda=True)
    assert isinstance(kept, TensorFact) and kept.device == CUDA_IF_AVAILABLE
    undecided = join(there, here, "n")
    assert isinstance(undecided, TensorFact) and undecided.device is None


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (Tri.YES, Tri.NO, Tri.UNKNOWN),
        (Tri.YES, Tri.YES, Tri.YES),
        (False, True, True),
        (frozenset({"IndexError"}), frozenset({"ValueError"}), frozenset({"IndexError", "ValueError"})),
        ("f32", "f64", None),
        (Tri.YES, None, Tri.UNKNOWN),
    ],
)
def test_modes_of_two_paths(a: object, b: object, expected: object) -> None:
    assert join_marks(a, b) == expected
    assert join_marks(b, a) == expected


def test_several_values_are_joined_to_what_holds_of_all() -> None:
    node = ir.Node(3, 4)
    assert join_all([], node) == UNKNOWN_VALUE
    assert join_all([v.TRUE], node) == v.TRUE
    assert join_all([v.TRUE, v.TRUE, v.FALSE], node) == v.Scalar("bool")
    assert join_all([v.TRUE, v.NONE], node) == UNKNOWN_VALUE
