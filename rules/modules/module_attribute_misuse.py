"""TL615: an attribute that only tensors have is read from a module, or a module without `forward` is called."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule("TL615", severity="error", group="correctness", unproven="the probe lets in no names of the user")
def module_attribute_misuse(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.MODULE_ATTRIBUTE):
        name, instead, fixes = fault["name"], fault["instead"], []
        module = fault["module"].rpartition(".")[2]
        text = f"a {module} has no attribute `{name}`"
        if instead.startswith("."):
            text += ", only its parameters have one"
            change = fault.whole, lambda node: _of_first_parameter(node)
            fixes = [fault.fix(f"Read {name} from the first parameter", change, safe=True)]
        elif instead:
            text += f", the name is `{instead}`"
            change = fault.whole, lambda node, new=instead: _renamed(node, new)
            fixes = [fault.fix(f"Rename it to {instead}", change, safe=True)]
        yield check.finding(fault, text, fixes=fixes)
    for fault in check.faults(FaultKind.NO_FORWARD):
        close = f", only `{fault['close']}`" if fault["close"] else ""
        yield check.finding(fault, f"`{fault['module']}` is called but has no `forward`{close}")


def _of_first_parameter(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `model.device` to `next(model.parameters()).device`."""
    if not isinstance(node, cst.Attribute):
        return None
    parameters = cst.Call(cst.Attribute(node.value, cst.Name("parameters")))
    return node.with_changes(value=cst.Call(cst.Name("next"), [cst.Arg(parameters)]))


def _renamed(node: cst.BaseExpression, name: str) -> cst.BaseExpression | None:
    return node.with_changes(attr=cst.Name(name)) if isinstance(node, cst.Attribute) else None
