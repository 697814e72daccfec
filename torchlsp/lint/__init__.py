"""Exports what rules may import: `rule`, `Check`, findings and fixes, and libCST as `cst` with its matchers
as `m`.

Everything is loaded when it is first touched: listing the rules needs none of it, and libCST costs 125 ms, its
matchers 155 ms more.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from torchlsp.lint.rule import Rule, rule

if TYPE_CHECKING:
    from torchlsp.core.finding import Finding, Fix
    from torchlsp.facts.fault import FaultKind
    from torchlsp.facts.tensor import TensorFact
    from torchlsp.lint import respelling
    from torchlsp.lint.check import Check, Site
    from torchlsp.lint.cst_nodes import (
        integer_value,
        may_be_bool,
        number,
        parenthesised,
        with_arguments,
        with_attribute,
        with_method,
        with_methods,
        without_call,
    )
    from torchlsp.lint.fix_conditions import (
        gets_own_result,
        is_always_wrong,
        is_followed_by_step,
        may_be_joined,
    )
    from torchlsp.lint.ir_nodes import is_branch, single_assignment
    from torchlsp.lint.layers import device_expression, is_layer_or_product, is_layer_parameter, operand_name
    from torchlsp.lint.message_text import shown
    from torchlsp.lint.trail import because, maker, rank_test

__all__ = [
    "Check",
    "FaultKind",
    "Finding",
    "Fix",
    "Rule",
    "Site",
    "TensorFact",
    "because",
    "cst",
    "device_expression",
    "integer_value",
    "is_branch",
    "is_layer_or_product",
    "is_layer_parameter",
    "gets_own_result",
    "is_always_wrong",
    "may_be_joined",
    "is_followed_by_step",
    "may_be_bool",
    "m",
    "maker",
    "number",
    "parenthesised",
    "operand_name",
    "rank_test",
    "respelling",
    "rule",
    "shown",
    "with_arguments",
    "single_assignment",
    "with_attribute",
    "with_method",
    "with_methods",
    "without_call",
]

_LAZY = {
    "Check": ("torchlsp.lint.check", "Check"),
    "FaultKind": ("torchlsp.facts.fault", "FaultKind"),
    "Finding": ("torchlsp.core.finding", "Finding"),
    "Fix": ("torchlsp.core.finding", "Fix"),
    "Site": ("torchlsp.lint.check", "Site"),
    "TensorFact": ("torchlsp.facts.tensor", "TensorFact"),
    "because": ("torchlsp.lint.trail", "because"),
    "cst": ("libcst", ""),
    "integer_value": ("torchlsp.lint.cst_nodes", "integer_value"),
    "is_branch": ("torchlsp.lint.ir_nodes", "is_branch"),
    "device_expression": ("torchlsp.lint.layers", "device_expression"),
    "is_layer_or_product": ("torchlsp.lint.layers", "is_layer_or_product"),
    "is_layer_parameter": ("torchlsp.lint.layers", "is_layer_parameter"),
    "gets_own_result": ("torchlsp.lint.fix_conditions", "gets_own_result"),
    "is_always_wrong": ("torchlsp.lint.fix_conditions", "is_always_wrong"),
    "may_be_joined": ("torchlsp.lint.fix_conditions", "may_be_joined"),
    "is_followed_by_step": ("torchlsp.lint.fix_conditions", "is_followed_by_step"),
    "may_be_bool": ("torchlsp.lint.cst_nodes", "may_be_bool"),
    "m": ("libcst.matchers", ""),
    "operand_name": ("torchlsp.lint.layers", "operand_name"),
    "maker": ("torchlsp.lint.trail", "maker"),
    "respelling": ("torchlsp.lint.respelling", ""),
    "rank_test": ("torchlsp.lint.trail", "rank_test"),
    "parenthesised": ("torchlsp.lint.cst_nodes", "parenthesised"),
    "number": ("torchlsp.lint.cst_nodes", "number"),
    "shown": ("torchlsp.lint.message_text", "shown"),
    "with_arguments": ("torchlsp.lint.cst_nodes", "with_arguments"),
    "single_assignment": ("torchlsp.lint.ir_nodes", "single_assignment"),
    "with_attribute": ("torchlsp.lint.cst_nodes", "with_attribute"),
    "with_method": ("torchlsp.lint.cst_nodes", "with_method"),
    "with_methods": ("torchlsp.lint.cst_nodes", "with_methods"),
    "without_call": ("torchlsp.lint.cst_nodes", "without_call"),
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _LAZY[name]
    if module.partition(".")[0] == "libcst":
        from torchlsp.syntax.concrete import import_libcst

        import_libcst()
    value = importlib.import_module(module)
    if attribute:
        value = getattr(value, attribute)
    globals()[name] = value
    return value
