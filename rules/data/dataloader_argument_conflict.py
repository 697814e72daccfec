"""TL701: a DataLoader gets two arguments that exclude each other."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule

_WHY = {
    ("shuffle", "sampler"): "the sampler already decides the order",
    ("shuffle", "dataset"): "an IterableDataset decides its own order",
    ("sampler", "dataset"): "an IterableDataset decides its own order",
    ("batch_sampler", "dataset"): "an IterableDataset decides its own order",
    ("batch_size", "batch_sampler"): "the batch_sampler already makes the batches",
    ("shuffle", "batch_sampler"): "the batch_sampler already makes the batches",
    ("sampler", "batch_sampler"): "the batch_sampler already makes the batches",
    ("drop_last", "batch_sampler"): "the batch_sampler already makes the batches",
    ("drop_last", "batch_size"): "batch_size=None makes no batches",
}


@rule("TL701", severity="error", group="correctness")
def dataloader_argument_conflict(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LOADER_CONFLICT):
        one, other = fault["argument"], fault["against"]
        fixes = []
        if (one, other) == ("shuffle", "sampler"):
            title = "Drop shuffle" if fault["shuffles"] else "Drop shuffle, the sampler keeps its order"
            fixes = [fault.fix(title, (fault.whole, _without_shuffle), safe=fault["shuffles"])]
        yield check.finding(fault, f"DataLoader refuses `{one}` here, {_WHY[one, other]}", fixes=fixes)


def _without_shuffle(call: cst.BaseExpression) -> cst.BaseExpression | None:
    """Returns the call without `shuffle=…`."""
    if not isinstance(call, cst.Call):
        return None
    kept = [arg for arg in call.args if arg.keyword is None or arg.keyword.value != "shuffle"]
    if len(kept) == len(call.args):
        return None
    if call.args[-1] not in kept:
        kept[-1] = kept[-1].with_changes(comma=call.args[-1].comma)
    return call.with_changes(args=kept)
