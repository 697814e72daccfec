"""Names the methods of a dataset that an error while samples are read is about."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.engine.remedies.programs import class_around
from torchlsp.engine.remedies.told import Remedy, Told
from torchlsp.program import ir
from torchlsp.program.walking import walk


def dataset_length(told: Told) -> Iterator[Remedy]:
    """Compares what `__len__` returns with what `__getitem__` indexes."""
    scene = told.scene
    found = class_around(scene) if scene is not None else None
    if scene is None or found is None:
        return
    source, cls = found
    if "__getitem__" not in cls.methods or "__len__" not in cls.methods:
        return
    indexed = [
        node
        for node in scene.nodes()
        if isinstance(node, ir.Subscript) and scene.text(node.object).startswith("self.")
    ]
    returned = [
        node
        for node in walk((cls.methods["__len__"].body,))
        if isinstance(node, ir.Return) and node.value is not None
    ]
    if not indexed or len(returned) != 1 or returned[0].value is None:
        return
    kept, text = scene.text(indexed[0].object), source.text(returned[0].value)
    if text == f"len({kept})":
        return
    row = source.row(returned[0].start)
    yield Remedy(
        f"`__len__` returns `{text}` (line {row}), and `__getitem__` indexes `{kept}`, which is shorter.",
        (f"Return the length of what is indexed: `return len({kept})`.",),
        is_whole=True,
    )


def window_past_the_end(told: Told) -> Iterator[Remedy]:
    """Names the offset that `__getitem__` adds to the index, where `__len__` counts all positions of what it indexes."""
    scene = told.scene
    found = class_around(scene) if scene is not None else None
    if scene is None or found is None:
        return
    source, cls = found
    get, length = cls.methods.get("__getitem__"), cls.methods.get("__len__")
    if get is None or length is None or len(get.params) < 2:
        return
    returned = [one for one in walk((length.body,)) if isinstance(one, ir.Return) and one.value is not None]
    ahead = [
        (scene.text(node.object), scene.text(node.index), scene.text(node.index.right))
        for node in scene.nodes()
        if isinstance(node, ir.Subscript)
        and isinstance(node.index, ir.Binary)
        and node.index.op == "+"
        and scene.text(node.index.left) == get.params[1].name
    ]
    if len(returned) != 1 or returned[0].value is None or len(ahead) != 1:
        return
    kept, index, offset = ahead[0]
    text, row = source.text(returned[0].value), source.row(returned[0].start)
    if text != f"len({kept})" or not (offset.isdigit() or offset.replace(".", "").isidentifier()):
        return
    yield Remedy(
        f"`__len__` returns `{text}` (line {row}), and `__getitem__` reads `{kept}[{index}]`, which is past the end for the "
        "last samples.",
        (f"Count only the samples that are whole: `return {text} - {offset}`.",),
        is_whole=True,
    )


def missing_sample(told: Told) -> Iterator[Remedy]:
    """Names the `__getitem__` that ends without `return` on some path."""
    scene = told.scene
    if scene is None or "NoneType" not in told.values.get("type", ""):
        return
    open_ended = []
    for source in scene.sources:
        for cls in source.module.classes:
            method = cls.methods.get("__getitem__")
            if method is not None and _falls_through(method.body):
                open_ended.append((source, cls, method))
    if len(open_ended) == 1:
        source, cls, method = open_ended[0]
        yield Remedy(
            f"`{cls.name}.__getitem__` (line {source.row(method.name_start)}) does not return on every path: where no `return` is "
            "reached, the sample is None.",
            (
                "Leave such samples out before, so that `__len__` does not count them, or return a sample on every path.",
                "Or drop them in a `collate_fn`: `default_collate([one for one in batch if one is not None])`.",
            ),
            is_whole=True,
        )


def _falls_through(body: tuple[ir.Node, ...]) -> bool:
    """Returns whether the end of a block can be reached, as far as its last statement shows."""
    last = body[-1] if body else None
    match last:
        case ir.Return() | ir.Raise():
            return False
        case ir.Branch(body=inner, orelse=orelse):
            return not orelse or _falls_through(inner) or _falls_through(orelse)
        case ir.With(body=inner):
            return _falls_through(inner)
        case ir.While() | ir.Try() | ir.Match():
            return False  # not looked into
    return True
