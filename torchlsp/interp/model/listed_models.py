"""Answers questions about models of torchvision, whose children are listed and whose inner layers are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import module_tree
from torchlsp.interp.store.heap_keys import RESIZED
from torchlsp.ops.libraries import timm_models, vision_models

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


_PARTS = vision_models.PARTS.union(timm_models.CONSTRUCTORS)


def is_model(value: Value) -> bool:
    """Returns whether a value is a model that torchvision has built."""
    return type(value) is v.LayerValue and vision_models.model(value.qualname) is not None


def has_all_children(value: v.LayerValue) -> bool:
    """Returns whether a model has the listed children and no others, however it is built."""
    listed = vision_models.model(value.qualname)
    return listed is not None and listed.name not in vision_models.AUXILIARY


def is_part(value: Value) -> bool:
    """Returns whether a value is a part of a model, whose inner layers are not listed."""
    return type(value) is v.LayerValue and value.qualname in _PARTS


def shown_attribute(it: Evaluator, part: v.LayerValue, name: str) -> Value:
    """Returns an attribute of a part, or of a model whose inner layers are not listed."""
    if part.qualname in timm_models.CONSTRUCTORS:
        return timm_models.shown(module_tree.layer_state(it, part), name)
    return UNKNOWN_VALUE


def note_inner_access(it: Evaluator, module: Value) -> None:
    """Records that code has reached what is inside of a part, and may put other layers there."""
    if isinstance(module, v.LayerValue) and is_part(module):
        it.state.set(it.state.heap, (module.ref, RESIZED), True)


def forget(it: Evaluator, value: Value) -> None:
    """Forgets the children of the models that unknown code gets, which may put other layers there."""
    for module in module_tree.submodules(it, value):
        if is_model(module) or is_part(module):
            it.state.set(it.state.heap, (module.ref, RESIZED), True)
