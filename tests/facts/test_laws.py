"""The lattice's laws, and the laws of torch that facts restate, against torch itself."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from torchlsp.facts import device as devices
from torchlsp.facts import dim as dims
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import layout as layouts
from torchlsp.facts import shape as shapes
from torchlsp.facts import tensor as tensors
from torchlsp.facts.device import CPU, CUDA, CUDA_IF_AVAILABLE, META, Device
from torchlsp.facts.dim import Dim
from torchlsp.facts.layout import ROW_MAJOR, ViewAnswer
from torchlsp.facts.tensor import Grad, Storage, TensorFact
from torchlsp.facts.tri import Tri

NAMES = ("B", "C", "T", "H")
settings.register_profile(
    "laws", deadline=None, max_examples=150, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("laws")

# ---- sizes --------------------------------------------------------------------------------------------------------------

leaves = st.one_of(st.integers(0, 12), st.sampled_from(NAMES).map(dims.symbol))


def _grown(inner: st.SearchStrategy[Dim]) -> st.SearchStrategy[Dim]:
    return st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] - pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, st.integers(1, 9)).map(lambda pair: pair[0] // pair[1]),
        st.tuples(inner, st.sampled_from(NAMES).map(dims.symbol)).map(lambda pair: dims.floor_divide(*pair)),
    )


sizes = st.recursive(leaves, _grown, max_leaves=6)
numbers = st.fixed_dictionaries({name: st.integers(1, 40) for name in NAMES})


def _given_up(*found: Dim) -> bool:
    """Did a formula grow beyond MAX_TERMS, or divide by zero, so that nothing is known of it?"""
    return any(name.startswith("?") for dim in found for name in dims.symbols_of(dim))


@given(sizes, sizes, numbers)
def test_arithmetic_of_sizes_is_arithmetic_of_their_values(a: Dim, b: Dim, values: dict[str, int]) -> None:
    x, y = dims.substitute(a, values), dims.substitute(b, values)
    assume(not _given_up(a, b, x, y))
    for made, expected in ((a + b, x + y), (a - b, x - y), (a * b, x * y)):
        if not _given_up(made):
            assert dims.substitute(made, values) == expected
    if y:
        quotient = dims.floor_divide(a, b)
        if not _given_up(quotient):
            assert dims.substitute(quotient, values) == x // y


@given(sizes, sizes, numbers)
def test_equal_answers_only_what_holds_for_all_values(a: Dim, b: Dim, values: dict[str, int]) -> None:
    x, y = dims.substitute(a, values), dims.substitute(b, values)
    assume(not _given_up(a, b, x, y))
    answer = dims.equal(a, b)
    if answer is Tri.YES:
        assert x == y
    if answer is Tri.NO:
        assert x != y
    assert dims.equal(b, a) is answer


@given(sizes, sizes)
def test_generic_equality_agrees_with_equality(a: Dim, b: Dim) -> None:
    certain, generic = dims.equal(a, b), dims.generically_equal(a, b)
    if certain is not Tri.UNKNOWN:
        assert generic in (certain, Tri.UNKNOWN)
    assert dims.generically_equal(a, a) is Tri.YES


@given(sizes, sizes, st.lists(numbers, min_size=3, max_size=3))
def test_generically_different_sizes_differ_somewhere(a: Dim, b: Dim, several: list[dict[str, int]]) -> None:
    """`NO` must not be said of two formulas of the same number."""
    assume(not _given_up(a, b))
    if dims.generically_equal(a, b) is Tri.NO:
        orders = itertools.permutations((6, 143, 5041, 1009 * 64))
        points = [*several, *(dict(zip(NAMES, order, strict=True)) for order in orders)]
        found = [(dims.substitute(a, point), dims.substitute(b, point)) for point in points]
        found = [(x, y) for x, y in found if not _given_up(x, y)]
        assert not found or any(x != y for x, y in found)


@given(sizes, sizes, numbers)
def test_an_exact_quotient_times_the_divisor_is_the_numerator(a: Dim, b: Dim, values: dict[str, int]) -> None:
    quotient = dims.exact_quotient(a, b)
    if quotient is not None and not _given_up(a, b, quotient, quotient * b):
        assert dims.equal(quotient * b, a) is Tri.YES


@given(sizes, sizes)
def test_a_product_divides_exactly(a: Dim, b: Dim) -> None:
    product = a * b
    assume(not _given_up(product) and b != 0)
    if not isinstance(b, int) and len(b.terms) > 1:
        return  # long division of sums may give up
    assert dims.exact_quotient(product, b) == a


@given(sizes, numbers)
def test_the_lower_bound_is_a_lower_bound(a: Dim, values: dict[str, int]) -> None:
    bound, value = dims.lower_bound(a), dims.substitute(a, values)
    assume(not _given_up(a, value))
    if bound is not None:
        assert value >= bound


@given(sizes)
def test_equal_sizes_have_one_normal_form(a: Dim) -> None:
    assume(not _given_up(a))
    assert (a - a) == 0
    assert a + 0 == a and a * 1 == a and 0 + a == a
    assert hash(a + 1 - 1) == hash(a) and a + 1 - 1 == a


@given(sizes, numbers)
def test_a_size_reads_as_the_python_expression_that_it_is(a: Dim, values: dict[str, int]) -> None:
    value = dims.substitute(a, values)
    assume(not _given_up(a, value))
    assert eval(str(a), {}, dict(values)) == value


def test_divisibility_excludes_equality() -> None:
    b = dims.symbol("B")
    assert dims.equal(2 * b, 3) is Tri.NO
    assert dims.equal(2 * b, 4) is Tri.UNKNOWN
    assert dims.equal(b + 1, 0) is Tri.NO
    assert dims.equal(b, b + 1) is Tri.NO
    assert dims.generically_equal(dims.symbol("C"), dims.symbol("T") * dims.symbol("C")) is Tri.NO
    assert dims.generically_equal(dims.symbol("?k"), dims.symbol("C")) is Tri.UNKNOWN
    heads = dims.floor_divide(dims.symbol("C"), dims.symbol("H"))
    assert dims.generically_equal(heads * dims.symbol("H"), dims.symbol("C")) is Tri.UNKNOWN


# ---- the lattice --------------------------------------------------------------------------------------------------------

plain_sizes = st.one_of(st.integers(0, 6), st.sampled_from(("B", "C", "?k", "?m")).map(dims.symbol))
some_shapes = st.one_of(st.none(), st.lists(plain_sizes, max_size=3).map(tuple))
tris = st.sampled_from(Tri)
some_devices = st.sampled_from(
    (None, CPU, CUDA, Device("cuda", 0), Device("cuda", 1), CUDA_IF_AVAILABLE, META)
)
storages = st.one_of(
    st.just(Storage()), st.sets(st.sampled_from("abc"), min_size=1).map(lambda ids: Storage(frozenset(ids)))
)


@st.composite
def facts(draw: st.DrawFn) -> TensorFact:
    shape = draw(some_shapes)
    layout = draw(st.sampled_from((None, ROW_MAJOR, "strides")))
    if layout == "strides":
        layout = None
        if shape is not None:
            order = draw(st.permutations(range(len(shape))))
            strides = layouts.row_major_strides(tuple(shape[i] for i in order))
            layout = layouts.of_strides(shape, tuple(strides[order.index(i)] for i in range(len(shape))))
    return TensorFact(
        shape=shape,
        dtype=draw(st.sampled_from((None, "f32", "i64", "bool"))),
        device=draw(some_devices),
        layout=layout,
        grad=Grad(draw(tris), draw(tris)),
        storage=draw(storages),
        assumed=frozenset(draw(st.sets(st.sampled_from(("layout", "tensor"))))),
    )


@given(facts())
def test_leq_is_reflexive_and_join_idempotent(a: TensorFact) -> None:
    assert tensors.leq(a, a)
    assert tensors.join(a, a, "k") == a


@given(facts(), facts())
def test_join_is_an_upper_bound(a: TensorFact, b: TensorFact) -> None:
    joined = tensors.join(a, b, "new")
    assert tensors.leq(a, joined)
    assert tensors.leq(b, joined)


@given(facts(), facts())
def test_join_commutes_up_to_fresh_names(a: TensorFact, b: TensorFact) -> None:
    left, right = tensors.join(a, b, "new"), tensors.join(b, a, "new")
    assert left.but(origin=None, provenance=None) == right.but(origin=None, provenance=None)


@given(facts(), facts(), facts())
def test_leq_is_transitive(a: TensorFact, b: TensorFact, c: TensorFact) -> None:
    b = tensors.join(a, b, "b")
    c = tensors.join(b, c, "c")
    assert tensors.leq(a, b) and tensors.leq(b, c) and tensors.leq(a, c)


@given(facts(), facts())
def test_two_facts_below_each_other_say_the_same(a: TensorFact, b: TensorFact) -> None:
    """Up to the names of sizes of which nothing is known."""
    if not (tensors.leq(a, b) and tensors.leq(b, a)):
        return
    fresh = a.shape is not None and any(dims.is_fresh(size) for size in (*a.shape, *b.shape))
    if not fresh:
        assert a.but(storage=Storage(a.storage.ids)) == b.but(storage=Storage(b.storage.ids))


@given(facts(), facts())
def test_joining_again_changes_nothing(a: TensorFact, b: TensorFact) -> None:
    """A loop's second join must find its fixed point."""
    joined = tensors.join(a, b, "new")
    assert tensors.join(joined, b, "new") == joined
    assert tensors.join(joined, a, "new") == joined


