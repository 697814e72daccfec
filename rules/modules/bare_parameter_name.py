"""TL613: the dotted name of a parameter, buffer or module is compared with a bare name: never equal."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, rule


@rule("TL613", severity="warning", group="correctness")
def bare_parameter_name(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.BARE_NAME):
        yield check.finding(
            fault,
            f"{fault['method']}() returns dotted names like '{fault['path']}', none equals '{fault['text']}'",
            fixes=[_last_part(fault)],
        )


def _last_part(fault: Site) -> Fix | None:
    name = fault.operand("", 1 if fault["swapped"] else 0)
    if name is None or not name.source.isidentifier():
        return None
    return fault.rewrite("Compare the last part of the name", name, f'{name.source}.split(".")[-1]')
