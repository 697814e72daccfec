"""Detects files that use CUDA unconditionally and never test whether it is available."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.model.imported_names import imported, name_of
from torchlsp.program import ir
from torchlsp.program.walking import module_nodes

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis


_ASKS = re.compile(
    r"is_available|device_count|ArgumentParser|accelerat|^click$|^fire$|is_built|skip|require|^local_rank$|LOCAL_RANK|init_process_group"
    r"|get_device_name|has_cuda|no_cuda|use_cuda|use_gpu|^cuda_device|triton|deepspeed|OmegaConf|hydra|backend",
    re.IGNORECASE,
)
"""Names and strings of files that test for CUDA, are configured from outside, or are meant for GPUs only."""


def find_hard_coded_cuda(analysis: Analysis) -> Iterator[Fault]:
    """Reports the first unconditional use of CUDA in the file."""
    module = analysis.module
    names = imported(module)
    if "torch" not in {name.partition(".")[0] for name in names.values()} or any(
        map(_asks, module_nodes(module))
    ):
        return
    places: list[ir.Call] = []
    for body in (
        module.body,
        *(function.body for function in module.functions if not _is_about_cuda(function)),
    ):
        places.extend(_unconditional(body, names))
    if places:
        first = min(places, key=lambda node: node.start)
        what = "cuda()" if getattr(first.function, "name", "") == "cuda" else "cuda"
        data = (("what", what), ("places", len({place.start for place in places})))
        yield Fault(FaultKind.FIXED_CUDA, first.start, first.end, "Tensor.cuda", data, path=analysis.path)


def _is_about_cuda(function: ir.Function) -> bool:
    """Returns whether a function's name says that it is for CUDA, as that of `def cuda(self)`."""
    return re.search("cuda|gpu", function.name, re.IGNORECASE) is not None


def _asks(node: object) -> bool:
    match node:
        case ir.Name(id=word) | ir.Attribute(name=word) | ir.Constant(value=str(word)):
            return len(word) < 60 and _ASKS.search(word) is not None
        case ir.Import(names=bound):
            return any(_ASKS.search(f"{source}.{attribute or ''}") for _, source, attribute in bound)
    return False


def _unconditional(body: tuple[ir.Node, ...], names: dict[str, str]) -> Iterator[ir.Call]:
    """Yields the calls in statements that ask for CUDA outside of any branch, `try` or definition."""
    to_visit: list[object] = list(body)
    while to_visit:
        node = to_visit.pop()
        if isinstance(node, tuple):
            to_visit.extend(node)
        elif type(node) is ir.Attribute and node.name in ("type", "index"):
            continue  # `torch.device("cuda").type` puts nothing on the device
        elif isinstance(node, ir.Node) and not isinstance(node, _SKIPPED_NODES):
            if type(node) is ir.Call and _is_cuda(node, names):
                yield node
            to_visit.extend(
                getattr(node, name)
                for name in type(node).__dataclass_fields__
                if name not in ("start", "end")
            )


_SKIPPED_NODES = (
    ir.Branch,
    ir.Try,
    ir.Define,
    ir.DefineClass,
    ir.Conditional,
    ir.Logical,
    ir.Match,
    ir.Assert,
)


def _is_cuda(call: ir.Call, names: dict[str, str]) -> bool:
    function = call.function
    full = name_of(function, names) or ""
    if type(function) is ir.Attribute and not full:
        if function.name == "cuda":
            return True
        if function.name == "to" and any(map(_names_cuda, call.args[:1])):
            return True
        return function.name in ("to", "new_tensor", "new_zeros", "new_ones") and _has_device(call)
    if full == "torch.device":
        return any(map(_names_cuda, call.args[:1]))
    if full.startswith("torch.cuda.") and full.endswith("Tensor"):
        return True  # `torch.cuda.FloatTensor(…)`
    return full.startswith("torch.") and _has_device(call)


def _has_device(call: ir.Call) -> bool:
    return any(key == "device" and _names_cuda(value) for key, value in call.keywords)


def _names_cuda(node: ir.Node) -> bool:
    return (
        type(node) is ir.Constant
        and isinstance(node.value, str)
        and re.fullmatch(r"cuda(:\d+)?", node.value) is not None
    )
