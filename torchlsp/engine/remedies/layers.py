"""Names the size of a layer, a state, a mask or a table that an error is about. A change is shown only where its result fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchlsp.engine.remedies.dtypes import loss_weight
from torchlsp.engine.remedies.scene import Scene
from torchlsp.engine.remedies.shapes import made_at, sizes_of
from torchlsp.engine.remedies.told import Remedy, Told
from torchlsp.facts import values as v
from torchlsp.facts.notation import shape_text
from torchlsp.facts.tensor import TensorFact
from torchlsp.program import ir

_MAX_SEARCHED = 24
_RECURRENT = ("LSTM", "GRU", "RNN")


def channels(told: Told) -> Iterator[Remedy]:
    """Says whether channels are last, missing or others than the layer's, by the shape that the text tells."""
    shape, expected, arrives = told.sizes("shape"), told.number("expected"), told.number("arrives")
    weight = told.sizes("weight")
    if shape is None or expected is None or arrives is None or weight is None:
        return
    spatial = len(weight) - 2
    text, made = _input(told.scene, shape)
    says = f"`{text}` is {list(shape)}{made}: dimension {len(shape) - 1 - spatial} has {arrives}, not {expected} channels."
    batched = len(shape) == spatial + 2
    if _is_channels_last(told.scene, shape, expected, arrives, spatial):
        order = (
            [0, len(shape) - 1, *range(1, len(shape) - 1)]
            if batched
            else [len(shape) - 1, *range(len(shape) - 1)]
        )
        call = f"{text}.permute({', '.join(map(str, order))})" if spatial > 1 else f"{text}.transpose(-1, -2)"
        yield Remedy(f"{says} The channels are last.", (f"Move them: `{call}`.",), is_whole=True)
    elif batched and shape[0] == expected and shape[1] != expected and shape[0] in (1, 3):
        order = [1, 0, *range(2, len(shape))]
        yield Remedy(
            f"{says} The channels are in dimension 0.",
            (f"Exchange them with the batch: `{text}.permute({', '.join(map(str, order))})`.",),
            is_whole=True,
        )
    elif arrives == 1 and expected == 3:
        yield Remedy(
            f"{says} The images are gray.",
            (
                "Read them in colour: `image.convert('RGB')`.",
                "Or make the layer with `in_channels=1`.",
            ),
            is_whole=True,
        )
    elif arrives == 4 and expected == 3:
        yield Remedy(
            f"{says} The images have an alpha channel.",
            ("Read them without: `image.convert('RGB')`.", f"Or cut it off: `{text}[:, :3]`."),
            is_whole=True,
        )
    elif not batched and len(shape) == spatial + 1 and spatial > 1 and shape[0] not in (1, 3, 4):
        yield Remedy(
            f"{says} It has no dimension of channels, or none of batches.",
            (f"For gray images of one channel add it: `{text}.unsqueeze(1)`.",) if expected == 1 else (),
            is_whole=expected == 1,
        )
    else:
        yield Remedy(
            says,
            (
                f"Make this layer with `in_channels={arrives}`, or the one before it with `out_channels={expected}`.",
                "If the layers before are not all run here, run them: the tensor may have skipped one.",
            ),
            is_whole=True,
        )


def _is_channels_last(
    scene: Scene | None, shape: Sequence[int], expected: int, arrives: int, spatial: int
) -> bool:
    """Returns whether only the last size can be the channels: the others differ, and no layer has made the tensor."""
    if shape[-1] != expected or expected == arrives or len(shape) <= spatial or expected in shape[1:-1]:
        return False
    for operand in scene.operands() if scene is not None else ():
        if operand.fact.shape is None or tuple(operand.fact.shape) != tuple(shape):
            continue
        older = operand.fact
        for _ in range(_MAX_SEARCHED):
            if older.origin is None or not older.origin.parents:
                break
            if older.origin.layer is not None or older.origin.op.startswith("torch.nn."):
                return False
            older = older.origin.parents[0]
    return True


def _input(scene: Scene | None, shape: Sequence[int]) -> tuple[str, str]:
    if scene is not None:
        for operand in scene.operands():
            if operand.fact.shape is not None and tuple(operand.fact.shape) == tuple(shape):
                return operand.text, made_at(scene, operand.fact)
    return "x", ""


