"""Detects random number generators that a file leaves unseeded although it seeds torch's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin
from torchlsp.interp.model import imported_names
from torchlsp.program import ir
from torchlsp.program.walking import module_nodes, walk

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis


_TORCH = frozenset({"torch.manual_seed", "torch.random.manual_seed"})
_NUMPY = frozenset(
    f"numpy.random.{name}"
    for name in """rand randn randint random random_sample choice shuffle permutation normal uniform standard_normal beta binomial
    dirichlet exponential gamma laplace lognormal multinomial multivariate_normal poisson random_integers ranf sample""".split()
)
_PYTHON = frozenset(
    f"random.{name}"
    for name in """random randint choice choices shuffle sample uniform gauss normalvariate randrange betavariate expovariate triangular
    getrandbits""".split()
)
_KINDS = (("NumPy", "numpy.random.seed", _NUMPY), ("random", "random.seed", _PYTHON))
"""Each generator's name, the function that seeds it, and the functions that draw from it."""
_SWITCHES = ("torch.backends.cudnn.deterministic", "torch.backends.cudnn.benchmark")


def find_unseeded(analysis: Analysis) -> Iterator[Fault]:
    """Reports seeds of torch beside draws from an unseeded generator, and contradictory switches."""
    module = analysis.module
    names = imported_names.imported(module)
    if "torch" not in {name.partition(".")[0] for name in names.values()}:
        return
    everything = [
        (node, imported_names.name_of(node.function, names))
        for node in module_nodes(module)
        if isinstance(node, ir.Call)
    ]
    scopes: list[tuple[ir.Function | None, tuple[ir.Node, ...]]] = [
        (None, module.body),
        *((function, function.body) for function in module.functions),
    ]
    for function, body in scopes:
        calls = sorted(
            (
                (node, imported_names.name_of(node.function, names))
                for node in walk(body)
                if isinstance(node, ir.Call)
            ),
            key=lambda pair: pair[0].start,
        )
        seeds = [node for node, name in calls if name in _TORCH]
        if seeds:
            yield from _beside(analysis, function, seeds, calls, everything)
        yield from _switched(analysis, body, names)


_NamedCalls = list[tuple[ir.Call, str | None]]
"""Calls with the dotted names of what they call, None where that was not imported."""


def _beside(
    analysis: Analysis,
    function: ir.Function | None,
    seeds: list[ir.Call],
    calls: _NamedCalls,
    everything: _NamedCalls,
) -> Iterator[Fault]:
    """Reports a seed of torch in a function beside which another generator is drawn from unseeded.

    A function whose name says that it seeds is taken to seed for the whole file.
    """
    helper = function.name if function is not None and "seed" in function.name.lower() else ""
    own = {one.name for one in analysis.module.functions if one.owner is None}
    if any(_may_seed(node, name, own) for node, name in everything):
        return
    for label, seeder, draws in _KINDS:
        if any(name == seeder and _is_given(node) for node, name in everything):
            continue
        drawn = everything if helper else [call for call in calls if call[0].start > seeds[0].start]
        draw = next((node for node, name in drawn if name in draws), None)
        if draw is not None:
            seed = next((one for one in reversed(seeds) if one.start < draw.start), seeds[0])
            place = Origin(draw.start, draw.end, "draw", (), analysis.path)
            data = (("reason", label), ("place", place), ("helper", helper))
            yield Fault(
                FaultKind.UNSEEDED, seed.start, seed.end, "torch.manual_seed", data, path=analysis.path
            )
            return


def _may_seed(node: ir.Call, name: str | None, own: set[str]) -> bool:
    """Returns whether a call may seed everything, as a function of a framework or an unknown one may."""
    if type(node.function) is ir.Name and node.function.id in own:
        return False
    last = getattr(node.function, "name", getattr(node.function, "id", ""))
    known = name is not None and (
        name in _TORCH or name.startswith(("torch.cuda.", "numpy.random.", "random."))
    )
    return "seed" in last.lower() and not known


def _is_given(node: ir.Call) -> bool:
    """Returns whether a seed is passed; `seed(None)` and `seed()` take one from the operating system."""
    given = [*node.args, *(value for _, value in node.keywords)]
    return bool(given) and not all(type(value) is ir.Constant and value.value is None for value in given)


def _switched(analysis: Analysis, body: tuple[ir.Node, ...], names: dict[str, str]) -> Iterator[Fault]:
    """Reports a block that turns on both `cudnn.deterministic` and `cudnn.benchmark`."""
    for block in _blocks(body):
        last: dict[str, ir.Assign] = {}
        for node in block:
            if isinstance(node, ir.Assign):
                for target in node.targets:
                    name = imported_names.name_of(target, names)
                    if name in _SWITCHES:
                        last[name] = node
        if len(last) == 2 and all(
            type(one.value) is ir.Constant and one.value.value is True for one in last.values()
        ):
            first, second = (last[name] for name in _SWITCHES)
            place = Origin(first.start, first.end, "switch", (), analysis.path)
            data = (("reason", "benchmark"), ("place", place), ("helper", ""))
            yield Fault(FaultKind.UNSEEDED, second.start, second.end, _SWITCHES[1], data, path=analysis.path)


def _blocks(body: tuple[ir.Node, ...]) -> Iterator[tuple[ir.Node, ...]]:
    """Yields a block and all blocks inside it, those of definitions left out."""
    yield body
    for node in body:
        for part in ("body", "orelse", "final"):
            inner = getattr(node, part, None)
            if isinstance(inner, tuple) and not isinstance(node, ir.Define | ir.DefineClass):
                yield from _blocks(inner)
