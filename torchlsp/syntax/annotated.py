"""Writes jaxtyping annotations into a text: on parameters and returns of functions, with the imports that they need."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlsp.core.finding import Edit
from torchlsp.core.records import dataclass, field
from torchlsp.core.span import Span
from torchlsp.syntax.edits import edit_for
from torchlsp.syntax.fragments import Fragments
from torchlsp.syntax.new_imports import NewImports

if TYPE_CHECKING:
    from collections.abc import Mapping

    import libcst as cst

    from torchlsp.syntax.function_digests import FunctionSource
    from torchlsp.syntax.parse import SyntaxTree

# What compiles a function or registers it reads its annotations, and knows none of jaxtyping's.
_READ_ANNOTATIONS = frozenset(
    {"script", "script_method", "jit", "njit", "custom_op", "triton_op", "register", "overload"}
)


class CannotAnnotate(Exception):
    """The reason why no annotation can be written into a file."""


@dataclass(frozen=True, slots=True)
class TensorType:
    """A tensor as jaxtyping names it: `Float32` and `"N 196 768"`."""

    kind: str
    sizes: str


@dataclass(frozen=True, slots=True)
class Signature:
    """The types of a function's parameters, and of what it returns: a tensor, or a tuple of tensors."""

    parameters: Mapping[str, TensorType] = field(default_factory=dict)
    returned: TensorType | tuple[TensorType, ...] | None = None


def annotated(tree: SyntaxTree, functions: list[tuple[FunctionSource, Signature]]) -> tuple[list[Edit], int]:
    """Returns edits that write the signatures where there is no annotation or a bare `Tensor`, and how many functions they change.

    Parameters with a default, `*args` and `**kwargs` are left alone, as are functions whose annotations a compiler reads.
    Raises CannotAnnotate where torch's `Tensor` cannot be named.
    """
    if tree.module is None:
        return [], 0
    places = [
        (source.node, signature)
        for source, signature in functions
        if isinstance(source.node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not _READ_ANNOTATIONS.intersection(map(_last_name, source.node.decorator_list))
    ]
    before = min((node.lineno for node, _ in places), default=0)
    imports = NewImports(tree, tree.module, before)
    edits = []
    for node, signature in places:
        edit = _edit_of(tree, node, signature, imports)
        if edit is not None:
            edits.append(edit)
    return [*imports.edits(), *edits], len(edits)


def _last_name(decorator: ast.expr) -> str:
    if isinstance(decorator, ast.Call):
        decorator = decorator.func
    return decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")


def _edit_of(
    tree: SyntaxTree, node: ast.FunctionDef | ast.AsyncFunctionDef, signature: Signature, imports: NewImports
) -> Edit | None:
    import libcst as cst

    place = tree.document.offset(node.lineno, node.col_offset)
    fragment = Fragments.of(tree).for_span(Span(place, place + 1))
    if fragment is None or not isinstance(fragment.node, cst.FunctionDef):
        return None
    function = fragment.node
    params = function.params
    changed = function.with_changes(
        params=params.with_changes(
            posonly_params=[_parameter(one, signature, imports) for one in params.posonly_params],
            params=[_parameter(one, signature, imports) for one in params.params],
            kwonly_params=[_parameter(one, signature, imports) for one in params.kwonly_params],
        )
    )
    if signature.returned is not None and _is_free(function.returns, imports):
        is_tuple = isinstance(signature.returned, tuple)
        if not is_tuple or function.returns is None:
            changed = changed.with_changes(
                returns=_annotation(function.returns, _spelt(signature.returned, imports))
            )
    return edit_for(fragment, function, changed)


def _parameter(param: cst.Param, signature: Signature, imports: NewImports) -> cst.Param:
    wanted = signature.parameters.get(param.name.value)
    if wanted is None or param.default is not None or not _is_free(param.annotation, imports):
        return param
    return param.with_changes(annotation=_annotation(param.annotation, _spelt(wanted, imports)))


def _annotation(old: cst.Annotation | None, text: str) -> cst.Annotation:
    import libcst as cst

    new = cst.parse_expression(text)
    return cst.Annotation(new) if old is None else old.with_changes(annotation=new)


def _is_free(annotation: cst.Annotation | None, imports: NewImports) -> bool:
    """Returns whether there is no annotation, or torch's bare `Tensor`."""
    import libcst as cst

    if annotation is None:
        return True
    match annotation.annotation:
        case cst.Name(value=name):
            return name in imports.tensors
        case cst.Attribute(value=cst.Name(value=module), attr=cst.Name(value="Tensor")):
            return module in imports.torch_modules
    return False


def _spelt(wanted: TensorType | tuple[TensorType, ...], imports: NewImports) -> str:
    if isinstance(wanted, tuple):
        return f"tuple[{', '.join(_spelt(one, imports) for one in wanted)}]"
    array = imports.tensor()
    if array is None:
        raise CannotAnnotate(
            "`Tensor` stands for something else in this file, which does not import torch at its top"
        )
    return f'{imports.jaxtyping_class(wanted.kind)}[{array}, "{wanted.sizes}"]'
