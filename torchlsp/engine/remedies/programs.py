"""Names the definitions that an error about names, attributes, arguments or saved states is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from torchlsp.engine.remedies.scene import Scene, Source
from torchlsp.engine.remedies.told import Remedy, Told
from torchlsp.facts import values as v
from torchlsp.facts.notation import value_text
from torchlsp.facts.tensor import TensorFact
from torchlsp.program import ir
from torchlsp.program.walking import walk

_KEY = re.compile(r'"([^"\n]{1,200})"')
_NUMPY_NAMES = {
    "astype": "to(dtype)",
    "copy": "clone()",
    "tolist": "tolist()",
    "asnumpy": "numpy()",
    "as_numpy": "numpy()",
    "transpose_": "transpose(…)",
    "concatenate": "torch.cat([…])",
    "append": "torch.cat([…])",
    "extend": "torch.cat([…])",
    "fillna": "nan_to_num()",
    "nbytes": "nbytes",
}
_PREFIXES = ("module.", "_orig_mod.")


# ---- saved states ------------------------------------------------------------------------------------------------------


def state_names(told: Told) -> Iterator[Remedy]:
    """Compares the names that are missing with those that are not expected."""
    missing = _names(told.text, "Missing key(s) in state_dict:")
    unexpected = _names(told.text, "Unexpected key(s) in state_dict:")
    if not unexpected:
        if missing and told.text.count("\n") <= 1:
            yield Remedy(
                f"The model has `{missing[0]}`"
                + (f" and {len(missing) - 1} more" if len(missing) > 1 else "")
                + ", which the file lacks; every other name fits.",
                (
                    "Load into the model that was saved; or, if these parts are new, load with `strict=False` and check that "
                    "only they are missing.",
                ),
                is_whole=True,
            )
        return
    for prefix in (*_PREFIXES, _common_prefix(unexpected)):
        if prefix and missing and {name.removeprefix(prefix) for name in unexpected} == set(missing):
            why = {
                "module.": "`DataParallel` or `DistributedDataParallel`",
                "_orig_mod.": "`torch.compile`",
            }.get(prefix)
            yield Remedy(
                f"The names in the file begin with `{prefix}`" + (f", as {why} adds it." if why else "."),
                (
                    f"Cut it off: `state = {{name.removeprefix('{prefix}'): value for name, value in state.items()}}`.",
                    "Better, save without it: `model.module.state_dict()`."
                    if prefix == "module."
                    else "Or load into the part of the model that was saved.",
                ),
                is_whole=True,
            )
            return
    for prefix in (*_PREFIXES, _common_prefix(missing)):
        if prefix and {name.removeprefix(prefix) for name in missing} == set(unexpected):
            inside = "model.module" if prefix == "module." else f"model.{prefix.rstrip('.')}"
            yield Remedy(
                f"The names of this model begin with `{prefix}`, and those in the file do not.",
                (f"Load into the part that was saved: `{inside}.load_state_dict(state)`.",),
                is_whole=True,
            )
            return
    inner = [
        name for name in unexpected if name in ("state_dict", "model", "model_state_dict", "net", "weights")
    ]
    if inner:
        yield Remedy(
            f"The file is a dict with more than the weights: {', '.join(f'`{name}`' for name in unexpected[:5])}.",
            (f"Load the part that holds the weights: `model.load_state_dict(checkpoint['{inner[0]}'])`.",),
            is_whole=True,
        )
        return
    if missing:
        yield Remedy(f"The model has `{missing[0]}`, the file has `{unexpected[0]}`.")


def _names(text: str, title: str) -> list[str]:
    _, _, below = text.partition(title)
    return _KEY.findall(below.partition("\n")[0])


def _common_prefix(names: list[str]) -> str:
    first = names[0].partition(".")[0] + "." if names and "." in names[0] else ""
    return first if first and all(name.startswith(first) for name in names) else ""


def optimizer_made(told: Told) -> Iterator[Remedy]:
    """Names the line where the optimizer was created."""
    scene = told.scene
    for node in scene.nodes() if scene is not None else ():
        value = scene.value(node) if scene is not None else v.UNKNOWN_VALUE
        if isinstance(value, v.OptimizerValue) and scene is not None:
            made = scene.made(value)
            if made:
                yield Remedy(f"The optimizer that takes the state is created at {made}.")
            return


def schedule_made(told: Told) -> Iterator[Remedy]:
    """Names the line where the schedule was planned, and a count that rounds down."""
    scene = told.scene
    if scene is None:
        return
    for source in scene.sources:
        for node in _all_nodes(source):
            if isinstance(node, ir.Call) and source.text(node.function).endswith("OneCycleLR"):
                given = {name: source.text(value) for name, value in node.keywords if name}
                planned = given.get("total_steps") or given.get("steps_per_epoch") or ""
                says = f"The schedule is planned at {_at(scene, source, node.start)}"
                name = "total_steps" if "total_steps" in given else "steps_per_epoch"
                says += f" with `{name}={planned}`." if planned else "."
                if "//" in planned:
                    says += (
                        " `//` rounds down, and the last batch of an epoch, if it is smaller, is a step too."
                    )
                yield Remedy(says)
                return


# ---- attributes ----------------------------------------------------------------------------------------------------------


def name_taken(told: Told) -> Iterator[Remedy]:
    """Names the assignment that made an attribute before it was registered, or the method of that name."""
    scene, name = told.scene, told.values.get("name", "")
    if scene is None or not name:
        return
    found = class_around(scene)
    for source, cls in [found] if found is not None else []:
        row = next((row for row, one in _assigned(source, cls) if one == name and row != scene.row), None)
        if row is not None:
            yield Remedy(
                f"`self.{name}` is assigned as a plain attribute at line {row} (`{source.line(row)}`).",
                (
                    f'Leave that assignment out, and register the tensor there: `self.register_buffer("{name}", …)`. Later it '
                    f"is changed by assignment: `self.{name} = …`.",
                ),
                is_whole=True,
            )
            return
        if name in cls.methods:
            row = source.row(cls.methods[name].name_start)
            yield Remedy(
                f"`{name}` is a method of `{cls.name}`, defined at line {row}.",
                ("Choose another name for one of them.",),
                is_whole=True,
            )
            return
    for node in scene.nodes():
        value = scene.value(node)
        kind = value.qualname.rpartition(".")[2] if isinstance(value, v.LayerValue) else ""
        if kind in ("ModuleDict", "ParameterDict"):
            yield Remedy(
                f"`{name}` is a key of the {kind} `{scene.text(node)}`, and a {kind} has a method or attribute of that name.",
                (f'Rename the key, for example with a prefix: `"{name}_"`.',),
                is_whole=True,
            )
            return


def missing_attribute(told: Told) -> Iterator[Remedy]:
    """Says what an object has instead of a name: a similar one, a property that fails, the model without its wrapper."""
    scene, kind, name = told.scene, told.values.get("type", ""), told.values.get("name", "")
    if not name:
        return
    found = _class_named(scene, kind) if scene is not None else None
    if found is None:
        if name == "module":
            yield _not_wrapped(scene)
        return
    source, cls = found
    if name in cls.methods:
        yield from _property(source, cls, name)
        return
    if name == "module":
        yield _not_wrapped(scene)
        return
    assigned = {one: row for row, one in reversed(list(_assigned(source, cls)))}
    near = get_close_matches(name, [*assigned, *cls.methods], 1, 0.75)
    if near:
        row = assigned.get(near[0]) or source.row(cls.methods[near[0]].name_start)
        yield Remedy(
            f"`{kind}` has `{near[0]}`, at line {row} (`{source.line(row)}`).",
            (f"Write the same name at both places: `{near[0]}` or `{name}`.",),
            is_whole=True,
        )
    elif name in assigned:
        method = _method_at(source, cls, assigned[name])
        yield Remedy(
            f"`self.{name}` is assigned only at line {assigned[name]}, in `{method}`, which has not run yet.",
            (f"Set it in `__init__` too, or call `{method}` before.",),
            is_whole=True,
        )


def _not_wrapped(scene: Scene | None) -> Remedy:
    model = "model"
    for node in scene.nodes() if scene is not None else ():
        if isinstance(node, ir.Attribute) and node.name == "module" and scene is not None:
            model = scene.text(node.object)
    return Remedy(
        f"`.module` exists only on a wrapper such as `DataParallel` or `DistributedDataParallel`, and `{model}` is not wrapped.",
        (f"Leave `.module` out; where it may be wrapped: `getattr({model}, 'module', {model})`.",),
        is_whole=True,
    )


def _property(source: Source, cls: ir.Class, name: str) -> Iterator[Remedy]:
    method = cls.methods[name]
    if not any(
        source.text(one) in ("property", "cached_property", "functools.cached_property")
        for one in method.decorators
    ):
        return
    have = {one for _, one in _assigned(source, cls)} | set(cls.methods)
    read = [
        node
        for node in walk((method.body,))
        if isinstance(node, ir.Attribute) and isinstance(node.object, ir.Name) and node.object.id == "self"
    ]
    absent = [node for node in sorted(read, key=lambda node: node.start) if node.name not in have]
    row = source.row(method.name_start)
    says = f"`{name}` is a property of `{cls.name}` (line {row}), and `nn.Module` reports its name where something inside it is missing."
    if absent:
        inner = source.row(absent[0].start)
        says += f" It reads `self.{absent[0].name}` at line {inner}, which nothing in the class sets."
        fix = f"Set `self.{absent[0].name}` in `__init__`, or correct the name."
    else:
        fix = "Call the body of the property by hand to see which attribute is missing."
    yield Remedy(says, (fix,), is_whole=True)


def tensor_attribute(told: Told) -> Iterator[Remedy]:
    """Says torch's name for a method of NumPy, and which expression is the tensor."""
    name, scene = told.values.get("name", ""), told.scene
    text = ""
    for node in scene.nodes() if scene is not None else ():
        if isinstance(node, ir.Attribute) and node.name == name and scene is not None:
            text = scene.text(node.object)
            break
    if name in _NUMPY_NAMES and name not in ("tolist", "nbytes"):
        theirs = _NUMPY_NAMES[name]
        yield Remedy(
            f"`{text or 'The value'}` is a tensor, and `{name}` belongs to arrays and lists.",
            (f"Write `{theirs}`" + (f": `{text}.{theirs}`." if text and "torch." not in theirs else "."),),
            is_whole=True,
        )
    elif text:
        yield Remedy(f"`{text}` is a tensor.")


