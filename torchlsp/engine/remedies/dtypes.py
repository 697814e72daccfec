"""Names the operand whose dtype an error is about, and the conversion that it needs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from torchlsp.engine.remedies.scene import Known, Operand, Scene
from torchlsp.engine.remedies.told import Remedy, Told
from torchlsp.facts import dtype as dtypes
from torchlsp.facts import values as v
from torchlsp.facts.dtype import TORCH_NAMES
from torchlsp.facts.tensor import TensorFact
from torchlsp.program import ir

_WEIGHTS = ("weight", "pos_weight")
_PLAIN = {"float32": "float()", "float64": "double()", "int64": "long()", "bool": "bool()"}
_REGRESSIONS = frozenset({"mseloss", "l1loss", "smoothl1loss", "huberloss"})
_HALVES = ("float16", "bfloat16")


def name_of(fact: Known) -> str:
    return TORCH_NAMES.get(fact.dtype or "", "")


def converted(text: str, dtype: str) -> str:
    """Returns an expression converted to a dtype, as one writes it."""
    if not text.replace(".", "").replace("_", "").isalnum():
        text = f"({text})" if " " in text else text
    return f"{text}.{_PLAIN[dtype]}" if dtype in _PLAIN else f"{text}.to(torch.{dtype})"


def _since(scene: Scene, fact: Known) -> str:
    """Returns since where a tensor has its dtype, as a part of a sentence."""
    dtype = fact.dtype
    made = scene.made(fact, lambda older: older.dtype == dtype)
    return f", since {made}" if made else ""


def loss_weight(scene: Scene) -> Iterator[tuple[str, str, str, TensorFact, ir.Call]]:
    """Yields the weights of the losses that are called: the loss's text and class, the parameter, its value, the call."""
    for call in scene.calls():
        layer = scene.value(call.function)
        if isinstance(layer, v.LayerValue) and layer.qualname.endswith("Loss"):
            for name in _WEIGHTS:
                weight = layer[name]
                if isinstance(weight, TensorFact):
                    yield scene.text(call.function), layer.qualname.rpartition(".")[2], name, weight, call
        for key, node in call.keywords:
            given = scene.value(node) if key in _WEIGHTS else None
            if isinstance(given, TensorFact):
                yield scene.text(call.function), scene.symbol(call).rpartition(".")[2], key or "", given, call


def two_dtypes(told: Told) -> Iterator[Remedy]:
    """Names the operand of two dtypes that is to be converted: a loss's weight, an input, one side of a product."""
    scene, found = told.scene, {told.values.get("dtype_a", ""), told.values.get("dtype_b", "")}
    if "" in found or len(found) != 2:
        return
    if scene is not None:
        weights = list(_weight_of_loss(scene, found))
        if weights:
            yield from weights
            return
    left, right = told.values["dtype_a"], told.values["dtype_b"]
    if "mat1 and mat2" not in told.text and not told.text.startswith("Input type"):
        return
    yield _input_and_weights(scene, left, right)


def blended(told: Told) -> Iterator[Remedy]:
    """Names the operand of `lerp` and its like that has the dtype of few: float64 among float32."""
    scene, expected, found = told.scene, told.values.get("dtype_a", ""), told.values.get("dtype_b", "")
    wide, narrow = (expected, found) if expected == "float64" else (found, expected)
    for call in scene.calls_of("lerp", "lerp_") if scene is not None else ():
        nodes = (
            [call.function.object] if isinstance(call.function, ir.Attribute) and scene is not None else []
        )
        for node in [*nodes, *call.args]:
            operand = scene.operand(node) if scene is not None else None
            if scene is not None and operand is not None and name_of(operand.fact) == wide:
                yield Remedy(
                    f"`{operand.text}` is {wide}{_since(scene, operand.fact)}; the other is {narrow}.",
                    (f"Convert it: `{converted(operand.text, narrow)}`.",),
                    is_whole=True,
                )
                return


