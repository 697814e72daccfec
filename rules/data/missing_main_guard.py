"""TL714: a script starts processes when it is imported, without a main guard."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule

_WHAT = {
    "workers": "the workers of this loader start",
    "spawn": "these processes start",
    "start": "this process starts",
}


@rule(
    "TL714",
    severity="info",
    group="style",
    hint="a script is right where processes are forked",
    unproven="it takes a script that is started again by its own processes",
)
def missing_main_guard(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NO_MAIN_GUARD):
        text = fault.file.document.text
        if "get_ipython" in text or "\n# %%" in text or 'set_start_method("fork"' in text:
            continue  # a notebook has no main module that a child reads; forked children read nothing
        yield check.finding(
            fault,
            f"{_WHAT[fault['what']]} without a main guard: a spawned process runs this again",
            related=[(fault["place"], "they are started here")],
            fixes=[fault.wrap("Put it under a main guard", 'if __name__ == "__main__":', loops=True)],
        )
