"""Names the operand whose shape an error is about. A change of shape is shown only where its result fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from torchlsp.engine.remedies.scene import Known, Operand, Scene
from torchlsp.engine.remedies.told import Remedy, Told
from torchlsp.engine.values_shown import shortened
from torchlsp.facts import values as v
from torchlsp.facts.notation import shape_text
from torchlsp.facts.tensor import TensorFact
from torchlsp.program import ir

_MAX_SEARCHED = 24
_MAX_TEXT = 70


def sizes_of(fact: Known) -> tuple[int, ...] | None:
    """Returns the shape of a tensor; None where some size is no number."""
    if fact.shape is None or not all(isinstance(size, int) for size in fact.shape):
        return None
    return tuple(size for size in fact.shape if isinstance(size, int))


def broadcasts(left: Sequence[int], right: Sequence[int]) -> bool:
    return all(a == b or 1 in (a, b) for a, b in zip(reversed(left), reversed(right)))


def made_at(scene: Scene, fact: v.Value) -> str:
    made = scene.made(fact)
    return f", made at {made}" if made else ""


# ---- views and products ----------------------------------------------------------------------------------------------


def view_sizes(told: Told) -> Iterator[Remedy]:
    """Says which number of a new shape is the batch, or what one sample really holds."""
    shape, count = told.sizes("shape"), told.number("numel")
    if shape is None or count is None:
        return
    scene = told.scene
    operand = _viewed(scene) if scene is not None else None
    text = operand.text if operand is not None else "x"
    first = operand.fact.shape[0] if operand is not None and operand.fact.shape else None
    rest = prod(size for size in shape[1:] if size != -1)
    fixed = prod(size for size in shape if size != -1)
    if shape[0] > 0 and -1 not in shape[1:] and rest and count % rest == 0:
        batch = count // rest
        if not isinstance(first, int) or first == batch:
            others = ", ".join(str(size) for size in shape[1:])
            arguments = f"{text}.size(0), {others}" if others else "-1"
            yield Remedy(
                f"The first size is {shape[0]}, and the tensor holds {batch} samples of {rest} elements.",
                (f"Take the batch from the tensor: `{text}.view({arguments})`, or `{text}.flatten(1)`.",),
                is_whole=True,
            )
        return
    if shape[0] == -1 and len(shape) == 2 and operand is not None:
        sizes = operand.fact.shape or ()
        inner = sizes[1:]
        if inner and all(isinstance(size, int) for size in inner):
            held = prod(size for size in inner if isinstance(size, int))
            if held != shape[1] and count % held == 0:
                yield Remedy(
                    f"One sample of `{text}` {shape_text(sizes)} holds {held} elements, not {shape[1]}.",
                    (
                        f"Flatten it with `{text}.flatten(1)`, and make the next layer with `in_features={held}`.",
                    ),
                    is_whole=True,
                )
    elif shape[0] == -1 and count % fixed and operand is not None:
        yield Remedy(f"`{text}` is {shape_text(operand.fact.shape)}: {count} elements.")


def _viewed(scene: Scene) -> Operand | None:
    for call in scene.calls_of("view", "reshape"):
        if isinstance(call.function, ir.Attribute):
            found = scene.operand(call.function.object)
            if found is not None:
                return found
    return None


def product_sizes(told: Told) -> Iterator[Remedy]:
    """Looks for the dimension that has the size which a matrix product expects."""
    expected, arrives, rows = told.number("expected"), told.number("arrives"), told.number("rows")
    scene = told.scene
    if expected is None or arrives is None or scene is None:
        return
    for operand in scene.operands():
        sizes = sizes_of(operand.fact)
        if sizes is None or not sizes or sizes[-1] != arrives or prod(sizes[:-1]) != rows:
            continue
        says = f"`{operand.text}` is {list(sizes)}{made_at(scene, operand.fact)}.{_made_for(scene, expected)}"
        if len(sizes) > 2 and prod(sizes[1:]) == expected:
            yield Remedy(says, (f"Flatten each sample first: `{operand.text}.flatten(1)`.",), is_whole=True)
        elif expected in sizes[1:-1] or len(sizes) == 2 and sizes[0] == expected:
            axis = len(sizes) - 1 - tuple(reversed(sizes)).index(expected)
            fix = f"Move dimension {axis}, which has {expected}, to the end: `{operand.text}.transpose({axis}, -1)`."
            yield Remedy(says, (fix, f"Or make the layer with `in_features={arrives}`."), is_whole=True)
        else:
            yield Remedy(says)
        return


def _made_for(scene: Scene, expected: int) -> str:
    """Returns which linear layer of the statement was made for so many features, and where."""
    for call in scene.calls():
        layer = scene.value(call.function)
        features = layer["in_features"] if isinstance(layer, v.LayerValue) else v.UNKNOWN_VALUE
        if isinstance(features, v.Scalar) and features.value == expected:
            return f" `{scene.text(call.function)}` takes {expected} features{made_at(scene, layer)}."
    return ""


# ---- operands that lost a dimension ------------------------------------------------------------------------------------


def squeezed(scene: Scene, fact: Known) -> tuple[str, str] | None:
    """Returns where `squeeze()` without a dimension dropped one on the way to a tensor, and the call that keeps a batch of one."""
    older: Known = fact
    for _ in range(_MAX_SEARCHED):
        origin = older.origin
        if origin is None or not origin.parents:
            return None
        parent = origin.parents[0]
        written = (
            scene.document.text[origin.start : origin.end]
            if origin.path in (None, scene.document.path)
            else ""
        )
        if origin.op.rpartition(".")[2] == "squeeze" and written.replace(" ", "").endswith("squeeze()"):
            ones = [dim for dim, size in enumerate(parent.shape or ()) if size == 1 and dim > 0]
            call = (
                f"squeeze({ones[0]})"
                if len(ones) == 1
                else f"squeeze({tuple(ones)})"
                if ones
                else "squeeze(dim)"
            )
            row = scene.source.row(origin.start)
            return f"line {row} (`{scene.source.line(row)}`)", call
        older = parent
    return None


def lost_dimension(told: Told) -> Iterator[Remedy]:
    """Names the `squeeze()` that dropped a batch of one."""
    scene = told.scene
    if scene is None:
        return
    for operand in scene.operands():
        found = squeezed(scene, operand.fact)
        if found is not None:
            where, call = found
            yield Remedy(
                f"`{operand.text}` went through `squeeze()` at {where}, which drops every dimension of 1, also that of a batch of one.",
                (f"Say which dimension goes: `{call}`.",),
                is_whole=call != "squeeze(dim)",
            )
            return


def einsum_operand(told: Told) -> Iterator[Remedy]:
    """Names the operand of an einsum that does not have the sizes of the equation."""
    scene, number = told.scene, told.number("operand")
    if scene is None or number is None:
        return
    for call in scene.calls_of("einsum"):
        node = scene.argument(call, number + 1)
        operand = scene.operand(node) if node is not None else None
        if node is None:
            continue
        text = scene.text(node)
        shape = (
            shape_text(operand.fact.shape) if operand is not None and operand.fact.shape is not None else ""
        )
        says = f"Operand {number} is `{text}`" + (f" {shape}" if shape else "")
        says += f"{made_at(scene, operand.fact)}." if operand is not None else "."
        lost = squeezed(scene, operand.fact) if operand is not None else None
        if "subscripts" in told.values and lost is not None:
            where, fixed = lost
            yield Remedy(
                f"{says} `squeeze()` at {where} drops every dimension of 1, also that of a batch of one.",
                (f"Say which dimension goes: `{fixed}`.",),
                is_whole=fixed != "squeeze(dim)",
            )
            return
        letter = told.values.get("letter")
        equation = scene.constant(call.args[0]) if call.args else None
        others = _with_letter(scene, call, equation, letter, number) if letter else []
        if others:
            says += f" In {' and '.join(others)} `{letter}` is {told.values.get('other')}."
            fix = f"Give them one size for `{letter}`, or write another letter in one of them where another dimension is meant."
            yield Remedy(says, (fix,), is_whole=True)
            return
        yield Remedy(says)
        return


def _with_letter(scene: Scene, call: ir.Call, equation: object, letter: str, number: int) -> list[str]:
    if not isinstance(equation, str):
        return []
    parts = equation.partition("->")[0].split(",")
    return [
        f"`{scene.text(node)}`"
        for position, part in enumerate(parts[:number])
        if letter in part and (node := scene.argument(call, position + 1)) is not None
    ]


def joined_ranks(told: Told) -> Iterator[Remedy]:
    """Names the tensor that has fewer dimensions than the others of a `cat`, and how it gets them."""
    scene = told.scene
    if scene is None:
        return
    for call in scene.calls_of("cat", "concat", "concatenate"):
        given = call.args[0] if call.args else None
        if not isinstance(given, ir.Display):
            continue
        items = [
            one
            for node in given.items
            if (one := scene.operand(node)) is not None and one.fact.shape is not None
        ]
        ranks = [len(one.fact.shape or ()) for one in items]
        if len(items) != len(given.items) or len(set(ranks)) < 2:
            continue
        small = min(items, key=lambda one: len(one.fact.shape or ()))
        large = max(items, key=lambda one: len(one.fact.shape or ()))
        says = (
            f"`{small.text}` is {shape_text(small.fact.shape)}{made_at(scene, small.fact)}, `{large.text}` is "
            f"{shape_text(large.fact.shape)}."
        )
        lost = squeezed(scene, small.fact)
        if lost is not None:
            says += f" `squeeze()` at {lost[0]} drops every dimension of 1."
        dim = scene.argument(call, 1, "dim", "axis")
        chosen = scene.constant(dim) if dim is not None else 0
        at = chosen if isinstance(chosen, int) else None
        fix = _grown(small, large, at)
        yield Remedy(says, (fix,) if fix else (), is_whole=bool(fix))
        return


def _grown(small: Operand, large: Operand, at: int | None) -> str:
    """Returns how the smaller of two tensors gets the dimensions of the larger, where the result can be joined along `at`."""
    few, many = small.fact.shape or (), large.fact.shape or ()
    if at is None or not -len(many) <= at < len(many):
        return ""
    at %= len(many)
    if len(many) - len(few) == 1:
        for axis in range(len(few) + 1):
            grown = [*few[:axis], 1, *few[axis:]]
            if all(dim == at or one == other for dim, (one, other) in enumerate(zip(grown, many))):
                return f"Give it its dimension: `{small.text}.unsqueeze({axis})`."
    rest = len(many) - len(few)
    if all(dim == at or one == other for dim, (one, other) in enumerate(zip(few, many))) and at < len(few):
        index = ", ".join([":"] * len(few) + ["None"] * rest)
        sizes = ", ".join(
            ["-1"] * len(few) + [f"{large.text}.size({dim})" for dim in range(len(few), len(many))]
        )
        return f"Repeat it along the missing dimensions: `{small.text}[{index}].expand({sizes})`."
    return ""


def batched_product(told: Told) -> Iterator[Remedy]:
    """Gives a matrix that `bmm` takes for a batch its missing dimension, where the product then fits."""
    scene = told.scene
    if scene is None or "3D tensor" not in told.text:
        return
    for call in scene.calls_of("bmm", "baddbmm"):
        receiver = call.function.object if isinstance(call.function, ir.Attribute) else None
        nodes = call.args if len(call.args) > 1 or receiver is None else (receiver, *call.args)
        operands = [one for node in nodes if (one := scene.operand(node)) is not None]
        if len(operands) < 2:
            continue
        left, right = operands[-2:]
        few, many = left.fact.shape, right.fact.shape
        if few is None or many is None or {len(few), len(many)} != {2, 3}:
            continue
        small, axis = (left, 1) if len(few) == 2 else (right, 2)
        grown = [*(small.fact.shape or ())]
        grown.insert(axis, 1)
        other = many if small is left else few
        fits = grown[0] == other[0] and (grown[2] == other[1] if small is left else other[2] == grown[1])
        says = f"`{small.text}` is {shape_text(small.fact.shape)}{made_at(scene, small.fact)}, and `bmm` takes three dimensions."
        if fits:
            fix = f"Give it the missing one: `{small.text}.unsqueeze({axis})`, and take it from the result again: `.squeeze({axis})`."
            yield Remedy(says, (fix,), is_whole=True)
        else:
            yield Remedy(says)
        return


def scattered_source(told: Told) -> Iterator[Remedy]:
    """Gives what `scatter` writes the dimensions of its index; else names the `squeeze()` that dropped one."""
    scene = told.scene
    for call in (
        scene.calls_of("scatter", "scatter_", "scatter_add", "scatter_add_") if scene is not None else ()
    ):
        if scene is None:
            return
        operands = [
            one
            for node in call.args
            if (one := scene.operand(node)) is not None and one.fact.shape is not None
        ]
        if len(operands) < 2:
            continue
        index, source = operands[-2:]
        wanted, got = index.fact.shape or (), source.fact.shape or ()
        if len(got) >= len(wanted):
            continue
        says = f"The index `{index.text}` is {shape_text(wanted)}, and `{source.text}` is {shape_text(got)}."
        axes = [axis for axis in range(len(wanted)) if (*got[:axis], 1, *got[axis:]) == tuple(wanted)]
        fix = (
            f"Give it the dimensions of the index: `{source.text}.unsqueeze({axes[0]})`."
            if axes
            else (f"Give `{source.text}` the shape of `{index.text}`.")
        )
        yield Remedy(says, (fix,), is_whole=True)
        return
    yield from lost_dimension(told)


def bound_of_index(told: Told) -> Iterator[Remedy]:
    """Names the indices that go past a dimension, and whether they begin at 1."""
    scene, size, index = told.scene, told.number("size"), told.number("index")
    if scene is None or size is None or index is None:
        return
    if size == 0:
        yield from _empty(scene)
        return
    for fact in _indices(scene, told.number("dim")) or scene.behind():
        content = fact.content if isinstance(fact, TensorFact) else None
        if content is None or not isinstance(content.high, int) or content.high < size:
            continue
        text = next((one.text for one in scene.operands() if one.fact is fact), "") or scene.written(fact)
        says = f"`{text}` holds {content.low} to {content.high}{made_at(scene, fact)}, and the dimension has 0 to {size - 1}."
        if content.low == 1 and content.high == size:
            yield Remedy(says, (f"The numbers begin at 1: subtract it, `{text} - 1`.",), is_whole=True)
        else:
            yield Remedy(says)
        return
    if index == size:
        yield Remedy(
            f"The index {index} is one past the last, {size - 1}.",
            ("If the numbers begin at 1, subtract 1; else make the dimension larger, or cut the indices.",),
            is_whole=True,
        )


def _indices(scene: Scene, dim: int | None) -> list[Known]:
    """Returns the tensor that indexes one dimension in a subscript of the statement, where it is the only such subscript."""
    found = []
    for node in scene.nodes():
        if isinstance(node, ir.Subscript) and isinstance(scene.value(node.object), TensorFact):
            parts = node.index.items if isinstance(node.index, ir.Display) else (node.index,)
            operand = scene.operand(parts[dim]) if dim is not None and dim < len(parts) else None
            if any(
                isinstance(part, ir.Constant) for part in parts[:dim]
            ):  # None, or `...`: it moves the dimensions
                operand = None
            found.append([operand.fact] if operand is not None and len(parts) > 1 else [])
    return found[0] if len(found) == 1 else []


def _empty(scene: Scene) -> Iterator[Remedy]:
    """Names the selection that left nothing, where a dimension of size 0 is indexed."""
    for fact in scene.behind():
        origin = fact.origin
        if origin is None or origin.path not in (None, scene.document.path) or not origin.parents:
            continue
        written = scene.document.text[origin.start : origin.end]
        if not fact.shape or not written.endswith("]") or isinstance(fact.shape[0], int):
            continue
        row = scene.source.row(origin.start)
        text = shortened(written, _MAX_TEXT)
        name = next((one.text for one in scene.operands() if one.fact.origin == origin), text)
        yield Remedy(
            f"Nothing is left to index: no element passes the selection `{text}` at line {row}.",
            (f"Ask whether something was found before it is indexed: `if {name}.numel():`.",),
            is_whole=True,
        )
        return


def past_a_shape(told: Told) -> Iterator[Remedy]:
    """Names the tensor whose shape has fewer sizes than the index asks for."""
    scene = told.scene
    for node in scene.nodes() if scene is not None else ():
        if scene is None or not isinstance(node, ir.Subscript) or not isinstance(node.object, ir.Attribute):
            continue
        if node.object.name != "shape":
            continue
        operand, asked = scene.operand(node.object.object), scene.constant(node.index)
        if operand is None or operand.fact.shape is None or not isinstance(asked, int):
            continue
        rank = len(operand.fact.shape)
        if -rank <= asked < rank:
            continue
        yield Remedy(
            f"`{operand.text}` is {shape_text(operand.fact.shape)}{made_at(scene, operand.fact)}: it has no dimension {asked}.",
            (
                "Pass the tensor with the dimension that is missing, such as a batch instead of one of its samples; or count from "
                f"the end: `{operand.text}.shape[-1]`.",
            ),
            is_whole=True,
        )
        return


def mask_rows(told: Told) -> Iterator[Remedy]:
    """Says at which dimension a mask fits, if at any."""
    mask, shape, dim = told.sizes("mask"), told.sizes("shape"), told.number("dim")
    if mask is None or shape is None or dim is None:
        return
    text = "x"
    for node in told.scene.nodes() if told.scene is not None else ():
        if isinstance(node, ir.Subscript) and told.scene is not None:
            text = told.scene.text(node.object)
    says = f"The mask is {list(mask)}, and `{text}` is {list(shape)}."
    places = [
        at for at in range(len(shape) - len(mask) + 1) if tuple(shape[at : at + len(mask)]) == tuple(mask)
    ]
    if places:
        index = ", ".join([":"] * places[0] + ["mask"])
        yield Remedy(says, (f"Put it at the dimension that it has: `{text}[{index}]`.",), is_whole=True)
        return
    kept = mask[: len(mask) - 1] if len(mask) > 1 and mask[-1] == 1 else None
    if kept is not None and tuple(shape[: len(kept)]) == tuple(kept):
        yield Remedy(says, ("Take its last dimension away: `mask.squeeze(-1)`.",), is_whole=True)
        return
    ratio = shape[dim] // mask[0] if len(mask) == 1 and mask[0] and shape[dim] % mask[0] == 0 else 0
    hint = (
        f" Each of its {mask[0]} values stands for {ratio} rows, if it was made before the tensor was flattened."
        if ratio > 1
        else ""
    )
    yield Remedy(
        says + hint,
        (
            "Make the mask of the same shape as what it selects from, before both are flattened in the same way: `mask.expand(…)`.",
        ),
        is_whole=True,
    )


def equal_shapes(told: Told) -> Iterator[Remedy]:
    """Says how output and target of a loss get one shape, where a change of dimensions of size 1 is enough."""
    given, target = told.sizes("input"), told.sizes("target")
    if given is None or target is None:
        return
    says = f"The output is {list(given)}, the target {list(target)}."
    if prod(given) == prod(target) and [size for size in given if size != 1] == [
        size for size in target if size != 1
    ]:
        fix = f"Give the target the shape of the output: `target.view_as(output)`, {list(target)} to {list(given)}."
        yield Remedy(says, (fix,), is_whole=True)
    elif len(given) == len(target) and sorted(given) == sorted(target):
        yield Remedy(
            says,
            ("One of them is transposed: bring its dimensions into the order of the other with `permute`.",),
            True,
        )
    elif prod(target) and prod(given) % prod(target) == 0 and prod(given) > prod(target):
        times = prod(given) // prod(target)
        yield Remedy(
            f"{says} There are {times} outputs for each target.",
            (
                f"End the network with one output for each target, for example a mean over the {times}; or give each of them its "
                "target: `target.expand_as(output)` before both are flattened.",
            ),
            is_whole=True,
        )
    else:
        yield Remedy(
            says,
            ("Compare what each dimension counts: the batch, the classes, the positions.",),
            is_whole=True,
        )


def loss_rows(told: Told) -> Iterator[Remedy]:
    """Names the `view` with a fixed size that made other rows than there are samples."""
    rows, targets, scene = told.number("input"), told.number("target"), told.scene
    if rows is None or targets is None or not targets or scene is None:
        return
    for fact in scene.behind():
        origin = fact.origin
        if origin is None or origin.op.rpartition(".")[2] not in ("view", "reshape") or not origin.parents:
            continue
        before = origin.parents[0].shape
        if before is None or not fact.shape or before[0] == fact.shape[0] or fact.shape[0] != rows:
            continue
        row = scene.source.row(origin.start) if origin.path in (None, scene.document.path) else 0
        where = f" at line {row} (`{scene.source.line(row)}`)" if row else ""
        if before[0] == targets:
            yield Remedy(
                f"{shape_text(before)} becomes {shape_text(fact.shape)}{where}: {rows} rows of {targets} samples.",
                ("Keep the batch: `x.flatten(1)`, and make the next layer with the size that arrives.",),
                is_whole=True,
            )
            return
    if rows % targets == 0 and rows > targets:
        yield Remedy(
            f"There are {rows // targets} rows of scores for each target.",
            (
                "If each step has a target, flatten both: `scores.flatten(0, 1)`, `target.flatten()`; if each sample has one, keep "
                "the batch in dimension 0 with `x.flatten(1)`.",
            ),
            is_whole=True,
        )


def target_with_channel(told: Told) -> Iterator[Remedy]:
    """Names the target of a pixel-wise cross-entropy that has a dimension of channels."""
    scene = told.scene
    for call in scene.calls() if scene is not None else ():
        if scene is None or "CrossEntropy" not in scene.symbol(call) and "entropy" not in scene.symbol(call):
            continue
        node = scene.argument(call, 1, "target")
        operand = scene.operand(node) if node is not None else None
        if operand is None or operand.fact.shape is None or len(operand.fact.shape) < 3:
            continue
        says = (
            f"The target `{operand.text}` is {shape_text(operand.fact.shape)}{made_at(scene, operand.fact)}."
        )
        if operand.fact.shape[1] == 1:
            yield Remedy(
                says, (f"Take the dimension of channels away: `{operand.text}.squeeze(1)`.",), is_whole=True
            )
        else:
            yield Remedy(
                says,
                (f"If dimension 1 is a one-hot encoding, take the indices: `{operand.text}.argmax(1)`.",),
                is_whole=True,
            )
        return
