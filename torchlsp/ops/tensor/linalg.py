"""Evaluates products: matmul and its fixed-rank forms, linear, bilinear, einsum, tensordot, outer, kron,
cross."""

from __future__ import annotations

from itertools import pairwise

from torchlsp.facts import dim as dims
from torchlsp.facts import shape as shapes
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import DType
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import ANY_STORAGE, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value, known
from torchlsp.ops.call import Broken, Call, ResultColumn, are_known
from torchlsp.ops.columns import (
    broadcast_shapes,
    certainly_expands,
    common_device,
    one_dtype,
    promoted,
    tensor_or_unknown,
    widened,
    written_anew,
    written_like,
)
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.reordering import reordered

# ---- contracts ----------------------------------------------------------------------------------------------------------


def contracted(c: Call, left: TensorFact, right: TensorFact, left_size: Dim, right_size: Dim) -> None:
    """Raises a fault unless the two sizes that a product sums over are the same."""
    if dims.equal(left_size, right_size) is Tri.NO:
        raise c.broken(
            FaultKind.MATMUL_INNER,
            left=left,
            right=right,
            left_size=left_size,
            right_size=right_size,
            layer=c.name if c.layer is not None else None,
        )


def operand_rank(
    c: Call, operand: TensorFact, expected: int, both: tuple[TensorFact, TensorFact] | None = None
) -> None:
    if operand.rank is not None and operand.rank != expected:
        raise c.broken(
            FaultKind.MATMUL_RANK, operand=operand, expected=expected, got=operand.rank,
            multiplies=both is not None and _multiplies(c, *both),
        )  # fmt: skip


def _multiplies(c: Call, left: TensorFact, right: TensorFact) -> bool:
    """Returns whether `matmul` takes the two, whose ranks are known."""
    try:
        return matmul_shape(c, left, right) is not None
    except Broken:
        return False


def batches(
    c: Call, left: TensorFact, right: TensorFact, left_batch: tuple[Dim, ...], right_batch: tuple[Dim, ...]
) -> tuple[Dim, ...]:
    """Returns the batch dims of a product, broadcast."""
    return broadcast_shapes(c, [left_batch, right_batch], left, right, trailing=2)


def product(c: Call, shape: Shape, *operands: TensorFact) -> TensorFact:
    """Returns the result of a product of tensors of one dtype on one device."""
    return written_anew(c, shape, one_dtype(c, *operands), common_device(c, list(operands)))


# ---- matmul -------------------------------------------------------------------------------------------------------------


