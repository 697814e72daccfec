"""Rewrites calls, names and imports for current torch, as changes of libCST nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torchlsp.syntax.concrete import import_libcst

import_libcst()

import libcst as cst  # noqa: E402  # it is there now

if TYPE_CHECKING:
    from torchlsp.core.finding import Fix
    from torchlsp.lint.check import Site

_POSITIONS = ("enabled", "dtype", "cache_enabled")
"""The order of arguments of `torch.cuda.amp.autocast`, which differs from that of `torch.amp.autocast`."""


def renamed(node: cst.BaseExpression, name: str, instead: str) -> cst.BaseExpression | None:
    """Renames a function: its last part where only that differs, else all of it, where it is written out from `torch` on."""
    base, _, last = instead.rpartition(".")
    if not isinstance(node, cst.Attribute):
        return None
    if base == name.rpartition(".")[0]:
        return node.with_changes(attr=cst.Name(last))
    return cst.parse_expression(instead) if _is_written_out(node) else None


def replacement(fault: Site) -> Fix | None:
    """Returns the fix that replaces a deprecated function by the one that torch names instead."""
    change, instead = fault["change"], fault["instead"]
    title = f"Replace it by {instead}"
    if change == "rename":
        return fault.fix(title, (fault.callee, lambda node: renamed(node, fault["name"], instead)), safe=True)
    return fault.fix(title, (fault.whole, lambda node: with_new_arguments(node, instead, change)))


def as_method(node: cst.Call) -> cst.Call | None:
    """Rewrites `torch.view(t, 2, 3)` to `t.view(2, 3)`."""
    if not isinstance(node.func, cst.Attribute) or not node.args or node.args[0].keyword or node.args[0].star:
        return None
    first = node.args[0].value
    if not isinstance(first, cst.Name | cst.Attribute | cst.Call | cst.Subscript):
        return None
    return node.with_changes(func=node.func.with_changes(value=first), args=node.args[1:])


def reduced(node: cst.BaseExpression, name: str) -> cst.Call | None:
    """Rewrites `np.max(x, axis=0)` to the method of a tensor that computes the same; None where there is none."""
    from torchlsp.lint.cst_nodes import parenthesised

    if not isinstance(node, cst.Call) or not node.args or any(arg.star for arg in node.args):
        return None
    first, *rest = node.args
    given = {arg.keyword.value: arg for arg in rest if arg.keyword is not None}
    axis = given.get("axis", rest[0] if rest else None)
    if first.keyword is not None or given.keys() - {"axis", "keepdims"} or len(rest) - len(given) > 1:
        return None
    if name == "prod" and axis is not None and not isinstance(axis.value, cst.Integer):
        return None
    if name in ("max", "min") and axis is not None:
        name = f"a{name}"  # `max` along a dim returns the indices too
    if name in ("std", "var"):
        rest = [*rest, _keyword("correction", cst.Integer("0"))]  # torch divides by n - 1 without it
    return cst.Call(cst.Attribute(parenthesised(first.value), cst.Name(name)), rest)


def plain_import(node: cst.Import) -> cst.Import | None:
    """Rewrites `import torch.x` to `import torch`."""
    if not isinstance(node, cst.Import) or len(node.names) != 1 or node.names[0].asname is not None:
        return None
    return cst.Import([cst.ImportAlias(cst.Name("torch"))])


def other_import(node: cst.ImportFrom, module: str, name: str) -> cst.ImportFrom | None:
    """Rewrites `from module import name` to a function of another module or name."""
    if not isinstance(node, cst.ImportFrom) or isinstance(node.names, cst.ImportStar) or len(node.names) != 1:
        return None
    alias = node.names[0]
    if not isinstance(alias.name, cst.Name):
        return None
    bound = alias.asname or cst.AsName(alias.name, cst.SimpleWhitespace(" "), cst.SimpleWhitespace(" "))
    kept = alias.asname if alias.evaluated_name == name else bound
    return node.with_changes(
        module=cst.parse_expression(module), names=[alias.with_changes(name=cst.Name(name), asname=kept)]
    )


def with_device(
    name: str, device: str, written: str
) -> Callable[[cst.BaseExpression], cst.BaseExpression | None]:
    """Rewrites a call of `torch.cuda.amp.{name}`, or a decorator without a call, to `written` with the device."""
    quoted = cst.SimpleString(f'"{device}"')

    def change(node: cst.BaseExpression) -> cst.BaseExpression | None:
        function = cst.parse_expression(written)
        if not isinstance(node, cst.Call):
            return (
                cst.Call(function, [_keyword("device_type", quoted)]) if name.startswith("custom") else None
            )
        if any(arg.star for arg in node.args):
            return None
        if name.startswith("custom"):
            return node.with_changes(func=function, args=[*node.args, _keyword("device_type", quoted)])
        args = list(node.args)
        if name == "autocast":
            args = [
                arg if arg.keyword is not None else _keyword(_POSITIONS[number], arg.value)
                for number, arg in enumerate(args)
            ]
        return node.with_changes(func=function, args=[cst.Arg(quoted), *args])

    return change


def from_module(node: cst.BaseSmallStatement, module: str) -> cst.BaseSmallStatement | None:
    """Imports the same names from another module."""
    match node:
        case cst.ImportFrom():
            return node.with_changes(module=cst.parse_expression(module))
        case cst.Import(names=[alias]) if alias.asname is not None:
            return node.with_changes(names=[alias.with_changes(name=cst.parse_expression(module))])
    return None


def with_keyword(node: cst.BaseExpression, old: str, new: str) -> cst.Call | None:
    """Renames an argument of a call; None where there is one of that name already."""
    if not isinstance(node, cst.Call) or any(_named(arg, new) for arg in node.args):
        return None
    args = [arg.with_changes(keyword=cst.Name(new)) if _named(arg, old) else arg for arg in node.args]
    return node.with_changes(args=args)


def without_keyword(node: cst.BaseExpression, name: str) -> cst.Call | None:
    """Removes an argument of a call."""
    if not isinstance(node, cst.Call):
        return None
    args = [arg for arg in node.args if not _named(arg, name)]
    if args and args[-1] is not node.args[-1]:
        args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return node.with_changes(args=args) if len(args) < len(node.args) else None


def _is_written_out(callee: cst.BaseExpression) -> bool:
    while isinstance(callee, cst.Attribute):
        callee = callee.value
    return isinstance(callee, cst.Name) and callee.value == "torch"


def with_new_arguments(node: cst.BaseExpression, instead: str, change: str) -> cst.BaseExpression | None:
    """Calls another function, with the arguments in its order; None where they are not plain."""
    if (
        not isinstance(node, cst.Call)
        or change not in _CALLS
        or not _is_written_out(node.func)
        or any(arg.star for arg in node.args)
    ):
        return None
    args = _CALLS[change](node)
    if args is None:
        return None
    call = node.with_changes(func=cst.parse_expression(instead), args=args)
    upper = instead.endswith(".cholesky") and any(_named(arg, "upper") for arg in node.args)
    return cst.Attribute(call, cst.Name("mH")) if upper else call


def _named(arg: cst.Arg, name: str) -> bool:
    return arg.keyword is not None and arg.keyword.value == name


def _constant(arg: cst.Arg) -> str | None:
    return (
        arg.value.value if isinstance(arg.value, cst.Name) and arg.value.value in ("True", "False") else None
    )


def _keyword(name: str, value: cst.BaseExpression) -> cst.Arg:
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return cst.Arg(value, cst.Name(name), equal)


def _of_qr(node: cst.Call) -> list[cst.Arg] | None:
    if len(node.args) == 1:
        return list(node.args)
    if len(node.args) != 2 or node.args[0].keyword or _constant(node.args[1]) is None:
        return None
    if node.args[1].keyword is not None and not _named(node.args[1], "some"):
        return None
    if _constant(node.args[1]) == "True":
        return [node.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)]
    return [node.args[0], _keyword("mode", cst.SimpleString('"complete"'))]


def _of_cholesky(node: cst.Call) -> list[cst.Arg] | None:
    if len(node.args) == 1:
        return list(node.args)
    if (
        len(node.args) != 2
        or node.args[0].keyword
        or not _named(node.args[1], "upper")
        or _constant(node.args[1]) != "True"
    ):
        return None
    return [node.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)]


def _of_chain(node: cst.Call) -> list[cst.Arg] | None:
    matrices = [arg for arg in node.args if arg.keyword is None]
    if len(matrices) < 2:
        return None
    items = [cst.Element(arg.value) for arg in matrices]
    return [cst.Arg(cst.List(items)), *(arg for arg in node.args if arg.keyword is not None)]


def _of_range(node: cst.Call) -> list[cst.Arg] | None:
    """Adds one to the end of `range`, which includes it. Its numbers are floats unless a dtype is given."""
    from torchlsp.lint.cst_nodes import integer_value

    if any(arg.keyword is not None and arg.keyword.value != "dtype" for arg in node.args):
        return None
    bounds = [arg for arg in node.args if arg.keyword is None]
    numbers = [integer_value(arg.value) for arg in bounds]
    if len(numbers) not in (1, 2):
        return None
    end = bounds[-1].value
    if numbers[-1] is not None:
        if numbers[-1] < -1:
            return None
        after: cst.BaseExpression = cst.Integer(str(numbers[-1] + 1))
    elif isinstance(end, cst.Name | cst.Attribute | cst.Call | cst.Subscript):
        after = cst.BinaryOperation(end, cst.Add(), cst.Integer("1"))
    else:
        return None
    start = bounds[:-1] or [cst.Arg(cst.Integer("0"))]
    return [
        *start,
        bounds[-1].with_changes(value=after),
        *(arg for arg in node.args if arg.keyword is not None),
    ]


def _of_norm(node: cst.Call) -> list[cst.Arg] | None:
    """Rewrites `norm(x)` and `norm(x, p=2, dim=1)` of numbers; other norms have functions of their own."""
    if not node.args or node.args[0].keyword is not None:
        return None
    given = [node.args[0]]
    for number, arg in enumerate(node.args[1:]):
        name = (
            arg.keyword.value
            if arg.keyword is not None
            else ("p", "dim", "keepdim")[number]
            if number < 3
            else "?"
        )
        if name == "p" and isinstance(arg.value, cst.SimpleString) and arg.value.evaluated_value == "fro":
            continue
        if name == "p" and not isinstance(arg.value, cst.Integer | cst.Float):
            return None
        if name not in ("p", "dim", "keepdim"):
            return None
        given.append(_keyword("ord" if name == "p" else name, arg.value))
    last = given[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return [*given[:-1], last]


def _as_they_are(node: cst.Call) -> list[cst.Arg]:
    return list(node.args)


_CALLS = {
    "qr": _of_qr, "cholesky": _of_cholesky, "chain_matmul": _of_chain, "range": _of_range, "norm": _of_norm,
    "upsample": _as_they_are, "other keys": _as_they_are,
}  # fmt: skip


def with_unused_parameters_found(node: cst.Call) -> cst.Call:
    """Adds `find_unused_parameters=True`, in the place of an existing value."""
    name = "find_unused_parameters"
    args = [arg for arg in node.args if not _named(arg, name)]
    return node.with_changes(args=[*args, _keyword(name, cst.Name("True"))])


def with_given(node: cst.BaseExpression, name: str, code: str) -> cst.Call | None:
    """Adds `name=code` to a call, in the place of an explicit None."""
    if not isinstance(node, cst.Call):
        return None
    value = cst.parse_expression(code)
    if any(_named(arg, name) for arg in node.args):
        args = [arg.with_changes(value=value) if _named(arg, name) else arg for arg in node.args]
        return node.with_changes(args=args)
    return node.with_changes(args=[*node.args, _keyword(name, value)])


def first_argument(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Returns a call's first argument as something that can take the call's place; None where that is `*args`."""
    from torchlsp.lint.cst_nodes import parenthesised

    if not isinstance(node, cst.Call) or not node.args or node.args[0].star:
        return None
    return parenthesised(node.args[0].value)


def with_weights_only(node: cst.Call, value: str = "True") -> cst.Call:
    """Adds `weights_only` to a call."""
    return node.with_changes(args=[*node.args, _keyword("weights_only", cst.Name(value))])


def with_reduction(node: cst.Call) -> cst.Call | None:
    """Replaces `size_average` and `reduce` by `reduction`: a false `size_average` is a sum, a false `reduce` none of both."""
    flags = {
        arg.keyword.value: _constant(arg)
        for arg in node.args
        if arg.keyword is not None and arg.keyword.value in ("size_average", "reduce")
    }
    if None in flags.values() or any(_named(arg, "reduction") for arg in node.args):
        return None
    reduction = (
        "none"
        if flags.get("reduce") == "False"
        else "sum"
        if flags.get("size_average") == "False"
        else "mean"
    )
    args = [arg for arg in node.args if arg.keyword is None or arg.keyword.value not in flags]
    return node.with_changes(args=[*args, _keyword("reduction", cst.SimpleString(f'"{reduction}"'))])