def state_sizes(told: Told) -> Iterator[Remedy]:
    """Says which size of a recurrent layer's state is wrong, and what it counts."""
    expected, got = told.sizes("expected"), told.sizes("arrives")
    if expected is None or got is None:
        return
    if len(expected) == 1 and len(got) == 1:
        yield from _features(told, expected[0], got[0])
        return
    scene = told.scene
    call, layer = _layer(scene, _RECURRENT)
    state, made = _state(scene, call, got)
    name = f"`{state}` is {list(got)}{made}; it should be {list(expected)}."
    if len(expected) != len(got):
        if len(got) == 2 and len(expected) == 3 and got == expected[1:]:
            yield Remedy(name, (f"Give it its first dimension: `{state}.unsqueeze(0)`.",), is_whole=True)
        return
    wrong = [dim for dim, (one, other) in enumerate(zip(expected, got)) if one != other]
    if len(got) == 3 and (got[1], got[0], got[2]) == expected and wrong == [0, 1]:
        yield Remedy(
            f"{name} Its first two sizes are exchanged: a state keeps the batch in dimension 1, also with `batch_first=True`.",
            (f"Exchange them: `{state}.transpose(0, 1).contiguous()`.",),
            is_whole=True,
        )
    elif wrong == [0]:
        both = layer is not None and layer["bidirectional"] == v.TRUE
        if both or expected[0] == 2 * got[0]:
            why = (
                "The layer is bidirectional, so the first size is 2 × num_layers."
                if both
                else ("The first size counts the layers, twice if the layer is bidirectional.")
            )
        else:
            why = "The first size counts the layers, twice if the layer is bidirectional."
        size = "2 * num_layers" if both else str(expected[0])
        yield Remedy(
            f"{name} {why}", (f"Make the state with the first size `{size}`: {expected[0]}.",), is_whole=True
        )
    elif wrong == [1]:
        first = layer is not None and layer["batch_first"] == v.TRUE
        known = layer is not None and isinstance(layer["batch_first"], v.Scalar)
        given = scene.operand(call.args[0]) if scene is not None and call is not None and call.args else None
        text = given.text if given is not None else "x"
        batch = f"{text}.size({0 if first or not known else 1})"
        fixes = [f"Make the state for the batch that arrives: its second size is `{batch}`."]
        why = "It was made for a batch of another size, as that of the last batch of an epoch is."
        shape = given.fact.shape if given is not None else None
        if known and not first and shape is not None and len(shape) == 3 and shape[0] == got[1]:
            why = f"The layer reads dimension 1 of `{text}` as the batch."
            fixes = [f"If `{text}` has the batch first, create the layer with `batch_first=True`."]
        else:
            fixes.append("Or leave out a last batch that is smaller: `DataLoader(…, drop_last=True)`.")
        yield Remedy(f"{name} {why}", tuple(fixes), is_whole=True)
    elif wrong == [2]:
        yield Remedy(
            f"{name} The last size is the `hidden_size` of the layer.",
            (f"Make the state with {expected[2]} there, or the layer with `hidden_size={got[2]}`.",),
            is_whole=True,
        )
    else:
        yield Remedy(name)


def _features(told: Told, expected: int, got: int) -> Iterator[Remedy]:
    scene = told.scene
    operand = None
    call, _ = _layer(scene, _RECURRENT)
    if scene is not None and call is not None and call.args:
        operand = scene.operand(call.args[0])
    sizes = operand.fact.shape if operand is not None else None
    text = operand.text if operand is not None else "x"
    if sizes is not None and len(sizes) == 3 and sizes[1] == expected:
        yield Remedy(
            f"`{text}` is {shape_text(sizes)}: its features are in dimension 1, and the layer reads the last.",
            (f"Exchange them: `{text}.transpose(1, 2)`.",),
            is_whole=True,
        )
    elif sizes is not None:
        yield Remedy(
            f"`{text}` is {shape_text(sizes)}, and the layer takes {expected} features in the last dimension.",
            (f"Make the layer with `input_size={got}`, or give it {expected} features.",),
            is_whole=True,
        )


