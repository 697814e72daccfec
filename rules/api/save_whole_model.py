"""TL906: a whole module is pickled, or a state dict whose keys have the prefix of a wrapper."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, rule


@rule(
    "TL906",
    severity="info",
    group="style",
    hint="files of whole modules work where the code stays the same",
    unproven="it takes a file",
)
def save_whole_model(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.WHOLE_MODEL):
        yield check.finding(fault, _text(fault), fixes=[_fix(fault)])


def _text(fault: Site) -> str:
    what = f"`{fault['inside']}`" if fault["inside"] is not None else fault.called("obj", 0)
    if fault["what"] == "whole":
        return f"{what} is saved whole: loading needs its classes and weights_only=False"
    return f"the keys of {what} start with `{fault['what']}.`, the unwrapped model's do not"


def _fix(fault: Site) -> Fix | None:
    given = fault.operand("obj", 0)
    if given is None or fault["inside"] is not None:
        return None
    if fault["what"] == "whole":
        return fault.rewrite("Save its state_dict()", given, f"{given.source}.state_dict()")
    name, dot, call = given.source.rpartition(".state_dict(")
    if not dot:
        return None
    code = f"{name}.{fault['what']}.state_dict({call}"
    return fault.rewrite("Save the state dict of the module inside", given, code)
