"""TL905: `torch.load` reads weights only by default, and the file holds more than weights."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, respelling, rule

_WHAT = {
    "module": "a whole module", "object": "an object of a class of its own", "array": "a NumPy array or number",
    "optimizer": "an optimizer",
}  # fmt: skip


@rule("TL905", severity="warning", group="correctness", unproven="it takes a file")
def load_needs_weights_only_false(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LOADED_OBJECT):
        if "safe_globals" in fault.file.document.text or "NO_WEIGHTS_ONLY" in fault.file.document.text:
            continue  # the program says which classes may be read
        what = _WHAT.get(fault["what"])
        text = "the result is used as a module, `torch.load` reads weights only by default"
        if what is not None:
            text = f"the file holds {what}, `torch.load` reads weights only by default"
        place = fault["place"], "it is used as a module here" if what is None else "it is saved here"
        change = fault.whole, lambda node: respelling.with_weights_only(node, "False")
        yield check.finding(
            fault, text, related=[place], fixes=[fault.fix("Insert weights_only=False", change)]
        )
