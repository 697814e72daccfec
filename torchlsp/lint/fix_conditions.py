"""Decides whether a fix may be offered: whether what else is known of the program goes together with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts.fault import FaultKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torchlsp.lint.check import Site

_OWN_SIZES = ("out_features", "out_channels")


def gets_own_result(site: Site, size: int) -> bool:
    """Returns whether a layer is perhaps called with its own result, as in a loop: built for that, it refuses the
    first input."""
    origin, layer = site.get("input", site.get("left")).origin, site.what.called.layer
    if origin is None or layer is None or origin.op != site.what.op:
        return False
    sizes = {getattr(value, "value", None) for name, value in layer[1] if name in _OWN_SIZES}
    again = (origin.start, origin.end) == (site.span.start, site.span.end)
    several = site.callee is not None and site.file.count_calls(site.callee.source) > 1
    return size in sizes and (again or several)


def is_always_wrong(site: Site, sites: Sequence[Site]) -> bool:
    """Returns whether a recurrent layer is called where its layout is wrong and nowhere else in the file, so
    that another `batch_first` is right for all."""
    made, kind = site.get("made"), FaultKind.RNN_LAYOUT
    wrong = {one.span for one in sites if one.what.kind is kind and one.get("made") == made}
    return (
        site.what.kind is kind
        and site.callee is not None
        and site.file.count_calls(site.callee.source) <= len(wrong)
    )


def may_be_joined(site: Site, count: int) -> bool:
    """Returns whether the shapes of the first `count` tensors of a call are not known to be refused in a list."""
    shapes = [tensor.shape for tensor, _ in site.written_tensors() if tensor.shape is not None][:count]
    if site.what.op.endswith("stack"):
        return all(shape == shapes[0] for shape in shapes)
    return all(len(shape) == len(shapes[0]) for shape in shapes)


def is_followed_by_step(site: Site) -> bool:
    """Returns whether something else steps below, in the same block: without its number a step of the scheduler
    belongs below the optimizer's."""
    here = site.position(site.what)
    below = () if here is None else here.block[here.index + 1 :]
    return any(".step(" in site.file.source(one.start, one.end) for one in below)