def test_tri_has_kleene_logic() -> None:
    for a, b in itertools.product(Tri, repeat=2):
        assert a.both(b) is b.both(a) and a.either(b) is b.either(a)
        assert a.both(b).negated() is a.negated().either(b.negated())
        assert a.join(b) is (a if a is b else Tri.UNKNOWN)
    with pytest.raises(TypeError):
        bool(Tri.YES)


def test_devices() -> None:
    assert devices.same(CPU, Device("cpu", 0)) is Tri.YES
    assert devices.same(CUDA, Device("cuda", 1)) is Tri.UNKNOWN
    assert devices.same(Device("cuda", 0), Device("cuda", 1)) is Tri.NO
    assert devices.same(CUDA_IF_AVAILABLE, CPU) is Tri.UNKNOWN
    assert devices.same(CUDA_IF_AVAILABLE, CUDA_IF_AVAILABLE) is Tri.YES
    assert devices.same(CUDA_IF_AVAILABLE, META) is Tri.NO
    assert (
        devices.parse("cuda:1") == Device("cuda", 1)
        and devices.parse("gpu") is None
        and devices.parse("cuda:x") is None
    )
    assert devices.join(CPU, CUDA) is None


# ---- broadcasting -------------------------------------------------------------------------------------------------------

concrete = st.lists(st.integers(0, 4), max_size=4).map(tuple)


