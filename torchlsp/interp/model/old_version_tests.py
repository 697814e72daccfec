"""Decides tests for a torch before 1.0: `LooseVersion(torch.__version__) < LooseVersion("0.4")` is false."""

from __future__ import annotations

import re

from torchlsp.facts.tri import Tri
from torchlsp.program import ir

_BEFORE_ONE = re.compile(r"0\.\d")


def result_of_test(node: ir.Node) -> Tri:
    """Returns the result of a comparison with such a version; UNKNOWN for any other test."""
    if type(node) is not ir.Compare or len(node.ops) != 1 or node.ops[0] not in ("<", "<=", ">", ">="):
        return Tri.UNKNOWN
    left, right = _argument(node.left), _argument(node.rights[0])
    if not _is_version_of_torch(left) or type(right) is not ir.Constant:
        return Tri.UNKNOWN
    if not isinstance(right.value, str) or not _BEFORE_ONE.match(right.value):
        return Tri.UNKNOWN
    return Tri.of(node.ops[0] in (">", ">="))


def _argument(node: ir.Node) -> ir.Node:
    """Returns the argument of `Version(…)`, or the node itself."""
    return node.args[0] if type(node) is ir.Call and len(node.args) == 1 and not node.keywords else node


def _is_version_of_torch(node: ir.Node) -> bool:
    return (
        type(node) is ir.Attribute
        and node.name == "__version__"
        and type(node.object) is ir.Name
        and node.object.id == "torch"
    )
