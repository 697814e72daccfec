"""TL815: a model is trained on several ranks, and its loader gives each of them the whole dataset."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule("TL815", severity="warning", group="correctness")
def ddp_without_distributed_sampler(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNSHARDED):
        data = check.plain(fault.operand("dataset", 0))
        name = f"`{data.source}`" if data is not None and len(data.source) <= 30 else "its dataset"
        change = partial(_sharded, shuffles=fault["shuffles"], named=fault["named"])
        yield check.finding(
            fault,
            f"every rank iterates over all of {name}: the loader has no DistributedSampler",
            related=[(fault["load"], "iterated over here, on every rank")],
            fixes=[fault.fix("Split the data between ranks with DistributedSampler", (fault.whole, change))],
        )


def _sharded(call: cst.BaseExpression, shuffles: bool, named: bool) -> cst.BaseExpression | None:
    """Returns the call with a sampler, and without `shuffle=…`; None where a name for the sampler would have
    to be imported."""
    if not isinstance(call, cst.Call) or not call.args:
        return None
    if any(arg.star or (arg.keyword is None and index > 1) for index, arg in enumerate(call.args)):
        return None
    if isinstance(call.func, cst.Attribute):
        sampler: cst.BaseExpression = call.func.with_changes(attr=cst.Name("DistributedSampler"))
    elif named:
        sampler = cst.Name("DistributedSampler")
    else:
        return None
    first = call.args[0]
    if first.keyword is not None and first.keyword.value != "dataset":
        return None
    if not isinstance(first.value, (cst.Name, cst.Attribute)):
        return None
    bare = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    given = [cst.Arg(first.value)]
    if not shuffles:
        given.append(cst.Arg(cst.Name("False"), keyword=cst.Name("shuffle"), equal=bare))
    kept = [
        arg for arg in call.args if arg.keyword is None or arg.keyword.value not in ("shuffle", "sampler")
    ]
    added = cst.Arg(cst.Call(sampler, given), keyword=cst.Name("sampler"), equal=bare)
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    return call.with_changes(args=[*kept[:-1], kept[-1].with_changes(comma=comma), added])
