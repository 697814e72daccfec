"""TL220: `&` or `|` takes the operands of the comparisons next to it, because it binds tighter."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, cst, rule


@rule(
    "TL220",
    severity="error",
    group="correctness",
    unproven_cases="the operands of the comparisons may be unknown",
)
def bitwise_precedence(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.BITWISE_PRECEDENCE):
        part = check.operand(fault["part"])
        if part is None or _has_parentheses(fault, part.start, part.end):
            continue
        change = fault.whole, _grouped
        yield check.finding(
            fault,
            f"{fault.named(part, 'operand')} is evaluated before the comparison: put each comparison in parentheses",
            fixes=[fault.fix("Put the comparisons in parentheses", change, safe=fault["raises"])],
        )


def _has_parentheses(fault: Site, start: int, end: int) -> bool:
    before, behind = fault.file.source(fault.span.start, start), fault.file.source(end, fault.span.end)
    return before.rstrip().endswith("(") and behind.lstrip().startswith(")")


def _grouped(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `a > 0 & b < 2` to `(a > 0) & (b < 2)`."""
    if not isinstance(node, cst.Comparison):
        return None
    pieces = _pieces(node.left)
    for one in node.comparisons:
        first, *rest = _pieces(one.comparator)
        pieces[-1] = f"{pieces[-1]}{_code(one.operator)}{first}"
        pieces[-1:] = [f"({pieces[-1]})", *rest] if rest else pieces[-1:]
    if not pieces[-1].startswith("(") and len(_pieces(node.comparisons[-1].comparator)) == 1:
        pieces[-1] = f"({pieces[-1]})"
    return cst.parse_expression(f"({''.join(pieces)})" if node.lpar else "".join(pieces))


def _pieces(node: cst.BaseExpression) -> list[str]:
    """Returns the operands of `&`, `|` and `^` and the operators between them; the node alone where it is
    none of these."""
    bitwise = cst.BitAnd | cst.BitOr | cst.BitXor
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, bitwise) and not node.lpar:
        return [*_pieces(node.left), _code(node.operator), *_pieces(node.right)]
    return [_code(node)]


def _code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)