@pytest.mark.torch
@given(st.lists(concrete, min_size=1, max_size=3))
def test_broadcast_is_torchs(given_shapes: list[tuple[int, ...]]) -> None:
    torch = pytest.importorskip("torch")
    try:
        expected = tuple(torch.broadcast_shapes(*given_shapes))
    except RuntimeError:
        with pytest.raises(shapes.NotBroadcastable):
            shapes.broadcast(list(given_shapes), "k")
        return
    assert shapes.broadcast(list(given_shapes), "k") == expected


@pytest.mark.torch
@given(st.lists(concrete, min_size=2, max_size=2), st.data())
def test_broadcast_of_symbols_holds_for_their_values(
    given_shapes: list[tuple[int, ...]], data: st.DataObject
) -> None:
    """Less known sizes give a less known result, never another one; and no clash that the values do not have."""
    torch = pytest.importorskip("torch")
    symbolic = []
    for shape in given_shapes:
        hidden = data.draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))
        symbolic.append(
            tuple(dims.symbol(f"S{size}") if hide else size for size, hide in zip(shape, hidden, strict=True))
        )
    values = {f"S{size}": size for size in range(5)}
    try:
        expected = tuple(torch.broadcast_shapes(*given_shapes))
    except RuntimeError:
        expected = None
    try:
        result = shapes.broadcast(symbolic, "k")
    except shapes.NotBroadcastable:
        assert expected is None
        return
    if expected is not None:
        for size, actual in zip(result, expected, strict=True):
            assert dims.is_fresh(size) or dims.substitute(size, values) == actual


