"""Builds and calls the models of torchvision that `ops.libraries.vision_models` lists, child by child."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.tensor import Grad, Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.modules import partial_layer_edits
from torchlsp.interp.model import heap_values
from torchlsp.interp.objects import parameter_iterators, rows, torch_modules
from torchlsp.interp.objects.library import Library
from torchlsp.interp.store.heap_keys import GRAD, RESIZED, TRAINING
from torchlsp.interp.store.trace import Event, EventKind
from torchlsp.ops.libraries import vision_models
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from types import NotImplementedType

    from torchlsp.interp.store.evaluator import Evaluator

_FUNCTIONS: dict[str, tuple[str, tuple[Value, ...]]] = {
    ".flatten": ("torch.flatten", (v.integer(1),)),
    ".pool": ("torch.nn.functional.adaptive_avg_pool2d", (v.TupleValue((v.integer(1), v.integer(1))),)),
    ".relu": ("torch.relu", ()),
}
"""Functions of torch among the steps of `forward`, with the arguments after the first."""
_IMAGENET_CLASSES = 1000


def build(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> Value | NotImplementedType:
    """Builds a model, `torchvision.models.resnet50(num_classes=10)`; NotImplemented for other functions."""
    model = vision_models.model(name)
    if model is None:
        return NotImplemented
    options = dict(arguments.keywords)
    if arguments.is_open or not vision_models.KEPT_SIZES.issuperset(options):
        return UNKNOWN_VALUE
    ref = f"model@{it.frame.site}:{node.start}"
    heap = it.state.heap
    for key in [key for key in heap if key[0] == ref or key[0].startswith(f"{ref}.")]:
        it.state.delete(heap, key)  # built here before, in another iteration
    classes = options.get("num_classes", v.integer(_IMAGENET_CLASSES))
    if isinstance(classes, v.Parameter):
        classes = v.Unknown(v.size_of_parameter(classes))
    origin = Origin(node.start, node.end, name, (), it.frame.module.path)
    pretrained = arguments.positional[:1] or tuple(
        options[key] for key in ("weights", "pretrained") if key in options
    )
    config = (
        *(("num_classes", one) for one in [options.get("num_classes")] if one is not None),
        *(("aux_logits", one) for one in [options.get("aux_logits")] if one is not None),
        *(("weights", one) for one in pretrained[:1]),
    )
    for child_name, child in model.children:
        made = _child(it, child, f"{ref}.{child_name}", origin, classes)
        heap_values.put_attribute(it, ref, child_name, made)
    it.recorder.add(Event(EventKind.MADE, node.start, node.end, frozenset({ref}), path=it.frame.module.path))
    return v.LayerValue(ref, name, config, origin)


def _child(it: Evaluator, child: vision_models.Child, ref: str, origin: Origin, classes: Value) -> Value:
    """Creates a child of a model, with what is below it."""
    if child.children:
        made = []
        for i, (name, inner) in enumerate(child.children):
            made.append(_child(it, inner, f"{ref}.{name or i}", origin, classes))
            if name:
                heap_values.put_attribute(it, ref, name, made[-1])
        it.state.set(it.state.heap, (ref, "[]"), tuple(made))
        return v.LayerValue(ref, child.layer, (), origin)
    given = tuple(classes if isinstance(one, str) else one for one in child.positional)
    named = tuple((name, classes if isinstance(one, str) else one) for name, one in child.keywords)
    row = ops.layer(child.layer)
    config = None if row is None else row.configure(Arguments(given, named))
    if row is None or config is None:
        return UNKNOWN_VALUE
    torch_modules.place_layer(it, ref, {})
    if row.owns_parameters:
        parameter_iterators.record_layer(it, ref)
        it.recorder.add(
            Event(EventKind.MADE, origin.start, origin.end, frozenset({ref}), path=it.frame.module.path)
        )
    return v.LayerValue(ref, child.layer, tuple(config.items()), origin)


def call_model(it: Evaluator, model: v.LayerValue, arguments: Arguments, node: ir.Node) -> Value:
    """Calls a model: what its attributes hold now, in the order of its `forward`."""
    listed = vision_models.model(model.qualname)
    given = (*arguments.positional, *(value for _, value in arguments.keywords))
    heap = it.state.heap
    if listed is None or len(given) != 1 or arguments.is_open or heap.get((model.ref, RESIZED)):
        it.record_missed(None)
        return UNKNOWN_VALUE
    partial_layer_edits.report_uncalled_head(it, model, node)
    result: Value = given[0]
    site = it.frame.site
    for i, step in enumerate(listed.forward):
        it.frame.site = f"{site}.{i}"
        try:
            result = _step(it, model, step, result, node)
        finally:
            it.frame.site = site
        if type(result) is not TensorFact:
            return UNKNOWN_VALUE
    assert isinstance(result, TensorFact)
    if result.grad.requires is Tri.NO and heap.get((model.ref, GRAD), Tri.YES) is not Tri.NO:
        result = result.but(grad=Grad(Tri.UNKNOWN))  # it may have parameters of its own
    return _with_auxiliary(it, model, listed.name, result)


def _step(it: Evaluator, model: v.LayerValue, step: str, given: Value, node: ir.Node) -> Value:
    """Calls one step of the model's `forward` with the result of the one before."""
    if step in _FUNCTIONS:
        name, further = _FUNCTIONS[step]
        row = ops.operator(name)
        return (
            UNKNOWN_VALUE
            if row is None
            else rows.apply_row(it, row, name, Arguments((given, *further)), node)
        )
    return it.invoke(it.state.heap.get((model.ref, step), UNKNOWN_VALUE), Arguments((given,)), node)


