"""TL605: a container of modules gets a list, a generator, a function or a class where it takes modules."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, cst, rule


@rule("TL605", severity="error", group="correctness")
def sequential_arguments(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NOT_A_MODULE):
        kind, what = fault["container"].rpartition(".")[2], fault["what"]
        written = fault.operand("", fault["index"]) if fault["index"] is not None else None
        name = (
            fault.named(written, "child")
            if written is not None or not fault["name"]
            else f"`{fault['name']}`"
        )
        shown = {"class": "a class, not a layer", "function": "a function"}.get(what, f"of type {what}")
        yield check.finding(
            fault,
            f"{kind} takes modules, {name} is {shown}",
            fixes=[_fix(fault, written, fault["index"], what)],
        )


def _fix(fault: Site, written, index: int | None, what: str):
    if what in ("list", "generator") and index is not None:
        return fault.fix(f"Unpack the {what}", (fault.whole, lambda call: _unpacked(call, index)), safe=True)
    if what == "class" and fault["completes"] and written is not None:
        return fault.fix("Instantiate the class", (written, cst.Call), safe=True)
    return None


def _unpacked(call: cst.BaseExpression, index: int) -> cst.BaseExpression | None:
    """Rewrites `Sequential([a, b])` to `Sequential(*[a, b])`; a generator gets parentheses."""
    if not isinstance(call, cst.Call) or index >= len(call.args):
        return None
    args = list(call.args)
    value = args[index].value
    if isinstance(value, cst.GeneratorExp) and not value.lpar:
        value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    args[index] = args[index].with_changes(star="*", value=value)
    return call.with_changes(args=args)