def flat_state(told: Told) -> Iterator[Remedy]:
    """Names the states that lack their first dimension."""
    scene = told.scene
    if told.number("rank") != 3 or told.number("got") != 2 or scene is None:
        return
    call, _ = _layer(scene, _RECURRENT)
    given = scene.argument(call, 1, "hx") if call is not None else None
    if given is None:
        return
    items = given.items if isinstance(given, ir.Display) else (given,)
    texts = [scene.text(item) for item in items]
    if not all(text.replace(".", "").replace("_", "").isalnum() for text in texts):
        return
    grown = ", ".join(f"{text}.unsqueeze(0)" for text in texts)
    shapes = [one.fact.shape for item in items if (one := scene.operand(item)) is not None]
    is_known = f" {shape_text(shapes[0])}" if shapes else ""
    yield Remedy(
        f"{' and '.join(f'`{text}`' for text in texts)}{is_known} lack the dimension of the layers.",
        (
            f"Give it to them: `{f'({grown})' if len(texts) > 1 else grown}`, for one layer and one direction.",
        ),
        is_whole=True,
    )


def _layer(scene: Scene | None, names: Sequence[str]) -> tuple[ir.Call | None, v.LayerValue | None]:
    for call in scene.calls() if scene is not None else ():
        layer = scene.value(call.function) if scene is not None else None
        if isinstance(layer, v.LayerValue) and layer.qualname.rpartition(".")[2] in names:
            return call, layer
    return None, None


def _state(scene: Scene | None, call: ir.Call | None, got: Sequence[int]) -> tuple[str, str]:
    if scene is None or call is None:
        return "hx", ""
    given = scene.argument(call, 1, "hx")
    if given is None:
        return "hx", ""
    value = scene.value(given)
    items = value.items if isinstance(value, v.TupleValue) else (value,)
    facts = [item for item in items if isinstance(item, TensorFact)]
    facts.sort(key=lambda fact: sizes_of(fact) != tuple(got))
    return scene.text(given), made_at(scene, facts[0]) if facts else ""


def mask_layout(told: Told) -> Iterator[Remedy]:
    """Says whether an attention layer reads the batch as the length, or a mask lacks the heads."""
    scene = told.scene
    call, layer = _attention(scene)
    shape, wanted = told.sizes("shape"), told.sizes("expected")
    heads = layer["num_heads"] if layer is not None else v.UNKNOWN_VALUE
    heads = layer["nhead"] if layer is not None and not isinstance(heads, v.Scalar) else heads
    count = heads.value if isinstance(heads, v.Scalar) and isinstance(heads.value, int) else None
    if (
        shape is not None
        and wanted is not None
        and len(shape) == len(wanted) == 3
        and shape[1:] == wanted[1:]
    ):
        number = count if count is not None else wanted[0] // shape[0] if wanted[0] % shape[0] == 0 else None
        if number is not None and shape[0] * number == wanted[0]:
            mask = _mask_text(scene, call)
            yield Remedy(
                f"`{mask}` has {shape[0]} masks, one for each sample, and the layer takes one for each of its {number} heads.",
                (f"Repeat it: `{mask}.repeat_interleave({number}, dim=0)`.",),
                is_whole=True,
            )
        return
    name, made, first = _batch_first(scene, call, layer)
    if first is False:
        yield Remedy(
            f"`{name}` is created without `batch_first=True`{made}: it reads dimension 0 of its input as the length, and dimension 1 "
            "as the batch.",
            (
                "Create it with `batch_first=True`, since the batch comes first in the input; the mask fits then.",
            )
            if _fits_with_batch_first(told, scene, call)
            else (),
            is_whole=_fits_with_batch_first(told, scene, call),
        )


def _fits_with_batch_first(told: Told, scene: Scene | None, call: ir.Call | None) -> bool:
    given = scene.operand(call.args[0]) if scene is not None and call is not None and call.args else None
    sizes = given.fact.shape if given is not None else None
    if sizes is None or len(sizes) != 3:
        return False
    shape = told.sizes("shape")
    if shape is not None:
        return len(shape) == 2 and sizes[1] == shape[0]
    # The mask is (batch, keys): what the layer has counted is the other of the two.
    return told.number("got") == sizes[0]


def _attention(scene: Scene | None) -> tuple[ir.Call | None, v.LayerValue | None]:
    for call in scene.calls() if scene is not None else ():
        layer = scene.value(call.function) if scene is not None else None
        if (
            isinstance(layer, v.LayerValue)
            and "Transformer" in layer.qualname
            or (isinstance(layer, v.LayerValue) and layer.qualname.endswith("MultiheadAttention"))
        ):
            return call, layer
    return None, None