# ---- dtypes -------------------------------------------------------------------------------------------------------------


def _torch_dtypes() -> dict[str, object]:
    torch = pytest.importorskip("torch")
    return {short: getattr(torch, name) for short, name in dtypes.TORCH_NAMES.items() if hasattr(torch, name)}


@pytest.mark.torch
def test_promotion_is_torchs() -> None:
    torch = pytest.importorskip("torch")
    known = _torch_dtypes()
    for (a, x), (b, y) in itertools.product(known.items(), repeat=2):
        answer = dtypes.promote(a, b)
        try:
            expected = torch.promote_types(x, y)
        except RuntimeError:
            assert answer is None, (a, b)
            continue
        assert answer is None or known[answer] == expected, (a, b, answer, expected)
        if a in dtypes._ORDER and b in dtypes._ORDER:
            assert answer is not None, (a, b)


@pytest.mark.torch
def test_result_type_is_torchs() -> None:
    """Every pair of a tensor with dims, a 0-d tensor and a Python number; unknown ranks must cover both readings."""
    torch = pytest.importorskip("torch")
    known = _torch_dtypes()
    names = ("bool", "u8", "i8", "i32", "i64", "f16", "bf16", "f32", "f64", "c64", "c128")
    python = {"bool": True, "i64": 2, "f64": 1.5, "c128": 2j}
    operands = [(name, group) for name in names for group in (2, 1)] + [(name, 0) for name in python]

    def real(operand: tuple[str, int]) -> object:
        name, group = operand
        return python[name] if group == 0 else torch.ones((2,) if group == 2 else (), dtype=known[name])

    for pair in itertools.product(operands, repeat=2):
        if pair[0][1] == pair[1][1] == 0:
            continue
        expected = torch.result_type(*(real(operand) for operand in pair))
        answer = dtypes.result_type(list(pair))
        assert answer is not None and known[answer] == expected, (pair, answer, expected)
        for hidden in ((0,), (1,), (0, 1)):
            blurred = [(n, None) if i in hidden and g else (n, g) for i, (n, g) in enumerate(pair)]
            answer = dtypes.result_type(blurred)
            assert answer is None or known[answer] == expected, (blurred, answer, expected)
            unknown = [(None, g) if i in hidden and g else (n, g) for i, (n, g) in enumerate(pair)]
            answer = dtypes.result_type(unknown)
            assert answer is None or known[answer] == expected, (unknown, answer, expected)


@pytest.mark.torch
def test_casts_are_torchs() -> None:
    torch = pytest.importorskip("torch")
    for (a, x), (b, y) in itertools.product(_torch_dtypes().items(), repeat=2):
        assert dtypes.can_cast(a, b) == torch.can_cast(x, y), (a, b)


# ---- layouts ------------------------------------------------------------------------------------------------------------


