"""TL909: mixed precision uses `torch.cuda.amp`, which `torch.amp` has replaced for every device."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, respelling, rule


@rule(
    "TL909",
    severity="warning",
    group="upgrade",
    tag="deprecated",
    unproven="some names are imported and never called",
)
def cuda_amp_namespace(check: Check) -> Iterator[Finding]:
    sites = list(check.faults(FaultKind.DEPRECATED_AMP))
    imports = list(check.faults(FaultKind.AMP_IMPORT))
    for fault in sites:
        instead, device = fault["instead"], fault["name"].split(".")[1]
        given = f"device_type='{device}'" if "custom" in instead else f"'{device}'"
        yield check.finding(
            fault,
            f"`torch.{device}.amp` is deprecated; use `{instead}({given})`",
            fixes=[_fix(fault, sites, imports)],
        )


def _fix(fault: Site, sites: list[Site], imports: list[Site]) -> Fix | None:
    root = _root(fault)
    if root == "torch":
        change = _change(fault, fault["instead"])
        return fault.fix(f"Replace it by {fault['instead']}", change, safe=True)
    for statement in imports:
        if root in statement["bound"] and statement.file is fault.file:
            return _everywhere(fault, statement, sites)
    return None


def _everywhere(fault: Site, statement: Site, sites: list[Site]) -> Fix | None:
    """Returns the import and every use of what it binds; none where a name is used in another way."""
    uses = [one for one in sites if one.file is fault.file and _root(one) in statement["bound"]]
    name = re.compile(rf"(?<![\w.])({'|'.join(statement['bound'])})\b")
    mentions = len(name.findall(fault.file.document.text)) - len(name.findall(statement.whole.source))
    if mentions != len(uses):
        return None
    module = statement["instead"]
    changes = [_change(one, _written(one)) for one in uses]
    imported = statement.whole, lambda node: respelling.from_module(node, module)
    return fault.fix(f"Import from {module}", imported, *changes, safe=True)


def _written(fault: Site) -> str:
    """Returns what is called, as the user wrote it; a decorator may be without a call."""
    return (fault.callee or fault.whole).source


def _root(fault: Site) -> str:
    return _written(fault).partition(".")[0]


def _change(fault: Site, written: str):
    _, device, _, name = fault["name"].split(".")
    return fault.whole, respelling.with_device(name, device, written)
