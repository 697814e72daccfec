"""Names the operands that do not broadcast, and a change of one after which they do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchlsp.engine.remedies.dtypes import loss_weight
from torchlsp.engine.remedies.scene import Operand, Scene
from torchlsp.engine.remedies.shapes import broadcasts, lost_dimension, made_at, sizes_of
from torchlsp.engine.remedies.told import Remedy, Told
from torchlsp.facts.notation import shape_text
from torchlsp.program import ir


def broadcast_sizes(told: Told) -> Iterator[Remedy]:
    """Names the two operands that do not broadcast, and a dimension that makes them."""
    a, b = told.number("size_a"), told.number("size_b")
    scene = told.scene
    if scene is None or a is None or b is None:
        return
    for loss, kind, name, weight, call in loss_weight(scene):
        shape = sizes_of(weight)
        scores = next((one for node in call.args if (one := scene.operand(node)) is not None), None)
        against = sizes_of(scores.fact) if scores is not None else None
        if shape is None or against is None or broadcasts(shape, against):
            continue
        written = scene.written(weight) or name
        fixes = []
        if len(shape) == 1 and shape[0] == against[0]:
            fixes.append(
                f"If it weights the samples, give it a dimension for the classes: `{name}={written}.unsqueeze(1)`."
            )
        fixes.append(f"If it weights the classes, give it {against[-1]} numbers.")
        yield Remedy(
            f"The {name} of `{loss}` ({kind}) is {list(shape)}{made_at(scene, weight)}, and broadcasts against scores of "
            f"{list(against)}.",
            tuple(fixes),
            is_whole=True,
        )
        return
    yield from _pair(scene, a, b)


def _pair(scene: Scene, a: int, b: int) -> Iterator[Remedy]:
    operands = [(one, sizes) for one in scene.operands() if (sizes := sizes_of(one.fact)) is not None]
    for number, (left, left_sizes) in enumerate(operands):
        for right, right_sizes in operands[number + 1 :]:
            if broadcasts(left_sizes, right_sizes) or not {a, b} <= {*left_sizes, *right_sizes}:
                continue
            says = f"`{left.text}` is {list(left_sizes)}{made_at(scene, left.fact)}, `{right.text}` is {list(right_sizes)}"
            says += f"{made_at(scene, right.fact)}."
            repeated = _repeated(left, left_sizes, right, right_sizes)
            if repeated:
                yield Remedy(
                    says,
                    (repeated, "Or bring the larger one to the smaller, where it was flattened or repeated."),
                    True,
                )
                return
            fixes = tuple(_fitting(left.text, left_sizes, right_sizes)) or tuple(
                _fitting(right.text, right_sizes, left_sizes)
            )
            other = () if fixes else tuple(_one_size(scene, (left, left_sizes), (right, right_sizes)))
            yield Remedy(says, fixes[:1] or other, is_whole=bool(other))
            return
    yield from empty_list(scene, min(a, b), max(a, b))


def empty_list(scene: Scene, size: int, width: int | None, rank: int = 1) -> Iterator[Remedy]:
    """Names the tensor of unknown shape that was made of a list, where an empty or a flat list makes the error."""
    for operand in scene.operands():
        origin = operand.fact.origin
        if operand.fact.shape is not None or origin is None or origin.parents or rank != 1:
            continue
        if origin.op.rpartition(".")[2] not in ("tensor", "as_tensor", "FloatTensor", "Tensor") or size:
            continue
        rows = (
            f"reshape(-1, {width})" if width is not None else "reshape(-1, n)` with the n numbers of a row, `"
        )
        yield Remedy(
            f"`{operand.text}` has one dimension{made_at(scene, operand.fact)}: a list without rows becomes a tensor of shape [0].",
            (
                f"Keep the width of a row, also where there is none: `torch.tensor(…).{rows}`.".replace(
                    ", ``", ""
                ),
            ),
            is_whole=True,
        )
        return


def _one_size(
    scene: Scene, left: tuple[Operand, Sequence[int]], right: tuple[Operand, Sequence[int]]
) -> Iterator[str]:
    """Yields changes of two tensors that differ in a single dimension, where one is a part of the model or was enlarged."""
    rank = len(left[1])
    differ = (
        [dim for dim in range(rank) if not broadcasts(left[1][dim : dim + 1], right[1][dim : dim + 1])]
        if rank == len(right[1])
        else []
    )
    if len(differ) != 1:
        return
    (dim,) = differ
    (small, few), (large, many) = sorted(
        [(left[0], left[1][dim]), (right[0], right[1][dim])], key=lambda one: one[1]
    )
    cut = f"`{large.text}[{':, ' * dim}:{few}]`"
    for member, held, other, size in ((small, few, large, many), (large, many, small, few)):
        if member.text.startswith("self.") and isinstance(member.node, ir.Attribute):
            yield f"Make `{member.text}` with {size} in dimension {dim}, where it has {held}."
            yield (
                f"Or let `{other.text}` arrive with {held}."
                if other is small
                else f"Or, if the rest is not needed, cut the larger one: {cut}."
            )
            return
    enlarged = [one for one in (small, large) if _was_enlarged(one)]
    if enlarged and dim >= 2 and many - few <= 8:
        padding = ", ".join(["0, 0"] * (rank - 1 - dim) + [f"0, {many - few}"])
        yield f"Pad the smaller one, as what is halved and doubled again loses the rest: `F.pad({small.text}, ({padding}))`."
        yield f"Or cut the larger one: {cut}; or feed sizes that divide by the strides."


def _was_enlarged(operand: Operand) -> bool:
    origin = operand.fact.origin
    name = origin.op.rpartition(".")[2] if origin is not None else ""
    return name.startswith(("ConvTranspose", "conv_transpose", "Upsample", "interpolate", "MaxUnpool"))


def _repeated(left: Operand, left_sizes: Sequence[int], right: Operand, right_sizes: Sequence[int]) -> str:
    """Returns how the first of two tensors is repeated to the batch of the other, where only that is a multiple of its own."""
    for one, sizes, other in ((left, left_sizes, right_sizes), (right, right_sizes, left_sizes)):
        few, many = sizes[0] if sizes else 0, other[0] if other else 0
        if len(sizes) == len(other) > 2 and 1 < few < many and many % few == 0:
            return f"Repeat the first dimension, {few}, to {many}: `{one.text}.repeat_interleave({many // few}, dim=0)`."
    return ""


def _fitting(text: str, sizes: Sequence[int], other: Sequence[int]) -> Iterator[str]:
    """Yields changes of one shape after which it broadcasts against the other without making that larger."""
    if len(sizes) >= len(other):
        if len(sizes) == len(other) == 2 and broadcasts(sizes[::-1], other):
            yield f"Transpose it: `{text}.T`."
        return
    for axis in range(1, len(sizes) + 1):
        missing = len(other) - len(sizes)
        grown = [*sizes[:axis], *([1] * missing), *sizes[axis:]]
        if broadcasts(grown, other) and all(one in (1, two) for one, two in zip(grown, other)):
            parts = [":"] * axis + ["None"] * missing + [":"] * (len(sizes) - axis)
            yield f"Give it the missing dimension: `{text}[{', '.join(parts)}]`."


def parts_of_index(told: Told) -> Iterator[Remedy]:
    """Names the tensor that has fewer dimensions than its index, and what it was made of."""
    scene, rank = told.scene, told.number("rank")
    if scene is None or rank is None:
        return
    lost = tuple(lost_dimension(told))
    if lost:
        yield from lost
        return
    for node in scene.nodes():
        if not isinstance(node, ir.Subscript) or not isinstance(node.index, ir.Display):
            continue
        taken = [
            one for one in node.index.items if not (isinstance(one, ir.Constant) and one.value in (None, ...))
        ]
        operand = scene.operand(node.object)
        if operand is None or len(taken) <= rank:
            continue
        known = operand.fact.shape
        if known is None:
            said = tuple(empty_list(scene, 0, None, rank))
            yield from said
            if said:
                return
        elif len(known) == rank:
            yield Remedy(
                f"`{operand.text}` is {shape_text(known)}{made_at(scene, operand.fact)}, and `{scene.text(node)}` takes {len(taken)} "
                "dimensions."
            )
            return
