"""TL119: the equation of `einsum`, or the dims of `tensordot`, do not fit the operands."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, because, rule, shown


@rule(
    "TL119",
    severity="error",
    group="correctness",
    chosen_sizes="sizes that the probe chooses need not fit together",
)
def einsum_equation(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.EINSUM, FaultKind.BROADCAST):
        if fault.what.kind is FaultKind.BROADCAST:
            if fault.what.op != "torch.einsum":
                continue
            tensors = fault["left"], fault["right"]
            sizes = f"{shown(fault['left_size'])} and {shown(fault['right_size'])}"
            text = f"dims under the ellipsis have sizes {sizes}: {shown(tensors[0])}, {shown(tensors[1])}"
        else:
            tensors = fault["operand"], fault.get("other")
            text = _message(fault)
        related = [step for tensor in tensors if tensor is not None for step in because(tensor, "shape")]
        yield check.finding(fault, text, related=related)


def _message(fault: Site) -> str:
    operand, got, expected = shown(fault["operand"]), fault.get("got"), fault.get("expected")
    other = shown(fault.get("other"))
    match fault["reason"]:
        case "operands":
            return f"the equation is for {expected} operands, {got} are given"
        case "rank":
            return f"`{fault['letter']}` names {expected} dims, but its operand {operand} has {got}"
        case "output":
            return f"`{fault['letter']}` is in the output but in no operand"
        case "repeated":
            return f"`{fault['letter']}` is in the output more than once"
        case "size":
            return f"`{fault['letter']}` stands for size {shown(expected)} in {other} and for {shown(got)} in {operand}"
        case "pair":
            return (
                f"dim {fault['other_dim']} of {other} is {shown(expected)}, "
                f"dim {fault['dim']} of {operand} is {shown(got)}"
            )
        case "parts":
            return f"`({fault['letter']})` makes {shown(expected)}, the dim of {operand} is {shown(got)}"
        case "left only" | "right only":
            return f"`{fault['letter']}` is on the {fault['reason'][:-5]} side of the pattern only"
        case "twice":
            return f"`{fault['letter']}` is on one side of the pattern more than once"
        case "unused":
            return f"`{fault['letter']}` is given a size but is not in the pattern"
        case "open":
            return f"no sizes are given for `({fault['letter']})`, which is {shown(got)}"
        case "count":
            return f"{expected} dims cannot be summed over: {operand} has {got}"
        case "dim":
            return f"dim {expected} is named, {operand} has {got} dims"
    return f"{expected} dims of the first operand are paired with {got} of the second"