def _weight_of_loss(scene: Scene, found: set[str]) -> Iterator[Remedy]:
    for loss, kind, name, weight, _ in loss_weight(scene):
        dtype = name_of(weight)
        others = found - {dtype}
        if dtype not in found or len(others) != 1:
            continue
        (other,) = others
        source = scene.written(weight) or name
        since = _since(scene, weight)
        yield Remedy(
            f"The {name} of `{loss}` ({kind}) is {dtype}{since}; the scores are {other}.",
            (f"Convert the {name} where the loss is created: `{name}={converted(source, other)}`.",),
            is_whole=True,
        )


def _input_and_weights(scene: Scene | None, left: str, right: str) -> Remedy:
    """Returns what to do where the input is of one dtype and the layer's weights are of another."""
    operand = _with_dtype(scene, left) if scene is not None else None
    is_product = operand is not None and scene is not None and _is_product(scene)
    text = operand.text if operand is not None else "x"
    says = (
        "The left side is {0}, the right side {1}."
        if is_product
        else "The input is {0}, the weights are {1}."
    )
    says = says.format(left, right)
    if operand is not None and scene is not None:
        says += f" `{text}` is {left}{_since(scene, operand.fact)}."
    if is_product:
        return Remedy(says, (f"Convert one side: `{converted(text, right)}`.",), is_whole=True)
    fixes = [f"Convert the input: `{converted(text, right)}`."]
    if right in _HALVES:
        fixes.append("Or leave the weights in float32, and compute under `torch.autocast`.")
    elif left in _HALVES:
        fixes.append(f"Or convert the model: `model.to(torch.{left})`.")
    elif right == "float64":
        fixes.append("Or convert the model: `model.float()`.")
    return Remedy(says, tuple(fixes), is_whole=True)


def _is_product(scene: Scene) -> bool:
    return any(isinstance(node, ir.Binary) and node.op == "@" for node in scene.nodes()) or any(
        True for _ in scene.calls_of("matmul", "mm", "bmm", "addmm")
    )


def _with_dtype(scene: Scene, dtype: str) -> Operand | None:
    """Returns the first operand of a dtype; for a floating one, the first of unknown dtype where none is known to have it."""
    operands = [one for one in scene.operands() if not isinstance(one.node, ir.Call)]
    operands = operands or scene.operands()
    for one in operands:
        if name_of(one.fact) == dtype:
            return one
    return None


def target_dtype(told: Told) -> Iterator[Remedy]:
    """Names the target, or the weight, of the dtype that a loss does not take."""
    scene = told.scene
    dtype = (
        told.values.get("dtype_found") or told.values.get("dtype_out") or told.values.get("dtype_target", "")
    )
    wanted = told.values.get("dtype_expected") or told.values.get("dtype_result") or "int64"
    if scene is None or not dtype:
        return
    for fact in _of_loss(scene):
        if name_of(fact) != dtype:
            continue
        text = _text_of(scene, fact)
        since = _since(scene, fact)
        fixes = [f"Convert the target: `{converted(text, wanted)}`."]
        if dtype == "int64" and _is_regression(scene):
            fixes.append("If it holds class labels, use `nn.CrossEntropyLoss` with one score for each class.")
        yield Remedy(f"`{text}` is {dtype}{since}, and the loss takes {wanted}.", tuple(fixes), is_whole=True)
        return


def _is_regression(scene: Scene) -> bool:
    """Returns whether the loss compares numbers, so that class labels are out of place in it."""
    names = [scene.symbol(call) for call in scene.calls()]
    names.extend(fact.origin.op for fact in scene.behind() if fact.origin is not None)
    return any(name.rpartition(".")[2].lower().replace("_", "") in _REGRESSIONS for name in names)