def tuple_attribute(told: Told) -> Iterator[Remedy]:
    """Names the tuple, and the call that returned it."""
    scene, name = told.scene, told.values.get("name", "")
    if scene is None:
        return
    for node in scene.nodes():
        if not isinstance(node, ir.Attribute) or node.name != name:
            continue
        value = scene.value(node.object)
        if not isinstance(value, v.TupleValue) or value.is_size:
            continue
        text = scene.text(node.object)
        items = [number for number, item in enumerate(value.items) if isinstance(item, TensorFact)]
        says = f"`{text}` is {value_text(value)}."
        fix = f"Take the tensor out of it: `{text}[{items[0]}].{name}`" if items else ""
        names = ", ".join(["first", "second", "third", "fourth"][: len(value.items)])
        is_call = isinstance(node.object, ir.Call) or len(value.items) > 4 or not names
        unpack = "" if is_call else f", or unpack it where it is made: `{names} = …`"
        yield Remedy(says, (f"{fix}{unpack}.",) if fix else (), is_whole=bool(fix))
        return


# ---- calls ---------------------------------------------------------------------------------------------------------------


def definition(told: Told) -> Iterator[Remedy]:
    """Names the line where the function is defined, and the call or the default that is missing."""
    scene, function = told.scene, told.values.get("function", "")
    parts = [part for part in function.split(".") if part not in ("<locals>", "<lambda>")]
    if parts == ["Sequential", "forward"]:
        yield Remedy(
            "`nn.Sequential` takes one input, and passes one from layer to layer.",
            (
                "Call the layers yourself where they take more: `for layer in layers: x = layer(x, other)`, held in `nn.ModuleList`.",
            ),
            is_whole=True,
        )
        return
    if scene is None or not parts:
        return
    for source in scene.sources:
        for one in source.functions():
            if one.name == parts[-1] and (len(parts) < 2 or one.owner == parts[-2]):
                yield _of_definition(told, scene, source, one)
                return