@st.composite
def strided(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A shape with strides of any kind: permuted, stepped, expanded, cut."""
    shape = tuple(draw(st.lists(st.sampled_from((1, 2, 3, 4, 6)), min_size=0, max_size=4)))
    order = draw(st.permutations(range(len(shape))))
    step, strides = draw(st.sampled_from((1, 1, 1, 2))), [0] * len(shape)
    for i in order:
        strides[i] = 0 if draw(st.integers(0, 7)) == 0 else step
        step *= shape[i] + draw(st.sampled_from((0, 0, 0, 1)))
    return shape, tuple(strides)


def _real(shape: tuple[int, ...], strides: tuple[int, ...]):
    torch = pytest.importorskip("torch")
    extent = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    return torch.zeros(max(extent, 1)).as_strided(shape, strides)


def _splits(number: int) -> list[tuple[int, ...]]:
    """All ways to write a number as a product of sizes, with some sizes of 1 between."""
    found = [(number,)]
    for factor in range(2, number + 1):
        if number % factor == 0 and factor < number:
            found += [(factor, *rest) for rest in _splits(number // factor)]
    return found


@pytest.mark.torch
@given(strided(), st.data())
def test_view_strides_is_torchs(source: tuple[tuple[int, ...], tuple[int, ...]], data: st.DataObject) -> None:
    shape, strides = source
    target = list(data.draw(st.sampled_from(_splits(shapes.numel(shape)))))
    for _ in range(data.draw(st.integers(0, 2))):
        target.insert(data.draw(st.integers(0, len(target))), 1)
    answer, layout = layouts.view_strides(shape, layouts.of_strides(shape, strides), tuple(target))
    real = _real(shape, strides)
    try:
        viewed = real.view(target)
    except RuntimeError:
        assert answer is ViewAnswer.SPLIT_ACROSS_BORDER
        return
    assert answer is ViewAnswer.VIEWABLE
    found = layouts.strides_of(tuple(target), layout)
    for size, claimed, actual in zip(target, found, viewed.stride(), strict=True):
        assert size == 1 or claimed == actual


@pytest.mark.torch
@given(strided(), st.data())
def test_view_strides_of_symbols_holds_for_their_values(source, data: st.DataObject) -> None:
    """The same with symbols for sizes: what is said of formulas is true of generic numbers."""
    shape, _ = source
    primes = (5, 7, 11, 13)
    shape = tuple(primes[i] if size > 1 else 1 for i, size in enumerate(shape))
    order = data.draw(st.permutations(range(len(shape))))
    symbols = tuple(dims.symbol(f"S{size}") if size > 1 else 1 for size in shape)
    values = {f"S{size}": size for size in shape}

    def permuted(of: tuple) -> tuple[tuple, tuple]:
        strides = layouts.row_major_strides(of)
        return tuple(of[i] for i in order), tuple(strides[i] for i in order)

    (real_shape, real_strides), (symbolic_shape, symbolic_strides) = permuted(shape), permuted(symbols)
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(shape) - 1)))))
    groups = [
        (a, b) for a, b in itertools.pairwise([0, *[cut for cut in cuts if cut < len(shape)], len(shape)])
    ]
    target = tuple(shapes.numel(symbolic_shape[a:b]) for a, b in groups)
    numbers_of_target = tuple(dims.substitute(size, values) for size in target)
    answer, layout = layouts.view_strides(
        symbolic_shape, layouts.of_strides(symbolic_shape, symbolic_strides), target
    )
    real = _real(real_shape, real_strides)
    try:
        viewed = real.view(numbers_of_target)
    except RuntimeError:
        assert answer is ViewAnswer.SPLIT_ACROSS_BORDER
        return
    assert answer is ViewAnswer.VIEWABLE
    found = layouts.strides_of(target, layout)
    for size, claimed, actual in zip(numbers_of_target, found, viewed.stride(), strict=True):
        assert size == 1 or dims.substitute(claimed, values) == actual


@pytest.mark.torch
@given(strided())
def test_contiguity_and_density_are_torchs(source: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    torch = pytest.importorskip("torch")
    shape, strides = source
    real = _real(shape, strides)
    assert layouts.is_contiguous(shape, strides) is Tri.of(real.is_contiguous())
    assert (layouts.of_strides(shape, strides) is ROW_MAJOR) == real.is_contiguous()
    dense = torch.ops.aten.is_non_overlapping_and_dense(real)
    assert layouts.is_dense(shape, strides) is Tri.of(dense)
    general = layouts.is_noncontiguous_in_general(shape, strides)
    assert general is Tri.of(not real.is_contiguous())


@pytest.mark.torch
@given(st.lists(st.integers(0, 4), max_size=4).map(tuple))
def test_row_major_strides_are_torchs(shape: tuple[int, ...]) -> None:
    torch = pytest.importorskip("torch")
    assert layouts.row_major_strides(shape) == torch.empty(shape).stride()
