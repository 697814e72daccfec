"""Names the statement that autograd does not allow, as the rules have found it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from torchlsp.engine.remedies.scene import Scene, Source
from torchlsp.engine.remedies.told import Remedy, Told
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.program import ir
from torchlsp.program.walking import walk

_CHANGED = re.compile(r"^`(?P<written>[^`]+)` changes in place what the backward pass of (?P<op>\w+) needs")
_HELD = re.compile(r"^`(?P<object>[^`]+)` holds `(?P<name>[^`]+)`")


def overwritten(told: Told) -> Iterator[Remedy]:
    """Names the write between a forward and its backward: an optimizer's step, or an operation in place."""
    for found in told.found:
        match = _CHANGED.match(found.message)
        if match is None:
            continue
        written, row = match["written"], found.steps[0][0] if found.steps else found.row
        saved = next((one for one, message in found.steps if "saves" in message), None)
        where = f" (line {saved})" if saved is not None else ""
        says = f"`{written}` at line {row} changes what the backward of {match['op']}{where} needs."
        if written.endswith(".step()"):
            fix = f"Do this backward before `{written}`: compute all gradients first, then let the optimizers step."
            other = "Or compute the second loss again after the step, by another forward."
            yield Remedy(says, (fix, other), is_whole=True)
            return
        fixes = (found.fix + ".",) if found.fix else tuple(_inplace_layers(told, written))
        yield Remedy(says, (*fixes, "Or write to a copy: `.clone()` before the write."), is_whole=bool(fixes))
        return


def _inplace_layers(told: Told, written: str) -> Iterator[str]:
    """Yields how the layers that a call runs in place are created without that."""
    for source in told.scene.sources if told.scene is not None else ():
        for function in (None, *source.functions()):
            for node in walk((source.module.body if function is None else function.body,)):
                if not isinstance(node, ir.Call) or not written.startswith(source.text(node.function) + "("):
                    continue
                layer = source.value(node.function)
                if (
                    isinstance(layer, v.LayerValue)
                    and layer["inplace"] == v.TRUE
                    and layer.origin is not None
                ):
                    row = source.row(layer.origin.start)
                    yield f"Create `{source.text(node.function)}` without `inplace=True`, at line {row} (`{source.line(row)}`)."
                    return


def kept_in_object(told: Told) -> Iterator[Remedy]:
    """Names the attribute that holds a tensor of the graph, and the line that keeps it."""
    scene = told.scene
    for found in told.found:
        match = _HELD.match(found.message)
        if match is None or scene is None or not found.steps:
            continue
        row = found.steps[0][0]
        line = scene.source.line(row)
        says = (
            f"`{match['object']}` holds `{match['name']}`, which is in a graph since line {row} (`{line}`)."
        )
        name, _, value = line.partition(" = ")
        own = name.removeprefix("self.")
        if value and name != own and own.isidentifier() and "…" not in value:
            fix = f"Compute in a variable, and keep a detached copy: `{own} = {value}`, then `{name} = {own}.detach()`."
            yield Remedy(says, (fix, "Or copy the object before it has run."), is_whole=True)
        else:
            yield Remedy(says)
        return


def written_out(told: Told) -> Iterator[Remedy]:
    """Writes the call without `out=`, its result under the name of what was written."""
    scene = told.scene
    for call in scene.calls() if scene is not None else ():
        out = next((node for name, node in call.keywords if name == "out"), None)
        if out is None or scene is None:
            continue
        given = [*map(scene.text, call.args)]
        given.extend(f"{name}={scene.text(node)}" for name, node in call.keywords if name and name != "out")
        operands = [one for node in call.args if (one := scene.operand(node)) is not None]
        source = operands[0].text if operands and not isinstance(operands[0].node, ir.Call) else "an operand"
        yield Remedy(
            f"`{scene.text(out)}` is written with `out=`, and {f'`{source}`' if operands else source} takes part in gradients.",
            (
                f"Use the result that is returned: `{scene.text(out)} = {scene.text(call.function)}({', '.join(given)})`.",
                "If no gradient is needed here, compute under `torch.no_grad()`.",
            ),
            is_whole=True,
        )
        return