def _with_auxiliary(it: Evaluator, model: v.LayerValue, name: str, result: TensorFact) -> Value:
    """Returns what a model gives: while training, some give a named tuple with further classifiers' results."""
    if name not in vision_models.AUXILIARY:
        return result
    fields, with_weights = vision_models.AUXILIARY[name]
    config = dict(model.config)
    given, weights = config.get("aux_logits"), config.get("weights", v.NONE)
    is_plain = weights in (v.NONE, v.FALSE)
    if given is None:
        given = v.TRUE if with_weights or is_plain else v.FALSE
    training = it.state.heap.get((model.ref, TRAINING), Tri.YES)
    if training is Tri.NO or given == v.FALSE:
        return result
    if training is Tri.UNKNOWN or given != v.TRUE:
        return UNKNOWN_VALUE
    return v.TupleValue((result, *(TensorFact() for _ in fields[1:])), fields)


def load_from_hub(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `torch.hub.load("pytorch/vision", "resnet50", …)`; unknown for other repositories."""
    names = [v.known(one, str) for one in arguments.positional[:2]]
    if len(names) == 2 and names[0] and names[1] and names[0].partition(":")[0] == _HUB_REPOSITORY:
        options = tuple(one for one in arguments.keywords if one[0] not in _HUB_OPTIONS)
        given = Arguments(
            arguments.positional[2:], options, arguments.open_positional, arguments.open_keywords
        )
        built = build(it, f"{vision_models.PACKAGE}.{names[1]}", given, node)
        if built is not NotImplemented:
            return built
    return UNKNOWN_VALUE


_HUB_REPOSITORY = "pytorch/vision"
_HUB_OPTIONS = frozenset({"source", "trust_repo", "force_reload", "verbose", "skip_validation"})
"""Keywords of `torch.hub.load` itself."""


def _call(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> Value | NotImplementedType:
    """Evaluates a call of torchvision; NotImplemented for all that builds no model."""
    if name == f"{vision_models.PACKAGE}.get_model" and arguments.positional:
        chosen = v.known(arguments.positional[0], str)
        name = f"{vision_models.PACKAGE}.{chosen}" if chosen else name
        arguments = replace(arguments, positional=arguments.positional[1:])
    return build(it, name, arguments, node)


LIBRARY = Library(package="torchvision", call=_call)
