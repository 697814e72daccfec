"""TL610: the result of `load_state_dict` is used as the model, or its argument is not a state dict."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, rule, single_assignment


@rule("TL610", severity="error", group="correctness")
def load_state_dict_result(check: Check) -> Iterator[Finding]:
    told = set()
    for fault in check.faults(FaultKind.LOADED_KEYS_USED):
        loaded, name = fault["loaded"], fault["name"]
        if (loaded.path, loaded.start) in told:
            continue  # one wrong assignment, seen where it hurts first
        told.add((loaded.path, loaded.start))
        missing = f"has no `{name}`" if name else "cannot be called"
        yield check.finding(
            fault,
            f"load_state_dict() does not return the model: its result {missing}",
            related=[(loaded, "load_state_dict returns the missing and unexpected keys, not the model")],
            fixes=[_kept_apart(fault, loaded)],
        )
    for fault in check.faults(FaultKind.STATE_DICT_ARGUMENT):
        written = fault.operand("state_dict", 0)
        what = {"str": "a string", "NoneType": "None"}.get(fault["what"], f"a {fault['what']}")
        yield check.finding(
            fault, f"load_state_dict takes a state dict, {fault.named(written, 'argument')} is {what}"
        )


def _kept_apart(fault: Site, loaded):
    """Rewrites `model = model.load_state_dict(s)` to `model.load_state_dict(s)`."""
    parts = single_assignment(fault.position(loaded))
    if parts is None or parts.value != (loaded.start, loaded.end) or parts.receiver is None:
        return None
    source = fault.file.source
    target, receiver = source(*parts.target), source(*parts.receiver)
    call = source(loaded.start, loaded.end)
    if target == receiver:
        return fault.rewrite("Drop the assignment", parts.statement, call, safe=True)
    if parts.receiver_is_plain:
        return fault.rewrite(
            "Assign the model itself", parts.statement, call, f"{target} = {receiver}", safe=True
        )
    rest = call[len(receiver) :]
    code = f"{target} = {receiver}", f"{target}{rest}"
    return fault.rewrite("Assign the model itself", parts.statement, *code, safe=True)