def _of_definition(told: Told, scene: Scene, source: Source, one: ir.Function) -> Remedy:
    name = f"{one.owner}.{one.name}" if one.owner else one.name
    says = f"`{name}` is defined at {_at(scene, source, one.name_start)}."
    first = one.params[0].name if one.params else ""
    if "takes" in told.values:
        if one.owner and first not in ("self", "cls") and not one.decorators:
            return Remedy(
                f"{says} It has no `self`.", (f"Add it: `def {one.name}(self, …)`.",), is_whole=True
            )
        return Remedy(says)
    names = re.findall(r"'(\w+)'", told.values.get("names", ""))
    if not names:
        return Remedy(says)
    defaults = f"`def {one.name}({', '.join(_with_defaults(source, one, names))})`"
    call = _call_of(scene, one)
    if call is not None:
        text = scene.text(call)
        passed = ", ".join(f"{given}=…" for given in names)
        longer = (
            f"{text[:-1]}{', ' if call.args or call.keywords else ''}{passed})"
            if text.endswith(")")
            else passed
        )
        return Remedy(
            f"{says} This call does not pass {_listed(names)}.",
            (f"Pass it: `{longer}`.", f"Or give it a default: {defaults}."),
            is_whole=True,
        )
    container = _sequential(scene) if one.name == "forward" else ""
    if container:
        return Remedy(
            f"{says} `{container}` is an `nn.Sequential`, which passes one input to each layer, and so no {_listed(names)}.",
            (
                f"Take `{one.owner or 'the layer'}` out of the `nn.Sequential`, and call it with all of its inputs.",
            ),
            is_whole=True,
        )
    return Remedy(
        f"{says} torch, or another library, calls it here without {_listed(names)}.",
        (f"Give it a default: {defaults}.",),
        is_whole=True,
    )