def kept_in_list(told: Told) -> Iterator[Remedy]:
    """Names the line that appends tensors with their graph to the list that becomes an array."""
    scene = told.scene
    if scene is None:
        return
    names = {node.id for node in scene.nodes() if isinstance(node, ir.Name)}
    function = scene.function
    for node in walk((scene.source.module.body if function is None else function.body,)):
        if (
            not isinstance(node, ir.Call)
            or not isinstance(node.function, ir.Attribute)
            or node.function.name != "append"
        ):
            continue
        kept, given = node.function.object, node.args
        if not isinstance(kept, ir.Name) or kept.id not in names or len(given) != 1:
            continue
        fact = scene.value(given[0])
        if not isinstance(fact, TensorFact) or fact.grad.requires is Tri.NO:
            continue
        row, text = scene.source.row(node.start), scene.text(given[0])
        number = ".item()" if fact.shape == () else ".detach()"
        yield Remedy(
            f"`{kept.id}` holds tensors with their graphs, appended at line {row}.",
            (f"Keep the values: `{kept.id}.append({text}{number})`.",),
            is_whole=True,
        )
        return


def custom_function(told: Told) -> Iterator[Remedy]:
    """Names the class of a custom Function, its `backward`, and what that returns for each argument of `forward`."""
    scene, name = told.scene, told.values.get("function", "").removesuffix("Backward")
    found = _functions(scene)
    found = [one for one in found if not name or one[1].name == name]
    if scene is None or len(found) != 1:
        return
    source, cls = found[0]
    wanted = told.values.get("method")
    if wanted:
        near = get_close_matches(wanted, list(cls.methods), 1, 0.7)
        if wanted in cls.methods:
            return
        says = f"`{cls.name}` has no `{wanted}`"
        if near:
            says += f", but `{near[0]}` at line {source.row(cls.methods[near[0]].name_start)}"
        fix = f"Rename it: `def {wanted}(ctx, …)`" if near else f"Define `{wanted}(ctx, …)` in the class"
        yield Remedy(f"{says}.", (f"{fix}, with `@staticmethod` above.",), is_whole=True)
        return
    forward, backward = cls.methods.get("forward"), cls.methods.get("backward")
    if forward is None or backward is None:
        return
    params = [param.name for param in forward.params if param.name != "ctx"]
    returned = [
        node for node in walk((backward.body,)) if isinstance(node, ir.Return) and node.value is not None
    ]
    if len(returned) != 1 or returned[0].value is None:
        return
    value = returned[0].value
    items = list(value.items) if isinstance(value, ir.Display) else [value]
    row = source.row(returned[0].start)
    says = f"`{cls.name}.forward` takes {', '.join(f'`{one}`' for one in params)}; its `backward` returns {len(items)} at line {row}."
    texts = [source.text(one) for one in items]
    if len(items) < len(params) and told.number("expected") == len(params):
        texts.extend(["None"] * (len(params) - len(items)))
        fix = f"Return one for each, None where no gradient is wanted: `return {', '.join(texts)}`."
        yield Remedy(says, (fix,), is_whole=True)
    elif told.number("expected") is not None:
        yield Remedy(says)


def _functions(scene: Scene | None) -> list[tuple[Source, ir.Class]]:
    return [
        (source, cls)
        for source in (scene.sources if scene is not None else ())
        for cls in source.module.classes
        if any(source.text(base).endswith("Function") for base in cls.bases)
    ]


_MAY_BE_ZERO = frozenset(
    {"std", "var", "sum", "norm", "max", "min", "abs", "mean", "amax", "count_nonzero", "sub"}
)
_MAY_BE_NAN = {
    "log": "is -inf at 0 and nan below",
    "sqrt": "is nan below 0",
    "exp": "is inf for large values",
}


def made_nan(told: Told) -> Iterator[Remedy]:
    """Names a division or logarithm that the probabilities were computed of and that can give nan."""
    scene = told.scene
    for fact in scene.behind() if scene is not None else ():
        origin = fact.origin
        if origin is None or scene is None:
            continue
        op = origin.op.rpartition(".")[2]
        written = (
            scene.document.text[origin.start : origin.end]
            if origin.path in (None, scene.document.path)
            else ""
        )
        divisor = (
            origin.parents[1] if op in ("true_divide", "div", "truediv") and len(origin.parents) > 1 else None
        )
        row = scene.source.row(origin.start) if written else 0
        if (
            divisor is not None
            and divisor.origin is not None
            and divisor.origin.op.rpartition(".")[2] in _MAY_BE_ZERO
        ):
            what = divisor.origin.op.rpartition(".")[2]
            yield Remedy(
                f"Line {row} divides by `{what}` (`{written}`), which can be 0: then the result is nan or inf.",
                ("Keep the divisor from 0: add a small number, `+ 1e-8`, or `.clamp(min=1e-8)`.",),
            )
            return
        if op in _MAY_BE_NAN and written:
            yield Remedy(
                f"Line {row} computes `{written}`; `{op}` {_MAY_BE_NAN[op]}.",
                ("Bound its argument with `clamp` first.",),
            )
            return