def _of_loss(scene: Scene) -> Iterator[Known]:
    """Yields the tensors that the loss of the statement got: those of a call on it, or of the one that made the tensor on
    which backward is called."""
    for call in scene.calls():
        if "loss" not in scene.symbol(call).lower() and "entropy" not in scene.symbol(call):
            continue
        for node in (*reversed(call.args), *(node for _, node in call.keywords)):
            operand = scene.operand(node)
            if operand is not None:
                yield operand.fact
    for fact in scene.behind():
        origin = fact.origin
        if origin is not None and ("loss" in origin.op.lower() or "entropy" in origin.op):
            yield from reversed(origin.parents)


def _text_of(scene: Scene, fact: Known) -> str:
    for operand in scene.operands():
        if operand.fact is fact or operand.fact == fact and operand.fact.origin == fact.origin:
            return operand.text
    return scene.written(fact) or "target"


def written_at_indices(told: Told) -> Iterator[Remedy]:
    """Writes the assignment with its values converted."""
    scene, wanted = told.scene, told.values.get("dtype_to", "")
    if scene is None or not wanted:
        return
    for node in _assignments(scene):
        target, value = node.targets[0] if isinstance(node, ir.Assign) else node.target, node.value
        if not isinstance(target, ir.Subscript):
            continue
        kept, text = scene.text(target.object), scene.text(value)
        text = f"({text})" if isinstance(value, ir.Binary | ir.Unary | ir.Conditional) else text
        yield Remedy(
            f"`{kept}` is {wanted}, and `{scene.text(value)}` is {told.values.get('dtype_from', '')}.",
            (f"Convert what is written: `{scene.text(target)} = {text}.to({kept}.dtype)`.",),
        )
        return


def _assignments(scene: Scene) -> Iterator[ir.Assign | ir.Augmented]:
    for node in scene.nodes():
        if isinstance(node, ir.Assign | ir.Augmented):
            yield node


def _has_dtype(dtype: str, fact: Known) -> bool:
    return name_of(fact) == dtype


def sent_dtype(told: Told) -> Iterator[Remedy]:
    """Names the tensor that a collective does not send."""
    scene = told.scene
    if scene is None:
        return
    for operand in scene.operands():
        dtype = name_of(operand.fact)
        if dtype in ("int16", "bool", "complex64", "complex128", "uint16", "uint32", "uint64"):
            made = scene.made(operand.fact, partial(_has_dtype, dtype))
            wanted = "uint8" if dtype == "bool" else "int64"
            fix = f"Convert it before: `{operand.text} = {converted(operand.text, wanted)}`."
            if dtype.startswith("complex"):
                fix = f"Send its parts: `torch.view_as_real({operand.text})`."
            since = f", since {made}" if made else ""
            yield Remedy(
                f"`{operand.text}` is {dtype}{since}, which the backend does not send.", (fix,), True
            )
            return


def indices_dtype(told: Told) -> Iterator[Remedy]:
    """Names the tensor of floats that is used as an index."""
    scene = told.scene
    if scene is None:
        return
    given = [node.index for node in scene.nodes() if isinstance(node, ir.Subscript)]
    for call in scene.calls():
        if "mbedding" in scene.symbol(call):
            given.extend(call.args[:1])
        elif scene.symbol(call).rpartition(".")[2] in (
            "gather",
            "scatter",
            "index_select",
            "take",
            "index_add",
        ):
            given.extend(call.args)
    for node in given:
        operand = scene.operand(node)
        if operand is None or operand.fact.dtype not in dtypes.FLOATING:
            continue
        dtype = name_of(operand.fact)
        since = _since(scene, operand.fact)
        yield Remedy(
            f"`{operand.text}` is {dtype}{since}, and is used as indices.",
            (f"Convert it: `{converted(operand.text, 'int64')}`.",),
            is_whole=True,
        )
        return


