"""TL118: an index of `gather`, `scatter` or a related function has the wrong rank or is too large."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, rule, shown, with_method

_PLACES = {"index": 2, "indices": 1, "source": 3}


@rule(
    "TL118",
    severity="error",
    group="correctness",
    chosen_sizes="sizes that the probe chooses need not fit together",
)
def gather_scatter_index_shape(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.INDEX_SHAPE):
        part, whole = fault["input"], fault["whole"]
        name = f"{fault.called(fault['what'], _PLACES.get(fault['what'], 2))} {shown(part)}"
        match fault["reason"]:
            case "vector":
                text = f"the index must be 1-D, {name} is {fault['got']}-D"
            case "rank":
                text = (
                    f"{name} is {fault['got']}-D, the {fault['than']} {shown(whole)} is {fault['expected']}-D"
                )
            case "large":
                text = f"{name} is larger in dim {fault['dim']} than the {fault['than']} {shown(whole)}"
            case _:
                text = (
                    f"{name} has {shown(fault['got'])} in dim {fault['dim']}, "
                    f"the {fault['than']} needs {shown(fault['expected'])}"
                )
        related = [*because(part, "shape"), *(because(whole, "shape") if whole is not None else ())]
        yield check.finding(fault, text, related=related, fixes=[_unsqueezed(fault)])


def _unsqueezed(fault: Site) -> Fix | None:
    """Adds a dim of size 1 to the index along the gathered dim, if it fits then."""
    along, part, whole = fault.get("along"), fault["input"], fault["whole"]
    if fault["reason"] != "rank" or along is None or fault["got"] != fault["expected"] - 1:
        return None
    place = along % fault["expected"]
    sizes = (*part.shape[:place], 1, *part.shape[place:])
    others = [i for i in range(len(sizes)) if i != place]
    if not all(sizes[i] == whole.shape[i] or _is_smaller(sizes[i], whole.shape[i]) for i in others):
        return None
    operand = fault.operand(fault["what"], _PLACES[fault["what"]])
    return fault.fix(
        f"Insert .unsqueeze({along})", (operand, lambda node: with_method(node, "unsqueeze", along))
    )


def _is_smaller(size: object, most: object) -> bool:
    return isinstance(size, int) and isinstance(most, int) and size <= most