def matmul_shape(c: Call, left: TensorFact, right: TensorFact) -> Shape:
    """Returns the shape of `left @ right`: vectors, matrices and batches of them.

    Source: https://docs.pytorch.org/docs/2.13/generated/torch.matmul.html
    """
    for operand in (left, right):
        if operand.shape == ():
            raise c.broken(FaultKind.MATMUL_RANK, operand=operand, expected=1, got=0)
    if left.shape is None or right.shape is None:
        return None
    a, b = left.shape, right.shape
    contracted(c, left, right, a[-1], b[-2] if len(b) > 1 else b[0])
    batch = batches(c, left, right, a[:-2], b[:-2])
    return (*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def _matmul(c: Call) -> Value:
    left, right = tensor_or_unknown(c, "input"), tensor_or_unknown(c, "other")
    try:
        shape = matmul_shape(c, left, right)
    except Broken as broken:
        if broken.fault.kind is FaultKind.MATMUL_INNER and left.shape and right.shape:
            outer = (*left.shape[:-1], *right.shape[1:][-1:])
            raise broken.showing(product(c, outer, left, right)) from None
        raise
    return product(c, shape, left, right)


TABLE.row("torch.matmul", "Tensor.matmul", signature="input, other", result=_matmul, opinfo="matmul")
TABLE.row("torch.linalg.matmul", signature="input, other", result=_matmul, opinfo="matmul")
TABLE.row("Tensor.__matmul__", signature="input, other", result=_matmul, opinfo="__rmatmul__")
TABLE.row("Tensor.__rmatmul__", signature="other, input", result=_matmul, opinfo="__rmatmul__")


def ranked_product(left_name: str, right_name: str, left_rank: int, right_rank: int) -> ResultColumn[Call]:
    """Makes the result column of mm, bmm, mv, dot: operands of fixed rank, nothing broadcasts."""

    def result(c: Call) -> Value:
        left, right = tensor_or_unknown(c, left_name), tensor_or_unknown(c, right_name)
        return product(c, ranked_shape(c, left, right, left_rank, right_rank), left, right)

    return result


def ranked_shape(
    c: Call, left: TensorFact, right: TensorFact, left_rank: int, right_rank: int
) -> tuple[Dim, ...]:
    """Returns the shape of a product of operands of fixed rank.

    An operand of unknown rank gives sizes of its own.
    """
    operand_rank(c, left, left_rank, (left, right))
    operand_rank(c, right, right_rank, (left, right))
    a = left.shape if left.shape is not None else shapes.fresh(left_rank, f"{c.context.site}.left")
    b = right.shape if right.shape is not None else shapes.fresh(right_rank, f"{c.context.site}.right")
    contracted(c, left, right, a[-1], b[-2] if right_rank > 1 else b[0])
    batch = a[:-2]
    for i, (x, y) in enumerate(zip(batch, b[:-2], strict=True)):
        if dims.equal(x, y) is Tri.NO:
            raise c.broken(
                FaultKind.BROADCAST, left=left, right=right, dim=i - left_rank, left_size=x, right_size=y
            )
    # operands of known size name the batch: the two are equal
    known_batch = tuple(y if dims.is_fresh(x) else x for x, y in zip(batch, b[:-2], strict=True))
    return (*known_batch, *a[-2:-1], *(b[-1:] if right_rank > 1 else ()))


TABLE.row(
    "torch.mm",
    "Tensor.mm",
    signature="input, mat2",
    result=ranked_product("input", "mat2", 2, 2),
    opinfo="mm",
)
TABLE.row(
    "torch.bmm",
    "Tensor.bmm",
    signature="input, mat2",
    result=ranked_product("input", "mat2", 3, 3),
    opinfo="bmm",
)
TABLE.row(
    "torch.mv", "Tensor.mv", signature="input, vec", result=ranked_product("input", "vec", 2, 1), opinfo="mv"
)
TABLE.row(
    "torch.dot", "Tensor.dot",
    signature="input, tensor", result=ranked_product("input", "tensor", 1, 1), opinfo="dot",
)  # fmt: skip
TABLE.row(
    "torch.vdot", "Tensor.vdot",
    signature="input, other", result=ranked_product("input", "other", 1, 1), opinfo="vdot",
)  # fmt: skip


def added_product(
    left_name: str, right_name: str, left_rank: int, right_rank: int, summed: int = 0
) -> ResultColumn[Call]:
    """Makes the result column of addmm and similar operators: a product plus `input`.

    `summed`: leading dims that are summed away.
    """

    def result(c: Call) -> Value:
        added = tensor_or_unknown(c, "input")
        left, right = tensor_or_unknown(c, left_name), tensor_or_unknown(c, right_name)
        shape = ranked_shape(c, left, right, left_rank, right_rank)[summed:]
        certainly_expands(c, added, shape)
        return product(c, shape, left, right, added)

    return result


for _name, _signature, _law in (
    ("addmm", "input, mat1, mat2, *, beta=1, alpha=1", added_product("mat1", "mat2", 2, 2)),
    ("addmv", "input, mat, vec, *, beta=1, alpha=1", added_product("mat", "vec", 2, 1)),
    ("baddbmm", "input, batch1, batch2, *, beta=1, alpha=1", added_product("batch1", "batch2", 3, 3)),
    (
        "addbmm",
        "input, batch1, batch2, *, beta=1, alpha=1",
        added_product("batch1", "batch2", 3, 3, summed=1),
    ),
):
    TABLE.row(f"torch.{_name}", f"Tensor.{_name}", signature=_signature, result=_law, opinfo=_name)


def _multi_dot(c: Call) -> Value:
    tensors = c.tensors("tensors")
    if tensors is None:
        return c.make()
    sizes = [tensor.shape for tensor in tensors]
    if not are_known(sizes):
        return c.make()
    if len(tensors) < 2:
        raise c.broken(FaultKind.ARGUMENT, tensors=tuple(tensors))
    for i, tensor in enumerate(tensors):
        if tensor.rank != 2 and not (tensor.rank == 1 and i in (0, len(tensors) - 1)):
            raise c.broken(FaultKind.MATMUL_RANK, operand=tensor, expected=2, got=tensor.rank)
    for i, (left, right) in enumerate(pairwise(tensors)):
        contracted(c, left, right, sizes[i][-1], sizes[i + 1][0])
    shape = (*sizes[0][:-1], *sizes[-1][1:])
    return product(c, shape, *tensors)


TABLE.row("torch.linalg.multi_dot", signature="tensors", result=_multi_dot, opinfo="linalg.multi_dot")


# ---- outer, inner, kron, cross ------------------------------------------------------------------------------------------


def _outer(c: Call) -> Value:
    left, right = tensor_or_unknown(c, "input"), tensor_or_unknown(c, "vec2")
    operand_rank(c, left, 1)
    operand_rank(c, right, 1)
    a = left.shape or shapes.fresh(1, f"{c.context.site}.left")
    b = right.shape or shapes.fresh(1, f"{c.context.site}.right")
    dtype = promoted("input", "vec2")(c) if c.context.autocast is Tri.NO else None
    return written_anew(c, (*a, *b), dtype, common_device(c, [left, right]))


TABLE.row(
    "torch.outer",
    "Tensor.outer",
    "torch.ger",
    "Tensor.ger",
    signature="input, vec2",
    result=_outer,
    opinfo="outer",
)


def _addr(c: Call) -> Value:
    added, left, right = (tensor_or_unknown(c, name) for name in ("input", "vec1", "vec2"))
    operand_rank(c, left, 1)
    operand_rank(c, right, 1)
    shape = None
    if left.shape is not None and right.shape is not None:
        shape = (*left.shape, *right.shape)
    certainly_expands(c, added, shape)
    dtype = promoted("input", "vec1", "vec2")(c) if c.context.autocast is Tri.NO else None
    return written_like(c, shape, dtype, common_device(c, [added, left, right]))


TABLE.row(
    "torch.addr",
    "Tensor.addr",
    signature="input, vec1, vec2, *, beta=1, alpha=1",
    result=_addr,
    opinfo="addr",
)


def _inner(c: Call) -> Value:
    left, right = tensor_or_unknown(c, "input"), tensor_or_unknown(c, "other")
    shape = None
    if left.shape == () or right.shape == ():
        return c.make(left.shape if right.shape == () else right.shape)
    if left.shape is not None and right.shape is not None:
        contracted(c, left, right, left.shape[-1], right.shape[-1])
        shape = (*left.shape[:-1], *right.shape[:-1])
    made = product(c, shape, left, right)
    return made if shape is not None else made.but(layout=None)  # a 0-d operand makes it elementwise


TABLE.row("torch.inner", "Tensor.inner", signature="input, other", result=_inner, opinfo="inner")


def _kron(c: Call) -> Value:
    left, right = tensor_or_unknown(c, "input"), tensor_or_unknown(c, "other")
    shape = None
    if left.shape is not None and right.shape is not None:
        rank = max(len(left.shape), len(right.shape))
        a = (1,) * (rank - len(left.shape)) + left.shape
        b = (1,) * (rank - len(right.shape)) + right.shape
        shape = tuple(x * y for x, y in zip(a, b, strict=True))
    return written_like(c, shape, promoted("input", "other")(c), common_device(c, [left, right]))


TABLE.row("torch.kron", "Tensor.kron", signature="input, other", result=_kron, opinfo="kron")


def _cross(default_dim: int | None) -> ResultColumn[Call]:
    """Returns the cross product. Without a dim `torch.cross` takes the first of size 3, `linalg.cross` the
    last."""

    def result(c: Call) -> Value:
        left, right = tensor_or_unknown(c, "input"), tensor_or_unknown(c, "other")
        if left.rank is not None and right.rank is not None and left.rank != right.rank:
            raise c.broken(FaultKind.RANK, input=right, expected=left.rank, got=right.rank)
        shape = broadcast_shapes(c, [left.shape, right.shape], left, right)
        dim = default_dim if c.given("dim") is Tri.NO else c.int("dim")
        if shape is not None and dim is not None:
            normal = shapes.normal_dim(dim, len(shape))
            if normal is None or not shape:
                raise c.broken(FaultKind.DIM_RANGE, input=left, dim=dim, rank=len(shape))
            for operand in (left, right):
                if operand.shape is not None and dims.equal(operand.shape[normal], 3) is Tri.NO:
                    raise c.broken(FaultKind.SIZE, input=operand, dim=dim, size=operand.shape[normal])
        dtype = promoted("input", "other")(c)
        return written_anew(c, shape, dtype, common_device(c, [left, right]))

    return result


TABLE.row(
    "torch.cross", "Tensor.cross", signature="input, other, dim=None", result=_cross(None), opinfo="cross"
)
TABLE.row("torch.linalg.cross", signature="input, other, *, dim=-1", result=_cross(-1), opinfo="linalg.cross")


# ---- linear and bilinear ------------------------------------------------------------------------------------------------


def linear(c: Call, tensor: TensorFact, weight: TensorFact, bias: Value) -> TensorFact:
    """Returns `x @ weight.T + bias`: all dims of the input but the last are batch dims.

    Source: https://docs.pytorch.org/docs/2.13/generated/torch.nn.functional.linear.html
    """
    if tensor.shape == ():
        raise c.broken(FaultKind.MATMUL_RANK, operand=tensor, expected=1, got=0)
    if weight.rank is not None and weight.rank not in (1, 2):
        raise c.broken(FaultKind.MATMUL_RANK, operand=weight, expected=2, got=weight.rank)
    if tensor.shape is not None and weight.shape is not None:
        contracted(c, tensor, weight, tensor.shape[-1], weight.shape[-1])
    shape = None
    if tensor.shape is not None and weight.shape is not None:
        shape = (*tensor.shape[:-1], *weight.shape[:-1])
    operands = [tensor, weight]
    if isinstance(bias, TensorFact):
        operands.append(bias)
        certainly_expands(c, bias, shape)
    return product(c, shape, *operands)


def _linear(c: Call) -> Value:
    return linear(c, tensor_or_unknown(c, "input"), tensor_or_unknown(c, "weight"), c.value("bias"))


TABLE.row(
    "torch.nn.functional.linear",
    signature="input, weight, bias=None",
    result=_linear,
    opinfo="nn.functional.linear",
)


def bilinear(c: Call, left: TensorFact, right: TensorFact, weight: TensorFact, bias: Value) -> TensorFact:
    if weight.rank is not None and weight.rank != 3:
        raise c.broken(FaultKind.MATMUL_RANK, operand=weight, expected=3, got=weight.rank)
    if left.rank is not None and right.rank is not None and left.rank != right.rank:
        raise c.broken(FaultKind.RANK, input=right, expected=left.rank, got=right.rank)
    shape = None
    if left.shape and weight.shape is not None:
        contracted(c, left, weight, left.shape[-1], weight.shape[1])
        shape = (*left.shape[:-1], weight.shape[0])
    if right.shape and weight.shape is not None:
        contracted(c, right, weight, right.shape[-1], weight.shape[2])
    if left.shape and right.shape:
        for dim, (a, b) in enumerate(zip(left.shape[:-1], right.shape[:-1], strict=True)):
            if dims.equal(a, b) is Tri.NO:
                raise c.broken(
                    FaultKind.BROADCAST, left=left, right=right, dim=dim, left_size=a, right_size=b
                )
    operands = [left, right, weight, *([bias] if isinstance(bias, TensorFact) else [])]
    return product(c, shape, *operands)


def _bilinear(c: Call) -> Value:
    left, right, weight = (tensor_or_unknown(c, name) for name in ("input1", "input2", "weight"))
    return bilinear(c, left, right, weight, c.value("bias"))


TABLE.row(
    "torch.nn.functional.bilinear",
    signature="input1, input2, weight, bias=None", result=_bilinear, opinfo="nn.functional.bilinear",
)  # fmt: skip


# ---- tensordot ----------------------------------------------------------------------------------------------------------


def _tensordot(c: Call) -> Value:
    left, right = tensor_or_unknown(c, "input"), tensor_or_unknown(c, "other")
    pairs = _contracted_dims(c, left, right)
    shape = None
    if pairs is not None and left.shape is not None and right.shape is not None:
        a_dims, b_dims = pairs
        for i, j in zip(a_dims, b_dims, strict=True):
            a, b = left.shape[i], right.shape[j]
            if dims.is_one(a) is Tri.NO and dims.is_one(b) is Tri.NO and dims.equal(a, b) is Tri.NO:
                raise c.broken(
                    FaultKind.EINSUM,
                    reason="pair",
                    operand=right,
                    other=left,
                    dim=j,
                    other_dim=i,
                    got=b,
                    expected=a,
                )
        shape = tuple(size for i, size in enumerate(left.shape) if i not in a_dims)
        shape += tuple(size for i, size in enumerate(right.shape) if i not in b_dims)
    return product(c, shape, left, right)


def _contracted_dims(c: Call, left: TensorFact, right: TensorFact) -> tuple[list[int], list[int]] | None:
    count = c.int("dims")
    if left.rank is None or right.rank is None:
        return None
    if count is not None:
        if not 0 <= count <= min(left.rank, right.rank):
            few = left if left.rank <= right.rank else right
            raise c.broken(FaultKind.EINSUM, reason="count", operand=few, got=few.rank, expected=count)
        return list(range(left.rank - count, left.rank)), list(range(count))
    both = c.items("dims")
    if both is None or len(both) != 2:
        return None
    found: list[list[int]] = []
    for value, operand, rank in zip(both, (left, right), (left.rank, right.rank), strict=True):
        items = c.context.elements(value)
        given = [value] if items is None else list(items)
        numbers = [known(item, int) for item in given]
        if not are_known(numbers):
            return None
        normal = [shapes.normal_dim(number, rank) for number in numbers]
        if not are_known(normal):
            dim = numbers[normal.index(None)]
            raise c.broken(FaultKind.EINSUM, reason="dim", operand=operand, got=operand.rank, expected=dim)
        found.append(normal)
    if len(found[0]) != len(found[1]):
        raise c.broken(
            FaultKind.EINSUM, reason="lists", operand=right, got=len(found[1]), expected=len(found[0])
        )
    return found[0], found[1]


TABLE.row("torch.tensordot", signature="input, other, dims=2", result=_tensordot, opinfo="tensordot")


# ---- einsum -------------------------------------------------------------------------------------------------------------


def einsum_shape(c: Call, equation: str, operands: list[TensorFact]) -> Shape:
    """Returns the shape of an einsum equation's result; None where sizes or ranks are not known.

    Source: https://docs.pytorch.org/docs/2.13/generated/torch.einsum.html
    """
    text = equation.replace(" ", "")
    inputs_text, arrow, output = text.partition("->")
    inputs = inputs_text.split(",")
    if len(inputs) != len(operands):
        raise c.broken(
            FaultKind.EINSUM, reason="operands", operand=operands[0], got=len(operands), expected=len(inputs)
        )
    sizes: dict[str, tuple[Dim, TensorFact]] = {}
    ellipsis_shapes: list[tuple[Dim, ...]] = []
    complete = True
    for term, operand in zip(inputs, operands, strict=True):
        head, dots, tail = term.partition("...")
        named = len(head) + len(tail)
        shape = operand.shape
        if shape is None:
            complete = False
            continue
        rank = len(shape)
        if rank < named or (not dots and rank != named):
            raise c.broken(
                FaultKind.EINSUM,
                reason="rank",
                operand=operand,
                letter=term,
                got=rank,
                expected=named,
            )
        inner = shape[len(head) : rank - len(tail)]
        if dots:
            ellipsis_shapes.append(inner)
        labelled = [
            *zip(head, shape, strict=False),
            *zip(tail, shape[rank - len(tail) :], strict=False),
        ]
        for letter, size in labelled:
            _labelled(c, sizes, letter, size, operand)
    letters = "".join(inputs).replace(".", "")
    if not arrow:
        once = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
        output = ("..." if "..." in inputs_text else "") + "".join(once)
    if not complete and ("..." in output or any(letter not in sizes for letter in output.replace(".", ""))):
        return None
    batch = broadcast_shapes(c, ellipsis_shapes, operands[0], operands[-1]) if "..." in output else ()
    head, _, tail = output.partition("...")
    for place, letter in enumerate(head + tail):
        reason = "repeated" if letter in (head + tail)[:place] else "output" if letter not in sizes else None
        if reason is not None:
            raise c.broken(FaultKind.EINSUM, reason=reason, operand=operands[0], letter=letter)
    return (*(sizes[letter][0] for letter in head), *batch, *(sizes[letter][0] for letter in tail))


def _labelled(
    c: Call, sizes: dict[str, tuple[Dim, TensorFact]], letter: str, size: Dim, operand: TensorFact
) -> None:
    """Records one more size under a letter; a size of 1 broadcasts."""
    if letter not in sizes or dims.is_one(sizes[letter][0]) is Tri.YES:
        sizes[letter] = (size, operand)
        return
    before, other = sizes[letter]
    if dims.is_one(size) is Tri.YES:
        return
    if dims.is_one(size) is Tri.NO and dims.is_one(before) is Tri.NO and dims.equal(before, size) is Tri.NO:
        raise c.broken(
            FaultKind.EINSUM, reason="size", operand=operand, other=other, letter=letter, got=size, expected=before
        )  # fmt: skip
    if before != size and dims.is_one(before) is not Tri.NO:
        sizes[letter] = (size if dims.is_one(size) is Tri.NO else c.fresh(letter), operand)


def _einsum(c: Call) -> Value:
    equation = c.text("equation")
    operands = c.tensors("operands")
    if operands is None or equation is None or not operands:
        return c.make() if c.parents() else UNKNOWN_VALUE
    shape = einsum_shape(c, equation, operands)
    dtype = _einsum_dtype(c, equation, operands)
    order = _only_reordered(equation)
    if len(operands) == 1 and order is not None and operands[0].rank == len(order):
        return reordered(c, operands[0], order)
    grad = written_anew(c, shape, dtype, None).grad
    device = common_device(c, list(operands))
    # the product of several operands is new memory, in an order of dims that the equation's path decides
    return c.make(shape, dtype, device, None, c.fresh_storage() if len(operands) > 1 else ANY_STORAGE, grad)


def _only_reordered(equation: str) -> list[int] | None:
    """Returns the order of dims of `ij->ji`, which gives a view."""
    term, arrow, output = equation.replace(" ", "").partition("->")
    if not arrow or not term.isalpha() or len(set(term)) < len(term) or sorted(term) != sorted(output):
        return None
    return [term.index(letter) for letter in output]


def _einsum_dtype(c: Call, equation: str, operands: list[TensorFact]) -> DType | None:
    """Returns the dtype: operands that are contracted go to bmm, which wants one dtype. Others are multiplied
    and promote."""
    found = {operand.dtype for operand in operands}
    if c.context.autocast is not Tri.NO or None in found:
        return None
    if len(found) == 1:
        return found.pop()
    terms, arrow, output = equation.replace(" ", "").partition("->")
    left, _, right = terms.partition(",")
    if arrow and len(operands) == 2 and "." not in terms:
        for letter in sorted(set(left) & set(right) - set(output)):
            sizes = (operands[0].shape, left), (operands[1].shape, right)
            if all(
                shape is not None and dims.is_one(shape[term.index(letter)]) is Tri.NO
                for shape, term in sizes
            ):
                one_dtype(c, *operands)
    return None


TABLE.row("torch.einsum", signature="equation, *operands", result=_einsum, opinfo="einsum")


# ---- traces and diagonal products ---------------------------------------------------------------------------------------


def _trace(c: Call) -> Value:
    tensor = tensor_or_unknown(c, "input")
    operand_rank(c, tensor, 2)
    summed_in = {"bool", "u8", "i8", "i16", "i32"}
    dtype = "i64" if tensor.dtype in summed_in else widened(c, tensor.dtype)
    return written_anew(c, (), dtype, tensor.device)


TABLE.row("torch.trace", "Tensor.trace", signature="input", result=_trace, opinfo="trace")
