"""TL703: an argument of DataLoader that needs workers, without workers, or one that does not exist."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule(
    "TL703",
    severity="error",
    group="correctness",
    unproven="the argument is one that only the user's program has a name for",
)
def worker_only_arguments(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LOADER_WORKERS):
        yield check.finding(fault, f"`{fault['argument']}` needs worker processes, num_workers is 0")
    for fault in check.faults(FaultKind.LOADER_UNKNOWN):
        written = fault["argument"]
        close = get_close_matches(written, fault["known"], 1, 0.8)
        if not close:
            continue  # an argument of a later torch, perhaps
        change = fault.whole, lambda call, old=written, new=close[0]: _renamed(call, old, new)
        yield check.finding(
            fault,
            f"DataLoader has no argument `{written}`, it is called `{close[0]}`",
            fixes=[fault.fix(f"Rename it to {close[0]}", change, safe=True)],
        )


def _renamed(call: cst.BaseExpression, old: str, new: str) -> cst.BaseExpression | None:
    """Returns the call with one keyword under another name."""
    if not isinstance(call, cst.Call) or any(arg.keyword and arg.keyword.value == new for arg in call.args):
        return None
    args = [
        arg.with_changes(keyword=cst.Name(new))
        if arg.keyword is not None and arg.keyword.value == old
        else arg
        for arg in call.args
    ]
    return call.with_changes(args=args)