def one_hot_target(told: Told) -> Iterator[Remedy]:
    """Names the one-hot target of integers, and what it was made from."""
    scene = told.scene
    for fact in _of_loss(scene) if scene is not None else ():
        if scene is None or fact.dtype not in dtypes.INTEGRAL:
            continue
        text = _text_of(scene, fact)
        older: Known = fact
        while older.origin is not None and older.origin.parents and not older.origin.op.endswith("one_hot"):
            older = older.origin.parents[0]
        says = f"`{text}` is {name_of(fact)} and has a number for each class"
        if older.origin is not None and older.origin.op.endswith("one_hot"):
            says += (
                f": a one-hot encoding, made at {scene.made(older)}"
                if scene.made(older)
                else ": a one-hot encoding"
            )
        yield Remedy(
            f"{says}.",
            (
                f"Pass probabilities, which are floats: `{converted(text, 'float32')}`.",
                "Or pass the class indices from before the encoding, int64 and without a dimension for the classes.",
            ),
            is_whole=True,
        )
        return


def not_probabilities(told: Told) -> Iterator[Remedy]:
    """Names what lies outside of 0 to 1 in a binary loss: the target, or the output and its last layer."""
    scene, which = told.scene, told.values.get("which", "")
    if which == "target":
        text, says = "target", "The target holds values outside of 0 to 1."
        for call in scene.calls() if scene is not None else ():
            if (
                scene is None
                or "loss" not in scene.symbol(call).lower()
                and "entropy" not in scene.symbol(call)
            ):
                continue
            node = scene.argument(call, 1, "target")
            operand = scene.operand(node) if node is not None else None
            if operand is None:
                continue
            text = operand.text
            content = operand.fact.content if isinstance(operand.fact, TensorFact) else None
            holds = (
                f" holds {content.low} to {content.high}"
                if content is not None
                else " lies outside of 0 to 1"
            )
            made = scene.made(operand.fact)
            says = f"The target `{text}`{holds}{f', made at {made}' if made else ''}."
            break
        yield Remedy(
            says,
            (
                f"Bring it to 0 … 1: pixels with `{text} / 255`, labels of -1 and 1 with `({text} + 1) / 2`.",
                "For class labels of more than two classes use `nn.CrossEntropyLoss`; for other numbers a regression loss.",
            ),
            is_whole=True,
        )
        return
    if which != "input":
        return
    for fact in scene.behind() if scene is not None else ():
        op = fact.origin.op.rpartition(".")[2] if fact.origin is not None else ""
        if scene is None or op.lower() not in (
            "tanh",
            "softsign",
            "relu",
            "leaky_relu",
            "leakyrelu",
            "linear",
            "elu",
            "gelu",
        ):
            continue
        made = scene.made(fact)
        where = f" at {made}" if made else ""
        change = "Replace it by a sigmoid" if op.lower() != "linear" else "Apply `torch.sigmoid` to it"
        yield Remedy(
            f"The output comes from `{op}`{where}, whose values are not probabilities.",
            (
                f"{change}, or leave the raw outputs and use `nn.BCEWithLogitsLoss`.",
                "If the target is no probability either, use a regression loss such as `nn.MSELoss`.",
            ),
            is_whole=True,
        )
        return


def of_another_type(told: Told) -> Iterator[Remedy]:
    """Names the tuple that is passed for an array, or the strings among the numbers, with what mends it."""
    scene, kind = told.scene, told.values.get("type", "")
    if kind == "str" and scene is not None:
        yield Remedy(
            "The values are strings.",
            (
                "Turn names into numbers first: `index = {name: number for number, name in enumerate(names)}`, then "
                "`torch.tensor([index[name] for name in values])`.",
                "If the strings are numbers, convert them: `[float(value) for value in values]`.",
            ),
            is_whole=True,
        )
    elif kind in ("tuple", "list") and "np.ndarray" in told.text:
        text = "x"
        for call in scene.calls_of("from_numpy") if scene is not None else ():
            text = scene.text(call.args[0]) if scene is not None and call.args else text
        fix = f"Take the array out of it: `{text}[0]`, or unpack it where it is made: `{text}, info = …`."
        if kind == "list":
            fix = f"Make a tensor of the list: `torch.tensor({text})`."
        yield Remedy(f"`{text}` is a {kind}, and `from_numpy` takes an array.", (fix,), is_whole=True)