def _sequential(scene: Scene) -> str:
    for call in scene.calls():
        layer = scene.value(call.function)
        if isinstance(layer, v.LayerValue) and layer.qualname.rpartition(".")[2] == "Sequential":
            return scene.text(call.function)
    return ""


def _listed(names: list[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def _with_defaults(source: Source, function: ir.Function, names: list[str]) -> Iterator[str]:
    """Yields the parameters of a function as they are written, those of some names with the default None."""
    for param in function.params:
        stars = {"variadic": "*", "mapping": "**"}.get(param.kind, "")
        if param.name in names:
            yield f"{param.name}=None"
        elif param.default is not None:
            yield f"{param.name}={source.text(param.default)}"
        else:
            yield stars + param.name


def _call_of(scene: Scene, function: ir.Function) -> ir.Call | None:
    """Returns the call of the statement that calls a function: by its name, or as the `forward` of an object of its class."""
    for call in scene.calls():
        callee = scene.value(call.function)
        written = call.function.name if isinstance(call.function, ir.Attribute) else scene.text(call.function)
        is_super = isinstance(call.function, ir.Attribute) and scene.text(call.function.object).startswith(
            "super("
        )
        if (
            written == function.name
            and not is_super
            or isinstance(callee, v.FunctionValue)
            and callee.ir is function
        ):
            return call
        if isinstance(callee, v.InstanceValue) and callee.cls.ir.name == function.owner:
            if function.name in ("forward", "__call__"):
                return call
        if (
            isinstance(callee, v.ClassValue)
            and callee.ir.name == function.owner
            and function.name == "__init__"
        ):
            return call
    return None


def packed_layout(told: Told) -> Iterator[Remedy]:
    """Names the call of `pack_padded_sequence` that takes the batch for the length, or lengths that are no vector."""
    scene = told.scene
    function = scene.function if scene is not None else None
    body = function.body if function is not None else scene.source.module.body if scene is not None else ()
    for node in walk((body,)) if scene is not None else ():
        if (
            scene is None
            or not isinstance(node, ir.Call)
            or not scene.text(node.function).endswith("pack_padded_sequence")
        ):
            continue
        row = scene.source.row(node.start)
        lengths = scene.argument(node, 1, "lengths")
        known = scene.value(lengths) if lengths is not None else None
        if (
            isinstance(known, TensorFact)
            and known.shape is not None
            and len(known.shape) > 1
            and lengths is not None
        ):
            text = scene.text(lengths)
            yield Remedy(
                f"The lengths `{text}` are {value_text(known)}, and should be a vector.",
                (f"Take the extra dimension away: `{text}.flatten()`.",),
                is_whole=True,
            )
            return
        if not any(name == "batch_first" for name, _ in node.keywords) and len(node.args) < 3:
            data = scene.operand(node.args[0]) if node.args else None
            shape = f" {value_text(data.fact)}" if data is not None else ""
            yield Remedy(
                f"`pack_padded_sequence` at line {row} reads dimension 0 of its data{shape} as the length, and dimension 1 as the "
                "batch.",
                ("If the batch comes first, say so there: `batch_first=True`.",),
                is_whole=True,
            )
            return


# ---- definitions -----------------------------------------------------------------------------------------------------------


def _all_nodes(source: Source) -> Iterator[ir.Node]:
    yield from walk((source.module.body,))
    for function in source.functions():
        yield from walk((function.body,))


def _at(scene: Scene, source: Source, offset: int) -> str:
    row = source.row(offset)
    other = "" if source is scene.source else f" of {source.document.path}"
    return f"line {row}{other} (`{source.line(row)}`)"


def class_around(scene: Scene) -> tuple[Source, ir.Class] | None:
    offset = scene.document.row_span(scene.row).end
    around = [one for one in scene.source.module.classes if one.start < offset <= one.end + 1]
    return (scene.source, min(around, key=lambda one: one.end - one.start)) if around else None


def _class_named(scene: Scene, name: str) -> tuple[Source, ir.Class] | None:
    found = [(source, cls) for source in scene.sources for cls in source.module.classes if cls.name == name]
    return found[0] if len(found) == 1 else None


def _assigned(source: Source, cls: ir.Class) -> Iterator[tuple[int, str]]:
    """Yields the attributes that methods of a class assign to `self`, with their rows."""
    for method in cls.methods.values():
        for node in walk((method.body,)):
            targets: tuple[ir.Node, ...] = ()
            match node:
                case ir.Assign(targets=targets):
                    pass
                case ir.Augmented(target=target) | ir.Annotated(target=target):
                    targets = (target,)
            for target in targets:
                items = target.items if isinstance(target, ir.Display) else (target,)
                for item in items:
                    if (
                        isinstance(item, ir.Attribute)
                        and isinstance(item.object, ir.Name)
                        and item.object.id == "self"
                    ):
                        yield source.row(item.start), item.name


def _method_at(source: Source, cls: ir.Class, row: int) -> str:
    offset = source.document.row_span(row).end
    return next((name for name, one in cls.methods.items() if one.start < offset <= one.end + 1), cls.name)
