"""TL929: a call with too few or too many arguments."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, rule


@rule(
    "TL929",
    severity="error",
    group="correctness",
    unproven="a module of the program is no call of torch: its own statements are run instead",
)
def wrong_argument_count(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.ARGUMENT_COUNT):
        defined = fault["defined"]
        what = (
            "its parameters are listed here"
            if defined is not None and defined.op == "def"
            else "the layer is created here"
        )
        yield check.finding(fault, _message(fault), related=[] if defined is None else [(defined, what)])


def _message(fault: Site) -> str:
    function, missing = fault["function"], fault["missing"]
    if function.startswith("torch."):
        owner = function.removesuffix(".forward")
        short = (
            f"`{owner.rpartition('.')[2]}`"
            if owner == function
            else f"a call of `{owner.rpartition('.')[2]}`"
        )
    else:
        short = f"`{function}`"
    if missing:
        names = " and ".join(f"`{name}`" for name in missing)
        return f"{short} needs {names}, which {'is' if len(missing) == 1 else 'are'} not given"
    taken, given = fault["taken"], fault["given"]
    return f"{short} takes at most {taken} argument{'s' if taken != 1 else ''} by position, and gets {given}"
