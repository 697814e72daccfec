"""TL113: a boolean mask does not have the shape of the dimensions that it selects from."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, TensorFact, because, cst, rule, shown


@rule("TL113", severity="error", group="correctness", since="1.13")
def mask_shape(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.MASK_SHAPE):
        tensor = fault["input"]
        yield check.finding(
            fault,
            _message(fault),
            related=[*because(_mask(fault), "shape"), *because(tensor, "shape")],
            fixes=[_spread(fault)],
        )


def _message(fault: Site) -> str:
    mask, tensor, dim = shown(fault["mask"]), fault["input"], fault["dim"]
    name = f"{fault.called('tensor', 0)} {shown(tensor)}"
    if dim is None:
        return f"the mask {mask} has more dims than {name}"
    return f"the mask {mask} has size {shown(fault['mask'][fault['mask_dim']])} where {name} has {shown(tensor.shape[dim])}"


def _mask(fault: Site) -> TensorFact | None:
    """Returns the mask, where it is a tensor and the whole index."""
    called = fault.what.called
    index = called.args[1] if called is not None and len(called.args) > 1 else None
    return index if isinstance(index, TensorFact) else None


def _spread(fault: Site) -> Fix | None:
    """Rewrites `x[mask]` to `x[mask.expand_as(x)]`, where the mask would broadcast and `x` is a plain name."""
    if _mask(fault) is None or not fault["spreads"]:
        return None

    def change(node: cst.BaseExpression) -> cst.BaseExpression | None:
        match node:
            case cst.Subscript(
                value=cst.Name() as name, slice=[cst.SubscriptElement(slice=cst.Index(value=mask))]
            ):
                if (
                    isinstance(mask, cst.Comparison | cst.BinaryOperation | cst.UnaryOperation)
                    and not mask.lpar
                ):
                    mask = mask.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
                spread = cst.Call(cst.Attribute(mask, cst.Name("expand_as")), [cst.Arg(name)])
                return node.with_changes(slice=[cst.SubscriptElement(cst.Index(spread))])
        return None

    return fault.fix("Expand the mask to the tensor's shape", (fault.whole, change))
