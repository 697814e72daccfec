"""TL902: torch has no such name."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, respelling, rule


@rule(
    "TL902",
    severity="error",
    group="correctness",
    unproven_cases="some names are looked up in modules that the probe does not load",
)
def no_such_torch_name(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NO_SUCH_NAME):
        if fault.file.quotes(fault["name"].rpartition(".")[2]):
            continue  # something here asks for it by this text, or sets it
        yield check.finding(fault, _text(fault), fixes=[_fix(check, fault)])


def _text(fault: Site) -> str:
    name, instead, later = fault["name"], fault["instead"], fault["later"]
    last = name.rpartition(".")[2]
    major, minor = fault["release"]
    if fault["is_function"]:
        return f"`{name}` cannot be imported as a module; it comes with `import torch`"
    if later is not None:
        return f"torch {major}.{minor} has no `{name}`; it comes with {later[0]}.{later[1]}"
    if instead is None:
        return f"torch has no `{name}`"
    if name.startswith("torch.Tensor."):
        return f"tensors have no `{last}`; they have `{instead.rpartition('.')[2]}`"
    if instead.startswith("torch.Tensor."):
        return f"torch has no function `{name}`; `{last}` is a method of tensors"
    base, _, other = instead.rpartition(".")
    return f"torch has no `{name}`; it has `{other if base == name.rpartition('.')[0] else instead}`"


def _fix(check: Check, fault: Site) -> Fix | None:
    name, instead = fault["name"], fault["instead"]
    statement = fault.place(fault["statement"])
    if fault["is_function"]:
        return statement and fault.fix("Import torch", (statement, respelling.plain_import), safe=True)
    if instead is None or fault["later"] is not None:
        return None
    base, _, last = instead.rpartition(".")
    title = f"Replace it by {instead.removeprefix('torch.Tensor.')}"
    if name.startswith("torch.Tensor."):
        changed = fault.whole, lambda node: node.with_changes(attr=cst.Name(last))
        return None if fault["call"] is None else fault.fix(title, changed)
    if statement is not None:
        return fault.fix(
            title, (statement, lambda node: respelling.other_import(node, base, last)), safe=_is_same(fault)
        )
    if base == "torch.Tensor":
        call = fault.place(fault["call"])
        return call and fault.fix(title, (call, respelling.as_method), safe=True)
    return fault.fix(
        title, (fault.whole, lambda node: respelling.renamed(node, name, instead)), safe=_is_same(fault)
    )


def _is_same(fault: Site) -> bool:
    """Returns whether the suggested name is the same one at another place, or is known to be meant."""
    return not fault["is_guess"]