def _batch_first(
    scene: Scene | None, call: ir.Call | None, layer: v.LayerValue | None
) -> tuple[str, str, bool | None]:
    """Returns the layer that has no `batch_first=True`: of an encoder, the layer that it is made of."""
    if scene is None or call is None or layer is None:
        return "", "", None
    inner = layer["encoder_layer"]
    inner = inner if isinstance(inner, v.LayerValue) else layer["decoder_layer"]
    used = inner if isinstance(inner, v.LayerValue) else layer
    first = used["batch_first"]
    kind = used.qualname.rpartition(".")[2]
    name = scene.text(call.function) if used is layer else kind
    made = scene.made(used)
    if not isinstance(first, v.Scalar):
        return name, "", None
    return name, f" at {made}" if made else "", first.value


def _mask_text(scene: Scene | None, call: ir.Call | None) -> str:
    node = (
        scene.argument(call, 5, "attn_mask", "mask", "src_mask")
        if scene is not None and call is not None
        else None
    )
    return scene.text(node) if scene is not None and node is not None else "mask"


# ---- tables and classes ----------------------------------------------------------------------------------------------------


def table_rows(told: Told) -> Iterator[Remedy]:
    """Names the embedding that an index is too large for, and how many rows it has."""
    scene = told.scene
    if scene is None or "dim" in told.values:
        return
    calls = [call for call in scene.calls() if _rows_of(scene, call) is not None]
    for call in calls:
        rows, operand = _rows_of(scene, call), scene.operand(call.args[0]) if call.args else None
        content = (
            operand.fact.content if operand is not None and isinstance(operand.fact, TensorFact) else None
        )
        greatest = content.high if content is not None else None
        if rows is None or operand is None or not isinstance(greatest, int) or greatest < rows:
            continue
        yield _too_few_rows(scene, call, rows, operand.text, greatest)
        return
    marked = scene.marked
    inside = [call for call in calls if marked is not None and (call.start, call.end) == marked]
    if len(inside or calls) == 1:
        (call,) = inside or calls
        rows = _rows_of(scene, call)
        if rows is not None and call.args:
            yield _too_few_rows(scene, call, rows, scene.text(call.args[0]), None)


def _rows_of(scene: Scene, call: ir.Call) -> int | None:
    layer = scene.value(call.function)
    if not isinstance(layer, v.LayerValue) or not layer.qualname.endswith(("Embedding", "EmbeddingBag")):
        return None
    rows = layer["num_embeddings"]
    return rows.value if isinstance(rows, v.Scalar) and isinstance(rows.value, int) else None


def _too_few_rows(scene: Scene, call: ir.Call, rows: int, text: str, greatest: int | None) -> Remedy:
    table = scene.text(call.function)
    goes = (
        f" `{text}` goes up to {greatest}."
        if greatest is not None
        else f" `{text}` holds a number that is not among them."
    )
    larger = (
        f"Make the table for all of them: `num_embeddings={greatest + 1}`"
        if greatest is not None
        else ("Make `num_embeddings` the largest index plus 1, special ones included")
    )
    return Remedy(
        f"`{table}` has {rows} rows, 0 to {rows - 1}{made_at(scene, scene.value(call.function))}.{goes}",
        (f"{larger}, or cut or check the indices before: `assert {text}.max() < {rows}`.",),
        is_whole=True,
    )


def class_weights(told: Told) -> Iterator[Remedy]:
    """Names the weight of the loss, and the scores that it does not fit."""
    scene, classes = told.scene, told.number("classes")
    if scene is None or classes is None:
        return
    for loss, kind, name, weight, call in loss_weight(scene):
        scores = scene.operand(call.args[0]) if call.args else None
        shape = scores.fact.shape if scores is not None else None
        if scores is None or shape is None:
            continue
        yield Remedy(
            f"The {name} of `{loss}` ({kind}) is {shape_text(weight.shape)}{made_at(scene, weight)}; the scores "
            f"`{scores.text}` are {shape_text(shape)}, of {classes} classes{made_at(scene, scores.fact)}."
        )
        return
