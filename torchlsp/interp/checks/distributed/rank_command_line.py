"""Reports command line options for the local rank: torchrun does not pass one, it sets LOCAL_RANK."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.store.lifetimes import gathered, last_wins, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.walking import module_nodes, word

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator


_OPTIONS = frozenset({"--local_rank", "--local-rank"})
_HARMLESS = frozenset({"print", "vars", "str", "repr", "info", "debug"})
"""Functions that take the parsed arguments and do not change them."""


_LAUNCHERS = frozenset({"spawn", "start_processes", "Popen"})
"""Functions by which a file starts its processes itself, and may tell them their rank."""


@running_state
class RankOptions:
    """Options of the command line for a rank, by the place of the call that adds them."""

    options: dict[tuple[int, int], str] = gathered(dict, last_wins)


def record_rank_option(it: Evaluator, arguments: Arguments, node: ir.Node) -> None:
    """Records `parser.add_argument("--local_rank", ...)`; an option that goes by another name as well is for an own launcher."""
    names = [v.known(value, str) for value in arguments.positional]
    option = next((name for name in names if name is None or name.startswith("--")), None)
    if option is not None and option in _OPTIONS and it.frame.module is it.main:
        it.states[RankOptions].options[(node.start, node.end)] = option


def find_unset_rank_options(analysis: Analysis) -> Iterator[Fault]:
    """Yields the options for the local rank in a file that certainly has no other source of it."""
    if (
        not analysis.states[RankOptions].options
        or analysis.module is None
        or _has_other_source(analysis.module)
    ):
        return
    for (start, end), option in analysis.states[RankOptions].options.items():
        yield Fault(
            FaultKind.RANK_OPTION, start, end, "add_argument", (("option", option),), path=analysis.path
        )


def _has_other_source(module: ir.Module) -> bool:
    """Returns whether LOCAL_RANK is read, the attribute or an entry `local_rank` set or never read, DeepSpeed used, or the arguments
    passed to unknown code."""
    own = {function.name for function in module.functions} | {cls.name for cls in module.classes}
    readers: set[str] = set()
    handed: set[str] = set()
    parses = distributed = False
    for node in module_nodes(module):
        match node:
            case ir.Constant(value=str(text)) if "LOCAL_RANK" in text:
                return True
            case ir.Import(names=names):
                for _, source, attribute in names:
                    if source.partition(".")[0] in ("deepspeed", "horovod") or attribute == "deepspeed":
                        return True
                    distributed |= "distributed" in source or attribute in (
                        "distributed",
                        "DistributedDataParallel",
                    )
            case ir.Assign(targets=targets) if any(_is_rank(target) for target in targets):
                return True
            case ir.Attribute(name="local_rank", object=ir.Name(id=name)):
                readers.add(name)
            case ir.Call(function=function, args=args, keywords=keywords):
                called = word(function)
                parses |= called in ("parse_args", "parse_known_args")
                if any(
                    name == "local_rank" and not _is_rank(value) and type(value) is not ir.Name
                    for name, value in keywords
                ):
                    return True  # `config.update(local_rank=dist.get_rank() % count)`
                if called == "setattr" or called in _LAUNCHERS or _takes_rank(called, keywords):
                    return True
                if not (type(function) is ir.Name and called in own or called in _HARMLESS):
                    given = (*args, *(value for _, value in keywords))
                    handed |= {value.id for value in given if type(value) is ir.Name}
    # Where nobody reads the option, it is left over from another script.
    return not parses or not distributed or not readers or bool(readers & handed)


def _takes_rank(called: str, keywords: tuple[tuple[str | None, ir.Node], ...]) -> bool:
    """Returns whether a call joins the process group with a rank from the command line, as no launcher of torch needs it."""
    return called == "init_process_group" and any(
        name == "rank" and type(value) is ir.Attribute for name, value in keywords
    )


def _is_rank(target: ir.Node) -> bool:
    return type(target) is ir.Attribute and target.name == "local_rank"
